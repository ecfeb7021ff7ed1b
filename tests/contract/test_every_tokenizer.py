"""What must be true of every tokenizer, and that a new one is a function and a row."""

import pytest

from rejoinder.errors import MissingExtraError
from rejoinder.metrics import BLEU
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import TOKENIZERS, Rewriter, tokenize, words

TEXTS = ["It's 3.5, no?", "", "yes  yes", "\u597d\u7684 ok"]


def cut(name):
    try:
        return tokenize(Strings.of(TEXTS), name)
    except MissingExtraError:
        pytest.skip(f"{name} needs what is not here")


@pytest.mark.parametrize("name", TOKENIZERS)
def test_tokens_are_those_for_people(name):
    tokens = cut(name)
    assert [len(words(text, name)) for text in TEXTS] == tokens.lengths.tolist()


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_text_is_cut_alike_whatever_stands_beside_it(name):
    lengths = cut(name).lengths.tolist()
    assert tokenize(Strings.of(TEXTS[::-1]), name).lengths.tolist() == lengths[::-1]


def test_a_new_one_is_a_function_and_a_row(monkeypatch):
    monkeypatch.setitem(TOKENIZERS, "letters", Rewriter(lambda: " ".join))
    metric = BLEU(1, tokenizer="letters")
    assert metric.corpus(["abc"], [["bcd"]]).value == pytest.approx(2 / 3)
    assert "tok:letters" in metric.signature()
    assert words("ab", "letters") == ("a", "b")
