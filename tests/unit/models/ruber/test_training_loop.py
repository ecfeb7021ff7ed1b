"""The training loop over one weight: rates, the best epoch, patience, and when it gives up."""

import math

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from rejoinder.errors import InputError
from rejoinder.models.ruber import fitting
from rejoinder.models.ruber.data.conversations import Conversations
from rejoinder.models.ruber.ranking import CANDIDATES, Ranking
from rejoinder.models.ruber.scorer import UnreferencedScorer
from rejoinder.models.ruber.training import Schedule, ScorerTask, train
from rejoinder.models.training.checkpoints import Checkpoint

ITEMS, BATCH = 8, 2  # four steps to an epoch
QUERIES = 10
TRUE = 0  # the place of every true reply


class Stub(UnreferencedScorer):
    """Weights with a gradient that is given, and a ranking that is given for each epoch.

    Adam's step along a gradient that stays the same is the learning rate, whatever its length:
    ``m / sqrt(v)`` is ``g / |g|``. So the weights say what the rates were.

    Args:
        firsts: after each epoch, the share of queries whose true reply comes first.
        gradient: of each weight.
        losses: what is added to the loss at a step, counted from 0; the gradient stays.
    """

    kind = "stub"
    dual_encoder = True  # all pairs are scored in one call: one call for each epoch

    def __init__(self, firsts=(), gradient=(1.0,), losses=None):
        self.module = torch.nn.Linear(len(gradient), 1, bias=False)
        torch.nn.init.zeros_(self.module.weight)
        self.config = {}
        self.gradient, self.losses = torch.tensor([gradient]), losses or {}
        self.firsts = list(firsts)
        self.rows, self.draws, self.modes, self.weights = [], [], [], []

    @classmethod
    def fresh(cls, config, sources):
        return cls()

    @classmethod
    def rebuilt(cls, described, encoder):
        return cls()

    def prepare(self, texts, progress=None):
        return None

    def lengths(self, prepared, turns, replies):
        return np.ones(replies.size, np.int64)

    def logits(self, prepared, turns, replies):
        self.modes.append(self.module.training)
        first = self.firsts.pop(0) if self.firsts else 1.0
        true_above = (replies == TRUE) & (turns[:, 0] < round(first * QUERIES))
        true_below = (replies == TRUE) & ~true_above
        return torch.tensor(true_above * 1.0 - true_below)

    def loss(self, prepared, corpus, rows, others, rng):
        step = len(self.rows)
        self.modes.append(self.module.training)
        self.rows.append(rows.tolist())
        self.draws += [int(rng.integers(0, 2**60)), torch.rand(()).item()]
        self.weights.append(self.module.weight.tolist()[0])
        gradient = self.gradient.to(self.module.weight.device)
        return (self.module.weight * gradient).sum() + self.losses.get(step, 0.0)


def corpus(n=ITEMS):
    texts = tuple(f"text {i}" for i in range(2 * n))
    replies = np.arange(n, 2 * n)
    return Conversations(texts, texts, np.arange(n)[:, None], replies, np.arange(n))


def ranking():
    wrong = np.arange(1, CANDIDATES + 1)
    candidates = np.tile([TRUE, *wrong], (QUERIES, 1))
    return Ranking(np.arange(QUERIES)[:, None], candidates)


def task_of(scorer, schedule):
    return ScorerTask(scorer, corpus(), None, ranking(), None, schedule, 1)


def run(scorer, seed=1, items=ITEMS, **schedule):
    given = Schedule(**{"rate": 1.0, "batch": BATCH, "patience": 99, **schedule})
    return train(ScorerTask(scorer, corpus(items), None, ranking(), None, given, seed))


