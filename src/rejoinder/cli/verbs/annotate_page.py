"""``rejoinder annotate page``: the questions of one rater as one HTML file."""

from __future__ import annotations

from pathlib import Path

from rejoinder.cli import options
from rejoinder.cli.declarations import command
from rejoinder.cli.study import StudyOptions


class PageOptions(StudyOptions, options.JsonOptions):
    """The options of 'annotate page'."""

    output: Path = options.output(
        ".html: a page for one more rater; .csv: all questions for Mechanical Turk; .json: for Label "
        "Studio."
    )


@command(PageOptions)
def page(given: PageOptions) -> None:
    """Write the questions of one rater as one HTML file.

    The file needs no server. The rater's answers are downloaded from it as a file, which 'annotate
    export' takes. Every call adds a rater to the study of --db and keeps questions for this rater. As
    .csv or .json all questions of a pointwise study are written for another platform, whose results
    'rejoinder ratings' reads.
    """
    from contextlib import closing

    from rejoinder.cli import study as studies
    from rejoinder.cli import targets
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.show import machine
    from rejoinder.cli.terminal.console import console, print_notes
    from rejoinder.files.replacing import replacing
    from rejoinder.messages import counted
    from rejoinder.models.installed import check_installed

    check_installed("annotate page", "jinja2", extra="annotate")
    targets.check_file(given.output, targets.PAGE, "--output")
    from rejoinder.annotation.platforms import tasks
    from rejoinder.annotation.standalone.page import make_page

    study, _ = studies.opened(given)

    with closing(study), Outputs() as outputs:
        if given.output.suffix.lower() == ".html":
            text, rater, questions = make_page(study)
        else:
            rater = None
            text, questions = tasks(study, given.output.suffix.lower())

        def write(path: Path) -> None:
            with replacing(path) as temporary:
                temporary.write_text(text, "utf-8")

        written = outputs.save(given.output, write)
        if rater is not None and not written:
            study.withdraw(rater)
        notes = [*study.notes, *(_alone(given.output) if rater is not None and written else ())]
        if given.json:
            path = str(given.output) if written else None
            name = None if rater is None else rater.name
            whole = {"rater": name, "questions": questions, "identity": study.identity}
            machine.write({**whole, "written": path, "notes": notes})
        else:
            whom = "other platforms" if rater is None else rater.name
            console().print(f"{whom}: {counted(questions, 'question')}")
            print_notes(console(), notes)


def _alone(path: Path) -> list[str]:
    """The note that a page is sent without its record, which names the files of the systems."""
    from rejoinder.files.provenance import record_path

    record = record_path(path).name
    return [
        f"send {path.name} alone: {record} beside it is your record of how the page was made, and may "
        "name the systems"
    ]
