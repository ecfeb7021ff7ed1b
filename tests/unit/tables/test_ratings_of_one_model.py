"""Ratings as single models collect them: words for grades, no column of systems, raters in lists."""

# One case per line reads best.
# ruff: noqa: E501

import json

import pytest

from rejoinder.errors import InputError
from rejoinder.tables.preferences import read_preferences
from rejoinder.tables.ratings import read_ratings
from rejoinder.tables.responses import read_responses
from rejoinder.tables.testset import read_testset


@pytest.fixture
def write(tmp_path):
    def written(content, name):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        path.write_text(text, encoding="utf-8")
        return path

    return written


def scores(path, **more):
    return read_ratings(path, **more).get_column("score").to_list()


WORDS = {
    "thumbs": ("👍", "👎", "👍🏽"),
    "their names": ("thumbs up", "Thumbs-Down", "thumbs_up"),
    "likes": ("Like", "Dislike", "like"),
    "good and bad": ("Good", "Bad", "GOOD"),
    "true and false": ("True", "False", "true"),
    "yes and no": ("yes", "no", "Yes"),
}


@pytest.mark.parametrize("case", WORDS)
def test_words_of_two_grades_are_numbers(write, case, caplog):
    lines = "".join(f"c{n},bot,ann,{word}\n" for n, word in enumerate(WORDS[case]))
    path = write(f"id,system,rater,score\n{lines}", "r.csv")
    assert scores(path) == [1, 0, 1]
    assert "words read as numbers: " in caplog.text


def test_stars_are_counted(write):
    rows = [
        {"id": str(n), "system": "a", "rater": "r", "score": s}
        for n, s in enumerate(("★★★☆☆", "⭐", "⭐️⭐️"))
    ]
    assert scores(write(rows, "r.json")) == [3, 1, 2]


def test_true_and_false_of_json_are_numbers(write):
    rows = [
        {"id": str(n), "system": "a", "liked": liked} for n, liked in enumerate((True, False, None))
    ]
    assert scores(write(rows, "r.json")) == [1, 0]


def test_other_words_need_their_numbers(write):
    path = write("id,system,rater,score\n1,a,r,Good\n2,a,r,Okay\n3,a,r,Bad\n", "r.csv")
    with pytest.raises(
        InputError,
        match=r"row 2: score 'Okay'|row 2: score 'Good'|score 'Good' is no number.*values=",
    ):
        scores(path)
    assert scores(path, values={"Good": 3, "Okay": 2, "Bad": 1}) == [3, 2, 1]
    wide = write("id,system,rater,fluency,tone\n1,a,r,Good,Bad\n2,a,r,Okay,Good\n", "w.csv")
    assert scores(wide, values={"Good": 3, "Okay": 2, "Bad": 1}) == [3, 1, 2, 3]


def test_the_file_is_the_system_where_none_is_named(write, caplog):
    made = read_ratings(write("id,rater,score\n1,ann,4\n2,ann,5\n", "bot.csv"))
    assert made.get_column("system").to_list() == ["bot", "bot"]
    assert "no column of systems; all ratings are of 'bot'" in caplog.text


@pytest.mark.parametrize(
    ("table", "id", "others"),
    [
        ("id,rater,score\n1,ann,4\n1,bob,4\n2,ann,5\n2,ann,3\n", "2", ""),
        ("id,rater,score\n" + "1,ann,4\n" * 3, "1", " (and 1 more rating like it)"),
        ("id,rater,criterion,score\n1,ann,q,4\n1,ann,p,4\n1,ann,q,5\n", "1", ""),
        ("id,session_id,score\n1,ann,4\n1,ann,5\n", "1", ""),
    ],
)
def test_several_ratings_by_one_rater_and_no_system_ask_for_the_systems(write, table, id, others):
    path = write(table, "bot.csv")
    with pytest.raises(InputError) as refused:
        read_ratings(path)
    assert str(refused.value).startswith(
        f"{path}: no column 'system', and id '{id}' has several ratings{others}; got id, "
    )
    assert str(refused.value).endswith(
        "or write a file for each system (this one is taken for that of 'bot'); if all are of one system, "
        "keep one of them"
    )


