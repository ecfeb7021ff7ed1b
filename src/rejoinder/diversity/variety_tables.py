"""What is shown of variety: the systems under every measure, pairs of systems, and what it cannot see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from rejoinder.document.numbers import Show, decimals, interval, p_value, times100
from rejoinder.document.parts import Document, Line, lines, reasons, signed, spaced
from rejoinder.document.table import Table, estimate, key, number
from rejoinder.document.text import Cell

MEASURES_AT_ONCE = 4

LEGEND = (
    "Means over prompts of {} samples each, with 95% intervals; x100 but for {}. distinct-n: share of "
    "different n-grams. pairwise: how alike two samples are (lower is more varied). Vendi: effective "
    "number of different samples, from 1 to {}."
)
COVERAGE = (
    "coverage: expected best similarity of the samples to each reference, less the same with samples to "
    "other prompts: 0 is chance. closeness: mean similarity of a sample to its nearest reference, the "
    "quality beside variety. Coverage cannot credit a good reply that nobody wrote, does not see "
    "contradictions, and cannot be compared between test sets; chrF sees words alone, an encoder more."
)
PAIRS = (
    "difference: of the Vendi score, where whole sets of samples are flipped between the systems: is one "
    "more varied? within and between: how alike two samples of one system are, and one of each; where "
    "the gap is 0, they say the same (single samples permuted within prompts)."
)
MEANINGS = {
    "measure": "The measure.",
    "n": "Number of prompts.",
    "difference": "Value of a less that of b, mean over prompts.",
    "p": "p-value of whole sets of samples flipped: small where one is more varied.",
    "similarity": "The similarity by which samples are alike.",
    "within": "Mean similarity of two samples of one system to one prompt.",
    "between": "Mean similarity of a sample of each system to one prompt.",
    "gap": "within less between: 0 where both say the same.",
    "p_same": "One-sided p-value of single samples permuted within prompts: small where they differ.",
    "p_same_holm": "The same after Holm's correction.",
    "gap_n": "Number of prompts of the gap: both systems have two samples or more.",
    "gap_reason": "Why there is no interval of the gap.",
}


def of_systems(systems: pl.DataFrame, k: int, quality: Mapping[str, int]) -> Document:
    """A row for each system, its measures side by side.

    Args:
        systems: ``Variety.systems``.
        k: How many samples of a prompt the measures are of.
        quality: By measure of quality what tables multiply it with.
    """
    plain = [name for name, times in quality.items() if times == 1]

    def cell(measure: str, value: float | None, low: float | None, high: float | None) -> Cell:
        return interval(value, low, high, decimals(2) if measure in plain else _show(measure))

    columns = [
        key("system"),
        number(str, ("measure", "value", "low", "high", "n"), lambda *x: cell(*x[:4]), across=True),
    ]
    table = Table(systems, columns, across="measure", most=MEASURES_AT_ONCE, meanings=MEANINGS)
    return [*spaced(table), Line(LEGEND.format(k, ", ".join(["Vendi", *plain]), k), "legend")]


def of_pairs(pairs: pl.DataFrame) -> Document:
    """Both tests of every pair of systems; nothing for one system."""
    if pairs.is_empty():
        return []
    columns = [
        key("a"),
        key("b"),
        key("measure"),
        estimate("a - b", ("difference", "low", "high"), decimals(2)),
        number("p Holm", ("p", "p_holm"), lambda _, p: p_value(p), belongs=True),
        number("within", ("similarity", "within"), lambda _, value: _times100(value)),
        number("between", "between", _times100),
        estimate("gap", ("gap", "gap_low", "gap_high"), times100),
        number("p Holm", ("p_same", "p_same_holm"), lambda _, p: p_value(p), belongs=True),
        number("prompts", "n"),
        number("of the gap", "gap_n"),
    ]
    table = Table(pairs, columns, "pairs", meanings=MEANINGS)
    return [*spaced(table), Line(PAIRS, "legend")]


def remarks(
    systems: pl.DataFrame, pairs: pl.DataFrame, signatures: Mapping[str, str], notes: Sequence[str]
) -> Document:
    """What coverage is and cannot see, why numbers are missing, signatures and notes.

    Args:
        systems: The table of systems.
        pairs: The table of pairs of systems.
        signatures: The signature of each measure, by name.
        notes: The notes on the result.
    """
    gaps = reasons(pairs, reason="gap_reason", where=", gap")
    covered = systems["measure"].str.starts_with("coverage").any()
    legend = [Line(COVERAGE, "legend")] if covered else []
    return [*legend, *reasons(systems, pairs), *gaps, *lines(notes, "note"), *signed(signatures)]


def _show(measure: str) -> Show:
    return decimals(2) if measure.startswith("Vendi") else times100


def _times100(value: float | None) -> str:
    return "" if value is None else times100(value)
