"""What every figure shows is what its table has: values, intervals, order, names, panel by panel.

The figures are drawn by the commands themselves, and their parts are read back from matplotlib. The
list of functions that draw is the packages' own: one without a test here fails.
"""

from __future__ import annotations

import inspect
import json
import pkgutil
import re
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from scipy import stats

import ledgers
import rejoinder
import rejoinder.figures
import rejoinder.recipes
import rejoinder.tuning
from rejoinder.figures import style
from rejoinder.figures.density import density
from rejoinder.figures.differences import differences
from rejoinder.figures.heatmap import NAMES
from rejoinder.figures.relevance import relevance
from rejoinder.figures.ruq import ruq_plot
from rejoinder.figures.systems import standings
from rejoinder.utterance_quantity.requests import COLUMNS
from rejoinder.utterance_quantity.result import Quantity
from shared_data import EXAMPLES, SYSTEMS, TESTSET

RATINGS = str(EXAMPLES / "ratings.csv")
COEFFICIENTS = ("pearson", "spearman", "kendall-b")
SHOWN = {
    "figures.agreement.bars": "test_bars_are_the_table_s",
    "figures.differences.differences": "test_the_differences_are_the_table_s",
    "figures.of_results.figure_of": "test_the_figure_of_a_result_is_of_its_numbers",
    "figures.heatmap.heatmap": "test_the_heat_map_is_of_the_observations",
    "figures.relevance.relevance": "test_mean_ratings_along_a_score_are_of_their_panel",
    "figures.scatter.scatter": "test_each_scatter_plot_is_of_its_metric",
    "figures.scatter.scatters": "test_each_panel_of_the_page_is_of_its_metric",
    "figures.systems.standings": "test_the_standings_are_the_table_s",
    "figures.sweeps.sweeps": "test_the_lines_of_figure_2_are_the_table_s",
    "figures.album.album": "test_each_scatter_plot_is_of_its_metric",
    "figures.ruq.ruq_figure": "test_the_ruq_plot_is_of_the_tokens",
    "figures.ruq.ruq_plot": "test_the_ruq_plot_is_of_the_tokens",
    "figures.runs.through_time": "test_values_through_time_are_the_table_s",
    "figures.variety.quality_and_variety": "test_quality_and_variety_are_the_table_s",
    "recipes.galley2015.figures.draw": "test_the_lines_of_figure_2_are_the_table_s",
    "tuning.table.draw": "test_the_points_of_a_sweep_are_its_trials",
    "recipes.tao2018.figures.draw": "test_tao2018_s_panels_are_of_their_metric_and_system",
}
"""Every public function that draws, and the test that reads what it drew."""


def drawing():
    """The public functions of figures, recipes and tuning that make a figure, or write one."""
    for package in (rejoinder.figures, rejoinder.recipes, rejoinder.tuning):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = import_module(found.name)
            for name, each in inspect.getmembers(module, inspect.isfunction):
                if each.__module__ != module.__name__ or name.startswith("_"):
                    continue
                made = inspect.signature(each).return_annotation == "Figure"
                source = inspect.getsource(each)
                if made or re.search(r"\bsave\((figure|scatter|figure2)", source):
                    yield f"{module.__name__.removeprefix('rejoinder.')}.{name}"


def test_every_figure_has_a_test():
    assert set(drawing()) - {"figures.style.canvas", "figures.style.save"} == set(SHOWN)
    assert all(callable(globals()[name]) for name in SHOWN.values())


@pytest.fixture
def drawn(monkeypatch):
    """The figures that are drawn, by the name of their file; nothing is rendered."""
    figures = {}

    def keep(figure, folder, name):
        figure.draw_without_rendering()  # ticks and limits are made now
        figures[name] = figure
        return ()

    monkeypatch.setattr(style, "save", keep)
    return figures


@pytest.fixture(scope="module")
def once():
    """What is computed once for all tests of this file, by name."""
    return {}


@pytest.fixture
def correlated(once, drawn, command, tmp_path):
    """``correlate --plots``: its JSON, its figures, and the scores and ratings themselves."""
    if "correlated" not in once:
        once["correlated"] = _correlated(drawn, command, tmp_path)
    return once["correlated"]


