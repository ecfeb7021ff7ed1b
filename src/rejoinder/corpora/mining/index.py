"""The index of a corpus of triples: its words by message and by response, and its texts.

It is made in bounded memory, part by part, and lies in memory or in a folder of mapped files; one index
serves every test set and every alpha, epsilon, k1 and b.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from rejoinder.corpora.pairs import no_pairs
from rejoinder.files.arrays import GrowingArrays
from rejoinder.kernels.arrays import Bytes, Fingerprints, Indices, Places, Postings
from rejoinder.kernels.tokens import drawn_keys
from rejoinder.messages import counted
from rejoinder.progress import Progress, advance
from rejoinder.result import Result
from rejoinder.retrieval.bm25 import compact
from rejoinder.retrieval.inversion import Inversion
from rejoinder.retrieval.vocabulary import Vocabulary
from rejoinder.tables.testset import TestSet, first_references
from rejoinder.text.bare import bare_keys, exact_keys
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import check_tokenizer, tokenize

ROWS_AT_ONCE = 1 << 17

CONVERSATION = "conversation"
"""The column of the contexts that says which conversation an item is of, where there is one."""


@dataclass(frozen=True)
class Triples:
    """Triples over utterances.

    A triple's context are the utterances ``replies[i] - turns[i]`` to ``replies[i] - 1``, oldest first;
    the last of them is its message, and ``replies[i]`` its response.

    Attributes:
        utterances: The texts, those of a conversation in their order.
        replies: The place of each triple's response (int64 [n]).
        turns: The number of turns of its context (int64 [n]).
        conversations: The place in ``names`` of each triple's conversation, ascending (int64 [n]).
        names: The conversations.
        rows: How many items there were.
        content: The messages and responses, for the hash of the corpus.
    """

    utterances: pl.Series
    replies: Indices
    turns: Indices
    conversations: Indices
    names: pl.Series
    rows: int
    content: pl.Series


def triples_of(part: TestSet) -> Iterator[Triples]:
    """The triples of a corpus, ``ROWS_AT_ONCE`` items at a time.

    A triple is an item's context with its first reference. Items without a context or a reference,
    and those whose reference is blank, make none. An item whose context is the item before it with
    its response goes on the same conversation; where there is a column ``conversation``, rows that
    stand together and agree in it are one conversation.
    """
    first = first_references(part).select("id", "text")
    named = CONVERSATION in part.contexts.columns
    name = pl.col(CONVERSATION).cast(pl.String) if named else pl.lit(None, dtype=pl.String)
    items = part.contexts.select("id", "context", name=name)
    for begin in range(0, items.height, ROWS_AT_ONCE):
        rows = items[begin : begin + ROWS_AT_ONCE]
        yield _triples(rows.join(first, on="id", how="left", maintain_order="left"), named)


def _triples(rows: pl.DataFrame, named: bool) -> Triples:
    has_reply = pl.col("text").str.strip_chars() != ""
    whole = rows.filter((pl.col("context").list.len() > 0) & has_reply)
    so_far = pl.concat_list(pl.col("context").shift(1), pl.col("text").shift(1))
    same = pl.col("name").eq_missing(pl.col("name").shift(1)) if named else pl.lit(True)
    whole = whole.with_columns(goes_on=((pl.col("context") == so_far) & same).fill_null(False))
    added = (
        pl.when("goes_on").then(pl.concat_list("text")).otherwise(pl.concat_list("context", "text"))
    )
    whole = whole.with_columns(added=added, turns=pl.col("context").list.len())
    sizes = whole.get_column("added").list.len().to_numpy().astype(np.int64)
    # A row without a name is a conversation of its own where nothing else says otherwise.
    begins = ~pl.col("goes_on")
    if named:
        begins &= pl.col("name").is_null() | pl.col("name").ne_missing(pl.col("name").shift(1))
    starts = whole.select(begins.alias("begins")).to_series().to_numpy()
    if starts.size:
        starts = starts.copy()
        starts[0] = True
    names = whole.filter(pl.Series(starts, dtype=pl.Boolean))
    content = pl.concat_str(
        pl.col("context").list.last(), pl.lit("\0"), pl.col("text"), pl.lit("\0")
    )
    return Triples(
        whole.get_column("added").explode(),
        np.cumsum(sizes) - 1,
        whole.get_column("turns").to_numpy().astype(np.int64),
        np.cumsum(starts, dtype=np.int64) - 1,
        names.select(pl.coalesce("name", "id")).to_series(),
        rows.height,
        whole.select(content.alias("content")).to_series(),
    )


@dataclass(frozen=True, repr=False)
class TripleIndex(Result):
    """An index of n triples of context, message and response.

    Attributes:
        tokenizer: Of the words, which are lower-cased.
        hash: 8 hexadecimal digits of the messages and responses in their order.
        notes: What was left out on the way here, in words.
        keys: uint64 [260], what words and texts are hashed with.
        vocabulary: The words.
        messages: The messages by word.
        responses: The responses by word.
        text: uint8, all utterances.
        text_bounds: Utterance i has the bytes ``text_bounds[i]`` to ``text_bounds[i + 1]`` (int64
            [u + 1]).
        utterance_keys: Equal for utterances of equal letters and digits (uint64 [u]).
        replies: The utterance that is each triple's response (int64 [n]).
        turns: The number of turns of its context, which stand before the response (int64 [n]).
        reply_keys: Equal for equal responses (uint64 [n]).
        conversations: The conversation of each triple, ascending (uint32 [n]).
        names: uint8, the names of the conversations.
        name_bounds: int64 [c + 1].
    """

    tokenizer: str
    hash: str
    notes: tuple[str, ...]
    keys: Fingerprints
    vocabulary: Vocabulary
    messages: Postings
    responses: Postings
    text: Bytes
    text_bounds: Indices
    utterance_keys: Fingerprints
    replies: Indices
    turns: Indices
    reply_keys: Fingerprints
    conversations: Places
    names: Bytes
    name_bounds: Indices

    def __len__(self) -> int:
        return self.replies.size

    def utterance(self, place: int) -> str:
        """The text of an utterance."""
        begin, end = self.text_bounds[place : place + 2]
        return self.text[begin:end].tobytes().decode("utf-8", "replace")

    def response(self, triple: int) -> str:
        """The response of a triple."""
        return self.utterance(int(self.replies[triple]))

    def context(self, triple: int) -> list[str]:
        """The turns before the response of a triple, oldest first; the last is its message."""
        reply = int(self.replies[triple])
        return [self.utterance(place) for place in range(reply - int(self.turns[triple]), reply)]

    def name(self, triple: int) -> str:
        """The conversation of a triple."""
        begin, end = self.name_bounds[int(self.conversations[triple]) :][:2]
        return self.names[begin:end].tobytes().decode("utf-8", "replace")

    @classmethod
    def of(
        cls,
        parts: Iterable[TestSet],
        arrays: GrowingArrays,
        tokenizer: str = "13a",
        progress: Progress | None = None,
        rows: int = 0,
        keys: Fingerprints | None = None,
        name: str = "corpus",
    ) -> TripleIndex:
        """Indexes a corpus.

        Args:
            parts: The corpus, or its parts in their order, which are read one after the other.
            arrays: Where the index lies.
            tokenizer: One of ``text.tokenizers``.
            progress: Called with the number of items indexed and of all items.
            rows: The number of all items, for ``progress``.
            keys: What words and texts are hashed with; None: drawn by the operating system.
            name: What the corpus is called in messages: its file.

        Raises:
            InputError: There is no triple.
        """
        check_tokenizer(tokenizer)
        building = _Building(arrays, tokenizer, drawn_keys() if keys is None else keys)
        for part in parts:
            for triples in triples_of(part):
                building.add(triples)
                advance(progress, building.rows, max(rows, building.rows))
        return building.finish(name)


class _Building:
    """An index that grows."""

    def __init__(self, arrays: GrowingArrays, tokenizer: str, keys: Fingerprints) -> None:
        self.arrays = arrays
        self.tokenizer = tokenizer
        self.keys = keys
        self.vocabulary = Vocabulary()
        self.messages = Inversion(arrays, "message")
        self.responses = Inversion(arrays, "response")
        self.content = hashlib.sha256()
        self.rows = self.triples = self.utterances = self.bytes = 0
        self.named = self.name_bytes = 0
        self.last_name: str | None = None
        for name in ("text_bounds", "name_bounds"):
            arrays.append(name, np.zeros(1, dtype=np.int64))

    def add(self, triples: Triples) -> None:
        """Adds the triples of a part."""
        self.rows += triples.rows
        self.triples += triples.replies.size
        if not triples.replies.size:
            return
        strings = Strings.of(triples.utterances, "utterances")
        tokens = compact(tokenize(strings, self.tokenizer, lowercase=True, keys=self.keys))
        words = self.vocabulary.number(tokens.fingerprints)
        known = len(self.vocabulary)
        self.messages.add(tokens.take(triples.replies - 1), words, known)
        self.responses.add(tokens.take(triples.replies), words, known)
        append = self.arrays.append
        append("utterance_keys", bare_keys(strings, self.keys))
        append("reply_keys", exact_keys(strings.take(triples.replies), self.keys))
        append("replies", triples.replies + self.utterances)
        append("turns", triples.turns)
        self._names(triples)
        self.bytes += self._texts("text", "text_bounds", strings, self.bytes)
        self.utterances += len(strings)
        content = Strings.of(triples.content)
        self.content.update(content.data[content.starts[0] : content.stops[-1]].data)

    def finish(self, name: str) -> TripleIndex:
        """The index of all that was added."""
        if not self.triples:
            raise no_pairs(name, self.rows)
        left = self.rows - self.triples
        note = (
            f"{counted(left, 'item')} of {self.rows} of the corpus left out: no context, or no reference "
            "that is not blank"
        )
        messages, responses = self.messages.postings(), self.responses.postings()
        append = self.arrays.append
        append("keys", self.keys)
        append("vocabulary", self.vocabulary.fingerprints)
        return TripleIndex(
            tokenizer=self.tokenizer,
            hash=self.content.hexdigest()[:8],
            notes=(note,) if left else (),
            keys=self.keys,
            vocabulary=self.vocabulary,
            messages=messages,
            responses=responses,
            **{name: self.arrays.complete(name) for name in ARRAYS},
        )

    def _texts(self, name: str, bounds: str, strings: Strings, before: int) -> int:
        """Appends texts, and returns how many bytes they have."""
        if not len(strings):
            return 0
        begin, end = int(strings.starts[0]), int(strings.stops[-1])
        self.arrays.append(name, strings.data[begin:end])
        self.arrays.append(bounds, strings.stops - begin + before)
        return end - begin

    def _names(self, triples: Triples) -> None:
        """Appends the conversations; the first goes on the last one of the part before."""
        names = triples.names
        goes_on = self.last_name is not None and names[0] == self.last_name
        shift = self.named - int(goes_on)
        self.arrays.append("conversations", (triples.conversations + shift).astype(np.uint32))
        self.last_name = names[-1]
        rest = Strings.of(names[int(goes_on) :])
        self.name_bytes += self._texts("names", "name_bounds", rest, self.name_bytes)
        self.named += len(rest)


ARRAYS = {
    "text": np.uint8,
    "text_bounds": np.int64,
    "utterance_keys": np.uint64,
    "replies": np.int64,
    "turns": np.int64,
    "reply_keys": np.uint64,
    "conversations": np.uint32,
    "names": np.uint8,
    "name_bounds": np.int64,
}
"""The arrays of an index, but for its words."""
