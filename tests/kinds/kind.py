"""What a kind of file is: who writes it in which shapes, and a plain reader of its own."""

# One item per line reads best.
# ruff: noqa: E501

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import openpyxl
import polars as pl

Content = bytes | dict[str, bytes]
Tables = dict[str, list[tuple]]
"""By kind of table its rows. ``test set``: id, turns, references; ``responses``: system, id, text;
``ratings``: id, system, rater, criterion, score; ``preferences``: id, a, b, rater, winner;
``scores``: system, id, name, value."""


@dataclass(frozen=True)
class Talk:
    """An item with its references, the replies of systems to it, and ratings of these.

    Attributes:
        ratings: By system, rater and criterion a grade from 1 to 5.
    """

    id: str
    context: list[str]
    references: list[str]
    replies: dict[str, str]
    ratings: dict[tuple[str, str, str], int]

    @property
    def message(self):
        return self.context[-1]

    @property
    def reply(self):
        """The reply of the first system."""
        return next(iter(self.replies.values()))

    @property
    def worse(self):
        """The reply of the second one."""
        return list(self.replies.values())[1]


SYSTEMS, RATERS, CRITERIA = ("tuned", "generic"), ("ann", "ben", "cat"), ("fluency", "relevance")
_ENGLISH = [
    (["Is the lift working?"], ["Not today.", "No, take the stairs."], "It is, since noon.", "I am."),
    (["We land at six.", "That's early, isn't it?"], ["They keep the bags."], "Yes, \"far\" too early.", "No."),
    (["Any milk left?"], ["None, sorry."], "A little; look behind the eggs.", "What do you mean?"),
    (["Hi!", "Hello.", "Which bus, please?"], ["The 9, from over there."], "Number 9 - I think.", "I'm not sure."),
    (["How was the café?"], ["Closed, alas."], "Lovely, thanks.", "Yes, I know."),
]  # fmt: skip
_CHINESE = [
    (["电梯能用吗？"], ["今天不行。", "走楼梯吧。"], "中午起可以了。", "我是。"),
    (["我们六点到。", "太早了吧？"], ["可以先寄存行李。"], "是的，“太”早了。", "不是。"),
    (["还有牛奶吗？"], ["没有了，抱歉。"], "还有一点，在鸡蛋后面。", "你是什么意思？"),
]


def world(size: int = 5, chinese: bool = False) -> list[Talk]:
    """So many items; a grade is another one for each item, system, rater and criterion."""
    lines, talks = _CHINESE if chinese else _ENGLISH, []
    for n in range(size):
        context, references, *replies = lines[n % len(lines)]
        again = n // len(lines)
        *before, message = context
        if again:
            message = f"{message} {again}"
        grades = {
            (system, rater, criterion): 1 + (3 * n + 2 * s + r * (n + 1) + c) % 5
            for s, system in enumerate(SYSTEMS)
            for r, rater in enumerate(RATERS)
            for c, criterion in enumerate(CRITERIA)
        }
        said = dict(zip(SYSTEMS, replies, strict=True))
        talks.append(Talk(f"c{n + 1:03}", [*before, message], references, said, grades))
    return talks


