"""Plain text, sacreBLEU's way: line i of every file belongs to item i."""

from __future__ import annotations

from pathlib import Path

from rejoinder.files.reading import read_text, suffix_of
from rejoinder.tables.notes import note

_BOM = b"\xef\xbb\xbf"


def recognise(path: Path, first: bytes) -> bool:
    """A ``.txt`` that does not open like JSON, has no tab and no mark of a chat.

    It may be JSON Lines, a table or a chat under a wrong name.
    """
    opens = first.removeprefix(_BOM).lstrip()[:2]
    if suffix_of(path) != ".txt" or not first or opens in (b'{"', b"[{", b'["'):
        return False
    return marked(path) is None


def marked(path: Path) -> tuple[int, str] | None:
    """The first line of a ``.txt`` that is none of plain text, and its contents."""
    if suffix_of(path) != ".txt" or path.is_dir():
        return None
    text = read_text(path, blank=True)
    marks = [(at, mark) for mark in _MARKS if (at := text.find(mark)) >= 0]
    if not marks:
        return None
    at, mark = min(marks)
    return text.count("\n", 0, at) + 1, "a tab" if mark == "\t" else mark


_MARKS = (
    "\t", "<|im_start|>", "<|user|>", "<|assistant|>", "<|start_header_id|>", "<start_of_turn>", "[INST]",
    "### Human:", "### Assistant:", "### Instruction:", "### Response:", " --> 00:",
)  # fmt: skip


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
