"""Designs of ratings: what they promise, their file, and where a study that follows one stands."""

from __future__ import annotations

import dataclasses

import numpy as np
import polars as pl
import pytest

from rejoinder import follow_design, plan_design
from rejoinder.errors import InputError, ParameterError
from rejoinder.planning.design import RatingDesign

# Of 100 items x 3 raters, reliability 0.6 (0.28): the effect that they show with a power of 0.8, where true
# differences have a variance of 1 and one rater's noise 2 (7.714): 2.8016 sqrt((1 + noise / 3) / 100).
EFFECT = {0.6: (0.36168, 3**0.5), 0.28: (0.52947, 8.714**0.5)}


@pytest.mark.parametrize(
    ("reliability", "expected", "most"), [(0.6, 0.46, 0.65), (0.28, 0.65, 0.95)]
)
def test_a_design_with_a_judge_takes_the_share_that_is_promised(
    reliability: float, expected: float, most: float
) -> None:
    effect, spread = EFFECT[reliability]
    result = plan_design(effect, reliability=reliability, spread=spread, rho=0.7, pool=500)
    chosen = result.alternatives.filter("chosen").row(0, named=True)
    assert result.design.judge
    assert chosen["planned"] / 300 <= expected
    assert chosen["most"] / 300 <= most
    assert chosen["planned"] == result.design.expected[2]
    # One rater in place of three: (1 + s_r^2) / (3 + s_r^2) of the ratings, 0.60 and 0.81.
    lever = result.levers.row(0, named=True)
    assert 1 - lever["planned"] == pytest.approx({0.6: 0.60, 0.28: 0.81}[reliability], abs=0.012)


def test_few_items_keep_three_raters_and_say_so() -> None:
    effect, spread = EFFECT[0.6]
    result = plan_design(effect, reliability=0.6, spread=spread, pool=120)
    assert result.design.name == "three raters, stopping, futility"
    assert "one rater an item does not reach the power on 120 items" in result.notes[0]
    assert "2.1 times the 103 items of three raters" in result.notes[0]


def test_costs_are_of_the_planned_effect() -> None:
    result = plan_design(0.5, reliability=0.6, per_rating=(2.0, 0.5))
    rows = result.alternatives
    assert (rows["minutes"] == 2 * rows["planned"]).all()
    assert (rows["price"] == rows["planned"] / 2).all()


def test_a_design_is_read_as_it_was_written_and_refused_when_changed(tmp_path) -> None:
    design, path = plan_design(0.5, reliability=0.6).design, tmp_path / "design.json"
    design.save(path)
    assert RatingDesign.read(path) == design
    path.write_text(path.read_text().replace(f'"most": {design.most}', '"most": 7'))
    with pytest.raises(InputError, match="the design was changed since it was written"):
        RatingDesign.read(path)
    path.write_text("{}")
    with pytest.raises(InputError, match="no design of ratings"):
        RatingDesign.read(path)


def _ratings(rng: np.random.Generator, items: int, effects: tuple[float, ...]) -> pl.DataFrame:
    """One rater an item, all systems side by side."""
    rows = [
        (f"c{i}", f"s{s}", f"r{i % 3}", "overall", 3 + effect + value)
        for i in range(items)
        for s, (effect, value) in enumerate(
            zip(effects, rng.standard_normal(len(effects)), strict=True)
        )
    ]
    return pl.DataFrame(rows, schema=["id", "system", "rater", "criterion", "score"], orient="row")


def test_looks_do_not_change_when_more_ratings_come() -> None:
    rng = np.random.default_rng(1)
    design = plan_design(0.7, reliability=0.6, spread=2**0.5).design
    table = _ratings(rng, 200, (0.9, 0.0))
    whole = follow_design(table, design)
    row = whole.pairs.row(0, named=True)
    assert row["says"] == "better"
    assert row["late"] == 200 - row["rated"]
    until = follow_design(table.head(2 * row["rated"]), design)
    assert until.looks.equals(whole.looks)
    assert until.pairs["late"][0] == 0
    assert whole.saved["ratings"][-1] == design.fixed - 200
    assert until.saved["ratings"][-1] == design.fixed - row["rated"]
    before = follow_design(table.head(2 * (row["rated"] - 1)), design)
    assert before.pairs["says"][0] == "go on"
    assert before.saved.is_empty()


