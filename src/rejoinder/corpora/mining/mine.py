"""Candidate references of a test set, mined from a corpus of conversations in one call."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rejoinder._version import __version__
from rejoinder.corpora.mining.index import TripleIndex
from rejoinder.corpora.mining.own_conversations import own_conversations
from rejoinder.corpora.mining.search import Product, Wanted, search
from rejoinder.document.parts import AS_USUAL, GAP, Document, Line, View, lines, signed
from rejoinder.document.table import Table, key, number
from rejoinder.errors import InputError, ParameterError, check_least
from rejoinder.files.arrays import MemoryArrays
from rejoinder.files.shards import end_of_shard, shared
from rejoinder.kernels.arrays import Fingerprints, Indices, Tokens
from rejoinder.messages import Argument, counted
from rejoinder.progress import Progress, advance
from rejoinder.result import TableResult
from rejoinder.retrieval.bm25 import BM25, K1, B
from rejoinder.tables.schemas import CANDIDATES
from rejoinder.tables.testset import TestSet, TestSetLike
from rejoinder.text.bare import bare_keys
from rejoinder.text.separation import lost_words, wanted
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import TOKENIZERS, check_tokenizer, tokenize

PARROTED = "parroted"
"""The source of a candidate that is the item's own message."""


@dataclass(frozen=True, eq=False, repr=False)
class Mined(TableResult):
    """Candidate references.

    Attributes:
        table: One row for each candidate: ``id`` of the item, ``text``, ``source`` (``mined-1``, the
            best, and so on; ``parroted``), ``dialogue`` and ``turn`` (from 0) where it stands in the
            corpus, ``mined_context`` (the turns before it), ``message_score``, ``response_score`` and
            ``product``. The items stand in the test set's order, the best candidate first.
        items: The number of items of the test set.
        candidates: The number of mined candidates that were asked for.
        counts: For each item the number of mined candidates.
        signature: The corpus and all parameters.
        notes: What was left out, and which items have fewer candidates, in words.
    """

    table: pl.DataFrame
    items: int
    candidates: int
    counts: tuple[int, ...]
    signature: str
    notes: tuple[str, ...]

    @property
    def fewer(self) -> int:
        """The number of items with fewer mined candidates than were asked for."""
        return sum(count < self.candidates for count in self.counts)

    def document(self, view: View = AS_USUAL) -> Document:
        """The means of the candidates' scores, and how many there are."""
        facts = self.as_json()
        named = {
            "similarity of messages": "message_score",
            "similarity of responses": "response_score",
            "product": "product",
        }
        rows = [{"score": name, "mean": facts[f"mean_{key}"]} for name, key in named.items()]
        columns = [
            key("score of candidates", "score"),
            number("mean", show=lambda mean: "-" if mean is None else f"{mean:.2f}"),
        ]
        schema = {"score": pl.String, "mean": pl.Float64}
        meanings = {
            "score": "Score of the candidates: of messages, of responses, and their product.",
            "mean": "Mean over mined candidates; null without any.",
        }
        parroted = facts["candidates"] - facts["mined"]
        also = f", and {counted(parroted, 'item')} with the source {PARROTED!r}" * bool(parroted)
        numbers = (
            f"{counted(facts['items'], 'item')}, {counted(facts['mined'], 'mined candidate')}, "
            f"{facts['distinct']} of them distinct{also}"
        )
        return [
            Table(pl.DataFrame(rows, schema), columns, meanings=meanings),
            GAP,
            Line(numbers),
            *signed({"signature": self.signature}),
            *lines(self.notes, "note"),
        ]

    def as_json(self, file: str | None = None) -> dict[str, Any]:
        """The object that ``rejoinder mine --json`` prints.

        Args:
            file: Where the table was written; None: nowhere.
        """
        mined = self.table.filter(pl.col("source") != PARROTED)
        scores = mined.select("message_score", "response_score", "product").mean().row(0)
        return {
            "items": self.items,
            "candidates": self.table.height,
            "mined": mined.height,
            "distinct": mined.get_column("text").n_unique(),
            "fewer": self.fewer,
            "none": sum(not count for count in self.counts),
            "mean_message_score": scores[0],
            "mean_response_score": scores[1],
            "mean_product": scores[2],
            "signature": self.signature,
            "file": file,
            "notes": list(self.notes),
        }


