"""A phrase-based model: two vocabularies, a phrase table and a language model, and its files."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from zipfile import BadZipFile

import numpy as np

from rejoinder.messages import counted
from rejoinder.responders.phrase.alignment import WordNumbers
from rejoinder.responders.phrase.language_model import SPECIAL, LanguageModel
from rejoinder.responders.phrase.phrases import PHRASE_FEATURES, PhraseTable
from rejoinder.text.words import cutter

ARRAYS, SOURCE, TARGET = "model.npz", "source.txt", "target.txt"


@dataclass(frozen=True)
class PhraseModel:
    """What a phrase-based responder has learnt.

    Attributes:
        source: The words of messages.
        language: The language model of replies, with their words.
        table: The phrase pairs.
    """

    source: list[str]
    language: LanguageModel
    table: PhraseTable

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each word of messages."""
        return {word: place for place, word in enumerate(self.source)}

    def files(self) -> dict[str, bytes]:
        """The files of the model by name."""
        arrays = dict(self.table._asdict())
        for k in range(self.language.order):
            arrays[f"ngrams_{k}"] = self.language.ngrams[k].astype(np.int32)
            arrays[f"logs_{k}"] = self.language.logs[k]
            arrays[f"backoffs_{k}"] = self.language.backoffs[k]
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, **arrays)
        words = {SOURCE: self.source, TARGET: self.language.words}
        return {ARRAYS: file.getvalue()} | {
            name: "".join(f"{word}\n" for word in each).encode() for name, each in words.items()
        }

    @classmethod
    def of_files(cls, files: Mapping[str, bytes]) -> PhraseModel:
        """The model of files that ``files`` gave.

        Raises:
            ValueError: They hold something else.
        """
        try:
            with np.load(io.BytesIO(files[ARRAYS]), allow_pickle=False) as file:
                arrays: dict[str, Any] = dict(file)
        except BadZipFile as error:
            raise ValueError(f"{ARRAYS}: {error}") from error
        source, target = (files[name].decode().split("\n")[:-1] for name in (SOURCE, TARGET))
        table = PhraseTable(*(arrays[name] for name in PhraseTable._fields))
        order = sum(name.startswith("ngrams_") for name in arrays)
        ngrams, logs, backoffs = (
            [arrays[f"{name}_{k}"] for k in range(order)] for name in ("ngrams", "logs", "backoffs")
        )
        pairs = len(table.starts) - 1
        if tuple(target[:3]) != SPECIAL or table.features.shape != (pairs, len(PHRASE_FEATURES)):
            raise ValueError("its arrays do not fit each other")
        if max(table.words.max(initial=0), *(each.max() for each in ngrams)) >= len(target):
            raise ValueError(f"{TARGET} has {len(target)} words, and the arrays ask for more")
        language = LanguageModel(target, [each.astype(np.int64) for each in ngrams], logs, backoffs)
        return cls(source, language, table)


def vocabulary(texts: Sequence[Sequence[str]], special: Sequence[str] = ()) -> list[str]:
    """All words of texts in the order of the alphabet, behind the special ones."""
    return [*special, *sorted({word for text in texts for word in text} - set(special))]


def sentences(texts: Sequence[Sequence[str]], words: Sequence[str]) -> WordNumbers:
    """Texts as numbers of words."""
    numbers = {word: place for place, word in enumerate(words)}
    return WordNumbers.of([[numbers[word] for word in text] for text in texts])


def cut(texts: Sequence[str]) -> tuple[list[list[str]], list[str]]:
    """The words of texts, lower-cased, as ``rejoinder.text.words`` cuts English, and notes.

    Words that are marks of the language model are left out, and counted in a note.

    >>> cut(["I said <s> ."])
    ([['i', 'said', '.']], ["1 word left out that is a mark of the language model ('<unk>', '<s>', '</s>')"])
    """
    words = cutter("en")
    cut_texts = [words(text) for text in texts]
    usable = [[word for word in each if word not in SPECIAL] for each in cut_texts]
    dropped = sum(map(len, cut_texts)) - sum(map(len, usable))
    marks = ", ".join(map(repr, SPECIAL))
    verb = "that is a mark" if dropped == 1 else "that are marks"
    note = f"{counted(dropped, 'word')} left out {verb} of the language model ({marks})"
    return usable, [note] if dropped else []
