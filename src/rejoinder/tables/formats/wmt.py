"""WMT's metrics task (mt-metrics-eval): sources, references, system outputs, and scores.

A test set is a folder. Its files of scores are called ``<name>.seg.score``, ``.doc.score``,
``.domain.score`` and ``.sys.score``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text
from rejoinder.messages import Place, counted, listed, quoted
from rejoinder.tables.assembly.gathered import RatedReply, RatingRows, Rows
from rejoinder.tables.assembly.long_or_wide import MEAN
from rejoinder.tables.assembly.rating_cells import number_in
from rejoinder.tables.format import Asked, FileHead, Format, Shape
from rejoinder.tables.logs.samples import Sample, log_format
from rejoinder.tables.parts import Draft

_OUTPUTS, _HUMAN, _METRIC = "system-outputs", "human-scores", "metric-scores"
_WHOLE = "all"
"""The item of a score of the whole test set."""

_EXPECTED = {
    "seg": "one for each line of the source",
    "doc": "one for each document",
    "domain": "one for each domain",
    "sys": "one for the whole test set",
}


def read_samples(path: Path) -> list[Sample]:
    """A sample for each segment of each system: the source is the context.

    An item is a line, ``1``, ``2``, ... References that stand among the outputs, people, are systems
    too. The domain and the document of a line are additional columns. Scores are those of
    ``metric-scores`` for segments, called ``<metric>-<reference>``. Where the folder holds several
    language pairs, name the folder of one: ``system-outputs/en-de``.

    Raises:
        InputError: Files have different numbers of lines.
    """
    root, pair = _place_of(path)
    sources = _lines_of(root / "sources" / f"{pair}.txt")
    references = [
        _lines_of(file, len(sources))
        for file in sorted((root / "references").glob(f"{pair}.*.txt"))
    ]
    outputs = {
        file.stem: _lines_of(file, len(sources))
        for file in sorted((root / _OUTPUTS / pair).glob("*.txt"))
    }
    scores: dict[tuple[str, str], dict[str, float | None]] = {}
    for file in sorted((root / _METRIC / pair).glob("*.seg.score")):
        for each in _scores_in(_score_file(file)):
            of_reply = scores.setdefault((each.system, each.item), {})
            of_reply[file.name.removesuffix(".seg.score")] = each.value
    documents = _documents_of(root, pair)
    if documents is not None and len(documents) != len(sources):
        raise InputError(
            f"{root / 'documents' / f'{pair}.docs'}: {counted(len(documents), 'line')}, expected "
            f"{len(sources)}, as the source has; restore it"
        )
    about = [{"domain": domain, "document": name} for domain, name in documents or ()]
    return [
        Sample(
            str(line + 1),
            system,
            Place(str(path), line + 1),
            texts[line],
            [sources[line]] if sources[line] else [],
            [stream[line] for stream in references],
            scores.get((system, str(line + 1)), {}),
            about=about[line] if about else {},
        )
        for system, texts in outputs.items()
        for line in range(len(sources))
    ]


def read_ratings(path: Path, asked: Asked) -> Draft:
    """A rating for each segment that was scored; the method (``mqm``) is the criterion.

    Who rated is not in the file, so the rater is ``mean``. A file by itself may hold scores of
    documents, domains or whole systems too; of a folder those of segments are read.

    Raises:
        InputError: The folder has no human scores of segments.
    """
    files = [path]
    if path.is_dir():
        root, pair = _place_of(path)
        files = sorted((root / _HUMAN).glob(f"{pair}.*.seg.score"))
        if not files:
            raise InputError(
                f"{path}: no file {_HUMAN}/{pair}.*.seg.score; expected human scores of segments, or "
                "name a file of them"
            )
    rows = RatingRows(path)
    what = "segment" if path.is_dir() or _score_file(path).level == "seg" else "item"
    for file in map(_score_file, files):
        for each in _scores_in(file):
            if each.value is None:
                rows.leave_out(what, "without a score")
            else:
                reply = RatedReply(each.system, each.item)
                rows.add(Place(str(file.path), each.number), reply, MEAN, file.name, each.value)
    return rows.draft()


def read_scores(path: Path, asked: Asked) -> Draft:
    """A score for each system and item; the level stands in the name, but for that of segments."""
    file = _score_file(path)
    scores = _scores_in(file)
    name = file.name if file.level == "seg" else f"{file.name}.{file.level}"
    rows = Rows(dict.fromkeys(("system", "id", "name"), pl.String) | {"value": pl.Float64})
    for each in scores:
        rows.add(Place(str(path), each.number), each.system, each.item, name, each.value)
    return rows.draft()


def _is_test_set(head: FileHead) -> bool:
    """A folder with sources and system outputs, or the outputs of one language pair in it."""
    return all((_root(head.path) / name).is_dir() for name in ("sources", _OUTPUTS))


def _is_of_scores(head: FileHead) -> bool:
    """A file called like one of scores: ``<name>.<level>.score``."""
    parts = head.path.name.rsplit(".", 2)
    return len(parts) == 3 and parts[1] in _EXPECTED and parts[2] == "score"


def _is_of_people(head: FileHead) -> bool:
    return _is_of_scores(head) and head.path.absolute().parent.name == _HUMAN


FORMATS = (
    log_format(
        "wmt",
        "WMT's metrics task (mt-metrics-eval): sources, references, system-outputs, metric-scores",
        [Shape("folder", also=_is_test_set)],
        read_samples,
    ),
    Format(
        "wmt",
        "WMT's human scores (mt-metrics-eval): the folder, or human-scores/<pair>.<name>.<level>.score",
        [Shape("folder", also=_is_test_set), Shape("text", also=_is_of_people)],
        {"ratings": read_ratings},
    ),
    Format(
        "wmt-scores",
        "a file of scores of WMT (mt-metrics-eval): <name>.seg.score, .doc.score, .domain.score, .sys.score",
        [Shape("text", also=_is_of_scores)],
        {"scores": read_scores},
    ),
)


def _place_of(path: Path) -> tuple[Path, str]:
    """The folder of a test set, and its language pair.

    Raises:
        InputError: It is no such folder, or holds none or several and none is named.
    """
    root = _root(path)
    if root != path:
        return root, path.absolute().name
    if not (root / _OUTPUTS).is_dir():
        raise InputError(
            f"{path}: no folder '{_OUTPUTS}' in it; expected the folder of a test set of WMT, or that of "
            f"one language pair in its '{_OUTPUTS}'"
        )
    pairs = sorted(each.name for each in (root / _OUTPUTS).iterdir() if each.is_dir())
    if len(pairs) != 1:
        raise InputError(
            f"{path}: {counted(len(pairs), 'language pair')} in {_OUTPUTS} ({listed(pairs)}); name the "
            f"folder of one: {path / _OUTPUTS / (pairs[0] if pairs else 'en-de')}"
        )
    return root, pairs[0]


def _root(path: Path) -> Path:
    """The folder of the test set: the one named, or the one that holds these outputs."""
    whole = path.absolute()
    return whole.parent.parent if whole.parent.name == _OUTPUTS else path


def _lines_of(path: Path, count: int | None = None) -> list[str]:
    """The lines of a file, as many as there are segments.

    Raises:
        InputError: There are more or fewer.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file; expected the folder of a test set of WMT")
    lines = read_text(path, blank=True).removesuffix("\n").split("\n")
    if count is not None and len(lines) != count:
        raise InputError(
            f"{path}: {counted(len(lines), 'line')}, expected {count}, as the source has; restore it"
        )
    return lines


