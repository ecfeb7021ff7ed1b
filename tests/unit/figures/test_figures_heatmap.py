"""The heat map of metrics, and the bars of their agreement with people."""

import math

import numpy as np
import polars as pl
import pytest
from scipy.stats import spearmanr

from rejoinder.errors import InputError, ParameterError
from rejoinder.figures import style
from rejoinder.figures.agreement import bars
from rejoinder.figures.heatmap import SHADES, heatmap, matrix_of, ordered

RNG = np.random.default_rng(3)
PEOPLE = RNG.integers(1, 6, 40).astype(float)
COLUMNS = {
    "weak": PEOPLE + RNG.normal(scale=9, size=40),
    "constant": np.ones(40),
    "human": PEOPLE,
    "strong": PEOPLE + RNG.normal(scale=0.5, size=40),
    "against": -PEOPLE,
}
NAN = math.nan


def test_rows_are_ordered_by_agreement_with_people():
    names, matrix = ordered(*matrix_of(COLUMNS, "spearman"))
    assert names == ["human", "strong", "weak", "against", "constant"]
    assert (np.diff(matrix[0, 1:4]) <= 0).all()
    expected = spearmanr(COLUMNS["strong"], COLUMNS["weak"]).statistic
    assert matrix[1, 2] == matrix[2, 1] == pytest.approx(expected)


def test_without_people_the_most_like_the_others_is_first():
    # Means of the others: a 0.5, b 0.7, c 0.4.
    matrix = np.array([[1, 0.8, 0.2], [0.8, 1, 0.6], [0.2, 0.6, 1.0]])
    assert ordered(["a", "b", "c"], matrix, None)[0] == ["b", "a", "c"]


def test_every_cell_has_its_number(tmp_path):
    with style.drawing():
        figure = heatmap(COLUMNS, "spearman")
    cells = {text.get_position(): text.get_text() for text in figure.axes[0].texts}
    assert len(cells) == 5 * 4
    assert cells[3, 0] == cells[0, 3] == "−1.00"
    assert cells[4, 0] == "n/a"
    assert figure.axes[0].get_title(loc="left") == "Spearman's ρ, 40 observations"
    style.save(figure, tmp_path, "map")


def test_shades_grow_darker_throughout():
    greys = [
        0.299 * int(c[1:3], 16) + 0.587 * int(c[3:5], 16) + 0.114 * int(c[5:], 16)
        for _, c in SHADES
    ]
    assert (np.diff(greys) < -10).all()


def test_one_observation_is_a_map_without_numbers(tmp_path):
    one = {"human": np.ones(1), "BLEU-2": np.ones(1)}
    with style.drawing():
        figure = heatmap(one)
        style.save(figure, tmp_path, "map")
    assert {text.get_text() for text in figure.axes[0].texts} == {"n/a"}
    with pytest.raises(ParameterError, match="unknown"):
        heatmap(one, "accuracy")


def table(*rows):
    columns = ["metric", "correlation", "value", "low", "high"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def labels(figure):
    return [label.get_text() for label in figure.axes[0].get_yticklabels()]


def test_bars_stand_between_people_and_chance(tmp_path):
    told = table(
        ("BLEU-2", "pearson", 0.2, 0.1, 0.3),
        ("length", "pearson", NAN, NAN, NAN),
        ("ROUGE-L", "pearson", 0.4, 0.3, 0.5),
        ("random", "pearson", -0.01, -0.1, 0.1),
        ("human (avg)", "pearson", 0.6, NAN, NAN),
        ("human (max)", "pearson", 0.8, NAN, NAN),
    )
    with style.drawing():
        figure = bars(told)
        style.save(figure, tmp_path, "bars")
    assert labels(figure) == [
        "human (max)",
        "human (avg)",
        "ROUGE-L",
        "BLEU-2",
        "length",
        "random",
    ]
    written = [text.get_text() for text in figure.axes[0].texts]
    assert written == ["0.80", "0.60", "0.40", "0.20", " n/a", "−0.01"]
    widths = [bar.get_width() for bar in figure.axes[0].patches]
    assert widths == [0.8, 0.6, 0.4, 0.2, -0.01]
    ends = [line.get_xdata().tolist() for line in figure.axes[0].lines if line.get_marker() == "|"]
    assert ends == [[0.3, 0.5], [0.1, 0.3], [-0.1, 0.1]]
    # A coefficient beyond 1 has no tick.
    assert max(figure.axes[0].get_xticks()) <= 1


def test_the_chance_of_each_metric_is_hatched_behind_its_bar(tmp_path):
    told = table(
        ("BLEU-2", "accuracy", 0.42, 0.4, 0.44), ("random", "accuracy", 0.45, 0.41, 0.49)
    ).with_columns(chance=pl.Series([0.38, 0.46]))
    with style.drawing():
        figure = bars(told)
        style.save(figure, tmp_path, "bars")
    # For each row the hatched bar of its own chance, then that of its value.
    drawn = [(bar.get_width(), bar.get_hatch()) for bar in figure.axes[0].patches]
    assert drawn == [(0.38, "////"), (0.42, None), (0.46, "////"), (0.45, None)]
    assert figure.axes[0].get_xlim()[1] > 0.49


def test_a_panel_for_each_coefficient_in_one_order():
    rows = [("a", 0.1, 0.9), ("b", 0.2, 0.1)]
    told = table(
        *((m, name, (r, s)[i], NAN, NAN) for m, r, s in rows
          for i, name in enumerate(("pearson", "spearman")))
    )  # fmt: skip
    with style.drawing():
        figure = bars(told)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["Pearson's r", "Spearman's ρ"]
    assert labels(figure) == ["b", "a"]


def test_nothing_defined_is_still_a_figure(tmp_path):
    with style.drawing():
        style.save(bars(table(("a", "pearson", NAN, NAN, NAN))), tmp_path, "bars")
    with pytest.raises(InputError, match="no column 'low'"):
        bars(table().drop("low"))
