"""The border to the terminal, fed with anything: no way of printing lets a control character by."""

import io
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.text import Text

from hostile_text import hostile, raw
from rejoinder.cli.terminal.console import PlainConsole, print_notes
from rejoinder.cli.terminal.stacked_table import StackedTable
from rejoinder.document.table import Grid, Head
from rejoinder.document.text import joined, stacked, styled
from rejoinder.visible import escapes, visible

# Letters, all that is written out, markup and emoji codes.
TEXTS = st.text(
    st.one_of(st.sampled_from("ab中é[/]:\\="), st.sampled_from([chr(c) for c in escapes()])),
    max_size=12,
)


def shown(put, width=60, colours="truecolor"):
    """What a console sends to a terminal."""
    file = io.StringIO()
    out = PlainConsole(
        file=file,
        width=width,
        force_terminal=True,
        color_system=colours,
        highlight=False,
        markup=False,
    )
    put(out)
    return file.getvalue()


def table(text):
    heads = [Head(f"head {text}", key=True), Head(text, right=True)]
    rows = [
        [text, styled(text, "bold")],
        [joined("x", styled(text, "dim")), stacked(text, styled(text, "dim"))],
    ]
    return StackedTable(Grid(f"title {text}", heads, rows, styles=("red", "")))


WAYS = {
    "line": lambda out, text: out.print(f"a {text}", style="dim"),
    "long line": lambda out, text: out.print(f"a {text}", soft_wrap=True),
    "note": lambda out, text: print_notes(out, [text]),
    "rule": lambda out, text: out.rule(text, align="left"),
    "rule of a text": lambda out, text: out.rule(joined(styled(text, "bold"), " on ", text)),
    "text": lambda out, text: out.print(Text(text, style="bold")),
    "table": lambda out, text: out.print(table(text)),
}


@pytest.mark.parametrize("way", WAYS)
@given(text=TEXTS)
@example(text=hostile("a"))
@example(text="[/x]")
@example(text="[link=http://a]b[/link]:eyes:")
def test_nothing_is_obeyed(way, text):
    for width in (300, 20):
        assert raw(shown(lambda out: WAYS[way](out, text), width)) == []


@pytest.mark.parametrize("way", [way for way in WAYS if way != "text"])
@given(text=TEXTS)
@example(text=hostile("a"))
def test_it_is_still_recognised(way, text):
    """Line ends behind a printed line are its own, and blanks at an end cannot be seen."""
    expected = visible(text.rstrip("\n")).strip()
    assert expected in re.sub(r"\x1b\[[0-9;]*m", "", shown(lambda o: WAYS[way](o, text), 400))


@given(text=TEXTS)
@example(text=hostile("a"))
def test_columns_stay_in_line(text):
    """Widths are measured of what is shown: each line of a table has its bar at one place."""
    heads = [Head("system", key=True), Head("n", right=True)]
    made = StackedTable(Grid("", heads, [[text, "1.0"], ["another system", "1.0"]]))
    lines = shown(lambda out: out.print(made), 400, None).splitlines()
    wide = [re.sub(r"\x1b\[[0-9;]*m", "", line).replace("中", "中 ") for line in lines]
    assert len({re.search("[┃╇│]", line).start() for line in wide}) == 1


def test_a_cell_is_one_line():
    made = StackedTable(Grid("", [Head("system", key=True)], [["a\n"]]))
    assert "a\\n" in shown(lambda out: out.print(made))
