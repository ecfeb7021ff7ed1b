"""The types of tables: what a table holds is checked once, when it becomes one.

A public call takes a frame or one of these types, and makes the type of a frame (``Ratings.of``); what is
called from there on gets the type, whose rules are known to be kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import InitVar, dataclass, replace
from typing import ClassVar, Self

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import Call, quoted
from rejoinder.tables.checks.validation import (
    Rule,
    conform,
    improbable,
    nameless,
    not_finite,
    note_names_in_two_cases,
    refuse_duplicates,
    refuse_padded_names,
    refuse_rows,
)
from rejoinder.tables.format import KindName
from rejoinder.tables.frames import Frame, polars_of
from rejoinder.tables.notes import LEFT_OUT, taking_notes
from rejoinder.tables.parts import Draft, Origin
from rejoinder.tables.schemas import AGAINST, COLUMNS, ID, PROBABILITY, RATINGS, RESPONSES, SAMPLE
from rejoinder.tables.selection import of_criterion, without_systems


@dataclass(frozen=True, eq=False)
class CheckedTable(ABC):
    """A table of one kind, in its columns, every row of which is checked.

    Args:
        frame: The table: its own columns, then additional ones.
        origin: Where its rows stood, for the errors of the check; None for a table made in memory.

    Attributes:
        KIND: What the kind is called; ``schemas.COLUMNS`` declares its columns.
        NOTHING: What an error says of a table without rows.
        SYSTEMS: The columns that name systems.

    Raises:
        InputError: A column is absent, misspelt or of another type, a row breaks a rule, or two names
            differ in white space alone.
    """

    KIND: ClassVar[KindName]
    NOTHING: ClassVar[str]
    SYSTEMS: ClassVar[tuple[str, ...]] = ("system",)

    frame: pl.DataFrame
    origin: InitVar[Origin | None] = None

    def __post_init__(self, origin: Origin | None) -> None:
        """Brings the table into its columns and checks every row."""
        frame = self.conformed(self.frame, self.KIND)
        origin = origin or Origin.of_table(self.KIND, frame)
        if not frame.height:
            raise InputError(f"{origin.files()}: {self.NOTHING}")
        columns = COLUMNS[self.KIND]
        names = (each for each in columns if each.is_name and each is not ID)
        rules = [nameless(frame, each) for each in (ID, *names)]
        refuse_rows(frame, origin, [*rules, *self._rules(frame)])
        refuse_padded_names(frame, columns, origin)
        note_names_in_two_cases(frame, columns, origin)
        self._check_keys(frame, origin)
        object.__setattr__(self, "frame", frame)

    @classmethod
    def conformed(cls, frame: pl.DataFrame, table: str) -> pl.DataFrame:
        """The table with its own columns first and in their types; its rows are not checked.

        Args:
            frame: The table.
            table: What it is called in messages.
        """
        return conform(frame, COLUMNS[cls.KIND], table)

    @abstractmethod
    def _rules(self, frame: pl.DataFrame) -> list[Rule]:
        """The rules of this kind that each row keeps by itself."""

    @abstractmethod
    def _check_keys(self, frame: pl.DataFrame, origin: Origin) -> None:
        """Raises an InputError where two rows say the same thing."""

    @classmethod
    def of(cls, given: Frame | CheckedTable) -> Self:
        """The table of a Python call: a frame becomes a checked table, and this type stays as it is.

        Raises:
            InputError: A column is absent, or a row breaks a rule.
            ParameterError: It is no frame.
        """
        return given if isinstance(given, cls) else cls(cls.frame_of(given))

    @classmethod
    def frame_of(cls, given: Frame | CheckedTable) -> pl.DataFrame:
        """The same as a frame of Polars, as it was given and not yet checked."""
        if isinstance(given, CheckedTable):
            return given.frame
        *names, last = [each.name for each in COLUMNS[cls.KIND] if each.is_needed]
        remedy = f"read files with rejoinder.read_{cls.KIND}(*paths)"
        return polars_of(given, cls.KIND, f"{', '.join(names)} and {last}", remedy)

    @classmethod
    def joined(cls, drafts: Iterable[tuple[str, Draft]]) -> Self:
        """One table of what readers made of several files, each with its name.

        Raises:
            InputError: A file holds no row.
        """
        frames, places = [], []
        with taking_notes() as notes:
            for name, draft in drafts:
                frames.append(cls.conformed(draft.frame, name))
                if not draft.frame.height:
                    left_out = "; ".join(each.text for each in notes if each.kind == LEFT_OUT)
                    nothing, _, expected = cls.NOTHING.partition(";")
                    why = f" ({left_out})" if left_out else ""
                    raise InputError(f"{name}: {nothing}{why};{expected}")
                places += draft.origin.parts
                notes.clear()
        return cls(pl.concat(frames, how="diagonal"), Origin(tuple(places)))

    def with_frame(self, frame: pl.DataFrame) -> Self:
        """Some of these rows, or with other columns beside them: nothing that a rule is about."""
        part = copy(self)
        object.__setattr__(part, "frame", frame)
        return part

    def without(self, systems: Sequence[str]) -> Self:
        """The rows of other systems than these, as ``selection.without_systems`` selects them."""
        return self.with_frame(without_systems(self.frame, systems, self.SYSTEMS))

    def where(self, condition: pl.Expr) -> Self:
        """The rows that meet a condition."""
        return self.with_frame(self.frame.filter(condition))


@dataclass(frozen=True, eq=False)
class Responses(CheckedTable):
    """Replies of systems: ``schemas.RESPONSES``, and ``sample`` where there is one."""

    KIND, NOTHING = "responses", "no rows; expected at least one reply"

    @classmethod
    def joined(cls, drafts: Iterable[tuple[str, Draft]]) -> Self:
        """One table of those of several files, with ``sample`` where a system has several replies."""
        drafts = [
            (name, replace(draft, frame=cls.conformed(draft.frame, name))) for name, draft in drafts
        ]
        _refuse_shared_systems([draft for _, draft in drafts if draft.frame.height])
        whole = super().joined(drafts)
        return whole if whole.several else whole.with_frame(whole.frame.select(*RESPONSES))

    @classmethod
    def conformed(cls, frame: pl.DataFrame, table: str) -> pl.DataFrame:
        """The columns of responses alone, in their types."""
        columns = [each for each in COLUMNS[cls.KIND] if each.is_needed or each.name in frame]
        conformed, names = conform(frame, columns, table), [each.name for each in columns]
        return conformed if conformed.columns == names else conformed.select(names)

    def _rules(self, frame: pl.DataFrame) -> list[Rule]:
        return [
            Rule(
                pl.col("text").is_null(),
                lambda i: (
                    f"the text of system {quoted(frame['system'][i])} at id {quoted(frame['id'][i])} is "
                    'null; an empty reply is "", a missing one has no row'
                ),
            )
        ]

    def _check_keys(self, frame: pl.DataFrame, origin: Origin) -> None:
        keys = [name for name in ("system", "id", SAMPLE) if name in frame.columns]
        refuse_duplicates(frame.select(keys), origin, "reply", _TELL_APART)

    @property
    def several(self) -> bool:
        """Whether a system has several replies to one item."""
        return SAMPLE in self.frame.columns and bool(
            self.frame.select("system", "id").is_duplicated().any()
        )

    def single(self) -> pl.DataFrame:
        """``schemas.RESPONSES``: the one reply of each system to each item.

        Raises:
            InputError: A system has several replies to one item.
        """
        if SAMPLE in self.frame.columns:
            keys = self.frame.select("system", "id")
            refuse_duplicates(keys, Origin.of_table(self.KIND, keys), "reply", _ONE_SAMPLE)
        return self.frame.select(*RESPONSES)


_ONE_SAMPLE = (
    f"one reply of a system to an item is needed here: keep one sample (column '{SAMPLE}')"
)
_TELL_APART = "keep one of them, or tell samples of one prompt apart in a column 'sample'"


def _refuse_shared_systems(drafts: Sequence[Draft]) -> None:
    seen: dict[str, str] = {}
    for draft in drafts:
        name = draft.origin.file(0)
        systems = draft.frame.get_column("system").unique(maintain_order=True).to_list()
        for system in filter(None, systems):
            if system in seen:
                raise InputError(
                    f"{name}: the system {quoted(system)} also stands in {seen[system]}; put its replies "
                    "into one file, or give the systems different names (a file that names no "
                    "system is named by its own name; of a log, "
                    f"'{_CONVERTED}' writes a file whose column 'system' can be changed)"
                )
            seen[system] = name


_CONVERTED = Call("rejoinder.convert('LOG', 'NAME.jsonl', kind='responses')")


@dataclass(frozen=True, eq=False)
class Ratings(CheckedTable):
    """Ratings of replies: ``schemas.RATINGS``, ``against`` and ``probability`` where they hold anything.

    A reply has one finite score by each rater under each criterion, and where ratings belong to pairs of
    systems (``against``) one in each pair; no mean stands beside what it is the mean of.
    """

    KIND, NOTHING = "ratings", "no ratings; expected at least one"

    @classmethod
    def conformed(cls, frame: pl.DataFrame, table: str) -> pl.DataFrame:
        """The columns of ratings in their types; an empty text in ``against`` is null."""
        frame = conform(frame, COLUMNS[cls.KIND], table)
        if AGAINST in frame.columns:
            blank = pl.col(AGAINST).str.strip_chars() == ""
            frame = frame.with_columns(pl.when(~blank).then(pl.col(AGAINST)).alias(AGAINST))
        without = [name for name in (AGAINST, PROBABILITY) if name in frame.columns]
        return frame.drop(name for name in without if not frame.get_column(name).count())

    def _rules(self, frame: pl.DataFrame) -> list[Rule]:
        ids = frame.get_column("id")
        expected = "expected a finite number; a missing rating has an empty cell or no row"
        rules = [not_finite(frame, "score", expected), *improbable(frame)]
        if AGAINST in frame.columns:
            itself = Rule(
                pl.col("system") == pl.col(AGAINST),
                lambda i: (
                    f"id {quoted(ids[i])} of system {quoted(frame['system'][i])} is rated against its own "
                    f"system; expected in '{AGAINST}' the other system of the pair, or nothing"
                ),
            )
            rules.append(itself)
        if (frame.get_column("rater") == "mean").any():
            is_mean, reply = pl.col("rater") == "mean", ("system", "id", "criterion")
            mixed = Rule(
                is_mean.any().over(reply) & ~is_mean.all().over(reply),
                lambda i: (
                    f"id {quoted(ids[i])} has a rating of the rater 'mean' beside those of others; a "
                    "mean is no rater: keep the two in tables of their own"
                ),
            )
            rules.append(mixed)
        return rules

    def _check_keys(self, frame: pl.DataFrame, origin: Origin) -> None:
        keys = frame.select("system", "id", "rater", "criterion")
        if AGAINST in frame.columns:
            keys = keys.with_columns(frame.get_column(AGAINST).fill_null(""))
        refuse_duplicates(keys, origin, "rating", "keep one of them")

    def of_criterion(self, criterion: str | None, *, one: bool = False) -> Ratings:
        """The ratings under one criterion, as ``selection.of_criterion`` selects them."""
        return self.with_frame(of_criterion(self.frame, criterion, one=one))

    def table(self, probability: bool = False) -> pl.DataFrame:
        """The columns of ratings alone: ``schemas.RATINGS``, and ``against`` where one is of a pair.

        Args:
            probability: Whether to keep the column ``probability`` where it holds anything.
        """
        optional = (AGAINST, PROBABILITY) if probability else (AGAINST,)
        return self.frame.select(*RATINGS, *(each for each in optional if each in self.frame))


@dataclass(frozen=True, eq=False)
class Preferences(CheckedTable):
    """Comparisons of two systems' replies: ``schemas.PREFERENCES``.

    There is one judgement of an item, a rater, a criterion and an order of two systems.
    """

    KIND, NOTHING = "preferences", "no comparisons; expected at least one"
    SYSTEMS = ("a", "b")

    def _rules(self, frame: pl.DataFrame) -> list[Rule]:
        a, winner = frame.get_column("a"), frame.get_column("winner")
        return [
            Rule(
                pl.col("a") == pl.col("b"),
                lambda i: f"system {quoted(a[i])} against itself; expected two systems",
            ),
            Rule(
                ~pl.col("winner").is_in(["a", "b", "tie"]).fill_null(False),
                lambda i: f"winner {quoted(winner[i])}; expected 'a', 'b' or 'tie'",
            ),
        ]

    def _check_keys(self, frame: pl.DataFrame, origin: Origin) -> None:
        keys = frame.select("id", "a", "b", "rater", "criterion")
        refuse_duplicates(keys, origin, "judgement", "keep one of them")
