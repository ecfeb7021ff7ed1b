"""All pictures of an agreement, also of the poorest data, without a warning."""

import polars as pl
import pytest

from rejoinder import TestSet, correlate, score
from rejoinder.figures import style
from rejoinder.figures.agreement import bars
from rejoinder.figures.album import album, coefficient
from rejoinder.meta_evaluation.matching import match

SCHEMA = ["id", "system", "rater", "criterion", "score"]


def agreed(replies, marks, metrics=("bleu", "length"), **more):
    """An agreement on replies by system, and marks by system and rater."""
    testset = TestSet.from_lists([["yes please"]] * len(next(iter(replies.values()))))
    texts = [
        (s, i, t) for s, some in replies.items() for i, t in zip(testset.ids, some, strict=True)
    ]
    texts = pl.DataFrame(texts, schema=["system", "id", "text"], orient="row")
    rated = [
        (i, system, rater, "overall", float(mark))
        for (system, rater), some in marks.items()
        for i, mark in zip(testset.ids, some, strict=True)
    ]
    rated = pl.DataFrame(rated, schema=SCHEMA, orient="row")
    scores = score(testset, texts, list(metrics), resamples=0)
    told = correlate(scores, rated, permutations=0, resamples=0, **more)
    return told, match(scores, rated, None, "mean", (), 12345)[0]


VARIED = ["yes", "no", "yes please", "b c d", "well"]


@pytest.mark.parametrize(
    ("replies", "marks", "protocol"),
    [
        ({"a": VARIED}, {("a", "x"): [3] * 5}, "turn"),
        ({"a": VARIED}, {("a", "x"): [3] * 5, ("a", "y"): [3] * 5}, "turn"),
        pytest.param(
            {"a": ["yes"] * 5}, {("a", "x"): [1, 2, 3, 4, 5]}, "turn", marks=pytest.mark.slow
        ),
        pytest.param({"a": ["yes"]}, {("a", "x"): [3]}, "turn", marks=pytest.mark.slow),
        pytest.param({"a": ["yes"]}, {("a", "x"): [3]}, "system", marks=pytest.mark.slow),
        ({"a": ["yes"], "b": ["no"]}, {("a", "x"): [3], ("b", "x"): [3]}, "pairwise"),
    ],
    ids=["one grade", "two raters", "one score", "one item", "one system", "a tie"],
)
def test_poor_data_are_drawn_or_said(replies, marks, protocol, tmp_path):
    made = album(*agreed(replies, marks, protocol=protocol), tmp_path)
    assert {path.name for path in made.paths} >= {
        "agreement.png",
        "heatmap.svg",
        "scatter-all.png",
        "scatter-BLEU-2.svg",
        "scatter-length.png",
    }
    assert (tmp_path / "scatter-people.png").exists() == (len(marks) == 2 and protocol == "turn")


def test_bars_of_several_systems_are_pooled_and_within(unrendered, tmp_path, monkeypatch):
    # Each figure has the numbers of its own columns of the table.
    from rejoinder.figures import album as module

    replies = {"a": VARIED, "b": ["no", "no no", "yes please", "c d", "yes"]}
    marks = {(name, "x"): [1, 2, 3, 4, 4 + len(name)] for name in replies}
    told, rated = agreed(replies, marks)
    drawn = []
    bars = module.bars
    monkeypatch.setattr(module, "bars", lambda *given: drawn.append(given) or bars(*given))
    made = album(told, rated, tmp_path)
    assert "agreement-within.png" in {path.name for path in made.paths}
    (pooled, title), (within, other) = drawn
    assert "all systems pooled" in title
    assert "mean within systems" in other
    assert pooled["value"].to_list() == told.table()["value"].to_list()
    assert within["value"].to_list() == pytest.approx(told.table()["within"].to_list(), nan_ok=True)
    one = {"a": VARIED}
    single = album(*agreed(one, {("a", "x"): [1, 2, 3, 4, 5]}), tmp_path / "one")
    assert "agreement-within.png" not in {path.name for path in single.paths}


