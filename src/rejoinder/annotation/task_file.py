"""The TOML file of a study's settings, and the same settings as JSON within the study's database."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any

import msgspec

from rejoinder.annotation.task import CRITERION_KEYS, Task
from rejoinder.files.settings_file import SettingsFile

_FILE = SettingsFile(
    "task",
    Task,
    {"criterion": "criteria", "training": "training", "attention": "attention"},
    {
        "criterion": CRITERION_KEYS,
        "training": ("context", "replies", "answers", "explanation"),
        "attention": ("context", "replies", "answers"),
    },
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
    return _FILE.read(path, **given)


def task_json(task: Task) -> str:
    """The settings as JSON, for the study's database.

    >>> task_of_json(task_json(Task(title="Chat"))) == Task(title="Chat")
    True
    """
    return json.dumps(dataclasses.asdict(task), ensure_ascii=False)


def task_of_json(text: str) -> Task:
    """The settings that `task_json` wrote."""
    return msgspec.json.decode(text, type=Task)
