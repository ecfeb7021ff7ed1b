"""Exports of other tools: traces, evaluations, surveys, databases."""

# One kind per paragraph reads best.
# ruff: noqa: E501

from __future__ import annotations

import csv
import io
import json
from functools import partial
from pathlib import Path

from kinds.kind import (
    CRITERIA,
    RATERS,
    SYSTEMS,
    Kind,
    Tables,
    lines,
    listed,
    parquet,
    records,
    separated,
    stem,
)

ROLES = ("user", "assistant")


def messages(turns, keys=("role", "content"), roles=ROLES):
    """The turns of a context as chat messages, the last of which is the user's."""
    return [
        {keys[0]: roles[(len(turns) - 1 - n) % 2], keys[1]: each} for n, each in enumerate(turns)
    ]


def said(value):
    """The texts of messages."""
    return tuple(each["content"] for each in value)


def rows_of(path):
    """The rows of a table; JSON Lines of one row are no object of columns."""
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    return (
        whole(path) if path.suffix == ".json" and isinstance(whole(path), list) else records(path)
    )


def of_rows(path, row, rows=rows_of) -> Tables:
    """The tables of rows; ``row`` gives of one its id, turns, references, system, reply and scores."""
    tables: Tables = {}
    for number, each in enumerate(rows(path), start=1):
        if (told := row(each)) is None:
            continue
        id, turns, references, system, reply, scores, *people = told
        id, system = str(number) if id is None else str(id), system or stem(path)
        if turns is not None:
            tables.setdefault("test set", []).append((id, tuple(turns), tuple(references)))
        if reply is not None:
            tables.setdefault("responses", []).append((system, id, reply))
        for name, value in (scores or {}).items():
            tables.setdefault("scores", []).append(
                (system, id, name, None if value is None else float(value))
            )
        for (rater, name), value in (people[0] if people else {}).items():
            tables.setdefault("ratings", []).append((id, system, rater, name, float(value)))
    return tables


def whole(path: Path):
    return json.loads(path.read_text("utf-8"))


def value(n, k=0):
    return ((3 * n + k) % 8) / 8


def numbered(talks):
    return list(enumerate(talks))


def by_people(rows, key, name="value", **person):
    """Rows with grades by two people beside the tool's scores; the second one is not named."""
    *_, rater = person
    return [
        {**row, key: [*row[key], {"name": "polite", name: 1 + n % 5, **person}, {"name": "polite", name: 2, **person, rater: None}]}
        for n, row in numbered(rows)
    ]  # fmt: skip


def apart(given, name="value", **person):
    """The scores of tools, and the grades by people: those that have what each of these has."""
    *_, rater = person
    told = {key: value for key, value in person.items() if key != rater}
    people = [each for each in given if told and told.items() <= each.items()]
    scores = {}
    for each in given:
        if each not in people:
            other = scores.setdefault(each["name"], each[name]) != each[name]
            scores[each["name"]] = None if other else each[name]
    places = enumerate(people, start=1)
    return scores, {(each.get(rater) or str(n), each["name"]): each[name] for n, each in places}


# Langfuse: shapes of its public API (TraceWithDetails, ObservationsView) and of its batch exports.
def langfuse_traces(talks, scores=True):
    return [
        {"id": f"t{t.id}", "timestamp": "2026-01-01T00:00:00Z", "name": "chat", "input": messages(t.context),
         "output": {"role": "assistant", "content": t.reply}, "sessionId": None, "metadata": {}, "tags": [],
         **({"scores": [{"id": f"s{n}", "name": "helpful", "value": value(n), "source": "EVAL"}]} if scores else {})}
        for n, t in numbered(talks)
    ]  # fmt: skip


def langfuse_csv(talks):
    return separated([
        {"id": f"t{t.id}", "timestamp": "2026-01-01", "name": "chat", "input": json.dumps(messages(t.context)),
         "output": json.dumps({"role": "assistant", "content": t.reply}, ensure_ascii=False), "tags": "[]"} for t in talks
    ])  # fmt: skip


def langfuse(row):
    given, output = row["input"], row["output"]
    given, output = (json.loads(v) if isinstance(v, str) else v for v in (given, output))
    scores = apart(row.get("scores", ()), source="ANNOTATION", authorUserId="ann")
    return row["id"], said(given), (), None, output["content"], *scores


# LangSmith: runs of Client.list_runs, ExperimentResults.to_pandas, examples as JSON Lines.
def langsmith_runs(talks):
    runs = [
        {"id": f"r{t.id}", "name": "ChatOpenAI", "run_type": "llm", "parent_run_id": None, "reference_example_id": t.id,
         "inputs": {"messages": [messages(t.context, ("type", "content"), ("human", "ai"))]},
         "outputs": {"generations": [[{"text": t.reply, "type": "ChatGeneration"}]], "llm_output": None},
         "feedback_stats": {"correctness": {"n": 1, "avg": value(n)}}, "extra": {"metadata": {"ls_model_name": "gpt-x"}}, "error": None}
        for n, t in numbered(talks)
    ]  # fmt: skip
    inner = {
        **runs[0],
        "id": "inner",
        "parent_run_id": runs[0]["id"],
        "outputs": {"output": "no reply"},
    }
    return [*runs, inner]


def langsmith_run(row):
    if row["parent_run_id"]:
        return None
    reply = row["outputs"]["generations"][0][0]["text"]
    scores = {name: each["avg"] for name, each in row["feedback_stats"].items()}
    return (
        row["reference_example_id"],
        said(row["inputs"]["messages"][0]),
        (),
        "gpt-x",
        reply,
        scores,
    )


