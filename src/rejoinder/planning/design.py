"""Designs of a study by people: how many ratings at most, looks on the way, and what each lever saves."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import polars as pl

from rejoinder._version import __version__
from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import InputError, ParameterError, check_least
from rejoinder.files.checksums import KEY, with_checksum
from rejoinder.files.replacing import write_file
from rejoinder.files.strict_json import strict_json
from rejoinder.human_evaluation.grades import Scale
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument, Call, counted
from rejoinder.planning.criterion import check_power
from rejoinder.planning.plan import plan
from rejoinder.result import TableResult
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.monitored_difference import PlannedStudy
from rejoinder.statistics.power import MOST_ITEMS, POWER
from rejoinder.statistics.sequential_design import (
    ESTIMATED,
    FIRST_LOOK,
    SequentialDesign,
    looks_until,
    planned,
    sequential_design,
    wider_for_systems,
)
from rejoinder.tables.frames import Frame
from rejoinder.tables.types import Ratings

Goal = Literal["best", "ranks"]
FORMAT = "rejoinder design of ratings, version 1"
THREE = 3
"""The raters of the fixed design that others are compared with."""

FEWEST_CORRECTED = 60
"""With fewer rated items a judge does not correct the mean: a useless one would cost more than 2%."""

DRAWS = 400
"""How often a pilot's variances are drawn for the interval of a forecast."""

PILOT_DRAWS = 1
"""The stream of random numbers of these draws."""

ROUGHER = 1.25
"""A judge's correlation is drawn so many times as roughly as one sample's: with 1 the interval of the
forecast holds the true share in .86 to .89 of simulated pilots, with this in .88 to .92."""

MOST_RHO = 0.95
"""No judge is taken to follow true differences more closely than this."""

LOOKS_OF_PAIRS = 20
"""So many looks stand for those of a design of several systems."""

ALTERNATIVES = {
    "design": pl.String, "raters": pl.Int64, "items": pl.Int64, "most": pl.Int64, "none": pl.Float64,
    "half": pl.Float64, "planned": pl.Float64, "double": pl.Float64, "share": pl.Float64,
    "share_low": pl.Float64, "share_high": pl.Float64, "of_one_rater": pl.Float64, "minutes": pl.Float64,
    "price": pl.Float64, "chosen": pl.Boolean, "reason": pl.String,
}  # fmt: skip
"""The table of designs."""

LEVERS = {"lever": pl.String, "planned": pl.Float64, "none": pl.Float64}
"""The table of what each lever saves."""


class Spread(NamedTuple):
    """How the difference of two systems varies.

    Args:
        items: The variance of true differences over items.
        rater: That of one rater's difference around them.
        rho: The correlation of a judge's differences with the true ones; 0 without a judge.
        pool: How many items there are, and a judge scored; None: as many as wanted.
    """

    items: float
    rater: float
    rho: float = 0.0
    pool: int | None = None

    def information(self, n: Floats, raters: int = 1, judge: bool = False) -> Floats:
        """``1 / error^2`` of the difference after so many rated items."""
        left = n / (self.pool or math.inf)
        corrected = judge & (n >= FEWEST_CORRECTED - ESTIMATED)
        explained = self.rho**2 * (1 - left) * corrected
        return n / (self.items * (1 - explained) + self.rater / raters)


class DesignKind(NamedTuple):
    """One design.

    Args:
        name: In words.
        raters: Of an item.
        stopping: Whether it stops when the difference is clear.
        futility: Whether it stops when it is futile.
        judge: Whether a judge's scores correct the mean.
    """

    name: str
    raters: int
    stopping: bool = False
    futility: bool = False
    judge: bool = False


KINDS = (
    DesignKind("three raters an item, fixed", THREE),
    DesignKind("three raters, stopping, futility", THREE, True, True),
    DesignKind("one rater an item, fixed", 1),
    DesignKind("one rater, stopping", 1, True),
    DesignKind("one rater, stopping, futility", 1, True, True),
    DesignKind("one rater, stopping, futility, judge", 1, True, True, True),
)
_FIXED, _THREE_STOPPED, _ONE, _STOPPED, _FUTILE, _JUDGE = KINDS


