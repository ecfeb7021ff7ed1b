"""Log-probabilities against a plain forward pass: no cache, no padding, one pair at a time."""

import numpy as np
import pytest

from rejoinder.models.likelihood.backend import LocalModel

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

import tiny_language_models as tiny
from rejoinder.errors import InputError, ParameterError
from rejoinder.models.likelihood.backend import (
    EMPTY,
    NO_START,
    NOT_FINITE,
    TOO_LONG,
    LikelihoodRequest,
)
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.likelihood.store import likelihoods
from rejoinder.models.likelihood.transformer import batching
from rejoinder.models.likelihood.transformer.causal import CausalBackend
from rejoinder.models.likelihood.transformer.encoder_decoder import EncoderDecoderBackend
from rejoinder.models.likelihood.transformer.loading import load

REPLIES = ("I don't know.", "Yes, two beds in a sleeper.", "No", "I")
CONVERSATIONS = [
    ("Did you get it?",),
    ("We land at six.", "That's far too early, isn't it?"),
    ("a",),
    ("Where is the old harbour? " * 2,),
]
REQUESTS = [LikelihoodRequest(str(i), turns, REPLIES) for i, turns in enumerate(CONVERSATIONS)]


def provider(kind, model=None, tokenizer=None, **options):
    made = model or tiny.model(kind)
    of = CausalBackend if kind in ("gpt2", "llama") else EncoderDecoderBackend
    return of(made, tokenizer or tiny.tokenizer(kind), **options)


def plain(model, before, tail, source=None):
    """log p of every token of ``tail``, by one forward pass over all of it."""
    ids = torch.tensor([before + tail])
    with torch.no_grad():
        if source is None:
            logits = model(input_ids=ids, use_cache=False).logits
        else:
            logits = model(
                input_ids=torch.tensor([source]), decoder_input_ids=ids, use_cache=False
            ).logits
    table = logits[0].log_softmax(-1)
    return [table[i - 1, ids[0, i]].item() for i in range(len(before), ids.shape[1])]


@pytest.mark.parametrize("budget", [1, 40, 100, 5000])
@pytest.mark.parametrize("kind", ["gpt2", "llama", "bart", "t5"])
def test_equals_a_plain_forward_pass(kind, budget):
    tokenizer = tiny.tokenizer(kind)
    # Encoder-decoder models pad by themselves too: the tokenizer's habit must not matter.
    tokenizer.padding_side = "left"
    asked = provider(kind, tokenizer=tokenizer, batch_tokens=budget)
    found = likelihoods(asked, REQUESTS).replies
    for request, each in zip(REQUESTS, found, strict=True):
        for reply, held in zip(request.replies, each, strict=True):
            # The texts have no boundary problem: a line end parts prompt and reply.
            ids = tokenizer(reply, add_special_tokens=False)["input_ids"] + [2]
            if kind in ("gpt2", "llama"):
                text = "".join(turn + "\n" for turn in request.turns)
                before = tokenizer(text)["input_ids"]
                expected = plain(asked.model, before, ids)
            else:
                source = tokenizer("\n".join(request.turns))["input_ids"]
                start = {"bart": [2, 1], "t5": [0]}[kind]
                expected = plain(asked.model, start, ids, source)
            np.testing.assert_allclose(held.logprobs, expected, atol=1e-4)
            assert held.tokens == len(ids)
            assert held.total == pytest.approx(sum(expected), abs=1e-3)


