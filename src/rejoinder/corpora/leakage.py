"""What evaluation sets say: training leaves out the conversations that share it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from rejoinder.tables.testset import TestSet
from rejoinder.text.words import cutter

LONG = 8
"""An utterance of so many words is hardly said twice by chance: sharing one is leakage."""


@dataclass(frozen=True)
class WordTexts:
    """Texts as words alone (``words_alone``).

    Attributes:
        long: Utterances of ``LONG`` words or more.
        pairs: Messages, each with a reply to it.
    """

    long: frozenset[str]
    pairs: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, utterances: Iterable[str], pairs: Iterable[tuple[str, str]]) -> WordTexts:
        """Of what ``words_alone`` gives."""
        return cls(frozenset(filter(is_long, utterances)), frozenset(pairs))

    @classmethod
    def in_set(cls, testset: TestSet, language: str) -> WordTexts:
        """Every turn of every context, and every reference; each reference is a reply."""
        texts, pairs = said(testset)
        words = dict(zip(texts, words_alone(texts, language), strict=True))
        return cls.of(words.values(), ((words[m], words[r]) for m, r in pairs.rows()))

    def __or__(self, other: WordTexts) -> WordTexts:
        return WordTexts(self.long | other.long, self.pairs | other.pairs)


NOTHING = WordTexts(frozenset(), frozenset())


def said(testset: TestSet) -> tuple[list[str], pl.DataFrame]:
    """The distinct turns and references of a test set, and its distinct pairs ``message``, ``text``."""
    turns = testset.contexts.select(pl.col("context").explode()).to_series().drop_nulls()
    texts = pl.concat([turns, testset.references.get_column("text").drop_nulls()]).unique()
    messages = testset.contexts.select("id", message=pl.col("context").list.last())
    answered = testset.references.join(messages, on="id").select("message", "text")
    return texts.to_list(), answered.drop_nulls().unique()


def words_alone(texts: Iterable[str], language: str) -> list[str]:
    """Texts as words alone, for comparison: no marks, no case, one blank between two words.

    A word holds a letter or a digit somewhere: those of Hindi may well end in a vowel sign.

    >>> words_alone(["Is it -- you?"], "en")
    ['is it you']
    """
    cut = cutter(language)
    return [" ".join(word for word in cut(text) if any(map(str.isalnum, word))) for text in texts]


def is_long(words: str) -> bool:
    """Whether a text, as ``words_alone`` gives it, has ``LONG`` words."""
    return words.count(" ") >= LONG - 1
