"""Records beside what commands write, and ``rejoinder verify``."""

import hashlib
import json
import os
import random
import shutil
import sqlite3
from contextlib import closing
from types import SimpleNamespace

import click
import polars as pl
import pytest

import studies
from rejoinder.annotation.study import Study
from rejoinder.cli.app import app
from rejoinder.cli.command_words import command_words
from rejoinder.cli.declarations import WORDS
from rejoinder.cli.records import Records
from rejoinder.files.provenance import read_record, record_path
from shared_data import EXAMPLES, SYSTEMS, TESTSET

RATINGS = str(EXAMPLES / "ratings.csv")


@pytest.fixture
def examples(tmp_path, monkeypatch):
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


WEIGH = [
    "weigh", "examples/testset.jsonl", "examples/responses/tuned.jsonl",
    "examples/responses/generic.jsonl", "--ratings", "examples/ratings.csv", "-o", "w.jsonl",
]  # fmt: skip
SCORE = [
    "score", "w.jsonl", "examples/responses/retrieval.jsonl", "-m", "deltableu", "--drop-unusable",
    "--resamples", "0", "--save", "kept/s.parquet",
]  # fmt: skip


def test_the_files_of_a_pattern_are_inputs(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"id": ["1"], "references": [["x y"]]}).write_parquet("t.parquet")
    for folder in ("g/a", "g/_old"):
        os.makedirs(folder)
        pl.DataFrame({"id": ["1"], "text": ["x y"]}).write_parquet(f"{folder}/x.parquet")
    words = [
        "score",
        "t.parquet",
        "g/**/x.parquet",
        "-m",
        "bleu",
        "--block",
        "1",
        "--resamples",
        "0",
    ]
    assert command(*words, "--save", "s.parquet")[0] == 0
    inputs = read_record("s.parquet")["inputs"]
    assert [(each["as"], each["path"]) for each in inputs] == [
        ("TESTSET", "t.parquet"),
        ("RESPONSES", "g/a/x.parquet"),
    ]


def test_from_scores_back_to_the_first_files(examples, command):
    (examples / "kept").mkdir()
    assert command(*WEIGH)[0] == 0
    assert command(*SCORE)[0] == 0
    status, out, _ = command("verify", "kept/s.parquet", "--json")
    document = json.loads(out)
    assert (status, document["state"]) == (0, "unchanged")
    # Paths are as seen from the folder of the record.
    assert document["command"][:3] == ["rejoinder", "score", "../w.jsonl"]
    assert document["command"][-2:] == ["--save", "s.parquet"]
    assert set(document["signatures"]) == {"deltaBLEU-2"}
    weighed, replies = document["inputs"]
    assert [weighed["role"], replies["role"]] == ["TESTSET", "RESPONSES"]
    assert weighed["rows"] == 66
    assert any("1 empty reply skipped" in note for note in weighed["notes"])
    assert [(each["role"], each["name"], each["state"]) for each in weighed["inputs"]] == [
        ("TESTSET", "examples/testset.jsonl", "unchanged"),
        ("RESPONSES", "examples/responses/tuned.jsonl", "unchanged"),
        ("RESPONSES", "examples/responses/generic.jsonl", "unchanged"),
        ("--ratings", "examples/ratings.csv", "unchanged"),
    ]
    digest = hashlib.sha256((examples / "examples/ratings.csv").read_bytes()).hexdigest()
    assert weighed["inputs"][3]["content"] == digest

    (examples / "examples" / "ratings.csv").write_text("id\n")
    (examples / "examples" / "responses" / "tuned.jsonl").unlink()
    status, out, _ = command("verify", "kept/s.parquet")
    assert status == 1
    assert f"content {digest[:12]}, CHANGED: its content is now " in out
    assert "examples/responses/tuned.jsonl (RESPONSES), content " in out
    assert "MISSING" in out
    assert "note: weights: 1 empty reply skipped" in out
    assert str(examples) not in out


def test_the_same_command_writes_the_same_record_and_the_file_is_what_it_was(examples, command):
    command(*WEIGH)
    first = record_path("w.jsonl").read_bytes()
    file = (examples / "w.jsonl").read_bytes()
    command(*WEIGH)
    assert record_path("w.jsonl").read_bytes() == first
    assert (examples / "w.jsonl").read_bytes() == file