def experiment(talks):
    return [
        {"inputs.question": t.message, "outputs.output": t.reply, "error": "", "reference.answer": t.references[0],
         "feedback.correct": value(n), "execution_time": 0.25, "example_id": t.id, "id": f"r{n}"}
        for n, t in numbered(talks)
    ]  # fmt: skip


def langsmith_experiment(row):
    scores = {"correct": row["feedback.correct"]}
    reference = (row["reference.answer"],)
    return (
        row["example_id"],
        (row["inputs.question"],),
        reference,
        None,
        row["outputs.output"],
        scores,
    )


# Phoenix: spans as get_spans_dataframe gives them; the runs of an experiment as its interface gives them.
def spans(talks):
    told = [
        {"name": "llm", "span_kind": "LLM", "parent_id": "p", "context.span_id": f"s{t.id}", "context.trace_id": f"t{t.id}",
         "attributes.llm.model_name": "gpt-x", "attributes.input.value": t.message, "attributes.output.value": t.reply,
         "eval.Quality.score": value(n), "eval.Quality.label": "good"}
        for n, t in numbered(talks)
    ]  # fmt: skip
    return [
        {
            **told[0],
            "span_kind": "CHAIN",
            "context.span_id": "chain",
            "parent_id": None,
            "attributes.output.value": "no reply",
        },
        *told,
    ]


def phoenix(row):
    if row["span_kind"] != "LLM":
        return None
    id, model = row["context.span_id"], row["attributes.llm.model_name"]
    given, reply = row["attributes.input.value"], row["attributes.output.value"]
    if given.startswith("{"):
        given = json.loads(given)["messages"][-1]["content"]
    return id, (given,), (), model, reply, {"Quality": row["eval.Quality.score"]}


def phoenix_runs(talks):
    return [
        {"example_id": t.id, "repetition_number": 1, "input": {"question": t.message}, "reference_output": {"answer": t.references[0]},
         "output": t.reply, "error": None, "annotations": [{"name": "tone", "annotator_kind": "LLM", "label": None, "score": value(n)}]}
        for n, t in numbered(talks)
    ]  # fmt: skip


def phoenix_run(row):
    given, right = row["input"]["question"], row["reference_output"]["answer"]
    scores = apart(row["annotations"], "score", annotator_kind="HUMAN", user_id="ann")
    return row["example_id"], (given,), (right,), None, row["output"], *scores


# Opik: files that opik 2.2 wrote (trace.model_dump, its command line's export), experiment items.
def opik_traces(talks):
    return [
        {"id": t.id, "project_id": "p", "name": "chat", "start_time": "2026-01-01T00:00:00", "input": {"messages": messages(t.context)},
         "output": {"choices": [{"message": {"role": "assistant", "content": t.reply}}]}, "metadata": {"a": 1}, "tags": ["x"],
         "error_info": None, "feedback_scores": [{"name": "Tone", "category_name": None, "value": value(n), "source": "sdk"}]}
        for n, t in numbered(talks)
    ]  # fmt: skip


def opik_folder(talks):
    return {
        f"trace_{row['id']}.json": json.dumps({"trace": row, "spans": [], "downloaded_at": "2026"}, indent=2).encode()
        for row in opik_traces(talks)
    }  # fmt: skip


def opik_rows(path):
    if path.is_dir():
        return [whole(each)["trace"] for each in sorted(path.iterdir())]
    return whole(path)


def opik(row):
    scores = apart(row["feedback_scores"], source="ui", created_by="ann")
    reply = row["output"]["choices"][0]["message"]["content"]
    return row["id"], said(row["input"]["messages"]), (), None, reply, *scores


def opik_experiment(talks):
    items = [
        {"id": f"i{n}", "dataset_item_id": t.id, "trace_id": f"t{n}", "dataset_item_data": {"question": t.message, "expected_output": t.references[0]},
         "evaluation_task_output": {"output": t.reply}, "feedback_scores": [{"name": "equals_metric", "value": value(n)}]}
        for n, t in numbered(talks)
    ]  # fmt: skip
    return {"experiment": {"id": "e", "name": "x"}, "items": items, "downloaded_at": "2026"}


def opik_item(row):
    data = row["dataset_item_data"]
    scores, _ = apart(row["feedback_scores"], source="ui", created_by="ann")
    return (
        row["dataset_item_id"],
        (data["question"],),
        (data["expected_output"],),
        None,
        row["evaluation_task_output"]["output"],
        scores,
    )


# MLflow: files that mlflow 3.17 wrote (log_table, Trace.to_json, search_traces, genai.evaluate).
def mlflow_table(talks, metrics=False):
    rows = [
        {"inputs": t.message, "ground_truth": t.references[0], "outputs": t.reply, **({"exact_match/v1/score": value(n), "latency": 0.5} if metrics else {})}
        for n, t in numbered(talks)
    ]  # fmt: skip
    return json.dumps(
        {"columns": list(rows[0]), "data": [list(row.values()) for row in rows]}, ensure_ascii=False
    ).encode()


def mlflow(row):
    scores = {name: each for name, each in row.items() if name.endswith("/score")}
    return None, (row["inputs"],), (row["ground_truth"],), None, row["outputs"], scores


