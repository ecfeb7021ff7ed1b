"""What a page shows first: the verdict, how sure it is, a figure, a judge's bias, and pairs of replies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from rejoinder.document.best_system import tied_at_top
from rejoinder.document.numbers import decimals, span, times100
from rejoinder.document.sign_matrix import how_many_differ
from rejoinder.messages import SIGNIFICANT, counted, p_is
from rejoinder.meta_evaluation.with_people.estimates import CORRECTED, PEOPLE
from rejoinder.reporting.chart import Chart, Estimate, Row, chart
from rejoinder.reporting.evidence import metrics_of, people_of, trivial_of, verdict_of
from rejoinder.reporting.verdict import Verdict, decide
from rejoinder.statistics.power import POWER, least_items, power

if TYPE_CHECKING:
    from rejoinder.reporting.parts import ReportParts

SPREAD, FOUND, RATERS = 1.2, 0.5, 3
"""Of ratings from 1 to 5, each the mean of three people's: the standard deviation over items of the
difference of two systems, as studies of dialogue find it, and the difference that is to be found."""

LEAST = 0.0001
"""Smaller p-values are not told from each other."""

MOST_ROWS, MOST_JUDGES = 20, 2
"""So many systems and judges are in the figure."""

LONGEST = 360
"""Characters of a text that an example shows."""


class Reply(NamedTuple):
    """A reply of an example.

    Args:
        system: The system.
        text: What it said.
        value: Its rating or score.
    """

    system: str
    text: str
    value: str


class Example(NamedTuple):
    """An item with the replies of two systems.

    Args:
        title: Why it is shown.
        id: Its id.
        message: The message that the two reply to; may be empty.
        replies: Of the better system, and of the other one.
    """

    title: str
    id: str
    message: str
    replies: tuple[Reply, ...]


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
    sureness: tuple[str, ...]
    biases: tuple[str, ...]
    remedies: tuple[tuple[str, str], ...]
    chart: Chart | None
    examples: tuple[Example, ...]


def first_screen(report: ReportParts) -> FirstScreen | None:
    """What a page shows first; None where nothing ranks systems."""
    verdict = verdict_of(report)
    if verdict is None:
        return None
    return FirstScreen(
        verdict,
        tuple(_sureness(report, verdict)),
        tuple(_biases(report, verdict)),
        tuple(_remedies(report, verdict)),
        _chart(report, verdict),
        tuple(_examples(report, verdict)),
    )


class Pairs(NamedTuple):
    """The pairs of systems by what a verdict rests on.

    Args:
        table: ``a``, ``b``, ``by``, ``difference``, ``low``, ``high``, ``p``, corrected over all pairs.
        by: The rows of the verdict.
        show: How a difference is written.
        ranks: By system its range of ranks.
    """

    table: pl.DataFrame
    by: str
    show: Callable[[float], str]
    ranks: Mapping[str, str]


def _pairs(report: ReportParts, verdict: Verdict) -> Pairs | None:
    """The pairs of systems; None where they are not compared, or by choices."""
    compared = report.with_people.get(verdict.criterion)
    if compared is not None and verdict.evidence in (PEOPLE, CORRECTED):
        table, ranks, p = compared.pairs, compared.ranks, compared.p_column
        by, show = verdict.evidence, decimals(2)
    elif report.comparison is not None and verdict.by in report.scores.measured:
        table = report.comparison.table.rename({"metric": "by"})
        ranks, p = report.comparison.ranks().rename({"metric": "by"}), "p_randomization_holm"
        by, show = verdict.by, _show(report, verdict.by)
    else:
        return None
    names = {
        system: f"{best}–{worst}" if worst > best else f"{best}"
        for system, best, worst in ranks.filter(by=by)
        .select("system", "best_rank", "worst_rank")
        .rows()
    }
    columns = "a", "b", "by", "difference", "low", "high"
    return Pairs(table.select(*columns, p=p), by, show, names)


def _from(first: str, table: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """By system its difference from the first one: what is a - b of their pair, turned that way."""
    rows = {}
    for row in table.filter((pl.col("a") == first) | (pl.col("b") == first)).iter_rows(named=True):
        if row["a"] == first:
            ends = {"difference": -row["difference"], "low": -row["high"], "high": -row["low"]}
            rows[row["b"]] = row | ends
        else:
            rows[row["a"]] = row
    return rows


def _sureness(report: ReportParts, verdict: Verdict) -> Iterator[str]:
    """The lead of the first system, how many pairs differ, and what other evidence says."""
    pairs = _pairs(report, verdict)
    if pairs is not None and len(verdict.standings) > 1:
        own = pairs.table.filter(by=pairs.by)
        first, following = (each.system for each in verdict.standings[:2])
        row = _from(first, own)[following]
        p = math.nan if row["p"] is None else row["p"]
        if not math.isnan(p):
            low, high = pairs.show(-row["high"]), pairs.show(-row["low"])
            chance = "chance alone hardly gives that" if p < SIGNIFICANT else "it may be chance"
            holm = f", corrected for {own.height} pairs by Holm's method" * (own.height > 1)
            following += ", the next," * (own.height > 1)
            lead = f"{pairs.show(-row['difference'])} (95% interval {low} to {high}"
            sure = f"{p_is(max(p, LEAST), p < LEAST)}{holm}): {chance}"
            yield f"The lead of {first} over {following} is {lead}, {sure}."
        clear = own.filter(pl.col("p").fill_nan(None) < SIGNIFICANT).height
        if own.height > 1 and not math.isnan(p):
            yield f"Of all systems, {how_many_differ(clear, own.height)} significantly."
    yield from _others(report, verdict)


def _others(report: ReportParts, verdict: Verdict) -> Iterator[str]:
    """What further criteria say, and which metrics put another system first."""
    for each in people_of(report):
        other = decide([each], [])
        if other is not None and each.criterion != verdict.criterion:
            yield f"{each.criterion}: {other.sentence}"
    places = {each.system: place for place, each in enumerate(verdict.standings, start=1)}
    top = {each.system for each in tied_at_top(verdict.standings)} if places else set()
    for each in metrics_of(report) if places else ():
        first, value, _ = each.ordered[0]
        behind = [one for one in each.ordered[1:] if one.system in top and one.value != value]
        if first in top or first not in places or each.label == verdict.by or not behind:
            continue
        chance = ", which" if behind[0].p < SIGNIFICANT else ", which may be chance; it"
        yield (
            f"{each.label} puts {first} first{chance} is number {places[first]} of "
            f"{len(places)} by {verdict.by}."
        )


def _biases(report: ReportParts, verdict: Verdict) -> Iterator[str]:
    """For each judge on the scale of the ratings, the system that it favours or disfavours most."""
    compared = report.with_people.get(verdict.criterion)
    for judge in () if compared is None else compared.judges:
        errors = compared.errors.filter(judge=judge)  # pyright: ignore[reportOptionalMemberAccess]
        rows = errors.filter(pl.col("p_holm").fill_nan(None) < SIGNIFICANT).to_dicts()
        # An error above 0 favours a over b; in each row one system gains what the other loses.
        gains: dict[tuple[str, bool], list[float]] = {}
        for row in rows:
            a, b = (row["a"], row["b"]) if row["error"] > 0 else (row["b"], row["a"])
            gains.setdefault((a, True), []).append(abs(row["error"]))
            gains.setdefault((b, False), []).append(abs(row["error"]))
        if not gains:
            continue
        (system, favoured), own = max(gains.items(), key=lambda each: (len(each[1]), each[0][1]))
        size = f"{min(own):.2f}" if len(own) == 1 else f"{min(own):.2f} to {max(own):.2f}"
        pairs = errors.filter((pl.col("a") == system) | (pl.col("b") == system)).height
        rest = len(rows) - len(own)
        more = f"; it errs significantly in {counted(rest, 'other pair')}, too" * bool(rest)
        beside = f" {len(own)} of" if len(own) < pairs else " all" * (pairs > 1)
        yield (
            f"{judge} {'favours' if favoured else 'disfavours'} {system}: beside{beside} "
            f"{counted(pairs, 'other system')} it puts {system} {'higher' if favoured else 'lower'} than "
            f"people do, by {size} in units of the ratings{more}."
        )


def _remedies(report: ReportParts, verdict: Verdict) -> Iterator[tuple[str, str]]:
    """How many ratings of which items, and a judge: what would decide where nothing does."""
    if verdict.evidence != "none":
        return
    systems = len(report.scores.names)
    pairs = max(1, systems * (systems - 1) // 2)

    def enough(items: int) -> bool:
        return power(FOUND, SPREAD / math.sqrt(items), items, SIGNIFICANT / pairs) >= POWER

    wanted = min(least_items(enough, 8) or 0, report.scores.items.height)
    yield (
        f"Ratings by people: {wanted} items drawn at random, with the replies of all "
        f"{counted(systems, 'system')} rated by {RATERS} people each ({RATERS * systems * wanted:,} "
        f"ratings), show a difference of half a grade in {POWER:.0%} of studies (standard deviation "
        f"{SPREAD} over items; corrected for {counted(pairs, 'pair')}).",
        f"rejoinder annotate serve TESTSET RESPONSES --sample {wanted} --db ratings.sqlite",
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


def _chart(report: ReportParts, verdict: Verdict) -> Chart | None:
    """Each system's difference from the first one; without a verdict the values beside a baseline."""
    pairs = _pairs(report, verdict)
    if verdict.evidence == "none":
        return _beside_baseline(report)
    if pairs is None or len(verdict.standings) < 2:
        return None
    kinds = {pairs.by: verdict.by}
    if verdict.evidence in (PEOPLE, CORRECTED):
        compared = report.with_people[verdict.criterion]
        judges = compared.errors.get_column("judge").unique(maintain_order=True).to_list()
        kinds = {
            PEOPLE: "people alone",
            **({CORRECTED: verdict.by} if pairs.by == CORRECTED else {}),
        }
        kinds |= {judge: f"{judge} alone" for judge in judges[:MOST_JUDGES]}
    first, times = verdict.standings[0].system, _times(report, verdict.by)
    by = {kind: _from(first, pairs.table.filter(by=kind)) for kind in kinds}
    value = decimals(2) if times == 1 else times100
    rows = []
    for each in verdict.standings[:MOST_ROWS]:
        estimates = tuple(
            Estimate(kind, *(times * row[key] for key in ("difference", "low", "high")))
            for kind in kinds
            if (row := by[kind].get(each.system)) and not math.isnan(row["difference"])
        )
        if each.system == first:
            estimates = (Estimate(pairs.by, 0.0),)
        own = by[pairs.by].get(each.system)
        words = "" if own is None else pairs.show(own["difference"])
        if own is not None and not math.isnan(own["low"]):
            words += f" {span(own['low'], own['high'], pairs.show)}"
        rank = pairs.ranks.get(each.system, "")
        rows.append(Row(rank, each.system, value(each.value), words, estimates))
    caption = (
        f"Difference from {first}, which is the line, with the 95% interval of each by itself; ranks and "
        "ties are corrected for all pairs"
    )
    if (left_out := len(verdict.standings) - len(rows)) > 0:
        caption += f"; {counted(left_out, 'more system')} below, under Systems"
    heading = "mean" if verdict.criterion else verdict.by
    return chart(rows, kinds, heading, caption, 0.0, lambda tick: f"{tick:+g}" if tick else "0")


