"""Exports that differ in where a value lies alone: each is declared as paths, and read here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from rejoinder.errors import InputError, one_of
from rejoinder.files.reading import read_text, stem_of
from rejoinder.files.sources import cached
from rejoinder.messages import Place, listed, quoted
from rejoinder.tables.assembly.long_or_wide_scores import holds_numbers, is_of_run, may_be_metric
from rejoinder.tables.assembly.mapped_parts import made_ids
from rejoinder.tables.assembly.rating_cells import scores_of
from rejoinder.tables.format import (
    JSON_LINES,
    Container,
    FileHead,
    Format,
    KindName,
    Shape,
    lowered,
)
from rejoinder.tables.io.arrow import read_parquet
from rejoinder.tables.io.delimited import read_csv, read_quoted_tsv
from rejoinder.tables.io.json_lines import read_objects
from rejoinder.tables.io.json_table import (
    is_object_of_columns,
    json_value,
    read_json_rows,
    read_json_table,
)
from rejoinder.tables.logs.said import at, decoded, references_in, replies_in, turns_of_prompt
from rejoinder.tables.logs.samples import Sample, log_format, number_of
from rejoinder.tables.notes import Note, left_out, note, pass_on, set_aside
from rejoinder.tables.schemas import ALIASES, FALLBACKS

Row: TypeAlias = dict[str, Any]
Rows: TypeAlias = list[tuple[Place, Row]]

_CONTAINERS: tuple[Container, ...] = (
    "json list", "json object", "own rows", "csv", "tsv", "parquet",
)  # fmt: skip
_NAMES = "name.name name key assessment_name metric_name metric metric.name"
_VALUES = "value score mean avg result.score feedback.value"
_GRADES = "stringValue string_value value label category_name result.label feedback.value score"
_VERSION = "is the export whole, and of a version that docs/formats.md names?"
_NO_SCORES = (".label", ".explanation", ".n", ".comment", ".reasoning", "_threshold")
_UNMISTAKABLE = re.compile(r"[.A-Z{]|run_type|op_name|project_id|dataset_item_id|feedback_scores")
"""Found in a mark that no other table has: a dotted name, an object, a word of a tool alone."""
_NO_REPLIES: tuple[Any, ...] = (None, [], {})
"""Values that are no reply; an empty text is one."""
_SYSTEMS = ("system", *ALIASES["system"], *FALLBACKS["system"])
_RATERS = "authorUserId created_by user_id feedback_source.user_id source.source_id"
_TABLES = {"csv": read_csv, "tsv": read_quoted_tsv, "parquet": read_parquet}


@dataclass(frozen=True)
class Export:
    """An export of a tool: where in each of its rows what stands.

    A path is a text of names and places parted by points, several of them parted by blanks, of which
    the first that leads to a value counts (``said.at``).

    Attributes:
        name: What ``--format`` calls it.
        description: One line for listings.
        marks: Sets of columns, or of keys of the first object, any one of which tells the export; a key
            with ``{}`` has an object. A flat table with systems, or with ids and texts, is one only by
            the marks that no other table has.
        prompt: Where the context is.
        reply: Where the reply is.
        reference: Where the references are.
        scores: Where the scores are: an object of numbers, a list of objects with name and value,
            columns that begin or end so, or ``*``, all other columns of numbers.
        id: Where the item is; without one the rows are numbered.
        system: Where the system is; without one it is called as the file is.
        failed: Where it says why there is no reply.
        rows: Where the rows are, in a file that is one object; an object alone is a row.
        unless: Columns that no export of this kind has.
        folder: The files of a folder that is one export.
        prepared: What makes rows of those in the file, some of which are none.
        also: What more is asked of a file with such marks.
        people: What a score that a person gave says, as a path and its value (``source=ui``): it is a rating.
    """

    name: str
    description: str
    marks: Sequence[str]
    prompt: str = ""
    reply: str = ""
    reference: str = ""
    scores: str = ""
    id: str = "id"
    system: str = "model"
    failed: str = ""
    rows: str = ""
    unless: str = ""
    folder: str = ""
    prepared: Callable[[Path, Rows], Rows] = lambda path, rows: rows
    also: Callable[[FileHead], bool] = lambda head: True
    people: str = ""

    @property
    def format(self) -> Format:
        """The format of its files."""
        shapes = [
            Shape(each, columns=self.marks, unless=self.unless, also=self._is_marked)
            for each in _CONTAINERS
        ]
        shapes += [Shape("folder", (self.folder,))] * bool(self.folder)
        read = partial(_kept_samples, self)
        holds = map(bool, (self.prompt, self.scores, self.people))
        declared = log_format(self.name, self.description, shapes, read, *holds)
        if self.reply:
            return declared
        reads: dict[KindName, Any] = {k: r for k, r in declared.reads.items() if k != "responses"}
        return Format(declared.name, declared.description, declared.shapes, reads)

    def _is_marked(self, head: FileHead) -> bool:
        """Whether more is right in a file that has a set of the columns, where it could be our own table."""
        names = set(head.names)
        marks = [each for each in self.marks if head.has(each)]
        systems = names & set(_SYSTEMS) - set(self.system.split())
        if (systems or {"id", "text"} <= names) and _is_flat(head):
            marks = [each for each in marks if _UNMISTAKABLE.search(each)]
        return bool(marks) and self.also(head)


def _is_flat(head: FileHead) -> bool:
    """Whether a file is a table whose cells are no objects, as people have them."""
    values = head.object.values() if isinstance(head.object, dict) else ()
    return not any(isinstance(each, dict) for each in values)


def _kept_samples(export: Export, path: Path) -> list[Sample]:
    """The samples of an export, which is parsed once; what is said of it is said each time."""

    def parsed() -> tuple[list[Sample], list[Note]]:
        with set_aside() as notes:
            return _samples(export, path), notes

    samples, notes = cached(path, (export.name, str(path)), parsed)
    for each in notes:
        pass_on(each)
    return samples


def _samples(export: Export, path: Path) -> list[Sample]:
    files = sorted(path.glob(export.folder)) if path.is_dir() else [path]
    every = [(Place(str(file), n), row) for file in files for n, row in rows_in(file, export.rows)]
    rows = export.prepared(path, every)
    left_out(path, len(every) - len(rows), "record", "of no reply to an item")
    named = any(at(row, export.id) is not None for _, row in rows)
    needed = export.reply or export.prompt
    if rows and all(
        at(row, needed, _NO_REPLIES) is None and at(row, export.failed) is None for _, row in rows
    ):
        got = listed(rows[0][1])
        raise InputError(f"{path}: no row has {one_of(needed.split())}; got {got}; {_VERSION}")
    contents = [
        (
            name_at(row, " ".join((export.system, *_SYSTEMS))) or stem_of(path),
            turns_of_prompt(at(row, export.prompt), place),
            references_in(at(row, export.reference), place),
        )
        for place, row in rows
    ]
    ids = (
        [name_at(row, export.id) for _, row in rows]
        if named
        else made_ids(
            [
                (*turns, None, *texts) if turns or texts else number
                for number, (_, turns, texts) in enumerate(contents)
            ],
            [system for system, *_ in contents],
            str(path) if rows else "",
        )
    )
    repeats: Counter[tuple[str, str]] = Counter()
    metrics = _metrics(export, rows) if export.scores == "*" else []
    # Rows that are made of others have rules of their own.
    derived = rows and all(row is not rows[0][1] for _, row in every)
    unread = [] if derived else [name for name in _unread(export, every) if name not in metrics]
    if unread:
        note("columns not read", path, columns=unread)
    samples, twice, broken = [], 0, 0
    for (place, row), id, (system, turns, references) in zip(rows, ids, contents, strict=True):
        failed = at(row, export.failed) if export.failed else None
        replies = [] if failed else replies_in(at(row, export.reply, _NO_REPLIES), place)
        given = (
            {each: row.get(each) for each in metrics}
            if export.scores == "*"
            else decoded(at(row, export.scores))
        )
        broken += isinstance(given, str)
        scores, ratings, further = scores_in(given, place, export.people)
        twice += further
        for reply in replies or [None]:
            repeats[id, system] += 1
            repeat = repeats[id, system]
            sample = Sample(id, system, place, reply, turns, references, scores, repeat)
            samples.append(replace(sample, ratings=ratings))
            scores, ratings = {}, []
    left_out(path, broken, "cell", "of scores with an incomplete list or object")
    left_out(path, twice, "name", "under which a reply has several different scores")
    return samples


def rows_in(path: Path, where: str = "") -> Iterable[tuple[int, Row]]:
    """The rows of a file of any container, each with its number.

    Args:
        path: A file.
        where: The path to the list of rows, in a file that is one object.

    Raises:
        InputError: It cannot be read.
    """
    head = FileHead.of(path)
    if set(head.names) != set(head.columns):
        return [(number, lowered(row)) for number, row in _rows_in(path, head, where)]
    return _rows_in(path, head, where)


def _rows_in(path: Path, head: FileHead, where: str) -> Iterable[tuple[int, Row]]:
    if head.container in _TABLES:
        part = _TABLES[head.container](path)
        if head.container != "parquet":  # an empty cell of text is missing, and no empty text
            part = part.with_frame(part.frame.with_columns(pl.col(pl.String).replace("", None)))
        return list(zip(part.numbers, part.frame.to_dicts(), strict=True))
    if head.container != "json object" or (head.suffix in JSON_LINES and head.row is not None):
        return read_json_rows(path)
    row = head.row
    if row is not None and not is_object_of_columns(row) and not isinstance(at(row, where), list):
        return read_objects(path)  # JSON Lines that are called .json
    value = json_value(read_text(path), str(path), "expected one whole export")
    inner = at(value, where) if where else None
    if isinstance(inner, list) and all(isinstance(each, dict) for each in inner):
        return list(enumerate(inner, start=1))
    if isinstance(value, dict) and not is_object_of_columns(value):
        return [(1, value)]
    return read_json_table(path)


def scores_in(
    value: Any, where: object, people: str = ""
) -> tuple[dict[str, float | None], list[tuple[str, str, float | str | None]], int]:
    """The numbers of a reply by their names, and the ratings: criterion, rater, and number or word.

    A name with several different numbers has none; the third value is how many such names there are. A
    rater who is not named is called by a place among those of the criterion.

    Args:
        value: An object of numbers, or a list of objects with name and value.
        where: File and row, for the message.
        people: See ``Export``.

    Raises:
        InputError: One has no name.

    >>> scores_in({"a": 1, "b": {"avg": 0.5}}, ""), scores_in([{"name": "a", "value": True}], "")
    (({'a': 1.0, 'b': 0.5}, [], 0), ({'a': 1.0}, [], 0))
    """
    if isinstance(value, dict):
        numbers = {
            name.removesuffix(".score").removesuffix(".avg"): _number(each)
            for name, each in value.items()
            if not name.endswith(_NO_SCORES)
        }
        return numbers, [], 0
    given: dict[tuple[str, str], set[Any]] = {}
    for each in value if isinstance(value, list) else []:
        for name, is_person, rater, number in _given(each, where, people):
            place = 1 + sum(criterion == name and bool(known) for criterion, known in given)
            key = name, (rater or str(place)) if is_person else ""
            given.setdefault(key, set()).add(number)
    numbers = {key: each - {None} for key, each in given.items()}
    only = {key: each.pop() if len(each) == 1 else None for key, each in numbers.items()}
    scores = {name: number for (name, rater), number in only.items() if not rater}
    ratings = [(*key, number) for key, number in only.items() if key[1]]
    return scores, ratings, sum(map(bool, numbers.values()))


def _given(
    entry: Any, where: object, people: str
) -> Iterator[tuple[str, bool, str, float | str | None]]:
    """What an entry of a list gives: name, whether a person gave it, who, and the number or word."""
    if isinstance(entry, dict) and "expectation" in entry:
        return
    if not isinstance(entry, dict) or not (name := name_at(entry, _NAMES)):
        raise InputError(f"{where}: a score without a name; got {quoted(entry)}; expected one")
    path, _, person = people.partition("=")
    authors = at(entry, "value_by_author") if people else None
    for author, facts in authors.items() if isinstance(authors, dict) else [("", {})]:
        one = {**entry, **facts}
        is_person = bool(people) and at(one, path) == person
        number = _number(one)
        word = (name_at(one, _GRADES) or None) if is_person and number is None else None
        yield name, is_person, author or name_at(one, _RATERS), number if word is None else word


def _metrics(export: Export, rows: Rows) -> list[str]:
    """The columns of numbers that no path leads to, by the rules for a wide table of scores."""
    names = [name for name in _unread(export, rows) if may_be_metric(name) and not is_of_run(name)]
    return [name for name in names if holds_numbers(scores_of(_cells(rows, name)))]


def _cells(rows: Rows, name: str) -> pl.Series:
    """A column as cells: numbers as they stand, also those in objects and lists, and other values as text."""
    cells = ((row.get(name), _number(row.get(name))) for _, row in rows)
    texts = (each if number is None else str(number) for each, number in cells)
    return pl.Series([None if each is None else str(each) for each in texts], dtype=pl.String)


def _unread(export: Export, rows: Rows) -> list[str]:
    """The columns with a value that no path or mark names."""
    paths = (export.prompt, export.reply, export.reference, export.id, export.system)
    paths = [*paths, export.scores, export.failed, *export.marks, *_SYSTEMS]
    known = {each.removesuffix("{}").strip(".") for path in paths for each in path.split()}
    ends = tuple(each[1:] for each in known if each.startswith("*") and each != "*")
    columns = dict.fromkeys(name for _, row in rows for name in row if row[name] is not None)
    return [
        name
        for name in columns
        if not (ends and name.endswith(ends))
        and not any(f"{each}.".startswith(f"{name}.") for each in known)
        and not any(name.startswith(f"{each}.") for each in known)
    ]


def _number(value: Any) -> float | None:
    if isinstance(value, dict):
        value = at(value, _VALUES)
    if isinstance(value, list):
        value = value[0] if len(value) == 1 else None
    return number_of(value)


def name_at(row: Any, paths: str) -> str:
    """What something is called: the text or the number at a path; empty where there is none."""
    value = at(row, paths)
    return "" if value is None or isinstance(value, dict | list) else str(value)
