"""Logs of evaluations, votes and annotation tools, scores, published data, and what is refused rightly."""

# One shape per line reads best.
# ruff: noqa: E501

from __future__ import annotations

import gzip
import io
import json
import pickle
import sqlite3
import tempfile
import zipfile
from pathlib import Path

import polars as pl

from kinds.kind import CRITERIA, RATERS, SYSTEMS, Kind, lines, listed, records, separated, stem

SCORE = "score FILE -m length --resamples 0"
WITH_TEST = "score TESTSET FILE -m length --resamples 0"
GIVEN = "ratings FILE"
OF_SCORES = "score --scores FILE --resamples 0"


def told(n):
    return (n % 4) / 4


def inspect_log(talks, epochs=1):
    samples = [
        {"id": t.id, "epoch": e, "input": t.message, "target": t.references[0], "metadata": {}, "attachments": {},
         "messages": [], "output": {"model": "m/a", "choices": [{"message": {"role": "assistant", "content": t.reply}}]},
         "scores": {"match": {"value": "CI"[n % 2]}}}
        for n, t in enumerate(talks) for e in range(1, epochs + 1)
    ]  # fmt: skip
    head = {
        "version": 2,
        "status": "success",
        "eval": {"run_id": "r", "eval_id": "a", "task": "t", "model": "m/a"},
    }
    return head | {"plan": {}, "results": {}, "stats": {}}, samples


def as_eval(head, samples, method=zipfile.ZIP_DEFLATED):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        archive.writestr("header.json", json.dumps(head))
        for each in samples:
            archive.writestr(
                f"samples/{each['id']}_epoch_{each['epoch']}.json",
                json.dumps(each, ensure_ascii=False),
            )
    return data.getvalue()


def of_inspect(path):
    data = path.read_bytes()
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            samples = [
                json.loads(archive.read(n)) for n in archive.namelist() if n.startswith("samples/")
            ]
    else:
        samples = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)["samples"]
    tables = {"test set": [], "responses": [], "scores": []}
    for s in samples:
        id, system = str(s["id"]), s["output"]["model"]
        said = (
            [m for m in s["input"] if m["role"] != "system"]
            if isinstance(s["input"], list)
            else [{"content": s["input"]}]
        )
        targets = s["target"] if isinstance(s["target"], list) else [s["target"]]
        tables["test set"].append(
            (id, tuple(m["content"] for m in said), tuple(x for x in targets if x))
        )
        tables["responses"].append((system, id, s["output"]["choices"][0]["message"]["content"]))
        for name, each in s["scores"].items():
            value = {"C": 1.0, "I": 0.0}.get(each["value"], each["value"])
            tables["scores"].append((system, id, name, float(value)))
    return tables


def of_harness(path):
    tables = {"test set": [], "responses": [], "scores": []}
    system = stem(path)
    results = sorted(path.parent.glob("results_*.json"))
    if results:
        system = json.loads(results[0].read_text("utf-8"))["model_name"]
    for row in records(path):
        id = str(row["doc_id"])
        asked = row["arguments"]["gen_args_0"]["arg_0"]
        tables["test set"].append((id, (asked,), (row["target"],)))
        tables["responses"].append((system, id, row["filtered_resps"][0]))
        tables["scores"] += [(system, id, name, float(row[name])) for name in row["metrics"]]
    return tables


def harness(talks, **more):
    return lines(
        {"doc_id": n, "doc": {"question": t.message}, "target": t.references[0], "arguments": {"gen_args_0": {"arg_0": t.message, "arg_1": {}}},
         "resps": [[t.reply]], "filtered_resps": [t.reply], "filter": "none", "metrics": ["exact_match"], "exact_match": told(n), **more}
        for n, t in enumerate(talks)
    )  # fmt: skip


def batch(talks, body):
    return lines(
        {
            "id": f"b{t.id}",
            "custom_id": t.id,
            "response": {"status_code": 200, "request_id": "r", "body": body(t)},
            "error": None,
        }
        for t in talks
    )


def chat_body(t):
    return {
        "object": "chat.completion",
        "model": "gpt-x",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": t.reply}}],
        "usage": {},
    }


def response_body(t):
    return {
        "object": "response",
        "model": "gpt-x",
        "output": [
            {"type": "reasoning", "summary": []},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": t.reply}],
            },
        ],
    }


