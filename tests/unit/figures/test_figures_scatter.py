"""Scatter plots, and the densities along their margins."""

import numpy as np
import pytest

from rejoinder.errors import InputError
from rejoinder.figures import style
from rejoinder.figures.density import density
from rejoinder.figures.scatter import Cloud, one_against_rest, scatter, scatters, shaken
from rejoinder.statistics.raters import human_correlations

RNG = np.random.default_rng(5)
RATING = RNG.integers(1, 6, 60).astype(float)
SCORE = RATING / 5 + RNG.normal(size=60)


def words(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def drawn(figure):
    """How many points are in the largest collection of each axes."""
    return [
        max((len(each.get_offsets()) for each in axes.collections), default=0)
        for axes in figure.axes
    ]


def made(cloud):
    with style.drawing():
        return scatter(cloud)


def test_density_is_a_normal_one_and_sums_to_one():
    values = np.random.default_rng(1).standard_normal(4000)
    x, f = density(values)
    assert np.sum((f[1:] + f[:-1]) / 2 * np.diff(x)) == pytest.approx(1, abs=1e-3)
    middle = np.abs(x) < 1.5
    expected = np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi)
    assert np.abs(f - expected)[middle].max() < 0.03


def test_density_keeps_a_pile_at_the_edge():
    # Exponential: the density is greatest at 0. Without folding, half of it would be lost there.
    values = np.random.default_rng(1).exponential(size=4000)
    x, f = density(values)
    assert f[0] == pytest.approx(1.0, abs=0.15)
    assert f.argmax() * (x[1] - x[0]) < 0.2


@pytest.mark.parametrize("values", [[], [1.0], [2.0, 2.0, np.nan], [np.inf, 1.0]])
def test_one_value_has_no_density(values):
    assert density(np.array(values))[0].size == 0


def test_shaking_keeps_every_grade_apart():
    near = shaken(RATING, np.random.default_rng(1))
    assert (near.round() == RATING).all()
    assert np.unique(near).size == RATING.size
    # Thirds are off their grid by rounding; the step is a third all the same.
    thirds = np.array([1 / 3, 2 / 3, 1 - 2 / 3, 1.0, 4 / 3 - 1])
    moved = shaken(thirds, np.random.default_rng(1)) - thirds
    assert (np.abs(moved) < 0.35 / 3).all()
    assert moved.any()


@pytest.mark.parametrize("values", [SCORE, np.ones(4), np.array([1.0, 2.0, 3.0])])
def test_what_lies_on_no_grid_is_not_shaken(values):
    assert shaken(values, np.random.default_rng(1)) is values


def test_coefficients_are_of_the_values_themselves():
    cloud = Cloud("BLEU-2", [1, 2, 3, 4], [1, 3, 2, 4])
    # Ranks and values are the same: 1 - 6 * 2 / (4 * 15) = 0.8.
    assert cloud.coefficients == "r = 0.80, ρ = 0.80, n = 4"
    assert "r = 0.80, ρ = 0.80, n = 4" in words(made(cloud))


def test_every_point_and_every_mean_is_drawn():
    systems = ["a", "b", "c"] * 20
    figure = made(Cloud("BLEU-2", RATING, SCORE, systems))
    sizes = [len(each.get_offsets()) for each in figure.axes[0].collections]
    assert sorted(sizes) == [1, 1, 1, 20, 20, 20]
    means = [each.get_offsets()[0] for each in figure.axes[0].collections if each.get_zorder() == 4]
    expected = [RATING[1::3].mean(), SCORE[1::3].mean()]
    assert np.asarray(means[1]).tolist() == pytest.approx(expected)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b", "c"]


def test_more_systems_than_markers_are_not_told_apart():
    figure = made(Cloud("BLEU-2", RATING, SCORE, [f"{i % 30}" for i in range(60)]))
    assert (drawn(figure)[0], figure.legends) == (60, [])


def test_missing_numbers_are_left_out_and_said():
    holed = SCORE.copy()
    holed[:3] = np.nan
    figure = made(Cloud("distinct-1", RATING, holed))
    assert drawn(figure)[0] == 57
    assert any("3 of 60 without a number are not drawn" in each for each in words(figure))
    assert any(each.startswith("r = n/a") for each in words(figure))


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "fewer than 2 observations"),
        ([3.0], [0.1], "fewer than 2 observations"),
        ([3.0] * 5, [0.1, 0.2, 0.3, 0.4, 0.5], "all ratings equal"),
        ([1.0, 2.0, 3.0], [0.0] * 3, "all metric scores equal"),
        ([np.nan, 1.0], [0.0, np.nan], "2 of 2 without a number"),
    ],
)
def test_what_is_undefined_is_a_statement(x, y, reason, tmp_path):
    cloud = Cloud("BLEU-2", x, y)
    figure = made(cloud)
    assert any(reason in each for each in words(figure))
    style.save(figure, tmp_path, "one")
    with style.drawing():
        style.save(scatters([cloud, cloud]), tmp_path, "page")


def test_a_page_has_a_panel_for_each_and_none_is_empty(tmp_path):
    clouds = [Cloud(f"metric {i}", RATING, SCORE, list("ab") * 30) for i in range(5)]
    with style.drawing():
        figure = scatters(clouds)
    assert [axes.get_title(loc="left") for axes in figure.axes[:5]] == [c.name for c in clouds]
    assert [axes.axison for axes in figure.axes] == [True] * 5 + [False] * 3
    # No tick stands in the margin that the densities take.
    x = figure.axes[0]
    assert max(x.get_xticks()) <= 5.5
    style.save(figure, tmp_path, "page")
    with style.drawing():
        style.save(scatters([]), tmp_path, "none")


def test_lengths_must_fit():
    with pytest.raises(InputError, match="same observations"):
        Cloud("BLEU-2", [1, 2], [1])
    with pytest.raises(InputError, match="1 systems' names"):
        Cloud("BLEU-2", [1, 2], [1, 2], ["a"])


def test_people_against_people_tell_what_the_tables_tell():
    matrix = np.stack([RATING, RATING + RNG.integers(-1, 2, 60), 6 - RATING], axis=1)
    matrix[4, 1] = np.nan
    cloud = one_against_rest(matrix, ["a", "b"] * 30)
    assert cloud.x.size == 179
    told = [human_correlations(matrix, name).average for name in ("pearson", "spearman")]
    assert cloud.coefficients == (
        f"mean of raters: r = {style.told(told[0])}, ρ = {style.told(told[1])}, n = 179"
    )
    # The first reply is a's, and all three ratings of it.
    assert list(cloud.systems[:3]) == ["a"] * 3
    assert cloud.y[:3].tolist() == matrix[0].tolist()
    assert cloud.x[0] == pytest.approx(matrix[0, 1:].mean())
    assert drawn(made(cloud))[0] == 90
