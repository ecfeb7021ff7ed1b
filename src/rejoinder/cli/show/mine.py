"""How many candidates were mined, for people."""

from __future__ import annotations

from rejoinder.cli.terminal.columns import number, table, text
from rejoinder.cli.terminal.console import console, print_notes
from rejoinder.corpora.mining.mine import PARROTED, Mined
from rejoinder.messages import counted


def mine(result: Mined) -> None:
    """The number of items and candidates, the means of their scores, and the signature."""
    out = console()
    facts = result.as_json()
    shown = table(
        [
            {"name": name, "mean": facts[f"mean_{key}"]}
            for name, key in (
                ("similarity of messages", "message_score"),
                ("similarity of responses", "response_score"),
                ("product", "product"),
            )
        ],
        text("score of candidates", "name"),
        number("mean", lambda row: "-" if row["mean"] is None else f"{row['mean']:.2f}"),
    )
    out.print(shown)
    parroted = facts["candidates"] - facts["mined"]
    also = f", and {counted(parroted, 'item')} with the source {PARROTED!r}" if parroted else ""
    out.print()
    out.print(
        f"{counted(facts['items'], 'item')}, {counted(facts['mined'], 'mined candidate')}, "
        f"{facts['distinct']} of them distinct{also}"
    )
    out.print(result.signature, style="dim", soft_wrap=True)
    print_notes(out, result.notes)