def test_a_prompt_that_ends_in_a_blank_gives_the_blank_to_the_reply():
    # BPE writes " two" as one token: "Yes, " + "two" is tokenised as "Yes," + " two", as the model
    # saw it in training, and never as "Yes," + " " + "two".
    tokenizer = tiny.tokenizer()
    asked = provider("gpt2", prompting=Prompting(turn_end="", end=False))
    found = likelihoods(asked, [LikelihoodRequest("1", ("Yes, ",), ("two beds", "\tno"))]).replies[
        0
    ]
    whole = tokenizer("Yes, two beds")["input_ids"]
    prompt = tokenizer("Yes,")["input_ids"]
    assert whole[: len(prompt)] == prompt
    expected = plain(asked.model, prompt, whole[len(prompt) :])
    np.testing.assert_allclose(found[0].logprobs, expected, atol=1e-4)
    # The other reply keeps the blank as a token of the prompt or of its own, as BPE has it.
    whole = tokenizer("Yes, \tno")["input_ids"]
    blank = tokenizer("Yes, ")["input_ids"]
    cut = len(blank) if whole[: len(blank)] == blank else len(prompt)
    expected = plain(asked.model, whole[:cut], whole[cut:])
    np.testing.assert_allclose(found[1].logprobs, expected, atol=1e-4)


