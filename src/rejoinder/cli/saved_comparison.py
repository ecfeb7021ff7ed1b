"""What 'compare --save' writes: the tables as Markdown or LaTeX, or the verdicts as JUnit XML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rejoinder.errors import ParameterError
from rejoinder.files.replacing import replacing


def check_format(path: Path | None, with_verdicts: bool) -> None:
    """Raises where verdicts are to be saved and none are asked for.

    Raises:
        ParameterError: The file is to hold verdicts.
    """
    if path is not None and path.suffix.lower() == ".xml" and not with_verdicts:
        raise ParameterError(
            f"--save {path}: JUnit XML holds verdicts, and there are none without --fail-if-worse "
            "MARGIN; add that, or name a file that ends in .md or .tex"
        )


def save(path: Path, show: Callable[[], None], verdicts: Callable[[], str] | None = None) -> None:
    """Writes a comparison in the format of the file's suffix; the first line says what it is.

    Args:
        path: The file.
        show: Prints the tables for people.
        verdicts: Gives the verdicts as JUnit XML; None where there are none.
    """
    from rejoinder.cli.show.exported import written

    suffix = path.suffix.lower()
    if suffix == ".xml" and verdicts is not None:
        content = verdicts()
    elif suffix == ".tex":
        content = f"% rejoinder compare\n{written(show, 'latex')}"
    else:
        content = f"<!-- rejoinder compare -->\n\n{written(show, 'markdown')}"
    with replacing(path) as temporary:
        temporary.write_text(content, encoding="utf-8")
