"""WMT's metrics task: a folder of sources, references, system outputs and scores (mt-metrics-eval)."""

from __future__ import annotations

from pathlib import Path

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text
from rejoinder.messages import counted, listed
from rejoinder.tables.logs.samples import Sample, log_format
from rejoinder.tables.logs.wmt_scores import documents_of, scores_of_systems

OUTPUTS = "system-outputs"


def recognise(path: Path, first: bytes) -> bool:
    """A folder with sources and system outputs, or the outputs of one language pair in it."""
    if not path.is_dir():
        return False
    root = _root(path)
    return (root / "sources").is_dir() and (root / OUTPUTS).is_dir()


def read(path: Path) -> list[Sample]:
    """A sample for each segment of each system: the source is the context.

    An item is a line, ``1``, ``2``, ... References that stand among the outputs, people, are systems
    too. The domain and the document of a line are additional columns. Scores are those of
    ``metric-scores`` for segments, called ``<metric>-<reference>``. Where the folder holds several
    language pairs, name the folder of one: ``system-outputs/en-de``.
    """
    root, pair = place_of(path)
    sources = lines_of(root / "sources" / f"{pair}.txt")
    references = [
        lines_of(file, len(sources)) for file in sorted((root / "references").glob(f"{pair}.*.txt"))
    ]
    outputs = {
        file.stem: lines_of(file, len(sources))
        for file in sorted((root / OUTPUTS / pair).glob("*.txt"))
    }
    scores = {
        file.name.removesuffix(".seg.score"): scores_of_systems(file, len(sources))
        for file in sorted((root / "metric-scores" / pair).glob("*.seg.score"))
    }
    documents = documents_of(root, pair)
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
            line + 1,
            texts[line],
            [sources[line]] if sources[line] else [],
            [stream[line] for stream in references],
            {name: values[system][line] for name, values in scores.items() if system in values},
            about=about[line] if about else {},
        )
        for system, texts in outputs.items()
        for line in range(len(sources))
    ]


FORMAT = log_format(
    "wmt",
    "WMT's metrics task (mt-metrics-eval): sources, references, system-outputs, metric-scores",
    recognise,
    read,
)


def place_of(path: Path) -> tuple[Path, str]:
    """The folder of a test set, and its language pair.

    Raises:
        InputError: It is no such folder, or holds none or several and none is named.
    """
    root = _root(path)
    if root != path:
        return root, path.absolute().name
    if not (root / OUTPUTS).is_dir():
        raise InputError(
            f"{path}: no folder '{OUTPUTS}' in it; expected the folder of a test set of WMT, or that of "
            f"one language pair in its '{OUTPUTS}'"
        )
    pairs = sorted(each.name for each in (root / OUTPUTS).iterdir() if each.is_dir())
    if len(pairs) != 1:
        raise InputError(
            f"{path}: {counted(len(pairs), 'language pair')} in {OUTPUTS} ({listed(pairs)}); name the "
            f"folder of one: {path / OUTPUTS / (pairs[0] if pairs else 'en-de')}"
        )
    return root, pairs[0]


def lines_of(path: Path, count: int | None = None) -> list[str]:
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


def _root(path: Path) -> Path:
    """The folder of the test set: the one named, or the one that holds these outputs."""
    whole = path.absolute()
    return whole.parent.parent if whole.parent.name == OUTPUTS else path
