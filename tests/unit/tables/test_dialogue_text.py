"""Dialogues as text and as logs: ParlAI, DialoGPT, ChatML, Gradio's chatbot, MT-Bench."""

# One case per line reads best.
# ruff: noqa: E501

import json

import pytest

import rejoinder
from rejoinder.errors import InputError
from rejoinder.tables.responses import read_responses
from rejoinder.tables.testset import read_testset


@pytest.fixture
def write(tmp_path):
    def written(text, name="dialogues.txt"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written


def items(path, **more):
    testset = read_testset(path, **more)
    texts = {id: [] for id in testset.ids}
    for id, text in testset.references.select("id", "text").rows():
        texts[id].append(text)
    contexts = testset.contexts.select("id", "context").rows()
    return [(id, context, texts[id]) for id, context in contexts]


def test_parlai(write):
    path = write(
        "text:Hi\\nthere\tlabels:Hello|Hey\n"
        "text:Tea?\teval_labels:Please.\treward:1\tepisode_done:True\n\n"
        "text:Milk?\tlabels:None.\tepisode_done:True\n"
    )
    assert items(path) == [
        ("1", ["Hi\nthere"], ["Hello", "Hey"]),
        ("2", ["Hi\nthere", "Hello", "Tea?"], ["Please."]),
        ("3", ["Milk?"], ["None."]),
    ]
    assert read_testset(path).contexts.get_column("conversation").to_list() == ["1", "1", "2"]


def test_fbdialog(write):
    path = write(
        "1 your persona: I bake.\n2 Hi\tHello|Hey\t\tx|y\n3 Tea?\tPlease.\n1 Milk?\tNone.\t1\n"
    )
    assert items(path) == [
        ("1", ["your persona: I bake.\nHi"], ["Hello", "Hey"]),
        ("2", ["your persona: I bake.\nHi", "Hello", "Tea?"], ["Please."]),
        ("3", ["Milk?"], ["None."]),
    ]


def test_dialogpt(write):
    plain = write("Hi. EOS Hello.\tTea?\nMilk?\tNone.\tA little.\n", "train.tsv")
    told = [("1", ["Hi.", "Hello."], ["Tea?"]), ("2", ["Milk?"], ["None.", "A little."])]
    assert items(plain) == told
    weighted = write(
        "0.0 Hi. EOS 1.0 Hello.\t1.0 Tea?\n1.0 Milk?\t1.0 None.\t0.0 A little.\n", "t.tsv"
    )
    assert items(weighted) == told
    price = write("How much?\tOnly 1.0 pound.\n", "price.tsv")
    assert items(price) == [("1", ["How much?"], ["Only 1.0 pound."])]
    miles = write("How far is it?\t1.5 miles away.\nAnd then?\t0.5 of it.\n", "miles.tsv")
    assert [texts for *_, texts in items(miles)] == [["1.5 miles away."], ["0.5 of it."]]


def test_text_with_tabs_needs_a_mark_of_dialogpt(write):
    path = write("Good morning.\tHow are you?\n")
    with pytest.raises(InputError, match="row 1: a tab in a line of plain text"):
        read_testset(path)
    assert read_testset(path, format="dialogpt").contexts.rows() == [("1", ["Good morning."])]


WORLD = {"dialog": [[{"id": "ann", "text": "Hi"}, {"id": "bot", "text": "Hello"}],
                    [{"id": "ann", "text": "Tea?", "labels": ["Yes."]}, {"id": "bot", "text": "No."}]]}  # fmt: skip


def test_logs_of_worlds(write):
    path = write(json.dumps(WORLD) + "\n", "log.jsonl")
    assert items(path) == [("1.1", ["Hi"], []), ("1.2", ["Hi", "Hello", "Tea?"], ["Yes."])]
    assert read_responses(path).rows() == [("bot", "1.1", "Hello"), ("bot", "1.2", "No.")]


def test_chatbots(write):
    pairs = write(json.dumps([["Hi", "Hello"], ["Tea?", None], ["Please?", "No."]]), "bot.json")
    told = [("1.1", ["Hi"], []), ("1.2", ["Hi", "Hello", "Tea?", "Please?"], [])]
    named = {"format": "gradio-chatbot"}
    assert items(pairs, **named) == told
    assert read_responses(pairs, **named).rows() == [("bot", "1.1", "Hello"), ("bot", "1.2", "No.")]
    roles = ("system", "user", "assistant", "user", "user", "assistant")
    texts = ("Be kind.", "Hi", "Hello", "Tea?", "Please?", "No.")
    messages = [{"role": r, "content": t} for r, t in zip(roles, texts, strict=True)]
    assert items(write(json.dumps(messages), "messages.json")) == told
    assert [id for id, *_ in items(write(json.dumps([messages, messages]), "two.json"))] == [
        "1.1", "1.2", "2.1", "2.2",
    ]  # fmt: skip


def test_a_list_of_rows_is_no_chatbot(write):
    path = write(json.dumps([["id", "text"], ["1", "hello"], ["2", "bye"]]), "rows.json")
    with pytest.raises(InputError, match="a list has no names of columns"):
        read_testset(path)
    said = write(json.dumps([["Any tea?", "Yes."], ["Milk?", "No, thanks."]]), "bot.json")
    assert next(context for _, context, _ in items(said)) == ["Any tea?"]


def test_mt_bench(write):
    question = {"question_id": 81, "category": "writing", "turns": ["Write.", "Again."]}
    assert items(write(json.dumps(question), "question.jsonl")) == [("81", ["Write."], [])]
    answer = {"question_id": 81, "model_id": "m", "choices": [{"index": 0, "turns": ["A", "B"]}], "tstamp": 1.0}  # fmt: skip
    path = write(json.dumps(answer), "m.jsonl")
    assert read_responses(path).rows() == [("m", "81", "A")]
    for read in (rejoinder.read_scores, rejoinder.read_ratings, read_testset):
        with pytest.raises(InputError):
            read(path)


def test_judgments_of_mt_bench(write):
    grade = {
        "question_id": 81,
        "model": "m",
        "judge": ["gpt-4", "single-v1"],
        "turn": 1,
        "tstamp": 1.0,
    }
    rows = [grade | {"score": 7}, grade | {"score": -1, "turn": 2}]
    path = write("".join(f"{json.dumps(row)}\n" for row in rows), "gpt-4.jsonl")
    made = rejoinder.read_scores(path).select("system", "id", "name", "value").rows()
    assert made == [("m", "81", "turn 1", 7.0)]
    pair = {
        "question_id": 81,
        "model_1": "x",
        "model_2": "y",
        "judge": ["gpt-4", "pair-v2"],
        "turn": 1,
    }
    games = [
        ("model_1", "model_1"),
        ("model_1", "model_2"),
        ("tie", "tie"),
        ("error", "tie"),
        ("model_2", "model_2"),
    ]
    pairs = [
        pair | {"question_id": n, "g1_winner": a, "g2_winner": b} for n, (a, b) in enumerate(games)
    ]
    path = write("".join(f"{json.dumps(row)}\n" for row in pairs), "pair.jsonl")
    made = rejoinder.read_preferences(path).select("id", "a", "b", "rater", "winner").rows()
    assert made == [("0", "x", "y", "gpt-4", "a"), ("1", "x", "y", "gpt-4", "tie"),
                    ("2", "x", "y", "gpt-4", "tie"), ("4", "x", "y", "gpt-4", "b")]  # fmt: skip


CHATML = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello,\nyou.<|im_end|>\n"


def test_chatml(write):
    system = "<|im_start|>system\nBe kind.<|im_end|>\n"
    for text in (
        f"{CHATML}\n{CHATML}",
        f"{CHATML}<|endoftext|>{CHATML}",
        f"{system}{CHATML}{system}{CHATML}",
    ):
        assert items(write(text, "bot.txt")) == [
            ("1", ["Hi"], ["Hello,\nyou."]),
            ("2", ["Hi"], ["Hello,\nyou."]),
        ]
    airy = (CHATML * 2).replace("<|im_end|>", "<|im_end|>\n")
    assert items(write(airy, "bot.txt")) == [("1", ["Hi", "Hello,\nyou.", "Hi"], ["Hello,\nyou."])]
    two = read_responses(write(CHATML * 2, "bot.txt")).rows()
    assert two == [("bot", "1", "Hello,\nyou.")]  # one conversation of four turns


def test_alpaca(write):
    row = {"instruction": "Add.", "input": "2 + 2", "output": "4", "history": [["Hi", "Hello"]]}
    path = write(json.dumps([row]), "bot.json")
    assert items(path) == [("1", ["Hi", "Hello", "Add.\n2 + 2"], ["4"])]
    assert read_responses(path).rows() == [("bot", "1", "4")]


BAD = {
    "a field of ParlAI without a name": ("a.txt", "text:Hi\tlabels:Ho\ttrue\n", "row 1: got 'true'; expected fields NAME:VALUE"),
    "a number of fbdialog left out": ("a.txt", "1 Hi\tHo\n3 Hi\tHo\n", "row 2: got '3 Hi.*expected the number 2, or 1"),
    "a line of DialoGPT without a tab": ("a.tsv", "Hi.\tHo.\nHi.\n", "row 2: no tab; expected the turns, a tab"),
    "ChatML that is not closed": ("a.txt", CHATML + "<|im_start|>user\nHi\n", "row 5: text outside of a message"),
    "a chatbot with three of a pair": ("a.json", '[["Hi!", "Ho!"], ["a", "b", "c"]]', "row 1: got neither a pair nor a message"),
    "a conversation that is a text": ("a.json", '[[["Hi", "Ho"]], "x"]', "row 2: got neither a pair nor a message"),
    "an unknown role": ("a.json", '[{"role": "tool", "content": "4"}]', "row 1: role 'tool'; expected"),
    "an example of ParlAI without a text": ("a.txt", "text:Hi\tlabels:Ho\nlabels:Ho\treward:1\n", "row 2: no field 'text'"),
    "an act without a text": ("a.jsonl", '{"dialog": [[{"id": "a", "text": "Hi"}, {"id": "b"}]]}\n', "row 1: no 'text'"),
    "a world without a dialogue": ("a.jsonl", json.dumps(WORLD) + '\n{"x": 1}\n', "row 2: no 'dialog'"),
    "an instruction that is a number": ("a.json", '[{"instruction": 1, "output": "x"}]', "row 1: instruction: got a whole number"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_an_error_names_the_row(write, case):
    name, text, told = BAD[case]
    with pytest.raises(InputError, match=told):
        read_testset(write(text, name))


@pytest.mark.parametrize("line", ["a\tb", "<|user|>", "x [INST] y", "### Human: Hi"])
def test_text_with_tabs_or_marks_of_a_chat_is_no_plain_text(write, line):
    path = write(f"Hi\n{line}\n", "bot.txt")
    for read in (read_testset, lambda path: read_responses(path, ids=["1", "2"])):
        with pytest.raises(InputError, match=r"row 2: .* in a line of plain text"):
            read(path)
    assert read_responses(path, ids=["1", "2"], format="text").get_column("text")[1] == line