def _correlated(drawn, command, tmp_path):
    metrics = ("-m", "bleu", "-m", "length", "-m", "deltableu")
    given = ("--resamples", 100, "--permutations", 20, "--json")
    told = command("correlate", TESTSET, *SYSTEMS, "--ratings", RATINGS, *metrics, *given,
                   "--plots", tmp_path)  # fmt: skip
    assert told[0] == 0, told[2]
    rows = json.loads(command("score", TESTSET, *SYSTEMS, *metrics, "--segments", "--json")[1])
    scores = pl.DataFrame(rows["segments"])
    people = pl.read_csv(RATINGS).group_by("system", "id").agg(human=pl.col("score").mean())
    seen = scores.join(people, on=["system", "id"], how="left", maintain_order="left")
    return SimpleNamespace(json=json.loads(told[1]), figures=drawn, seen=seen)


def words(axes):
    return [text.get_text() for text in axes.texts]


def title(axes):
    return axes.get_title(loc="left") or axes.get_title()


def test_the_standings_are_the_table_s():
    testset, replies = rejoinder.read_testset(TESTSET), rejoinder.read_responses(*SYSTEMS)
    scores = rejoinder.score(testset, replies, ["bleu"], resamples=100)
    table, ranks = scores.systems(), scores.ranks()
    with style.drawing():
        figure = standings(table, ranks, "BLEU-2", 100)
        figure.canvas.draw()
    axes = figure.axes[0]
    rows = table.to_dicts()
    assert [text.get_text() for text in axes.get_yticklabels()] == [row["system"] for row in rows]
    whiskers = [line for line in axes.lines if line.get_marker() == "|"]
    points = [line for line in axes.lines if line.get_marker() == "o"]
    for place, (row, whisker, point) in enumerate(zip(rows, whiskers, points, strict=True)):
        assert list(point.get_xdata()) == [100 * row["value"]]
        assert list(whisker.get_xdata()) == [100 * row["low"], 100 * row["high"]]
        assert list(point.get_ydata()) == [place]
        assert list(whisker.get_ydata()) == [place, place]
    groups = dict(ranks.select("system", "group").iter_rows())
    ends = [place + 0.5 for place in range(len(rows) - 1)
            if groups[rows[place]["system"]] != groups[rows[place + 1]["system"]]]  # fmt: skip
    assert [line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == "--"] == ends
    (right,) = axes.child_axes
    spans = dict(ranks.select("system", pl.struct("best_rank", "worst_rank")).iter_rows())
    shown = [text.get_text() for text in right.get_yticklabels()]
    assert shown == [
        "–".join(str(rank) for rank in dict.fromkeys(spans[row["system"]].values())) for row in rows
    ]


def test_standings_say_what_is_undefined():
    rows = {"system": ["b", "a"], "value": [0.5, float("nan")]}
    table = pl.DataFrame(rows).with_columns(low=float("nan"), high=float("nan"))
    with style.drawing():
        figure = standings(table)
    assert words(figure.axes[0]) == ["n/a"]
    assert len(figure.axes[0].lines) == 1


def points(figure, times=1.0):
    """The names from the top, and at each a value with the ends of its interval."""
    axes = figure.axes[0]
    at = {
        int(line.get_ydata()[0]): list(line.get_xdata())
        for line in axes.lines
        if line.get_marker() == "|"
    }
    return [
        (name.get_text(), *(x / times for x in (*line.get_xdata(), *at.get(place, ()))))
        for place, (name, line) in enumerate(
            zip(
                axes.get_yticklabels(),
                (line for line in axes.lines if line.get_marker() == "o"),
                strict=True,
            )
        )
    ]


def beside(figure):
    """What stands on the right of a figure, from the top."""
    (right,) = figure.axes[0].child_axes
    return [name.get_text() for name in right.get_yticklabels()]


