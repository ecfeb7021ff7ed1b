"""Word alignment of a corpus in both directions: eflomal where it is installed, else an HMM of our own.

The HMM (Vogel et al. 1996): each target word is emitted by a source word or by none (NULL). Along the
target the position moves by jumps, whose probability depends on their width alone; every NULL keeps the
position before it (Och and Ney 2003, section 2.1.2). With jumps that are all alike it is Model 1.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rejoinder.kernels.arrays import Codes, Floats, Indices, Table

NULL = 0.2
"""The probability that a target word has no source word."""

BEHIND = 0.0, 1 / NULL
"""What source words and NULL emit behind the end of a target, so that NULL emits it for certain."""

SMOOTHING = 1e-9
"""Added to expected counts, so that no probability that is asked for is 0."""

NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""The neighbours of a link in the order in which they are tried, diagonal ones last."""

BATCH = 256


class WordNumbers(NamedTuple):
    """Sentences as numbers of words.

    Attributes:
        words: int64 [t].
        bounds: int64 [n + 1], sentence n has the words bounds[n] to bounds[n + 1].
    """

    words: Indices
    bounds: Indices

    @property
    def lengths(self) -> Indices:
        """int64 [n]."""
        return np.diff(self.bounds)

    @property
    def lists(self) -> list[list[int]]:
        """The numbers of each sentence."""
        ends = pairwise(self.bounds.tolist())
        return [self.words[begin:end].tolist() for begin, end in ends]

    @classmethod
    def of(cls, lists: list[list[int]]) -> WordNumbers:
        """Sentences of lists of numbers."""
        bounds = np.concatenate([[0], np.cumsum([len(each) for each in lists], dtype=np.int64)])
        return cls(np.array([each for row in lists for each in row], dtype=np.int64), bounds)


class Links(NamedTuple):
    """Aligned words.

    Attributes:
        source: int64 [l], the place of each link's source word among the words of all sentences.
        target: int64 [l], that of its target word.
    """

    source: Indices
    target: Indices


def aligner(external: bool) -> str:
    """What aligns here: ``eflomal`` with its version where it is wanted and installed, else ``hmm``."""
    try:
        return f"eflomal {version('eflomal')}" if external else "hmm"
    except PackageNotFoundError:
        return "hmm"


def links_of(
    source: WordNumbers,
    target: WordNumbers,
    iterations: int,
    name: str,
    tick: Callable[[], None] = lambda: None,
) -> Links:
    """Both directions, symmetrised by grow-diag-final-and.

    Args:
        source: The messages.
        target: The replies.
        iterations: As for ``hmm_links``.
        name: As ``aligner`` gives it.
        tick: Called after every pass over the corpus.
    """
    if name == "hmm":
        forward = hmm_links(source, target, iterations, tick)
        backward = hmm_links(target, source, iterations, tick)
    else:
        forward, backward = _eflomal(source, target)
    links = []
    spans = [pairwise(each.bounds.tolist()) for each in (source, target)]
    for (i, i_end), (j, j_end) in zip(*spans, strict=True):
        one = {(at, k) for k, at in enumerate(forward[j:j_end].tolist()) if at >= 0}
        other = {(k, at) for k, at in enumerate(backward[i:i_end].tolist()) if at >= 0}
        links += [(i + left, j + right) for left, right in symmetrised(one, other)]
    return Links(*np.array(links, dtype=np.int64).reshape(-1, 2).T.copy())


