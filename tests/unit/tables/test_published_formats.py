"""The published formats, on small files of the same shape and, where they are, on the real ones."""

import io
import json
import zipfile
from contextlib import suppress

import polars as pl
import pytest

from flipped_bits import every, flipped
from rejoinder import score
from rejoinder.errors import InputError
from rejoinder.tables.formats.format_choice import holds_all
from rejoinder.tables.responses import check_responses, read_responses
from rejoinder.tables.testset import read_testset
from shared_data import shared

DIALOGUES = "Hi . __eou__ Hello ! __eou__ Bye . __eou__\nAny tea ? __eou__ No . __eou__\n"


def items(testset):
    """(id, context, [(text, weight, source), ...]) of every item."""
    held = {name: [] for name in testset.ids}
    for name, *rest in testset.references.iter_rows():
        held[name].append(tuple(rest))
    turns = testset.contexts["context"].to_list()
    return [(name, turn, held[name]) for name, turn in zip(testset.ids, turns, strict=True)]


@pytest.mark.parametrize("packed", ["zip", "txt", "folder"])
def test_dailydialog_answers_every_turn_with_the_next(tmp_path, packed):
    path = tmp_path / "dialogues_test.txt"
    path.write_text(DIALOGUES)
    (tmp_path / "dialogues_act_test.txt").write_text("1 2 1\n2 1\n")
    if packed == "zip":
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as archive:
            for each in tmp_path.iterdir():
                archive.write(each, f"test/{each.name}")
        path = tmp_path / "test.zip"
        path.write_bytes(data.getvalue())
    testset = read_testset(tmp_path if packed == "folder" else path)
    assert items(testset) == [
        ("0_0", ["Hi ."], [("Hello !", None, "original")]),
        ("0_1", ["Hi .", "Hello !"], [("Bye .", None, "original")]),
        ("1_0", ["Any tea ?"], [("No .", None, "original")]),
    ]
    assert testset.contexts["conversation"].to_list() == ["0", "0", "1"]