def test_ratings_of_no_score_or_nobody_are_not_several(write):
    made = read_ratings(write("id,rater,score\n1,ann,4\n1,ann,\n", "bot.csv"))
    assert made.get_column("score").to_list() == [4]
    with pytest.raises(InputError, match="row 2: no rater at id '1'"):
        read_ratings(write("id,rater,score\n1,,4\n1,,5\n2,ann,3\n", "bot.csv"))
    with pytest.raises(InputError, match="row 3: id '1' is judged a second time, and no column"):
        read_ratings(write("id,score\n1,4\n1,5\n", "bot.csv"))
    pair = "id,rater,against,score\n1,ann,cat,4\n1,ann,dog,5\n"
    assert read_ratings(write(pair, "bot.csv")).height == 2


def test_prompts_and_replies_with_feedback(write):
    path = write(
        "prompt,output,flag,timestamp\nHi,Ho,Like,2026\nTea?,No.,,2026\nMilk?,Yes.,Dislike,2026\n",
        "log.csv",
    )
    assert read_ratings(path).select("id", "system", "score").rows() == [
        ("1", "log", 1.0),
        ("3", "log", 0.0),
    ]
    assert read_testset(path).ids == ["1", "2", "3"]
    assert read_responses(path).rows()[2] == ("log", "3", "Yes.")


def test_a_comment_is_no_feedback_in_grades(write):
    path = write("id,system,rater,fluency,feedback\n1,a,r,4,nice\n2,a,r,5,bad\n", "r.csv")
    assert read_ratings(path).get_column("criterion").to_list() == ["fluency", "fluency"]


def test_feedback_takes_the_place_of_no_criteria(write, caplog):
    for name, words in (("flag", ("no", "yes")), ("vote", ("up", "down"))):
        rows = "".join(f"{n},a,r,{n},3,{word}\n" for n, word in enumerate(words, start=1))
        made = read_ratings(write(f"id,system,rater,fluency,tone,{name}\n{rows}", f"{name}.csv"))
        assert made.select("criterion", "score").rows() == [
            ("fluency", 1.0),
            ("tone", 3.0),
            ("fluency", 2.0),
            ("tone", 3.0),
        ]
        assert f"1 column without a number left out: {name}" in caplog.text
    with pytest.raises(
        InputError, match="no column of numbers"
    ):  # a flag is Gradio's beside a prompt and its reply
        read_ratings(write("id,system,rater,flag\n1,a,r,no\n2,a,r,yes\n", "flags.csv"))


def test_words_of_two_kinds_are_no_grades(write):
    for words in (("★★", "yes"), ("yes", "bad")):
        path = write(f"id,system,rater,score\n1,a,r,{words[0]}\n2,a,r,{words[1]}\n", "r.csv")
        with pytest.raises(InputError, match=f"row 2: score '{words[0]}' is no number"):
            read_ratings(path)


def test_lists_of_numbers_beside_a_number_are_no_raters(write):
    rows = [{"id": str(n), "system": "a", "score": n, "tokens": [5, 6, 7]} for n in (1, 2)]
    assert scores(write(rows, "tokens.json")) == [1, 2]
    rows = [{"id": str(n), "system": "a", "rated": n, "span": [0, 5]} for n in (1, 2)]
    with pytest.raises(InputError, match="one column of numbers, 'rated'"):
        read_ratings(write(rows, "spans.json"))
    rows = [{"id": str(n), "system": "a", "tokens": [1] * n} for n in (1, 2)]
    with pytest.raises(InputError, match="no column of numbers"):
        read_ratings(write(rows, "lengths.json"))
    rows = [{"id": str(n), "system": "a", "fluency": [4, 5]} for n in (1, 2)]
    assert scores(write(rows, "lists.json")) == [4, 5, 4, 5]


USR = [{"context": "Hi\nHello\nTea?\n", "fact": "f", "responses": [
    {"response": "Yes. System: on.", "model": "a", "Natural": [1, 3, "N/A"], "Overall": [4, 5, 3]},
    {"response": "No.", "model": "b", "Natural": [2], "Overall": [1, 2]}]}]  # fmt: skip
FED = [{"context": "User: Hi!", "response": "System: Ho.", "system": "Meena", "annotations": {"Overall": [3, 4]}},
       {"context": "User: Bye!", "system": "Meena", "annotations": {"Overall": [1]}}]  # fmt: skip


