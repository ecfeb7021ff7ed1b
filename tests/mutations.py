"""Files whose structure is changed, not their bytes: what is in them stays JSON, a table, an archive."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import sqlite3
import tempfile
import zipfile
from copy import deepcopy

import openpyxl
import polars as pl
import pyarrow as pa

from fuzzing import saved_to_disk
from rejoinder.files.checked_tables import add_checksum

TEXTS = [
    "", " ", "x", "0", "-1", "3", "2.5", "1e999", "NaN", "null", "true", "[]", '["a", "b"]', "{}", "=1+1",
    "a\tb", 'say "x"', "é\u2028", "\u200b", "a" * 300, "1", "c1", "{{x}}", "🙂",
]  # fmt: skip
NUMBERS = [0, 1, -1, 3, 7, 2.5, -0.5, 1e308, 2**53 + 1, 2**63, 10**30, True, False]


def places(tree, path=()):
    """The path of every node below the root."""
    found = []
    children = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, child in children:
        found.append((*path, key))
        if isinstance(child, dict | list):
            found += places(child, (*path, key))
    return found


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def mutated(draw, tree):
    """A copy after one to three changes, and what they were."""
    tree, done = deepcopy(tree), []
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        paths = places(tree)
        if not paths:
            break
        # Short paths are few: rows and members are changed as often as what is deep in them.
        depth = draw.choice(sorted({len(path) for path in paths}))
        path = draw.choice([path for path in paths if len(path) == depth])
        change = draw.choice(CHANGES)
        change(draw, at(tree, path[:-1]), path[-1], tree, paths)
        done.append(f"{change.__name__} {'/'.join(map(str, path))}")
    return tree, done


def drop(draw, parent, key, tree, paths):
    del parent[key]


def double(draw, parent, key, tree, paths):
    if isinstance(parent, list):
        parent.insert(key, deepcopy(parent[key]))
    else:
        parent[f"{key}{draw.choice(('2', ' ', '_1', '.x'))}"] = deepcopy(parent[key])


def retype(draw, parent, key, tree, paths):
    value = parent[key]
    if isinstance(value, dict | list):
        values = (
            list(value.values()) if isinstance(value, dict) else dict(enumerate(map(str, value)))
        )
        parent[key] = draw.choice((json.dumps(value), values, len(value), True, str(value)))
    elif isinstance(value, str):
        number = value.strip().isdecimal()
        parent[key] = draw.choice(
            ([value], {"value": value}, int(value) if number else 7, True, value.split())
        )
    else:
        parent[key] = draw.choice(
            ([value], {"value": value}, str(value), f" {value}", f"{value}.0")
        )


def nest(draw, parent, key, tree, paths):
    value = parent[key]
    parent[key] = draw.choice(
        ([value], [[value]], {"text": value}, [value, value], {"data": [value]})
    )


def unnest(draw, parent, key, tree, paths):
    value = parent[key]
    if isinstance(value, list) and value:
        parent[key] = value[0]
    elif isinstance(value, dict) and value:
        parent[key] = next(iter(value.values()))


def reorder(draw, parent, key, tree, paths):
    if isinstance(parent, list):
        draw.shuffle(parent)
    else:
        items = list(parent.items())
        draw.shuffle(items)
        parent.clear()
        parent.update(items)


def void(draw, parent, key, tree, paths):
    parent[key] = draw.choice((None, None, "", [], {}, " ", [None]))


def rename(draw, parent, key, tree, paths):
    if isinstance(parent, dict):
        others = [path[-1] for path in paths if isinstance(path[-1], str)]
        new = draw.choice(
            (key.upper(), f"{key}_", f" {key}", "", draw.choice(others), "text", "id")
        )
        items = [(new if name == key else name, value) for name, value in parent.items()]
        parent.clear()
        parent.update(items)
    else:
        parent[key] = draw.choice(TEXTS)


def swap(draw, parent, key, tree, paths):
    value, other = parent[key], draw.choice(paths)
    here = at(tree, other[:-1])
    if isinstance(value, dict | list) or isinstance(here[other[-1]], dict | list):
        return rename(draw, parent, key, tree, paths)
    parent[key], here[other[-1]] = here[other[-1]], value
    return None


def extra(draw, parent, key, tree, paths):
    copy = deepcopy(parent[key])
    if isinstance(copy, dict | list) and (inside := places(copy)):
        path = draw.choice(inside)
        change(draw, at(copy, path[:-1]), path[-1], copy, inside)
    if isinstance(parent, list):
        parent.append(copy)
    else:
        parent["further"] = copy


def change(draw, parent, key, tree, paths):
    value = parent[key]
    pool = NUMBERS if isinstance(value, int | float) and draw.random() < 0.8 else TEXTS
    if not isinstance(value, dict | list):
        parent[key] = draw.choice(pool)


CHANGES = [
    drop, double, retype, nest, unnest, reorder, void, rename, swap, extra, change, change,
]  # fmt: skip


# Files as trees of dictionaries, lists and plain values, and back. What writes is forgiving: a cell that
# became a list is its JSON.


def text(value):
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def cells(row):
    return [text(cell) for cell in (row if isinstance(row, list) else [row])]


def grid(tree):
    return [cells(row) for row in (tree if isinstance(tree, list) else [tree])]


def _csv(tree):
    data = io.StringIO()
    csv.writer(data, lineterminator="\n").writerows(grid(tree))
    return data.getvalue().encode()


def _flat(cell):
    return cell.replace("\t", " ").replace("\n", " ").replace("\r", " ")


def _line(text):
    return text.replace("\n", " ").replace("\r", " ")


def _tsv(tree):
    return "".join("\t".join(map(_flat, row)) + "\n" for row in grid(tree)).encode()


def _lines(tree):
    return "".join(
        _line(text(line)) + "\n" for line in (tree if isinstance(tree, list) else [tree])
    ).encode()


def _read_workbook(data):
    return [
        list(row)
        for row in openpyxl.load_workbook(io.BytesIO(data)).active.iter_rows(values_only=True)
    ]


def _workbook(tree):
    book, data = openpyxl.Workbook(), io.BytesIO()
    for row in tree if isinstance(tree, list) else [tree]:
        row = row if isinstance(row, list) else [row]
        book.active.append(
            [each if isinstance(each, int | float | str | None) else text(each) for each in row]
        )
    for row in book.active.iter_rows():
        for cell in row:
            if cell.data_type == "f":
                cell.data_type = "s"
    book.save(data)
    return data.getvalue()


def frame_of(tree):
    """A frame of the rows; its columns have the types that most of their values have."""
    rows = [row for row in (tree if isinstance(tree, list) else [tree]) if isinstance(row, dict)]
    return pl.DataFrame(rows, strict=False, infer_schema_length=None)


def _parquet(tree):
    data = io.BytesIO()
    frame_of(tree).write_parquet(data)
    return data.getvalue()


def _json_lines(tree):
    rows = tree if isinstance(tree, list) else [tree]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _archive(tree):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (tree if isinstance(tree, dict) else {"a": tree}).items():
            archive.writestr(str(name) or "a", written(str(name), content))
    return data.getvalue()


def _read_archive(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: parsed(name, archive.read(name)) for name in archive.namelist()}


def _opened(folder, data):
    """A connection to a copy of a study."""
    path = os.path.join(folder, "copy.sqlite")
    with open(path, "wb") as file:
        file.write(data)
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    add_checksum(connection)
    return path, connection


STUDY = ("question", "rater", "assignment", "answer")


def _read_study(data):
    """The rows of the tables of which a judgement is made, their JSON as trees, without checksums."""
    tables = {}
    with tempfile.TemporaryDirectory() as folder:
        _, connection = _opened(folder, data)
        for table in STUDY:
            rows = connection.execute(f"SELECT * FROM {table}").fetchall()
            tables[table] = [
                {name: _cell(value) for name, value in dict(row).items() if name != "checksum"}
                for row in rows
            ]
        connection.close()
    return tables


def _cell(value):
    if isinstance(value, bytes):
        return value.hex()
    with contextlib.suppress(ValueError, TypeError):
        tree = json.loads(value)
        return tree if isinstance(tree, dict | list) else value
    return value


def _study(tree, like):
    """The study with these rows, whose checksums and counts are right."""
    with tempfile.TemporaryDirectory() as folder:
        path, connection = _opened(folder, like)
        with contextlib.closing(connection):
            for table in reversed(STUDY):
                connection.execute(f"DELETE FROM {table}")
                connection.execute("UPDATE row_count SET number = 0 WHERE name = ?", (table,))
            for table, rows in tree.items():
                for row in rows:
                    values = [
                        json.dumps(each) if isinstance(each, dict | list) else each
                        for each in row.values()
                    ]
                    marks = ", ".join("?" * len(row))
                    connection.execute(
                        f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", values
                    )
            connection.commit()
        with open(path, "rb") as file:
            return file.read()


CODECS = {
    "json": (json.loads, lambda tree: json.dumps(tree, ensure_ascii=False).encode()),
    "jsonl": (
        lambda data: [json.loads(line) for line in data.decode().split("\n") if line],
        _json_lines,
    ),
    "csv": (lambda data: list(csv.reader(io.StringIO(data.decode(), newline=""))), _csv),
    "tsv": (lambda data: [line.split("\t") for line in data.decode().split("\n")[:-1]], _tsv),
    "xlsx": (_read_workbook, _workbook),
    "parquet": (lambda data: pl.read_parquet(io.BytesIO(data)).to_dicts(), _parquet),
    "zip": (_read_archive, _archive),
    "eval": (_read_archive, _archive),
    "lines": (lambda data: data.decode().split("\n")[:-1], _lines),
    "bytes": (lambda data: data.decode(), lambda tree: text(tree).encode()),
    "sqlite": (_read_study, _study),
}
"""By suffix: bytes to a tree, and back."""
_KINDS = {"txt": "lines", "score": "tsv", "docs": "tsv", "yaml": "bytes"}


def _codec(name):
    suffix = name.rpartition(".")[2]
    return CODECS[suffix if suffix in CODECS else _KINDS.get(suffix, "lines")]


def is_saved_to_disk(content):
    return isinstance(content, dict) and "state.json" in content


def parsed(name, content):
    """The tree of a file, or of a folder by the names in it."""
    if is_saved_to_disk(content):
        name = next(each for each in content if each.endswith(".arrow"))
        return pl.from_arrow(pa.ipc.open_stream(content[name]).read_all()).to_dicts()
    if isinstance(content, dict):
        return {each: parsed(each, data) for each, data in content.items()}
    if _codec(name) is CODECS["lines"]:  # perhaps a file of JSON that was renamed
        with contextlib.suppress(ValueError):
            if isinstance(tree := json.loads(content), dict):
                return tree
    return _codec(name)[0](content)


def written(name, tree, like=b""):
    """The file or folder of a tree."""
    if is_saved_to_disk(like):
        return saved_to_disk(frame_of(tree).to_dict(as_series=False))
    if isinstance(like, dict):
        files = tree.items() if isinstance(tree, dict) else ()
        return {each: written(each, inside) for each, inside in files if each.strip()}
    if name.endswith(".sqlite"):
        return _study(tree, like)
    return _codec(name)[1](tree)
