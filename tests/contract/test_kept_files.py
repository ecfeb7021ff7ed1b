"""Kept files are opened and continued, and say what they said when they were kept.

The files and how they were made are in tests/kept_files/README.md.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tiny_ruber
from rejoinder import TestSet, load_scores, score
from rejoinder.errors import InputError
from rejoinder.ledger import verification
from rejoinder.ledger.claims import CALLS, Claim, read_claim

KEPT = Path(__file__).parents[1] / "kept_files" / "be37c84"
SAID = json.loads((KEPT / "said.json").read_text(encoding="utf-8"))
TALKS = tiny_ruber.dialogues()
TESTSET = TestSet.from_lists(
    [[talk[1], talk[3]] for talk in TALKS[:8]],
    [[1.0, 0.4], [0.7, -0.5]] * 4,
    contexts=[talk[:1] for talk in TALKS[:8]],
)
REPLIES = tiny_ruber.responses([talk[3] for talk in TALKS[1:9]], "a").vstack(
    tiny_ruber.responses(
        ["Yes, the museum has tea.", "", *(talk[1] for talk in TALKS[3:9])], "b"
    )
)  # fmt: skip


def keyed(rows, names=2):
    """The numbers of rows by what names them."""
    return {tuple(row[:names]): pytest.approx(row[names:], rel=1e-6, abs=1e-9) for row in rows}


@pytest.fixture
def copies(tmp_path):
    """Copies of kept folders, which a run that goes on changes."""

    def copied(*names):
        for name in names:
            shutil.copytree(KEPT / name, tmp_path / name)
        return tmp_path

    return copied


def test_kept_scores_say_what_they_said():
    scores = load_scores(KEPT / "scores.parquet")
    found = scores.systems().select("metric", "system", "value", "n").rows()
    assert {row[:2]: row[2:] for row in found} == keyed(SAID["scores"])
    pairs = scores.compare(permutations=100).select("metric", "a", "b", "difference").rows()
    assert {row[:3]: row[3:] for row in pairs} == keyed(SAID["differences"], names=3)


def test_kept_scores_are_kept_again(tmp_path):
    scores = load_scores(KEPT / "scores.parquet")
    scores.save(tmp_path / "again.parquet")
    again = load_scores(tmp_path / "again.parquet")
    assert again.systems().equals(scores.systems(), null_equal=True)
    assert again.segments().equals(scores.segments(), null_equal=True)


def test_kept_scores_of_models_need_no_model():
    scores = load_scores(KEPT / "model-scores.parquet")
    found = scores.systems().select("metric", "system", "value").rows()
    assert {row[:2]: row[2:] for row in found} == keyed(SAID["models"])


def test_models_as_metrics_give_the_same_numbers():
    pytest.importorskip("torch")
    names = [f"ruber:model={KEPT / 'ruber'}", f"greedy:vectors={KEPT / 'vectors'}"]
    scores = score(TESTSET, REPLIES, names, resamples=0)
    found = scores.systems().select("metric", "system", "value").rows()
    assert {row[:2]: row[2:] for row in found} == {
        tuple(row[:2]): pytest.approx(row[2:], rel=1e-4) for row in SAID["models"]
    }


@pytest.fixture
def small(monkeypatch):
    """The sizes of the kept model."""
    pytest.importorskip("torch")
    pytest.importorskip("gensim")
    from rejoinder.models.ruber import registry

    for name in ("paper", "gru"):
        size = registry.SIZES[name]
        changed = replace(
            size,
            config=replace(size.config, width=4, units=4, layers=(4,)),
            schedule=replace(size.schedule, batch=16),
        )
        monkeypatch.setitem(registry.SIZES, name, changed)
    return {"sizes": ("paper", "gru"), "epochs": 2, "vectors": str(KEPT / "vectors")}


def test_a_training_of_ruber_goes_on(small, copies):
    from safetensors.numpy import load_file

    folder, steps = copies("ruber-begun.work"), []
    tiny_ruber.trained(
        folder / "ruber-begun",
        **small,
        report=lambda member: lambda done, total, words: done and steps.append((member, done)),
    )
    assert "paper-1" not in {member for member, _ in steps}  # it was finished
    assert min(done for _, done in steps) >= 9
    whole, found = (
        load_file(each / "model.safetensors") for each in (KEPT / "ruber", folder / "ruber-begun")
    )
    assert whole.keys() == found.keys()
    for name, weight in whole.items():
        np.testing.assert_allclose(found[name], weight, atol=1e-3)


def test_a_finished_ruber_is_not_trained_again(small, copies):
    folder, steps = copies("ruber"), []
    tiny_ruber.trained(folder / "ruber", **small, report=lambda member: steps.append)
    assert steps == []


@pytest.mark.parametrize("kind", ["transformer", "gru"])
def test_replying_systems_reply_as_they_did(kind):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from rejoinder.responders.seq2seq.trained import TrainedResponder

    responder = TrainedResponder.load(KEPT / kind)
    assert responder.respond(SAID["messages"], beam=3) == SAID["replies"][kind]


def test_a_training_of_a_replying_system_goes_on(copies):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    import tiny_sweep
    from rejoinder.training.responder import train_responder

    folder, updates = copies("gru-begun.training"), []
    parameters = replace(tiny_sweep.BASE, width=4, feed_forward=4, kind="gru")
    result = train_responder(
        tiny_sweep.corpus(),
        folder / "gru-begun",
        parameters,
        report=lambda done, total, words: updates.append(done),
    )
    assert any(note.startswith("went on from") for note in result.notes)
    assert min(updates) >= 7
    logs = [
        json.loads((each / "config.json").read_text())["rejoinder"]["log"]
        for each in (KEPT / "gru", folder / "gru-begun")
    ]
    for then, now in zip(*logs, strict=True):
        assert now["validation_loss"] == pytest.approx(then["validation_loss"], rel=1e-3)


def test_a_sweep_goes_on(copies):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    import tiny_sweep
    from rejoinder.tuning.grid import ParameterGrid
    from rejoinder.tuning.sweep import Search, run_trials

    folder = copies("sweep-begun") / "sweep-begun"
    kept = {path.name: path.read_bytes() for path in (folder / "trials" / "0001").glob("*.json")}
    base = replace(tiny_sweep.BASE, width=4, feed_forward=4, epochs=2)
    grid = ParameterGrid(base, {"learning_rate": (1e-2, 1e-3)})
    # It was begun with 20 resamples, which are refused by now.
    begun = (folder / "sweep.json").read_text()
    (folder / "sweep.json").write_text(begun.replace('"resamples": 20', '"resamples": 100'))
    found = run_trials(tiny_sweep.held(base), grid, Search(prune="none"), folder)
    for then, now in zip(SAID["trials"], found.trials.to_dicts(), strict=True):
        assert {name: now[name] for name in then} == pytest.approx(then, rel=1e-3)
    assert kept == {name: (folder / "trials" / "0001" / name).read_bytes() for name in kept}


def test_likelihoods_go_on(copies):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    import killed_scoring
    import tiny_language_models as tiny
    from rejoinder.models.likelihood.store import likelihoods
    from rejoinder.models.likelihood.transformer.causal import CausalBackend

    folder = copies("likelihoods") / "likelihoods"
    before = (KEPT / "likelihoods" / "m.scores.jsonl").read_bytes().splitlines(keepends=True)
    model = CausalBackend(tiny.model("gpt2"), tiny.tokenizer(), batch_tokens=24, name="m")
    held = likelihoods(model, killed_scoring.requests()[:8], work=folder).replies
    found = [[np.asarray(each.logprobs).sum() for each in every] for every in held]
    for now, then in zip(found, SAID["likelihoods"], strict=True):
        assert now == pytest.approx(then, rel=1e-5)
    after = (folder / "m.scores.jsonl").read_bytes().splitlines(keepends=True)
    # Of whole batches nothing was measured anew; one of which the end is missing was, as a whole.
    lines = [2 * len(batch.requests) for batch in model.plan(killed_scoring.requests()[:8]).batches]
    whole = max(end for end in 1 + np.cumsum(lines) if end <= len(before))
    assert whole > 1
    assert after[:whole] == before[:whole]


REWORDED = {"0.1.0": ("both", "people"), "9.0.0": ("both",)}
"""By version the claims whose notes differ, since they were said in other words before 0.1.0 was published.