def _beside_baseline(report: ReportParts) -> Chart | None:
    """The values of the systems under the first metric, and a line at the trivial baseline."""
    label = next(each.label for each in metrics_of(report))
    trivial = trivial_of(report, label)
    if trivial is None:
        return None
    times, show = _times(report, label), _show(report, label)
    rows = [
        Row("", row["system"], show(row["value"]), "",
            (Estimate(label, *(times * row[key] for key in ("value", "low", "high"))),))
        for row in report.scores.systems().filter(metric=label).head(MOST_ROWS).to_dicts()
    ]  # fmt: skip
    caption = f"{label} with 95% intervals; the line is the trivial baseline '{trivial['fake']}'"
    return chart(rows, {label: label}, label, caption, times * trivial["value"], "{:g}".format)


def _examples(report: ReportParts, verdict: Verdict) -> Iterator[Example]:
    """Items on which the first system and the next are furthest apart either way, and a usual one."""
    if len(verdict.standings) < 2:
        return
    first, other = (each.system for each in verdict.standings[:2])
    values, show = _values(report, verdict)
    replies = _texts(report)
    known = [
        (values[first, id] - values[other, id], len(replies[first, id] + replies[other, id]), id)
        for id in report.scores.items.get_column("id")
        if {(first, id), (other, id)} <= values.keys() & replies.keys()
    ]
    if not known:
        return
    mean = sum(each[0] for each in known) / len(known)
    way = -1 if _lower_is_better(report, verdict) else 1
    wanted = {
        f"{first} is furthest ahead": lambda each: (-way * each[0], each[1]),
        "About as far apart as on average": lambda each: (abs(each[0] - mean), each[1]),
        f"{other} is furthest ahead": lambda each: (way * each[0], each[1]),
    }
    contexts = dict(report.testset.contexts.select("id", "context").iter_rows())
    shown: set[str] = set()
    for title, order in wanted.items():
        id = min(known, key=order)[2]
        if id not in shown:
            shown.add(id)
            both = tuple(
                Reply(name, _short(replies[name, id]), show(values[name, id]))
                for name in (first, other)
            )
            message = (contexts.get(id) or [""])[-1]
            yield Example(title, id, _short(message), both)


