"""Plans for rates without a pilot: the power is what enumeration by other code gives."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

from rejoinder import plan_rates
from rejoinder.cli.app import app
from rejoinder.errors import ParameterError
from rejoinder.planning.criterion import PlanningCriterion
from rejoinder.planning.rates import Rates
from rejoinder.statistics.proportions import wilson
from rejoinder.statistics.rate_power import (
    all_must_pass,
    fewest_items,
    paired_power,
    separate_power,
)

stats = pytest.importorskip("scipy.stats")


def paired_by_hand(n, discordant, difference):
    """Every outcome of n items, with McNemar's exact p by scipy."""
    power = 0.0
    for m in range(n + 1):
        k = np.arange(m + 1)
        least = np.minimum(k, m - k)
        exact = 2 * stats.binom.cdf(least, m, 0.5)
        found = stats.binom.pmf(k, m, (1 + difference / discordant) / 2)[exact < 0.05].sum()
        power += stats.binom.pmf(m, n, discordant) * found
    return power


@pytest.mark.parametrize(
    ("n", "d", "difference"), [(5, 0.5, 0.3), (60, 0.3, 0.2), (150, 0.05, 0.05)]
)
def test_the_power_on_the_same_items(n, d, difference):
    assert paired_power(n, d, difference, 0.05) == pytest.approx(
        paired_by_hand(n, d, difference), abs=1e-9
    )


@pytest.mark.parametrize(("n", "p", "q"), [(5, 0.2, 0.9), (60, 0.7, 0.9), (40, 0.5, 1.0)])
def test_the_power_on_other_items(n, p, q):
    x = np.arange(n + 1)
    pooled = (x[:, None] + x) / (2 * n)
    chi = (x[:, None] - x) ** 2 / n**2 > 1.9599639845**2 * pooled * (1 - pooled) * 2 / n
    expected = stats.binom.pmf(x, n, p) @ chi @ stats.binom.pmf(x, n, q)
    assert separate_power(n, p, q, 0.05) == pytest.approx(expected, abs=1e-9)


def test_ninety_against_ninety_five():
    rows = plan_rates(0.90, 0.95).rate_needs.to_dicts()
    assert [row["prompts"] for row in rows] == ["other", "same", "same"]
    # By textbooks' formulas; as if independent .9 * .05 + .95 * .1 = .14, and at least .05.
    assert [row["closed_form"] for row in rows] == [435, 438, 155]
    assert [row["discordant"] for row in rows[1:]] == pytest.approx([0.14, 0.05])
    for row, power_on in zip(rows, _powers(), strict=True):
        assert row["power"] == pytest.approx(power_on(row["items"]))
        assert row["power"] >= 0.8
        assert all(power_on(row["items"] + more) >= 0.8 for more in range(1, 11))
        assert min(power_on(row["items"] - less) for less in range(1, 4)) < 0.8


def _powers():
    yield lambda n: separate_power(n, 0.9, 0.95, 0.05)
    for discordant in (0.14, 0.05):
        yield lambda n, d=discordant: paired_power(n, d, 0.05, 0.05)


def test_the_exact_test_takes_six_of_six():
    """At 155 items, 5% of them told by one system alone: 2 / 2^5 is above the level, 2 / 2^6 is not."""
    n, told = 155, np.arange(156)
    exact = stats.binom.pmf(told, n, 0.05)[told >= 6].sum()  # 2 / 2^6 is below .05, 2 / 2^5 is not
    assert exact == pytest.approx(0.80, abs=0.05)
    assert paired_power(n, 0.05, 0.05, 0.05) == pytest.approx(exact)


def test_the_numbers_that_are_named_and_the_order_of_the_rates():
    plan = plan_rates(0.95, 0.90, 0.1, items=[400, 100], power=0.9, alpha=0.01)
    assert plan.rate_power["items"].to_list() == [100, 400] * 2
    assert plan.rate_needs.equals(plan_rates(0.90, 0.95, 0.1, power=0.9, alpha=0.01).rate_needs)
    assert plan.parameters["rates"] == [0.95, 0.90]
    assert isinstance(Rates(0.9, 0.95), PlanningCriterion)


def test_out_of_reach():
    row = plan_rates(0.9, 0.9001).rate_needs.row(0, named=True)
    assert (row["items"], row["power"]) == (None, None)
    assert row["reason"] == "even 100,000 items are not enough"
    assert "over 100,000 prompts" in plan_rates(0.9, 0.9001).to_markdown()


@pytest.mark.parametrize("rate", [0.5, 0.9, 0.95, 0.99])
def test_so_many_must_all_pass(rate):
    n = all_must_pass(rate)
    assert wilson(1.0, n).low >= rate
    assert wilson(1.0, n - 1).low < rate
    assert (all_must_pass(0.9), all_must_pass(0.95)) == (35, 73)
    assert plan_rates(0.5, 1.0).all_pass.rows() == [(0.5, 4)]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((0.9, 0.9), r"rates=\(0.9, 0.9\) must be two different shares"),
        ((0.9, 1.2), "must be two different shares of passes, from 0 to 1"),
        ((0.9, 0.95, 0.04), "discordant=0.04 must be from 0.05 to 0.15"),
        ((0.9, 0.95, 0.2), "must be from 0.05 to 0.15"),
    ],
)
def test_rates_that_cannot_be(given, words):
    with pytest.raises(ParameterError, match=words):
        plan_rates(*given)
    with pytest.raises(ParameterError, match="power"):
        plan_rates(0.9, 0.95, power=0.3)
    with pytest.raises(ParameterError, match="alpha"):
        plan_rates(0.9, 0.95, alpha=math.nan)


def test_the_command_line():
    done = CliRunner().invoke(app, ["plan", "--rates", "0.9", "0.95", "--items", "50", "--json"])
    told = json.loads(done.stdout)
    assert told["rate_needs"] == plan_rates(0.9, 0.95).as_json()["rate_needs"]
    assert {row["items"] for row in told["rate_power"]} == {50}


@pytest.mark.parametrize("dips", [(15,), (15, 16), (15, 16, 17), (15, 24)])
def test_the_fewest_items_are_enough_themselves(dips):
    found = fewest_items(lambda n: 0.0 if n < 10 or n in dips else 0.9, 0.8, near=10)
    assert found == dips[-1] + 1
