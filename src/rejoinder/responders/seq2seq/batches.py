"""Batches of subwords: pairs of about one length together, as many as fit a budget of tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rejoinder.corpora.pairs import Pairs
from rejoinder.models.batching import padded, within_budget
from rejoinder.responders.seq2seq.subwords import EOS, PAD

if TYPE_CHECKING:
    import torch
    from torch import Tensor
    from transformers import PreTrainedTokenizerFast

IGNORED = -100  # the label of padding, which torch's cross-entropy leaves out


@dataclass(frozen=True)
class Encoded:
    """Pairs as subwords, each side ending in ``</s>``.

    Attributes:
        sources: The messages.
        targets: The replies.
        left_out: Pairs that were longer than allowed.
    """

    sources: list[list[int]]
    targets: list[list[int]]
    left_out: int = 0

    def __len__(self) -> int:
        return len(self.sources)


@dataclass(frozen=True)
class SubwordBatch:
    """A batch on its device; padding stands at the right.

    Attributes:
        sources: Messages (int64 [b, s]).
        mask: int64 [b, s], 1 where there is a subword and 0 on padding.
        inputs: int64 [b, t], what the decoder is given: ``</s>``, as fairseq begins, then the reply.
        labels: int64 [b, t], what it is to say: the reply, then ``</s>``; IGNORED on padding.
        count: The subwords to say.
    """

    sources: Tensor
    mask: Tensor
    inputs: Tensor
    labels: Tensor
    count: int


def encode(tokenizer: PreTrainedTokenizerFast, pairs: Pairs, longest: int) -> Encoded:
    """Cuts pairs into subwords, and leaves out those of more than ``longest`` on a side.

    Args:
        tokenizer: The subword tokenizer.
        pairs: The pairs of message and reply.
        longest: Maximum number of subwords of a side.
    """
    if not len(pairs):
        return Encoded([], [])
    sources: list[list[int]] = tokenizer(pairs.sources).input_ids
    targets: list[list[int]] = tokenizer(pairs.targets).input_ids
    fitting = [i for i in range(len(pairs)) if max(len(sources[i]), len(targets[i])) <= longest]
    left = len(pairs) - len(fitting)
    return Encoded([sources[i] for i in fitting], [targets[i] for i in fitting], left)


def token_batches(
    encoded: Encoded, tokens: int, generator: np.random.Generator | None = None
) -> list[np.ndarray]:
    """The places of the pairs of each batch.

    Args:
        encoded: The pairs.
        tokens: Pairs of a batch times the longest of its messages and replies, at most.
        generator: Shuffles pairs of one length, and the batches; None: neither.

    Example:
        >>> encoded = Encoded([[5, 2], [5, 5, 2], [2]], [[6, 2], [6, 2], [6, 2]])
        >>> [batch.tolist() for batch in token_batches(encoded, 4)]
        [[2, 0], [1]]
    """
    source = np.array([len(ids) for ids in encoded.sources])
    target = np.array([len(ids) for ids in encoded.targets])
    order = np.arange(len(encoded)) if generator is None else generator.permutation(len(encoded))
    order = order[np.lexsort((source[order], target[order]))]
    longer = np.maximum(source, target).tolist()
    batches = [np.array(batch) for batch in within_budget(order.tolist(), longer, tokens)]
    if generator is not None:
        batches = [batches[i] for i in generator.permutation(len(batches))]
    return batches


def collate(encoded: Encoded, places: np.ndarray, device: torch.device | str) -> SubwordBatch:
    """The tensors of a batch.

    Args:
        encoded: The encoded pairs.
        places: The places of the pairs of the batch.
        device: Where the tensors are.
    """
    import torch

    sources, mask = padded([encoded.sources[i] for i in places], device, filler=PAD)
    targets = [encoded.targets[i] for i in places]
    inputs, _ = padded([[EOS, *ids[:-1]] for ids in targets], device, filler=PAD)
    labels, spoken = padded(targets, device, filler=PAD)
    labels = torch.where(spoken.bool(), labels, IGNORED)
    return SubwordBatch(sources, mask, inputs, labels, sum(map(len, targets)))
