"""Folders of ``transformers`` that a stranger made: refused with the reason, and nothing of them runs."""

import json
import os
import pickle
import pty
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from safetensors.torch import load_file, save_file

import tiny_language_models as tiny
from rejoinder.errors import InputError, ParameterError
from rejoinder.models.encoder import Encoder
from rejoinder.models.likelihood import Request, likelihoods
from rejoinder.models.likelihood.loading import load

WEIGHTS = "model.safetensors"
FIRST = "transformer.h.0.attn.c_attn.weight"
CODE = "import pathlib\npathlib.Path(__file__).with_name('ran').touch()\n"
HUGE = 10**9
REQUESTS = [Request("1", ("Hi.",), ("Yes, two beds.", "I don't know."))]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return tiny.save(tmp_path_factory.mktemp("models") / "sound")


def weights(change):
    """Changes the tensors by name."""

    def apply(folder):
        held = load_file(folder / WEIGHTS)
        change(held)
        save_file(held, folder / WEIGHTS, {"format": "pt"})

    return apply


def config(**entries):
    return edited("config.json", **entries)


def edited(name, **entries):
    def apply(folder):
        held = json.loads((folder / name).read_text()) if (folder / name).exists() else {}
        (folder / name).write_text(json.dumps(held | entries))

    return apply


def text(name, content):
    return lambda folder: (folder / name).write_text(content)


def renamed(held):
    for name in list(held):
        held[name.replace(".h.0.", ".g.0.")] = held.pop(name)


def put(value, name=FIRST):
    def change(held):
        held[name] = held[name].clone()
        held[name][0, 0] = value

    return weights(change)


def pickled(folder):
    (folder / WEIGHTS).unlink()
    with open(folder / "pytorch_model.bin", "wb") as file:
        pickle.dump(Runs(str(folder / "ran")), file)


class Runs:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def code_beside(folder):
    (folder / "own.py").write_text(CODE)
    entries = {f"Auto{kind}": "own.Own" for kind in ("Config", "Model", "ModelForCausalLM")}
    config(auto_map=entries, model_type="own")(folder)


def code_of_the_tokenizer(folder):
    (folder / "own.py").write_text(CODE)
    held = {"auto_map": {"AutoTokenizer": ["own.Own", None]}, "tokenizer_class": "Own"}
    edited("tokenizer_config.json", **held)(folder)


def header(change):
    """Changes the header of the weights' file: its length, then JSON."""

    def apply(folder):
        raw = (folder / WEIGHTS).read_bytes()
        size = int.from_bytes(raw[:8], "little")
        (folder / WEIGHTS).write_bytes(change(raw[:8], raw[8 : 8 + size], raw[8 + size :]))

    return apply


def a_folder_in_place_of_the_weights(folder):
    (folder / WEIGHTS).unlink()
    (folder / WEIGHTS).mkdir()


def an_index_to_elsewhere(folder):
    (folder / WEIGHTS).rename(folder.parent / f"{folder.name}-elsewhere.safetensors")
    named = dict.fromkeys(load_file(folder.parent / f"{folder.name}-elsewhere.safetensors"), "no")
    text("model.safetensors.index.json", json.dumps({"weight_map": named}))(folder)


