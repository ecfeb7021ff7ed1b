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
    stem,
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
    Kind("AlpacaEval outputs", "model_outputs.json", {
        "json": lambda talks: listed({"dataset": "helpful_base", "instruction": t.message, "output": t.replies[s], "generator": s} for s in SYSTEMS for t in talks),
        "without a data set": lambda talks: listed({"instruction": t.message, "output": t.reply, "generator": "tuned"} for t in talks),
    }, partial(of_columns, context="instruction", text="output", system="generator"), SCORE, samples=("alpacaeval_outputs.json",)),
    Kind("wide table with an empty cell", "wide.csv", {
        "csv": lambda talks: separated(with_an_empty_cell(talks)),
        "xlsx": ("wide.xlsx", lambda talks: sheets({"s": with_an_empty_cell(talks)})),
    }, wide_replies, f"{SCORE} --missing empty", "with option", samples=("wide.csv",)),
]  # fmt: skip


def heard(talk):
    """The turns in which a person begins and ends."""
    return talk.context[-1 - 2 * ((len(talk.context) - 1) // 2) :]


def messages(talk, answer, *first):
    turns = heard(talk)
    roles = ("user", "assistant") * len(turns)
    before = [{"role": r, "content": c} for r, c in zip(roles, turns, strict=False)]
    return [*first, *before, {"role": "assistant", "content": answer}]


def chats(path):
    """Chats: the last message is the reference and the reply."""
    testset, replies = [], []
    rows = chatml(path.read_text("utf-8")) if path.suffix == ".txt" else records(path)
    for n, row in enumerate(rows, start=1):
        said = row.get("messages") or row.get("conversations") or alpaca(row)
        if any(m.get("tool_calls") or m.get("role") == "tool" for m in said):
            continue
        said = [m for m in said if m.get("role") != "system"]
        texts = [m.get("content", m.get("value", m.get("parts"))) for m in said]
        texts = [t if isinstance(t, str) else "".join(p.get("text", "") for p in t) for t in texts]
        id = str(row.get("id", n))
        testset.append((id, tuple(texts[:-1]), (texts[-1],)))
        replies.append((stem(path), id, texts[-1]))
    return {"test set": testset, "responses": replies}


def alpaca(row):
    asked = row["instruction"] + ("\n" + row["input"] if row.get("input") else "")
    pairs = [*row.get("history", ()), (asked, row["output"])]
    return [
        {"role": r, "content": t}
        for pair in pairs
        for r, t in zip(("user", "assistant"), pair, strict=True)
    ]


def chatml(text):
    """The conversations of ChatML, parted by blank lines."""
    rows = []
    for talk in text.strip().split("<|im_end|>\n\n"):
        blocks = [b.removesuffix("<|im_end|>") for b in talk.split("<|im_start|>")[1:]]
        rows.append(
            {
                "messages": [
                    dict(
                        zip(
                            ("role", "content"),
                            b.strip("\n").removesuffix("<|im_end|>").split("\n", 1),
                            strict=True,
                        )
                    )
                    for b in blocks
                ]
            }
        )
    return rows


def as_chatml(talks, *first):
    return "\n".join(
        "".join(
            f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n"
            for m in messages(t, t.reply, *first)
        )
        for t in talks
    ).encode()


ASKED = {"role": "system", "content": "Be kind."}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
WITH_TEST = "score TESTSET FILE -m length --resamples 0"
LOOK = "look FILE"


def chat_rows(talks, key="id"):
    return [{key: t.id, "messages": messages(t, t.reply)} for t in talks]


def with_a_tool(talks):
    call = {
        "id": "z",
        "messages": [
            {"role": "user", "content": "2 + 2?"},
            CALL,
            {"role": "tool", "content": "4"},
            {"role": "assistant", "content": "4."},
        ],
    }
    return lines([call, *chat_rows(talks)])


CHATS = [
    Kind("fine-tuning chats", "bot.jsonl", {
        "jsonl": lambda talks: lines(chat_rows(talks)),
        "with a system prompt, without ids": lambda talks: lines({"messages": messages(t, t.reply, ASKED)} for t in talks),
    }, chats, WITH_TEST, samples=("oai_finetune.jsonl",)),
    Kind("chats of several turns", "bot.jsonl", {
        "jsonl": lambda talks: lines({"id": t.id, "messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello!"}, *messages(t, t.reply)]} for t in talks),
        "list": ("bot.json", lambda talks: listed({"id": t.id, "messages": [ASKED, {"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello!"}, *messages(t, t.reply)]} for t in talks)),
    }, chats, WITH_TEST),
    Kind("chats of content parts", "bot.jsonl", {
        "jsonl": lambda talks: lines({"id": t.id, "messages": [{"role": m["role"], "content": [{"type": "text", "text": m["content"]}]} for m in messages(t, t.reply)]} for t in talks),
        "several parts": lambda talks: lines({"id": t.id, "messages": [{"role": "user", "content": [{"type": "text", "text": "Well. "}, {"type": "text", "text": t.message}]}, {"role": "assistant", "content": t.reply}]} for t in talks),
        "parts of the AI SDK": lambda talks: lines({"id": t.id, "messages": [{"id": "m", "role": m["role"], "parts": [{"type": "step-start"}, {"type": "text", "text": m["content"]}]} for m in messages(t, t.reply)]} for t in talks),
    }, chats, WITH_TEST, samples=("content_parts.jsonl",)),
    *(Kind(f"ShareGPT, {what}", "bot.json" if what == "list" else "bot.jsonl", {
        "as it is": lambda talks, write=write: write({"id": t.id, "conversations": [{"from": "human", "value": t.message}, {"from": "gpt", "value": t.reply}]} for t in talks),
        "without ids": lambda talks, write=write: write({"conversations": [{"from": "human", "value": t.message}, {"from": "gpt", "value": t.reply}]} for t in talks),
    }, chats, WITH_TEST if what == "list" else LOOK, samples=("sharegpt.json",) if what == "list" else ()) for what, write in (("list", listed), ("lines", lines))),
    Kind("chats of which one calls a tool", "bot.jsonl", {
        "tool role": with_a_tool,
        "parallel calls": lambda talks: with_a_tool(talks).replace(b'"tool_calls": [', b'"tool_calls": [{"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}}, '),
    }, chats, WITH_TEST),
    Kind("ChatML text", "bot.txt", {
        "with a system prompt": lambda talks: as_chatml(talks, ASKED),
        "without": as_chatml,
    }, chats, LOOK, samples=("chatml.txt",)),
    Kind("Alpaca", "alpaca.json", {
        "with an empty input": lambda talks: listed({"instruction": t.message, "input": "", "output": t.reply} for t in talks),
        "with an input": lambda talks: listed({"instruction": "Answer.", "input": t.message, "output": t.reply} for t in talks),
        "without an input, as lines": ("alpaca.jsonl", lambda talks: lines({"instruction": t.message, "output": t.reply} for t in talks)),
        "with a history": lambda talks: listed({"instruction": t.message, "input": "", "output": t.reply, "history": [["Hi.", "Hello!"]]} for t in talks),
    }, chats, LOOK, samples=("alpaca.json",)),
]  # fmt: skip


