"""Tables of files brought to our own names: by the user's ``columns``, then by the aliases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import quoted
from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.column_roles import (
    ABOUT_ITEMS,
    Roles,
    folded,
    key_renames,
    log_renames,
    log_systems,
    may_be_words,
    renamed,
    roles_of,
    with_samples,
)
from rejoinder.tables.assembly.item_columns import ids_of
from rejoinder.tables.assembly.json_rows import column_of_rows, typed
from rejoinder.tables.assembly.rating_cells import graded, scores_of
from rejoinder.tables.item_clusters import CONVERSATION
from rejoinder.tables.notes import note, set_aside
from rejoinder.tables.parts import Part
from rejoinder.tables.schemas import ALIASES, COLUMNS, DETAILS, FALLBACKS, SAMPLE


def part_of_items(part: Part, columns: ColumnMapping | None) -> Part:
    """A table of a test set under our names; of a table with replies too, the items alone.

    Raises:
        InputError: Two columns could mean the same, or one of ``columns`` is absent.
    """
    part, roles = _mapped(part, columns, "test set")
    log_renames(roles.of_items, part.name)
    if not roles.holds_all or _lacks_ids(part, roles):
        return part.with_frame(part.frame.rename(roles.of_items))
    keys, part = _with_ids(part, roles, part.name)
    frame = part.frame.drop(roles.not_of_items, strict=False)
    part = part.with_frame(frame.rename(roles.of_items, strict=False))
    if not roles.columns_of("system"):
        return part
    rows = first_rows(part.frame.get_column("id").to_list(), keys, part.numbers, part.name)
    return replace(part, frame=part.frame[rows], numbers=[part.numbers[row] for row in rows])


def part_of_replies(part: Part, columns: ColumnMapping | None) -> tuple[Part, tuple[str, ...]]:
    """A table of replies under our names, long or wide; of a table of all, the replies alone.

    Returns:
        The table, and of a table of all the columns that hold the replies of a system each.

    Raises:
        InputError: Two columns could mean the same, or one of ``columns`` is absent.
    """
    part, roles = _mapped(part, columns, "responses")
    log_renames(roles.of_replies, part.name)
    log_systems(roles, part.name)
    if not roles.holds_all or _lacks_ids(part, roles):
        frame = part.frame.rename(roles.of_replies)
        return part.with_frame(with_samples(frame, part.name)), ()
    frame = _with_ids(part, roles, "")[1].frame.rename(roles.of_replies, strict=False)
    frame = with_samples(frame, part.name)
    names = roles.systems or ("system", "text", SAMPLE)
    frame = frame.select("id", *(name for name in names if name in frame.columns))
    return part.with_frame(frame), roles.systems


def part_of_judgements(
    part: Part, columns: ColumnMapping | None, what: str, names: Sequence[str] | None = None
) -> Part:
    """A table of ratings, preferences or scores under our names, its columns in their types.

    Args:
        part: The table.
        columns: The user's mapping.
        what: ``ratings``, ``preferences`` or ``scores``.
        names: Our names that may stand under an alias; None: all that have any.

    Raises:
        InputError: Two columns could mean the same, or one of ``columns`` is absent.
    """
    values = columns.values if columns else {}
    if what == "ratings":
        part, columns = _with_row_for_each_system(part, columns)
    part = _checked(part, columns, what)
    names = names or [each.name for each in COLUMNS[what] if each.aliases]
    part = renamed(part, key_renames(part.frame.columns, names, part.name))
    if what == "ratings":
        feedback = _feedback(part.frame.columns)
        return _graded(typed(_with_row_for_each_rater(_with_rated_ids(part))), values, feedback)
    return typed(part)


def _with_row_for_each_system(
    part: Part, columns: ColumnMapping | None
) -> tuple[Part, ColumnMapping | None]:
    """A table with a column of ratings for each system, as ``system=a+b`` names them, with a row for each."""
    mapping = columns and columns.of_file(part.name)
    names = mapping.sources.get("system", "").split("+") if mapping else []
    if mapping is None or len(names) < 2 or not {*names} <= {*part.frame.columns}:
        return part, columns
    others = part.frame.drop(names)
    rows = pl.concat(
        others.with_columns(part.frame.get_column(each).alias("score"), system=pl.lit(each))
        for each in names
    )
    height = part.frame.height
    order = [row + height * place for row in range(height) for place in range(len(names))]
    numbers = [number for number in part.numbers for _ in names]
    rest = {name: source for name, source in mapping.sources.items() if name != "system"}
    return replace(part, frame=rows[order], numbers=numbers), ColumnMapping(rest)


_FEEDBACK = ("feedback", "liked", "thumbs", "vote")
"""Columns of ratings where no other column holds any, and each cell of it is a grade."""


def _feedback(columns: Sequence[str]) -> list[str]:
    """The columns that may be feedback; a flag is, as Gradio writes it, beside a prompt and its reply."""
    present = {folded(each) for each in columns}
    logged = all(present & {name, *ALIASES[name], *FALLBACKS[name]} for name in ("context", "text"))
    names = (*_FEEDBACK, "flag") if logged else _FEEDBACK
    return [each for each in columns if folded(each) in names]


_RATING_KEYS = {each.name for each in COLUMNS["ratings"]} - {"score"}
"""The columns of ratings beside the grade."""


def _numbers(part: Part) -> list[str]:
    """The columns with numbers, besides those that name or describe what was rated."""
    known = {*_RATING_KEYS, *DETAILS, *ABOUT_ITEMS} - {"score"}
    return [
        each.name
        for each in part.frame.iter_columns()
        if not {each.name, folded(each.name)} & known and scores_of(each).values.count()
    ]


def _graded(part: Part, values: Mapping[str, float], feedback: Sequence[str]) -> Part:
    """Ratings with numbers for words: in the scores or a column of feedback, and by the user's words."""
    of_numbers = [] if "score" in part.frame.columns else _numbers(part)
    if "score" not in part.frame.columns:
        feedback = [] if of_numbers else feedback
        of_grades = (each for each in feedback if _is_of_grades(part, each, values))
        if name := next(of_grades, feedback[0] if feedback else None):
            part = renamed(part, {name: "score"})
    frame = part.frame
    # True and false are grades where a rater gave no others; they may also be flags of a reply.
    truths = "rater" in frame.columns and "score" not in frame.columns and not of_numbers
    names = [
        name
        for name in frame.columns
        if name not in _RATING_KEYS
        and (
            values
            or name == "score"
            or (truths and _is_of_truth(frame[name]) and may_be_words(name))
        )
    ]
    return part.with_frame(frame.with_columns(graded(frame[n], part.name, values) for n in names))


