"""GRADE's rated replies (Huang et al. 2020): parallel text, turns separated by ``|||``.

A data set is a folder with a folder for each system, which holds three files. All data sets may be
read at once, from the folder above them. Systems need not have answered the same contexts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import counted
from rejoinder.tables.assembly.grade_items import PUBLISHED, item_names
from rejoinder.tables.assembly.items import Items, Place, Reference, spoken
from rejoinder.tables.format import Asked, Format
from rejoinder.tables.io.text_lines import read_lines
from rejoinder.tables.origin import Draft, Origin, TestSetDraft
from rejoinder.tables.schemas import RESPONSES

_FILES = ("human_ctx.txt", "human_ref.txt", "human_hyp.txt")


def recognise(path: Path, first: bytes) -> bool:
    """A system's folder with its three files, a folder of such folders (also two levels down, or in
    ``eval_data``), or a ``human_hyp.txt``.
    """
    return bool(_data_sets(path)) if path.is_dir() else path.name == _FILES[2]


def read_testset(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """One item for each context, with the references that stand beside it in the systems' folders."""
    if len(paths) > 1 or not (data_sets := _data_sets(paths[0])):
        raise InputError(f"{paths[-1]}: expected one folder that holds {', '.join(_FILES)}")
    turns: dict[str, list[str]] = {}
    places: dict[str, Place] = {}
    references: dict[str, list[Reference]] = {}
    for data_set in data_sets:
        names = data_set.names()
        for system in data_set.wanted:
            folder = data_set.systems[system]
            contexts, texts, _ = _aligned(folder)
            for number, (name, context, text) in enumerate(
                zip(names[system], contexts, texts, strict=True), start=1
            ):
                turns.setdefault(name, context.split("|||"))
                places.setdefault(name, (str(folder / _FILES[0]), number))
                held = references.setdefault(name, [])
                held += [each for each in spoken([text], "original") if each not in held]
    items = Items()
    for name, context in turns.items():
        items.add(name, context, references[name], places[name])
    return items.draft()


def read_responses(path: Path, asked: Asked) -> Draft:
    """The replies of each system, named after its folder."""
    data_sets = _data_sets(path) if path.is_dir() else _data_sets(path.absolute().parent)
    if path.is_dir() and not data_sets:
        raise InputError(f"{path}: expected a folder that holds {', '.join(_FILES)}")
    if not data_sets:  # a human_hyp.txt alone
        lines = read_lines(path)
        names = [str(number) for number in range(1, len(lines) + 1)]
        return _draft([(path.absolute().parent.name, path, names, lines)])
    found = []
    for data_set in data_sets:
        names = data_set.names()
        for system in data_set.wanted:
            folder = data_set.systems[system]
            file = path if path.is_file() else folder / _FILES[2]
            found.append((system, file, names[system], _aligned(folder)[2]))
    return _draft(found)


def _draft(found: Sequence[tuple[str, Path, list[str], list[str]]]) -> Draft:
    frames, row_numbers = [], []
    for system, file, names, lines in found:
        columns = {"system": [system] * len(lines), "id": names, "text": lines}
        frames.append(pl.DataFrame(columns, schema=RESPONSES))
        row_numbers.append((str(file), range(1, len(lines) + 1)))
    return Draft(pl.concat(frames), Origin(tuple(row_numbers)))


FORMAT = Format(
    "grade",
    "GRADE's folders of human_ctx.txt, human_ref.txt and human_hyp.txt",
    recognise,
    {"test set": read_testset, "responses": read_responses},
    holds_all=Path.is_dir,
)


@dataclass(frozen=True)
class _DataSet:
    """The folders of a data set.

    Attributes:
        name: What goes before the names of its items; empty where it is the only one.
        systems: The folder of every system, by name: all of them say what the items are called.
        wanted: The systems that are read.
    """

    name: str
    systems: dict[str, Path]
    wanted: list[str]

    def names(self) -> dict[str, list[str]]:
        """By system the item of each line."""
        contexts = {name: read_lines(each / _FILES[0]) for name, each in self.systems.items()}
        return item_names(contexts, self.name)


def _data_sets(path: Path) -> list[_DataSet]:
    """The data sets at a folder: of one system, of several, of several data sets, or all as published."""
    if (path / PUBLISHED).is_dir():
        path = path / PUBLISHED
    if _is_system(path):
        folder = path.absolute().parent
        systems = {each.absolute().name: each for each in (*_systems(folder).values(), path)}
        return [_DataSet(_before(folder), systems, [path.absolute().name])]
    if systems := _systems(path):
        return [_DataSet(_before(path.absolute()), systems, sorted(systems))]
    found = [(each.name, _systems(each)) for each in _folders(path)]
    return [_DataSet(name, systems, sorted(systems)) for name, systems in found if systems]


def _before(folder: Path) -> str:
    """The name of a data set that lies beside others, as published; else nothing."""
    return folder.name if folder.parent.name == PUBLISHED else ""


def _systems(path: Path) -> dict[str, Path]:
    return {each.name: each for each in _folders(path) if _is_system(each)}


def _folders(path: Path) -> list[Path]:
    try:
        return sorted(each for each in path.iterdir() if each.is_dir())
    except OSError:
        return []


def _is_system(path: Path) -> bool:
    try:
        return all((path / name).is_file() for name in _FILES)
    except OSError:  # a folder that may not be looked into is none of ours
        return False


def _aligned(folder: Path) -> list[list[str]]:
    """The lines of a system's three files.

    Raises:
        InputError: They have other numbers of lines.
    """
    files = [read_lines(folder / name) for name in _FILES]
    for name, lines in zip(_FILES, files, strict=True):
        if len(lines) != len(files[0]):
            raise InputError(
                f"{folder / _FILES[0]}: {counted(len(files[0]), 'line')}, but {name} has "
                f"{len(lines)}; expected the same number"
            )
    return files
