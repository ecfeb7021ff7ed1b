"""The tables of ``rejoinder ruq`` for people."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rich.console import Console

from rejoinder.cli.terminal.console import bare_table, console
from rejoinder.cli.terminal.showing import show
from rejoinder.document.numbers import NONE, interval, times100
from rejoinder.messages import counted, p_is
from rejoinder.scoring.compare import is_upper_limit
from rejoinder.scoring.score_tables import groups
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.holm import SIGNIFICANT

if TYPE_CHECKING:
    from rejoinder.tables.testset import TestSet
    from rejoinder.utterance_quantity.result import Quantity

WIDEST = 400  # characters of a text that is shown


def people(result: Quantity, testset: TestSet | None, by: str | None, worst: int) -> None:
    """The table of models and generic replies, or of groups; the worst prompts; the notes.

    Without the test set there are no texts of prompts to show.
    """
    out = console()
    scores = result.scores
    if by is not None:
        few = _few(result)
        show(groups(few, few.by(by), by))
    else:
        _table(out, result)
        if len(scores.names) > 1 and scores.resamples:
            out.print()
            _verdict(out, result)
        if testset is not None:
            _worst(out, result, testset, worst)
        for note in scores.notes:
            out.print(f"note: {note}", style="yellow", soft_wrap=True)
    out.print()
    signature = scores.measured[result.strongest].signature
    out.print(f"{result.strongest}: {signature}", style="dim", soft_wrap=True)


def models(result: Quantity) -> None:
    """The table of models and generic replies, and the notes."""
    people(result, None, None, 0)


def _few(result: Quantity) -> Scores:
    """The scores against the strongest generic reply and the first one: what fits a table."""
    scores = result.scores
    measured = {label: scores.measured[label] for label in scores.labels[:2]}
    return replace(scores, measured=measured, _draws={}, _resampled={}, _left_out={})


def _table(out: Console, result: Quantity) -> None:
    scores = result.scores
    rows: dict[tuple[str, str], dict[str, Any]] = {
        (row["metric"], row["system"]): row for row in scores.systems().iter_rows(named=True)
    }
    shown = bare_table()
    shown.add_column("RUQ against")
    for name in scores.names:
        shown.add_column(name, justify="right")
    shown.add_column("prompts", justify="right")
    for label, each in scores.measured.items():
        title = "the strongest of these" if label == result.strongest else each.metric.generic  # pyright: ignore
        of_label = (rows[label, name] for name in scores.names)
        cells = [interval(row["value"], row["low"], row["high"], times100) for row in of_label]
        shown.add_row(title, *cells, str(each.n))
        if label == result.strongest:
            shown.add_section()
    out.print(shown)
    legend = "; [low, high]: 95% interval (Wilson)"
    out.print(
        "x100: the share of prompts whose reference the model finds likelier, token by token, than "
        f"the generic reply{legend if scores.resamples else ''}; {NONE}: undefined",
        style="dim",
    )


def _verdict(out: Console, result: Quantity) -> None:
    """The best model against the next, by the strongest generic reply."""
    scores = _few(result)
    row = scores.leads().row(0, named=True)
    pairs = len(scores.names) * (len(scores.names) - 1) // 2
    p = p_is(row["p"], is_upper_limit(scores.measured[row["metric"]], row, pairs))
    ahead = f"{times100(row['difference'])} [{times100(row['low'])}, {times100(row['high'])}]"
    out.print(
        f"{row['a']} is ahead of {row['b']} by {ahead} against the strongest; {p}"
        f" (approximate randomization): {'better' if row['p'] < SIGNIFICANT else 'not clear'}",
    )


def _worst(out: Console, result: Quantity, testset: TestSet, most: int) -> None:
    table = result.worst(most)
    if table.is_empty():
        return
    turns = dict(zip(testset.ids, testset.contexts["context"].to_list(), strict=True))
    texts: dict[str, list[str]] = {}
    for id, text in testset.references.select("id", "text").iter_rows():
        texts.setdefault(id, []).append(text)
    for (system,), rows in table.group_by("system", maintain_order=True):
        out.print()
        where = f"{system}: " if len(result.scores.names) > 1 else ""
        out.print(
            f"{where}{counted(rows.height, 'prompt')} where a generic reply wins by most (log-"
            "probability to a token)",
            style="bold",
        )
        for row in rows.iter_rows(named=True):
            reference = texts[row["id"]][row["reference"]]
            out.print(f"{row['id']}  {turns[row['id']][-1]}"[:WIDEST], style="dim")
            out.print(f"  {row['generic_mean']:7.2f}  {row['generic']}"[:WIDEST])
            out.print(f"  {row['reference_mean']:7.2f}  {reference}"[:WIDEST])
    out.print()
