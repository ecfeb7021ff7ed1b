"""docs/studies/coverage.md is what ``python simulations/run.py --write`` writes, and nothing beside it."""

import math
import re

import pytest
from simulations import shaped
from simulations.populations import SHARED
from simulations.run import PAGE, RUNS, RUNS_OF, STUDIES, heading, long, wide
from simulations.study import COVERAGE, LEVEL, Row

from coverage_limits import beyond, outside

SOURCE = PAGE.parents[2]
TEXT = PAGE.read_text("utf-8")
BLOCK = re.compile(r"<!-- (?!end of )(\w+) -->\n(.*?)\n<!-- end of \1 -->\n", re.DOTALL)
SECTIONS = dict(BLOCK.findall(TEXT))
HEADER = list(long([]))
DATA = ("dstc7-task2", "dailydialog-multiref")
"""What the page was made with, where it is at hand."""
SLOW = (
    "anytime", "contests", "judgements", "monitored", "monitored_alarms", "several_systems",
    "shapes_anytime",
)  # fmt: skip
"""Parts that take long at one run."""
MEASURED = re.compile(r"^[\d.]+ (?=of the ratings)")
"""The share of the ratings that was needed: a part of the size that is itself measured."""
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


def _rows(name):
    """The rows that a wide section was made of."""
    header, _, *lines = _table(name)
    for data, size, *cells in map(_cells, lines):
        for what, cell in zip(_cells(header)[2:], cells, strict=True):
            _, share, _, _, given = CELL.fullmatch(cell).groups()
            every = RUNS_OF.get(name, RUNS)
            runs = 0 if share is None else int(given or every)
            aim = LEVEL if what.startswith("test") else COVERAGE
            yield Row(what, data, size, aim, round(float(share or 0) * runs), runs, every - runs)


@pytest.mark.parametrize("name", [name for name in STUDIES if STUDIES[name].wide])
def test_every_interval_of_the_page_holds_in_every_shape(name):
    assert [row for row in _rows(name) if beyond(name, row)] == []


def test_at_most_one_cell_in_ten_is_answered_by_a_sentence():
    rows = [(name, row) for name in STUDIES if STUDIES[name].wide for row in _rows(name)]
    given = [(name, row) for name, row in rows if row.runs]
    answered = [row for row in given if outside(row[1]) and shaped.answered(*row, shaped.ANSWERS)]
    assert len(answered) <= len(given) / 10


@pytest.mark.parametrize(
    "cells", [*shaped.ANSWERS, *shaped.AGAIN], ids=lambda each: f"{each.part}: {each.names[0]}"
)
def test_a_listed_cell_does_not_hold(cells):
    """Whoever mends an interval takes its cells off the list."""
    rows = [row for row in _rows(cells.part) if shaped.answered(cells.part, row, (cells,))]
    assert any(outside(row) for row in rows)


@pytest.mark.parametrize("answer", shaped.ANSWERS)
def test_a_sentence_that_answers_a_cell_stands_in_the_source(answer):
    files = (SOURCE / "src" / "rejoinder").rglob("*.py")
    texts = (re.sub(r'"\s+f?"', "", file.read_text("utf-8")) for file in files)
    assert any(answer.sentence in text for text in texts)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in STUDIES]
)
def test_every_part_runs_and_makes_the_rows_of_the_page(name):
    rows = list(STUDIES[name].rows(1, 1))
    assert rows
    if STUDIES[name].wide:
        made = list(wide(rows))
        assert made[:2] == _table(name)[:2]
        assert [_cells(row)[:2] for row in made[2:]] == [
            _cells(row)[:2] for row in _table(name)[2:]
        ]
    elif all((SHARED / each).is_dir() for each in DATA):
        made = [[row.what, row.setting, MEASURED.sub("", row.size)] for row in rows]
        listed = [_cells(row)[:3] for row in _table(name)[2:]]
        assert made == [[what, data, MEASURED.sub("", size)] for what, data, size in listed]