def mlflow_traces(talks):
    return [
        {"info": {"trace_id": f"tr-{t.id}", "state": "OK", "request_preview": "cut", "response_preview": "cut", "assessments": [
            {"assessment_name": "quality", "source": {"source_type": "LLM_JUDGE", "source_id": "gpt-x"}, "feedback": {"value": value(n)}, "valid": True},
            {"assessment_name": "polite", "source": {"source_type": "HUMAN", "source_id": "ann"}, "feedback": {"value": 1 + n % 5}, "valid": True},
            {"assessment_name": "expected_response", "expectation": {"value": t.references[0]}, "valid": True}]},
         "data": {"spans": [
            {"span_id": "b", "parent_span_id": "a", "attributes": {"mlflow.spanInputs": '"no"', "mlflow.spanOutputs": '"no"'}},
            {"span_id": "a", "parent_span_id": None, "attributes": {
                "mlflow.spanInputs": json.dumps({"question": t.message}), "mlflow.spanOutputs": json.dumps(t.reply)}}]}}
        for n, t in numbered(talks)
    ]  # fmt: skip


def mlflow_trace(row):
    info, root = row["info"], row["data"]["spans"][1]["attributes"]
    score, grade, expected = info["assessments"]
    given = json.loads(root["mlflow.spanInputs"])["question"]
    return (
        info["trace_id"],
        (given,),
        (expected["expectation"]["value"],),
        None,
        json.loads(root["mlflow.spanOutputs"]),
        {"quality": score["feedback"]["value"]},
        {("ann", "polite"): grade["feedback"]["value"]},
    )


def genai(talks):
    return [
        {"trace_id": f"tr-{t.id}", "length/value": value(n), "expected_response/value": t.references[0], "trace": "{}", "state": "OK",
         "request": {"question": t.message}, "response": t.reply, "execution_duration": 5}
        for n, t in numbered(talks)
    ]  # fmt: skip


def genai_row(row):
    given = row["request"] if isinstance(row["request"], dict) else json.loads(row["request"])
    return (
        row["trace_id"],
        (given["question"],),
        (row["expected_response/value"],),
        None,
        row["response"],
        {"length": row["length/value"]},
    )


# ragas: files that ragas 0.4 wrote (EvaluationDataset.to_jsonl, EvaluationResult.to_pandas).
def ragas(talks, scores=True):
    return [
        {"user_input": t.message, "retrieved_contexts": ["a", "b"], "response": t.reply, "reference": t.references[0],
         **({"faithfulness": value(n), "answer_relevancy": value(n, 1)} if scores else {})}
        for n, t in numbered(talks)
    ]  # fmt: skip


def ragas_row(row):
    scores = {name: row[name] for name in ("faithfulness", "answer_relevancy") if name in row}
    return None, (row["user_input"],), (row["reference"],), None, row["response"], scores


# HELM: scenario_state.json, per_instance_stats.json, instances.json and display_predictions.json of its sources.
def helm_instances(talks):
    return [
        {"id": t.id, "split": "test", "input": {"text": "\n".join(t.context)}, "references": [
            {"output": {"text": t.references[0]}, "tags": ["correct"]}, {"output": {"text": "wrong"}, "tags": []}]}
        for t in talks
    ]  # fmt: skip


def helm_run(talks):
    states = [
        {"instance": each, "train_trial_index": 0, "request_mode": None, "request": {"model": "org/m", "prompt": "few shots"},
         "result": {"success": True, "completions": [{"text": t.reply, "logprob": -1.0, "tokens": []}]}}
        for each, t in zip(helm_instances(talks), talks, strict=True)
    ]  # fmt: skip
    altered = {
        **states[0],
        "instance": {
            **states[0]["instance"],
            "perturbation": {"name": "typos"},
            "input": {"text": "tpyo"},
        },
    }
    return json.dumps(
        {
            "adapter_spec": {"method": "generation", "model": "org/m"},
            "request_states": [*states, altered],
        },
        indent=2,
    ).encode()


def helm_folder(talks):
    stats = [
        {
            "instance_id": t.id,
            "train_trial_index": 0,
            "stats": [
                {
                    "name": {"name": "f1_score", "split": "test"},
                    "count": 1,
                    "sum": value(n),
                    "mean": value(n),
                }
            ],
        }
        for n, t in numbered(talks)
    ]
    return {
        "scenario_state.json": helm_run(talks),
        "per_instance_stats.json": listed(stats),
        "run_spec.json": b"{}",
    }


def helm(path):
    folder = path if path.is_dir() else path.parent
    file = folder / "per_instance_stats.json"
    stats = {each["instance_id"]: each["stats"] for each in whole(file)} if file.is_file() else {}
    states = whole(path)["request_states"] if path.suffix == ".json" else rows_of(path)
    for state in states:
        if "perturbation" not in state["instance"]:
            yield {**state, "stats": stats.get(state["instance"]["id"], [])}


def helm_row(row):
    instance = row["instance"]
    right = [each["output"]["text"] for each in instance["references"] if "correct" in each["tags"]]
    scores = {each["name"]["name"]: each["mean"] for each in row["stats"]}
    return (
        instance["id"],
        (instance["input"]["text"],),
        right,
        row.get("request", {}).get("model"),
        row["result"]["completions"][0]["text"],
        scores,
    )


def helm_predictions(talks):
    return [
        {"instance_id": t.id, "train_trial_index": 0, "predicted_text": t.reply, "stats": {"exact_match": value(n), "f1_score": value(n, 1)}}
        for n, t in numbered(talks)
    ]  # fmt: skip


def prediction(row):
    return row["instance_id"], None, (), None, row["predicted_text"], row["stats"]


# LightEval: the columns that DetailsLogger.Detail of its sources has, and those of version 0.8.
def lighteval(talks):
    return [
        {"doc": {"query": t.message, "choices": ["no", t.references[0]], "gold_index": [1], "id": t.id, "task_name": "chat|0"},
         "metric": {"rouge1": value(n), "extractive_match": value(n, 1)},
         "model_response": {"input": "template", "input_tokens": [1], "text": [t.reply], "logprobs": []}}
        for n, t in numbered(talks)
    ]  # fmt: skip


