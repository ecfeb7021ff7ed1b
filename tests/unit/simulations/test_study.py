"""A section of the page of coverage is made of rows."""

import pytest
from simulations.run import replaced, section
from simulations.study import Row, SimulationStudy


def test_a_row_tells_its_share_and_its_error():
    row = Row("interval", "normal", "20 items", 0.95, hits=90, runs=100)
    assert (row.share, row.error) == (0.9, pytest.approx(0.03))  # sqrt(.9 * .1 / 100)


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
