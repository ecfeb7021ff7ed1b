"""N-gram language models: interpolated modified Kneser-Ney, and ARPA files.

An n-gram has the logarithm of its probability and, as a context, that of its backoff weight; what was
not seen backs off: ``p(w | h) = b(h) p(w | h')``, h' without the oldest word. Logarithms are natural
here and decimal in files.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from pathlib import Path

import numpy as np

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text
from rejoinder.kernels.arrays import Codes, Floats, Indices
from rejoinder.kernels.decoding import FREE, NgramTable, chained, sentence_logs
from rejoinder.messages import Place, quoted
from rejoinder.responders.phrase.alignment import WordNumbers

UNKNOWN, BEGIN, END = 0, 1, 2
SPECIAL = ("<unk>", "<s>", "</s>")
NEVER = -99 * math.log(10)
"""What files say of a word that is never predicted, and of ``<unk>`` where they do not have it."""

FALLBACK = (0.5, 1.0, 1.5)
"""Discounts of counts 1, 2 and more where a corpus is too small to estimate them."""


@dataclass(frozen=True)
class LanguageModel:
    """An n-gram language model.

    Attributes:
        words: Its vocabulary, ``SPECIAL`` first; a word's number is its place.
        ngrams: By order int64 [n, order], the words of each n-gram.
        logs: By order float64 [n], the logarithms of their probabilities.
        backoffs: By order float64 [n], those of their backoff weights.
    """

    words: list[str]
    ngrams: Sequence[Codes]
    logs: Sequence[Floats]
    backoffs: Sequence[Floats]

    @property
    def order(self) -> int:
        """The longest n-gram."""
        return len(self.ngrams)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each word."""
        return {word: place for place, word in enumerate(self.words)}

    @cached_property
    def table(self) -> NgramTable:
        """The n-grams by their fingerprints."""
        keys = [reduce(chained, each.T[::-1], FREE) for each in self.ngrams]  # last words first
        return NgramTable.of(*map(np.concatenate, (keys, self.logs, self.backoffs)))  # pyright: ignore[reportArgumentType]

    def word_logs(self, texts: Sequence[Sequence[str]]) -> list[Floats]:
        """The log-probability of each word of each text, and of its end."""
        rows = [[self.numbers.get(word, UNKNOWN) for word in text] for text in texts]
        sentences = WordNumbers.of([[BEGIN, *row, END] for row in rows])
        logs = sentence_logs(self.table, sentences.words, sentences.bounds, self.order)
        return [each[1:] for each in np.split(logs, sentences.bounds[1:-1])]

    @classmethod
    def estimated(cls, sentences: WordNumbers, words: list[str], order: int) -> LanguageModel:
        """Estimates a model by interpolated modified Kneser-Ney (Chen and Goodman 1998, section 3).

        Counts below the highest order are of distinct words on the left, but raw for n-grams that begin
        a sentence; unigrams are interpolated with the uniform distribution over all words but ``<s>``.

        Args:
            sentences: Numbers of words, none of them special.
            words: The vocabulary.
            order: The longest n-gram.

        Example:
            >>> sentences = WordNumbers.of([[3, 4], [3, 4], [3, 3]])
            >>> model = LanguageModel.estimated(sentences, [*SPECIAL, "a", "b"], 2)
            >>> history = sum(np.exp(model.word_logs([["a", each]])[0][1]) for each in ("a", "b", "?"))
            >>> round(float(history + np.exp(model.word_logs([["a"]])[0][1])), 9)
            1.0
        """
        size, lengths = len(words), sentences.lengths + 2
        around = np.tile([BEGIN, END], lengths.size)
        stream = np.insert(sentences.words, np.repeat(sentences.bounds, 2)[1:-1], around)
        # The words that are left of the sentence, with this one.
        left = np.repeat(np.cumsum(lengths), lengths) - np.arange(stream.size)
        ids, grams = stream, [np.arange(size)[:, None]]
        counts, none = [np.bincount(stream, minlength=size)], np.zeros(size, dtype=np.int64)
        prefixes, suffixes = [none], [none]  # n-grams without their last, and their first word
        for k in range(2, order + 1):
            at = np.flatnonzero(left >= k)
            codes, first, inverse, count = np.unique(
                ids[at] * size + stream[at + k - 1],
                return_index=True,
                return_inverse=True,
                return_counts=True,
            )
            prefixes.append(codes // size)
            suffixes.append(ids[at[first] + 1])
            grams.append(np.concatenate([grams[-1][codes // size], codes[:, None] % size], axis=1))
            counts.append(count)
            ids = np.full_like(stream, -1)
            ids[at] = inverse
        for k in range(order - 1):
            distinct = np.bincount(suffixes[k + 1], minlength=len(grams[k]))
            counts[k] = np.where(grams[k][:, 0] == BEGIN, counts[k], distinct)
        counts[0][BEGIN] = 0
        logs, backoffs = [], []
        lower = np.full(1, 1 / (size - 1))
        for count, prefix, suffix in zip(counts, prefixes, suffixes, strict=True):
            discount = _discounts(count)[np.minimum(count, 3)]
            total = np.bincount(prefix, count, lower.size)
            lost = np.bincount(prefix, discount, lower.size)
            gamma = np.divide(lost, total, out=np.ones(total.size), where=total > 0)
            direct = (count - discount) / np.maximum(total, 1)[prefix]
            lower = direct + gamma[prefix] * lower[suffix]
            backoffs.append(np.log(gamma))
            logs.append(np.log(lower))
        logs[0][BEGIN] = NEVER
        return cls(list(words), grams, logs, [*backoffs[1:], np.zeros(len(grams[-1]))])


def read_arpa(path: str | os.PathLike[str], words: Sequence[str] = ()) -> LanguageModel:
    """Reads an ARPA file.

    Args:
        path: The file.
        words: A vocabulary, ``SPECIAL`` first; words that it does not have are added.

    Raises:
        InputError: The file is no ARPA file, or is damaged.
    """
    orders: list[dict[tuple[str, ...], list[float]]] = []
    sizes, ended = [], False
    for row, line in enumerate(read_text(Path(path), blank=True).split("\n"), 1):
        line = line.strip(" \t\r")
        if ended or not line or line == "\\data\\":
            continue
        if declared := re.fullmatch(r"ngram \d+\s*=\s*(\d{1,18})", line):
            sizes.append(int(declared[1]))
        elif line == f"\\{len(orders) + 1}-grams:":
            orders.append({})
        elif line == "\\end\\":
            ended = True
        else:
            try:
                _add_row(line, orders)
            except (ValueError, IndexError):
                raise InputError(
                    f"{Place(str(path), row)}: got {quoted(line)}; expected a logarithm of 0 or less, "
                    f"{max(1, len(orders))} of the words of the 1-grams, which are in no other row, and "
                    "possibly a backoff weight, as ARPA files have them"
                ) from None
    counts = [len(each) for each in orders]
    if not ended or not counts or counts != sizes:
        raise InputError(
            f"{path}: got {counts} n-grams by order; expected an ARPA file with {sizes}, as its head says, "
            "and '\\end\\' behind them; it may be cut"
        )
    numbers = {word: place for place, word in enumerate(words or SPECIAL)}
    for (word,) in orders[0]:
        numbers.setdefault(word, len(numbers))
    for word in numbers:
        orders[0].setdefault((word,), [NEVER, 0.0])
    ngrams = [
        np.array([[numbers[word] for word in gram] for gram in each], dtype=np.int64).reshape(-1, k)
        for k, each in enumerate(orders, 1)
    ]
    values = [np.array([*each.values()], dtype=np.float64).reshape(-1, 2) for each in orders]
    logs, backoffs = ([each[:, column] for each in values] for column in (0, 1))
    return LanguageModel(list(numbers), ngrams, logs, backoffs)


def _add_row(line: str, orders: Sequence[dict[tuple[str, ...], list[float]]]) -> None:
    """Adds an n-gram of the last order with its logarithms.

    Raises:
        ValueError: The line is no such row.
        IndexError: There is no order yet.
    """
    order, rows = len(orders), orders[-1]
    log, *fields = re.split(r"[ \t]+", line)
    gram, backoff = tuple(fields[:order]), fields[order:] or ["0"]
    values = [float(each) * math.log(10) for each in (log, *backoff)]
    known = order == 1 or all((word,) in orders[0] for word in gram)
    if len(gram) < order or len(backoff) > 1 or gram in rows or not known:
        raise ValueError("other words than of an n-gram")
    if not all(map(math.isfinite, values)) or values[0] > 0:
        raise ValueError("no logarithm")
    rows[gram] = values


def by_lmplz(sentences: WordNumbers, words: list[str], order: int) -> LanguageModel:
    """A model that KenLM's ``lmplz``, which is on the path, estimates; of the same smoothing.

    Args:
        sentences: The sentences, as numbers of words.
        words: The words by their numbers.
        order: The order of the model.

    Raises:
        InputError: It fails.
    """
    lines = (" ".join(words[word] for word in row) for row in sentences.lists)
    command = ["lmplz", "-o", str(order), "--discount_fallback"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*command, "-T", folder], input="\n".join(lines), capture_output=True, text=True
        )  # fmt: skip
        if done.returncode:
            raise InputError(
                f"lmplz: ended with status {done.returncode}: {done.stderr.strip()[-200:]}; take it off "
                "the path, or set external to 0"
            )
        file = Path(folder, "model.arpa")
        file.write_text(done.stdout, "utf-8")
        return read_arpa(file, words)


def has_lmplz() -> bool:
    """Whether KenLM's ``lmplz`` is on the path."""
    return shutil.which("lmplz") is not None


def _discounts(counts: Indices) -> Floats:
    """What counts of 0, 1, 2 and more lose (Chen and Goodman 1998, eq. 26): float64 [4]."""
    n = np.bincount(np.minimum(counts, 5), minlength=6)[1:5].astype(np.float64)
    if n.min() > 0:
        y = n[0] / (n[0] + 2 * n[1])
        discounts = np.array([k - (k + 1) * y * n[k] / n[k - 1] for k in (1, 2, 3)])
        if (discounts > 0).all() and (discounts <= np.array([1, 2, 3])).all():
            return np.concatenate([[0.0], discounts])
    return np.array([0.0, *FALLBACK])