def lighteval_old(talks):
    return [
        {"example": t.message, "full_prompt": f"few shots {t.message}", "instruction": "", "gold": [t.references[0]], "predictions": [t.reply],
         "metrics": {"rouge1": value(n)}, "num_asked_few_shots": 0}
        for n, t in numbered(talks)
    ]  # fmt: skip


def lighteval_row(row):
    if "doc" not in row:
        return None, (row["example"],), row["gold"], None, row["predictions"][0], row["metrics"]
    doc = row["doc"]
    return (
        doc["id"],
        (doc["query"],),
        (doc["choices"][1],),
        None,
        row["model_response"]["text"][0],
        row["metric"],
    )


# Every Eval Ever: rows that its published schema of instances (0.3.0) accepts.
def every_eval(talks, multi=False):
    def row(t, n, name, k):
        turns = [*messages(t.context), {"role": "assistant", "content": t.reply}]
        one = {"interaction_type": "single_turn", "output": {"raw": [t.reply]}, "messages": None}
        many = {
            "interaction_type": "multi_turn",
            "output": None,
            "messages": [{"turn_idx": i, **each} for i, each in enumerate(turns)],
        }
        return {"schema_version": "0.3.0", "evaluation_id": "chat/x/1", "model_id": "org/m", "evaluation_name": name, "sample_id": t.id,
                "input": {"raw": t.message, "reference": t.references}, **(many if multi else one), "answer_attribution": [],
                "evaluation": {"score": value(n, k), "is_correct": False}}  # fmt: skip

    return [
        row(t, n, name, k) for k, name in enumerate(("chrf", "rouge")) for n, t in numbered(talks)
    ]


def of_every_eval(path):
    rows = rows_of(path)
    tables = of_rows(path, lambda r: (
        r["sample_id"], said(r["messages"][:-1]) if r["messages"] else (r["input"]["raw"],), r["input"]["reference"], r["model_id"],
        r["messages"][-1]["content"] if r["messages"] else r["output"]["raw"][0], {r["evaluation_name"]: r["evaluation"]["score"]}))  # fmt: skip
    size = len({r["sample_id"] for r in rows})
    return {name: each if name == "scores" else each[:size] for name, each in tables.items()}


# Weave: calls as Client.get_calls(...).to_pandas() and the export of the page write them.
def weave(talks, evaluated=False):
    model = "weave:///me/chat/object/Bot:abc"
    return [
        {"id": t.id, "op_name": "weave:///me/chat/op/Bot.predict:x", "trace_id": f"t{n}", "parent_id": None, "started_at": "2026", "exception": None,
         **({"inputs": {"model": model, "example": {"question": t.message, "expected": t.references[0]}}, "output": {"output": t.reply, "scores": {"match": value(n)}, "model_latency": 1}}
            if evaluated else {"inputs": {"self": model, "question": t.message}, "output": {"generated_text": t.reply}})}
        for n, t in numbered(talks)
    ]  # fmt: skip


def weave_row(row):
    inputs, output = row["inputs"], row["output"]
    system = "Bot" if {"model", "self"} & set(inputs) else None
    example = inputs.get("example", inputs)
    reference = [example["expected"]] if "expected" in example else []
    return (
        row["id"],
        (example["question"],),
        reference,
        system,
        output.get("output", output.get("generated_text")),
        output.get("scores"),
    )


# Braintrust: the events of an experiment's fetch; the spans inside a request are no replies.
def braintrust(talks, roots=True):
    return [
        {"id": f"e{t.id}{inner}", "span_id": f"s{t.id}{inner}", "root_span_id": f"s{t.id}", **({"is_root": not inner} if roots else {}), "created": "2026", "dataset_record_id": None if inner else t.id,
         "input": {"question": t.message, "chat_history": messages([*t.context[:-1], ""])[:-1]}, "output": inner or t.reply, "expected": None if inner else t.references[0],
         "scores": {} if inner else {"match": value(n)}, "metadata": {"model": "gpt-x"}, "metrics": {"start": 1}}
        for n, t in numbered(talks) for inner in ("", "inner")
    ]  # fmt: skip


def braintrust_row(row):
    if row["span_id"] != row["root_span_id"]:
        return None
    turns = (*said(row["input"]["chat_history"]), row["input"]["question"])
    return (
        row["dataset_record_id"],
        turns,
        (row["expected"],),
        "gpt-x",
        row["output"],
        row["scores"],
    )


# Spans with OpenTelemetry's attributes of generative AI; the messages are text that holds JSON, or lists.
def otel(talks, write=json.dumps, flat=False):
    for t in talks:
        asked, answered = (
            [
                {"role": each["role"], "parts": [{"type": "text", "content": each["content"]}]}
                for each in turns
            ]
            for turns in (messages(t.context), [{"role": "assistant", "content": t.reply}])
        )
        named = {
            "gen_ai.request.model": "gpt-x",
            "gen_ai.input.messages": write(asked),
            "gen_ai.output.messages": write(answered),
        }
        keys = (
            {f"attributes.{key}": each for key, each in named.items()}
            if flat
            else {"attributes": named}
        )
        yield {"trace_id": f"t{t.id}", "span_id": t.id, **keys}
        if not flat:
            yield {
                "trace_id": f"t{t.id}",
                "span_id": f"tool{t.id}",
                "attributes": {"gen_ai.tool.name": "search"},
            }


