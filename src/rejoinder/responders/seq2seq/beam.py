"""Beam search over any model that scores the next token, for models outside ``transformers``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

State = tuple[Tensor, ...]
Step = Callable[[Tensor, State], tuple[Tensor, State]]


@dataclass
class _FinishedHypotheses:
    """What the search has finished for one message: scores and tokens, the best first."""

    beam: int
    ended: list[tuple[float, list[int]]] = field(default_factory=list)
    over: bool = False

    def add(self, score: float, tokens: list[int]) -> None:
        # Once over, an item stays as it is: what others of the batch need must not change it.
        if self.over or score == float("-inf"):
            return
        self.ended.append((score, tokens))
        self.ended.sort(key=lambda each: -each[0])  # stable: of equals the first found stays first
        del self.ended[self.beam :]

    def close(self, best: float) -> None:
        """Ends it where nothing open, at ``best`` or below, would take a place if it ended now."""
        self.over |= len(self.ended) == self.beam and best <= self.ended[-1][0]


def beam_search(
    step: Step,
    state: State,
    start: int,
    end: int,
    beam: int,
    length_penalty: float,
    longest: int,
) -> list[list[int]]:
    """The sequence that a beam search scores highest, for each item of a batch.

    A score is the sum of log-probabilities, the end included, divided by the number of tokens to the
    power of ``length_penalty``: 0 takes the sum, which favours short sequences, 1 the mean.

    Args:
        step: from the last tokens [n] and a state to scores [n, vocabulary] and the next state.
        state: tensors whose first dimension is the batch.
        start: the token before the first.
        end: the token that ends a sequence.
        beam: sequences kept for each item.
        length_penalty: see above.
        longest: tokens at most; a sequence that has not ended there counts as it stands.

    Returns:
        Tokens without start and end.
    """
    count = state[0].shape[0]
    device = state[0].device
    state = tuple(each.repeat_interleave(beam, dim=0) for each in state)
    tokens = torch.full((count * beam,), start, dtype=torch.int64, device=device)
    # All but the first of the beams, which are equal at the start, are out until there is a choice.
    scores = torch.full((count, beam), float("-inf"), device=device)
    scores[:, 0] = 0.0
    sequences: list[list[list[int]]] = [[[] for _ in range(beam)] for _ in range(count)]
    items = [_FinishedHypotheses(beam) for _ in range(count)]
    for length in range(1, longest + 1):
        logits, state = step(tokens, state)
        size = logits.shape[-1]
        following = scores[:, :, None] + logits.float().log_softmax(-1).view(count, beam, size)
        # Twice the beam: even if each of the best ends, enough go on.
        top, place = following.view(count, -1).topk(min(2 * beam, beam * size), dim=-1)
        rows = [
            _advance(*each, size, end, length**length_penalty)
            for each in zip(items, sequences, top.tolist(), place.tolist(), strict=True)
        ]
        sequences = [
            [before[origin] + [token] for _, origin, token in row]
            for before, row in zip(sequences, rows, strict=True)
        ]
        for item, row in zip(items, rows, strict=True):
            item.close(row[0][0] / length**length_penalty)
        if all(item.over for item in items):
            break
        flat = [item * beam + origin for item, row in enumerate(rows) for _, origin, _ in row]
        state = tuple(each[torch.tensor(flat, device=device)] for each in state)
        tokens = torch.tensor([token for row in rows for *_, token in row], device=device)
        scores = torch.tensor([[score for score, *_ in row] for row in rows], device=device)
    for item, row, open_ones in zip(items, scores.tolist(), sequences, strict=True):
        for score, open_one in zip(row, open_ones, strict=True):
            item.add(score / longest**length_penalty, open_one)
    return [item.ended[0][1] for item in items]


def _advance(
    item: _FinishedHypotheses,
    sequences: list[list[int]],
    top: list[float],
    place: list[int],
    size: int,
    end: int,
    divisor: float,
) -> list[tuple[float, int, int]]:
    """Notes what ends, and returns score, origin and token of what goes on, the best first."""
    goes_on: list[tuple[float, int, int]] = []
    for rank, (score, flat) in enumerate(zip(top, place, strict=True)):
        origin, token = divmod(flat, size)
        if token != end:
            goes_on.append((score, origin, token))
        elif rank < item.beam:
            item.add(score / divisor, sequences[origin])
        if len(goes_on) == item.beam:
            break
    missing = item.beam - len(goes_on)  # where the vocabulary is smaller than the beam
    return goes_on + [(float("-inf"), 0, end)] * missing
