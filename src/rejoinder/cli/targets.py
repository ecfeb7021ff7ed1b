"""What a verb may write to: one rule for every option that names a file or a folder, before the work.

- A file that the command reads is never written.
- A file that is there is replaced only if the record beside it says that a command wrote it, as such a
  file and as it is now; that is said on standard error. Another file is refused, with the remedy.
- A picture is replaced only if Rejoinder drew it.
- A folder of a run is new, empty, or holds that kind of run.
- What could not be written (a folder in its place, no folder to write to, no permission) is refused.

Everything is written under a temporary name and then renamed (``files.replacing.replacing``).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from rejoinder.cli.declarations import Option
from rejoinder.cli.option_values import texts_of
from rejoinder.cli.terminal.speech import note
from rejoinder.errors import InputError, ParameterError, RejoinderError


@dataclass(frozen=True)
class Kind:
    """A kind of file that an option writes.

    Attributes:
        name: What such a file holds, in the plural; so it stands in the record of the file.
        suffixes: Those that it may have.
        otherwise: How to get another format, for the message about a wrong suffix.
    """

    name: str
    suffixes: Sequence[str]
    otherwise: str = ""


_ROWS = (".jsonl", ".csv", ".tsv", ".parquet")

SCORES = Kind(
    "kept scores",
    (".parquet",),
    "for a table as CSV keep the scores as Parquet, and then in Python "
    "rejoinder.load_scores('kept.parquet').systems().write_csv('table.csv'); 'rejoinder score "
    "kept.parquet --segments > segments.tsv' writes the value of every reply",
)
TESTSET = Kind("a test set", (".jsonl", ".parquet"))
CORPUS = Kind("a corpus or test set", TESTSET.suffixes)
RESPONSES = Kind("responses", _ROWS)
CANDIDATES = Kind("mined candidates", _ROWS)
RATINGS = Kind("ratings", _ROWS)
PREFERENCES = Kind("comparisons", _ROWS)
JUDGEMENTS = Kind("ratings or preferences", _ROWS)
DRAWN = Kind("drawn items", _ROWS)
DESIGNS = Kind("designs of ratings", (".json",))
OUTSIDE_SCORES = Kind("scores of replies", _ROWS)
OF_TABLES = {
    "test set": TESTSET,
    "responses": RESPONSES,
    "ratings": RATINGS,
    "preferences": PREFERENCES,
    "scores": OUTSIDE_SCORES,
    "every-eval-ever": Kind("instances of Every Eval Ever", (".jsonl",)),
}
"""By kind of table what 'convert' writes."""
UTILITIES = Kind("utilities of candidates", _ROWS)
CORRELATIONS = Kind("a table of correlations", _ROWS)
VERDICTS = Kind("verdicts as JUnit XML", (".xml",), "--tables writes the tables")
TABLES = Kind("tables of results", (".md", ".tex", ".html", ".csv"), "--json prints all numbers")
PAGE = Kind(
    "a page or tasks of a study",
    (".html", ".csv", ".json"),
    "a folder takes --platform potato or argilla",
)
REPORT = Kind("a report", (".html", ".md"), "'rejoinder report --json' prints all numbers")
CLAIM = Kind("a claim", ())
BADGE = Kind("a badge", (".svg",))
REGISTRATION = Kind("a registration", ())
PART = Kind("a part", (".part",), "'rejoinder merge' makes the result of all parts")
CERTIFICATE = Kind("a certificate", (".json",))
TOKENS = Kind("log-probabilities of tokens", (".parquet",))


def tables_beside(path: Path) -> Kind:
    """The further tables of a CSV file."""
    return replace(TABLES, name=f"{TABLES.name} beside {path.name}")


MERGED = (SCORES, RESPONSES, OUTSIDE_SCORES, PREFERENCES, CANDIDATES)
"""What 'merge' writes: the results of the verbs that have --shard."""


def check_merged(path: Path, option: str = "--save") -> None:
    """Raises where 'merge' must not write to a file; its verb checks it again, as of its own kind."""
    kind = next((each for each in MERGED if has_content(path) and is_of(path, each)), SCORES)
    _check_place(path, replace(kind, suffixes=_ROWS), option)


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
    _check_place(path, kind, option)
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta.setdefault(_KINDS, {})[path] = kind.name
    if has_content(path):
        _will_replace(path, kind.name)


def _check_place(path: Path, kind: Kind, option: str) -> None:
    """Raises where a file must not or cannot be written; see `check_file`."""
    from rejoinder.files.provenance import check_record_target
    from rejoinder.files.replacing import check_target

    refuse_given(path, option)
    check_target(path, kind.suffixes, kind.otherwise)
    check_record_target(path)
    if has_content(path) and not is_of(path, kind):
        raise ParameterError(
            f"{option} {path}: a file stands there that holds no {kind.name.removeprefix('a ')} as "
            "Rejoinder writes them (a record beside it would say so), so it is not replaced; name another "
            "file, or remove this one"
        )


_REPLACED, _KINDS = "rejoinder.replaced", "rejoinder.kinds"


def kind_of(path: Path) -> str | None:
    """What the current command writes to a file, as `check_file` was told."""
    return click.get_current_context().meta.get(_KINDS, {}).get(path)


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


def check_drawings(folder: Path | None) -> None:
    """Makes the folder for pictures, and raises where a picture in it is not Rejoinder's.

    Args:
        folder: Where to draw; None where nothing is drawn.

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
            f"--plots {folder}: {foreign[0].name}{others} there was not drawn by Rejoinder, and might be "
            "replaced; name another folder, or remove the file"
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
    from rejoinder.files.replacing import check_folder_target

    if folder.exists() and not folder.is_dir():
        raise InputError(f"{option} {folder}: is a file; expected a folder; name another place")
    check_folder_target(folder)
    if markers is None or not folder.is_dir():
        return
    names = [each.name for each in folder.iterdir() if not each.name.startswith(".")]
    if names and not set(names) & set(markers):
        raise ParameterError(
            f"{option} {folder}: a folder with other things in it ({sorted(names)[0]}, ...); name a "
            "new folder"
        )


