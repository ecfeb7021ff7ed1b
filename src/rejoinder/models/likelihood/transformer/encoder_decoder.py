"""Encoder-decoder models: the encoder's states, and their keys and values, are shared by replies."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rejoinder.errors import InputError
from rejoinder.models.batching import padded
from rejoinder.models.likelihood.backend import LikelihoodRequest
from rejoinder.models.likelihood.transformer.likelihoods import Prefix, TransformerBackend
from rejoinder.models.likelihood.transformer.pieces import (
    CUT,
    Cuts,
    Piece,
    Specials,
    Tail,
    ids_of,
    sourced,
    specials,
)

if TYPE_CHECKING:
    import torch

ENCODER_WINDOW = ("max_encoder_position_embeddings", "max_position_embeddings")
DECODER_WINDOW = ("max_decoder_position_embeddings", "max_position_embeddings")


class EncoderDecoderBackend(TransformerBackend):
    """Likelihoods of an encoder-decoder model (BART, T5, Marian, ...).

    What the tokenizer writes before a target (BART's ``<s>``, a language code) is fed to the
    decoder and does not count: it is no part of the reply.
    """

    @cached_property
    def around(self) -> tuple[Specials, Specials]:
        """The special tokens around a source and around a target."""
        return specials(self.tokenizer), specials(self.tokenizer, target=True)

    @cached_property
    def start(self) -> list[int]:
        """What the decoder is fed before any reply.

        Raises:
            InputError: The configuration names no start token.
        """
        configs = (self.model.config, getattr(self.model, "generation_config", None))
        named = [getattr(config, "decoder_start_token_id", None) for config in configs]
        ids = [*named, self.tokenizer.bos_token_id]
        token = next((index for index in ids if index is not None), None)
        if token is None:
            raise InputError(
                f"{self.name}: the model's configuration has no decoder_start_token_id; write it into "
                "config.json"
            )
        before = self.around[1].before
        return [token, *(before[1:] if before[:1] == [token] else before)]

    def pieces(self, requests: Sequence[LikelihoodRequest], cuts: Cuts) -> list[Piece]:
        """Tokenises sources and replies, each by itself."""
        texts = [self.prompting.source(request.turns) for request in requests]
        sources = [self._source(ids, cuts) for ids in ids_of(self.tokenizer, texts)]
        replies = [reply for request in requests for reply in request.replies]
        targets = iter(zip(replies, ids_of(self.tokenizer, replies, target=True), strict=True))
        end = self.end_id()
        ended = [] if end is None else [end]
        window = self.window_of(DECODER_WINDOW)
        return [
            sourced(
                source, self.start, [_tail(*next(targets), ended) for _ in request.replies], window
            )
            for source, request in zip(sources, requests, strict=True)
        ]

    def _source(self, ids: list[int], cuts: Cuts) -> list[int]:
        before, after = self.around[0]
        window = self.window_of(ENCODER_WINDOW)
        room = len(ids) if window is None else max(0, window - len(before) - len(after))
        if room < len(ids):
            cuts.counts[CUT] += 1
            ids = ids[len(ids) - room :]
        return before + ids + after

    def encode(self, pieces: Sequence[Piece]) -> Prefix:
        """Sources to encoder states, and the decoder's start to its cache and logits."""
        import torch

        device = self.model.device
        # On the right: the encoder's positions are counted from the left.
        ids, mask = padded([piece.prefix for piece in pieces], device)
        states = self.model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
        start = torch.tensor([piece.start for piece in pieces], device=device)
        output = self._decode(states, mask, start, None)
        lengths = torch.full((len(pieces),), start.shape[1], device=device)
        return Prefix(output.past_key_values, output.logits[:, -1], mask, lengths, states)

    def continuation(
        self, prefix: Prefix, prompts: torch.Tensor, cache: Any, ids: torch.Tensor
    ) -> torch.Tensor:
        """Replies, each behind the cache of its source, to logits."""
        assert prefix.states is not None
        # The states themselves are not read again (their keys and values stand in the cache), so
        # they need not be copied for every row: a view of the first one has the right shape.
        states = prefix.states[:1].expand(len(prompts), -1, -1)
        return self._decode(states, prefix.mask[prompts], ids, cache).logits

    def _decode(
        self, states: torch.Tensor, mask: torch.Tensor, ids: torch.Tensor, cache: Any
    ) -> Any:
        from transformers.modeling_outputs import BaseModelOutput

        return self.model(
            encoder_outputs=BaseModelOutput(last_hidden_state=states),  # pyright: ignore
            attention_mask=mask,
            decoder_input_ids=ids,
            past_key_values=cache,
            use_cache=True,
        )


def _tail(reply: str, ids: list[int], ended: list[int]) -> Tail:
    return Tail(ids + ended, 0) if ids and reply.strip() else Tail([], 0)
