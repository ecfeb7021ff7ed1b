"""Rows of the verbs on files: look and convert."""

from __future__ import annotations

import json
import re

from settings.row import Row
from settings.shared import WORDED, WORDS, as_json, columns, refused, refused_after, to_file

USUAL = {
    "look": "look {testset} --json",
    "verify": "verify {made} --json",
    "runs": "runs {ledger} --json",
    "convert": "convert {testset} -o {out}/t.jsonl --json",
    "merge": "merge {parts} --json",
}

LOOK = [
    as_json("look"),
    as_json("verify"),
    Row("verify", "--data", "--data {testset}", "checks.*.state", where={"made": "claimed"}),
    Row("verify", "--registered", "--registered {registration}", "checks.*.state",
        where={"made": "claimed"}),
    Row("verify", "--rows", "--rows {out}/rows.parquet", "@rows.parquet", where={"made": "claimed"}),
    Row("verify", "--badge", "--badge {out}/badge.svg", where={"made": "claimed"},
        effect=lambda _, after: b"claim: recomputed " in after.at("@badge.svg")),
    as_json("merge"),
    Row("merge", "--save", "--save {out}/s.parquet", "@s.parquet"),
    columns("look", "readings.*.counts", "testset"),
    Row(
        "look", "--format", "--format csv", where={"testset": "testset_data"}, status=(2, 0),
        effect=refused("cannot tell the format"),
    ),
    # Of several files each has its own readings, and the examples name the format that was named.
    Row(
        "look", "--format", "--format jsonl", also="{systems}", keeps="inputs.*.readings.*.kind",
        effect=lambda *both: [
            [re.search(r"--format (\S+:)?jsonl", str(each)) is not None for each in result.at("inputs")]
            for result in both
        ] == [[False] * 4, [True] * 4],
    ),
]  # fmt: skip

CONVERT = [
    as_json("convert"),
    columns("convert", "rows", "testset"),
    Row("convert", *WORDS, where={"testset": "worded_ratings"}, **WORDED),
    Row(
        "convert", "--format", "--format csv", where={"testset": "testset_data"}, status=(2, 0),
        effect=refused("cannot tell the format"),
    ),
    Row("convert", "--output", "-o {out}/other.parquet", effect=lambda *both: [
        each.at("@") for each in both] == [["t.jsonl"], ["other.parquet"]]),
    # The test set is no table of responses.
    Row("convert", "--as", "--as responses", status=(0, 2), effect=lambda _, after: (
        "this is a test set, expected responses" in after.err)),
    # Plain text has the ids of the test set; without it, the lines may be references.
    Row("convert", "--testset", "--testset {examples_testset}", where={"testset": "replies_in_lines"},
        status=(2, 0), effect=lambda *both: "test set or responses" in both[0].err
        and _rows(both[1])[0] == {"system": "lines", "id": "c001", "text": "reply 1"}),
]  # fmt: skip


def _rows(result):
    return list(map(json.loads, result.at("@t.jsonl").decode().splitlines()))


GATE = "--baseline first --fail-if-worse 0.1"

RUNS = [
    as_json("runs"),
    to_file("runs"),
    Row("runs", "--verb", "--verb audit", status=(0, 2), effect=refused_after("no run has it")),
    Row("runs", "--metric", "-m bleu", "series"),
    Row("runs", "--metric", "-m bleu -m ter", status=(0, 2), effect=refused_after("choose 'BLEU-2'")),
    Row("runs", "--system", "--system a", "series.*.system", also="-m bleu"),
    Row("runs", "--plots", "--plots {out}/p", "@", keeps="", also="-m bleu"),
    Row(
        "runs", "--freeze", "--freeze v2 3", where={"ledger": "ledger_to_freeze"},
        effect=lambda _, after: after.at("runs.*.baselines") == [["first"], [], ["v2"], []],
    ),
    # a loses 0.25, with an interval from 0.16 to 0.34; b loses 0, with one to 0.09.
    Row("runs", "--baseline", GATE, status=(0, 1), effect=lambda _, after: after.json["frozen"] == 1),
    Row(
        "runs", "--fail-if-worse", "--fail-if-worse 0.4", status=(1, 0), also=GATE,
        effect=lambda *both: [each.at("table.*.verdict")[0] for each in both] == ["worse", "not worse"],
    ),
    Row(
        "runs", "--fail-if-unsure", "--fail-if-unsure", status=(0, 1), keeps="table",
        effect=lambda *both: ["not clear" in each.err for each in both] == [False, True],
        also="--baseline first --fail-if-worse 0.2",
    ),
]  # fmt: skip

ROWS = [*LOOK, *CONVERT, *RUNS]