def test_usr(write, caplog):
    path = write(USR, "usr.json")
    rows = read_ratings(path).select("id", "system", "rater", "criterion", "score").rows()
    assert sorted(rows) == sorted([
        *(("1", "a", str(r), "Natural", s) for r, s in ((1, 1.0), (2, 3.0))),
        *(("1", "a", str(r), "Overall", s) for r, s in ((1, 4.0), (2, 5.0), (3, 3.0))),
        ("1", "b", "1", "Natural", 2.0), ("1", "b", "1", "Overall", 1.0), ("1", "b", "2", "Overall", 2.0),
    ])  # fmt: skip
    assert "1 grade without a number left out" in caplog.text
    assert read_testset(path).contexts.row(0)[:2] == ("1", ["Hi", "Hello", "Tea?"])
    assert read_responses(path).rows() == [("a", "1", "Yes. System: on."), ("b", "1", "No.")]


def test_fed(write, caplog):
    path = write(FED, "fed.json")
    assert read_responses(path).rows() == [("Meena", "1", "Ho.")]
    assert scores(path) == [3, 4]
    assert "1 dialogue rated as a whole left out" in caplog.text


def test_equal_contexts_of_fed_are_one_item(write):
    rows = [FED[0], FED[0] | {"system": "Mitsuku"}, FED[0]]
    path = write(rows, "fed.json")
    assert read_responses(path).select("system", "id").rows() == [
        ("Meena", "1"),
        ("Mitsuku", "1"),
        ("Meena", "3"),
    ]
    own = write(json.dumps(FED[0] | {"id": "i1", "reference": "Hey."}) + "\n", "own.jsonl")
    assert (read_testset(own).ids, read_testset(own).references["text"].to_list()) == (
        ["i1"],
        ["Hey."],
    )


def test_likes_of_gradio(write):
    rows = [
        {"index": [0, 1], "value": "Ho", "liked": True, "conversation_id": "x"},
        {"index": 3, "value": "No.", "liked": False, "conversation_id": "x"},
    ]
    path = write("".join(f"{json.dumps(row)}\n" for row in rows), "likes.jsonl")
    assert read_ratings(path).select("id", "score").rows() == [("x.0.1", 1.0), ("x.3", 0.0)]
    assert read_responses(path).rows() == [("likes", "x.0.1", "Ho"), ("likes", "x.3", "No.")]
    plain = write([{"index": 0, "value": "Ho", "liked": True}], "plain.json")
    assert read_ratings(plain).get_column("id").to_list() == ["1"]


def test_google_forms(write):
    path = write(
        "Timestamp,Email Address,c1 bot,Fluent? [c2 | cat],c2 | cat | tone,Your age,Comments\n"
        "2026,a@b,4,5,1,34,nice\n2026,c@d,3,,2,35,c1 bot\n", "form.csv",
    )  # fmt: skip
    assert read_ratings(path).rows() == [
        ("c1", "bot", "a@b", "overall", 4.0), ("c1", "bot", "c@d", "overall", 3.0),
        ("c2", "cat", "a@b", "Fluent?", 5.0), ("c2", "cat", "a@b", "tone", 1.0), ("c2", "cat", "c@d", "tone", 2.0),
    ]  # fmt: skip
    nameless = read_ratings(write("Timestamp,c1 bot\n2026,Good\n2026,Bad\n", "form.csv"))
    assert nameless.select("rater", "score").rows() == [("1", 1.0), ("2", 0.0)]


def test_forms_with_columns_of_ours_or_other_questions(write, caplog):
    path = write("Timestamp,id,system,rater,Q1 fluency,Q2 tone\nx,c1,bot,ann,3,4\n", "own.csv")
    assert read_ratings(path).rows() == [
        ("c1", "bot", "ann", "Q1 fluency", 3.0),
        ("c1", "bot", "ann", "Q2 tone", 4.0),
    ]
    path = write(
        "Timestamp,Your age,1. Gender,Q1 comments,c1 | bot\nx,33,male,nice,5\n", "form.csv"
    )
    assert read_ratings(path).rows() == [("c1", "bot", "1", "overall", 5.0)]
    assert "columns not read: Your age, 1. Gender, Q1 comments" in caplog.text


