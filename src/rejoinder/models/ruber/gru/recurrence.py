"""A Bi-GRU over texts of unequal length on a processor, its gradient written out.

torch's own packed GRU keeps every step in its graph: going back, each step fills an array as large
as the whole batch, so that a batch costs its words times its longest text. Here a batch costs its
words. Both directions run side by side from the first step on, the backward one over texts that are
turned round.

    r = sigmoid(x_r + W_r h + b_r)
    z = sigmoid(x_z + W_z h + b_z)
    n = tanh(x_n + r * (W_n h + b_n))
    h' = n + z * (h - n)                    with x = W_x e(word) + b_x
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from rejoinder.kernels.arrays import Indices

ROWS = 512
"""So many packed words are worked on at a time: a few pages of the processor's cache."""


@dataclass(frozen=True, eq=False)
class Packed:
    """Texts word by word: the first words of all, the longest text first, then the second words.

    Attributes:
        order: int64 [b], which text stands at each place.
        words: int64 [N], for each packed word its place among the words of the texts end to end.
        turned: The packed words of the same texts read backwards, as places in here (int64 [N]).
        before: int64 [N - b], for every word but the first ones the packed word before it.
        bounds: The packed words of step t are ``bounds[t]:bounds[t + 1]``.
    """

    order: Indices
    words: Indices
    turned: Indices
    before: Indices
    bounds: Sequence[int]

    @classmethod
    def of(cls, lengths: Indices) -> Packed:
        """Packs texts of so many words each, one at least: int64 [b]."""
        order = np.argsort(-lengths, kind="stable")
        longest = lengths[order]
        starts = (np.cumsum(lengths) - lengths)[order]
        sizes = np.searchsorted(-longest, -np.arange(1, longest[0] + 1), side="right")
        bounds = np.append(0, np.cumsum(sizes))
        step = np.repeat(np.arange(sizes.size), sizes)
        text = np.arange(bounds[-1]) - bounds[step]
        turned = bounds[longest[text] - 1 - step] + text
        later = step > 0
        before = bounds[step[later] - 1] + text[later]
        return cls(order, starts[text] + step, turned, before, bounds.tolist())


def last_states(gru: nn.GRU, vectors: Tensor, rows: Indices, packed: Packed) -> Tensor:
    """The last states of both directions, end to end: float32 [b, 2H], in the order of the texts.

    Args:
        gru: The GRU of one layer and two directions.
        vectors: Vectors of distinct words, float32 [V, d].
        rows: The row of each packed word (int64 [N]).
        packed: Their order.
    """
    last = _Recurrence.apply(vectors, *_weights(gru), rows, packed)
    return _in_order(last, packed)


def last_states_by_table(gru: nn.GRU, table: Tensor, rows: Indices, packed: Packed) -> Tensor:
    """The same without a gradient, from what the GRU makes of each distinct word.

    Args:
        gru: Likewise.
        table: Table of ``projected``.
        rows: The row of each packed word (int64 [N]).
        packed: Their order.
    """
    _, _, w, b = _weights(gru)
    return _in_order(_forward(_laid_out(table, _both(rows, packed)), w, b, packed)[0], packed)


def projected(gru: nn.GRU, vectors: Tensor) -> Tensor:
    """``W_x e + b_x`` for both directions: float32 [2, V, 3H] of float32 [V, d]."""
    w, b, _, _ = _weights(gru)
    return _projected(vectors, w, b)


