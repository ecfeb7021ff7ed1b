"""Causal language models: the prompt's keys and values are shared by all of its replies."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rejoinder.models.batching import padded
from rejoinder.models.likelihood.backend import LikelihoodRequest
from rejoinder.models.likelihood.prompts import Chat
from rejoinder.models.likelihood.transformer.likelihoods import Prefix, TransformerBackend
from rejoinder.models.likelihood.transformer.pieces import (
    OPENED,
    Cuts,
    Piece,
    Specials,
    Tail,
    fitted,
    ids_of,
    shared,
    specials,
)

if TYPE_CHECKING:
    import torch

WINDOW = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")


class CausalBackend(TransformerBackend):
    """Likelihoods of a causal language model (GPT-2, Llama, ...).

    Args:
        *args: See ``TransformerBackend``.
        **kwargs: See ``TransformerBackend``.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.accepts = set(inspect.signature(self.model.forward).parameters)

    @cached_property
    def chat(self) -> Chat | None:
        """The chat template, where it is used."""
        return Chat.of(self.tokenizer) if self.prompting.chats(self.tokenizer) else None

    @cached_property
    def around(self) -> Specials:
        """The special tokens around a plain text; a chat template writes its own."""
        return Specials([], []) if self.chat else specials(self.tokenizer)

    @property
    def window(self) -> int | None:
        """The most tokens that the model sees; None where its positions are not limited."""
        return self.window_of(WINDOW)

    def end_id(self) -> int | None:
        """As the chat template ends a reply, else the tokenizer's end of sequence."""
        if self.prompting.end and self.chat and self.chat.end is not None:
            return self.chat.end
        return super().end_id()

    def pieces(self, requests: Sequence[LikelihoodRequest], cuts: Cuts) -> list[Piece]:
        """Tokenises prompts and replies together, so that the boundary is as the model sees it."""
        prompts = [self._prompt(request.turns, cuts) for request in requests]
        alone = ids_of(self.tokenizer, prompts)
        wholes = ids_of(
            self.tokenizer,
            [
                prompt + reply
                for prompt, request in zip(prompts, requests, strict=True)
                for reply in request.replies
            ],
        )
        end = self.end_id()
        pieces, at = [], 0
        for request, prompt in zip(requests, alone, strict=True):
            of_request = wholes[at : at + len(request.replies)]
            at += len(request.replies)
            pieces.append(self._piece(request.replies, prompt, of_request, end, cuts))
        return pieces

    def _prompt(self, turns: Sequence[str], cuts: Cuts) -> str:
        if self.chat is None:
            return self.prompting.plain(turns)
        text, opened = self.chat.prompt(self.prompting.seen(turns))
        cuts.counts[OPENED] += opened
        return text

    def _piece(
        self,
        replies: Sequence[str],
        prompt: list[int],
        wholes: list[list[int]],
        end: int | None,
        cuts: Cuts,
    ) -> Piece:
        prefix, tails = shared(prompt, wholes)
        head = self.around.before
        if prefix and self.chat and prefix[0] == self.tokenizer.bos_token_id:
            head, prefix = prefix[:1], prefix[1:]  # written by the template
        if not head and not prefix:
            head = self._start()
        ended = [] if end is None else [end]
        tails = [
            # Blanks alone are no reply, though a tokenizer may make tokens of them; neither is the
            # end alone, where it makes none of a text.
            Tail(tail.ids + ended, tail.skip)
            if reply.strip() and len(tail.ids) > tail.skip
            else Tail([], 0)
            for reply, tail in zip(replies, tails, strict=True)
        ]
        return fitted(head, prefix, tails, self.window, cuts)

    def _start(self) -> list[int]:
        """What stands before a reply to an empty prompt: some token must."""
        ids = (self.tokenizer.bos_token_id, self.tokenizer.eos_token_id)
        return [index for index in ids if index is not None][:1]

    def encode(self, pieces: Sequence[Piece]) -> Prefix:
        """Prompts, padded, to their cache and the logits behind their last tokens."""
        import torch

        ids, mask = padded([piece.prefix for piece in pieces], self.model.device, left=True)
        last = torch.tensor([ids.shape[1] - 1], device=ids.device)
        output = self.model(
            input_ids=ids,
            attention_mask=mask,
            use_cache=True,
            **self._places((mask.cumsum(1) - 1).clamp(min=0)),
            **({"logits_to_keep": last} if "logits_to_keep" in self.accepts else {}),
        )
        return Prefix(output.past_key_values, output.logits[:, -1], mask, mask.sum(dim=1))

    def continuation(
        self, prefix: Prefix, prompts: torch.Tensor, cache: Any, ids: torch.Tensor
    ) -> torch.Tensor:
        """Replies, each behind the cache of its prompt, to logits."""
        import torch

        # What pads a reply stands behind all that counts: no token looks that far ahead.
        mask = torch.cat([prefix.mask[prompts], torch.ones_like(ids)], dim=1)
        places = prefix.lengths[prompts, None] + torch.arange(ids.shape[1], device=ids.device)
        limit = self.window
        if limit is not None:
            places = places.clamp(max=limit - 1)  # only what pads a reply reaches beyond
        return self.model(
            input_ids=ids,
            attention_mask=mask,
            past_key_values=cache,
            use_cache=True,
            **self._places(places),
        ).logits

    def _places(self, places: torch.Tensor) -> dict[str, torch.Tensor]:
        """The positions, for models that take them; the others count the mask themselves."""
        return {"position_ids": places} if "position_ids" in self.accepts else {}