def test_the_differences_are_the_table_s():
    rows = {"a": ["x", "x"], "b": ["y", "z"], "difference": [0.5, -0.25], "low": [0.25, -0.5]}
    table = pl.DataFrame(rows | {"high": [0.75, float("nan")]})
    with style.drawing():
        figure = differences(table.with_columns(low=pl.Series([0.25, float("nan")])), "BLEU-2", 100)
    assert points(figure, 100) == [("x - y", 0.5, 0.25, 0.75), ("x - z", -0.25)]
    (zero,) = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    assert list(zero.get_xdata()) == [0, 0]
    with style.drawing():
        undefined = differences(table.with_columns(difference=float("nan")))
    assert words(undefined.axes[0]) == ["n/a", "n/a"]


def test_the_figure_of_a_result_is_of_its_numbers():
    testset, replies = rejoinder.read_testset(TESTSET), rejoinder.read_responses(*SYSTEMS)
    scores = rejoinder.score(testset, replies, ["bleu", "length"], resamples=100)
    for label, times in (("BLEU-2", 100), ("length", 1)):
        rows = scores.systems().filter(metric=label).sort("value", descending=True)
        assert points(scores.plot(label), times) == [
            approximately(row["system"], row["value"], row["low"], row["high"])
            for row in rows.to_dicts()
        ]
        assert scores.measured[label].metric.times100 == (times == 100)
    compared = rejoinder.compare(scores, permutations=99)
    figure, pairs = compared.plot("length"), compared.table.filter(metric="length").to_dicts()
    assert points(figure) == [
        approximately(f"{row['a']} - {row['b']}", row["difference"], row["low"], row["high"])
        for row in pairs
    ]
    values = dict(scores.systems().filter(metric="length").select("system", "value").iter_rows())
    assert beside(figure) == [f"{values[row['a']]:.2f} and {values[row['b']]:.2f}" for row in pairs]
    percent = dict(scores.systems().filter(metric="BLEU-2").select("system", "value").iter_rows())
    assert beside(compared.plot())[0] == " and ".join(
        f"{100 * percent[pairs[0][end]]:.1f}" for end in "ab"
    )
    judge = rejoinder.Scores.from_segments(
        rejoinder.read_scores(EXAMPLES / "judge.csv"), resamples=0
    )
    people = rejoinder.compare_with_people(
        judge, rejoinder.read_ratings(EXAMPLES / "some-ratings.csv")
    )
    for of in (None, "people", "judge"):
        assert points(people.plot(of)) == [
            approximately(f"{row['a']} - {row['b']}", row["difference"], row["low"], row["high"])
            for row in people.pairs.filter(by=of or "corrected").to_dicts()
        ]
    alone = rejoinder.compare(ratings=rejoinder.read_ratings(RATINGS))
    assert points(alone.plot("relevance")) == [
        approximately(f"{row['a']} - {row['b']}", row["difference"], row["low"], row["high"])
        for row in alone.pairs.filter(criterion="relevance").to_dicts()
    ]
    means = dict(alone.ranks.select("system", "mean").iter_rows())
    assert beside(alone.plot("relevance")) == [
        f"{means[row['a']]:.2f} and {means[row['b']]:.2f}" for row in alone.pairs.to_dicts()
    ]
    ratings = rejoinder.ratings(rejoinder.read_ratings(RATINGS), resamples=0)
    assert points(ratings.plot("relevance")) == [
        approximately(row["system"], row["mean"])
        for row in ratings.systems.sort("mean", descending=True).to_dicts()
    ]
    chosen = rejoinder.preferences(rejoinder.read_preferences(EXAMPLES / "preferences.csv"))
    assert points(chosen.plot()) == [
        approximately(row["system"], row["strength"], row["low"], row["high"])
        for row in chosen.strengths.sort("strength", descending=True).to_dicts()
    ]
    agreement = rejoinder.correlate(scores, rejoinder.read_ratings(RATINGS), criterion="relevance",
                                    permutations=0)  # fmt: skip
    (panel,) = agreement.plot("kendall-b").axes
    of = {
        row["metric"]: row["value"]
        for row in agreement.table().filter(correlation="kendall-b").to_dicts()
    }
    names = [label.get_text() for label in panel.get_yticklabels()]
    assert {name: bar.get_width() for name, bar in zip(names, panel.patches, strict=True)} == of


def approximately(name, *values):
    return (name, *map(pytest.approx, values))


