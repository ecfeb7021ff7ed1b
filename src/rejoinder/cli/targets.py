"""What a verb may write to: one rule for every option that names a file or a folder, before the work.

- A file that the command reads is never written.
- A file that is there is replaced only if it is of the kind that the option writes, as far as its
  content tells; that is said on standard error. Another file is refused, with the remedy.
- A picture is replaced only if Rejoinder drew it.
- A folder of a run is new, empty, or holds that kind of run.
- What could not be written (a folder in its place, no folder to write to, no permission) is refused.

Everything is written under a temporary name and then renamed (``files.replacing.replacing``).
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from rejoinder.cli.terminal.speech import note
from rejoinder.errors import ParameterError, RejoinderError

_HEAD = 1 << 20  # bytes that are enough for the first line of a file


@dataclass(frozen=True)
class Kind:
    """A kind of file that an option writes.

    Attributes:
        name: What such a file holds, in the plural.
        suffixes: Those that it may have.
        recognise: Whether its columns are those of this kind.
        key: A key that its Parquet metadata hold; empty where the columns tell.
        otherwise: How to get another format, for the message about a wrong suffix.
        recorded: A suffix whose files have no columns of their own: the record beside a file tells
            whether it is of this kind, and as it was written.
    """

    name: str
    suffixes: Sequence[str]
    recognise: Callable[[Sequence[str]], bool]
    key: str = ""
    otherwise: str = ""
    recorded: str = ""


_ROWS = (".jsonl", ".csv", ".tsv", ".parquet")

_COMPARISONS = (
    "<!-- rejoinder compare -->",
    "% rejoinder compare",
    '<testsuite name="rejoinder compare"',
)
"""How the files begin that 'compare --save' writes."""
_TABLES = ("<!-- rejoinder ", "% rejoinder ", "<!doctype html><!-- rejoinder ")
"""How the files begin that --tables writes, but for CSV, which begins with a table."""


REPORT_PAGE = "<!doctype html><!-- rejoinder report -->"
"""How the page of a report begins."""
_REPORTS = (["<!-- rejoinder report -->"], [REPORT_PAGE])


def _begin(*names: str) -> Callable[[Sequence[str]], bool]:
    return lambda columns: tuple(columns[: len(names)]) == names


def _of_testset(columns: Sequence[str]) -> bool:
    return tuple(columns[:2]) == ("id", "context") and "references" in columns


SCORES = Kind(
    "kept scores",
    (".parquet",),
    _begin("system", "id"),
    key="rejoinder",
    otherwise="for a table as CSV keep the scores as Parquet, and then in Python "
    "rejoinder.load_scores('kept.parquet').systems().write_csv('table.csv'); 'rejoinder score "
    "kept.parquet --segments > segments.tsv' writes the value of every reply",
)
TESTSET = Kind("a test set", (".jsonl", ".parquet"), _of_testset)
# A filtered corpus has the columns of a test set, so that no file tells which of both it is.
CORPUS = Kind("a corpus or test set", TESTSET.suffixes, _of_testset)
RESPONSES = Kind("responses", _ROWS, lambda columns: tuple(columns) == ("system", "id", "text"))
CANDIDATES = Kind("mined candidates", _ROWS, _begin("id", "text", "source", "dialogue"))
RATINGS = Kind("ratings", _ROWS, _begin("id", "system", "rater", "criterion", "score"))
PREFERENCES = Kind("comparisons", _ROWS, _begin("id", "a", "b", "rater", "criterion", "winner"))
JUDGEMENTS = Kind(
    "ratings or preferences",
    _ROWS,
    lambda columns: RATINGS.recognise(columns) or PREFERENCES.recognise(columns),
)
DRAWN = Kind("drawn items", _ROWS, _begin("id", "probability", "earlier", "status"))
OUTSIDE_SCORES = Kind("scores of replies", _ROWS, _begin("system", "id", "name", "value"))
OF_TABLES = {
    "test set": TESTSET,
    "responses": RESPONSES,
    "ratings": RATINGS,
    "preferences": PREFERENCES,
    "scores": OUTSIDE_SCORES,
}
"""By kind of table what 'convert' writes."""
CORRELATIONS = Kind("a table of correlations", _ROWS, _begin("metric", "correlation", "value"))
COMPARISON = Kind(
    "tables of a comparison",
    (".md", ".tex", ".xml"),
    lambda columns: columns[0].startswith(_COMPARISONS),
    otherwise="'rejoinder compare --json' prints all numbers",
)
TABLES = Kind(
    "tables of results",
    (".md", ".tex", ".html", ".csv"),
    lambda columns: columns[0].startswith(_TABLES) and columns not in _REPORTS,
    otherwise="--json prints all numbers",
    recorded=".csv",
)
STUDY = Kind("a table of this recipe", (), _begin("data", "group", "heading", "metric"))
PAGE = Kind(
    "a page or tasks of a study",
    (".html", ".csv", ".json"),
    lambda columns: (
        columns[:1] in (["<!doctype html>"], ["["])
        or columns == ["id", "system", "context", "reply"]
    ),
    otherwise="a folder takes --platform potato or argilla",
)
REPORT = Kind(
    "a report",
    (".html", ".md"),
    lambda columns: columns in _REPORTS,
    otherwise="'rejoinder report --json' prints all numbers",
)
TOKENS = Kind("log-probabilities of tokens", (".parquet",), _begin("system", "id", "kind"))


def check_file(path: Path | None, kind: Kind, option: str = "--save") -> None:
    """Raises where a file must not or cannot be written.

    Where a file will be replaced, `announce_replacements` says so, once the inputs are checked.

    Args:
        path: The file to write; None where none is wanted.
        kind: What will be written.
        option: The option that named the file.

    Raises:
        ParameterError: The command reads or writes the file already, or it is of another kind.
        InputError: It cannot be written, or has another suffix.
    """
    if path is None:
        return
    from rejoinder.files.provenance import check_record_target
    from rejoinder.files.replacing import check_target

    _refuse_given(path, option)
    check_target(path, kind.suffixes, kind.otherwise)
    check_record_target(path)
    if not has_content(path):
        return
    if not is_of(path, kind):
        raise ParameterError(
            f"{option} {path}: a file stands there that holds no {_bare(kind.name)} as Rejoinder "
            "writes them, so it is not replaced; name another file, or remove this one"
        )
    _will_replace(path, kind.name)


_REPLACED = "rejoinder.replaced"


def _will_replace(path: Path, what: str) -> None:
    """Keeps what the current command will replace, for `announce_replacements`."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta.setdefault(_REPLACED, []).append((path, what))


