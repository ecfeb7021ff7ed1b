"""The platforms whose tasks a study can be written as."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from rejoinder.annotation.platforms import argilla, label_studio, mturk, potato
from rejoinder.annotation.platforms.questions import shuffled
from rejoinder.annotation.study import Study
from rejoinder.annotation.task import Task
from rejoinder.errors import ParameterError
from rejoinder.messages import Argument, quoted

_NAME = re.compile(r"[a-z0-9_-]*[a-z0-9][a-z0-9_-]*")
_TAKEN = ("id", "item", "system", "dialogue", "reply", "comment")


@dataclass(frozen=True)
class Platform:
    """A platform.

    Attributes:
        name: What ``--platform`` calls it.
        suffix: That of its file; empty: it is a folder.
        files: The files of a pointwise study by their path within the folder; the one file of a
            platform that has no folder has an empty path.
        plain_names: Whether it takes nothing but lower-case letters, digits, ``-`` and ``_`` for the
            name of a question.
    """

    name: str
    suffix: str
    files: Callable[[Study], dict[str, str]]
    plain_names: bool = False


PLATFORMS: dict[str, Platform] = {
    each.name: each
    for each in (
        Platform("mturk", ".csv", mturk.files),
        Platform("label-studio", ".json", label_studio.files),
        Platform("potato", "", potato.files, plain_names=True),
        Platform("argilla", "", argilla.files, plain_names=True),
    )
}


def check_task(task: Task, platform: Platform) -> None:
    """Raises a ParameterError where a study of these settings cannot be judged on a platform."""
    if task.kind != "pointwise":
        raise ParameterError(
            f"a {task.kind} study has no tasks for other platforms, whose results would not be read; "
            "write an .html page, or make the study pointwise"
        )
    for each in task.criteria if platform.plain_names else ():
        if not _NAME.fullmatch(each.name) or each.name in _TAKEN:
            raise ParameterError(
                f"criterion {quoted(each.name)}: {platform.name} takes lower-case letters, digits, '-' "
                f"and '_' for the name of a question, and {', '.join(_TAKEN)} are those of other fields; "
                "give it another name, and write the words that raters see into its 'question' in the "
                f"file of {Argument('task')}"
            )


def tasks(study: Study, platform: Platform) -> tuple[dict[str, str], int]:
    """The files of a platform, and the number of questions.

    Raises:
        ParameterError: The study is not pointwise, or a criterion has a name that the platform refuses.
    """
    check_task(study.task, platform)
    return platform.files(study), len(shuffled(study))