def parlai(path):
    """ParlAI's text: the turns of an episode before each example."""
    items, turns = [], []
    for line in path.read_text("utf-8").splitlines():
        fields = dict(cell.split(":", 1) for cell in line.split("\t"))
        labels = fields.get("labels", fields.get("eval_labels")).split("|")
        turns.append(fields["text"].replace("\\n", "\n"))
        items.append((str(len(items) + 1), tuple(turns), tuple(labels)))
        turns = [] if fields.get("episode_done") == "True" else [*turns, labels[0]]
    return {"test set": items}


def fbdialog(path):
    items, turns, before = [], [], ""
    for line in path.read_text("utf-8").splitlines():
        number, rest = line.split(" ", 1)
        turns, before = ([], "") if number == "1" else (turns, before)
        text, *more = rest.split("\t")
        text = f"{before}\n{text}" if before else text
        if not more:
            before = text
            continue
        before, labels = "", more[0].split("|")
        turns.append(text)
        items.append((str(len(items) + 1), tuple(turns), tuple(labels)))
        turns.append(labels[0])
    return {"test set": items}


def dialogpt(path):
    items = []
    for n, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        source, *targets = line.split("\t")
        texts = [
            [t[4:] if t[:2] in ("0.", "1.") else t for t in part]
            for part in (source.split(" EOS "), targets)
        ]
        items.append((str(n), *map(tuple, texts)))
    return {"test set": items}


