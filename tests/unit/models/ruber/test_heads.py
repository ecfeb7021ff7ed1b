"""The sizes ``cross`` and ``encoder`` against numpy readings of their formulas, a pair at a time."""

import math
from functools import partial

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
import transformers

import tiny_language_models
from rejoinder.models.huggingface.encoder import Encoder
from rejoinder.models.ruber import ranking
from rejoinder.models.ruber.data.conversations import NONE, Conversations
from rejoinder.models.ruber.data.texts import like_lengths
from rejoinder.models.ruber.encoder.cross import CrossConfig, CrossScorer
from rejoinder.models.ruber.encoder.encoder_head import HeadConfig, HeadScorer
from rejoinder.models.ruber.ranking import Ranking

TURNS, LONGEST = 2, 5
WRITTEN = {  # a tokenizer's blanks, and what the encoder is to read
    "Is there tea at the harbour ?": "Is there tea at the harbour?",
    "Yes": "Yes",
    "I do n't know .": "I don't know.",
    "": "",
    "It is the last stop, ask the driver.": "It is the last stop, ask the driver.",
    "no": "no",
    "Two beds.": "Two beds.",
    "We land at six": "We land at six",
}
TEXTS = list(WRITTEN)
PAIRS = [  # three turns, of which two are read, and a reply
    ([0, 1, 2], 4),
    ([0, 1, 2], 1),  # the same query, another reply
    ([7, 1, 2], 4),  # another turn that is not read
    ([0, 2, 1], 4),  # the turns the other way round
    ([NONE, 5, 1], 5),  # one word each
    ([NONE, NONE, 0], 6),
    ([NONE, NONE, 1], 1),
    ([NONE, NONE, NONE], 7),  # no query at all
    ([NONE, NONE, 3], 2),  # an empty one
    ([2, 3, 6], 0),
    ([0, 4, 7], 3),  # an empty reply
    ([NONE, NONE, NONE], 3),  # nothing
    ([6, 7, 4], 4),
    ([1, 5, 5], 2),
]
QUERIES = np.array([query for query, _ in PAIRS])
REPLIES = np.array([reply for _, reply in PAIRS])


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A small random BERT, whose words are cut into pieces."""
    folder = tmp_path_factory.mktemp("encoder")
    tokenizer = tiny_language_models.tokenizer("bart")
    tokenizer.save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
    )
    torch.manual_seed(5)
    transformers.BertModel(config).save_pretrained(folder)
    return Encoder.load(folder)


@pytest.fixture(scope="module")
def cross(encoder):
    return spread(CrossScorer(CrossConfig(6, 0.2, TURNS, 3, LONGEST), encoder))


@pytest.fixture(scope="module")
def head(encoder):
    return spread(HeadScorer(HeadConfig(7, 5, 0.5, TURNS), encoder))


def spread(scorer):
    """Weights so wide that every part of a formula is seen in its result."""
    draws = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for each in scorer.module.parameters():
            each.copy_(0.4 * torch.randn(each.shape, generator=draws))
    scorer.module.eval()
    return scorer


def weights(scorer):
    return {name: each.double().numpy() for name, each in scorer.module.state_dict().items()}


def layer(w, name, x):
    return w[f"{name}.weight"] @ x + w[f"{name}.bias"]


def relu(x):
    return np.maximum(x, 0)


def gelu(x):
    """x times the normal distribution function at x (Hendrycks & Gimpel 2016)."""
    return x * np.array([0.5 * (1 + math.erf(each / math.sqrt(2))) for each in x])


def softmax(x):
    return np.exp(x) / np.exp(x).sum()


def tokens_by_hand(encoder, w, texts):
    """The tokens of texts, oldest first: a projected state and a vector for the turn, counted back.

    A text keeps its last ``LONGEST`` tokens; where there is no token at all there is a zero state.
    """
    rows = []
    for back, place in zip(range(len(texts) - 1, -1, -1), texts, strict=True):
        if place == NONE:
            continue
        states = encoder.encode_tokens([WRITTEN[TEXTS[place]]])[0].astype(np.float16)
        rows += [(state.astype(float), back) for state in states[-LONGEST:]]
    rows = rows or [(np.zeros(encoder.size), 0)]
    return [layer(w, "project", state) + w["turn.weight"][back] for state, back in rows]


def cross_by_hand(scorer, query, reply):
    """Attend, compare, aggregate, a token of the reply at a time (``alignment.DecomposableAttention``)."""
    w = weights(scorer)
    q = np.array(tokens_by_hand(scorer.encoder, w, query[-TURNS:]))
    compared = []
    for r in tokens_by_hand(scorer.encoder, w, [reply]):
        e = np.array([r @ each for each in q]) / math.sqrt(r.size)
        a = softmax(e) @ q
        hidden = relu(layer(w, "compare.0", np.concatenate([r, a, r * a])))
        compared.append(relu(layer(w, "compare.3", hidden)))
    found = np.concatenate([np.mean(compared, axis=0), np.max(compared, axis=0)])
    return layer(w, "judge.2", relu(layer(w, "judge.0", found)))[0]


def head_by_hand(scorer, query, reply):
    """``exp(t) cos(f(turns), g(reply))`` (``heads.Towers``); turns that are not there are zeros."""
    w = weights(scorer)

    def vector(place):
        if place == NONE:
            return np.zeros(scorer.encoder.size)
        return scorer.encoder.encode([WRITTEN[TEXTS[place]]])[0].astype(float)

    def tower(name, x):
        return layer(w, f"{name}.3", gelu(layer(w, f"{name}.0", x)))

    f = tower("query", np.concatenate([vector(place) for place in query[-TURNS:]]))
    g = tower("reply", vector(reply))
    return np.exp(w["temperature"]) * (f @ g) / (np.linalg.norm(f) * np.linalg.norm(g))


BY_HAND = {"cross": cross_by_hand, "head": head_by_hand}


@pytest.fixture(params=BY_HAND)
def read(request):
    """A scorer, its prepared texts, and its reading by hand."""
    scorer = request.getfixturevalue(request.param)
    return scorer, scorer.prepare(TEXTS), BY_HAND[request.param]


def logits(scorer, prepared, queries, replies):
    with torch.inference_mode():
        return scorer.logits(prepared, queries, replies).numpy()


def test_the_logits_are_those_of_the_formula(read):
    scorer, prepared, by_hand = read
    expected = [by_hand(scorer, query, reply) for query, reply in PAIRS]
    assert np.std(expected) > 0.1  # what is compared differs from pair to pair
    found = logits(scorer, prepared, QUERIES, REPLIES)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_every_pair_of_a_query_and_a_reply(read):
    scorer, prepared, by_hand = read
    places = np.arange(len(TEXTS))
    queries = np.repeat(QUERIES[[0, 5, 7]], len(TEXTS), axis=0)
    replies = np.tile(places, 3)
    expected = [by_hand(scorer, list(q), r) for q, r in zip(queries, replies, strict=True)]
    np.testing.assert_allclose(logits(scorer, prepared, queries, replies), expected, atol=1e-5)


def test_what_is_not_read_makes_no_difference(read):
    scorer, prepared, _ = read
    found = logits(scorer, prepared, QUERIES, REPLIES)
    assert found[0] == pytest.approx(found[2], abs=1e-6)  # a third turn back
    assert abs(found[0] - found[3]) > 1e-3  # the order of turns is read
    short = logits(scorer, prepared, QUERIES[:, -TURNS:], REPLIES)
    np.testing.assert_allclose(short, found, atol=1e-6)


def test_one_pair_at_a_time_is_the_batch(read):
    scorer, prepared, _ = read
    found = logits(scorer, prepared, QUERIES, REPLIES)
    alone = [
        logits(scorer, prepared, QUERIES[i : i + 1], REPLIES[i : i + 1])[0]
        for i in range(len(PAIRS))
    ]
    np.testing.assert_allclose(alone, found, atol=1e-6)


@pytest.mark.parametrize("words", [1, 30, 16384])
def test_batches_of_like_length_are_one_pair_at_a_time(read, words, monkeypatch):
    scorer, prepared, by_hand = read
    monkeypatch.setattr(ranking, "like_lengths", partial(like_lengths, words=words))
    order = np.random.default_rng(2).permutation(np.repeat(np.arange(len(PAIRS)), 2))
    found = ranking.logits(scorer, prepared, QUERIES[order], REPLIES[order])
    expected = [by_hand(scorer, *PAIRS[i]) for i in order]
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_ranking_scores_each_candidate_with_its_query(read):
    scorer, prepared, by_hand = read
    candidates = np.array([[4, 1, 0], [2, 6, 5], [3, 3, 7]])
    found = Ranking(QUERIES[[0, 4, 7]], candidates).scores(scorer, prepared)
    expected = [
        [by_hand(scorer, PAIRS[i][0], reply) for reply in row]
        for i, row in zip((0, 4, 7), candidates, strict=True)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_the_lengths_are_the_tokens_that_a_pair_has(cross, encoder):
    prepared = cross.prepare(TEXTS)
    tokens = [len(encoder.encode_tokens([text])[0]) for text in WRITTEN.values()] + [0]
    expected = [sum(tokens[t] for t in [*query[-TURNS:], reply]) for query, reply in PAIRS]
    assert cross.lengths(prepared, QUERIES, REPLIES).tolist() == expected
    assert max(tokens) > LONGEST > min(tokens[:3])  # texts that are cut, and texts that are not


def conversations():
    """Two items; all that either conversation holds besides the reply is its message."""
    turns = np.array([[NONE, NONE, 0], [NONE, NONE, 7]])
    texts = tuple(TEXTS)
    return Conversations(texts, texts, turns, np.array([4, 2]), np.array([0, 1]))


def picked(scores):
    """Cross entropy of the first."""
    return -np.log(softmax(np.array(scores))[0])


def test_the_loss_of_cross_holds_wrong_replies_against_the_true_one(cross):
    corpus, rows = conversations(), np.array([1, 0])
    # With two items each draw is the other one's reply or, four times in a row, the item itself:
    # seed 1 has none of those.
    loss = cross.loss(cross.prepare(TEXTS), corpus, rows, corpus.others(), np.random.default_rng(1))
    score = partial(cross_by_hand, cross)
    by_item = [
        picked([score([NONE, NONE, query], reply) for reply in (true, query, *[wrong] * 3)])
        for query, true, wrong in ((7, 2, 4), (0, 4, 2))
    ]
    assert loss.item() == pytest.approx(np.mean(by_item), abs=1e-5)


def test_the_loss_of_encoder_is_a_softmax_over_the_batch_both_ways(head):
    corpus, rows = conversations(), np.array([1, 0])
    loss = head.loss(head.prepare(TEXTS), corpus, rows, corpus.others(), np.random.default_rng(1))
    score = partial(head_by_hand, head)
    grid = np.array([[score([NONE, NONE, query], reply) for reply in (2, 4)] for query in (7, 0)])
    by_query = [picked(grid[0]), picked(grid[1, ::-1])]
    by_reply = [picked(grid[:, 0]), picked(grid[::-1, 1])]
    assert loss.item() == pytest.approx(np.mean(by_query + by_reply), abs=1e-5)