@dataclass(frozen=True)
class _ScoreFile:
    """A file of scores.

    Attributes:
        path: The file.
        level: What a score is of: ``seg``, ``doc``, ``domain`` or ``sys``.
        name: The metric, or the method of human scores.
        root: The folder of the test set; None where the file does not lie in one.
        pair: The language pair; empty where it is not known.
    """

    path: Path
    level: str
    name: str
    root: Path | None = None
    pair: str = ""


@dataclass(frozen=True)
class _Score:
    """A score of a system: the row of its file, the item that it is of, and its value."""

    number: int
    system: str
    item: str
    value: float | None


def _score_file(path: Path) -> _ScoreFile:
    """What the place and the name of a file say of it.

    Human scores lie in ``human-scores/<pair>.<name>.<level>.score``, those of metrics in
    ``metric-scores/<pair>/<name>.<level>.score``.
    """
    name, level, _ = path.name.rsplit(".", 2)
    folder = path.absolute().parent
    if folder.name == _HUMAN:
        pair, _, name = name.partition(".")
        return _ScoreFile(path, level, name, folder.parent, pair)
    if folder.parent.name == _METRIC:
        return _ScoreFile(path, level, name, folder.parent.parent, folder.name)
    return _ScoreFile(path, level, name)


def _scores_in(file: _ScoreFile) -> list[_Score]:
    """The scores of a file; None where it says so.

    Items are the lines of the source, ``1``, ``2``, ... for segments; the names in
    ``documents/<pair>.docs`` for documents (``1``, ``2``, ... where that file is not there); the
    domain; and ``all`` for a score of the whole test set.

    Raises:
        InputError: A row is no name and number, or a system has another number of scores than there
            are items.
    """
    rows = list(_rows(file.path, 3 if file.level == "domain" else 2))
    if file.level == "domain":
        _check_once(file, [(cells[1], cells[0]) for _, cells in rows])
        items = [cells[0] for _, cells in rows]
    else:
        names = _items(file)
        _check_counts(file, Counter(cells[0] for _, cells in rows), names)
        seen: Counter[str] = Counter()
        items = []
        for _, (system, _value) in rows:
            seen[system] += 1
            items.append(names[seen[system] - 1] if names else str(seen[system]))
    return [
        _Score(number, cells[-2], item, _number(file.path, number, cells[-1]))
        for (number, cells), item in zip(rows, items, strict=True)
    ]


