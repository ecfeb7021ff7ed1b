"""Plain writing from tokens."""

import pytest

from rejoinder.corpora.pairs import adjacent_pairs
from rejoinder.tables.testset import read_testset
from rejoinder.text.detokenize import detokenize, plain, recase
from shared_data import EXAMPLES, shared


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("Say , Tom , what about it ?", "Say, Tom, what about it?"),
        ("It ' s late , isn ’ t it ?", "It's late, isn't it?"),
        ("I do n't know , I 'll ask .", "I don't know, I'll ask."),
        ("At five o ' clock , ma ' am .", "At five o'clock, ma'am."),
        ("My parents ' house", "My parents' house"),
        ("They said ' yes ' .", "They said ' yes '."),  # a quotation: not told from a plural
        ("I was there.But you were not.I left .", "I was there. But you were not. I left."),
        ("The U.S.A is big , Ph.D students", "The U.S.A is big, Ph.D students"),
        ("It costs $ 3 . 50 or 1 , 200 , at 10 : 30 .", "It costs $3.50 or 1,200, at 10:30."),
        ("Well ... ( maybe ) 5 % of it", "Well... (maybe) 5% of it"),
        ('She said " go , now " and left', 'She said "go, now" and left'),
        ('One " alone', 'One " alone'),
        ("yes,I do", "yes, I do"),
        ("  a \t b\n", "a b"),
        ("", ""),
    ],
)
def test_detokenize(tokens, text):
    assert detokenize(tokens) == text
    assert detokenize(text) == text


@pytest.mark.parametrize(
    ("lower", "text"),
    [
        ("hello. how are you? fine! i am.", "Hello. How are you? Fine! I am."),
        ("i'm here, i'll stay; do i?", "I'm here, I'll stay; do I?"),
        ('"who?" she asked.', '"Who?" she asked.'),  # what follows a quotation is no new sentence
        ("iPhone users, i.e. me", "iPhone users, i.e. me"),
        ("no 1 is here", "No 1 is here"),
        ("", ""),
    ],
)
def test_recase(lower, text):
    assert recase(lower) == text
    assert recase(text) == text


def test_plain_writing_stays():
    for text in adjacent_pairs(read_testset(EXAMPLES / "testset.jsonl")).targets:
        assert plain(text) == text


def test_twice_is_once_on_dailydialog():
    path = shared("data", "dailydialog", "validation.zip")
    for text in adjacent_pairs(read_testset(path)).targets:
        once = plain(text)
        assert plain(once) == once
        assert " ," not in once
        assert " ?" not in once
