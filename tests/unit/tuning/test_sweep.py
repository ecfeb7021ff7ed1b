"""Grids, rungs and whole little sweeps."""

import json

import polars as pl
import pytest

import rejoinder
from flipped_bits import every, flipped
from rejoinder.errors import InputError, ParameterError
from rejoinder.responders.replies import Replies
from rejoinder.responders.seq2seq.parameters import preset_named
from rejoinder.tables.testset import TestSet
from rejoinder.tuning import trial as responder_trial
from rejoinder.tuning.folder import opened
from rejoinder.tuning.grid import PAPER, ParameterGrid, grid_of, parsed
from rejoinder.tuning.sweep import Search, run_trials
from rejoinder.tuning.table import correlations
from rejoinder.tuning.trial import Trial, write_with_checksum
from tiny_corpora import PLACES, little_corpus
from tiny_sweep import BASE, corpus, held

pytestmark = pytest.mark.usefixtures("short_replies")


def test_the_paper_s_grid():
    # 4 x 3 x 7 x 5 x 9
    assert grid_of(preset_named("paper"), "paper").size == 3780
    assert PAPER["label_smoothing"][-1] == 0.8


def test_rungs():
    assert Search().rungs(9) == (1, 3, 9)
    assert Search(first_epochs=2, reduction=2).rungs(8) == (2, 4, 8)
    assert Search(prune="none").rungs(9) == (9,)


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["height=1"], "settings= 'height=1'"),
        (["dropout=x"], "expected a number"),
        (["layers=1.5"], "whole number"),
        (["dropout=0,0"], "stands there twice"),
        (["dropout=0", "dropout=1"], "stands there twice"),
    ],
)
def test_values_that_cannot_be(texts, words):
    with pytest.raises(ParameterError, match=words):
        parsed(texts)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"reduction": 1}, r"reduction=1: expected 2"),
        ({"first_epochs": 0}, r"first_epochs=0"),
        ({"prune": "all"}, r"prune='all': expected 'halving' or 'none'"),
        ({"sampler": "random"}, r"needs trials=N"),
    ],
)
def test_searches_that_cannot_be_are_named_as_in_python_too(given, words):
    with pytest.raises(ParameterError, match=words):
        Search(**given)


def test_every_setting_is_checked_first():
    with pytest.raises(ParameterError, match="dropout: got 1"):
        ParameterGrid(BASE, {"dropout": (0.0, 1.0)})
    with pytest.raises(ParameterError, match="no setting"):
        grid_of(BASE)


def test_phrase_based_systems_are_swept_without_a_network(tmp_path):
    testset = TestSet.from_lists(
        [[f"Yes, the {place} has tea."] for place in PLACES[:3]],
        contexts=[[f"Is there any tea at the {place}?"] for place in PLACES[:3]],
    )
    given = {
        "kind": "phrase",
        "metric": "bleu",
        "resamples": 0,
        "settings": {"order": (2, 3), "external": (0,)},
    }
    result = rejoinder.sweep(little_corpus(), testset, tmp_path / "s", **given)
    assert result.trials["status"].to_list() == ["finished"] * 2
    assert result.trials["metric"].null_count() == 0
    assert (result.trials["bits_per_character"] > 0).all()
    assert result.trials["ruq_test"].null_count() == 2
    assert result.correlations["of"].to_list() == ["validation loss"]
    again = rejoinder.sweep(little_corpus(), testset, tmp_path / "s", **given)
    assert again.trials.equals(result.trials)
    with pytest.raises(ParameterError, match="first_epochs=: has no effect"):
        rejoinder.sweep(little_corpus(), testset, tmp_path / "t", first_epochs=2, **given)
    with pytest.raises(ParameterError, match="unknown setting; choose 'phrase', 'order'"):
        rejoinder.sweep(
            little_corpus(), testset, tmp_path / "t", **{**given, "settings": {"layers": (1, 2)}}
        )


