"""The page of coverage is made of rows; every part of it runs."""

import re

import pytest
from simulations.run import PAGE, RUNS, RUNS_OF, STUDIES, replaced, section
from simulations.study import Row, SimulationStudy


def test_a_row_tells_its_share_and_its_error():
    row = Row("interval", "normal", "20 items", 0.95, hits=90, runs=100)
    assert (row.share, row.error) == (0.9, pytest.approx(0.03))  # sqrt(.9 * .1 / 100)


LONG = ("anytime", "contests")
"""Parts that take seconds at two runs."""


def test_a_section_is_replaced_and_no_other():
    rows = [Row("interval", "normal", "20 items", 0.95, 90, 100)]
    study = SimulationStudy("A title", "A text.", lambda runs, seed: iter(rows))
    page = replaced("# Page\n", "one", section("one", study, 100, 1))
    page = replaced(page, "two", "other")
    again = replaced(page, "one", "changed")
    assert "| interval | normal | 20 items | 0.95 | 0.900 | 0.030 | 100 |" in page
    assert "A title" not in again
    assert "changed" in again
    assert "other" in again


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in STUDIES]
)
def test_every_part_runs(name):
    assert list(STUDIES[name].rows(2, 1))


def test_the_page_has_every_part_with_the_runs_that_make_coverage_gives_it():
    page = PAGE.read_text("utf-8")
    commands = re.findall(
        r"^`python simulations/run.py (\w+) --runs (\d+) --seed 1 --write`$", page, re.M
    )
    expected = {name: RUNS_OF.get(name, RUNS) for name in STUDIES}
    assert {name: int(runs) for name, runs in commands} == expected
    assert len(commands) == len(STUDIES)
