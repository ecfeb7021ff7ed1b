"""What holds for every unreferenced scorer of RUBER: a new one needs a line in ``SIZES`` alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import tiny_ruber  # noqa: E402
from rejoinder.cli.verbs.train_ruber import ruber as command  # noqa: E402
from rejoinder.errors import ParameterError  # noqa: E402
from rejoinder.models.huggingface.encoder import Encoder  # noqa: E402
from rejoinder.models.ruber import model as folders  # noqa: E402
from rejoinder.models.ruber.data.conversations import NONE, Conversations  # noqa: E402
from rejoinder.models.ruber.ranking import logits  # noqa: E402
from rejoinder.models.ruber.registry import SIZES, Size, rebuilt  # noqa: E402
from rejoinder.models.ruber.scorer import Described, Sources, UnreferencedScorer  # noqa: E402
from rejoinder.models.ruber.training import Schedule  # noqa: E402
from rejoinder.models.vectors.word2vec import word2vec  # noqa: E402


@dataclass(frozen=True)
class LengthConfig:
    """How many turns of a query are read."""

    turns: int = 2


class LengthScorer(UnreferencedScorer):
    """A scorer that knows the lengths of texts alone, and needs no encoder and no vocabulary."""

    kind = "length"

    def __init__(self, config):
        self.module = torch.nn.Linear(2, 1)
        self.config = asdict(config)

    @classmethod
    def fresh(cls, config, sources):
        return cls(config)

    @classmethod
    def rebuilt(cls, described, encoder):
        return cls(LengthConfig(**described.config))

    def prepare(self, texts, progress=None):
        return np.array([*(len(text) / 50 for text in texts), 0.0], dtype=np.float32)

    def lengths(self, prepared, turns, replies):
        return np.ones(replies.size, np.int64)

    def logits(self, prepared, turns, replies):
        features = np.column_stack([prepared[turns].sum(axis=1), prepared[replies]])
        return self.module(torch.from_numpy(features)).squeeze(-1)

    def loss(self, prepared, corpus, rows, others, rng):
        true = self.logits(prepared, corpus.turns[rows], corpus.replies[rows])
        wrong = corpus.replies[rng.integers(0, len(corpus), rows.size)]
        return (self.logits(prepared, corpus.turns[rows], wrong) - true).exp().mean()


LENGTH = Size(LengthScorer, LengthConfig(), Schedule(batch=16, epochs=1))


@pytest.fixture(params=[*SIZES, "length"])
def size(request, monkeypatch):
    monkeypatch.setitem(SIZES, "length", LENGTH)
    return SIZES[request.param]


@pytest.fixture(scope="module")
def corpus():
    return Conversations.of(tiny_ruber.conversations(tiny_ruber.dialogues()[:9]), 3)


@pytest.fixture
def sources(corpus, request):
    encoder = Encoder.load(request.getfixturevalue("encoder"))
    texts = list(corpus.texts)
    return Sources(
        corpus, "en", lambda width: word2vec(texts, size=width, min_count=1, epochs=1), encoder
    )


@pytest.fixture
def scorer(size, sources):
    torch.manual_seed(3)
    return size.scorer.fresh(size.config, sources)


def test_the_command_offers_every_size():
    (option,) = (each for each in command.params if each.name == "sizes")
    assert list(option.type.choices) == list(SIZES)


def test_kinds_have_names_of_their_own():
    scorers = {size.scorer for size in SIZES.values()}
    assert len({scorer.kind for scorer in scorers}) == len(scorers)


def test_scores_are_of_each_pair_whatever_stands_beside_it(scorer, corpus):
    prepared = scorer.prepare(corpus.texts)
    whole = logits(scorer, prepared, corpus.turns, corpus.replies)
    assert np.isfinite(whole).all()
    for rows in (slice(0, 1), slice(None, None, -1)):
        some = logits(scorer, prepared, corpus.turns[rows], corpus.replies[rows])
        np.testing.assert_allclose(some, whole[rows], atol=1e-5)
    assert scorer.lengths(prepared, corpus.turns, corpus.replies).shape == corpus.replies.shape
    alone = logits(scorer, prepared, np.full_like(corpus.turns[:1], NONE), corpus.replies[:1])
    assert np.isfinite(alone).all()  # a query without a turn


def test_a_loss_has_gradients_and_follows_from_the_generators(scorer, corpus):
    prepared, rows = scorer.prepare(corpus.texts), np.arange(8)
    losses = []
    for _ in range(2):
        torch.manual_seed(5)
        rng = np.random.default_rng(5)
        losses.append(scorer.loss(prepared, corpus, rows, corpus.others(), rng))
    losses[0].backward()
    assert float(losses[0].detach()) == float(losses[1].detach())
    assert any(each.grad is not None for each in scorer.module.parameters())


def test_it_is_rebuilt_as_its_folder_describes_it(scorer, sources, corpus):
    weights = scorer.module.state_dict()
    shapes = {name: tuple(each.shape) for name, each in weights.items()}
    config = {name: list(v) if isinstance(v, tuple) else v for name, v in scorer.config.items()}
    again = rebuilt(scorer.kind, Described(config, scorer.files, shapes), sources.encoder)
    again.module.load_state_dict(weights)
    assert again.prepares_like == scorer.prepares_like or not scorer.reads_with
    one, two = (
        logits(each, each.prepare(corpus.texts), corpus.turns, corpus.replies)
        for each in (scorer, again)
    )
    np.testing.assert_allclose(one, two, atol=1e-6)


def test_a_size_that_reads_with_an_encoder_says_so_where_there_is_none(size, sources):
    without = replace(sources, encoder=None)
    if size.scorer.needs_encoder:
        with pytest.raises(ParameterError, match="reads with a sentence encoder"):
            size.scorer.fresh(size.config, without)
    else:
        assert not size.scorer.fresh(size.config, without).reads_with


def test_a_new_size_is_trained_scored_and_loaded(monkeypatch, tmp_path):
    monkeypatch.setitem(SIZES, "length", LENGTH)
    result = tiny_ruber.trained(tmp_path / "m", sizes=("length",))
    assert [each["member"] for each in result.log] == ["length-1"]
    query, replies = [["Is there tea?"]] * 2, ["Yes.", "No, there is none today."]
    loaded = folders.load(tmp_path / "m").score(query, replies)
    np.testing.assert_allclose(loaded, result.model.score(query, replies), atol=1e-6)
