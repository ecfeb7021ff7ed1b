"""Kept scores in the place of files: what they have no use for is refused, never ignored."""

import pytest

from shared_data import EXAMPLES, SYSTEMS, TESTSET


@pytest.fixture
def kept(command, tmp_path):
    path = tmp_path / "kept.parquet"
    assert command("score", TESTSET, *SYSTEMS, "--save", path, "-m", "bleu")[0] == 0
    return path


IGNORED = [
    ("score", "--explain", "c001"),
    ("score", "-r", "ref.txt"),
    ("score", "--missing", "drop"),
    ("score", "--resamples", "0"),
    ("compare", "--seed", "3"),
    ("correlate", "--ratings", EXAMPLES / "ratings.csv", "--drop-unusable"),
    ("plan", "--missing", "drop"),
]


@pytest.mark.parametrize("arguments", IGNORED, ids=lambda each: f"{each[0]} {each[-2]}")
def test_options_that_would_be_ignored_are_refused(command, kept, arguments):
    verb, *options = arguments
    status, out, err = command(verb, kept, *options)
    assert (status, out) == (2, "")
    assert "without texts; name the test set and the responses to measure anew" in err


@pytest.mark.parametrize(
    "verb",
    [
        "audit KEPT",
        "weigh KEPT --ratings RATINGS --output o.jsonl --scale 1 5",
        "recipe galley2015 KEPT --ratings RATINGS",
        "recipe tao2018 KEPT --ratings RATINGS --model folder",
    ],
)
def test_a_verb_that_reads_the_texts_says_that_these_are_kept_scores(command, kept, verb):
    files = {"KEPT": kept, "RATINGS": EXAMPLES / "ratings.csv"}
    status, out, err = command(*(files.get(word, word) for word in verb.split()))
    assert (status, out) == (2, "")
    assert "these are kept scores, which hold no texts" in " ".join(err.split())
    assert "is taken for the test set" not in err


def test_options_of_what_is_shown_are_taken(command, kept, tmp_path):
    assert command("score", kept, "--by", "topic", "--json")[0] == 0
    assert command("score", kept, "--segments", "--save", tmp_path / "again.parquet")[0] == 0
    status, _, err = command("compare", TESTSET, "-m", "bleu")
    assert status == 2
    assert "without texts" not in err


def test_a_file_that_is_no_kept_scores_is_spared(command, tmp_path):
    (tmp_path / "mine.parquet").write_bytes(b"mine")
    score = ("score", TESTSET, *SYSTEMS, "-m", "bleu", "--save")
    status, _, err = command(*score, tmp_path / "mine.parquet")
    assert status == 2
    assert "a file stands there that holds no kept scores" in err
    assert (tmp_path / "mine.parquet").read_bytes() == b"mine"
    for _ in range(2):
        assert command(*score, tmp_path / "kept.parquet")[0] == 0
