"""Trivial baselines: the replies that an audit scores beside the real systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from rejoinder.kernels.arrays import Indices
from rejoinder.references.copies import folded
from rejoinder.tables.responses import Alignment
from rejoinder.tables.schemas import RESPONSES
from rejoinder.tables.testset import TestSet

CONSTANT = "I don't know."
TURNS = 2

COPY, SHUFFLED = "copy", "shuffled"
"""Those that need the copied reference left out of the test set."""

PREFIX = "baseline:"
"""The beginning of a baseline's name among the names of systems, one of which may be 'random'."""


@dataclass(frozen=True)
class BaselineReplies:
    """The replies of trivial baselines, with notes.

    Attributes:
        ids: The items that they reply to.
        replies: By baseline, a text for each item.
        notes: What was left out, and why.
    """

    ids: list[str]
    replies: Mapping[str, list[str]]
    notes: tuple[str, ...] = ()

    def responses(self) -> pl.DataFrame:
        """The table of responses: the baselines as systems, each with its ``PREFIX``."""
        return pl.DataFrame(
            {
                "system": [PREFIX + baseline for baseline in self.replies for _ in self.ids],
                "id": self.ids * len(self.replies),
                "text": [text for texts in self.replies.values() for text in texts],
            },
            schema=RESPONSES,
        )


class Items(NamedTuple):
    """What the baselines read that read no reference of the item they reply to.

    Args:
        alignment: The real systems' replies [n items].
        contexts: The context of each item.
        originals: The first reference of each; null where it has none.
        constant: What ``constant`` says.
        turns: How many turns ``context`` pastes together.
    """

    alignment: Alignment
    contexts: list[list[str]]
    originals: pl.Series
    constant: str
    turns: int


class Baseline(NamedTuple):
    """A trivial baseline.

    Args:
        meaning: What it replies, in words.
        draws: The number of its random draws, another for each: those of the others stay as they are.
        replies: What it replies to each item, or why it is left out; None where `leave_one_out` makes it.
    """

    meaning: str
    draws: int
    replies: Callable[[Items, np.random.Generator], list[str] | str] | None = None


def unread(
    testset: TestSet, alignment: Alignment, constant: str, turns: int, seed: int
) -> BaselineReplies:
    """The baselines that read no reference of the item they reply to.

    Args:
        testset: Contexts and references.
        alignment: The real systems' replies to it.
        constant: What ``constant`` says.
        turns: How many turns ``context`` pastes together.
        seed: Of the draws of ``random`` and ``random-reference``, each uniform over the other items
            (and over the systems).
    """
    ids = pl.DataFrame({"id": alignment.ids}, schema={"id": pl.String})
    contexts = ids.join(testset.contexts, on="id", maintain_order="left")
    firsts = testset.references.group_by("id", maintain_order=True).first()
    originals = ids.join(firsts, on="id", how="left", maintain_order="left").get_column("text")
    turns_of = contexts.get_column("context").to_list()
    items = Items(alignment, turns_of, originals, constant, turns)
    replies, notes, silent = {}, [], turns_of.count([])
    if 0 < silent < len(turns_of):
        empty = f"are empty for {silent} of {len(turns_of)} items, which have no context"
        notes.append(f"'echo' and 'context' {empty}")
    for name, baseline in BASELINES.items():
        if baseline.replies is not None:
            texts = baseline.replies(items, np.random.default_rng([seed, baseline.draws]))
            if isinstance(texts, str):
                notes += [texts] if texts else []
            else:
                replies[name] = texts
    return BaselineReplies(alignment.ids, replies, tuple(notes))


def _echo(items: Items, _: np.random.Generator) -> list[str] | str:
    """The last turn; an item without a context gets ""."""
    if not any(items.contexts):
        return "'echo' and 'context' are left out: no item has a context"
    return [context[-1] if context else "" for context in items.contexts]


def _context(items: Items, rng: np.random.Generator) -> list[str] | str:
    pasted = [" ".join(context[-items.turns :]) for context in items.contexts]
    if not any(items.contexts):
        return ""
    if pasted == _echo(items, rng):
        return "'context' is left out: it is 'echo', one turn of each context at the most"
    return pasted