HOSTILE = {
    "a weight is missing": (weights(lambda held: held.pop(FIRST)), "the weights lack"),
    "a layer is missing": (
        weights(lambda held: [held.pop(name) for name in list(held) if ".h.1." in name]),
        "the weights lack",
    ),
    "weights are renamed": (weights(renamed), "the weights lack"),
    "a weight is too much": (
        weights(lambda held: held.update({"transformer.extra.weight": torch.ones(2)})),
        "no place in the model",
    ),
    "a layer is too much": (config(n_layer=1), "no place in the model"),
    "a layer is too little": (config(n_layer=3), "a model of|the weights lack"),
    "no tensor at all": (weights(lambda held: held.clear()), "a model of|says n_layer"),
    "a weight is NaN": (put(float("nan")), "are not finite"),
    "a weight is infinite": (put(float("inf")), "are not finite"),
    "a weight is minus infinite": (put(-float("inf"), "transformer.wte.weight"), "are not finite"),
    "another shape": (
        weights(lambda held: held.update({FIRST: held[FIRST][:, :8].clone()})),
        r"another shape|size mismatch|cannot be loaded|can load|a model of",
    ),
    "pickled weights": (pickled, "pickled weights are never loaded"),
    "code beside": (code_beside, r"cannot be loaded|can load"),
    "10^9 layers": (config(n_layer=HUGE), f"says n_layer = {HUGE}"),
    "10^9 words": (config(vocab_size=HUGE), "describes a model of"),
    "10^9 positions": (config(n_positions=HUGE), "describes a model of"),
    "10^9 wide": (config(n_embd=HUGE), r"describes a model of|cannot be loaded|can load"),
    "10^9 heads": (config(n_head=HUGE), r"cannot be loaded|can load"),
    "a width of 0": (config(n_embd=0), r"lack|cannot be loaded|can load|another shape"),
    "a negative width": (config(n_embd=-8), r"cannot be loaded|can load"),
    "a width that is text": (config(n_embd="wide"), r"cannot be loaded|can load"),
    "a width of 400 digits": (config(n_embd=10**399), r"cannot be loaded|can load|describes"),
    "config is a list": (text("config.json", "[]"), r"cannot be loaded|can load"),
    "config is no JSON": (text("config.json", "{"), r"cannot be loaded|can load"),
    "config is nested deeply": (
        text("config.json", "[" * 100_000 + "]" * 100_000),
        r"cannot be loaded|can load",
    ),
    "config is empty": (text("config.json", ""), r"cannot be loaded|can load"),
    "a kind that does not exist": (config(model_type="nothing"), r"cannot be loaded|can load"),
    "tokenizer is no JSON": (
        text("tokenizer.json", "{"),
        r"cannot be loaded|can load|no tokenizer",
    ),
    "a header without end": (
        header(lambda size, head, rest: (1 << 62).to_bytes(8, "little") + head + rest),
        "altered or cut",
    ),
    "a header that is no JSON": (
        header(lambda size, head, rest: size + b"x" * len(head) + rest),
        "altered or cut",
    ),
    "data that overlap": (
        header(lambda size, head, rest: size + head.replace(b"[0,", b"[9,", 1) + rest),
        "altered or cut",
    ),
    "a folder in place of the weights": (
        a_folder_in_place_of_the_weights,
        r"no safetensors weights|can load",
    ),
    "an index to files elsewhere": (an_index_to_elsewhere, "is missing"),
}


@pytest.fixture(params=HOSTILE)
def hostile(request, sound, tmp_path):
    folder = tmp_path / "m"
    shutil.copytree(sound, folder)
    change, told = HOSTILE[request.param]
    change(folder)
    return folder, told


@pytest.mark.parametrize("what", ["language model", "encoder"])
def test_a_hostile_folder_is_refused_with_the_reason(hostile, what):
    folder, told = hostile
    opened = Encoder.load if what == "encoder" else load
    with pytest.raises(InputError, match=told):
        opened(folder)
    assert not (folder / "ran").exists()


def test_the_sound_folder_loads(sound):
    # Otherwise the tests above would hold of anything.
    assert likelihoods(load(sound, device="cpu"), REQUESTS).held[0][0].tokens > 0
    assert Encoder.load(sound).encode(["Hi."]).shape == (1, 32)


def test_code_of_the_tokenizer_is_not_needed_and_not_run(sound, tmp_path):
    folder = tmp_path / "m"
    shutil.copytree(sound, folder)
    code_of_the_tokenizer(folder)
    found, expected = (likelihoods(load(each, device="cpu"), REQUESTS) for each in (folder, sound))
    assert found.held[0][0].total == expected.held[0][0].total
    assert not (folder / "ran").exists()