@dataclass(frozen=True)
class RatingDesign:
    """A design that a study follows; what its file holds.

    Attributes:
        name: In words.
        raters: Of an item.
        most: The planned maximum of rated items.
        every: Items between looks.
        effect: The planned difference, in grades.
        information: ``1 / error^2`` that is planned for at the maximum.
        final: The last boundary, in standard errors.
        stopping: Whether the study stops when the difference is clear.
        futility: Whether it stops when it is futile.
        judge: Whether a judge's scores correct the mean.
        fixed: The ratings of the fixed design of three raters an item.
        one: The ratings of the fixed design of one rater an item; None where items are too few for it.
        expected: By multiple of the planned effect (0, half, once, twice) the mean number of ratings.
        made_with: The parameters of the plan.
        systems: How many systems are compared, each pair of them.
        goal: What is sought: the ``best`` of them, or all ``ranks``.
        version: Of Rejoinder.
    """

    name: str
    raters: int
    most: int
    every: int
    effect: float
    information: float
    final: float
    stopping: bool
    futility: bool
    judge: bool
    fixed: int
    one: int | None
    expected: tuple[float, ...]
    made_with: Mapping[str, Any]
    systems: int = 2
    goal: Goal = "ranks"
    version: str = __version__

    @property
    def looks(self) -> tuple[int, ...]:
        """The numbers of rated items at which the study is looked at."""
        return looks_until(self.most, self.every) if self.stopping else (self.most,)

    @property
    def plan(self) -> PlannedStudy:
        """For the statistics of the looks."""
        return PlannedStudy(
            self.most, self.information, self.effect, self.final, self.stopping, self.futility
        )

    def save(self, path: str | Path) -> None:
        """Writes the design with a checksum.

        Raises:
            InputError: The file cannot be written.
        """
        write_file(path, self.text)

    @property
    def text(self) -> str:
        """What the file of the design holds."""
        facts = with_checksum({"format": FORMAT, **asdict(self)})
        return json.dumps(facts, indent=2) + "\n"

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Reads a design.

        Raises:
            InputError: The file is no design, or was changed since it was written.
        """
        return cls.of_text(Path(path).read_bytes().decode("utf-8", "replace"), path)

    @classmethod
    def of_text(cls, text: str, path: str | Path) -> Self:
        """Reads what the file of a design holds.

        Args:
            text: The JSON.
            path: Where it stands, for errors.

        Raises:
            InputError: It is no design, or was changed since it was written.
        """
        try:
            given = strict_json(text)
        except ValueError:
            given = None
        if not isinstance(given, dict) or given.get("format") != FORMAT:
            raise InputError(
                f"{path}: no design of ratings; expected a file that {Call('RatingDesign.save')} wrote"
            )
        if with_checksum({k: v for k, v in given.items() if k != KEY}) != given:
            raise InputError(
                f"{path}: the design was changed since it was written (its checksum is another one); a study "
                "follows the design that was made before its first rating: plan it again"
            )
        own: dict[str, Any] = {
            each.name: given[each.name] for each in fields(cls) if each.name in given
        }
        own["expected"] = tuple(own["expected"])
        return cls(**own)


@dataclass(frozen=True, eq=False, repr=False)
class DesignPlan(TableResult):
    """Designs that reach a power, and which of them is the cheapest.

    Attributes:
        alternatives: A row for each ``design``: ``raters`` of an item; ``items`` and ratings (``most``) at
            most; the mean number of ratings where there is no difference (``none``), where it is ``half`` of
            the planned one, the ``planned`` one, and ``double``; ``share`` of the ratings of three raters an
            item without looks, with the 90% interval of that forecast (``share_low``, ``share_high``);
            ``of_one_rater``, the same of one rater an item without looks; ``minutes`` and ``price`` at the
            planned effect; ``chosen``; ``reason`` where it does not reach the power.
        levers: By ``lever`` the share of ratings that it saves of those before it, at the ``planned`` effect
            and at ``none``.
        design: The one that is chosen.
        notes: What to know of it.
        parameters: What was asked for.
    """

    alternatives: pl.DataFrame
    levers: pl.DataFrame
    design: RatingDesign
    notes: tuple[str, ...]
    parameters: dict[str, Any]

    def document(self, view: View = AS_USUAL) -> Document:
        """The designs beside each other, what each lever saves, and the design chosen."""
        from rejoinder.planning.design_tables import designs

        design = {**asdict(self.design), "looks": self.design.looks}
        return designs(self.alternatives, self.levers, design, self.notes, self.parameters)

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder plan --design --json`` prints."""
        facts = self.json_of("alternatives", "levers", "notes", "parameters")
        return {**facts, "design": asdict(self.design)}