def test_bars_are_the_table_s(correlated):
    figure = correlated.figures["agreement"]
    rows = {(row["correlation"], row["metric"]): row for row in correlated.json["agreement"]}
    assert [title(axes) for axes in figure.axes] == [NAMES[name] for name in COEFFICIENTS]
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert sorted(names) == sorted({metric for _, metric in rows})
    # People, then the metrics by the first coefficient, then chance.
    metrics = [name for name in names if not name.startswith("human")]
    pearson = [rows["pearson", name]["value"] for name in metrics[:-1]]
    assert pearson == sorted(pearson, reverse=True)
    assert metrics[-1] == "random"
    for axes, coefficient in zip(figure.axes, COEFFICIENTS, strict=True):
        of = [rows[coefficient, name] for name in names]
        bars = [(bar.get_y() + bar.get_height() / 2, bar.get_width()) for bar in axes.patches]
        assert bars == [(pytest.approx(i), row["value"]) for i, row in enumerate(of)]
        whiskers = {
            int(line.get_ydata()[0]): list(line.get_xdata())
            for line in axes.lines
            if line.get_marker() == "|"
        }
        ends = {i: [row["low"], row["high"]] for i, row in enumerate(of) if row["low"] is not None}
        assert whiskers == ends
        assert words(axes) == [style.told(row["value"]) for row in of]
        ceiling = [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == "--"]
        assert ceiling == [rows[coefficient, "human (avg)"]["value"]]


def test_the_heat_map_is_of_the_observations(correlated):
    axes, _ = correlated.figures["heatmap"].axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == [label.get_text() for label in axes.get_xticklabels()]
    assert title(axes) == f"{NAMES['spearman']}, 198 observations"
    cells = {text.get_position(): text.get_text() for text in axes.texts}
    shades = axes.images[0].get_array()
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            if i != j:
                rho = stats.spearmanr(correlated.seen[one], correlated.seen[other]).statistic
                assert cells[j, i] == style.told(rho)
                assert shades[i, j] == pytest.approx(rho)
    first = [float(shades[0, j]) for j in range(1, len(names))]
    assert (names[0], first) == ("human", sorted(first, reverse=True))


def clouds(axes):
    """The points of a panel by system: [n, 2], and the large mark of each system's mean."""
    many = [each.get_offsets() for each in axes.collections if each.get_zorder() != 4]
    many = [each for each in many if len(each) > 1]
    means = [each.get_offsets()[0] for each in axes.collections if each.get_zorder() == 4]
    return many, means


def check_cloud(axes, seen, metric, coefficients):
    """Each system's points are its scores and, shaken by 0.35 of a step of 0.2, its ratings."""
    systems = seen["system"].unique(maintain_order=True).to_list()
    many, means = clouds(axes)
    assert len(many) == len(means) == len(systems)
    for system, points, mean in zip(systems, many, means, strict=True):
        of = seen.filter(pl.col("system") == system)
        assert np.asarray(points[:, 1]) == pytest.approx(of[metric].to_numpy())
        assert np.abs(points[:, 0] - of["human"].to_numpy()).max() <= 0.35 * 0.2 + 1e-9
        assert np.asarray(mean) == pytest.approx([of["human"].mean(), of[metric].mean()])
    r, rho = (coefficients[name, metric] for name in ("pearson", "spearman"))
    assert f"r = {style.told(r)}, ρ = {style.told(rho)}, n = 198" in " ".join(words(axes))


def values(told):
    return {(row["correlation"], row["metric"]): row["value"] for row in told["agreement"]}


METRICS = ("BLEU-2", "length", "deltaBLEU-2")


def test_each_scatter_plot_is_of_its_metric(correlated):
    for metric in METRICS:
        figure = correlated.figures[f"scatter-{metric}"]
        axes, above, beside = figure.axes
        assert title(above) == metric
        systems = [text.get_text() for text in figure.legends[0].get_texts()]
        assert systems == correlated.seen["system"].unique(maintain_order=True).to_list()
        shown = SimpleNamespace(collections=axes.collections, texts=above.texts)
        check_cloud(shown, correlated.seen, metric, values(correlated.json))
        for margin, column, at in ((above, "human", 0), (beside, metric, 1)):
            curve = margin.lines[0]
            x, f = density(correlated.seen[column].to_numpy())
            along, across = curve.get_data() if at == 0 else curve.get_data()[::-1]
            assert np.asarray(along) == pytest.approx(x)
            assert np.asarray(across) == pytest.approx(f)


