"""Tables for people; machine.py has the same for machines. No numbers are made here."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.scoring.scores import LEAST_ITEMS
from rejoinder.tables.wording import counted

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.figures.album import Album
    from rejoinder.metrics.similarity import Likeness
    from rejoinder.scoring.audit import Audit
    from rejoinder.scoring.correlate import Agreement
    from rejoinder.scoring.explain import Explanation
    from rejoinder.scoring.plan import Plan
    from rejoinder.scoring.scores import Scores

COLUMNS_AT_ONCE = 5
FAKES_AT_ONCE = 4  # a mark and a system's name stand in a cell
NARROW = 100
SIGNIFICANT = 0.05
NONE = "n/a"
"""What stands where a number is undefined."""


def console() -> Console:
    """Where tables go: as wide as the terminal, or as COLUMNS says, or 120 in a pipe."""
    columns = shutil.get_terminal_size(fallback=(120, 24)).columns
    return Console(width=columns, highlight=False)


def systems(scores: Scores) -> None:
    """Every system under every metric, the verdicts, and the signatures."""
    print_systems(console(), scores)


def print_systems(out: Console, scores: Scores, signatures: bool = True) -> None:
    """The same, to any console."""
    table = scores.systems()
    several = len(scores.names) > 1 and scores.resamples > 0
    tables = -(-len(scores.labels) // COLUMNS_AT_ONCE)
    step = -(-len(scores.labels) // tables)
    for begin in range(0, len(scores.labels), step):
        out.print(_systems(scores, table, scores.labels[begin : begin + step]))
        out.print()
    out.print(_scale(scores), style="dim")
    if several:
        out.print()
        _verdicts(out, scores)
    _notes(out, scores)
    if signatures:
        out.print()
        for label, each in scores.measured.items():
            out.print(f"{label}: {each.signature}", style="dim", markup=False, soft_wrap=True)


def _systems(scores: Scores, table: pl.DataFrame, labels: Sequence[str]) -> Table:
    shown = Table(show_edge=False, pad_edge=False, header_style="bold")
    shown.add_column("system")
    cells: dict[tuple[str, str], dict[str, Any]] = {
        (row["metric"], row["system"]): row for row in table.iter_rows(named=True)
    }
    for label in labels:
        shown.add_column(label, justify="right")
    first = scores.labels[0]
    for row in table.filter(table["metric"] == first).iter_rows(named=True):
        name = row["system"]
        shown.add_row(
            escape(name),
            *(_cell(scores.measured[label].metric, cells[label, name]) for label in labels),
        )
    return shown


def _cell(metric: Metric, row: Mapping[str, Any]) -> str:
    value = number(metric, row["value"])
    if math.isnan(row["low"]):
        return value
    return f"{value} [dim]\\[{number(metric, row['low'])}, {number(metric, row['high'])}][/dim]"


def number(metric: Metric, value: float) -> str:
    """A value as tables show it: x100 where the metric lies within [-1, 1], as papers do."""
    if math.isnan(value):
        return NONE
    return f"{100 * value:.1f}" if percent(metric) else f"{value:.2f}"


def percent(metric: Metric) -> bool:
    """Whether tables show a metric x100."""
    return metric.bounds[1] <= 1


def _scale(scores: Scores) -> str:
    ns = sorted({each.n for each in scores.measured.values()})
    items = counted(ns[0], "item") if len(ns) == 1 else f"{ns[0]} to {ns[-1]} items, by metric"
    fewest, most = scores.references
    held = counted(most, "reference") if fewest == most else f"{fewest} to {most} references"
    plain = [label for label, each in scores.measured.items() if not percent(each.metric)]
    scale = "x100" + (f" (not {', '.join(plain)})" if plain else "")
    if len(plain) == len(scores.measured):
        scale = "as they are"
    interval = f"; \\[low, high]: 95% bootstrap interval, {counted(scores.resamples, 'resample')}"
    return f"{items} with {held} each; values {scale}{interval if scores.resamples else ''}"


def _verdicts(out: Console, scores: Scores) -> None:
    """The best system of each metric that ranks them, the next, and how sure that is."""
    table = scores.leads()
    if table.is_empty():
        return
    wide = out.width >= NARROW
    shown = Table(show_edge=False, pad_edge=False, header_style="bold")
    for name in ("metric", "best", "next"):
        shown.add_column(name, overflow="fold")
    for name in ("ahead by", "95% interval", "p", *(("W/T/L", "would show") if wide else ())):
        shown.add_column(name, justify="right", no_wrap=True)
    shown.add_column("verdict", no_wrap=True)
    for row in table.iter_rows(named=True):
        show = _number_of(scores.measured[row["metric"]].metric)
        more = (_won(row), show(row["detectable"]))
        shown.add_row(
            row["metric"],
            f"[bold]{escape(row['a'])}[/bold]",
            escape(row["b"]),
            show(abs(row["difference"])),
            _span(show, row),
            _p_value(row["p"]),
            *(more if wide else ()),
            "[green]better[/green]" if row["p"] < SIGNIFICANT else "[yellow]not clear[/yellow]",
        )
    out.print(shown)
    pairs = len(scores.names) * (len(scores.names) - 1) // 2
    how = table.item(0, "correction").capitalize()
    corrected = f", {how}-corrected over {pairs} pairs" if pairs > 1 else ""
    if pairs > 1 and how == "Holm":
        corrected += " as in 'rejoinder compare'"
    more = (
        "; W/T/L: items won, tied, lost; would show: the smallest difference that so many items "
        "show with 80% power"
    )
    out.print(f"p: approximate randomization{corrected}{more if wide else ''}", style="dim")


def _won(row: Mapping[str, Any]) -> str:
    return NONE if row["wins"] is None else f"{row['wins']}/{row['ties']}/{row['losses']}"


def _span(show: Callable[[float], str], row: Mapping[str, Any]) -> str:
    if math.isnan(row["low"]):
        return NONE
    return f"\\[{show(row['low'])}, {show(row['high'])}]"


def _p_value(value: float) -> str:
    return NONE if math.isnan(value) else f"{value:.2g}"


def comparison(scores: Scores, table: pl.DataFrame) -> None:
    """Every pair of systems under every metric."""
    out = console()
    wide = out.width >= NARROW
    for label, each in scores.measured.items():
        show = _number_of(each.metric)
        shown = Table(
            title=label, title_justify="left", show_edge=False, pad_edge=False, header_style="bold"
        )
        for name in ("a", "b"):
            shown.add_column(name, overflow="fold")
        extra = ("p boot", "W/T/L", "would show") if wide else ()
        for name in ("a - b", "95% interval", "p", "p Holm", *extra):
            shown.add_column(name, justify="right", no_wrap=True)
        for row in table.filter(table["metric"] == label).iter_rows(named=True):
            clear = row["p_randomization_holm"] < SIGNIFICANT
            more = (_p_value(row["p_bootstrap"]), _won(row), show(row["detectable"]))
            shown.add_row(
                escape(row["a"]),
                escape(row["b"]),
                show(row["difference"]),
                _span(show, row),
                _p_value(row["p_randomization"]),
                _p_value(row["p_randomization_holm"]) + ("*" if clear else " "),
                *(more if wide else ()),
            )
        out.print(shown)
        out.print()
    more = (
        "; p boot: paired bootstrap (where the two disagree, believe p); W/T/L: items won, tied, "
        "lost by a; would show: the smallest difference that so many items show with 80% power"
    )
    out.print(
        f"{_scale(scores)}; p: approximate randomization; p Holm: corrected over a metric's pairs, "
        f"* below 0.05{more if wide else ''}",
        style="dim",
    )
    bags = table.filter(table["wins"].is_null())["metric"].unique(maintain_order=True)
    if wide and bags.len():
        words = "of all replies together, so items are neither won nor lost"
        out.print(f"note: {', '.join(bags)}: {words}", style="yellow", markup=False)
    _notes(out, scores)


def _number_of(metric: Metric) -> Callable[[float], str]:
    return lambda value: number(metric, value)


def agreement(
    told: Agreement,
    within: pl.DataFrame | None = None,
    compared: pl.DataFrame | None = None,
    drawn: Album | None = None,
) -> None:
    """How far every metric agrees with people: the table, within systems, metrics in pairs.

    What was ``drawn`` is told below all of it, by plots.py.
    """
    out = console()
    table = told.table()
    out.print(_agreement(told, table))
    out.print()
    several = table["n"].unique().sort().to_list()
    counted = " to ".join(str(n) for n in several[:: max(1, len(several) - 1)])
    out.print(
        f"{counted} observations; \\[low, high]: 95% interval; p: permutation test; * p below "
        f"{SIGNIFICANT}; n/a: undefined",
        style="dim",
    )
    spread = told.protocol.spread
    if spread:
        out.print(spread, style="dim", markup=False)
        out.print()
        out.print(_spread(told, table))
    if within is not None:
        out.print()
        out.print(_within(told, within))
        out.print(
            "within systems: the mean over systems of each one's own correlation, which the systems' "
            "different levels do not inflate",
            style="dim",
        )
        means = within.filter(within["system"] == "mean")
        _reasons(out, means.with_columns(metric=means["metric"] + " within systems"))
    if compared is not None:
        out.print()
        out.print(_metric_pairs(compared))
        out.print(
            f"a - b: difference of {compared.item(0, 'correlation')}; p: paired permutation; "
            "Williams' t takes observations for independent and normal; * p below 0.05, not "
            "corrected for the number of pairs",
            style="dim",
        )
    _reasons(out, table)
    _notes(out, told)
    out.print()
    out.print(told.signature, style="dim", markup=False, soft_wrap=True)
    for label, signature in told.signatures.items():
        out.print(f"{label}: {signature}", style="dim", markup=False, soft_wrap=True)


def _agreement(told: Agreement, table: pl.DataFrame) -> Table:
    shown = Table(show_edge=False, pad_edge=False, header_style="bold")
    shown.add_column("metric")
    for name in told.correlations:
        shown.add_column(name, justify="right")
        shown.add_column("p", justify="right")
    before = None
    for label, rows in _by_metric(table):
        if before in told.labels and label not in told.labels:
            shown.add_section()
        before = label
        cells = []
        for name in told.correlations:
            row = rows[name]
            # Chance is there to be seen beside: a star would call it a finding.
            cells += [_interval(row), _p(row["p"], label in told.labels)]
        shown.add_row(escape(label), *cells)
    return shown


def _within(told: Agreement, within: pl.DataFrame) -> Table:
    shown = Table(show_edge=False, pad_edge=False, header_style="bold")
    shown.add_column("within systems")
    for name in told.correlations:
        shown.add_column(name, justify="right")
    for label, rows in _by_metric(within.filter(within["system"] == "mean")):
        shown.add_row(escape(label), *(_interval(rows[name]) for name in told.correlations))
    return shown


def _spread(told: Agreement, table: pl.DataFrame) -> Table:
    shown = Table(show_edge=False, pad_edge=False, header_style="bold")
    shown.add_column("95% of assignments")
    for name in told.correlations:
        shown.add_column(name, justify="right")
    for label, rows in _by_metric(table):
        ends = [(rows[name]["spread_low"], rows[name]["spread_high"]) for name in told.correlations]
        shown.add_row(
            escape(label),
            *("n/a" if math.isnan(low) else f"{low:.3f} to {high:.3f}" for low, high in ends),
        )
    return shown


def _metric_pairs(compared: pl.DataFrame) -> Table:
    shown = Table(show_edge=False, pad_edge=False, header_style="bold")
    for name in ("a", "b"):
        shown.add_column(name)
    for name in ("a - b", "p", "Williams t", "p"):
        shown.add_column(name, justify="right")
    for row in compared.iter_rows(named=True):
        williams = f"{row['williams_t']:.2f}" if not math.isnan(row["williams_t"]) else ""
        shown.add_row(
            escape(row["a"]),
            escape(row["b"]),
            _interval({**row, "value": row["difference"]}),
            _p(row["p"]),
            williams,
            _p(row["williams_p"]),
        )
    return shown


def _by_metric(table: pl.DataFrame) -> Iterator[tuple[str, dict[str, dict[str, Any]]]]:
    for (label,), rows in table.group_by("metric", maintain_order=True):
        yield str(label), {row["correlation"]: row for row in rows.iter_rows(named=True)}


def _interval(row: Mapping[str, Any]) -> str:
    if math.isnan(row["value"]):
        return "n/a"
    if math.isnan(row["low"]):
        return f"{row['value']:.3f}"
    return f"{row['value']:.3f} [dim]\\[{row['low']:.3f}, {row['high']:.3f}][/dim]"


def _p(p: float, marked: bool = True) -> str:
    if math.isnan(p):
        return ""
    star = "*" if marked and p < SIGNIFICANT else " "
    return ("<0.001" if p < 0.0005 else f"{p:.3f}") + star


def _reasons(out: Console, table: pl.DataFrame) -> None:
    """Why numbers are missing, each reason once."""
    # People have neither interval nor test; only where they have no value either, that is said.
    people = table["metric"].str.starts_with("human") & table["value"].is_not_nan()
    missing = table.filter(table["reason"].is_not_null() & ~people)
    for (reason,), rows in missing.group_by("reason", maintain_order=True):
        labels = ", ".join(rows["metric"].unique(maintain_order=True))
        out.print(f"note: {labels}: {reason}", style="yellow", markup=False)


def segments(scores: Scores) -> None:
    """A row for each system and item, tab-separated, or as JSON."""
    table = scores.segments()
    sys.stdout.write(table.write_csv(separator="\t"))
    _notes(Console(stderr=True, highlight=False), scores)


def groups(scores: Scores, column: str) -> None:
    """The systems for each value of a column."""
    table = scores.by(column)
    out = console()
    shown = Table(show_edge=False, pad_edge=False, header_style="bold")
    for name in (column, "system"):
        shown.add_column(escape(name))
    for label in scores.labels:
        shown.add_column(label, justify="right")
    shown.add_column("n", justify="right")
    cells: dict[tuple[Any, str], dict[str, Any]] = {}
    for row in table.iter_rows(named=True):
        cells.setdefault((row[column], row["system"]), {})[row["metric"]] = row
    before = None
    for (value, system), row in sorted(cells.items(), key=lambda each: str(each[0][0])):
        if before is not None and value != before:
            shown.add_section()
        counts = sorted({each["n"] for each in row.values()})
        shown.add_row(
            "" if value == before else escape(str(value)),
            escape(system),
            *(_cell(scores.measured[label].metric, row[label]) for label in scores.labels),
            " to ".join(str(n) for n in counts[:: max(1, len(counts) - 1)]),
        )
        before = value
    out.print(shown)
    out.print(_scale(scores), style="dim")
    few = table.filter(table["n"] < LEAST_ITEMS)[table.columns[0]].unique().len()
    if few and scores.resamples:
        words = f"{counted(few, 'group')} of fewer than {LEAST_ITEMS} items: no interval"
        out.print(f"note: {words}", style="yellow")
    _notes(out, scores)


def explanations(told: Sequence[Explanation]) -> None:
    """What made the score of one item, for each system and metric."""
    out = console()
    for each in told:
        _explanation(out, each)


def _explanation(out: Console, told: Explanation) -> None:
    metric = f"{told.label} = {100 * told.value:.1f}"
    out.rule(Text.assemble((told.system, "bold"), f" on {told.id}: {metric} (x100)"), align="left")
    for turn in told.context:
        out.print(Text(f"  {turn}", style="dim"))
    out.print(Text.assemble("> ", (told.reply or "(empty reply)", "bold")))
    out.print()
    if told.likeness is not None:
        _likeness(out, told, told.likeness)
        return
    references = Table(show_edge=False, pad_edge=False, header_style="bold")
    for name in ("ref", "weight", "text", "source"):
        references.add_column(name, justify="right" if name in ("ref", "weight") else "left")
    rows = zip(told.references, told.weights, told.sources, strict=True)
    for place, (text, weight, source) in enumerate(rows, 1):
        references.add_row(
            str(place), f"{weight:+.2f}", Text(text), source or "", style=_tint(weight)
        )
    out.print(references)
    out.print()
    grams = Table(show_edge=False, pad_edge=False, header_style="bold")
    for name in ("n", "n-gram", "in reply", "matched", "ref", "weight", "adds", "of", "also in"):
        grams.add_column(name, justify="left" if name in ("n-gram", "also in") else "right")
    for each in told.contributions:
        if each.reference is None:
            grams.add_row(
                str(each.order), Text(each.ngram), str(each.count), "-", "", "", "0",
                f"{each.of:.2f}", "", style="dim",
            )  # fmt: skip
            continue
        others = [str(place + 1) for place in each.holders if place != each.reference]
        grams.add_row(
            str(each.order),
            Text(each.ngram),
            str(each.count),
            str(each.matched),
            str(each.reference + 1),
            f"{each.weight:+.2f}",
            f"{each.adds:+.2f}",
            f"{each.of:.2f}",
            " ".join(others),
            style=_tint(each.adds),
        )
    out.print(grams)
    bad = sum(each.adds < 0 for each in told.contributions)
    parts = ", ".join(f"{name} {_plain(value)}" for name, value in told.parts.items())
    found = counted(bad, "n-gram")
    out.print(f"{found} found in references of negative weight alone; {parts}\n", style="dim")


def _likeness(out: Console, told: Explanation, like: Likeness) -> None:
    """How like the reply is to each reference, and which words make it like the nearest."""
    references = Table(show_edge=False, pad_edge=False, header_style="bold")
    for name in ("ref", "similarity", "text", "source"):
        references.add_column(name, justify="right" if name in ("ref", "similarity") else "left")
    rows = zip(told.references, like.similarities, told.sources, strict=True)
    for place, (text, value, source) in enumerate(rows):
        counts = "bold" if place == like.nearest else ""
        references.add_row(
            str(place + 1), f"{100 * value:.1f}", Text(text), source or "", style=counts
        )
    out.print(references)
    out.print(f"reference {like.nearest + 1} counts: the nearest\n", style="dim")
    if not like.words:
        return
    words = Table(show_edge=False, pad_edge=False, header_style="bold")
    for name in ("word", "sets", "adds"):
        words.add_column(name, justify="left" if name == "word" else "right")
    for each in like.words:
        row = (Text(each.word), f"{100 * each.sets:.0f}%", f"{100 * each.adds:+.1f}")
        words.add_row(*row, style=_tint(each.adds))
    out.print(words)
    out.print(
        "sets: share of the reply's vector that is this word's; adds: its part in the similarity, "
        "x100\n",
        style="dim",
    )


def _tint(weight: float) -> str:
    return "red" if weight < 0 else ""


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(f"{each:.4g}" for each in value) + "]"
    return f"{value:.4g}"


def audit(found: Audit) -> None:
    """Every fake under every metric beside the range of the systems, and what that says."""
    out = console()
    for references, scores in (("all", found.scores), ("leave-one-out", found.left_out)):
        if scores is None:
            continue
        rows = found.table.filter(found.table["references"] == references)
        tables = -(-len(scores.labels) // FAKES_AT_ONCE)
        step = -(-len(scores.labels) // tables)
        for begin in range(0, len(scores.labels), step):
            out.print(_fakes(scores, rows, scores.labels[begin : begin + step]))
            out.print()
        what = "all references" if references == "all" else "without the reference that 'copy' is"
        out.print(f"{what}: {_scale(scores)}\n", style="dim")
    out.print(
        "! reaches the median system, !! the best one; ? below the median, but not told apart from "
        "it (paired bootstrap, Holm-corrected over a metric's fakes, p >= 0.05)\n",
        style="dim",
        markup=False,
    )
    differences = _differences(found)
    if differences.rows:
        out.print(differences)
        out.print()
    for verdict in found.verdicts:
        out.print(verdict.sentence, markup=False)
    for note in found.notes:
        out.print(f"note: {note}", style="yellow", markup=False)


def _fakes(scores: Scores, rows: pl.DataFrame, labels: Sequence[str]) -> Table:
    """Fakes x metrics, and below them the lowest, the median and the best system."""
    shown = Table(show_edge=False, pad_edge=False, header_style="bold")
    shown.add_column("fake")
    for label in labels:
        shown.add_column(label, justify="right")
    cells: dict[tuple[str, str], dict[str, Any]] = {
        (row["metric"], row["fake"]): row for row in rows.iter_rows(named=True)
    }
    fakes = rows["fake"].unique(maintain_order=True).to_list()
    for fake in fakes:
        marked = []
        for label in labels:
            row = cells[label, fake]
            marked.append(_cell(scores.measured[label].metric, row) + f" {_mark(row):2}")
        shown.add_row(fake, *marked)
    shown.add_section()
    for place in ("lowest", "median", "best"):
        held = []
        for label in labels:
            row = cells[label, fakes[0]]
            known = row[place] is not None
            value = number(scores.measured[label].metric, row[place]) if known else ""
            held.append(f"{value} [dim]{escape(row[f'{place}_system'])}[/dim]   " if known else "")
        if any(held):
            shown.add_row(f"{place} system", *held)
    return shown


def _mark(row: Mapping[str, Any]) -> str:
    p = row["p_holm_median"]
    if row["reaches"] == "none":
        return "?" if p is not None and p >= SIGNIFICANT else ""
    return {"median": "!", "best": "!!"}.get(row["reaches"], "")


def _differences(found: Audit) -> Table:
    """The fakes that a mark stands at, against the median and against the best system."""
    shown = Table(show_edge=False, pad_edge=False, header_style="bold")
    for name in ("metric", "fake"):
        shown.add_column(name)
    for name in (
        "reaches",
        "- median",
        "95% interval",
        "p Holm",
        "- best",
        "95% interval",
        "p Holm",
    ):
        shown.add_column(name, justify="right")
    for row in found.table.iter_rows(named=True):
        if not _mark(row):
            continue
        show = _number_of(found.scores.measured[row["metric"]].metric)
        against = []
        for name in ("median", "best"):
            low, high, p = (row[f"{key}_{name}"] for key in ("low", "high", "p_holm"))
            against.append(show(row[f"difference_{name}"]))
            against.append("" if p is None else f"\\[{show(low)}, {show(high)}]")
            against.append("" if p is None else f"{p:.2g}")
        shown.add_row(row["metric"], row["fake"], f"{row['reached']} of {row['systems']}", *against)
    return shown


def metrics(table: Mapping[str, Callable[..., Metric]]) -> None:
    """Name, parameters, source, bounds and needs of every metric."""
    made = {name: make() for name, make in table.items()}
    shown = Table(show_edge=False, pad_edge=False, header_style="bold")
    for name in ("name", "parameters and defaults", "bounds", "needs", "source"):
        shown.add_column(name)
    for name, each in made.items():
        parameters = registry.parameters(each)
        needed = [f"{key}=PATH" for key in each.sources]
        defaults = ", ".join(
            needed
            + [f"{key}={value}" for key, value in parameters.items() if key not in each.sources]
        )
        low, high = each.bounds
        shown.add_row(
            name,
            defaults,
            f"{low:g} to {high:g}",
            ", ".join(sorted(each.needs)) or "replies alone",
            each.source,
        )
    console().print(shown)


def _notes(out: Console, told: Scores | Agreement) -> None:
    for note in told.notes:
        out.print(f"note: {note}", style="yellow", markup=False)


def plan(told: Plan) -> None:
    """What more items, raters and references would bring, and what that rests on."""
    from rejoinder.cli.plan_tables import print_plan

    print_plan(console(), told, [label for label, each in told.metrics.items() if percent(each)])
