"""The requests as token ids: what a transformer is fed, and what is left out and cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rejoinder.messages import counted, quoted
from rejoinder.models.likelihood.backend import EMPTY, NO_START, TOO_LONG, agreeing


class Tail(NamedTuple):
    """What the model is fed of one reply after the prefix that all replies share.

    Attributes:
        ids: Tokens, the end of sequence included.
        skip: How many of the first ones still belong to the prompt, and do not count.
    """

    ids: list[int]
    skip: int


class Specials(NamedTuple):
    """The special tokens that a tokenizer puts around a text."""

    before: list[int]
    after: list[int]


def specials(tokenizer: Any, target: bool = False) -> Specials:
    """Finds out what the tokenizer puts around a text, or around a target text."""
    key = "text_target" if target else "text"
    # The slow path of a tokenizer has no method that tells this for all classes alike.
    bare = tokenizer(**{key: "a"}, add_special_tokens=False)["input_ids"]
    full = tokenizer(**{key: "a"})["input_ids"]
    for begin in range(len(full) - len(bare) + 1):
        if full[begin : begin + len(bare)] == bare:
            return Specials(full[:begin], full[begin + len(bare) :])
    return Specials([], [])


def ids_of(tokenizer: Any, texts: Sequence[str], target: bool = False) -> list[list[int]]:
    """The token ids of many texts, without special tokens.

    Args:
        tokenizer: The tokenizer of the model.
        texts: The texts.
        target: Whether the texts are replies of an encoder-decoder model.
    """
    if not texts:
        return []
    key = "text_target" if target else "text"
    return tokenizer(**{key: list(texts)}, add_special_tokens=False, verbose=False)["input_ids"]


def silence(tokenizer: Any, texts: Sequence[str], target: bool = False) -> str:
    """Why no likelihood of these texts could tell anything; empty where the tokenizer tells them apart.

    An empty tokenizer, or that of another language, makes nothing of any text, or the same of all.

    Args:
        tokenizer: Of transformers.
        texts: Replies; those that differ in case or white space alone count as one.
        target: Whether they are tokenised as targets.
    """
    by_words = {" ".join(text.split()).casefold(): text for text in texts if text.strip()}
    distinct = list(by_words.values())
    special = set(tokenizer.all_special_ids)
    first: list[int] | None = None
    bare = True
    for begin in range(0, len(distinct), 64):  # as a rule the first differ: no more are tokenised
        for ids in ids_of(tokenizer, distinct[begin : begin + 64], target):
            bare = bare and special.issuperset(ids)
            first = ids if first is None else first
            if not bare and ids != first:
                return ""
    if not distinct or (len(distinct) == 1 and not bare):
        return ""
    if bare:
        return f"the tokenizer knows nothing of {quoted(distinct[0])}, nor of any other reply"
    return (
        f"the tokenizer makes the same tokens of {quoted(distinct[0])}, {quoted(distinct[1])} and every "
        "other reply"
    )


def shared(prompt: list[int], wholes: Sequence[list[int]]) -> tuple[list[int], list[Tail]]:
    """Splits tokenised ``prompt + reply`` texts into the prefix they share and their tails.

    A tokenizer may join the end of the prompt and the start of the reply into one token (a prompt
    that ends in a blank, most of all). Each text is cut where its tokens and the prompt's own part:
    a token across the boundary counts to the reply, and every text stays tokenised as the model
    would see it.

    Args:
        prompt: The prompt alone, tokenised.
        wholes: The prompt with each reply, tokenised.

    Returns:
        The prefix (a part of ``prompt``), and for each reply its tail.

    >>> shared([5, 6, 7], [[5, 6, 7, 1], [5, 6, 8, 2]])
    ([5, 6], [Tail(ids=[7, 1], skip=1), Tail(ids=[8, 2], skip=0)])
    """
    cuts = [agreeing(prompt, whole) for whole in wholes]
    least = min(cuts, default=len(prompt))
    return prompt[:least], [
        Tail(whole[least:], cut - least) for cut, whole in zip(cuts, wholes, strict=True)
    ]


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
    source: list[int], start: list[int], tails: Sequence[Tail], window: int | None
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
