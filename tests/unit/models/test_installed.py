"""Without the packages of the extra ``models``: one message that names them and the remedy."""

import importlib.util
import sys

import pytest

from rejoinder.errors import MissingExtraError
from rejoinder.models.installed import check_installed
from shared_data import EXAMPLES, TESTSET


@pytest.fixture
def bare(monkeypatch):
    """An installation without torch."""
    find_spec = importlib.util.find_spec
    monkeypatch.setitem(sys.modules, "torch", None)
    assert find_spec("torch") is None


def test_what_is_absent_is_named(bare):
    check_installed("a test", "json")
    with pytest.raises(MissingExtraError, match=r'^a test needs torch; run: pip install "rejoin'):
        check_installed("a test", "json", "torch")


@pytest.mark.parametrize(
    "words",
    [
        "train ruber {testset} -o {out}",
        "train responder {testset} -o {out}",
        "score {testset} {replies} -m ruber:model={ruber}",
    ],
)
def test_verbs_without_torch_say_what_to_install(bare, words, command, tmp_path):
    kept = EXAMPLES.parent / "tests" / "kept_files" / "be37c84" / "ruber"
    places = {
        "testset": TESTSET,
        "replies": EXAMPLES / "responses" / "tuned.jsonl",
        "ruber": kept,
        "out": tmp_path / "model",
    }
    status, out, err = command(*(word.format(**places) for word in words.split()))
    assert (status, out) == (2, "")
    assert 'needs torch; run: pip install "rejoinder[models]"' in " ".join(err.split())


def test_what_needs_no_extra_is_named(command, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "starlette", None)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    status, out, err = command("annotate", "serve", "--db", tmp_path / "study.sqlite")
    assert (status, out) == (2, "")
    flat = " ".join(err.split())
    assert (
        'annotate serve needs starlette, uvicorn; run: pip install "rejoinder[annotate]", or'
        in flat
    )
    assert "'rejoinder annotate page', which writes an HTML file for each rater" in flat
