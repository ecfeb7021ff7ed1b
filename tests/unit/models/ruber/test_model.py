"""A model's folder whose files are whole, and which this version of Rejoinder cannot have written."""

import hashlib
import json
import shutil

import pytest

pytest.importorskip("torch")
pytest.importorskip("gensim")

import torch

import tiny_ruber
from rejoinder.errors import InputError
from rejoinder.models.ruber.model import load
from rejoinder.models.training.folder import Record, write_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m"
    tiny_ruber.trained(path, sizes=("gru",))
    return path


def altered(folder, tmp_path, change, hashed=False):
    """A copy with another record, and with the hash of that unless ``hashed`` is the old one."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    config = json.loads((copy / "config.json").read_text())
    change(config["rejoinder"])
    if not hashed:
        del config["rejoinder"]["record_sha256"]
        plain = json.dumps(config["rejoinder"], sort_keys=True).encode()
        config["rejoinder"]["record_sha256"] = hashlib.sha256(plain).hexdigest()
    (copy / "config.json").write_text(json.dumps(config))
    return copy


def member(**given):
    return lambda noted: noted["config"]["members"][0].update(given)


def inner(**given):
    return lambda noted: noted["config"]["members"][0]["config"].update(given)


CHANGES = {
    "no members": (lambda noted: noted["config"].pop("members"), "'members' is not in it"),
    "none of them": (lambda noted: noted["config"].update(members=[]), "no member counts"),
    "members of another kind": (member(kind="tree"), "kind 'tree', which is unknown"),
    "members without a name": (lambda n: n["config"].update(members=["gru-1"]), "indices"),
    "without a weight": (member(weight=0), "no member counts"),
    "the name of another": (member(name="gru-9"), "'words.txt' is not in it"),
    "a mean that is none": (member(mean="much"), "could not convert"),
    "units": (inner(units=3), "config.json says units = 3; expected 128, as model.safetensors has"),
    "a size of another version": (inner(depth=3), "unexpected keyword argument 'depth'"),
    "an encoder's member": (member(kind="cross", config={}), "reads with a sentence encoder"),
    "pooled": (lambda n: n["calibration"].pop("pooled"), "'pooled' is not in it"),
    "a bound": (lambda n: n["calibration"].update(pooled=[1]), "not enough values"),
    "turns": (lambda noted: noted["config"].update(turns=0), "turns: 0"),
    "no language": (lambda noted: noted["config"].pop("language"), "'language' is not in it"),
    "an encoder": (lambda noted: noted["config"].update(encoder="x"), "'encoder_hash' is not in"),
}


@pytest.mark.parametrize(("change", "why"), CHANGES.values(), ids=CHANGES.keys())
def test_a_record_of_another_shape_is_one_clear_error(folder, tmp_path, change, why):
    with pytest.raises(InputError, match=why) as told:
        load(altered(folder, tmp_path, change))
    assert "copy: of another version of Rejoinder, or altered (" in str(told.value)
    assert str(told.value).endswith("or remove the folder and train the model again")
    assert "\n" not in str(told.value)


def test_a_folder_of_the_kind_alone_is_no_model(tmp_path):
    write_folder(tmp_path / "m", Record("ruber", {}), {"a": torch.zeros(2)})
    with pytest.raises(InputError, match="another version of Rejoinder, or altered"):
        load(tmp_path / "m")


def test_a_number_altered_in_the_record_is_told_by_its_hash(folder, tmp_path):
    with pytest.raises(InputError, match=r"copy: config.json is altered; remove the folder"):
        load(altered(folder, tmp_path, member(mean=1e9), hashed=True))


def test_a_folder_without_that_hash_gives_the_same_scores(folder, tmp_path):
    older = load(altered(folder, tmp_path, lambda noted: None))
    pair = [["Is there tea at the park?"]], ["Yes, the park has tea."]
    assert older.score(*pair) == load(folder).score(*pair)