def _random(items: Items, rng: np.random.Generator) -> list[str] | str:
    n, alignment = len(items.contexts), items.alignment
    if n < 2:
        return "'random' is left out: there is no other item to take a reply from"
    other = _another(np.ones(n, dtype=bool), rng)
    systems = rng.integers(0, len(alignment.systems), n)
    return alignment.responses.get_column("text").gather(systems * n + other).to_list()


def _random_reference(items: Items, rng: np.random.Generator) -> list[str] | str:
    usable = items.originals.is_not_null().to_numpy()
    if usable.sum() < 2:
        return "'random-reference' is left out: there is no other item to take a reference from"
    return items.originals.gather(_another(usable, rng)).to_list()


def _another(usable: np.ndarray, rng: np.random.Generator) -> Indices:
    """For each item an item that it is not itself, drawn from those held: bool [n] to int64 [n]."""
    holders = np.flatnonzero(usable)
    chosen = rng.integers(0, holders.size - usable.astype(np.int64))
    before = np.cumsum(usable) - usable
    return holders[chosen + (usable & (chosen >= before))]


def leave_one_out(
    testset: TestSet, ids: list[str], seed: int
) -> tuple[TestSet | None, BaselineReplies]:
    """The baselines that copy a reference, and the test set without the references that they copied.

    The original of each item, its first reference, is copied, and all references of the item that
    are the same but for case and white space are taken out. An item that has no other reference is
    left out, and counted.

    Args:
        testset: Contexts and references.
        ids: The items that all systems answered.
        seed: Of the order of words.

    Returns:
        The test set (None where no item is left), and the replies to its items.
    """
    words = folded()
    references = testset.references.filter(pl.col("id").is_in(ids))
    others = references.filter(words != words.first().over("id"))
    left = others.get_column("id").unique()
    contexts = testset.contexts.filter(pl.col("id").is_in(left.to_list()))
    lost = len(ids) - contexts.height
    if not contexts.height:
        why = (
            "'copy' and 'shuffled' are left out: no item has a second reference to compare a copied one "
            "with, and compared with itself a copy gets the top score whatever it says"
        )
        return None, BaselineReplies([], {}, (why,))
    firsts = references.group_by("id", maintain_order=True).first().select("id", "text")
    copied = contexts.join(firsts, on="id", maintain_order="left").get_column("text").to_list()
    rng = np.random.default_rng([seed, BASELINES[SHUFFLED].draws])
    shuffled = [_shuffled(text, rng) for text in copied]
    notes = []
    if lost:
        notes.append(
            f"leave-one-out: {lost} of {len(ids)} items left out, which have no second reference"
        )
    same = sum(mixed.split() == text.split() for mixed, text in zip(shuffled, copied, strict=True))
    if same:
        notes.append(
            f"'shuffled' is 'copy' in {same} of {len(copied)} items: white space separates words, and "
            "there is nothing to shuffle"
        )
    item_ids = contexts.get_column("id").to_list()
    return TestSet(contexts, others), BaselineReplies(
        item_ids, {COPY: copied, SHUFFLED: shuffled}, tuple(notes)
    )


def _shuffled(text: str, rng: np.random.Generator) -> str:
    """The words in another order than theirs, unless they are all the same.

    A short text often comes back from a shuffle as it was; its first word is then put last, which
    leaves no text as it was but one of a single word, repeated or not.
    """
    words = text.split()
    mixed = [words[i] for i in rng.permutation(len(words))]
    if mixed == words:
        mixed = mixed[1:] + mixed[:1]
    return " ".join(mixed)


BASELINES = {
    "constant": Baseline(
        "one text to everything", 0, lambda of, _: [of.constant] * len(of.contexts)
    ),
    "echo": Baseline("the message echoed", 1, _echo),
    "context": Baseline("the last turns of the context pasted together", 2, _context),
    "random": Baseline("a reply of a real system to another item", 3, _random),
    "random-reference": Baseline("the original reference of another item", 4, _random_reference),
    COPY: Baseline("the original reference, once it is taken out of the references", 5),
    SHUFFLED: Baseline("the same with its words in another order", 6),
}
"""Every baseline."""
