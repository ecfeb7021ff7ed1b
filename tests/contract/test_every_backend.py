"""What every likelihood backend must do: a new one in ``BACKENDS`` needs a case here."""

import inspect
import json
import math
from contextlib import nullcontext

import pytest

from rejoinder.models.likelihood.backend import LocalModel

pytest.importorskip("torch")
pytest.importorskip("transformers")

import completions_server
import tiny_language_models as tiny
from rejoinder.errors import ParameterError
from rejoinder.models.likelihood.backend import LikelihoodRequest
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.likelihood.registry import (
    BACKENDS,
    kind_of_backend,
    open_backend,
    open_backends,
)
from rejoinder.models.likelihood.store import likelihoods

REPLIES = ("Yes, two beds in a sleeper.", "I don't know.", "No", "")
REQUESTS = [
    LikelihoodRequest("a", ("Did you get it?",), REPLIES),
    LikelihoodRequest("b", ("We land at six.", "That's far too early."), REPLIES),
    LikelihoodRequest("c", ("Where is the old harbour?",), REPLIES),
    LikelihoodRequest("d", ("Hi.",), REPLIES),
]


def _transformer(folder, kind):
    return nullcontext((None, str(tiny.save(folder / kind, kind))))


def _recording(folder):
    path = folder / "made.jsonl"
    rows = [
        {"id": request.id, "text": text, "logprobs": [-1.0 - len(request.turns[0]) / 9] * len(text)}
        for request in REQUESTS
        for text in REPLIES
        if text
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return nullcontext((None, str(path)))


CASES = {
    "causal": ("transformer", lambda folder: _transformer(folder, "gpt2")),
    "encoder-decoder": ("transformer", lambda folder: _transformer(folder, "t5")),
    "endpoint": ("endpoint", lambda folder: completions_server.serving()),
    "recording": ("recording", _recording),
}


@pytest.fixture(params=CASES)
def model(request, tmp_path):
    kind, source = CASES[request.param]
    with source(tmp_path) as (_, model):
        assert kind_of_backend(model) == kind
        yield model


def numbers(backend, requests, **options):
    """By id and reply the number of tokens, the mean, and why there is no likelihood."""
    found = likelihoods(backend, requests, **options).replies
    return {
        (request.id, text): (each.tokens, each.dropped, None if each.dropped else each.mean)
        for request, row in zip(requests, found, strict=True)
        for text, each in zip(request.replies, row, strict=True)
    }


def test_every_kind_has_a_case():
    assert {kind for kind, _ in CASES.values()} == set(BACKENDS)


def test_each_reply_has_finite_log_probabilities_for_each_token(model):
    backend = open_backend(model)
    found = likelihoods(backend, REQUESTS)
    assert backend.name
    assert found.facts == backend.facts
    assert all(isinstance(fact, str) for fact in backend.facts.values())
    for request, row in zip(REQUESTS, found.replies, strict=True):
        assert len(row) == len(request.replies)
        for text, each in zip(request.replies, row, strict=True):
            assert bool(each.dropped) == (not text)
            if text:
                assert each.tokens == len(each.logprobs) > 0
                assert all(math.isfinite(value) and value <= 0 for value in each.logprobs)
                assert each.total == pytest.approx(sum(each.logprobs))


def test_every_request_is_in_one_batch_of_the_same_plan(model):
    plans = [open_backend(model).plan(REQUESTS) for _ in range(2)]
    assert plans[0].notes == plans[1].notes
    orders = [[batch.requests for batch in plan.batches] for plan in plans]
    assert orders[0] == orders[1]
    assert sorted(place for places in orders[0] for place in places) == [0, 1, 2, 3]


def test_the_order_of_requests_and_replies_does_not_matter(model):
    turned = [
        LikelihoodRequest(request.id, request.turns, request.replies[::-1])
        for request in reversed(REQUESTS)
    ]
    one, other = (numbers(open_backend(model), each) for each in (REQUESTS, turned))
    assert one.keys() == other.keys()
    for key, (tokens, dropped, mean) in one.items():
        assert other[key] == (tokens, dropped, mean and pytest.approx(mean, abs=1e-5))


def test_an_interrupted_run_is_resumed(model, tmp_path):
    backend = open_backend(model)
    whole = numbers(backend, REQUESTS, work=tmp_path / "work")
    (path,) = (tmp_path / "work").iterdir()
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3])
    assert numbers(open_backend(model), REQUESTS, work=tmp_path / "work") == whole
    assert path.read_bytes() == data
    assert numbers(open_backend(path), REQUESTS) == whole  # the file is a backend itself


def test_models_of_one_name_are_named_by_their_paths(model, tmp_path):
    opened = open_backend(model, name="mine")
    assert opened.name == "mine"
    assert open_backends([opened]) == [opened]
    assert [each.name for each in open_backends([model, model])] == [model, model]


OTHER = {
    "prompting": Prompting(turns=1),
    "local": LocalModel(batch_tokens=64),
    "end_text": "!",
}
"""A value of each setting that is not its default."""


def test_a_setting_that_has_no_effect_on_a_model_is_refused(model):
    settings = set(inspect.signature(open_backend).parameters) - {"model", "name"}
    assert settings == set(OTHER)
    used = BACKENDS[kind_of_backend(model)].settings
    for name in settings - used:
        shown = "batch_tokens" if name == "local" else name
        with pytest.raises(ParameterError, match=rf"^{shown}: has no effect here"):
            open_backend(model, **{name: OTHER[name]})
        with pytest.raises(ParameterError, match=rf"^{shown}: has no effect here"):
            open_backends([open_backend(model)], **{name: OTHER[name]})


def test_a_setting_goes_to_the_models_that_use_it(tmp_path):
    with _recording(tmp_path) as (_, recorded):
        local = str(tiny.save(tmp_path / "gpt2", "gpt2"))
        backends = open_backends(
            [recorded, local], Prompting(turns=1), local=LocalModel(batch_tokens=64)
        )
    assert backends[1].facts["batch_tokens"] == "64"
    assert backends[1].facts["turns"] == "1"
