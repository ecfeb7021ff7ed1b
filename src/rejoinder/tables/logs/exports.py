"""The exports of tools that trace and evaluate, each declared as paths to what it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rejoinder.errors import InputError
from rejoinder.tables.format import FileHead
from rejoinder.tables.logs.declared import Export, Row, Rows, name_at, rows_in
from rejoinder.tables.logs.role_messages import last_reply, messages_of, text_of
from rejoinder.tables.logs.said import at, decoded
from rejoinder.tables.logs.samples import name_of, objects_of, value_of


def _preferring(*tests: Callable[[Row], Any]) -> Callable[[Path, Rows], Rows]:
    """Keeps the rows that pass the first of some tests that any row passes; else all."""

    def kept(path: Path, rows: Rows) -> Rows:
        chosen = ([each for each in rows if test(each[1])] for test in tests)
        return next((each for each in chosen if each), rows)

    return kept


def _is(path: str, *values: Any) -> Callable[[Row], bool]:
    return lambda row: at(row, path) in values


def _with_root(path: Path, rows: Rows) -> Rows:
    """Traces of MLflow: the span that no other one began, and what was expected."""
    rooted = []
    for place, row in rows:
        spans = at(row, "data.spans")
        spans = [each for each in _listed(spans) if isinstance(each, dict)]
        root = [each for each in spans if each.get("parent_span_id") is None]
        if len(root) != 1 and spans:
            raise InputError(
                f"{place}: {len(root)} spans of this trace have no parent; expected one, the request"
            )
        given = at(row, "info.assessments assessments")
        expected = {
            str(at(each, "assessment_name name")): at(each, "expectation.value")
            for each in _listed(given)
            if at(each, "expectation.value") is not None
        }
        rooted.append((place, {**row, "root": root[0] if root else None, "expected": expected}))
    return rooted


def _helm_rows(path: Path, rows: Rows) -> Rows:
    """Instances that no perturbation altered, with their right references, and the numbers beside them."""
    folder = path if path.is_dir() else path.parent
    instances = {name_at(r, "id"): r for r in _beside(folder / "instances.json")}
    stats = {
        (name_at(r, "instance_id"), name_at(r, "train_trial_index")): at(r, "stats")
        for r in _beside(folder / "per_instance_stats.json")
        if at(r, "perturbation") is None
    }
    runs, seen = [], set()
    for place, row in rows:
        instance = at(row, "instance") or instances.get(name_at(row, "instance_id")) or {}
        key = name_at(row, "instance.id instance_id"), name_at(row, "train_trial_index") or "0"
        if at(row, "perturbation instance.perturbation") or (
            key in seen and at(row, "request_mode")
        ):
            continue
        seen.add(key)
        given = at(instance, "references")
        right = [
            at(each, "output.text output")
            for each in _listed(given)
            if "correct" in _listed(at(each, "tags"))
        ]
        runs.append((place, {"stats": stats.get(key), **row, "instance": instance, "right": right}))
    return runs


def _beside(file: Path) -> list[Row]:
    return [row for _, row in rows_in(file)] if file.is_file() else []


def _weave_rows(path: Path, rows: Rows) -> Rows:
    """Calls of the outermost operation, with the name of the model's object."""
    root = _preferring(_is("trace_is_root", True), lambda row: not row.get("parent_id"))(path, rows)
    return [(place, {**row, "object": _object(row)}) for place, row in root]


def _object(row: Row) -> str | None:
    address = at(row, "inputs.model inputs.self")
    if isinstance(address, str) and "/object/" in address:
        return address.partition("/object/")[2].partition(":")[0]
    return None


def _openai_evals_rows(path: Path, rows: Rows) -> Rows:
    """A row for each sample of an evaluation: what was sampled, and its match and metrics."""
    spec: Row = next((row["spec"] for _, row in rows if isinstance(row.get("spec"), dict)), {})
    samples: dict[Any, tuple[Any, Row]] = {}
    for place, row in rows:
        id, data = name_at(row, "sample_id"), row.get("data")
        if not id or not isinstance(data, dict):
            continue
        sample = samples.setdefault(id, (place, {"id": id, "spec": spec, "scores": {}}))[1]
        kind = row.get("type")
        if kind == "sampling":
            sample["data"] = data
        elif kind == "match":
            sample["scores"]["match"] = data.get("correct")
            sample["expected"] = data.get("expected")
        elif kind == "metrics":
            sample["scores"] |= {n: v for n, v in data.items() if isinstance(v, int | float)}
    return [each for each in samples.values() if "data" in each[1]]