def test_each_panel_of_the_page_is_of_its_metric(correlated):
    page = correlated.figures["scatter-all"]
    panels = {title(axes): axes for axes in page.axes if title(axes)}
    assert [name for name in panels if name in METRICS] == list(METRICS)
    for metric in METRICS:
        check_cloud(panels[metric], correlated.seen, metric, values(correlated.json))


def test_people_against_people(correlated):
    axes, above, _ = correlated.figures["scatter-people"].axes
    told = values(correlated.json)
    r, rho = (told[name, "human (avg)"] for name in ("pearson", "spearman"))
    # 5 raters of 198 replies.
    said = f"mean of raters: r = {style.told(r)}, ρ = {style.told(rho)}, n = 990"
    assert said in " ".join(words(above))
    assert sum(len(each) for each in clouds(axes)[0]) == 990


def test_the_lines_of_figure_2_are_the_table_s(drawn, command, tmp_path, five):
    told = command(
        "recipe", "galley2015", TESTSET, *five, "--set", "unit_size=5",
        "--set", "assignments=20", "--permutations", 10, "--drop-unusable", "--json", "--plots", tmp_path,
    )  # fmt: skip
    assert told[0] == 0, told[2]
    told = json.loads(told[1])
    points = pl.DataFrame(told["figure"], infer_schema_length=None)
    assert points["low"].is_not_null().any()
    (figure,) = drawn.values()
    metrics = [text.get_text() for text in figure.axes[-1].get_legend().get_texts()]
    assert metrics == ["deltaBLEU", "BLEU", "sBLEU"]
    assert points["panel"].unique(maintain_order=True).to_list() == ["threshold", "size", "order"]
    labels = ("threshold", "items in a unit", "longest n-gram")
    for axes, key, label in zip(figure.axes, ("threshold", "size", "order"), labels, strict=True):
        assert label in axes.get_xlabel()
        check_lines(axes, points.filter(pl.col("panel") == key), metrics)
    # The table's own row stands in each panel: all references, M = 5, N = 2.
    table = {(row["metric"], row["references"]): row for row in told["table"]}
    for panel, x in (("size", 5.0), ("order", 2.0)):
        at = points.filter((pl.col("panel") == panel) & (pl.col("x") == x))
        for row in at.iter_rows(named=True):
            assert row["value"] == pytest.approx(table[row["metric"], "all"]["spearman"], abs=0.02)


@pytest.fixture
def five(tmp_path):
    """Five systems, for intervals of units need four: two are made of the others' halves."""
    replies = {
        path.stem: path.read_text("utf-8").splitlines()
        for path in sorted((EXAMPLES / "responses").glob("*.jsonl"))
    }
    rated = pl.read_csv(RATINGS)
    systems, tables = list(SYSTEMS), [rated]
    for name, (odd, even) in {"one": ("tuned", "generic"), "two": ("retrieval", "tuned")}.items():
        chosen = {json.loads(line)["id"]: (odd, even)[i % 2] for i, line in enumerate(replies[odd])}
        lines = [replies[(odd, even)[i % 2]][i] for i in range(len(replies[odd]))]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), "utf-8")
        systems.append(str(tmp_path / f"{name}.jsonl"))
        of = rated.filter(pl.col("id").replace_strict(chosen) == pl.col("system"))
        tables.append(of.with_columns(system=pl.lit(name)))
    pl.concat(tables).write_csv(tmp_path / "five.csv")
    return [*systems, "--ratings", tmp_path / "five.csv"]