def of_batch(path):
    replies = []
    for row in records(path):
        body = row["response"]["body"] if "response" in row else row["result"]["message"]
        if "choices" in body:
            text = body["choices"][0]["message"]["content"]
        else:
            blocks = body.get("content") or [
                b for o in body["output"] for b in o.get("content", ())
            ]
            text = "".join(b["text"] for b in blocks)
        replies.append((body.get("model", stem(path)), row["custom_id"], text))
    return {"responses": replies}


def votes(talks, **names):
    outcomes = ("model_a", "model_b", "tie", "tie (bothbad)")
    return [
        {"question_id": t.id, "model_a": SYSTEMS[0], "model_b": SYSTEMS[1], "winner": outcomes[n % 4], "judge": f"j{n % 2}", **names}
        for n, t in enumerate(talks)
    ]  # fmt: skip


def of_votes(path):
    rows = []
    for row in records(path):
        winner = (
            row["winner"]
            if "winner" in row
            else next(n for n in ("model_a", "model_b", "tie") if str(row[f"winner_{n}"]) == "1")
        )
        rows.append(
            (
                str(row["question_id"]),
                row["model_a"],
                row["model_b"],
                row.get("judge", "1"),
                {"model_a": "a", "model_b": "b"}.get(winner, "tie"),
            )
        )
    return {"preferences": rows}


def kaggle(talks):
    names = ("model_a", "model_b", "tie")
    return separated(
        {
            "question_id": t.id,
            "model_a": "x",
            "model_b": "y",
            **{f"winner_{m}": int(k == n % 3) for k, m in enumerate(names)},
        }
        for n, t in enumerate(talks)
    )


def tasks(talks, by=str):
    return listed(
        {"id": n, "data": {"id": t.id, "system": s, "reply": t.replies[s]}, "annotations": [
            {"id": n, "completed_by": by(k), "result": [{"from_name": c, "to_name": "reply", "type": "rating", "value": {"rating": t.ratings[s, r, c]}} for c in CRITERIA]}
            for k, r in enumerate(RATERS)]}
        for n, (t, s) in enumerate((t, s) for t in talks for s in SYSTEMS)
    )  # fmt: skip


def of_tasks(path):
    return {"ratings": [
        (task["data"]["id"], task["data"]["system"], str(each["completed_by"].get("id") if isinstance(each["completed_by"], dict) else each["completed_by"]),
         result["from_name"], float(result["value"]["rating"]))
        for task in records(path) for each in task["annotations"] for result in each["result"]
    ]}  # fmt: skip


def flat(talks, more=()):
    return [
        {"id": t.id, "system": s, "annotator": r, "annotation_id": n, "lead_time": 1.5, **dict(more), **{c: t.ratings[s, r, c] for c in CRITERIA}}
        for n, (t, s, r) in enumerate((t, s, r) for t in talks for s in SYSTEMS for r in RATERS)
    ]  # fmt: skip


def of_flat(path, id="id", system="system", rater="annotator", prefix=""):
    return {
        "ratings": [
            (str(row[id]), row[system], str(row[rater]), c, float(row[prefix + c]))
            for row in records(path)
            for c in CRITERIA
        ]
    }


def argilla(talks, **more):
    return listed(
        {"id": f"{t.id}{s}", "fields": {"reply": t.replies[s]}, "metadata": {"item": t.id, "system": s}, "suggestions": {},
         "responses": {c: [{"value": t.ratings[s, r, c], "user_id": r, **more} for r in RATERS] for c in CRITERIA}}
        for t in talks for s in SYSTEMS
    )  # fmt: skip


def of_argilla(path):
    return {"ratings": [
        (row["metadata"].get("item", row["id"]), row["metadata"]["system"], each["user_id"], c, float(each["value"]))
        for row in records(path) for c, given in row["responses"].items() for each in given
    ]}  # fmt: skip


def mturk(talks, **more):
    return separated(
        {
            "HITId": t.id,
            "WorkerId": r,
            "AssignmentStatus": "Approved",
            **more,
            "Input.id": t.id,
            "Input.system": s,
            **{f"Answer.{c}": t.ratings[s, r, c] for c in CRITERIA},
        }
        for t in talks
        for s in SYSTEMS
        for r in RATERS
    )


def of_wmt(path):
    """Scores of WMT: a system and a number in each line."""
    level = path.name.split(".")[-2]
    rows, times = [], {}
    name = path.name.removesuffix(".score").removesuffix(".seg")
    for line in path.read_text("utf-8").splitlines():
        system, value = line.split("\t")
        times[system] = times.get(system, 0) + 1
        rows.append((system, "all" if level == "sys" else str(times[system]), name, float(value)))
    return {"scores": rows}


