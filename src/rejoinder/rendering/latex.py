"""A document as LaTeX: every text of others is escaped."""

from __future__ import annotations

import textwrap

from rejoinder.document.parts import Document, Line
from rejoinder.document.table import Grid
from rejoinder.document.text import Cell, plain

WIDTH = 98  # of a line of a comment

SPECIAL = str.maketrans(
    {each: f"\\{each}" for each in "{}$&#_%"}
    | {
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"{\char34}",
        "\n": " ",
        "\t": " ",
    }
)
"""What LaTeX would obey, or print as another character."""

IN_COMMENTS = {code: word for code, word in SPECIAL.items() if code != ord("|")}
"""The same without the bar, which parts the words of a signature."""


def as_latex(document: Document) -> str:
    """The tables of a document, and as comments their titles and the lines beside them.

    The lines say what values, intervals and tests are, and the signature of each metric. Without any
    table they are paragraphs, indented as they are printed.
    """
    lines = [part for part in document if not isinstance(part, Line) or part.text]
    if all(isinstance(part, Line) for part in lines):
        return "".join(_paragraph(part.shown) for part in lines if isinstance(part, Line))
    written = [
        _comment(part.shown)
        if isinstance(part, Line)
        else "".join("\n" + _table(grid) for grid in part.grids())
        for part in lines
    ]
    return "% needs \\usepackage{booktabs}\n" + "".join(written).removeprefix("\n")


def _comment(cell: Cell) -> str:
    """A line as a comment, folded at blanks; a signature, which has none, stays in one line."""
    words = plain(cell).translate(IN_COMMENTS)
    if max(map(len, words.split()), default=0) > WIDTH:
        return f"% {words}\n"
    folded = textwrap.wrap(words, WIDTH, break_long_words=False, break_on_hyphens=False)
    return "".join(f"% {line}\n" for line in folded)


def _paragraph(cell: Cell) -> str:
    text = str(cell)
    indent = len(text) - len(text.lstrip(" "))
    space = f"\\hspace*{{{indent / 2:g}em}}" if indent else ""
    return f"\\noindent{space}{{}}{_inline(cell)}\\par\n"


def _table(grid: Grid) -> str:
    sides = "".join("r" if head.right else "l" for head in grid.heads)
    lines = [f"\\begin{{tabular}}{{{sides}}}", "\\toprule"]
    lines += [_row([head.heading for head in grid.heads]), "\\midrule"]
    for place, cells in enumerate(grid.rows):
        lines.append(_row(cells))
        lines += ["\\midrule"] * (place in grid.ends)
    title = f"% {_inline(grid.title)}\n" if grid.title else ""
    return title + "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def _row(cells: list[Cell] | list[str]) -> str:
    # A cell in braces is never read as the optional argument of the line before it.
    return " & ".join(_cell(_inline(cell)) for cell in cells) + r" \\"


def _cell(words: str) -> str:
    return f"{{{words}}}" if words.startswith(("[", "*")) else words


def _inline(cell: Cell) -> str:
    return plain(cell).translate(SPECIAL)
