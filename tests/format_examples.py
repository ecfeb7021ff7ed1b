"""A small whole file of every format, by what it is for: what readers and verbs are tried on."""

# One file per line reads best.
# ruff: noqa: E501

import io
import json
import random
from pathlib import Path
from tempfile import TemporaryDirectory

import openpyxl

import studies
from fuzzing import archive, parquet, rows, saved_to_disk
from kinds import tools
from kinds.kind import Talk

IDS = ["1", "2", "3", "4", "5"]
WORDS = ["Yes , it is .", "No .", "I do not know", "At nine , I think .", "So they say"]


def table(header, *lines, mark=","):
    """A delimited file of plain cells."""
    return "".join(mark.join(map(str, line)) + "\n" for line in (header, *lines)).encode()


def turned(k):
    return WORDS[k:] + WORDS[:k]


REPLIES = [(s, i, t) for s, k in (("a", 1), ("b", 2)) for i, t in zip(IDS, turned(k), strict=True)]
RATED = [
    (i, s, r, "overall", 1 + (n + len(r)) % 5)
    for n, (s, i, _) in enumerate(REPLIES)
    for r in ("r", "rr")
]
LONG = ("id", "system", "rater", "criterion", "score")
DUELS = [(i, "a", "b", r, "ab="[n % 3]) for n, i in enumerate(IDS) for r in ("r", "rr")]
TALK = (
    "Where is it ? __eou__ At nine . __eou__ So they say __eou__\nWhy ? __eou__ No . __eou__\n" * 4
)
CONTEXTS = [[f"Where is bus {i} ?"] for i in IDS]
TURNS = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]
MULTIREF = "model,context_id,response,prevgt,all_references,context,human_average_rating\n"
PAIRED = ("One", "two", "three")


def multiref(*lines):
    return (MULTIREF + "".join(f"{line}\n" for line in lines)).encode()


TALKS = [
    Talk(i, c, [w], {"a": t, "b": "No ."}, {})
    for i, c, w, t in zip(IDS, CONTEXTS, WORDS, turned(1), strict=True)
]


def at_once(name, content):
    """One file that holds the test set and the replies."""
    return {"testset": (name, content), "responses": (name, content)}


def study_of_two_raters():
    """The file of a study in which two raters graded every reply."""
    with TemporaryDirectory() as folder:
        study = studies.study(Path(folder), items=len(IDS))
        studies.answer_all(study, [study.add_rater() for _ in "ab"], random.Random(1))
        study.close()
        studies.OPENED.remove(study)
        return study.database.path.read_bytes()


def inspect_log():
    samples = [
        {"id": i, "epoch": 1, "input": f"Bus {i} ?", "target": w, "metadata": {}, "attachments": {},
         "output": {"model": "m/a", "completion": t, "choices": [{"message": {"role": "assistant", "content": t}}]},
         "scores": {"match": {"value": "CI"[n % 2]}}}
        for n, (i, w, t) in enumerate(zip(IDS, WORDS, turned(1), strict=True))
    ]  # fmt: skip
    head = {
        "version": 2,
        "status": "success",
        "eval": {"eval_id": "a", "task": "t", "model": "m/a"},
    }
    return json.dumps(head | {"plan": {}, "results": {}, "stats": {}, "samples": samples}).encode()


def promptfoo_results():
    results = [
        {"promptIdx": 0, "testIdx": int(i), "provider": {"id": s, "label": s}, "vars": {"question": f"Bus {i} ?"},
         "prompt": {"raw": f"Bus {i} ?", "label": "q"}, "response": {"output": t}, "success": True, "score": 0.5,
         "testCase": {"assert": [{"type": "equals", "value": WORDS[int(i) - 1]}]}}
        for s, i, t in REPLIES
    ]  # fmt: skip
    return json.dumps(
        {"evalId": "e", "results": {"version": 3, "prompts": [], "results": results}}
    ).encode()


