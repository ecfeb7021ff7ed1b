"""Inverted indexes: made of the words of documents, and searched by BM25."""

from __future__ import annotations

from typing import Any

import numpy as np

from rejoinder.kernels.ahead import helper, kernel
from rejoinder.kernels.arrays import (
    Best,
    Bytes,
    Counts,
    Fingerprints,
    Floats,
    Indices,
    Places,
    Postings,
    Query,
    Tokens,
)


@helper
def _slot(key: Any, keys: Fingerprints, numbers: Indices) -> np.uint64:
    """The place of a key in an open hash table: its own, or the free one where it belongs."""
    mask = np.uint64(numbers.size - 1)
    at = (key >> np.uint64(17)) & mask
    while numbers[at] >= 0 and keys[at] != key:
        at = (at + np.uint64(1)) & mask
    return at


@kernel
def number_words(
    tokens: Fingerprints, keys: Fingerprints, numbers: Indices, known: int, words: Indices
) -> int:
    """Gives each token the number of its word; new words get the next numbers.

    Args:
        tokens: Fingerprints (uint64 [t]).
        keys: A power of two above known + t, the fingerprints of known words (uint64 [slots]).
        numbers: Their numbers (int64 [slots]); -1 where a slot is free.
        known: How many words are known.
        words: int64 [t], written.

    Returns:
        How many words are known now.
    """
    for i in range(tokens.size):
        at = _slot(tokens[i], keys, numbers)
        if numbers[at] < 0:
            keys[at] = tokens[i]
            numbers[at] = known
            known += 1
        words[i] = numbers[at]
    return known


@kernel
def find_words(tokens: Fingerprints, keys: Fingerprints, numbers: Indices, words: Indices) -> None:
    """The number of each token's word, or -1; the arguments are those of `number_words`.

    Args:
        tokens: The tokens.
        keys: The keys of the hash table.
        numbers: The numbers of the keys.
        words: The result, one number for each token.
    """
    for i in range(tokens.size):
        words[i] = numbers[_slot(tokens[i], keys, numbers)]


@kernel
def count_words(
    tokens: Tokens,
    words: Indices,
    marks: Indices,
    entries: Indices,
    terms: Places,
    counts: Counts,
    frequencies: Indices,
) -> int:
    """The distinct words of each document and how often each stands there.

    Args:
        tokens: Document i has the words ``first[i]`` to ``last[i]``.
        words: The number of each token's word (int64 [t]).
        marks: int64 [v], all -1.
        entries: int64 [n], written: how many distinct words each document has.
        terms: uint32 [t], written, document by document.
        counts: uint16 [t], written.
        frequencies: int64 [v], to which the number of documents of each word is added.

    Returns:
        How many entries were written.
    """
    _, first, last = tokens
    written = 0
    for i in range(first.size):
        begin = written
        for k in range(first[i], last[i]):
            word = words[k]
            at = marks[word]
            if at >= begin:
                counts[at] += np.uint16(1)
                continue
            marks[word] = written
            terms[written] = np.uint32(word)
            counts[written] = np.uint16(1)
            frequencies[word] += 1
            written += 1
        entries[i] = written - begin
    return written


@kernel
def sort_by_word(
    entries: Counts,
    terms: Places,
    counts: Counts,
    before: int,
    cursors: Indices,
    documents: Places,
    sorted_counts: Counts,
) -> None:
    """Moves entries from the order of documents into that of words.

    Args:
        entries: uint16 [n], how many entries each document has.
        terms: The word of each entry (uint32 [e]).
        counts: uint16 [e].
        before: The number of the first document.
        cursors: int64 [v], where the next entry of each word goes; moved on.
        documents: uint32 [all], written.
        sorted_counts: uint16 [all], written.
    """
    at = 0
    for i in range(entries.size):
        for _ in range(entries[i]):
            word = terms[at]
            place = cursors[word]
            documents[place] = np.uint32(before + i)
            sorted_counts[place] = counts[at]
            cursors[word] = place + 1
            at += 1


@helper
def _add(
    postings: Postings,
    query: Query,
    word: int,
    at: Any,
    low: int,
    high: int,
    totals: Floats,
) -> Any:
    """Adds a word's weights in the documents from ``low`` on, and returns where it stopped.

    The order of the operations is that of the formula: weights are equal to the last bit, however
    the documents are cut into blocks.
    """
    end = postings.bounds[query.words[word] + 1]
    rarity = query.rarity[word]
    times = query.times[word]
    factor = query.factor[0]
    while at < end and postings.documents[at] < high:
        document = np.int64(postings.documents[at])
        tf = np.float64(postings.counts[at])
        weight = rarity * tf * factor / (tf + query.norms[postings.lengths[document]])
        totals[document - low] += times * weight
        at += 1
    return at


