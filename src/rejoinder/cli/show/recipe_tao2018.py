"""What ``rejoinder recipe tao2018`` tells: the paper's tables for people, all rows for machines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rejoinder.cli.terminal.columns import number, table, text
from rejoinder.document.numbers import NONE, three_decimals
from rejoinder.document.text import Cell, joined, styled
from rejoinder.statistics.holm import SIGNIFICANT

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console
    from rich.table import Table

    from rejoinder.recipes.tao2018.study import Study

Drawn = tuple[list[Path], list[str]]
"""Files of pictures, and what these cannot show."""


def document(studies: Mapping[str, Study], cases: pl.DataFrame, drawn: Drawn) -> dict[str, Any]:
    """What ``--json`` prints; NaN is null, and has its reason."""
    documents = {
        name: {
            "table": study.rows().to_dicts(),
            "signature": study.pooled.signature,
            "signatures": study.pooled.signatures,
            "notes": study.notes,
        }
        for name, study in studies.items()
    }
    first = documents.pop("")
    paths, notes = drawn
    return {
        **first,
        "notes": [*first["notes"], *notes],
        "cases": cases.to_dicts(),
        "transfer": next(iter(documents.values()), None),
        "files": [str(path) for path in paths],
    }


def show(studies: Mapping[str, Study], cases: pl.DataFrame, drawn: Drawn) -> None:
    """Tables for people."""
    from rejoinder.cli.terminal.console import console, print_notes

    out = console()
    for name, study in studies.items():
        if name:
            out.print()
            out.print(f"{name}: another test set, the same model", style="bold")
        _study(out, study, None if name else cases)
    print_notes(out, drawn[1])


def _study(out: Console, study: Study, cases: pl.DataFrame | None) -> None:
    from rejoinder.cli.terminal.console import print_notes
    from rejoinder.recipes.tao2018.study import MEAN

    pooled = study.table()
    systems = len(study.systems) or 1
    if study.systems:
        out.print(_paper_table(study.table(MEAN), MEAN, tested=True))
        out.print()
        out.print(
            f"{MEAN}: the mean over {systems} systems of each system's own correlation; (low, high): "
            "95% interval, jackknife over contexts; p: contexts permuted inside each system; * p "
            f"below {SIGNIFICANT}; {NONE}: undefined",
            style="dim",
        )
        out.print()
    out.print(_paper_table(pooled, "pooled", tested=not study.systems))
    out.print()
    test = "" if study.systems else f"; p: permutation test; * p below {SIGNIFICANT}"
    out.print(
        f"{pooled['n'].max()} replies of {systems} system{'s' * (systems > 1)}; (low, high): 95% "
        f"interval, contexts resampled{test}; {NONE}: undefined",
        style="dim",
    )
    if study.systems:
        _within(out, study)
    if cases is not None:
        _cases(out, study, cases)
    out.print()
    print_notes(out, (*study.notes, *_reasons(pooled)))
    out.print()
    out.print(study.pooled.signature, style="dim", soft_wrap=True)
    for label, signature in study.pooled.signatures.items():
        out.print(f"{label}: {signature}", style="dim", soft_wrap=True)


def _paper_table(rows: pl.DataFrame, title: str, tested: bool) -> Table:
    """The paper's Table 2; p only where there is a test that holds."""
    headings = rows["heading"].to_list()
    first = {row for row in range(rows.height) if not row or headings[row] != headings[row - 1]}
    columns = [
        text("", lambda row: row["heading"] if row["place"] in first else ""),
        text(title, "metric"),
    ]
    for name in ("pearson", "spearman"):
        columns.append(number(name, lambda row, name=name: _value(row, name)))
        if tested:
            columns.append(number("p", lambda row, name=name: _p(row, name)))
    return table(rows.with_row_index("place").iter_rows(named=True), *columns, section="heading")


def _value(row: Mapping[str, Any], name: str) -> Cell:
    value, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    if math.isnan(value):
        return NONE
    ends = styled("" if math.isnan(low) else f" ({low:.3f}, {high:.3f})", "dim")
    return joined(f"{value:.3f}", ends)


def _p(row: Mapping[str, Any], name: str) -> str:
    """The p-value, with a star where it is significant; the random baseline has none."""
    p = math.nan if math.isnan(row[name]) else row[f"{name}_p"]
    return three_decimals(p, row["metric"] != "random")


def _star(p: float) -> str:
    return "*" if p < SIGNIFICANT else " "


def _within(out: Console, study: Study) -> None:
    """Each system's own coefficients, and their mean: a column for each."""
    groups = study.groups[1:]
    rows = study.rows()
    cells = {
        (row["coefficient"], row["group"], row["metric"]): row for row in rows.iter_rows(named=True)
    }
    labels = rows["metric"].unique(maintain_order=True).to_list()
    for coefficient in rows["coefficient"].unique(maintain_order=True):
        columns = [
            number(name, lambda label, key=(coefficient, name): _short(cells.get((*key, label))))
            for name in groups
        ]
        out.print()
        out.print(table(labels, text(f"{coefficient}, within", str), *columns))


def _short(row: Mapping[str, Any] | None) -> str:
    if row is None or math.isnan(row["value"]):
        return f"{NONE} "
    return f"{row['value']:.3f}{_star(row['p'])}"


def _cases(out: Console, study: Study, cases: pl.DataFrame) -> None:
    """The paper's Table 3: a few replies with their scores."""
    from rejoinder.recipes.tao2018.figures import paper_labels

    labels = paper_labels(study)
    for (name,), replies in cases.group_by("id", maintain_order=True):
        first = replies.row(0, named=True)
        out.print()
        out.print(f"{name}: {first['query']}", style="bold")
        out.print(f"reference: {first['reference']}")
        scores = [number(label, lambda row, label=label: _score(row[label])) for label in labels]
        human = number("human", lambda row: f"{row['human']:.2f}")
        rows = replies.iter_rows(named=True)
        out.print(table(rows, text("system"), text("reply"), human, *scores))


def _score(value: float) -> str:
    return NONE if math.isnan(value) else f"{value:.3f}"


def _reasons(rows: pl.DataFrame) -> Sequence[str]:
    """Why numbers are missing, each reason once; of people no interval is expected."""
    missing = rows.filter(rows["reason"].is_not_null())
    return [
        f"{row['metric']}: {row['reason']}"
        for row in missing.iter_rows(named=True)
        if not row["metric"].startswith("human") or math.isnan(row["pearson"])
    ]
