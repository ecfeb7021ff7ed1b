"""Logs of evaluation tools on the command line: each has the replies of its own system."""

import json
import os
from pathlib import Path

import pytest

import rejoinder
from kinds import tools
from kinds.kind import world
from rejoinder.errors import InputError


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """Two logs of Inspect, of the models old and new, and a file of replies."""
    monkeypatch.chdir(tmp_path)
    for model in ("old", "new"):
        samples = [
            {
                "id": str(n), "epoch": 1, "input": f"Any tea {n}?", "target": "None left.",
                "output": {"choices": [{"message": {"role": "assistant", "content": f"{model} {n}"}}]},
                "scores": {},
            }
            for n in range(12)
        ]  # fmt: skip
        head = {
            "version": 2, "status": "success", "plan": {}, "results": {}, "stats": {},
            "eval": {"eval_id": "a", "run_id": "b", "task": "toy", "model": model},
        }  # fmt: skip
        (tmp_path / f"{model}.json").write_text(json.dumps(head | {"samples": samples}))
    rows = [{"id": str(n), "text": "None."} for n in range(12)]
    (tmp_path / "third.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def systems(out):
    return sorted({row["system"] for row in json.loads(out)["systems"]})


@pytest.mark.parametrize(
    ("files", "found", "noted"),
    [
        (["old.json"], ["old"], False),
        (["old.json", "new.json"], ["new", "old"], False),
        (["old.json", "old.json", "new.json"], ["new", "old"], False),
        (["old.json", "new.json", "third.jsonl"], ["new", "third"], True),
        (["old.json", "third.jsonl"], ["third"], True),
        (["old.json", "old.json", "third.jsonl"], ["old", "third"], False),
    ],
)
def test_the_replies_of_every_log_are_read(command, logs, files, found, noted):
    status, out, err = command("score", *files, "-m", "length", "--json")
    assert status == 0, err
    assert systems(out) == found
    assert ("old.json: holds replies too, which are not read" in err) == noted


def test_two_logs_are_compared(command, logs):
    status, out, err = command("compare", "old.json", "new.json", "-m", "bleu:order=1", "--json")
    assert status == 0, err
    (row,) = json.loads(out)["comparisons"]
    assert {row["a"], row["b"]} == {"old", "new"}


def test_a_folder_of_logs_is_all_of_them(command, logs):
    (logs / "logs").mkdir()
    for model in ("old", "new"):
        (logs / f"{model}.json").rename(logs / "logs" / f"{model}.json")
    status, out, err = command("compare", "logs", "-m", "length", "--json")
    assert status == 0, err
    (row,) = json.loads(out)["comparisons"]
    assert {row["a"], row["b"]} == {"old", "new"}
    (logs / "third.jsonl").rename(logs / "logs" / "third.jsonl")
    status, _, err = command("look", "logs")
    assert (status, f"name the files in it (logs{os.sep}*)" in err) == (2, True)
    assert command("score", "logs", "-m", "length")[0] == 2


def in_a_folder(logs, scores=False):
    """The two logs in a folder of their own."""
    (logs / "logs").mkdir()
    for model in ("old", "new"):
        text = json.loads((logs / f"{model}.json").read_text())
        for n, each in enumerate(text["samples"]):
            each["scores"] = {"match": {"value": n % 2}} if scores else {}
        (logs / "logs" / f"{model}.json").write_text(json.dumps(text))
    return logs / "logs"


@pytest.mark.parametrize("options", [[], ["-f", "inspect"]])
def test_a_folder_of_logs_is_looked_at(command, logs, options):
    in_a_folder(logs, scores=True)
    status, out, err = command("look", "logs", "--json", *options)
    assert status == 0, err
    told = json.loads(out)
    assert (told["path"], told["holds_all"]) == ("logs", True)
    assert [(each["kind"], each["counts"]["items"]) for each in told["readings"]] == [
        ("test set", 12),
        ("responses", 12),
        ("scores", 12),
    ]
    assert told["readings"][1]["names"] == {"systems": ["new", "old"]}
    for example in told["examples"]:
        status, _, err = command(*example.split()[1:])
        assert status == 0, err


def test_a_folder_of_logs_is_read_in_python(logs):
    folder = in_a_folder(logs, scores=True)
    for format in (None, "inspect"):
        testset = rejoinder.read_testset(folder, format=format)
        assert len(testset.ids) == 12
        replies = rejoinder.read_responses(folder, format=format)
        files = [folder / "new.json", folder / "old.json"]
        assert replies.equals(rejoinder.read_responses(*files))
        scores = rejoinder.read_scores(folder, format=format)
        assert scores.equals(rejoinder.read_scores(*files))
    rejoinder.score(testset, replies, ["length"], resamples=0)


def test_two_logs_of_one_system_in_a_folder_are_refused(logs):
    folder = in_a_folder(logs)
    (folder / "again.json").write_bytes((folder / "old.json").read_bytes())
    with pytest.raises(
        InputError, match=r"old\.json: the system 'old' also stands in .*again\.json"
    ):
        rejoinder.read_responses(folder)


def test_several_files_are_looked_at_each_under_its_name(command, logs):
    (logs / "note.html").write_text("<p>")
    status, out, err = command("look", "old.json", "third.jsonl", "third.jsonl")
    assert status == 0, err
    lines = out.splitlines()
    assert [each for each in lines if each in ("old.json", "third.jsonl")] == [
        "old.json",
        "third.jsonl",
    ]
    one = command("look", "third.jsonl", "--json")[1]
    # What a file is taken for may be nothing, which is an answer where other files are something.
    status, out, err = command("look", "old.json", "note.html", "third.jsonl", "--json")
    assert status == 0, err
    told = json.loads(out)["inputs"]
    assert [each["path"] for each in told] == ["old.json", "note.html", "third.jsonl"]
    assert told[2] == {
        key: value for key, value in json.loads(one).items() if key != "json_version"
    }
    why = "cannot tell the format by its suffix and first bytes"
    assert told[1]["readings"] == []
    assert told[1]["refusals"] == [{"kind": "any table", "why": why}]
    out = " ".join(command("look", "old.json", "note.html")[1].split())  # folded at any width
    assert f" note.html note: not read as any table: {why}" in out
    status, out, err = command("look", "note.html", "note.html")
    assert (status, out) == (2, "")
    assert f"note.html: {why}; say which it is with --format" in err
    # A damaged file is an error, behind what the others are taken for.
    (logs / "cut.jsonl").write_text('{"id": ')
    status, out, err = command("look", "old.json", "cut.jsonl")
    assert status == 2
    assert out.startswith("old.json\n")
    assert "cut.jsonl" in err


@pytest.fixture
def scored(logs):
    """The logs with scores of their own, and ratings.csv: people's ratings of most replies."""
    rows = ["id,system,rater,score"]
    for model in ("old", "new"):
        text = json.loads((logs / f"{model}.json").read_text())
        for n, each in enumerate(text["samples"]):
            each["scores"] = {"match": {"value": n % 2}}
            grades = [1 + n % 2, 2 + (n + (model == "new")) % 3]
            rows += [
                f"{n},{model},{rater},{grade}" for rater, grade in zip("uv", grades, strict=True)
            ]
        (logs / f"{model}.json").write_text(json.dumps(text))
    (logs / "ratings.csv").write_text("\n".join(rows[:45]))


@pytest.mark.parametrize("verb", ["compare", "judge", "report"])
def test_beside_ratings_the_scores_in_logs_are_the_judges(command, scored, verb):
    given = [verb, "old.json", "new.json", "--ratings", "ratings.csv"]
    given += ["-o", "page.html"] if verb == "report" else []
    status, out, err = command(*given, "--json")
    assert status == 0, err
    assert err.count("old.json: holds scores too (match), which are the judges") == 1
    assert '"match"' in out
    assert "BLEU" not in out
    _, out, err = command(*given, "-m", "length")
    assert "which are read with --scores old.json --scores new.json" in err
    assert "match" not in out


@pytest.mark.parametrize("verb", ["compare", "judge", "report"])
def test_columns_of_the_ratings_leave_the_logs_as_they_are(command, scored, verb, caplog):
    """Their column of numbered prompts is one of ids; who rated has to be named, as the message says."""
    given = [verb, "old.json", "new.json", "--ratings", "ratings.csv"]
    given += ["-o", "page.html"] if verb == "report" else []
    expected = command(*given)[1]
    file = Path("ratings.csv")
    rows = file.read_text().splitlines()[1:]
    file.write_text("\n".join(["question,system,visitor,grade", *rows]))
    status, _, err = command(*given, "--columns", "score=grade")
    assert (status, "is judged a second time" in err) == (2, True)
    status, out, err = command(*given, "--columns", "score=grade,rater=visitor")
    assert status == 0, err
    known = "old.json: --columns is not used here: the columns of the format 'inspect' are known"
    assert all(each in caplog.text for each in (known, "'question' as 'id'"))
    assert out.splitlines()[:8] == expected.splitlines()[:8]


def test_scores_in_a_log_are_named(command, scored):
    status, _, err = command("score", "old.json", "new.json", "-m", "length")
    assert status == 0
    words = "old.json: holds scores too (match), which are read with --scores old.json --scores new.json"
    assert f"{words}; use them where the log's targets are criteria, and no replies" in err
    status, out, err = command(
        "score", "old.json", "new.json", "--scores", "old.json", "--scores", "new.json", "--json"
    )
    assert status == 0, err
    assert {row["metric"] for row in json.loads(out)["systems"]} == {"match"}
    assert "holds scores too" not in err


def test_look_offers_the_scores_of_a_log_before_its_targets(command, scored):
    look = rejoinder.look("old.json")
    assert look.examples == ("rejoinder score --scores old.json", "rejoinder score old.json")
    out = " ".join(command("look", "old.json")[1].split())
    assert "where these are grading criteria and no replies, use the scores of the log alone" in out


def test_ratings_by_people_in_a_log_are_named(command, tmp_path):
    path = tmp_path / "traces.json"
    person = {"source": "ANNOTATION", "authorUserId": "ann"}
    rows = tools.by_people(tools.langfuse_traces(world(12)), "scores", **person)
    path.write_bytes(tools.listed(rows))
    status, _, err = command("score", str(path), "-m", "length")
    assert status == 0
    assert "holds ratings by people too (polite), which 'rejoinder ratings'" in err
    metric = ("--scores", str(path))
    status, out, err = command("correlate", str(path), *metric, "--ratings", str(path), "--json")
    assert status == 0, err
    assert "holds ratings" not in err
    assert "helpful" in {row["metric"] for row in json.loads(out)["agreement"]}
    status, out, err = command("ratings", str(path), "--json")
    assert status == 0, err
    assert json.loads(out)["counts"][0]["ratings"] == 24
    other = tmp_path / "other.json"
    other.write_bytes(path.read_bytes())
    files = (str(path), str(other))
    marks = [word for file in files for word in ("--ratings", file, "--scores", file)]
    status, out, err = command("compare", *files, *marks, "--json")
    assert status == 0, err


@pytest.mark.parametrize(
    "words", ["compare old.json new.json", "report --scores old.json --scores new.json -o out.md"]
)
def test_the_judge_in_logs_and_ratings_of_their_systems_need_no_more(command, logs, words):
    rows = ["id,system,rater,score"]
    for lead, model in enumerate(("old", "new")):
        text = json.loads((logs / f"{model}.json").read_text())
        for n, each in enumerate(text["samples"]):
            each["scores"] = {"match": {"value": 2 * lead + n * n % 3}}
            rows += [f"{each['id']},{model},{rater},{2 * lead + n % 2 + 1}" for rater in "uvwx"]
        (logs / f"{model}.json").write_text(json.dumps(text))
    (logs / "rated.csv").write_text("\n".join(rows))
    status, out, err = command(*words.split(), "--ratings", "rated.csv")
    assert status == 0, err
    assert "match" in out
    verdicts = ("people, new is better than old by 2.00", "new is better than old by people: 3.50")
    assert verdicts[words.startswith("report")] in out.replace("\n", " ")
    if words.startswith("report"):
        assert "replies are not given" not in out  # they stand in the logs


def test_a_note_where_references_stand_in_the_place_of_a_system(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("references.txt", "new.txt", "old.txt"):
        (tmp_path / name).write_text("no\nyes\nwhy not\n")
    note = "references.txt: read as the replies of a system"
    for files, noted in (("old new references", True), ("references old new", False)):
        status, _, err = command(
            "score", *(f"{name}.txt" for name in files.split()), "-m", "length"
        )
        assert (status, note in err) == (0, noted)
