"""Scores of files whose lines belong together: read, measured and summed without any table.

Where line i of every file is the reply to item i there is nothing to join, and a process that prints
numbers alone spends most of its time on importing what makes tables. So such files are scored
here, by the same metrics, sums and notes as ``score``, to the same numbers. All that is not plain is
left to ``read_testset``, ``read_responses`` and ``score``: they check it, and say what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.errors import RejoinderError
from rejoinder.files.reading import head, stem_of, suffix_of
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.jackknife import interval_facts
from rejoinder.metrics.engine.measurement import data_facts, measure, remarks
from rejoinder.metrics.engine.rows import rows_of
from rejoinder.metrics.registry import default_metrics
from rejoinder.progress import Progress
from rejoinder.references.text_notes import (
    copies_matter,
    copy_notes,
    empty_reference_notes,
    empty_reply_notes,
    repeat_notes,
)
from rejoinder.scoring.measurements import Measured, best_first, few_items, parts_of, system_columns
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.io.json_lines import ItemRow, ReferenceRow, read_objects
from rejoinder.tables.io.text_lines import read_lines, recognise

_PLAIN_ID = re.compile(r"[\w.:/-]+", re.ASCII)
"""An id that no rule of tables refuses, and that no other id resembles but for white space."""

# What Unicode calls white space; Python's strip takes the separators U+001C to U+001F as well.
_WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)

_TABLE_NEEDS = {"context", "features", "scores"}
"""What only ``score`` provides for a metric."""

_PUBLISHED_MARKS = (b"__eou__", b"\t")
"""Content of the text files of published data, which have readers of their own."""


@dataclass(frozen=True)
class Lines:
    """Replies and references of the same items, by their places, and what is to be measured.

    Attributes:
        metrics: The names of the metrics.
        systems: By name the replies to all n items.
        references: For each item its references.
        weights: Of the same shape, 1 where a reference carries none; None without any weight.
        contexts: For each item its turns, oldest first.
    """

    metrics: Sequence[str]
    systems: dict[str, list[str]]
    references: list[list[str]]
    weights: list[list[float]] | None
    contexts: list[list[str]]

    @cached_property
    def batch(self) -> Batch:
        """The same as metrics take it."""
        return Batch.from_systems(list(self.systems.values()), self.references, self.weights)


@dataclass(frozen=True)
class LineScores:
    """What every metric measured of files whose lines belong together; see ``Scores``.

    Attributes:
        names: The systems.
        measured: By label what each metric measured.
        notes: What to know about the scores.
        resamples: 0 for no interval.
    """

    names: tuple[str, ...]
    measured: dict[str, Measured]
    notes: tuple[str, ...]
    resamples: int

    def as_json(self) -> dict[str, Any]:
        """The object that ``Scores.as_json`` returns where no two systems are compared."""
        rows = []
        for label, each in self.measured.items():
            left_out = partial(each.units.left_out, each.metric)
            columns = system_columns(self.names, label, each, self.resamples, left_out)
            table = [
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ]
            rows += [table[place] for place in best_first(each.scores(), each.metric)]
        parts = parts_of(self.names, self.measured)
        return {"systems": rows, "parts": parts, "leads": [], "notes": self.notes}


def read(
    testset: Sequence[Path], responses: Sequence[Path], metrics: Sequence[str] = ()
) -> Lines | None:
    """Reads files whose lines belong together; None where they are to be read as tables.

    Args:
        testset: A file of JSON Lines with ``id``, ``references`` and, if wanted, ``context`` and
            nothing else; or a plain text file for each reference stream.
        responses: For each system a plain text file with a line for each item.
        metrics: The names of the metrics; none takes ``default_metrics``. Those that ask a model or
            read contexts, and those that leave items out, are of tables.
    """
    try:
        if any(registry.metric(name).needs & _TABLE_NEEDS for name in metrics):
            return None
        if not _are_regular(testset) or not _are_regular(responses):
            return None
        if not all(map(_is_plain_text, responses)):
            return None
        items = _items(testset)
        if items is None or not any(items[0]):
            return None
        references, weights, contexts = items
        systems: dict[str, list[str]] = {}
        for path in responses:
            name, replies = stem_of(path), read_lines(path)
            if not name or name in systems or len(replies) != len(references):
                return None
            systems[name] = replies
    except (RejoinderError, OSError):
        return None  # the readers of tables say what is wrong
    names = metrics or default_metrics(weights is not None)
    lines = Lines(names, systems, references, weights, contexts)
    batch = lines.batch
    unusable = (registry.metric(name).unusable(batch)[0] for name in names)
    return None if any(each.any() for each in unusable) else lines


def score_lines(
    lines: Lines, *, resamples: int, seed: int, progress: Progress | None = None
) -> LineScores:
    """Scores systems.

    Args:
        lines: The texts.
        resamples: As for ``score``.
        seed: Likewise.
        progress: Likewise.

    Raises:
        ParameterError: ``resamples`` or ``seed`` is out of range, or a metric is named twice.
    """
    check_draws(resamples, seed)
    metrics, batch = registry.metrics(lines.metrics), lines.batch
    statistics = measure(list(metrics.values()), batch, progress)
    every = np.ones(len(batch), dtype=np.bool_)
    measured = {
        label: Measured(
            metric,
            rows_of(each, len(lines.systems)),
            every,
            metric.signature(
                **data_facts(metric, batch), **interval_facts(metric, resamples, seed)
            ),
        )
        for (label, metric), each in zip(metrics.items(), statistics, strict=True)
    }
    notes = _notes(lines, metrics, batch)
    if resamples:
        notes += [*few_items(measured), *repeat_notes(_repeats(lines), len(batch))]
    return LineScores(tuple(lines.systems), measured, tuple(notes), resamples)


def _are_regular(paths: Sequence[Path]) -> bool:
    """Whether these are files, each another one: no pipe, which can be read once alone."""
    if not all(path.is_file() for path in paths):
        return False
    files = {(status.st_dev, status.st_ino) for status in (path.stat() for path in paths)}
    return len(files) == len(paths) > 0


def _is_plain_text(path: Path) -> bool:
    """Whether no other format of ``tables.formats`` claims a file of plain text."""
    first = head(path)
    return (
        path.suffix.lower() == ".txt"
        and recognise(path, first)
        and first.lstrip()[:1] not in (b"{", b"[")
        and not any(each in first for each in _PUBLISHED_MARKS)
        and not path.name.startswith("human_")
    )


Items = tuple[list[list[str]], list[list[float]] | None, list[list[str]]]
"""For each item its references, their weights, and its turns."""


def _items(paths: Sequence[Path]) -> Items | None:
    """The items of a test set; None where it is to be read as a table."""
    if all(map(_is_plain_text, paths)):
        streams = [read_lines(path) for path in paths]
        if len(set(map(len, streams))) > 1:
            return None
        references = [[text for text in row if text] for row in zip(*streams, strict=True)]
        return references, None, [[] for _ in references]
    (path, *others) = paths
    if others or suffix_of(path) != ".jsonl":
        return None
    return _plain_items(path)


def _plain_items(path: Path) -> Items | None:
    """The items of JSON Lines of our own that have no additional column."""
    try:
        items = msgspec.convert([row for _, row in read_objects(path)], list[ItemRow])
    except msgspec.ValidationError:
        return None
    ids = {str(item.id) for item in items}
    if len(ids) < len(items) or not all(map(_PLAIN_ID.fullmatch, ids)):
        return None
    references = [
        [ReferenceRow(each) if isinstance(each, str) else each for each in item.references]
        for item in items
    ]
    weights = [[each.weight for each in row] for row in references]
    flat = [each for row in weights for each in row if each is not None]
    if not all(-1 <= each <= 1 for each in flat):
        return None
    filled = [[1.0 if each is None else each for each in row] for row in weights]
    texts = [[each.text for each in row] for row in references]
    contexts = [item.context for item in items]
    turns = [[each] if isinstance(each, str) else each or [] for each in contexts]
    return texts, filled if flat else None, turns


def _notes(lines: Lines, metrics: dict[str, Metric], batch: Batch) -> list[str]:
    """The notes of ``score`` on texts and metrics, in its order."""
    blank = sum(not text.strip(_WHITE_SPACE) for row in lines.references for text in row)
    return [
        *empty_reply_notes({name: each.count("") for name, each in lines.systems.items()}),
        *(_copies(lines) if copies_matter(metrics) else ()),
        *empty_reference_notes(blank),
        *remarks(metrics, batch, list(lines.systems)),
    ]


def _copies(lines: Lines) -> list[str]:
    """Notes on systems whose replies are references; see ``copies.quoting``."""
    references = list(map(_by_size, lines.references))
    counts = {
        name: sum(map(_is_copy, replies, references)) for name, replies in lines.systems.items()
    }
    texts = chain.from_iterable(lines.references)
    return copy_notes(counts, sum(map(bool, lines.references)), texts)


def _by_size(texts: list[str]) -> dict[int, list[str]]:
    """Texts by their sizes: few replies have the size of a reference, and the others are no copies."""
    sizes: dict[int, list[str]] = {}
    for text in texts:
        sizes.setdefault(_size(text), []).append(text)
    return sizes


def _is_copy(reply: str, references: dict[int, list[str]]) -> bool:
    """Whether a reply is one of the references of its item, in lower case and without blanks."""
    alike = references.get(_size(reply))
    return alike is not None and _folded(reply) in map(_folded, alike)


def _size(text: str) -> int:
    """The length of a text as it is compared."""
    return len(text.lower()) - text.count(" ")


def _folded(text: str) -> str:
    """A text in lower case and without blanks; see ``copies.folded``.

    Letters that are younger than this Python's Unicode stay as they are, where Polars knows them.
    """
    return text.lower().replace(" ", "")


def _repeats(lines: Lines) -> int:
    """How many items have the context and the replies of an earlier one; those without context not."""
    turns = (tuple(each) for each in lines.contexts)
    replies = zip(*lines.systems.values(), strict=True)
    keys = [key for key in zip(turns, replies, strict=True) if key[0]]
    return len(keys) - len(set(keys))
