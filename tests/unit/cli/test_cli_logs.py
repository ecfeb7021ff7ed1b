"""Logs of evaluation tools on the command line: each has the replies of its own system."""

import json

import pytest


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
