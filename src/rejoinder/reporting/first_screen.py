"""What a page shows first: the verdict, how sure it is, a figure, a judge's bias, and pairs of replies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from rejoinder.document.best_system import tied_at_top
from rejoinder.document.numbers import not_as_zero, span
from rejoinder.human_evaluation.by_people.estimates import missed
from rejoinder.human_evaluation.preference_result import CHOICES
from rejoinder.messages import SIGNIFICANT, counted, p_is, some_of
from rejoinder.meta_evaluation.matching import MOST_NAMED
from rejoinder.meta_evaluation.with_people.estimates import CORRECTED, PEOPLE, contradictions
from rejoinder.reporting.chart import Chart, ChartRow, Mark
from rejoinder.reporting.evidence import (
    coefficient,
    metrics_of,
    pairs_by_people,
    people_of,
    trivial_of,
    verdict_of,
)
from rejoinder.reporting.pictures import MOST_ROWS, metric_chart, metric_of, ranks_in_words
from rejoinder.reporting.summary import NAMES, incomplete
from rejoinder.reporting.verdict import Verdict, decide
from rejoinder.scoring.shown_values import number_of, times_of
from rejoinder.scoring.verdict_sentences import beside_interval
from rejoinder.statistics.power import POWER, least_items, power

if TYPE_CHECKING:
    from rejoinder.meta_evaluation.with_people.compare import PeopleComparison
    from rejoinder.reporting.parts import ReportParts

SPREAD, FOUND, RATERS = 1.2, 0.5, 3
"""Of ratings from 1 to 5, each the mean of three people's: the standard deviation over items of the
difference of two systems, as studies of dialogue find it, and the difference that is to be found."""

LEAST = 0.0001
"""Smaller p-values are not told from each other."""

MOST_JUDGES = 2
"""So many judges are in the figure."""

LONGEST = 360
"""Characters of a text that an example shows."""


class ExampleReply(NamedTuple):
    """A reply of an example.

    Args:
        system: The system.
        text: What it said; None where texts are not given.
        value: Its rating or score.
    """

    system: str
    text: str | None
    value: str


class ExampleItem(NamedTuple):
    """An item with the replies of two systems.

    Args:
        title: Why it is shown.
        id: Its id.
        message: The message that the two reply to; may be empty or None.
        replies: Of the better system, and of the other one.
    """

    title: str
    id: str
    message: str | None
    replies: tuple[ExampleReply, ...]


class FirstScreen(NamedTuple):
    """What stands above all tables.

    Args:
        verdict: Which system is best.
        sureness: How sure that is, in sentences.
        biases: Which systems a judge favours.
        remedies: What would decide where nothing does: a sentence and a command each.
        chart: The figure; None of one system.
        examples: Pairs of replies.
    """

    verdict: Verdict
    sureness: tuple[str, ...] = ()
    biases: tuple[str, ...] = ()
    remedies: tuple[tuple[str, str], ...] = ()
    chart: Chart | None = None
    examples: tuple[ExampleItem, ...] = ()


def first_screen(report: ReportParts) -> FirstScreen | None:
    """What a page shows first; None where nothing ranks systems."""
    verdict = verdict_of(report)
    if verdict is None:
        return None
    if verdict.evidence == "none":
        remedies = (*_remedies(report),) if len(report.scores.names) > 1 else ()
        return FirstScreen(verdict, remedies=remedies, chart=_beside_baseline(report))
    pairs = _pairs(report, verdict)
    return FirstScreen(
        verdict,
        (*_sureness(report, verdict, pairs),),
        (*_biases(report, verdict),),
        (),
        _chart(report, verdict, pairs),
        (*_examples(report, verdict),),
    )


class VerdictPairs(NamedTuple):
    """The pairs of systems by what a verdict rests on, and beside it.

    Args:
        table: ``a``, ``b``, ``by``, ``difference``, ``low``, ``high``, ``p``, corrected over all pairs.
        by: The rows of the verdict.
        kinds: The other rows to draw, each with its look and its name.
        ranks: By system its range of ranks.
    """

    table: pl.DataFrame
    by: str
    kinds: Mapping[str, tuple[int, str]]
    ranks: Mapping[str, str]

    def from_first(self, first: str, by: str) -> dict[str, dict[str, Any]]:
        """By system its difference from the first one: what is a - b of their pair, turned that way."""
        rows = {}
        for row in self.table.filter(by=by).iter_rows(named=True):
            if row["a"] == first:
                rows[row["b"]] = row | {
                    "difference": -row["difference"], "low": -row["high"], "high": -row["low"]
                }  # fmt: skip
            elif row["b"] == first:
                rows[row["a"]] = row
        return rows


def _pairs(report: ReportParts, verdict: Verdict) -> VerdictPairs | None:
    """The pairs of systems; None where they are not compared, or by choices."""
    people, by = pairs_by_people(report, verdict.criterion), verdict.evidence
    if people is not None and by in (PEOPLE, CORRECTED):
        table, ranks, p = people
        kinds = {PEOPLE: (0, "people alone")} | ({by: (1, verdict.by)} if by == CORRECTED else {})
        if (compared := report.with_people.get(verdict.criterion)) is not None:
            judges = _judges(report, compared).get_column("judge").unique(maintain_order=True)
            kinds |= {name: (2 + n, f"{name} alone") for n, name in enumerate(judges[:MOST_JUDGES])}
    elif report.comparison is not None and verdict.by in report.scores.measured:
        by, p = verdict.by, "p_randomization_holm"
        table, ranks = (each.rename({"metric": "by"})
                        for each in (report.comparison.table, report.comparison.ranks()))  # fmt: skip
        kinds = {by: (2, by)}
    else:
        return None
    names = ranks_in_words(ranks.filter(by=by))
    columns = "a", "b", "by", "difference", "low", "high"
    return VerdictPairs(table.select(*columns, p=pl.col(p).fill_null(math.nan)), by, kinds, names)


def _sureness(report: ReportParts, verdict: Verdict, pairs: VerdictPairs | None) -> Iterator[str]:
    """Systems that have no place, the lead of the first one, how many pairs differ, and other evidence."""
    yield from _without_place(report, verdict)
    if pairs is not None and len(verdict.standings) > 1:
        first, following = (each.system for each in verdict.standings[:2])
        row, p = pairs.from_first(first, pairs.by)[following], verdict.standings[1].p
        every = pairs.table.filter(by=pairs.by).get_column("p")
        metric = metric_of(report, verdict.by)
        show, end = number_of(metric), number_of(metric, written=not_as_zero)
        if not math.isnan(p):
            way = -_way(report, verdict)
            if way * row["difference"] < 0:
                # Its own mean is higher, or it leads the others by more; beside this one it is behind.
                first, following, way = following, first, -way
            low, high = sorted((way * row["low"], way * row["high"]))
            rare = "chance alone would rarely give such a lead"
            many = every.len() > 1
            unclear = f"it may be chance{beside_interval(low, 0.0 if many else p)}"
            chance = rare if p < SIGNIFICANT else unclear
            holm = f", corrected for {every.len()} pairs by Holm's method" * many
            interval = f"95% interval {end(low)} to {end(high)}"
            following += ", the second best," * (many and first == verdict.standings[0].system)
            if row["difference"] == 0:
                known = f" ({interval})" * (not math.isnan(low))
                yield f"{first} has no lead over {following}: the difference is {show(0.0)}{known}."
            else:
                sure = f"{p_is(max(p, LEAST), p < LEAST)}{holm}): {chance}"
                own = verdict.standings[1]
                apart = not math.isclose(own.lead, own.own_lead, abs_tol=1e-9)
                on = ", on the items that both have" * (apart and pairs.by != CORRECTED)
                lead = f"{show(way * row['difference'])} ({interval}{on}"
                yield f"The lead of {first} over {following} is {lead}, {sure}."
            if many:
                clear = every.filter(every < SIGNIFICANT).len()
                differ = "differs" if clear == 1 else "differ"
                yield f"{clear} of {every.len()} pairs of systems {differ} significantly."
        if verdict.evidence == PEOPLE and (people := pairs_by_people(report, verdict.criterion)):
            by_people, _, column = people
            yield from (f"{each}." for each in missed(by_people.filter(by=PEOPLE), column))
    items = report.contexts
    for system, own in incomplete(report, items):
        yield f"{system} has no reply to {items.height - own} of {counted(items.height, 'item')}."
    for each in people_of(report):
        other = decide([each], [])
        if other is not None and each.criterion != verdict.criterion:
            yield f"{each.criterion}: {other.sentence}"
    yield from _trust(report, verdict)
    yield from _dissent(report, verdict)


def _without_place(report: ReportParts, verdict: Verdict) -> Iterator[str]:
    """The systems that were scored or rated, and that the verdict cannot place."""
    placed = {each.system for each in verdict.standings}
    absent = [name for name in report.scores.names if name not in placed]
    if not absent:
        return
    value = f"value of {verdict.by}"
    if verdict.criterion:
        value = "choice" if verdict.by == CHOICES else "rating that is used"
    if len(absent) == 1:
        yield f"{absent[0]} is left out of this answer: it has no {value}."
    else:
        names = some_of(absent, MOST_NAMED)
        yield f"{len(absent)} systems are left out of this answer ({names}): they have no {value}."


def _trust(report: ReportParts, verdict: Verdict) -> Iterator[str]:
    """For each judge on the scale of the ratings, whether its marks can be trusted."""
    compared = report.with_people.get(verdict.criterion)
    agreement = report.agreement.get(verdict.criterion)
    if compared is None or agreement is None:
        return
    kind, ends = coefficient(agreement)
    rows = agreement.table().filter(correlation=kind).select("metric", *ends).iter_rows()
    by = {label: values for label, *values in rows}
    one = by.get("human (avg)", [math.nan])[0]
    beside = f"; one rater and the others: {one:.2f} on average" * (not math.isnan(one))
    for (judge,), errors in _judges(report, compared).group_by("judge", maintain_order=True):
        value, low, high = by[judge]
        if math.isnan(low):
            within = "that is not known: their agreement with people has no interval"
        else:
            follow = (
                "they follow people's ratings"
                if low > 0
                else "no: they contradict people's ratings"
            )
            if low <= 0 <= high:
                follow = "that is not shown: they may not follow people's ratings at all"
            r = f"{NAMES[kind]} {value:.2f}, 95% interval {low:.2f} to {high:.2f}{beside}"
            within = f"{follow} ({r})"
        biased = (errors.get_column("p_holm").fill_nan(None) < SIGNIFICANT).any()
        contrary = contradictions(compared.pairs, [judge], compared.p_column).values()
        between = "they are not shown to favour one"
        between = next((f"no: they significantly prefer {each}" for each in contrary), between)
        between = "no, see above" if biased else between
        yield f"Can the marks of {judge} be trusted? Within a system {within}. Between systems {between}."


def _way(report: ReportParts, verdict: Verdict) -> int:
    """1 where a higher value is better by what a verdict rests on, otherwise -1."""
    measured = None if verdict.criterion else report.scores.measured.get(verdict.by)
    return 1 if measured is None or measured.metric.higher_is_better else -1


def _dissent(report: ReportParts, verdict: Verdict) -> Iterator[str]:
    """Which metrics put another system first."""
    places = {each.system: place for place, each in enumerate(verdict.standings, start=1)}
    top = {each.system for each in tied_at_top(verdict.standings)} if places else set()
    for each in metrics_of(report):
        first, value, *_ = each.ordered[0]
        behind = [
            one
            for one in each.ordered[1:]
            if one.system in top and one.value != value and not one.better
        ]
        if first in places.keys() - top and each.label != verdict.by and behind:
            chance = "" if behind[0].worse else ", which may be chance"
            place = f"by {verdict.by} {first} is number {places[first]} of {len(places)}"
            yield f"{each.label} puts {first} first{chance}; {place}."


def _biases(report: ReportParts, verdict: Verdict) -> Iterator[str]:
    """For each judge on the scale of the ratings, the system that it favours or disfavours most."""
    if (compared := report.with_people.get(verdict.criterion)) is None:
        return
    for (judge,), errors in _judges(report, compared).group_by("judge", maintain_order=True):
        rows = errors.filter(pl.col("p_holm").fill_nan(None) < SIGNIFICANT).to_dicts()
        # An error above 0 favours a over b; in each row one system gains what the other loses.
        gains: dict[tuple[str, bool], list[float]] = {}
        for row in rows:
            for system, gain in ((row["a"], row["error"]), (row["b"], -row["error"])):
                gains.setdefault((system, gain > 0), []).append(abs(gain))
        if not gains:
            continue
        (system, favoured), own = max(gains.items(), key=lambda each: (len(each[1]), each[0][1]))
        size = " to ".join(dict.fromkeys(f"{each:.2f}" for each in (min(own), max(own))))
        pairs = errors.filter((pl.col("a") == system) | (pl.col("b") == system)).height
        beside = f" {len(own)} of" if len(own) < pairs else " all" * (pairs > 1)
        favours, higher = ("favours", "higher") if favoured else ("disfavours", "lower")
        rest = counted(len(rows) - len(own), "other pair")
        more = f"; it errs significantly in {rest}, too" * (len(rows) > len(own))
        yield (
            f"{judge} {favours} {system}: beside{beside} {counted(pairs, 'other system')} it puts {system} "
            f"{higher} than people do, by {size} in units of the ratings{more}."
        )


def _judges(report: ReportParts, compared: PeopleComparison) -> pl.DataFrame:
    """The errors of judges: of metrics on the scale of the ratings that rank systems."""
    ranks = [label for label, each in report.scores.measured.items() if each.metric.ranks]
    return compared.errors.filter(pl.col("judge").is_in(ranks))


def _remedies(report: ReportParts) -> Iterator[tuple[str, str]]:
    """How many ratings of which items, and a judge: what would decide where nothing does."""
    systems = len(report.scores.names)
    pairs = systems * (systems - 1) // 2

    def enough(items: int) -> bool:
        return power(FOUND, SPREAD / math.sqrt(items), items, SIGNIFICANT / pairs) >= POWER

    wanted, items = least_items(enough, 8), report.scores.items.height
    if wanted is not None:
        few = f"; the test set has {items} only, which is too few for that" * (items < wanted)
        yield (
            f"Ratings by people: {wanted} items drawn at random, with the replies of all {systems} systems "
            f"rated by {RATERS} people each ({RATERS * systems * wanted:,} ratings), show a difference of "
            f"half a grade in {POWER:.0%} of studies (standard deviation {SPREAD} over items; corrected for "
            f"{counted(pairs, 'pair')}){few}.",
            f"rejoinder annotate serve TESTSET RESPONSES --sample {min(wanted, items)} --db ratings.sqlite",
        )
    yield (
        "A judge: a language model marks every reply, which the ratings then correct, so that fewer of "
        "them are enough.",
        "rejoinder mark TESTSET RESPONSES --model URL -o judge.csv",
    )
    yield (
        "The same report with both.",
        "rejoinder report TESTSET RESPONSES --scores judge.csv --ratings ratings.csv -o report.html",
    )


def _chart(report: ReportParts, verdict: Verdict, pairs: VerdictPairs | None) -> Chart | None:
    """Each system's difference from the first one; None of one system."""
    if pairs is None or len(verdict.standings) < 2:
        return None
    first = verdict.standings[0].system
    metric = metric_of(report, verdict.by)
    show, times = number_of(metric), times_of(metric)
    by = [pairs.from_first(first, kind) for kind in pairs.kinds]
    verdicts = by[[*pairs.kinds].index(pairs.by)]
    rows = []
    for name, value, *_ in verdict.standings[:MOST_ROWS]:
        marks = [
            Mark(n, *(times * each[name][key] for key in ("difference", "low", "high")))
            for n, each in enumerate(by)
            if name in each
        ]
        own = verdicts.get(name)
        words = "" if own is None else _with_span(own, show)
        drawn = tuple(marks) or (Mark([*pairs.kinds].index(pairs.by), 0.0),)
        rows.append(ChartRow(pairs.ranks.get(name, ""), name, show(value), words, drawn))
    left_out = len(verdict.standings) - len(rows)
    more = f"; {counted(left_out, 'more system')} below, under Systems" * (left_out > 0)
    caption = (
        f"Difference from {first} (the dashed line), with 95% intervals for single pairs; ranks and ties "
        f"are corrected for all pairs{more}"
    )
    heading = "mean" if verdict.criterion else verdict.by
    drawn = f"difference from {first}, and its 95% interval"
    return Chart(heading, caption, tuple(pairs.kinds.values()), tuple(rows), 0.0, drawn)