def _projected(vectors: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return torch.baddbmm(b[:, None], vectors.expand(2, -1, -1), w.transpose(1, 2))


def _both(rows: Indices, packed: Packed) -> tuple[Tensor, Tensor]:
    """The rows of the packed words, forwards and backwards."""
    return torch.from_numpy(rows), torch.from_numpy(rows[packed.turned])


def _laid_out(table: Tensor, rows: tuple[Tensor, Tensor]) -> Tensor:
    """What each packed word brings: [2, V, 3H] to [2, N, 3H]."""
    selected = table.new_empty(2, len(rows[0]), table.shape[2])
    for i in range(2):
        torch.index_select(table[i], 0, rows[i], out=selected[i])
    return selected


def _in_order(last: Tensor, packed: Packed) -> Tensor:
    """[2, b, H], the longest text first, to [b, 2H] in the order of the texts."""
    back = torch.from_numpy(np.argsort(packed.order))
    return last.transpose(0, 1).flatten(1).index_select(0, back)


def _weights(gru: nn.GRU) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """``W_x`` [2, 3H, d], ``b_x`` [2, 3H], ``W`` [2, 3H, H] and ``b`` [2, 3H]."""
    weights = [torch.stack(each) for each in zip(*gru.all_weights, strict=True)]
    return weights[0], weights[2], weights[1], weights[3]


class _Recurrence(torch.autograd.Function):
    """The last states [2, b, H] of texts, by the vectors of their distinct words."""

    @staticmethod
    def forward(
        ctx: Any,
        e: Tensor,
        w_x: Tensor,
        b_x: Tensor,
        w: Tensor,
        b: Tensor,
        rows: Indices,
        packed: Packed,
    ) -> Tensor:
        # A word's part in the gates is made once, however often the batch has it.
        both = _both(rows, packed)
        x = _laid_out(_projected(e, w_x, b_x), both)
        last, gates, inner, states = _forward(x, w, b, packed)
        ctx.rows, ctx.packed = both, packed
        ctx.save_for_backward(e, w_x, w, gates, inner, states)
        return last

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        e, w_x, w, gates, inner, states = ctx.saved_tensors
        packed = ctx.packed
        earlier = torch.zeros_like(states)
        earlier[:, packed.bounds[1] :] = states[:, torch.from_numpy(packed.before)]
        d_h, d_n = _backward(gradients[0], w, gates, inner, earlier, packed)
        d_w, d_b = d_h.transpose(1, 2) @ earlier, d_h.sum(1)
        d_x = d_h  # from here on: the two differ in what is under r alone
        d_x[..., 2 * w.shape[2] :] = d_n
        d_table = _summed(d_x, ctx.rows, len(e))
        d_e = (d_table @ w_x).sum(0)
        d_w_x = d_table.transpose(1, 2) @ e
        return d_e, d_w_x, d_table.sum(1), d_w, d_b, None, None


def _summed(values: Tensor, rows: tuple[Tensor, Tensor], count: int) -> Tensor:
    """Sums the rows of values [2, N, w] that belong to one word: [2, count, w]."""
    sums = values.new_zeros(2, count, values.shape[2])
    for i in range(2):
        sums[i].index_add_(0, rows[i], values[i])
    return sums


def _forward(
    x: Tensor, w: Tensor, b: Tensor, packed: Packed
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """One step after another; ``x`` [2, N, 3H] becomes the gates.

    Returns:
        The last states [2, b, H]; r, z and n [2, N, 3H]; ``W_n h + b_n`` [2, N, H]; and every
        state [2, N, H].
    """
    units = w.shape[2]
    across, bias = w.transpose(1, 2), b[:, None]
    spans = list(pairwise(packed.bounds))
    states, inner = x.new_empty(2, x.shape[1], units), x.new_empty(2, x.shape[1], units)
    h = x.new_zeros(2, packed.bounds[1], units)
    last = torch.empty_like(h)
    for begin, end in spans:
        size = end - begin
        last[:, size : h.shape[1]] = h[:, size:]
        h = h[:, :size]
        into = torch.baddbmm(bias, h, across)
        gates = x[:, begin:end]
        rz, n = gates[..., : 2 * units], gates[..., 2 * units :]
        rz.add_(into[..., : 2 * units]).sigmoid_()
        hidden = inner[:, begin:end].copy_(into[..., 2 * units :])
        n.addcmul_(rz[..., :units], hidden).tanh_()
        h = torch.lerp(n, h, rz[..., units:], out=states[:, begin:end])
    last[:, : h.shape[1]] = h
    return last, x, inner, states


def _backward(
    d_last: Tensor, w: Tensor, gates: Tensor, inner: Tensor, earlier: Tensor, packed: Packed
) -> tuple[Tensor, Tensor]:
    """From the last step to the first.

    Returns:
        The gradients of ``W h + b`` [2, N, 3H], and of n's share of ``x`` [2, N, H].
    """
    units = w.shape[2]
    r, z, n = gates.split(units, dim=-1)
    d_h, d_n = torch.empty_like(gates), torch.empty_like(inner)
    for begin in range(0, gates.shape[1], ROWS):
        block = slice(begin, begin + ROWS)
        blocks = (each[:, block] for each in (r, z, n, inner, earlier))
        _factors(*blocks, d_h=d_h[:, block], d_n=d_n[:, block])
    running = d_last.clone()  # a text's own stands here until the step at which it ends
    for begin, end in reversed(list(pairwise(packed.bounds))):
        dh, step = running[:, : end - begin], d_h[:, begin:end]
        step.unflatten(2, (3, units)).mul_(dh[:, :, None])
        d_n[:, begin:end].mul_(dh)
        dh.mul_(z[:, begin:end]).baddbmm_(step, w)
    return d_h, d_n


def _factors(
    r: Tensor, z: Tensor, n: Tensor, inner: Tensor, earlier: Tensor, *, d_h: Tensor, d_n: Tensor
) -> None:
    """What each step's dh is multiplied by, for many steps at once: the loop keeps products alone."""
    by_r, by_z, by_n = d_h.chunk(3, dim=-1)
    torch.mul(1 - z, 1 - n * n, out=d_n)
    torch.mul(d_n, inner * (r * (1 - r)), out=by_r)
    torch.mul(earlier - n, z * (1 - z), out=by_z)
    torch.mul(d_n, r, out=by_n)
