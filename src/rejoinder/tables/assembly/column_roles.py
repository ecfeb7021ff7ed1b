"""Which column of a table is what: our own names, their aliases, and the user's ``columns``.

A table of test items, of replies, of ratings or of comparisons has the names of ``schemas.py``, which
declares the aliases in common use. An alias that is used is noted, and two columns that could mean
the same are an error.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import Argument, listed, quoted
from rejoinder.tables.notes import RENAMED, note
from rejoinder.tables.parts import Part
from rejoinder.tables.schemas import ALIASES, COLUMNS, FALLBACKS, HINTS, REFERENCE, REPEATS, SAMPLE


@dataclass(frozen=True)
class Roles:
    """What the columns of a table are used as.

    Attributes:
        columns: The columns of the table.
        renames: By column our name of it; columns that have our name already are left out.
        references: The columns, by our names, that hold a reference each, or a list of them.
        reply: The column of replies, by our name; None where there is none.
        systems: The columns that hold the replies of one system each, beside a context and a
            reference.
    """

    columns: tuple[str, ...] = ()
    renames: dict[str, str] = field(default_factory=dict)
    references: tuple[str, ...] = ()
    reply: str | None = None
    systems: tuple[str, ...] = ()

    @property
    def holds_all(self) -> bool:
        """Whether the table holds items, by their references or contexts, and replies."""
        if self.references or self.columns_of("context"):
            return bool(self.reply or self.systems)
        return False

    def columns_of(self, *names: str) -> list[str]:
        """The columns of the table that are read under one of these names of ours."""
        return [column for column in self.columns if self.renames.get(column, column) in names]

    @property
    def of_items(self) -> dict[str, str]:
        """By column our name, for what a test set is read from."""
        others = ("system", "text")
        return {column: name for column, name in self.renames.items() if name not in others}

    @property
    def of_replies(self) -> dict[str, str]:
        """By column our name, for what replies are read from."""
        names = [each.name for each in COLUMNS["responses"]]
        return {column: name for column, name in self.renames.items() if name in names}

    @property
    def not_of_items(self) -> set[str]:
        """The columns that name a system and its reply in a table that holds the items too."""
        return set(self.columns_of("system", "text")) if self.holds_all and self.reply else set()


def is_reference_column(name: str) -> bool:
    """Whether a column holds a reference by its name: reference, ref1, ref_2, reference 3, ...

    >>> [name for name in ("id", "ref1", "ref_2", "refusal") if is_reference_column(name)]
    ['ref1', 'ref_2']
    """
    return _STREAM.fullmatch(name) is not None


def may_be_words(name: str) -> bool:
    """Whether words of two grades in a column are numbers: no replies, no references, no remarks."""
    others = {"text", REFERENCE, *HINTS["text"], *HINTS[REFERENCE], *REMARKS, *ABOUT_ITEMS}
    return folded(name) == "score" or folded(name) not in others


_STREAM = re.compile(r"reference|ref(erence)?s?[ _.-]?\d+", re.IGNORECASE)


def may_be_nested(name: str) -> bool:
    """Whether a column may hold lists: turns or references, by its name.

    >>> [name for name in ("references", "Prompt", "tools") if may_be_nested(name)]
    ['references', 'Prompt']
    """
    of_items = ("context", REFERENCE)
    known = [each for name in of_items for each in (name, *ALIASES[name], *FALLBACKS[name])]
    known.append("references")
    return is_reference_column(name) or folded(name) in known


def roles_of(columns: Sequence[str], where: str, texts: Collection[str] | None = None) -> Roles:
    """What the columns of a table of test items, of replies, or of both are used as.

    ``text`` is a reference in a table of references, and a reply where a reference has a column of
    its own.

    Args:
        columns: The columns there are.
        where: The file, for messages.
        texts: The columns that hold text; None: all. A system's replies are text.

    Raises:
        InputError: Two columns could mean the same.
    """
    references = [name for name in columns if name == "references"] or [
        name for name in columns if is_reference_column(name)
    ]
    are_long = not {"weight", "source"}.isdisjoint(columns)
    reference = [] if references or are_long else [REFERENCE]
    renames = key_renames(columns, (*_TEXT_ROLES, *reference, "text"), where)
    _settle_answer(renames, columns, where)
    references += [name for name in renames.values() if name == REFERENCE]
    names = [renames.get(name, name) for name in columns]
    is_reply = references or "text" in renames.values() or {"context", "system"} <= set(names)
    reply = "text" if "text" in names and is_reply else None
    systems: list[str] = []
    if references and not reply and "system" not in names:
        systems = [
            name
            for name in columns
            if name not in {*renames, *references, *_NOT_SYSTEMS}
            and folded(name) not in (*ABOUT_ITEMS, *FALLBACKS["context"], *ABOUT_JUDGEMENTS)
            and (texts is None or name in texts)
        ]
    return Roles(tuple(columns), renames, tuple(references), reply, tuple(systems))


def _settle_answer(renames: dict[str, str], columns: Sequence[str], where: str) -> None:
    """An answer beside a system is its reply, where there is no other.

    Raises:
        InputError: Beside a label or a target it may be the reply that has this label, or the reference.
    """
    answer = next((each for each in renames if folded(each) == "answer"), None)
    names = {renames.get(each, each) for each in columns}
    if answer is None:
        return
    if renames[answer] == REFERENCE and "system" in names and "text" not in names:
        renames[answer] = "text"
    label = next((each for each in renames if folded(each) in ("label", "target", "gold")), None)
    if label and renames[answer] == "text":
        raise InputError(
            f"{where}: columns {quoted(label)} and {quoted(answer)} could both be the {REFERENCE!r}; got "
            f"{listed(columns)}; say which it is with {Argument('columns', {REFERENCE: answer})}, or with "
            f"{Argument('columns', {'text': answer, REFERENCE: label})}"
        )


_TEXT_ROLES = [
    each.name
    for kind in ("references", "responses", "contexts")
    for each in COLUMNS[kind]
    if each.aliases and each.name != "text"
]
_NOT_SYSTEMS = ("id", "context", "text", "weight", "source")
REMARKS = {
    "comment", "comments", "explanation", "feedback_comment", "justification", "note", "notes",
    "rationale", "reason", "reasoning", "remark", "remarks",
}  # fmt: skip
"""Columns of words about a reply, in which `good` is no grade."""
ABOUT_JUDGEMENTS = {
    *REMARKS,
    *("flag", "flags", "status", "winner"),
    *(each for name in ("rater", "criterion", "winner") for each in (name, *HINTS[name])),
}
"""Columns that say who judged a reply, or how."""
ABOUT_ITEMS = {
    "category", "conversation", "dataset", "date", "difficulty", "domain", "document", "explanation",
    "genre", "group", "lang", "language", "notes", "score", "source", "speaker", "split", "subject",
    "subset", "tags", "task", "time", "timestamp", "title", "topic", "type", "url", "user",
}  # fmt: skip
"""Columns that say something of an item: in a table with a column for each system they are none."""


def log_renames(renames: Mapping[str, str], where: str) -> None:
    """Logs which columns were read under another name."""
    if renames:
        note(RENAMED, where, columns=dict(renames))


def renamed(part: Part, renames: Mapping[str, str]) -> Part:
    """A table whose columns have other names, which is logged."""
    log_renames(renames, part.name)
    return part.with_frame(part.frame.rename(renames))


def log_systems(roles: Roles, where: str) -> None:
    """Logs which columns were taken for the replies of a system each."""
    if roles.holds_all and roles.systems:
        note("systems", where, columns=roles.systems)


def key_renames(columns: Sequence[str], names: Sequence[str], where: str) -> dict[str, str]:
    """The columns that stand under an alias, each with our name of it.

    Args:
        columns: The columns of the file.
        names: Our names that are looked for.
        where: The place that an error names.

    Raises:
        InputError: Two columns could mean the same.
    """
    renames = {}
    for name in names:
        if name in columns:
            continue
        free = [each for each in columns if each not in renames]
        candidates = [each for each in free if folded(each) in (name, *ALIASES[name])]
        candidates = candidates or [each for each in free if folded(each) in FALLBACKS[name]]
        if len(candidates) > 1:
            first, second = candidates[:2]
            raise InputError(
                f"{where}: columns {quoted(first)} and {quoted(second)} could both be the "
                f"{name!r}; got {listed(columns)}; say which it is with "
                f"{Argument('columns', {name: first})}, or rename it to {name!r}"
            )
        renames |= dict.fromkeys(candidates, name)
    return renames


def with_samples(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """A table whose rows a column such as ``run`` tells apart, with that one as ``sample``.

    >>> rows = {"id": ["1", "1"], "run": [1, 2], "text": ["yes", "no"]}
    >>> with_samples(pl.DataFrame(rows), "r.csv").columns
    ['id', 'sample', 'text']
    """
    repeats = [name for name in frame.columns if folded(name) in REPEATS]
    keys = [name for name in ("name", "system", "id", "rater") if name in frame.columns]
    if SAMPLE in frame.columns or "id" not in keys or len(repeats) != 1:
        return frame
    # By their texts: cells of JSON are objects.
    rows = [tuple(map(str, row)) for row in frame.select(*keys, *repeats).iter_rows()]
    if len({row[:-1] for row in rows}) == len(rows) or len(set(rows)) < len(rows):
        return frame
    log_renames({repeats[0]: SAMPLE}, where)
    return frame.rename({repeats[0]: SAMPLE})


def folded(name: str) -> str:
    """A name in lower case, with one ``_`` for white space and hyphens.

    >>> folded("Expected Output")
    'expected_output'
    """
    return re.sub(r"[\s\-]+", "_", name.strip().lower())