def otel_row(row):
    named = row.get("attributes") or {
        key.removeprefix("attributes."): each for key, each in row.items()
    }
    if "gen_ai.output.messages" not in named:
        return None
    asked, answered = (
        json.loads(each) if isinstance(each, str) else each
        for each in (named["gen_ai.input.messages"], named["gen_ai.output.messages"])
    )
    return (
        row["span_id"],
        [each["parts"][0]["content"] for each in asked],
        (),
        "gpt-x",
        answered[0]["parts"][0]["content"],
        {},
    )


# Azure AI evaluation: what evaluate(..., output_path=...) writes.
def azure(talks, target=False):
    rows = [
        {"inputs.query": t.message, **({"outputs.response": t.reply} if target else {"inputs.response": t.reply}), "inputs.ground_truth": t.references[0],
         "outputs.relevance.relevance": value(n), "outputs.relevance.relevance_reason": "It is."}
        for n, t in numbered(talks)
    ]  # fmt: skip
    return json.dumps(
        {"rows": rows, "metrics": {"relevance.relevance": 0.5}, "studio_url": None},
        ensure_ascii=False,
        indent=1,
    ).encode()


def azure_row(row):
    reply = row.get("inputs.response", row.get("outputs.response"))
    return (
        None,
        (row["inputs.query"],),
        (row["inputs.ground_truth"],),
        None,
        reply,
        {"relevance.relevance": row["outputs.relevance.relevance"]},
    )


# OpenAI evals: the events of a LocalRecorder.
def openai_evals(talks, scored=True):
    yield {"spec": {"completion_fns": ["gpt-4"], "eval_name": "chat.dev.v0", "run_id": "r"}}
    for n, t in numbered(talks):
        event = {
            "run_id": "r",
            "event_id": n,
            "sample_id": f"chat.dev.{t.id}",
            "created_at": "2026",
        }
        prompt = [{"role": "system", "content": "Be nice."}, *messages(t.context)]
        yield {**event, "type": "sampling", "data": {"prompt": prompt, "sampled": [t.reply]}}
        if scored:
            yield {
                **event,
                "type": "match",
                "data": {"correct": n % 2 == 0, "expected": t.references[0], "picked": t.reply},
            }
    yield {"final_report": {"accuracy": 0.5}}


def openai_events(path):
    samples = {}
    for row in rows_of(path):
        if "sample_id" in row:
            samples.setdefault(row["sample_id"], {"id": row["sample_id"]})[row["type"]] = row[
                "data"
            ]
    return list(samples.values())


def openai_row(row):
    match, data = row.get("match", {}), row["sampling"]
    turns = [each["content"] for each in data["prompt"] if each["role"] != "system"]
    reference = [match["expected"]] if "expected" in match else []
    return (
        row["id"],
        turns,
        reference,
        "gpt-4",
        data["sampled"][0],
        {"match": match["correct"]} if match else {},
    )


# Batches: the result objects that the pages of Vertex AI, the Gemini API and Bedrock show.
def contents(turns):
    return [
        {"role": each["role"].replace("assistant", "model"), "parts": [{"text": each["content"]}]}
        for each in messages(turns)
    ]


def vertex(talks, version=True):
    return [
        {"status": "", "processed_time": "2026", "request": {"contents": contents(t.context), "systemInstruction": {"parts": [{"text": "Be nice."}]}},
         "response": {"candidates": [{"content": {"parts": [{"text": t.reply}], "role": "model"}, "finishReason": "STOP"}], **({"modelVersion": "gemini-x"} if version else {})}}
        for t in talks
    ]  # fmt: skip


def bedrock(talks):
    return [
        {"recordId": t.id, "modelInput": {"anthropic_version": "x", "max_tokens": 9, "messages": messages(t.context)},
         "modelOutput": {"id": "msg", "type": "message", "role": "assistant", "content": [{"type": "text", "text": t.reply}]}}
        for t in talks
    ]  # fmt: skip


def vertex_row(row):
    if "recordId" in row:
        return (
            row["recordId"],
            said(row["modelInput"]["messages"]),
            (),
            None,
            row["modelOutput"]["content"][0]["text"],
            {},
        )
    given = [each["parts"][0]["text"] for each in row["request"]["contents"]]
    response = row["response"]
    return (
        None,
        given,
        (),
        response.get("modelVersion"),
        response["candidates"][0]["content"]["parts"][0]["text"],
        {},
    )


def gemini(talks, thoughts=False):
    thought = [{"text": "Hmm.", "thought": True}] * thoughts
    return [
        {"key": t.id, "response": {"candidates": [{"content": {"parts": [*thought, {"text": t.reply}], "role": "model"}}]}}
        for t in talks
    ]  # fmt: skip


def gemini_row(row):
    return (
        row["key"],
        None,
        (),
        None,
        row["response"]["candidates"][0]["content"]["parts"][-1]["text"],
        {},
    )


def examples(talks, metadata=True):
    """A data set of LangSmith."""
    return [
        {**({"id": t.id, "metadata": {"split": "test"}} if metadata else {}), "inputs": {"question": t.message}, "outputs": {"answer": t.references[0]}}
        for t in talks
    ]  # fmt: skip


def example(row):
    return row.get("id"), (row["inputs"]["question"],), (row["outputs"]["answer"],), None, None, {}


# Platforms of people. Crowd forms as MTurk writes them in Answer.taskAnswers; surveys as Qualtrics exports
# them with three rows of headers; Prodigy's db-out; Label Studio's Ranker and Pairwise.
def crowd(talks, boxes=True):
    def answers(t, s, r):
        grades = {c: t.ratings[s, r, c] for c in CRITERIA}
        return json.dumps(
            [{c: {str(k): k == g for k in range(1, 6)} if boxes else g for c, g in grades.items()}]
        )

    return separated(
        {"HITId": f"H{n}", "WorkerId": r, **({"AssignmentStatus": "Approved"} if boxes else {}), "Input.id": t.id, "Input.system": s, "Answer.taskAnswers": answers(t, s, r)}
        for n, t in numbered(talks) for s in SYSTEMS for r in RATERS
    )  # fmt: skip


