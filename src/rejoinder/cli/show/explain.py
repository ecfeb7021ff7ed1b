"""What made the score of one item, for people: references, n-grams, words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import TYPE_CHECKING

from rejoinder.cli.terminal.columns import number, table, text
from rejoinder.cli.terminal.console import PlainConsole, console
from rejoinder.document.text import joined, styled
from rejoinder.messages import counted

if TYPE_CHECKING:
    from rejoinder.metrics.contract import Part
    from rejoinder.metrics.contributions import Contribution
    from rejoinder.metrics.similarity import Likeness
    from rejoinder.scoring.explain import Explanation


def explanations(results: Iterable[Explanation]) -> None:
    """What made the score of one item, for each system and metric."""
    out = console()
    for each in results:
        _explanation(out, each)


def explanation(result: Explanation) -> None:
    """The same of one system and metric."""
    explanations([result])


def _explanation(out: PlainConsole, explanation: Explanation) -> None:
    metric = f"{explanation.label} = {100 * explanation.value:.1f}"
    heading = joined(styled(explanation.system, "bold"), f" on {explanation.id}: {metric} (x100)")
    out.rule(heading, align="left")
    for turn in explanation.context:
        out.print(f"  {turn}", style="dim")
    out.print(joined("> ", styled(explanation.reply or "(empty reply)", "bold")))
    out.print()
    if explanation.likeness is not None:
        _likeness(out, explanation, explanation.likeness)
        return
    _references(out, explanation)
    _ngrams(out, explanation)
    for sentence in _reading(explanation):
        out.print(sentence, style="dim")
    out.print()


def _references(out: PlainConsole, explanation: Explanation) -> None:
    """The references; with their weights where the metric reads them."""
    weighted = explanation.weighted
    weight = number("weight", lambda row: f"{row[2]:+.2f}")
    shown = table(
        zip(count(1), explanation.references, explanation.weights, explanation.sources),
        number("ref", lambda row: str(row[0])),
        *((weight,) if weighted else ()),
        text("text", lambda row: row[1]),
        text("source", lambda row: row[3] or ""),
        style=lambda row: _tint(row[2], weighted),
    )
    out.print(shown)
    out.print()


def _ngrams(out: PlainConsole, explanation: Explanation) -> None:
    """What every n-gram of the reply adds to the score."""

    def of_match(show: Callable[[Contribution], str], otherwise: str = "") -> Callable[..., str]:
        return lambda each: otherwise if each.reference is None else show(each)

    weights = (
        number("weight", of_match(lambda each: f"{each.weight:+.2f}")),
        number("adds", of_match(lambda each: f"{each.adds:+.2f}", "0")),
        number("of", lambda each: f"{each.of:.2f}"),
    )
    shown = table(
        explanation.contributions,
        number("n", lambda each: str(each.order)),
        text("n-gram", lambda each: each.ngram),
        number("in reply", lambda each: str(each.count)),
        number("matched", of_match(lambda each: str(each.matched), "-")),
        number("ref", lambda each: "" if each.reference is None else str(each.reference + 1)),
        *(weights if explanation.weighted else ()),
        text("also in", of_match(_also_in)),
        style=lambda each: (
            "dim" if each.reference is None else _tint(each.adds, explanation.weighted)
        ),
    )
    out.print(shown)


def _also_in(each: Contribution) -> str:
    return " ".join(str(place + 1) for place in each.holders if place != each.reference)


def _reading(explanation: Explanation) -> list[str]:
    """How the table above makes the score, in sentences."""
    sentences = []
    if explanation.weighted:
        costly = sum(each.adds < 0 for each in explanation.contributions)
        sentences.append(
            "An n-gram adds its weight times its matches ('adds') to the numerator of the precision, "
            "and the best weight of the item times its count ('of') to the denominator."
        )
        if costly:
            sentences.append(
                f"Only references of negative weight hold {counted(costly, 'n-gram')} of the reply: "
                "what these add is negative."
            )
    elif any(weight != 1 for weight in explanation.weights):
        sentences.append(
            f"{explanation.label} ignores the weights of references: all that are listed count alike."
        )
    return [*sentences, _made_of(explanation.parts)]


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


def _likeness(out: PlainConsole, explanation: Explanation, like: Likeness) -> None:
    """How like the reply is to each reference, and which words make it like the nearest."""
    if like.halves:
        halves = " and ".join(f"{name} {100 * value:.1f}" for name, value in like.halves.items())
        out.print(f"made of {halves}, each on its scale; s_R is of the nearest reference:\n")
    references = table(
        zip(count(), explanation.references, like.similarities, explanation.sources),
        number("ref", lambda row: str(row[0] + 1)),
        number("similarity", lambda row: f"{100 * row[2]:.1f}"),
        text("text", lambda row: row[1]),
        text("source", lambda row: row[3] or ""),
        style=lambda row: "bold" if row[0] == like.nearest else "",
    )
    out.print(references)
    out.print(f"reference {like.nearest + 1} counts: the nearest\n", style="dim")
    if not like.words:
        return
    words = table(
        like.words,
        text("word", lambda each: each.word),
        number("sets", lambda each: f"{100 * each.sets:.0f}%"),
        number("adds", lambda each: f"{100 * each.adds:+.1f}"),
        style=lambda each: _tint(each.adds),
    )
    out.print(words)
    out.print(
        "sets: share of the reply's vector that is this word's; adds: its part in the similarity, "
        "x100\n",
        style="dim",
    )


def _tint(weight: float, weighted: bool = True) -> str:
    return "red" if weighted and weight < 0 else ""
