"""Trivial baselines: the replies that an audit scores beside the real systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from rejoinder.kernels.arrays import Indices
from rejoinder.references.copies import folded
from rejoinder.tables.responses import Alignment
from rejoinder.tables.schemas import RESPONSES
from rejoinder.tables.testset import TestSet

CONSTANT = "I don't know."
TURNS = 2

BASELINES = {
    "constant": "one text to everything",
    "echo": "the message echoed",
    "context": "the last turns of the context pasted together",
    "random": "a reply of a real system to another item",
    "random-reference": "the original reference of another item",
    "copy": "the original reference, once it is taken out of the references",
    "shuffled": "the same with its words in another order",
}
"""Every baseline, and what it replies."""

COPY, SHUFFLED = "copy", "shuffled"
"""Those that need the copied reference left out of the test set."""

PREFIX = "fake:"
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
    ids = alignment.ids
    items = pl.DataFrame({"id": ids}, schema={"id": pl.String})
    contexts = items.join(testset.contexts, on="id", maintain_order="left")
    replies = {"constant": [constant] * len(ids)}
    echoed, notes = _echoed(contexts.get_column("context").to_list(), turns)
    replies |= echoed
    if len(ids) > 1:
        replies["random"] = _random_replies(alignment, _generator(seed, "random"))
    else:
        notes.append("'random' is left out: there is no other item to take a reply from")
    firsts = testset.references.group_by("id", maintain_order=True).first()
    originals = items.join(firsts, on="id", how="left", maintain_order="left").get_column("text")
    has_reference = originals.is_not_null().to_numpy()
    if has_reference.sum() > 1:
        drawn = _another(has_reference, _generator(seed, "random-reference"))
        replies["random-reference"] = originals.gather(drawn).to_list()
    else:
        notes.append(
            "'random-reference' is left out: there is no other item to take a reference from"
        )
    return BaselineReplies(ids, replies, tuple(notes))


def _echoed(contexts: list[list[str]], turns: int) -> tuple[dict[str, list[str]], list[str]]:
    """The baselines made of contexts, where there are any; an item that has none gets ""."""
    silent = sum(not context for context in contexts)
    if silent == len(contexts):
        return {}, ["'echo' and 'context' are left out: no item has a context"]
    notes = []
    if silent:
        notes.append(
            f"'echo' and 'context' are empty for {silent} of {len(contexts)} items, which have no "
            "context"
        )
    echo = [context[-1] if context else "" for context in contexts]
    pasted = [" ".join(context[-turns:]) for context in contexts]
    if pasted == echo:
        notes.append("'context' is left out: it is 'echo', one turn of each context at the most")
        return {"echo": echo}, notes
    return {"echo": echo, "context": pasted}, notes


def _random_replies(alignment: Alignment, rng: np.random.Generator) -> list[str]:
    n = len(alignment.ids)
    items = _another(np.ones(n, dtype=bool), rng)
    systems = rng.integers(0, len(alignment.systems), n)
    return alignment.responses.get_column("text").gather(systems * n + items).to_list()


def _another(usable: np.ndarray, rng: np.random.Generator) -> Indices:
    """For each item an item that it is not itself, drawn from those held: bool [n] to int64 [n]."""
    holders = np.flatnonzero(usable)
    drawn = rng.integers(0, holders.size - usable.astype(np.int64))
    before = np.cumsum(usable) - usable
    return holders[drawn + (usable & (drawn >= before))]


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
        return None, BaselineReplies(
            [],
            {},
            (
                "'copy' and 'shuffled' are left out: no item has a second reference to hold a copied "
                "one against, and compared with itself a copy gets the top score whatever it says",
            ),
        )
    firsts = references.group_by("id", maintain_order=True).first().select("id", "text")
    copied = contexts.join(firsts, on="id", maintain_order="left").get_column("text").to_list()
    rng = _generator(seed, SHUFFLED)
    shuffled = [_shuffled(text, rng) for text in copied]
    notes = []
    if lost:
        notes.append(
            f"leave-one-out: {lost} of {len(ids)} items left out, which have no second reference"
        )
    same = sum(mixed.split() == text.split() for mixed, text in zip(shuffled, copied, strict=True))
    if same:
        notes.append(
            f"'shuffled' is 'copy' in {same} of {len(copied)} items: white space parts words, and "
            "there is nothing to shuffle"
        )
    kept = contexts.get_column("id").to_list()
    return TestSet(contexts, others), BaselineReplies(
        kept, {COPY: copied, SHUFFLED: shuffled}, tuple(notes)
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


def _generator(seed: int, baseline: str) -> np.random.Generator:
    """A generator for each baseline: what one draws does not depend on which others are there."""
    return np.random.default_rng([seed, list(BASELINES).index(baseline)])
