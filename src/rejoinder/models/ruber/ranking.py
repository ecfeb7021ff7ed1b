"""How well a scorer ranks the true reply among wrong ones: what training selects by."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rejoinder.files.shards import in_shards, shared
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.models.ruber.data.conversations import Conversations
from rejoinder.models.ruber.data.texts import like_lengths
from rejoinder.models.ruber.scorer import UnreferencedScorer, said_elsewhere

CANDIDATES = 10
"""The true reply and nine random ones."""

ACCURACY, RECALL_AT_1, SAME_DIALOGUE = "accuracy", "first", "own"
"""The measures of a ranking by the keys that training logs have."""

PAIRS = 8192
"""So many are scored at once where queries and replies are read apart; sorted, they share queries."""


@dataclass(frozen=True)
class Ranking:
    """Queries with candidates, drawn once.

    Attributes:
        turns: int64 [n, k].
        candidates: The true reply, nine random replies of the same corpus, and another utterance of
            the same conversation (int64 [n, 11]).
    """

    turns: Indices
    candidates: Indices

    @classmethod
    def of(cls, corpus: Conversations, seed: int, most: int = 2000) -> Ranking:
        """Draws the candidates of at most ``most`` items. A random reply differs from the true one."""
        rng = np.random.default_rng(seed)
        rows = np.sort(rng.permutation(len(corpus))[:most])
        true = corpus.replies[rows]
        sampled = corpus.replies[rng.integers(0, len(corpus), (rows.size, CANDIDATES - 1))]
        for _ in range(5):  # of a tiny corpus a few may stay equal, and count as half a rank below
            same = sampled == true[:, None]
            sampled[same] = corpus.replies[rng.integers(0, len(corpus), int(same.sum()))]
        same_dialogue = said_elsewhere(corpus, rows, corpus.others(), rng)
        return cls(corpus.turns[rows], np.column_stack([true, sampled, same_dialogue]))

    def accuracies(self, scores: Floats) -> dict[str, float]:
        """Of scores [n, 11] of the candidates.

        Returns:
            ``ACCURACY``: how often the true reply scores above a random one, a tie counting as half;
            ``RECALL_AT_1``: above all nine, a tie with any of them counting as none;
            ``SAME_DIALOGUE``: above another utterance of its conversation, a tie counting as half.
        """
        true, random, same = scores[:, :1], scores[:, 1:-1], scores[:, -1]
        above = (true > random) + 0.5 * (true == random)
        return {
            ACCURACY: float(above.mean()),
            RECALL_AT_1: float((above == 1).all(axis=1).mean()),
            SAME_DIALOGUE: float(((true[:, 0] > same) + 0.5 * (true[:, 0] == same)).mean()),
        }

    def scores(self, scorer: UnreferencedScorer, prepared: Any) -> Floats:
        """The logits of all candidates: float64 [n, 11]."""
        columns = self.candidates.shape[1]
        turns = np.repeat(self.turns, columns, axis=0)
        return logits(scorer, prepared, turns, self.candidates.ravel()).reshape(-1, columns)


def logits(
    scorer: UnreferencedScorer,
    prepared: Any,
    turns: Indices,
    replies: Indices,
    texts: Sequence[str] = (),
) -> Floats:
    """The scores of pairs: float64 [n]. Equal pairs are scored once.

    Args:
        scorer: The scorer.
        prepared: The texts as the scorer prepares them.
        turns: The places of the turns of each query, [n, t].
        replies: The place of each reply, [n].
        texts: Those that are prepared, by which parts of the work are known again.
    """
    import torch

    pairs, place = np.unique(np.column_stack([turns, replies]), axis=0, return_inverse=True)
    scores = np.empty(len(pairs))
    scorer.module.eval()
    batches = list(_batches(scorer, prepared, pairs))

    def compute(places: list[int]) -> list[list[float]]:
        with torch.inference_mode():
            indices = [pairs[batches[each]] for each in places]
            values = [scorer.logits(prepared, each[:, :-1], each[:, -1]) for each in indices]
        return [each.double().cpu().tolist() for each in values]

    if in_shards() and not scorer.reads_with:  # others cut what their encoder does
        names = [f"batch {each}" for each in range(len(batches))]
        content = [_digest(scorer), list(texts), pairs.tolist()]
        logits_of_batches = shared("scores of RUBER", names, content, compute, list[float])
    else:
        logits_of_batches = compute(list(range(len(batches))))
    for batch, values in zip(batches, logits_of_batches, strict=True):
        scores[batch] = 0.0 if values is None else values
    return scores[place.ravel()]


def _digest(scorer: UnreferencedScorer) -> str:
    """The SHA-256 of the weights."""
    digest = hashlib.sha256()
    for tensor in scorer.module.state_dict().values():
        digest.update(tensor.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _batches(scorer: UnreferencedScorer, prepared: Any, pairs: Indices) -> Iterator[Indices]:
    """Rows of pairs: many with the same query, or some of like length for what reads both at once."""
    if scorer.dual_encoder:
        yield from np.split(np.arange(len(pairs)), range(PAIRS, len(pairs), PAIRS))
    else:
        yield from like_lengths(scorer.lengths(prepared, pairs[:, :-1], pairs[:, -1]))
