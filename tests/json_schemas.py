"""The JSON schemas of what ``--json`` prints, in docs/schemas, and a check of a document against one.

``python json_schemas.py`` (in this folder) runs the commands of the table of settings, takes from their
outputs which keys there are and what they hold, and writes the schemas anew. It takes minutes.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

import click

from command_line import commands, verbs
from rejoinder.cli.show.json_output import VERSION
from rejoinder.document.meanings import BESIDE, MEANINGS, meaning_of

FOLDER = Path(__file__).parents[1] / "docs" / "schemas"

OF_NAMES = {"signatures", "counts", "absent", "columns", "names", "groups", "preferred", "failed"}
"""Keys of objects whose own keys are names of the data."""

OPEN = {"parts", "likeness", "settings", "parameters", "grid", "meanings", "weights", "bounds"}
"""Keys of objects that depend on a metric or on what is trained."""

NULLABLE = {
    "sources", "source", "reason", "file", "best", "cluster", "written", "content", "now", "role", "verdict",
    "identity", "within_reason", "gap_reason", "fault",
}  # fmt: skip
"""Keys whose texts may be null."""

OF_DATA = {"": {"topic"}, "trials": {"dropout"}}
"""Columns of the examples, of any table and by table: other data and other grids have others instead."""

TABLES = {
    "audit": "auditing.audit_tables",
    "compare": "scoring.compare_tables",
    "correlate": "meta_evaluation.correlate_tables",
    "explain-diff": "scoring.explain_diff_tables",
    "judge": "meta_evaluation.judge_tables",
    "plan": "planning.plan_tables",
    "recipe galley2015": "recipes.galley2015.study_tables",
    "recipe khayrallah2021": "recipes.khayrallah2021.study_tables",
    "recipe negative-references": "recipes.negative_references.study_tables",
    "recipe references": "recipes.references.study_tables",
    "recipe systems2015": "recipes.systems2015.study_tables",
    "recipe tao2018": "recipes.tao2018.study_tables",
    "score": "scoring.compare_tables",
    "sweep": "tuning.sweep_tables",
    "variety": "diversity.variety_tables",
}
"""By verb the module whose tables say what their columns hold."""

NAME = re.compile(r"[a-z][a-z0-9_]*")
TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}


def path_of(verb: str) -> Path:
    """The file of a verb's schema."""
    return FOLDER / f"{verb.replace(' ', '-')}.json"


def with_json() -> list[str]:
    """The verbs that have ``--json``."""
    return [
        verb
        for verb in verbs()
        if any(
            "--json" in each.opts
            for each in commands()[verb].params
            if isinstance(each, click.Option)
        )
    ]


def inferred(verb: str, documents: list[Any]) -> dict[str, Any]:
    """The schema of all documents of a verb: one form for each first key."""
    forms: dict[str, list[Any]] = {}
    for each in documents:
        keys = [key for key in each if key != "json_version"] if isinstance(each, dict) else [""]
        forms.setdefault(keys[0], []).append(each)
    schemas = [_of(each, "") for _, each in sorted(forms.items())]
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"rejoinder {verb} --json",
    }
    return head | (schemas[0] if len(schemas) == 1 else {"anyOf": schemas})


def _of(values: list[Any], key: str) -> dict[str, Any]:
    types = {TYPES[type(each)] for each in values if type(each) in TYPES}
    objects = [each for each in values if isinstance(each, dict)]
    lists = [each for each in values if isinstance(each, list)]
    if "number" in types or ("integer" in types and key in MEANINGS and "p-value" in MEANINGS[key]):
        types = types - {"integer"} | {"number", "null"}
    types |= {"null", "string"} if key in NULLABLE and types <= {"null", "string"} else set()
    if types == {"null"} and not objects and not lists:
        return {}  # what else it may be is not known here
    types |= {"object"} if objects else set()
    types |= {"array"} if lists else set()
    schema: dict[str, Any] = {"type": next(iter(types)) if len(types) == 1 else sorted(types)}
    if objects and key not in OPEN:
        schema |= _of_objects(objects, key)
    if lists:
        items = [each for one in lists for each in one]
        schema |= {"items": _of(items, key)} if items else {}
    return schema


def _of_objects(objects: list[dict[str, Any]], key: str) -> dict[str, Any]:
    names = list(dict.fromkeys(name for each in objects for name in each))
    if key in OF_NAMES or not all(map(NAME.fullmatch, names)):
        held = [value for each in objects for value in each.values()]
        return {"additionalProperties": _of(held, "")} if held else {}
    properties = {}
    of_data = OF_DATA[""] | OF_DATA.get(key, set())
    for name in (each for each in names if each not in of_data):
        properties[name] = _of([each[name] for each in objects if name in each], name)
        if name in MEANINGS:
            properties[name] |= {"description": MEANINGS[name]}
    properties |= (
        {"json_version": {"const": VERSION, "description": MEANINGS["json_version"]}}
        if ("json_version" in properties)
        else {}
    )
    required = [name for name in properties if all(name in each for each in objects)]
    others = {"additionalProperties": True} if of_data & set(names) else {}
    return {"properties": properties, "required": required} | others


