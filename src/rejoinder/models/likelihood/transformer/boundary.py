"""Texts to token ids, with the special tokens right and the boundary where it is safe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rejoinder.messages import quoted


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
    """The token ids of many texts, without special tokens."""
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
    cuts = [_agreeing(prompt, whole) for whole in wholes]
    least = min(cuts, default=len(prompt))
    return prompt[:least], [
        Tail(whole[least:], cut - least) for cut, whole in zip(cuts, wholes, strict=True)
    ]


def _agreeing(prompt: list[int], whole: list[int]) -> int:
    """How many first tokens are the same."""
    if whole[: len(prompt)] == prompt:
        return len(prompt)
    count = 0
    for one, other in zip(prompt, whole, strict=False):
        if one != other:
            break
        count += 1
    return count
