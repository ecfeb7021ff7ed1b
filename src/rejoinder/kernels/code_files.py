"""Files of machine code: in one folder that only this user can write to, each with its checksum.

What lies there is run. An object file stands behind a line that describes it, and a shared library
before such a line, because loaders do not look behind the end of a library.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import BinaryIO

OBJECT, LIBRARY = ".o", ".so"
"""The suffixes: of an object file, and of a shared library."""

# How a file is opened: no symbolic link is followed, no byte translated (Windows).
READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@cache
def folder() -> Path | None:
    """The folder of machine code; None where there is none that only this user can write to.

    What lies there is run. So a folder counts only if it belongs to this user (or to root) and
    nobody else may write to it, and so does every link in its path, which is followed once, here:
    whoever owns a link says where the folder is. The path must be absolute, or another current
    folder would be another cache. ``REJOINDER_CACHE`` names the folder; without it, it is
    ``__pycache__`` beside the sources, else ``rejoinder`` in ``XDG_CACHE_HOME`` or ``~/.cache``.
    Without a folder every process compiles anew, which takes some seconds; where
    ``REJOINDER_CACHE`` is refused, a warning says so.
    """
    chosen = os.environ.get("REJOINDER_CACHE")
    if chosen:
        if private := _private(Path(chosen)):
            return private
        warnings.warn(
            f"REJOINDER_CACHE={chosen!r}: not used, so that kernels are compiled anew in each "
            "process; expected the absolute path of a folder that you own and that nobody else may "
            "write to (chmod go-w), without links of others in its path, since the code in it is run",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    beside = Path(__file__).parent / "__pycache__"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return _private(beside) or _private(Path(home) / "rejoinder")


def _private(place: Path) -> Path | None:
    """A folder without links in its path, if it is or can be made private; else None.

    It is private where it is this user's own and nobody else may write to it.
    """
    if not place.is_absolute():
        return None
    try:
        links = [each.lstat() for each in (place, *place.parents) if each.is_symlink()]
        if not all(_owned(each) for each in links):
            return None
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        real = place.resolve(strict=True)
        return real if _trusted(real.stat()) and os.access(real, os.W_OK) else None
    except (OSError, RuntimeError):  # a loop of links is a RuntimeError up to Python 3.12
        return None


def _owned(status: os.stat_result) -> bool:
    """Whether this user or root owns what has this status; all is owned where there are no owners."""
    return not hasattr(os, "geteuid") or status.st_uid in (0, os.geteuid())


def _trusted(status: os.stat_result) -> bool:
    """Whether only this user and root could have written what has this status.

    Where files have no such owners (Windows), the user's own folders are private as they are.
    """
    return _owned(status) and not (hasattr(os, "geteuid") and status.st_mode & 0o022)


def opened(name: str) -> tuple[BinaryIO, str] | None:
    """An open file and the name of its function; None where it is absent, not whole, or of others.

    The file that is checked is the one that is open: no link, nothing put there in between.
    """
    place = folder()
    if place is None:
        return None
    file = None
    try:
        file = open(os.open(place / name, READ), "rb")  # noqa: SIM115 (the caller may go on with it)
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and _trusted(status):
            symbol, _ = _content(file.read(), name)
            return file, symbol
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    if file is not None:
        file.close()
    return None


def read(name: str) -> tuple[str, bytes] | None:
    """The name of the function and the code of a file; None as for ``opened``."""
    checked = opened(name)
    if checked is None:
        return None
    with checked[0] as file:
        file.seek(0)
        return _content(file.read(), name)


def write(name: Callable[[str], str], key: str, symbol: str, code: bytes) -> None:
    """Writes a file, where there is a place for it; those of the same kernel and other keys go.

    Args:
        name: The name of the file for a key.
        key: What the code depends on.
        symbol: The name of its function.
        code: An object file, or a shared library.
    """
    place = folder()
    if place is None:
        return
    import tempfile

    temporary = None
    try:
        # Made for this user alone, whatever the umask; a link that waits there is not followed.
        opened, temporary = tempfile.mkstemp(dir=place, prefix=".kernel-")
        path = place / name(key)
        with open(opened, "wb") as file:
            file.write(described(symbol, code, path.name))
        os.replace(temporary, path)
        for old in place.glob(name("*")):
            if old != path:
                old.unlink(missing_ok=True)
    except OSError:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def described(symbol: str, code: bytes, name: str) -> bytes:
    """The content of a file of this name: the code, and the line that describes it.

    Args:
        symbol: The name of the function.
        code: The compiled code.
        name: The name of the file.
    """
    line = json.dumps({"symbol": symbol, "sha256": digest(symbol, code)}).encode()
    return b"\n".join((code, line) if name.endswith(LIBRARY) else (line, code))


def digest(symbol: str, code: bytes) -> str:
    """The checksum of code and of the name of its function."""
    return hashlib.sha256(symbol.encode() + b"\n" + code).hexdigest()


def _content(content: bytes, name: str) -> tuple[str, bytes]:
    """The name of the function and the code; an error that ``opened`` names where it is not whole."""
    if name.endswith(LIBRARY):
        code, _, line = content.rpartition(b"\n")
    else:
        line, _, code = content.partition(b"\n")
    description = json.loads(line)
    symbol = description["symbol"]
    if description["sha256"] != digest(symbol, code):
        raise ValueError("another checksum")
    return symbol, code