def rates(**schedule):
    """The share of the rate at each step: how far the weight falls (see ``Stub``)."""
    scorer = Stub()
    run(scorer, epochs=2, **schedule)
    weights = [w for (w,) in scorer.weights] + scorer.module.weight.tolist()[0]
    return (-np.diff(weights)).tolist()


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ({}, [1, 1, 1, 1, 1, 1, 1, 1]),
        # Half of the 8 steps is 4: 1/4, 2/4, 3/4, 4/4, and the whole rate from there on.
        ({"warmup": 0.5}, [1 / 4, 2 / 4, 3 / 4, 1, 1, 1, 1, 1]),
        # With k of 8 steps done, 1 - k/8 is left; after the last step it is 0.
        ({"linear_decay": True}, [1, 7 / 8, 6 / 8, 5 / 8, 4 / 8, 3 / 8, 2 / 8, 1 / 8]),
        # A quarter of 8 is 2: 1/2 and 2/2 rising, and the less of that and 8/8, 7/8, 6/8, ...
        (
            {"warmup": 0.25, "linear_decay": True},
            [1 / 2, 7 / 8, 6 / 8, 5 / 8, 4 / 8, 3 / 8, 2 / 8, 1 / 8],
        ),
        # All of them: rising k/8 for k from 1, falling 8/8 down to 1/8; the less of the two.
        (
            {"warmup": 1.0, "linear_decay": True},
            [1 / 8, 2 / 8, 3 / 8, 4 / 8, 4 / 8, 3 / 8, 2 / 8, 1 / 8],
        ),
    ],
)
def test_the_rate_rises_over_its_share_of_the_steps_and_falls(schedule, expected):
    assert rates(**schedule) == pytest.approx(expected, abs=1e-4)
    tenth = rates(**schedule, rate=0.1)
    assert tenth == pytest.approx([each / 10 for each in expected], abs=1e-5)


def test_weight_decay_follows_the_rate():
    scorer = Stub(gradient=(0.0,))
    torch.nn.init.ones_(scorer.module.weight)
    run(scorer, epochs=1, rate=0.5, decay=0.2, linear_decay=True)
    # AdamW: w <- w (1 - rate * decay) with rates 0.5 * (4/4, 3/4, 2/4, 1/4): 0.9, 0.925, ...
    expected = np.cumprod([1, 0.9, 0.925, 0.95, 0.975])
    assert [w for (w,) in scorer.weights] == pytest.approx(expected[:-1].tolist(), abs=1e-6)
    assert scorer.module.weight.item() == pytest.approx(expected[-1], abs=1e-6)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ((300.0, 400.0), (3.0, 4.0)),  # of norm 500, where 5 is allowed: a hundredth
        ((0.3, 0.4), (0.3, 0.4)),
    ],
)
def test_a_gradient_is_cut_to_the_norm_allowed(given, taken):
    scorer = Stub(gradient=given)
    run(scorer, epochs=1, clip=5.0)
    assert scorer.module.weight.grad.tolist()[0] == pytest.approx(taken, rel=1e-5)


def test_the_weights_of_the_best_epoch_are_kept():
    scorer = Stub(firsts=[0.3, 0.7, 0.5, 0.6])
    trained = run(scorer, epochs=4)
    # The weight falls by 1 at each of the 4 steps of an epoch: -8 after the second, -16 at the end.
    assert trained.weights["weight"].item() == pytest.approx(-8, abs=1e-4)
    assert scorer.module.weight.item() == pytest.approx(-16, abs=1e-4)
    assert [each["best"] for each in trained.log] == [True, True, False, False]
    assert [each["first"] for each in trained.log] == pytest.approx([0.3, 0.7, 0.5, 0.6])
    assert trained.resumed == ""


def test_of_epochs_that_rank_alike_the_first_is_kept():
    trained = run(Stub(firsts=[0.4, 0.4, 0.4]), epochs=3)
    assert trained.weights["weight"].item() == pytest.approx(-4, abs=1e-4)
    assert [each["best"] for each in trained.log] == [True, False, False]


def test_an_epoch_in_which_nothing_comes_first_is_better_than_none():
    trained = run(Stub(firsts=[0.0, 0.0]), epochs=2)
    assert trained.weights["weight"].item() == pytest.approx(-4, abs=1e-4)


@pytest.mark.parametrize(
    ("firsts", "patience", "last", "best"),
    [
        ([0.3, 0.7, 0.5, 0.7, 0.6, 0.9, 0.9], 3, 5, 2),  # as good as the best is not better
        ([0.1, 0.0, 0.2, 0.0, 0.1, 0.9, 0.9], 2, 5, 3),  # the third epoch begins the count anew
        ([0.9, 0.1, 0.9, 0.9, 0.9, 0.9, 0.9], 1, 2, 1),
        ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], 1, 7, 7),
        ([0.5, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4], 7, 7, 1),
    ],
)
def test_training_ends_after_so_many_epochs_without_a_better_one(firsts, patience, last, best):
    scorer = Stub(firsts=firsts)
    trained = run(scorer, epochs=7, patience=patience)
    assert [each["epoch"] for each in trained.log] == list(range(1, last + 1))
    assert max(each["epoch"] for each in trained.log if each["best"]) == best
    assert len(scorer.rows) == 4 * last
    assert trained.weights["weight"].item() == pytest.approx(-4 * best, abs=1e-4)


