"""A phrase-based responder: from the folder of its model to replies and n-best lists."""

from __future__ import annotations

import heapq
import itertools
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rejoinder.errors import ParameterError, one_of
from rejoinder.files.content import folder_hash
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.kernels.decoding import END, Lattice, PhraseOptions, search, sentence_logs
from rejoinder.messages import Argument, counted
from rejoinder.models.training.folder import FAULTS, foreign, read_folder
from rejoinder.progress import Progress
from rejoinder.responders.batches_of_messages import in_batches
from rejoinder.responders.phrase.alignment import WordNumbers
from rejoinder.responders.phrase.model import ARRAYS, SOURCE, TARGET, PhraseModel, cut
from rejoinder.responders.phrase.parameters import KIND, PhraseParameters
from rejoinder.responders.phrase.phrases import PHRASE_FEATURES, ranges, spans_among
from rejoinder.tables.schemas import RESPONSES, SAMPLE
from rejoinder.text.detokenize import plain

SUFFIX = "-responder"

FEATURES = (*PHRASE_FEATURES, "language_model", "dropped")
"""What a reply is scored by: the sums over its phrase pairs; the logarithm of the language model; the
words of the message that nothing translates.
"""

BY_HAND = {
    "phrase_forward": 0.6, "phrases": -6.0, "words": 2.1, "language_model": 0.5, "dropped": -4.0,
}  # fmt: skip
"""Weights by hand; the other features weigh nothing."""

PATHS_PER_CANDIDATE = 100
"""Most paths that are looked at for each candidate and place of a message: many have one text."""


class Candidate(NamedTuple):
    """A reply with its features, in the order of ``FEATURES``, and their weighted sum."""

    text: str
    features: list[float]
    total: float