def test_a_sweep_prunes_scores_and_does_nothing_twice(tmp_path):
    pytest.importorskip("torch")
    # 4,000 subwords do not suit a corpus of ten words: that trial fails, and is told.
    grid = ParameterGrid(BASE, {"learning_rate": (1e-2, 1e-4), "vocabulary": (60, 4000)})
    search = Search(reduction=2, first_epochs=1)
    found = run_trials(held(), grid, search, tmp_path / "s")
    status = found.trials["status"].to_list()
    assert sorted(status) == ["failed", "failed", "finished", "pruned"]
    assert status[0] == "finished"
    losses = dict(zip(status, found.trials["bits_per_character"].to_list(), strict=True))
    assert losses["finished"] < losses["pruned"]
    assert 0 <= found.trials["ruq_train"][0] <= 1
    assert any("2 trials of 4 failed" in note for note in found.notes)
    before = (tmp_path / "s" / "results.json").read_bytes()
    assert json.loads(before)["trials"][0]["status"] == "finished"
    run_trials(held(), grid, search, tmp_path / "s")
    assert (tmp_path / "s" / "results.json").read_bytes() == before
    with pytest.raises(InputError, match="holds a sweep of another run"):
        run_trials(held(beam=2), grid, search, tmp_path / "s")


def test_a_model_that_an_earlier_call_removed_is_told(tmp_path):
    pytest.importorskip("torch")
    grid = ParameterGrid(BASE.changed(epochs=1), {"dropout": (0.0, 0.3)})
    search = Search(prune="none")
    assert not any("no model" in note for note in run_trials(held(), grid, search, tmp_path).notes)
    found = run_trials(held(), grid, search, tmp_path, keep=2)
    (second,) = found.trials["trial"].to_list()[1:]
    assert any(note.startswith(f"trial-{second:04d}: no model") for note in found.notes)


def test_a_correlation_that_is_undefined_says_of_what(tmp_path):
    grid = ParameterGrid(BASE, {"dropout": (0.0, 0.3)})
    trials = [
        Trial(n, grid.setting(n - 1), tmp_path, grid, held(), {3: bits}, scores)
        for n, bits, scores in (
            (1, 4.0, {"metric": {"value": 0.2}, "ruq_train": {"value": 0.5}}),
            (2, 5.0, {"metric": {"value": 0.1}, "ruq_train": {"value": 0.5}}),
        )
    ]
    told = {row["of"]: row for row in correlations(trials, held()).iter_rows(named=True)}
    assert told["RUQ on train"]["reason"] == "all values of RUQ on train equal"
    assert told["RUQ on test"]["reason"] == "a value of RUQ on test is missing"
    assert told["validation loss"]["rho"] == -1


def test_a_trial_notes_that_it_was_not_continued_as_it_was_begun(tmp_path):
    grid = ParameterGrid(BASE, {"dropout": (0.0, 0.1)})
    trial = Trial(1, grid.setting(0), tmp_path, grid, held())
    assert trial._inexact() == []
    write_with_checksum(tmp_path / "epochs-1.json", {"notes": ["went on: not to the last bit"]})
    write_with_checksum(tmp_path / "epochs-3.json", {"epochs": 3})
    assert trial._inexact() == ["went on: not to the last bit"]


def test_a_bit_flipped_in_what_a_trial_left_is_never_another_number(tmp_path):
    grid = ParameterGrid(BASE, {"dropout": (0.0, 0.1)})
    path = tmp_path / "epochs-3.json"
    write_with_checksum(path, {"bits_per_character": 2.531, "notes": []})
    data = bytearray(path.read_bytes())
    refused = []
    for place in range(len(data)):
        data[place] ^= 1 << place % 8
        path.write_bytes(data)
        trial = Trial(1, grid.setting(0), tmp_path, grid, held())
        try:
            assert trial.train(3, True, 60.0, None)
        except InputError as error:
            refused.append(str(error))
        else:
            assert trial.bits == 2.531
        data[place] ^= 1 << place % 8
    assert len(refused) > len(data) / 2
    assert all("cut or altered" in message for message in refused)