def crowd_ratings(path):
    return {"ratings": [
        (row["Input.id"], row["Input.system"], row["WorkerId"], criterion, float(next(k for k, v in given.items() if v) if isinstance(given, dict) else given))
        for row in records(path) for criterion, given in json.loads(row["Answer.taskAnswers"])[0].items()
    ]}  # fmt: skip


def survey(talks, looped=False):
    """A question for each reply; the texts name item and system."""
    asked = [(t, s) for t in talks for s in SYSTEMS]
    names = [f"{n}_Q5" if looped else f"Q{n}_1" for n, _ in enumerate(asked, start=1)]
    texts = [
        f"How fluent is this reply? {t.id}|{s}" if looped else f"How fluent? {t.id} - {s}"
        for t, s in asked
    ]
    rows = [["StartDate", "EndDate", "ResponseId", *names], ["Start Date", "End Date", "Response ID", *texts],
            [json.dumps({"ImportId": each}) for each in ("startDate", "endDate", "_recordId", *names)],
            *(["2026", "2026", f"R_{r}", *(str(t.ratings[s, r, "fluency"]) for t, s in asked)] for r in RATERS)]  # fmt: skip
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def survey_ratings(path):
    names, texts, _, *rows = csv.reader(io.StringIO(path.read_text("utf-8"), newline=""))
    ratings = []
    for row in rows:
        for name, text, cell in list(zip(names, texts, row, strict=True))[3:]:
            id, system = text.rpartition("? ")[2].replace(" - ", "|").split("|")
            ratings.append(
                (id, system, row[2], "Q5" if name.endswith("_Q5") else "overall", float(cell))
            )
    return {"ratings": ratings}


def prodigy(talks, options=True):
    return lines(
        {"text": t.replies[s], "meta": {"id": t.id, "system": s}, "_input_hash": n, "_task_hash": n, "_annotator_id": r, "_session_id": f"db-{r}",
         **({"options": [{"id": k, "text": f"grade {k}"} for k in range(1, 6)], "accept": [t.ratings[s, r, "fluency"]], "answer": "accept"}
            if options else {"label": "GOOD", "answer": "accept" if t.ratings[s, r, "fluency"] > 2 else "reject"})}
        for n, t in numbered(talks) for s in SYSTEMS for r in RATERS
    )  # fmt: skip


def prodigy_ratings(path):
    return {"ratings": [
        (row["meta"]["id"], row["meta"]["system"], row["_annotator_id"], row.get("label", "overall"), float(row["accept"][0] if "accept" in row else row["answer"] == "accept"))
        for row in rows_of(path)
    ]}  # fmt: skip


def rankings(talks, pairs=False):
    def result(t, n, r):
        better = ["left", "right"][(n + len(t.id) + RATERS.index(r)) % 2]
        ranked = list(SYSTEMS) if better == "left" else list(SYSTEMS)[::-1]
        value = {"selected": better} if pairs else {"ranker": {"rank": ranked}}
        return {
            "from_name": "rank",
            "to_name": "list",
            "type": "pairwise" if pairs else "ranker",
            "value": value,
        }

    return listed(
        {"id": n, "data": {"id": t.id, **({"model_a": "tuned", "model_b": "generic"} if pairs else {"items": [{"id": s, "title": s, "body": t.replies[s]} for s in SYSTEMS]})},
         "annotations": [{"id": k, "completed_by": r, "result": [result(t, n, r)]} for k, r in enumerate(RATERS)]}
        for n, t in numbered(talks)
    )  # fmt: skip


def ranked(path):
    preferences = []
    for task in whole(path):
        for each in task["annotations"]:
            value = each["result"][0]["value"]
            a, b = value["ranker"]["rank"] if "ranker" in value else ("tuned", "generic")
            winner = "b" if value.get("selected") == "right" else "a"
            preferences.append((task["data"]["id"], a, b, each["completed_by"], winner))
    return {"preferences": preferences}


SCORE = "score FILE -m length --resamples 0"
ANSWERS = "score TESTSET FILE -m length --resamples 0"

