"""The training loop: its loss, its schedule, and that it goes on exactly where it was."""

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from rejoinder.errors import InputError, ParameterError  # noqa: E402
from rejoinder.models.training.checkpoints import Checkpoint  # noqa: E402
from rejoinder.models.training.loop import TrainingProgress  # noqa: E402
from rejoinder.responders.seq2seq.batches import Encoded, collate, encode  # noqa: E402
from rejoinder.responders.seq2seq.model import build  # noqa: E402
from rejoinder.responders.seq2seq.parameters import Parameters, preset_named  # noqa: E402
from rejoinder.responders.seq2seq.subwords import train_subwords  # noqa: E402
from rejoinder.responders.seq2seq.training import ResponderTask, learning_rate, train  # noqa: E402
from tiny_corpora import little, little_corpus  # noqa: E402


@pytest.fixture(scope="module")
def material():
    corpus = little_corpus()
    tokenizer = train_subwords([*corpus.sources, *corpus.targets], 100)
    places = np.arange(len(corpus))
    return (
        encode(tokenizer, corpus.take(places[places % 6 > 0]), 60),
        encode(tokenizer, corpus.take(places[places % 6 == 0]), 60),
        len(tokenizer),
    )


def fresh(settings, size):
    torch.manual_seed(settings.seed)
    return build(settings, size)


class Killed(Exception):
    pass


def killed_after(updates):
    def report(done, total, words):
        if done == updates:
            raise Killed

    return report


@pytest.mark.parametrize("kind", ["transformer", "gru"])
@pytest.mark.parametrize("updates", [1, 3, 5])
def test_goes_on_exactly(kind, updates, material, tmp_path):
    data, held_out, size = material
    settings = little(kind=kind)
    whole = train(fresh(settings, size), data, held_out, settings)
    checkpoint = Checkpoint(tmp_path / "c", settings.as_json())
    with pytest.raises(Killed):
        train(
            fresh(settings, size),
            data,
            held_out,
            settings,
            checkpoint,
            0.0,
            killed_after(updates + 1),
        )
    torch.manual_seed(99)  # whatever the state of torch's generator, the checkpoint's counts
    again = train(build(settings, size), data, held_out, settings, checkpoint, 0.0)
    assert again.log == whole.log
    assert all(torch.equal(again.weights[name], each) for name, each in whole.weights.items())


def test_every_epoch_takes_all_pairs_in_another_order(material, monkeypatch):
    from rejoinder.responders.seq2seq import training

    data, held_out, size = material
    settings = little(epochs=3, accumulate=1)
    model = fresh(settings, size)
    taken = []

    def noted(encoded, places, device):
        if encoded is data:
            taken.append(places.tolist())
        return collate(encoded, places, device)

    monkeypatch.setattr(training, "collate", noted)
    train(model, data, held_out, settings)
    steps = len(taken) // 3
    epochs = [taken[begin : begin + steps] for begin in range(0, len(taken), steps)]
    assert [sorted(np.concatenate(each).tolist()) for each in epochs] == [
        list(range(len(data)))
    ] * 3
    # Neither the batches nor what is in them: pairs of one length are drawn anew too.
    assert len({str(each) for each in epochs}) == 3
    assert len({str(sorted(map(sorted, each))) for each in epochs}) == 3


def test_it_learns_and_keeps_the_best(material):
    data, held_out, size = material
    settings = little(epochs=25, warmup=10, accumulate=1)
    trained = train(fresh(settings, size), data, held_out, settings)
    losses = [entry["validation_loss"] for entry in trained.log]
    assert losses[-1] < losses[0] / 2
    best = [entry["epoch"] for entry in trained.log if entry["best"]][-1]
    assert losses[best - 1] == min(losses)


def test_patience_and_updates_end_it(material):
    data, held_out, size = material
    settings = little(patience=1, learning_rate=1e-9)  # nothing changes: no epoch is better
    trained = train(fresh(settings, size), data, held_out, dataclasses.replace(settings, epochs=50))
    assert len(trained.log) < 50
    trained = train(fresh(settings, size), data, held_out, little(updates=5))
    assert trained.log[-1]["updates"] == 5


def test_the_loss_is_label_smoothed_cross_entropy(material):
    data, held_out, size = material
    settings = little(label_smoothing=0.3)
    task = ResponderTask(fresh(settings, size), data, held_out, settings)
    task.module.eval()
    batch = collate(data, np.arange(5), "cpu")
    # Szegedy et al. 2016: the target has 1 - e + e / V, every other subword e / V.
    logs = task.model.logits(batch).detach().log_softmax(-1)
    total = 0.0
    for i in range(5):
        for at, label in enumerate(data.targets[i]):
            weights = torch.full((size,), 0.3 / size)
            weights[label] += 0.7
            total -= float((weights * logs[i, at]).sum())
    assert float(task.loss(batch).detach()) == pytest.approx(total, rel=1e-5)


def test_accumulated_batches_are_one_large_one(material):
    data, held_out, size = material
    settings = little(dropout=0.0, attention_dropout=0.0)
    gradients = []
    for places in ([np.arange(8)], [np.arange(3), np.arange(3, 8)]):
        task = ResponderTask(fresh(settings, size), data, held_out, settings)
        task.backward(places, TrainingProgress())
        gradients.append([p.grad for p in task.module.parameters()])
    for one, two in zip(*gradients, strict=True):
        torch.testing.assert_close(one, two, atol=1e-6, rtol=1e-4)


def test_the_schedule_of_figure_3():
    settings = preset_named("paper")
    rates = [learning_rate(settings, update) for update in (1, 2001, 4001, 16001)]
    # From 1e-7 to 1e-3 in 4,000 updates; then 1e-3 * sqrt(4000 / 16000) = 5e-4.
    np.testing.assert_allclose(rates, [1e-7, (1e-3 + 1e-7) / 2, 1e-3, 5e-4])
    assert settings == Parameters()


def test_a_loss_that_is_no_number_is_one_message(material):
    data, held_out, size = material
    settings = little(learning_rate=1e30, warmup=0, epochs=9)
    with pytest.raises(InputError, match=r"lower learning rate"):
        train(fresh(settings, size), data, held_out, settings)


def test_nothing_to_train_on_is_one_message(material):
    data, _, size = material
    settings = little()
    with pytest.raises(InputError, match="validation: no pair"):
        train(fresh(settings, size), data, Encoded([], []), settings)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kind": "rnn"}, "'transformer' or 'gru'"),
        ({"dropout": 1.0}, "less than 1"),
        ({"label_smoothing": -0.1}, "0 or more"),
        ({"learning_rate": 0.0}, "more than 0"),
        ({"width": 30}, "multiple of twice the heads"),
        ({"layers": 0}, "1 or more"),
        ({"longest": 5000}, "than a batch has tokens"),
    ],
)
def test_parameters_are_checked(given, message):
    with pytest.raises(ParameterError, match=message):
        little(**given)


def test_presets():
    with pytest.raises(ParameterError, match="'tiny', 'small' or 'paper'"):
        preset_named("huge")
    assert preset_named("tiny", "gru").clip == 1.0
    assert preset_named("paper").changed(dropout=None, seed=3) == dataclasses.replace(
        Parameters(), seed=3
    )
