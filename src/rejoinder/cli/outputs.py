"""The files that a verb was asked to write beside its result: the result is printed in any case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from rejoinder.cli.show import json_output
from rejoinder.cli.targets import announce_replacements, remove_further_tables
from rejoinder.cli.terminal.speech import is_quiet, say
from rejoinder.errors import InputError, RejoinderError
from rejoinder.messages import counted

if TYPE_CHECKING:
    from rejoinder.cli.options import JsonOptions
    from rejoinder.cli.records import Records
    from rejoinder.document.parts import Document
    from rejoinder.result import PlottedResult

Made = TypeVar("Made")


class SavedResult(Protocol):
    """A result whose JSON names the file that was written of it."""

    def as_json(self, written: str | None, /) -> dict[str, Any]:
        """The object that ``--json`` prints; ``written`` is None where no file was."""
        ...


class Outputs:
    """Writes files, says which ones, and keeps what failed until the results are printed.

    The body writes its files by ``save`` and ``make``, then prints the results; what was written is
    then said on standard error, unless the command is quiet. If a file could not be written (a full
    disk, a folder that was removed meanwhile), the results are printed all the same, and then one
    error tells what failed; so it does where standard output takes nothing either, or its reader has
    gone. Beside each file stands a record of what it was made of (``files.provenance``).

    Args:
        result: What the command computed: its signatures and notes stand in the records.

    Raises:
        InputError: At the end of the body, where something could not be written.

    Example:
        >>> import tempfile
        >>> with Outputs() as outputs:
        ...     outputs.save(Path(tempfile.gettempdir(), "a.txt"), lambda path: None)
        ...     outputs.save(None, lambda path: None)
        ...     print("the result")
        True
        False
        the result
    """

    def __init__(self, result: Any = None) -> None:
        self._written: list[str] = []
        self._failed: list[RejoinderError] = []
        self._result = result

    def save(
        self,
        path: Path | None,
        write: Callable[[Path], Any],
        rows: int | None = None,
        files: Sequence[Path] | None = None,
    ) -> bool:
        """Writes a file of so many rows, and returns whether it was written; None is no file.

        Of a folder, ``files`` are those in it that are written; None: all of it is.
        """
        if path is None:
            return False

        def written() -> bool:
            with self._records.being_written(path):
                write(path)
            return True

        if self.make(written, otherwise=False):
            self.wrote(path, rows, files)
            return True
        return False

    def show(
        self, given: JsonOptions, show: Callable[[], Document | None], document: Callable[[], Any]
    ) -> None:
        """Prints the result, as tables or as JSON; before, its tables go to ``--tables`` and ``--ledger``.

        Args:
            given: How to print it, and the file.
            show: Returns what is shown; None where rows were printed already.
            document: What ``--json`` prints.
        """
        from rejoinder.cli.options import ClaimOptions, LedgerOptions, PrintedOptions

        if isinstance(given, LedgerOptions):
            self.record(given.ledger, show)
        if isinstance(given, ClaimOptions) and given.claim is not None:
            names = ("anonymous", "registered", "ranks", "expires")
            facts = {name: getattr(given, name) for name in names if hasattr(given, name)}
            self._claim(given.claim, facts)
        if isinstance(given, PrintedOptions) and given.tables is not None:
            from rejoinder.cli.saved_tables import save_tables

            tables = dict(save_tables(given.tables, show() or []))
            written = [path.name for path, write in tables.items() if self.save(path, write)]
            if given.tables.suffix.lower() == ".csv" and len(written) == len(tables):
                remove_further_tables(given.tables, written)
        if given.json:
            json_output.write(document())
        elif (shown := show()) is not None:
            from rejoinder.cli.terminal.showing import show as print_document

            print_document(shown)

    def record(self, ledger: Path | None, show: Callable[[], Document | None]) -> None:
        """Appends the run and the numbers of what is shown to a ledger, where one is given."""
        if ledger is None:
            return
        from rejoinder.ledger.ledger import append
        from rejoinder.ledger.numbers import numbers_of

        numbers = numbers_of(show() or [])
        run = self.make(lambda: append(ledger, self._records.of_run(ledger), numbers), None)
        if run is not None:
            self._written.append(
                f"Recorded run {run} in {ledger} ({counted(len(numbers), 'number')})."
            )

    def _claim(self, path: Path, facts: dict[str, Any]) -> None:
        from rejoinder.ledger.claims import write_claim

        facts |= self._records.of_claim()
        self.save(path, lambda temporary: write_claim(self._result, temporary, **facts))

    def wrote(
        self, path: Path, rows: int | None = None, files: Sequence[Path] | None = None
    ) -> None:
        """Takes note of a file or a folder that was written."""
        number = "" if rows is None else f" ({counted(rows, 'row')})"
        self._written.append(f"Wrote {path}{number}.")
        self.make(lambda: self._records.write(path, rows, files), None)

    def drew(self, folder: Path | None, paths: Sequence[Path]) -> None:
        """Takes note of the figures in a folder."""
        if paths and folder is not None:
            self._written.append(f"Wrote {counted(len(paths), 'figure file')} in {folder}.")
            self.make(lambda: self._records.write(folder, files=paths), None)

    def plot(
        self, result: PlottedResult, folder: Path | None, name: str, each: Iterable[Any] = (None,)
    ) -> None:
        """Draws the figures of a result into a folder, where one is given, those of ``each`` from the second
        on with a number behind the name.
        """
        if folder is None:
            return
        from rejoinder.figures import style

        def draw() -> list[Path]:
            names = ((f"{name}-{n}" if n > 1 else name, of) for n, of in enumerate(each, start=1))
            return [
                path for file, of in names for path in style.save(result.plot(of), folder, file)
            ]

        self.drew(folder, self.make(draw, []))

    def make(self, write: Callable[[], Made], otherwise: Made) -> Made:
        """What ``write`` returns; ``otherwise`` where it could not write its files."""
        try:
            return write()
        except RejoinderError as error:
            self._failed.append(error)
            return otherwise

    @cached_property
    def _records(self) -> Records:
        """The writer of records, which is imported when a file is written."""
        from rejoinder.cli.records import Records

        return Records(self._result)

    def __enter__(self) -> Outputs:
        context = click.get_current_context(silent=True)
        if context is not None and context.params.get("shard"):
            from rejoinder.files.shards import check_no_shard

            check_no_shard()
        announce_replacements()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and not is_quiet():
            for line in self._written:
                say(line)
        if not self._failed or not (kind is None or issubclass(kind, OSError | SystemExit)):
            return
        messages = [str(each) for each in self._failed]
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            messages.append(f"the output cannot be written: {error.strerror or error}")
        raise InputError("; ".join(dict.fromkeys(messages))) from self._failed[0]


def save_and_print(
    result: SavedResult,
    output: Path | None,
    write: Callable[[Path], Any],
    rows: int,
    given: JsonOptions,
    show: Callable[[Any], Document],
) -> None:
    """Writes the file of a result, and prints the result, as JSON or as ``show`` does.

    Args:
        result: What the command computed.
        output: The file; None for none.
        write: Writes it.
        rows: How many rows it has.
        given: How the result is printed.
        show: Returns what is shown of the result.

    Raises:
        InputError: The file cannot be written; the result is printed all the same.
    """
    with Outputs(result) as outputs:
        written = outputs.save(output, write, rows)
        document = partial(result.as_json, str(output) if written else None)
        outputs.show(given, partial(show, result), document)
