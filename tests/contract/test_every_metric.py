"""What holds for every registered metric, whatever it measures."""

import numpy as np
import polars as pl
import pytest

from contract_texts import CONTEXTS, HYPOTHESES, REFERENCES, WEIGHTS
from rejoinder import TestSet, score
from rejoinder.batches.batch import Batch
from rejoinder.errors import MissingExtraError, ParameterError
from rejoinder.metrics import registry
from rejoinder.metrics.base import Score
from rejoinder.metrics.engine.measurement import provided
from rejoinder.metrics.meteor_scorer import command
from rejoinder.providers.registry import identity


def tolerance(metric):
    """A model's last digits depend on the texts that share a batch."""
    return 1e-6 if "features" in metric.needs else 1e-12


def measured_batch(metric):
    """The items, with what models say of them."""
    return provided([metric], Batch.from_lists(HYPOTHESES, REFERENCES, WEIGHTS, CONTEXTS))


MARKS = {"meteor": pytest.mark.java, "cosine-minilm": pytest.mark.slow}
PARAMS = [
    pytest.param(name, marks=MARKS.get(name, ())) for name in (*registry.METRICS, "cosine-minilm")
]


@pytest.fixture(params=PARAMS)
def metric(request):
    if request.param == "cosine-minilm":
        return registry.metric(f"cosine:encoder={request.getfixturevalue('minilm')}")
    if request.param == "meteor":
        try:
            command("en", normalize=True)
        except MissingExtraError as error:
            pytest.skip(str(error))
    sources = registry.metric(request.param).sources
    if "vectors" in sources:
        return registry.metric(f"{request.param}:vectors={request.getfixturevalue('vectors')}")
    if "encoder" in sources:
        return registry.metric(f"{request.param}:encoder={request.getfixturevalue('encoder')}")
    if "model" in sources:
        return registry.metric(f"{request.param}:model={request.getfixturevalue('ruber')}")
    return registry.metric(request.param)


def test_declares_its_facts(metric):
    assert registry.metric(metric.name).name == metric.name
    assert len(metric.source) > 5
    low, high = metric.bounds
    assert low < high
    assert metric.needs <= {"references", "weights", "context", "features"}
    assert isinstance(metric.higher_is_better, bool)
    assert type(metric).__doc__
    assert metric.label
    with pytest.raises(AttributeError):
        metric.order = 3  # frozen


def test_corpus_score_is_within_bounds_and_reproducible(metric):
    one = metric.corpus(HYPOTHESES, REFERENCES, WEIGHTS, contexts=CONTEXTS, resamples=100)
    two = metric.corpus(HYPOTHESES, REFERENCES, WEIGHTS, contexts=CONTEXTS, resamples=100)
    assert isinstance(one, Score)
    assert one == two
    low, high = metric.bounds
    assert low <= one.value <= high
    assert one.low <= one.high
    assert one.n == len(HYPOTHESES)
    assert metric.name in one.signature
    assert "bs:100" in one.signature


def test_segments_are_within_bounds(metric):
    scores = metric.segments(HYPOTHESES, REFERENCES, WEIGHTS, contexts=CONTEXTS)
    assert scores.shape == (60,)
    assert scores.dtype == np.float64
    low, high = metric.bounds
    known = scores[~np.isnan(scores)]
    assert ((known >= low) & (known <= high)).all()


def test_the_order_of_items_is_irrelevant(metric):
    order = np.random.default_rng(1).permutation(60)
    shuffled = [[each[i] for i in order] for each in (HYPOTHESES, REFERENCES, WEIGHTS)]
    contexts = [CONTEXTS[i] for i in order]
    expected = metric.corpus(HYPOTHESES, REFERENCES, WEIGHTS, contexts=CONTEXTS).value
    assert metric.corpus(*shuffled, contexts=contexts).value == pytest.approx(
        expected, abs=tolerance(metric)
    )
    segments = metric.segments(HYPOTHESES, REFERENCES, WEIGHTS, contexts=CONTEXTS)[order]
    np.testing.assert_allclose(
        metric.segments(*shuffled, contexts=contexts), segments, atol=tolerance(metric)
    )


def test_shards_add_up_to_the_whole(metric):
    from rejoinder.metrics.engine.rows import joined, rows_of

    whole = measured_batch(metric)
    shards = [metric.statistics(whole.part(a, b)) for a, b in ((0, 7), (7, 41), (41, 60))]
    rows = rows_of(joined(shards), systems=1)
    value = float(metric.score(rows.sums())[0])
    assert value == pytest.approx(
        metric.corpus(HYPOTHESES, REFERENCES, WEIGHTS, contexts=CONTEXTS).value,
        abs=tolerance(metric),
    )


