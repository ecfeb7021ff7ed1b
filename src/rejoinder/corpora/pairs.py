"""Corpora as pairs of a message and its reply: what replying systems learn from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Indices
from rejoinder.messages import Argument, Placeholder, counted
from rejoinder.tables.testset import TestSet, TestSetLike, first_references
from rejoinder.text.bare import bare


@dataclass(frozen=True)
class Pairs:
    """Adjacent utterances: a message and what was replied to it.

    Attributes:
        ids: Of the items that the pairs come from.
        sources: The messages.
        targets: The replies.
        notes: What was left out on the way here, in words.
    """

    ids: list[str]
    sources: list[str]
    targets: list[str]
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def hash(self) -> str:
        """8 hexadecimal digits of the texts in their order, for signatures."""
        total = hashlib.sha256()
        for source, target in zip(self.sources, self.targets, strict=True):
            total.update(f"{source}\0{target}\0".encode())
        return total.hexdigest()[:8]

    def take(self, places: np.ndarray, note: str = "") -> Pairs:
        """The pairs at these places, in that order."""
        return Pairs(
            [self.ids[i] for i in places],
            [self.sources[i] for i in places],
            [self.targets[i] for i in places],
            (*self.notes, note) if note else self.notes,
        )

    def map(self, rewrite: Callable[[str], str]) -> Pairs:
        """The same with every text rewritten."""
        sources = [rewrite(text) for text in self.sources]
        return Pairs(self.ids, sources, [rewrite(text) for text in self.targets], self.notes)

    def without(self, others: Pairs, where: str = "the other corpus") -> Pairs:
        """The pairs that do not stand in ``others`` too: the same message and the same reply.

        A note counts those that are left out; ``where`` is what it calls ``others``.

        Letters and figures alone are compared, whatever their case: the same dialogue stands in
        DailyDialog's splits with other apostrophes and blanks. What is trained on a corpus should
        not have seen the pairs that it is tested on; there a quarter of them stand in both.
        """
        known = {_key(s, t) for s, t in zip(others.sources, others.targets, strict=True)}
        rows = enumerate(zip(self.sources, self.targets, strict=True))
        left = np.array([i for i, (s, t) in rows if _key(s, t) not in known], dtype=np.int64)
        shared = len(self) - left.size
        if not shared:
            return self
        note = f"{counted(shared, 'pair')} of {len(self)} left out that also stand in {where}"
        return self.take(left, note)

    def as_testset(self) -> TestSet:
        """The messages as contexts, each with its reply as the reference."""
        return TestSet.from_lists([[each] for each in self.targets], None, self.sources, self.ids)


def adjacent_pairs(testset: TestSet) -> Pairs:
    """The last turn of every item's context with the item's first reference.

    A published corpus of dialogues has one item for each pair of adjacent utterances
    (tables/formats/dailydialog.py), so that every turn but the first is a target once.

    Raises:
        InputError: No item has both a context and a reference.

    Example:
        >>> testset = TestSet.from_lists([["fine", "well"], []], contexts=[["hi", "how are you"], "x"])
        >>> pairs = adjacent_pairs(testset)
        >>> pairs.sources, pairs.targets, pairs.notes
        (['how are you'], ['fine'], ('1 item of 2 left out: no context or no reference',))
    """
    first = first_references(testset)
    items = testset.contexts.select("id", pl.col("context").list.last().alias("source"))
    items = items.with_row_index("place of item").join(
        first.select("id", "text"), on="id", how="left"
    )
    whole = items.sort("place of item").drop_nulls(["source", "text"])
    incomplete = items.height - whole.height
    if not whole.height:
        raise no_pairs("corpus", items.height)
    note = f"{counted(incomplete, 'item')} of {items.height} left out: no context or no reference"
    columns = (whole.get_column(name).to_list() for name in ("id", "source", "text"))
    return Pairs(*columns, notes=(note,) if incomplete else ())


def no_pairs(name: str, items: int) -> InputError:
    """The error of a corpus without a pair.

    Args:
        name: What the corpus is called: its file.
        items: How many items it has.
    """
    return InputError(
        f"{name}: none of {counted(items, 'item')} (lines, or rows) has both a context and a reference; "
        "expected conversations, such as DailyDialog's (a line each, with __eou__ behind every turn), or "
        'objects like {"id": "1", "context": ["Tea?"], "references": ["Yes, please."]}'
    )


def check_holds_pairs(corpus: TestSet, name: str) -> None:
    """Sees that a corpus has a pair at all, such as before a verb works on its file.

    Args:
        corpus: The corpus.
        name: Its file, for the message.

    Raises:
        InputError: No item has both a context and a reference.
    """
    spoken = corpus.contexts.filter(pl.col("context").list.len() > 0).get_column("id")
    if not spoken.is_in(corpus.references.get_column("id").implode()).any():
        raise no_pairs(name, len(corpus))


def as_pairs(corpus: TestSetLike | Pairs, exclude: Sequence[TestSetLike | Pairs] = ()) -> Pairs:
    """The pairs of a corpus of either form, without those that ``exclude`` has too."""
    pairs = corpus if isinstance(corpus, Pairs) else adjacent_pairs(TestSet.of(corpus))
    for other in exclude:
        pairs = pairs.without(as_pairs(other))
    return pairs


def _key(source: str, target: str) -> tuple[str, str]:
    return bare(source), bare(target)


HELD_OUT = 20
"""One pair of so many is held out for validation where no validation corpus is given ..."""
MOST_HELD_OUT = 1000
"""... but no more than these."""


def divided(corpus: Pairs, validation: Pairs | None, seed: int) -> tuple[Indices, Pairs, list[str]]:
    """The pairs to train on in a random order, as positions, and the pairs that validate.

    Args:
        corpus: All pairs.
        validation: The validation corpus; None: pairs are held out of ``corpus``.
        seed: Random seed.

    Returns:
        Positions in ``corpus``, the validation pairs, and a note about those held out.

    Raises:
        InputError: The corpus is too small to hold pairs out.
    """
    order = np.random.default_rng([seed, len(corpus)]).permutation(len(corpus))
    if validation is not None:
        return order, validation, []
    count = min(MOST_HELD_OUT, len(corpus) // HELD_OUT)
    if not count:
        raise InputError(
            f"corpus: {len(corpus)} pairs are too few to hold some out; expected {HELD_OUT} or "
            f"more, or {Argument('validation', Placeholder('CORPUS'))}"
        )
    note = f"validation: {counted(count, 'pair')} held out of the corpus, drawn at random"
    return order[count:], corpus.take(np.sort(order[:count])), [note]
