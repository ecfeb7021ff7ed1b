"""Whether a file of scores, or a test set, was made from the ratings that it is to be compared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejoinder.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.cli.options import MeasuringOrScoresOptions

_READ = "rejoinder.ratings"
_KEY = "ratings"


def took_ratings(table: pl.DataFrame) -> None:
    """Takes note of ratings that the command read, for the records of what it makes."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta.setdefault(_READ, []).append(table)


def ratings_in(inputs: Iterable[tuple[Path, Mapping[str, Any]]]) -> dict[str, str]:
    """What a record says of ratings: digests of those read, and of those that what was read was made from.

    So that a file is known to be made from them when those between are gone.

    Args:
        inputs: The path of each file that was read, and its identity.
    """
    from rejoinder.files.provenance_chain import record_of_content
    from rejoinder.human_evaluation.rating_digests import packed, rating_digests, unpacked

    digests: set[bytes] = set()
    for table in click.get_current_context().meta.get(_READ, ()):
        digests |= rating_digests(table)
    for path, identity in inputs:
        try:
            record = record_of_content(identity, path)
        except InputError:
            continue
        digests |= unpacked((record or {}).get(_KEY, ""))
    return {_KEY: packed(digests)} if digests else {}


def check_not_made_of(
    given: MeasuringOrScoresOptions, ratings: Sequence[Path], table: pl.DataFrame
) -> None:
    """Reads the records of what a judge's scores come from back to what that was made of.

    These are files of scores, a test set, references, kept scores, and what metrics read. Those without
    a readable record are passed over; of one that has changed since there is a note.

    Args:
        given: The files.
        ratings: The files of ratings.
        table: What they hold.

    Raises:
        InputError: One was made from some of these ratings, or from a file with their content.
    """
    from rejoinder.cli.command_words import paths_of_metric
    from rejoinder.cli.terminal.speech import note
    from rejoinder.files.provenance_chain import provenance
    from rejoinder.human_evaluation.rating_digests import rating_digests, unpacked

    paths = [*(each.path for each in given.scores), *given.references]
    paths += [given.testset] if given.testset else []
    paths += [Path(path) for text in given.metrics for _, path in paths_of_metric(text)]
    contents = {content: path for path in ratings for content in _contents(path)}
    for path in paths:
        try:
            origin = provenance(path)
        except InputError:
            continue
        steps = origin.steps()
        old = set[bytes]().union(*(unpacked((each.record or {}).get(_KEY, "")) for each in steps))
        what = next((contents[each.content] for each in steps if each.content in contents), None)
        if what is None and old:
            digests = rating_digests(table)
            if shared := len(digests & old):
                what = (
                    f"{shared:,} of the {len(digests):,} ratings ({shared / len(digests):.1%}: the same "
                    "item, system, rater and score)"
                )
        if what is None:
            continue
        words = f"{path}: was made from {what} ('rejoinder verify {path}')"
        if origin.state == "unchanged":
            raise InputError(
                f"{words}, and a comparison with these ratings would find too little error; leave it out, "
                "or give ratings that it was not made from"
            )
        note(f"{words}, and has changed since; leave it out if it still depends on them")


def _contents(path: Path) -> Iterable[str]:
    """The content of a file of ratings, and of the files that ``convert`` made it from."""
    from rejoinder.files.provenance import content_of
    from rejoinder.files.provenance_chain import provenance

    if path.is_file() and (content := content_of(path)) is not None:
        yield content
    try:
        steps = [provenance(path)]
    except InputError:
        return
    for step in steps:
        converted = (step.record or {}).get("command", [])[1:2] == ["convert"]
        for each in step.inputs if converted and step.state == "unchanged" else ():
            steps.append(each)
            if each.content is not None and not each.role.startswith("-"):
                yield each.content
