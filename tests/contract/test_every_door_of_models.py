"""Every hostile folder of ``transformers`` through every command that loads one.

``ruq``, ``mark`` and ``respond`` read a language model; ``cosine``, RUBER at scoring
and ``train ruber`` read an encoder.
"""

import itertools
import json
import logging
import os
import pty
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_language_models as tiny
import tiny_ruber
from hostile_models import (
    ENCODERS,
    HOSTILE,
    WHEN_USED,
    code_beside,
    code_beside_alone,
    code_of_a_part,
    code_of_the_tokenizer,
    edited,
    pickled,
)
from rejoinder.files.content import folder_hash
from rejoinder.models.training.folder import read_folder, write_folder
from shared_data import EXAMPLES

TRAINING = ("--size", "encoder", "--size", "cross", "--set", "seeds=1", "--set", "epochs=1")


class Place(NamedTuple):
    """A folder of files that all commands share, and in it a sound model ``m`` and its ``ruber``."""

    path: object

    def words(self, door, model, output=None):
        """The command of a door, with a model of ``transformers`` (for ``ruber``: RUBER's)."""
        score = ["score", self.path / "t.jsonl", self.path / "bot.jsonl", "--resamples", 0]
        trained = [*TRAINING, "-o", output, "--json", "--encoder", model]
        return {
            "ruq": ["ruq", model, self.path / "t.jsonl", "--resamples", 0, "--json"],
            "mark": [
                *("mark", self.path / "t.jsonl", self.path / "bot.jsonl", "--model", model),
                *(
                    "--rubric",
                    EXAMPLES / "rubric.toml",
                    "-o",
                    self.marks_of(model, output),
                    "--json",
                ),
            ],
            "respond": [
                *("respond", model, self.path / "t.jsonl", "-o", f"{output}.csv", "--json"),
                *("--set", "answer_tokens=5", "--set", "beam=2"),
            ],
            "cosine": [*score, "--json", "-m", f"cosine:encoder={model}"],
            "ruber": [*score, "--json", "-m", f"ruber:model={model},referenced=encoder"],
            "train": ["train", "ruber", self.path / "c.jsonl", *trained],
        }[door]

    def marks_of(self, model, output):
        """A file of marks for each model: those of another model are not replaced."""
        return f"{output}-{Path(model).parent.name}-{Path(model).name}.csv"

    def ruber_of(self, encoder, path):
        """The RUBER model of this place, by somebody who would have it read with another encoder."""
        sound = read_folder(self.path / "ruber")
        about = {"encoder": str(encoder), "encoder_hash": folder_hash(encoder)}
        record = replace(sound.record, config={**sound.record.config, **about})
        files = {name: (sound.path / name).read_bytes() for name in sound.files}
        write_folder(path, record, sound.tensors(), files)
        return path


LANGUAGE = ("ruq", "mark", "respond")
ENCODING = ("cosine", "ruber", "train")
KINDS = (LANGUAGE, ENCODING)
DOORS = (*LANGUAGE, *ENCODING)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    made = Place(tmp_path_factory.mktemp("doors"))
    tiny.save(made.path / "m")
    rows = {
        "t": [
            {"id": "1", "context": ["Hi."], "references": ["Yes."]},
            {"id": "2", "context": ["Where?"], "references": ["By the old harbour, I think."]},
        ],
        "bot": [{"id": "1", "text": "Yes, two beds."}, {"id": "2", "text": "No."}],
        "c": [
            {"id": f"{i}-{k}", "dialogue": str(i), "context": talk[:k], "references": [talk[k]]}
            for i, talk in enumerate(tiny_ruber.dialogues()[:8])
            for k in range(1, len(talk))
        ],
    }
    for name, held in rows.items():
        (made.path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in held))
    from rejoinder.cli.app import run

    words = made.words("train", made.path / "m", made.path / "ruber")
    assert run([str(word) for word in words]) == 0
    return made


@pytest.fixture
def model(place, tmp_path):
    """A copy of the sound model, to be changed."""
    return shutil.copytree(place.path / "m", tmp_path / "m")


@pytest.fixture
def enter(place, tmp_path, command):
    """Calls the command of a door with a model; gives status, output and messages."""

    def enter(door, model):
        if door == "ruber":
            model = place.ruber_of(model, tmp_path / "ruber")
        return command(*place.words(door, model, tmp_path / "out"))

    return enter


@pytest.fixture
def logged(monkeypatch):
    """What transformers prints by its logger, on whatever stream."""
    records = []

    class Kept(logging.Handler):
        def emit(self, record):
            records.append(record.getMessage())

    monkeypatch.setattr(logging.getLogger("transformers"), "handlers", [Kept()])
    return records