def _is_of_truth(cells: pl.Series) -> bool:
    """Whether each cell of a column is true or false."""
    if cells.dtype == pl.String:
        return bool(cells.str.to_lowercase().is_in(["true", "false"]).fill_null(False).all())
    return cells.dtype == pl.Boolean and not cells.null_count()


def _is_of_grades(part: Part, name: str, values: Mapping[str, float]) -> bool:
    """Whether each filled cell of a column is a grade, and one is filled."""
    with set_aside():
        scores = scores_of(graded(part.frame.get_column(name), part.name, values))
    return scores.values.count() > 0 and not scores.wrong.any()


_NUMBERED = re.compile(r"[\w.:/-]*\d", re.ASCII)
"""A cell of a column of prompts that is the id of one: a number, or one word with a number at its end."""


def _with_rated_ids(part: Part) -> Part:
    """Ratings with ids: where a table of them has none, those that its prompts and replies get."""
    if {"id", CONVERSATION} & set(part.frame.columns):
        return part
    roles = roles_of(part.frame.columns, part.name, part.texts())
    prompts = roles.columns_of("context")
    if not prompts:
        return part
    # Beside a reply or a reference the table may be read as items too, which are numbered.
    alone = not (roles.references or roles.columns_of("text"))
    if alone and all(_NUMBERED.fullmatch(str(each)) for each in part.values(prompts[0])):
        return renamed(part, {prompts[0]: "id"})
    return _with_ids(part, roles, part.name)[1]


def _with_row_for_each_rater(part: Part) -> Part:
    """Ratings with a row for each rater, where the cells of columns are lists with a number of each.

    All lists are of one length, and no other column holds numbers, which would be those of nobody.
    """
    if part.holds != "rows" or "rater" in part.frame.columns:
        return part
    values = {name: part.values(name) for name in part.frame.columns}
    lists = [name for name, cells in values.items() if any(map(_is_of_numbers, cells))]
    lengths = {len(cell) for name in lists for cell in values[name] if isinstance(cell, list)}
    if len(lengths) != 1 or _numbers(typed(part.with_frame(part.frame.drop(lists)))):
        return part
    rows = [(row, place) for row in range(part.frame.height) for place in range(*lengths)]
    columns = [
        column_of_rows(
            name, [_at(cells[row], place) if name in lists else cells[row] for row, place in rows]
        )
        for name, cells in values.items()
    ]
    raters = pl.Series("rater", [str(place + 1) for _, place in rows], pl.String)
    note("in lists", part.name, columns=lists)
    return replace(
        part, frame=pl.DataFrame([*columns, raters]), numbers=[part.numbers[row] for row, _ in rows]
    )