def plan_design(
    difference: float | None = None,
    *,
    reliability: float | None = None,
    spread: float = 1.0,
    rho: float = 0.0,
    pool: int | None = None,
    ratings: Frame | Ratings | None = None,
    scores: Scores | Frame | None = None,
    a: str | None = None,
    b: str | None = None,
    criterion: str | None = None,
    without: Sequence[str] = (),
    scale: Scale | None = None,
    power: float = POWER,
    every: int = 10,
    per_rating: tuple[float, float] | None = None,
    systems: int = 2,
    goal: Goal = "ranks",
    seed: int = 12345,
) -> DesignPlan:
    """Says which designs of paired ratings reach a power, what they cost, and what each lever saves.

    Every item is rated with the replies of all systems side by side; a rating is one rater's of one item.
    One rater an item and more items; looks whose boundaries spend 4.6% in the information (O'Brien and
    Fleming's type); non-binding futility; a judge that corrects the mean: each is one lever.

    Args:
        difference: The difference to be found, in grades; None takes the pilot's.
        reliability: Of the mean of three raters' differences of two systems; without a pilot.
        spread: The standard deviation of one rater's difference over items, in grades; without a pilot.
        rho: A judge's correlation with the true differences; without a pilot.
        pool: How many items there are; None: those that the pilot's judge scored, or as many as wanted.
        ratings: A pilot; its variances take the place of ``reliability`` and ``spread``.
        scores: A judge's scores of the pilot and of further items.
        a: A system of the pilot, with ``b``; None takes the two that people rate best.
        b: The other.
        criterion: Which criterion of the pilot.
        without: Systems of the pilot to leave out.
        scale: The worst and the best grade that could be given.
        power: Wanted at this difference; from 0.5.
        every: Rated items between looks, from the 20th on.
        per_rating: Minutes and price of one rating.
        systems: How many systems are compared: a decision on a pair then takes more, so that those on all
            pairs together err in 5 of 100 studies.
        goal: What is sought: the ``best`` system, so that one that is worse than another gets no more
            ratings, or all ``ranks``.
        seed: Random seed of the interval of the forecast.

    Raises:
        InputError: The pilot breaks its rules.
        ParameterError: A parameter is out of range, the pilot does not show how noisy raters are, or no
            design reaches the power.

    >>> plan_design(0.36173, reliability=0.6, spread=3**0.5).design.most
    213
    """
    asked: Any = {"power": power, "every": every, "per_rating": per_rating, "seed": seed,
                  "systems": systems, "goal": goal}  # fmt: skip
    if ratings is None:
        if difference is None or reliability is None:
            raise ParameterError(
                "a design rests on a pilot, or on stated assumptions: give ",
                Argument("ratings"), ", or ", Argument("difference"), " and ", Argument("reliability"),
            )  # fmt: skip
        for name, value, low, high in (
            ("reliability", reliability, 0, 1), ("spread", spread, 0, math.inf), ("rho", rho, -1, 1)
        ):  # fmt: skip
            if not low < value < high:
                words = f"from {low} to {high}" if math.isfinite(high) else f"above {low}"
                raise ParameterError(Argument(name, value), f" must be {words}, without the ends")
        return designs_for(difference, spread_of(reliability, spread, rho, pool), **asked)
    pilot = plan(
        scores, ratings, a=a, b=b, criterion=criterion, without=without, scale=scale, seed=seed
    )
    if pilot.components.is_empty():
        raise ParameterError(
            "the pilot has too few items on which both systems are rated; rate 10 or more"
        )
    row = pilot.components.row(0, named=True)
    rater = row["rest"] + (0.0 if math.isnan(row["raters"]) else row["raters"])
    if math.isnan(rater):
        raise ParameterError(
            "the pilot has one rating of each reply, so that how noisy raters are cannot be seen; have "
            "some 50 of its items rated by a second rater, or state the reliability without a pilot"
        )
    if not row["items"] > 0:
        raise ParameterError(
            "the pilot shows no true differences between items beside the noise of its raters; rate more "
            "items, or state the reliability without a pilot"
        )
    names = {"a": row["a"], "b": row["b"]}
    saved = pilot.labels_saved.filter((pl.col("a") == names["a"]) & (pl.col("b") == names["b"]))
    own = saved.filter(judge="combined") if saved.height > 1 else saved
    raters = row["raters_per_reply"]
    seen = row["items"] / (row["items"] + rater / raters)
    if own.height:
        rho = min(MOST_RHO, max(0.0, own["correlation"][0] or 0.0) / math.sqrt(seen))
        pool = pool or own["scored"][0]
    of_pair = pilot.comparisons.filter(**names, subject="people")
    found = of_pair["difference"][0] if difference is None else difference
    result = designs_for(
        found, Spread(row["items"], rater, rho, pool), **asked, pilot=(row["n"], raters),
        made_with={**names, "criterion": pilot.parameters["criterion"], "pilot_items": row["n"]},
    )  # fmt: skip
    notes = result.notes
    if difference is None:
        notes = (
            f"the difference to be found is the pilot's, {found:.3g}; name the smallest one that matters "
            "instead, since a pilot's own is known roughly",
            *notes,
        )
    return replace(result, notes=notes)