@kernel
def bm25_scores(postings: Postings, query: Query, totals: Floats) -> None:
    """Adds the BM25 score of every document to ``totals``, float64 [n].

    Args:
        postings: The inverted index.
        query: The words of the query with their weights.
        totals: The scores, to which those of the query are added.
    """
    for word in range(query.words.size):
        _add(postings, query, word, postings.bounds[query.words[word]], 0, totals.size, totals)


@kernel
def best_scores(scores: Floats, places: Indices) -> int:
    """The documents of the highest scores above 0, the best first; of equal scores the earlier.

    Args:
        scores: float64 [n].
        places: int64 [k], written; k is how many are wanted, and so few that inserting is quick.

    Returns:
        How many were written.
    """
    count = 0
    least = 0.0
    for i in range(scores.size):
        score = scores[i]
        if score <= least:
            continue
        end = min(count, places.size - 1)
        count = end + 1
        while end > 0 and scores[places[end - 1]] < score:
            places[end] = places[end - 1]
            end -= 1
        places[end] = i
        if count == places.size:
            least = scores[places[count - 1]]
    return count


@kernel
def best_products(
    messages: Postings,
    responses: Postings,
    message: Query,
    response: Query,
    weights: Floats,
    reply_keys: Fingerprints,
    known_keys: Fingerprints,
    utterance_keys: Fingerprints,
    replies: Indices,
    conversations: Places,
    left_out: Bytes,
    cursors: Indices,
    totals: Floats,
    best: Best,
) -> int:
    """The pairs of the highest product of two scores, each reply once (see `corpora/mining`).

    The documents are taken block by block: the scores of both sides are added up for a block, then
    its products are looked at. Nothing is bounded or guessed, so that the result is that of all
    products.

    Args:
        messages: The index of the messages of n pairs.
        responses: The index of their responses.
        message: What the messages are scored with.
        response: What the responses are scored with.
        weights: float64 [2]: the product is ``m (weights[0] r + weights[1])``.
        reply_keys: Equal for equal responses (uint64 [n]).
        known_keys: The keys of responses that are left out, as ``utterance_keys`` (uint64 [any]).
        utterance_keys: Equal for utterances of equal letters and digits (uint64 [u]).
        replies: The utterance that is each response (int64 [n]).
        conversations: The conversation of each pair (uint32 [n]).
        left_out: uint8 [conversations], not 0 where a conversation is left out.
        cursors: Working memory (int64 [words of both queries]).
        totals: Working memory (float64 [2 block]).
        best: Written; its size is how many are wanted.

    Returns:
        How many were written: pairs whose product is above 0.
    """
    size = totals.size // 2
    words = message.words.size
    for word in range(words):
        cursors[word] = messages.bounds[message.words[word]]
    for word in range(response.words.size):
        cursors[words + word] = responses.bounds[response.words[word]]
    count = 0
    wanted = best.places.size
    low = 0
    while low < reply_keys.size:
        high = min(low + size, reply_keys.size)
        totals[:] = 0.0
        first = totals[:size]
        second = totals[size:]
        for word in range(words):
            cursors[word] = _add(messages, message, word, cursors[word], low, high, first)
        for word in range(response.words.size):
            at = words + word
            cursors[at] = _add(responses, response, word, cursors[at], low, high, second)
        least = best.products[count - 1] if count == wanted else 0.0
        for i in range(high - low):
            product = first[i] * (weights[0] * second[i] + weights[1])
            if product <= least or left_out[conversations[low + i]] != 0:
                continue
            if _is_among(utterance_keys[replies[low + i]], known_keys):
                continue
            count = _insert(best, count, low + i, reply_keys[low + i], first[i], second[i], product)
            least = best.products[count - 1] if count == wanted else 0.0
        low = high
    return count


@helper
def _is_among(key: Any, keys: Fingerprints) -> bool:
    for k in range(keys.size):  # noqa: SIM110, machine code has no generators
        if keys[k] == key:
            return True
    return False


@helper
def _insert(
    best: Best,
    count: int,
    place: int,
    key: Any,
    first: Any,
    second: Any,
    product: Any,
) -> int:
    """Puts a pair where it belongs; of equal products the earlier pair comes first."""
    end = count  # the entry that goes: the same reply with a lower product, or the last
    for k in range(count):
        if best.keys[k] == key:
            if best.products[k] >= product:
                return count
            end = k
            break
    if end == count and count == best.places.size:
        end = count - 1
    grown = max(count, end + 1)
    while end > 0 and best.products[end - 1] < product:
        best.places[end] = best.places[end - 1]
        best.keys[end] = best.keys[end - 1]
        best.first[end] = best.first[end - 1]
        best.second[end] = best.second[end - 1]
        best.products[end] = best.products[end - 1]
        end -= 1
    best.places[end] = place
    best.keys[end] = key
    best.first[end] = first
    best.second[end] = second
    best.products[end] = product
    return grown