def test_figures_have_one_record_for_their_folder(examples, command, unrendered):
    words = ["correlate", *WEIGH[1:6], "-m", "length", "--resamples", "0", "--permutations", "0"]
    assert command(*words, "--plots", "plots")[0] == 0
    record = read_record("plots")
    assert record is not None
    names = sorted(each.name for each in (examples / "plots").iterdir())
    assert names == [".provenance.json", *record["files"]]
    assert json.loads(command("verify", "plots", "--json")[1])["state"] == "unchanged"
    (examples / "plots" / "notes.txt").write_text("of the user")
    assert json.loads(command("verify", "plots", "--json")[1])["state"] == "unchanged"
    (examples / "plots" / record["files"][0]).unlink()
    assert json.loads(command("verify", "plots", "--json")[1])["state"] == "missing"


def test_a_models_folder_keeps_its_hash(examples, command):
    words = ["train", "vectors", "examples/corpus.txt", "-o", "v"]
    words += ["--set", "min_count=1", "--set", "width=4", "--set", "epochs=1"]
    assert command(*words)[0] == 0
    from rejoinder.files.content import folder_hash

    before = folder_hash("v")
    record = read_record("v")
    assert record is not None
    assert [each["path"] for each in record["inputs"]] == ["../examples/corpus.txt"]
    assert folder_hash("v") == before
    words = ["score", TESTSET, *SYSTEMS, "-m", "pooled:vectors=v", "--resamples", "0"]
    assert command(*words, "--save", "s.parquet")[0] == 0
    chain = json.loads(command("verify", "s.parquet", "--json")[1])
    model = next(each for each in chain["inputs"] if each["name"] == "v")
    assert (model["role"], model["state"]) == ("--metric", "unchanged")
    assert model["inputs"][0]["name"] == "../examples/corpus.txt"


def test_a_pipe_counts_by_what_came_out_of_it(examples, command):
    read, write = os.pipe()
    os.write(write, (EXAMPLES / "ratings.csv").read_bytes()[:4096].rpartition(b"\n")[0])
    os.close(write)
    words = ["ratings", f"/dev/fd/{read}", "--format", "csv", "--save", "r.csv"]
    assert command(*words)[0] == 0
    os.close(read)
    record = read_record("r.csv")
    assert record is not None
    (given,) = record["inputs"]
    assert given["path"] is None
    assert len(given["content"]) == 64
    (step,) = json.loads(command("verify", "r.csv", "--json")[1])["inputs"]
    assert step["state"] == "unknown"


def test_what_stands_in_the_place_of_the_record_is_known_before_the_work(examples, command):
    (examples / "w.jsonl.provenance.json").write_text("my notes")
    status, out, err = command(*WEIGH)
    assert (status, out) == (2, "")
    assert "a file of other content stands where the record of w.jsonl goes" in err
    assert not (examples / "w.jsonl").exists()


def test_records_are_no_data_of_a_folder(examples, command):
    folder = examples / "data"
    folder.mkdir()
    words = [*WEIGH[:-1], "data/w.jsonl"]
    assert command(*words)[0] == 0
    status, out, _ = command("look", "data", "--json")
    assert status == 0
    assert json.loads(out)["readings"][0]["kind"] == "test set"


def test_mistakes(examples, command):
    status, _, err = command("verify", "absent.jsonl")
    assert (status, err) == (2, "rejoinder: absent.jsonl: no such file; check the path\n")
    status, _, err = command("verify", "examples/ratings.csv")
    assert status == 2
    assert "no record of how it was made" in err


def test_signatures_and_notes_of_a_record_have_no_secrets(tmp_path):
    secret = "http://ann:p@ss@h/v1;api_key=abc#m"
    path = tmp_path / "x.jsonl"
    path.write_text("{}\n")
    result = SimpleNamespace(signatures={"m": f"m|server:{secret}"}, notes=[f"{secret}: slow"])
    with click.Context(click.Command("judge")):
        Records(result).write(path)
    record = read_record(path)
    assert record is not None
    assert record["signatures"] == {"m": "m|server:http://h/v1;api_key=***#m"}
    assert record["notes"][-1] == "http://h/v1;api_key=***#m: slow"


STUDY = [
    "annotate", "serve", "examples/testset.jsonl", "examples/responses/tuned.jsonl", "--mined",
    "m.jsonl", "--sample", "2", "--set", "raters_per_question=1", "--prepare",
]  # fmt: skip


def answered(path):
    """Answers every question of a study."""
    study = Study(path)
    studies.answer_all(study, study.raters(), random.Random(1))
    study.close()