ENDS = tuple(f"_{end}" for end in BESIDE)


def described(schema: Any, verb: str) -> Any:
    """A schema whose keys say what they hold, as the columns of the verb's tables do."""
    own = import_module(f"rejoinder.{TABLES[verb]}").MEANINGS if verb in TABLES else {}

    def of(each: Any) -> Any:
        if isinstance(each, list):
            return [of(one) for one in each]
        if not isinstance(each, dict):
            return each
        found = {name: of(one) for name, one in each.items()}
        properties = found.get("properties", {})
        for name, one in properties.items():
            value = name.rpartition("_")[0]  # of auc_low it is auc, if there is one
            if name in own or name in MEANINGS or (value in properties and name.endswith(ENDS)):
                one.setdefault("description", meaning_of(name, own))
        return found

    return of(schema)


def faults(value: Any, schema: Mapping[str, Any], path: str = "$") -> Iterator[str]:
    """Where a document is not as its schema says; a key that the schema does not name is a fault too.

    Knows the words that the schemas here have: type, const, properties, required, items,
    additionalProperties, anyOf.
    """
    if "anyOf" in schema:
        tried = [list(faults(value, each, path)) for each in schema["anyOf"]]
        yield from min(tried, key=len)
        return
    if "const" in schema and value != schema["const"]:
        yield f"{path}: {value!r} is not {schema['const']!r}"
    if "type" in schema and not _is_of(value, schema["type"]):
        yield f"{path}: {value!r:.60} is not {schema['type']}"
        return
    if isinstance(value, list):
        for place, each in enumerate(value):
            yield from faults(each, schema.get("items", {}), f"{path}[{place}]")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        is_open = not {"properties", "additionalProperties"} & set(schema)
        yield from (
            f"{path}: no key {name!r}" for name in schema.get("required", ()) if name not in value
        )
        for name, each in value.items():
            of = known.get(name, schema.get("additionalProperties"))
            if of is True:
                continue
            if of is None:
                if not is_open:
                    yield f"{path}: the key {name!r} is not in the schema"
            else:
                yield from faults(each, of, f"{path}.{name}")


def _is_of(value: Any, types: str | list[str]) -> bool:
    names = [types] if isinstance(types, str) else types
    if isinstance(value, dict):
        return "object" in names
    if isinstance(value, list):
        return "array" in names
    name = TYPES[type(value)]
    return name in names or (name == "integer" and "number" in names)


FORMS = {"ruq": ("--by", "--fail-above", "--cluster"), "train responder": ("--kind",)}
"""Options of these verbs that change the form of their output."""

ONCE = (
    "ruq",
    "train ruber",
    "train responder",
    "train vectors",
    "respond",
    "sweep",
    "recipe khayrallah2021",
    "recipe systems2015",
)
"""Verbs that take long, and whose output has the same keys under all options but those of `FORMS`."""


def documents(folder: Path, wanted: Iterable[str]) -> Iterator[tuple[str, list[Any]]]:
    """By verb what the commands of the table of settings print as JSON."""
    from rejoinder.cli.terminal import progress
    from rejoinder.recipes.khayrallah2021 import study as khayrallah2021
    from settings import ROWS, USUAL, recipes
    from settings.row import Commands
    from settings.world import World

    progress.PATIENCE = 1e6
    (folder / "given").mkdir()
    (folder / "made").mkdir()
    ran = Commands(USUAL, World(folder / "given"), folder / "made")
    with mock.patch.object(khayrallah2021, "settings", recipes.sizes):
        for verb in wanted:
            rows = [row for row in ROWS if row.verb == verb and not row.slow]
            results = [ran.of(USUAL[verb])]
            few = [row for row in rows if row.option in FORMS.get(verb, ())]
            for row in few if verb in ONCE else rows:
                results += ran.both(row)
            yield verb, [each.json for each in results if is_json(each.out)]


def is_json(text: str) -> bool:
    """Whether a command printed JSON."""
    return text.startswith(("{", "[")) and text.rstrip().endswith(("}", "]"))


def main(only: Sequence[str]) -> None:
    """Writes the schemas; of these verbs alone where some are named."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for verb, each in documents(Path(folder), only or with_json()):
            print(verb, file=sys.stderr, flush=True)
            write(verb, inferred(verb, each))


def write(verb: str, schema: Any) -> None:
    """Writes the schema of a verb."""
    text = json.dumps(described(schema, verb), indent=1, ensure_ascii=False)
    path_of(verb).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
