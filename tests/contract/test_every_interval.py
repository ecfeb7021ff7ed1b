"""Every function that makes an interval is tried by simulation, or a reason says why it is not."""

import ast
import sys
from pathlib import Path

import numpy as np
import pytest
from simulations import shaped
from simulations.run import STUDIES

import rejoinder

SOURCE = Path(rejoinder.__file__).parent
PACKAGES = ("statistics", "human_evaluation", "meta_evaluation", "diversity", "ledger")
QUANTILES = (
    "t_quantile",
    "normal_quantile",
    "quantile_at",
    "percentiles",
    "middle",
    "wilson_ends",
    "score_interval",
    "beta_quantile",
    "difference_interval",
)
"""Who calls one of these makes the ends of an interval."""

SHAPED = {
    "shapes_raters": (
        "human_evaluation.rating_criterion._mean_interval",
        "statistics.mean_difference.paired_difference",
        "statistics.mean_difference.mean_inference",
        "statistics.skewed_mean.Tails.inference",
        "statistics.skewed_mean.t_inference",
        "statistics.prediction_powered.corrected_mean",
        "statistics.prediction_powered._estimate",
        "statistics.rater_variance.RaterVariance.beside",
    ),
    "shapes_clusters": ("statistics.clusters.dominated_variance",),
    "shapes_differences": (
        "statistics.proportions.mean_on_scale",
        "statistics.skewed_mean.Tails.interval",
    ),
    "shapes_anytime": (
        "statistics.confidence_sequence.at_any_time",
        "statistics.confidence_sequence.quantile_at",
    ),
    "shapes_judge": (
        "statistics.judge_errors.judge_errors",
        "statistics.judge_errors.cluster_estimate",
        "statistics.judge_panel.independent_judges",
    ),
    "shapes_preferences": (
        "human_evaluation.preference_criterion.PreferenceCriterion._share_interval",
        "statistics.clusters.of_freedom",
        "statistics.proportions.share_interval",
        "statistics.proportions.wilson",
        "statistics.proportions.wilson_ends",
    ),
    "shapes_accuracy": ("meta_evaluation.pairwise.ReplyPairs._interval",),
    "shapes_different_items": ("human_evaluation.by_people.estimates.unpaired_difference",),
    "shapes_agreement": ("statistics.alpha.alpha_interval",),
}
"""By part of `simulations/shaped.py` the functions that it goes through."""

ELSEWHERE = {
    "contests": ("statistics.paired_comparisons.parameter_intervals",),
    "judgements": (
        "statistics.intervals.percentiles",
        "statistics.paired_comparisons.bootstrap_intervals",
        "statistics.correlation_bootstrap.bootstrap_correlation",
        "statistics.correlation_bootstrap.bootstrap_over_raters",
    ),
    "monitored": (
        "statistics.group_sequential.Monitoring.stage_wise",
        "statistics.group_sequential.in_t",
        "statistics.monitored_difference.follow",
        "statistics.monitored_difference._look",
    ),
    "ledger_gates": ("ledger.runs._judged",),
    "tuned_gain": ("statistics.held_out_gain.held_out_interval",),
    "labels_saved": ("statistics.labels_saved.forecast_saved",),
    "pairs_together": ("statistics.max_over_pairs.max_over_pairs",),
    "pair_ratings": (
        "statistics.system_jackknife.correlation_interval",
        "statistics.system_jackknife.difference_interval",
        "statistics.system_jackknife._interval",
        "meta_evaluation.unit_level.UnitObservations.row",
        "meta_evaluation.unit_level.UnitObservations.pair",
    ),
    "rates": (
        "statistics.paired_rates.PairedRates.interval",
        "statistics.paired_rates.SeparateRates.interval",
        "statistics.paired_rates.score_interval",
        "statistics.proportions.clopper_pearson_ends",
    ),
    "soft_clusters": (
        "statistics.system_jackknife.share_interval",
        "meta_evaluation.soft.SoftPairs.row",
        "meta_evaluation.soft.SoftPairs.pair",
    ),
    "variety": (
        "diversity.sameness.DrawnSamples.gap",
        "diversity.sameness.more_varied",
    ),
    "turn_level": (
        "statistics.within_systems.WithinSystems.interval",
        "statistics.within_systems.WithinSystems.difference_interval",
        "statistics.intervals.jackknife_interval",
    ),
}
"""By another part of the page the functions that it goes through: of correlations and contests."""

