"""Likelihoods of a model of ``transformers``: each prompt is encoded once for all its replies.

Two passes. The first encodes the prompts of a batch and leaves a cache of keys and values, and the
logits behind the prompt's last token. The second feeds the replies, each row with the cache of its
own prompt. The encoder-decoder models go the same way: their first pass is the encoder and the
decoder's start token, and their cache holds the keys and values of the encoder's states too.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats
from rejoinder.models.batching import padded
from rejoinder.models.huggingface.pretrained import check_ids
from rejoinder.models.likelihood.backend import (
    Likelihood,
    LikelihoodBackend,
    LikelihoodRequest,
    RequestBatch,
    RequestPlan,
)
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.likelihood.transformer.batching import bucketed, halving, levelled
from rejoinder.models.likelihood.transformer.pieces import Cuts, Piece, silence

if TYPE_CHECKING:
    import torch

BATCH_TOKENS = {"cpu": 2048, "cuda": 32768}
"""Padded tokens of the prompts in a batch, where the user names no number."""

TOLL = {"cpu": 16, "cuda": 1024}
"""What one more pass of replies costs, in tokens: reading all weights, and launching all kernels."""

SLICE = 2048  # requests that are tokenised at a time


class ReplyRow(NamedTuple):
    """One reply in the second pass.

    Attributes:
        piece: Whose reply, by its place in the batch.
        reply: Which one.
        ids: The tail's tokens.
        skip: How many of them do not count.
    """

    piece: int
    reply: int
    ids: list[int]
    skip: int


@dataclass(frozen=True)
class Prefix:
    """What the first pass leaves.

    Attributes:
        cache: Keys and values of every layer, a row for each prompt.
        logits: [prompts, vocabulary], behind each prompt's last token.
        mask: int64 [prompts, length], 1 where a token stands: the mask that the second pass extends
            (causal), or the encoder's (encoder-decoder).
        lengths: int64 [prompts], how many tokens each has.
        states: The encoder's output, [prompts, length, width]; None for causal models.
    """

    cache: Any
    logits: torch.Tensor
    mask: torch.Tensor
    lengths: torch.Tensor
    states: torch.Tensor | None = None


class TransformerBackend(LikelihoodBackend):
    """Likelihoods of a loaded model; ``CausalBackend`` and ``EncoderDecoderBackend`` are its kinds.

    Args:
        model: A model of ``transformers`` with a language-model head.
        tokenizer: Its tokenizer.
        prompting: How conversations are laid out.
        batch_tokens: The most padded tokens of prompts in a batch; None takes what suits the device.
        name: What tables call it.
        weights: The hash of its weights, for the signature.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        prompting: Prompting | None = None,
        *,
        batch_tokens: int | None = None,
        name: str = "model",
        weights: str = "",
    ) -> None:
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.prompting = prompting or Prompting()
        self.batch_tokens = batch_tokens or BATCH_TOKENS.get(model.device.type, 32768)
        self.name = name
        self.weights = weights

    @property
    def facts(self) -> dict[str, str]:
        """Model class, weights, number format and the layout of the prompts."""
        return {
            "architecture": type(self.model).__name__,
            "weights": self.weights,
            "dtype": str(self.model.dtype).removeprefix("torch."),
            "batch_tokens": str(self.batch_tokens),
            **self.prompting.facts,
        }

    def plan(self, requests: Sequence[LikelihoodRequest]) -> RequestPlan:
        """Tokenises all requests, and puts those of like length together.

        Raises:
            InputError: To the tokenizer all replies are the same, or it is another model's.
        """
        self._check_tokenizer(requests)
        cuts = Cuts(Counter())
        pieces: list[Piece] = []
        for begin in range(0, len(requests), SLICE):
            pieces += self.pieces(requests[begin : begin + SLICE], cuts)
        tails = (tail.ids for piece in pieces for tail in piece.tails if tail is not None)
        check_ids(self.name, self.model, chain((piece.prefix for piece in pieces), tails))
        costs = [(len(piece.prefix), piece.longest) for piece in pieces]
        batches = tuple(
            RequestBatch(tuple(places), tuple(pieces[place] for place in places))
            for places in bucketed(costs, self.batch_tokens)
        )
        return RequestPlan(batches, (*self.notes(), *cuts.notes(len(requests))))

    def measure(self, batch: RequestBatch) -> list[list[Likelihood]]:
        """Both passes over one batch, in halves where memory runs out."""
        return halving(self._measure, batch.work)

    @abstractmethod
    def pieces(self, requests: Sequence[LikelihoodRequest], cuts: Cuts) -> list[Piece]:
        """Tokenises requests."""

    @abstractmethod
    def encode(self, pieces: Sequence[Piece]) -> Prefix:
        """The first pass."""

    @abstractmethod
    def continuation(
        self, prefix: Prefix, prompts: torch.Tensor, cache: Any, ids: torch.Tensor
    ) -> torch.Tensor:
        """The second pass: logits behind every token of ``ids``.

        Args:
            prefix: What the first pass left.
            prompts: The prompt of each row (int64 [rows]).
            cache: The cache, a row for each row.
            ids: Padded on the right (int64 [rows, t]).

        Returns:
            [rows, t, vocabulary].
        """

    def window_of(self, names: Sequence[str]) -> int | None:
        """The first size that the configuration has under these names; None: it is not limited."""
        sizes = [getattr(self.model.config, name, None) for name in names]
        return next((size for size in sizes if isinstance(size, int) and size > 0), None)

    def notes(self) -> tuple[str, ...]:
        """What is to be said of the model before any measuring."""
        if self.prompting.end and self.end_id() is None:
            return (
                "the tokenizer has no end-of-sequence token: replies are scored without their end",
            )
        return ()

    def end_id(self) -> int | None:
        """The token that ends a reply; None where there is none, or where it is not to count."""
        if not self.prompting.end:
            return None
        token = self.tokenizer.eos_token_id
        if token is None:
            token = getattr(self.model.config, "eos_token_id", None)
        return token[0] if isinstance(token, list) else token

    def _check_tokenizer(self, requests: Sequence[LikelihoodRequest]) -> None:
        replies = [reply for request in requests for reply in request.replies]
        target = bool(self.model.config.is_encoder_decoder)
        if why := silence(self.tokenizer, replies, target):
            raise InputError(
                f"{self.name}: {why}; expected the tokenizer that the model was trained with: save it "
                "into the model's folder with tokenizer.save_pretrained"
            )

    def _measure(self, pieces: Sequence[Piece]) -> list[list[Likelihood]]:
        import torch

        likelihoods = [[Likelihood.none(why) for why in piece.dropped] for piece in pieces]
        used = [place for place, piece in enumerate(pieces) if piece.longest]
        rows = [
            ReplyRow(at, reply, tail.ids, tail.skip)
            for at, place in enumerate(used)
            for reply, tail in enumerate(pieces[place].tails)
            if tail is not None
        ]
        if not rows:
            return likelihoods
        with torch.inference_mode():
            prefix = self.encode([pieces[place] for place in used])
            shareable(prefix.cache, type(self.model).__name__)
            values = self._tails(prefix, rows)
        for row, logprobs in zip(rows, values, strict=True):
            likelihoods[used[row.piece]][row.reply] = Likelihood.of(logprobs[row.skip :])
        return likelihoods

    def _tails(self, prefix: Prefix, rows: Sequence[ReplyRow]) -> list[Floats]:
        """The log-probabilities of every tail's tokens: float64, row by row."""
        import torch

        device = prefix.logits.device
        prompts = torch.tensor([row.piece for row in rows], device=device)
        first = torch.tensor([row.ids[0] for row in rows], device=device)
        opening = _picked(prefix.logits, first, prompts)
        values = [np.empty(len(row.ids)) for row in rows]
        for row, value in zip(values, opening.double().cpu().numpy(), strict=True):
            row[0] = value
        # Rows of one token are done. The last token of the others is predicted, never fed.
        left = [at for at, row in enumerate(rows) if len(row.ids) > 1]
        passes = levelled(
            [len(rows[at].ids) - 1 for at in left],
            TOLL.get(device.type, TOLL["cuda"]),
            4 * self.batch_tokens,
            prefix.mask.shape[1],
        )
        for places in passes:
            chunk = [left[place] for place in places]
            for at, logprobs in zip(chunk, self._chunk(prefix, rows, chunk), strict=True):
                values[at][1:] = logprobs
        return values

    def _chunk(
        self, prefix: Prefix, rows: Sequence[ReplyRow], chunk: Sequence[int]
    ) -> list[Floats]:
        import torch

        device = prefix.logits.device
        prompts = torch.tensor([rows[at].piece for at in chunk], device=device)
        ids, _ = padded([rows[at].ids for at in chunk], device)
        cache = expanded(prefix.cache, prompts)
        logits = self.continuation(prefix, prompts, cache, ids[:, :-1])
        logprobs = _picked(logits, ids[:, 1:]).double().cpu().numpy()
        return [logprobs[place, : len(rows[at].ids) - 1] for place, at in enumerate(chunk)]


