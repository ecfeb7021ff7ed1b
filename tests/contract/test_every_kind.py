"""Every kind of file that people have, in several shapes: what is read is what a plain reader reads."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import random
import shlex
import sqlite3
import zlib
from collections import Counter
from contextlib import suppress

import pytest

import mutations
from kinds import logs_and_people, text_and_tables, tools
from kinds.kind import LARGE, WORLDS, lines, world
from rejoinder.cli.app import run
from rejoinder.errors import RejoinderError
from rejoinder.tables.notes import taking_notes
from rejoinder.tables.registry import table_of
from shared_data import shared

KINDS = [*text_and_tables.KINDS, *logs_and_people.KINDS, *tools.KINDS]
COLUMNS = {
    "responses": ("system", "id", "text"),
    "ratings": ("id", "system", "rater", "criterion", "score"),
    "preferences": ("id", "a", "b", "rater", "winner"),
    "scores": ("system", "id", "name", "value"),
}
TAKEN = [each for each in KINDS if each.status in ("taken", "with option")]
SHAPES = [
    pytest.param(
        kind,
        shape,
        name,
        id=f"{kind.name}-{shape}-{name}",
        marks=[pytest.mark.slow] if place and number else [],
    )
    for kind in TAKEN
    for place, shape in enumerate(kind.shapes)
    for number, name in enumerate(kind.worlds or WORLDS)
]
"""Each shape of five items, the first one of one item and in Chinese too; all of all with ``slow``."""


def rows_of(kind, table):
    """The rows of a table as plain readers give them, in any order."""
    if kind == "test set":
        references: dict[str, list[str]] = {}
        for id, text in table.references.select("id", "text").rows():
            references.setdefault(id, []).append(text)
        contexts = table.contexts.select("id", "context").rows()
        return sorted((id, tuple(turns), tuple(references.get(id, ()))) for id, turns in contexts)
    return sorted(table.select(COLUMNS[kind]).rows(), key=repr)


def in_order(rows):
    return sorted((tuple(row) for row in rows), key=repr)


def read(kind, path):
    """By kind of table what is read of a file, and the refusals of the others."""
    tables, refusals = {}, {}
    for what in ("test set", *COLUMNS):
        try:
            with taking_notes(quiet=True):
                tables[what] = rows_of(what, table_of(path, what, **kind.option))
        except RejoinderError as error:
            refusals[what] = str(error)
    return tables, refusals


def compare(kind, path):
    """Every table is that of the plain reader, and no other one is read."""
    expected = {what: in_order(rows) for what, rows in kind.plain(path).items()}
    tables, refusals = read(kind, path)
    for what, rows in expected.items():
        assert what in tables, refusals.get(what)
        assert in_order(tables[what]) == rows, what
    assert set(tables) <= {*expected, *kind.also}, "read as what it is not"
    return expected


def test_every_kind_is_declared_whole():
    assert not [name for name, n in Counter(each.name for each in KINDS).items() if n > 1]
    for each in KINDS:
        assert each.status == "not yet" or len(each.shapes) >= 1 + (each.status != "refused"), (
            each.name
        )
        assert (each.status == "with option") == (bool(each.option) or "--missing" in each.verb), (
            each.name
        )
        assert (each.status == "refused") == bool(each.message), each.name


BEYOND = {
    *("Label Studio with choices of words", "Label Studio with rankings", "potato 1 JSON Lines"),
    *("Phoenix spans", "Phoenix experiment", "Opik traces", "Opik experiment", "LightEval details"),
    *("Braintrust experiment", "OpenTelemetry spans", "Azure evaluation"),
    *("MLflow 3 traces", "MLflow 3 evaluation", "HELM predictions", "Every Eval Ever"),
}
"""Kinds beyond the ninety-nine that people were found to have; two of those are queries and no files."""


def rows_of_a_query(scheme, connect, path):
    """The replies that a query of a database reads."""
    with contextlib.closing(connect(str(path))) as connection:
        connection.execute("CREATE TABLE p (id TEXT, reply TEXT)")
        connection.execute("INSERT INTO p VALUES ('c1', 'Ho')")
        connection.commit()
    query = f"{scheme}:{path}?SELECT id, reply AS response FROM p"
    return rows_of("responses", table_of(query, "responses"))


def test_ninety_of_ninety_nine_kinds_are_taken_with_no_option(tmp_path):
    """The other tests hold each kind to its status; with -s this one prints how many have which."""
    counts = Counter(each.status for each in KINDS if each.name not in BEYOND)
    assert rows_of_a_query("sqlite", sqlite3.connect, tmp_path / "a.db") == [("a", "c1", "Ho")]
    counts["taken"] += 1
    try:
        import duckdb  # pyright: ignore[reportMissingImports]
    except ImportError:
        counts["not installed"] += 1
    else:
        rows = rows_of_a_query("duckdb", duckdb.connect, tmp_path / "b.db")
        counts["taken"] += rows == [("b", "c1", "Ho")]
    print(f"of {counts.total()} kinds: {dict(counts)}")
    assert counts.total() == 99
    assert counts["taken"] + counts["not installed"] >= 90


@pytest.mark.parametrize(("kind", "shape", "name"), SHAPES)
def test_a_kind_is_read_as_it_is(kind, shape, name, tmp_path):
    assert compare(kind, kind.write(shape, WORLDS[name], tmp_path))


NO_MORE_COLUMNS = {
    *(
        "CSV with a column for each system",
        "wide table with an empty cell",
        "DialoGPT TSV",
        "DSTC7",
    ),
    *("ParlAI text", "fbdialog", "GRADE", "Gradio chat lists", "WMT segment scores"),
}
"""Kinds in which a column has a meaning by its place, or that have none."""


def with_a_column(name, whole):
    """A table with an additional column of text behind the others; None where it is no table of rows."""
    if name.endswith((".csv", ".tsv")):
        mark = (
            "\t"
            if name.endswith(".tsv")
            else max(",;", key=whole.partition(b"\n")[0].decode().count)
        )
        rows = list(csv.reader(io.StringIO(whole.decode("utf-8-sig"), newline=""), delimiter=mark))
        out = io.StringIO()
        writer = csv.writer(out, delimiter=mark, lineterminator="\n")
        writer.writerows(
            [*row, "fine by me" if place else "remarks"] for place, row in enumerate(rows)
        )
        return out.getvalue().encode()
    try:
        text = whole.decode("utf-8-sig")
        lined = name.endswith(".jsonl")
        rows = [json.loads(line) for line in text.splitlines()] if lined else json.loads(text)
    except ValueError:
        return None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    rows = [{**row, "remarks": "fine by me"} for row in rows]
    return lines(rows) if lined else json.dumps(rows, ensure_ascii=False).encode()


@pytest.mark.parametrize("kind", TAKEN, ids=lambda kind: kind.name)
def test_a_mark_line_ends_a_column_more_and_an_object_around_the_rows_change_nothing(
    kind, tmp_path
):
    shape = next(iter(kind.shapes))
    path = kind.write(shape, WORLDS[(kind.worlds or ("five",))[0]], tmp_path)
    if path.is_dir() or path.suffix not in (".csv", ".tsv", ".json", ".jsonl", ".txt"):
        return
    whole = path.read_bytes()
    expected = {what: in_order(rows) for what, rows in kind.plain(path).items()}
    marked = whole if b"\r" in whole else whole.replace(b"\n", b"\r\n")
    others = [b"\xef\xbb\xbf" + marked.removeprefix(b"\xef\xbb\xbf")]
    if kind.name not in NO_MORE_COLUMNS and (wider := with_a_column(path.name, whole)):
        others.append(wider)
    if path.suffix == ".json" and whole.startswith(b"[\n {"):
        others.append(b'{"page": 1, "results": %s, "accuracy": 0.5}' % whole)
    for other in others:
        path.write_bytes(other)
        tables, refusals = read(kind, path)
        for what, rows in expected.items():
            assert what in tables, refusals.get(what)
            assert in_order(tables[what]) == rows, what


NUMBERED = {"ratings": 4, "scores": 3}
"""By kind of table with numbers the place of the number in a row."""
CHANGED = [each for each in TAKEN if each.samples or each.status == "taken"]


def numbers_of(rows, place):
    """By the key of a row its numbers."""
    found = {}
    for row in rows:
        key = (*row[:place], *row[place + 1 :])
        number = None if row[place] is None else float(row[place])
        found.setdefault(key, set()).add(None if number != number else number)  # NaN is missing
    return found


def changed_files(kind, times, folder):
    """Files of a kind after changes of their structure, where they are of JSON or of cells."""
    draw = random.Random(zlib.crc32(kind.name.encode()))
    for shape in kind.shapes:
        path = kind.write(shape, WORLDS[(kind.worlds or ("five",))[0]], folder / shape)
        if path.is_dir() or path.suffix not in (".json", ".jsonl", ".csv", ".tsv"):
            continue
        whole = path.read_bytes()
        try:
            tree = mutations.parsed(path.name, whole)
        except ValueError:  # JSON Lines called .json, a byte-order mark
            continue
        for _ in range(times):
            with suppress(Exception):  # what cannot be changed or written so is drawn anew
                changed, done = mutations.mutated(draw, tree)
                path.write_bytes(mutations.written(path.name, changed, whole))
                yield path, done


def same_numbers(kind, times, folder):
    """Where a changed file is read, each number is the plain reader's; returns how many were compared."""
    compared = 0
    for path, done in changed_files(kind, times, folder):
        tables, _ = read(kind, path)
        try:
            expected = kind.plain(path)
        except Exception:  # it is not of the kind any more, and a plain reader says nothing of it
            continue
        for what, place in NUMBERED.items():
            if what not in tables or what not in expected:
                continue
            try:
                theirs = numbers_of(expected[what], place)
            except TypeError:  # a plain reader that returns lists and objects
                continue
            for key, numbers in numbers_of(tables[what], place).items():
                compared += 1
                assert key not in theirs or numbers <= theirs[key], (
                    key,
                    done,
                    path.read_bytes()[:2000],
                )
    return compared