_ROW = "a row of the intervals that the functions it calls make"
REASONS = {
    "ledger.numbers.numbers_of": "the numbers and ends of a result as they are",
    "ledger.numbers._numbers": "the numbers and ends of a result as they are",
    "statistics.clusters.interval_size": "a number of items: no interval",
    "statistics.intervals.Interval.none": "no interval",
    "statistics.paired_comparisons.ParameterIntervals.none": "no interval",
    "statistics.rate_power._critical": "of a test: no interval",
    "statistics.rate_power.separate_power": "the power of SeparateRates.interval",
    "statistics.rate_power.paired_items": "a number of items: no interval",
    "statistics.rate_power.separate_items": "a number of items: no interval",
    "statistics.rate_power._one_sided": "a quantile: no interval",
    "statistics.rate_power.all_must_pass": "wilson's, turned around",
    "diversity.sameness._none": "no interval",
    "human_evaluation.strengths.Strengths._intervals": "parameter_intervals' or bootstrap_intervals'",
    "statistics.agreement.AgreementMeasure.measured": "what its subclasses promise",
    "statistics.agreement.Alpha.measured": "alpha_interval's",
    "statistics.agreement.Kappa.measured": "no interval",
    "statistics.discrimination.Separation.row": "of a paper's study of metrics: no people, no judge",
    "statistics.discrimination.compared": "of a paper's study of metrics: no people, no judge",
    "meta_evaluation.correlate.correlate": _ROW,
    "meta_evaluation.correlate._rows": _ROW,
    "meta_evaluation.evidence.Evidence.row": _ROW,
    "meta_evaluation.evidence.Evidence.pair": _ROW,
    "meta_evaluation.evidence.Evidence.people": _ROW,
    "meta_evaluation.judge.judge": "judge_errors' and independent_judges'",
    "meta_evaluation.judge.judge_by": "judge_errors' and independent_judges'",
    "meta_evaluation.judge._judge": "judge_errors'",
    "meta_evaluation.judge._panel": "independent_judges'",
    "human_evaluation.by_people.estimates.beyond_t": "notes on the intervals of corrected_mean",
    "human_evaluation.by_people.estimates.mean_difference": "corrected_mean's",
    "meta_evaluation.pairwise.ReplyPairs.row": _ROW,
    "meta_evaluation.pairwise.ReplyPairs.pair": "ReplyPairs._interval's, of a difference",
    "meta_evaluation.turn_level.Observations.row": _ROW,
    "meta_evaluation.turn_level.Observations._interval": "bootstrap_correlation's resamples, of judgements",
    "meta_evaluation.turn_level.Observations.pair": _ROW,
    "meta_evaluation.turn_level.TurnObservations.row": _ROW,
    "meta_evaluation.turn_level.TurnObservations.pair": _ROW,
    "meta_evaluation.turn_level.TurnObservations.people": _ROW,
    "meta_evaluation.turn_level.TurnObservations.mean_within": _ROW,
    "meta_evaluation.turn_level.TurnObservations._mean_within": _ROW,
}
"""Functions that need no simulation of their own, and why."""


def _trees():
    for package in PACKAGES:
        for file in sorted((SOURCE / package).rglob("*.py")):
            module = ".".join(file.relative_to(SOURCE).with_suffix("").parts)
            yield module, ast.parse(file.read_text("utf-8"))


def _words(node):
    """The names in an annotation, also in one that is written as text."""
    nodes = [] if node is None else list(ast.walk(node))
    names = {each.id for each in nodes if isinstance(each, ast.Name)}
    return names | {each.value for each in nodes if isinstance(each, ast.Constant)}


def _with_ends(trees):
    """The classes that have fields `low` and `high`, or a field of such a class."""
    classes = [
        (node.name, {part.target.id: _words(part.annotation) for part in node.body
                     if isinstance(part, ast.AnnAssign)})
        for _, tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    ]  # fmt: skip
    found = {name for name, fields in classes if {"low", "high"} <= fields.keys()}
    while (
        more := {
            name for name, fields in classes if any(found & words for words in fields.values())
        }
        - found
    ):
        found |= more
    return found


def _functions(node, prefix=""):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.FunctionDef):
            yield prefix + child.name, child


def intervals():
    """The functions that return an interval, or make its ends."""
    trees = list(_trees())
    kinds = _with_ends(trees)
    found = []
    for module, tree in trees:
        for name, node in _functions(tree):
            calls = {
                each.func.id
                for each in ast.walk(node)
                if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
            }
            if _words(node.returns) & kinds or calls & set(QUANTILES):
                found.append(f"{module}.{name}")
    return found


TRIED = [name for part in (SHAPED, ELSEWHERE) for names in part.values() for name in names]


def test_every_interval_is_tried_by_simulation_or_has_a_reason():
    listed = [*TRIED, *REASONS]
    assert len(set(listed)) == len(listed)
    assert sorted(set(intervals()) - set(listed)) == []
    assert sorted(set(listed) - set(intervals())) == []


def test_the_parts_that_are_named_are_parts():
    assert shaped.STUDIES.keys() >= SHAPED.keys()
    assert STUDIES.keys() >= ELSEWHERE.keys()


def test_a_new_interval_is_seen(tmp_path, monkeypatch):
    text = (
        "class Ends:\n    low: float\n    high: float\n"
        "class Result:\n    interval: 'Ends'\n"
        "def one() -> Result: ...\n"
        "class Table:\n    def two(self):\n        return 1 - t_quantile(0.95, 3)\n"
        "def three() -> float: ...\n"
    )
    (tmp_path / "statistics").mkdir()
    (tmp_path / "statistics" / "new.py").write_text(text)
    monkeypatch.setattr(sys.modules[__name__], "SOURCE", tmp_path)
    assert intervals() == ["statistics.new.one", "statistics.new.Table.two"]


@pytest.mark.parametrize("part", SHAPED)
def test_a_part_goes_through_the_functions_that_it_names(part):
    called = set()

    def note(frame, event, _):
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("rejoinder."):
            called.add(f"{module.removeprefix('rejoinder.')}.{frame.f_code.co_qualname}")

    rng = np.random.default_rng(1)
    by_clusters = {}
    for cell in shaped.CELLS[part]:
        by_clusters.setdefault(cell.shape.clusters, cell)
    for cell in (*by_clusters.values(), shaped.CELLS[part][-1]):
        ends = shaped.KINDS[cell.kind](cell, rng)
        sys.setprofile(note)
        try:
            for _ in ends:
                pass
        finally:
            sys.setprofile(None)
    assert set(SHAPED[part]) - called == set()
