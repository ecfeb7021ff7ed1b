"""The figure of each kind of result: what its ``plot()`` gives."""

from __future__ import annotations

import io
import sys
from base64 import b64encode
from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.figures import style
from rejoinder.figures.agreement import bars
from rejoinder.figures.differences import differences
from rejoinder.figures.runs import through_time
from rejoinder.figures.ruq import ruq_figure
from rejoinder.figures.systems import standings
from rejoinder.figures.variety import quality_and_variety
from rejoinder.messages import Argument, Placeholder
from rejoinder.scoring.shown_values import number_of, times_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from rejoinder.diversity.variety import Variety
    from rejoinder.human_evaluation.by_people.compare import RatingComparison
    from rejoinder.human_evaluation.preference_summary import PreferenceSummary
    from rejoinder.human_evaluation.rating_summary import RatingSummary
    from rejoinder.ledger.runs import Runs
    from rejoinder.meta_evaluation.correlate import Agreement
    from rejoinder.meta_evaluation.with_people.compare import PeopleComparison
    from rejoinder.metrics.base import Metric
    from rejoinder.scoring.compare import Comparison
    from rejoinder.scoring.scores import Scores
    from rejoinder.utterance_quantity.result import Quantity

MOST_PAIRS = 60
"""More pairs of systems make no figure that can be read."""


def figure_of(result: Any, of: str | None = None) -> Figure:
    """The figure of a result; a notebook shows it once, with and without a semicolon behind the call.

    Args:
        result: A result of one of the classes in `FIGURES`.
        of: Which of its metrics, criteria, estimates or models; None takes the first.

    Raises:
        ParameterError: The result has nothing of that name.
        InputError: The result has nothing to draw.
    """
    draw = FIGURES[type(result).__name__]
    with style.drawing():
        figure = draw(result, of)
        figure.canvas.draw()  # ticks are made with these settings
    style.say_unwritable(figure)
    vars(figure)["_repr_png_"] = partial(_png, figure)
    _show(figure)
    return figure


def _show(figure: Figure) -> None:
    """Shows a figure in the cell of a notebook that drew it; other cells show it where it ends them.

    A semicolon at the end of a cell hides its value, so that the value alone is not enough.
    """
    ipython = sys.modules.get("IPython")
    shell: Any = None if ipython is None else ipython.get_ipython()
    if getattr(shell, "kernel", None) is None:
        return  # no notebook
    drawn_in = shell.execution_count

    def publish() -> None:
        shell.display_pub.publish({"image/png": b64encode(_png(figure)).decode()})

    def display() -> None:
        if shell.execution_count != drawn_in:
            publish()

    publish()
    vars(figure)["_ipython_display_"] = display


def _png(figure: Figure) -> bytes:
    written = io.BytesIO()
    with style.drawing():
        figure.savefig(written, format="png", dpi=150)
    return written.getvalue()


def _chosen(name: str | None, choices: Collection[str], what: str) -> str:
    """One of several: that of the name, or the only one that begins so; None takes the first.

    Raises:
        ParameterError: There is none of this name.
        InputError: There is none at all.
    """
    if not choices:
        raise InputError(f"plot: there is no {what} to draw")
    if name is None:
        return next(iter(choices))
    if name in choices:
        return name
    begin = _plain(str(name))
    alike = [each for each in choices if begin and _plain(each).startswith(begin)]
    if len(alike) != 1:
        raise ParameterError(
            Argument("of", name), f": there is no such {what}; choose {one_of(choices)}"
        )
    return alike[0]


def _plain(name: str) -> str:
    """The letters and digits of a name, in small letters.

    >>> _plain("ROUGE-L")
    'rougel'
    """
    return "".join(filter(str.isalnum, name.casefold()))


def _axis(metric: Metric, label: str) -> str:
    words = " (x100)" if times_of(metric) != 1 else ""
    return f"{label}{words}{'' if metric.higher_is_better else ', lower is better'}"


def _scores(scores: Scores, of: str | None) -> Figure:
    """The systems under a metric, best first, with the ranges of ranks where there are tests."""
    label = _chosen(of, scores.labels, "metric")
    metric = scores.measured[label].metric
    rows = scores.systems().filter(metric=label)
    tested = scores.resamples > 0 and metric.ranks and len(scores.names) > 1
    ranks = scores.ranks().filter(metric=label) if tested else None
    ordered = rows.sort(
        "value", descending=metric.higher_is_better, nulls_last=True, maintain_order=True
    )
    return standings(ordered, ranks, _axis(metric, label), times_of(metric))


