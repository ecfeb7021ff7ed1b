"""Test sets of contexts alone: for metrics, people and judges that need no references."""

import json

import pytest

import rejoinder
from rejoinder.errors import InputError

CONTEXTS = ["Tea?", "Now?", "Here?", "Why?", "Well?"]
REPLIES = {"a": ["Yes, please.", "No.", "Over there.", "Oh.", "Fine."], "b": ["Ok."] * 5}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [{"id": str(i), "context": [each], "topic": "x"} for i, each in enumerate(CONTEXTS)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cells = "".join(f"{row['id']},{row['context'][0]},x\n" for row in rows)
    (tmp_path / "t.csv").write_text("id,context,topic\n" + cells)
    (tmp_path / "ids.csv").write_text("id,topic\n1,x\n")
    for name, texts in REPLIES.items():
        said = [json.dumps({"id": str(i), "text": text}) for i, text in enumerate(texts)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(said) + "\n")
    return tmp_path


@pytest.mark.parametrize("file", ["t.jsonl", "t.csv"])
def test_contexts_alone_are_a_test_set_and_it_is_said(folder, file, caplog):
    testset = rejoinder.read_testset(file)
    assert (len(testset), testset.references.height) == (5, 0)
    assert testset.contexts["context"].to_list() == [[each] for each in CONTEXTS]
    assert testset.contexts["topic"].to_list() == ["x"] * 5
    assert f"{file}: no references" in caplog.text


@pytest.mark.parametrize("file", ["t.jsonl", "t.csv"])
def test_what_needs_no_references_runs(folder, command, file):
    words = [file, "a.jsonl", "b.jsonl"]
    measured = json.loads(command("score", *words, "--json")[1])["systems"]
    assert {each["metric"] for each in measured} == {"distinct-1", "length"}
    assert command("compare", *words, "-m", "length", "--resamples", "100")[0] == 0
    assert command("report", *words, "-o", "r.html")[0] == 0
    assert "Tea?" in (folder / "r.html").read_text()
    assert command("annotate", "page", *words, "--db", "s.sqlite", "-o", "a.html")[0] == 0


def test_what_needs_them_says_so(folder, command):
    words = ["t.jsonl", "a.jsonl", "b.jsonl"]
    status, _, err = command("score", *words, "-m", "bleu")
    assert (status, "no item can be scored: each one has no reference" in err) == (2, True)
    status, _, err = command("audit", *words)
    assert (status, "audit: the test set has no references" in err) == (2, True)
    status, _, err = command("mine", "t.jsonl", "t.jsonl", "-o", "m.jsonl")
    assert (status, "has both a context and a reference" in err) == (2, True)


def test_columns_that_may_be_references_are_no_contexts_alone(folder):
    with pytest.raises(InputError):
        rejoinder.read_testset("ids.csv")
    for name in ("answers", "refrences"):
        (folder / "m.csv").write_text(f"id,context,{name}\n1,Tea?,Yes.\n")
        with pytest.raises(InputError):
            rejoinder.read_testset("m.csv")


def test_a_log_without_references_is_scored_by_the_scores_that_it_holds(folder, command):
    results = [
        {
            "provider": {"id": name},
            "promptIdx": 0,
            "testIdx": i,
            "vars": {"message": CONTEXTS[i]},
            "prompt": {"raw": CONTEXTS[i], "label": "p"},
            "response": {"output": text},
            "score": float(name == "a" and i > 0),
            "success": True,
        }
        for name, texts in REPLIES.items()
        for i, text in enumerate(texts)
    ]
    log = {"evalId": "e", "results": {"version": 3, "results": results}}
    (folder / "promptfoo.json").write_text(json.dumps(log))
    status, out, err = command("score", "promptfoo.json", "--json")
    assert status == 0
    assert "score" in {each["metric"] for each in json.loads(out)["systems"]}
    assert "which are the metrics where there are no references" in err
    named = json.loads(command("score", "promptfoo.json", "-m", "length", "--json")[1])
    assert {each["metric"] for each in named["systems"]} == {"length"}
    assert command("report", "promptfoo.json", "-o", "p.html")[0] == 0
    page = (folder / "p.html").read_text()
    assert "Tea?" in page
    assert "Over there." in page