def _is_of_numbers(cell: object) -> bool:
    """Whether a cell is a list of grades; a vector of a hundred numbers is none."""
    if not isinstance(cell, list) or len(cell) >= 100:
        return False
    return any(isinstance(each, int | float) for each in cell)


def _at(cell: Any, place: int) -> Any:
    """What a rater gave; what is no list is nobody's."""
    return cell[place] if isinstance(cell, list) else None


def roles_of_part(part: Part, columns: ColumnMapping | None) -> Roles:
    """What the columns of a table are used as."""
    return _mapped(part, columns, "")[1]


def _mapped(part: Part, columns: ColumnMapping | None, what: str) -> tuple[Part, Roles]:
    part = _checked(part, columns, what)
    return part, roles_of(part.frame.columns, part.name, part.texts())


def _checked(part: Part, columns: ColumnMapping | None, what: str) -> Part:
    columns = columns and columns.of_file(part.name)
    if columns is None:
        return part
    mapped = columns.of_part(part)
    if what:
        for (row, names), (_, given) in islice(
            zip(mapped.shapes(), part.shapes(), strict=False), 1
        ):
            columns.check(names, given, what, part.where(row))
    return mapped


def _lacks_ids(part: Part, roles: Roles) -> bool:
    """Whether a table has no ids, and columns that need not be the replies of systems."""
    if roles.columns_of("id") or not roles.systems:
        return False
    return not are_replies(part.frame.get_column(system) for system in roles.systems)


def _with_ids(part: Part, roles: Roles, where: str) -> tuple[list[str], Part]:
    """For each row what says which item it is of; and the table with ids, made where it has none."""
    names = roles.columns_of("context", *roles.references)
    keys = list(map(repr, zip(*map(part.values, names), strict=True)))
    if given := roles.columns_of("id"):
        part = part.with_frame(part.frame.rename({given[0]: "id"}))
        ids = ids_of(part) if part.holds == "rows" else part.frame.get_column("id")
    else:
        systems = roles.columns_of("system")
        texts = [str(each) for each in part.values(systems[0])] if systems else None
        ids = pl.Series("id", made_ids(keys, texts, where))
    return keys, part.with_frame(part.frame.with_columns(ids))


def made_ids(
    items: Sequence[Hashable], systems: Sequence[str] | None, where: str = ""
) -> list[str]:
    """Ids of the rows of a table that has none: ``"1"``, ``"2"``, ...

    Args:
        items: For each row its context and references.
        systems: For each row its system: rows with the same item are replies of several systems to
            it. An item that a system answered twice is two items. None: each row is an item.
        where: The file, for a line of the log; empty where it was logged already.

    >>> made_ids(["Hi", "Ho", "Hi", "Ho"], ["a", "a", "b", "b"])
    ['1', '2', '1', '2']
    """
    if where:
        note("no ids", where)
    if systems is None:
        return [str(number) for number in range(1, len(items) + 1)]
    times: Counter[tuple[str, Hashable]] = Counter()
    numbers: dict[tuple[Hashable, int], str] = {}
    ids = []
    for item, system in zip(items, systems, strict=True):
        times[system, item] += 1
        ids.append(numbers.setdefault((item, times[system, item]), str(len(numbers) + 1)))
    return ids


def are_replies(columns: Iterable[Iterable[object]]) -> bool:
    """Whether columns hold what somebody says: each has a text with white space between words.

    A column for each system is told from keys and labels by this, in a table without ids.

    >>> are_replies([["Not today.", "No."]]), are_replies([["Not today."], ["k1", "k2"]])
    (True, False)
    """
    return all(
        any(isinstance(cell, str) and len(cell.split()) > 1 for cell in cells) for cells in columns
    )


def first_rows(
    ids: Sequence[str], items: Sequence[Hashable], numbers: Sequence[int], name: str
) -> list[int]:
    """Of a table with several rows for an item, one for each system, the first row of each.

    Args:
        ids: For each row its item.
        items: For each row its context and references.
        numbers: For each row its number in the file.
        name: The file, for messages.

    Raises:
        InputError: Two rows of an item differ in its context or its references.
    """
    first: dict[str, int] = {}
    for index, (id, item) in enumerate(zip(ids, items, strict=True)):
        before = first.setdefault(id, index)
        if items[before] != item:
            raise InputError(
                f"{name}, row {numbers[index]}: another context or reference at id {quoted(id)} than "
                f"in row {numbers[before]}; give each item an id of its own, or the same texts"
            )
    return list(first.values())