def spread_of(
    reliability: float, spread: float, rho: float = 0.0, pool: int | None = None
) -> Spread:
    """The spread that follows from stated assumptions.

    Args:
        reliability: Of the mean of three raters' differences, ``s_i^2 / (s_i^2 + s_r^2 / 3)``.
        spread: The standard deviation of one rater's difference over items, in grades.
        rho: The judge's correlation with the true differences.
        pool: How many items there are.

    >>> spread_of(0.6, 3**0.5).items
    1.0
    """
    noise = THREE * (1 - reliability) / reliability
    items = spread**2 / (1 + noise)
    return Spread(round(items, 12), round(noise * items, 12), rho, pool)


def designs_for(
    effect: float,
    spread: Spread,
    *,
    power: float = POWER,
    every: int = 10,
    per_rating: tuple[float, float] | None = None,
    systems: int = 2,
    goal: Goal = "ranks",
    pilot: tuple[int, float] | None = None,
    seed: int = 12345,
    made_with: Mapping[str, Any] | None = None,
) -> DesignPlan:
    """The designs that reach a power with this spread, and what they cost; see `plan_design`.

    Args:
        effect: The difference to be found, in grades.
        spread: How the difference varies over items and raters.
        power: Wanted at this effect; from 0.5.
        every: Rated items between looks, from the 20th on.
        per_rating: Minutes and price of one rating.
        systems: How many systems are compared.
        goal: What is sought: the ``best`` of them, or all ``ranks``.
        pilot: The pilot's items, and raters of an item, for the interval of the forecast; None: variances
            are taken as known.
        seed: Random seed of that interval.
        made_with: Further parameters for the design's file.

    Raises:
        ParameterError: A parameter is out of range, or no design reaches the power.

    >>> result = designs_for(0.36173, Spread(1.0, 2.0))
    >>> result.design.name, result.design.most, result.design.fixed
    ('one rater, stopping, futility', 213, 306)
    """
    check_power(power, 0.05)
    if not abs(effect) > 0 or not math.isfinite(effect):
        raise ParameterError(
            Argument("difference", effect), " must be other than 0: the difference to be found"
        )
    check_least(1, every=every)
    check_least(2, systems=systems)
    kinds = [each for each in KINDS if spread.rho or not each.judge]
    found = {each: _design(each, effect, spread, power, every, systems) for each in kinds}
    reached = [each for each in kinds if found[each].most is not None]
    if not reached:
        raise ParameterError(
            f"no design shows a difference of {effect:g} with a power of {power:g} on "
            f"{counted(spread.pool or MOST_ITEMS, 'item')}; plan for a larger difference, or with more items"
        )
    chosen = min(reached, key=lambda each: _ratings(each, found[each])[2])
    shares = _share_intervals(spread, pilot, found, seed)
    rows = [
        _row(each, found[each], found, shares, per_rating) | {"chosen": each is chosen}
        for each in kinds
    ]
    parameters = {
        "effect": effect, "items_variance": spread.items, "rater_variance": spread.rater,
        "reliability": spread.items / (spread.items + spread.rater / THREE), "rho": spread.rho,
        "pool": spread.pool, "power": power, "every": every,
        "per_rating": None if per_rating is None else list(per_rating), "version": __version__,
        **(made_with or {}),
    }  # fmt: skip
    best = found[chosen]
    promised = planned(
        lambda n: spread.information(n, chosen.raters, chosen.judge),
        best,
        effect,
        chosen.futility,
        _wider(chosen, systems),
    )
    fixed, one = (found[each].most for each in (_FIXED, _ONE))
    assert best.most is not None
    design = RatingDesign(
        chosen.name, chosen.raters, best.most, every, promised.effect, promised.information,
        promised.final, chosen.stopping, chosen.futility, chosen.judge,
        THREE * (fixed or _needed(_FIXED, effect, spread, power, systems)), one,
        tuple(_ratings(chosen, best)), parameters, systems, goal,
    )  # fmt: skip
    return DesignPlan(
        pl.DataFrame(rows, schema=ALTERNATIVES, orient="row"),
        pl.DataFrame(_levers(found), schema=LEVERS, orient="row"),
        design,
        tuple(_notes(effect, spread, power, found, pilot, systems)),
        parameters,
    )


