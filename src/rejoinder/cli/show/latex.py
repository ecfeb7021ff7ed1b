"""Tables as LaTeX: every text of others is escaped."""

from __future__ import annotations

import textwrap

from rich.table import Table
from rich.text import Text

from rejoinder.cli.terminal.collecting import (
    Collector,
    Line,
    as_text,
    cells_of,
    headings_of,
    right_of,
)

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


def as_latex(collector: Collector) -> str:
    """The tables of what was collected, and as comments their titles and the lines beside them.

    The lines say what values, intervals and tests are, and the signature of each metric. Without any table
    they are paragraphs, indented as they are printed.
    """
    if not any(isinstance(each, Table) for each in collector.parts):
        lines = (each for each in collector.parts if isinstance(each, Line))
        return "".join(_paragraph(collector, each.text) for each in lines)
    parts = [
        "\n" + _table(collector, each)
        if isinstance(each, Table)
        else _comment(collector, each.text)
        for each in collector.parts
    ]
    return "% needs \\usepackage{booktabs}\n" + "".join(parts).removeprefix("\n")


def _comment(collector: Collector, text: Text) -> str:
    """A line as a comment, folded at blanks; a signature, which has none, stays in one line."""
    words = _plain(collector, text).translate(IN_COMMENTS)
    if max(map(len, words.split()), default=0) > WIDTH:
        return f"% {words}\n"
    folded = textwrap.wrap(words, WIDTH, break_long_words=False, break_on_hyphens=False)
    return "".join(f"% {line}\n" for line in folded)


def _paragraph(collector: Collector, text: Text) -> str:
    indent = len(text.plain) - len(text.plain.lstrip(" "))
    space = f"\\hspace*{{{indent / 2:g}em}}" if indent else ""
    return f"\\noindent{space}{{}}{_inline(collector, text)}\\par\n"


def _table(collector: Collector, table: Table) -> str:
    sides = "".join("r" if right else "l" for right in right_of(table))
    lines = [f"\\begin{{tabular}}{{{sides}}}", "\\toprule"]
    lines += [_row(collector, headings_of(table)), "\\midrule"]
    for cells, row in zip(cells_of(table), table.rows, strict=True):
        lines.append(_row(collector, cells))
        lines += ["\\midrule"] * row.end_section
    title = f"% {_inline(collector, as_text(table.title))}\n" if table.title else ""
    return title + "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def _row(collector: Collector, cells: list[Text]) -> str:
    # A cell in braces is never read as the optional argument of the line before it.
    return " & ".join(_cell(_inline(collector, cell)) for cell in cells) + r" \\"


def _cell(words: str) -> str:
    return f"{{{words}}}" if words.startswith(("[", "*")) else words


def _inline(collector: Collector, text: Text) -> str:
    return _plain(collector, text).translate(SPECIAL)


def _plain(collector: Collector, text: Text) -> str:
    return "".join(each.text for each in collector.segments(text)).strip()
