"""Tables, plain text, chats, people's ratings, and what single models collect."""

# One shape per line reads best.
# ruff: noqa: E501

from __future__ import annotations

import gzip
import json
from functools import partial

import openpyxl

from fuzzing import saved_to_disk
from kinds.kind import (
    CRITERIA,
    RATERS,
    SYSTEMS,
    Kind,
    Talk,
    lines,
    listed,
    of_columns,
    of_grades,
    parquet,
    records,
    separated,
    sheets,
)


def one_table(talks, **names):
    """Rows of a table of all."""
    return [
        {
            names.get(k, k): v
            for k, v in (
                ("prompt", t.message),
                ("reference", t.references[0]),
                ("prediction", t.reply),
            )
        }
        for t in talks
    ]


def wide_table(talks):
    return [
        {"id": t.id, "context": t.message, "reference": t.references[0], **t.replies} for t in talks
    ]


def as_columns(rows):
    """pandas' default: an object for each column."""
    return json.dumps(
        {name: {str(n): row[name] for n, row in enumerate(rows)} for name in rows[0]}
    ).encode()


def as_split(rows):
    """pandas' orient ``split``."""
    return json.dumps(
        {
            "columns": list(rows[0]),
            "index": [*range(len(rows))],
            "data": [list(r.values()) for r in rows],
        }
    ).encode()


def disk(rows):
    return saved_to_disk({name: [row[name] for row in rows] for name in rows[0]})


def from_disk(path, plain):
    """What a plain reader reads of a folder that ``save_to_disk`` wrote."""
    import pyarrow as pa

    folder = path if any(path.glob("*.arrow")) else path / "test"
    with pa.ipc.open_stream(next(folder.glob("*.arrow")).read_bytes()) as stream:
        rows = stream.read_all().to_pylist()
    copy = path.parent / f"{path.name}.jsonl"
    copy.write_bytes(lines(rows))
    return plain(copy)


ALL = partial(of_columns, context="prompt", references=("reference",), text="prediction")
LONG = ("id", "system", "rater", "criterion", "score")


def wide_replies(path):
    tables = of_columns(path, "id", "context", ("reference",))
    systems = [name for name in records(path)[0] if name not in ("id", "context", "reference")]
    replies = [
        (s, row["id"], row[s]) for s in systems for row in records(path) if row[s] not in (None, "")
    ]
    return tables | {"responses": replies}


def grades(talks, names=LONG):
    """Rows of a long table of ratings."""
    return [
        dict(zip(names, (t.id, *key, grade), strict=True))
        for t in talks for key, grade in t.ratings.items()
    ]  # fmt: skip


def across(talks, by="rater"):
    """Rows of a wide table of ratings: a column for each rater, or for each criterion."""
    if by == "rater":
        return [
            {"id": t.id, "system": s, "criterion": c, **{r: t.ratings[s, r, c] for r in RATERS}}
            for t in talks for s in SYSTEMS for c in CRITERIA
        ]  # fmt: skip
    return [
        {"id": t.id, "system": s, "rater": r, **{c: t.ratings[s, r, c] for c in CRITERIA}}
        for t in talks for s in SYSTEMS for r in RATERS
    ]  # fmt: skip


def by_rater(rows):
    """A sheet for each rater."""
    return {
        r: [{k: v for k, v in row.items() if k != "rater"} for row in rows if row["rater"] == r]
        for r in RATERS
    }


def sheets_of_raters(path):
    rows = []
    for sheet in openpyxl.load_workbook(path).worksheets:
        header, *cells = sheet.iter_rows(values_only=True)
        for row in cells:
            told = dict(zip(header, row, strict=True))
            names = (
                ["score"] if "score" in told else [n for n in header if n not in ("id", "system")]
            )
            rows += [
                (told["id"], told["system"], sheet.title, told.get("criterion", n), float(told[n]))
                for n in names
            ]
    return {"ratings": rows}


def of_participants(path):
    names = list(records(path)[0])
    rater = next(name for name in names if name.lower().startswith("participant"))
    return of_grades(
        path, "item", "model", rater, "criterion" if "criterion" in names else "", "rating"
    )


def table_kind(name, suffix, write, samples=()):
    """A table of all in a container, in two shapes: with other columns, and with ids and systems."""

    def systems(talks):
        return write([
            {"example_id": t.id, "input": t.message, "target": t.references[0], "output": text, "model": s}
            for s in SYSTEMS for t in talks for text in [t.replies[s]]
        ])  # fmt: skip

    def plain(path):
        if "example_id" in records(path)[0]:
            return of_columns(path, "example_id", "input", ("target",), "output", "model")
        return ALL(path)

    shapes = {"plain": lambda talks: write(one_table(talks)), "with ids and systems": systems}
    return Kind(
        name,
        f"outputs{suffix}",
        shapes,
        plain,
        "score FILE -m length --resamples 0",
        samples=samples,
    )


