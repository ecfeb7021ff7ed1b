"""DSTC7 task 2 (Galley et al. 2019): ragged human references, and the replies of the systems."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import head
from rejoinder.messages import listed, quoted
from rejoinder.tables.assembly.items import Items, spoken
from rejoinder.tables.format import Asked, Format
from rejoinder.tables.io.delimited import Grid, read_tsv, tsv_rows
from rejoinder.tables.origin import Draft, Origin, TestSetDraft
from rejoinder.tables.schemas import RESPONSES

_BOM = b"\xef\xbb\xbf"
_GOLD, _CONTEXT, _SYSTEMS = "gold_responses", "context", "system_responses"
_HEADERS = {
    b"InstanceID\tReference": _GOLD,
    b"InstanceID\tDepth\tContext": _CONTEXT,
    b"SystemID\tInstanceID\tResponse": _SYSTEMS,
}


def recognise(path: Path, first: bytes) -> bool:
    """By the header of a file, or a folder with the file of references."""
    if path.is_dir():
        return any(path.glob(f"*{_GOLD}.tsv"))
    return _kind(first) is not None


def read_testset(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """The references, with the contexts of the file beside them if there is one.

    Items without any reference are kept: they have none. A row that is an average is no item.
    """
    gold, context = _testset_files(paths)
    contexts = _contexts(context) if context is not None else {}
    items = Items()
    depths = []
    rows = tsv_rows(gold)
    next(rows)  # the header: InstanceID, Reference1, "..."
    for number, (name, *references) in rows:
        if _is_average(name):
            continue
        if context is not None and name not in contexts:
            raise InputError(f"{gold}, row {number}: {context} has no InstanceID {quoted(name)}")
        turns, depth = contexts.get(name, ([], None))
        items.add(name, turns, spoken(references, "human"), (str(gold), number))
        depths.append(depth)
    return items.draft([pl.Series("depth", depths, dtype=pl.Int64)] if contexts else [])


def read_responses(path: Path, asked: Asked) -> Draft:
    """The replies of all systems; people are the system ``Human``."""
    if path.is_dir():
        path = _only(path, _SYSTEMS)
    elif _kind(head(path)) != _SYSTEMS:
        raise InputError(f"{path}: not responses; expected the file of system_responses of DSTC7")
    table = read_tsv(path)
    columns = [_column(table, name) for name in ("SystemID", "InstanceID", "Response")]
    frame = pl.DataFrame(dict(zip(RESPONSES, columns, strict=True)), schema=RESPONSES)
    kept = [i for i, name in enumerate(table["InstanceID"]) if not _is_average(name)]
    numbers = [table.numbers[i] for i in kept]
    return Draft(frame[kept], Origin(((table.name, numbers),)))


FORMAT = Format(
    "dstc7",
    "DSTC7 task 2 (tsv files or their folder): ragged references, ten systems",
    recognise,
    {"test set": read_testset, "responses": read_responses},
    holds_all=lambda path: path.is_dir() and any(path.glob(f"*{_SYSTEMS}.tsv")),
)


def _kind(first: bytes) -> str | None:
    first = first.removeprefix(_BOM)
    return next((kind for header, kind in _HEADERS.items() if first.startswith(header)), None)


def _testset_files(paths: Sequence[Path]) -> tuple[Path, Path | None]:
    """The file of references and that of contexts: given, or lying beside it."""
    if len(paths) == 1 and paths[0].is_dir():
        return _only(paths[0], _GOLD), next(iter(sorted(paths[0].glob(f"*{_CONTEXT}.tsv"))), None)
    kinds = {_kind(head(path)): path for path in paths if not path.is_dir()}
    if _GOLD not in kinds or len(kinds) != len(paths) or set(kinds) - {_GOLD, _CONTEXT}:
        raise InputError(
            f"{paths[0]}: expected the file of gold_responses of DSTC7, its folder, or that file "
            "and the one of the contexts; were the files given the wrong way round?"
        )
    gold = kinds[_GOLD]
    beside = gold.with_name(gold.name.replace(_GOLD, _CONTEXT))
    is_there = beside != gold and beside.is_file()
    return gold, kinds.get(_CONTEXT, beside if is_there else None)


def _only(folder: Path, kind: str) -> Path:
    found = sorted(folder.glob(f"*{kind}.tsv"))
    if len(found) != 1:
        raise InputError(f"{folder}: {len(found)} files *{kind}.tsv, expected one; name the file")
    return found[0]


def _contexts(path: Path) -> dict[str, tuple[list[str], int | None]]:
    table = read_tsv(path)
    depths = [int(cell) if cell.isdecimal() else None for cell in _column(table, "Depth")]
    turns = [[text] if text.strip() else [] for text in _column(table, "Context")]
    return dict(zip(_column(table, "InstanceID"), zip(turns, depths, strict=True), strict=True))


def _column(table: Grid, name: str) -> list[str]:
    if name not in table.header:
        raise InputError(
            f"{table.name}: no column '{name}'; got {listed(table.header)}; is this the file of DSTC7?"
        )
    return table[name]


def _is_average(name: str) -> bool:
    return name.strip().lower() == "average"
