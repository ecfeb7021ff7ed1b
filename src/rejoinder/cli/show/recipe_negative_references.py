"""What ``rejoinder recipe negative-references`` shows: a table for each kind of bad reply."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rejoinder.document.text import Cell, joined, styled

if TYPE_CHECKING:
    from rejoinder.recipes.negative_references.study import NegativeReferences

ENDS = ("", "_low", "_high")


def show(study: NegativeReferences, order: int) -> None:
    """A table for each kind of bad reply, with n-grams up to ``order``."""
    from rejoinder.cli.terminal.columns import number, table, text
    from rejoinder.cli.terminal.console import console, print_notes
    from rejoinder.recipes.negative_references.study import FORMS

    out = console()
    tests = {_key(row): row for row in study.comparisons.iter_rows(named=True)}
    for (kind,), rows in study.table.group_by("kind", maintain_order=True):
        first = rows.row(0, named=True)
        shown = table(
            (row for row in rows.iter_rows(named=True) if row["order"] in (None, order)),
            text("metric"),
            text("form"),
            number("accuracy %", lambda row: _with_ends(*(row[f"accuracy{end}"] for end in ENDS))),
            number("ties %", lambda row: f"{100 * row['ties']:.1f}"),
            number("against BLEU", lambda row: _difference(tests.get(_key(row)))),
            number("p", lambda row: _p(tests.get(_key(row)))),
            number("AUC %", lambda row: _with_ends(*(row[f"auc{end}"] for end in ENDS))),
            title=f"bad: {kind} ({first['pairs']} pairs of {first['contexts']} contexts)",
        )
        out.print(shown)
        out.print()
    out.print(
        f"n-grams up to {order}; values x100; accuracy: the good reply of a context above the bad "
        "one, ties half; AUC: over all contexts; (low, high): 95%, contexts resampled; p: Holm",
        style="dim",
    )
    for form, words in FORMS.items():
        out.print(f"{form}: {words}", style="dim")
    print_notes(out, study.notes)
    out.print()
    for name, signature in study.signatures.items():
        out.print(f"{name}: {signature}", style="dim", soft_wrap=True)


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["kind"], row["metric"], row["form"], row["order"]


def _difference(test: dict[str, Any] | None) -> Cell:
    """The accuracy less that of BLEU."""
    if test is None:
        return ""
    return _with_ends(test["difference"], test["low"], test["high"], "+")


def _p(test: dict[str, Any] | None) -> str:
    return "" if test is None or math.isnan(test["p_holm"]) else f"{test['p_holm']:.3g}"


def _with_ends(value: float, low: float, high: float, sign: str = "") -> Cell:
    ends = "" if math.isnan(low) else f" ({100 * low:.1f}, {100 * high:.1f})"
    return joined(f"{100 * value:{sign}.1f}", styled(ends, "dim"))
