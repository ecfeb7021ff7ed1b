"""What holds for every provider of features, whatever its model is."""

import shutil
import subprocess
import sys

import numpy as np
import pytest

from contract_texts import CONTEXTS, HYPOTHESES, REFERENCES, WEIGHTS
from rejoinder.batches.batch import Batch
from rejoinder.batches.features import Embedded, Features, Request
from rejoinder.errors import InputError, ParameterError
from rejoinder.metrics import registry
from rejoinder.metrics.engine.measurement import provided
from rejoinder.progress import Progress
from rejoinder.providers.registry import PROVIDERS, identity, provide

OPTIONS = {
    "vectors": ("vectors", {"language": "en"}),
    "encoder": ("encoder", {}),
    "bert-score": (
        "encoder",
        {"layer": 1, "idf": False, "references": "all", "baseline": ""},
    ),
    "ruber": ("ruber", {"unreferenced": "logit"}),
    "ruber-texts": ("ruber", {"referenced": "pooled"}),
}
"""The model that each kind reads, a fixture, and the options of a request."""


def test_every_kind_has_a_row_here():
    assert set(OPTIONS) == set(PROVIDERS)


@pytest.fixture(params=PROVIDERS)
def asked(request):
    model, options = OPTIONS[request.param]
    return Request(request.param, request.getfixturevalue(model), tuple(options.items()))


def batch_of(*items):
    return Batch.from_lists(
        [HYPOTHESES[i] for i in items],
        [REFERENCES[i] for i in items],
        [WEIGHTS[i] for i in items],
        [CONTEXTS[i] for i in items],
    )


def rows(feature, count):
    """The features of each text, comparable: vectors of its words, or its row of numbers."""
    if isinstance(feature, Embedded):
        assert len(feature) == count
        spans = zip(feature.first.tolist(), feature.last.tolist(), strict=True)
        return [feature.vectors(feature.rows[a:b]) for a, b in spans]
    assert feature.shape[0] == count
    return list(feature)


def check_equal(one, two):
    assert len(one) == len(two)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


def test_features_are_of_each_text_of_the_batch(asked):
    batch = batch_of(*range(12))
    features = provide(asked, batch)
    assert isinstance(features, Features)
    rows(features.hypotheses, len(batch.hypotheses))
    if features.references is not None:
        rows(features.references, len(batch.reference_texts))
    assert all(isinstance(note, str) and note for note in features.notes)
    assert all(low < high for low, high in features.ranges.values())


def test_features_are_those_of_a_text_whatever_stands_beside_it(asked):
    features = provide(asked, batch_of(*range(12)))
    again = provide(asked, batch_of(*reversed(range(12))))
    forth = rows(features.hypotheses, 12)
    check_equal(forth, rows(again.hypotheses, 12)[::-1])
    check_equal(forth[:1], rows(provide(asked, batch_of(0)).hypotheses, 1))


def test_a_part_of_features_is_of_the_part_of_the_batch(asked):
    batch = batch_of(*range(12))
    batch = Batch(**{**vars(batch), "features": {asked: provide(asked, batch)}})
    whole, part = batch.features[asked], batch.part(3, 7)
    check_equal(rows(whole.hypotheses, 12)[3:7], rows(part.features[asked].hypotheses, 4))


def test_a_batch_without_items_has_features_of_none(asked):
    empty = Batch.from_lists([], [], contexts=[])
    assert len(rows(provide(asked, empty).hypotheses, 0)) == 0


def test_the_identity_is_of_the_content_not_of_the_path(asked, tmp_path):
    copy = tmp_path / "copy"
    if asked.kind == "vectors":
        shutil.copy(asked.source, copy)
    else:
        shutil.copytree(asked.source, copy)
    assert identity(asked.kind, copy) == identity(asked.kind, asked.source)
    changed = copy if copy.is_file() else next(p for p in sorted(copy.rglob("*.json")))
    changed.write_bytes(changed.read_bytes() + b" ")
    assert identity(asked.kind, copy) != identity(asked.kind, asked.source)


def test_a_model_that_is_not_there_is_an_error_with_its_path(asked, tmp_path):
    missing = str(tmp_path / "missing")
    with pytest.raises(InputError, match="missing"):
        provide(Request(asked.kind, missing, asked.options), batch_of(0))
    with pytest.raises(InputError, match="missing"):
        identity(asked.kind, missing)


def test_an_unknown_kind_is_told_with_the_choices():
    with pytest.raises(ParameterError, match=r"kind 'faces' are unknown; choose 'vectors', "):
        provide(Request("faces", "x"), batch_of(0))


def test_every_source_of_a_metric_has_a_provider():
    for make in registry.METRICS.values():
        assert set(make().sources.values()) <= set(PROVIDERS)


def test_metrics_that_ask_alike_are_served_once(ruber, monkeypatch):
    asked: list[Request] = []

    def counting(request: Request, batch: Batch, progress: Progress | None = None) -> Features:
        asked.append(request)
        return provide(request, batch, progress)

    monkeypatch.setattr("rejoinder.providers.registry.provide", counting)
    blends = ("arithmetic", "geometric", "min", "max")
    metrics = [registry.metric(f"ruber:model={ruber},blend={each}") for each in blends]
    batch = provided(metrics, batch_of(*range(12)))
    assert sorted(each.kind for each in asked) == ["ruber", "ruber-texts"]
    assert sum(each.kind == "ruber-halves" for each in batch.features) == 1
    assert provided(metrics, batch) is batch


def test_the_table_imports_no_model():
    program = "import sys, rejoinder.metrics, rejoinder.providers.registry\n"
    program += "heavy = {'torch', 'transformers', 'gensim', 'sentence_transformers'}\n"
    program += "print(sorted(heavy & set(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
