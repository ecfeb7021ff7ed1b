"""Log-likelihoods against lm-evaluation-harness, on the same requests and models."""

import logging
import warnings

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_language_models as tiny
from rejoinder.models.likelihood.backend import LikelihoodRequest
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.likelihood.store import likelihoods
from rejoinder.models.likelihood.transformer.causal import CausalBackend
from rejoinder.models.likelihood.transformer.encoder_decoder import EncoderDecoderBackend

# The second prompt ends in a blank, which the tokenizer joins to the reply's first letters, as those
# of real models do. (The harness hands the reply every blank, also one that stays by itself; here
# that one is the prompt's, see pieces.py.)
REQUESTS = [
    LikelihoodRequest(
        "1", ("Did you manage to get tickets?",), (" Yes, two beds.", " I don't know.", " No")
    ),
    LikelihoodRequest(
        "2", ("We land at six in the morning. That's early, ",), ("isn't it?", "the last one.")
    ),
    LikelihoodRequest(
        "3", ("Where is the old harbour?\nAsk",), (" the driver.", " I don't know what to do.")
    ),
]


@pytest.fixture(autouse=True)
def harness():
    """It is imported where a test needs it: two workers collect all tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("lm_eval.models.huggingface", exc_type=ImportError)


def theirs(model, tokenizer, requests, backend):
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scorer = HFLM(
                pretrained=model, tokenizer=tokenizer, batch_size=2, device="cpu", backend=backend
            )
            asked = [
                Instance("loglikelihood", {}, (request.turns[0], reply), place)
                for place, (request, reply) in enumerate(
                    (request, reply) for request in requests for reply in request.replies
                )
            ]
            return [total for total, _ in scorer.loglikelihood(asked, disable_tqdm=True)]
    finally:
        logging.disable(logging.NOTSET)


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_causal(kind):
    model, tokenizer = tiny.model(kind), tiny.tokenizer(kind)
    asked = CausalBackend(model, tokenizer, Prompting(turn_end="", end=False))
    found = [held.total for few in likelihoods(asked, REQUESTS).replies for held in few]
    assert found == pytest.approx(theirs(model, tokenizer, REQUESTS, "causal"), abs=1e-3)


def test_encoder_decoder():
    # The harness feeds BART no <s> before the reply; T5 has none, and the two agree there. It hands
    # the encoder its last blank, which the tokenizer keeps: no such prompt here.
    model, tokenizer = tiny.model("t5"), tiny.tokenizer("t5")
    requests = [REQUESTS[0], REQUESTS[2]]
    asked = EncoderDecoderBackend(model, tokenizer, Prompting(turn_end="", end=False))
    found = [held.total for few in likelihoods(asked, requests).replies for held in few]
    assert found == pytest.approx(theirs(model, tokenizer, requests, "seq2seq"), abs=1e-3)