def indexed(rows):
    """With the index of a frame."""
    return separated([{"": n, **row} for n, row in enumerate(rows)])


SCORE = "score FILE -m length --resamples 0"
TABLES = [
    table_kind("CSV", ".csv", separated),
    table_kind("CSV with an index", ".csv", indexed),
    table_kind("CSV with a byte-order mark", ".csv", lambda rows: b"\xef\xbb\xbf" + separated(rows), ("pred_bom.csv",)),
    table_kind("CSV with CR LF", ".csv", lambda rows: separated(rows).replace(b"\n", b"\r\n")),
    table_kind("CSV parted by semicolons", ".csv", lambda rows: separated(rows, ";")),
    table_kind("CSV packed by gzip", ".csv.gz", lambda rows: gzip.compress(separated(rows), mtime=0)),
    Kind("CSV with a column for each system", "wide.csv", {
        "csv": lambda talks: separated(wide_table(talks)),
        "tsv": ("wide.tsv", lambda talks: separated(wide_table(talks), "\t")),
    }, wide_replies, SCORE, samples=("wide2.csv",)),
    table_kind("JSON of records", ".json", listed),
    table_kind("JSON of columns", ".json", as_columns),
    table_kind("JSON of orient split", ".json", as_split),
    table_kind("Parquet", ".parquet", parquet),
    table_kind("Excel workbook", ".xlsx", lambda rows: sheets({"Sheet1": rows})),
    table_kind("JSON Lines of Hugging Face", ".json", lines),
    table_kind("CSV of Hugging Face", ".csv", lambda rows: separated(rows, quoting=1)),
    table_kind("Parquet of Hugging Face", ".parquet", parquet),
    Kind("save_to_disk of Hugging Face", "outputs", {
        "plain": lambda talks: disk(one_table(talks)),
        "ids": lambda talks: disk([{"id": t.id, **row} for t, row in zip(talks, one_table(talks), strict=True)]),
    }, lambda path: from_disk(path, lambda copy: (partial(ALL, id="id") if "id" in records(copy)[0] else ALL)(copy)), SCORE),
    Kind("DatasetDict of Hugging Face", "outputs", {
        "one split": lambda talks: {"dataset_dict.json": b'{"splits": ["test"]}', **{f"test/{k}": v for k, v in disk(one_table(talks)).items()}},
        "two splits": lambda talks: {"dataset_dict.json": b'{"splits": ["train", "test"]}', **{f"{s}/{k}": v for s in ("train", "test") for k, v in disk(one_table(talks)).items()}},
    }, lambda path: from_disk(path, ALL), SCORE),
]  # fmt: skip

RATINGS = [
    Kind("ratings, long", "ratings.csv", {
        "csv": lambda talks: separated(grades(talks)),
        "jsonl": ("ratings.jsonl", lambda talks: lines(grades(talks))),
        "without rater and criterion": lambda talks: separated([{"id": t.id, "system": s, "score": t.ratings[s, "ann", "fluency"]} for t in talks for s in SYSTEMS]),
    }, lambda path: of_grades(path, *(name if name in records(path)[0] else "" for name in LONG)), "ratings FILE", also=("scores",)),
    Kind("ratings with a column for each rater", "ratings.csv", {
        "csv": lambda talks: separated(across(talks)),
        "xlsx": ("ratings.xlsx", lambda talks: sheets({"r": across(talks)})),
    }, partial(of_grades, id="id", system="system", criterion="criterion", wide="rater"), "ratings FILE", also=("scores",)),
    Kind("ratings with a column for each criterion", "ratings.xlsx", {
        "xlsx": lambda talks: sheets({"r": across(talks, "criterion")}),
        "json": ("ratings.json", lambda talks: listed(across(talks, "criterion"))),
    }, partial(of_grades, id="id", system="system", rater="rater", wide="criterion"), "ratings FILE", also=("scores",), samples=("ratings_wide_criteria.xlsx",)),
    Kind("workbook with a sheet for each rater", "ratings.xlsx", {
        "long": lambda talks: sheets(by_rater(grades(talks))),
        "wide by criterion": lambda talks: sheets(by_rater(across(talks, "criterion"))),
    }, sheets_of_raters, "ratings FILE", also=("scores",), samples=("ratings_sheets.xlsx",)),
    Kind("Prolific's participants", "ratings.csv", {
        "csv": lambda talks: separated(grades(talks, ("item", "model", "participant_id", "criterion", "rating"))),
        "as Prolific heads them": lambda talks: separated(grades(talks, ("item", "model", "Participant id", "criterion", "rating"))),
    }, of_participants, "ratings FILE", also=("scores",), samples=("prolific_like.csv",)),
    Kind("ratings with other names", "ratings.csv", {
        "csv": lambda talks: separated(grades(talks, ("item_id", "model", "annotator", "criterion", "rating"))),
        "worker": lambda talks: separated(grades(talks, ("question_id", "model_name", "worker_id", "criterion", "rating"))),
    }, lambda path: of_grades(path, *records(path)[0]), "ratings FILE", also=("scores",), samples=("ratings_alias.csv",)),
]  # fmt: skip