@pytest.mark.parametrize("how", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_a_flipped_bit_of_dailydialogs_archive_is_one_message(tmp_path, how):
    path = tmp_path / "test.zip"
    with zipfile.ZipFile(path, "w", how) as archive:
        archive.writestr("test/dialogues_test.txt", DIALOGUES)
    raw, expected = path.read_bytes(), items(read_testset(path))
    for place, bit in every(raw):
        path.write_bytes(flipped(raw, place, bit))
        with suppress(InputError):
            assert items(read_testset(path)) == expected


def test_dailydialog_multiref(tmp_path):
    path = tmp_path / "multireftest.json"
    turns = [{"text": "Tea ?", "responses": ["no .", "yes .", ""]}, {"text": "No ."}]
    path.write_text(json.dumps({"topic": "food", "dialogue": turns}) + "\n")
    testset = read_testset(tmp_path)
    # A reference of no text is none, as in sacreBLEU.
    assert items(testset) == [
        ("0_0", ["Tea ?"], [("no .", None, "original"), ("yes .", None, "collected")])
    ]
    assert testset.contexts["topic"].to_list() == ["food"]
    assert testset.contexts["conversation"].to_list() == ["0"]


def test_the_rated_replies_are_a_test_set_and_responses(tmp_path):
    path = tmp_path / "rated.csv"
    path.write_text(
        "model,context_id,response,prevgt,all_references,context\n"
        'human,7_1,"yes , please",no .,maybe .\tno .,Tea ?||||Now ?\n'
        "bot,7_1,what ?,no .,maybe .\tno .,Tea ?||||Now ?\n"
    )
    assert items(read_testset(path)) == [
        ("7_1", ["Tea ?", "Now ?"], [("no .", None, "original"), ("maybe .", None, "collected")])
    ]
    assert read_responses(path).rows() == [
        ("human", "7_1", "yes , please"),
        ("bot", "7_1", "what ?"),
    ]


@pytest.mark.parametrize(
    ("ids", "conversations"), [(["7_0", "7_1", "9_0"], ["7", "7", "9"]), (["7_0", "a_1"], None)]
)
def test_the_ids_of_rated_replies_say_their_conversations(tmp_path, ids, conversations):
    path = tmp_path / "rated.csv"
    rows = "".join(f"bot,{id},what ?,no .,no .,Tea ?\n" for id in ids)
    path.write_text(f"model,context_id,response,prevgt,all_references,context\n{rows}")
    testset = read_testset(path)
    contexts = testset.contexts
    assert ("conversation" in contexts.columns) == (conversations is not None)
    if conversations:
        assert contexts["conversation"].to_list() == conversations
        assert score(testset, read_responses(path), ["length"]).cluster == "conversation"


def test_the_rated_replies_need_no_other_file(tmp_path, command):
    path = tmp_path / "rated.csv"
    path.write_text(
        "model,context_id,response,prevgt,all_references,context\n"
        "human,7_1,yes .,no .,maybe .\tno .,Tea ?\nbot,7_1,no .,no .,maybe .\tno .,Tea ?\n"
    )
    assert holds_all(path, None, None)
    given = ["-m", "bleu", "--json", "--resamples", 0]
    alone, both = (command("score", *paths, *given)[:2] for paths in ([path], [path, path]))
    assert alone == both
    assert alone[0] == 0


def test_dailydialog_plusplus(tmp_path):
    path = tmp_path / "dev.jsonl"
    kinds = ("positive", "adversarial_negative", "random_negative")
    row = {"id": 4, "context": ["A", "B"], **{f"{kind}_responses": [kind[0]] for kind in kinds}}
    path.write_text(json.dumps(row) + "\n")
    references = [("p", 1.0, "positive"), ("a", -1.0, "adversarial"), ("r", -1.0, "random")]
    assert items(read_testset(path)) == [("4", ["A", "B"], references)]


def test_dstc7_keeps_items_without_references_and_no_averages(tmp_path):
    gold = tmp_path / "half-gold_responses.tsv"
    gold.write_bytes('\ufeffInstanceID\tReference1\t...\nq\t"Ho\tHey\nr\t\nAverage\t1\n'.encode())
    context = tmp_path / "half-context.tsv"
    context.write_text("InstanceID\tDepth\tContext\nq\t2\tSome facts.\nr\t3\tOthers.\n")
    expected = [
        ("q", ["Some facts."], [('"Ho', None, "human"), ("Hey", None, "human")]),
        ("r", ["Others."], []),
    ]
    for paths in ([tmp_path], [gold], [context, gold]):
        testset = read_testset(*paths)
        assert items(testset) == expected
        assert testset.contexts["depth"].to_list() == [2, 3]
    context.unlink()
    assert read_testset(gold).contexts.columns == ["id", "context"]
    replies = tmp_path / "half-system_responses.tsv"
    replies.write_text('SystemID\tInstanceID\tResponse\nA\tq\t"Hi\nA\tAverage\t3.2\n')
    assert read_responses(tmp_path).rows() == [("A", "q", '"Hi')]


def test_grade_folders_are_systems(tmp_path):
    for system in ("one", "two"):
        folder = tmp_path / system
        folder.mkdir()
        (folder / "human_ctx.txt").write_text("Hi|||Hello\nTea ?\n")
        (folder / "human_ref.txt").write_text("Bye\nNo .\n")
        (folder / "human_hyp.txt").write_text(f"{system}\n\n")
    testset = read_testset(tmp_path)
    assert items(testset)[0] == ("1", ["Hi", "Hello"], [("Bye", None, "original")])
    rows = [("one", "1", "one"), ("one", "2", ""), ("two", "1", "two"), ("two", "2", "")]
    assert read_responses(tmp_path).rows() == rows
    assert read_responses(tmp_path / "two").rows() == rows[2:]
    assert read_responses(tmp_path / "two" / "human_hyp.txt").rows() == rows[2:]


@pytest.mark.parametrize(
    ("split", "pairs"), [("train", 76053), ("validation", 7069), ("test", 6740)]
)
def test_real_dailydialog(split, pairs):
    testset = read_testset(shared("data", "dailydialog", f"{split}.zip"))
    assert len(testset) == testset.references.height == pairs


def test_real_multiref_and_the_replies_to_it():
    folder = shared("data", "dailydialog-multiref")
    testset = read_testset(folder)
    mapping = json.loads((folder / "test_duid_mapping.json").read_text())
    assert {name: line for line, name in enumerate(testset.ids, start=1)} == mapping
    # Five references to each of 6,740 items, one of which is empty.
    assert (len(testset), testset.references.height) == (6740, 5 * 6740 - 1)
    first = testset.references.group_by("id", maintain_order=True).first()
    assert first["source"].unique().to_list() == ["original"]
    replies = read_responses(folder / "hredf.txt", ids=testset.ids)
    assert check_responses(replies, testset).responses.equals(replies)


def test_real_rated_replies():
    path = shared("data", "dailydialog-multiref", "mturk_rating_processed_output.csv")
    testset, replies = read_testset(path), read_responses(path)
    assert (len(testset), testset.references.height) == (100, 400)
    assert sorted(replies.group_by("system").len().iter_rows()) == [
        (system, 100) for system in ("CVAEf", "dualencoder_train", "hredf", "human", "seq2seqf")
    ]
    check_responses(replies, testset)


def test_real_plusplus():
    testset = read_testset(shared("data", "dailydialog-plusplus", "dev.jsonl"))
    assert len(testset) == 1028
    counts = testset.references.group_by("source", "weight").len().sort("source").rows()
    assert counts == [("adversarial", -1.0, 5140), ("positive", 1.0, 5140), ("random", -1.0, 5140)]


def test_real_dstc7():
    folder = shared("data", "dstc7-task2")
    testset, replies = read_testset(folder), read_responses(folder)
    assert (len(testset), testset.references.height) == (500, 16502)
    assert len(set(testset.ids) - set(testset.references["id"])) == 23
    aligned = check_responses(replies, testset)
    assert (len(aligned.systems), aligned.responses.height) == (10, 5000)
    ratings = folder / "dstc7-task2-human_evaluation.tsv"
    with pytest.raises(InputError, match="expected the file of gold_responses"):
        read_testset(ratings)


def test_real_grade():
    folder = shared("data", "grade-dailydialog")
    testset, replies = read_testset(folder), read_responses(folder)
    assert (len(testset), testset.references.height, replies.height) == (150, 150, 300)
    assert check_responses(replies, testset).systems == [
        "transformer_generator",
        "transformer_ranker",
    ]
    assert testset.contexts["context"].list.len().min() == 2
    assert testset.references["text"].dtype == pl.String
