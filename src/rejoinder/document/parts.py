"""What a result shows besides tables, what was asked of the showing, and the whole: a list of parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from rejoinder.document.table import Table
from rejoinder.document.text import Cell, joined

Kind = Literal["sentence", "legend", "note", "signature", "heading"]
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
            or method; a ``signature``, which is never wrapped; or the ``heading`` of what follows.
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
