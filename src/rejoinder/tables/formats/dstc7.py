"""DSTC7 task 2 (Galley et al. 2019): ragged human references, the systems' replies, and their ratings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import Place, listed, quoted
from rejoinder.tables.assembly.gathered import GatheredItems, spoken
from rejoinder.tables.assembly.long_or_wide import MEAN, OVERALL
from rejoinder.tables.assembly.rating_cells import strict_scores
from rejoinder.tables.checks.validation import is_first
from rejoinder.tables.columns import require
from rejoinder.tables.format import Asked, FileHead, Format, Shape
from rejoinder.tables.io.delimited import read_tsv, tsv_rows
from rejoinder.tables.notes import note
from rejoinder.tables.parts import Draft, Part, TestSetDraft, joined
from rejoinder.tables.schemas import RATINGS, RESPONSES

_GOLD, _CONTEXT, _SYSTEMS = "gold_responses", "context", "system_responses"
_JUDGES, _MEANS = "human-eval-per-judge", "human_evaluation"
_KEYS = ("JudgeID", "InstanceID", "SystemID")
_HEADERS = {
    "InstanceID\tReference": _GOLD,
    "InstanceID\tDepth\tContext": _CONTEXT,
    "SystemID\tInstanceID\tResponse": _SYSTEMS,
    "\t".join(_KEYS): _JUDGES,
}
_NOT_MEANS = {"Reference1", "Depth", "SystemID", "Response", "Context"}


def _kind(head: FileHead) -> str | None:
    """Which of its files this is, by how its header begins."""
    kind = next((kind for start, kind in _HEADERS.items() if head.text.startswith(start)), None)
    name, *systems = head.text.split("\n", 1)[0].rstrip("\r").split("\t")
    if kind is None and name == "InstanceID" and systems and systems[0] not in _NOT_MEANS:
        return _MEANS
    return kind


def read_testset(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """The references, with the contexts of the file beside them if there is one.

    Items without any reference are kept: they have none. A row that is an average is no item.

    Raises:
        InputError: A context is missing.
    """
    gold, context = _testset_files(paths)
    contexts = _contexts(context) if context is not None else {}
    items = GatheredItems()
    rows = tsv_rows(gold)
    next(rows)  # the header: InstanceID, Reference1, "..."
    for number, (name, *references) in rows:
        if _is_average(name):
            continue
        if context is not None and name not in contexts:
            raise InputError(f"{gold}, row {number}: {context} has no InstanceID {quoted(name)}")
        turns, depth = contexts.get(name, ([], None))
        place, about = Place(str(gold), number), {"depth": depth} if contexts else {}
        items.add(name, turns, spoken(references, "human"), place, about=about)
    return items.draft()


def read_responses(path: Path, asked: Asked) -> Draft:
    """The replies of all systems; people are the system ``Human``.

    Raises:
        InputError: The file is another one of DSTC7.
    """
    if path.is_dir():
        path = _only(path, _SYSTEMS)
    elif _kind(FileHead.of(path)) != _SYSTEMS:
        raise InputError(f"{path}: not responses; expected the file of system_responses of DSTC7")
    table = read_tsv(path)
    columns = [_column(table, name) for name in ("SystemID", "InstanceID", "Response")]
    frame = pl.DataFrame(dict(zip(RESPONSES, columns, strict=True)), schema=RESPONSES)
    replies = _item_rows(table, frame)
    return Draft.of(table.name, replies.numbers, replies.frame)


def read_ratings(path: Path, asked: Asked) -> Draft:
    """The judges' single ratings, or the means; of a folder the former where both are there.

    Raises:
        InputError: The file is another one of DSTC7, or the folder has no ratings.
    """
    file = _ratings_in(path) if path.is_dir() else path
    if file is None:
        raise InputError(f"{path}: expected a file *{_JUDGES}.tsv or *{_MEANS}.tsv; name the file")
    kind = _kind(FileHead.of(file))
    if kind not in (_JUDGES, _MEANS):
        raise InputError(
            f"{file}: not ratings of DSTC7; expected the file of {_JUDGES} or of {_MEANS}"
        )
    return _judge_ratings(read_tsv(file)) if kind == _JUDGES else _mean_ratings(read_tsv(file))


FORMAT = Format(
    "dstc7",
    "DSTC7 task 2 (tsv files or their folder): ragged references, ten systems, judges' ratings or means",
    (
        Shape("folder", (f"*{_GOLD}.tsv",)),
        Shape("folder", also=lambda head: _ratings_in(head.path) is not None),
        *(Shape(each, also=lambda head: _kind(head) is not None) for each in ("tsv", "text")),
    ),
    {"test set": read_testset, "responses": read_responses, "ratings": read_ratings},
    holds_all=lambda path: path.is_dir() and any(path.glob(f"*{_SYSTEMS}.tsv")),
)


def _testset_files(paths: Sequence[Path]) -> tuple[Path, Path | None]:
    """The file of references and that of contexts: given, or lying beside it."""
    if len(paths) == 1 and paths[0].is_dir():
        return _only(paths[0], _GOLD), next(iter(sorted(paths[0].glob(f"*{_CONTEXT}.tsv"))), None)
    kinds = {_kind(FileHead.of(path)): path for path in paths if not path.is_dir()}
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
    files = sorted(folder.glob(f"*{kind}.tsv"))
    if len(files) != 1:
        raise InputError(f"{folder}: {len(files)} files *{kind}.tsv, expected one; name the file")
    return files[0]


def _ratings_in(folder: Path) -> Path | None:
    for kind in (_JUDGES, _MEANS):
        files = sorted(folder.glob(f"*{kind}.tsv"))
        if len(files) == 1:
            return files[0]
    return None


def _contexts(path: Path) -> dict[str, tuple[list[str], int | None]]:
    table = read_tsv(path)
    depths = [int(cell) if cell.isdecimal() else None for cell in _column(table, "Depth")]
    turns = [[text] if text.strip() else [] for text in _column(table, "Context")]
    return dict(zip(_column(table, "InstanceID"), zip(turns, depths, strict=True), strict=True))


def _column(table: Part, name: str) -> list[str]:
    if name not in table.frame.columns:
        raise InputError(
            f"{table.name}: no column '{name}'; got {listed(table.frame.columns)}; is this the file of DSTC7?"
        )
    return table.values(name)


def _is_average(name: str) -> bool:
    return name.strip().lower() == "average"


def _item_rows(table: Part, frame: pl.DataFrame) -> Part:
    """The rows of items: a row of averages is none."""
    ids = table.frame.get_column("InstanceID")
    return table.with_frame(frame).filter(ids.str.strip_chars().str.to_lowercase() != "average")


def _judge_ratings(table: Part) -> Draft:
    """One rating per judge, reply and criterion: of a reply judged again, the first one counts.

    Some judges met a reply twice. The later judgement is not that of a second person, and a mean
    of both would be off the scale, so it is left out and counted.
    """
    require(_KEYS, table.frame.columns, table.name)
    names = [name for name in table.frame.columns if name not in _KEYS]
    if not names:
        raise InputError(f"{table.name}: no criterion; expected a column of scores for each")
    first = is_first(table.frame.select(_KEYS))
    again = int((~first).sum())
    alike = int((~is_first(table.frame.select(*_KEYS, *names))).sum())
    judged = table.filter(first)
    judged = _item_rows(judged, judged.frame)
    who = {"id": "InstanceID", "system": "SystemID", "rater": "JudgeID"}
    keys = [pl.col(theirs).alias(ours) for ours, theirs in who.items()]
    read = joined(
        _column_ratings(judged, each, f"{each}:", *keys, criterion=each) for each in names
    )
    if again:
        note("judged again", table.name, rows=again, alike=alike)
    return read


def _mean_ratings(table: Part) -> Draft:
    """A column of mean ratings for each system."""
    require(("InstanceID",), table.frame.columns, table.name)
    table = _item_rows(table, table.frame)
    id = pl.col("InstanceID").alias("id")
    return joined(
        _column_ratings(
            table, each, f"system '{each}':", id, system=each, rater=MEAN, criterion=OVERALL
        )
        for each in table.frame.columns
        if each != "InstanceID" and not _is_average(each)
    )


def _column_ratings(table: Part, name: str, what: str, *keys: pl.Expr, **same: str) -> Draft:
    """The ratings in a column, of the rows that have one.

    Args:
        table: The table.
        name: The column.
        what: What it is called in messages.
        *keys: The columns of a rating that differ from row to row.
        **same: Those that are the same in all.
    """
    scores = strict_scores(table.frame.get_column(name), table.name, table.numbers, what)
    ours = {key: pl.lit(value) for key, value in same.items()}
    rated = table.with_frame(table.frame.select(*keys, **ours, score=scores))
    rated = rated.filter(scores.is_not_null())
    return Draft.of(table.name, rated.numbers, rated.frame.select(*RATINGS))
