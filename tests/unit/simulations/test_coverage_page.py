"""docs/studies/coverage.md is what ``python simulations/run.py --write`` writes, and nothing beside it."""

import math
import re

import pytest
from simulations.populations import SHARED
from simulations.run import PAGE, RUNS, RUNS_OF, STUDIES, heading, long, wide

TEXT = PAGE.read_text("utf-8")
BLOCK = re.compile(r"<!-- (?!end of )(\w+) -->\n(.*?)\n<!-- end of \1 -->\n", re.DOTALL)
SECTIONS = dict(BLOCK.findall(TEXT))
HEADER = list(long([]))
DATA = ("dstc7-task2", "dailydialog-multiref")
"""What the page was made with, where it is at hand."""
SLOW = ("anytime", "contests", "shapes_anytime")
"""Parts that take long at two runs."""
CELL = re.compile(r"(none|(\d\.\d{3}) ± (\d\.\d{3})( of (\d+))?|)")


def _table(name):
    """The lines of a section below its text, after they were compared with the study."""
    above = "\n".join(heading(name, STUDIES[name], RUNS_OF.get(name, RUNS), 1))
    assert SECTIONS[name].startswith(above)
    return SECTIONS[name].removeprefix(above).strip("\n").split("\n")


def _cells(line):
    assert line.startswith("| ")
    assert line.endswith(" |")
    return line[2:-2].split(" | ")


def test_outside_the_sections_there_is_an_introduction_alone():
    rest = BLOCK.sub("", TEXT)
    assert "<!--" not in rest
    assert "|" not in rest
    assert re.match(r"# [^\n]+\n\n[^\n]+\n\s*$", rest)


def test_every_part_has_one_section():
    assert len(BLOCK.findall(TEXT)) == len(SECTIONS)
    assert SECTIONS.keys() == STUDIES.keys()


@pytest.mark.parametrize("name", [name for name in STUDIES if not STUDIES[name].wide])
def test_a_section_is_its_title_its_text_its_command_and_rows(name):
    header, line, *rows = _table(name)
    assert [header, line] == HEADER
    rows = [_cells(row) for row in rows]
    assert len({(what, data, size) for what, data, size, *_ in rows}) == len(rows) > 0
    for *_, measured, error, runs in rows:
        expected = math.sqrt(float(measured) * (1 - float(measured)) / int(runs))
        # The share is rounded: near 0 and 1 its error moves by more than its own rounding.
        assert float(error) == pytest.approx(expected, abs=0.0015)


@pytest.mark.parametrize("name", [name for name in STUDIES if STUDIES[name].wide])
def test_a_wide_section_has_a_column_for_each_interval(name):
    header, line, *rows = _table(name)
    assert line == "|---" * len(_cells(header)) + "|"
    rows = [_cells(row) for row in rows]
    assert len({(data, size) for data, size, *_ in rows}) == len(rows) > 0
    assert all(len(row) == len(_cells(header)) for row in rows)
    assert all(CELL.fullmatch(cell) for row in rows for cell in row[2:])


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in STUDIES]
)
def test_every_part_runs_and_makes_the_rows_of_the_page(name):
    rows = list(STUDIES[name].rows(2, 1))
    assert rows
    if STUDIES[name].wide:
        made = list(wide(rows))
        assert made[:2] == _table(name)[:2]
        assert [_cells(row)[:2] for row in made[2:]] == [
            _cells(row)[:2] for row in _table(name)[2:]
        ]
    elif all((SHARED / each).is_dir() for each in DATA):
        made = [[row.what, row.setting, row.size] for row in rows]
        assert made == [_cells(row)[:3] for row in _table(name)[2:]]
