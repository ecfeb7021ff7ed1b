"""What made the score of one item, for people: references, n-grams, words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from rejoinder.cli.console import bare_table, console
from rejoinder.tables.wording import counted

if TYPE_CHECKING:
    from rejoinder.metrics.similarity import Likeness
    from rejoinder.scoring.explain import Explanation


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
    references = bare_table()
    for name in ("ref", "weight", "text", "source"):
        references.add_column(name, justify="right" if name in ("ref", "weight") else "left")
    rows = zip(told.references, told.weights, told.sources, strict=True)
    for place, (text, weight, source) in enumerate(rows, 1):
        references.add_row(
            str(place), f"{weight:+.2f}", Text(text), source or "", style=_tint(weight)
        )
    out.print(references)
    out.print()
    grams = bare_table()
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
    if like.halves:
        halves = " and ".join(f"{name} {100 * value:.1f}" for name, value in like.halves.items())
        out.print(f"made of {halves}, each on its scale; s_R is of the nearest reference:\n")
    references = bare_table()
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
    words = bare_table()
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
