"""A finished model's folder: whole, checked, and named by its hash."""

import json
import os
import shutil
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from rejoinder.errors import InputError  # noqa: E402
from rejoinder.files.content import folder_hash  # noqa: E402
from rejoinder.models.training.folder import (  # noqa: E402
    Record,
    check_free,
    check_own,
    finished,
    read_folder,
    versions,
    write_folder,
)


def written(path, value=1.0):
    weight = torch.full((3, 2), value)
    record = Record("line", {"width": 2}, "abc", [{"epoch": 1, "loss": 0.5}], versions("numpy"))
    return write_folder(path, record, {"a": weight, "b": weight}, {"vocabulary.txt": b"hi\n"})


def test_reads_what_was_written(tmp_path):
    written(tmp_path / "m")
    model = read_folder(tmp_path / "m", "line")
    assert model.record.config == {"width": 2}
    assert model.record.log == [{"epoch": 1, "loss": 0.5}]
    assert model.files == ("vocabulary.txt",)
    tensors = model.tensors()  # a tied pair comes back under both names
    assert torch.equal(tensors["a"], tensors["b"])
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_the_hash_follows_the_content_not_the_place(tmp_path):
    one, two = written(tmp_path / "one"), written(tmp_path / "two")
    three = written(tmp_path / "three", 2.0)
    assert one.hash == two.hash == folder_hash(tmp_path / "one")
    assert len(one.hash) == 8
    assert one.hash != three.hash
    (tmp_path / "two" / ".hidden").write_text("x")
    assert two.hash == one.hash


def test_a_model_is_replaced_and_other_things_are_not(tmp_path):
    before = written(tmp_path / "m").hash
    assert written(tmp_path / "m", 2.0).hash != before
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match="other things"):
        written(tmp_path / "full")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is a file"):
        check_free(tmp_path / "file")


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_all_files_follow_the_umask(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        written(tmp_path / "m")
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "m").iterdir()}
    assert modes == dict.fromkeys(("config.json", "model.safetensors", "vocabulary.txt"), mode)


def damages():
    def cut(folder):
        path = folder / "model.safetensors"
        path.write_bytes(path.read_bytes()[:-1])

    def other_version(folder):
        path = folder / "config.json"
        config = json.loads(path.read_text())
        config["rejoinder"]["new"] = 1
        path.write_text(json.dumps(config))

    def other_record(change):
        def damage(folder):
            path = folder / "config.json"
            config = json.loads(path.read_text())
            change(config["rejoinder"])
            path.write_text(json.dumps(config))

        return damage

    def hashless(noted):
        del noted["record_sha256"]

    return {
        "config.json is altered": other_record(lambda noted: noted["config"].update(width=3)),
        "config.json is altered; remove": other_record(hashless),
        "altered or cut": cut,
        "missing": lambda folder: (folder / "vocabulary.txt").unlink(),
        "no model of Rejoinder's": lambda folder: (folder / "config.json").write_text("{}"),
        "is missing, cut": lambda folder: (folder / "config.json").write_text("{"),
        "another version": other_version,
    }


@pytest.mark.parametrize(("message", "damage"), damages().items(), ids=damages().keys())
def test_damage_is_one_message(tmp_path, message, damage):
    written(tmp_path / "m")
    damage(tmp_path / "m")
    with pytest.raises(InputError, match=message):
        read_folder(tmp_path / "m")


def test_the_remedy_of_an_altered_folder_mends_it(tmp_path):
    written(tmp_path / "m")
    (tmp_path / "m" / "vocabulary.txt").write_text("ho\n")
    for reading in (read_folder, lambda path: finished(path, {})):  # training again asks the latter
        with pytest.raises(
            InputError, match="remove the folder, then fetch or train the model again"
        ):
            reading(tmp_path / "m")
    shutil.rmtree(tmp_path / "m")
    assert finished(tmp_path / "m", {}) is None


def test_the_hash_is_of_the_keys_beside_the_record_too(tmp_path):
    def with_keys(path):
        return write_folder(path, Record("line", {}), {"a": torch.zeros(2)}, keys={"width": 2})

    def changed(change):
        shutil.rmtree(tmp_path / "m", ignore_errors=True)
        with_keys(tmp_path / "m")
        config = json.loads((tmp_path / "m" / "config.json").read_text())
        change(config)
        (tmp_path / "m" / "config.json").write_text(json.dumps(config))
        return tmp_path / "m"

    for check in (read_folder, check_own):
        check(changed(lambda config: None))
        with pytest.raises(InputError, match=r"config\.json is altered"):
            check(changed(lambda config: config.update(width=3)))
        with pytest.raises(InputError, match=r"config\.json is altered"):
            check(changed(lambda config: config.pop("width")))


def test_folders_of_other_programs_are_not_compared_with_hashes(tmp_path):
    check_own(tmp_path / "none")
    check_own(tmp_path)
    (tmp_path / "config.json").write_text('{"width": 2}')
    check_own(tmp_path)
    written(tmp_path / "m")
    (tmp_path / "m" / "vocabulary.txt").write_text("ho\n")
    with pytest.raises(
        InputError, match=r"wrote the model anew, remove the entry 'rejoinder' from"
    ):
        check_own(tmp_path / "m")


def test_kind_and_place_are_checked(tmp_path):
    written(tmp_path / "m")
    with pytest.raises(InputError, match="kind 'line'; expected 'ruber'"):
        read_folder(tmp_path / "m", "ruber")
    with pytest.raises(InputError, match="no such folder"):
        read_folder(tmp_path / "n")
    with pytest.raises(InputError, match="no folder"):
        folder_hash(tmp_path / "n")


def test_of_two_that_write_a_folder_at_once_the_last_wins(tmp_path, monkeypatch):
    """Another process puts its model into place whenever this one is about to."""
    rename, others = os.rename, []

    def meanwhile(source, target):
        if Path(target) == tmp_path / "m" and len(others) < 3:
            others.append(source)
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target)
            (Path(target) / "config.json").write_text('{"rejoinder": {}}')
        rename(source, target)

    monkeypatch.setattr(os, "rename", meanwhile)
    written = write_folder(tmp_path / "m", Record("line", {"width": 2}), {"w": torch.ones(2)})
    assert len(others) == 3
    assert written.record.config == {"width": 2}
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_what_stands_in_the_way_of_no_name_that_was_foreseen(tmp_path):
    """In a container every command may be process 7: what a killed one left is in nobody's way."""
    (tmp_path / f".m.{os.getpid()}.part").mkdir()
    write_folder(tmp_path / "m", Record("line", {}), {"w": torch.ones(2)})
    assert (tmp_path / f".m.{os.getpid()}.part").is_dir()
