"""Tables of ratings and preferences, for people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.console import Console
from rich.table import Table

from rejoinder.cli.terminal.columns import number, table, text
from rejoinder.cli.terminal.console import bare_table, console, print_notes
from rejoinder.document.numbers import NONE, decimals, has_intervals, interval, p_value, starred
from rejoinder.document.text import Cell, joined, styled
from rejoinder.messages import counted
from rejoinder.statistics.kappa import REASON_CONSTANT

if TYPE_CHECKING:
    from rejoinder.human_evaluation.preference_summary import PreferenceSummary
    from rejoinder.human_evaluation.rating_summary import RatingSummary

MOST_RATERS = 20  # of more, those who are below the threshold are named alone
MOST_PAIRS = 15  # of more, the differences are in --json alone
_PARAMETERS = {
    "tie": "ties ({})",
    "covariate": "effect of {}",
    "discrimination": "discrimination of {}",
}
MOST_GRADES = 11  # of more, no distribution is shown


def ratings(summary: RatingSummary) -> None:
    """Every criterion: what there is, how far raters agree, who does not, and the systems."""
    out = console()
    differences = summary.differences.filter(pl.len().over("criterion") <= MOST_PAIRS)
    for row in summary.counts.iter_rows(named=True):
        name = row["criterion"]
        out.rule(name, align="left")
        out.print(_rated(row))
        out.print()
        if row["raters"]:  # of means alone there is no agreement, which a note says
            _print(out, _agreement(_of(summary.agreement, name)))
            _human(out, _of(summary.human, name))
            out.print()
            _raters(out, _of(summary.raters, name), ("ratings", "mean"))
        _print(out, _systems(_of(summary.systems, name), _of(summary.distribution, name)))
        _differences(out, _of(differences, name))
    _aggregation(out, summary)
    if left_out := summary.differences.height - differences.height:
        out.print(f"{counted(left_out, 'difference')} of two systems: in --json", style="dim")
    _end(out, summary, [summary.agreement, summary.human, summary.systems, differences])


def preferences(summary: PreferenceSummary) -> None:
    """Every criterion: what there is, the pairs, the strengths, and the raters."""
    out = console()
    for row in summary.counts.iter_rows(named=True):
        name = row["criterion"]
        out.rule(name, align="left")
        out.print(_compared(row))
        out.print()
        _print(out, _pairs(_of(summary.pairs, name)))
        _print(out, _strengths(_of(summary.strengths, name)))
        if (parameters := _of(summary.parameters, name)).height:
            _print(out, _parameters(parameters))
        if (judges := _of(summary.judges, name)).height:
            _print(out, _judges(judges))
        _print(out, _agreement(_of(summary.agreement, name)))
        _raters(
            out, _of(summary.raters, name), ("comparisons", "first", "second", "ties", "side p")
        )
    out.print(
        "a wins, tie, b wins: % of comparisons, [low, high] 95%, judgements of one item taken "
        "together; items W/T/L: won, tied, lost by a, by more judgements; p: exact sign test over "
        f"items; p Holm: corrected over pairs, * below 0.05; {_strength_legend(summary)}; first, second: "
        "the side preferred; side p: exact sign test of these two, where systems change sides; "
        f"{_judge_legend(summary)}{NONE}: undefined",
        style="dim",
    )
    _end(out, summary, [summary.pairs, summary.strengths, summary.agreement, summary.judges])


def _rated(row: Mapping[str, Any]) -> str:
    each = (
        f"{row['fewest']}" if row["fewest"] == row["most"] else f"{row['fewest']} to {row['most']}"
    )
    whole = row["replies"] + row["unrated"]
    replies = counted(row["replies"], "rated reply", "rated replies")
    if row["unrated"]:
        replies = f"{row['replies']} of {whole} replies (items x systems) rated"
    means = f" ({row['means']} of them means of people not named)" if row["means"] else ""
    given = _possible(row["ratings"] - row["means"], row["missing"], "rated replies")
    return (
        f"{counted(row['items'], 'item')}, {counted(row['systems'], 'system')}, "
        f"{replies}; "
        f"{counted(row['raters'], 'rater')}, {counted(row['ratings'], 'rating')}{means} from "
        f"{row['low']:g} to {row['high']:g}, {each} for each rated reply{given}"
    )


def _possible(given: int, missing: int, units: str) -> str:
    """How many judgements there are of those that all raters could have given; empty without raters."""
    if not given + missing:
        return ""
    if not missing:
        return f"; every rater judged all {units}"
    return (
        f"; {given} of {given + missing} possible judgements (raters x {units}), {missing} missing"
    )


def _compared(row: Mapping[str, Any]) -> str:
    return (
        f"{counted(row['items'], 'item')}, {counted(row['systems'], 'system')}, "
        f"{counted(row['pairs'], 'pair')}; {counted(row['raters'], 'rater')}, "
        f"{counted(row['comparisons'], 'comparison')}, {counted(row['ties'], 'tie')}"
        f"{_possible(row['comparisons'], row['missing'], 'compared pairs of replies')}"
    )


def _agreement(rows: pl.DataFrame) -> Table:
    """A row for each measure; after a filter, a column for all raters and one for those kept."""
    groups = rows.get_column("raters").unique(maintain_order=True).to_list()
    shown = bare_table()
    shown.add_column("agreement")
    for group in groups:
        shown.add_column("raters kept" if group == "kept" else f"{group} raters", justify="right")
        shown.add_column("n", justify="right")
    for (measure,), of_measure in rows.group_by("measure", maintain_order=True):
        name = "mean kappa of a rater" if measure == "kappa" else str(measure)
        cells: list[Cell] = []
        for row in of_measure.iter_rows(named=True):
            cells += [_interval(row["value"], row["low"], row["high"]), str(row["n"])]
        shown.add_row(name, *cells)
    return shown


def _human(out: Console, rows: pl.DataFrame) -> None:
    shown = table(
        rows.iter_rows(named=True),
        text("one rater and the others", "correlation"),
        number("human (avg)", lambda row: _interval(row["average"])),
        number("human (max)", lambda row: _interval(row["maximum"])),
        number("best"),
        number("raters"),
    )
    out.print(shown)


def _raters(out: Console, rows: pl.DataFrame, columns: Sequence[str]) -> None:
    """Every rater; of many, those below the threshold alone, lowest first."""
    title = "rater"
    if rows.height > MOST_RATERS:
        total = rows.height
        rows = rows.filter(pl.col("verdict").is_in(["below", "dropped"])).sort("kappa")
        title = f"rater ({rows.height} of {total})"
    if not rows.height:
        return
    listed = rows.to_dicts()
    verdicts = any(str(_verdict(row)) for row in listed)
    shown = table(
        listed,
        text(title, "rater"),
        *(number(name, lambda row, name=name: _fact(row, name)) for name in columns),
        number("kappa", lambda row: _interval(row["kappa"])),
        number("shared"),
        *([text("verdict", _verdict)] if verdicts else []),
    )
    _print(out, shown)


def _verdict(row: Mapping[str, Any]) -> Cell:
    verdict = "" if row["verdict"] == "kept" else row["verdict"]
    if row["verdict"] == "not judged":  # its reason is short enough for a cell
        constant = row["reason"] == REASON_CONSTANT
        verdict = "no kappa" if constant else "too few shared" if row["shared"] else "none shared"
    words = ", ".join(each for each in (verdict, "one value" * row["constant"]) if each)
    return styled(words, "yellow")


def _fact(row: Mapping[str, Any], column: str) -> str:
    if column == "side p":
        return p_value(row["side_p"])
    return f"{row[column]:.2f}" if isinstance(row[column], float) else str(row[column])


def _systems(rows: pl.DataFrame, distribution: pl.DataFrame) -> Table:
    grades = distribution.get_column("score").unique().sort().to_list()
    shares = {(row["system"], row["score"]): row["share"] for row in distribution.to_dicts()}

    def share(row: Mapping[str, Any], grade: float) -> str:
        return f"{100 * shares.get((row['system'], grade), 0.0):.0f}%"

    return table(
        rows.iter_rows(named=True),
        text("system"),
        number("mean", lambda row: _interval(row["mean"], row["low"], row["high"], 2)),
        number("sd", lambda row: _interval(row["sd"], digits=2)),
        number("median", lambda row: _interval(row["median"], digits=2)),
        number("replies", "n"),
        *(
            number(f"{grade:g}", lambda row, grade=grade: share(row, grade))
            for grade in (grades if len(grades) <= MOST_GRADES else ())
        ),
    )


def _differences(out: Console, rows: pl.DataFrame) -> None:
    """Pairs of systems that are rated on different items."""
    if rows.height > MOST_PAIRS:
        out.print(
            f"differences of {counted(rows.height, 'pair')} of systems: --json\n", style="dim"
        )
    if not 0 < rows.height <= MOST_PAIRS:
        return
    shown = table(
        rows.iter_rows(named=True),
        text("a"),
        text("b"),
        number(
            "shared items",
            lambda row: str(row["shared"]) if row["kind"] == "paired" else "0 (unpaired)",
        ),
        number("a - b", lambda row: _interval(row["difference"], row["low"], row["high"], 2)),
        number("p", lambda row: p_value(row["p"])),
        number("p Holm", lambda row: starred(row["p_holm"])),
    )
    _print(out, shown)


def _pairs(rows: pl.DataFrame) -> Table:
    return table(
        rows.iter_rows(named=True),
        text("a"),
        text("b"),
        number("n", "comparisons"),
        *(
            number(
                heading, lambda row, rate=rate: _percent(row, rate, f"{rate}_low", f"{rate}_high")
            )
            for heading, rate in (
                ("a wins", "win_rate"),
                ("tie", "tie_rate"),
                ("b wins", "loss_rate"),
            )
        ),
        number(
            "items W/T/L",
            lambda row: f"{row['items_won']}/{row['items_tied']}/{row['items_lost']}",
        ),
        number("p", lambda row: p_value(row["p"])),
        number("p Holm", lambda row: starred(row["p_holm"])),
    )


def _strengths(rows: pl.DataFrame) -> Table:
    ordered = rows.sort(pl.col("strength").fill_nan(None), descending=True, nulls_last=True)
    return table(
        ordered.iter_rows(named=True),
        text("system"),
        number("strength", lambda row: _interval(row["strength"], row["low"], row["high"], 2)),
        number("wins/ties/losses", lambda row: f"{row['wins']}/{row['ties']}/{row['losses']}"),
        *([number("ranks", _ranks)] if "best_rank" in rows.columns else []),
    )


def _ranks(row: Mapping[str, Any]) -> str:
    best, worst = row["best_rank"], row["worst_rank"]
    if best is None:
        return NONE
    return f"{best}" if best == worst else f"{best}-{worst}"


def _parameters(rows: pl.DataFrame) -> Table:
    """What is estimated beside strengths."""
    return table(
        rows.iter_rows(named=True),
        text("estimated too", lambda row: _PARAMETERS[row["parameter"]].format(row["name"])),
        number("value", lambda row: _interval(row["value"], row["low"], row["high"], 2)),
    )


def _judges(rows: pl.DataFrame) -> Table:
    """What moves the votes of judges beside the better reply."""
    words = {
        "first place": "% for the first place",
        "own kind": "% for its own kind",
        "both orders": "% same in both orders",
    }
    return table(
        rows.iter_rows(named=True),
        text("judge"),
        text("votes", lambda row: words[row["measure"]]),
        number("value", lambda row: _percent(row, "value", "low", "high")),
        number("p", lambda row: p_value(row["p"])),
        number("p Holm", lambda row: starred(row["p_holm"])),
        number("n"),
    )


def _judge_legend(summary: PreferenceSummary) -> str:
    if not summary.judges.height:
        return ""
    return (
        "judges: how often the reply in the first place, or of the judge's own kind, wins against an "
        "equal one (50: no preference; own kind: beyond people's votes), and of pairs of replies judged "
        "in both orders how many have the same outcome; "
    )


def _strength_legend(summary: PreferenceSummary) -> str:
    """How strengths are estimated, and how to read what is estimated beside them."""
    named = set(summary.parameters.get_column("parameter"))
    ties = "Davidson's model" if "tie" in named else "Bradley-Terry"
    half = "" if "tie" in named else ", a tie as half a win"
    words = [f"strength: {ties}, log odds, mean 0{half}"]
    if "tie" in named:
        words.append(
            "nu: ties for each win of one side, between equal systems (0.5: a tie in 1 of 5)"
        )
    if "covariate" in named:
        words.append("effect: log odds for a reply that has 1 more of it than the other")
    if "discrimination" in named:
        words.append(
            "discrimination: 1 tells systems apart as people do, 0 not at all, below 0 the other way"
        )
    if "best_rank" in summary.strengths.columns:
        words.append(
            "ranks 2-5: one system is significantly better, and this one may be fifth (by strengths: Wald "
            "tests, Holm-corrected; not by the sign tests above)"
        )
    return "; ".join(words)


def _aggregation(out: Console, summary: RatingSummary) -> None:
    how = next(fact for fact in summary.signature.split("|") if fact.startswith("raters:"))[7:]
    words = {"z": "mean of each rater's z-scores"}.get(how, f"{how} of its ratings")
    legend = (
        f"[low, high]: 95% interval over {_groups(summary)}; "
        if has_intervals(summary.systems)
        else ""
    )
    single = (
        "; grades: share of single ratings; kappa: linearly weighted, against the others; human (max) is "
        f"the best of so many raters, high by selection; {NONE}: undefined"
        if summary.counts.get_column("raters").sum()
        else ""
    )
    out.print(f"{legend}mean: over replies, each the {words}{single}", style="dim")


def _groups(summary: RatingSummary) -> str:
    return "clusters" if "clusters" in summary.counts.columns else "items"


def _end(
    out: Console, summary: RatingSummary | PreferenceSummary, frames: Sequence[pl.DataFrame]
) -> None:
    """Why numbers are missing, each reason once, the notes, and the signature."""
    missing: dict[str, list[str]] = {}
    for frame in frames:
        named = [
            name for name in ("measure", "correlation", "system", "a") if name in frame.columns
        ]
        for row in frame.filter(pl.col("reason").is_not_null()).iter_rows(named=True):
            what = str(row[named[0]]) + (f" and {row['b']}" if "b" in row else "")
            missing.setdefault(row["reason"], []).append(what)
    for reason, what in missing.items():
        labels = ", ".join(dict.fromkeys(what))
        print_notes(out, [f"{labels}: {reason}"])
    print_notes(out, summary.notes)
    out.print()
    out.print(summary.signature, style="dim", soft_wrap=True)


def _of(frame: pl.DataFrame, criterion: str) -> pl.DataFrame:
    return frame.filter(pl.col("criterion") == criterion)


def _print(out: Console, shown: Table) -> None:
    out.print(shown)
    out.print()


def _interval(value: float, low: float = math.nan, high: float = math.nan, digits: int = 3) -> Cell:
    return interval(value, low, high, decimals(digits))


def _percent(row: Mapping[str, Any], value: str, low: str, high: str) -> Cell:
    if math.isnan(row[value]):
        return NONE
    share = f"{100 * row[value]:.0f}"
    if math.isnan(row[low]):
        return share
    return joined(share + " ", styled(f"[{100 * row[low]:.0f}, {100 * row[high]:.0f}]", "dim"))
