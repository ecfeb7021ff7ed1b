"""N-gram language models: interpolated modified Kneser-Ney, and ARPA files.

An n-gram has the logarithm of its probability and, as a context, that of its backoff weight; what was
not seen backs off: ``p(w | h) = b(h) p(w | h')``, h' without the oldest word. Logarithms are natural
here and decimal in files.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Codes, Floats, Indices
from rejoinder.kernels.decoding import NgramTable, chained, sentence_logs
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
        keys = [_keys(each) for each in self.ngrams]
        return NgramTable.of(
            np.concatenate(keys), np.concatenate(self.logs), np.concatenate(self.backoffs)
        )

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
        stream, left = _stream(sentences)
        size = len(words)
        ids, grams, first = stream, [np.arange(size)[:, None]], np.zeros(0, dtype=np.int64)
        counts, prefixes, suffixes = (
            [np.bincount(stream, minlength=size)],
            [np.zeros(size, int)],
            [],
        )
        suffixes.append(np.zeros(size, dtype=np.int64))
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
        values: list[Floats] = []
        backoffs: list[Floats] = []
        lower = np.full(1, 1 / (size - 1))
        for k in range(order):
            discount = _discounts(counts[k])[np.minimum(counts[k], 3)]
            above = len(grams[k - 1]) if k else 1
            total = np.maximum(np.bincount(prefixes[k], counts[k], above), 1e-300)
            gamma = np.bincount(prefixes[k], discount, above) / total
            gamma[total < 1e-200] = 1.0
            own = (counts[k] - discount) / total[prefixes[k]]
            lower = own + gamma[prefixes[k]] * lower[suffixes[k]]
            values.append(lower)
            if k:
                backoffs.append(np.log(gamma))
        backoffs.append(np.zeros(len(grams[-1])))
        logs = [np.log(each) for each in values]
        logs[0][BEGIN] = NEVER
        return cls(list(words), grams, logs, backoffs)

    def write_arpa(self, path: str | os.PathLike[str]) -> None:
        """Writes an ARPA file."""
        lines = ["\\data\\", *(f"ngram {k}={len(g)}" for k, g in enumerate(self.ngrams, 1))]
        for k, (grams, logs, backoffs) in enumerate(
            zip(self.ngrams, self.logs, self.backoffs, strict=True), 1
        ):
            lines += ["", f"\\{k}-grams:"]
            for gram, log, backoff in zip(grams.tolist(), logs, backoffs, strict=True):
                text = " ".join(self.words[word] for word in gram)
                last = f"\t{backoff / math.log(10):.9g}" if k < self.order else ""
                lines.append(f"{log / math.log(10):.9g}\t{text}{last}")
        Path(path).write_text("\n".join([*lines, "", "\\end\\", ""]), "utf-8")


def read_arpa(path: str | os.PathLike[str], words: Sequence[str] = ()) -> LanguageModel:
    """Reads an ARPA file.

    Args:
        path: The file.
        words: A vocabulary, ``SPECIAL`` first; words that it does not have are added.

    Raises:
        InputError: The file is no ARPA file, or is cut.
    """
    numbers = {word: place for place, word in enumerate(words or SPECIAL)}
    orders: list[list[tuple[list[str], float, float]]] = []
    ended = False
    for row, line in enumerate(Path(path).read_text("utf-8").splitlines(), 1):
        if line.startswith("\\"):
            ended = line.strip() == "\\end\\"
            if line.rstrip().endswith("-grams:"):
                orders.append([])
        elif orders and line.strip():
            fields = line.split("\t") if "\t" in line else line.split()
            gram = fields[1].split(" ") if "\t" in line else fields[1 : 1 + len(orders)]
            try:
                rest = fields[2:] if "\t" in line else fields[1 + len(orders) :]
                logs = [float(fields[0]), float(rest[0]) if rest else 0.0]
            except ValueError:
                gram, logs = [], []
            if len(gram) != len(orders):
                raise InputError(
                    f"{Place(str(path), row)}: got {quoted(line)}; expected a logarithm, {len(orders)} "
                    "words and possibly a backoff weight, as ARPA files have them"
                )
            orders[-1].append((gram, logs[0] * math.log(10), logs[1] * math.log(10)))
    if not ended or not orders:
        raise InputError(f"{path}: no ARPA file, or cut: '\\end\\' does not stand at its end")
    for (word,), _, _ in orders[0]:
        numbers.setdefault(word, len(numbers))
    known = {gram[0] for gram, _, _ in orders[0]}
    orders[0] += [([word], NEVER, 0.0) for word in numbers if word not in known]
    ngrams = [
        np.array([[numbers[word] for word in gram] for gram, _, _ in each]).reshape(-1, k)
        for k, each in enumerate(orders, 1)
    ]
    logs, backoffs = (
        [np.array([row[column] for row in each], dtype=np.float64) for each in orders]
        for column in (1, 2)
    )
    return LanguageModel(list(numbers), ngrams, logs, backoffs)


def by_lmplz(sentences: WordNumbers, words: list[str], order: int) -> LanguageModel:
    """A model that KenLM's ``lmplz``, which is on the path, estimates; of the same smoothing.

    Args:
        sentences: The sentences, as numbers of words.
        words: The words by their numbers.
        order: The order of the model.

    Raises:
        InputError: It fails.
    """
    lines: Iterable[str] = (
        " ".join(words[word] for word in part.tolist())
        for part in np.split(sentences.words, sentences.bounds[1:-1])
    )
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


def _stream(sentences: WordNumbers) -> tuple[Indices, Indices]:
    """All words with ``<s>`` and ``</s>`` around sentences, and how many are left of each's sentence."""
    lengths = sentences.lengths + 2
    ends = np.cumsum(lengths)
    stream = np.empty(ends[-1], dtype=np.int64)
    inner = np.ones(stream.size, dtype=bool)
    inner[ends - 1] = inner[ends - lengths] = False
    stream[ends - lengths], stream[ends - 1], stream[inner] = BEGIN, END, sentences.words
    return stream, np.repeat(ends, lengths) - np.arange(stream.size)


def _discounts(counts: Indices) -> Floats:
    """What counts of 0, 1, 2 and more lose (Chen and Goodman 1998, eq. 26): float64 [4]."""
    n = np.bincount(np.minimum(counts, 5), minlength=6)[1:5].astype(np.float64)
    if n.min() > 0:
        y = n[0] / (n[0] + 2 * n[1])
        found = np.array([k - (k + 1) * y * n[k] / n[k - 1] for k in (1, 2, 3)])
        if (found > 0).all() and (found <= np.array([1, 2, 3])).all():
            return np.concatenate([[0.0], found])
    return np.array([0.0, *FALLBACK])


def _keys(grams: Codes) -> np.ndarray:
    """The fingerprints of n-grams, the last word first: uint64 [n]."""
    keys = np.zeros(len(grams), dtype=np.uint64)
    for k in range(grams.shape[1] - 1, -1, -1):
        keys = chained(keys, grams[:, k])
    return keys
