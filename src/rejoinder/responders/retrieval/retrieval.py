"""Retrieval: the reply that the corpus has to the most similar message, re-ranked on request."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rejoinder.corpora.pairs import Pairs
from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument
from rejoinder.progress import Progress
from rejoinder.responders.batches_of_messages import in_batches
from rejoinder.retrieval.bm25 import BM25Index
from rejoinder.text.separation import lost_words, wanted
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import TOKENIZERS, check_tokenizer, tokenize

Scorer = Callable[[list[str], list[str]], Floats]
"""From messages and replies to a score for each, e.g. RUBER's unreferenced scorer."""


class RetrievalResponder:
    """Finds the messages of a corpus most like the one given, and says what was replied to one.

    Likeness is BM25. Without a scorer the reply to the likest message is taken; with one, the
    replies to the ``candidates`` likest are scored against the message itself and the best is taken,
    the likest of equals. Where no word is shared, the corpus' most frequent reply stands in.

    It gives back whatever stands in the corpus. To reply to a test set, call ``respond`` of
    ``replies.py`` (``rejoinder.respond``), which excludes the test set's own pairs.

    Args:
        corpus: Messages and replies.
        scorer: Scores replies to messages without a reference; None: no re-ranking.
        candidates: Number of replies the scorer is given.
        tokenizer: One of ``rejoinder.text.tokenizers.TOKENIZERS``; texts are lower-cased.

    Raises:
        InputError: The corpus is empty.
        ParameterError: The tokenizer is unknown.

    Example:
        >>> corpus = Pairs(["1", "2"], ["Is it cold?", "Where to?"], ["Very.", "Home."])
        >>> RetrievalResponder(corpus).respond(["Cold today, is it?"])
        ['Very.']
    """

    def __init__(
        self,
        corpus: Pairs,
        scorer: Scorer | None = None,
        candidates: int = 20,
        tokenizer: str = "13a",
    ) -> None:
        check_tokenizer(tokenizer)
        if not len(corpus):
            raise InputError("corpus: no pairs; expected messages with replies")
        self.corpus = corpus
        self.scorer = scorer
        self.candidates = candidates if scorer is not None else 1
        self.index = BM25Index(corpus.sources, tokenizer=tokenizer)
        texts, counts = np.unique(np.array(corpus.targets, dtype=object), return_counts=True)
        self.usual = str(texts[counts.argmax()])
        self.unmatched = 0

    def respond(self, messages: Sequence[str], progress: Progress | None = None) -> list[str]:
        """The reply to each message; ``unmatched`` then counts those that share no word."""

        def reply_to(places: Sequence[int]) -> list[tuple[str, bool]]:
            return [self._reply(messages[place]) for place in places]

        content = [self.corpus.hash, self.candidates, self.index.tokenizer, list(messages)]
        order = range(len(messages))
        replies = in_batches(order, 1, reply_to, tuple[str, bool], content, progress)
        self.unmatched = sum(not matched for _, matched in replies)
        return [text for text, _ in replies]

    def _reply(self, message: str) -> tuple[str, bool]:
        """The reply to a message, and whether that shares a word with the corpus."""
        places = self.index.best(message, self.candidates)
        # The same reply to several messages is one candidate.
        texts = list(dict.fromkeys(self.corpus.targets[place] for place in places))
        return self._chosen(message, texts) if texts else self.usual, bool(places.size)

    @property
    def notes(self) -> list[str]:
        """Words that the tokenizer does not separate; messages of the last call that share no word."""
        notes = []
        tokenizer = self.index.tokenizer
        lost = lost_words(self.corpus.sources, self._lengths)
        if lost is not None:
            notes.append(
                f"the tokenizer '{tokenizer}' does not separate the words of {lost.number} of "
                f"{lost.unspaced} messages of the corpus in scripts without spaces{lost.examined} "
                f"({lost.script}), so that whole messages are compared; give {Argument('tokenizer')} "
                f"{wanted(lost.script, TOKENIZERS, tokenizer)}"
            )
        if self.unmatched:
            notes.append(
                f"{self.unmatched} messages share no word with the corpus; they got its most frequent "
                "reply"
            )
        return notes

    def _lengths(self, texts: list[str]) -> list[int]:
        return tokenize(Strings.of(texts), self.index.tokenizer, lowercase=True).lengths.tolist()

    def _chosen(self, message: str, texts: list[str]) -> str:
        if self.scorer is None or len(texts) == 1:
            return texts[0]
        scores = np.asarray(self.scorer([message] * len(texts), texts), dtype=np.float64)
        return texts[int(scores.argmax())]
