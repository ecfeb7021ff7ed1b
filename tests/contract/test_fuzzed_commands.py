"""Every verb on damaged files: the numbers of an independent reading, or one clear message.

A world is a set of small files that belong together, in one format. For each case a world, a verb
and files to damage are drawn. The verb must end with status 0 and numbers, or with status 2 and one
message on standard error; never in a traceback. Where the files are JSON Lines or CSV, and ``score``
takes them, its numbers are compared with those of a few lines of plain Python.
"""

# One file per line reads best.
# ruff: noqa: E501

import csv
import io
import json
import os
import random
import re
import shutil
import tempfile
from pathlib import Path

import pytest

import chat_server
import command_line
import ledgers
from format_examples import IDS, SCORES, WORDS, WORLDS, write
from fuzzing import damaged, rows
from rejoinder.cli.app import run
from rejoinder.cli.terminal import progress
from rejoinder.files.checksums import with_checksum
from rejoinder.tables.formats.registry import formats_for
from shared_data import EXAMPLES

FORMATS = formats_for("test set", "responses")
RATING_FORMATS = formats_for("ratings")
SCORE_FORMATS = formats_for("scores")

CASES = int(os.environ.get("REJOINDER_FUZZ", "250"))
SLOW_CASES = 20_000
FORCED = {"dailydialog-multiref", "dailydialog++", "dstc7", "chat", "chat-turns", "grade"}
"""Formats whose options are named, so that a damaged file is read by them all the same."""

LIKELIHOODS = rows(
    *(
        {"id": i, "text": t, "logprobs": [-1.0 - n / 7, -2.0]}
        for n, i in enumerate(IDS)
        for t in dict.fromkeys((WORDS[n], "No", "I don't know."))
    )
)
GENERIC = b"I don't know.\n"
RECORD = json.dumps(
    with_checksum(
        {
            "rejoinder_provenance": 1,
            "content": "0" * 64,
            "rows": 3,
            "version": "0",
            "command": ["rejoinder", "convert", "a.jsonl"],
            "signatures": {"BLEU-2": "bleu"},
            "notes": ["1 row left out"],
            "inputs": [{"as": "FILE", "name": "a.jsonl", "path": "a.jsonl", "content": "1" * 64}],
        }
    ),
    indent=1,
).encode()

with tempfile.TemporaryDirectory() as _folder:
    LEDGER = ledgers.ledger(Path(_folder, "runs.sqlite")).read_bytes()

QUICK = "--resamples 100 --seed 1"
COMMANDS = {
    "score": f"score {{testset}} {{responses}} -m length:tokenizer=none -m bleu -m distinct {QUICK} --json",
    "compare": f"compare {{testset}} {{responses}} -m bleu {QUICK} --json",
    "audit": f"audit {{testset}} {{responses}} -m bleu {QUICK} --json",
    "variety": "variety {testset} {responses} --samples 1 --permutations 20 --json",
    "report": f"report {{testset}} {{responses}} -m bleu --ratings {{ratings}} -o {{out}}.html {QUICK} --json",
    "explain-diff": "explain-diff {testset} {responses} -m bleu -m sbleu:compat=nltk --json",
    "judge": "judge {testset} {responses} -m bleu --ratings {ratings} --json",
    "correlate": f"correlate {{testset}} {{responses}} -m bleu --ratings {{ratings}} --permutations 20 {QUICK} --json",
    "plan": (
        f"plan {{testset}} {{responses}} -m bleu --ratings {{ratings}} --next 1 -o {{out}}.csv {QUICK} --json"
    ),
    "weigh": "weigh {testset} {responses} --ratings {ratings} --scale 1 5 -o {out}.jsonl --json",
    "annotate serve": "annotate serve {testset} {responses} --db {out}.sqlite --prepare --json",
    "annotate page": "annotate page {testset} {responses} --db {out}.sqlite -o {out}.html --json",
    "ratings": "ratings {ratings} --resamples 100 --json",
    "preferences": "preferences {preferences} --resamples 100 --json",
    "ruq": f"ruq {{likelihoods}} {{testset}} --generic {{generic}} {QUICK} --json",
    "mark": "mark {testset} {responses} --model {chat} --rubric {rubric} -o {out}.csv --json",
    "respond": "respond retrieval {testset} --corpus {corpus} -o {out}.jsonl",
    "mine": "mine {corpus} {testset} -o {out}.jsonl --json",
    "rerank": "rerank {responses} --mbr chrf --testset {testset} -m bleu -o {out}.jsonl --json",
    "look": "look {testset} --json",
    "verify": "verify {record} --json",
    "runs": "runs {ledger} --json",
    "convert": "convert {responses} -o {out}.jsonl --json",
    "filter": "filter {corpus} -o {out}.jsonl --json",
    "recipe galley2015": "recipe galley2015 {testset} {responses} --ratings {ratings} --set assignments=5 --json",
    "recipe references": "recipe references {corpus} {testset} {responses} --ratings {ratings} -o {out} --set unit_size=1 --set assignments=5 --permutations 0 --resamples 100 --json",
    "recipe negative-references": f"recipe negative-references {{testset}} {QUICK} --json",
}
OF_SCORES = {
    "score": f"score --scores {{scores}} {QUICK} --json",
    "look": "look {scores} --json",
    "convert": "convert {scores} --as scores -o {out}.jsonl --json",
    "compare": "compare --ratings {ratings} --ranks --json",
    "plan": f"plan --scores {{scores}} --costs 5 1 {QUICK} --json",
    "report": f"report --scores {{scores}} -o {{out}}.html {QUICK} --json",
}
"""The same for scores of other tools, and for ratings alone."""