def test_before_the_first_look_there_is_none() -> None:
    design = plan_design(0.5, reliability=0.6).design
    row = follow_design(_ratings(np.random.default_rng(2), 19, (0.0, 0.0)), design).pairs.row(
        0, named=True
    )
    assert (row["says"], row["looks"], row["reason"]) == (
        "go on", 0, "19 rated items; the first look is at 20"
    )  # fmt: skip


def test_several_systems_share_a_constant() -> None:
    design = plan_design(0.7, reliability=0.6, spread=2**0.5).design
    table = _ratings(np.random.default_rng(3), 40, (0.0, 0.0, 0.0))
    result = follow_design(table, design)
    alone = follow_design(table, design, a="s0", b="s1")
    boundary = [each.looks["boundary"].to_numpy().astype(float)[:2] for each in (result, alone)]
    wider = boundary[0] / boundary[1]
    assert np.nanmin(wider) == pytest.approx(np.nanmax(wider))
    assert (
        1.1 < np.nanmax(wider) < 1.25
    )  # three unrelated tests: 1.22 by Sidak; these pairs share systems


def test_a_judge_of_the_design_is_asked_for() -> None:
    table = _ratings(np.random.default_rng(4), 30, (0.0, 0.0))
    with pytest.raises(ParameterError, match="give the judge's scores of all items too"):
        follow_design(table, plan_design(0.25, reliability=0.6, rho=0.7, pool=400).design)


def test_a_judge_narrows_the_estimate_from_60_items_on() -> None:
    rng = np.random.default_rng(5)
    true = rng.standard_normal((2, 300))
    noise = 0.3 * rng.standard_normal((2, 300))
    marks = pl.DataFrame(
        [(f"s{s}", f"c{i}", float(true[s, i])) for s in range(2) for i in range(300)],
        schema=["system", "id", "judge"], orient="row",
    )  # fmt: skip
    rows = [
        (f"c{i}", f"s{s}", f"r{i % 3}", "overall", 3 + float(true[s, i] + noise[s, i]))
        for i in range(80) for s in range(2)
    ]  # fmt: skip
    table = pl.DataFrame(rows, schema=["id", "system", "rater", "criterion", "score"], orient="row")
    design = plan_design(0.25, reliability=0.6, spread=1.0, rho=0.7, pool=300).design
    with_judge = follow_design(table, design, marks)
    without = follow_design(table, plan_design(0.25, reliability=0.6, spread=1.0).design)
    by = {each["rated"]: each for each in with_judge.looks.to_dicts()}
    assert {50, 60} <= by.keys() & set(without.looks["rated"])
    for each in without.looks.filter(pl.col("rated").is_in(list(by))).to_dicts():
        same = by[each["rated"]]["mean"] == pytest.approx(each["mean"])
        assert same == (each["rated"] < 60)


def test_a_system_that_cannot_be_the_best_needs_no_more_ratings() -> None:
    design = plan_design(0.7, reliability=0.6, spread=2**0.5, systems=4, goal="best").design
    assert design.most > plan_design(0.7, reliability=0.6, spread=2**0.5).design.most
    assert design.plan.final > 1.15 * plan_design(0.7, reliability=0.6).design.plan.final
    table = _ratings(np.random.default_rng(8), 40, (1.4, 0.0, 0.0, 1.2))
    best = follow_design(table, design)
    assert best.finished == ("s1", "s2")
    says = {(row["a"], row["b"]): row["says"] for row in best.pairs.to_dicts()}
    assert says["s0", "s3"] == "go on"
    assert says["s1", "s2"] == "closed"
    ranks = follow_design(table, dataclasses.replace(design, goal="ranks"))
    assert ranks.finished == ()
    # Where s1 and s2 were left out from then on, nothing else changes, and the pairs of the others end.
    more = _ratings(np.random.default_rng(7), 300, (1.9, 0.0, 0.0, 1.2)).filter(
        pl.col("system").is_in(["s0", "s3"])
    ).with_columns(pl.col("id") + "+")  # fmt: skip
    whole = follow_design(pl.concat([table, more]), design)
    assert whole.finished == ("s0", "s1", "s2", "s3")
    assert "the best system is s0" in whole.notes
    early = whole.looks.filter(pl.col("rated") <= 40)
    assert early.equals(best.looks.filter(pl.col("rated") <= 40))
    saved = {row["lever"]: row["ratings"] for row in whole.saved.to_dicts()}
    assert saved["systems that were finished earlier"] == 340 - (340 + 40 + 40 + 340) / 4
