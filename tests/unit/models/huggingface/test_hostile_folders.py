"""Folders of ``transformers`` that a stranger made: refused with the reason, and nothing of them runs."""

import os
import pty
import shutil
import subprocess
import sys

import pytest

from rejoinder.models.likelihood.backend import LocalModel

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from safetensors.torch import load_file, save_file

import tiny_language_models as tiny
from hostile_models import HOSTILE, WEIGHTS, code_beside, code_of_the_tokenizer
from rejoinder.errors import InputError, ParameterError
from rejoinder.models.huggingface.encoder import Encoder
from rejoinder.models.likelihood.backend import LikelihoodRequest
from rejoinder.models.likelihood.store import likelihoods
from rejoinder.models.likelihood.transformer.loading import load

REQUESTS = [LikelihoodRequest("1", ("Hi.",), ("Yes, two beds.", "I don't know."))]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return tiny.save(tmp_path_factory.mktemp("models") / "sound")


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
    assert likelihoods(load(sound, local=LocalModel("cpu")), REQUESTS).replies[0][0].tokens > 0
    assert Encoder.load(sound).encode(["Hi."]).shape == (1, 32)


def test_code_of_the_tokenizer_is_not_needed_and_not_run(sound, tmp_path):
    folder = tmp_path / "m"
    shutil.copytree(sound, folder)
    code_of_the_tokenizer(folder)
    found, expected = (
        likelihoods(load(each, local=LocalModel("cpu")), REQUESTS) for each in (folder, sound)
    )
    assert found.replies[0][0].total == expected.replies[0][0].total
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


@pytest.mark.slow  # by default at all doors at once: tests/contract/test_every_door_of_models.py
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
        assert likelihoods(load(folder, local=LocalModel("cpu")), REQUESTS).replies[0][0].total < 0
        return
    with pytest.raises(ParameterError, match=r"chat template (refuses|leaves)"):
        likelihoods(load(folder, local=LocalModel("cpu")), REQUESTS)