WORLDS = {"five": world(), "one": world(1), "Chinese": world(3, chinese=True)}
LARGE = 10_000


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        name: What people call it.
        file: The name that such a file has.
        shapes: In which shapes it is written, by what distinguishes them: what makes the content of a
            file of a world. Another name of the file stands in front of it.
        plain: A reader of the file without Rejoinder: what tables are in it. A table that it does not
            return must be refused.
        verb: The words that a person would type; ``FILE`` is the file, ``TESTSET`` the items as our own
            JSON Lines.
        status: Whether it is ``taken`` without an option, ``with option``, ``refused`` rightly, or
            ``not yet`` taken.
        option: What is given to the reader, by the names of Python's arguments.
        message: A pattern of the refusal.
        also: Kinds of table that it may be read as besides.
        samples: Its files in the folder of samples.
        worlds: The worlds that its shapes hold; None: all.
    """

    name: str
    file: str = ""
    shapes: Mapping[str, Any] = field(default_factory=dict)
    plain: Callable[[Path], Tables] = lambda path: {}
    verb: str = "look FILE"
    status: Literal["taken", "with option", "refused", "not yet"] = "taken"
    option: Mapping[str, Any] = field(default_factory=dict)
    message: str = ""
    also: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    worlds: tuple[str, ...] | None = None

    def write(self, shape: str, talks: list[Talk], folder: Path) -> Path:
        """Writes a file of a shape, and returns its path."""
        made = self.shapes[shape]
        name, make = made if isinstance(made, tuple) else (self.file, made)
        content, path = make(talks), folder / name
        for place, each in (content if isinstance(content, dict) else {"": content}).items():
            target = path / place if place else path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(each)
        return path


def lines(objects) -> bytes:
    """JSON Lines."""
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects).encode()


def listed(objects) -> bytes:
    """A JSON list over several lines."""
    return json.dumps(list(objects), ensure_ascii=False, indent=1).encode()


def separated(objects, mark: str = ",", **more) -> bytes:
    """CSV of objects of one shape."""
    objects, out = list(objects), io.StringIO()
    writer = csv.DictWriter(out, list(objects[0]), delimiter=mark, lineterminator="\n", **more)
    writer.writeheader()
    writer.writerows(objects)
    return out.getvalue().encode()


def sheets(tables: Mapping[str, list[dict]]) -> bytes:
    """A workbook with a sheet for each table."""
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for title, objects in tables.items():
        sheet = book.create_sheet(title)
        for row in (list(objects[0]), *(list(each.values()) for each in objects)):
            sheet.append(row)
    book.save(out)
    return out.getvalue()


def parquet(objects) -> bytes:
    """A Parquet file of objects."""
    out = io.BytesIO()
    pl.DataFrame(list(objects), infer_schema_length=None).write_parquet(out)
    return out.getvalue()


def records(path: Path) -> list[dict[str, Any]]:
    """The rows of a table in any container, read without Rejoinder."""
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if suffix == ".xlsx":
        rows = list(openpyxl.load_workbook(path).worksheets[0].iter_rows(values_only=True))
        return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    if suffix == ".parquet":
        return pl.read_parquet(io.BytesIO(data)).to_dicts()
    text = data.decode("utf-8-sig")
    if suffix in (".csv", ".tsv"):
        header = text.partition("\n")[0]
        mark = next(mark for mark in ",;\t" if mark in header) if suffix == ".csv" else "\t"
        return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=mark))
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    if isinstance(value, list):
        return value
    if {"columns", "data"} <= set(value):
        return [dict(zip(value["columns"], row, strict=True)) for row in value["data"]]
    if suffix != ".jsonl" and all(isinstance(each, dict | list) for each in value.values()):
        columns = [v.values() if isinstance(v, dict) else v for v in value.values()]
        return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]
    return [value]


def stem(path: Path) -> str:
    """What a system is called that the file does not name."""
    return path.name.removesuffix(".gz").rpartition(".")[0] or path.name


def of_columns(path: Path, id="", context="", references=(), text="", system="") -> Tables:
    """The tables of rows with a column of each, under the names that the file has.

    Where there are no ids, the rows of one message and its references are one item.
    """
    items: dict[tuple, str] = {}
    testset, responses, times = {}, [], Counter()
    for number, row in enumerate(records(path), start=1):
        turns = row[context] if context else ()
        turns = tuple(turns) if isinstance(turns, list) else (turns,) * bool(turns)
        given = [row[name] for name in references if row.get(name) not in (None, "")]
        texts = tuple(t for each in given for t in (each if isinstance(each, list) else [each]))
        answered = (turns, texts, row[system] if system else number)
        times[answered] += 1
        key = (turns, texts, times[answered] if system else number)
        name = str(row[id]) if id else items.setdefault(key, str(len(items) + 1))
        testset[name] = (name, turns, texts)
        if text:
            responses.append((row[system] if system else stem(path), name, row[text]))
    tables: Tables = {"responses": responses} if text else {}
    return tables | ({"test set": list(testset.values())} if context or references else {})


def of_grades(path: Path, id="", system="", rater="", criterion="", score="", wide="") -> Tables:
    """The ratings of rows with a column of each; ``wide`` says what each further column is."""
    ratings = []
    for row in records(path):
        key = [str(row[name]) if name else "" for name in (id, system)]
        fixed = row[rater] if rater else "1", row[criterion] if criterion else "overall"
        if not wide:
            ratings.append((*key, *fixed, float(row[score])))
            continue
        others = [name for name in row if name not in (id, system, rater, criterion)]
        for name in others:
            if row[name] not in (None, ""):
                told = (name, fixed[1]) if wide == "rater" else (fixed[0], name)
                ratings.append((*key, *told, float(row[name])))
    return {"ratings": ratings}