def test_what_pictures_cannot_show_is_noted(unrendered, tmp_path):
    replies = {f"s{i}": VARIED for i in range(21)}
    # Of most replies distinct-1 is undefined: it has no coefficient, and those few are drawn.
    replies |= {f"s{i}": [""] * len(VARIED) for i in range(13)}
    marks = {(name, "x"): [1, 2, 3, 4, 5] for name in replies}
    made = album(*agreed(replies, marks, ["distinct"]), tmp_path)
    assert made.notes == (
        "figure: distinct-1: 65 of 105 without a number are not drawn",
        "figure: 21 systems are too many to be told apart by markers",
    )


def test_the_coefficient_of_map_and_sweep():
    replies, marks = {"a": VARIED}, {("a", "x"): [1, 2, 3, 4, 5]}
    assert coefficient(agreed(replies, marks)[0]) == "spearman"
    assert coefficient(agreed(replies, marks, correlations=["kendall-c"])[0]) == "kendall-c"


@pytest.mark.parametrize("correlations", [("spearman",), ("pearson", "spearman", "kendall-b")])
def test_captions_fit_the_figure_and_tell_pooled_from_within(
    correlations, unrendered, tmp_path, monkeypatch
):
    from rejoinder.figures import style

    captions = {}
    save = style.save

    def kept(figure, folder, name):
        if name.startswith("agreement"):
            figure.canvas.draw()
            box = figure._suptitle.get_window_extent()
            captions[name] = figure._suptitle.get_text().replace("\n", " ")
            assert 0 <= box.x0 < box.x1 <= figure.bbox.x1, name
            assert figure.axes[0].title.get_window_extent().y1 <= box.y0, name
        return save(figure, folder, name)

    monkeypatch.setattr(style, "save", kept)
    marks = {(s, r): [1, 2, 4, 5, 3] for s in "ab" for r in "xy"}
    album(*agreed({"a": VARIED, "b": VARIED[::-1]}, marks, correlations=correlations), tmp_path)
    assert captions["agreement"].startswith("all systems pooled")
    assert captions["agreement-within"].startswith("mean within systems")


@pytest.mark.parametrize("panels", [1, 3])
def test_the_dashed_line_goes_through_no_number(panels):
    """Bars that end before the line, at it and after it, long and short, also below 0."""
    values = [-0.3, -0.02, 0.0, *(0.05 * n for n in range(16))]
    names = ["human (avg)", "human (max)", *(f"metric {n}" for n in range(len(values)))]
    names_of = ["pearson", "spearman", "kendall-b"][:panels]
    rows = [
        {"metric": name, "correlation": correlation, "value": value, "low": value - 0.03,
         "high": value + 0.03}
        for correlation, ceiling in zip(names_of, (0.3, 0.11, 0.5), strict=False)
        for name, value in zip(names, [ceiling, 0.8, *values], strict=True)
    ]  # fmt: skip
    with style.drawing():
        figure = bars(pl.DataFrame(rows))
        figure.draw_without_rendering()
        for axes in figure.axes:
            (line,) = [each for each in axes.lines if each.get_linestyle() == "--"]
            at = axes.transData.transform((line.get_xdata()[0], 0))[0]
            numbers = [each.get_window_extent() for each in axes.texts]
            assert len(numbers) == len(names)
            assert not [each for each in numbers if each.x0 <= at <= each.x1]
            assert max(each.x1 for each in numbers) <= axes.get_window_extent().x1


def test_numbers_beside_tables_have_their_hyphen():
    with style.drawing(minus=False):
        assert style.told(-0.5) == "-0.50"
        figure = style.canvas(2, 2)
        figure.subplots().plot([-1, 1], [-1, 1])
    assert "<!-- -1.0 -->" in style.as_svg(figure, "a", minus=False)
    assert "<!-- \N{MINUS SIGN}1.0 -->" in style.as_svg(figure, "a")
    assert style.told(-0.5) == "\N{MINUS SIGN}0.50"
