"""Chats: the shapes that chat models are trained on, as test sets, responses and corpora."""

import json
import re

import pytest

import rejoinder
from rejoinder.cli.app import run
from rejoinder.errors import InputError
from rejoinder.tables.format import FileHead
from rejoinder.tables.formats.registry import formats_for
from rejoinder.tables.responses import read_responses
from rejoinder.tables.testset import read_testset

FORMATS = formats_for("test set", "responses")


def user(text):
    return {"role": "user", "content": text}


def bot(text, **more):
    return {"role": "assistant", "content": text, **more}


def human(text):
    return {"from": "human", "value": text}


def gpt(text):
    return {"from": "gpt", "value": text}


def system(text):
    return {"role": "system", "content": text}


def parts(*texts):
    return [{"type": "text", "text": text} for text in texts]


@pytest.fixture
def write(tmp_path):
    def written(*rows, name="chat.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        return path

    return written


def items(testset):
    """(id, context, references) of every item."""
    held = {name: [] for name in testset.ids}
    for name, text, weight, source in testset.references.iter_rows():
        assert (weight, source) == (None, None)
        held[name].append(text)
    turns = testset.contexts["context"].to_list()
    return [(name, turn, held[name]) for name, turn in zip(testset.ids, turns, strict=True)]


TEA = [("1", ["Tea?", "Yes.", "Now?"], ["No."])]
SHAPES = {
    "messages": {"messages": [user("Tea?"), bot("Yes."), user("Now?"), bot("No.")]},
    "parts": {
        "messages": [user(parts("Te", "a?")), bot(parts("Yes.")), user("Now?"), bot(parts("No."))]
    },
    "conversations": {"conversations": [human("Tea?"), gpt("Yes."), human("Now?"), gpt("No.")]},
    "conversation": {"conversation": [user("Tea?"), bot("Yes."), user("Now?"), bot("No.")]},
    "lists": {"prompt": [user("Tea?"), bot("Yes."), user("Now?")], "completion": [bot("No.")]},
    "list and text": {"prompt": [user("Tea?"), bot("Yes."), user("Now?")], "completion": "No."},
    "instructed": {
        "messages": [
            system("Be brief."),
            user("Tea?"),
            bot("Yes."),
            {"role": "developer", "content": None},
            user("Now?"),
            bot("No."),
        ]
    },
    "null columns": {
        "messages": None,
        "conversations": [
            {**human("Tea?"), "role": None, "content": None},
            bot("Yes.", tool_calls=None, name="b", weight=0),
            user("Now?"),
            bot("No.", tool_calls=[]),
        ],
    },
    "a prompt beside": {
        "prompt": "Tea?",
        "messages": [user("Tea?"), bot("Yes."), user("Now?"), bot("No.")],
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_row_of_every_shape_is_an_item_and_a_reply(write, shape):
    path = write(SHAPES[shape])
    assert items(read_testset(path)) == TEA
    assert read_responses(path).rows() == [("chat", "1", "No.")]


def test_a_prompt_that_is_text_is_one_turn(write):
    # The text stays as it is: TRL's completions begin with the space that parts the two.
    path = write({"prompt": "The sky is", "completion": " blue."})
    assert items(read_testset(path)) == [("1", ["The sky is"], [" blue."])]


def test_a_row_that_ends_with_the_user_has_no_reference(write):
    rows = [{"messages": [user("Tea?"), bot("Yes.")]}, {"messages": [user("Tea?"), user("Now?")]}]
    expected = [("1", ["Tea?"], ["Yes."]), ("2", ["Tea?", "Now?"], [])]
    assert items(read_testset(write(*rows))) == expected
    assert items(read_testset(write(rows[1]))) == [("1", ["Tea?", "Now?"], [])]
    with pytest.raises(InputError, match=r"row 2: ends with a message of the user's; expected"):
        read_responses(write(*rows))


def test_ids_are_the_rows_own_or_their_numbers(write):
    row = {"messages": [user("Tea?"), bot("Yes.")]}
    assert read_testset(write({"id": "a", **row}, {"id": 7, **row})).ids == ["a", "7"]
    one, two = write(row, row), write(row, name="more.jsonl")
    one.write_text(one.read_text().replace("\n", "\n\n"))
    assert read_testset(one, two).ids == ["1", "2", "3"]
    for rows, told in (
        ([{"id": "a", **row}, row], "row 2: no id, but rows above it have one; give every row"),
        ([row, row, {"id": "a", **row}], "row 3: the first row with an id; give every row an id"),
        ([{"id": True, **row}], "row 1: id: got true or false; expected"),
        ([{"id": "a", **row}, {"id": "a", **row}], "row 2: duplicate "),
    ):
        for read in (read_testset, read_responses):
            with pytest.raises(InputError, match=re.escape(told)):
                read(write(*rows))


def test_the_rows_name_the_system_or_the_file_does(write):
    row = {"messages": [user("Tea?"), bot("Yes.")]}
    named = write({"system": "s", "id": 1, **row}, {"system": "t", "id": 1, **row})
    assert read_responses(named).rows() == [("s", "1", "Yes."), ("t", "1", "Yes.")]
    with pytest.raises(InputError, match=r"row 2: no system at id '2'; name the system in every"):
        read_responses(write({"system": "s", **row}, row))
    with pytest.raises(InputError, match=r"row 1: system: got a list; expected text"):
        read_responses(write({"system": [], **row}))


def test_further_columns_are_kept_but_for_lists_and_objects(write, caplog):
    row = {"messages": [system("Short."), user("Tea?"), bot("Yes.")], "context": "kitchen"}
    path = write(
        {**row, "topic": "food", "n": 1, "tools": [], "mixed": "x"},
        {**row, "n": 2, "rejected": [bot("?")], "chat_template_kwargs": {"a": 1}, "mixed": [1]},
    )
    contexts = read_testset(path).contexts
    assert contexts.columns == ["id", "context", "n", "topic"]
    assert contexts.rows() == [("1", ["Tea?"], 1, "food"), ("2", ["Tea?"], 2, None)]
    said = [record.getMessage().removeprefix(f"{path}: ") for record in caplog.records]
    assert said == [
        "2 messages of system or developer left out: instructions, no turns",
        "columns not read: chat_template_kwargs, context, mixed, rejected, tools",
    ]


def test_chat_turns_has_an_item_for_every_reply(write, caplog):
    rows = [
        {"id": "a", "t": 1, "messages": [user("A"), bot("B"), user("C"), bot("D"), user("E")]},
        {"id": "b", "t": 2, "messages": [bot("Welcome."), user("F"), bot("G")]},
        {"id": "c", "t": 3, "messages": [system("S"), bot("Anybody?"), user("H")]},
    ]
    path = write(*rows)
    testset = read_testset(path, format="chat-turns")
    assert items(testset) == [
        ("a.1", ["A"], ["B"]),
        ("a.2", ["A", "B", "C"], ["D"]),
        ("b.2", ["Welcome.", "F"], ["G"]),  # b.1 answers nothing
    ]
    assert testset.contexts["t"].to_list() == [1, 1, 2]
    assert testset.contexts["conversation"].to_list() == ["a", "a", "b"]
    assert f"{path}, row 3: no reply of the assistant's to anything; left out" in caplog.text
    with pytest.raises(InputError, match=r"row 1: no reply of the assistant's.*; expected one"):
        read_testset(write(rows[2]), format="chat-turns")
    with pytest.raises(InputError, match="'chat-turns' holds no responses"):
        read_responses(path, format="chat-turns")


LONG = "long " * 2000  # beyond the bytes that formats are recognised by
RECOGNISED = {
    "messages": ({"messages": [user("A")]}, "chat"),
    "a long text first": ({"note": LONG, "messages": [user("A")]}, "chat"),
    "a long prompt": ({"prompt": LONG, "completion": "B"}, "chat"),
    "a prompt alone": ({"prompt": "A"}, "jsonl"),
    "no list": ({"conversation": "A", "id": 1}, "jsonl"),
    "a test set": ({"id": 1, "references": ["A"], "messages": [user("A")]}, "jsonl"),
    "responses": ({"id": 1, "text": "A", "prompt": "B", "completion": "C"}, "jsonl"),
    "a text that says so": (
        {"id": 1, "context": ['{"messages": [], "conversations": ["'], "references": ["messages"]},
        "jsonl",
    ),
    "a long text that says so": (
        {"id": 1, "context": ['", "messages": [{' + LONG], "references": ["messages"]},
        "jsonl",
    ),
    "deeper": ({"id": 1, "meta": {"messages": [], "prompt": "A", "completion": "B"}}, "jsonl"),
}


def recognised(path):
    head = FileHead.of(path)
    return next(name for name, each in FORMATS.items() if each.recognises(head))


@pytest.mark.parametrize("case", RECOGNISED)
def test_recognition(write, case):
    row, expected = RECOGNISED[case]
    for name in ("a.jsonl", "a.ndjson", "a.json", "a.jsonlines"):
        path = write(row, row, name=name)
        assert recognised(path) == expected
        path.write_bytes(b"\xef\xbb\xbf\n\r\n" + path.read_bytes())
        assert recognised(path) == expected
    assert recognised(write(row, name="a")) == expected  # no suffix, but an object
    cut = write(row)
    cut.write_text(cut.read_text()[:-3])
    assert recognised(cut) == "jsonl"  # which says that it breaks off


def test_a_jsonl_test_set_that_speaks_of_messages_stays_one(write):
    row = {"id": 1, "context": ['Any "messages": [?'], "references": ["conversations"]}
    assert items(read_testset(write(row))) == [("1", ['Any "messages": [?'], ["conversations"])]


def messages(*given):
    return {"messages": [user("A"), *given]}


ROLES = "'user', 'human', 'assistant', 'gpt', 'system' or 'developer'"
ERRORS = {
    "misspelt role": (
        messages({"role": "Asistant", "content": "x"}),
        f"role 'Asistant'; expected {ROLES}; did you mean 'assistant'?",
    ),
    "no role": (messages({"content": "x"}), "messages[1]: no 'role' (or 'from'); expected"),
    "role a number": (
        messages({"role": 1, "content": "x"}),
        "messages[1].role: got a whole number; expected text",
    ),
    "no content": (messages({"role": "assistant"}), "messages[1]: no text; expected"),
    "content null": (messages(bot(None)), 'messages[1]: no text; expected one, which is ""'),
    "no parts": (messages(bot([])), "messages[1]: no text; expected"),
    "content a number": (messages(bot(1)), "messages[1].content: got a whole number; expected"),
    "a part that is text": (
        messages(bot(["x"])),
        "messages[1].content[0]: got text; expected an object",
    ),
    "a message that is text": (messages("x"), "messages[1]: got text; expected an object"),
    "nobody": ({"messages": [system("x")]}, "row 2: nobody says anything; expected at least one"),
    "no messages": (
        {"prompt": "x", "chosen": "y"},
        "row 2: no messages; got prompt, chosen, expected a list in 'messages', 'conversations' or "
        "'conversation', or 'prompt' and 'completion'",
    ),
    "messages as text": ({"messages": "x"}, "row 2: messages: got text; expected a list"),
    "completion null": (
        {"prompt": "x", "completion": None},
        "completion: got null; expected text or",
    ),
}


NO_TEXT = {
    "an image": bot([*parts("See:"), {"type": "image_url"}]),
    "a part without": bot([{"type": "text"}]),
    "a tool called": bot("", tool_calls=[{"id": "x"}]),
    "a tool called without a text": bot(None, tool_calls=[{"id": "x"}]),
    "a function called": bot("", function_call={"name": "x"}),
    "an answer of a tool": {"role": "tool", "content": "42"},
    "a function of ShareGPT": {"from": "function_call", "value": "{}"},
}


@pytest.mark.parametrize("case", NO_TEXT)
def test_a_conversation_of_other_things_than_text_is_left_out(write, case, caplog):
    row = messages(NO_TEXT[case], bot("C"))
    path = write({"messages": [user("A"), bot("B")]}, row, {"messages": [user("D"), bot("E")]})
    assert items(read_testset(path)) == [("1", ["A"], ["B"]), ("3", ["D"], ["E"])]
    assert read_responses(path).select("id", "text").rows() == [("1", "B"), ("3", "E")]
    assert "1 conversation with calls of tools or other parts than text left out" in caplog.text
    path = write(row, row)
    for read in (read_testset, read_responses):
        with pytest.raises(InputError, match=r"row 1: .*; expected one conversation of text alone"):
            read(path)


@pytest.mark.parametrize("case", ERRORS)
def test_an_error_says_what_is_wrong_with_a_row(write, case):
    row, told = ERRORS[case]
    path = write({"messages": [user("A"), bot("B")]}, row)
    for read in (read_testset, read_responses):
        with pytest.raises(InputError) as raised:
            read(path)
        message = str(raised.value)
        assert message.startswith(f"{path}, row 2: ")
        assert told in message
        assert "; " in message
        assert "\n" not in message


def test_a_completion_judged_bad_is_no_reference(write):
    pair = {"prompt": "A", "completion": "B"}
    path = write({**pair, "label": True}, {**pair, "label": False})
    for name in ("chat", "chat-turns"):
        with pytest.raises(InputError, match=r"row 2: 'label' is false.*; leave such rows out"):
            read_testset(path, format=name)
    assert read_responses(path).height == 2
    assert read_testset(write({**messages(bot("B")), "label": False})).contexts["label"][0] is False


def test_a_json_list_is_read_as_lines_are(write):
    path = write([{"conversations": [human("A"), gpt("B")]}], name="sharegpt.json")
    assert recognised(path) == "chat"
    testset = read_testset(path)
    assert testset.contexts.rows() == [("1", ["A"])]
    assert testset.references.get_column("text").to_list() == ["B"]
    long = write([{"note": LONG, "conversations": [human("A"), gpt("B")]}], name="long.json")
    assert read_testset(long).contexts.get_column("context").to_list() == [["A"]]


def test_scores_from_files(write):
    rows = [messages(bot("at nine or ten")), messages(bot("some tea is left"))]
    other = [messages(bot("at nine or ten")), messages(bot("no idea at all"))]
    testset = rejoinder.read_testset(write(*rows))
    replies = rejoinder.read_responses(
        write(*rows, name="same.jsonl"), write(*other, name="half.jsonl")
    )
    scores = rejoinder.score(testset, replies, metrics=["bleu"])
    found = dict(scores.systems().select("system", "value").iter_rows())
    # Half of the words and of the bigrams of the second system stand in the references:
    # sqrt(4/8 * 3/6) = 0.5, and it is as long as they are.
    assert found == {"same": pytest.approx(1.0), "half": pytest.approx(0.5)}


def test_the_command_line_scores_plain_text_against_chats(write, tmp_path, capfd):
    path = write(messages(bot("at nine or ten")), messages(bot("some tea is left")))
    plain = tmp_path / "preds.txt"
    plain.write_text("at nine or ten\nno idea at all\n")
    assert run(["score", str(path), str(plain), "-m", "bleu", "--json"]) == 0
    (told,) = json.loads(capfd.readouterr().out)["systems"]
    assert (told["system"], told["value"]) == ("preds", pytest.approx(0.5))
    plain.write_text("at nine or ten\n")
    assert run(["score", str(path), str(plain)]) == 2
    assert "preds.txt: 1 line, but the test set has 2 items" in capfd.readouterr().err
