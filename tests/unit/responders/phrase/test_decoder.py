"""The decoder against exhaustive search on small tables, and its n-best lists against all replies."""

import numpy as np
import pytest

from rejoinder.errors import ParameterError
from rejoinder.kernels.decoding import chained
from rejoinder.responders.phrase.alignment import WordNumbers
from rejoinder.responders.phrase.language_model import SPECIAL, LanguageModel
from rejoinder.responders.phrase.model import PhraseModel
from rejoinder.responders.phrase.parameters import PhraseParameters
from rejoinder.responders.phrase.phrases import PHRASE_FEATURES, PhraseTable, span_keys
from rejoinder.responders.phrase.trained import BY_HAND, FEATURES, PhraseResponder
from rejoinder.text.detokenize import plain

SOURCE = ["p", "q", "r", "s"]
TARGET = [*SPECIAL, "ab", "cd", "ef"]


def _responder(seed, order=3):
    """Random phrase pairs of up to two words on either side, and a random language model."""
    rng = np.random.default_rng(seed)
    rows = [rng.integers(3, 6, rng.integers(1, 5)).tolist() for _ in range(12)]
    language = LanguageModel.estimated(WordNumbers.of(rows), TARGET, order)
    phrases = [(a,) for a in range(4)] + [tuple(each) for each in rng.integers(0, 4, (3, 2))]
    pairs = {}
    for phrase in dict.fromkeys(phrases):
        key = span_keys(np.array(phrase), np.array([0]), np.array([len(phrase)]), 2)[0]
        pairs[int(key)] = (
            phrase,
            [
                tuple(rng.integers(3, 6, rng.integers(1, 3)).tolist())
                for _ in range(rng.integers(1, 3))
            ],
        )
    keys = sorted(pairs)
    targets = [each for key in keys for each in pairs[key][1]]
    table = PhraseTable(
        np.array(keys, dtype=np.uint64),
        np.cumsum([0, *(len(pairs[key][1]) for key in keys)]),
        np.array([word for each in targets for word in each]),
        np.cumsum([0, *map(len, targets)]),
        rng.normal(size=(len(targets), len(PHRASE_FEATURES))),
    )
    weights = dict(zip(FEATURES, rng.normal(size=len(FEATURES)), strict=True))
    weights |= {"language_model": abs(weights["language_model"])}
    parameters = PhraseParameters(phrase=2, order=order, external=0)
    model = PhraseModel(SOURCE, language, table)
    return PhraseResponder(model, parameters, weights, ""), pairs, keys


def _all(responder, pairs, keys, message):
    """Every reply with the value of its best derivation, by walking through all of them."""
    table, language = responder.model.table, responder.model.language
    vector = [responder.weights[name] for name in PHRASE_FEATURES]
    options = []
    for k, key in enumerate(keys):
        phrase, targets = pairs[key]
        for start in range(len(message) - len(phrase) + 1):
            if tuple(message[start : start + len(phrase)]) == phrase:
                for n, target in enumerate(targets):
                    value = float(table.features[table.bounds[k] + n] @ vector)
                    options.append((start, start + len(phrase), target, value))
    dropped = responder.weights["dropped"]
    options += [(start, start + 1, (), dropped) for start in range(len(message))]
    found = {}

    def walk(end, words, value):
        if end == len(message):
            logs = language.word_logs([[TARGET[each] for each in words]])[0]
            value += responder.weights["language_model"] * float(logs.sum())
            text = plain(" ".join(TARGET[each] for each in words))
            found[text] = max(found.get(text, -np.inf), value)
            return
        for start, stop, target, own in options:
            if start == end:
                walk(stop, words + target, value + own)

    walk(0, (), 0.0)
    found.pop("", None)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_the_best_reply_and_the_list_are_those_of_exhaustive_search(seed):
    responder, pairs, keys = _responder(seed, order=2 + seed % 3)
    rng = np.random.default_rng(seed)
    message = rng.integers(0, 4, 4).tolist()
    expected = _all(responder, pairs, keys, message)
    (found,) = responder.candidates([" ".join(SOURCE[each] for each in message)], 10, beam=1000)
    best = sorted(expected.values(), reverse=True)[:10]
    assert [each.total for each in found] == pytest.approx(best)
    for each in found:
        assert each.total == pytest.approx(expected[each.text])
        vector = [responder.weights[name] for name in FEATURES]
        assert np.dot(each.features, vector) == pytest.approx(each.total)


def test_a_small_beam_finds_replies_of_their_exact_value():
    responder, pairs, keys = _responder(3)
    message = [0, 1, 2, 3, 0]
    expected = _all(responder, pairs, keys, message)
    text = " ".join(SOURCE[each] for each in message)
    for beam in (1, 2, 3):
        (found,) = responder.candidates([text], 10, beam)
        assert all(each.total <= expected[each.text] + 1e-9 for each in found)


def test_a_message_of_unknown_words_has_an_empty_reply():
    responder, _, _ = _responder(0)
    assert responder.respond(["unknown words", "", "p"])[:2] == ["", ""]


def test_weights_of_features_that_are_none_are_refused():
    responder, _, _ = _responder(0)
    assert responder.weighted({"tuned": {"weights": {"words": 2}}}).weights == {"words": 2.0}
    with pytest.raises(ParameterError, match="meteor"):
        responder.weighted({"meteor": 1.0})
    assert set(BY_HAND) <= set(FEATURES)


def test_fingerprints_of_phrases_are_chains_of_words():
    words = np.array([3, 4, 3])
    keys = span_keys(words, np.array([0, 1]), np.array([2, 1]), 5)
    one = chained(np.zeros(1, dtype=np.uint64), np.array([4]))
    assert keys[1] == one[0]
    assert keys[0] == chained(chained(np.zeros(1, dtype=np.uint64), words[:1]), words[1:2])[0]