def examples(talk, escaped=False):
    """The examples of an episode: a text and its labels."""
    turns = heard(talk)
    pairs = [
        *zip(turns[:-1:2], ([t] for t in turns[1::2]), strict=True),
        (turns[-1], talk.references),
    ]
    return [(text, "|".join(labels)) for text, labels in pairs]


def as_parlai(talks, labels="labels", more=""):
    rows = []
    for t in talks:
        *most, last = [f"text:{text}\t{labels}:{said}{more}" for text, said in examples(t)]
        rows += [*most, f"{last}\tepisode_done:True"]
    return ("\n".join(rows) + "\n").encode()


def as_fbdialog(talks, persona=False):
    rows = []
    for t in talks:
        first = ["your persona: I bake."] if persona else []
        said = [f"{text}\t{labels}\t\t{labels}|Other." for text, labels in examples(t)]
        rows += [f"{n} {line}" for n, line in enumerate([*first, *said], start=1)]
    return ("\n".join(rows) + "\n").encode()


def worlds(path):
    """ParlAI's logs of worlds: the first who speaks is the person."""
    testset, replies = [], []
    for n, row in enumerate(records(path), start=1):
        acts = [a for each in row["dialog"] for a in (each if isinstance(each, list) else [each])]
        said, k, labels = [], 0, []
        for act in acts:
            if act["id"] != acts[0]["id"]:
                k += 1
                testset.append((f"{n}.{k}", tuple(said), tuple(labels)))
                replies.append((act["id"], f"{n}.{k}", act["text"]))
            said.append(act["text"])
            labels = act.get("eval_labels", [])
    return {"test set": testset, "responses": replies}


def chatbot(path):
    value = json.loads(path.read_text("utf-8"))
    if isinstance(value[0], dict) or isinstance(value[0][0], str):
        value = [value]
    testset, replies = [], []
    for n, talk in enumerate(value, start=1):
        turns = (
            [(m["role"] == "assistant", m["content"]) for m in talk]
            if isinstance(talk[0], dict)
            else [(b, x) for pair in talk for b, x in enumerate(pair)]
        )
        said, k = [], 0
        for is_bot, text in turns:
            if is_bot:
                k += 1
                testset.append((f"{n}.{k}", tuple(said), ()))
                replies.append((stem(path), f"{n}.{k}", text))
            said.append(text)
    return {"test set": testset, "responses": replies}


def acts(talk, labels=False, user="human"):
    turns, said = [*heard(talk), talk.reply], []
    for n, text in enumerate(turns):
        more = {"eval_labels": [*talk.references]} if labels and n == len(turns) - 2 else {}
        said.append(
            {
                "id": "TransformerGenerator" if n % 2 else user,
                "text": text,
                "episode_done": False,
                **more,
            }
        )
    return said


def in_pairs(values):
    return [values[n : n + 2] for n in range(0, len(values), 2)]


def mt_bench(path):
    rows = [{name.lower(): value for name, value in row.items()} for row in records(path)]
    if "score" in rows[0]:
        return {
            "scores": [
                (
                    r["model"],
                    str(r["question_id"]),
                    f"turn {r['turn']}",
                    None if float(r["score"]) == -1 else float(r["score"]),
                )
                for r in rows
            ]
        }
    if "g1_winner" in rows[0]:
        sides = {"model_1": "a", "model_2": "b"}
        return {
            "preferences": [
                (
                    str(r["question_id"]),
                    r["model_1"],
                    r["model_2"],
                    r["judge"][0],
                    sides.get(r["g1_winner"], "tie") if r["g1_winner"] == r["g2_winner"] else "tie",
                )
                for r in rows
            ]
        }
    if "choices" in rows[0]:
        return {
            "responses": [
                (r.get("model_id", stem(path)), str(r["question_id"]), r["choices"][0]["turns"][0])
                for r in rows
            ]
        }
    return {
        "test set": [
            (str(r["question_id"]), (r["turns"][0],), tuple(r.get("reference", [])[:1]))
            for r in rows
        ]
    }