def test_an_encoder_may_lack_what_its_vectors_do_not_need(tmp_path):
    folder = tiny.save_encoder(tmp_path / "e")
    held = load_file(folder / WEIGHTS)
    kept = {name: value for name, value in held.items() if not name.startswith("pooler.")}
    assert len(kept) == len(held) - 2
    expected = Encoder.load(folder).encode(["Hi there."])
    save_file(kept | {"cls.seq_relationship.weight": torch.ones(2)}, folder / WEIGHTS)
    again = tmp_path / "again"  # the last encoders are kept by the name of their folder
    folder.rename(again)
    assert (Encoder.load(again).encode(["Hi there."]) == expected).all()


def test_vectors_that_are_not_finite_are_refused(tmp_path):
    folder = tiny.save_encoder(tmp_path / "e")
    held = load_file(folder / WEIGHTS)
    name = "encoder.layer.1.output.LayerNorm.weight"
    save_file(held | {name: held[name] * 0 + 3e38}, folder / WEIGHTS)
    held = load_file(folder / WEIGHTS)  # each weight is finite, their products are not
    with pytest.raises(InputError, match="vectors that are not finite"):
        Encoder.load(folder).encode(["Hi there."])


@pytest.mark.parametrize("change", [code_beside, code_of_the_tokenizer])
@pytest.mark.parametrize("verb", ["ruq", "score"])
def test_nothing_runs_on_a_terminal_that_answers_yes(sound, tmp_path, change, verb):
    folder = tmp_path / "m"
    shutil.copytree(sound, folder)
    change(folder)
    (tmp_path / "t.jsonl").write_text('{"id": "1", "context": ["Hi."], "references": ["Yes."]}\n')
    (tmp_path / "bot.jsonl").write_text('{"id": "1", "text": "Yes."}\n')
    metric = f"cosine:encoder={folder}"
    words = {
        "ruq": ["ruq", folder, tmp_path / "t.jsonl"],
        "score": ["score", tmp_path / "t.jsonl", tmp_path / "bot.jsonl", "-m", metric],
    }[verb]
    leader, terminal = pty.openpty()
    os.write(leader, b"y\n" * 20)
    done = subprocess.run(
        [sys.executable, "-m", "rejoinder", *map(str, words)],
        stdin=terminal,
        capture_output=True,
        timeout=120,
        check=False,
    )
    os.close(leader)
    os.close(terminal)
    # The tokenizer's code is not needed where tokenizer.json stands: then the model is as sound.
    assert done.returncode == (0 if change is code_of_the_tokenizer else 2), done.stderr
    assert b"Traceback" not in done.stderr
    assert not (folder / "ran").exists()


TEMPLATES = {
    "it raises": "{{ raise_exception('\x1b[2Jno') }}",
    "it is no template": "{% for message in %}",
    "it divides by zero": "{{ 1 // 0 }}",
    "it asks for what is not there": "{{ messages[99]['role']['x'] }}",
    "it reaches for the interpreter": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "it counts to 10^9": "{% for i in range(1000000000) %}x{% endfor %}",
    "it asks for much memory": "{{ 'x' * 10 ** 18 }}",
    "it writes nothing": "",
    "it forgets the conversation": "always the same",
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_hostile_chat_template_is_refused(sound, tmp_path, name):
    folder = tmp_path / "m"
    shutil.copytree(sound, folder)
    (folder / "chat_template.jinja").write_text(TEMPLATES[name])
    if not TEMPLATES[name]:  # none at all: the turns stand one to a line
        assert likelihoods(load(folder, device="cpu"), REQUESTS).held[0][0].total < 0
        return
    with pytest.raises(ParameterError, match=r"chat template (refuses|leaves)"):
        likelihoods(load(folder, device="cpu"), REQUESTS)
