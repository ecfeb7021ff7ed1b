"""Marks by a model on this machine: equal to a plain forward pass."""

import polars as pl
import pytest

from rejoinder.models.chat.asking import Limits
from rejoinder.models.likelihood.backend import LocalModel

pytest.importorskip("torch")
pytest.importorskip("transformers")

import rejoinder
import tiny_language_models as tiny
from rejoinder.annotation.task import Criterion
from rejoinder.errors import ParameterError
from rejoinder.marking.rubric import Rubric

IDS = ["c1", "c2", "c3"]
TESTSET = rejoinder.TestSet.from_lists(
    [["Yes."]] * 3, contexts=["Did you get it?", "Where to?", "Hi."], ids=IDS
)
TEXTS = {"cat": ["Yes, two.", "Home.", "Hello."], "bot": ["I don't know."] * 3}
RESPONSES = pl.DataFrame(
    [
        {"system": system, "id": id, "text": text}
        for system, texts in TEXTS.items()
        for id, text in zip(IDS, texts, strict=True)
    ]
)


def rubric(lowest=1, highest=5):
    return Rubric(
        (Criterion("fit", "Does it fit?", lowest, highest),),
        pointwise="{context}\n{reply}\nMark: {answers}",
        pairwise="{context}\n{first}\n{second}\n{answers}",
    )


def next_token(folder, prompt, chat):
    """The probabilities of the next token after a prompt, by its text."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    if chat:
        turns = [{"role": "user", "content": prompt}]
        prompt = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    else:
        prompt += "\n"
    ids = tokenizer(prompt, return_tensors="pt", add_special_tokens=False)["input_ids"]
    with torch.no_grad():
        shares = model(input_ids=ids).logits[0, -1].double().softmax(0)
    return {tokenizer.decode([i]): share.item() for i, share in enumerate(shares)}


@pytest.mark.parametrize("chat", [False, True], ids=["plain", "chat"])
def test_a_mark_is_the_expectation_of_the_next_token(tmp_path, chat):
    folder = tiny.save(tmp_path / "m", window=512, chat=chat)
    result = rejoinder.mark(TESTSET, RESPONSES, folder, rubric(), local=LocalModel("cpu"))
    contexts = dict(zip(IDS, ("Did you get it?", "Where to?", "Hi."), strict=True))
    for row, text in zip(result.table.to_dicts(), RESPONSES["text"], strict=True):
        prompt = f"B: {contexts[row['id']]}\n{text}\nMark: 1, 2, 3, 4 or 5"
        shares = next_token(folder, prompt, chat)
        points = {
            int(token): share for token, share in shares.items() if token in "12345" and token
        }
        expected = sum(point * share for point, share in points.items()) / sum(points.values())
        assert row["value"] == pytest.approx(expected, rel=1e-4)
        assert row["name"] == "m fit"
    assert result.counts()["calls"] == 0
    assert "weights=" in result.signature or "weights:" in result.signature
    assert any("it would rather say something else" in note for note in result.notes)


def test_pairs_take_the_likeliest_answer(tmp_path):
    folder = tiny.save(tmp_path / "m", "llama", window=512, chat=True)
    result = rejoinder.mark(
        TESTSET, RESPONSES, folder, rubric(), pairwise=True, local=LocalModel("cpu")
    )
    assert result.table.height == 6
    assert set(result.table.get_column("rater")) == {"m"}
    rejoinder.preferences(result.table)


def test_points_that_begin_alike_are_told_apart_by_their_end(tmp_path):
    folder = tiny.save(tmp_path / "m", window=512, chat=True)
    result = rejoinder.mark(TESTSET, RESPONSES, folder, rubric(1, 10), local=LocalModel("cpu"))
    assert "end:yes" in result.signature
    assert result.table.get_column("value").is_between(1, 10).all()


def test_an_interrupted_run_is_resumed(tmp_path):
    folder = tiny.save(tmp_path / "m", window=512)
    given = {"local": LocalModel("cpu"), "work": tmp_path / "w"}
    whole = rejoinder.mark(TESTSET, RESPONSES, folder, rubric(), **given)
    (file,) = (tmp_path / "w").iterdir()
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    again = rejoinder.mark(TESTSET, RESPONSES, folder, rubric(), **given)
    assert again.table.equals(whole.table)
    assert file.read_bytes() == content


def test_a_limit_needs_a_server(tmp_path):
    folder = tiny.save(tmp_path / "m", window=512)
    with pytest.raises(ParameterError, match="max_calls= has no effect without a server"):
        rejoinder.mark(
            TESTSET, RESPONSES, folder, rubric(), limits=Limits(max_calls=9), work=tmp_path / "w"
        )


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("retries", {"limits": Limits(retries=1)}),
        ("concurrency", {"limits": Limits(concurrency=2)}),
        ("answer_tokens", {"answer_tokens": 9}),
        ("seed", {"seed": 7}),
    ],
)
def test_settings_of_a_server_are_refused(tmp_path, name, given):
    folder = tiny.save(tmp_path / "m", window=512)
    with pytest.raises(ParameterError, match=f"{name}: has no effect on a model on this machine"):
        rejoinder.mark(TESTSET, RESPONSES, folder, rubric(), local=LocalModel("cpu"), **given)
