"""The run of a program in Python, for a ledger."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rejoinder.files.recording import lower_is_better, record_of
from rejoinder.ledger.ledger import append
from rejoinder.ledger.numbers import numbers_of
from rejoinder.result import TableResult


def record_run(
    ledger: str | os.PathLike[str],
    result: TableResult,
    made_of: Mapping[str, str | os.PathLike[str] | Sequence[str | os.PathLike[str]]],
    verb: str,
    *,
    command: Sequence[str] = (),
    settings: Mapping[str, str] | None = None,
    seed: int | None = None,
) -> int:
    """Appends a result to a ledger, as the commands of Rejoinder do with ``--ledger``.

    Args:
        ledger: The ledger, an SQLite file that is made where there is none.
        result: What a function of Rejoinder returned: the numbers of its tables are recorded.
        made_of: By what each was for, the file or the files that were read. Values of runs with another
            content of these cannot be compared, but for ``responses``, which are what is measured.
        verb: What was done: ``score`` for a result of ``rejoinder.score``.
        command: The words by which the program is run again.
        settings: What else the numbers depend on, by name.
        seed: The random seed.

    Returns:
        The number of the run.

    Raises:
        InputError: A file is not there, or the ledger cannot be written.

    Example:
        >>> import tempfile, rejoinder
        >>> pair = [{"id": "1", "context": ["Hi"], "references": [{"text": "Hello there"}]}]
        >>> replies = [{"system": "a", "id": "1", "text": "Hello"}]
        >>> scores = rejoinder.score(pair, replies, metrics=["length"], resamples=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     record_run(Path(folder, "runs.sqlite"), scores, {}, "score")
        1
    """
    roles = {role.upper(): files for role, files in made_of.items()}
    record = record_of(Path(ledger), roles, command, result=result)
    facts: dict[str, Any] = {
        name: record[name] for name in ("version", "command", "signatures", "inputs", "notes")
    }
    lower = lower_is_better(result)
    given = {"verb": verb, "seed": seed, "settings": dict(settings or {}), "lower": lower}
    return append(ledger, facts | given, numbers_of(result.document()))