def test_a_chat_template_lays_out_the_turns_and_ends_the_reply():
    tokenizer = tiny.tokenizer("llama", chat=True)
    asked = provider("llama", tokenizer=tokenizer)
    turns = ("We land at six.", "Too early.", "Where is the harbour?")
    held = likelihoods(asked, [LikelihoodRequest("1", turns, ("Ask the driver.",))]).replies[0][0]
    text = (
        "<|im_start|>user\nWe land at six.<|im_end|>\n"
        "<|im_start|>assistant\nToo early.<|im_end|>\n"
        "<|im_start|>user\nWhere is the harbour?<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    before = tokenizer(text, add_special_tokens=False)["input_ids"]
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    ids = [*tokenizer("Ask the driver.", add_special_tokens=False)["input_ids"], end]
    np.testing.assert_allclose(held.logprobs, plain(asked.model, before, ids), atol=1e-4)
    with pytest.raises(ParameterError, match="no chat template"):
        likelihoods(provider("gpt2", prompting=Prompting(template="chat")), REQUESTS)


def test_what_a_template_writes_before_the_reply_is_no_part_of_it():
    tokenizer = tiny.tokenizer("llama", chat=True)
    plain_template = "{{ message['content'] }}"
    thinking = "{% if message['role'] == 'assistant' %}<think>\n\n</think>\n\n{% endif %}"
    assert plain_template in tiny.CHATML
    tokenizer.chat_template = tiny.CHATML.replace(plain_template, thinking + plain_template)
    asked = provider("llama", tokenizer=tokenizer)
    found = likelihoods(asked, [LikelihoodRequest("1", ("Where?",), ("Here.", "I don't know."))])
    text = "<|im_start|>user\nWhere?<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
    before = tokenizer(text, add_special_tokens=False)["input_ids"]
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    for held, reply in zip(found.replies[0], ("Here.", "I don't know."), strict=True):
        ids = [*tokenizer(reply, add_special_tokens=False)["input_ids"], end]
        np.testing.assert_allclose(held.logprobs, plain(asked.model, before, ids), atol=1e-4)


def test_the_first_token_of_a_template_is_never_cut():
    tokenizer = tiny.tokenizer("llama", chat=True)
    tokenizer.chat_template = "<s>" + tiny.CHATML
    asked = provider("llama", tiny.model("llama", window=40), tokenizer=tokenizer)
    held = likelihoods(asked, [LikelihoodRequest("1", ("x" * 90,), ("No.",))]).replies[0][0]
    text = "<s><|im_start|>user\n" + "x" * 90 + "<|im_end|>\n<|im_start|>assistant\n"
    before = tokenizer(text, add_special_tokens=False)["input_ids"]
    ids = [*tokenizer("No.", add_special_tokens=False)["input_ids"]]
    ids.append(tokenizer.convert_tokens_to_ids("<|im_end|>"))
    seen = [before[0], *before[1:][-(40 - len(ids)) :]]
    np.testing.assert_allclose(held.logprobs, plain(asked.model, seen, ids), atol=1e-4)


def test_a_template_that_refuses_the_assistant_first_begins_a_turn_later():
    tokenizer = tiny.tokenizer("llama", chat=True)
    tokenizer.chat_template = (
        "{% if messages[0]['role'] != 'user' %}{{ raise_exception('no') }}{% endif %}" + tiny.CHATML
    )
    asked = provider("llama", tokenizer=tokenizer)
    two = likelihoods(asked, [LikelihoodRequest("1", ("Hi.", "Where?"), ("Here.",))])
    one = likelihoods(asked, [LikelihoodRequest("1", ("Where?",), ("Here.",))])
    assert two.replies[0][0].logprobs.tolist() == one.replies[0][0].logprobs.tolist()
    assert "opened one turn later" in two.notes[0]
    assert one.notes == ()


def test_a_prompt_longer_than_the_window_loses_its_oldest_tokens():
    model = tiny.model("gpt2", window=24)
    asked = provider("gpt2", model)
    long = LikelihoodRequest(
        "1", ("x" * 60, "Did you get it?"), ("No.", "I don't know what to do.")
    )
    found = likelihoods(asked, [long, LikelihoodRequest("2", ("a",), ("No.",))])
    tokenizer = tiny.tokenizer()
    prompt = tokenizer("x" * 60 + "\nDid you get it?\n")["input_ids"]
    longest = len(tokenizer("I don't know what to do.")["input_ids"])  # fed: all but the end
    ids = [*tokenizer("No.")["input_ids"], 2]
    expected = plain(model, prompt[-(24 - longest) :], ids)
    np.testing.assert_allclose(found.replies[0][0].logprobs, expected, atol=1e-4)
    assert found.notes == (
        "1 of 2 prompts cut to the model's window (their oldest tokens left out)",
    )


@pytest.mark.parametrize("kind", ["gpt2", "bart"])
def test_a_reply_longer_than_the_window_is_dropped(kind):
    asked = provider(kind, tiny.model(kind, window=24))
    found = likelihoods(asked, [LikelihoodRequest("1", ("Hi.",), ("z" * 80, "No."))]).replies[0]
    assert found[0].dropped == TOO_LONG
    assert found[1].tokens > 0


@pytest.mark.parametrize("kind", tiny.KINDS)
def test_empty_replies_are_dropped(kind):
    found = likelihoods(
        provider(kind), [LikelihoodRequest("1", ("Hi.",), ("", " \n", "No."))]
    ).replies[0]
    assert [held.dropped for held in found] == [EMPTY, EMPTY, ""]
    assert np.isnan(found[0].mean)


def test_a_tokenizer_without_an_end_scores_without_it_and_says_so():
    model = tiny.model("gpt2")
    model.config.eos_token_id = None
    tokenizer = tiny.tokenizer(end=False)
    asked = provider("gpt2", model, tokenizer)
    found = likelihoods(asked, [LikelihoodRequest("1", ("Hi.",), ("No.",))])
    assert "no end-of-sequence token" in found.notes[0]
    ids = tokenizer("No.")["input_ids"]
    before = tokenizer("Hi.\n")["input_ids"]
    np.testing.assert_allclose(found.replies[0][0].logprobs, plain(model, before, ids), atol=1e-4)
    empty = likelihoods(
        provider("gpt2", model, tokenizer, prompting=Prompting(turn_end="")),
        [LikelihoodRequest("1", ("",), ("No.",))],
    )
    assert empty.replies[0][0].dropped == NO_START


def test_an_empty_prompt_begins_with_the_start_token():
    asked = provider("gpt2", prompting=Prompting(turn_end=""))
    held = likelihoods(asked, [LikelihoodRequest("1", ("",), ("No.",))]).replies[0][0]
    ids = [*tiny.tokenizer()("No.")["input_ids"], 2]
    np.testing.assert_allclose(held.logprobs, plain(asked.model, [1], ids), atol=1e-4)


@pytest.mark.parametrize("kind", ["gpt2", "t5"])
def test_a_model_that_gives_nan_is_dropped(kind):
    model = tiny.model(kind)
    with torch.no_grad():
        model.get_output_embeddings().weight.fill_(float("nan"))
    found = likelihoods(provider(kind, model), REQUESTS).replies
    assert {held.dropped for each in found for held in each} == {NOT_FINITE}


def test_batches_are_halved_where_memory_runs_out(monkeypatch):
    asked = provider("gpt2", batch_tokens=5000)
    expected = likelihoods(asked, REQUESTS).replies
    encode, sizes = asked.encode, []

    def scarce(pieces):
        sizes.append(len(pieces))
        if len(pieces) > 1:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return encode(pieces)

    monkeypatch.setattr(asked, "encode", scarce)
    found = likelihoods(asked, REQUESTS).replies
    assert sizes == [4, 2, 1, 1, 2, 1, 1]
    for few, others in zip(found, expected, strict=True):
        for one, other in zip(few, others, strict=True):
            np.testing.assert_allclose(one.logprobs, other.logprobs, atol=1e-4)


def cheapest(lengths, toll):
    """The least cost over every way to cut the sorted lengths, by trying all of them."""
    if not lengths:
        return 0
    return min(
        end * lengths[0] + toll + cheapest(lengths[end:], toll)
        for end in range(1, len(lengths) + 1)
    )


@pytest.mark.parametrize("toll", [0, 1, 5, 16, 1000])
def test_replies_go_in_the_passes_that_cost_least(toll):
    rng = np.random.default_rng(toll)
    for size in range(9):
        lengths = rng.integers(1, 14, size).tolist()
        passes = batching.levelled(lengths, toll, budget=1000)
        assert sorted(place for places in passes for place in places) == list(range(size))
        cost = sum(len(places) * max(lengths[at] for at in places) + toll for places in passes)
        assert cost == cheapest(sorted(lengths, reverse=True), toll)


def test_a_pass_that_does_not_fit_the_budget_is_cut():
    # Two rows of 10 + 5 tokens fit 30, a third does not; one of 10 + 25 stands alone, too long.
    assert batching.levelled([5, 5, 25, 5], 0, 30, width=10) == [[2], [0, 1], [3]]
    assert batching.levelled([5, 5], 1000, 1) == [[0], [1]]


def test_a_prompt_that_never_fits_is_told():
    def never(_):
        raise MemoryError

    with pytest.raises(InputError, match="a single prompt"):
        batching.halving(never, [1, 2])


def test_other_errors_of_the_model_are_not_taken_for_memory():
    def broken(_):
        raise RuntimeError("shapes do not match")

    with pytest.raises(RuntimeError, match="shapes"):
        batching.halving(broken, [1, 2])


@pytest.mark.parametrize("kind", tiny.KINDS)
def test_a_saved_model_scores_like_the_one_in_memory(kind, tmp_path):
    tiny.save(tmp_path / "m", kind)
    loaded = load(tmp_path / "m", local=LocalModel("cpu"))
    expected = likelihoods(provider(kind), REQUESTS).replies
    found = likelihoods(loaded, REQUESTS).replies
    assert found[1][0].logprobs == pytest.approx(expected[1][0].logprobs, abs=1e-5)
    assert len(loaded.facts["weights"]) == 8
    assert loaded.name == "m"


def test_pickled_weights_are_refused(tmp_path):
    tiny.save(tmp_path / "m")
    weights = tmp_path / "m" / "model.safetensors"
    weights.rename(tmp_path / "m" / "pytorch_model.bin")
    with pytest.raises(InputError, match="safetensors"):
        load(tmp_path / "m", local=LocalModel("cpu"))


def test_a_model_that_is_not_here_is_not_fetched(tmp_path):
    with pytest.raises(InputError, match="download=True"):
        load("nobody/no-such-model", local=LocalModel("cpu"))


@pytest.mark.parametrize(
    "option", [LocalModel("gpu9"), LocalModel("cpu", "int3")], ids=["device", "dtype"]
)
def test_unknown_settings_are_told(option, tmp_path):
    tiny.save(tmp_path / "m")
    with pytest.raises(ParameterError, match="is unknown"):
        load(tmp_path / "m", local=option)
