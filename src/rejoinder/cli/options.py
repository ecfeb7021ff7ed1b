"""The options that several verbs share, each declared once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer


class MissingReplies(StrEnum):
    """What becomes of an item that a system did not answer."""

    error = "error"
    drop = "drop"
    empty = "empty"


Responses: TypeAlias = Annotated[
    list[Path] | None,
    typer.Argument(
        help="The systems' replies: one or more files. A file that names no system is named after "
        "itself.",
        show_default=False,
    ),
]
References: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        "--reference",
        "-r",
        help="A further file of the test set: a reference stream, or the table of references.",
        show_default=False,
    ),
]
Metrics: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        help="A metric, as often as wanted: deltableu, bleu:order=4,lowercase=true, ... "
        "('rejoinder metrics' lists them).",
        show_default=False,
    ),
]
Format: TypeAlias = Annotated[
    str | None,
    typer.Option("--format", "-f", help="The test set's format; else it is recognised."),
]
ResponsesFormat: TypeAlias = Annotated[
    str | None,
    typer.Option("--responses-format", help="The responses' format; else it is recognised."),
]
Missing: TypeAlias = Annotated[
    MissingReplies,
    typer.Option(
        "--missing",
        help="An item that a system did not answer: an error, dropped for all systems, or scored as "
        "an empty reply.",
    ),
]
DropUnusable: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--drop-unusable",
        help="Leave out, and count, items that a metric cannot score for want of a reference.",
    ),
]
Resamples: TypeAlias = Annotated[
    int, typer.Option("--resamples", help="Bootstrap resamples of the intervals; 0 for none.")
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", help="Of every random draw.")]
AsJson: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Machine-readable, to standard output.")
]
