"""The human evaluation of DSTC7 task 2 (Galley et al. 2019): every judge's ratings, or the means."""

from __future__ import annotations

from itertools import compress
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import head
from rejoinder.messages import counted
from rejoinder.tables.assembly.long_or_wide import MEAN, OVERALL
from rejoinder.tables.assembly.rating_cells import strict_scores
from rejoinder.tables.checks.validation import is_first
from rejoinder.tables.columns import require
from rejoinder.tables.format import Asked, Format
from rejoinder.tables.io.delimited import Grid, read_tsv
from rejoinder.tables.origin import Draft, Origin
from rejoinder.tables.schemas import RATINGS

_BOM = b"\xef\xbb\xbf"
_JUDGES = "human-eval-per-judge"
_MEANS = "human_evaluation"
_KEYS = ("JudgeID", "InstanceID", "SystemID")
_NOT_MEANS = {b"Reference1", b"Depth", b"SystemID", b"Response", b"Context"}


def recognise(path: Path, first: bytes) -> bool:
    """By the header of a file, or a folder with the file of the judges or of the means."""
    if path.is_dir():
        return _inside(path) is not None
    return _is_judges(first) or _is_means(first)


def read(path: Path, asked: Asked) -> Draft:
    """The judges' single ratings, or the means; of a folder the former where both are there."""
    file = _inside(path) if path.is_dir() else path
    if file is None:
        raise InputError(f"{path}: expected a file *{_JUDGES}.tsv or *{_MEANS}.tsv; name the file")
    first = head(file)
    if not recognise(file, first):
        raise InputError(
            f"{file}: not ratings of DSTC7; expected the file of {_JUDGES} or of {_MEANS}"
        )
    return _judges(read_tsv(file)) if _is_judges(first) else _means(read_tsv(file))


FORMAT = Format(
    "dstc7",
    "DSTC7 task 2 (tsv): every judge on relevance and informativeness, or the means",
    recognise,
    {"ratings": read},
)


def _judges(table: Grid) -> Draft:
    """One rating per judge, reply and criterion: of a reply judged again, the first one counts.

    Some judges met a reply twice. The later judgement is not that of a second person, and a mean
    of both would be off the scale, so it is left out and counted.
    """
    require(_KEYS, table.header, table.name)
    names = [name for name in table.header if name not in _KEYS]
    if not names:
        raise InputError(f"{table.name}: no criterion; expected a column of scores for each")
    frame = pl.DataFrame(dict(zip(table.header, table.columns, strict=True)))
    keys = frame.select(_KEYS)
    first = is_first(keys) & _counts(table["InstanceID"])
    scored = [
        (name, *strict_scores(frame.get_column(name), table.name, table.numbers, f"{name}:"))
        for name in names
    ]
    parts, row_numbers = [], []
    for name, scores, _ in scored:
        kept = first & scores.is_not_null()
        columns = {
            "id": frame["InstanceID"],
            "system": frame["SystemID"],
            "rater": frame["JudgeID"],
            "criterion": [name] * frame.height,
            "score": scores,
        }
        parts.append(pl.DataFrame(columns, schema=RATINGS).filter(kept))
        row_numbers.append((table.name, list(compress(table.numbers, kept))))
    notes = tuple(note for _, _, of_labels in scored for note in of_labels)
    return Draft(
        pl.concat(parts), Origin(tuple(row_numbers)), notes + _repeats(frame, first, names)
    )


def _repeats(frame: pl.DataFrame, first: pl.Series, names: list[str]) -> tuple[str, ...]:
    again = int((~is_first(frame.select(_KEYS))).sum())
    if not again:
        return ()
    alike = int((~is_first(frame.select(*_KEYS, *names))).sum())
    return (
        f"{counted(again, 'row')} in which a judge judges a reply again left out "
        f"({alike} with the same scores)",
    )


def _means(table: Grid) -> Draft:
    require(("InstanceID",), table.header, table.name)
    counts = _counts(table["InstanceID"])
    frames, row_numbers, notes = [pl.DataFrame(schema=RATINGS)], [], ()
    for system in table.header:
        if system == "InstanceID" or system.strip().lower() == "average":
            continue
        cells = pl.Series(table[system], dtype=pl.String)
        scores, labels = strict_scores(
            cells.set(~counts, ""), table.name, table.numbers, f"system '{system}':"
        )
        kept = scores.is_not_null()
        size = len(scores)
        columns = {
            "id": table["InstanceID"],
            "system": [system] * size,
            "rater": [MEAN] * size,
            "criterion": [OVERALL] * size,
            "score": scores,
        }
        frames.append(pl.DataFrame(columns, schema=RATINGS).filter(kept))
        row_numbers.append((table.name, list(compress(table.numbers, kept))))
        notes += labels
    return Draft(pl.concat(frames), Origin(tuple(row_numbers)), notes)


def _inside(folder: Path) -> Path | None:
    for kind in (_JUDGES, _MEANS):
        found = sorted(folder.glob(f"*{kind}.tsv"))
        if len(found) == 1:
            return found[0]
    return None


def _is_judges(first: bytes) -> bool:
    return first.removeprefix(_BOM).startswith(b"\t".join(k.encode() for k in _KEYS))


def _is_means(first: bytes) -> bool:
    name, *systems = first.removeprefix(_BOM).split(b"\n", 1)[0].rstrip(b"\r").split(b"\t")
    return name == b"InstanceID" and bool(systems) and systems[0] not in _NOT_MEANS


def _counts(ids: list[str]) -> pl.Series:
    """Where a row is an item's: a row of averages is none."""
    return pl.Series([name.strip().lower() != "average" for name in ids], dtype=pl.Boolean)
