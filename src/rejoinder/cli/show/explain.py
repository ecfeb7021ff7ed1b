"""What made the score of one item, for people: references, n-grams, words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from rejoinder.cli.show.cells import joined, styled
from rejoinder.cli.terminal.console import bare_table, console
from rejoinder.messages import counted

if TYPE_CHECKING:
    from rejoinder.metrics.contract import Part
    from rejoinder.metrics.similarity import Likeness
    from rejoinder.scoring.explain import Explanation


def explanations(told: Sequence[Explanation]) -> None:
    """What made the score of one item, for each system and metric."""
    out = console()
    for each in told:
        _explanation(out, each)


def _explanation(out: Console, told: Explanation) -> None:
    metric = f"{told.label} = {100 * told.value:.1f}"
    heading = joined(styled(told.system, "bold"), f" on {told.id}: {metric} (x100)")
    out.rule(heading, align="left")
    for turn in told.context:
        out.print(f"  {turn}", style="dim")
    out.print(joined("> ", styled(told.reply or "(empty reply)", "bold")))
    out.print()
    if told.likeness is not None:
        _likeness(out, told, told.likeness)
        return
    _references(out, told)
    _ngrams(out, told)
    for sentence in _reading(told):
        out.print(sentence, style="dim")
    out.print()


def _references(out: Console, told: Explanation) -> None:
    """The references; with their weights where the metric reads them."""
    table = bare_table()
    table.add_column("ref", justify="right")
    if told.weighted:
        table.add_column("weight", justify="right")
    for name in ("text", "source"):
        table.add_column(name)
    rows = zip(told.references, told.weights, told.sources, strict=True)
    for place, (text, weight, source) in enumerate(rows, 1):
        weights = [f"{weight:+.2f}"] if told.weighted else []
        table.add_row(str(place), *weights, text, source or "", style=_tint(weight, told.weighted))
    out.print(table)
    out.print()


def _ngrams(out: Console, told: Explanation) -> None:
    """What every n-gram of the reply adds to the score."""
    table = bare_table()
    weighing = ("weight", "adds", "of") if told.weighted else ()
    for name in ("n", "n-gram", "in reply", "matched", "ref", *weighing, "also in"):
        table.add_column(name, justify="left" if name in ("n-gram", "also in") else "right")
    for each in told.contributions:
        begins = (str(each.order), each.ngram, str(each.count))
        if each.reference is None:
            weighed = ("", "0", f"{each.of:.2f}") if told.weighted else ()
            table.add_row(*begins, "-", "", *weighed, "", style="dim")
            continue
        weighed = (f"{each.weight:+.2f}", f"{each.adds:+.2f}", f"{each.of:.2f}")
        others = [str(place + 1) for place in each.holders if place != each.reference]
        table.add_row(
            *begins,
            str(each.matched),
            str(each.reference + 1),
            *(weighed if told.weighted else ()),
            " ".join(others),
            style=_tint(each.adds, told.weighted),
        )
    out.print(table)


def _reading(told: Explanation) -> list[str]:
    """How the table above makes the score, in sentences."""
    sentences = []
    if told.weighted:
        costly = sum(each.adds < 0 for each in told.contributions)
        sentences.append(
            "An n-gram adds its weight times its matches ('adds') to the numerator of the precision, "
            "and the best weight of the item times its count ('of') to the denominator."
        )
        if costly:
            sentences.append(
                f"Only references of negative weight hold {counted(costly, 'n-gram')} of the reply: "
                "what these add is negative."
            )
    elif any(weight != 1 for weight in told.weights):
        sentences.append(
            f"{told.label} ignores the weights of references: all that are listed count alike."
        )
    return [*sentences, _made_of(told.parts)]


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


def _likeness(out: Console, told: Explanation, like: Likeness) -> None:
    """How like the reply is to each reference, and which words make it like the nearest."""
    if like.halves:
        halves = " and ".join(f"{name} {100 * value:.1f}" for name, value in like.halves.items())
        out.print(f"made of {halves}, each on its scale; s_R is of the nearest reference:\n")
    references = bare_table()
    for name in ("ref", "similarity", "text", "source"):
        references.add_column(name, justify="right" if name in ("ref", "similarity") else "left")
    rows = zip(told.references, like.similarities, told.sources, strict=True)
    for place, (text, value, source) in enumerate(rows):
        counts = "bold" if place == like.nearest else ""
        references.add_row(str(place + 1), f"{100 * value:.1f}", text, source or "", style=counts)
    out.print(references)
    out.print(f"reference {like.nearest + 1} counts: the nearest\n", style="dim")
    if not like.words:
        return
    words = bare_table()
    for name in ("word", "sets", "adds"):
        words.add_column(name, justify="left" if name == "word" else "right")
    for each in like.words:
        row = (each.word, f"{100 * each.sets:.0f}%", f"{100 * each.adds:+.1f}")
        words.add_row(*row, style=_tint(each.adds))
    out.print(words)
    out.print(
        "sets: share of the reply's vector that is this word's; adds: its part in the similarity, "
        "x100\n",
        style="dim",
    )


def _tint(weight: float, weighted: bool = True) -> str:
    return "red" if weighted and weight < 0 else ""
