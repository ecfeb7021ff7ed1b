"""Where tables and notes for people are printed: nothing of others reaches the terminal raw."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from rejoinder.cli.terminal.speech import is_quiet, own_stderr, said_notes
from rejoinder.document.text import Text as OwnText
from rejoinder.document.text import parts_of
from rejoinder.visible import visible

if TYPE_CHECKING:
    import polars as pl


class PlainConsole(Console):
    """A rich console that obeys no string, for ids, names and texts come from files of others.

    Markup and emoji codes in a string are not read: emphasis is a `rich.text.Text` (cells.py). Each
    control character is written out before widths are measured, line ends within a string too, so
    that a name cannot add a line of its own. A second look at what is rendered finds what got in
    another way.
    """

    def print(self, *objects: object, **given: Any) -> None:
        """Prints texts and tables; a text of ours in its styles."""
        super().print(*map(_own, objects), **given)

    def rule(self, title: object = "", **given: Any) -> None:
        """Prints a heading between lines."""
        super().rule(_own(title), **given)

    def render_str(self, text: str, **given: object) -> Text:
        """A string as it stands, in one line; only line ends behind it are kept."""
        given |= {"markup": False, "emoji": False, "highlight": False}
        line = text.rstrip("\n")
        return super().render_str(visible(line) + text[len(line) :], **given)  # pyright: ignore

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of anything; control characters in a text of ours would be written out."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text == "\n":
                yield segment
            else:
                yield Segment(visible(segment.text, lines=True), segment.style)


def _own(each: object) -> Any:
    return Text.assemble(*parts_of(each)) if isinstance(each, OwnText) else each


def console(stderr: bool = False) -> PlainConsole:
    """Where tables go, or notes on standard error, which a quiet command has none of.

    As wide as the terminal, or as COLUMNS says, or 120 in a pipe.
    """
    columns = shutil.get_terminal_size(fallback=(120, 24)).columns
    file = own_stderr() if stderr else None
    return PlainConsole(
        width=columns,
        highlight=False,
        markup=False,
        emoji=False,
        file=file,
        quiet=stderr and is_quiet(),
    )


def print_notes(out: Console, notes: Iterable[str]) -> None:
    """What is to be said beside numbers, a line each.

    Notes of readers that already stand on standard error are not repeated where that is the same
    terminal or file.
    """
    printed = said_notes() if _is_stderr(out.file) else ()
    for note in notes:
        if note not in printed:
            out.print(f"note: {note}", style="yellow")


def _is_stderr(file: IO[str]) -> bool:
    """Whether what is written to a file comes out where standard error does."""
    try:
        return os.path.sameopenfile(file.fileno(), sys.stderr.fileno())
    except (OSError, ValueError, AttributeError):
        return False


def rows(table: pl.DataFrame) -> None:
    """Tab-separated rows on standard output: exact in a pipe or a file, visible on a terminal."""
    import polars as pl

    if sys.stdout.isatty():
        table = table.with_columns(
            pl.col(pl.String).map_elements(visible, return_dtype=pl.String).name.map(visible)
        )
    sys.stdout.write(table.write_csv(separator="\t"))