def promptfoo_table():
    systems = ("a", "b")
    of_output = ("Status", "Score", "Named Scores", "Grader Reason", "Comment")
    header = ("question", "answer", *(c for s in systems for c in (f"[{s}] q", *of_output)))
    replies = {(s, i): t for s, i, t in REPLIES}
    return table(header, *(
        (f"Bus {i} ?", f'"{w}"', *(c for s in systems for c in (f'"{replies[s, i]}"', "PASS", "0.50", "", "", "")))
        for i, w in zip(IDS, WORDS, strict=True)
    ))  # fmt: skip


def wmt_folder():
    """A folder as its files by their places in it."""
    texts = {s: "".join(f"{t}\n" for name, _, t in REPLIES if name == s) for s in ("a", "b")}
    values = "".join(f"{s}\t{n / 4}\n" for n, (s, _, _) in enumerate(REPLIES))
    files = {
        "sources/en-de.txt": "".join(f"Bus {i} ?\n" for i in IDS),
        "references/en-de.refA.txt": "".join(f"{w}\n" for w in WORDS),
        "documents/en-de.docs": "".join(f"news\tdoc{int(i) // 2}\n" for i in IDS),
        **{f"system-outputs/en-de/{s}.txt": text for s, text in texts.items()},
        "metric-scores/en-de/X-refA.seg.score": values,
        "human-scores/en-de.mqm.seg.score": values,
    }
    return {name: text.encode() for name, text in files.items()}


def conversations_of_deepeval():
    """Cases of one turn, and conversations."""
    roles = ("user", "assistant")
    cases = [
        {
            "name": i,
            "input": f"Bus {i} ?",
            "actualOutput": t,
            "expectedOutput": w,
            "metricsData": [],
        }
        for i, w, t in zip(IDS, WORDS, turned(1), strict=True)
    ]
    talks = [
        {"name": f"talk {i}", "turns": [{"role": r, "content": w, "order": n} for n, r in enumerate(roles)],
         "metricsData": [{"name": "Tone", "success": True, "score": 0.5}]}
        for i, w in zip(IDS, WORDS, strict=True)
    ]  # fmt: skip
    return json.dumps({"testCases": cases, "conversationalTestCases": talks}).encode()


def workbook(header, *lines):
    """A workbook of plain cells."""
    book, content = openpyxl.Workbook(), io.BytesIO()
    for line in (header, *lines):
        book.active.append(list(line))
    book.save(content)
    return content.getvalue()


USR = json.dumps([
    {"context": c[0], "fact": "x", "responses": [{"response": t, "model": s, "Overall": [4, 3], "Natural": [1, 0]} for s in ("a", "b")]}
    for c, t in zip(CONTEXTS, WORDS, strict=True)
]).encode()  # fmt: skip
LIKES = rows(
    *(
        {"index": [n, 1], "value": t, "liked": n % 2 == 0, "conversation_id": "x"}
        for n, t in enumerate(WORDS)
    )
)