SAMPLES = (
    "samples",
    "samples.csv",
    b"system,id,sample,solved\n"
    + "".join(
        f"{s},{id},{k},{(k + n) % 2}\n" for s in "ab" for n, id in enumerate(IDS) for k in range(3)
    ).encode(),
)
"""Scores of three samples of each item."""

RATES = (
    "rates",
    "rates.csv",
    b"system,id,name,value,kind\n"
    + "".join(
        f"{s},{id},solved,{(n + (s == 'b')) % 3 / 2},rate\n"
        for s in "ab"
        for n, id in enumerate(IDS)
    ).encode(),
)
"""Scores that a column declares to be rates, some of them parts of a pass."""

SAME_READERS = {
    "merge": "reads parts, which have checksums; tests/unit/files/test_shards.py damages them",
    "annotate export": "reads databases of its own; tests/unit/annotation damages them",
    "metrics": "reads no file",
    "train ruber": "reads its corpus as filter does, and trains for minutes",
    "train responder": "reads its corpus as filter does, and trains for minutes",
    "train vectors": "reads its corpus as filter does, and trains for minutes",
    "tune": "reads its candidates as rerank does, and its test set as score does",
    "sweep": "reads its corpus as filter does and its test set as score does, and trains for minutes",
    "recipe khayrallah2021": "reads published files of one study, and trains for minutes",
    "recipe systems2015": "reads what train responder and respond read, and tunes for minutes",
    "recipe tao2018": "reads what train ruber and correlate read, and trains for minutes",
}
FORCIBLE = ("testset", "responses", "ratings")
"""The roles whose format may be named."""


def test_no_verb_is_forgotten():
    assert set(command_line.verbs()) == COMMANDS.keys() | SAME_READERS.keys()


def test_no_format_is_forgotten():
    assert set(FORMATS) <= set(WORLDS)
    assert set(SCORE_FORMATS) - {"json", "tsv", "xlsx"} <= set(SCORES), "tables of other suffixes"
    published = {
        name for name in RATING_FORMATS if name not in ("csv", "tsv", "jsonl", "parquet", "json")
    }
    assert published <= set(WORLDS)


@pytest.mark.parametrize("cases", [CASES, pytest.param(SLOW_CASES, marks=pytest.mark.slow)])
def test_numbers_of_an_independent_reading_or_one_message(tmp_path, capfd, monkeypatch, cases):
    monkeypatch.setattr(progress, "PATIENCE", 1e6)  # a busy machine must not add words
    draw = random.Random(20150731 + cases)
    ends = {0: 0, 2: 0}
    confirmed = 0
    for number in range(cases):
        folder = tmp_path / str(number % 50)
        folder.mkdir()
        verb, words, files = drawn_case(draw, folder)
        told = f"case {number}: {' '.join(words)}; files {files!r}"
        try:
            status = run(words)
        except BaseException as error:
            error.add_note(told)
            raise
        out, err = capfd.readouterr()
        if verb == "verify" and status == 1:  # what the record names has changed or is missing
            assert {"changed", "missing"} & set(re.findall(r'"state": ?"(\w+)"', out)), told
            status = 0
        assert status in ends, f"{told}\n{err}"
        assert "Traceback" not in out + err, told
        assert "\x1b" not in out + err, told
        ends[status] += 1
        if status == 2:
            said = [
                line for line in err.splitlines() if line.startswith(("rejoinder: ", "Error: "))
            ]
            said = [line for line in said if not line.startswith("rejoinder: note")]
            assert len(said) == 1, f"{told}\n{err}"
        elif verb == "score":
            confirmed += confirms(json.loads(out), words, told)
        shutil.rmtree(folder)
    assert ends[0] > cases // 20
    assert ends[2] > cases // 5
    assert confirmed > cases // 100


