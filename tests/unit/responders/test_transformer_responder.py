"""Replies of a model of ``transformers``: those of a plain greedy search."""

import pytest

from rejoinder.models.likelihood.backend import LocalModel

pytest.importorskip("torch")
pytest.importorskip("transformers")

import rejoinder
import tiny_language_models as tiny
from rejoinder.errors import ParameterError
from rejoinder.responders.registry import kind_of_system
from rejoinder.responders.transformer import TransformerResponder
from rejoinder.tables.responses import check_responses

CONTEXTS = [
    ["Did you get it?"],
    ["We land at six.", "That's far too early to check in.", "Where is the old harbour?"],
    ["Hi."],
]
TESTSET = rejoinder.TestSet.from_lists([["Yes."]] * 3, contexts=CONTEXTS)
TOKENS = 6


def greedy(folder, text, special):
    """The tokens of the highest probability, one after the other."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder)
    ids = tokenizer(text, add_special_tokens=special)["input_ids"]
    made = []
    with torch.no_grad():
        for _ in range(TOKENS):
            made.append(int(model(input_ids=torch.tensor([ids + made])).logits[0, -1].argmax()))
    ends = {tokenizer.eos_token_id, tokenizer.convert_tokens_to_ids("<|im_end|>")}
    end = next((place for place, each in enumerate(made) if each in ends), None)
    return tokenizer.decode(made[:end], skip_special_tokens=True)


def chatml(turns):
    roles = ("user", "assistant")
    return (
        "".join(f"<|im_start|>{roles[n % 2]}\n{turn}<|im_end|>\n" for n, turn in enumerate(turns))
        + "<|im_start|>assistant\n"
    )


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
@pytest.mark.parametrize("chat", [False, True], ids=["plain", "chat"])
def test_equals_a_greedy_search(tmp_path, kind, chat):
    folder = tiny.save(tmp_path / "m", kind, window=256, chat=chat)
    assert kind_of_system(folder) == "transformers"
    replies = rejoinder.respond(
        folder, TESTSET, beam=1, answer_tokens=TOKENS, local=LocalModel("cpu")
    )
    for turns, reply in zip(CONTEXTS, replies.table["text"], strict=True):
        text = chatml(turns) if chat else "".join(f"{turn}\n" for turn in turns)
        expected = greedy(folder, text, special=not chat)
        expected = expected if chat else expected.lstrip().split("\n")[0]
        assert reply == expected.strip()
    assert check_responses(replies.table, TESTSET).systems == ["m"]
    assert "weights" in replies.signature


@pytest.mark.parametrize("kind", tiny.KINDS)
def test_every_kind_replies_to_every_item(tmp_path, kind):
    folder = tiny.save(tmp_path / "m", kind, window=128)
    one, two = (
        rejoinder.respond(
            folder, TESTSET, beam=3, answer_tokens=TOKENS, local=LocalModel("cpu"), name="mine"
        )
        for _ in range(2)
    )
    assert one.table["text"].to_list() == two.table["text"].to_list()
    assert set(one.table["system"]) == {"mine"}
    assert one.table.height == 3


def test_last_turns_alone_are_seen(tmp_path):
    folder = tiny.save(tmp_path / "m", window=256)
    given = {"beam": 1, "answer_tokens": TOKENS, "local": LocalModel("cpu")}
    one = rejoinder.respond(folder, TESTSET, turns=1, **given)
    last = rejoinder.TestSet.from_lists([["Yes."]] * 3, contexts=[[each[-1]] for each in CONTEXTS])
    assert (
        one.table["text"].to_list()
        == rejoinder.respond(folder, last, **given).table["text"].to_list()
    )


def test_a_prompt_that_leaves_no_room_loses_its_oldest_tokens(tmp_path):
    folder = tiny.save(tmp_path / "m", window=40)
    long = rejoinder.TestSet.from_lists([["Yes."]], contexts=[["Where is the old harbour? " * 9]])
    replies = rejoinder.respond(folder, long, beam=1, answer_tokens=8, local=LocalModel("cpu"))
    assert any("1 of 1 prompt cut to the model's window" in each for each in replies.notes)
    with pytest.raises(ParameterError, match="answer_tokens=40: the model sees 40 tokens"):
        TransformerResponder.load(folder, local=LocalModel("cpu"), answer_tokens=40)


def test_a_reply_that_the_model_does_not_end_is_counted(tmp_path):
    folder = tiny.save(tmp_path / "m", "llama", window=256, chat=True)
    replies = rejoinder.respond(folder, TESTSET, beam=1, answer_tokens=1, local=LocalModel("cpu"))
    cut = [each for each in replies.notes if "cut off at the maximum number of tokens" in each]
    assert cut or any("replies are empty" in each for each in replies.notes)


def test_settings_of_a_server_are_refused(tmp_path):
    folder = tiny.save(tmp_path / "m", window=64)
    with pytest.raises(ParameterError, match="instructions: has no effect without the URL"):
        rejoinder.respond(folder, TESTSET, instructions="Be kind.", local=LocalModel("cpu"))