TEXTS = [
    Kind("MT-Bench judgments", "gpt-4_single.jsonl", {
        "two turns": lambda talks: lines({"question_id": n, "model": "vicuna", "judge": ["gpt-4", "single-v1"], "user_prompt": t.message, "judgment": "Rating: [[5]]", "score": 1 + (n + turn) % 10, "turn": turn, "tstamp": 1.5} for n, t in enumerate(talks) for turn in (1, 2)),
        "one turn": lambda talks: lines({"question_id": n, "model": "vicuna", "judge": ["gpt-4", "single-v1"], "score": 1 + n % 10, "turn": 1, "tstamp": 1.5} for n, t in enumerate(talks)),
        "keys in capitals": lambda talks: lines({"Question_ID": n, "Model": "vicuna", "Judge": ["gpt-5"], "Score": 1 + (n + turn) % 10, "Turn": turn, "Tstamp": 1.5} for n, t in enumerate(talks) for turn in (1, 2)),
        "pairs": ("gpt-4_pair.jsonl", lambda talks: lines({"question_id": n, "model_1": "a", "model_2": "b", "g1_winner": ("model_1", "model_2", "tie")[n % 3], "g2_winner": ("model_1", "tie")[n % 2], "judge": ["gpt-4", "pair-v2"], "turn": 1, "tstamp": 1.5} for n, t in enumerate(talks))),
    }, mt_bench, "score --scores FILE --resamples 0"),
    Kind("ParlAI text", "train.txt", {
        "labels": as_parlai,
        "eval_labels and candidates": lambda talks: as_parlai(talks, "eval_labels", "\tlabel_candidates:a|b"),
    }, parlai, LOOK, samples=("parlai.txt",)),
    Kind("fbdialog", "train.txt", {
        "as it is": as_fbdialog,
        "with a persona": lambda talks: as_fbdialog(talks, persona=True),
    }, fbdialog, LOOK, samples=("fbdialog.txt",)),
    Kind("DialoGPT TSV", "train.tsv", {
        "plain": lambda talks: "".join(f"{' EOS '.join(t.context)}\t{t.references[0]}\n" for t in talks).encode(),
        "weighted": lambda talks: "".join(f"{' EOS '.join('0.0 ' + c for c in t.context)}\t1.0 {t.references[0]}\n" for t in talks).encode(),
        "text": ("train.txt", lambda talks: "".join("\t".join((" EOS ".join(("Hello", *t.context)), *t.references)) + "\n" for t in talks).encode()),
    }, dialogpt, LOOK, samples=("dialogpt.tsv",)),
    Kind("ParlAI world log", "log.jsonl", {
        "rounds": lambda talks: lines({"dialog": in_pairs(acts(t))} for t in talks),
        "conversations with labels": lambda talks: lines({"dialog": acts(t, labels=True, user="task"), "context": [], "metadata_path": "x"} for t in talks),
    }, worlds, SCORE, samples=("parlai_world_log.jsonl",)),
    Kind("Gradio chat lists", "history.json", {
        "one history of pairs": lambda talks: listed([t.message, t.reply] for t in talks),
        "several histories": lambda talks: listed(in_pairs([*heard(t), t.reply]) for t in talks),
        "messages": lambda talks: listed({"role": r, "metadata": None, "content": c} for t in talks for r, c in (("user", t.message), ("assistant", t.reply))),
    }, chatbot, SCORE, samples=("gradio_chat.json",)),
    Kind("MT-Bench answers", "vicuna.jsonl", {
        "answers": lambda talks: lines({"question_id": t.id, "answer_id": "x", "model_id": "vicuna", "choices": [{"index": 0, "turns": [t.reply, "And more."]}], "tstamp": 1.5} for t in talks),
        "one turn, without a model": lambda talks: lines({"question_id": t.id, "choices": [{"index": 0, "turns": [t.reply]}]} for t in talks),
        "questions": ("question.jsonl", lambda talks: lines({"question_id": n, "category": "writing", "turns": [t.message, "And then?"], "reference": t.references[:1]} for n, t in enumerate(talks))),
    }, mt_bench, WITH_TEST, samples=("mtbench_answers.jsonl",)),
]  # fmt: skip