def _with_span(row: Mapping[str, Any], show: Callable[[float], str]) -> str:
    """A difference and its interval."""
    difference, low, high = (row[key] for key in ("difference", "low", "high"))
    return show(difference) if math.isnan(low) else f"{show(difference)} {span(low, high, show)}"


def _beside_baseline(report: ReportParts) -> Chart | None:
    """The values of the systems under the first metric, and a line at the trivial baseline."""
    label = metrics_of(report)[0].label
    if (row := trivial_of(report, label)) is None:
        return None
    return metric_chart(
        report, label, f"; the line is the trivial baseline '{row['baseline']}'", row["value"]
    )


def _examples(report: ReportParts, verdict: Verdict) -> Iterator[ExampleItem]:
    """Items on which the first system and the next are furthest apart either way, and a usual one."""
    values = values_of(report, verdict)
    if values is None or len(verdict.standings) < 2:
        return
    texts = report.responses.unique(["system", "id"], keep="first", maintain_order=True)
    how = "left" if texts.is_empty() else "inner"
    both = values.join(texts.select("system", "id", "text"), on=["system", "id"], how=how)
    first, other = verdict.standings[:2]
    apart = pl.col("score") - pl.col("score_right")
    length = pl.sum_horizontal(pl.col("text", "text_right").str.len_chars())
    table = both.filter(system=first.system).join(both.filter(system=other.system), on="id")
    table = table.with_columns(ahead=_way(report, verdict) * apart)
    ahead = pl.col("ahead")
    orders = {
        f"{first.system} is furthest ahead": (-ahead, 1),
        "About the average difference": ((ahead - ahead.mean()).abs(), 0),
        f"{other.system} is furthest ahead": (ahead, -1),
    }
    closest = f"{first.system} and {other.system} are closest"
    show, shown = number_of(metric_of(report, verdict.by)), set[str]()
    contexts = dict(report.contexts.select("id", "context").iter_rows())
    for title, (order, way) in orders.items():
        for row in table.sort(order, length, maintain_order=True).head(1).to_dicts():
            if row["id"] not in shown:
                shown.add(row["id"])
                replies = tuple(
                    ExampleReply(
                        each.system, shortened(row[f"text{end}"]), show(row[f"score{end}"])
                    )
                    for each, end in ((first, ""), (other, "_right"))
                )
                message = (contexts.get(row["id"]) or [""])[-1]
                fits = way == 0 or way * row["ahead"] > 0
                yield ExampleItem(
                    title if fits else closest, row["id"], shortened(message), replies
                )


def values_of(report: ReportParts, verdict: Verdict) -> pl.DataFrame | None:
    """``system``, ``id`` and ``score``: what each reply has by people or the metric; None by choices."""
    if report.ratings is not None and pairs_by_people(report, verdict.criterion) is not None:
        rated = report.ratings.aggregated.filter(criterion=verdict.criterion)
        return rated.select("system", "id", "score")
    if verdict.by in report.scores.measured:
        values = report.scores.segments().select("system", "id", score=verdict.by)
        return values.filter(pl.col("score").is_not_nan())
    return None


def shortened(text: str | None) -> str | None:
    """A text with its end left out where it is long; None where it is not given."""
    return text if text is None or len(text) <= LONGEST else f"{text[:LONGEST].rsplit(' ', 1)[0]} …"
