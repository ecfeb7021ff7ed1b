"""Texts as keys of their letters and digits, and of their bytes."""

from hypothesis import given
from hypothesis import strategies as st

from rejoinder.kernels.tokens import drawn_keys
from rejoinder.text.bare import bare, bare_keys, exact_keys
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import tokenize

KEYS = drawn_keys(b"a seed")
TEXTS = st.text(st.sampled_from("aAbB19_ .,?!'’ßéÉ🙂\t"), max_size=6)


def same(keys):
    """Which of two keys are equal."""
    return [[bool(a == b) for b in keys] for a in keys]


@given(st.lists(TEXTS, min_size=2, max_size=8))
def test_bare_keys_are_equal_where_bare_texts_are(texts):
    bared = [bare(text) for text in texts]
    assert same(bare_keys(Strings.of(texts), KEYS)) == [[a == b for b in bared] for a in bared]


@given(st.lists(TEXTS, min_size=2, max_size=8))
def test_exact_keys_are_equal_where_texts_are(texts):
    assert same(exact_keys(Strings.of(texts), KEYS)) == [[a == b for b in texts] for a in texts]


def test_a_seed_gives_the_same_keys_and_drawn_keys_differ():
    assert drawn_keys(b"a seed").tolist() == KEYS.tolist()
    assert drawn_keys(b"another").tolist() != KEYS.tolist()
    assert drawn_keys().tolist() != drawn_keys().tolist()


def test_tokens_by_keys_of_a_seed_are_the_same_words():
    strings = Strings.of(["It's 3.5, NO?", "Élan &amp; a", "it's"])
    tokens = tokenize(strings, "13a", lowercase=True, keys=KEYS)
    usual = tokenize(strings, "13a", lowercase=True)
    assert tokens.lengths.tolist() == usual.lengths.tolist()
    assert same(tokens.fingerprints) == same(usual.fingerprints)
    assert tokens.fingerprints.tolist() != usual.fingerprints.tolist()
