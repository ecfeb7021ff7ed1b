"""The requests as token ids: what a transformer is fed, and what is left out and cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rejoinder.messages import counted
from rejoinder.models.likelihood.backend import EMPTY, NO_START, TOO_LONG
from rejoinder.models.likelihood.transformer.boundary import Tail


@dataclass(frozen=True)
class Piece:
    """A request, tokenised.

    Attributes:
        prefix: What is encoded once: the prompt of a causal model, the source of an encoder.
        start: What the decoder of an encoder-decoder model is fed first; empty for causal models.
        tails: For each reply what follows; None where it is left out.
        dropped: For each reply why it is left out; empty where it is not.
    """

    prefix: list[int]
    start: list[int]
    tails: list[Tail | None]
    dropped: list[str]

    @property
    def longest(self) -> int:
        """The length of the longest tail."""
        return max((len(tail.ids) for tail in self.tails if tail is not None), default=0)


@dataclass
class Cuts:
    """What was cut on the way, counted."""

    counts: Counter[str]

    def notes(self, prompts: int) -> tuple[str, ...]:
        """One sentence for each kind."""
        return tuple(
            f"{count} of {counted(prompts, 'prompt')} {what}"
            for what, count in self.counts.items()
            if count
        )


CUT = "cut to the model's window (their oldest tokens left out)"
OPENED = "opened one turn later: the chat template refuses a conversation the assistant opens"


def fitted(
    head: list[int], prompt: list[int], tails: Sequence[Tail], window: int | None, cuts: Cuts
) -> Piece:
    """A causal model's piece: the prompt's oldest tokens go where the window is too short.

    All replies of a prompt see the same of it, so that their scores compare.

    Args:
        head: Special tokens that open every prompt; never cut.
        prompt: The tokens that all replies share.
        tails: What follows them, reply by reply.
        window: The most tokens the model sees; None for any number.
        cuts: Counts the cut prompts.
    """
    if not head and not prompt:
        return Piece([], [], [None] * len(tails), [NO_START] * len(tails))
    least = len(head) or 1
    dropped = [_fault(tail, least, window) for tail in tails]
    scored = [None if why else tail for tail, why in zip(tails, dropped, strict=True)]
    # The last token of a tail is predicted, never fed.
    longest = max((len(tail.ids) - 1 for tail in scored if tail is not None), default=0)
    room = len(prompt) if window is None else max(0, window - longest - len(head))
    if room < len(prompt):
        cuts.counts[CUT] += 1
        prompt = prompt[len(prompt) - room :]
    return Piece(head + prompt, [], scored, dropped)


def sourced(
    source: list[int],
    start: list[int],
    tails: Sequence[Tail],
    window: int | None,
) -> Piece:
    """An encoder-decoder model's piece; ``source`` fits the encoder already.

    Args:
        source: What the encoder reads, special tokens included.
        start: What the decoder is fed before any reply.
        tails: The replies.
        window: The most tokens that the decoder sees.
    """
    if not source or not start:
        return Piece([], [], [None] * len(tails), [NO_START] * len(tails))
    dropped = [_fault(tail, len(start), window) for tail in tails]
    scored = [None if why else tail for tail, why in zip(tails, dropped, strict=True)]
    return Piece(source, start, scored, dropped)


def _fault(tail: Tail, before: int, window: int | None) -> str:
    if len(tail.ids) <= tail.skip:
        return EMPTY
    if window is not None and before + len(tail.ids) - 1 > window:
        return TOO_LONG
    return ""