def thumbs(path):
    """The ratings, replies and items of a table of prompts, replies and feedback in words."""
    words = {
        "👍": 1,
        "👎": 0,
        "Like": 1,
        "Dislike": 0,
        "true": 1,
        "false": 0,
        "True": 1,
        "False": 0,
        "Good": 1,
        "Bad": 0,
    }
    testset, replies, ratings = [], [], []
    for n, row in enumerate(records(path), start=1):
        name = next(c for c in ("feedback", "flag", "score", "liked", "rating") if c in row)
        asked, reply = next(
            (row[a], row[b])
            for a, b in (
                ("prompt", "output"),
                ("user_message", "assistant_message"),
                ("input", "output"),
            )
            if a in row
        )
        testset.append((str(n), (asked,), ()))
        replies.append((stem(path), str(n), reply))
        if row[name]:
            stars = row[name].count("★") if set(row[name]) <= set("★☆") else None
            grade = words[row[name]] if stars is None else stars
            ratings.append(
                (str(n), stem(path), row.get("session_id", "1"), "overall", float(grade))
            )
    return {"test set": testset, "responses": replies, "ratings": ratings}


def feedback(talks, prompt, reply, name, words, **more):
    return [
        {**more, prompt: t.message, reply: t.reply, name: words[n % len(words)]}
        for n, t in enumerate(talks)
    ]


def likes(path):
    tables = {"responses": [], "ratings": []}
    for n, row in enumerate(records(path), start=1):
        index = row["index"] if isinstance(row["index"], list) else [row["index"]]
        id = (
            ".".join([row["conversation_id"], *map(str, index)])
            if "conversation_id" in row
            else str(n)
        )
        tables["responses"].append((stem(path), id, row["value"]))
        tables["ratings"].append((id, stem(path), "1", "overall", float(row["liked"])))
    return tables


def in_lists(path):
    """USR's and FED's: the raters are the places in the lists."""
    testset, replies, ratings = [], [], []
    for n, row in enumerate(records(path), start=1):
        clean = lambda text: text.removeprefix("User: ").removeprefix("System: ")  # noqa: E731
        testset.append((str(n), tuple(clean(t) for t in row["context"].split("\n") if t), ()))
        for reply in row.get("responses", [row]):
            system = reply.get("model") or reply.get("system")
            replies.append((system, str(n), clean(reply["response"])))
            for name, cells in (reply.get("annotations") or reply).items():
                if isinstance(cells, list):
                    ratings += [
                        (str(n), system, str(r), name, float(s))
                        for r, s in enumerate(cells, start=1)
                    ]
    return {"test set": testset, "responses": replies, "ratings": ratings}


def usr(talks):
    return [
        {"context": "\n".join(t.context) + "\n", "fact": "x", "responses": [
            {"response": t.replies[s], "model": s, **{c: [t.ratings[s, r, c] for r in RATERS] for c in CRITERIA}} for s in SYSTEMS]}
        for t in talks
    ]  # fmt: skip


def fed(talks, named=True):
    user, system = ("User: ", "System: ") if named else ("", "")
    return [
        {"context": user + f"\n{user}".join(t.context), "response": system + t.reply, "system": "Meena",
         "annotations": {c: [t.ratings[SYSTEMS[0], r, c] for r in RATERS] for c in CRITERIA}}
        for t in talks
    ]  # fmt: skip