def test_from_the_ratings_of_people_back_to_the_corpus(examples, command):
    (examples / "kept").mkdir()
    words = ["mine", "examples/corpus.txt", "examples/testset.jsonl", "--candidates", "2"]
    assert command(*words, "-o", "m.jsonl")[0] == 0
    full = str(examples / "kept" / "s.sqlite")
    assert command(*STUDY, f"--db={full}")[0] == 0
    document = json.loads(command("verify", full, "--json")[1])
    assert (document["state"], document["content"]) == ("unknown", None)
    assert "it contains its record and grows with every answer" in command("verify", full)[1]
    answered(full)
    assert command("annotate", "export", full, "-o", "r.csv")[0] == 0
    chain = json.loads(command("verify", "r.csv", "--json")[1])
    (study,) = chain["inputs"]
    assert (study["name"], study["role"], study["state"]) == ("kept/s.sqlite", "DB", "unchanged")
    assert study["command"][2:5] == ["serve", "../examples/testset.jsonl",
                                     "../examples/responses/tuned.jsonl"]  # fmt: skip
    assert study["command"][-2:] == ["--db", "s.sqlite"]
    assert study["signatures"][""].startswith("annotate|kind:pointwise|questions:")
    assert any("items of 66 not drawn" in note for note in study["notes"])
    roles = [(each["role"], each["name"], each["state"]) for each in study["inputs"]]
    assert roles == [
        ("TESTSET", "../examples/testset.jsonl", "unchanged"),
        ("RESPONSES", "../examples/responses/tuned.jsonl", "unchanged"),
        ("--mined", "../m.jsonl", "unchanged"),
    ]
    mined = study["inputs"][2]
    assert [each["role"] for each in mined["inputs"]] == ["CORPUS", "TESTSET"]
    assert str(examples) not in json.dumps(chain)


def test_a_study_that_grows_is_followed_and_another_in_its_place_is_not(examples, command):
    words = [each for each in STUDY if each not in ("--mined", "m.jsonl")]
    assert command(*words, "--db", "s.sqlite")[0] == 0
    study = Study("s.sqlite")
    rater = study.raters()[0]
    shown = study.current(rater)
    assert shown is not None
    study.answer(rater, shown.assignment, {"c0": "3"})
    study.close()
    assert command("annotate", "export", "s.sqlite", "-o", "r.csv")[0] == 0
    answered("s.sqlite")  # another answer, after the export
    (grown,) = json.loads(command("verify", "r.csv", "--json")[1])["inputs"]
    assert (grown["state"], len(grown["inputs"])) == ("changed", 2)
    (examples / "s.sqlite").unlink()
    assert command(*words, "--seed", "7", "--db", "s.sqlite")[0] == 0
    (other,) = json.loads(command("verify", "r.csv", "--json")[1])["inputs"]
    assert (other["state"], other["inputs"], other["command"]) == ("changed", [], None)


def test_an_endless_view_in_the_place_of_a_record_is_none(examples, command):
    with closing(sqlite3.connect("s.sqlite")) as connection:
        connection.execute(
            "CREATE VIEW rejoinder_provenance AS WITH RECURSIVE n(record) AS "
            "(SELECT 1 UNION ALL SELECT record + 1 FROM n) SELECT max(record) AS record FROM n"
        )
        connection.commit()
    status, _, err = command("verify", "s.sqlite")
    assert (status, "no record of how it was made" in err) == (2, True)


@pytest.mark.parametrize("damage", ["DROP TABLE rejoinder_provenance",
                                    "UPDATE rejoinder_provenance SET record = 7",
                                    "DELETE FROM rejoinder_provenance"])  # fmt: skip
def test_a_study_without_a_readable_record_says_so(examples, command, damage):
    words = [each for each in STUDY if each not in ("--mined", "m.jsonl")]
    assert command(*words, "--db", "s.sqlite")[0] == 0
    with closing(sqlite3.connect("s.sqlite")) as connection:
        connection.execute(damage)
        connection.commit()
    status, _, err = command("verify", "s.sqlite")
    assert status == 2
    assert "no record of how it was made" in err
    with closing(sqlite3.connect("s.sqlite")) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS rejoinder_provenance (record BLOB)")
        connection.execute("DELETE FROM rejoinder_provenance")
        connection.execute("INSERT INTO rejoinder_provenance VALUES (?)", (b'{"sha256": "0"}',))
        connection.commit()
    status, _, err = command("verify", "s.sqlite")
    assert status == 2
    assert "the record is damaged: the content does not match its checksum" in err


