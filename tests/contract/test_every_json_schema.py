"""What ``--json`` of every verb prints is as docs/schemas says (tests/contract/test_every_setting.py checks
the output of every option too)."""

from __future__ import annotations

import json

import pytest

from json_schemas import FOLDER, MEANINGS, described, faults, inferred, path_of, with_json
from rejoinder.cli.show.json_output import VERSION
from shared_data import EXAMPLES, SYSTEMS, TESTSET

RATINGS = str(EXAMPLES / "ratings.csv")
FEW = ["--resamples", "100", "--json"]


def test_every_verb_with_json_has_a_schema_and_no_other():
    assert {path.name for path in FOLDER.glob("*.json")} == {
        path_of(verb).name for verb in with_json()
    }


@pytest.mark.parametrize("verb", with_json())
def test_a_schema_says_the_version_and_what_keys_mean(verb):
    schema = json.loads(path_of(verb).read_text("utf-8"))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == f"rejoinder {verb} --json"
    assert described(schema, verb) == schema
    for form in schema.get("anyOf", [schema]):
        if form["type"] == "object":
            version = form["properties"]["json_version"]
            assert version == {"const": VERSION, "description": MEANINGS["json_version"]}
            assert "json_version" in form["required"]


@pytest.mark.parametrize(
    "words",
    [
        ["score", TESTSET, *SYSTEMS, "-m", "bleu", *FEW],
        ["score", TESTSET, *SYSTEMS, "-m", "bleu", "--explain", "c001", "--json"],
        ["compare", TESTSET, *SYSTEMS, "-m", "length", "--permutations", "99", *FEW],
        ["ratings", RATINGS, *FEW],
    ],
    ids=lambda words: words[0],
)
def test_what_a_verb_prints_is_as_its_schema_says(command, words):
    status, out, _ = command(*words)
    assert status == 0
    document = json.loads(out)
    if isinstance(document, dict):
        assert next(iter(document)) == "json_version"
    assert list(faults(document, json.loads(path_of(words[0]).read_text("utf-8")))) == []


SCHEMA = {
    "type": "object",
    "properties": {
        "json_version": {"const": 1},
        "rows": {
            "type": "array",
            "items": {"type": "object", "properties": {"n": {"type": "integer"}}},
        },
        "by": {"type": "object", "additionalProperties": {"type": ["null", "number"]}},
    },
    "required": ["rows"],
}


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ({"json_version": 1, "rows": [{"n": 1}], "by": {"a": None, "b": 2, "c": 0.5}}, None),
        ({"json_version": 2, "rows": []}, "$.json_version: 2 is not 1"),
        ({}, "$: no key 'rows'"),
        ([], "$: [] is not object"),
        ({"rows": [{"n": 1}, {"n": 1.5}]}, "$.rows[1].n: 1.5 is not integer"),
        ({"rows": [{"n": True}]}, "$.rows[0].n: True is not integer"),
        ({"rows": [{"m": 1}]}, "$.rows[0]: the key 'm' is not in the schema"),
        ({"rows": [], "by": {"a": "x"}}, "$.by.a: 'x' is not ['null', 'number']"),
    ],
)
def test_what_is_not_as_a_schema_says_is_found(document, fault):
    assert list(faults(document, SCHEMA)) == ([] if fault is None else [fault])


def test_a_schema_is_made_of_all_documents():
    schema = inferred(
        "x", [{"a": 1, "p": 1}, {"a": None, "p": 0.5, "b": ["s"]}, {"signatures": {"M": "s"}}]
    )
    first, second = schema["anyOf"]
    assert first["properties"]["a"] == {"type": ["integer", "null"], "description": MEANINGS["a"]}
    assert first["properties"]["p"]["type"] == ["null", "number"]
    assert first["required"] == ["a", "p"]
    assert second["properties"]["signatures"]["additionalProperties"] == {"type": "string"}
