"""Each interval of people and judges holds in each shape: the table of the page, simulated again."""

import pytest
from simulations import shaped

from coverage_limits import beyond

RUNS = 2000
CELLS = [
    pytest.param(part, cell, id=f"{part}: {cell.name}, {cell.size}")
    for part, cells in shaped.CELLS.items()
    for cell in cells
]


@pytest.mark.slow
@pytest.mark.parametrize(("part", "cell"), CELLS)
def test_every_interval_holds_in_every_shape(part, cell):
    assert [row for row in cell.rows(RUNS, 1) if beyond(part, row)] == []