def values(door, out):
    """The numbers of an output, without what names the folder."""
    held = {key: each for key, each in json.loads(out).items() if key != "file"}
    if door == "train":
        return held["members"], held["bounds"]
    if door == "respond":
        return held["replies"], held["distinct"], held["hash"]
    text = re.sub(r'"[^"]*(encoder|model|weights)[:=][^"]*"', '""', json.dumps(held))
    assert re.search(r"\d\.\d{3}", text)
    return text


# In the default part each folder comes to one door of language models and one of encoders, in turn.
CASES = [
    pytest.param(door, name, marks=[pytest.mark.slow] * (place != number % len(kind)))
    for cases, kinds in ((HOSTILE, KINDS), (WHEN_USED, KINDS), (ENCODERS, (ENCODING,)))
    for number, name in enumerate(cases)
    for kind in kinds
    for place, door in enumerate(kind)
]


@pytest.mark.parametrize(("door", "name"), CASES)
def test_a_hostile_folder_is_one_message_at_every_door(door, name, model, enter, logged, tmp_path):
    change, told = (HOSTILE | WHEN_USED | ENCODERS)[name]
    change(model)
    before = sorted(path.name for path in tmp_path.iterdir())
    status, out, err = enter(door, model)
    assert (status, out) == (2, ""), err
    assert re.search(told, err)
    assert re.fullmatch(r"rejoinder: [^\n\x1b]*\n", err)
    assert not logged
    assert not [*tmp_path.rglob("ran")]
    after = {path.name for path in tmp_path.iterdir()} - {"ruber"}
    assert sorted(after) == before  # no model, and no work of a training


SOUND = {
    "nothing": lambda folder: None,
    "code of the tokenizer": code_of_the_tokenizer,
    "padded on the left": edited("tokenizer_config.json", padding_side="left"),
    "padded by nothing": edited("tokenizer_config.json", pad_token=None),
    "padded by what the model lacks": edited("tokenizer_config.json", pad_token="<new>"),
    "settings of generation": edited("generation_config.json", max_length="x"),
}
"""What changes no number."""


LONG = {("train", name) for name in SOUND if name != "padded on the left"}


@pytest.fixture(scope="module")
def expected():
    """What the sound model gives, by door."""
    return {}


@pytest.mark.parametrize(
    ("door", "name"),
    [
        pytest.param(*case, marks=[pytest.mark.slow] if case in LONG else [])
        for case in itertools.product(DOORS, SOUND)
    ],
)
def test_a_folder_that_is_as_sound_gives_the_same_number(
    door, name, place, model, enter, expected, tmp_path
):
    SOUND[name](model)
    status, out, err = enter(door, model)
    assert status == 0, err
    assert not [*tmp_path.rglob("ran")]
    if door not in expected:
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        expected[door] = values(door, enter(door, place.path / "m")[1])
    assert values(door, out) == expected[door]


def test_files_of_an_encoder_are_nothing_to_a_language_model(place, model, enter):
    for change, _ in ENCODERS.values():
        change(model)
    for door in LANGUAGE:
        status, out, err = enter(door, model)
        assert status == 0, err
        assert values(door, out) == values(door, enter(door, place.path / "m")[1])


ASKED = """
import json, sys
from rejoinder.cli.app import run
assert sys.stdin.isatty()
for words in json.loads(sys.argv[1]):
    print("STATUS", run(words), flush=True)
from transformers import AutoConfig
AutoConfig.from_pretrained(sys.argv[2])
"""
CODE = {
    "beside": (code_beside, 2),
    "of a part": (code_of_a_part, 2),
    "pickled": (pickled, 2),
    "of the tokenizer": (code_of_the_tokenizer, 0),  # is not needed: the model is as sound
}


def test_no_code_runs_at_any_door_on_a_terminal_that_answers_yes(place, tmp_path):
    calls, statuses = [], []
    for name, (change, status) in CODE.items():
        for door in DOORS:
            folder = tmp_path / f"{name} {door}"
            model = shutil.copytree(place.path / "m", folder / "m")
            change(model)
            if door == "ruber":
                model = place.ruber_of(model, folder / "ruber")
            calls.append([str(word) for word in place.words(door, model, folder / "out")])
            statuses.append(status)
    (tmp_path / "control").mkdir()
    code_beside_alone(tmp_path / "control")
    leader, terminal = pty.openpty()
    os.write(leader, b"y\n" * 50)
    done = subprocess.run(
        [sys.executable, "-c", ASKED, json.dumps(calls), tmp_path / "control"],
        stdin=terminal,
        capture_output=True,
        text=True,
        env={**os.environ, "HF_MODULES_CACHE": str(tmp_path / "modules")},
        timeout=300,
        check=False,
    )
    os.close(leader)
    os.close(terminal)
    assert re.findall(r"^STATUS (\d)", done.stdout, re.MULTILINE) == [*map(str, statuses)]
    # transformers alone, asked the same way, does run what it finds: the terminal answers.
    assert [path.parent.name for path in tmp_path.rglob("ran")] == ["control"], done.stderr
