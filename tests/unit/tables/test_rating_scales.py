"""Columns that cannot be raters of one scale are refused; raters who differ are not."""

import numpy as np
import polars as pl
import pytest

from rejoinder import read_ratings
from rejoinder.errors import InputError
from rejoinder.tables.checks.rating_scales import refuse_other_scales

RNG = np.random.default_rng(3)
N = 40


def grades(low=1, high=5, n=N):
    return RNG.integers(low, high + 1, n).astype(float)


def check(**columns):
    refuse_other_scales(
        {name: pl.Series(list(values)) for name, values in columns.items()}, "f.csv"
    )


OTHER = {
    "a judge of 0 to 100": ("judge", lambda: RNG.integers(0, 101, N).astype(float)),
    "marks in percent with halves": ("judge", lambda: RNG.integers(0, 201, N) / 2),
    "lengths in words": ("length", lambda: RNG.integers(2, 31, N).astype(float)),
    "ids": ("number", lambda: 100_000.0 + RNG.permutation(N)),
    "years": ("year", lambda: RNG.integers(2015, 2025, N).astype(float)),
    "seconds": ("seconds", lambda: RNG.lognormal(3, 1, N)),
    "log-probabilities": ("lp", lambda: -RNG.uniform(5, 90, N)),
    "probabilities": ("p", lambda: RNG.uniform(0, 1, N)),
    "cosines": ("cosine", lambda: RNG.uniform(-1, 1, N)),
    "counted rows": ("row", lambda: np.arange(N) + 1.0),
    "counted rows from 0": ("row", lambda: np.arange(N) + 0.0),
}


@pytest.mark.parametrize("raters", [1, 2, 5])
@pytest.mark.parametrize(("low", "high"), [(1, 5), (1, 3), (1, 7)])
@pytest.mark.parametrize("what", OTHER)
def test_a_column_on_another_scale_is_named(what, low, high, raters):
    name, draw = OTHER[what]
    columns = {f"r{i}": grades(low, high) for i in range(raters)}
    with pytest.raises(InputError, match=f"'{name}'") as told:
        check(**columns, **{name: draw()})
    assert "rater" in str(told.value)
    assert "take it out" in str(told.value) or "keep the columns of one scale" in str(told.value)


def test_two_columns_on_other_scales_are_both_named():
    with pytest.raises(
        InputError, match=r"columns 'length', 'judge' \(.*\) cannot be on the scale of"
    ):
        check(a=grades(), b=grades(), judge=100 - grades(0, 20), length=grades(5, 35))


def test_a_few_rows_are_enough_where_the_ranges_are_disjoint():
    with pytest.raises(InputError, match="'judge'"):
        check(a=[4.0, 5.0], b=[3.0, 5.0], judge=[80.0, 95.0])


def test_a_column_that_lies_apart_on_a_small_scale():
    with pytest.raises(InputError, match="'turn'"):
        check(a=grades(1, 2), b=grades(1, 2), turn=grades(8, 10))


ORDINARY = {
    "one gives nothing but 4 and 5": [grades(), grades(), grades(4, 5)],
    "one gives nothing but 1 and 2": [grades(), grades(), grades(1, 2)],
    "two who share no grade": [grades(4, 5), grades(1, 2)],
    "one is mild, the others are harsh": [grades(1, 3), grades(1, 3), grades(4, 5)],
    "one always says 1": [grades(), grades(), np.ones(N)],
    "one always says 0": [grades(0, 4), grades(0, 4), np.zeros(N)],
    "yes and no": [grades(0, 1), grades(0, 1)],
    "one never says yes": [grades(0, 1), np.zeros(N)],
    "fractions of 1": [RNG.uniform(0, 1, N), RNG.uniform(0, 0.3, N)],
    "percent": [grades(0, 100), grades(0, 100), grades(0, 40)],
    "one is harsh in percent": [grades(0, 100), grades(20, 100), grades(0, 15)],
    "up to 20": [grades(0, 20), grades(5, 20), grades(0, 9)],
    "up to 10": [grades(1, 10), grades(7, 10), grades(1, 3)],
    "weights": [grades(-2, 2) / 2, grades(-1, 1), grades(0, 2) / 2],
    "centred": [grades(-3, 3), grades(-1, 0), grades(1, 3)],
    "halves": [grades(2, 10) / 2, grades(8, 10) / 2],
    "a slip of the pen": [grades(), np.append(grades(n=N - 1), 55.0)],
    "means of raters": [grades(10, 50) / 10, grades()],
    "few rows": [np.array([1.0, 2.0]), np.array([4.0, 5.0])],
    "one row": [np.array([1.0]), np.array([5.0])],
    "nobody": [np.array([]), grades()],
}


@pytest.mark.parametrize("what", ORDINARY)
def test_raters_who_differ_are_raters(what):
    check(**{f"r{i}": values for i, values in enumerate(ORDINARY[what])})


@pytest.mark.parametrize(
    ("low", "high"), [(1, 3), (1, 5), (0, 4), (1, 7), (1, 10), (0, 20), (0, 100), (0, 1), (-2, 2)]
)
def test_no_false_alarm_among_simulated_raters(low, high):
    """Raters of every mood, few rows and many: a latent quality, shifted, narrowed and rounded."""
    rng = np.random.default_rng(11)
    for _ in range(150):
        n, raters = int(rng.choice([3, 10, 60])), int(rng.integers(2, 6))
        quality = rng.uniform(0, 1, n)
        columns = {}
        for r in range(raters):
            mood, width = rng.normal(0, 0.2), rng.uniform(0.4, 1)
            seen = 0.5 + width * (quality - 0.5) + mood + rng.normal(0, 0.15, n)
            columns[f"r{r}"] = np.round(low + (high - low) * np.clip(seen, 0, 1))
        check(**columns)


def test_a_file_with_such_a_column(tmp_path):
    path = tmp_path / "r.csv"
    rows = [f"c{i},bot,{1 + i % 5},{2 + i % 4},{i * 7 % 101}" for i in range(20)]
    path.write_text("id,system,ann,ben,model\n" + "\n".join(rows) + "\n")
    with pytest.raises(
        InputError, match=r"column 'model' \(0 to 98\) cannot be on the scale of columns"
    ):
        read_ratings(path)
    # A criterion may have a scale of its own.
    path.write_text(
        "id,system,rater,fluency,percent\n"
        + "\n".join(f"c{i},bot,ann,{1 + i % 5},{i * 7 % 101}" for i in range(20))
    )
    assert read_ratings(path)["criterion"].unique().sort().to_list() == ["fluency", "percent"]
    # So may the raters' columns of two criteria, where each rated one of them.
    path.write_text(
        "id,system,criterion,ann,ben\n"
        + "".join(
            f"c{i},bot,fluency,{1 + i % 5},\nc{i},bot,percent,,{i * 7 % 101}\n" for i in range(20)
        )
    )
    assert read_ratings(path).height == 40