_Found = tuple[list[int], list[int], list[float], list[float], list[float]]
"""What is found for an item, as ``Best`` has it."""


def mine(
    corpus: TestSetLike | TripleIndex,
    testset: TestSetLike,
    *,
    candidates: int = 15,
    alpha: float = 0.5,
    epsilon: float = 1.0,
    k1: float = K1,
    b: float = B,
    tokenizer: str = "13a",
    parrot: bool = False,
    progress: Progress | None = None,
) -> Mined:
    """Mines candidate references for every item of a test set (Galley et al. 2015, section 3).

    A triple of the corpus (its message m~, its response r~) is scored for an item (message m, first
    reference r) by ``d(m~, m) * (alpha * d(r~, r) + (1 - alpha) * epsilon)``, d = BM25 over the words
    of a text (Sordoni et al. 2015). The responses of the best triples are the item's candidates. The
    product is computed for every triple that shares a word with the message, so that the candidates
    are those of all products; of equal products the triple that stands first in the corpus comes
    first.

    Equal responses (byte by byte) are one candidate, that of the highest product. The item's own
    references are no candidates, in any case and with any marks, and neither is anything from
    conversations that share an utterance of 8 words or a pair of message and reply with the test
    set. The frequencies of words are those of the whole corpus.

    Args:
        corpus: Contexts with a reply each: what ``read_testset`` returns; or its index
            (``TripleIndex``), for a corpus larger than memory.
        testset: The items. One without a context gets no candidates; one without a reference is
            searched by its message alone.
        candidates: The number of candidate replies for each item.
        alpha: The weight of the similarity of responses, 0 to 1. The papers print no value.
        epsilon: What is added with the weight 1 - alpha, so that responses which share no word with
            the item's own are candidates too; 0 or more. The papers print no value.
        k1: How soon further occurrences of a word count no more.
        b: How far long texts count less, 0 to 1.
        tokenizer: One of ``text.tokenizers``; texts are lower-cased. Only for a corpus that has no
            index yet.
        parrot: Whether the item's own message is a candidate too (Galley et al. added it).
        progress: Called with the number of items done and of all items.

    Raises:
        InputError: The corpus holds no triple, or no item has a context.
        ParameterError: A parameter is outside its range.

    Example:
        >>> corpus = TestSet.from_lists(
        ...     [["Very cold."], ["To the park."]], contexts=[["Is it cold outside?"], ["Where to?"]]
        ... )
        >>> testset = TestSet.from_lists([["Yes, cold."]], contexts=[["Is it cold?"]])
        >>> mine(corpus, testset).table.select("id", "text", "source").row(0)
        ('1', 'Very cold.', 'mined-1')
    """
    testset = TestSet.of(testset)
    product = check_parameters(candidates, alpha, epsilon, k1, b)
    if isinstance(corpus, TripleIndex):
        index = corpus
    else:
        check_tokenizer(tokenizer)
        index = TripleIndex.of([TestSet.of(corpus, "corpus")], MemoryArrays(), tokenizer)
    items = _Items.of(testset)
    left_out = own_conversations(index, testset)
    rows = _Rows(index)
    searched = items.wanted(index, parrot)

    def search_some(places: list[int]) -> list[_Found]:
        results = []
        queries = [searched[place] for place in places]
        for best in search(index, queries, candidates, product, left_out):
            results.append(tuple(each.tolist() for each in best))
            advance(progress, len(results), len(queries))
        return results

    names = [items.ids[place] for place in items.asked]
    content = [_signature(index, product, candidates, parrot), items.messages, items.references]
    best_of_all = shared("candidates", names, content, search_some, _Found)
    end_of_shard()
    for best, place in zip(best_of_all, items.asked, strict=True):
        rows.add(items.ids[place], best, items.messages[place] if parrot else None)
    counts = np.zeros(len(items.ids), dtype=np.int64)
    counts[items.asked] = rows.counts
    notes = (
        *separation_notes(items.searched(), index.tokenizer),
        *index.notes,
        *_left_out(left_out),
        *items.notes(),
        *_fewer(counts, candidates),
    )
    return Mined(
        rows.table(),
        len(items.ids),
        candidates,
        tuple(counts.tolist()),
        _signature(index, product, candidates, parrot),
        notes,
    )


