"""A database whose rows have checksums: one SQLite file whose commits survive kills and loss of power."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rejoinder.errors import InputError
from rejoinder.files.checked_tables import FAULTS, Layout, add_checksum
from rejoinder.files.network import network_file_system
from rejoinder.files.replacing import check_target, failure, replacing

_MAGIC = b"SQLite format 3\x00"
_PLACE = 68
"""Where the header of an SQLite file has its application id, 4 bytes, the highest first."""

_PATIENCE = 30.0  # seconds that a transaction waits for another process


class Database:
    """An open database, shared by the threads of a process: one transaction at a time.

    Every transaction is on the disk when its body has ended (``synchronous=FULL``).

    Args:
        path: The file, which `make_database` made.
        layout: Its tables.
        reading: Whether nothing will be written: the file and its log stay as they are, and a full or a
            write-protected disk is no hindrance.
        checked: Whether every row is compared with its checksum.

    Attributes:
        notes: What was found when it was opened.

    Raises:
        InputError: It is no such database, is damaged, or lies on a network file system.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        layout: Layout,
        reading: bool = False,
        checked: bool = True,
    ) -> None:
        self.path, self.layout = Path(path), layout
        self._reading = reading
        if not self.path.is_file():
            raise InputError(f"{path}: there is no such {layout.kind}; {layout.remedies['absent']}")
        refuse_network(self.path, layout)
        self._lock = threading.Lock()
        with _faults_of_opening(self.path, layout), contextlib.ExitStack() as opening:
            mode = "ro" if reading else "rw"
            self._connection = sqlite3.connect(
                f"{self.path.resolve().as_uri()}?mode={mode}",
                uri=True,
                timeout=_PATIENCE,
                isolation_level=None,
                check_same_thread=False,
            )
            opening.callback(self._connection.close)
            self.notes = notes_of_log(self._connection, self.path, layout)
            self._check_kind()
            self._prepare()
            if checked:
                with self.transaction() as connection:
                    self.check(connection)
            opening.pop_all()

    def _prepare(self) -> None:
        add_checksum(self._connection)
        if not self._reading:
            if self.layout.log:
                self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute("PRAGMA foreign_keys = ON")

    def check(self, connection: sqlite3.Connection) -> None:
        """Raises an InputError where the database is damaged; within a transaction."""
        fault = self.layout.fault_of(connection)
        if fault:
            raise InputError(
                f"{self.path}: the {self.layout.kind} is damaged: {fault}; {self.layout.remedies['damaged']}"
            )

    def _check_kind(self) -> None:
        layout = self.layout
        application, form = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("application_id", "user_version")
        )
        if application != layout.application:
            raise InputError(
                f"{self.path}: no database of a {layout.kind}; {layout.remedies['foreign']}"
            )
        if form != layout.version:
            raise InputError(
                f"{self.path}: a {layout.kind} of format {form}; expected {layout.version}"
                f"{layout.remedies['version']}"
            )

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of the body's changes are on the disk at its end, or none.

        Raises:
            InputError: The file cannot be read or written.
        """
        with self._lock:
            try:
                self._connection.execute("BEGIN" if self._reading else "BEGIN IMMEDIATE")
                try:
                    yield self._connection
                except BaseException:
                    self._connection.execute("ROLLBACK")
                    raise
                self._connection.execute("COMMIT")
            except (*FAULTS, json.JSONDecodeError) as error:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise InputError(
                    f"{self.path}: the {self.layout.kind} cannot be read or written: {error}; nothing of "
                    "this step was saved: make room or repair the file, and repeat it"
                ) from error

    def close(self) -> None:
        """Closes the file; what was committed is on the disk already.

        Whoever closes it last leaves one file, without the log beside it.
        """
        with self._lock:
            if self.layout.log and not self._reading:
                with contextlib.suppress(*FAULTS):  # another process has it open
                    self._connection.execute("PRAGMA busy_timeout = 0")
                    self._connection.execute("PRAGMA journal_mode = DELETE")
            self._connection.close()


def begins(head: bytes, layout: Layout) -> bool:
    """Whether a file with these first bytes is a database of this layout."""
    application = head[_PLACE : _PLACE + 4]
    return head.startswith(_MAGIC) and application == layout.application.to_bytes(4, "big")


def notes_of_log(connection: sqlite3.Connection, path: Path, layout: Layout) -> tuple[str, ...]:
    """A note where a file was not closed, and its log is not there.

    Args:
        connection: A connection that has read nothing yet.
        path: The file.
        layout: Its tables.
    """
    log = path.with_name(f"{path.name}-wal")
    there = os.path.lexists(log)  # before SQLite makes it
    if there or connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        return ()
    return (
        f"{path.name} was not closed as usual, and {log.name} is not beside it: if it was copied without "
        f"it, the last {layout.entry}s are missing",
    )


@contextmanager
def _faults_of_opening(path: Path, layout: Layout) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise InputError(
            f"{path}: the {layout.kind} cannot be opened: {error}; make room on its disk, and see that you "
            "may read and write there"
        ) from None
    except (sqlite3.DatabaseError, UnicodeError) as error:
        raise InputError(
            f"{path}: no database of a {layout.kind}: {error}; name another file"
        ) from None


def make_database(
    path: str | os.PathLike[str], layout: Layout, fill: Callable[[sqlite3.Connection], None]
) -> None:
    """Makes a new database, readable by its owner alone, whole or not at all.

    Args:
        path: The file, which must not exist.
        layout: Its tables.
        fill: Writes the first rows into the connection that it is given.

    Raises:
        InputError: Something stands there, it cannot be written, or it lies on a network file system.
    """
    check_target(path)
    final = Path(os.path.realpath(path))
    if final.exists():
        raise _taken(path)
    _refuse_logs(path, final, layout)
    refuse_network(final, layout)
    with replacing(path) as temporary:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            with contextlib.closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
                add_checksum(connection)
                layout.make(connection)
                connection.execute(f"PRAGMA application_id = {layout.application}")
                connection.execute(f"PRAGMA user_version = {layout.version}")
                fill(connection)
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            why = failure(error) or str(error)
            raise InputError(f"{path}: cannot be written: {why}; choose another place") from error
        _claim(path, temporary, final)


def _claim(path: str | os.PathLike[str], temporary: Path, final: Path) -> None:
    """Gives the finished file its name, unless another process has made a file of that name since.

    A second name for the same file, other than a rename, fails where the name is taken. The rename by
    `replacing` that follows then has nothing to do.
    """
    try:
        os.link(temporary, final)
    except FileExistsError:
        raise _taken(path) from None
    except OSError:  # a file system without second names
        if final.exists():
            raise _taken(path) from None


def _taken(path: str | os.PathLike[str]) -> InputError:
    return InputError(f"{path}: a file stands there; name a new file, or remove this one")


def _refuse_logs(path: str | os.PathLike[str], final: Path, layout: Layout) -> None:
    """Raises an InputError where the log of another database lies: SQLite would replay it."""
    for suffix in ("-wal", "-shm", "-journal"):
        log = final.with_name(final.name + suffix)
        if os.path.lexists(log):
            raise InputError(
                f"{path}: {log.name} stands beside it, the log of an earlier {layout.kind}, whose "
                f"{layout.entry}s would come into the new one; put that {layout.kind} back, or "
                "remove its log, or name a new file"
            )


def refuse_network(path: Path, layout: Layout) -> None:
    """Raises an InputError where a file would lie on a network file system."""
    kind = network_file_system(path)
    if kind is not None:
        raise InputError(
            f"{path}: lies on a network file system ({kind}), where a confirmed {layout.entry} could be "
            f"lost; put the {layout.kind} on a local disk"
        )