def of_marks(path):
    """A table of scores, wide or a judge's log."""
    rows = []
    for row in records(path):
        names = [n for n in row if n not in ("id", "system", "judge", "reason")]
        rows += [
            (row["system"], row["id"], stem(path) if n == "score" else n, float(row[n]))
            for n in names
        ]
    return {"scores": rows}


def dstc7(talks):
    return {
        "refs.tsv": (
            "InstanceID\tReference1\t...\n"
            + "".join("\t".join((t.id, *t.references)) + "\n" for t in talks)
        ).encode()
    }["refs.tsv"]


def of_dstc7(path):
    header, *rows = [line.split("\t") for line in path.read_text("utf-8").split("\n") if line]
    if header[0] == "SystemID":
        return {"responses": [(row[0], row[1], row[2]) for row in rows]}
    return {"test set": [(row[0], (), tuple(filter(None, row[1:]))) for row in rows]}


def grade(talks, folder="trips"):
    texts = {
        "human_ctx.txt": lambda t, s: "|||".join(t.context),
        "human_ref.txt": lambda t, s: t.references[0],
        "human_hyp.txt": lambda t, s: t.replies[s],
    }
    return {
        f"{folder}/{s}/{name}": "".join(of(t, s) + "\n" for t in talks).encode()
        for s in SYSTEMS
        for name, of in texts.items()
    }


def of_grade(path):
    testset, replies = {}, []
    for folder in sorted(path.glob("*/*")):
        texts = [
            (folder / f"human_{n}.txt").read_text("utf-8").splitlines()
            for n in ("ctx", "ref", "hyp")
        ]
        for n, (context, reference, reply) in enumerate(zip(*texts, strict=True), start=1):
            testset[n] = (f"{folder.parent.name}/{n}", tuple(context.split("|||")), (reference,))
            replies.append((folder.name, f"{folder.parent.name}/{n}", reply))
    return {"test set": list(testset.values()), "responses": replies}


def text(path):
    return {
        "test set": [
            (str(n), (), (line,))
            for n, line in enumerate(
                path.read_text("utf-8").removesuffix("\n").split("\n"), start=1
            )
        ]
    }


def plain_table(talks):
    return [
        {"prompt": t.message, "reference": t.references[0], "prediction": t.reply} for t in talks
    ]


def database(talks):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.sqlite"
        with sqlite3.connect(path) as base:
            base.execute("create table chats (id text, reply text)")
            base.executemany("insert into chats values (?, ?)", [(t.id, t.reply) for t in talks])
        base.close()
        return path.read_bytes()


def feather(talks):
    data = io.BytesIO()
    pl.DataFrame(plain_table(talks)).write_ipc(data)
    return data.getvalue()


def promptfoo(talks, **more):
    results = [
        {"promptIdx": 0, "testIdx": n, "provider": {"id": s, "label": ""}, "vars": {"question": t.message}, "prompt": {"raw": t.message, "label": "q"},
         "response": {"output": t.replies[s]}, "success": True, "score": told(n), "namedScores": {}, "testCase": {"assert": [{"type": "equals", "value": t.references[0]}]}, **more}
        for n, t in enumerate(talks) for s in SYSTEMS
    ]  # fmt: skip
    return {"evalId": "e", "results": {"version": 3, "prompts": [], "results": results}}


def of_promptfoo(path):
    tables, items = {"responses": [], "scores": []}, {}
    for row in json.loads(path.read_text("utf-8"))["results"]["results"]:
        system, id = row["provider"]["id"], str(row["testIdx"])
        items[id] = (
            id,
            (next(iter(row["vars"].values())),),
            tuple(a["value"] for a in row["testCase"].get("assert", ())),
        )
        tables["responses"].append((system, id, row["response"]["output"]))
        tables["scores"] += [(system, id, name, float(row[name])) for name in ("score", "success")]
    return tables | {"test set": list(items.values())}


def deepeval(talks, **more):
    return json.dumps({"testCases": [
        {"name": f"case_{n}", "input": t.message, "actualOutput": t.reply, "expectedOutput": t.references[0], "success": True,
         "metricsData": [{"name": "Tone", "score": told(n), "threshold": 0.5, "success": True}], **more} for n, t in enumerate(talks)]}).encode()  # fmt: skip


