"""The candidates of one item: the pairs of highest product of two BM25 scores, exactly.

The product of an item (m, r) and a triple (m~, r~) is

    d(m~, m) * (alpha * d(r~, r) + (1 - alpha) * epsilon)

(Sordoni et al. 2015; Galley et al. 2015, section 3). It needs both scores of one triple: the best by
messages and the best by responses may have no triple in common. So the postings of both sides are
walked together, a block of triples at a time: both scores of all triples of the block are added up,
then their products are compared. A triple that shares no word with the message has d(m~, m) = 0 and is
no candidate. No bound is estimated and no list is cut, so the result is that of all products.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from rejoinder.corpora.mining.index import TripleIndex
from rejoinder.kernels.arrays import Best, Bytes, Fingerprints, Indices
from rejoinder.kernels.cores import cores
from rejoinder.kernels.postings import best_products
from rejoinder.retrieval.bm25 import BM25, Field

_BLOCK = 1 << 14  # triples whose scores of both sides lie in the processor's cache


@dataclass(frozen=True)
class Product:
    """What triples are ordered by.

    Attributes:
        alpha: How much the similarity of the responses counts, 0 to 1.
        epsilon: The value in its place with the weight 1 - alpha, so that triples whose response
            shares no word with the item's own are candidates too; 0 or more.
        weighting: The parameters of BM25.
    """

    alpha: float
    epsilon: float
    weighting: BM25


@dataclass(frozen=True)
class Wanted:
    """What is searched for one item.

    Attributes:
        message: int64, the words of its message, -1 for those that the corpus has not.
        response: int64, those of its own response; empty where it has none.
        known: uint64, the keys of letters and digits of responses that are no candidates: its own.
    """

    message: Indices
    response: Indices
    known: Fingerprints


def search(
    index: TripleIndex, items: Sequence[Wanted], count: int, product: Product, left_out: Bytes
) -> Iterator[Best]:
    """The candidates of each item, in the order of the items.

    Args:
        index: The corpus.
        items: What is searched.
        count: How many candidates are wanted for each.
        product: What they are ordered by; of equal products the earlier triple comes first.
        left_out: uint8 [conversations], not 0 where no candidate is taken from.
    """
    messages = Field(index.messages, product.weighting)
    responses = Field(index.responses, product.weighting)
    weights = np.array([product.alpha, (1 - product.alpha) * product.epsilon])

    def one(item: Wanted) -> Best:
        message, response = messages.query(item.message), responses.query(item.response)
        best = Best(
            np.empty(count, dtype=np.int64),
            np.empty(count, dtype=np.uint64),
            *(np.empty(count, dtype=np.float64) for _ in range(3)),
        )
        cursors = np.empty(message.words.size + response.words.size, dtype=np.int64)
        written = best_products(
            index.messages,
            index.responses,
            message,
            response,
            weights,
            index.reply_keys,
            item.known,
            index.utterance_keys,
            index.replies,
            index.conversations,
            left_out,
            cursors,
            np.empty(2 * min(_BLOCK, max(1, len(index))), dtype=np.float64),
            best,
        )
        places, keys, first, second, products = best
        ends = slice(written)
        return Best(places[ends], keys[ends], first[ends], second[ends], products[ends])

    if cores() == 1 or len(items) < 2:
        yield from map(one, items)
        return
    # Threads: the kernel runs without the interpreter's lock. Some items at a time, so that results
    # are not kept back, and an interrupted command ends soon.
    with ThreadPoolExecutor(cores()) as pool:
        for begin in range(0, len(items), 8 * cores()):
            yield from pool.map(one, items[begin : begin + 8 * cores()])
