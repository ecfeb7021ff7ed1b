"""Rows of the verbs on files: look and convert."""

from __future__ import annotations

import json
import re

from settings.row import Row
from settings.shared import WORDED, WORDS, as_json, columns, refused

USUAL = {
    "look": "look {testset} --json",
    "provenance": "provenance {made} --json",
    "convert": "convert {testset} -o {out}/t.jsonl --json",
}

LOOK = [
    as_json("look"),
    as_json("provenance"),
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
    # Plain text has the ids of the test set; without it, the lines are references.
    Row("convert", "--testset", "--testset {examples_testset}", where={"testset": "replies_in_lines"},
        effect=lambda *both: [each.json["kind"] for each in both] == ["test set", "responses"]
        and _rows(both[1])[0] == {"system": "lines", "id": "c001", "text": "reply 1"}),
]  # fmt: skip


def _rows(result):
    return list(map(json.loads, result.at("@t.jsonl").decode().splitlines()))


ROWS = [*LOOK, *CONVERT]