def test_rows_sum_to_the_corpus_score(metric):
    if not metric.summable:
        pytest.skip("its rows are bags, merged by adding counts")
    rows = metric.statistics(measured_batch(metric))
    assert rows.shape == (60, len(metric.columns))
    assert rows.dtype == np.float64
    value = metric.corpus(HYPOTHESES, REFERENCES, WEIGHTS, contexts=CONTEXTS).value
    assert float(metric.score(rows.sum(axis=0))) == pytest.approx(value, abs=tolerance(metric))
    # Vectorised over leading axes.
    stacked = metric.score(np.stack([rows[:6], rows[6:12]]))
    np.testing.assert_array_equal(stacked, [metric.score(rows[:6]), metric.score(rows[6:12])])


def test_inputs_are_left_untouched(metric):
    before = (list(HYPOTHESES), [list(few) for few in REFERENCES], [list(few) for few in WEIGHTS])
    metric.corpus(HYPOTHESES, REFERENCES, WEIGHTS, contexts=CONTEXTS)
    assert before == (HYPOTHESES, REFERENCES, WEIGHTS)


def test_empty_replies_score_without_a_warning(metric):
    scores = metric.segments(["", "yes"], [["yes"], ["yes", ""]], contexts=[["tea?"], ["now?"]])
    assert scores.shape == (2,)
    value = metric.corpus(["", ""], [["yes"], ["no"]], contexts=[["tea?"], ["now?"]]).value
    assert np.isnan(value) or metric.bounds[0] <= value <= metric.bounds[1]


def test_a_table_of_systems_equals_each_system_alone(metric):
    testset = TestSet.from_lists(REFERENCES, WEIGHTS, CONTEXTS)
    other = [reply[::-1] for reply in HYPOTHESES]
    responses = pl.DataFrame(
        {
            "system": ["a"] * 60 + ["b"] * 60,
            "id": testset.ids * 2,
            "text": HYPOTHESES + other,
        }
    )
    table = score(testset, responses, [metric], resamples=0).systems()
    values = dict(zip(table["system"], table["value"], strict=True))
    for system, replies in (("a", HYPOTHESES), ("b", other)):
        alone = metric.corpus(replies, REFERENCES, WEIGHTS, contexts=CONTEXTS).value
        assert values[system] == pytest.approx(alone, abs=tolerance(metric), nan_ok=True)


def test_scores_survive_a_file(metric, tmp_path):
    from rejoinder import load_scores

    testset = TestSet.from_lists(REFERENCES, WEIGHTS, CONTEXTS)
    responses = pl.DataFrame(
        {"system": ["a"] * 60, "id": testset.ids, "text": HYPOTHESES},
    )
    scores = score(testset, responses, [metric], resamples=100)
    scores.save(tmp_path / "scores.parquet")
    loaded = load_scores(tmp_path / "scores.parquet")
    assert loaded.systems().equals(scores.systems(), null_equal=True)
    assert loaded.segments().equals(scores.segments(), null_equal=True)


def test_every_parameter_stands_in_the_signature(metric):
    signature = metric.signature()
    for name, value in registry.parameters(metric).items():
        if value is None or isinstance(value, bool):
            continue
        if name in metric.sources and not value:  # a file that is not needed, and not named
            continue
        if name in metric.sources:  # its content's hash, so that a path does not make a difference
            assert value not in signature
            value = identity(metric.sources[name], value)
        assert f":{value}" in signature, name


def test_an_unknown_parameter_is_told(metric):
    with pytest.raises(ParameterError, match="is no parameter"):
        registry.metric(f"{metric.name}:nonsense=3")


@pytest.mark.parametrize("value", ["x", [1], {}])
def test_a_parameter_of_another_type_is_told(metric, value):
    for name, default in registry.parameters(metric).items():
        if isinstance(default, str) and isinstance(value, str):
            continue
        with pytest.raises(ParameterError, match=name):
            type(metric)(**{name: value})


def test_the_interval_lies_within_the_bounds(metric):
    replies = [*HYPOTHESES[:3], *HYPOTHESES[5:8]]  # some are their own references, some are not
    score = metric.corpus(
        replies, REFERENCES[:6], WEIGHTS[:6], contexts=CONTEXTS[:6], resamples=100
    )
    low, high = metric.bounds
    assert low <= score.low <= score.high <= high


def test_no_items_are_undefined(metric):
    score = metric.corpus([], [], contexts=[])
    assert np.isnan(score.value)
    assert score.n == 0
