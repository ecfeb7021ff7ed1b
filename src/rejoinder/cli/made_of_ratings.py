"""Whether a file of scores, or a test set, was made from the ratings that it is to be compared with."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rejoinder.errors import InputError


def check_not_made_of(paths: Iterable[Path], ratings: Iterable[Path]) -> None:
    """Reads the records beside files back to what they were made of.

    Args:
        paths: Files that a judge's scores come from: scores, a test set, kept scores. Those without a
            readable record are passed over.
        ratings: The files of ratings.

    Raises:
        InputError: One was made from a file with the content of these ratings.
    """
    from rejoinder.files.provenance import content_of
    from rejoinder.files.provenance_chain import provenance

    contents = {content_of(path): path for path in ratings if path.is_file()}
    for path in paths:
        try:
            step_of_file = provenance(path)
        except InputError:
            continue
        for step in step_of_file.steps() if step_of_file.state == "unchanged" else ():
            if step.content is not None and step.content in contents:
                raise InputError(
                    f"{path}: was made from {contents[step.content]} ('rejoinder provenance {path}'), and "
                    "a correction by these ratings would find no error; leave it out, or give ratings that "
                    "it was not made from"
                )