@pytest.mark.parametrize("kind", CHANGED, ids=lambda kind: kind.name)
def test_a_changed_file_has_the_numbers_of_the_plain_reader(kind, tmp_path):
    same_numbers(kind, 1, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", CHANGED, ids=lambda kind: kind.name)
def test_many_changed_files_have_the_numbers_of_the_plain_reader(kind, tmp_path):
    same_numbers(kind, 300, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", TAKEN, ids=lambda kind: kind.name)
def test_a_large_file_of_a_kind_is_read_as_it_is(kind, tmp_path):
    for number, shape in enumerate(kind.shapes):
        assert compare(kind, kind.write(shape, world(LARGE), tmp_path / str(number)))


@pytest.mark.parametrize("kind", TAKEN, ids=lambda kind: kind.name)
def test_the_verb_that_people_would_take_works(kind, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    talks = WORLDS[(kind.worlds or ("five",))[0]]
    path = kind.write(next(iter(kind.shapes)), talks, tmp_path)
    items = [{"id": t.id, "context": t.context, "references": t.references} for t in talks]
    (tmp_path / "testset.jsonl").write_bytes(lines(items))
    words = [
        {"FILE": str(path), "TESTSET": "testset.jsonl"}.get(w, w) for w in shlex.split(kind.verb)
    ]
    assert run(words) == 0, capsys.readouterr().err
    assert run(["look", str(path)]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    "kind", [each for each in KINDS if each.status == "refused"], ids=lambda kind: kind.name
)
def test_a_refusal_says_a_way_that_works(kind, tmp_path):
    for shape in kind.shapes:
        tables, refusals = read(kind, kind.write(shape, WORLDS["five"], tmp_path))
        assert not tables
        assert any(kind.message in message for message in refusals.values()), refusals


@pytest.mark.parametrize(
    "kind", [each for each in KINDS if each.samples], ids=lambda kind: kind.name
)
def test_a_sample_of_a_kind_is_read_as_it_is(kind):
    for sample in kind.samples:
        path = shared("data", "kinds", sample)
        if kind.status == "refused":
            assert not read(kind, path)[0]
        elif kind.status != "not yet":
            assert compare(kind, path)
