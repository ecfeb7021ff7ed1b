"""The version that a wheel gets: of the tag, of the commits since, or the one that is written."""

import subprocess

import pytest

from shared_data import ROOT

pytest.importorskip("hatchling")
hatch_build = pytest.importorskip("hatch_build")


def git(folder, *words):
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip


@pytest.fixture
def checkout(tmp_path):
    home = tmp_path / hatch_build.HOME
    home.parent.mkdir(parents=True)
    home.write_text('"""..."""\n\n__version__ = "0.3.0"\n')
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "First")
    return tmp_path


def test_a_checkout_without_tags_has_the_version_that_is_written(checkout):
    assert hatch_build.version(checkout) == "0.3.0"


def test_a_tagged_commit_has_the_version_of_its_tag(checkout):
    git(checkout, "tag", "v1.2.0")
    git(checkout, "tag", "another-tag")
    assert hatch_build.version(checkout) == "1.2.0"


def test_commits_after_a_tag_are_on_the_way_to_the_next_version(checkout):
    git(checkout, "tag", "v1.2.0")
    git(checkout, "commit", "--allow-empty", "-m", "Second")
    assert hatch_build.version(checkout).startswith("1.2.1.dev1+g")
    (checkout / hatch_build.HOME).write_text('__version__ = "0.3.0"\n')
    assert hatch_build.version(checkout).endswith(".changed")


def test_tags_of_a_project_around_an_unpacked_archive_are_not_ours(checkout):
    git(checkout, "tag", "v9.0.0")
    inner = checkout / "vendor" / "rejoinder"
    (inner / hatch_build.HOME).parent.mkdir(parents=True)
    (inner / hatch_build.HOME).write_text('__version__ = "0.4.0"\n')
    assert hatch_build.version(inner) == "0.4.0"


def test_a_version_that_is_not_written_is_said(checkout):
    (checkout / hatch_build.HOME).write_text("VERSION = 3\n")
    with pytest.raises(ValueError, match=r"no line __version__"):
        hatch_build.written(checkout)


def test_the_package_of_this_checkout_says_what_is_written():
    import rejoinder

    assert rejoinder.__version__ == hatch_build.written(ROOT)