WORLDS = {
    "jsonl": {
        "testset": ("t.jsonl", rows(*(
            {"id": i, "context": c, "references": [w, {"text": "No", "weight": -0.5}], "topic": "x"}
            for i, c, w in zip(IDS, CONTEXTS, WORDS, strict=True)
        ))),
        "responses": ("r.jsonl", rows(*({"system": s, "id": i, "text": t} for s, i, t in REPLIES))),
        "ratings": ("h.jsonl", rows(*(dict(zip(LONG, row, strict=True)) for row in RATED))),
        "preferences": ("p.jsonl", rows(*(
            dict(zip(("id", "a", "b", "rater", "winner"), row, strict=True)) for row in DUELS
        ))),
    },
    "csv": {
        "testset": ("t.csv", table(("id", "text"), *((i, f'"{w}"') for i, w in zip(IDS, WORDS, strict=True)))),
        "responses": ("r.csv", table(("system", "id", "text"), *((s, i, f'"{t}"') for s, i, t in REPLIES))),
        "ratings": ("h.csv", table(LONG, *RATED)),
        "preferences": ("p.csv", table(("id", "a", "b", "rater", "winner"), *DUELS)),
    },
    "tsv": {
        "testset": ("t.tsv", table(("id", "text"), *zip(IDS, WORDS, strict=True), mark="\t")),
        "responses": ("r.tsv", table(("system", "id", "text"), *REPLIES, mark="\t")),
        "ratings": ("h.tsv", table(LONG, *RATED, mark="\t")),
    },
    "parquet": {
        "testset": ("t.parquet", parquet({"id": IDS, "context": CONTEXTS, "references": [[w, "No"] for w in WORDS]})),
        "responses": ("r.parquet", parquet(dict(zip(("system", "id", "text"), map(list, zip(*REPLIES, strict=True)), strict=True)))),
        "ratings": ("h.parquet", parquet(dict(zip(LONG, map(list, zip(*RATED, strict=True)), strict=True)))),
    },
    "datasets": {
        "testset": ("t", saved_to_disk({"id": IDS, "context": CONTEXTS, "references": [[w, "No"] for w in WORDS]})),
        "responses": ("r", saved_to_disk(dict(zip(("system", "id", "text"), map(list, zip(*REPLIES, strict=True)), strict=True)))),
        "ratings": ("h", saved_to_disk(dict(zip(LONG, map(list, zip(*RATED, strict=True)), strict=True)))),
    },
    "parlai": {"testset": ("parlai.txt", b"text:Hi\tlabels:Ho|Hey\ntext:Tea?\tlabels:No.\tepisode_done:True\n")},
    "fbdialog": {"testset": ("fbdialog.txt", b"1 Hi\tHo|Hey\n2 Tea?\tNo.\t\tNo.|Yes.\n1 Milk?\tNone.\n")},
    "dialogpt": {"testset": ("dialogpt.tsv", b"0.0 Hi. EOS 1.0 Ho.\t1.0 Tea?\nMilk?\tNone.\n")},
    "parlai-worlds": at_once("worlds.jsonl", rows(*(
        {"dialog": [[{"id": "ann", "text": c[0]}, {"id": "bot", "text": t}]]} for c, t in zip(CONTEXTS, WORDS, strict=True)
    ))),
    "gradio-chatbot": at_once("chatbot.json", json.dumps([[c[0], t] for c, t in zip(CONTEXTS, WORDS, strict=True)]).encode()),
    "dpo": at_once("pairs.jsonl", rows(*({"prompt": c[0], "chosen": t, "rejected": "No"} for c, t in zip(CONTEXTS, WORDS, strict=True)))),
    "usr": {**at_once("usr.json", USR), "ratings": ("usr.json", USR)},
    "gradio-likes": {"responses": ("likes.jsonl", LIKES), "ratings": ("likes.jsonl", LIKES)},
    "google-forms": {"ratings": ("form.csv", b"Timestamp,Email,c1 bot,Fluent? [c2 | cat]\n2026,a@b,4,5\n2026,c@d,3,2\n")},
    "potato-instances": {"ratings": ("annotated.tsv", b"user\tinstance_id\tdisplayed_text\tfluency:::1\tfluency:::2\nu\tc1__bot\tHi\t1\t\nv\tc1__bot\tHi\t\t2\n")},
    "mt-bench": {
        "testset": ("question.jsonl", rows(*({"question_id": int(i), "category": "x", "turns": [c[0], "And?"]} for i, c in zip(IDS, CONTEXTS, strict=True)))),
        "responses": ("m.jsonl", rows(*({"question_id": int(i), "model_id": "m", "choices": [{"index": 0, "turns": [t]}]} for i, t in zip(IDS, WORDS, strict=True)))),
    },
    "text": {
        "testset": ("t.txt", "".join(f"{w}\n" for w in WORDS).encode()),
        "responses": ("r.txt", "".join(f"{w}\n" for w in turned(1)).encode()),
    },
    "dailydialog": {
        "testset": ("dialogues_test.txt", TALK.encode()),
        "corpus": ("dialogues_train.zip", archive("train/dialogues_train.txt", TALK)),
    },
    "dailydialog-multiref": {
        "testset": ("m.csv", multiref("a,0_1,Hi,Ho,Ho\tHey,A||||B,4.2", "a,1_1,He,Ha,Ha\tHi,C||||D,2")),
        "responses": ("m.csv", multiref("a,0_1,Hi,Ho,Ho\tHey,A||||B,4.2", "a,1_1,He,Ha,Ha\tHi,C||||D,2")),
        "ratings": ("m.csv", multiref("a,0_1,Hi,Ho,Ho\tHey,A||||B,4.2", "a,1_1,He,Ha,Ha\tHi,C||||D,2")),
    },
    "dailydialog++": {
        "testset": ("plus.jsonl", rows(
            {"id": 0, "context": ["A"], "positive_responses": ["b"], "adversarial_negative_responses": ["c"], "random_negative_responses": ["d"]},
        )),
    },
    "dstc7": {
        "testset": ("refs.tsv", b"InstanceID\tReference1\t...\nq\tHi\tHo\nr\tHa\t\n"),
        "responses": ("outs.tsv", b"SystemID\tInstanceID\tResponse\nA\tq\tHi\nB\tq\tHo\nA\tr\tHi\nB\tr\tHo\n"),
        "ratings": ("judges.tsv", b"JudgeID\tInstanceID\tSystemID\tRelevance\tInformativeness\nj\tq\tA\t4\t3\nk\tq\tB\t1\t2\n"),
    },
    "grade": {
        "ratings": ("human_judgement.json", json.dumps([
            {"ID": n, "Dataset": "d", "DialogModel": s, "Response": "Hi", "HumanScores": [1 + n, 2]}
            for n, s in enumerate(("a", "a", "b", "b"))
        ]).encode()),
    },
    "chat": {
        "testset": ("chat.jsonl", rows({"messages": TURNS}, {"messages": TURNS * 2})),
        "corpus": ("chats.jsonl", rows(*({"messages": TURNS * n} for n in (1, 2, 3)))),
    },
    "chat-turns": {"corpus": ("chats.jsonl", rows(*({"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Ho"}]} for _ in range(4))))},
    "mturk": {
        "ratings": ("batch.csv", b"HITId,WorkerId,AssignmentStatus,Input.id,Input.system,Answer.fluency\n"
                    b"h1,A1,Approved,1,a,4\nh1,A2,Submitted,1,a,3\nh2,A1,Approved,2,b,5\nh2,A2,Approved,2,b,1\n"),
    },
    "label-studio": {
        "ratings": ("export.json", json.dumps([
            {"id": n, "data": {"id": i, "system": "a"}, "annotations": [{"completed_by": by, "result": [
                {"from_name": "fluency", "to_name": "reply", "type": "rating", "value": {"rating": 1 + (n + by) % 5}}]}
                for by in (1, 2)]}
            for n, i in enumerate(IDS)
        ]).encode()),
    },
    "study": {"ratings": ("study.sqlite", study_of_two_raters())},
    "potato": {"ratings": ("potato", {
        "config.yaml": b"task_dir: .\n",
        "key.jsonl": rows(*({"id": str(n), "item": i, "system": "a"} for n, i in enumerate(IDS))),
        **{f"annotation_output/{by}/user_state.json": json.dumps({"user_id": by, "instance_id_to_label_to_value": {
            str(n): [[{"schema": "fluency", "name": str(1 + (n + k) % 5)}, str(1 + (n + k) % 5)]] for n, _ in enumerate(IDS)}}).encode()
           for k, by in enumerate(("ann", "bob"))},
    })},
    "prodigy": {"ratings": ("tasks.jsonl", rows(*(
        {"text": "Hi", "meta": {"id": i, "system": "a"}, "_input_hash": n, "_task_hash": n, "options": [{"id": k, "text": str(k)} for k in range(1, 6)],
         "accept": [1 + (n + k) % 5], "answer": "accept", "_annotator_id": by}
        for n, i in enumerate(IDS) for k, by in enumerate(("ann", "bob"))
    )))},
    "argilla": {
        "ratings": ("records.json", json.dumps([
            {"id": str(n), "fields": {"reply": "Hi"}, "metadata": {"item": i, "system": "a"}, "suggestions": {}, "responses": {
                "fluency": [{"value": str(1 + (n + by) % 5), "user_id": f"u{by}"} for by in (1, 2)]}}
            for n, i in enumerate(IDS)
        ]).encode()),
    },
    "wide": {"ratings": ("wide.csv", table(("id", "system", *PAIRED), *((i, s, 1 + n % 5, 1 + n % 4, 1 + n % 3) for n, (s, i, _) in enumerate(REPLIES))))},
    "label-studio-min": {"ratings": ("flat.json", json.dumps([
        {"id": n, "system": s, "lead_time": 1, "annotation_id": n, "annotator": 1, "fluency": 1 + n % 5}
        for n, (s, _, _) in enumerate(REPLIES)
    ]).encode())},
    "qualtrics": {"ratings": ("survey.csv", (
        "StartDate,Status,Finished,EndDate,ResponseId,1__a__fluency,2__b__fluency\n"
        "Start,Status,Finished,End,Response ID,How fluent?,How fluent?\n"
        + ",".join(f'"{{""ImportId"":""{k}""}}"' for k in ("startDate", "status", "finished", "endDate", "_recordId", "QID1", "QID2"))
        + "\n2026,IP Address,True,2026,R_1,4,5\n2026,IP Address,True,2026,R_2,2,3\n"
    ).encode())},
    "json": {
        **at_once("table.json", json.dumps([
            {"id": i, "prompt": c[0], "reference": w, "response": t, "model": "a"}
            for i, c, w, t in zip(IDS, CONTEXTS, WORDS, turned(1), strict=True)
        ]).encode()),
        "ratings": ("h.json", json.dumps(dict(zip(LONG, map(list, zip(*RATED, strict=True)), strict=True))).encode()),
    },
    "xlsx": at_once("table.xlsx", workbook(("id", "prompt", "reference", "response", "model"), *(
        (i, c[0], w, t, "a") for i, c, w, t in zip(IDS, CONTEXTS, WORDS, turned(1), strict=True)
    ))),
    "lm-eval": at_once("samples_toy.jsonl", rows(*(
        {"doc_id": int(i), "doc": {"question": i}, "target": w, "arguments": {"gen_args_0": {"arg_0": f"Bus {i} ?"}},
         "resps": [[t]], "filtered_resps": [t], "filter": "none", "metrics": ["exact_match"], "exact_match": 0.0}
        for i, w, t in zip(IDS, WORDS, turned(1), strict=True)
    ))),
    "inspect": at_once("log.json", inspect_log()),
    "promptfoo": at_once("results.json", promptfoo_results()),
    "promptfoo lines": at_once("results.jsonl", rows(*(
        {"promptIdx": 0, "testIdx": int(i), "provider": s, "vars": {"question": f"Bus {i} ?", "answer": w},
         "prompt": {"raw": "q", "label": "q"}, "response": {"output": t}, "success": True, "score": 0.5}
        for s, i, t in REPLIES for w in (WORDS[int(i) - 1],)
    ))),
    "promptfoo table": at_once("results.csv", promptfoo_table()),
    "wmt": {**at_once("wmt26", wmt_folder()), "ratings": ("wmt26", wmt_folder())},
    "deepeval conversations": at_once("test_run.json", conversations_of_deepeval()),
    "deepeval": at_once("test_run.json", json.dumps({"testCases": [
        {"name": i, "input": f"Bus {i} ?", "actualOutput": t, "expectedOutput": w, "order": n,
         "metricsData": [{"name": "Tone", "success": True, "score": 0.5}]}
        for n, (i, w, t) in enumerate(zip(IDS, WORDS, turned(1), strict=True))
    ], "hyperparameters": {"model": "a"}}).encode()),
    "moses": {"responses": ("nbest.out", "".join(
        f"{int(i) - 1} ||| {t} ||| lm: -{n}.5 -1 w= {len(t)} ||| {-n / 4}\n"
        for n, (i, t) in enumerate(zip(IDS, turned(1), strict=True))
    ).encode())},
    "batch-output": {"responses": ("batch_output.jsonl", rows(*(
        {"id": f"b{i}", "custom_id": i, "error": None, "response": {"status_code": 200, "body": {
            "model": "a", "choices": [{"index": 0, "message": {"role": "assistant", "content": t}}]}}}
        for i, t in zip(IDS, turned(1), strict=True)
    )))},
    **{
        form: {
            role: tools.small(form, TALKS)
            for role in ("testset", "responses")
            if role in tools.ROLES.get(form, (role,))
        }
        for form in tools.FORMATS
    },
    "list": {"ratings": ("list.json", json.dumps([dict(zip(LONG, row, strict=True)) for row in RATED]).encode())},
}  # fmt: skip
"""By the name of a format: what each of its files is for, its name, and a small whole one."""

