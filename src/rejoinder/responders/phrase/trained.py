"""A phrase-based responder: from the folder of its model to replies and n-best lists."""

from __future__ import annotations

import heapq
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rejoinder.errors import ParameterError, one_of
from rejoinder.files.content import folder_hash
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.kernels.decoding import (
    FINAL,
    LONGEST,
    START,
    Lattice,
    PhraseOptions,
    search,
    sentence_logs,
)
from rejoinder.messages import Argument, counted
from rejoinder.models.training.folder import FAULTS, foreign, read_folder
from rejoinder.progress import Progress, advance
from rejoinder.responders.phrase.model import ARRAYS, SOURCE, TARGET, PhraseModel, cut
from rejoinder.responders.phrase.parameters import KIND, PhraseParameters
from rejoinder.responders.phrase.phrases import PHRASE_FEATURES, span_keys
from rejoinder.text.detokenize import plain

SUFFIX = "-responder"

FEATURES = (*PHRASE_FEATURES, "language_model", "distortion", "dropped")
"""What a reply is scored by: the sums over its phrase pairs; the logarithm of the language model; minus
the words jumped over; the words of the message that nothing translates.
"""

BY_HAND = {
    "phrase_forward": 0.6, "phrases": -6.0, "words": 2.1, "language_model": 0.5, "distortion": 0.1,
    "dropped": -4.0,
}  # fmt: skip
"""Weights by hand; the other features weigh nothing."""

MOST_POPS = 100
"""So many paths are looked at for each candidate that is wanted: many have one text."""


class Candidate(NamedTuple):
    """A reply with its features, in the order of ``FEATURES``, and their weighted sum."""

    text: str
    features: Floats
    total: float


