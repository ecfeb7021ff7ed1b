"""A bit flipped in a model's folder or a checkpoint: one message, or the very same numbers."""

import pytest

from rejoinder.models.likelihood.backend import LocalModel

pytest.importorskip("torch")
pytest.importorskip("gensim")
pytest.importorskip("transformers")

import torch

from flipped_bits import drawn, every, flipped
from rejoinder.cli.app import run
from rejoinder.corpora.pairs import Pairs
from rejoinder.errors import InputError
from rejoinder.files import content
from rejoinder.models.likelihood.backend import LikelihoodRequest
from rejoinder.models.likelihood.store import likelihoods
from rejoinder.models.likelihood.transformer.loading import load as load_language_model
from rejoinder.models.ruber import model as unreferenced
from rejoinder.models.ruber.model import ENCODER_PATHS
from rejoinder.models.training.checkpoints import Checkpoint, Run
from rejoinder.models.training.folder import WEIGHTS
from rejoinder.models.vectors import word_vectors as vectors
from rejoinder.models.vectors.word_vectors import WordVectors
from rejoinder.responders.seq2seq.trained import TrainedResponder
from tiny_folders import (
    MESSAGES,
    REPLIES,
    write_gru,
    write_responder,
    write_vectors,
    write_with_encoder,
)

REQUESTS = [LikelihoodRequest("1", ("Is there tea at the a?",), ("Yes, there is.",))]


def read_vectors(path):
    vectors._load.cache_clear()
    found = WordVectors.load(path)
    return found.words, found.matrix.tolist(), found.language, found.about


def read_ruber(path):
    unreferenced._load.cache_clear()
    content._content_hash.cache_clear()
    model = unreferenced.load(path)
    scores = model.score([["Hello.", text] for text in MESSAGES[:3]], REPLIES[:3])
    return scores.tolist(), model.bounds, model.turns, model.vectors.words, model.vectors.hash


def read_responder(path):
    from rejoinder.responders.seq2seq.batches import collate, encode

    found = TrainedResponder.load(path)
    pairs = Pairs(["1", "2"], MESSAGES[:2], REPLIES[:2])
    batch = collate(encode(found.tokenizer, pairs, 60), [0, 1], "cpu")
    with torch.no_grad():
        logits = found.model.logits(batch).tolist()
    return logits, found.tokenizer.decode(list(range(60))), found.parameters


def read_likelihoods(path):
    return repr(likelihoods(load_language_model(path, local=LocalModel("cpu")), REQUESTS))


FOLDERS = {
    "vectors": (write_vectors, read_vectors),
    "ruber gru": (write_gru, read_ruber),
    "ruber encoder and cross": (write_with_encoder, read_ruber),
    "gru responder": (write_responder("gru"), read_responder),
    "transformer responder": (write_responder("transformer"), read_responder),
    "likelihoods of the transformer": (write_responder("transformer"), read_likelihoods),
}


@pytest.fixture(scope="module", params=FOLDERS)
def folder(request, tmp_path_factory):
    write, read = FOLDERS[request.param]
    path = tmp_path_factory.mktemp("models") / "m"
    write(path)
    return path, read


def same_or_refused(path, raw, places, read):
    """Tries the flips in a file; the numbers are compared with those of the sound one."""
    told = []
    expected = read()
    for place, bit in places:
        path.write_bytes(flipped(raw, place, bit))
        try:
            found = read()
        except InputError as error:
            told.append(str(error))
        else:
            assert found == expected, (path.name, place, bit)
    assert all(each.strip() and "\n" not in each for each in told)
    path.write_bytes(raw)
    assert read() == expected
    return len(told)


@pytest.mark.parametrize("count", [40, pytest.param(None, marks=pytest.mark.slow)])
def test_a_flipped_bit_gives_no_other_number(folder, count):
    path, read = folder
    for file in sorted(path.iterdir()):
        raw = file.read_bytes()
        small = count is None and file.name != WEIGHTS
        places = every(raw) if small else drawn(raw, count or 1000)
        refused = same_or_refused(file, raw, places, lambda: read(path))
        # Of places where the encoder may lie the next one is tried: what is found is checked by its hash.
        assert refused > 0.9 * len(places) or file.name == ENCODER_PATHS


def test_a_flipped_bit_in_the_encoder_of_a_scorer_is_told(tmp_path):
    path = tmp_path / "m"
    write_with_encoder(path)
    for file in sorted((tmp_path / "encoder").iterdir()):
        raw = file.read_bytes()
        assert same_or_refused(file, raw, drawn(raw, 10), lambda: read_ruber(path)) == 10


def saved(folder):
    torch.manual_seed(1)
    made = parts()
    loss = made.modules["model"](torch.randn(3, 4)).square().mean()
    loss.backward()
    made.optimizers["adam"].step()
    checkpoint = Checkpoint(folder, {"seed": 1, "corpus": "abc", "rate": 1e-05})
    progress = {"epoch": 2, "order": [2, 0, 1], "log": [{"loss": 0.25}]}
    checkpoint.save(made, progress, {"best": made.modules["model"].state_dict()})
    return checkpoint


def parts():
    model = torch.nn.Linear(4, 2)
    adam = torch.optim.Adam(model.parameters(), lr=0.01, betas=(0.9, 0.98))
    return Run({"model": model}, {"adam": adam})


def restored(checkpoint):
    made = parts()
    told = checkpoint.load(made)
    state = made.modules["model"].state_dict(), made.optimizers["adam"].state_dict()
    return repr((checkpoint.machine, told, state, torch.get_rng_state().tolist()))


@pytest.mark.parametrize("count", [150, pytest.param(None, marks=pytest.mark.slow)])
def test_a_checkpoint_with_a_flipped_bit_is_the_same_or_refused(tmp_path, count):
    checkpoint = saved(tmp_path / "c")
    with torch.random.fork_rng():
        for file in sorted(checkpoint.folder.iterdir()):
            raw = file.read_bytes()
            places = every(raw) if count is None else drawn(raw, count)
            refused = same_or_refused(file, raw, places, lambda: restored(checkpoint))
            assert refused > 0.9 * len(places)


@pytest.mark.parametrize("verb", ["ruq", "respond", "score"])
def test_the_commands_answer_with_one_message(tmp_path, capfd, verb):
    path, table, replies = tmp_path / "m", tmp_path / "t.jsonl", tmp_path / "bot.jsonl"
    table.write_text('{"id": "1", "context": ["Hi."], "references": ["Yes."]}\n')
    replies.write_text('{"id": "1", "text": "Yes."}\n')
    write_gru(path) if verb == "score" else write_responder("transformer")(path)
    words = {
        "ruq": ["ruq", path, table],
        "respond": ["respond", path, table, "-o", tmp_path / "out.jsonl"],
        "score": ["score", table, replies, "-m", f"ruber:model={path}"],
    }[verb]
    file = path / "model.safetensors"
    file.write_bytes(flipped(file.read_bytes(), 2000, 3))
    assert run([str(word) for word in words]) == 2
    told = [line for line in capfd.readouterr().err.splitlines() if line.strip()]
    assert "model.safetensors is altered or cut" in told[-1]
    assert not any("Traceback" in line for line in told)
