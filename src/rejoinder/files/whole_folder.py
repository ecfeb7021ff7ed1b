"""A new folder, written whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rejoinder.errors import InputError
from rejoinder.files.replacing import beside, check_folder_target, failure, replacing


@contextmanager
def whole_folder(
    path: str | os.PathLike[str], is_there: Callable[[Path], bool] = lambda _: False
) -> Iterator[Path]:
    """A temporary folder, which becomes ``path`` when the body has ended well, and otherwise vanishes.

    Args:
        path: The folder, which is not there yet, or is empty; the folders above it are made.
        is_there: Whether a folder that another process has made meanwhile serves as well.

    Raises:
        InputError: The folder cannot be made or written.
    """
    check_folder_target(path)
    final = Path(os.path.realpath(path))
    temporary = beside(final, "part")
    try:
        temporary.mkdir(parents=True)
        yield temporary
        try:
            os.rename(temporary, final)
        except OSError:
            if not is_there(final):
                raise
    except OSError as error:
        raise InputError(
            f"{path}: the folder cannot be written: {failure(error)}; choose another place"
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_texts(path: str | os.PathLike[str], texts: Mapping[str, str]) -> None:
    """Writes a new folder of text files, by their path within it.

    Raises:
        InputError: The folder cannot be made or written, or is not empty.
    """
    with whole_folder(path) as folder:
        for name, text in texts.items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            with replacing(place) as temporary:
                temporary.write_text(text, "utf-8")
