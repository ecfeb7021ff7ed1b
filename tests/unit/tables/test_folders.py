"""A folder that no format knows: the file that is called like what is read, or the only one."""

import pytest

import rejoinder
from rejoinder.errors import InputError
from shared_data import shared

RATINGS = "id,system,score\nc1,bot,4\n"
SCORES = "id,system,name,value\nc1,bot,judge,0.5\n"


def test_the_file_that_is_called_like_it_is_read(tmp_path, caplog):
    (tmp_path / "ratings.csv").write_text(RATINGS)
    (tmp_path / "scores.csv").write_text(SCORES)
    (tmp_path / "README.md").write_text("Hi.\n")
    assert rejoinder.read_ratings(tmp_path).height == 1
    assert rejoinder.read_scores(tmp_path).height == 1
    assert "the file 'ratings.csv' of this folder is read" in caplog.text
    with pytest.raises(InputError, match="a folder of no format known here"):
        rejoinder.read_testset(tmp_path)
    kinds = [each.kind for each in rejoinder.look(tmp_path).readings]
    assert kinds == ["ratings"]


def test_the_only_file_is_read(tmp_path):
    (tmp_path / "dev.jsonl").write_text('{"id": 1, "references": ["Hi."]}\n')
    (tmp_path / ".hidden").write_text("x")
    assert rejoinder.read_testset(tmp_path).ids == ["1"]


@pytest.mark.parametrize(
    ("folder", "items"),
    [
        ("dailydialog", 6740), ("dailydialog-multiref", 6740), ("dailydialog-plusplus", 1028),
        ("dstc7-task2", 500), ("grade-dailydialog", 150),
    ],
)  # fmt: skip
def test_every_folder_of_the_shared_data_is_a_test_set(folder, items):
    assert len(rejoinder.read_testset(shared("data", folder))) == items


def test_the_folder_of_three_judges():
    folder = shared("data", "judges-dailydialog-zhao")
    assert rejoinder.read_ratings(folder).height == 450
    assert rejoinder.read_scores(folder).height == 1350