def _comparison(compared: Comparison, of: str | None) -> Figure:
    """The difference of each pair under a metric."""
    label = _chosen(of, compared.scores.labels, "metric")
    metric = compared.scores.measured[label].metric
    rows, values = _few(compared.table.filter(metric=label)), compared.measured[label].scores()
    shown = dict(zip(compared.scores.names, map(number_of(metric), values), strict=True))
    return differences(rows, _axis(metric, label), times_of(metric), shown)


def _with_people(compared: PeopleComparison, of: str | None) -> Figure:
    """The difference of each pair by one estimate: people, a judge, or (without a name) corrected."""
    names = compared.pairs.get_column("by").unique(maintain_order=True).to_list()
    first = sorted(names, key=lambda name: name != "corrected")
    by = _chosen(of, first, "estimate")
    metric = compared.metrics.get(by)
    rows = _few(compared.pairs.filter(by=by))
    return differences(rows, by if metric is None else _axis(metric, by), times_of(metric))


def _by_people(compared: RatingComparison, of: str | None) -> Figure:
    """The difference of each pair by people under a criterion."""
    name = _chosen(of, _criteria(compared.pairs), "criterion")
    means = compared.ranks.filter(criterion=name).select("system", "mean").iter_rows()
    shown = {system: f"{mean:.2f}" for system, mean in means}
    return differences(
        _few(compared.pairs.filter(criterion=name)), f"mean rating, {name}", 1.0, shown
    )


def _few(pairs: pl.DataFrame) -> pl.DataFrame:
    if pairs.height > MOST_PAIRS:
        raise InputError(
            f"plot: {pairs.height} pairs are too many for one figure; compare fewer systems, or one with "
            "all others: ",
            Argument("a", Placeholder("NAME")),
        )
    return pairs


def _agreement(agreement: Agreement, of: str | None) -> Figure:
    """How far each metric agrees with people, a panel for each coefficient, or for one."""
    table = agreement.table()
    names = table.get_column("correlation").unique(maintain_order=True).to_list()
    if of is not None:
        table = table.filter(correlation=_chosen(of, names, "coefficient"))
    return bars(table, f"protocol {agreement.protocol.name}; whiskers: 95% interval")


def _ratings(summary: RatingSummary, of: str | None) -> Figure:
    """The mean rating of each system, best first."""
    name = _chosen(of, _criteria(summary.systems), "criterion")
    rows = summary.systems.filter(criterion=name).with_columns(value=pl.col("mean"))
    return standings(_best_first(rows), None, f"mean rating, {name}")


def _preferences(summary: PreferenceSummary, of: str | None) -> Figure:
    """The strength of each system, best first."""
    name = _chosen(of, _criteria(summary.strengths), "criterion")
    rows = summary.strengths.filter(criterion=name).with_columns(value=pl.col("strength"))
    return standings(_best_first(rows), None, f"strength (log odds), {name}")


def _criteria(rows: pl.DataFrame) -> list[str]:
    return rows.get_column("criterion").unique(maintain_order=True).to_list()


def _best_first(rows: pl.DataFrame) -> pl.DataFrame:
    value = pl.col("value").fill_nan(None)
    return rows.sort(value, descending=True, nulls_last=True, maintain_order=True)


def _quantity(quantity: Quantity, of: str | None) -> Figure:
    """The mean log-probability at each position, a row of panels for each model, or for one."""
    rows = quantity.replies
    if of is not None:
        rows = rows.filter(system=_chosen(of, quantity.scores.names, "model"))
    return ruq_figure({"": rows})


def _variety(result: Variety, of: str | None) -> Figure:
    """The quality of each system, a given score or closeness to references, over its Vendi score."""
    measures = result.systems.get_column("measure").unique(maintain_order=True).to_list()
    names = {each.removeprefix("closeness "): each for each in result.quality}
    name = _chosen(of, list(names), "score, or similarity to references, where neither is given,")
    variety = f"Vendi {name}" if f"Vendi {name}" in measures else "Vendi chrF"
    return quality_and_variety(result.systems, names[name], variety, result.quality[names[name]])


def _runs(result: Runs, of: str | None) -> Figure:
    """The values of the metrics that were asked for through time, or of one of them."""
    rows = result.series
    if of is not None:
        rows = rows.filter(metric=_chosen(of, rows["metric"].unique().to_list(), "metric"))
    return through_time(rows)


FIGURES: dict[str, Callable[[Any, str | None], Figure]] = {
    "Agreement": _agreement,
    "Comparison": _comparison,
    "PeopleComparison": _with_people,
    "RatingComparison": _by_people,
    "PreferenceSummary": _preferences,
    "Quantity": _quantity,
    "RatingSummary": _ratings,
    "Runs": _runs,
    "Scores": _scores,
    "Variety": _variety,
}
"""By class of result the function that draws it."""