def _picked(
    logits: torch.Tensor, ids: torch.Tensor, rows: torch.Tensor | None = None
) -> torch.Tensor:
    """Log-probabilities of chosen tokens: logits [..., V] and ids [...] to float32 [...].

    ``log softmax(x)_i = x_i - log sum exp(x)``: the softmax of the whole vocabulary is never kept.
    With ``rows``, ids pick from the logits of these rows: [r, V], [n], [n] to [n].
    """
    values = logits.float()
    norms = values.logsumexp(-1)
    if rows is not None:
        return values[rows, ids] - norms[rows]
    return values.gather(-1, ids.unsqueeze(-1)).squeeze(-1) - norms


def expanded(cache: Any, rows: torch.Tensor) -> Any:
    """A cache with the given rows of another, which stays as it was.

    Layers never write into their tensors, they replace them: so a shallow copy of each is enough.

    Args:
        cache: A ``DynamicCache`` or an ``EncoderDecoderCache``.
        rows: Some of them several times (int64 [n]).
    """
    if hasattr(cache, "self_attention_cache"):
        both = copy.copy(cache)
        both.self_attention_cache = expanded(cache.self_attention_cache, rows)
        both.cross_attention_cache = expanded(cache.cross_attention_cache, rows)
        both.is_updated = dict(cache.is_updated)
        return both
    new = copy.copy(cache)
    new.layers = [copy.copy(layer) for layer in cache.layers]
    for layer in new.layers:
        layer.batch_select_indices(rows)
    return new


def shareable(cache: Any, model: str) -> None:
    """Raises an InputError where a cache holds anything but keys and values (recurrent states)."""
    caches = (
        [cache.self_attention_cache, cache.cross_attention_cache]
        if hasattr(cache, "self_attention_cache")
        else [cache]
    )
    layers = [layer for each in caches for layer in getattr(each, "layers", [])]
    if not layers or any(
        not hasattr(layer, "batch_select_indices") or hasattr(layer, "recurrent_states")
        for layer in layers
    ):
        raise InputError(
            f"{model} keeps no key-value cache that replies can share (a recurrent or mixed model?); "
            "serve it behind a completions endpoint that echoes log-probabilities and name its URL"
        )