def form(path):
    ratings = []
    for n, row in enumerate(records(path), start=1):
        mail = next((c for c in row if c.startswith("Email")), None)
        for name, cell in row.items():
            if name in ("Timestamp", mail) or not cell:
                continue
            asked, _, place = name.rpartition(" [")
            parts = place.rstrip("]").split(" | ") if " | " in place else place.split(" ")
            ratings.append(
                (parts[0], parts[1], row[mail] if mail else str(n), asked or "overall", float(cell))
            )
    return {"ratings": ratings}


def forms(talks, name, mail):
    return separated(
        {
            "Timestamp": "2026/01/02",
            **({mail: f"{r}@b"} if mail else {}),
            **{name.format(t.id, s): t.ratings[s, r, "fluency"] for t in talks for s in SYSTEMS},
        }
        for r in RATERS
    )


def potato(path):
    ratings = []
    for row in records(path):
        if "label_annotations" in row:
            given, rater = (
                {c: next(iter(v)) for c, v in row["label_annotations"].items()},
                row.get("user", path.absolute().parent.name),
            )
        else:
            given, rater = (
                {n.split(":::")[0]: n.split(":::")[1] for n, v in row.items() if ":::" in n and v},
                row["user"],
            )
        id, system = row.get("instance_id", row.get("id")).split("__")
        ratings += [(id, system, rater, c, float(v)) for c, v in given.items()]
    return {"ratings": ratings}


def instances(talks):
    return [
        {"user": r, "instance_id": f"{t.id}__{s}", "displayed_text": t.message,
         **{f"{c}:::{n}": str(n) if t.ratings[s, r, c] == n else "" for c in CRITERIA for n in range(1, 6)}}
        for t in talks for s in SYSTEMS for r in RATERS
    ]  # fmt: skip


def as_states(talks, **more):
    return lines(
        {"id": f"{t.id}__{s}", "displayed_text": t.message, "label_annotations": {c: {str(t.ratings[s, "ann", c]): str(t.ratings[s, "ann", c])} for c in CRITERIA}, **more}
        for t in talks for s in SYSTEMS
    )  # fmt: skip


def pairs(path):
    tables = {"test set": [], "responses": [], "preferences": []}
    for n, row in enumerate(records(path), start=1):
        told = {
            side: [m["content"] for m in row[side]] if isinstance(row[side], list) else [row[side]]
            for side in ("chosen", "rejected")
        }
        asked = [row["prompt"]] if "prompt" in row else told["chosen"][:-1]
        tables["test set"].append((str(n), tuple(asked), ()))
        tables["responses"] += [(side, str(n), texts[-1]) for side, texts in told.items()]
        tables["preferences"].append((str(n), "chosen", "rejected", "1", "a"))
    return tables


def choices(path):
    """Label Studio's choices of words."""
    words, ratings = {"Good": 1, "Bad": 0}, []
    for task in records(path):
        for each in task["annotations"]:
            (result,) = each["result"]
            data = task["data"]
            ratings.append(
                (
                    str(data.get("id", task["id"])),
                    data.get("system", data.get("model")),
                    str(each["completed_by"]),
                    result["from_name"],
                    float(words[result["value"]["choices"][0]]),
                )
            )
    return {"ratings": ratings}


def tasks(talks, words, **more):
    return listed(
        {
            "id": n,
            "annotations": [
                {
                    "id": n,
                    "completed_by": r,
                    "result": [
                        {
                            "value": {"choices": [words[(n + r) % len(words)]]},
                            "from_name": "quality",
                            "to_name": "reply",
                            "type": "choices",
                        }
                    ],
                }
                for r in (1, 2)
            ],
            "data": {
                "context": t.message,
                "reply": t.reply,
                "model": "tuned",
                **({"id": t.id} if more else {}),
            },
        }
        for n, t in enumerate(talks)
    )


