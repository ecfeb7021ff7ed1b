"""Digests of single ratings: what changes them, what does not, and how many are kept."""

import polars as pl
import pytest

from rejoinder.human_evaluation import rating_digests as module
from rejoinder.human_evaluation.rating_digests import packed, rating_digests, unpacked

ROW = {"id": "1", "system": "a", "rater": "r", "criterion": "overall", "score": 1.0}


def of(*rows):
    return rating_digests(pl.DataFrame([ROW | each for each in rows]))


@pytest.mark.parametrize("change", [{"id": "2"}, {"system": "b"}, {"rater": "s"}, {"score": 2.0}])
def test_another_item_system_rater_or_score_is_another_digest(change):
    assert not of({}) & of(change)


def test_what_makes_no_other_digest():
    whole = pl.DataFrame([ROW, ROW | {"rater": "s", "score": 0.0}])
    assert len(rating_digests(whole)) == 2
    for same in (
        whole.reverse(),
        whole.cast({"score": pl.Int64}),
        whole.with_columns(score=pl.col("score") * -1 * -1),
        whole.with_columns(criterion=pl.lit("x"), probability=0.5),
        pl.concat([whole, whole]),
    ):
        assert rating_digests(same) == rating_digests(whole)
    assert of({"score": 0.0}) == of({"score": -0.0})
    # The parts of a digest are not run together.
    assert not of({"id": "1a", "system": "b"}) & of({"id": "1", "system": "ab"})


@pytest.mark.parametrize(("count", "kept"), [(0, 0), (2, 2), (3, 3), (4, 3)])
def test_the_smallest_digests_are_kept(monkeypatch, count, kept):
    monkeypatch.setattr(module, "MOST", 3)
    digests = of(*({"id": str(i)} for i in range(count))) if count else frozenset()
    assert unpacked(packed(digests)) == frozenset(sorted(digests)[:kept])
    assert packed(sorted(digests)) == packed(sorted(digests, reverse=True))


def test_a_text_that_holds_no_digests():
    assert unpacked("a") == unpacked("") == frozenset()
