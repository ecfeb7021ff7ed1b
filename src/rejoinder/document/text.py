"""A text of which some parts have a style, for cells and lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from rejoinder.visible import visible

IN_PAPERS = "in-papers"
"""The style of a part that LaTeX alone shows."""
LETTERS = f"{IN_PAPERS} letters"
"""The same, of letters that LaTeX raises."""
P_VALUE = "p-value"
"""The style of a p-value: LaTeX alone rounds the smallest ones."""


@dataclass(frozen=True)
class Text:
    """A text in parts.

    Emphasis is never written as markup into a string, because a name from a file may hold such markup
    too.

    Attributes:
        parts: Each with its style: words of ``bold``, ``dim``, ``italic``, ``red``, ``green``, ``yellow``, or
            none; or `IN_PAPERS`, `LETTERS` or `P_VALUE`. Control characters are written out.
    """

    parts: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return "".join(text for text, style in self.parts if not style.startswith(IN_PAPERS))


Cell: TypeAlias = str | Text
"""The content of a cell or a line: a text, or one with styles."""


def styled(text: str, style: str) -> Text:
    r"""A text in a style, each control character written out.

    >>> str(styled("a\x1b[31mb", "dim"))
    'a\\x1b[31mb'
    """
    return Text(((visible(text), style),))


def joined(*cells: Cell) -> Text:
    """A line of several texts, of which some have a style."""
    return Text(tuple(part for cell in cells for part in parts_of(cell, in_papers=True)))


def stacked(*lines: Cell) -> Text:
    """Several lines in one cell."""
    parts: list[tuple[str, str]] = []
    for line in lines:
        parts += [("\n", "")] * bool(parts)
        parts += parts_of(line)
    return Text(tuple(parts))


def parts_of(cell: Cell, style: str = "", in_papers: bool = False) -> Iterable[tuple[str, str]]:
    """The parts of a cell with their styles, ``style`` added to each; control characters written out.

    Args:
        cell: The cell.
        style: What is added to each style.
        in_papers: Whether the parts that LaTeX alone shows are among them.
    """
    parts = cell.parts if isinstance(cell, Text) else ((visible(cell), ""),)
    if not in_papers:
        parts = [
            (text, tag.replace(P_VALUE, "")) for text, tag in parts if not tag.startswith(IN_PAPERS)
        ]
    return ((text, f"{style} {tag}".strip()) for text, tag in parts)


def plain(cell: Cell) -> str:
    """The same without styles."""
    return "".join(text for text, _ in parts_of(cell)).strip()