@dataclass(frozen=True)
class PhraseResponder:
    """A replying system from a folder that ``train_responder`` wrote, of kind ``phrase``.

    Attributes:
        model: What it has learnt.
        parameters: How it was trained.
        weights: By feature its weight; features without one weigh nothing.
        hash: Hash of the folder, for signatures.
    """

    model: PhraseModel
    parameters: PhraseParameters
    weights: Mapping[str, float]
    hash: str

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], weights: Mapping[str, Any] | None = None
    ) -> PhraseResponder:
        """Loads a system.

        Args:
            path: The folder.
            weights: By feature its weight, or what ``Tuned.as_json`` gives; None: those by hand.

        Raises:
            InputError: No such folder, or of another model; a file is cut or altered.
            ParameterError: A weight is of no feature.
        """
        folder = read_folder(path, KIND + SUFFIX)
        config = dict(folder.record.config)
        try:
            config.pop("identity")
            files = {name: (folder.path / name).read_bytes() for name in (ARRAYS, SOURCE, TARGET)}
            model, parameters = PhraseModel.of_files(files), _described(config)
        except FAULTS as error:  # files whose hashes hold, and which hold something else
            raise foreign(os.fspath(path), error) from error
        return cls(model, parameters, BY_HAND, folder_hash(path)).weighted(weights)

    def weighted(self, weights: Mapping[str, Any] | None) -> PhraseResponder:
        """The same with other weights; None: with these."""
        if weights is None:
            return self
        tuned = weights.get("tuned")
        weights = tuned["weights"] if isinstance(tuned, Mapping) else weights
        for name in weights:
            if name not in FEATURES:
                raise ParameterError(
                    Argument("weights"),
                    f": {name!r} is no feature of it; expected {one_of(FEATURES)}",
                )
            if not math.isfinite(weights[name]):
                raise ParameterError(
                    Argument("weights"), f": {name}: got {weights[name]}; expected a finite number"
                )
        return replace(self, weights={name: float(each) for name, each in weights.items()})

    def respond(
        self, messages: Sequence[str], beam: int = 10, progress: Progress | None = None
    ) -> list[str]:
        """The best reply to each message; empty where no phrase of it is known, or by the weights."""
        return [each[0].text for each in self.candidates(messages, 1, beam, progress)]

    def candidates(
        self,
        messages: Sequence[str],
        count: int,
        beam: int = 10,
        progress: Progress | None = None,
    ) -> list[list[Candidate]]:
        """The best replies to each message, all different, the best first.

        Args:
            messages: Prepared as the training corpus was; of a long one the last 62 words count.
            count: How many, if there are so many.
            beam: Hypotheses that are extended of each number of words covered.
            progress: Called with the number of messages replied to and of all.
        """
        order = self.model.language.order
        lattice, lists = Lattice.of(1 << 14, order), []
        for done, words in enumerate(self._cut(messages)[0], 1):
            options, rows = self._options(words)
            model, jump = (self.weights.get(name, 0.0) for name in ("language_model", "distortion"))
            while not search(
                options, self.model.language.table, lattice, order, model, jump, beam,
                self.parameters.distortion,
            ):  # fmt: skip
                lattice = Lattice.of(2 * lattice.covered.size, order)
            lists.append(self._best(options, rows, lattice, count))
            if done % 20 == 0 or done == len(messages):
                advance(progress, done, len(messages))
        return lists

    def remarks(self, messages: Sequence[str], lists: Sequence[Sequence[Candidate]]) -> list[str]:
        """Notes on messages that were cut, and on replies to them that are empty.

        Args:
            messages: The messages.
            lists: What ``candidates`` found for each.
        """
        cut_messages, notes = self._cut(messages)
        notes = [f"messages: {each}" for each in notes]
        long = sum(len(each) > LONGEST for each in cut_messages)
        empty = [words for words, each in zip(cut_messages, lists, strict=True) if not each[0].text]
        unknown = sum(bool((self._options(words)[1] < 0).all()) for words in empty)
        for count, noun, plural, what in (
            (long, "message has", "messages have",
             f"more than {LONGEST} words; the words before the last {LONGEST} were left out"),
            (unknown, "reply is", "replies are",
             "empty: the model has no phrase of the message"),
            (len(empty) - unknown, "reply is", "replies are",
             "empty: by the weights no words are better than none"),
        ):  # fmt: skip
            notes += [f"{counted(count, noun, plural)} {what}"] if count else []
        return notes

    def _cut(self, messages: Sequence[str]) -> tuple[list[list[str]], list[str]]:
        return cut([plain(each) for each in messages] if self.parameters.detokenize else messages)

    @cached_property
    def _vector(self) -> Floats:
        return np.array([self.weights.get(name, 0.0) for name in FEATURES])

    @cached_property
    def _kept(self) -> tuple[Indices, Indices, Floats, Floats]:
        """The phrase pairs that are tried: their rows, where those of each source phrase begin, the
        weighted features of each, and the same with an estimate of the language model.
        """
        table, language = self.model.table, self.model.language
        scores = table.features @ self._vector[: len(PHRASE_FEATURES)]
        logs = sentence_logs(language.table, table.words, table.starts, language.order)
        estimates = np.add.reduceat(logs, table.starts[:-1])
        estimates = scores + self._vector[FEATURES.index("language_model")] * estimates
        source = np.repeat(np.arange(table.keys.size), np.diff(table.bounds))
        rank = np.lexsort((-estimates, source))
        kept = rank[np.arange(rank.size) - table.bounds[source] < self.parameters.options]
        counts = np.minimum(np.diff(table.bounds), self.parameters.options)
        return kept, np.concatenate([[0], np.cumsum(counts)]), scores[kept], estimates[kept]

    def _options(self, words: Sequence[str]) -> tuple[PhraseOptions, Indices]:
        """What may be said of a message, and the row of the table of each option, -1 for dropping a word."""
        numbers = [self.model.numbers.get(word, -1) for word in words[-LONGEST:]]
        message = np.array(numbers, dtype=np.int64)
        table, (kept, bounds, scores, estimates) = self.model.table, self._kept
        n, longest = message.size, self.parameters.phrase
        first = np.repeat(np.arange(n), longest)
        lengths = np.tile(np.arange(1, longest + 1), n)
        first, lengths = first[first + lengths <= n], lengths[first + lengths <= n]
        keys = span_keys(message, first, lengths, longest)
        place = np.minimum(np.searchsorted(table.keys, keys), table.keys.size - 1)
        known = table.keys[place] == keys
        place, first, lengths = place[known], first[known], lengths[known]
        counts = bounds[place + 1] - bounds[place]
        spans = np.repeat(np.arange(place.size), counts)
        within = np.arange(spans.size) - np.repeat(np.cumsum(counts) - counts, counts)
        taken = bounds[place][spans] + within
        begins = np.concatenate([first[spans], np.arange(n)])
        ends = np.concatenate([(first + lengths)[spans], np.arange(1, n + 1)])
        drop = np.full(n, self._vector[FEATURES.index("dropped")])
        values = np.concatenate([scores[taken], drop])
        rows = np.concatenate([kept[taken], np.full(n, -1)])
        guess = np.concatenate([estimates[taken], drop])
        order = np.argsort(begins, kind="stable")
        begins, ends, rows = begins[order], ends[order], rows[order]
        values, guess = values[order], guess[order]
        sizes = np.where(rows >= 0, table.starts[rows + 1] - table.starts[rows], 0)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        said = table.words[
            np.arange(starts[-1]) - np.repeat(starts[:-1] - table.starts[rows], sizes)
        ]
        future = np.zeros((n + 1, n + 1))
        if self.parameters.distortion:
            future = _future(n, begins, ends, guess)
        limits = np.searchsorted(begins, np.arange(n + 1))
        return PhraseOptions(limits, ends, values, starts, said, future.ravel()), rows

    def _best(
        self, options: PhraseOptions, rows: Indices, lattice: Lattice, count: int
    ) -> list[Candidate]:
        """The best distinct replies of a lattice: paths from its end, best first, of exact value."""
        heap: list[tuple[float, int, int, float, Any]] = [(0.0, 0, FINAL, 0.0, None)]
        found: dict[str, Candidate] = {}
        pushed = 0
        for _ in range(MOST_POPS * count * (options.bounds.size + 1)):
            if not heap or len(found) >= count:
                break
            _, _, hypothesis, behind, path = heapq.heappop(heap)
            if hypothesis == START:
                candidate = self._candidate(options, rows, lattice, path, behind)
                found.setdefault(candidate.text, candidate)
                continue
            arc = int(lattice.arcs[hypothesis])
            while arc >= 0:
                gain, source = behind + float(lattice.gains[arc]), int(lattice.sources[arc])
                pushed += 1
                value = float(lattice.scores[source]) + gain
                heapq.heappush(heap, (-value, pushed, source, gain, (arc, path)))
                arc = int(lattice.earlier[arc])
        return list(found.values())

    def _candidate(
        self, options: PhraseOptions, rows: Indices, lattice: Lattice, path: Any, total: float
    ) -> Candidate:
        """The reply of a path, as linked arcs from the first to the last."""
        table, features = self.model.table, np.zeros(len(FEATURES))
        words: list[str] = []
        end = 0
        while path is not None:
            arc, path = path
            option = lattice.options[arc]
            features[-3] += lattice.logs[arc]
            if option < 0:
                continue
            start = int(np.searchsorted(options.bounds, option, side="right")) - 1
            features[-2] -= abs(start - end)
            end = int(options.ends[option])
            if rows[option] < 0:
                features[-1] += 1
                continue
            features[: len(PHRASE_FEATURES)] += table.features[rows[option]]
            said = options.words[options.starts[option] : options.starts[option + 1]]
            words += [self.model.language.words[each] for each in said.tolist()]
        return Candidate(plain(" ".join(words)), features, total)


def _future(n: int, begins: Indices, ends: Indices, guess: Floats) -> Floats:
    """The best estimate of every span of a message: of one option, or of two spans that make it up."""
    best = np.full((n + 1, n + 1), -np.inf)
    np.maximum.at(best, (begins, ends), guess)
    for length in range(2, n + 1):
        for start in range(n - length + 1):
            end = start + length
            parts = best[start, start + 1 : end] + best[start + 1 : end, end]
            best[start, end] = max(best[start, end], parts.max())
    return best


def _described(config: Mapping[str, Any]) -> PhraseParameters:
    """The parameters that a folder describes; a value out of range is one of its ``config.json``."""
    try:
        return PhraseParameters(**config)
    except ParameterError as error:
        raise ValueError(f"config.json: {error}") from None
