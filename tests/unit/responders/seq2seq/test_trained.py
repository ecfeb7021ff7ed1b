"""From a corpus to a folder, and from the folder to replies."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import rejoinder  # noqa: E402
from rejoinder.corpora.pairs import Pairs  # noqa: E402
from rejoinder.errors import InputError, ParameterError  # noqa: E402
from rejoinder.files.content import folder_hash  # noqa: E402
from rejoinder.models.training.folder import read_folder  # noqa: E402
from rejoinder.responders.seq2seq.batches import collate, encode  # noqa: E402
from rejoinder.responders.seq2seq.trained import TrainedResponder  # noqa: E402
from rejoinder.tables.testset import TestSet  # noqa: E402
from rejoinder.training.responder import train_responder  # noqa: E402
from tiny_corpora import little, little_corpus  # noqa: E402

LEARNT = {"epochs": 40, "warmup": 40, "accumulate": 1, "dropout": 0.0, "attention_dropout": 0.0}


@pytest.fixture(scope="module", params=["transformer", "gru"])
def folder(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / request.param
    corpus = little_corpus()
    train_responder(corpus, path, little(kind=request.param, **LEARNT), validation=corpus)
    return path


def test_it_says_what_it_learnt(folder):
    corpus = little_corpus()
    responder = TrainedResponder.load(folder)
    replies = responder.respond(corpus.sources, beam=4)
    right = np.mean([a == b for a, b in zip(replies, corpus.targets, strict=True)])
    assert right > 0.9
    assert responder.respond([]) == []
    # The batch does not matter.
    assert responder.respond(corpus.sources[3:4], beam=4) == replies[3:4]


def test_the_folder_is_all_there_is(folder):
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]  # no checkpoint left
    names = {path.name for path in folder.iterdir()}
    assert names == {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    record = read_folder(folder).record
    assert record.corpus_hash == little_corpus().hash
    assert record.kind == f"{folder.name}-responder"
    assert len(record.log) == 40


def test_transformers_loads_it(folder):
    if folder.name == "gru":
        pytest.skip("transformers has no such class")
    ours = TrainedResponder.load(folder)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    assert type(model).__name__ == "M2M100ForConditionalGeneration"
    corpus = little_corpus()
    encoded = encode(tokenizer, corpus, 60)
    assert encoded == encode(ours.tokenizer, corpus, 60)
    batch = collate(encoded, np.arange(6), "cpu")
    with torch.no_grad():
        # Given labels, transformers shifts them behind decoder_start_token_id itself.
        theirs = model(input_ids=batch.sources, attention_mask=batch.mask, labels=batch.labels)
        spoken = batch.labels >= 0
        torch.testing.assert_close(theirs.logits[spoken], ours.model.logits(batch)[spoken])


def test_the_same_call_again_does_nothing_and_another_is_refused(folder):
    corpus = little_corpus()
    before = folder_hash(folder)
    settings = little(kind=folder.name, **LEARNT)
    left = folder.with_name(f"{folder.name}.training")  # by a kill at the very end
    left.mkdir()
    again = train_responder(corpus, folder, settings, validation=corpus)
    assert "finished before" in again.notes[0]
    assert not left.exists()
    assert folder_hash(folder) == before
    with pytest.raises(InputError, match=r"model of another run: seed was 4, is 9; .*remove it"):
        train_responder(corpus, folder, settings.changed(seed=9), validation=corpus)


def test_two_trainings_are_the_same_folder(tmp_path):
    torch.manual_seed(7)
    state = torch.get_rng_state()
    for name in ("one", "two"):
        train_responder(little_corpus(), tmp_path / name, little(epochs=2, pairs=50))
        torch.rand(3)
    assert folder_hash(tmp_path / "one") == folder_hash(tmp_path / "two")
    torch.set_rng_state(state)
    expected = torch.rand(6)
    torch.set_rng_state(state)
    train_responder(little_corpus(), tmp_path / "three", little(epochs=1))
    assert torch.equal(torch.rand(6), expected)  # the caller's generator is as it was


def test_notes_say_what_was_left_out(tmp_path):
    corpus = little_corpus()
    long = Pairs(["x"], ["tea " * 200], ["Yes."])
    both = Pairs(
        corpus.ids + long.ids, corpus.sources + long.sources, corpus.targets + long.targets
    )
    result = train_responder(both, tmp_path / "m", little(epochs=1, pairs=60), validation=both)
    told = " ".join(result.notes)
    assert "60 pairs of 73 used" in told
    assert "validation: 1 pairs of more than 60 subwords left out" in told
    held = train_responder(corpus, tmp_path / "n", little(epochs=1))
    assert "3 pairs held out of the corpus" in held.notes[0]  # 72 // 20


def test_a_run_that_went_on_says_from_where_and_one_that_stopped_says_why(tmp_path):
    def stop(done, total, words):
        if words.startswith("epoch 2"):
            raise KeyboardInterrupt

    settings = little(epochs=30, patience=1, learning_rate=1e-9, warmup=0)
    with pytest.raises(KeyboardInterrupt):
        train_responder(little_corpus(), tmp_path / "m", settings, save_every=-1.0, report=stop)
    work = tmp_path / "m.training"
    with pytest.raises(InputError, match=r"epochs was 30, is 29; .*remove \S*m.training to start"):
        train_responder(little_corpus(), tmp_path / "m", settings.changed(epochs=29))
    result = train_responder(little_corpus(), tmp_path / "m", settings)
    assert f"went on from {work}: at epoch 2" in result.notes
    assert result.notes == tuple(dict.fromkeys(result.notes))
    last, best = (result.folder.record.log[-1]["epoch"], [
        row["epoch"] for row in result.folder.record.log if row["best"]
    ][-1])  # fmt: skip
    assert last < 30
    assert f"stopped after epoch {last} of 30: no better since epoch {best}" in result.notes


def broken_off(path, settings):
    """Leaves a training behind in its second epoch."""

    def stop(done, total, words):
        if words.startswith("epoch 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_responder(little_corpus(), path, settings, save_every=-1.0, report=stop)


def resumed(path, settings):
    """The same training to its end: its notes, and the numbers of threads that its steps had."""
    seen = set()

    def report(done, total, words):
        seen.add(torch.get_num_threads())

    result = train_responder(little_corpus(), path, settings, report=report)
    return result.notes, seen, result.inexact


@pytest.mark.parametrize("kind", ["transformer", "gru"])
def test_a_resumed_run_has_the_threads_that_it_was_begun_with(tmp_path, with_threads, kind):
    settings = little(epochs=3, kind=kind)
    with with_threads(1):
        train_responder(little_corpus(), tmp_path / "whole", settings)
        broken_off(tmp_path / "m", settings)
    with with_threads(2):
        notes, seen, inexact = resumed(tmp_path / "m", settings)
        assert torch.get_num_threads() == 2  # afterwards all is as before
    assert seen == {1}
    told = "at epoch 2 (with 1 thread, as it was begun; torch has 2 threads here)"
    assert f"went on from {tmp_path / 'm.training'}: {told}" in notes
    assert inexact == []
    assert folder_hash(tmp_path / "m") == folder_hash(tmp_path / "whole")


def test_more_threads_than_processors_are_said_not_taken(tmp_path, with_threads, monkeypatch):
    monkeypatch.setattr("rejoinder.models.training.threads.usable_cores", lambda: 1)
    settings = little(epochs=3)
    with with_threads(3):
        broken_off(tmp_path / "m", settings)
    with with_threads(1):
        _, seen, inexact = resumed(tmp_path / "m", settings)
    assert seen == {1}
    told = "at epoch 2 (begun on 3 threads, now 1 thread: not to the last bit)"
    assert inexact == [f"went on from {tmp_path / 'm.training'}: {told}"]


def test_detokenised_throughout(tmp_path):
    corpus = little_corpus()
    spaced = corpus.map(lambda text: text.lower().replace(".", " .").replace("?", " ?"))
    settings = little(**LEARNT, detokenize=True)
    train_responder(spaced, tmp_path / "m", settings, validation=spaced)
    responder = TrainedResponder.load(tmp_path / "m")
    assert responder.prepared("is it late ?") == "Is it late?"
    replies = responder.respond(spaced.sources, beam=2)
    assert np.mean([a == b for a, b in zip(replies, corpus.targets, strict=True)]) > 0.8


def test_mistakes_are_one_message(tmp_path, folder):
    with pytest.raises(InputError, match="no such folder"):
        TrainedResponder.load(tmp_path / "none")
    with pytest.raises(InputError, match="too few to hold some out"):
        train_responder(little_corpus().take(np.arange(5)), tmp_path / "m", little())
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("x")
    with pytest.raises(InputError, match="other things"):
        train_responder(little_corpus(), tmp_path / "full", little())


def test_a_test_set_and_a_preset_will_do(tmp_path):
    """What the command does: a corpus as a test set, a preset with changes, pairs excluded."""
    pairs = little_corpus()
    corpus = TestSet.from_lists([[t] for t in pairs.targets], None, pairs.sources, pairs.ids)
    other = TestSet.from_lists([[pairs.targets[0]]], contexts=[[pairs.sources[0]]])
    changes = {"vocabulary": 60, "layers": 1, "width": 8, "epochs": 1, "pairs": 50, "seed": None}
    result = rejoinder.train_responder(
        corpus, tmp_path / "m", exclude=[other], kind="gru", **changes
    )
    told = result.as_json()
    assert (told["kind"], told["folder"]) == ("gru-responder", str(tmp_path / "m"))
    assert told["config"]["width"] == 8
    assert told["config"]["clip"] == 1.0  # the preset of a GRU
    assert any("also stand in the other corpus" in note for note in told["notes"])
    with pytest.raises(ParameterError, match="widht: unknown setting; choose 'kind', 'vocabulary'"):
        rejoinder.train_responder(corpus, tmp_path / "n", widht=8)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="is a file"):
        rejoinder.train_responder(corpus, tmp_path / "file")