def check_lines(axes, points, metrics):
    """Each metric has the ends of its interval, then its values, as three lines; the last is marked."""
    lines = [
        line for line in axes.lines if len(line.get_xdata()) > 2 or line.get_marker() != "None"
    ]
    lines = [line for line in lines if line.get_linestyle() != "None"]
    for number, metric in enumerate(metrics):
        of = points.filter(pl.col("metric") == metric).sort("x")
        for line, column in zip(
            lines[3 * number : 3 * number + 3], ("low", "high", "value"), strict=True
        ):
            assert np.asarray(line.get_xdata()) == pytest.approx(of["x"].to_numpy())
            expected = of[column].cast(pl.Float64).fill_null(np.nan).to_numpy()
            assert np.asarray(line.get_ydata()) == pytest.approx(expected, nan_ok=True)
        assert line.get_marker() != "None"


def test_quality_and_variety_are_the_table_s():
    testset, replies = rejoinder.read_testset(TESTSET), rejoinder.read_responses(*SYSTEMS)
    second = replies.with_columns(pl.col("text").reverse(), sample=pl.lit("1"))
    both = pl.concat([replies.with_columns(sample=pl.lit("0")), second])
    result = rejoinder.variety(both, testset, permutations=0)
    axes = result.plot("chrF").axes[0]
    lines = [line.get_xydata() for line in axes.lines]
    up, right = (
        result.systems.filter(measure=f"{name} chrF").to_dicts() for name in ("closeness", "Vendi")
    )
    # Of each system the interval of Vendi, that of closeness, and the point.
    expected = [
        ends
        for x, y in zip(right, up, strict=True)
        for ends in (
            [[x["low"], 100 * y["value"]], [x["high"], 100 * y["value"]]],
            [[x["value"], 100 * y["low"]], [x["value"], 100 * y["high"]]],
            [[x["value"], 100 * y["value"]]],
        )
    ]
    assert [line.tolist() for line in lines] == [pytest.approx(np.array(each)) for each in expected]
    assert axes.get_xlabel() == "Vendi chrF"
    assert axes.get_ylabel() == "closeness chrF (x100)"


def test_values_through_time_are_the_table_s(tmp_path):
    found = rejoinder.runs(ledgers.ledger(tmp_path / "runs.sqlite"), metrics=["bleu"])
    axes = found.plot("bleu").axes[0]
    drawn = sorted((line.get_label(), line.get_xydata().tolist()) for line in axes.lines)
    spans = [each.get_paths()[0].get_extents() for each in axes.collections]
    groups = found.series.partition_by("system", "line", maintain_order=True)
    expected = [each.select("run", "value").rows() for each in groups]
    assert sorted(points for _, points in drawn) == sorted(
        [list(row) for row in each] for each in expected
    )
    ends = [
        (each["run"].min(), each["low"].min(), each["run"].max(), each["high"].max())
        for each in groups
    ]
    assert sorted(map(tuple, (span.extents for span in spans))) == sorted(ends)
    assert axes.get_title("left") == "BLEU-2 (score: value)"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]
    assert axes.get_xticklabels()[0].get_text() == "1\n2026-10-01"


def test_sweeps_under_the_unit_protocol_hold_the_table_s_value(drawn, command, tmp_path, five):
    told = command(
        "correlate", TESTSET, *five, "-m", "bleu", "-m", "length", "-p",
        "unit", "--set", "unit_size=5", "--set", "assignments=50", "--permutations", 0, "--json",
        "--plots", tmp_path,
    )  # fmt: skip
    assert told[0] == 0, told[2]
    table = values(json.loads(told[1]))
    axes = drawn["sweep-size"].axes[0]
    assert axes.get_ylabel().startswith(NAMES["spearman"])
    marked = [line for line in axes.lines if line.get_marker() not in ("None", None)]
    for line, metric in zip(marked, ("BLEU-2", "length"), strict=True):
        at = dict(zip(line.get_xdata(), line.get_ydata(), strict=True))
        assert at[5] == pytest.approx(table["spearman", metric], abs=1e-9)


