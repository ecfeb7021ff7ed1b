"""RUBER's network and losses against numpy readings of the equations, and torch's own GRU."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

from rejoinder.models.ruber.data.texts import Ragged
from rejoinder.models.ruber.encoder.cross import CrossConfig, CrossScorer, TokenStates
from rejoinder.models.ruber.gru.network import Dropout, RuberNetwork
from rejoinder.models.ruber.gru.recurrence import Packed, last_states
from rejoinder.models.ruber.losses import choice_loss, margin_loss, own_loss, softmax_loss

RNG = np.random.default_rng(3)
TEXTS = [RNG.integers(0, 30, n) for n in (4, 1, 7, 7, 2)]


def house(layers=(6, 5), **given):
    torch.manual_seed(2)
    return RuberNetwork(30, 5, 4, layers, **given).double().eval()


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def read(gru, direction, vectors):
    """The last state of one direction, a word at a time (Cho et al. 2014, as torch has it)."""
    end = "_reverse" if direction else ""
    wx, wh, bx, bh = (
        getattr(gru, f"{name}_l0{end}").detach().numpy()
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    h = np.zeros(wh.shape[1])
    for e in vectors[::-1] if direction else vectors:
        xr, xz, xn = np.split(wx @ e + bx, 3)
        hr, hz, hn = np.split(wh @ h + bh, 3)
        r, z = sigmoid(xr + hr), sigmoid(xz + hz)
        n = np.tanh(xn + r * hn)
        h = (1 - z) * n + z * h
    return h


def expected_states(net, gru):
    table = net.vectors.weight.detach().numpy()
    return np.array([np.concatenate([read(gru, d, table[text]) for d in (0, 1)]) for text in TEXTS])


def expected_pair(net, q, r):
    """MLP([q ; q^T M r ; r]) with tanh between the layers."""
    x = np.concatenate([q, [q @ net.quadratic.detach().numpy() @ r], r])
    layers = [(m.weight.detach().numpy(), m.bias.detach().numpy()) for m in net.mlp]
    for weight, bias in layers[:-1]:
        x = np.tanh(weight @ x + bias)
    return (layers[-1][0] @ x + layers[-1][1])[0]


@pytest.mark.parametrize("grad", [True, False])
def test_the_states_are_those_of_the_equations(grad):
    net = house()
    with torch.set_grad_enabled(grad):
        q, r = net.queries(Ragged.of(TEXTS)), net.replies(Ragged.of(TEXTS))
    np.testing.assert_allclose(q.detach(), expected_states(net, net.query), atol=1e-6)
    np.testing.assert_allclose(r.detach(), expected_states(net, net.reply), atol=1e-6)


@pytest.mark.parametrize("layers", [(), (6,), (6, 5)])
def test_pairs_and_grid_are_the_quadratic_feature_and_the_mlp(layers):
    net = house(layers)
    q, r = torch.randn(3, 8).double(), torch.randn(4, 8).double()
    expected = [[expected_pair(net, a, b) for b in r.numpy()] for a in q.numpy()]
    np.testing.assert_allclose(net.grid(q, r).detach(), expected, atol=1e-6)
    for i in range(3):
        pairs = net.pairs(q[i].expand(4, -1), r).detach()
        np.testing.assert_allclose(pairs, expected[i], atol=1e-6)


def test_the_gradient_is_that_of_torch():
    torch.manual_seed(1)
    gru = torch.nn.GRU(5, 4, batch_first=True, bidirectional=True).double()
    lengths = np.array([3, 1, 9, 9, 4, 2])
    words = torch.randn(7, 5).double()  # 28 places, 7 distinct words
    rows = np.random.default_rng(2).integers(0, 7, lengths.sum())
    weights = torch.randn(6, 8).double()
    packed = Packed.of(lengths)

    def ours(e):
        return last_states(gru, e, rows[packed.words], packed)

    def theirs(e):
        said = torch.split(e[torch.from_numpy(rows)], lengths.tolist())
        padded = pad_sequence(said, batch_first=True)
        ends = torch.from_numpy(lengths)
        last = gru(pack_padded_sequence(padded, ends, True, enforce_sorted=False))[1]
        return torch.cat([last[0], last[1]], dim=-1)

    found = []
    for reading in (ours, theirs):
        e = words.clone().requires_grad_()
        gru.zero_grad()
        states = reading(e)
        (states * weights).sum().backward()
        found.append([states.detach(), e.grad, *(each.grad for each in gru.parameters())])
        found[-1] = [each.clone() for each in found[-1]]
    for one, two in zip(*found, strict=True):
        np.testing.assert_allclose(one, two, atol=1e-10)


def test_an_empty_text_is_one_unknown_word():
    net = house()
    empty = net.queries(Ragged.of([TEXTS[0], TEXTS[0][:0]]))[1]
    unknown = net.queries(Ragged.of([np.zeros(1, np.int64)]))[0]
    np.testing.assert_allclose(empty.detach(), unknown.detach(), atol=1e-12)


def test_the_loss_of_the_paper():
    # sigmoid(0) = 1/2 and sigmoid(log 3) = 3/4: max(0, .5 - 3/4 + 1/2) = 1/4, and the second pair
    # is max(0, .5 - 3/4 + 1/4) = 0; the mean is 1/8.
    high = float(np.log(3))
    loss = margin_loss(torch.tensor([high, high]), torch.tensor([0.0, -high]), 0.5)
    assert loss.item() == pytest.approx(1 / 8, abs=1e-6)


def test_the_softmax_loss_and_replies_that_are_said_twice():
    grid = torch.tensor([[1.0, 2.0, 0.5], [0.0, 3.0, 1.0], [2.0, 1.0, 1.5]])
    same = np.array([7, 8, 7])  # the first and the third reply are one text

    def picked(numbers):  # of the first one
        return -numbers[0] + np.log(np.exp(numbers).sum())

    by_query = [picked(np.array(x)) for x in ([1.0, 2], [3.0, 0, 1], [1.5, 1])]
    by_reply = [picked(np.array(x)) for x in ([1.0, 0.0], [3.0, 2, 1], [1.5, 1.0])]
    expected = (np.mean(by_query) + np.mean(by_reply)) / 2
    assert softmax_loss(grid, same).item() == pytest.approx(expected, abs=1e-6)
    first = np.mean([picked(row) for row in grid.numpy()])
    assert choice_loss(grid).item() == pytest.approx(first, abs=1e-6)
    own = np.array([0.2, 0.1, 0.3])
    expected = np.mean([picked(np.array(pair)) for pair in zip([1.0, 3.0, 1.5], own, strict=True)])
    assert own_loss(grid.diagonal(), torch.from_numpy(own)).item() == pytest.approx(
        expected, abs=1e-6
    )


def test_the_tokens_of_cross_go_where_its_weights_are():
    encoder = SimpleNamespace(size=6, path="e")
    scorer = CrossScorer(CrossConfig(width=4), encoder)
    scorer.module.to("meta")  # as it would be on a GPU
    held = TokenStates(np.zeros((5, 6), np.float16), np.array([0, 2, 5]))
    for states, turns in (
        scorer._queries(held, np.array([[0, 1], [-1, 1]])),
        scorer._replies(held, np.array([1, 0])),
    ):
        assert scorer.module.tokens(states, turns)[0].device.type == "meta"


def test_dropout_keeps_the_share_and_follows_the_seed():
    layer, x = Dropout(0.3), torch.ones(300, 100)
    torch.manual_seed(5)
    one = layer(x)
    torch.manual_seed(5)
    assert torch.equal(one, layer(x))
    assert not torch.equal(one, layer(x))
    assert one.unique().tolist() == [0.0, pytest.approx(1 / 0.7)]
    # 30,000 draws: the share's standard deviation is .0026.
    assert (one == 0).float().mean().item() == pytest.approx(0.3, abs=0.011)
    assert layer.eval()(x) is x
