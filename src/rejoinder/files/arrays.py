"""Arrays that grow: in memory, or in the files of a folder, which are mapped and not read.

Who builds an index appends to arrays by name and asks for them when they are complete, and need not
know where they lie. A folder is complete when ``finish`` has written its record, with the checksum of
every file; until then it lies under a temporary name.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import InputError
from rejoinder.files.checksums import with_checksum, without_checksum
from rejoinder.files.content import sha256
from rejoinder.files.replacing import failure, whole_folder
from rejoinder.messages import quoted

Array: TypeAlias = NDArray[Any]

RECORD = "index.json"
_REMEDY = "remove the folder, so that the next command makes it anew"


class MemoryArrays:
    """Arrays in memory."""

    def __init__(self) -> None:
        self._parts: dict[str, list[Array]] = {}

    def append(self, name: str, values: Array) -> None:
        """Appends to an array; the first call makes it."""
        self._parts.setdefault(name, []).append(values)

    def allocate(self, name: str, size: int, dtype: type[np.generic]) -> Array:
        """A new array of this size, to be written to."""
        self._parts[name] = [np.zeros(size, dtype=dtype)]
        return self._parts[name][0]

    def complete(self, name: str) -> Array:
        """An array as it was appended, to be read."""
        parts = self._parts[name]
        if len(parts) > 1:
            self._parts[name] = parts = [np.concatenate(parts)]
        return parts[0]

    def remove(self, name: str) -> None:
        """Removes an array that is needed no longer."""
        del self._parts[name]


class FileArrays:
    """Arrays in the files of a folder, one file each, without a header.

    Args:
        folder: An empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: dict[str, BinaryIO] = {}
        self._dtypes: dict[str, np.dtype[Any]] = {}

    def append(self, name: str, values: Array) -> None:
        """Appends to an array; the first call makes it."""
        if name not in self._open:
            self._open[name] = (self.folder / name).open("wb")
            self._dtypes[name] = values.dtype
        self._open[name].write(np.ascontiguousarray(values).data)

    def allocate(self, name: str, size: int, dtype: type[np.generic]) -> Array:
        """A new array of this size, to be written to."""
        path = self.folder / name
        self._dtypes[name] = np.dtype(dtype)
        with path.open("wb") as file:
            # A full disk is an error here; later, a page that cannot be written ends the process.
            if size and hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size * self._dtypes[name].itemsize)
            else:
                file.truncate(size * self._dtypes[name].itemsize)
        return _mapped(path, self._dtypes[name], "r+")

    def complete(self, name: str) -> Array:
        """An array as it was appended, to be read."""
        self._close(name)
        return _mapped(self.folder / name, self._dtypes[name], "r")

    def remove(self, name: str) -> None:
        """Removes an array that is needed no longer."""
        self._close(name)
        del self._dtypes[name]
        (self.folder / name).unlink()

    def finish(self, record: Mapping[str, Any]) -> None:
        """Closes all files and writes the record with their checksums."""
        self.close()
        arrays = {
            name: {"dtype": dtype.str, "sha256": sha256(self.folder / name)}
            for name, dtype in sorted(self._dtypes.items())
        }
        whole = with_checksum({**record, "arrays": arrays})
        (self.folder / RECORD).write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")

    def close(self) -> None:
        """Closes all files."""
        for name in list(self._open):
            self._close(name)

    def _close(self, name: str) -> None:
        if name in self._open:
            self._open.pop(name).close()


GrowingArrays: TypeAlias = MemoryArrays | FileArrays
"""Arrays by name, each of one dimension."""


@contextmanager
def new_folder(path: str | os.PathLike[str]) -> Iterator[FileArrays]:
    """Arrays in a new folder, which is there when the body has ended well, and otherwise not at all.

    Of two processes that make the same folder at once, the first one to finish has made it.

    Args:
        path: The folder, which is not there yet, or is empty; the folders above it are made.

    Raises:
        InputError: The folder cannot be made or written.
    """
    with whole_folder(path, is_written) as temporary:
        arrays = FileArrays(temporary)
        try:
            yield arrays
        finally:
            arrays.close()


def is_written(path: str | os.PathLike[str]) -> bool:
    """Whether a folder holds arrays that were written whole."""
    return (Path(path) / RECORD).is_file()


def is_free(path: str | os.PathLike[str]) -> bool:
    """Whether arrays can be written to a folder: it is not there, or empty.

    Raises:
        InputError: Something else is there.
    """
    folder = Path(path)
    if is_written(folder):
        return False
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{path}: is a file; expected a folder; name another place")
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"{path}: a folder with other things in it; name a new folder")
    return True


def read_folder(path: str | os.PathLike[str]) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays of a folder, mapped, and its record without their checksums.

    Raises:
        InputError: A file is missing, or is not as it was written.
    """
    folder = Path(path)
    try:
        record = without_checksum((folder / RECORD).read_bytes())
    except OSError as error:
        raise InputError(
            f"{folder / RECORD}: cannot be read: {failure(error)}; {_REMEDY}"
        ) from error
    except ValueError as error:
        raise InputError(f"{folder / RECORD}: damaged ({error}); {_REMEDY}") from None
    arrays = record.pop("arrays", None)
    if not isinstance(arrays, dict):
        raise InputError(f"{folder / RECORD}: damaged (it lists no arrays); {_REMEDY}")
    return {name: _checked(folder, name, each) for name, each in arrays.items()}, record


def _checked(folder: Path, name: str, described: Any) -> Array:
    """The array of a file, which is as the record describes it."""
    path, described = folder / name, described if isinstance(described, dict) else {}
    dtype, expected = _dtype(described.get("dtype")), described.get("sha256")
    if dtype is None or not isinstance(expected, str) or path.parent != folder or "\0" in name:
        raise InputError(
            f"{folder / RECORD}: damaged (the array {quoted(name)} lacks a file name, a type of numbers, "
            f"or a checksum); {_REMEDY}"
        )
    try:
        digest, size = sha256(path), path.stat().st_size
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {failure(error)}; {_REMEDY}") from error
    if digest != expected:
        raise InputError(f"{path}: damaged (its content does not match its checksum); {_REMEDY}")
    if size % dtype.itemsize:
        raise InputError(f"{path}: damaged ({size} bytes hold no whole {dtype.name}s); {_REMEDY}")
    return _mapped(path, dtype, "r")


def _dtype(name: object) -> np.dtype[Any] | None:
    """The type of numbers of this name, such as ``<u2``; None where there is none."""
    if not isinstance(name, str) or not re.fullmatch(r"[<>|][iufb]\d{1,2}", name):
        return None
    try:
        return np.dtype(name)
    except TypeError:
        return None


def _mapped(path: Path, dtype: np.dtype[Any], mode: Any) -> Array:
    if not path.stat().st_size:  # nothing can be mapped
        return np.zeros(0, dtype=dtype)
    # A plain array over the mapping: slices of np.memmap are slow to make.
    return np.asarray(np.memmap(path, dtype=dtype, mode=mode))
