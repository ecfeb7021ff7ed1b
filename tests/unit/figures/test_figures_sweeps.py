"""Lines and bands along one dimension."""

import math

import polars as pl
import pytest

from rejoinder.errors import InputError
from rejoinder.figures import style
from rejoinder.figures.sweeps import SweepPanel, panels, sweeps

NAN = math.nan
COLUMNS = ["panel", "metric", "x", "value", "low", "high"]


def points(*rows):
    return pl.DataFrame(rows, schema=COLUMNS, orient="row", infer_schema_length=None)


def rising(panel, metric, xs):
    return [(panel, metric, float(x), x / 200, x / 200 - 0.1, x / 200 + 0.1) for x in xs]


def test_lines_go_through_the_points_in_order():
    told = points(*rising("size", "BLEU-2", (100, 1, 10)))
    with style.drawing():
        figure = sweeps(told, panels(told, 100))
    lines = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert lines[0].get_xdata().tolist() == [1, 10, 100]
    assert lines[0].get_ydata().tolist() == [0.005, 0.05, 0.5]
    assert figure.axes[0].get_xscale() == "log"
    assert figure.axes[0].get_ylabel() == "Spearman's ρ, 95% interval"


def test_five_metrics_take_two_axes_each_with_its_legend():
    told = points(*(row for i in range(5) for row in rising("order", f"m{i}", (1, 2))))
    with style.drawing():
        figure = sweeps(told, panels(told, 100))
    named = [[text.get_text() for text in a.get_legend().get_texts()] for a in figure.axes]
    assert named == [["m0", "m1", "m2", "m3"], ["m4"]]
    assert [tick.get_text() for tick in figure.axes[0].get_xticklabels()] == ["1", "2"]


def test_thresholds_fall_from_left_to_right_and_span_all_weights():
    told = points(*rising("threshold", "m", (-1, 0.8)))
    with style.drawing():
        axes = sweeps(told, panels(told, 50)).axes[0]
    left, right = axes.get_xlim()
    assert left > 1 > -1 > right
    assert axes.get_title(loc="center") == "units of M = 50 items"


@pytest.mark.parametrize(
    ("rows", "words"),
    [([], "too few units"), ([("size", "m", 1.0, NAN, NAN, NAN)], "undefined")],
)
def test_nothing_to_draw_is_said(rows, words, tmp_path):
    told = pl.DataFrame(
        rows, schema={c: pl.String if i < 2 else pl.Float64 for i, c in enumerate(COLUMNS)}, orient="row"
    )  # fmt: skip
    with style.drawing():
        figure = sweeps(told, [SweepPanel("size", "items", scale="log"), SweepPanel("order", "N")])
        style.save(figure, tmp_path, "sweep")
    assert words in figure.axes[0].texts[0].get_text()


def test_one_point_without_an_interval_is_drawn(tmp_path):
    told = points(("size", "m", 10.0, 0.3, NAN, NAN))
    with style.drawing():
        style.save(sweeps(told, panels(told, 10)), tmp_path, "sweep")


def test_a_column_that_is_missing():
    with pytest.raises(InputError, match="no column 'high'"):
        sweeps(points(*rising("size", "m", (1, 2))).drop("high"), [])