def announce_replacements() -> None:
    """Prints a note for each file that the current command will replace, once.

    `Outputs` does so before it writes. A verb that works for long calls it when its inputs are checked:
    a command that is refused replaces nothing.
    """
    context = click.get_current_context(silent=True)
    for path, what in () if context is None else context.meta.pop(_REPLACED, ()):
        note(f"{path}: {what} of an earlier run will be replaced")


def has_content(path: Path) -> bool:
    """Whether a file is there and is not empty."""
    return path.exists() and path.stat().st_size > 0


def check_drawings(folder: Path | None, option: str = "--plots") -> None:
    """Makes the folder for pictures, and raises where a picture in it is not Rejoinder's.

    Args:
        folder: Where to draw; None where nothing is drawn.
        option: The option that named the folder.

    Raises:
        ParameterError: A file with the name of one of our pictures was not drawn by Rejoinder.
        InputError: The folder cannot be made, or not be written to.
    """
    if folder is None:
        return
    from rejoinder.figures.style import pictures, prepared

    ours, foreign = pictures(prepared(folder))
    if foreign:
        others = f" (and {len(foreign) - 1} more)" if len(foreign) > 1 else ""
        raise ParameterError(
            f"{option} {folder}: {foreign[0].name}{others} there was not drawn by Rejoinder (or by an "
            "earlier version), and might be replaced; name another folder, or remove the file"
        )
    if ours:
        _will_replace(folder, "pictures")


def check_model(folder: Path) -> None:
    """Raises where a model's folder must not or cannot be written, in the library's words.

    Raises:
        InputError: A file or a folder with other things in it stands there, or none can be written.
    """
    from rejoinder.models.training.folder import check_free

    check_free(folder)
    check_folder(folder)


def check_folder(
    folder: Path | None, option: str = "--output", markers: Sequence[str] | None = None
) -> None:
    """Raises where a folder must not or cannot be written to.

    Args:
        folder: The folder; None where none is wanted.
        option: The option that named it.
        markers: Of these, such a folder holds at least one when it is not new; None where the
            library tells.

    Raises:
        ParameterError: Something else stands there.
        InputError: It cannot be written to.
    """
    if folder is None:
        return
    from rejoinder.errors import InputError
    from rejoinder.files.replacing import check_folder_target

    if folder.exists() and not folder.is_dir():
        raise InputError(f"{option} {folder}: is a file; expected a folder; name another place")
    check_folder_target(folder)
    if markers is None or not folder.is_dir():
        return
    there = [each.name for each in folder.iterdir() if not each.name.startswith(".")]
    if there and not set(there) & set(markers):
        raise ParameterError(
            f"{option} {folder}: a folder with other things in it ({sorted(there)[0]}, ...); name a "
            "new folder"
        )


