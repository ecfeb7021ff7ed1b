"""A document as LaTeX: every text of others is escaped."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from itertools import takewhile

from rejoinder.document.parts import Document, Line
from rejoinder.document.table import Grid, Table
from rejoinder.document.text import LETTERS, P_VALUE, Cell, parts_of, plain

WIDTH = 98  # of a line of a comment
LEAST_P = 0.001
"""The least p-value that papers print in full."""
FIRST = "results"
"""The label of a table without a name."""

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
"""The same without the bar, which separates the words of a signature."""


def as_latex(document: Document) -> str:
    """The tables of a document, each with a caption and a label, and as comments the lines beside them.

    A caption is the title of the table and the legends below it; the comments are the notes and the
    signature of each metric. Without any table lines are paragraphs, indented as they are printed.
    """
    lines = [part for part in document if not isinstance(part, Line) or part.text]
    if all(isinstance(part, Line) for part in lines):
        return "".join(_paragraph(part.shown) for part in lines if isinstance(part, Line))
    written, labels = "", list[str]()
    for place, part in enumerate(lines):
        if isinstance(part, Table):
            legends = [_inline(each.text) for each in _legends(lines[place + 1 :])]
            for number, grid in enumerate(part.grids()):
                labels.append(part.name or FIRST)
                again = labels.count(labels[-1])
                label = f"tab:{labels[-1]}" + f"-{again}" * (again > 1)
                words = ["continued"] if number else legends
                title = _inline(grid.title) or part.caption
                if title and not "".join(words).startswith(title):
                    words = [title, *words]
                if part.caption:  # a title of its own says of what a table is
                    words = [each for each in _above(part, lines) if each not in words] + words
                words = [each.removesuffix(".") for each in words]
                written += "\n" + _table(grid, ". ".join(words) or labels[-1], label)
        elif not (part.kind == "legend" and _is_captioned(lines[:place])):
            written += _comment(part.shown)
    return "% needs \\usepackage{booktabs}\n" + written.removeprefix("\n")


def _above(table: Table, document: Document) -> list[str]:
    """What a heading above says of a table (its criterion), where tables like it are of something else."""

    def named(one: Table) -> list[tuple[object, ...]]:
        return one.frame.select(one.above).unique().rows() if one.above else []

    alike = (each for each in document if isinstance(each, Table) and each.name == table.name)
    own = named(table)
    several = any(named(each) != own for each in alike if each.above == table.above)
    return [_inline(", ".join(map(str, own[0])))] if several and len(own) == 1 else []


def _legends(document: Document) -> list[Line]:
    """The legends that a document begins with."""
    before = takewhile(lambda part: isinstance(part, Line) and part.kind == "legend", document)
    return [part for part in before if isinstance(part, Line)]


def _is_captioned(before: Document) -> bool:
    """Whether a legend behind these parts stands in the caption of a table."""
    rest = before[: len(before) - len(_legends(before[::-1]))]
    return bool(rest) and isinstance(rest[-1], Table) and bool(rest[-1].grids())


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


def _table(grid: Grid, caption: str, label: str) -> str:
    sides = "".join("r" if head.right else "l" for head in grid.heads)
    lines = ["\\begin{table}[t]", "\\centering", f"\\caption{{{caption}.}}"]
    lines += [f"\\label{{{label}}}", f"\\begin{{tabular}}{{{sides}}}", "\\toprule"]
    lines += [_row([head.heading for head in grid.heads]), "\\midrule"]
    for place, cells in enumerate(grid.rows):
        lines.append(_row(cells, [head.right for head in grid.heads]))
        lines += ["\\midrule"] * (place in grid.ends)
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", "\\end{table}", ""])


def _row(cells: Sequence[Cell], numbers: Sequence[bool] = ()) -> str:
    """A row of cells, those at the places of ``numbers`` set as numbers.

    A cell in braces is never read as the optional argument of the line before it.
    """
    written = [_inline(cell) for cell in cells]
    if numbers:
        written = [
            _number(words) if right else words
            for words, right in zip(written, numbers, strict=True)
        ]
    return " & ".join(map(_cell, written)) + r" \\"


def _number(words: str) -> str:
    """Numbers with true minus signs, ranges with dashes, and what is below a limit as a formula."""
    words = re.sub(r"\\textless\{\}([\d.]+)", r"$<\1$", words)
    words = re.sub(r"(?<=\d)-(?=\d)", "--", words)
    return re.sub(r"(?<![\w.-])-(?=\d)", "$-$", words)


def _cell(words: str) -> str:
    return f"{{{words}}}" if words.startswith(("[", "*")) else words


def _inline(cell: Cell) -> str:
    parts = parts_of(cell, in_papers=True)
    return "".join(_styled(_least(*part).translate(SPECIAL), part[1]) for part in parts).strip()


def _least(text: str, style: str) -> str:
    """A p-value below the least that papers print as being below it."""
    return f"<{LEAST_P}" if style == P_VALUE and float(text.lstrip("<")) < LEAST_P else text


def _styled(words: str, style: str) -> str:
    """A part in its style: the best value is bold, and letters are raised."""
    if not words:
        return ""
    if style == LETTERS:
        return f"\\textsuperscript{{{words}}}"
    return f"\\textbf{{{words}}}" if "bold" in style.split() else words
