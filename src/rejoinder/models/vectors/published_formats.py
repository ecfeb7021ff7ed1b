"""Word vectors in the formats that others publish: word2vec (text, binary), GloVe, fastText (.vec).

| format | first line | then |
|---|---|---|
| word2vec text, fastText ``.vec`` | ``V d`` | a line for each word: the word, d numbers |
| GloVe | none | the same |
| word2vec binary | ``V d`` | the word, a blank, d float32 (little-endian), perhaps a line end |

Numbers are parted by blanks and counted from the right, since some of GloVe's words hold blanks.
A word that comes twice keeps its first vector, as in gensim. ``.gz`` files are read as they are.
"""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import numpy as np

from rejoinder.errors import InputError

EXPECTED = "expected word vectors of word2vec (text or binary), GloVe or fastText (.vec)"


def read_vector_file(path: Path) -> tuple[list[str], np.ndarray]:
    """Reads words and their vectors: float32 [V, d].

    Raises:
        InputError: The file cannot be read, is cut, or holds something else.
    """
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read ({error}); {EXPECTED}") from None
    end = data.find(b"\n")
    header = _header(data[: max(0, end)])
    if header is None:
        return _read_text(path, data, 0, None)
    count, size = header
    if count * size > len(data):  # before memory is asked for: a number takes a byte and more
        raise InputError(
            f"{path}: says {count} words of {size} numbers, which is more than the file holds; it is "
            "cut, or none of word vectors: fetch it again"
        )
    if _is_text(data, end + 1, size):
        return _read_text(path, data, end + 1, header)
    return _read_binary(path, data, end + 1, count, size)


def _header(line: bytes) -> tuple[int, int] | None:
    """``V d``, where a first line says so."""
    fields = line.split()
    if len(fields) == 2 and all(each.isdigit() and len(each) < 19 for each in fields):
        return int(fields[0]), int(fields[1])
    return None


def _is_text(data: bytes, begin: int, size: int) -> bool:
    """Whether the first word is followed by d numbers that can be read."""
    end = data.find(b"\n", begin)
    fields = data[begin : end if end >= 0 else len(data)].rsplit(maxsplit=size)
    try:
        return len(fields) == size + 1 and all(map(_number, fields[1:]))
    except ValueError:
        return False


def _number(field: bytes) -> bool:
    float(field)
    return True


def _read_text(
    path: Path, data: bytes, begin: int, header: tuple[int, int] | None
) -> tuple[list[str], np.ndarray]:
    lines = [line for line in data[begin:].split(b"\n") if line.strip()]
    if not lines:
        raise InputError(f"{path}: holds no vector; {EXPECTED}")
    size = header[1] if header else len(lines[0].split()) - 1
    before = 1 if header else 0
    if header and len(lines) != header[0]:
        raise InputError(
            f"{path}: says {header[0]} words and holds {len(lines)}; it is cut: fetch it again"
        )
    rows: dict[str, int] = {}
    matrix = np.empty((len(lines), max(1, size)), dtype=np.float32)
    for number, line in enumerate(lines, 1 + before):
        fields = line.rsplit(maxsplit=size)
        if size < 1 or len(fields) != size + 1:
            raise _bad_line(path, number, line, size)
        word = _word(path, number, fields[0])
        if word in rows:
            continue
        try:
            matrix[len(rows)] = fields[1:]
        except ValueError:
            raise _bad_line(path, number, line, size) from None
        rows[word] = len(rows)
    return list(rows), matrix[: len(rows)]


def _read_binary(
    path: Path, data: bytes, begin: int, count: int, size: int
) -> tuple[list[str], np.ndarray]:
    rows: dict[str, int] = {}
    width = 4 * size
    matrix = np.empty((count, size), dtype=np.float32)
    place = begin
    for number in range(1, count + 1):
        blank = data.find(b" ", place)
        if blank < 0 or blank + 1 + width > len(data):
            raise InputError(f"{path}: cut at word {number} of {count}; fetch it again")
        word = _word(path, number, data[place:blank].lstrip(b"\n"))
        if word not in rows:
            matrix[len(rows)] = np.frombuffer(data, "<f4", size, blank + 1)
            rows[word] = len(rows)
        place = blank + 1 + width
    return list(rows), matrix[: len(rows)]


def _word(path: Path, number: int, word: bytes) -> str:
    try:
        return word.decode()
    except UnicodeDecodeError:
        raise InputError(
            f"{path}: word {number} ({word[:40]!r}) is not UTF-8; {EXPECTED}"
        ) from None


def _bad_line(path: Path, number: int, line: bytes, size: int) -> InputError:
    shown = line[:60].decode(errors="replace")
    return InputError(
        f"{path}, line {number}: {shown!r} is no word followed by {max(1, size)} numbers; {EXPECTED}"
    )
