"""What a result shows besides tables, what was asked of the showing, and the whole: a list of parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from rejoinder.document.table import Table
from rejoinder.document.text import Cell, joined
from rejoinder.messages import merged

if TYPE_CHECKING:
    import polars as pl

Kind = Literal["sentence", "legend", "note", "signature", "command", "heading"]
STYLES: dict[Kind, str] = {"legend": "dim", "note": "yellow", "signature": "dim"}


@dataclass(frozen=True)
class View:
    """What a user asked of the showing; none of it changes CSV or JSON.

    Attributes:
        digits: Decimals of scores; None for the usual ones of each metric.
        all_pairs: A row for each pair of systems, however many these are.
        ranks: The ranges of ranks too.
        signatures: The signatures of metrics too.
    """

    digits: int | None = None
    all_pairs: bool = False
    ranks: bool = False
    signatures: bool = True


AS_USUAL = View()


@dataclass(frozen=True)
class Line:
    """A line beside tables.

    Attributes:
        text: The line.
        kind: A ``sentence`` on the data; a ``legend``, which says what a table holds; a ``note`` on data
            or method; a ``signature`` or a ``command``, which are never wrapped; or the ``heading`` of
            what follows.
    """

    text: Cell
    kind: Kind = "sentence"

    @property
    def style(self) -> str:
        """The style of the whole line."""
        return STYLES.get(self.kind, "")

    @property
    def shown(self) -> Cell:
        """The line as it is shown: a note says that it is one."""
        return joined("note: ", self.text) if self.kind == "note" else self.text


GAP = Line("")
"""An empty line, which only a terminal shows."""

Document: TypeAlias = list[Table | Line]
"""What is shown of a result, in its order."""


def spaced(table: Table) -> Document:
    """A table, and where it is on paper an empty line behind it."""
    return [table, *[GAP] * bool(table.grids())]


OF = ("judge", "subject")
NUMBERS = ("metric", "measure", "correlation", "system")


def reasons(
    *frames: pl.DataFrame, reason: str = "reason", where: str = "", most: int | None = None
) -> Document:
    """Why numbers are missing, each reason once, behind what it is said of.

    A row is named by its columns: the criterion where there are several, the judge or the subject, and
    both systems of a pair or the first column of ``NUMBERS``.

    Args:
        frames: Rows with a reason each; null where all numbers are there.
        reason: The column of reasons.
        where: What is said behind each name.
        most: So many names are said of a reason; None: all.
    """
    criteria = {name for frame in frames if "criterion" in frame for name in frame["criterion"]}
    names = [*["criterion"] * (len(criteria) > 1), *OF]
    rows = (row for frame in frames for row in frame.iter_rows(named=True))
    why: list[tuple[str, str | None]] = []
    for row in rows:
        words = [row[name] for name in names if name in row]
        pair = [f"{row['a']} and {row['b']}"] if "b" in row else []
        words += pair or [row[name] for name in NUMBERS if name in row][:1]
        why.append((", ".join(words) + where, row[reason]))
    between = "; " if any(", " in name for name, _ in why) else ", "
    return lines(merged(why, most, between), "note")


def lines(texts: Iterable[Cell], kind: Kind = "sentence") -> Document:
    """Several lines of a kind."""
    return [Line(each, kind) for each in texts]


def signed(signatures: Mapping[str, str]) -> Document:
    """The signatures of several measures, each behind its name."""
    return lines((f"{name}: {each}" for name, each in signatures.items()), "signature")