def of_deepeval(path):
    tables = {"test set": [], "responses": [], "scores": []}
    for case in json.loads(path.read_text("utf-8"))["testCases"]:
        tables["test set"].append((case["name"], (case["input"],), (case["expectedOutput"],)))
        tables["responses"].append((stem(path), case["name"], case["actualOutput"]))
        tables["scores"] += [
            (stem(path), case["name"], m["name"], float(m["score"])) for m in case["metricsData"]
        ]
    return tables


LOGS = [
    Kind("promptfoo", "results.json", {
        "version 3": lambda talks: json.dumps(promptfoo(talks)).encode(),
        "with costs": lambda talks: json.dumps(promptfoo(talks, latencyMs=12, cost=0.5)).encode(),
    }, of_promptfoo, SCORE),
    Kind("DeepEval", "test_run.json", {
        "test run": deepeval,
        "with an order and times": lambda talks: deepeval(talks, order=0, runDuration=0.5),
    }, of_deepeval, SCORE, samples=("deepeval_run.json",)),
    Kind("Inspect .json", "log.json", {
        "log": lambda talks: json.dumps({**(made := inspect_log(talks))[0], "samples": made[1]}).encode(),
        "packed": ("log.json.gz", lambda talks: gzip.compress(json.dumps({**(made := inspect_log(talks))[0], "samples": made[1]}).encode())),
    }, of_inspect, SCORE),
    Kind("Inspect .eval", "log.eval", {
        "deflated": lambda talks: as_eval(*inspect_log(talks)),
        "stored": lambda talks: as_eval(*inspect_log(talks), zipfile.ZIP_STORED),
    }, of_inspect, SCORE),
    Kind("lm-eval samples", "samples_toy_2026.jsonl", {
        "samples": harness,
        "with hashes": lambda talks: harness(talks, doc_hash="a", prompt_hash="b", target_hash="c"),
    }, of_harness, SCORE),
    Kind("OpenAI batch output, chat", "out.jsonl", {
        "chat": lambda talks: batch(talks, chat_body),
        "without a model": lambda talks: batch(talks, lambda t: {"choices": [{"message": {"content": t.reply}}]}),
    }, of_batch, WITH_TEST, samples=("oai_batch_output.jsonl",)),
    Kind("OpenAI batch output, Responses", "out.jsonl", {
        "responses": lambda talks: batch(talks, response_body),
        "without reasoning": lambda talks: batch(talks, lambda t: {"model": "m", "output": response_body(t)["output"][1:]}),
    }, of_batch, WITH_TEST),
    Kind("Anthropic batch", "out.jsonl", {
        "text": lambda talks: lines({"custom_id": t.id, "result": {"type": "succeeded", "message": {"model": "claude-x", "content": [{"type": "text", "text": t.reply}]}}} for t in talks),
        "two blocks": lambda talks: lines({"custom_id": t.id, "result": {"type": "succeeded", "message": {"model": "claude-x", "content": [{"type": "text", "text": "Well. "}, {"type": "text", "text": t.reply}]}}} for t in talks),
    }, of_batch, WITH_TEST),
]  # fmt: skip

PEOPLE = [
    Kind("arena votes", "votes.jsonl", {
        "jsonl": lambda talks: lines(votes(talks)),
        "json with conversations": ("votes.json", lambda talks: listed(votes(talks, turn=1, language="English", tstamp=1.5))),
    }, of_votes, "preferences FILE", samples=("arena.jsonl",)),
    Kind("arena votes with a column for each outcome", "votes.csv", {
        "csv": kaggle,
        "tsv": ("votes.tsv", lambda talks: kaggle(talks).replace(b",", b"\t")),
    }, of_votes, "preferences FILE"),
    Kind("Label Studio JSON", "export.json", {
        "ids of people": tasks,
        "people as objects": lambda talks: tasks(talks, lambda k: {"id": k, "email": "a@b"}),
    }, of_tasks, GIVEN),
    Kind("Label Studio JSON-MIN", "min.json", {
        "min": lambda talks: listed(flat(talks)),
        "with dates": lambda talks: listed(flat(talks, (("created_at", "2026"), ("updated_at", "2026")))),
    }, of_flat, GIVEN),
    Kind("Label Studio CSV", "flat.csv", {
        "csv": lambda talks: separated(flat(talks)),
        "with dates": lambda talks: separated(flat(talks, (("created_at", "2026"), ("updated_at", "2026")))),
    }, of_flat, GIVEN),
    Kind("Argilla", "records.json", {
        "numbers": argilla,
        "with a status": lambda talks: argilla(talks, status="submitted"),
    }, of_argilla, GIVEN, samples=("argilla.json",)),
    Kind("Mechanical Turk", "batch.csv", {
        "csv": mturk,
        "with times": lambda talks: mturk(talks, WorkTimeInSeconds=12, Title="x"),
    }, lambda path: of_flat(path, "Input.id", "Input.system", "WorkerId", "Answer."), GIVEN),
]  # fmt: skip