def test_the_ruq_plot_is_of_the_tokens(drawn, command, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    import tiny_language_models

    models = [
        tiny_language_models.save(tmp_path / name, "gpt2", seed=seed, window=256)
        for seed, name in enumerate(("one", "two"))
    ]
    status, _, err = command(
        "ruq", *models, TESTSET, "--resamples", 0, "--json", "--save-tokens",
        tmp_path / "t.parquet", "--plots", tmp_path / "plots",
    )  # fmt: skip
    assert status == 0, err
    tokens = pl.read_parquet(tmp_path / "t.parquet")
    (figure,) = drawn.values()
    generic = tokens.filter(pl.col("kind") == "generic")["text"].unique(maintain_order=True)[:2]
    kinds = {"reference": pl.col("kind") == "reference"}
    kinds |= {text: (pl.col("kind") == "generic") & (pl.col("text") == text) for text in generic}
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(kinds)
    for number, system in enumerate(("one", "two")):
        above, below = figure.axes[2 * number], figure.axes[2 * number + 1]
        assert title(above).endswith(f": {system}")
        for line, steps, band, chosen in zip(
            above.lines, below.lines, above.collections, kinds.values(), strict=True
        ):
            of = tokens.filter((pl.col("system") == system) & chosen & pl.col("counts"))
            check_course(line, steps, band, of["logprobs"].to_list())


def test_the_ruq_plot_has_a_panel_for_each_system_and_test_set(drawn, tmp_path):
    """Of 12 replies 5 have 8 tokens, the least number that is drawn; 4 of them have a ninth."""
    lengths = [3] * 7 + [8] + [9] * 4
    rng = np.random.default_rng(6)
    tables = {
        where: pl.DataFrame(
            [
                (system, f"c{i}", kind, 0, text, True, n, 0.0, rng.normal(-2, 1, n).tolist(), "")
                for system in ("one", "two")
                for kind, text in (("reference", None), ("generic", "Well."))
                for i, n in enumerate(lengths)
            ],
            schema=COLUMNS,
            orient="row",
        )
        for where in ("train", "test")
    }
    ruq_plot(tables, tmp_path)
    (figure,) = drawn.values()
    scores = rejoinder.Scores.from_segments(
        pl.DataFrame({"system": ["one", "two"], "id": ["c", "c"], "ruq": [0.0, 1.0]}), resamples=0
    )
    alone = Quantity(scores, tables["train"], ("Well.",)).plot("two")
    assert title(alone.axes[0]) == "two"
    of = tables["train"].filter(system="two", kind="generic")["logprobs"].to_list()
    above, below = alone.axes
    check_course(above.lines[1], below.lines[1], above.collections[1], of)
    grid = np.array(figure.axes).reshape(4, 2)
    for row, system in enumerate(("one", "two")):
        for column, where in enumerate(("train", "test")):
            above, below = grid[2 * row : 2 * row + 2, column]
            assert title(above) == f"{where}: {system}"
            of = tables[where].filter(pl.col("system") == system)
            for number, kind in enumerate(("reference", "generic")):
                replies = of.filter(pl.col("kind") == kind)["logprobs"].to_list()
                parts = above.lines[number], below.lines[number], above.collections[number]
                check_course(*parts, replies)
                assert len(above.lines[number].get_xdata()) == 8


def test_a_density_has_silverman_s_width():
    values = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 9.0])
    x, f = density(values)
    # IQR: 0.375 - 0.125 = 0.25; the deviation, 3.6, is far above 0.25 / 1.34.
    h = 0.9 * 0.25 / 1.34 * 6**-0.2
    mirrored = np.concatenate([values, -values, 18 - values])
    kernels = np.exp(-0.5 * ((x[:, None] - mirrored) / h) ** 2) / np.sqrt(2 * np.pi)
    assert f == pytest.approx(kernels.sum(axis=1) / (6 * h))


def check_course(line, steps, band, replies):
    """Means of the first 20 positions that 5 replies have, and 1.96 standard errors around them."""
    by_place = [[each[at] for each in replies if len(each) > at] for at in range(20)]
    counts = [len(each) for each in by_place if each]
    shown = [each for each in by_place if len(each) >= 5]
    assert list(line.get_xdata()) == list(range(1, len(shown) + 1))
    assert list(line.get_ydata()) == pytest.approx([np.mean(each) for each in shown])
    assert list(steps.get_ydata()) == counts
    corners = band.get_paths()[0].vertices
    for place, each in enumerate(shown, start=1):
        half = 1.959964 * np.std(each, ddof=1) / len(each) ** 0.5
        ys = corners[corners[:, 0] == place, 1]
        assert (ys.min(), ys.max()) == pytest.approx((np.mean(each) - half, np.mean(each) + half))


