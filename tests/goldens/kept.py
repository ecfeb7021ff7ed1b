"""How a kept file stands in a golden: as text that a person can compare."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from rejoinder.files.shards import read_part

WIDTH = 110
"""JSON is broken into lines where it is wider."""


def compact(value: Any, before: int = 0, indent: int = 0, row: bool = False) -> str:
    """JSON with as much on a line as fits; numbers with 12 digits.

    Args:
        value: What ``json.loads`` gives.
        before: The columns in front of it on its line.
        indent: How far the line is indented.
    """
    if isinstance(value, list):
        value = _without_repetition(value)
    line = json.dumps(_short(value), ensure_ascii=False)
    if before + len(line) <= WIDTH or not isinstance(value, dict | list) or not value or row:
        return line
    inner = " " * (indent + 1)
    if isinstance(value, dict):
        keys = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        parts = [
            inner + key + compact(each, indent + 2 + len(key), indent + 1)
            for key, each in zip(keys, value.values(), strict=True)
        ]
    else:
        parts = [inner + compact(each, indent + 2, indent + 1, _is_row(each)) for each in value]
    opening, closing_ = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n" + ",\n".join(parts) + f"\n{' ' * indent}{closing_}"


def _is_row(value: Any) -> bool:
    """Whether a value is an object of plain values, as a row of a table is."""
    return isinstance(value, dict) and not any(isinstance(e, dict | list) for e in value.values())


REPEATED = "(the same)"
"""What stands for a long text that the row before has too."""


def _without_repetition(rows: list[Any]) -> list[Any]:
    before: dict[str, Any] = {}
    found = []
    for row in rows:
        if _is_row(row):
            found.append(
                {k: REPEATED if _long(v) and before.get(k) == v else v for k, v in row.items()}
            )
        else:
            found.append(row)
        before = row if _is_row(row) else {}
    return found


def _long(value: Any) -> bool:
    return isinstance(value, str) and len(value) > 40


def _short(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, dict):
        return {key: _short(each) for key, each in value.items()}
    return [_short(each) for each in value] if isinstance(value, list) else value


def content(path: Path) -> str:
    """What a file holds; of a picture, an archive of arrays and the like what it is."""
    show = {
        ".json": lambda path: compact(json.loads(path.read_text("utf-8"))) + "\n",
        ".parquet": _parquet,
        ".sqlite": _sqlite,
        ".safetensors": _tensors,
        ".npy": _array,
        ".html": _page,
        ".part": lambda path: str(read_part(path).shard) + "\n",
    }.get(path.suffix, _text)
    return show(path)


def _text(path: Path) -> str:
    data = path.read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    return (
        f"{len(data)} bytes that are no text\n" if re.search("[\0-\x08\x0b-\x1f]", text) else text
    )


def _page(path: Path) -> str:
    """A page without its style, its program and its pictures, which other tests look at."""
    page = path.read_text("utf-8")
    about = r"(<(style|script|svg)\b(?![^>]*application/json)[^>]*>).*?(</\2>)"
    return re.sub(about, r"\1...\3", page, flags=re.S)


def _parquet(path: Path) -> str:
    """Columns with their types, what the file says of itself, and the rows."""
    import polars as pl
    import pyarrow.parquet as pq

    lines = [f"{field.name}: {field.type}" for field in pq.read_schema(path)]
    for key, value in (pq.read_metadata(path).metadata or {}).items():
        if key != b"ARROW:schema":
            text = value.decode()
            lines.append(
                f"{key.decode()} = {compact(json.loads(text)) if text[:1] in '[{' else text}"
            )
    rows = pl.read_parquet(path).rows()
    lines += [compact(json.loads(json.dumps(row, default=str))) for row in rows]
    return "\n".join(lines) + "\n"


def _sqlite(path: Path) -> str:
    """The tables of a database with their rows; checksums are of words that are drawn."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return "\n".join(_statements(database)) + "\n"


def _statements(database: sqlite3.Connection) -> Iterator[str]:
    tables = database.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name"
    ).fetchall()
    for kind, name, sql in tables:
        yield sql
        if kind == "table":
            found = database.execute(f'SELECT * FROM "{name}"')
            names = [column[0] for column in found.description]
            for row in found:
                cells = {n: v for n, v in zip(names, row, strict=True) if n != "checksum"}
                yield f"  {json.dumps(cells, ensure_ascii=False, default=lambda data: 'bytes')}"


def _tensors(path: Path) -> str:
    """The names, types and shapes of the tensors of a model."""
    data = path.read_bytes()
    head = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    lines = [
        f"{name}: {each['dtype']} {each['shape']}"
        for name, each in head.items()
        if name != "__metadata__"
    ]
    return "\n".join(lines) + "\n"


def _array(path: Path) -> str:
    import numpy as np

    array = np.load(path)
    return f"{array.dtype} {list(array.shape)}\n"