def symmetrised(
    forward: set[tuple[int, int]], backward: set[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Alignment by grow-diag-final-and (Koehn et al. 2005), from the best ones of both directions.

    Starts from the links that both have. A neighbour (beside or diagonal) of a link is added where
    either has it and its source word or its target word has no link yet; then those of the first
    direction, and of the second, whose words both have none.

    Args:
        forward: Links as source and target position, from the first direction.
        backward: From the second one.

    Returns:
        The links in the order of their positions.

    >>> symmetrised({(0, 0), (0, 1)}, {(0, 0), (1, 1)})
    [(0, 0), (0, 1), (1, 1)]
    """
    union, links = sorted(forward | backward), forward & backward
    sources, targets = {i for i, _ in links}, {j for _, j in links}

    def add(link: tuple[int, int]) -> None:
        links.add(link)
        sources.add(link[0])
        targets.add(link[1])

    left, before = {*union} - links, -1
    while left and len(links) > before:
        before = len(links)
        for i, j in union:
            if (i, j) not in links:
                continue
            for down, across in NEIGHBOURS:
                link = i + down, j + across
                if link in left and not (link[0] in sources and link[1] in targets):
                    add(link)
                    left.remove(link)
    for direction in (forward, backward):
        for link in sorted(direction & left):
            if link[0] not in sources and link[1] not in targets:
                add(link)
    return sorted(links)


class _Batch(NamedTuple):
    """Pairs of sentences, all sources of which are equally long (I).

    Attributes:
        places: int64 [b, J], the places of target words; of shorter targets -1 behind the last.
        part: Of each of these words with NULL and each source word in turn the places in ``word_pairs``:
            b J (I + 1) in all.
        shape: b, J, I + 1.
    """

    places: Codes
    part: slice
    shape: tuple[int, int, int]


class WordPairs(NamedTuple):
    """The pairs of words that stand in one pair of sentences, NULL being one more source word.

    Attributes:
        batches: The pairs of sentences.
        rows: int64, the number of the pair of words at each place that batches have; ``BEHIND`` the end
            of a target 0, and 1 for NULL.
        sources: int64 [pairs of words], the number of the source word of each, from 1; 0: none.
    """

    batches: list[_Batch]
    rows: Indices
    sources: Indices

    @classmethod
    def of(cls, source: WordNumbers, target: WordNumbers) -> WordPairs:
        """Those of a corpus."""
        null, width = int(source.words.max()) + 1, int(target.words.max()) + 1
        batches, keys, done = [], [np.array([-2, -1])], 2
        for pairs in _equally_long(source.lengths, target.lengths):
            size, length = int(source.lengths[pairs[0]]), int(target.lengths[pairs].max())
            given = source.words[source.bounds[pairs][:, None] + np.arange(size)]
            given = np.pad(given, ((0, 0), (1, 0)), constant_values=null)
            places = target.bounds[pairs][:, None] + np.arange(length)
            present = places < target.bounds[pairs + 1][:, None]
            key = given[:, None] * width + target.words[np.where(present, places, 0)][:, :, None]
            key[~present] = np.where(np.arange(size + 1) > 0, -2, -1)
            part = slice(done, done + key.size)
            batches.append(_Batch(np.where(present, places, -1), part, key.shape))
            keys.append(key.ravel())
            done += key.size
        distinct, rows = np.unique(np.concatenate(keys), return_inverse=True)
        return cls(batches, rows, distinct // width + 1)

    def shares(self, counts: Floats) -> Floats:
        """Of each source word the shares of its pairs: the probabilities of target words given it."""
        counts = counts + SMOOTHING
        shares = counts / np.bincount(self.sources, counts)[self.sources]
        shares[:2] = BEHIND
        return shares


def _equally_long(sources: Indices, targets: Indices) -> Iterator[Indices]:
    """Pairs of sentences in batches with sources of one length and targets of similar ones."""
    order = np.lexsort((targets, sources))
    for same in np.split(order, np.flatnonzero(np.diff(sources[order])) + 1):
        yield from np.split(same, range(BATCH, same.size, BATCH))


def hmm_links(
    source: WordNumbers,
    target: WordNumbers,
    iterations: int,
    tick: Callable[[], None] = lambda: None,
) -> Indices:
    """The source position of each target word in the best alignment, -1 for NULL: int64 [words].

    Args:
        source: What target words are emitted by; no sentence is empty.
        target: As many sentences; none is empty.
        iterations: Number of iterations of expectation maximisation of Model 1, and again of the HMM.
        tick: Called after every pass over the corpus.

    Example:
        >>> source = WordNumbers.of([[0, 1], [0], [1]])  # word 0 goes with 5, word 1 with 4
        >>> hmm_links(source, WordNumbers.of([[4, 5], [5], [4]]), 5).tolist()
        [1, 0, 0, 0]
    """
    pairs = WordPairs.of(source, target)
    width = int(source.lengths.max())
    table = np.ones(pairs.sources.size)
    table[:2] = BEHIND
    first_jumps = np.exp(-np.abs(np.arange(-width, width + 1) - 1.0) / 2)
    jumps = np.ones(2 * width + 1)
    counts = np.zeros(pairs.rows.size)
    for step in range(2 * iterations):
        if step == iterations:
            jumps = first_jumps
        moved = np.full(jumps.size, 1e-3)
        for batch in pairs.batches:
            emitted = table[pairs.rows[batch.part]].reshape(batch.shape)
            expected, moves = expected_counts(transitions(jumps, batch.shape[2] - 1), emitted)
            counts[batch.part] = expected.ravel()
            moved += np.bincount(
                _widths(moves.shape[0], jumps.size).ravel(), moves.ravel(), jumps.size
            )
        table = pairs.shares(np.bincount(pairs.rows, counts).astype(np.float64))
        if step >= iterations:
            jumps = moved / moved.sum()
        tick()
    links = np.empty(target.words.size, dtype=np.int64)
    for batch in pairs.batches:
        emitted = table[pairs.rows[batch.part]].reshape(batch.shape)
        best = best_positions(transitions(jumps, batch.shape[2] - 1), emitted)
        present = batch.places >= 0
        links[batch.places[present]] = best[present]
    tick()
    return links


def _widths(positions: int, jumps: int) -> Codes:
    """The place among jumps of the jump between any two positions."""
    return np.arange(positions) - np.arange(positions)[:, None] + jumps // 2


def transitions(jumps: Floats, size: int) -> Table:
    """Probabilities that the next word is emitted by a position: float64 [I + 1, I + 1].

    Args:
        jumps: float64 [2 w + 1], weights of jumps of -w to w; w is I at least.
        size: I, the number of positions; position 0 is before all, and nothing jumps there.
    """
    weights = jumps[_widths(size + 1, jumps.size)]
    weights[:, 0] = 0.0
    return (1 - NULL) * weights / weights.sum(axis=1, keepdims=True)


def expected_counts(steps: Table, emitted: Floats) -> tuple[Floats, Table]:
    """Forward and backward over positions, scaled word by word.

    Args:
        steps: As ``transitions`` gives them.
        emitted: float64 [b, J, I + 1], probabilities of target words given NULL and the source words.

    Returns:
        The expected number of times that each of them emits the word, and of each jump: [I + 1, I + 1].
    """
    size, length, positions = emitted.shape
    null = NULL * emitted[:, :, :1]
    before, scales = np.zeros((length + 1, size, positions)), np.empty((length, size, 1))
    before[0, :, 0] = 1.0
    for j in range(length):
        now = (before[j] @ steps) * emitted[:, j] + null[:, j] * before[j]
        scales[j] = now.sum(axis=1, keepdims=True)
        before[j + 1] = now / scales[j]
    counts, moves, after = np.empty_like(emitted), np.zeros_like(steps), np.ones((size, positions))
    for j in reversed(range(length)):
        ahead, stayed = emitted[:, j] * after / scales[j], null[:, j] * after / scales[j]
        counts[:, j] = (before[j] @ steps) * ahead
        counts[:, j, 0] = (before[j] * stayed).sum(axis=1)
        moves += before[j].T @ ahead
        after = ahead @ steps.T + stayed
    return counts, moves * steps


def best_positions(steps: Table, emitted: Floats) -> Indices:
    """The positions in the best alignment, -1 for NULL: int64 [b, J]; arguments as ``expected_counts``."""
    size, length, positions = emitted.shape
    best, came = np.zeros((size, positions)), np.empty((length, size, positions), dtype=np.int64)
    best[:, 0] = 1.0
    for j in range(length):
        paths = best[:, :, None] * steps
        moved, stayed = paths.max(axis=1) * emitted[:, j], NULL * emitted[:, j, :1] * best
        came[j] = np.where(moved > stayed, paths.argmax(axis=1), -1)
        best = np.maximum(moved, stayed)
        best /= best.max(axis=1, keepdims=True)
    at, result = best.argmax(axis=1), np.empty((size, length), dtype=np.int64)
    for j in reversed(range(length)):
        before = came[j, np.arange(size), at]
        result[:, j] = np.where(before < 0, -1, at - 1)
        at = np.where(before < 0, at, before)
    return result


def _eflomal(source: WordNumbers, target: WordNumbers) -> tuple[Indices, Indices]:
    """The links of both directions as eflomal samples them; its random numbers are its own."""
    import eflomal  # pyright: ignore[reportMissingImports]

    with tempfile.TemporaryDirectory() as folder:
        forward, backward = Path(folder, "forward"), Path(folder, "backward")
        eflomal.Aligner().align(
            *([" ".join(map(str, row)) for row in each.lists] for each in (source, target)),
            links_filename_fwd=str(forward), links_filename_rev=str(backward), quiet=True,
        )  # fmt: skip
        return _read(forward, target, 1), _read(backward, source, 0)


def _read(path: Path, emitted: WordNumbers, side: int) -> Indices:
    """Links of a file in Pharaoh's form, ``0-0 1-2``, by the word that is emitted."""
    links = np.full(emitted.words.size, -1, dtype=np.int64)
    lines = path.read_text("ascii").splitlines()
    for begin, line in zip(emitted.bounds[:-1].tolist(), lines, strict=True):
        for word in line.split():
            ends = [int(each) for each in word.split("-")]
            links[begin + ends[side]] = ends[1 - side]
    return links