def _design(
    kind: DesignKind, effect: float, spread: Spread, power: float, every: int, systems: int
) -> SequentialDesign:
    return sequential_design(
        lambda n: spread.information(n, kind.raters, kind.judge),
        abs(effect),
        power,
        every,
        stopping=kind.stopping,
        futility=kind.futility,
        items=spread.pool or MOST_ITEMS,
        wider=_wider(kind, systems),
    )


def _wider(kind: DesignKind, systems: int) -> float:
    return wider_for_systems(systems, LOOKS_OF_PAIRS if kind.stopping else 1)


def _needed(kind: DesignKind, effect: float, spread: Spread, power: float, systems: int) -> int:
    """The items that a fixed design would take if there were enough."""
    more = _design(kind, effect, spread._replace(pool=None, rho=0.0), power, 10, systems).most
    return MOST_ITEMS if more is None else more


def _ratings(kind: DesignKind, design: SequentialDesign) -> list[float]:
    """The mean numbers of ratings: none, half, planned, double."""
    return [kind.raters * each for each in design.expected]


def _row(
    kind: DesignKind,
    design: SequentialDesign,
    found: Mapping[DesignKind, SequentialDesign],
    shares: Mapping[DesignKind, tuple[float, float]],
    rating: tuple[float, float] | None,
) -> dict[str, Any]:
    row: dict[str, Any] = {"design": kind.name, "raters": kind.raters}
    if design.most is None:
        return row | {"reason": "the items are too few for this power"}
    ratings = _ratings(kind, design)
    fixed, one = (sum(_ratings(each, found[each])[2:3]) or math.nan for each in (_FIXED, _ONE))
    low, high = shares.get(kind, (None, None))
    costs = (None, None) if rating is None else tuple(ratings[2] * each for each in rating)
    return {
        **row, "items": design.most, "most": kind.raters * design.most,
        **dict(zip(("none", "half", "planned", "double"), ratings, strict=True)),
        "share": ratings[2] / fixed, "share_low": low, "share_high": high,
        "of_one_rater": ratings[2] / one, "minutes": costs[0], "price": costs[1], "reason": None,
    }  # fmt: skip


def _levers(found: Mapping[DesignKind, SequentialDesign]) -> list[dict[str, Any]]:
    """What each lever saves of the ratings before it."""
    steps = {
        "one rater an item in place of three": (_FIXED, _ONE),
        "stopping when the difference is clear": (_ONE, _STOPPED),
        "stopping when it is futile": (_STOPPED, _FUTILE),
        "the judge": (_FUTILE, _JUDGE),
    }
    rows = []
    for lever, (before, after) in steps.items():
        if after not in found or found[before].most is None or found[after].most is None:
            continue
        of, to = (_ratings(each, found[each]) for each in (before, after))
        rows.append({"lever": lever, "planned": 1 - to[2] / of[2], "none": 1 - to[0] / of[0]})
    return rows