def drawn_case(draw, folder):
    """A verb (empty for one on scores), its words, and the damaged files by what they are for."""
    verb = draw.choice([*COMMANDS, *["score"] * 8])
    world = draw.choice([*WORLDS, *("jsonl", "csv") * 4])  # what plain Python reads too
    of_scores = verb in OF_SCORES and draw.random() < 0.3
    roles = {
        **{role: ("jsonl", *file) for role, file in WORLDS["jsonl"].items()},
        "corpus": ("dailydialog", *WORLDS["dailydialog"]["corpus"]),
        "likelihoods": ("jsonl", "l.jsonl", LIKELIHOODS),
        "generic": ("text", "generic.txt", GENERIC),
        "scores": draw.choice([SAMPLES, RATES, *((name, *file) for name, file in SCORES.items())]),
        "rubric": ("toml", "rubric.toml", (EXAMPLES / "rubric.toml").read_bytes()),
        "ledger": ("ledger", "runs.sqlite", LEDGER),
        "record": ("record", "made.jsonl.provenance.json", RECORD),
    } | {role: (world, *file) for role, file in WORLDS[world].items()}
    template = (OF_SCORES if of_scores else COMMANDS)[verb]
    used = [role for role in roles if f"{{{role}}}" in template]
    hurt = draw.choice(used)
    words, files = template.split(), {}
    if of_scores and verb == "score" and roles["scores"] is SAMPLES:
        words += ["--at", "2", "--passing", "0.5"]
    if of_scores and verb == "score" and roles["scores"] is RATES:
        words += ["--exact"]
    if verb == "mark":
        words = [word.replace("{chat}", chat_server.process()) for word in words]
    for role in used:
        form, name, content = roles[role]
        if role == hurt:
            content = files[name] = damaged_content(draw, content)
            if draw.random() < 0.03:  # another format's content under this name
                content = files[name] = draw.choice(list(roles.values()))[2]
        path = folder / f"{role}-{name}"
        write(path, content)
        words = [word.replace(f"{{{role}}}", str(path)) for word in words]
        if form in FORCED and role in FORCIBLE and draw.random() < 0.5:
            known = RATING_FORMATS if role == "ratings" else FORMATS
            words += ["--format", f"{path}:{form}"] if form in known else []
    return (
        verb * (not of_scores),
        [word.replace("{out}", str(folder / "out")) for word in words],
        files,
    )


def damaged_content(draw, content):
    """A damaged file; of a folder, one of its files, which may be taken away too."""
    if not isinstance(content, dict):
        return damaged(draw, content)
    name = draw.choice(list(content))
    rest = {other: each for other, each in content.items() if other != name}
    return rest if draw.random() < 0.2 else rest | {name: damaged(draw, content[name])}


def confirms(told, words, case):
    """Compares the mean length of each system with a plain reading; whether there was one."""
    read = {".jsonl": jsonl_rows, ".csv": csv_rows}
    paths = words[1:3]
    suffixes = [Path(path).suffix for path in paths]
    named = "--format" in words
    if not all(Path(path).is_file() for path in paths):
        return False  # a folder that is called like a file
    if named or any(suffix not in read or "chat" in paths[0] for suffix in suffixes):
        return False
    try:
        items, replies = (
            read[s](Path(p).read_bytes()) for s, p in zip(suffixes, paths, strict=True)
        )
        texts = {}
        for row in replies:
            texts.setdefault(row.get("system") or "", {})[str(row["id"])] = row["text"]
        ids = list(dict.fromkeys(str(row["id"]) for row in items))
    except (KeyError, ValueError, TypeError, AttributeError):
        return False  # a form that plain Python does not know: columns in other places, wide tables
    lengths = {
        row["system"]: (row["value"], row["n"])
        for row in told["systems"]
        if row["metric"] == "length"
    }
    if len(lengths) != len(texts) or any(set(held) != set(ids) for held in texts.values()):
        return False
    for name, held in texts.items():
        value, n = lengths[name] if name in lengths else next(iter(lengths.values()))
        assert n == len(ids), case
        assert value == pytest.approx(sum(len(t.split()) for t in held.values()) / len(ids)), case
    return True


def jsonl_rows(content):
    text = content.decode("utf-8-sig")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def csv_rows(content):
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