KINDS = [
    Kind("Braintrust experiment", "events.json", {
        "fetch": lambda talks: json.dumps({"events": braintrust(talks), "cursor": None}, ensure_ascii=False, indent=1).encode(),
        "without is_root": ("events.jsonl", lambda talks: lines(braintrust(talks, False))),
    }, partial(of_rows, row=braintrust_row, rows=lambda path: whole(path)["events"] if path.suffix == ".json" else rows_of(path)), SCORE),
    Kind("OpenTelemetry spans", "spans.jsonl", {
        "text": lambda talks: lines(otel(talks)),
        "lists": ("spans.json", lambda talks: listed(otel(talks, list))),
        "table": ("spans.csv", lambda talks: separated(otel(talks, flat=True))),
    }, partial(of_rows, row=otel_row), SCORE),
    Kind("Azure evaluation", "result.json", {
        "data": azure,
        "target": partial(azure, target=True),
    }, partial(of_rows, row=azure_row, rows=lambda path: whole(path)["rows"]), SCORE),
    Kind("Langfuse traces", "traces.json", {
        "json": lambda talks: listed(langfuse_traces(talks)),
        "jsonl without scores": ("traces.jsonl", lambda talks: lines(langfuse_traces(talks, False))),
        "csv": ("traces.csv", langfuse_csv),
        "scores of people too": lambda talks: listed(by_people(langfuse_traces(talks), "scores", source="ANNOTATION", authorUserId="ann")),
    }, partial(of_rows, row=langfuse), SCORE, samples=("langfuse_traces.json",)),
    Kind("Langfuse observations", "observations.jsonl", {
        "one model": lambda talks: lines({"id": f"o{t.id}", "traceId": t.id, "type": "GENERATION", "model": "gpt-x", "input": t.message, "output": t.reply} for t in talks),
        "with spans": lambda talks: lines([{"id": "s", "traceId": "1", "type": "SPAN", "model": None, "input": "no", "output": "no"}, *({"id": f"o{t.id}", "traceId": t.id, "type": "GENERATION", "model": "gpt-x", "input": t.message, "output": t.reply} for t in talks)]),
    }, partial(of_rows, row=lambda r: None if r["type"] != "GENERATION" else (r["id"], (r["input"],), (), r["model"], r["output"], {})), SCORE, samples=("langfuse_observations.jsonl",)),
    Kind("LangSmith runs", "runs.json", {
        "json": lambda talks: listed(langsmith_runs(talks)),
        "jsonl": ("runs.jsonl", lambda talks: lines(langsmith_runs(talks))),
    }, partial(of_rows, row=langsmith_run), SCORE),
    Kind("LangSmith experiment", "experiment.csv", {
        "csv": lambda talks: separated(experiment(talks)),
        "parquet": ("experiment.parquet", lambda talks: parquet(experiment(talks))),
    }, partial(of_rows, row=langsmith_experiment), SCORE),
    Kind("LangSmith data set", "dataset.jsonl", {
        "with ids": lambda talks: lines(examples(talks)),
        "without": lambda talks: lines(examples(talks, False)),
    }, partial(of_rows, row=example), "look FILE", samples=("langsmith_dataset.jsonl",)),
    Kind("Phoenix spans", "spans.parquet", {
        "parquet": lambda talks: parquet(spans(talks)),
        "jsonl": ("spans.jsonl", lambda talks: lines(spans(talks))),
        "input as JSON": ("spans.csv", lambda talks: separated({**row, "attributes.input.value": json.dumps({"messages": [{"role": "user", "content": row["attributes.input.value"]}]})} for row in spans(talks))),
    }, partial(of_rows, row=phoenix), SCORE),
    Kind("Phoenix experiment", "experiment.json", {
        "annotated": lambda talks: listed(phoenix_runs(talks)),
        "plain": lambda talks: listed({**row, "annotations": []} for row in phoenix_runs(talks)),
        "scores of people too": lambda talks: listed(by_people(phoenix_runs(talks), "annotations", "score", annotator_kind="HUMAN", user_id="ann")),
    }, partial(of_rows, row=phoenix_run), SCORE),
    Kind("Opik traces", "traces.json", {
        "list": lambda talks: listed(opik_traces(talks)),
        "folder of an export": ("project", opik_folder),
        "scores of people too": lambda talks: listed(by_people(opik_traces(talks), "feedback_scores", source="ui", created_by="ann")),
    }, partial(of_rows, row=opik, rows=opik_rows), SCORE),
    Kind("Opik experiment", "experiment.json", {
        "export": lambda talks: json.dumps(opik_experiment(talks), indent=2).encode(),
        "items": lambda talks: listed(opik_experiment(talks)["items"]),
    }, partial(of_rows, row=opik_item, rows=lambda path: whole(path)["items"] if isinstance(whole(path), dict) else whole(path)), SCORE),
    Kind("MLflow table", "eval_table.json", {
        "logged": mlflow_table,
        "with metrics": partial(mlflow_table, metrics=True),
    }, partial(of_rows, row=mlflow), SCORE, samples=("mlflow_table.json",)),
    Kind("MLflow 3 traces", "traces.json", {
        "list": lambda talks: listed(mlflow_traces(talks)),
        "jsonl": ("traces.jsonl", lambda talks: lines(mlflow_traces(talks))),
    }, partial(of_rows, row=mlflow_trace), SCORE),
    Kind("MLflow 3 evaluation", "result.jsonl", {
        "jsonl": lambda talks: lines(genai(talks)),
        "csv": ("result.csv", lambda talks: separated({**row, "request": json.dumps(row["request"])} for row in genai(talks))),
    }, partial(of_rows, row=genai_row), SCORE),
    Kind("RAGAS", "ragas.jsonl", {
        "data set": lambda talks: lines(ragas(talks, False)),
        "results": lambda talks: lines(ragas(talks)),
        "results as CSV": ("ragas.csv", lambda talks: separated(ragas(talks))),
        "results as Parquet": ("ragas.parquet", lambda talks: parquet(ragas(talks))),
    }, partial(of_rows, row=ragas_row), SCORE, samples=("ragas.jsonl",)),
    Kind("HELM", "run", {
        "folder": helm_folder,
        "scenario_state": ("scenario_state.json", helm_run),
        "jsonl": ("states.jsonl", lambda talks: lines({"instance": each, "result": {"completions": [{"text": t.reply}]}} for each, t in zip(helm_instances(talks), talks, strict=True))),
    }, partial(of_rows, row=helm_row, rows=lambda path: helm(path / "scenario_state.json" if path.is_dir() else path)), SCORE, samples=("helm_like.jsonl",)),
    Kind("HELM predictions", "display_predictions.json", {
        "list": lambda talks: listed(helm_predictions(talks)),
        "with texts cut": lambda talks: listed({**each, "truncated_predicted_text": "cut"} for each in helm_predictions(talks)),
    }, partial(of_rows, row=prediction), ANSWERS),
    Kind("LightEval details", "details_chat_2026.parquet", {
        "details": lambda talks: parquet(lighteval(talks)),
        "version 0.8": lambda talks: parquet(lighteval_old(talks)),
    }, partial(of_rows, row=lighteval_row), SCORE),
    Kind("Every Eval Ever", "x_samples.jsonl", {
        "single turn": lambda talks: lines(every_eval(talks)),
        "several turns": lambda talks: lines(every_eval(talks, True)),
    }, of_every_eval, SCORE),
    Kind("Weights & Biases Weave", "calls.jsonl", {
        "predictions": lambda talks: lines(weave(talks)),
        "evaluation": lambda talks: lines(weave(talks, True)),
    }, partial(of_rows, row=weave_row), SCORE, samples=("wandb_weave.jsonl",)),
    Kind("OpenAI evals log", "log.jsonl", {
        "matches": lambda talks: lines(openai_evals(talks)),
        "samplings": lambda talks: lines(openai_evals(talks, False)),
    }, partial(of_rows, row=openai_row, rows=openai_events), SCORE, samples=("openai_evals_log.jsonl",)),
    Kind("Vertex batch", "predictions.jsonl", {
        "with version": lambda talks: lines(vertex(talks)),
        "without": lambda talks: lines(vertex(talks, False)),
        "Bedrock": ("records.jsonl.out", lambda talks: lines(bedrock(talks))),
    }, partial(of_rows, row=vertex_row), SCORE, samples=("vertex_batch.jsonl",)),
    Kind("Gemini batch", "results.jsonl", {
        "plain": lambda talks: lines(gemini(talks)),
        "with thoughts": lambda talks: lines(gemini(talks, True)),
    }, partial(of_rows, row=gemini_row), ANSWERS, samples=("gemini_batch.jsonl",)),
    Kind("MTurk crowd-form", "Batch_1_batch_results.csv", {
        "radio buttons": crowd,
        "numbers, without status": partial(crowd, boxes=False),
    }, crowd_ratings, "ratings FILE", samples=("mturk_crowdform.csv",)),
    Kind("Qualtrics with a question for each reply", "survey.csv", {
        "statements": survey,
        "loop and merge": partial(survey, looped=True),
    }, survey_ratings, "ratings FILE", samples=("qualtrics.csv",)),
    Kind("Prodigy", "tasks.jsonl", {
        "options": prodigy,
        "accept and reject": partial(prodigy, options=False),
    }, prodigy_ratings, "ratings FILE", samples=("prodigy.jsonl",)),
    Kind("Label Studio with rankings", "export.json", {
        "ranker": rankings,
        "pairwise": partial(rankings, pairs=True),
    }, ranked, "preferences FILE"),
    Kind("YAML", "pred.yaml", {
        "yaml": lambda talks: "".join(f"- id: {t.id}\n  text: {json.dumps(t.reply)}\n" for t in talks).encode(),
    }, verb="look FILE", status="refused", message="write it as JSON", samples=("pred.yaml",)),
]  # fmt: skip
"""Every kind of file that a tool writes."""

