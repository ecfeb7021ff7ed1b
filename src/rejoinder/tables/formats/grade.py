"""GRADE's rated replies (Huang et al. 2020): parallel text, turns separated by ``|||``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.tables.formats.format import Format
from rejoinder.tables.formats.items import Items, spoken
from rejoinder.tables.formats.text import read_lines
from rejoinder.tables.origin import Origin, ResponsesDraft, TestSetDraft
from rejoinder.tables.schemas import RESPONSES
from rejoinder.tables.wording import counted

_FILES = ("human_ctx.txt", "human_ref.txt", "human_hyp.txt")


def recognise(path: Path, first: bytes) -> bool:
    """A system's folder with its three files, a folder of such folders, or a ``human_hyp.txt``."""
    return bool(_folders(path)) if path.is_dir() else path.name == "human_hyp.txt"


def read_testset(paths: Sequence[Path]) -> TestSetDraft:
    """Items "1", "2", ... with one reference each, the same for all systems of a folder."""
    if len(paths) > 1 or not (folders := _folders(paths[0])):
        raise InputError(f"{paths[-1]}: expected one folder that holds {', '.join(_FILES)}")
    contexts, references = (_same(folders, name) for name in _FILES[:2])
    place = str(folders[0] / _FILES[0])
    if len(contexts) != len(references):
        raise InputError(
            f"{place}: {counted(len(contexts), 'line')}, but {_FILES[1]} has "
            f"{len(references)}; expected the same number"
        )
    items = Items()
    for number, (context, text) in enumerate(zip(contexts, references, strict=True), start=1):
        items.add(str(number), context.split("|||"), spoken([text], "original"), (place, number))
    return items.draft()


def read_responses(paths: Sequence[Path], ids: Sequence[str] | None) -> ResponsesDraft:
    """The replies of each system, named after its folder."""
    (path,) = paths
    files = [folder / _FILES[2] for folder in _folders(path)] if path.is_dir() else [path]
    frames, stretches = [], []
    for file in files:
        lines = read_lines(file)
        numbers = range(1, len(lines) + 1)
        columns = {
            "system": [file.absolute().parent.name] * len(lines),
            "id": [str(number) for number in numbers],
            "text": lines,
        }
        frames.append(pl.DataFrame(columns, schema=RESPONSES))
        stretches.append((str(file), numbers))
    if not frames:
        raise InputError(f"{path}: expected a folder that holds {', '.join(_FILES)}")
    return ResponsesDraft(pl.concat(frames), Origin(tuple(stretches)))


FORMAT = Format(
    "grade",
    "GRADE's folders of human_ctx.txt, human_ref.txt and human_hyp.txt",
    recognise,
    read_testset,
    read_responses,
)


def _folders(path: Path) -> list[Path]:
    """The folders of systems at or right below a path."""
    if not path.is_dir():
        return []
    candidates = [path, *sorted(p for p in path.iterdir() if p.is_dir())]
    return [c for c in candidates if all((c / name).is_file() for name in _FILES)]


def _same(folders: Sequence[Path], name: str) -> list[str]:
    """The lines of a file that every system's folder has alike."""
    lines = read_lines(folders[0] / name)
    for folder in folders[1:]:
        if read_lines(folder / name) != lines:
            raise InputError(
                f"{folder / name}: differs from {folders[0] / name}; the systems answered other "
                "items: read each folder as a test set of its own"
            )
    return lines
