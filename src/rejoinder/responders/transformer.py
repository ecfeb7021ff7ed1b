"""Replies of a language model of ``transformers`` on this machine, to whole conversations."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rejoinder.errors import InputError, ParameterError, check_least
from rejoinder.messages import Argument
from rejoinder.models.batching import padded
from rejoinder.models.huggingface.pretrained import check_ids
from rejoinder.models.likelihood.backend import LikelihoodRequest, LocalModel
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.likelihood.transformer.causal import CausalBackend
from rejoinder.models.likelihood.transformer.likelihoods import TransformerBackend
from rejoinder.models.likelihood.transformer.loading import load
from rejoinder.models.likelihood.transformer.pieces import CUT, Cuts
from rejoinder.progress import Progress
from rejoinder.responders.batches_of_messages import in_batches

if TYPE_CHECKING:
    import torch

_AT_ONCE = 16  # conversations whose replies are searched together
_ANY_REPLY = " ."  # a prompt is tokenised together with a reply


@dataclass(frozen=True)
class TransformerResponder:
    """A causal or encoder-decoder model of ``transformers`` that replies by beam search.

    The prompt is laid out as for likelihoods: by the tokenizer's chat template where it has one, else
    a turn to a line. A reply ends where the model ends it, or without a template at its first line end.

    Attributes:
        backend: The model with its tokenizer and layout.
        answer_tokens: Maximum number of tokens of a reply.
    """

    backend: TransformerBackend
    answer_tokens: int

    @classmethod
    def load(
        cls,
        folder: str | os.PathLike[str],
        *,
        local: LocalModel = LocalModel(),
        turns: int | None = None,
        answer_tokens: int = 128,
        name: str | None = None,
    ) -> TransformerResponder:
        """Loads a model.

        Args:
            folder: Its folder.
            local: Its device and number type.
            turns: How many last turns it sees; None: all.
            answer_tokens: Maximum number of tokens of a reply.
            name: What tables call it; None: the folder's name.

        Raises:
            InputError: It cannot be loaded.
            MissingExtraError: Torch or transformers are not installed.
            ParameterError: A number is out of range, or leaves no room for a prompt.
        """
        check_least(1, answer_tokens=answer_tokens)
        backend = load(folder, Prompting(turns=turns), local=local, name=name)
        window = _window(backend)
        if window is not None and answer_tokens >= window:
            raise ParameterError(
                Argument("answer_tokens", answer_tokens),
                f": the model sees {window} tokens, prompt and reply together; choose fewer",
            )
        return cls(backend, answer_tokens)

    def respond(
        self,
        conversations: Sequence[Sequence[str]],
        beam: int = 10,
        length_penalty: float = 1.0,
        progress: Progress | None = None,
    ) -> tuple[list[str], list[str]]:
        """The reply to each conversation, and notes.

        Args:
            conversations: The turns of each, oldest first.
            beam: Sequences kept; 1 is greedy search.
            length_penalty: Log-probabilities are divided by the length to this power.
            progress: Called with the number of conversations replied to and of all.
        """
        import torch

        cuts = Cuts(Counter())
        requests = [LikelihoodRequest("", tuple(each), (_ANY_REPLY,)) for each in conversations]
        pieces = self.backend.pieces(requests, cuts)
        check_ids(self.backend.name, self.backend.model, (piece.prefix for piece in pieces))
        prompts = [self._fitted(piece.prefix) for piece in pieces]
        cut = sum(len(a) < len(b.prefix) for a, b in zip(prompts, pieces, strict=True))
        cuts.counts[CUT] = max(cuts.counts[CUT], cut)  # pieces are cut for replies of one token
        start = pieces[0].start if pieces else []
        self.backend.model.generation_config = self._search(beam, length_penalty, start)
        order = sorted(range(len(prompts)), key=lambda place: len(prompts[place]))

        def reply_to(places: Sequence[int]) -> list[tuple[str, bool]]:
            with torch.inference_mode():
                rows = self._generated([prompts[place] for place in places], start)
            return [self._text(row) for row in rows]

        content = [self.backend.facts, beam, length_penalty, self.answer_tokens, prompts]
        row = tuple[str, bool]
        texts = in_batches(order, _AT_ONCE, reply_to, row, content, progress)
        replies, unended = [text for text, _ in texts], sum(not ended for _, ended in texts)
        return replies, [*cuts.notes(len(prompts)), *self._remarks(replies, unended)]

    def _fitted(self, prompt: list[int]) -> list[int]:
        """A causal model's prompt without its oldest tokens, where there is no room for a reply."""
        window = _window(self.backend)
        if window is None or len(prompt) <= window - self.answer_tokens:
            return prompt
        head = prompt[:1] if prompt[0] in self.backend.tokenizer.all_special_ids else []
        return head + prompt[len(prompt) - (window - self.answer_tokens - len(head)) :]

    @property
    def _ends(self) -> list[int]:
        ends = [self.backend.end_id(), self.backend.tokenizer.eos_token_id]
        return sorted({each for each in ends if each is not None})

    def _search(self, beam: int, length_penalty: float, start: Sequence[int]) -> Any:
        """The settings of the search: none of the folder's own, which may draw at random."""
        from transformers import GenerationConfig

        pad = self.backend.tokenizer.pad_token_id
        several = {"length_penalty": length_penalty, "early_stopping": True} if beam > 1 else {}
        return GenerationConfig(
            max_new_tokens=self.answer_tokens,
            num_beams=beam,
            do_sample=False,
            eos_token_id=self._ends or None,
            decoder_start_token_id=start[0] if start else None,
            pad_token_id=pad if pad is not None else (self._ends or [0])[0],
            **several,
        )

    def _generated(self, prompts: Sequence[list[int]], start: list[int]) -> list[list[int]]:
        """The tokens that follow each prompt, up to the maximum."""
        import torch

        causal = isinstance(self.backend, CausalBackend)
        device = self.backend.model.device
        ids, mask = padded(prompts, device, left=causal)
        given: dict[str, Any] = {"input_ids": ids, "attention_mask": mask}
        if not causal:
            given["decoder_input_ids"] = torch.tensor([start] * len(prompts), device=device)
        generated = self.backend.model.generate(**given, logits_processor=[self._checked])
        return generated[:, ids.shape[1] if causal else len(start) :].tolist()

    def _checked(self, _ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """The scores of the next tokens as they are.

        Raises:
            InputError: One is NaN, so that the search would go anywhere.
        """
        if bool(scores.isnan().any()):
            raise InputError(
                f"{self.backend.name}: a log-probability is NaN or infinite; check that the weights are "
                "complete"
            )
        return scores

    def _text(self, ids: list[int]) -> tuple[str, bool]:
        """The reply of generated tokens, and whether the model ended it."""
        end = next((place for place, each in enumerate(ids) if each in self._ends), None)
        tokenizer, prompting = self.backend.tokenizer, self.backend.prompting
        text = str(tokenizer.decode(ids[:end], skip_special_tokens=True))
        if prompting.chats(tokenizer) or not isinstance(self.backend, CausalBackend):
            return text.strip(), end is not None
        line, turn_end, _ = text.lstrip().partition(prompting.turn_end)
        return line.strip(), bool(turn_end) or end is not None

    def _remarks(self, replies: Sequence[str], unended: int) -> list[str]:
        empty = sum(not each for each in replies)
        notes = [f"{empty} of {len(replies)} replies are empty"] if empty else []
        if unended:
            notes.append(
                f"{unended} of {len(replies)} replies are cut off at the maximum number of tokens"
            )
        return notes


def _window(backend: TransformerBackend) -> int | None:
    """The most tokens of prompt and reply together; None where they are not limited together."""
    return backend.window if isinstance(backend, CausalBackend) else None