def test_replies_that_are_not_as_they_were_written_are_made_anew(tmp_path, monkeypatch):
    def echo(system, testset, **_):
        table = pl.DataFrame({"text": testset.contexts["context"].list.last()})
        return Replies("echo", table, "", ())

    monkeypatch.setattr(responder_trial, "respond", echo)
    grid = ParameterGrid(BASE, {"dropout": (0.0, 0.1)})
    trial = Trial(1, grid.setting(0), tmp_path, grid, held())
    texts = trial._replies(None)
    path = tmp_path / "replies.jsonl"
    data = path.read_bytes()
    path.write_bytes(data.replace(b"winter", b"wanter"))
    assert path.read_bytes() != data
    assert trial._replies(None) == texts
    assert path.read_bytes() == data
    # Kept ones are read, not made again.
    monkeypatch.setattr(responder_trial, "respond", None)
    assert trial._replies(None) == texts


def test_a_trial_without_its_checksum_is_refused(tmp_path):
    grid = ParameterGrid(BASE, {"dropout": (0.0, 0.1)})
    (tmp_path / "epochs-3.json").write_text('{"bits_per_character": 2.5}')
    trial = Trial(1, grid.setting(0), tmp_path, grid, held())
    with pytest.raises(InputError, match=r"epochs-3\.json: cut or altered; remove the folder"):
        trial.train(3, True, 60.0, None)


def test_a_full_disk_is_no_failed_trial(tmp_path):
    """It goes on with room: a trial that is marked as failed would stay so."""
    grid = ParameterGrid(BASE, {"dropout": (0.0, 0.1)})
    trial = Trial(1, grid.setting(0), tmp_path, grid, held())
    for cause in (OSError(28, "No space left on device"), ValueError("io (os error 28)")):
        error = InputError("the checkpoint cannot be written")
        error.__cause__ = cause
        with pytest.raises(InputError, match="checkpoint cannot be written"):
            trial._fail(error)
        assert list(tmp_path.iterdir()) == []
    assert not trial._fail(InputError("a loss that is not finite"))
    assert [path.name for path in tmp_path.iterdir()] == ["failed.json"]


def test_a_bit_flipped_in_what_a_sweep_is_never_makes_another_sweep(tmp_path):
    wanted = {"metric": "meteor", "seed": 12345, "trials": 8, "base": {"layers": 2, "rate": 0.001}}
    opened(tmp_path, wanted, True, None)
    path = tmp_path / "sweep.json"
    raw = path.read_bytes()
    refused = 0
    for place, bit in every(raw):
        path.write_bytes(flipped(raw, place, bit))
        try:
            opened(tmp_path, wanted, True, None)
        except InputError:
            refused += 1
        else:
            assert path.read_bytes() == raw or json.loads(path.read_text("utf-8")) == wanted
    assert refused > 0.5 * len(raw)


def test_one_call_is_what_the_command_does(tmp_path):
    pairs, told = corpus(), []
    testset = held().testset
    swept = {"dropout": (0.0, 0.3), "vocabulary": [60], "layers": [1], "width": [16], "epochs": [1]}
    options = {"settings": swept, "beam": 1, "train_prompts": 8, "resamples": 100, "metric": "bleu"}
    result = rejoinder.sweep(pairs, testset, tmp_path / "s", note=told.append, **options)
    assert result.trials["dropout"].sort().to_list() == [0.0, 0.3]
    assert result.parameters["base"]["width"] == 16
    assert not told
    again = rejoinder.sweep(pairs, testset, tmp_path / "s", **options)
    assert repr(again.as_json()) == repr(result.as_json())  # nan is unlike itself
    for wrong, words in (
        ({"prune": "none", "reduction": 2}, "reduction=: has no effect without prune='halving'"),
        ({"prune": "none", "first_epochs": 2}, "first_epochs=: has no effect without"),
        ({"settings": {"widht": (1, 2)}}, "widht: unknown setting"),
        ({"resamples": -1}, "resamples=-1 must be"),
    ):
        with pytest.raises(ParameterError, match=words):
            rejoinder.sweep(pairs, testset, tmp_path / "n", **{**options, **wrong})