def check_parameters(candidates: int, alpha: float, epsilon: float, k1: float, b: float) -> Product:
    """What ``mine`` orders triples by; its arguments are described there.

    Args:
        candidates: Number of candidates of an item, 1 or more.
        alpha: Weight of the similarity of responses, 0 to 1.
        epsilon: Constant beside that similarity, 0 or more.
        k1: Saturation of word counts in BM25.
        b: Length normalisation of BM25, 0 to 1.

    Raises:
        ParameterError: One is outside its range.
    """
    check_least(1, candidates=candidates)
    if not 0 <= alpha <= 1:
        raise ParameterError(Argument("alpha", alpha), "; expected a number from 0 to 1")
    if not 0 <= epsilon < math.inf:
        raise ParameterError(Argument("epsilon", epsilon), "; expected a number of 0 or more")
    if not alpha and not epsilon:
        raise ParameterError(
            Argument("alpha", 0),
            f" and {Argument('epsilon', 0)} make every product 0; give one of them a value above 0",
        )
    return Product(alpha, epsilon, BM25(k1, b))


@dataclass(frozen=True)
class _Items:
    """The items of a test set as they are searched.

    Attributes:
        ids: Of all items.
        messages: The last turn of each; None where there is no context.
        references: Those of each item, the first of which is searched.
        asked: The places of the items that have a message.
    """

    ids: list[str]
    messages: list[str | None]
    references: list[list[str]]
    asked: list[int]

    @classmethod
    def of(cls, testset: TestSet) -> _Items:
        messages = testset.contexts.get_column("context").list.last().to_list()
        references = dict(testset.references.group_by("id").agg("text").iter_rows())
        asked = [place for place, message in enumerate(messages) if message is not None]
        if not asked:
            raise InputError(
                "test set: no item has a context; expected a message for each item, to which replies "
                "are mined; give a test set with contexts"
            )
        ids = testset.ids
        return cls(ids, messages, [references.get(each, []) for each in ids], asked)

    def wanted(self, index: TripleIndex, parrot: bool) -> list[Wanted]:
        """What is searched for each item that has a message."""
        messages = self._words(index, [self.messages[place] or "" for place in self.asked])
        references = [self.references[place] for place in self.asked]
        responses = self._words(index, [each[0] if each else "" for each in references])
        known = self._known(index, parrot)
        return [Wanted(*each) for each in zip(messages, responses, known, strict=True)]

    def _known(self, index: TripleIndex, parrot: bool) -> Iterator[Fingerprints]:
        """The keys of what is no candidate of each item: its references, and a parroted message."""
        texts = [
            [*self.references[place], *([self.messages[place] or ""] if parrot else [])]
            for place in self.asked
        ]
        keys = bare_keys(Strings.of([text for each in texts for text in each]), index.keys)
        ends = np.cumsum([len(each) for each in texts])
        for each, end in zip(texts, ends.tolist(), strict=True):
            yield keys[end - len(each) : end]

    def _words(self, index: TripleIndex, texts: list[str]) -> Iterator[Indices]:
        tokens: Tokens = tokenize(
            Strings.of(texts), index.tokenizer, lowercase=True, keys=index.keys
        )
        words = index.vocabulary.find(tokens.fingerprints)
        for first, last in zip(tokens.first, tokens.last, strict=True):
            yield words[first:last]

    def searched(self) -> list[str]:
        """The messages and the first references that are searched for."""
        refs = [self.references[place][:1] for place in self.asked]
        return [self.messages[place] or "" for place in self.asked] + [t for o in refs for t in o]

    def notes(self) -> list[str]:
        without = len(self.ids) - len(self.asked)
        alone = sum(not self.references[place] for place in self.asked)
        notes = []
        if without:
            notes.append(
                f"{counted(without, 'item')} of {len(self.ids)} without a context: no candidates"
            )
        if alone:
            notes.append(
                f"{counted(alone, 'item')} of {len(self.ids)} without a reference: searched by the "
                "message alone"
            )
        return notes