def test_potato_of_version_1(write):
    table = "user\tinstance_id\tdisplayed_text\tfluency:::1\tfluency:::2\ttone:::5\nu1\tc1__bot\tHi\t\t2\t5\nu2\tc2__cat\tHo\t1\t\t\n"
    path = write(table, "annotated_instances.tsv")
    assert read_ratings(path).rows() == [
        ("c1", "bot", "u1", "fluency", 2.0), ("c1", "bot", "u1", "tone", 5.0), ("c2", "cat", "u2", "fluency", 1.0),
    ]  # fmt: skip
    dotted = write(
        "user\tinstance_id\tfluency:::1\nu1\tdd__12__gpt\ttrue\n", "annotated_instances.tsv"
    )
    assert read_ratings(dotted).rows() == [("dd__12", "gpt", "u1", "fluency", 1.0)]
    line = {
        "id": "c1__bot",
        "displayed_text": "Hi",
        "label_annotations": {"fluency": {"4": "4"}},
        "span_annotations": [],
    }
    path = write(json.dumps(line) + "\n", "u7/annotated_instances.jsonl")
    assert read_ratings(path).rows() == [("c1", "bot", "u7", "fluency", 4.0)]


PAIR = {"prompt": "Hi", "chosen": "Ho", "rejected": "No"}
MESSAGES = {"chosen": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}],
            "rejected": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "No"}]}  # fmt: skip
HH = {
    side: f"\n\nHuman: Hi\n\nAssistant: {text}"
    for side, text in (("chosen", "Ho"), ("rejected", "No"))
}
PROMPTED = {
    "prompt": [{"role": "user", "content": "Hi"}],
    "chosen": MESSAGES["chosen"][1:],
    "rejected": MESSAGES["rejected"][1:],
}


@pytest.mark.parametrize(
    "row",
    [PAIR, MESSAGES, HH, PROMPTED, {"prompt": "Hi", **MESSAGES}],
    ids=["texts", "conversations", "HH-RLHF", "messages", "both"],
)
def test_pairs_of_preferences(write, row):
    path = write([row], "dpo.json")
    assert read_preferences(path).select("id", "a", "b", "winner").rows() == [
        ("1", "chosen", "rejected", "a")
    ]
    assert read_responses(path).rows() == [("chosen", "1", "Ho"), ("rejected", "1", "No")]
    testset = read_testset(path)
    assert (testset.contexts.rows(), testset.references.height) == ([("1", ["Hi"])], 0)


def test_a_speaker_named_in_a_sentence_begins_no_turn(write):
    asked = "\n\nHuman: What does 'Assistant:' mean?\n\nAssistant: "
    path = write([{"chosen": f"{asked}A label.", "rejected": f"{asked}No idea."}], "dpo.json")
    assert read_testset(path).contexts.rows() == [("1", ["What does 'Assistant:' mean?"])]


def test_two_conversations_are_no_pair(write):
    other = {
        **MESSAGES,
        "rejected": [{"role": "user", "content": "Bye"}, {"role": "assistant", "content": "No"}],
    }
    with pytest.raises(InputError, match="row 1: the chosen and the rejected conversation are not"):
        read_preferences(write([other], "dpo.json"))


def test_a_session_is_a_rater_where_nobody_is_named(write):
    path = write("id,session_id,score\n1,s1,👍\n1,s2,👎\n", "feedback.csv")
    assert read_ratings(path).get_column("rater").to_list() == ["s1", "s2"]
    path = write("id,system,rater,session_id,score\n1,a,ann,s1,4\n", "named.csv")
    assert read_ratings(path).get_column("rater").to_list() == ["ann"]


def test_ids_times_and_rows_without_a_score_are_no_ratings(write, caplog):
    text = "id,system,rater,fluency,ANNOTATION_ID,seconds\n1,a,ann,4,31,9\n2,a,ann,,32,7\n"
    table = read_ratings(write(text, "wide.csv"))
    assert table.select("id", "criterion", "score").rows() == [("1", "fluency", 4.0)]
    assert "ANNOTATION_ID, seconds; columns={'score': 'ANNOTATION_ID'}" in caplog.text
    assert "1 row without a score left out" in caplog.text


def test_notes_of_grades_in_lists_name_no_column_that_is_read(write, caplog):
    row = {"context": "Hi", "response": "Ho", "system": "a", "annotations": {"Fluent": [1, 2]}}
    path = write([row], "fed.json")
    assert scores(path) == [1, 2]
    assert read_testset(path).contexts.height == 1
    assert "not read" not in caplog.text
    assert "without a number" not in caplog.text
