"""What trials are scored by where Java is missing or broken, and numbers that cannot be."""

import re

import pytest

from rejoinder.errors import InputError, MissingExtraError, ParameterError, RejoinderError
from rejoinder.metrics import meteor_scorer
from tiny_sweep import corpus, held


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """A PATH of one empty folder, and a jar that is not looked into."""
    jar = tmp_path / "meteor.jar"
    jar.touch()
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv(meteor_scorer.JAR, str(jar))
    monkeypatch.setattr(meteor_scorer, "_scorers", {})
    return folder


def broken(programs):
    java = programs / "java"
    java.write_text("#!/bin/sh\necho no runtime here >&2\nexit 3\n", "utf-8")
    java.chmod(0o755)


def test_bleu_stands_in_where_there_is_no_java(programs):
    found = held(metric=None)
    assert found.metric.label.startswith("BLEU")
    assert found.fallback is not None
    assert "BLEU in place of METEOR" in found.fallback
    assert "no 'java' on the PATH" in found.fallback
    assert found.fallback in found.notes
    with pytest.raises(MissingExtraError, match="no 'java'"):
        held(metric="meteor")


def test_bleu_stands_in_where_java_does_not_run(programs):
    broken(programs)
    found = held(metric=None)
    assert found.metric.label.startswith("BLEU")
    assert "no runtime here" in (found.fallback or "")
    with pytest.raises(RejoinderError, match="exit status 3"):
        held(metric="meteor")


def test_bleu_that_was_asked_for_stands_in_for_nothing(programs):
    found = held(metric="bleu")
    assert found.fallback is None
    assert not any("METEOR" in note for note in found.notes)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"beam": 0}, "beam=0: expected 1"),
        ({"train_prompts": -1}, "train_prompts=-1: expected 0"),
        ({"generic": " "}, "generic=' ': the generic reply is empty"),
        ({"metric": "rouge"}, "metric='rouge': expected 'meteor' or 'bleu'"),
    ],
)
def test_numbers_that_cannot_be(given, words):
    with pytest.raises(ParameterError, match=re.escape(words)):
        held(**given)


def test_a_corpus_too_small_to_hold_some_out(monkeypatch):
    few = corpus().take(range(19))
    monkeypatch.setattr("tiny_sweep.corpus", lambda: few)
    with pytest.raises(InputError, match=r"or validation=CORPUS"):
        held()
