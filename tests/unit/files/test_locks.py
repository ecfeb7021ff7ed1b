"""One run at a time in a folder, and nothing left behind."""

import os

import pytest

from rejoinder.errors import InputError
from rejoinder.files.locks import alone
from rejoinder.files.replacing import beside, made_folder, remove_parts


def test_a_second_run_is_refused_until_the_first_has_ended(tmp_path):
    pytest.importorskip("fcntl")
    place = tmp_path / "new" / "run"
    with alone(place):
        with (
            pytest.raises(InputError, match="another run writes to this folder now; wait"),
            alone(place),
        ):
            pass
        assert place.is_dir()
    assert not place.exists()  # nothing was written
    with alone(place):
        (place / "a.txt").touch()
    assert list(place.iterdir()) == [place / "a.txt"]


def test_an_empty_folder_that_was_there_stays(tmp_path):
    with alone(tmp_path):
        pass
    assert tmp_path.is_dir()


def test_a_folder_that_another_run_makes_anew_stays(tmp_path):
    pytest.importorskip("fcntl")
    place = tmp_path / "run"
    with alone(place):
        place.rmdir()
        place.mkdir()
        os.rename(place, tmp_path / "other")
        place.mkdir()
    assert place.is_dir()


def test_a_link_to_no_folder_yet(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "deep" / "run")
    assert made_folder(tmp_path / "link") == tmp_path / "link"
    assert (tmp_path / "deep" / "run").is_dir()
    assert (tmp_path / "link").is_symlink()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="the folder cannot be made: Not a directory; choose"):
        made_folder(tmp_path / "file" / "below")


def test_what_killed_runs_left_goes_and_nothing_else(tmp_path):
    left = [beside(tmp_path / name, "part") for name in ("m", "other")]
    (left[0]).mkdir()
    (left[0] / "model.safetensors").touch()
    left[1].touch()
    kept = [".m.part", ".m.mine.part", "m.7-abcdef01.part", ".m.7-abcdef01.part.txt", ".mm.7.old"]
    for name in kept:
        (tmp_path / name).touch()
    remove_parts(tmp_path, "m")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*kept, left[1].name])
    remove_parts(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(kept)
    remove_parts(tmp_path / "nowhere")


def test_parts_of_long_names_that_begin_alike_are_told_apart(tmp_path):
    one, other = (tmp_path / f"{'m' * 60}-seed{number}" for number in (1, 2))
    parts = [beside(each, "part") for each in (one, other)]
    for part in parts:
        part.touch()
    remove_parts(tmp_path, one.name)
    assert list(tmp_path.iterdir()) == [parts[1]]
