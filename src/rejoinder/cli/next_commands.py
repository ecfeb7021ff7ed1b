"""The commands that have the items of ``plan --next`` rated, with the files that were given."""

from __future__ import annotations

import itertools
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejoinder.tables.example_commands import RESPONSES, TESTSET
from rejoinder.tables.kept_files import holds_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rejoinder.cli.options import TextsOptions

_USUAL_CRITERION = "overall"
"""What 'annotate' asks for where no criterion is named."""


def commands_of(
    given: TextsOptions,
    output: Path,
    *,
    criterion: str | None,
    scale: tuple[float, float] | None,
    without: Sequence[str],
    others: Iterable[Path],
) -> list[str]:
    """The commands that ask people about the drawn items: on a server, and without one.

    Both make the same study, in a new file beside the table of items. Where texts were not given (kept
    scores, a judge's scores alone), capitals stand for their files.

    Args:
        given: The files of texts, as they were named.
        output: The table of items.
        criterion: The criterion that was rated so far; None without ratings.
        scale: The worst and the best grade; None where they were not named.
        without: Systems that are left out.
        others: Files that people are not asked about, whose columns may be named too.
    """
    words = [*_texts(given, others), "--drawn", str(output), "--db", str(_new(output, ".sqlite"))]
    if criterion not in (None, _USUAL_CRITERION):
        words += ["--criterion", str(criterion)]
    if scale is not None and all(end.is_integer() for end in scale):
        words += ["--scale", *(f"{end:g}" for end in scale)]
    for name in without:
        words += ["--without", name]
    page = ["-o", str(_new(output, ".html"))]
    verbs = (("serve", words), ("page", [*words, *page]))
    return [shlex.join(["rejoinder", "annotate", verb, *each]) for verb, each in verbs]


def _texts(given: TextsOptions, others: Iterable[Path]) -> list[str]:
    """The files of texts as they were named (a folder as a folder), and how they are read."""
    if given.testset is None or holds_scores(given.testset):
        return [TESTSET, RESPONSES]
    named = click.get_current_context().params
    words = [str(path) for path in (named["testset"], *named["responses"])]
    for path in given.references:
        words += ["--reference", str(path)]
    elsewhere = tuple(f"{path}:" for path in others)
    for option in ("format", "columns"):
        for value in named[option]:
            words += [] if value.startswith(elsewhere) else [f"--{option}", value]
    return words


def _new(table: Path, suffix: str) -> Path:
    """The name of the table with another suffix, and a number where there is such a file."""
    names = itertools.chain([""], (f"-{number}" for number in itertools.count(2)))
    paths = (table.with_name(f"{table.stem}{name}{suffix}") for name in names)
    return next(path for path in paths if not path.exists())
