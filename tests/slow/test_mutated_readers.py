"""Every reader on files whose structure is changed: one message, or a table of what is in the file.

What is read is compared with the file itself, by an independent reader that knows one thing of a format:
what a record of it is (a row, a line, a sample). Every row of the table must be of one record: its id,
its system and its text or number stand there together. And no record is lost, unless a note says so.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import json
import logging
import os
import random
import re
import shutil
import zlib
from functools import partial
from typing import NamedTuple

import pytest

import mutations
import rejoinder
from format_examples import IDS, examples, inspect_log, write
from rejoinder.errors import RejoinderError

MUTATIONS = int(os.environ.get("REJOINDER_MUTATIONS", "500"))
READ = {
    "testset": rejoinder.read_testset,
    "responses": rejoinder.read_responses,
    "ratings": rejoinder.read_ratings,
    "scores": rejoinder.read_scores,
}
OF_PLACE = {
    "text", "chat", "chat-turns", "dailydialog", "dailydialog-multiref",
    "dailydialog++", "grade", "wmt", "wmt-scores", "qualtrics", "mturk", "parlai", "fbdialog", "dialogpt",
    "parlai-worlds", "gradio-chatbot", "dpo", "usr", "gradio-likes", "google-forms",
}  # fmt: skip
"""The formats whose ids are places, or made of several values."""
COUNTED = {"deepeval"}
"""The formats whose samples are called by their places where they have no names."""
COUNTED_FROM_1 = {"mlflow", "ragas", "vertex-batch", "lighteval", "azure-evaluation"}
"""The exports whose rows are numbered where they have no ids."""
LEFT_OUT = re.compile(
    r"left out|not read|no reply|without|not a number|numbered from|not finished|missing|is read|no text"
    r"|belong|cannot be|no item|approved|no rating|skipped|not of"
)


def log_of_inspect():
    """An archive of a log, whose samples are files in it."""
    head = json.loads(inspect_log())
    samples = {f"samples/{each['id']}_epoch_1.json": each for each in head.pop("samples")}
    return mutations.written("log.eval", {"header.json": head, **samples})


EXAMPLES = [
    pytest.param(*each, id="-".join(each[:3]))
    for each in (
        *examples(),
        *(
            (role, "inspect", "log.eval", log_of_inspect())
            for role in ("testset", "responses", "scores")
        ),
    )
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(("role", "form", "name", "content"), EXAMPLES)
def test_a_changed_structure_is_one_message_or_what_the_file_holds(
    role, form, name, content, tmp_path, caplog, record_property
):
    ids = {"ids": IDS} if (role, form) == ("responses", "text") else {}
    read = partial(READ[role], format=form, **ids)
    draw = random.Random(zlib.crc32(f"{role} {form} {name}".encode()))
    tree = mutations.parsed(name, content)
    counts = collections.Counter()
    while counts.total() < MUTATIONS:
        changed, done = mutations.mutated(draw, tree)
        folder = tmp_path / str(counts.total())
        folder.mkdir()
        try:
            data = mutations.written(name, changed, content)
            write(folder / name, data)
        except Exception:  # what cannot be written as such a file is drawn anew
            shutil.rmtree(folder)
            continue
        case = f"the reader '{form}' of {role}, after {', '.join(done)}: {data!r}"[:3000]
        caplog.clear()
        try:
            result, message = read(folder / name), None
        except RejoinderError as error:
            result, message = None, str(error)
        except Exception as error:
            error.add_note(case)
            raise
        counts["refused" if message else "read"] += 1
        shutil.rmtree(folder)
        if message is not None:
            assert message, case
            assert "\n" not in message, case
            assert len(message) < 1500, case
            continue
        notes = [
            record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING
        ]
        rows = rows_of(role, form, result)
        records = list(records_of(form, mutations.parsed(name, data)))
        assert_same(form, rows, records, [*notes, *getattr(result, "notes", ())], case)
    record_property("counts", dict(counts))
    assert counts["read"] > MUTATIONS // 10
    assert counts["refused"] > 0 or form == "text"


def rows_of(role, form, result):
    """By row of a table what must stand together in a record: the id, a value, the system."""
    if role == "testset":
        turns = [
            (id, turn)
            for id, said in result.contexts.select("id", "context").rows()
            for turn in said
        ]
        references = result.references.select("id", "text").rows()
        return [*references, *turns, *((id,) for id in result.ids)]
    value = {"responses": "text", "ratings": "score", "scores": "value"}[role]
    systems = ["system"] if form in WITH_SYSTEMS else []
    rows = result.select("id", value, *systems).rows()
    return [tuple(each for each in row if each is not None) for row in rows]


def assert_same(form, rows, records, notes, case):
    """Every row is of a record, and every record has a row or a note."""
    leaves = [forms_of(record) for record in records]
    held = collections.defaultdict(set)
    for number, each in enumerate(leaves):
        for leaf in each:
            held[leaf].add(number)
        if form in COUNTED:
            held[norm(number)].add(number)
        if form in COUNTED_FROM_1:
            held[norm(number + 1)].add(number)
        if form == "moses":
            held[records[number]["item"]].add(number)
    for of in cases_of(form, records):
        for name in of.names:
            held[name] |= of.numbers
    # The ids of a table that has none are numbers, which reading its test set notes.
    places = form in OF_PLACE or (
        form in ("json", "xlsx") and any(norm(id) not in held for id, *_ in rows)
    )
    used = set()
    for id, *values in rows:
        parts = [*values] if places else [id, *values]
        if form in WITH_SYSTEMS and len(values) > 1 and norm(values[-1]) not in held:
            parts.pop()  # no column of systems: the file is called like it
        of = set.intersection(set(range(len(records))), *(held[norm(part)] for part in parts))
        assert of, f"{(id, *values)} stands in no record; {case}"
        used |= of
    if not any(LEFT_OUT.search(note) for note in notes):
        lost = [records[number] for number in range(len(records)) if number not in used]
        whole = collections.Counter(map(filled, records)).most_common(1)[0][0]
        lost = [each for each in lost if filled(each) >= whole]
        if form == "deepeval":  # a case without metrics has no score
            lost = [each for each in lost if each.get("metricsData")]
        assert not lost, f"lost without a note: {lost[:3]}; notes {notes}; {case}"


class Results(NamedTuple):
    """Results of promptfoo that have the variables and the assertions of one test.

    Args:
        names: How the test may be called: the places that the results name, else its own among all tests.
        numbers: Which of the records they are.
    """

    names: set[str]
    numbers: set[int]


def cases_of(form, records):
    tests = {}
    for number, row in enumerate(records if form == "promptfoo" else ()):
        case = row.get("testCase") or {}
        place = row.get("testIdx", number if "outputs" in row else None)
        key = [row.get("vars") or place, case.get("assert"), case.get("description")]
        new = Results({norm(len(tests))} if place is None else set(), set())
        test = tests.setdefault(json.dumps(key, sort_keys=True), new)
        test.numbers.add(number)
        if place is not None:
            test.names.add(norm(place))
    return tests.values()


def filled(value):
    """How many texts and numbers are in a record; what lacks one may be no reply, or no rating."""
    if isinstance(value, dict | list):
        return sum(map(filled, value.values() if isinstance(value, dict) else value))
    return value is not None and bool(str(value).strip())


def norm(value):
    """One form of a text or number: a number is that of its value."""
    if isinstance(value, bool):
        return repr(float(value))
    try:
        return repr(float(value))
    except (TypeError, ValueError, OverflowError):
        return str(value).strip()


def forms_of(value):
    """All texts and numbers in a record, in the forms in which a table may hold them."""
    found = set() if value or value == 0 else {""}
    if isinstance(value, dict):
        for key, each in value.items():
            found |= {norm(key), str(key).strip()} | forms_of(each)
    elif isinstance(value, list):
        for each in value:
            found |= forms_of(each)
        if all(isinstance(each, dict) for each in value):  # the parts of a message
            found.add("".join(str(each.get("text", "")) for each in value).strip())
    if isinstance(value, dict | list):
        found.add(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
        found.add(str(value))
        return found
    if isinstance(value, bool):
        found |= {str(value), str(value).lower()}
    found.add(norm(value))
    if isinstance(value, str):
        cells = re.split(r"__eou__|\|\|\|+|\t|\n|__| \| |:::", value)
        found |= {norm(cell) for cell in cells}
        bare = [
            re.sub(r"^(?:[01]\.\d+ |\w+:|\d+ )", "", cell) for cell in cells
        ]  # without weight, name, number
        found |= {
            norm(part)
            for cell in bare
            for part in (cell, *re.split(r"\|| EOS (?:[01]\.\d+ )?", cell))
        }
        found |= {norm(part) for part in value.replace("\t", " EOS ").split(" EOS ")}
        with_json = value.strip()
        if with_json[:1] in ("[", "{", '"'):
            for decode in (json.loads, ast.literal_eval):  # what Python prints, too
                with contextlib.suppress(ValueError, SyntaxError, TypeError):
                    found |= forms_of(decode(with_json))
        number = {
            "C": 1,
            "I": 0,
            "P": 0.5,
            "N": 0,
            "yes": 1,
            "true": 1,
            "no": 0,
            "false": 0,
            "pass": 1,
            "fail": 0,
        }
        if value in number or value.lower() in number:
            found.add(norm(number.get(value, number.get(value.lower()))))
    return found


def records_of(form, tree):
    """What each row of the table is of: a row, a line, a sample; the whole file where rows are of several."""
    if form in WHOLE or not isinstance(tree, dict | list):
        return [tree]
    if form == "moses":
        return [candidate(line) for line in tree if line.strip()]
    if form == "study":
        return list(judgements_of(tree))
    if form in GROUPED:
        return list(grouped(tree).values())
    if form in KEYS and isinstance(tree, dict):
        for key in KEYS[form]:
            tree = tree[key] if isinstance(tree, dict) and key in tree else tree
        if isinstance(tree, list):
            return tree
    if form == "deepeval" and isinstance(tree, dict):
        return [*(tree.get("testCases") or ()), *(tree.get("conversationalTestCases") or ())]
    if isinstance(tree, dict) and any(name.startswith("samples/") for name in tree):
        return [each for name, each in tree.items() if name.startswith("samples/")]
    if isinstance(tree, dict):
        return of_columns(tree)
    if tree and all(
        isinstance(row, list) for row in tree
    ):  # a table of cells: all columns, and a line
        header, *lines = [row for row in tree if any(map(mutations.text, row))] or [[]]
        if (
            form == "promptfoo"
        ):  # the variables stand before the outputs, whose names are in brackets
            of = next((k for k, name in enumerate(header) if name.startswith("[")), len(header))
            return [{"vars": line[:of], "outputs": line[of:], "names": header} for line in lines]
        return [[*header, *line] for line in lines]
    return tree


def candidate(line):
    """A line of an n-best list: lists are numbered from 0, items from 1; what others alone have is 0."""
    number = line.partition("|||")[0].strip()
    item = norm(int(number) + 1) if number.isdecimal() else None
    return {"item": item, "fields": line.split("|||"), "words": [*line.split(), 0]}


def judgements_of(tree):
    """Each last answer with its assignment, its question and its rater, where all of them are there."""
    tables = {
        name: {norm(row.get("id")): row for row in tree.get(name, ())}
        for name in ("question", "rater", "assignment")
    }
    for answer in tree.get("answer", ()):
        assignment = tables["assignment"].get(norm(answer.get("assignment")), {})
        others = [tables[name].get(norm(assignment.get(name))) for name in ("question", "rater")]
        if assignment.get("revisions", 0) == answer.get("revision") and all(others):
            yield {"answer": answer, "assignment": assignment, "others": others}


def grouped(tree):
    """By item its events, scores and states, which stand in several rows or files."""
    files, items = (
        tree.values() if isinstance(tree, dict) else [tree],
        collections.defaultdict(list),
    )
    for file in files:
        rows = file.get("request_states") if isinstance(file, dict) else file
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict):
                instance = row.get("instance")
                names = (
                    row.get("sample_id"),
                    row.get("instance_id"),
                    isinstance(instance, dict) and instance.get("id"),
                )
                items[norm(next((name for name in names if name), None))].append(row)
    return items


def of_columns(tree):
    """The rows of an object of columns, or of rows below a name; else the whole."""
    names = "data rows records items examples samples results runs traces calls content predictions"
    for name in names.split():
        if isinstance(tree.get(name), list) and all(isinstance(row, dict) for row in tree[name]):
            return tree[name]
    columns = list(tree.values())
    if (
        columns
        and all(isinstance(column, list) for column in columns)
        and len(set(map(len, columns))) == 1
    ):
        return [[*tree, *row] for row in zip(*columns, strict=True)]
    return [tree]


WHOLE = {
    "dailydialog",
    "dailydialog-multiref",
    "wmt",
    "grade",
    "potato",
    "qualtrics",
    "wmt-scores",
    "dstc7",
    "parlai",
    "fbdialog",
    "dialogpt",
    "gradio-chatbot",
    "google-forms",
}
"""The formats of which one row of a table is of several places of a file."""
WITH_SYSTEMS = {
    "jsonl", "json", "csv", "tsv", "xlsx", "parquet", "datasets", "mturk", "label-studio", "label-studio-min",
    "argilla", "batch-output",
}  # fmt: skip
"""The formats of which a record names its system, or has it as the name of a column."""
GROUPED = {"helm", "openai-evals", "every-eval-ever"}
"""The formats in which several rows are of one reply."""
KEYS = {"mlflow": ("data",), "promptfoo": ("results", "results"), "inspect": ("samples",)}