def _values(
    report: ReportParts, verdict: Verdict
) -> tuple[dict[tuple[str, str], float], Callable[[float], str]]:
    """By system and item what a reply has, by people or the metric; none by people's choices."""
    if verdict.evidence in (PEOPLE, CORRECTED):
        if report.ratings is None or verdict.criterion not in report.with_people:
            return {}, decimals(2)
        rows = report.ratings.aggregated.filter(criterion=verdict.criterion)
        return {(s, id): v for s, id, v in rows.select("system", "id", "score").rows()}, decimals(2)
    rows = report.scores.segments().select("system", "id", verdict.by).rows()
    return {(s, id): v for s, id, v in rows if not math.isnan(v)}, _show(report, verdict.by)


def _texts(report: ReportParts) -> dict[tuple[str, str], str]:
    """By system and item the reply, the first of several."""
    rows = report.responses.unique(["system", "id"], keep="first", maintain_order=True)
    return {(s, id): text for s, id, text in rows.select("system", "id", "text").rows()}


def _lower_is_better(report: ReportParts, verdict: Verdict) -> bool:
    measured = report.scores.measured.get(verdict.by)
    return measured is not None and not measured.metric.higher_is_better


def _times(report: ReportParts, label: str) -> float:
    """What values of a metric are multiplied by on paper."""
    measured = report.scores.measured.get(label)
    return 100.0 if measured is not None and measured.metric.times100 else 1.0


def _show(report: ReportParts, label: str) -> Callable[[float], str]:
    return times100 if _times(report, label) > 1 else decimals(2)


def _short(text: str) -> str:
    """A text with its end left out where it is long."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rsplit(' ', 1)[0]} …"
