"""Bytes and text from the disk, where every fault of a file is one InputError.

Text is UTF-8. A byte-order mark is accepted and dropped; UTF-16, compressed files and binary
files are refused by name, because read as text they would give a table of nonsense.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path

from rejoinder.errors import InputError, ParameterError
from rejoinder.files import pipes, queries
from rejoinder.files.packed import refuse_packed
from rejoinder.files.sources import data_of, head_of
from rejoinder.messages import nearest

GZIP = b"\x1f\x8b"
"""The first bytes of a file that gzip packed."""

FREE = 8 << 20
"""Bytes that a file may always unpack to; a table of these takes some hundred MB of memory."""

MOST = 100
"""Beyond these, how many times its own size a file may unpack to; text packs 3 to 20 times, tables of
ratings up to 60 times."""

_PART = 1 << 20
_ADDRESS = re.compile(r"(https?|ftp|s3|gs|hf):/")


HEAD = 4096  # bytes that are enough to recognise a format by

STANDARD_INPUT = Path("/dev/stdin")
"""What ``-`` in the place of a path stands for."""


def existing(paths: Sequence[object], what: str) -> list[Path]:
    """Paths that exist, are files or folders, and name no file twice.

    Args:
        paths: As the user gave them; ``-`` is standard input, and a query of a database the file of its
            rows.
        what: What they are to hold, for the message: ``test set`` or ``responses``.

    Raises:
        InputError: A path is missing, is neither file nor folder, or is named twice.
        ParameterError: No path, or something that is not a path.
    """
    if not paths:
        raise ParameterError(f"{what}: no path given; expected at least one file")
    by_inode: dict[tuple[int, int], Path] = {}
    for given in paths:
        if not isinstance(given, (str, os.PathLike)):
            raise ParameterError(
                f"{what}: expected paths one by one, got {type(given).__name__}; {_instead(given, what)}"
            )
        if isinstance(given, str) and given.startswith(queries.SCHEMES):
            given = queries.file_of(given)
        path = STANDARD_INPUT if str(given) == "-" else Path(given)
        status = _stat(path)
        key = (status.st_dev, status.st_ino)
        if key in by_inode:
            raise InputError(
                f"{path}: the same file is given twice (also as {by_inode[key]}); give it once"
            )
        by_inode[key] = path
    return list(by_inode.values())


def _instead(given: object, what: str) -> str:
    """What to do with something that is no path."""
    if not hasattr(given, "columns"):
        return "unpack a list with a star: read(*paths)"
    if what == "test set":
        return "a table in memory needs no reading: TestSet(contexts, references)"
    return f"a table in memory needs no reading: give it in the place of the {what}"


def head(path: Path) -> bytes:
    """The first bytes of a file, by which its format is recognised."""
    return _read(path, HEAD)


def read_bytes(path: Path) -> bytes:
    """All bytes of a file.

    Raises:
        InputError: The file cannot be read, or is empty.
    """
    data = _read(path, -1)
    if not data:
        raise InputError(f"{path}: the file is empty (0 bytes); expected at least one row")
    return data


def read_text(path: Path, blank: bool = False) -> str:
    """The text of a UTF-8 file, without its byte-order mark.

    Args:
        path: The file.
        blank: Whether a file of nothing but white space is accepted (empty lines of plain text).

    Raises:
        InputError: The file cannot be read, is empty, compressed, binary or not UTF-8.
    """
    text = decode(read_bytes(path), str(path))
    if not text or (text.isspace() and not blank):
        raise InputError(f"{path}: the file holds nothing but white space; expected rows")
    return text


def decode(data: bytes, name: str) -> str:
    """Decodes UTF-8, with the row of the first byte that is not.

    Args:
        data: The bytes of a whole file.
        name: The file's name for the message.

    Raises:
        InputError: The bytes are compressed, binary, or not UTF-8.
    """
    refuse_packed(data, name)
    if b"\x00" in data:
        row = data.count(b"\n", 0, data.index(b"\x00")) + 1
        raise InputError(
            f"{name}, row {row}: a NUL byte; expected plain UTF-8 text; if the file is UTF-16, "
            "save it as UTF-8, otherwise it is a binary file"
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}, row {row}: {_not_utf8(data, error.start)}") from None
    return text.removeprefix("\ufeff")


def _not_utf8(data: bytes, start: int) -> str:
    # ED A0..BF is how a surrogate looks where a program wrote one half of a pair as UTF-8.
    if data[start] == 0xED and data[start + 1 : start + 2] >= b"\xa0":
        return "a lone surrogate (half a character); write the text again from a clean source"
    return (
        f"byte 0x{data[start]:02x} is not UTF-8; find out which encoding the file has (for example "
        "GB18030, Shift_JIS or cp1252) and convert it from that one (iconv -f ENCODING -t utf-8); "
        "a wrong guess may replace letters by others without an error"
    )


def suffix_of(path: Path) -> str:
    """The suffix of a file in lower case, as it is when unpacked.

    >>> suffix_of(Path("bot.JSONL.gz")), suffix_of(Path("bot.csv"))
    ('.jsonl', '.csv')
    """
    return _unpacked_name(path).suffix.lower()


def stem_of(path: Path) -> str:
    """The name of a file without its suffix, as it is when unpacked.

    That of a pipe without a name is ``pipe``.

    >>> stem_of(Path("bots/bot.jsonl.gz"))
    'bot'
    """
    return pipes.name_of(path) or _unpacked_name(path).stem


def _unpacked_name(path: Path) -> Path:
    return path.with_suffix("") if path.suffix.lower() == ".gz" else path


def first_line(path: Path) -> bytes:
    """The first line of a file that is not blank; empty where there is none."""
    data = data_of(path)
    lines = unpacked(path).splitlines() if data.startswith(GZIP) else io.BytesIO(data)
    lines = (line.removeprefix(b"\xef\xbb\xbf") for line in lines)
    return next((line for line in lines if line.strip()), b"")


def _read(path: Path, size: int) -> bytes:
    try:
        data = data_of(path) if size < 0 else head_of(path, size)
        return unpacked(path, size) if data.startswith(GZIP) else data
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder; expected a file; name the files in it") from None
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read: {error.strerror}; check the path and its permissions"
        ) from error


def _stat(path: Path) -> os.stat_result:
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        if _ADDRESS.match(str(path)):
            raise InputError(
                f"{path}: an address on the web; expected a file; download it first (curl -LO ADDRESS)"
            ) from None
        raise InputError(f"{path}: no such file{_near(path)}") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise InputError(
            f"{str(path)!r}: cannot be read: {error}; check the path and its permissions"
        ) from error
    if pipes.is_pipe(status):
        pipes.take(path, status)
    elif not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        raise InputError(
            f"{path}: is neither a file nor a folder (a device, a terminal?); write it to a file first"
        )
    return status


def _near(path: Path) -> str:
    try:
        # By stem: a suffix in common makes strangers look alike.
        stems = {entry.stem: entry for entry in path.parent.iterdir()}
    except OSError:
        absent = f"; there is no folder {path.parent}"
        if path.parts[0] == "examples":
            absent += "; 'rejoinder --example-files examples' writes the example files there"
        return absent
    close = nearest(path.stem, stems, cutoff=0.7)
    return f"; did you mean {stems[close]}?" if close else "; check the path"


def unpacked(path: Path, size: int = -1) -> bytes:
    """The content of a file that gzip packed.

    Args:
        path: The file.
        size: The number of bytes wanted; -1: all.

    Raises:
        InputError: It is cut off or altered, or unpacks to far more than text does.
    """
    import gzip  # for packed files alone
    import zlib

    parts, length = [], 0
    try:
        packed = data_of(path)
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            bound = max(FREE, MOST * len(packed))
            while size < 0 or length < size:
                part = file.read(_PART if size < 0 else min(_PART, size - length))
                if not part:
                    break
                parts.append(part)
                length += len(part)
                if length > bound:
                    raise InputError(
                        f"{path}: unpacks to more than {bound >> 20} MiB, over {MOST} times its size; "
                        "no table of text does; if it is sound, unpack it first (gunzip)"
                    )
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(
            f"{path}: a gzip file that is damaged: {error}; copy or download it again"
        ) from None
    return b"".join(parts)