SCORED = [(s, i, "judge", n % 5) for n, (s, i, _) in enumerate(REPLIES)]
SCORES = {
    "jsonl": ("s.jsonl", rows(*(dict(zip(("system", "id", "name", "value"), r, strict=True)) for r in SCORED))),
    "csv": ("s.csv", table(("system", "id", "judge", "second"), *((s, i, v, v / 4) for s, i, _, v in SCORED))),
    "parquet": ("s.parquet", parquet({
        "system": [r[0] for r in SCORED], "id": [r[1] for r in SCORED], "judge": [r[3] for r in SCORED],
    })),
    "datasets": ("s", saved_to_disk({
        "system": [r[0] for r in SCORED], "id": [r[1] for r in SCORED], "judge": [r[3] for r in SCORED],
    })),
    "wmt-scores": ("judge.doc.score", "".join(f"{s}\t{v}\n" for s, _, _, v in SCORED).encode()),
    "mt-bench": ("gpt-4_single.jsonl", rows(*(
        {"question_id": int(i), "model": s, "judge": ["gpt-4", "x"], "score": 1 + v, "turn": 1, "tstamp": 1.5} for s, i, _, v in SCORED
    ))),
    **{name: WORLDS[name]["testset"] for name in (
        "lm-eval", "inspect", "promptfoo", "promptfoo lines", "promptfoo table", "deepeval",
        "deepeval conversations", "wmt",
    )},
    **{
        form: tools.small(form, TALKS)
        for form in tools.FORMATS
        if "scores" in tools.ROLES.get(form, ("scores",))
    },
    "moses": WORLDS["moses"]["responses"],
}  # fmt: skip
"""By format a whole file of scores."""


