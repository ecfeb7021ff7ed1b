"""Metrics that disagree are summed up in a sentence."""

import polars as pl

import rejoinder

# The first system repeats the reference with a wrong tail, the second has its beginning alone.
REFERENCES = [[f"it runs at nine o'clock {i} tonight"] for i in range(20)]
LONG = [f"it runs at nine o'clock {i} tonight but not for you my friend" for i in range(20)]
SHORT = ["it runs"] * 20
TEXTS = {"long": LONG, "short": SHORT}


def compared(texts, *metrics):
    scores = rejoinder.score(REFERENCES, texts, metrics, resamples=100)
    return rejoinder.compare(scores).to_markdown().replace("\\", "")


def test_what_each_metric_prefers_is_said_where_one_is_significant():
    shown = compared(TEXTS, "rouge1:measure=recall", "rouge1:measure=precision")
    assert "The metrics disagree: ROUGE-1 recall* prefers long; ROUGE-1" in shown
    assert "* prefers short (*: significant)." in shown


def test_a_metric_prefers_nobody_by_a_rounding_error():
    values = {"a": (1.1, 1), "b": (1.1 + 1e-14, 0)}
    rows = [(system, f"c{i}", *each) for system, each in values.items() for i in range(20)]
    frame = pl.DataFrame(rows, ["system", "id", "grade", "passed"], orient="row")
    compared = rejoinder.compare(rejoinder.Scores.from_segments(frame, resamples=100))
    grade, passed = compared.table["difference"]
    assert -1e-12 < grade < 0 < passed
    assert "metrics disagree" not in compared.to_markdown()


def test_metrics_that_agree_and_metrics_that_rank_nobody_disagree_with_none():
    assert "metrics disagree" not in compared(TEXTS, "bleu", "rougeL", "length")


def test_many_pairs_have_one_sentence():
    texts = TEXTS | {f"s{i}": [*LONG[:i], *SHORT[i:]] for i in (5, 10)}
    shown = compared(texts, "rouge1:measure=recall", "rouge1:measure=precision")
    assert (
        "The metrics disagree on 4 of 6 pairs of systems" in shown
    )  # 5 items decide the other two
