"""Word alignment of a corpus in both directions: eflomal where it is installed, else an HMM of our own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rejoinder.kernels import alignment as kernels
from rejoinder.kernels.arrays import Floats, Indices, Places
from rejoinder.kernels.phrases import Links

SMOOTHING = 1e-9
"""Added to expected counts, so that no probability that is asked for is 0."""


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

    @classmethod
    def of(cls, lists: list[list[int]]) -> WordNumbers:
        """Sentences of lists of numbers."""
        bounds = np.concatenate([[0], np.cumsum([len(each) for each in lists], dtype=np.int64)])
        return cls(np.array([each for row in lists for each in row], dtype=np.int64), bounds)


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
    cells, owners = _cells(source, target)
    sizes, lengths = source.lengths, target.lengths
    width = int(sizes.max())
    table = np.full(owners.size, 1.0)
    jumps = np.exp(-np.abs(np.arange(-width, width + 1) - 1.0) / 2)
    links = np.empty(target.words.size, dtype=np.int64)
    for mode in (*[kernels.MODEL_1] * iterations, *[kernels.HMM] * iterations):
        counts, jump_counts = np.zeros_like(table), np.zeros_like(jumps)
        kernels.align(mode, cells, sizes, lengths, table, jumps, counts, jump_counts, links)
        table = _shares(counts, owners)
        if mode == kernels.HMM:
            jumps = (jump_counts + 1e-3) / (jump_counts + 1e-3).sum()
        tick()
    kernels.align(
        kernels.VITERBI, cells, sizes, lengths, table, jumps, table, jumps.copy(), links
    )  # fmt: skip
    tick()
    return links


def _shares(counts: Floats, owners: Indices) -> Floats:
    """Of each word the shares of its counts."""
    counts = counts + SMOOTHING
    return counts / np.bincount(owners, counts)[owners]


def _cells(source: WordNumbers, target: WordNumbers) -> tuple[Places, Indices]:
    """The rows of the table that every pair of sentences needs, and the source word of each row.

    A row is a pair of words that stand in one pair of sentences, NULL being one more source word.
    """
    n = len(source.lengths)
    null = int(source.words.max()) + 1
    width = int(target.words.max()) + 1
    sizes = source.lengths + 1
    withnull = np.empty(source.words.size + n, dtype=np.int64)
    starts = source.bounds[:-1] + np.arange(n)
    filled = np.ones(withnull.size, dtype=bool)
    filled[starts] = False
    withnull[starts], withnull[filled] = null, source.words
    # Each target word stands beside all source words of its pair in turn.
    owners = np.repeat(np.arange(n), target.lengths)
    repeats = sizes[owners]
    ends = np.cumsum(repeats)
    within = np.arange(ends[-1]) - np.repeat(ends - repeats, repeats)
    keys = withnull[np.repeat(starts[owners], repeats) + within]
    del within
    keys = keys * width + np.repeat(target.words, repeats)
    distinct, cells = np.unique(keys, return_inverse=True)
    return cells.astype(np.uint32), distinct // width


def aligner(wanted: bool) -> str:
    """What aligns here: ``eflomal`` with its version where it is wanted and installed, else ``hmm``."""
    try:
        return f"eflomal {version('eflomal')}" if wanted else "hmm"
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
    sizes, lengths = source.lengths, target.lengths
    return Links(sizes, lengths, *kernels.symmetrised(forward, backward, sizes, lengths))


def _eflomal(source: WordNumbers, target: WordNumbers) -> tuple[Indices, Indices]:
    """The links of both directions as eflomal samples them; its random numbers are its own."""
    import eflomal  # pyright: ignore[reportMissingImports]

    with tempfile.TemporaryDirectory() as folder:
        forward, backward = Path(folder, "forward"), Path(folder, "backward")
        eflomal.Aligner().align(
            _lines(source), _lines(target), links_filename_fwd=str(forward),
            links_filename_rev=str(backward), quiet=True,
        )  # fmt: skip
        return _read(forward, target, 1), _read(backward, source, 0)


def _lines(sentences: WordNumbers) -> list[str]:
    parts = np.split(sentences.words, sentences.bounds[1:-1])
    return [" ".join(map(str, part.tolist())) for part in parts]


def _read(path: Path, emitted: WordNumbers, side: int) -> Indices:
    """Links of a file in Pharaoh's form, ``0-0 1-2``, by the word that is emitted."""
    links = np.full(emitted.words.size, -1, dtype=np.int64)
    lines = path.read_text("ascii").splitlines()
    for begin, line in zip(emitted.bounds[:-1].tolist(), lines, strict=True):
        for word in line.split():
            ends = [int(each) for each in word.split("-")]
            links[begin + ends[side]] = ends[1 - side]
    return links