def _bare(name: str) -> str:
    return name.removeprefix("a ")


def _refuse_given(path: Path, option: str) -> None:
    """Raises where another argument or option of this command names the same file."""
    context = click.get_current_context(silent=True)
    if context is None:
        return
    for other, value in named_paths(context):
        if other == option or not _same(path, value):
            continue
        if _writes(other):
            raise ParameterError(f"{option} {path}: {other} names the same file; name another file")
        raise ParameterError(f"{option} {path}: that is an input; name another file")


def named_paths(context: click.Context) -> Iterator[tuple[str, Path]]:
    """Every path that the command was given, with the option (or argument) that names it."""
    for each in context.command.params:
        name = each.opts[0] if isinstance(each, click.Option) else (each.name or "")
        for value in _flat(context.params.get(each.name or "")):
            # The models of `ruq` and `mark` and the system of `respond` are texts that may be paths.
            if isinstance(value, Path) or isinstance(each, click.Argument) or name == "--model":
                yield name, Path(value)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, (str, Path)):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _flat(each)


def _same(path: Path, other: Path) -> bool:
    try:
        if path.exists() and other.exists():
            return path.samefile(other)
    except (OSError, ValueError):
        return False
    return os.path.realpath(path) == os.path.realpath(other)


WRITING = (
    "--tables",
    "--save",
    "--save-replies",
    "--save-tokens",
    "--output",
    "--plots",
    "--work",
    "--index",
)
"""The options of all verbs that name what is written."""


def _writes(option: str) -> bool:
    return option in WRITING


def is_of(path: Path, kind: Kind) -> bool:
    """Whether a file is of a kind, as far as its first bytes, or its record, tell."""
    if kind.recorded and path.suffix.lower() == kind.recorded:
        return _is_as_recorded(path)
    try:
        with open(path, "rb") as file:
            first = file.read(_HEAD)
    except OSError:
        return False
    if first[:4] == b"PAR1":
        return _parquet_is_of(path, kind)
    line = first.split(b"\n", 1)[0]
    if path.suffix.lower() == ".jsonl":
        columns = _keys(line)
    else:
        separator = b"\t" if path.suffix.lower() == ".tsv" else b","
        columns = [each.decode("utf-8", "replace") for each in line.split(separator)]
    return path.suffix.lower() != ".parquet" and kind.recognise(columns)


def _is_as_recorded(path: Path, beside: Path | None = None) -> bool:
    """Whether a file is as --tables wrote it: a file of any name, or one beside the file ``beside``."""
    from rejoinder.files.provenance import content_of, read_record

    try:
        record = read_record(path)
        content = content_of(path)
    except RejoinderError:
        return False
    if record is None or record["content"] != content:
        return False
    words = record["command"]
    named = [after for word, after in itertools.pairwise(words) if word == "--tables"]
    named += [word.partition("=")[2] for word in words if word.startswith("--tables=")]
    # Paths of a record begin at its own folder; further tables stand in files beside the one named.
    file = str(record.get("file"))
    if beside is not None:
        return named == [beside.name] and file == path.name
    return len(named) == 1 and (named[0] == file or file.startswith(f"{Path(named[0]).stem}-"))


def remove_further_tables(path: Path, written: Collection[str]) -> None:
    """Removes the tables that an earlier command wrote beside a CSV file, and says so.

    The file holds other numbers now, and its further tables would be taken for theirs. A file that was
    changed since, or that another command wrote, stays.

    Args:
        path: The file of --tables.
        written: The names of the files that were written now.
    """
    from rejoinder.files.provenance import record_path

    for each in sorted(path.parent.iterdir()):
        ours = each.suffix == ".csv" and each.name.startswith(f"{path.stem}-")
        if ours and each.name not in written and _is_as_recorded(each, path):
            each.unlink()
            record_path(each).unlink()
            note(f"{each}: removed, a table of an earlier run of which there is none now")


def _parquet_is_of(path: Path, kind: Kind) -> bool:
    import polars as pl

    from rejoinder.tables.io.panics import refusing_panics

    try:
        with refusing_panics():
            if kind.key and kind.key not in pl.read_parquet_metadata(path):
                return False
            columns = pl.scan_parquet(path, glob=False).collect_schema().names()
    except (pl.exceptions.PolarsError, OSError):
        return False
    return path.suffix.lower() == ".parquet" and kind.recognise(columns)


def _keys(line: bytes) -> list[str]:
    """The keys of an object of JSON; none where Rejoinder would have written the line otherwise."""
    import msgspec

    try:
        row = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return []
    return list(row) if isinstance(row, dict) and msgspec.json.encode(row) == line else []
