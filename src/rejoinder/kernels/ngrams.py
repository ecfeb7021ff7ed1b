"""Matching the n-grams of hypotheses against ragged, weighted references, an item at a time.

An item has hypotheses (one for each system that answers it) and references. Its hypotheses'
n-grams go into one small hash table; each reference is then walked once, and every n-gram of it
that some hypothesis holds is counted. A walk stops at the first order that is not in the table: a
hypothesis that holds an n-gram holds its prefix too. So the references, the bulk of the text, are
read once for all systems together.

Arguments of all kernels here:
    h: the tokens of the hypotheses (m of them).
    r: the tokens of the references.
    order: the longest n-gram, N.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rejoinder.kernels.ahead import helper, kernel
from rejoinder.kernels.arrays import Fingerprints, Floats, Grouped, Indices, Memory, Table, Tokens

CHAIN = np.uint64(0x9E3779B97F4A7C15)
FOLD = np.uint64(29)
TOP = np.uint64(32)
ABSENT = -1


class Item(NamedTuple):
    """The working memory of one item, reused from item to item.

    The table maps the fingerprint of an n-gram to a gram ``u``. Each hypothesis lists its distinct
    grams with their counts, and each gram chains the references that hold it, the latest first.
    """

    slot_item: Indices  # [slots] the item that wrote the slot last: older slots are free
    slot_key: Fingerprints  # [slots] the fingerprint
    slot_gram: Indices  # [slots] the gram
    gram_hypothesis: Indices  # [grams] the hypothesis that listed the gram last
    gram_listed: Indices  # [grams] where it did
    gram_chain: Indices  # [grams] the gram's latest link, or ABSENT
    gram_reference: Indices  # [grams] the reference that held the gram last, or ABSENT
    gram_count: Indices  # [grams] how often it has held it so far
    gram_most: Indices  # [grams] max_j #_g(r_j) so far
    listed_gram: Indices  # [listed] a hypothesis' distinct grams, hypothesis after hypothesis
    listed_order: Indices  # [listed] the gram's order n
    listed_count: Indices  # [listed] #_g(h)
    list_bounds: Indices  # [hypotheses + 1] where each hypothesis' list begins and ends
    link_reference: Indices  # [links] the reference that holds a gram
    link_count: Indices  # [links] #_g(r)
    link_next: Indices  # [links] the next link of the same gram, or ABSENT


@helper
def extended(gram: np.uint64, token: np.uint64) -> np.uint64:
    """The fingerprint of an n-gram one token longer."""
    return (gram ^ (gram >> FOLD)) * CHAIN + token


def working_memory(hypotheses: Grouped, references: Grouped, order: int) -> Memory:
    """Allocates what the largest item needs; see ``carved``."""
    grams = max(1, hypotheses.most_tokens * order)
    links = max(1, references.most_tokens * order)
    most = int(np.diff(hypotheses.bounds).max(initial=0))
    slots = 1 << max(4, (2 * grams - 1).bit_length())
    sizes = np.array([slots, grams, links, most + 1])
    numbers = np.empty(2 * slots + 9 * grams + 3 * links + most + 1, dtype=np.int64)
    numbers[:slots] = -1
    return Memory(sizes, numbers, np.empty(slots, dtype=np.uint64))


@helper
def carved(memory: Memory) -> Item:
    """Cuts one run of memory into the arrays of an item."""
    sizes, numbers, keys = memory
    slots, grams, links, lists = sizes[0], sizes[1], sizes[2], sizes[3]
    a = 2 * slots
    b = a + 9 * grams
    c = b + 3 * links
    return Item(
        numbers[:slots],
        keys,
        numbers[slots:a],
        numbers[a : a + grams],
        numbers[a + grams : a + 2 * grams],
        numbers[a + 2 * grams : a + 3 * grams],
        numbers[a + 3 * grams : a + 4 * grams],
        numbers[a + 4 * grams : a + 5 * grams],
        numbers[a + 5 * grams : a + 6 * grams],
        numbers[a + 6 * grams : a + 7 * grams],
        numbers[a + 7 * grams : a + 8 * grams],
        numbers[a + 8 * grams : b],
        numbers[c : c + lists],
        numbers[b : b + links],
        numbers[b + links : b + 2 * links],
        numbers[b + 2 * links : c],
    )


@helper
def match(item: Item, i: int, h: Grouped, r: Grouped, order: int) -> None:
    """Fills the table with the n-grams of item ``i``, and chains to each the references that hold it.

    Args:
        item: The working memory.
        i: The place of the item.
        h: The hypotheses.
        r: The references.
        order: Maximum length of n-grams.
    """
    list_hypotheses(item, i, h, order)
    walk_references(item, i, r, order)


@helper
def list_hypotheses(item: Item, i: int, h: Grouped, order: int) -> None:
    """Fills the table with the n-grams of the hypotheses of item ``i``.

    Args:
        item: The working memory.
        i: The place of the item.
        h: The hypotheses.
        order: Maximum length of n-grams.
    """
    tokens, begin, end = h.tokens, h.bounds[i], h.bounds[i + 1]
    grams = 0
    listed = 0
    for k in range(begin, end):
        item.list_bounds[k - begin] = listed
        start = h.first[k]
        stop = h.last[k]
        for at in range(start, stop):
            key = np.uint64(0)
            for n in range(1, min(order, stop - at) + 1):
                key = extended(key, tokens[at + n - 1])
                slot = slot_of(item, i, key)
                if item.slot_item[slot] != i:
                    item.slot_item[slot] = i
                    item.slot_key[slot] = key
                    item.slot_gram[slot] = grams
                    item.gram_hypothesis[grams] = ABSENT
                    item.gram_chain[grams] = ABSENT
                    item.gram_reference[grams] = ABSENT
                    item.gram_most[grams] = 0
                    grams += 1
                gram = item.slot_gram[slot]
                if item.gram_hypothesis[gram] == k:
                    item.listed_count[item.gram_listed[gram]] += 1
                else:
                    item.gram_hypothesis[gram] = k
                    item.gram_listed[gram] = listed
                    item.listed_gram[listed] = gram
                    item.listed_order[listed] = n
                    item.listed_count[listed] = 1
                    listed += 1
    item.list_bounds[end - begin] = listed


@helper
def walk_references(item: Item, i: int, r: Grouped, order: int) -> None:
    """Chains to every gram of item ``i`` its references that hold it.

    Args:
        item: The working memory.
        i: The place of the item.
        r: The references.
        order: Maximum length of n-grams.
    """
    tokens = r.tokens
    links = 0
    for j in range(r.bounds[i], r.bounds[i + 1]):
        stop = r.last[j]
        for at in range(r.first[j], stop):
            key = np.uint64(0)
            for n in range(1, min(order, stop - at) + 1):
                key = extended(key, tokens[at + n - 1])
                slot = slot_of(item, i, key)
                if item.slot_item[slot] != i:
                    break
                gram = item.slot_gram[slot]
                link = item.gram_chain[gram]
                if link != ABSENT and item.link_reference[link] == j:
                    item.link_count[link] += 1
                else:
                    item.link_reference[links] = j
                    item.link_count[links] = 1
                    item.link_next[links] = link
                    item.gram_chain[gram] = links
                    links += 1


@helper
def count_references(item: Item, i: int, r: Grouped, order: int) -> None:
    """Keeps for every gram of item ``i`` the most that one of its references holds, and no chain.

    No branch depends on how many references hold a gram, so that it takes less time than chains.

    Args:
        item: The working memory.
        i: The place of the item.
        r: The references.
        order: Maximum length of n-grams.
    """
    tokens = r.tokens
    for j in range(r.bounds[i], r.bounds[i + 1]):
        stop = r.last[j]
        for at in range(r.first[j], stop):
            key = np.uint64(0)
            for n in range(1, min(order, stop - at) + 1):
                key = extended(key, tokens[at + n - 1])
                slot = slot_of(item, i, key)
                if item.slot_item[slot] != i:
                    break
                gram = item.slot_gram[slot]
                count = 1 + item.gram_count[gram] * (item.gram_reference[gram] == j)
                item.gram_reference[gram] = j
                item.gram_count[gram] = count
                item.gram_most[gram] = max(item.gram_most[gram], count)


@helper
def slot_of(item: Item, i: int, key: np.uint64) -> np.uint64:
    """The slot of a gram of item ``i``: its own, or the free one where it would go.

    Args:
        item: The working memory.
        i: The place of the item.
        key: The hash of the gram.
    """
    mask = np.uint64(item.slot_item.size - 1)
    slot = (key >> TOP) & mask
    while item.slot_item[slot] == i and item.slot_key[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@helper
def closest_length(length: int, r: Grouped, i: int) -> int:
    """The reference length closest to ``length``, the shorter on a tie; 0 without references.

    Args:
        length: The length of the hypothesis.
        r: The references.
        i: The place of the item.
    """
    closest = 0
    begin = r.bounds[i]
    for j in range(begin, r.bounds[i + 1]):
        candidate = r.last[j] - r.first[j]
        gain = abs(closest - length) - abs(candidate - length)
        if j == begin or gain > 0 or (gain == 0 and candidate < closest):
            closest = candidate
    return closest


def bleu_rows(hypotheses: Grouped, references: Grouped, order: int) -> Floats:
    """BLEU's statistics of every hypothesis (Papineni et al. 2002; Galley et al. 2015, eq. 1-2).

    Args:
        hypotheses: The hypotheses, by item.
        references: The references, by item.
        order: Maximum length N of n-grams.

    Returns:
        float64 [m, 2 + 2 N]: hypothesis length, closest reference length, matches
        ``sum_g max_j #_g(h, r_j)`` of each order, totals ``sum_g #_g(h)`` of each order.
    """
    rows = np.zeros((hypotheses.first.size, 2 + 2 * order))
    memory = working_memory(hypotheses, references, order)
    _bleu_rows(hypotheses, references, order, memory, rows)
    return rows


@kernel
def _bleu_rows(h: Grouped, r: Grouped, order: int, memory: Memory, rows: Table) -> None:
    item = carved(memory)
    for i in range(h.bounds.size - 1):
        begin, end = h.bounds[i], h.bounds[i + 1]
        list_hypotheses(item, i, h, order)
        count_references(item, i, r, order)
        for k in range(begin, end):
            row = rows[k]
            length = h.last[k] - h.first[k]
            row[0] = length
            row[1] = closest_length(length, r, i)
            for n in range(1, order + 1):
                row[1 + order + n] = max(0, length - n + 1)
            for e in range(item.list_bounds[k - begin], item.list_bounds[k - begin + 1]):
                most = item.gram_most[item.listed_gram[e]]
                row[1 + item.listed_order[e]] += min(most, item.listed_count[e])


def delta_bleu_rows(
    hypotheses: Grouped, references: Grouped, weights: Floats, order: int, one_maximum: bool
) -> Floats:
    """DeltaBLEU's statistics of every hypothesis (Galley et al. 2015, section 3).

    Args:
        hypotheses: The tokens of the m hypotheses.
        references: The tokens of the r references.
        weights: float64 [r], w_j of each reference.
        order: N.
        one_maximum: True takes ``max_j w_j #_g(h, r_j)``, the paper's formula. False takes
            ``max_j w_j`` times ``max_j #_g(h, r_j)``, the released code's two separate maxima.

    Returns:
        float64 [m, 2 + 2 N]: hypothesis length, closest reference length, numerators and
        denominators of each order. A gram adds to both in the same order of sums, so that a
        hypothesis that equals its best reference has numerator = denominator to the last bit.
    """
    rows = np.zeros((hypotheses.first.size, 2 + 2 * order))
    memory = working_memory(hypotheses, references, order)
    _delta_bleu_rows(hypotheses, references, weights, order, one_maximum, memory, rows)
    return rows


@kernel
def _delta_bleu_rows(
    h: Grouped,
    r: Grouped,
    weights: Floats,
    order: int,
    one_maximum: int,
    memory: Memory,
    rows: Table,
) -> None:
    item = carved(memory)
    for i in range(h.bounds.size - 1):
        begin, end = h.bounds[i], h.bounds[i + 1]
        r_begin, r_end = r.bounds[i], r.bounds[i + 1]
        match(item, i, h, r, order)
        best_weight = weights[r_begin] if r_end > r_begin else 0.0
        for j in range(r_begin, r_end):
            best_weight = max(best_weight, weights[j])
        for k in range(begin, end):
            row = rows[k]
            length = h.last[k] - h.first[k]
            row[0] = length
            row[1] = closest_length(length, r, i)
            for e in range(item.list_bounds[k - begin], item.list_bounds[k - begin + 1]):
                n = item.listed_order[e]
                count_h = item.listed_count[e]
                row[1 + order + n] += best_weight * count_h
                link = item.gram_chain[item.listed_gram[e]]
                if link == ABSENT:
                    continue
                weight = weights[item.link_reference[link]]
                most = min(count_h, item.link_count[link])
                product = weight * most
                link = item.link_next[link]
                while link != ABSENT:
                    w = weights[item.link_reference[link]]
                    count = min(count_h, item.link_count[link])
                    product = max(product, w * count)
                    weight = max(weight, w)
                    most = max(most, count)
                    link = item.link_next[link]
                row[1 + n] += product if one_maximum else weight * most


def pair_rows(hypotheses: Grouped, references: Grouped, pair_bounds: Indices, order: int) -> Floats:
    """The matches of every hypothesis with every single reference of its item.

    Args:
        hypotheses: The tokens of the m hypotheses.
        references: The tokens of the r references.
        pair_bounds: The pairs of hypothesis k are pair_bounds[k]:pair_bounds[k + 1], in the order
            of its item's references (int64 [m + 1]).
        order: N.

    Returns:
        float64 [pairs, N]: ``sum_g #_g(h, r)`` of each order.
    """
    rows = np.zeros((int(pair_bounds[-1]), order))
    memory = working_memory(hypotheses, references, order)
    _pair_rows(hypotheses, references, pair_bounds, order, memory, rows)
    return rows


@kernel
def _pair_rows(
    h: Grouped, r: Grouped, pair_bounds: Indices, order: int, memory: Memory, rows: Table
) -> None:
    item = carved(memory)
    for i in range(h.bounds.size - 1):
        begin, end = h.bounds[i], h.bounds[i + 1]
        match(item, i, h, r, order)
        for k in range(begin, end):
            for e in range(item.list_bounds[k - begin], item.list_bounds[k - begin + 1]):
                link = item.gram_chain[item.listed_gram[e]]
                while link != ABSENT:
                    pair = pair_bounds[k] + item.link_reference[link] - r.bounds[i]
                    matched = min(item.listed_count[e], item.link_count[link])
                    rows[pair, item.listed_order[e] - 1] += matched
                    link = item.link_next[link]


def ngram_fingerprints(tokens: Tokens, n: int) -> Tokens:
    """The fingerprints of all n-grams of order ``n`` of every text."""
    ends = np.cumsum(np.maximum(0, tokens.lengths - n + 1))
    grams = np.empty(int(ends[-1]) if ends.size else 0, dtype=np.uint64)
    _ngram_fingerprints(tokens, n, grams)
    return Tokens(grams, np.concatenate([[0], ends[:-1]])[: ends.size], ends)


@kernel
def _ngram_fingerprints(tokens: Tokens, n: int, grams: Fingerprints) -> None:
    written = 0
    for i in range(tokens.first.size):
        for at in range(tokens.first[i], tokens.last[i] - n + 1):
            key = np.uint64(0)
            for k in range(n):
                key = extended(key, tokens.fingerprints[at + k])
            grams[written] = key
            written += 1
