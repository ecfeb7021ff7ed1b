"""The rows of a claim, measured again from the data at hand by the command that the claim names.

A claim may be a stranger's: its command reads no other file than those given, writes nothing, downloads
nothing, and runs no code that is not Rejoinder's.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

import click

from rejoinder.cli.command_words import paths_of_metric, texts_of
from rejoinder.cli.declarations import Option, Verb
from rejoinder.errors import RejoinderError
from rejoinder.files.provenance import content_of
from rejoinder.ledger.claims import Claim, read_claim

VERBS = ("score", "compare", "correlate", "judge")
"""The verbs that write claims."""


def measured_again(claim: Claim, data: Sequence[Path]) -> Claim | str:
    """The claim of the same command on the data at hand; a text says why there is none.

    Args:
        claim: The claim.
        data: The files at hand, in any order: they are known by their content.
    """
    places = {content_of(path): str(path) for path in data}
    inputs = [places.get(each.get("sha256")) for each in claim.predicate["inputs"]]
    words = [str(word) for word in claim.predicate["command"]]
    if len(words) < 2 or words[1] not in VERBS:
        return "the claim names no command that measures it"
    try:
        words = [_filled(word, inputs) for word in words]
        return _claim_of(words, {os.path.realpath(path) for path in data})
    except _CannotMeasureError as error:
        return str(error)
    except (RejoinderError, click.ClickException, OSError) as error:
        return f"the command of the claim fails here: {error}"


class _CannotMeasureError(Exception):
    """Why the command of a claim is not run."""


def _filled(word: str, inputs: Sequence[str | None]) -> str:
    """A word of the command with the path of a file in the place of its number."""

    def path(place: re.Match[str]) -> str:
        number = int(place[1])
        given_path = inputs[number] if number < len(inputs) else None
        if given_path is None:
            raise _CannotMeasureError(
                f"the file {number + 1} of the claim is not among those of --data"
            )
        return given_path

    return re.sub(r"<input (\d{1,4})>", path, word)


def _claim_of(words: Sequence[str], data: set[str]) -> Claim:
    import rejoinder.cli.app as application

    verb = application.app.get_command(click.Context(application.app), words[1])
    assert isinstance(verb, Verb)
    context = verb.make_context(words[1], list(words[2:]), resilient_parsing=False)
    _check(context, data)
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
        claim_path = Path(folder, "claim")
        with redirect_stdout(nowhere):
            try:
                verb.main(
                    [*words[2:], "-q", "--claim", str(claim_path)],
                    "rejoinder " + words[1],
                    standalone_mode=False,
                )
            except SystemExit as end:  # of a gate that fails
                if not claim_path.exists():
                    raise _CannotMeasureError(
                        f"the command of the claim ends with status {end.code}"
                    ) from None
        return read_claim(claim_path)


def _check(context: click.Context, data: set[str]) -> None:
    """Raises where a stranger's command would do more than measure the data at hand."""
    from rejoinder.metrics.registry import METRICS

    for each in context.command.params:
        value = context.params.get(each.name or "")
        name = each.opts[0]
        if value in (None, False, ()) or each.name == "registered":
            continue
        holds = each.holds if isinstance(each, Option) else ""
        if (isinstance(each, Option) and each.writes) or each.name == "download":
            raise _CannotMeasureError(f"the command of the claim has {name}")
        for text in texts_of(value):
            if holds == "metric":
                if str(text).partition(":")[0] not in METRICS:
                    raise _CannotMeasureError(
                        f"the metric {str(text)!r:.60} is of code that is not Rejoinder's"
                    )
                read = [path for _, path in paths_of_metric(str(text))]
            else:
                read = [str(text)] if isinstance(text, Path) or os.path.exists(text) else []
            for path in read:
                if os.path.realpath(path) not in data:
                    raise _CannotMeasureError(
                        f"the command of the claim reads {path}, which is not among --data"
                    )
