"""Texts as words alone, which tell whether training and evaluation share a conversation."""

import pytest

from rejoinder.corpora.leakage import WordTexts, words_alone


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("नमस्ते", "नमस्ते"),  # the last character is the sign of a vowel, no letter to Python
        ("क्या यह तुम हो ?", "क्या यह तुम हो"),
        ("ที่นี่ !", "ที่นี่"),
        ("I'll see -- the 3rd , no ?!", "i 'll see the 3 rd no"),
        ("... !? --", ""),
    ],
)
def test_words_are_kept_and_marks_are_not(text, words):
    assert words_alone([text], "en") == [words]


def test_a_conversation_of_indic_words_is_told_from_another():
    asked, answered = words_alone(["नमस्ते", "कैसे हो ?"], "en")
    assert asked != answered
    assert (asked, asked) not in WordTexts.of([], [(asked, answered)]).pairs