def _documents_of(root: Path, pair: str) -> list[tuple[str, str]] | None:
    """For each line of the source its domain and its document; None where no file says so.

    Raises:
        InputError: A row is not a domain and a document.
    """
    path = root / "documents" / f"{pair}.docs"
    if not path.is_file():
        return None
    return [(cells[0], cells[1]) for _, cells in _rows(path, 2, "a domain and a document")]


def _items(file: _ScoreFile) -> list[str] | None:
    """The items that each system has a score of, in their order; None where nothing says."""
    if file.level == "sys":
        return [_WHOLE]
    if file.root is None:
        return None
    if file.level == "doc":
        documents = _documents_of(file.root, file.pair)
        return None if documents is None else list(dict.fromkeys(name for _, name in documents))
    source = file.root / "sources" / f"{file.pair}.txt"
    if not source.is_file():
        return None
    return [str(line) for line in range(1, len(_lines_of(source)) + 1)]


def _check_counts(file: _ScoreFile, counts: Counter[str], names: list[str] | None) -> None:
    expected = max(counts.values(), default=0) if names is None else len(names)
    for system, count in counts.items():
        if count != expected:
            more = " as another system has" if names is None else ""
            raise InputError(
                f"{file.path}: {counted(count, 'score')} of {quoted(system)}, expected {expected}{more}, "
                f"{_EXPECTED[file.level]}; restore the file"
            )


def _check_once(file: _ScoreFile, keys: list[tuple[str, str]]) -> None:
    twice = next((key for key, count in Counter(keys).items() if count > 1), None)
    if twice is not None:
        raise InputError(
            f"{file.path}: several scores of {quoted(twice[0])} in the domain {quoted(twice[1])}, "
            "expected one; restore the file"
        )


def _number(path: Path, number: int, value: str) -> float | None:
    score = number_in(value)
    if score is None and value != "None":
        raise InputError(
            f"{path}, row {number}: {quoted(value)} is no number; expected a system and its score"
        )
    return score


def _rows(path: Path, cells: int, expected: str = "") -> Iterator[tuple[int, list[str]]]:
    expected = expected or (
        "a domain, a system and its score" if cells == 3 else "a system and its score"
    )
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) != cells:
            raise InputError(
                f"{path}, row {number}: {counted(len(parts), 'cell')}; expected {expected}"
            )
        yield number, parts