SCORES = [
    Kind("WMT segment scores", "comet.seg.score", {
        "one system": lambda talks: "".join(f"tuned\t{told(n)}\n" for n, _ in enumerate(talks)).encode(),
        "two systems": lambda talks: "".join(f"{s}\t{told(n)}\n" for s in SYSTEMS for n, _ in enumerate(talks)).encode(),
    }, of_wmt, OF_SCORES, samples=("tuned.comet.seg.score",)),
    Kind("WMT system scores", "comet.sys.score", {
        "two systems": lambda talks: b"tuned\t0.75\ngeneric\t0.5\n",
        "three": lambda talks: b"tuned\t0.75\ngeneric\t-0.5\nother\t0\n",
    }, lambda path: {"scores": [(s, i, "comet.sys", v) for s, i, _, v in of_wmt(path)["scores"]]}, "look FILE", samples=("comet.sys.score",)),
    Kind("wide scores", "scores.csv", {
        "csv": lambda talks: separated({"system": s, "id": t.id, "comet": told(n), "bleurt": told(n + 1)} for s in SYSTEMS for n, t in enumerate(talks)),
        "jsonl": ("scores.jsonl", lambda talks: lines({"system": s, "id": t.id, "comet": told(n), "bleurt": told(n + 1)} for s in SYSTEMS for n, t in enumerate(talks))),
    }, of_marks, OF_SCORES, also=("ratings",)),
    Kind("judge logs", "judge.jsonl", {
        "jsonl": lambda talks: lines({"id": t.id, "system": "tuned", "judge": "gpt-4", "score": 1 + n % 10, "reason": "ok"} for n, t in enumerate(talks)),
        "csv": ("judge.csv", lambda talks: separated({"id": t.id, "system": "tuned", "judge": "gpt-4", "score": 1 + n % 10} for n, t in enumerate(talks))),
    }, of_marks, OF_SCORES, samples=("judge_log.jsonl",)),
]  # fmt: skip

PUBLISHED = [
    Kind("plain text", "refs.txt", {
        "lines": lambda talks: "".join(t.references[0] + "\n" for t in talks).encode(),
        "without a last line end": lambda talks: "\n".join(t.references[0] for t in talks).encode(),
    }, text, "look FILE"),
    Kind("DSTC7", "refs.tsv", {
        "references": dstc7,
        "outputs": ("outs.tsv", lambda talks: ("SystemID\tInstanceID\tResponse\n" + "".join(f"{s}\t{t.id}\t{t.replies[s]}\n" for s in SYSTEMS for t in talks)).encode()),
    }, of_dstc7, "look FILE"),
    Kind("GRADE", "eval_data", {
        "one data set": grade,
        "another": lambda talks: grade(talks, "convai2"),
    }, of_grade, SCORE),
]  # fmt: skip

REFUSED = [
    Kind("Latin-1", "outputs.csv", {"csv": lambda talks: separated(plain_table(talks)).decode().encode("latin-1", "replace")}, status="refused", message="UTF-8", worlds=("five",), samples=("pred_latin1.csv",)),
    Kind("UTF-16", "outputs.csv", {"csv": lambda talks: separated(plain_table(talks)).decode().encode("utf-16")}, status="refused", message="UTF-16", samples=("pred_utf16.csv",)),
    Kind("Feather", "outputs.feather", {"feather": feather}, status="refused", message="expected", samples=("pred.feather",)),
    Kind("SQLite as a file", "chats.db", {"sqlite": database}, status="refused", message="SQLite", samples=("chats.sqlite",)),
    Kind("pickle", "outputs.pkl", {"pickle": lambda talks: pickle.dumps(plain_table(talks))}, status="refused", message="cannot tell the format"),
    Kind("input of a batch job", "batch.jsonl", {"chat": lambda talks: lines({"custom_id": t.id, "method": "POST", "url": "/v1/chat/completions", "body": {"model": "gpt-x", "messages": [{"role": "user", "content": t.message}]}} for t in talks)}, status="refused", message="custom_id", samples=("oai_batch_input.jsonl",)),
]  # fmt: skip

KINDS = [*LOGS, *PEOPLE, *SCORES, *PUBLISHED, *REFUSED]