def test_the_exit_status_says_whether_all_is_as_it_was(examples, command):
    assert command(*WEIGH)[0] == 0
    assert command("verify", "w.jsonl")[0] == 0
    ratings = examples / "examples" / "ratings.csv"
    content = ratings.read_bytes()
    ratings.write_text("id\n")
    for words in ([], ["--json"]):
        status, out, err = command("verify", "w.jsonl", *words)
        assert (status, err) == (1, "")
        assert "hanged" in out or "CHANGED" in out
    ratings.unlink()
    assert command("verify", "w.jsonl")[0] == 1
    ratings.write_bytes(content)
    assert command("verify", "w.jsonl")[0] == 0
    (examples / "w.jsonl").write_text("")
    assert command("verify", "w.jsonl")[0] == 1


WORDS_RECORDED = [
    ("compare -m bleu -b tuned --resamples=10 tuned",
     "compare ../tuned --metric bleu -b tuned --resamples 10"),
    ("score tuned -qm bleu --without=tuned", "score ../tuned --quiet --metric bleu --without tuned"),
    ("ratings --filter-raters --scale 1 5 r.csv", "ratings ../r.csv --filter-raters --scale 1 5"),
    ("ratings --filter-raters 5 r.csv -- -r.csv", "ratings ../r.csv ../-r.csv --filter-raters 5"),
    ("score --scores r.csv:lower:1..5 r.csv", "score ../r.csv --scores ../r.csv:lower:1..5"),
    ("score r.csv --columns r.csv:id=tuned --columns=",
     "score ../r.csv --columns ../r.csv:id=tuned --columns "),
    ("score r.csv -- -missing.csv", "score -- ../r.csv -missing.csv"),
    ("score r.csv -mruber:model=tuned -m bleu:smoothing=1",
     "score ../r.csv --metric ruber:model=../tuned --metric bleu:smoothing=1"),
    ("annotate page r.csv --platform potato -o potato --db=r.csv --criterion r.csv",
     "annotate page ../r.csv --platform potato --output ../potato --db ../r.csv --criterion r.csv"),
    ("filter --sentence-vectors r.csv r.csv bleu",
     "filter ../bleu --sentence-vectors ../r.csv ../r.csv"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "expected"), WORDS_RECORDED)
def test_a_record_has_arguments_and_whole_names_and_only_paths_by_their_option_are_rewritten(
    examples, words, expected
):
    for name in ("bleu", "tuned", "potato", "1", "5", "10"):
        (examples / name).mkdir()
    for name in ("r.csv", "-r.csv"):
        (examples / name).write_text("id\n")
    context, command, rest = click.Context(app, info_name="rejoinder"), app, words.split(" ")
    while isinstance(command, click.Group):
        name, command, rest = command.resolve_command(context, rest)
        assert command is not None
        context = click.Context(command, info_name=name, parent=context)
    context.meta[WORDS] = rest
    assert command_words(context, examples / "kept") == ["rejoinder", *expected.split(" ")]


def test_a_name_that_is_also_a_folder_stays_in_the_record(examples, command):
    for name in ("bleu", "tuned", "out"):
        (examples / name).mkdir()
    words = ["score", TESTSET, *SYSTEMS, "-m", "bleu", "--without", "tuned", "--resamples", "0"]
    assert command(*words, "--save", "out/s.parquet")[0] == 0
    record = read_record("out/s.parquet")
    assert record is not None
    assert record["command"][-8:-2] == ["--metric", *words[-5:]]


@pytest.mark.parametrize(
    "output", [("n.html",), ("n.csv",), ("n.json",), ("n", "--platform", "argilla")]
)
def test_a_study_is_unchanged_right_after_its_page(examples, command, output):
    words = ["annotate", "page", TESTSET, *SYSTEMS, "--db", "s.sqlite", "--sample", "2", "-o"]
    assert command(*words, *output)[0] == 0
    status, out, _ = command("verify", output[0], "--json")
    states = {each["role"]: each["state"] for each in json.loads(out)["inputs"]}
    assert (status, states["--db"]) == (0, "unchanged")


@pytest.mark.parametrize("platform", ["potato", "argilla"])
@pytest.mark.parametrize("name", ["hits.csv", "x.JSON", "p.html"])
def test_a_folder_for_a_platform_has_no_name_of_a_file(examples, command, platform, name):
    words = ["annotate", "page", TESTSET, *SYSTEMS, "--db", "s.sqlite", "--platform", platform]
    status, out, err = command(*words, "-o", name)
    assert (status, out) == (2, "")
    assert err.startswith(f"rejoinder: --output {name}: a file's name, but --platform {platform}")
    assert not (examples / name).exists()
    assert not (examples / "s.sqlite").exists()