All their numbers are computed again. Those of ``people`` have the same numbers and names in their notes.
"""

CLAIMS = sorted(KEPT.parent.joinpath("c84834ee").glob("*.claim"))


@pytest.mark.parametrize("path", CLAIMS, ids=lambda path: path.stem)
def test_a_kept_claim_is_verified_or_says_that_it_cannot_be(path, monkeypatch):
    """One of an earlier version is computed again; one that this version cannot compute names its own."""
    for version, reworded in REWORDED.items():
        monkeypatch.setattr(verification, "__version__", version)
        verified = verification.verify(path)
        differ = {
            each.what.partition(":")[0]
            for each in verified.checks
            if each.state in verification.BAD
        }
        assert differ == ({"notes"} if path.stem in reworded else set())
        assert verified.agrees == (not differ)
    monkeypatch.setattr(Claim, "computed", _unknown)
    verified = verification.verify(path)
    (line,) = [each for each in verified.checks if each.what == "numbers"]
    assert (line.state, verified.agrees) == ("not checkable", False)
    assert "the claim is of version 0.1.0, this is 9.0.0: install that version" in line.why


def _unknown(claim):
    raise InputError("the setting 'folds' is unknown to judge_by")


def test_there_are_kept_claims_of_every_call():
    calls = {read_claim(path).predicate["call"] for path in CLAIMS}
    assert calls == CALLS.keys()