FORMATS = {
    "langfuse": "Langfuse traces", "langsmith": "LangSmith runs", "langsmith-dataset": "LangSmith data set",
    "phoenix": "Phoenix spans", "phoenix-experiment": "Phoenix experiment", "opik": "Opik traces",
    "mlflow": "MLflow table", "mlflow-traces": "MLflow 3 traces", "ragas": "RAGAS", "helm": "HELM",
    "helm-predictions": "HELM predictions", "lighteval": "LightEval details", "every-eval-ever": "Every Eval Ever",
    "weave": "Weights & Biases Weave", "openai-evals": "OpenAI evals log", "vertex-batch": "Vertex batch",
    "gemini-batch": "Gemini batch", "braintrust": "Braintrust experiment", "otel-genai": "OpenTelemetry spans",
    "azure-evaluation": "Azure evaluation",
}  # fmt: skip
"""By the name of a format the kind that is read in it."""

RATED = {
    "langfuse": ("scores", "value", {"source": "ANNOTATION", "authorUserId": "ann"}),
    "phoenix-experiment": ("annotations", "score", {"annotator_kind": "HUMAN", "user_id": "ann"}),
    "opik": ("feedback_scores", "value", {"source": "ui", "created_by": "ann"}),
    "langsmith": ("feedback", "score", {"feedback_source": {"type": "app"}, "user_id": "ann"}),
    "mlflow-traces": (),
}
"""Formats that hold ratings by people too: where, what a number is called, and who gave it."""


def rated(form: str, talks) -> tuple[str, bytes]:
    """A small whole file of a format with ratings by people."""
    name, content = small(form, talks)
    if told := RATED[form]:
        key, value, person = told
        traces = [{key: [], **row} for row in json.loads(content)]
        content = listed(by_people(traces, key, value, **person))
    return name, content


ROLES = {
    "langsmith-dataset": ("testset",), "helm-predictions": ("responses", "scores"),
    "vertex-batch": ("testset", "responses"), "gemini-batch": ("responses",),
    "otel-genai": ("testset", "responses"),
}  # fmt: skip
"""The tables of a format that has not all of a test set, responses and scores."""


def small(form: str, talks) -> tuple[str, bytes | dict[str, bytes]]:
    """A small whole file of a format: its name and its content; with scores, where any shape has some."""
    kind = next(each for each in KINDS if each.name == FORMATS[form])
    made = list(kind.shapes.values())[form in ("mlflow", "ragas", "weave")]
    name, make = made if isinstance(made, tuple) else (kind.file, made)
    return name, make(talks)