class _Rows:
    """The rows of the table of candidates."""

    def __init__(self, index: TripleIndex) -> None:
        self.index = index
        self.columns: dict[str, list[Any]] = {name: [] for name in CANDIDATES}
        self.counts: list[int] = []

    def add(self, id: str, best: _Found, message: str | None) -> None:
        """Adds the candidates of an item, and its message where it is one of them."""
        index = self.index
        places, _, first, second, products = best
        for rank, triple in enumerate(places):
            self._row(
                id,
                index.response(triple),
                f"mined-{rank + 1}",
                index.name(triple),
                int(index.turns[triple]),
                index.context(triple),
                first[rank],
                second[rank],
                products[rank],
            )
        if message is not None:
            self._row(id, message, PARROTED, *(None,) * 6)
        self.counts.append(len(places))

    def table(self) -> pl.DataFrame:
        return pl.DataFrame(self.columns, schema=CANDIDATES)

    def _row(self, *cells: Any) -> None:
        for column, cell in zip(self.columns.values(), cells, strict=True):
            column.append(cell)


def _left_out(left_out: np.ndarray) -> list[str]:
    count = int(left_out.sum())
    if not count:
        return []
    return [
        f"{count} of {counted(left_out.size, 'conversation')} of the corpus left out that share a long "
        "utterance or a pair with the test set"
    ]


def _fewer(counts: np.ndarray, asked: int) -> list[str]:
    fewer = int((counts < asked).sum())
    if not fewer:
        return []
    none = int((counts == 0).sum())
    words = (
        f"{counted(fewer, 'item')} of {counts.size} with fewer than {counted(asked, 'candidate')}"
    )
    return [f"{words}, {none} of them with none" if none else words]


def _signature(index: TripleIndex, product: Product, candidates: int, parrot: bool) -> str:
    parrots = "yes" if parrot else "no"
    return (
        f"mine|corpus:{index.hash}|alpha:{product.alpha:g}|epsilon:{product.epsilon:g}|"
        f"{product.weighting.signature}|tok:{index.tokenizer}|case:lc|candidates:{candidates}|"
        f"parrot:{parrots}|version:{__version__}"
    )


def separation_notes(texts: Sequence[str], tokenizer: str) -> list[str]:
    """Says where the words of texts in Chinese, Japanese, Thai and the like are not separated.

    Each sentence is then one word, and a search finds equal sentences alone.

    Args:
        texts: The messages and responses that are searched for.
        tokenizer: One of ``text.tokenizers``.

    >>> separation_notes(["你好吗，今天好吗？"], "13a")[0][:54]
    "the tokenizer '13a' does not separate the words of 1 o"
    >>> separation_notes(["你好吗，今天好吗？"], "char"), separation_notes(["How are you?"], "13a")
    ([], [])
    """
    lost = lost_words(
        texts, lambda some: tokenize(Strings.of(some), tokenizer, lowercase=True).lengths.tolist()
    )
    if lost is None:
        return []
    return [
        f"the tokenizer '{tokenizer}' does not separate the words of {lost.number} of {lost.unspaced} "
        f"messages and responses in scripts without spaces{lost.examined} ({lost.script}), so that "
        f"candidates are found by whole sentences; give {Argument('tokenizer')} "
        f"{wanted(lost.script, TOKENIZERS, tokenizer)}"
    ]
