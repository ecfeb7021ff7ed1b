"""N-best lists of Moses and its relatives: ``number ||| text ||| features ||| total``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rejoinder.errors import InputError
from rejoinder.files.reading import stem_of
from rejoinder.messages import Place, counted, quoted
from rejoinder.tables.assembly.rating_cells import number_in
from rejoinder.tables.format import Asked, Format, Shape
from rejoinder.tables.io.text_lines import read_lines
from rejoinder.tables.logs.samples import Sample, responses_of, scores_of
from rejoinder.tables.parts import Draft

SEPARATOR = "|||"

TOTAL = "total"
"""What the decoder's own score of a candidate is called among its numbers."""

_LIKE = re.compile(r"\s*(\d+\s*\|\|\|[^\n]*\|\|\||[^\s|]+\s*\|\|\|[^\n]*\|\|\|\s*[^\s|]+[=:]\s)")
"""The first line of such lists; the id of an item in the place of the number is an error of its own."""

_UNLABELLED = "feature"


def read(ids: Sequence[str] | None, path: Path) -> list[Sample]:
    """The candidates of every list, each with its features by name.

    A label is ``name=`` or ``name:``, and stands for the numbers behind it, also where it is there again;
    several are called ``name_1``, ``name_2``, ... A label that a line does not have is 0 there, as Moses
    takes it.

    Args:
        ids: The ids of the test set: list k is of the item at place k, from 0. None: "1", "2", ...
        path: The file.

    Raises:
        InputError: A line has other fields or another number of values behind a label, the test set has no
            such item, or the numbers begin with 1.
    """
    samples, seen = [], Counter[int]()
    sizes: dict[str, int] = {}
    names: dict[str, None] = {}
    for row, line in enumerate(read_lines(path), start=1):
        place = Place(str(path), row)
        if not line.strip():
            continue
        number, text, features, of_line = _fields(line, place)
        for label, size in of_line.items():
            if sizes.setdefault(label, size) != size:
                what = "without a label" if label == _UNLABELLED else f"of {quoted(label)}"
                raise InputError(
                    f"{place}: {counted(size, 'value')} {what}; expected {sizes[label]}, as on the lines "
                    "above"
                )
        if ids is not None and number >= len(ids):
            raise InputError(
                f"{place}: list {number}, but the test set has {counted(len(ids), 'item')}; expected "
                "numbers from 0 on, in the order of the test set"
            )
        seen[number] += 1
        names.update(dict.fromkeys(features))
        id = str(number + 1) if ids is None else ids[number]
        samples.append(
            Sample(id, stem_of(path), place, text, scores={**features}, repeat=seen[number])
        )
    if seen and min(seen) == 1:
        raise InputError(
            f"{path}: the first number is 1; expected 0, which is the first item of the test set; take 1 "
            "from every number, or give the first item a candidate"
        )
    for each in samples:
        each.scores.update({name: 0.0 for name in names if name not in each.scores})
    return samples


def _fields(line: str, place: Place) -> tuple[int, str, dict[str, float], dict[str, int]]:
    """The number, the text, the features, and how many values stand behind each label."""
    fields = [each.strip() for each in line.split(SEPARATOR)]
    if len(fields) < 3 or not fields[0].isdecimal():
        raise InputError(
            f"{place}: got {counted(len(fields), 'field')} parted by '{SEPARATOR}', the first of them "
            f"{quoted(fields[0])}; expected 'number {SEPARATOR} text {SEPARATOR} features', and possibly "
            f"'{SEPARATOR} total', in which the number is the place of the item in the test set, from 0 on"
        )
    groups: dict[str, list[float]] = {}
    label = _UNLABELLED
    for word in fields[2].split():
        if word[-1] in "=:" and len(word) > 1:
            label = word[:-1]
            groups.setdefault(label, [])
        else:
            groups.setdefault(label, []).append(_number(word, place))
    features = {}
    for name, values in groups.items():
        names = [name] if len(values) == 1 else [f"{name}_{k}" for k in range(1, len(values) + 1)]
        features.update(zip(names, values, strict=True))
    if len(fields) > 3 and fields[3]:
        features[TOTAL] = _number(fields[3], place)
    sizes = {_UNLABELLED: 0, **{name: len(values) for name, values in groups.items()}}
    return int(fields[0]), fields[1], features, sizes


def _number(word: str, place: Place) -> float:
    if (number := number_in(word)) is not None:
        return number
    raise InputError(
        f"{place}: got {quoted(word)} among the features; expected a number, or a name that ends in "
        "'=' or ':'"
    )


def _responses(path: Path, asked: Asked) -> Draft:
    return responses_of(partial(read, asked.ids), path, asked)


def _scores(path: Path, asked: Asked) -> Draft:
    return scores_of(partial(read, asked.ids), path, asked)


FORMAT = Format(
    "moses",
    "n-best lists of Moses: number ||| text ||| features ||| total; each candidate is a sample",
    [Shape("text", also=lambda head: _LIKE.match(head.text) is not None)],
    {"responses": _responses, "scores": _scores},
)