def refuse_given(path: Path, option: str) -> None:
    """Raises where another argument or option of this command names the same file."""
    context = click.get_current_context(silent=True)
    if context is None:
        return
    for other, value, writes in named_paths(context):
        if other == option or not _same(path, value):
            continue
        if writes:
            raise ParameterError(f"{option} {path}: {other} names the same file; name another file")
        raise ParameterError(f"{option} {path}: that is an input; name another file")


def named_paths(context: click.Context) -> Iterator[tuple[str, Path, bool]]:
    """Every path that the command was given, the option (or argument) that names it, whether it writes."""
    for each in context.command.params:
        of_option = isinstance(each, Option)
        name = each.opts[0] if of_option else (each.name or "")
        for value in texts_of(context.params.get(each.name or "")):
            # The models of `ruq` and `mark` and the system of `respond` are texts that may be paths.
            if isinstance(value, Path) or not of_option or name == "--model":
                yield name, Path(value), of_option and each.writes


def _same(path: Path, other: Path) -> bool:
    try:
        if path.exists() and other.exists():
            return path.samefile(other)
    except (OSError, ValueError):
        return False
    return os.path.realpath(path) == os.path.realpath(other)


def is_of(path: Path, kind: Kind) -> bool:
    """Whether a file is as a command wrote it, and of a kind: its record tells.

    The record of a command that was killed while it wrote the file has no content. Kept scores and parts
    say themselves what they are: those that Python wrote have no record, and a damaged part is made again.
    """
    from rejoinder.files.provenance import content_of, read_record
    from rejoinder.files.shards import is_part
    from rejoinder.tables.kept_files import holds_scores

    if kind is PART:
        return is_part(path)
    try:
        record = read_record(path)
        if record is None:
            return kind is SCORES and holds_scores(path)
        return record.get("kind") == kind.name and record["content"] in (None, content_of(path))
    except RejoinderError:
        return False


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
        if ours and each.name not in written and is_of(each, tables_beside(path)):
            each.unlink()
            record_path(each).unlink()
            note(f"{each}: removed, a table of an earlier run of which there is none now")