NESTED = [
    Kind(f"table with a column of {what}", "outputs.jsonl", {
        "jsonl": lambda talks, value=value: lines({**row, "more": value} for row in one_table(talks)),
        "parquet": ("outputs.parquet", lambda talks, value=value: parquet({**row, "more": value} for row in one_table(talks))),
        "in some rows": lambda talks, value=value: lines({**row, **({"more": value} if n == 0 else {})} for n, row in enumerate(one_table(talks))),
    }, ALL, SCORE, samples=samples)
    for what, value, samples in (("lists", ["a", "b"], ("tags.jsonl", "tags.parquet")), ("objects", {"a": 1, "b": "x"}, ("meta.jsonl",)))
]  # fmt: skip


def long_table(talks):
    return [
        {"item": t.id, "question": t.message, "ground_truth": t.references[0], "model_name": s, "answer": t.replies[s]}
        for s in SYSTEMS for t in talks
    ]  # fmt: skip


def with_an_empty_cell(talks):
    """The first reply of the second system is empty; another item keeps it from being silent."""
    more = Talk("d1", ["Tea?"], ["Please."], dict.fromkeys(SYSTEMS, "With milk, please."), {})
    first, *rows = wide_table([*talks, more])
    return [first | {SYSTEMS[1]: ""}, *rows]


MLFLOW = {"prompt": "inputs", "reference": "ground_truth", "prediction": "outputs"}
OF_ALL = [
    Kind("item, question, ground_truth, model_name, answer", "long.csv", {
        "csv": lambda talks: separated(long_table(talks)),
        "jsonl": ("long.jsonl", lambda talks: lines(long_table(talks))),
    }, partial(of_columns, id="item", context="question", references=("ground_truth",), text="answer", system="model_name"), SCORE, samples=("long.csv",)),
    Kind("MLflow table", "table.json", {
        "split": lambda talks: as_split(one_table(talks, **MLFLOW)),
        "csv": ("eval_results.csv", lambda talks: separated(one_table(talks, **MLFLOW))),
    }, partial(of_columns, context="inputs", references=("ground_truth",), text="outputs"), SCORE, samples=("mlflow_table.json",)),
    Kind("RAGAS", "ragas.jsonl", {
        "jsonl": lambda talks: lines({"user_input": t.message, "response": t.reply, "reference": t.references[0], "retrieved_contexts": ["x", "y"]} for t in talks),
        "without contexts": ("ragas.csv", lambda talks: separated({"user_input": t.message, "response": t.reply, "reference": t.references[0]} for t in talks)),
    }, partial(of_columns, context="user_input", references=("reference",), text="response"), SCORE, samples=("ragas.jsonl",)),
    Kind("AlpacaEval outputs", "model_outputs.json", {
        "json": lambda talks: listed({"dataset": "helpful_base", "instruction": t.message, "output": t.replies[s], "generator": s} for s in SYSTEMS for t in talks),
        "without a data set": lambda talks: listed({"instruction": t.message, "output": t.reply, "generator": "tuned"} for t in talks),
    }, partial(of_columns, context="instruction", text="output", system="generator"), SCORE, samples=("alpacaeval_outputs.json",)),
    Kind("wide table with an empty cell", "wide.csv", {
        "csv": lambda talks: separated(with_an_empty_cell(talks)),
        "xlsx": ("wide.xlsx", lambda talks: sheets({"s": with_an_empty_cell(talks)})),
    }, wide_replies, f"{SCORE} --missing empty", "with option", samples=("wide.csv",)),
]  # fmt: skip

KINDS = [*TABLES, *RATINGS, *NESTED, *OF_ALL]
