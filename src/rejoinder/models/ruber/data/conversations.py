"""A corpus of conversations as a scorer learns from it: queries, replies, and who said what else."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from rejoinder.corpora.leakage import WordTexts, words_alone
from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Indices
from rejoinder.messages import counted
from rejoinder.tables.testset import TestSet, first_references
from rejoinder.text.separation import language_notes

NONE = -1
"""Where a query has fewer turns than are looked at."""


@dataclass(frozen=True)
class Conversations:
    """Items of a corpus, over its distinct texts.

    Attributes:
        texts: The distinct texts.
        words: The same as ``leakage.words_alone`` gives them.
        turns: int64 [n, k], for each item the last k turns of its query, oldest first, as places
            in ``texts``; ``NONE`` before the first.
        replies: int64 [n], likewise.
        dialogues: int64 [n], which conversation an item belongs to.
        notes: What was left out, in words, and words that the language does not separate.
    """

    texts: tuple[str, ...]
    words: tuple[str, ...]
    turns: Indices
    replies: Indices
    dialogues: Indices
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, corpus: TestSet, k: int, language: str = "en") -> Conversations:
        """The items of a corpus: every context with its first reference.

        A corpus of dialogues has an item for every turn that is answered (docs/formats.md). An
        item whose context begins with the one before it and that one's reply goes on the same
        conversation.

        Args:
            corpus: Contexts and references.
            k: Number of turns of a context are kept.
            language: How texts are cut into words (``rejoinder.text.words``).

        Raises:
            InputError: Fewer than two items have both a context and a reference.
        """
        first = first_references(corpus)
        items = corpus.contexts.select("id", "context").with_row_index("place of item")
        whole = items.join(first.select("id", "text"), on="id").sort("place of item")
        whole = whole.filter(pl.col("context").list.len() > 0)
        contexts, replies = (
            whole.get_column("context").to_list(),
            whole.get_column("text").to_list(),
        )
        if len(replies) < 2:
            raise InputError(
                f"corpus: {counted(len(replies), 'item')} with both a context and a reference; "
                "expected conversations, thousands of them"
            )
        places: dict[str, int] = {}
        turns = np.full((len(replies), k), NONE, dtype=np.int64)
        answers, dialogues = np.empty((2, len(replies)), dtype=np.int64)
        for i, (context, reply) in enumerate(zip(contexts, replies, strict=True)):
            last = [places.setdefault(turn, len(places)) for turn in context[-k:]]
            turns[i, k - len(last) :] = last
            answers[i] = places.setdefault(reply, len(places))
            so_far = [*contexts[i - 1], replies[i - 1]] if i else []
            goes_on = i > 0 and context[: len(so_far)] == so_far
            dialogues[i] = dialogues[i - 1] + (not goes_on) if i else 0
        left = len(corpus) - len(replies)
        note = f"{counted(left, 'item')} left out: no context or no reference"
        words = tuple(words_alone(places, language))
        notes = (*((note,) if left else ()), *language_notes(list(places), language))
        return cls(tuple(places), words, turns, answers, dialogues, notes)

    def __len__(self) -> int:
        return self.replies.size

    @property
    def hash(self) -> str:
        """8 hexadecimal digits of the items in their order, for signatures."""
        total = hashlib.sha256("\0".join(self.texts).encode("utf-8", "surrogatepass"))
        total.update(self.turns.tobytes() + self.replies.tobytes())
        return total.hexdigest()[:8]

    def take(self, rows: np.ndarray, note: str = "") -> Conversations:
        """Some items (indices or bool [n]), in that order."""
        notes = (*self.notes, note) if note else self.notes
        return replace(
            self,
            turns=self.turns[rows],
            replies=self.replies[rows],
            dialogues=self.dialogues[rows],
            notes=notes,
        )

    def split(self, share: float, seed: int) -> tuple[Conversations, Conversations]:
        """Two parts, the second with about ``share`` of the conversations, drawn by the seed.

        Each has one conversation at least where there are two.
        """
        names = np.unique(self.dialogues)
        size = min(max(1, round(share * names.size)), max(1, names.size - 1))
        sampled = np.random.default_rng(seed).choice(names, size, replace=False)
        held_out = np.isin(self.dialogues, sampled)
        return self.take(~held_out), self.take(held_out)

    def without(self, excluded: WordTexts, named: str) -> Conversations:
        """The conversations that share nothing with evaluation sets.

        A conversation goes that holds an utterance of ``leakage.LONG`` words or more that is said
        there too, or a message with the same reply. Words alone count, not case, marks or white
        space. Nearly a quarter of the pairs of DailyDialog's test split stand in its train split too.

        Args:
            excluded: What the evaluation sets hold.
            named: What they are, for the note that counts those that are left out.

        Raises:
            InputError: None is left.
        """
        gone = self.sharing(excluded)
        if gone.all():
            raise InputError(
                f"corpus: every conversation shares a long utterance or a pair with {named}; "
                "train on another corpus than the one that is evaluated on"
            )
        if not gone.any():
            return self
        before, after = np.unique(self.dialogues).size, np.unique(self.dialogues[~gone]).size
        note = (
            f"{before - after} of {counted(before, 'conversation')} ({int(gone.sum())} of "
            f"{counted(len(self), 'item')}) left out that share a long utterance or a pair with {named}"
        )
        return self.take(~gone, note)

    def sharing(self, excluded: WordTexts) -> np.ndarray:
        """Which items stand in conversations that ``without`` leaves out: bool [n]."""
        long, replied = self._leaks(excluded)
        shared = long[self.turns].any(axis=1) | replied
        return np.isin(self.dialogues, np.unique(self.dialogues[shared]))

    def without_replies(self, excluded: WordTexts, named: str) -> Conversations:
        """The items whose reply is not said elsewhere: for talk that has whole phrases in common.

        An item goes whose reply has ``leakage.LONG`` words or more and is said there too, or whose
        message has the same reply there; the rest of its conversation stays.

        Args:
            excluded: What is held out.
            named: What that is, for the note that counts those that are left out.

        Raises:
            InputError: None is left.
        """
        _, gone = self._leaks(excluded)
        if gone.all():
            raise InputError(
                f"corpus: every reply also stands in {named}, so nothing is left to learn from; "
                "give more conversations, of which not all say the same"
            )
        note = f"{int(gone.sum())} of {counted(len(self), 'item')} left out whose reply stands in {named}"
        return self.take(~gone, note) if gone.any() else self

    def _leaks(self, excluded: WordTexts) -> tuple[np.ndarray, np.ndarray]:
        """Which texts are long and said there, bool [texts + 1]; which replies are, or as pairs."""
        long = np.array([text in excluded.long for text in self.words] + [False])
        pairs = [(self.words[m], self.words[r]) in excluded.pairs for m, r in self.pairs()]
        return long, long[self.replies] | np.array(pairs, dtype=bool)

    def word_texts(self) -> WordTexts:
        """What these conversations say, where they are held out themselves."""
        words = self.words
        used = (words[place] for place in self.used().tolist())
        return WordTexts.of(used, ((words[m], words[r]) for m, r in self.pairs()))

    def used(self) -> Indices:
        """The places of the texts that the items hold: after ``take``, not all of ``texts``."""
        places = np.unique(np.append(self.turns.ravel(), self.replies))
        return places[places != NONE]

    def pairs(self) -> list[tuple[int, int]]:
        """The message and the reply of each item, as places."""
        return list(zip(self.turns[:, -1].tolist(), self.replies.tolist(), strict=True))

    def others(self) -> tuple[Indices, Indices]:
        """For each item, what else was said in its conversation.

        Returns:
            Places of texts, int64 [t], and bounds, int64 [n + 1]. Neither the reply itself nor a
            text equal to it is among them; an item may have none.
        """
        by_dialogue: dict[int, list[int]] = {}
        for name, turns, reply in zip(
            self.dialogues.tolist(), self.turns.tolist(), self.replies.tolist(), strict=True
        ):
            by_dialogue.setdefault(name, []).extend(
                [turn for turn in turns if turn != NONE] + [reply]
            )
        distinct = {name: list(dict.fromkeys(texts)) for name, texts in by_dialogue.items()}
        others = [
            [each for each in distinct[name] if each != reply]
            for name, reply in zip(self.dialogues.tolist(), self.replies.tolist(), strict=True)
        ]
        bounds = np.cumsum([0, *map(len, others)])
        return np.array([each for rows in others for each in rows], dtype=np.int64), bounds
