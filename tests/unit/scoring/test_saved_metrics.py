"""Metrics of the user's own in kept scores: nothing of a file is lost, whatever is in it."""

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

from random_text import corpus
from rejoinder import TestSet, load_scores, score
from rejoinder.errors import InputError, ParameterError
from rejoinder.metrics import BLEU
from rejoinder.metrics.base import Metric
from rejoinder.metrics.means import MeanMetric, mean_rows

HYPOTHESES, REFERENCES = corpus(seed=5, n=30)
TESTSET = TestSet.from_lists(REFERENCES)
RESPONSES = pl.concat(
    pl.DataFrame({"system": name, "id": TESTSET.ids, "text": texts})
    for name, texts in (("whole", HYPOTHESES), ("half", [t[: len(t) // 2] for t in HYPOTHESES]))
)


@dataclass(frozen=True)
class Characters(MeanMetric):
    """The mean number of characters, at most ``most``: a mean of rows."""

    name: ClassVar[str] = "characters"
    source: ClassVar[str] = "this test"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    higher_is_better: ClassVar[bool] = False
    most: int = 1000

    def statistics(self, batch):
        lengths = [float(min(len(text), self.most)) for text in batch.hypotheses]
        return mean_rows(np.array(lengths))


@dataclass(frozen=True)
class Spread(Metric):
    """The standard deviation of the number of characters: no mean of rows."""

    name: ClassVar[str] = "spread"
    source: ClassVar[str] = "this test"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    @property
    def columns(self):
        return ("count", "sum", "squares")

    def statistics(self, batch):
        lengths = np.array([float(len(text)) for text in batch.hypotheses])
        return np.stack([np.ones(lengths.size), lengths, lengths**2], axis=1)

    def score(self, totals):
        n = totals[..., 0]
        return np.sqrt(np.maximum(totals[..., 2] / n - (totals[..., 1] / n) ** 2, 0.0))


@dataclass(frozen=True)
class OtherBLEU(BLEU):
    """BLEU upside down, under the name that it inherits."""

    def score(self, totals):
        return 1.0 - super().score(totals)


class Stopped(Characters):
    """Has a parameter that JSON cannot hold."""

    name: ClassVar[str] = "stopped"

    def __init__(self, words=frozenset({"the"})):
        object.__setattr__(self, "most", 7)
        object.__setattr__(self, "words", words)


def measured(*metrics):
    return score(TESTSET, RESPONSES, [*metrics], resamples=200)


FRESH = """
import json, sys
import rejoinder
kept = rejoinder.load_scores(sys.argv[1])
kept.save(sys.argv[2])
table = kept.systems()
print(json.dumps({
    "rows": table.select("metric", "system", "value", "low", "high").rows(),
    "pairs": kept.compare().select("metric", "p_randomization").rows(),
    "notes": kept.notes,
}))
"""


def test_a_fresh_process_without_the_class_opens_the_file_and_loses_nothing(tmp_path):
    scores = measured("bleu", Characters(), Spread())
    scores.save(tmp_path / "kept.parquet")
    command = [sys.executable, "-c", FRESH, tmp_path / "kept.parquet", tmp_path / "again.parquet"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    rows = scores.systems().select("metric", "system", "value", "low", "high").rows()
    assert told["rows"] == [[*row] for row in rows if row[0] != "spread"]
    pairs = scores.compare().select("metric", "p_randomization").rows()
    assert told["pairs"] == [[*row] for row in pairs if row[0] != "spread"]
    of_mean, of_spread = told["notes"][-2:]
    assert of_mean.startswith("characters: the class of this metric (")
    assert "Characters) is not part of Rejoinder: its values are the means of its" in of_mean
    assert of_spread.startswith("spread: the class of this metric (")
    assert "it is not scored, but its rows are kept" in of_spread
    # With the classes, from the file and from the one that the other process wrote: all is equal.
    for name in ("kept", "again"):
        for given in ([Characters(), Spread()], [Spread, Characters]):
            again = load_scores(tmp_path / f"{name}.parquet", metrics=given)
            assert again.notes == scores.notes
            for label in scores.labels:
                one, other = (each.systems().filter(metric=label) for each in (scores, again))
                assert one.equals(other)
            assert again.segments().select(scores.segments().columns).equals(scores.segments())


def test_the_command_line_shows_what_it_can(tmp_path, capfd):
    from rejoinder.cli.app import run

    measured("bleu", Spread()).save(tmp_path / "kept.parquet")
    assert run(["score", str(tmp_path / "kept.parquet"), "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert "spread: the class of this metric" in " ".join(told["notes"])
    measured(Spread()).save(tmp_path / "alone.parquet")
    assert run(["score", str(tmp_path / "alone.parquet")]) == 2
    assert "rejoinder.load_scores(path, metrics=[...])" in capfd.readouterr().err


def test_a_class_of_ones_own_is_not_taken_for_the_one_whose_name_it_inherits(tmp_path):
    scores = measured(OtherBLEU(), "chrf")
    scores.save(tmp_path / "kept.parquet")
    assert load_scores(tmp_path / "kept.parquet").labels == ["chrF"]
    again = load_scores(tmp_path / "kept.parquet", metrics=[OtherBLEU()])
    assert again.systems().equals(scores.systems())


def test_rows_that_are_not_scored_are_picked_and_kept_with_their_items(tmp_path):
    measured("bleu", Spread()).save(tmp_path / "kept.parquet")
    picked = np.arange(30) % 3 == 0
    load_scores(tmp_path / "kept.parquet").select(picked).save(tmp_path / "some.parquet")
    some = load_scores(tmp_path / "some.parquet", metrics=[Spread])
    own = measured(Spread()).select(picked)
    assert some.segments()["spread"].equals(own.segments()["spread"])


def test_a_parameter_that_json_cannot_hold_is_no_reason_to_lose_the_rows(tmp_path):
    scores = measured(Stopped())
    scores.save(tmp_path / "kept.parquet")
    for again in (
        load_scores(tmp_path / "kept.parquet"),
        load_scores(tmp_path / "kept.parquet", metrics=[Stopped()]),
    ):
        assert again.systems().equals(scores.systems())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([Spread()], "no metric with the name 'spread'; choose 'bleu' or 'characters'"),
        ([Characters(most=3)], r"saved with the parameters \{'most': 1000\}"),
        (["characters"], "is no metric"),
        ([int], "is no metric"),
        (Characters(), "expected a list of metrics"),
    ],
    ids=["another", "parameters", "name", "class", "no list"],
)
def test_metrics_that_the_file_does_not_hold_are_refused(tmp_path, given, message):
    measured("bleu", Characters()).save(tmp_path / "kept.parquet")
    with pytest.raises(ParameterError, match=message):
        load_scores(tmp_path / "kept.parquet", metrics=given)


def test_a_kept_mean_measures_nothing(tmp_path):
    measured(Characters()).save(tmp_path / "kept.parquet")
    metric = load_scores(tmp_path / "kept.parquet").measured["characters"].metric
    with pytest.raises(ParameterError, match="so nothing can be measured with it"):
        metric.segments(["a"], [["a"]])


def test_a_file_of_own_metrics_alone_says_how_to_open_it(tmp_path):
    measured(Spread()).save(tmp_path / "kept.parquet")
    with pytest.raises(InputError, match="unknown here \\(spread\\)"):
        load_scores(tmp_path / "kept.parquet")