def _every_eval_rows(path: Path, rows: Rows) -> Rows:
    """A row for each reply, whose scores stand in as many rows: those with its text."""
    replies: dict[Any, tuple[Any, Row]] = {}
    times: dict[Any, int] = {}
    for place, row in rows:
        name = name_at(row, "evaluation_name")
        output = repr((at(row, "output"), at(row, "messages")))
        key = name_at(row, "model_id"), name_at(row, "sample_id"), output
        times[*key, name] = times.get((*key, name), 0) + 1
        reply = replies.setdefault((*key, times[*key, name]), (place, {**row, "scores": {}}))[1]
        reply["scores"][name] = at(row, "evaluation.score")
        messages = at(row, "messages")
        if isinstance(messages, list):
            last = last_reply(messages_of(messages, place))
            last = len(messages) if last is None else last
            reply |= {"before": messages[:last], "reply": messages[last : last + 1]}
    return [*replies.values()]


def _batch_rows(path: Path, rows: Rows) -> Rows:
    """Requests with what the model answered; of OpenAI's responses the messages, which are one reply."""
    answers = []
    for place, row in rows:
        response = value_of(row, "response", dict, place)
        sound = at(response, "status_code") in (None, 200) and not row.get("error")
        answered = (response or {}) if sound else {}
        body = value_of(answered, "body", dict, place) or value_of(
            value_of(row, "result", dict, place) or {}, "message", dict, place
        )
        text = body = body or {}
        if "output" in body:
            messages = [each for each in objects_of(body, "output", place) if "content" in each]
            text = "".join(text_of(each["content"], place) for each in messages) if messages else {}
        facts = {"custom_id": name_of(row, "custom_id", place), "model": body.get("model")}
        answers.append((place, {**facts, "said": text, "failed": True if text == {} else None}))
    return answers


_ROOTS = _preferring(
    _is("is_root", True), lambda row: row.get("span_id") == row.get("root_span_id")
)


def _braintrust_rows(path: Path, rows: Rows) -> Rows:
    """The outermost spans; where they are of several experiments, each of these is a system."""
    roots = _ROOTS(path, rows)
    runs = [name_at(row, "experiment_name experiment.name experiment_id") for _, row in roots]
    if len(set(runs)) < 2:
        return roots
    models = [name_at(row, "metadata.model") for _, row in roots]
    return [
        (place, {**row, "model_and_experiment": " ".join(filter(None, names))})
        for (place, row), *names in zip(roots, models, runs, strict=True)
    ]


_SAID = "attributes.gen_ai.output.messages gen_ai.output.messages"


def _innermost(path: Path, rows: Rows) -> Rows:
    """Spans with messages in which no other span has any: an agent's reply is that of its last model."""
    parents = {_span(row, _SPAN): _span(row, _PARENT) for _, row in rows}
    said = [each for each in rows if at(each[1], _SAID)]
    outer: set[tuple[str, str]] = set()
    for _, row in said:
        span = _span(row, _PARENT)
        while span[1] and span not in outer:
            outer.add(span)
            span = parents.get(span, ("", ""))
    return [each for each in said if _span(each[1], _SPAN) not in outer] or rows


_TRACE = "trace_id traceId context.trace_id"
_SPAN = "span_id spanId context.span_id"
_PARENT = "parent_span_id parentSpanId parent_id parentId"


def _span(row: Row, paths: str) -> tuple[str, str]:
    return name_at(row, _TRACE), name_at(row, paths)


def _listed(value: Any) -> list[Any]:
    value = decoded(value)  # a cell of CSV
    return value if isinstance(value, list) else []


def _has_objects(head: FileHead) -> bool:
    return isinstance(head.row, dict) and isinstance(head.row.get("inputs"), dict)


