"""Folders of our own whose sizes somebody changed, with hashes made anew: refused before they are built."""

import hashlib
import json
import shutil

import pytest

pytest.importorskip("torch")
pytest.importorskip("gensim")
pytest.importorskip("transformers")

import torch
from safetensors.torch import load_file, save_file

from rejoinder.errors import InputError
from rejoinder.models.ruber import model as unreferenced
from rejoinder.models.training import shapes
from rejoinder.models.training.folder import WEIGHTS
from rejoinder.models.vectors.word_vectors import WordVectors
from rejoinder.responders.seq2seq.trained import TrainedResponder
from tiny_folders import write_gru, write_responder, write_vectors, write_with_encoder

HUGE = 10**9
FOLDERS = {
    "vectors": (write_vectors, WordVectors.load),
    "ruber": (write_gru, unreferenced.load),
    "encoder": (write_with_encoder, unreferenced.load),
    "gru": (write_responder("gru"), TrainedResponder.load),
    "transformer": (write_responder("transformer"), TrainedResponder.load),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    path = tmp_path_factory.mktemp("models")
    for name, (write, read) in FOLDERS.items():
        (path / name).mkdir()
        write(path / name / "m")
        read(path / name / "m")  # otherwise the tests below would hold of anything
    return path


def hashed_anew(folder, change):
    """Makes a change, and then every hash good again, as somebody would who means harm."""
    file = folder / "config.json"
    config = json.loads(file.read_text())
    change(folder, config)
    noted = config["rejoinder"]
    keys = {name: each for name, each in config.items() if name != "rejoinder"}
    noted["sha256"] = {
        each.name: hashlib.sha256(each.read_bytes()).hexdigest()
        for each in folder.iterdir()
        if each.name != "config.json"
    }
    del noted["record_sha256"]
    whole = keys | {"rejoinder": noted} if keys else noted
    plain = json.dumps(whole, sort_keys=True).encode()
    noted["record_sha256"] = hashlib.sha256(plain).hexdigest()
    file.write_text(json.dumps(config))


def said(**sizes):
    return lambda folder, config: config["rejoinder"]["config"].update(sizes)


def member(number=0, **sizes):
    def change(folder, config):
        config["rejoinder"]["config"]["members"][number]["config"].update(sizes)

    return change


def both(*changes):
    return lambda folder, config: [change(folder, config) for change in changes]


def weights(change):
    def apply(folder, config):
        held = load_file(folder / WEIGHTS)
        change(held)
        save_file(held, folder / WEIGHTS)

    return apply


def wide(name, *shape):
    """A weight in another shape; beside a size of 0 any other takes no byte."""
    return weights(lambda held: held.update({name: torch.zeros(*shape)}))


def text(name, content):
    return lambda folder, config: (folder / name).write_text(content)


def is_huge(key, expected):
    return f"config.json says {key} = {HUGE}; expected {expected}, as model.safetensors has"


CHANGES = {
    "subwords of a GRU": ("gru", said(subwords=HUGE), is_huge("subwords", 60)),
    "width of a GRU": ("gru", said(width=HUGE), is_huge("width", 8)),
    "layers of a GRU": ("gru", said(layers=HUGE), is_huge("layers", 1)),
    "two layers of a GRU": ("gru", said(layers=2), "says layers = 2; expected 1"),
    "heads of a GRU": (
        "gru",
        said(heads=HUGE),
        r"config\.json: .* twice the heads .1000000000.",
    ),
    "layers that are text": ("gru", said(layers="1"), "says layers = '1'; expected 1|str"),
    "layers that are a fraction": ("gru", said(layers=1.0), r"says layers = 1\.0; expected 1"),
    "layers that are true": ("gru", said(layers=True), "says layers = True; expected 1"),
    "subwords of a Transformer": ("transformer", said(subwords=HUGE), is_huge("subwords", 60)),
    "width of a Transformer": ("transformer", said(width=HUGE), is_huge("width", 8)),
    "layers of a Transformer": ("transformer", said(layers=HUGE), is_huge("layers", 1)),
    "blocks": ("transformer", said(feed_forward=HUGE), is_huge("feed_forward", 8)),
    "a header as wide as the configuration": (
        "gru",
        both(said(width=HUGE), wide("embedding.weight", 0, HUGE)),
        r"has embedding\.weight in the shape \[0, 1000000000\]; expected no 0",
    ),
    "a Transformer's header as wide": (
        "transformer",
        both(said(width=HUGE), wide("model.shared.weight", 0, HUGE)),
        r"has model\.shared\.weight in the shape \[0, 1000000000\]; expected no 0",
    ),
    "one row of 10^6 numbers": (
        "gru",
        both(said(width=10**6, subwords=4), wide("embedding.weight", 4, 10**6)),
        r"has bias in the shape \[60\]; expected \[4\]",
    ),
    "one subword": (
        "gru",
        both(said(subwords=1), wide("embedding.weight", 1, 8)),
        "Padding_idx must be within",
    ),
    "a weight too little": (
        "gru",
        weights(lambda held: held.pop("key.weight")),
        "model.safetensors lacks key.weight",
    ),
    "a weight too much": (
        "gru",
        weights(lambda held: held.update(more=torch.ones(2))),
        "has more, which has no place in the model",
    ),
    "words of a scorer": ("ruber", text("gru-1.words.txt", "a\nb"), "words.txt holds 2 words; exp"),
    "width of a scorer": ("ruber", member(width=HUGE), is_huge("width", 4)),
    "units of a scorer": ("ruber", member(units=HUGE), is_huge("units", 3)),
    "hidden layers": (
        "ruber",
        member(layers=[HUGE]),
        r"says layers = \[1000000000\]; expected \[5",
    ),
    "more hidden layers": (
        "ruber",
        member(layers=[5] * 999),
        r"says layers = \[5, 5.*expected \[5\]",
    ),
    "turns": ("ruber", said(turns=HUGE), f"turns: {HUGE} in config.json; expected 1 to 100"),
    "turns of the scorer too": (
        "ruber",
        both(said(turns=HUGE), member(turns=HUGE)),
        f"turns: {HUGE} in config.json; expected 1 to 100",
    ),
    "turns of the scorer alone": (
        "ruber",
        member(turns=HUGE),
        f"turns: 2 in config.json; its members read {HUGE} at most; expected the same",
    ),
    "a scorer's header as wide": (
        "ruber",
        both(member(width=HUGE), wide("gru-1/vectors.weight", 0, HUGE)),
        r"has gru-1/vectors\.weight in the shape \[0, 1000000000\]; expected no 0",
    ),
    "a word of 10^6 numbers": (
        "ruber",
        both(
            member(width=10**6), wide("gru-1/vectors.weight", 1, 10**6), text("gru-1.words.txt", "")
        ),
        r"has query\.weight_ih_l0 in the shape \[9, 4\]; expected \[9, 1000000\]",
    ),
    "words of the vectors": ("ruber", text("vectors.json", '["a"]'), "vectors.json holds 1 words"),
    "hidden layer of a head": ("encoder", member(hidden=HUGE), is_huge("hidden", 4)),
    "space of a head": ("encoder", member(out=HUGE), is_huge("out", 3)),
    "turns of a head": ("encoder", member(turns=HUGE), is_huge("turns", 2)),
    "width of a network over tokens": ("encoder", member(1, width=HUGE), is_huge("width", 4)),
    "turns of one": ("encoder", member(1, turns=HUGE), is_huge("turns", 2)),
    "words": ("vectors", text("vocabulary.json", "[]"), "vocabulary.json holds 0 words; expected"),
    "vectors as wide": (
        "vectors",
        both(wide("vectors", 0, HUGE), text("vocabulary.json", "[]")),
        r"has vectors in the shape \[0, 1000000000\]; expected no 0",
    ),
}


def copied(folders, name, tmp_path, change):
    folder = tmp_path / "m"
    shutil.copytree(folders / name / "m", folder)
    hashed_anew(folder, change)
    return folder


@pytest.mark.parametrize("change", CHANGES)
def test_sizes_that_the_weights_do_not_have_are_refused(folders, tmp_path, change):
    name, apply, why = CHANGES[change]
    folder = copied(folders, name, tmp_path, apply)
    with pytest.raises(InputError, match=why) as told:
        FOLDERS[name][1](folder)
    assert "\n" not in str(told.value)
    assert str(folder) in str(told.value)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_with_hashes_made_anew_is_as_sound(folders, tmp_path, name):
    FOLDERS[name][1](copied(folders, name, tmp_path, lambda folder, config: None))


def longer(folder, config):
    """A header that says more than the file holds."""
    raw = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(raw[:-4])


@pytest.mark.parametrize("change", [longer, text(WEIGHTS, ""), text(WEIGHTS, "{" * 100)])
@pytest.mark.parametrize("name", FOLDERS)
def test_weights_that_are_none_are_one_message(folders, tmp_path, name, change):
    with pytest.raises(InputError, match=r"model\.safetensors is no file of safetensors, or"):
        FOLDERS[name][1](copied(folders, name, tmp_path, change))


def test_subwords_without_a_row_are_refused(folders, tmp_path):
    def change(folder, config):
        tokenizer = json.loads((folder / "tokenizer.json").read_text())
        tokenizer["model"]["vocab"]["zzz"] = HUGE
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer))

    with pytest.raises(
        InputError, match=r"tokenizer\.json has a subword 1000000000; expected 0 to"
    ):
        TrainedResponder.load(copied(folders, "gru", tmp_path, change))


def test_the_network_is_compared_without_memory():
    # 10^18 numbers: torch would ask for four million terabytes.
    build = lambda: torch.nn.Linear(HUGE, HUGE)  # noqa: E731
    wanted = {"weight": (HUGE, HUGE), "bias": (HUGE,)}
    shapes.check_network(build, wanted)
    with pytest.raises(ValueError, match=r"has weight in the shape \[2, 2\]; expected \[10000"):
        shapes.check_network(build, wanted | {"weight": (2, 2)})
