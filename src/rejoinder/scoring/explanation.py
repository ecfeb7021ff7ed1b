"""Why a reply scored what it scored, and what is shown of it: references, n-grams, words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import msgspec
import polars as pl

from rejoinder.document.parts import AS_USUAL, GAP, Document, Line, View, lines
from rejoinder.document.table import Column, Row, Table, key, number, text
from rejoinder.document.text import joined, styled
from rejoinder.messages import counted
from rejoinder.metrics.contract import Part
from rejoinder.metrics.contributions import Contribution
from rejoinder.metrics.similarity import Likeness
from rejoinder.result import TableResult

Style: TypeAlias = Callable[[Row], str]

MEANINGS = {
    "reference": "Place of the reference in the item, from 0; null where none holds the n-gram.",
    "weight": "Weight of the reference.",
    "similarity": "Similarity of the reply to the reference.",
    "text": "Reference.",
    "source": "Where it comes from; null where that is not said.",
    "order": "Number of tokens of the n-gram.",
    "ngram": "Its tokens with blanks between.",
    "count": "How often the reply holds it.",
    "matched": "How many of these match.",
    "adds": "What it adds to the score.",
    "of": "What it adds to the denominator.",
    "also_in": "Places of the other references that hold it, from 0.",
    "word": "Word of the reply.",
    "sets": "Share of the reply's vector that the word sets, 0 to 1.",
}
_CONTRIBUTION = ("order", "ngram", "count", "matched", "reference", "weight", "adds", "of")


@dataclass(frozen=True, repr=False)
class Explanation(TableResult):
    """One item, one system, one metric.

    Attributes:
        id: The item.
        system: The system.
        label: The metric.
        context: The turns, oldest first.
        reply: What the system said.
        references: The references that count under the metric's rule, in their order.
        weights: Their weights in the test set; 1 where they carry none. See ``weighted``.
        sources: Where each comes from; None where it is not said.
        contributions: What every n-gram added; ``reference`` is a place in ``references``. Empty
            for a metric of similarity.
        value: The score of this reply by itself.
        parts: What that is made of.
        likeness: Of a metric of similarity: to which reference, and by which words; else None.
        weighted: Whether the metric reads the weights of the references (deltaBLEU does). To any
            other metric all references count alike, or those that its rule for references picks.
    """

    id: str
    system: str
    label: str
    context: list[str]
    reply: str
    references: list[str]
    weights: list[float]
    sources: list[str | None]
    contributions: list[Contribution]
    value: float
    parts: dict[str, Part]
    likeness: Likeness | None = None
    weighted: bool = False

    def as_json(self) -> dict[str, Any]:
        """One of the objects that ``rejoinder score --explain ID --json`` prints."""
        return msgspec.to_builtins(self)

    def document(self, view: View = AS_USUAL) -> Document:
        """The reply, the references, and what its n-grams or words add."""
        metric = f"{self.label} = {100 * self.value:.1f}"
        heading = joined(styled(self.system, "bold"), f" on {self.id}: {metric} (x100)")
        like = self.likeness
        return [
            Line(heading, "heading"),
            *lines((f"  {turn}" for turn in self.context), "legend"),
            Line(joined("> ", styled(self.reply or "(empty reply)", "bold"))),
            GAP,
            *(self._ngram_parts() if like is None else self._likeness_parts(like)),
        ]

    def _table(
        self, name: str, rows: Sequence[Any], columns: Sequence[Column], style: Style
    ) -> Table:
        """A table of rows of values by key, behind the item, the system and the metric."""
        of = {"id": self.id, "system": self.system, "metric": self.label}
        frame = pl.DataFrame([of | row for row in rows], infer_schema_length=None)
        facts = {"above": (*of,), "style": style, "meanings": MEANINGS}
        return Table(frame, columns, name, **facts)

    def _references(self, column: str, values: Sequence[float]) -> list[dict[str, Any]]:
        """A row for each reference, with its value under a metric."""
        each = enumerate(zip(self.references, self.sources, values, strict=True))
        return [
            {"reference": place, "text": text, "source": source, column: value}
            for place, (text, source, value) in each
        ]

    def _ngram_parts(self) -> Document:
        """The references, and what every n-gram of the reply adds to the score."""
        columns = [
            number("ref", "reference", _counted, key=True),
            *[number("weight", show=_signed)] * self.weighted,
            text("text"),
            text("source"),
        ]
        rows = self._references("weight", self.weights)
        style = partial(_tint, key="weight", weighted=self.weighted)
        shown: Document = [self._table("", rows, columns, style), GAP]
        if self.contributions:
            shown.append(self._contributions())
        return [*shown, *lines([*self._reading(), _made_of(self.parts)], "legend"), GAP]

    def _contributions(self) -> Table:
        columns = [
            number("n", "order", key=True),
            text("n-gram", "ngram"),
            number("in reply", "count"),
            number("matched", ("matched", "reference"), _match_cell(str, "-")),
            number("ref", "reference", _counted),
        ]
        if self.weighted:
            columns += [
                number("weight", ("weight", "reference"), _match_cell(_signed)),
                number("adds", ("adds", "reference"), _match_cell(_signed, "0")),
                number("of", show=lambda of: f"{of:.2f}"),
            ]
        rows = [
            {
                **{name: getattr(each, name) for name in _CONTRIBUTION},
                "also_in": " ".join(
                    str(place) for place in each.holders if place != each.reference
                ),
            }
            for each in self.contributions
        ]
        also = text("also in", ("also_in", "reference"), _match_cell(_all_counted))

        def style(row: Row) -> str:
            return "dim" if row["reference"] is None else _tint(row, "adds", self.weighted)

        return self._table("ngrams", rows, [*columns, also], style)

    def _reading(self) -> Iterator[str]:
        """How the table of n-grams makes the score, in sentences."""
        if self.weighted:
            yield (
                "An n-gram adds its weight times its matches ('adds') to the numerator of the precision, "
                "and the best weight of the item times its count ('of') to the denominator."
            )
            if costly := sum(each.adds < 0 for each in self.contributions):
                yield (
                    f"Only references of negative weight hold {counted(costly, 'n-gram')} of the reply: "
                    "what these add is negative."
                )
        elif any(weight != 1 for weight in self.weights):
            yield (
                f"{self.label} ignores the weights of references: all that are listed count alike."
            )

    def _likeness_parts(self, like: Likeness) -> Document:
        """How like the reply is to each reference, and which words make it like the nearest."""
        shown: Document = []
        if like.halves:
            halves = " and ".join(f"{name} {100 * each:.1f}" for name, each in like.halves.items())
            words = f"made of {halves}, each on its scale; s_R is of the nearest reference:"
            shown += [Line(words), GAP]
        columns = [
            number("ref", "reference", _counted, key=True),
            number("similarity", show=lambda value: f"{100 * value:.1f}"),
            text("text"),
            text("source"),
        ]

        def nearest(row: Row) -> str:
            return "bold" if row["reference"] == like.nearest else ""

        shown += [
            self._table("", self._references("similarity", like.similarities), columns, nearest),
            Line(f"reference {like.nearest + 1} counts: the nearest", "legend"),
            GAP,
        ]
        if not like.words:
            return shown
        columns = [
            key("word"),
            number("sets", show=lambda share: f"{100 * share:.0f}%"),
            number("adds", show=lambda adds: f"{100 * adds:+.1f}"),
        ]
        rows = [vars(each) for each in like.words]
        legend = (
            "sets: share of the reply's vector that is this word's; adds: its part in the similarity, "
            "x100"
        )
        words = self._table("words", rows, columns, partial(_tint, key="adds"))
        return [*shown, words, Line(legend, "legend"), GAP]


@dataclass(frozen=True, repr=False)
class Explanations(TableResult):
    """One item, for each system and metric: what ``Scores.explain`` gives.

    It is a sequence of ``Explanation``.

    Attributes:
        each: The explanations, by metric and within a metric by system.
    """

    each: tuple[Explanation, ...]

    def __len__(self) -> int:
        return len(self.each)

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self.each)

    def __getitem__(self, place: int) -> Explanation:
        return self.each[place]

    def as_json(self) -> list[dict[str, Any]]:
        """What ``rejoinder score --explain ID --json`` prints."""
        return [each.as_json() for each in self.each]

    def document(self, view: View = AS_USUAL) -> Document:
        """What made each score, one below the other."""
        return [part for each in self.each for part in each.document(view)]


def _counted(place: int | None) -> str:
    """A reference by its number, from 1."""
    return "" if place is None else str(place + 1)


def _all_counted(places: str) -> str:
    return " ".join(_counted(int(place)) for place in places.split())


def _signed(value: float) -> str:
    return f"{value:+.2f}"


def _match_cell(show: Callable[[Any], str], otherwise: str = "") -> Callable[..., str]:
    """What is shown of an n-gram that a reference holds, and otherwise."""
    return lambda value, reference: otherwise if reference is None else show(value)


def _tint(row: Row, key: str, weighted: bool = True) -> str:
    return "red" if weighted and row[key] < 0 else ""


def _made_of(parts: Mapping[str, Part]) -> str:
    """The precisions and the brevity penalty, each with what it is made of."""
    tops = _numbers(parts, "numerators", "matches")
    bottoms = _numbers(parts, "denominators", "totals")
    rows = zip(_numbers(parts, "precisions"), tops, bottoms, strict=True)
    precisions = [
        f"{_quotient(top, bottom, p)} for n = {n}" for n, (p, top, bottom) in enumerate(rows, 1)
    ]
    lengths = [f"{parts[name]:g}" for name in ("hypothesis_length", "reference_length")]
    return (
        f"Precision: {', '.join(precisions)}. Brevity penalty: {parts['bp']:.4g} (tokens of the "
        f"reply: {lengths[0]}, of the reference closest in length: {lengths[1]})."
    )


def _quotient(top: float, bottom: float, p: float) -> str:
    plain = max(0.0, top) / bottom if bottom > 0 else 0.0
    smoothed = "" if abs(p - plain) < 1e-12 else " (smoothed)"
    return f"{top:.4g} / {bottom:.4g} = {p:.4g}{smoothed}"


def _numbers(parts: Mapping[str, Part], *names: str) -> list[float]:
    """The part of one of these names: a number for each order."""
    part = next(parts[name] for name in names if name in parts)
    return part if isinstance(part, list) else [part]
