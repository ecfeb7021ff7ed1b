"""What 'compare --save' writes: the tables as Markdown or LaTeX, or the verdicts as JUnit XML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rejoinder.errors import ParameterError
from rejoinder.files.replacing import replacing

if TYPE_CHECKING:
    from rejoinder.document.parts import Document


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


def save(
    path: Path, show: Callable[[], Document], verdicts: Callable[[], str] | None = None
) -> None:
    """Writes a comparison in the format of the file's suffix; the first line says what it is.

    Args:
        path: The file.
        show: Returns what is shown.
        verdicts: Gives the verdicts as JUnit XML; None where there are none.
    """
    from rejoinder.cli.saved_tables import written

    suffix = path.suffix.lower()
    if suffix == ".xml" and verdicts is not None:
        content = verdicts()
    else:
        content = written(show(), suffix, "rejoinder compare")
    with replacing(path) as temporary:
        temporary.write_text(content, encoding="utf-8")