GIVEN = "ratings FILE"
ONE_MODEL = [
    Kind("Gradio flagged CSV", "log.csv", {
        "csv": lambda talks: separated(feedback(talks, "prompt", "output", "flag", ("Like", "Dislike", ""))),
        "with user names": lambda talks: separated(feedback(talks, "input", "output", "flag", ("Good", "Bad"), username="")),
    }, thumbs, SCORE, samples=("gradio_flagged.csv",)),
    Kind("Streamlit feedback", "feedback.csv", {
        "thumbs": lambda talks: separated(feedback(talks, "user_message", "assistant_message", "feedback", ("👍", "👎"), session_id="s", comment="nice")),
        "stars": ("feedback.jsonl", lambda talks: lines(feedback(talks, "prompt", "output", "score", ("★★★☆☆", "★", "★★★★★")))),
    }, thumbs, GIVEN, samples=("streamlit_feedback.csv",)),
    Kind("Gradio feedback", "feedback.csv", {
        "true and false": lambda talks: separated(feedback(talks, "prompt", "output", "liked", ("True", "False"))),
        "words": ("feedback.tsv", lambda talks: separated(feedback(talks, "prompt", "output", "rating", ("Like", "Dislike")), "\t")),
    }, thumbs, GIVEN),
    Kind("Gradio like log", "likes.jsonl", {
        "conversations": lambda talks: lines({"index": [0, 1], "value": t.reply, "liked": n % 2 == 0, "conversation_id": t.id} for n, t in enumerate(talks)),
        "one, without its name": lambda talks: lines({"index": 2 * n + 1, "value": t.reply, "liked": n % 2 == 0} for n, t in enumerate(talks)),
    }, likes, GIVEN, samples=("gradio_like.jsonl",)),
    Kind("USR", "tc_usr_data.json", {"list": lambda talks: listed(usr(talks)), "lines": ("usr.jsonl", lambda talks: lines(usr(talks)))}, in_lists, GIVEN, samples=("usr_like.json",)),
    Kind("FED", "fed_data.json", {"with names": lambda talks: listed(fed(talks)), "without": lambda talks: listed(fed(talks, named=False))}, in_lists, GIVEN, samples=("fed_like.json",)),
    Kind("Google Forms", "form.csv", {
        "one question for each reply": lambda talks: forms(talks, "{} {}", "Email"),
        "a grid, without addresses": lambda talks: forms(talks, "How fluent? [{} | {}]", ""),
        "marked": lambda talks: forms(talks, "{} | {}", "Email Address"),
    }, form, GIVEN, samples=("google_forms.csv",)),
    Kind("potato 1 TSV", "annotated_instances.tsv", {
        "tsv": lambda talks: separated(instances(talks), "\t"),
        "csv": ("annotated_instances.csv", lambda talks: separated(instances(talks))),
    }, potato, GIVEN, samples=("potato.tsv",)),
    Kind("potato 1 JSON Lines", "ann/annotated_instances.jsonl", {
        "in the folder of the annotator": as_states,
        "with the user": lambda talks: as_states(talks, user="ben"),
    }, potato, GIVEN, samples=("potato.jsonl",)),
    Kind("DPO pairs", "dpo.jsonl", {
        "texts": lambda talks: lines({"prompt": t.message, "chosen": t.reply, "rejected": t.worse} for t in talks),
        "messages": lambda talks: lines({side: [{"role": "user", "content": t.message}, {"role": "assistant", "content": said}] for side, said in (("chosen", t.reply), ("rejected", t.worse))} for t in talks),
    }, pairs, "preferences FILE", samples=("dpo.jsonl",)),
    Kind("Label Studio with choices of words", "export.json", {
        "Good and Bad": lambda talks: tasks(talks, ("Good", "Bad")),
        "with ids": lambda talks: tasks(talks, ("Good", "Bad"), ids=True),
    }, choices, GIVEN, samples=("labelstudio_noid.json",)),
    Kind("choices without numbers", "export.json", {"three words": lambda talks: tasks([*talks, *talks], ("Good", "Okay", "Bad"))}, status="refused", message="values="),
]  # fmt: skip

KINDS = [*TABLES, *RATINGS, *NESTED, *OF_ALL, *CHATS, *TEXTS, *ONE_MODEL]
