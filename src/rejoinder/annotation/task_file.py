"""The TOML file of a study's settings, and the same settings as JSON within the study's database."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from rejoinder.annotation.task import Task
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.files.reading import existing, read_text
from rejoinder.messages import meant, quoted

_TABLES = {"criterion": "criteria", "training": "training", "attention": "attention"}
"""By the name of a repeated table of the file, ``[[criterion]]``, the attribute of `Task`."""
_KNOWN = {
    "criterion": ("name", "question", "lowest", "highest", "words"),
    "training": ("context", "replies", "answers", "explanation"),
    "attention": ("context", "replies", "answers"),
}
_SETTINGS = tuple(
    field.name for field in dataclasses.fields(Task) if field.name not in _TABLES.values()
)


def read_task(path: str | os.PathLike[str], **given: Any) -> Task:
    """Reads the settings of a study from a TOML file.

    Args:
        path: The file; ``docs/annotate.md`` lists its settings.
        **given: Settings that take the place of the file's.

    Raises:
        InputError: The file cannot be read or is no TOML, or a setting is unknown, has a wrong type, or
            is out of range; the message names the file and the setting.
    """
    (path,) = existing([path], "task")
    try:
        content = tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path}: not TOML: {quoted(str(error))[1:-1]}") from None
    _check_names(path, content)
    values = {_TABLES.get(name, name): value for name, value in content.items()}
    try:
        return msgspec.convert({**values, **given}, Task)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {_reason(error)}") from None


def _reason(error: msgspec.ValidationError) -> str:
    """What msgspec says of a value, with the place in the words of the file.

    `Task` raises its own errors while msgspec builds it; these are told as they are.
    """
    if isinstance(error.__cause__, ParameterError):
        return str(error.__cause__)
    text = str(error).replace("`$.", "`")
    for table, attribute in _TABLES.items():
        place = re.search(rf"`{attribute}\[(\d+)\]\.?", text)
        if place is not None:
            what = text.replace(place[0], "`").replace(" - at ``", "")
            text = f"{table} {int(place[1]) + 1}: {what[0].lower()}{what[1:]}"
    return text.replace("Expected", "expected", 1) + "; correct this setting"


def _check_names(path: Path, content: Mapping[str, Any]) -> None:
    """Raises where the file has a setting that there is not: msgspec would ignore it."""
    known = (*_SETTINGS, *_TABLES)
    for name in content:
        if name not in known:
            raise InputError(f"{path}: {_unknown(name, known)}")
    for table, keys in _KNOWN.items():
        rows = content.get(table, [])
        if not isinstance(rows, list):
            raise InputError(f"{path}: [{table}] is one table; write [[{table}]], once for each")
        for place, row in enumerate(rows, start=1):
            for name in row if isinstance(row, dict) else ():
                if name not in keys:
                    raise InputError(f"{path}: {table} {place}: {_unknown(name, keys)}")


def _unknown(name: str, known: tuple[str, ...]) -> str:
    near = meant(name, known)
    hint = f" (meant {quoted(near)}?)" if near else ""
    return f"no setting {quoted(name)}{hint}; expected {one_of(known)}"


def task_json(task: Task) -> str:
    """The settings as JSON, for the study's database.

    >>> task_of_json(task_json(Task(title="Chat"))) == Task(title="Chat")
    True
    """
    return json.dumps(dataclasses.asdict(task), ensure_ascii=False)


def task_of_json(text: str) -> Task:
    """The settings that `task_json` wrote."""
    return msgspec.json.decode(text, type=Task)
