"""WMT's files of scores: ``<name>.seg.score``, ``.doc.score``, ``.domain.score`` and ``.sys.score``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text
from rejoinder.messages import counted, quoted

WHOLE = "all"
"""The item of a score of the whole test set."""

_EXPECTED = {
    "seg": "one for each line of the source",
    "doc": "one for each document",
    "domain": "one for each domain",
    "sys": "one for the whole test set",
}
_HUMAN, _METRIC = "human-scores", "metric-scores"


@dataclass(frozen=True)
class ScoreFile:
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
    root: Path | None
    pair: str


@dataclass(frozen=True)
class Score:
    """A score of a system: the row of its file, the item that it is of, and its value."""

    number: int
    system: str
    item: str
    value: float | None


def is_score_file(path: Path) -> bool:
    """Whether a file is called like one of scores: ``<name>.<level>.score``."""
    parts = path.name.rsplit(".", 2)
    return len(parts) == 3 and parts[1] in _EXPECTED and parts[2] == "score" and not path.is_dir()


def is_human(path: Path) -> bool:
    """Whether a file holds human scores."""
    return is_score_file(path) and path.absolute().parent.name == _HUMAN


def score_file(path: Path) -> ScoreFile:
    """What the place and the name of a file say of it.

    Human scores lie in ``human-scores/<pair>.<name>.<level>.score``, those of metrics in
    ``metric-scores/<pair>/<name>.<level>.score``.
    """
    name, level, _ = path.name.rsplit(".", 2)
    folder = path.absolute().parent
    if folder.name == _HUMAN:
        pair, _, name = name.partition(".")
        return ScoreFile(path, level, name, folder.parent, pair)
    if folder.parent.name == _METRIC:
        return ScoreFile(path, level, name, folder.parent.parent, folder.name)
    return ScoreFile(path, level, name, None, "")


def read_scores(file: ScoreFile) -> list[Score]:
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
        counts = Counter(cells[0] for _, cells in rows)
        _check_counts(file, counts, names)
        seen: Counter[str] = Counter()
        items = []
        for _, (system, _value) in rows:
            seen[system] += 1
            items.append(names[seen[system] - 1] if names else str(seen[system]))
    return [
        Score(number, cells[-2], item, _number(file.path, number, cells[-1]))
        for (number, cells), item in zip(rows, items, strict=True)
    ]


def scores_of_systems(path: Path, count: int) -> dict[str, list[float | None]]:
    """By system the score of each segment, as many as there are lines of the source."""
    names = [str(line) for line in range(1, count + 1)]
    rows = list(_rows(path, 2))
    file = ScoreFile(path, "seg", "", None, "")
    _check_counts(file, Counter(cells[0] for _, cells in rows), names)
    scores: dict[str, list[float | None]] = {}
    for number, (system, value) in rows:
        scores.setdefault(system, []).append(_number(path, number, value))
    return scores


def documents_of(root: Path, pair: str) -> list[tuple[str, str]] | None:
    """For each line of the source its domain and its document; None where no file says so.

    Raises:
        InputError: A row is not a domain and a document.
    """
    path = root / "documents" / f"{pair}.docs"
    if not path.is_file():
        return None
    return [(cells[0], cells[1]) for _, cells in _rows(path, 2, "a domain and a document")]


def _items(file: ScoreFile) -> list[str] | None:
    """The items that each system has a score of, in their order; None where nothing says."""
    if file.level == "sys":
        return [WHOLE]
    if file.root is None:
        return None
    if file.level == "doc":
        documents = documents_of(file.root, file.pair)
        return None if documents is None else list(dict.fromkeys(name for _, name in documents))
    source = file.root / "sources" / f"{file.pair}.txt"
    if not source.is_file():
        return None
    count = len(read_text(source, blank=True).removesuffix("\n").split("\n"))
    return [str(line) for line in range(1, count + 1)]


def _check_counts(file: ScoreFile, counts: Counter[str], names: list[str] | None) -> None:
    expected = max(counts.values(), default=0) if names is None else len(names)
    for system, count in counts.items():
        if count != expected:
            more = " as another system has" if names is None else ""
            raise InputError(
                f"{file.path}: {counted(count, 'score')} of {quoted(system)}, expected {expected}{more}, "
                f"{_EXPECTED[file.level]}; restore the file"
            )


def _check_once(file: ScoreFile, keys: list[tuple[str, str]]) -> None:
    twice = next((key for key, count in Counter(keys).items() if count > 1), None)
    if twice is not None:
        raise InputError(
            f"{file.path}: several scores of {quoted(twice[0])} in the domain {quoted(twice[1])}, "
            "expected one; restore the file"
        )


def _number(path: Path, number: int, value: str) -> float | None:
    try:
        return None if value == "None" else float(value)
    except ValueError:
        raise InputError(
            f"{path}, row {number}: {quoted(value)} is no number; expected a system and its score"
        ) from None


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
