"""GRADE's human evaluation (Huang et al. 2020): parallel text, single ratings in JSON, mean scores.

The texts of a data set are a folder with a folder for each system, which holds three files; turns are
separated by ``|||``. All data sets may be read at once, from the folder above them. Systems need not have
answered the same contexts. Neither texts nor ratings name their items, so all readers name them by the
same rule, from the contexts alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import Place, counted, quoted
from rejoinder.tables.assembly.gathered import (
    GatheredItems,
    RatedReply,
    RatingRows,
    Reference,
    spoken,
)
from rejoinder.tables.assembly.long_or_wide import MEAN, OVERALL
from rejoinder.tables.assembly.rating_cells import number_in
from rejoinder.tables.format import Asked, FileHead, Format, Shape
from rejoinder.tables.io.json_lines import records
from rejoinder.tables.io.json_table import read_list
from rejoinder.tables.io.text_lines import read_lines
from rejoinder.tables.notes import note
from rejoinder.tables.parts import Draft, TestSetDraft, joined
from rejoinder.tables.schemas import RESPONSES

_CONTEXTS, _REPLIES, _MEANS = "human_ctx.txt", "human_hyp.txt", "human_score.txt"
_TEXTS = (_CONTEXTS, "human_ref.txt", _REPLIES)
_JUDGED = "human_judgement.json"
_PUBLISHED_TEXTS, _PUBLISHED_SCORES = "eval_data", "human_score"
"""The folders that hold the folders of all data sets, as they were published."""


def read_testset(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """One item for each context, with the references that stand beside it in the systems' folders.

    Raises:
        InputError: There is not one folder with the texts.
    """
    if len(paths) > 1 or not (data_sets := _data_sets(paths[0])):
        raise InputError(f"{paths[-1]}: expected one folder that holds {', '.join(_TEXTS)}")
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
                places.setdefault(name, Place(str(folder / _CONTEXTS), number))
                held = references.setdefault(name, [])
                held += [each for each in spoken([text], "original") if each not in held]
    items = GatheredItems()
    for name, context in turns.items():
        items.add(name, context, references[name], places[name])
    return items.draft()


def read_responses(path: Path, asked: Asked) -> Draft:
    """The replies of each system, named after its folder.

    Raises:
        InputError: The folder has no texts, or holds ratings.
    """
    data_sets = _data_sets(path) if path.is_dir() else _data_sets(path.absolute().parent)
    if path.is_dir() and not data_sets:
        raise InputError(f"{path}: expected a folder that holds {', '.join(_TEXTS)}")
    if FileHead.of(path).container == "json list":
        raise InputError(f"{path}: holds ratings; expected {_REPLIES}, which holds the replies")
    if not data_sets:  # a human_hyp.txt alone
        lines = read_lines(path)
        names = [str(number) for number in range(1, len(lines) + 1)]
        return _replies(path.absolute().parent.name, path, names, lines)
    parts = []
    for data_set in data_sets:
        names = data_set.names()
        for system in data_set.wanted:
            folder = data_set.systems[system]
            file = path if path.is_file() else folder / _REPLIES
            parts.append(_replies(system, file, names[system], _aligned(folder)[2]))
    return joined(parts)


def _replies(system: str, file: Path, names: list[str], lines: list[str]) -> Draft:
    columns = {"system": [system] * len(lines), "id": names, "text": lines}
    return Draft.of(file, range(1, len(lines) + 1), pl.DataFrame(columns, schema=RESPONSES))


def read_ratings(path: Path, asked: Asked) -> Draft:
    """The single ratings; where a folder has none, its mean scores.

    Raises:
        InputError: The file of mean scores is named, beside which that of single ratings exists.
    """
    if not path.is_dir():
        return _single_ratings(path)
    if _judged_in(path).is_file():
        return _single_ratings(_judged_in(path))
    above = path.absolute().parent / _JUDGED
    if above.is_file():
        raise InputError(
            f"{path}: holds mean scores ({_MEANS}); name {above}, which holds every single rating"
        )
    return _mean_ratings(path)


FORMAT = Format(
    "grade",
    "GRADE's folders of human_ctx.txt, human_ref.txt and human_hyp.txt; human_judgement.json; mean scores",
    (
        Shape("folder", also=lambda head: bool(_data_sets(head.path) or _with_means(head.path))),
        Shape("folder", also=lambda head: _judged_in(head.path).is_file()),
        Shape("text", also=lambda head: head.path.name == _REPLIES),
        Shape("json list", ('"HumanScores"',)),
    ),
    {"test set": read_testset, "responses": read_responses, "ratings": read_ratings},
    holds_all=Path.is_dir,
)


def item_names(contexts: Mapping[str, Sequence[str]], data_set: str = "") -> dict[str, list[str]]:
    """The item that each line of each system belongs to.

    Where all systems answered the same contexts in the same order, an item is called like its line.
    Else it is called like the first system that answered it, by name, and its line there. A context
    that a system answered several times is as many items.

    Args:
        contexts: By system the contexts that it answered, line by line.
        data_set: Goes before every name; empty where there is one data set.

    >>> item_names({"a": ["Hi", "Ho"], "b": ["Hi", "Ho"]})
    {'a': ['1', '2'], 'b': ['1', '2']}
    >>> item_names({"a": ["Hi", "Ho", "Hi"], "b": ["Oh", "Hi", "Hi"]}, "talk")["b"]
    ['talk/b-1', 'talk/a-1', 'talk/a-3']
    """
    before = f"{data_set}/" if data_set else ""
    lines_of = {system: [line.strip() for line in contexts[system]] for system in sorted(contexts)}
    lists = list(lines_of.values())
    if all(lines == lists[0] for lines in lists):
        return {s: [f"{before}{i}" for i in range(1, len(c) + 1)] for s, c in lines_of.items()}
    known: dict[tuple[str, int], str] = {}
    names: dict[str, list[str]] = {}
    for system, lines in lines_of.items():
        times: Counter[str] = Counter()
        names[system] = []
        for number, line in enumerate(lines, start=1):
            times[line] += 1
            name = known.setdefault((line, times[line]), f"{before}{system}-{number}")
            names[system].append(name)
    return names


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
        contexts = {name: read_lines(each / _CONTEXTS) for name, each in self.systems.items()}
        return item_names(contexts, self.name)


def _data_sets(path: Path) -> list[_DataSet]:
    """The data sets at a folder: of one system, of several, of several data sets, or all as published."""
    if (path / _PUBLISHED_TEXTS).is_dir():
        path = path / _PUBLISHED_TEXTS
    if _has(path, _TEXTS):
        folder = path.absolute().parent
        systems = {each.absolute().name: each for each in (*_systems(folder).values(), path)}
        return [_DataSet(_before(folder), systems, [path.absolute().name])]
    if systems := _systems(path):
        return [_DataSet(_before(path.absolute()), systems, sorted(systems))]
    found = [(each.name, _systems(each)) for each in _folders(path)]
    return [_DataSet(name, systems, sorted(systems)) for name, systems in found if systems]


def _before(folder: Path) -> str:
    """The name of a data set that lies beside others, as published; else nothing."""
    return folder.name if folder.parent.name == _PUBLISHED_TEXTS else ""


def _systems(path: Path, files: Sequence[str] = _TEXTS) -> dict[str, Path]:
    """By name the folders of systems, which hold these files."""
    return {each.name: each for each in _folders(path) if _has(each, files)}


def _folders(path: Path) -> list[Path]:
    try:
        return sorted(each for each in path.iterdir() if each.is_dir())
    except OSError:
        return []


def _has(path: Path, files: Sequence[str]) -> bool:
    try:
        return all((path / name).is_file() for name in files)
    except OSError:  # a folder that may not be looked into is none of ours
        return False


def _aligned(folder: Path) -> list[list[str]]:
    """The lines of a system's three files.

    Raises:
        InputError: They have other numbers of lines.
    """
    files = [read_lines(folder / name) for name in _TEXTS]
    for name, lines in zip(_TEXTS, files, strict=True):
        if len(lines) != len(files[0]):
            raise InputError(
                f"{folder / _CONTEXTS}: {counted(len(files[0]), 'line')}, but {name} has "
                f"{len(lines)}; expected the same number"
            )
    return files


class _Judged(msgspec.Struct):
    ID: int
    DialogModel: str
    HumanScores: str | list[float]
    Dataset: str | None = None
    Context: str | None = None
    Response: str | None = None

    @property
    def data_set(self) -> str:
        """The data set as its folder is called: the file says ``dailydialog_EVAL`` for one of them."""
        return (self.Dataset or "").removesuffix("_EVAL")


_Row: TypeAlias = tuple[Place, _Judged]


def _judged_in(folder: Path) -> Path:
    """The JSON in a folder, or in its ``human_score``, as published."""
    below = folder / _PUBLISHED_SCORES / _JUDGED
    return below if below.is_file() else folder / _JUDGED


def _single_ratings(file: Path) -> Draft:
    """The single ratings: for each reply a list of scores."""
    judged = list(records(file, enumerate(read_list(file), start=1), _Judged))
    data_sets = sorted({reply.data_set for _, reply in judged})
    published = (file.absolute().parent.parent / _PUBLISHED_TEXTS).is_dir()
    rows = RatingRows(file)
    for data_set in data_sets:
        systems: dict[str, list[_Row]] = {}
        for row in sorted(judged, key=lambda row: (row[1].DialogModel, row[1].ID)):
            if row[1].data_set == data_set:
                systems.setdefault(row[1].DialogModel, []).append(row)
        for system, members in systems.items():
            _check_whole(members, file, system, data_set)
        names = _names_of_judged(systems, data_set if len(data_sets) > 1 or published else "")
        for system, members in systems.items():
            for item, (place, reply) in zip(names[system], members, strict=True):
                # Nobody is named: a rater is a place in the list, and other people for each item.
                for rater, score in enumerate(_scores(reply, place), start=1):
                    rows.add(place, RatedReply(system, item), str(rater), OVERALL, score)
    return rows.draft()


def _names_of_judged(systems: dict[str, list[_Row]], data_set: str) -> dict[str, list[str]]:
    """By system the items of its replies; without contexts, the place of each reply."""
    contexts = {system: [reply.Context for _, reply in rows] for system, rows in systems.items()}
    known = all(context is not None for lines in contexts.values() for context in lines)
    if known:
        return item_names({s: [c or "" for c in lines] for s, lines in contexts.items()}, data_set)
    return {s: item_names({s: [""] * len(lines)}, data_set)[s] for s, lines in contexts.items()}


def _scores(reply: _Judged, place: Place) -> list[float]:
    if isinstance(reply.HumanScores, list):
        return reply.HumanScores
    try:
        return msgspec.json.decode(reply.HumanScores, type=list[float])
    except (msgspec.DecodeError, msgspec.ValidationError):
        raise InputError(
            f"{place}: HumanScores: got {quoted(reply.HumanScores)}; expected a list of numbers, "
            "like [4, 5, 3]"
        ) from None


def _check_whole(members: list[_Row], file: Path, system: str, data_set: str) -> None:
    """The place of a reply among its system's is a line of its folder, so that none may be missing.

    Raises:
        InputError: An ID is missing or a duplicate, or the folder of the texts has other replies.
    """
    for (_, before), (place, after) in pairwise(members):
        if after.ID != before.ID + 1:
            raise InputError(
                f"{place}: ID {after.ID} of system {quoted(system)} comes after "
                f"{before.ID}; expected no gap, the items are counted; restore the whole file"
            )
    folders = (file.parent, file.absolute().parent.parent / _PUBLISHED_TEXTS / data_set)
    found = [folder / system / _REPLIES for folder in folders]
    replies = next((each for each in found if each.is_file()), None)
    if replies is None:
        return
    lines = [line.strip() for line in read_lines(replies)]
    texts = [reply.Response for _, reply in members]
    differ = [
        index
        for index, text in enumerate(texts)
        if index >= len(lines) or (text is not None and text.strip() != lines[index])
    ]
    if differ or len(lines) != len(texts):
        place = differ[0] if differ else len(texts)
        raise InputError(
            f"{replies}, row {place + 1}: not the reply that {file} rates as item {place + 1} of "
            f"{quoted(system)}; are the two of one release?"
        )


def _with_means(path: Path) -> list[Path]:
    """The folders of mean scores at a folder: itself, those in it, or those in its ``human_score``."""
    if _systems(path, [_MEANS]):
        return [path]
    below = path / _PUBLISHED_SCORES
    return [
        each for each in _folders(below if below.is_dir() else path) if _systems(each, [_MEANS])
    ]


def _mean_ratings(path: Path) -> Draft:
    """The mean scores of a folder, one on each line.

    Raises:
        InputError: Which contexts the lines belong to is unknown, or a line holds no number.
    """
    rows, folders = RatingRows(path), _with_means(path)
    if not folders:
        raise InputError(f"{path}: no ratings; expected {_JUDGED}, or folders with {_MEANS}")
    for folder in folders:
        names = _names_of_means(folder, len(folders) > 1)
        for system, place in _systems(folder, [_MEANS]).items():
            file = place / _MEANS
            lines = read_lines(file)
            items = names.get(system) or [str(row) for row in range(1, len(lines) + 1)]
            if len(items) != len(lines):
                raise InputError(
                    f"{file}: {counted(len(lines), 'line')}, and the contexts of {quoted(system)} have "
                    f"{len(items)}; expected the same number"
                )
            for row, (item, line) in enumerate(zip(items, lines, strict=True), start=1):
                place = Place(str(file), row)
                rows.add(place, RatedReply(system, item), MEAN, OVERALL, _mean(line, place))
    note("means", path)
    return rows.draft()


def _names_of_means(folder: Path, several: bool) -> dict[str, list[str]]:
    """By system the items of its lines; empty where the only system's items are its lines.

    Raises:
        InputError: Several systems, and no contexts beside the scores or in ``eval_data``.
    """
    place, systems = folder.absolute(), _systems(folder, [_MEANS]).keys()
    published = place.parent.parent / _PUBLISHED_TEXTS / place.name
    for texts in (published, place):
        files = {name: each / _CONTEXTS for name, each in _systems(texts, [_CONTEXTS]).items()}
        if systems <= files.keys():
            contexts = {name: read_lines(file) for name, file in files.items()}
            return item_names(contexts, place.name if several or texts == published else "")
    if len(systems) > 1 or several:
        raise InputError(
            f"{folder}: mean scores without their contexts ({_CONTEXTS}), so that it is not known which "
            f"lines of two systems are of one item; expected the folder {_PUBLISHED_TEXTS} beside "
            f"{_PUBLISHED_SCORES}, as published, or {_JUDGED}, which holds every single rating"
        )
    return {}


def _mean(line: str, place: Place) -> float:
    if (mean := number_in(line)) is None:
        raise InputError(
            f"{place}: got {quoted(line)}; expected the mean score of a reply, such as 3.4"
        )
    return mean