def test_the_log_has_the_mean_loss_of_each_epoch():
    # The weight is -k before step k, and so is the loss: a mean of -1.5 over 0 to 3; then -5.5
    # over 4 to 7, to which step 6 adds 8, a mean of 2 more.
    trained = run(Stub(losses={6: 8.0}), epochs=2)
    assert [each["loss"] for each in trained.log] == pytest.approx([-1.5, -3.5], abs=1e-4)
    assert [each["steps"] for each in trained.log] == [4, 8]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_loss_that_is_no_number_ends_the_training(value):
    scorer = Stub(losses={6: value})  # of 4 steps to an epoch: the third of the second one
    with pytest.raises(InputError, match=rf"loss is {value} at epoch 2, step 3; .*lower learning"):
        run(scorer, epochs=3)
    assert len(scorer.rows) == 7


def test_what_such_a_loss_made_of_the_weights_is_not_saved(tmp_path):
    checkpoint = Checkpoint(tmp_path / "checkpoint", {"seed": 1})
    scorer, schedule = Stub(losses={2: math.nan}), Schedule(rate=1.0, batch=BATCH)
    with pytest.raises(InputError, match="epoch 1, step 3"):
        train(task_of(scorer, schedule), checkpoint, save_every=-1.0)
    again = Stub()
    trained = train(task_of(again, schedule), checkpoint)
    assert trained.resumed == "at epoch 1"
    assert again.weights[0] == pytest.approx([-2], abs=1e-4)  # with two steps done


def test_every_epoch_takes_all_items_in_another_order():
    scorer = Stub()
    run(scorer, epochs=3)
    epochs = np.reshape(scorer.rows, (3, ITEMS)).tolist()
    assert [sorted(each) for each in epochs] == [list(range(ITEMS))] * 3
    assert len({tuple(each) for each in epochs}) == 3
    assert len(set(scorer.draws)) == 24  # wrong replies and dropout are drawn anew at each step


def test_orders_and_draws_follow_from_the_seed():
    one, same, other = Stub(), Stub(), Stub()
    run(one, seed=4, epochs=2)
    run(same, seed=4, epochs=2)
    run(other, seed=5, epochs=2)
    assert (one.rows, one.draws) == (same.rows, same.draws)
    assert one.rows != other.rows
    assert not set(one.draws) & set(other.draws)


@pytest.mark.parametrize(
    ("items", "batch", "steps", "distinct"),
    [
        (10, 4, 2, 8),  # two items wait for another epoch
        (3, 4, 1, 3),  # a batch that there is too little for takes some of them twice
    ],
)
def test_items_that_make_no_whole_batches(items, batch, steps, distinct):
    scorer = Stub()
    run(scorer, epochs=1, items=items, batch=batch)
    assert [len(rows) for rows in scorer.rows] == [batch] * steps
    assert len({each for rows in scorer.rows for each in rows}) == distinct


def test_dropout_is_on_in_steps_and_off_in_rankings():
    scorer = Stub()
    run(scorer, epochs=2)
    assert scorer.modes == ([True] * 4 + [False]) * 2


def test_training_leaves_the_callers_random_numbers_alone():
    scorer, before = Stub(), torch.get_rng_state()
    run(scorer, epochs=1)
    assert torch.equal(torch.get_rng_state(), before)


def test_every_step_is_reported():
    told = []
    schedule = Schedule(rate=1.0, batch=BATCH, epochs=2)
    train(
        task_of(Stub(firsts=[0.7, 0.8]), schedule),
        report=lambda *each: told.append(each),
    )
    assert [done for done, _, _ in told] == list(range(1, 9))
    assert {total for _, total, _ in told} == {8}
    # The mean loss of 0, -1, -2, -3.
    assert told[3][2] == "epoch 1 of 2, step 4 of 4, loss -1.500"
    assert told[4][2] == "epoch 2 of 2, step 1 of 4, loss -4.000, true reply first in 70.0%"


def test_a_member_that_ranks_like_chance_is_named():
    log = [{"member": f"gru-{i + 1}", "accuracy": a} for i, a in enumerate([0.9, 0.503, 0.6])]
    (note,) = fitting._unlearnt(log)  # 0.6 is where learning begins
    assert note.startswith("gru-2 has not learnt: a true reply is above a random one in 50.3%,")
    assert fitting._unlearnt(log[::2]) == []
    assert len(fitting._unlearnt([{**each, "accuracy": 0.599} for each in log])) == 3


def test_few_held_out_queries_are_said():
    (note,) = fitting._few(499)
    assert note.startswith("validation: 499 held-out queries alone;")
    assert note.endswith("rough below 500")
    assert fitting._few(1)[0].startswith("validation: 1 held-out query alone;")
    assert fitting._few(500) == []
