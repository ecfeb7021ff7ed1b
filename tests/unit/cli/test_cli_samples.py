"""A log of several epochs through the commands: each sample counts once, within its prompt."""

import json

import polars as pl
import pytest

from rejoinder.cli.app import run

EPOCHS, ITEMS = 5, 12


def log(folder, model, passes):
    """A log of inspect_ai as JSON; ``passes(item, epoch)`` is whether a sample is correct."""
    samples = [
        {
            "id": f"q{item}", "epoch": epoch, "input": f"Colour of thing {item}?", "target": "red",
            "output": {
                "model": model, "completion": f"It is {'red' if passes(item, epoch) else 'green'}.",
                "choices": [{"message": {"role": "assistant", "content": "red"}, "stop_reason": "stop"}],
            },
            "scores": {"includes": {"value": "C" if passes(item, epoch) else "I"}}, "metadata": {},
            "attachments": {},
        }
        for epoch in range(1, EPOCHS + 1)
        for item in range(ITEMS)
    ]  # fmt: skip
    head = {"version": 2, "status": "success", "plan": {}, "results": {}, "stats": {}}
    task = {"eval_id": "a", "run_id": "b", "task": "toy", "model": model}
    path = folder / f"{model}.json"
    path.write_text(json.dumps({**head, "eval": task, "samples": samples}))
    return str(path)


@pytest.fixture
def logs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return [
        log(tmp_path, "one", lambda item, epoch: (item + epoch) % 3 > 0),
        log(tmp_path, "two", lambda item, epoch: item % 2 > 0 and epoch > item % 5),
    ]


@pytest.fixture
def answered(logs, capfd):
    def told(verb, *more):
        scores = [word for path in logs for word in ("--scores", path)]
        status = run([verb, *logs, *scores, *more])
        out, err = capfd.readouterr()
        assert status == 0, err
        return out

    return told


def test_look_says_how_many_samples_an_item_has(logs, capfd):
    assert run(["look", logs[0]]) == 0
    assert "60 rows, 12 items, 1 system, 5 samples" in " ".join(capfd.readouterr().out.split())


def test_a_log_of_epochs_in_four_commands(answered):
    told = json.loads(answered("score", "--at", "5", "--resamples", "100", "--json"))
    assert {(row["n"], row["n_samples"]) for row in told["systems"]} == {(ITEMS, ITEMS * EPOCHS)}
    means = {row["system"]: row["value"] for row in told["systems"] if row["metric"] == "includes"}
    # 40 of 60: of each item the epochs with (item + epoch) mod 3 > 0; odd items 1, 3, 5, 7, 9, 11 have
    # 4, 2, 5, 3, 1 and 4 epochs above item mod 5.
    assert means == pytest.approx({"one": 40 / 60, "two": 19 / 60})
    assert {row["samples"] for row in told["sometimes"]} == {EPOCHS}
    told = json.loads(answered("compare", "--at", "3", "--resamples", "100", "--json"))
    assert [row["n_samples"] for row in told["comparisons"]] == [2 * ITEMS * EPOCHS] * 3
    assert any(row["best"] for row in json.loads(answered("plan", "--json"))["samples"])
    answered("report", "--resamples", "100", "-o", "report.html")


def test_samples_are_converted_as_samples(logs, capfd):
    assert run(["convert", logs[0], "--as", "responses", "-o", "replies.jsonl"]) == 0
    assert pl.read_ndjson("replies.jsonl")["sample"].to_list()[:ITEMS] == ["1"] * ITEMS
