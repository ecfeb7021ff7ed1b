"""What the commands print as JSON is what the calls from Python return."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

import rejoinder
from rejoinder.errors import ParameterError

EXAMPLES = Path(__file__).parents[3] / "examples"


def printed(capfdbinary, *words):
    from rejoinder.cli.app import app

    app.main([*map(str, words), "--json"], standalone_mode=False)
    return json.loads(capfdbinary.readouterr().out)


def same(ours, theirs):
    """The same but for the names in notes, which are options here and arguments there."""
    ours = {"json_version": 2} | json.loads(msgspec.json.encode(ours))
    notes = [each.pop("notes", []) for each in (ours, theirs)]
    assert theirs == ours
    assert len(notes[0]) == len(notes[1])


def test_ratings(capfdbinary):
    told = printed(capfdbinary, "ratings", EXAMPLES / "ratings.csv", "--filter-raters")
    table = rejoinder.read_ratings(EXAMPLES / "ratings.csv")
    same(rejoinder.ratings(table, drop=True).as_json(), told)


def test_preferences(capfdbinary):
    told = printed(capfdbinary, "preferences", EXAMPLES / "preferences.csv", "--resamples", "100")
    table = rejoinder.read_preferences(EXAMPLES / "preferences.csv")
    same(rejoinder.preferences(table, resamples=100).as_json(), told)


def test_weigh(capfdbinary, tmp_path):
    replies = sorted((EXAMPLES / "responses").iterdir())
    told = printed(
        capfdbinary, "weigh", EXAMPLES / "testset.jsonl", *replies, "--ratings",
        EXAMPLES / "ratings.csv", "-o", tmp_path / "weighed.jsonl", "--scale", 1, 5,
    )  # fmt: skip
    made = rejoinder.weigh(
        rejoinder.read_testset(EXAMPLES / "testset.jsonl"),
        rejoinder.read_responses(*replies),
        rejoinder.read_ratings(EXAMPLES / "ratings.csv"),
    )
    same(made.as_json(str(tmp_path / "weighed.jsonl")), told)


@pytest.mark.parametrize("clustered", [False, True])
def test_filter(capfdbinary, tmp_path, clustered):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(
        "".join(
            json.dumps({"id": f"{i}", "context": [f"{i % 3} times"], "references": [each]}) + "\n"
            for i, each in enumerate(["OK.", "OK.", "Blue.", "OK.", "At nine.", "No."])
        )
    )
    vectors = np.random.default_rng(0).normal(size=(2, 6, 3))
    paths = [tmp_path / "sources.npy", tmp_path / "targets.npy"]
    for path, each in zip(paths, vectors, strict=True):
        np.save(path, each)
    more = ["--sentence-vectors", *paths, "--clusters", 4] if clustered else []
    told = printed(capfdbinary, "filter", corpus, "-o", tmp_path / "kept.jsonl", *more)
    made = rejoinder.filter_corpus(
        rejoinder.read_testset(corpus),
        vectors=(vectors[0], vectors[1]) if clustered else None,
        clusters=4 if clustered else None,
    )
    same(made.as_json(str(tmp_path / "kept.jsonl")), told)
    assert made.testset.ids == rejoinder.read_testset(tmp_path / "kept.jsonl").ids


def test_a_single_string_is_no_list_of_systems():
    with pytest.raises(ParameterError, match="without is a string; expected a list of systems"):
        rejoinder.ratings(rejoinder.read_ratings(EXAMPLES / "ratings.csv"), without="tuned")
