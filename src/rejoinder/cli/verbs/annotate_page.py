"""``rejoinder annotate page``: the questions of one rater as one HTML file."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from rejoinder.cli import options, targets
from rejoinder.cli.declarations import choice, command
from rejoinder.cli.study import StudyOptions

if TYPE_CHECKING:
    from rejoinder.annotation.platforms.registry import Platform
    from rejoinder.annotation.study import Rater, Study


class PageOptions(StudyOptions, options.JsonOptions):
    """The options of 'annotate page'."""

    platform: str | None = choice(
        "--platform",
        of=("mturk", "label-studio", "potato", "argilla"),
        help="Platform for which all questions of a pointwise study are written. mturk: a .csv file; "
        "label-studio: a .json file; potato, argilla: a new folder.",
    )
    output: Path = options.output(
        ".html: a page for one more rater; .csv: all questions for Mechanical Turk; .json: for Label "
        "Studio; with --platform potato or argilla a new folder."
    )


@command(PageOptions)
def page(given: PageOptions) -> None:
    """Write the questions of one rater as one HTML file.

    The file needs no server. The rater's answers are downloaded from it as a file, which 'annotate
    export' takes. Every call adds a rater to the study of --db and keeps questions for this rater. As
    .csv or .json, or with --platform, all questions of a pointwise study are written for another
    platform, whose results 'rejoinder ratings' reads.
    """
    from rejoinder.annotation.platforms.registry import PLATFORMS, check_task, tasks
    from rejoinder.annotation.standalone.page import make_page
    from rejoinder.cli import study as studies

    platform = _platform_of(given)
    if platform is not None and given.testset is not None:  # before the study is made
        check_task(studies.task_of(given), PLATFORMS[platform])
    study, _ = studies.opened(given)
    # The record has the content of the study, which is final only when the file is closed.
    if platform is None:
        with closing(study):
            written_page = make_page(study)
        _write_page(given, study, *written_page)
    else:
        with closing(study):
            texts, questions = tasks(study, PLATFORMS[platform])
        _write_tasks(given, study, PLATFORMS[platform], texts, questions)


def _platform_of(given: PageOptions) -> str | None:
    """The platform to write for; None: a page.

    Raises:
        RejoinderError: The output cannot be written, or has the suffix of something else.
    """
    from rejoinder.annotation.platforms.registry import PLATFORMS
    from rejoinder.errors import ParameterError

    suffixes = {each.suffix: each.name for each in PLATFORMS.values() if each.suffix}
    name = given.platform or suffixes.get(given.output.suffix.lower())
    suffix = ".html" if name is None else PLATFORMS[name].suffix
    if suffix:
        of_platform = dataclasses.replace(targets.PAGE, suffixes=(suffix,))
        kind = targets.PAGE if given.platform is None else of_platform
        targets.check_file(given.output, kind, "--output")
    else:
        if given.output.suffix.lower() in (*targets.PAGE.suffixes, *targets.RATINGS.suffixes):
            raise ParameterError(
                f"--output {given.output}: a file's name, but --platform {name} writes a folder; name a "
                "new folder, or leave --platform out"
            )
        targets.check_folder(given.output, markers=())
    return name


def _write_page(given: PageOptions, study: Study, text: str, rater: Rater, questions: int) -> None:
    from rejoinder.cli.outputs import Outputs
    from rejoinder.files.replacing import write_file

    with Outputs() as outputs:
        written = outputs.save(given.output, functools.partial(write_file, content=text))
        if not written:
            _withdraw(given.db, rater)
        notes = _alone(given.output) if written else []
        _print(given, study, rater.name, questions, written, notes)


def _withdraw(db: Path, rater: Rater) -> None:
    """Takes back the questions of a rater whose page could not be written."""
    from rejoinder.annotation.study import Study

    with closing(Study(db)) as study:
        study.withdraw(rater)


def _write_tasks(
    given: PageOptions, study: Study, platform: Platform, texts: dict[str, str], questions: int
) -> None:
    from rejoinder.cli.outputs import Outputs
    from rejoinder.files.replacing import write_file, write_texts

    with Outputs() as outputs:
        if platform.suffix:
            write = functools.partial(write_file, content=texts[""])
            written = outputs.save(given.output, write)
        else:
            files = [given.output / name for name in texts]
            write = functools.partial(write_texts, texts=texts)
            written = outputs.save(given.output, write, files=files)
        _print(given, study, None, questions, written)


def _print(
    given: PageOptions,
    study: Study,
    rater: str | None,
    questions: int,
    written: bool,
    more: Sequence[str] = (),
) -> None:
    from rejoinder.cli.show import json_output
    from rejoinder.cli.terminal.console import console, print_notes
    from rejoinder.messages import counted

    notes = [*study.notes, *more]
    if given.json:
        path = str(given.output) if written else None
        whole = {"rater": rater, "questions": questions, "identity": study.identity}
        json_output.write({**whole, "written": path, "notes": notes})
        return
    console().print(f"{rater or 'other platforms'}: {counted(questions, 'question')}")
    print_notes(console(), notes)


def _alone(path: Path) -> list[str]:
    """The note that a page is sent without its record, which names the files of the systems."""
    from rejoinder.files.provenance import record_path

    record = record_path(path).name
    return [
        f"send {path.name} alone: {record} beside it is your record of how the page was made, and may "
        "name the systems"
    ]