_LANGSMITH = Export(
    "langsmith",
    "LangSmith: runs (JSON) and experiments (CSV) with inputs, outputs, references and feedback",
    ("run_type inputs outputs", "inputs outputs reference_outputs", "inputs. outputs. feedback.",
     "inputs. outputs. execution_time", "inputs. outputs. example_id", "inputs outputs reference_example_id"),
    "inputs", "outputs", "reference reference_outputs", "feedback feedback_stats",
    "reference_example_id example_id id",
    "extra.metadata.ls_model_name extra.invocation_params.model",
    "error",
    prepared=_preferring(lambda row: not row.get("parent_run_id")), people="feedback_source.type=app",
)  # fmt: skip
_HELM = Export(
    "helm",
    "HELM: a run's folder or its scenario_state.json, display_predictions.json beside instances.json",
    ("adapter_spec request_states", "instance{} result{}"),
    "instance.input.text instance.input", "result.completions predicted_text", "right", "stats",
    "instance.id instance_id", "request.model adapter_spec.model",
    rows="request_states", folder="scenario_state.json", prepared=_helm_rows,
)  # fmt: skip

EXPORTS = (
    Export(
        "langfuse",
        "Langfuse: traces or observations (JSON, JSON Lines, CSV) with input, output and scores",
        ("traceId input output", "htmlPath input output", "timestamp input output scores",
         "timestamp input output tags"),
        "input", "output", scores="scores", system="model providedModelName metadata.model",
        unless="trace_id op_name reference_output annotations",
        prepared=_preferring(_is("type", "GENERATION")), people="source=ANNOTATION",
    ),
    _LANGSMITH,
    Export(
        "langsmith-dataset",
        "LangSmith: a data set as JSON Lines (inputs, outputs); a test set alone",
        ("inputs outputs",),
        "inputs", reference="outputs", also=_has_objects,
        unless="run_type op_name ground_truth predictions expectations reference_outputs trace_id",
    ),
    Export(
        "phoenix",
        "Phoenix: spans (Parquet, CSV, JSON Lines) with inputs, outputs and evaluations",
        ("context.span_id attributes.output.value", "context.span_id attributes.llm.output_messages",
         "context.span_id attributes.output."),
        "attributes.llm.input_messages attributes.input.value",
        "attributes.llm.output_messages attributes.output.value",
        scores="eval", id="context.span_id", system="attributes.llm.model_name",
        prepared=_preferring(_is("span_kind", "LLM"), lambda row: not row.get("parent_id")),
    ),
    Export(
        "phoenix-experiment",
        "Phoenix: the runs of an experiment as JSON, with inputs, outputs, references and annotations",
        ("example_id repetition_number output", "example_id input output reference_output"),
        "input", "output", "reference_output expected", "annotations evaluations", "example_id",
        failed="error", people="annotator_kind=HUMAN",
    ),
    Export(
        "opik",
        "Opik: traces (JSON, CSV, the folder that opik export writes) or the items of an experiment",
        ("project_id start_time input output", "feedback_scores input output", "trace{} spans",
         "experiment{} items", "dataset_item_id evaluation_task_output", "input output feedback_scores."),
        "trace.input input dataset_item_data", "trace.output output evaluation_task_output",
        "dataset_item_data.expected_output dataset_item_data.reference dataset_item_data.answer",
        "trace.feedback_scores feedback_scores", "dataset_item_id trace.id id",
        "trace.model model", rows="items", folder="trace_*.json",
        unless="request response info", people="source=ui",
    ),
    Export(
        "mlflow-traces",
        "MLflow: traces as JSON, or the table of search_traces or of genai.evaluate",
        ("info{} data{}", "trace_id request response"),
        "json:root.attributes.mlflow.spanInputs json:info.request_preview request",
        "json:root.attributes.mlflow.spanOutputs json:info.response_preview response",
        "expected.expected_response expected.expected_output expected_response/value",
        "*/value info.assessments assessments",
        "info.client_request_id client_request_id info.trace_id trace_id",
        "info.tags.mlflow.modelName", prepared=_with_root, people="source.source_type=HUMAN",
    ),
    Export(
        "mlflow",
        "MLflow: a table that was logged or evaluated (inputs, outputs or predictions, ground_truth)",
        ("inputs outputs ground_truth", "inputs predictions", "inputs outputs targets"),
        "inputs", "outputs predictions", "ground_truth targets target references reference", "*",
    ),
    Export(
        "ragas",
        "ragas: an evaluation data set or its results (user_input, response, reference, metrics)",
        ("user_input response",),
        "user_input", "response", "reference", "*", unless="model system",
    ),
    _HELM,
    replace(
        _HELM,
        name="helm-predictions",
        description="HELM: display_predictions.json with replies and statistics; responses alone",
        marks=("instance_id predicted_text",), prompt="", rows="", folder="",
    ),
    Export(
        "lighteval",
        "LightEval: details (Parquet) with queries, replies, references and metrics",
        ("doc metric model_response", "full_prompt predictions gold metrics", "full_prompt predictions gold"),
        "doc.query example full_prompt", "model_response.text predictions", "right gold",
        "metric metrics", "doc.id", prepared=lambda path, rows: [
            (place, {**row, "right": _choices(at(row, "doc"))}) for place, row in rows
        ],
    ),
    Export(
        "every-eval-ever",
        "Every Eval Ever: instance-level results (JSON Lines) with inputs, replies and scores",
        ("sample_id evaluation_name interaction_type",),
        "before input.raw", "reply output.raw", "input.reference", "scores", "sample_id", "model_id",
        "error", prepared=_every_eval_rows,
    ),
    Export(
        "braintrust",
        "Braintrust: the spans of an experiment or of logs with input, output, expected and scores",
        ("is_root input output", "root_span_id span_id input output"),
        "input", "output", "expected", "scores", "dataset_record_id origin.id id",
        "model_and_experiment metadata.model", "error", unless="trace_id", prepared=_braintrust_rows,
    ),
    Export(
        "otel-genai",
        "spans with OpenTelemetry's attributes of generative AI (gen_ai.input.messages), as JSON",
        ("attributes.gen_ai.output.messages", "attributes{} span_id", "gen_ai.output.messages"),
        "attributes.gen_ai.input.messages gen_ai.input.messages",
        _SAID,
        id="span_id spanId context.span_id trace_id",
        system="attributes.gen_ai.response.model attributes.gen_ai.request.model gen_ai.request.model",
        prepared=_innermost,
        also=lambda head: "gen_ai.output.messages" in head.text,
    ),
    Export(
        "azure-evaluation",
        "Azure AI evaluation: the rows that evaluate() wrote, with inputs, outputs and scores",
        ("inputs.query", "inputs.response", "rows metrics studio_url"),
        "inputs.query inputs.question", "outputs.response inputs.response inputs.answer",
        "inputs.ground_truth", "outputs", "inputs.id", rows="rows",
        unless="execution_time example_id reference_example_id",
    ),
    Export(
        "weave",
        "Weights & Biases Weave: calls with inputs, outputs and scores",
        ("op_name inputs output",),
        "inputs.example inputs", "output.output output",
        "inputs.example.expected inputs.example.target inputs.example.reference",
        "output.scores scores", system="object", failed="exception", prepared=_weave_rows,
    ),
    Export(
        "openai-evals",
        "OpenAI evals: the log of a run with samplings, matches and metrics",
        ("spec{}", "run_id event_id sample_id"),
        "data.prompt", "data.sampled", "expected", "scores", system="spec.completion_fns.0",
        prepared=_openai_evals_rows,
    ),
    Export(
        "batch-output",
        "output of batch jobs (OpenAI, Anthropic): custom_id and the reply; responses alone",
        ("custom_id response", "custom_id result"),
        reply="said", id="custom_id", failed="failed", prepared=_batch_rows,
        also=lambda head: (
            isinstance(head.object, dict) and not isinstance(at(head.object, "response result"), str)
        ),
    ),
    Export(
        "vertex-batch",
        "batch predictions of Vertex AI and Bedrock, with their requests",
        ("request response status", "request response processed_time", "modelInput modelOutput"),
        "request.contents request.messages request modelInput.messages modelInput",
        "response modelOutput", id="recordId key custom_id", system="response.modelVersion",
        failed="error", unless="trace_id custom_id",
    ),
    Export(
        "gemini-batch",
        "results of batches of the Gemini API: key and response; responses alone",
        ("key response",),
        reply="response", id="key", system="response.modelVersion", failed="error",
    ),
)  # fmt: skip

FORMATS = tuple(each.format for each in EXPORTS)


def _choices(doc: Any) -> list[str]:
    """The choices of a document of LightEval that are right."""
    right = at(doc, "gold_index")
    chosen = [at(doc, f"choices.{n}") for n in _listed(right) or [right]]
    return [each for each in chosen if isinstance(each, str)]
