"""The record of a file that a program in Python wrote, for ``rejoinder verify``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rejoinder._version import __version__
from rejoinder.errors import InputError
from rejoinder.files.provenance import (
    content_of,
    record_path,
    relative_path,
    without_secrets,
    write_record,
)
from rejoinder.files.provenance_within import checksum_within


def write_provenance(
    path: str | os.PathLike[str],
    made_of: Mapping[str, str | os.PathLike[str] | Sequence[str | os.PathLike[str]]],
    command: Sequence[str],
    *,
    result: Any = None,
    rows: int | None = None,
) -> None:
    """Writes the record of a file: what it was made of, by content hash, and how.

    The commands of Rejoinder write such a record with every file. Functions of Python do not know from
    which files their tables were read, so that a program says it here.

    Args:
        path: The file or folder that was written.
        made_of: By what each was for, such as ``testset``, the file or the files that were read.
        command: The words by which the program is run again, such as ``["python", "weigh.py"]``.
        result: What a function of Rejoinder returned: its signatures and notes come into the record.
        rows: How many rows the file has.

    Raises:
        InputError: A file is not there, or the record cannot be written.

    Example:
        >>> import tempfile
        >>> from rejoinder.files.provenance_chain import provenance
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     corpus, made = Path(folder, "corpus.txt"), Path(folder, "made.txt")
        ...     _ = corpus.write_text("Hello."), made.write_text("hello")
        ...     write_provenance(made, {"corpus": corpus}, ["python", "make.py"])
        ...     [(each.name, each.role, each.state) for each in provenance(made).steps()]
        [('made.txt', '', 'unchanged'), ('corpus.txt', 'corpus', 'unchanged')]
    """
    output = Path(path)
    if not output.exists():
        raise InputError(f"{output}: no such file; name files that are there")
    record = record_of(output, made_of, command, result=result)
    write_record(output, {**record, "content": content_of(output), "rows": rows})


def record_of(
    path: str | os.PathLike[str],
    made_of: Mapping[str, str | os.PathLike[str] | Sequence[str | os.PathLike[str]]],
    command: Sequence[str],
    *,
    result: Any = None,
) -> dict[str, Any]:
    """The record of a file that may be still to be written: ``content`` and ``rows`` are None.

    Args:
        path: The file or folder.
        made_of: As for ``write_provenance``.
        command: As for ``write_provenance``.
        result: As for ``write_provenance``.

    Raises:
        InputError: A file that was read is not there.
    """
    output = Path(path)
    files = [(role, each) for role, given in made_of.items() for each in _files(given)]
    for _, each in files:
        if not each.exists():
            raise InputError(f"{each}: no such file; name files that are there")
    folder = record_path(output).parent
    return {
        "file": output.name,
        "content": None,
        "rows": None,
        "version": __version__,
        "command": [without_secrets(each) for each in command],
        "signatures": signatures_of(result),
        "notes": [without_secrets(each) for each in notes_of(result)],
        "inputs": [
            {
                "as": role,
                "name": each.name,
                "path": relative_path(each, folder),
                **identity_of(each),
            }
            for role, each in files
        ],
    }


def _files(given: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[Path]:
    if isinstance(given, str | os.PathLike):
        return [Path(given)]
    return [Path(each) for each in given]


def identity_of(path: str | os.PathLike[str]) -> dict[str, str | None]:
    """What a record says of the content of a file that was read.

    Returns:
        ``content``: see `content_of`; and of a database that holds its record also ``record``, the
        checksum of that record, which stays while the database grows.
    """
    within = checksum_within(path)
    own = {} if within is None else {"record": within}
    return {"content": content_of(path), **own}


def signatures_of(result: Any) -> dict[str, str]:
    """The signatures of a result by metric, without secrets; one that is of no metric by the empty name."""
    measured = getattr(result, "measured", None)
    if isinstance(measured, Mapping):
        return {label: without_secrets(each.signature) for label, each in measured.items()}
    several = getattr(result, "signatures", None)
    several = several() if callable(several) else several
    one = getattr(result, "signature", None)
    signatures = {"": one} if isinstance(one, str) and one else {}
    if isinstance(several, Mapping):
        signatures |= {str(name): str(each) for name, each in several.items()}
    return {name: without_secrets(each) for name, each in signatures.items()}


def lower_is_better(result: Any) -> list[str]:
    """The metrics of a result of which a lower value is better."""
    measured = getattr(result, "measured", None)
    if not isinstance(measured, Mapping):
        return []
    return [label for label, each in measured.items() if not each.metric.higher_is_better]


def notes_of(result: Any) -> list[str]:
    """The notes of a result."""
    notes = getattr(result, "notes", ())
    own = notes if isinstance(notes, list | tuple) else ()
    return [each for each in own if isinstance(each, str)]
