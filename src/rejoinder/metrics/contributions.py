"""What each n-gram of a reply adds to a score, and from which reference.

The same as kernels/ngrams.py, slower and with tokens as text. Its sums equal the kernels' rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rejoinder.text.tokenizers import words


@dataclass(frozen=True)
class Contribution:
    """What one distinct n-gram of a reply added.

    Attributes:
        ngram: Its tokens with blanks between.
        order: n.
        count: ``#_g(h)``, how often the reply holds it.
        matched: How many of these matched, ``#_g(h, r)``; 0 where no reference holds it.
        reference: The reference that counted, by its place in the item; None where none holds it.
        weight: That reference's weight; 0 where none holds it.
        adds: What it adds to the numerator.
        of: What it adds to the denominator.
        holders: The places of all references that hold it.
    """

    ngram: str
    order: int
    count: int
    matched: int
    reference: int | None
    weight: float
    adds: float
    of: float
    holders: tuple[int, ...]


def contributions(
    reply: str,
    references: Sequence[str],
    weights: Sequence[float],
    order: int,
    tokenizer: str,
    lowercase: bool,
    best_weight: float,
    choose: Callable[[Sequence[int], Sequence[float]], tuple[int, float]],
) -> list[Contribution]:
    """The distinct n-grams of a reply in the order of their first place, short ones first.

    Args:
        reply: h.
        references: R_j.
        weights: W_j.
        order: N.
        tokenizer: As the metric's.
        lowercase: As the metric's.
        best_weight: ``max_j w_j``, the weight of the denominator.
        choose: From the clipped counts and the weights of the references that hold an n-gram to
            the place (among them) of the one that counts, and what it adds.
    """
    of_reply = _counts(reply, tokenizer, lowercase, order)
    of_references = [_counts(text, tokenizer, lowercase, order) for text in references]
    result = []
    for gram, count in sorted(of_reply.items(), key=lambda each: len(each[0])):
        holders = tuple(j for j, counts in enumerate(of_references) if counts[gram])
        matched, weight, adds, reference = 0, 0.0, 0.0, None
        if holders:
            clipped = [min(count, of_references[j][gram]) for j in holders]
            best, adds = choose(clipped, [weights[j] for j in holders])
            reference, matched, weight = holders[best], clipped[best], weights[holders[best]]
        result.append(
            Contribution(
                " ".join(gram),
                len(gram),
                count,
                matched,
                reference,
                weight,
                adds,
                best_weight * count,
                holders,
            )
        )
    return result


@lru_cache(maxsize=4096)  # the references of an item are compared with the reply of every system
def _counts(text: str, tokenizer: str, lowercase: bool, order: int) -> Counter[tuple[str, ...]]:
    """How often a text holds each n-gram; the result is shared, so nobody may change it."""
    tokens = words(text, tokenizer, lowercase)
    return Counter(
        tuple(tokens[at : at + n]) for n in range(1, order + 1) for at in range(len(tokens) - n + 1)
    )