def as_lists(
    system: str, ids: Sequence[str], candidates: Sequence[Sequence[Candidate]]
) -> pl.DataFrame:
    """N-best lists: for each item a sample for each candidate, with its features.

    Args:
        system: The name of the system.
        ids: The items.
        candidates: Those of each item.
    """
    rows = [
        (system, id, each.text, str(place), *each.features)
        for id, several in zip(ids, candidates, strict=True)
        for place, each in enumerate(several, 1)
    ]
    schema = {**RESPONSES, SAMPLE: pl.String, **dict.fromkeys(FEATURES, pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row")


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
            model, parameters = PhraseModel.of_files(files), PhraseParameters.of_config(config)
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
        self, messages: Sequence[str], count: int, beam: int = 10, progress: Progress | None = None
    ) -> list[list[Candidate]]:
        """The best replies to each message, all different, the best first.

        Args:
            messages: Prepared as the training corpus was.
            count: How many, if there are so many.
            beam: Hypotheses that are extended of each number of words covered.
            progress: Called with the number of messages replied to and of all.
        """
        language = self.model.language
        weight = self.weights.get("language_model", 0.0)
        prepared = self._cut(messages)[0]

        def reply_to(places: Sequence[int]) -> list[list[Candidate]]:
            lists = []
            for words in (prepared[place] for place in places):
                options, pairs = self._options(words)
                lattice = search(options, language.table, language.order, weight, beam)
                lists.append(self._distinct_replies(options, pairs, lattice, count))
            return lists

        content = [self.hash, dict(self.weights), count, beam, list(messages)]
        places = range(len(messages))
        return in_batches(places, 20, reply_to, list[Candidate], content, progress)

    def remarks(self, messages: Sequence[str], lists: Sequence[Sequence[Candidate]]) -> list[str]:
        """Notes on words of messages that were left out, and on empty replies.

        Args:
            messages: The messages.
            lists: What ``candidates`` found for each.
        """
        _, notes = self._cut(messages)
        notes = [f"messages: {each}" for each in notes]
        if empty := sum(not each[0].text for each in lists):
            count = counted(empty, "reply is", "replies are")
            notes.append(f"{count} empty: the search found no phrase of the message in the model")
        return notes

    def _cut(self, messages: Sequence[str]) -> tuple[list[list[str]], list[str]]:
        return cut([plain(each) for each in messages] if self.parameters.detokenize else messages)

    @cached_property
    def _tried(self) -> tuple[Indices, Indices, Floats]:
        """The phrase pairs that are tried: their rows in the table, where those of each source phrase
        begin; and the weighted features of all. The best are tried, by an estimate of the language model too.
        """
        table, language = self.model.table, self.model.language
        scores = table.features @ [self.weights.get(name, 0.0) for name in PHRASE_FEATURES]
        logs = sentence_logs(language.table, table.words, table.starts, language.order)
        estimates = np.add.reduceat(logs, table.starts[:-1])
        estimates = scores + self.weights.get("language_model", 0.0) * estimates
        sizes = np.diff(table.bounds)
        source = np.repeat(np.arange(sizes.size), sizes)
        rows = np.lexsort((-estimates, source))
        rows = rows[np.arange(rows.size) - table.bounds[source] < self.parameters.options]
        counts = np.minimum(sizes, self.parameters.options)
        return rows, np.concatenate([[0], np.cumsum(counts)]), scores

    def _options(self, words: Sequence[str]) -> tuple[PhraseOptions, Indices]:
        """What may be said of a message, and the phrase pair of each option, -1 for none.

        Any word may be left out, and behind the last one the reply ends.
        """
        message = WordNumbers.of([[self.model.numbers.get(word, -1) for word in words]])
        table, (rows, begins, scores), n = self.model.table, self._tried, len(words)
        place, first, lengths = spans_among(message, self.parameters.phrase, table.keys)
        sizes = begins[place + 1] - begins[place]
        found = rows[ranges(begins[place], sizes)]
        phrases = [np.repeat(first, sizes), np.repeat(first + lengths, sizes), found]
        others = [np.arange(n + 1), np.arange(1, n + 2), np.full(n + 1, -1)]
        options = np.concatenate([phrases, others], axis=1)
        starts, ends, pairs = options.take(np.argsort(options[0], kind="stable"), axis=1)
        values = np.where(pairs >= 0, scores[pairs], self.weights.get("dropped", 0.0))
        values[-1] = 0.0
        sizes = np.where(pairs >= 0, table.starts[pairs + 1] - table.starts[pairs], 0)
        target_words = np.append(table.words[ranges(table.starts[pairs], sizes)], END)
        sizes[-1] = 1
        bounds = np.searchsorted(starts, np.arange(n + 2))
        ends_of_texts = np.concatenate([[0], np.cumsum(sizes)])
        return PhraseOptions(bounds, ends, values, ends_of_texts, target_words), pairs

    def _distinct_replies(
        self, options: PhraseOptions, pairs: Indices, lattice: Lattice, count: int
    ) -> list[Candidate]:
        """The best distinct replies of a lattice: paths from its end, best first, of exact value."""
        start, end = lattice.heads[[0, -1]].tolist()
        heap: list[tuple[float, int, int, float, Any]] = [(0.0, 0, end, 0.0, None)]
        replies: dict[str, Candidate] = {}
        pushed = itertools.count(1)
        for _ in range(PATHS_PER_CANDIDATE * count * options.bounds.size):
            if not heap or len(replies) >= count:
                break
            _, _, hypothesis, behind, path = heapq.heappop(heap)
            if hypothesis == start:
                candidate = self._candidate(options, pairs, lattice, path, behind)
                replies.setdefault(candidate.text, candidate)
                continue
            arc = int(lattice.arcs[hypothesis])
            while arc >= 0:
                gain, source = behind + float(lattice.gains[arc]), int(lattice.sources[arc])
                value = float(lattice.scores[source]) + gain
                heapq.heappush(heap, (-value, next(pushed), source, gain, (arc, path)))
                arc = int(lattice.earlier[arc])
        return list(replies.values())

    def _candidate(
        self, options: PhraseOptions, pairs: Indices, lattice: Lattice, path: Any, total: float
    ) -> Candidate:
        """The reply of a path, as linked arcs from the first to the last."""
        table, features = self.model.table, np.zeros(len(FEATURES))
        words: list[str] = []
        while path is not None:
            arc, path = path
            option = lattice.options[arc]
            features[-2] += lattice.logs[arc]
            if pairs[option] >= 0:
                features[: len(PHRASE_FEATURES)] += table.features[pairs[option]]
                target_words = options.words[options.starts[option] : options.starts[option + 1]]
                words += [self.model.language.words[each] for each in target_words.tolist()]
            elif path is not None:  # a word that is left out, and not the end
                features[-1] += 1
        return Candidate(plain(" ".join(words)), features.tolist(), total)