def write(path, content):
    """Writes a file, or a folder of files."""
    files = (
        {path / name: each for name, each in content.items()}
        if isinstance(content, dict)
        else {path: content}
    )
    for place, each in files.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(each)


GRADE = {
    f"trips/{system}/{name}": "".join(f"{line}\n" for line in lines).encode()
    for system in ("ann", "bob")
    for name, lines in (
        ("human_ctx.txt", ("Hi|||Where to?", "Tea?")),
        ("human_ref.txt", ("Home.", "Please.")),
        ("human_hyp.txt", (f"{system} goes home.", "No.")),
    )
}
SCORED_ROWS = [dict(zip(("system", "id", "name", "value"), row, strict=True)) for row in SCORED]
MORE = [
    ("scores", "tsv", "s.tsv", table(("system", "id", "name", "value"), *SCORED, mark="\t")),
    ("scores", "json", "s.json", json.dumps(SCORED_ROWS).encode()),
    ("scores", "xlsx", "s.xlsx", workbook(("system", "id", "name", "value"), *SCORED)),
    ("ratings", "xlsx", "h.xlsx", workbook(LONG, *RATED)),
    ("testset", "grade", "eval_data", GRADE),
    ("responses", "grade", "eval_data", GRADE),
]
"""What the lists of examples do not have."""


def examples():
    """Role, format, name and content of every whole file of a registered format."""
    # Here, since most of those who write these files read none.
    from rejoinder.tables.formats.registry import formats_for

    registries = {
        "testset": formats_for("test set", "responses"),
        "responses": formats_for("test set", "responses"),
        "ratings": formats_for("ratings"),
        "scores": formats_for("scores"),
    }
    for world, files in WORLDS.items():
        for role, (name, content) in files.items():
            role = "testset" if role == "corpus" else role
            form = next(
                (f for f in (world, world.split()[0]) if f in registries.get(role, ())), None
            )
            if form is not None:
                yield role, form, name, content
    for world, (name, content) in SCORES.items():
        yield "scores", world.split()[0], name, content
    for form in tools.RATED:
        yield "ratings", form, *tools.rated(form, TALKS)
    yield from MORE