def _share_intervals(
    spread: Spread,
    pilot: tuple[int, float] | None,
    found: Mapping[DesignKind, SequentialDesign],
    seed: int,
) -> dict[DesignKind, tuple[float, float]]:
    """The 90% interval of each share, by the variances that such a pilot may have come from.

    The mean squares between and within the pilot's items are over chi-squared numbers, the judge's
    correlation with mean ratings is normal on Fisher's scale; what looks save of a design's own maximum does
    not depend on the variances.
    """
    if pilot is None or found[_FIXED].most is None:
        return {}
    items, raters = pilot
    rng = np.random.default_rng([seed, PILOT_DRAWS])
    between = (spread.items + spread.rater / raters) * (items - 1) / rng.chisquare(items - 1, DRAWS)
    free = max(1.0, items * (raters - 1))
    rater = spread.rater * free / rng.chisquare(free, DRAWS)
    true = np.maximum(between - rater / raters, 1e-9)
    # The correlation with mean ratings is what was seen; rho is that over the root of their reliability.
    reliability = [each / (each + noise / raters) for each, noise in (
        (spread.items, spread.rater), (true, rater))]  # fmt: skip
    seen = np.arctanh(min(0.999, spread.rho * math.sqrt(reliability[0])))
    seen = np.tanh(seen + ROUGHER * rng.standard_normal(DRAWS) / math.sqrt(items - 3))
    rho = np.minimum(MOST_RHO, np.maximum(0, seen) / np.sqrt(reliability[1]))
    intervals = {}
    for kind, design in found.items():
        if design.most is None:
            continue
        used = design.expected[2]
        drawn = Spread(true, rater, rho, spread.pool)  # type: ignore[arg-type]
        at = np.full(DRAWS, float(design.most))
        variances = [
            at / each.information(at, kind.raters, kind.judge)
            / (at / each.information(at, THREE))
            for each in (drawn, spread)
        ]  # fmt: skip
        share = kind.raters * used / (THREE * float(found[_FIXED].most or 1))
        ends = np.quantile(share * variances[0] / variances[1], [0.05, 0.95])
        intervals[kind] = float(ends[0]), float(ends[1])
    return intervals


def _notes(
    effect: float,
    spread: Spread,
    power: float,
    found: Mapping[DesignKind, SequentialDesign],
    pilot: tuple[int, float] | None,
    systems: int,
) -> list[str]:
    notes = []
    fixed = found[_FIXED].most or _needed(_FIXED, effect, spread, power, systems)
    one = found[_FUTILE].most
    ratio = (spread.items + spread.rater) / (spread.items + spread.rater / THREE)
    if one is None:
        most = _design(_FUTILE, effect, spread._replace(pool=None), power, 10, systems).most
        factor = (most or math.inf) / fixed
        notes.append(
            f"one rater an item does not reach the power on {counted(spread.pool or 0, 'item')}: it takes "
            f"{factor:.1f} times the {fixed:,} items of three raters an item, {most or MOST_ITEMS:,}; with "
            "these items, stopping alone saves ratings"
        )
    elif spread.pool is None:
        notes.append(
            f"one rater an item takes {ratio:.1f} times the items of three raters without looks, and at most "
            f"{one / fixed:.1f} times with them"
        )
    if systems > 2:
        notes.append(
            f"{systems} systems: boundaries are {_wider(_FUTILE, systems):.2f} times those of one pair, so "
            "that decisions on all pairs together err in 5 of 100 studies; the numbers of ratings are of one "
            "pair, and fewer are needed in all, since systems whose pairs have ended get no more"
        )
    if fixed <= FIRST_LOOK:
        notes.append(
            f"{counted(fixed, 'item')} are enough for three raters, and the first look is "
            f"at {FIRST_LOOK}: there is little to save"
        )
    if pilot is None:
        notes.append(
            "the variances are those that were stated; what a study saves depends on them, and a pilot of "
            "some 50 items by 2 raters shows them"
        )
    elif pilot[1] < 1.5:
        notes.append(
            "hardly any item of the pilot has two raters, so that their noise is not known; the forecast is "
            "rough"
        )
    return notes
