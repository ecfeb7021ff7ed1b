"""Plain text, sacreBLEU's way: line i of every file belongs to item i."""

from __future__ import annotations

from pathlib import Path

from rejoinder.files.reading import read_text, suffix_of
from rejoinder.tables.notes import note

_BOM = b"\xef\xbb\xbf"


def recognise(path: Path, first: bytes) -> bool:
    """A ``.txt`` that does not open like JSON: that may be JSON Lines under a wrong name."""
    opens = first.removeprefix(_BOM).lstrip()[:2]
    return suffix_of(path) == ".txt" and bool(first) and opens not in (b'{"', b"[{", b'["')


def read_lines(path: Path) -> list[str]:
    r"""The lines of a file, split at ``\n`` alone, as sacreBLEU does.

    A carriage return before the line's end is taken off, and the log says so. Other characters
    that Python's ``splitlines`` would split at (form feed, U+2028) stay in the line.

    Raises:
        InputError: The file cannot be read as UTF-8 text.
    """
    lines = read_text(path, blank=True).split("\n")
    if not lines[-1]:
        lines.pop()
    ends = sum(line.endswith("\r") for line in lines)
    if ends:
        note("line ends", path, lines=ends)
        lines = [line.removesuffix("\r") for line in lines]
    return lines
