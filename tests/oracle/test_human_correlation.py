"""Published turn-level correlations with 500 human ratings, to four decimals."""

import csv
import json

import pytest

from rejoinder.errors import MissingExtraError
from rejoinder.metrics.bleu import BLEU
from rejoinder.metrics.meteor import METEOR
from rejoinder.metrics.meteor_scorer import command
from rejoinder.metrics.rouge import ROUGE
from shared_data import shared

METRICS = {
    **{f"Bleu_{n}": BLEU(order=n, tokenizer="none", smoothing="caption") for n in (1, 2, 3, 4)},
    "ROUGE_L": ROUGE("L", form="caption"),
    "METEOR": METEOR(),
}


@pytest.mark.parametrize("kind", ["single", "multi"])
@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.java] * (each == "METEOR")) for each in METRICS]
)
def test_correlation_with_people(name, kind):
    stats = pytest.importorskip("scipy.stats")
    oracle = json.loads(
        shared("oracles", "human-correlation-dailydialog-multiref.json").read_text()
    )
    path = shared("data", "dailydialog-multiref", "mturk_rating_processed_output.csv")
    if name == "METEOR":
        try:
            command("en", normalize=True)
        except MissingExtraError as error:
            pytest.skip(f"{error}")
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 500
    if kind == "single":
        references = [[row["prevgt"]] for row in rows]
    else:
        references = [row["all_references"].split("\t") for row in rows]
    scores = METRICS[name].segments([row["response"] for row in rows], references)
    ratings = [float(row["human_average_rating"]) for row in rows]
    for coefficient, correlate in (
        ("pearson", stats.pearsonr),
        ("spearman", stats.spearmanr),
        ("kendall", stats.kendalltau),
    ):
        expected = oracle[kind][name][coefficient]
        assert correlate(scores, ratings)[0] == pytest.approx(expected, abs=5e-5), coefficient