def test_tao2018_s_panels_are_of_their_metric_and_system(
    drawn, command, tmp_path, tmp_path_factory
):
    pytest.importorskip("torch")
    pytest.importorskip("gensim")
    from example_ruber import example_ruber

    status, out, err = command(
        "recipe", "tao2018", TESTSET, *SYSTEMS, "--ratings", RATINGS, "--model",
        example_ruber(tmp_path_factory), "--permutations", 0, "--resamples", 0, "--json", "--plots",
        tmp_path,
    )  # fmt: skip
    assert status == 0, err
    rows = {
        (row["group"], row["metric"], row["coefficient"]): row["value"]
        for row in json.loads(out)["table"]
    }
    pages = {"scatter-all": "pooled"} | {
        f"system-{name}": name for name in ("generic", "retrieval", "tuned")
    }
    for page, group in pages.items():
        panels = [axes for axes in drawn[page].axes if title(axes)]
        metrics = [axes for axes in panels if (group, title(axes), "pearson") in rows]
        assert len(metrics) >= 5
        for axes in metrics:
            r, rho = (rows[group, title(axes), name] for name in ("pearson", "spearman"))
            said = f"r = {style.told(number(r))}, ρ = {style.told(number(rho))}, n = "
            assert said in " ".join(words(axes))


def test_mean_ratings_along_a_score_are_of_their_panel():
    rng = np.random.default_rng(4)
    panels = {
        name: (rng.permutation(20.0 * np.arange(20)), rng.integers(1, 6, 20) + shift)
        for name, shift in (("people", 0.0), ("machine", 10.0))
    }
    with style.drawing():
        figure = relevance(panels, "s_U")
    for axes, (name, (score, rating)) in zip(figure.axes, panels.items(), strict=True):
        assert title(axes) == name
        curve, *whiskers = axes.lines
        # 20 replies are 4 bins of 5, in the order of their scores.
        bins = np.argsort(score).reshape(4, 5)
        assert list(curve.get_xdata()) == pytest.approx(score[bins].mean(axis=1))
        assert list(curve.get_ydata()) == pytest.approx(rating[bins].mean(axis=1))
        half = stats.t.ppf(0.975, 4) * rating[bins].std(axis=1, ddof=1) / 5**0.5
        ends = np.array([line.get_ydata() for line in whiskers])
        expected = rating[bins].mean(axis=1)[:, None] + half[:, None] * [-1, 1]
        assert ends == pytest.approx(expected, abs=1e-6)


def number(value):
    """NaN is null in JSON."""
    return np.nan if value is None else value


def test_the_points_of_a_sweep_are_its_trials(drawn, tmp_path):
    from rejoinder.tuning.table import draw

    trials = {
        "status": ["finished", "finished", "finished", "pruned"],
        "metric": [0.3, 0.2, 0.1, None],
        "ruq_train": [0.9, 0.5, 0.7, None],
        "ruq_test": [0.4, 0.6, 0.5, None],
    }
    rows = [
        {"of": name, "with": "METEOR", "trials": "all", "n": 3, "rho": rho, "low": -0.5,
         "high": 0.75, "p": 0.25, "reason": None}
        for name, rho in (("RUQ on train", 0.5), ("RUQ on test", -1.0))
    ]  # fmt: skip
    sweep = SimpleNamespace(
        trials=pl.DataFrame(trials),
        correlations=pl.DataFrame(rows),
        parameters={"metric": "METEOR"},
    )
    draw(sweep, tmp_path)
    for key, name, rho in (("train", "RUQ on train", "0.50"), ("test", "RUQ on test", "−1.00")):
        axes, above, _ = drawn[f"sweep-ruq-{key}"].axes
        points = axes.collections[0].get_offsets()
        expected = [[100 * trials[f"ruq_{key}"][i], 100 * trials["metric"][i]] for i in range(3)]
        assert np.asarray(points) == pytest.approx(np.array(expected))
        assert title(above) == f"METEOR against {name}"
        assert axes.get_xlabel() == f"{name} (x100)"
        assert f"ρ = {rho} [−0.50, 0.75], p = 0.25, n = 3" in words(above)
