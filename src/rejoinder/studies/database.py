"""The database of a study: one SQLite file whose commits survive a killed process and loss of power."""

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
from rejoinder.files.network import network_file_system
from rejoinder.files.replacing import check_target, failure, replacing
from rejoinder.messages import Call
from rejoinder.studies.tables import add_checksum, fault_of, make_tables

APPLICATION = 0x524A4E44
"""What a study's file says it belongs to (SQLite's ``application_id``)."""
_MAGIC = b"SQLite format 3\x00"
_PLACE = 68
"""Where the header of an SQLite file has its application id, 4 bytes, the highest first."""

FORMAT = 2
"""The version of the tables (``PRAGMA user_version``)."""
_PATIENCE = 30.0  # seconds that a transaction waits for another process


class Database:
    """An open database, shared by the threads of a process: one transaction at a time.

    Every transaction is on the disk when its body has ended (write-ahead log, ``synchronous=FULL``).

    Args:
        path: The file, which `make_database` made.
        reading: Whether nothing will be written: the file and its log stay as they are, and a full or a
            write-protected disk is no hindrance.

    Attributes:
        notes: What was found when it was opened.

    Raises:
        InputError: It is no database of a study, is damaged, or lies on a network file system.
    """

    def __init__(self, path: str | os.PathLike[str], reading: bool = False) -> None:
        self.path = Path(path)
        self._reading = reading
        if not self.path.is_file():
            raise InputError(f"{path}: there is no such study; make one by naming a test set")
        refuse_network(self.path)
        self._lock = threading.Lock()
        with _faults_of_opening(self.path), contextlib.ExitStack() as opening:
            mode = "ro" if reading else "rw"
            self._connection = sqlite3.connect(
                f"{self.path.resolve().as_uri()}?mode={mode}",
                uri=True,
                timeout=_PATIENCE,
                isolation_level=None,
                check_same_thread=False,
            )
            opening.callback(self._connection.close)
            self.notes = notes_of_log(self._connection, self.path)
            self._check_kind()
            self._prepare()
            with self.transaction() as connection:
                self.check(connection)
            opening.pop_all()

    def _prepare(self) -> None:
        add_checksum(self._connection)
        if not self._reading:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute("PRAGMA foreign_keys = ON")

    def check(self, connection: sqlite3.Connection) -> None:
        """Raises an InputError where the study is damaged; within a transaction."""
        fault = fault_of(connection)
        if fault:
            raise InputError(
                f"{self.path}: the study is damaged: {fault}; restore a copy of it, or export what is "
                f"whole with '{Call('export with salvage=True')}'"
            )

    def _check_kind(self) -> None:
        application, form = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("application_id", "user_version")
        )
        if application != APPLICATION:
            raise InputError(
                f"{self.path}: no database of a study; name one that annotate has made"
            )
        if form != FORMAT:
            raise InputError(
                f"{self.path}: a study of format {form}; expected {FORMAT}, whose rows have checksums; "
                "open and export it with the version of Rejoinder that made it"
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
            except (sqlite3.Error, json.JSONDecodeError) as error:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise InputError(
                    f"{self.path}: the study cannot be read or written: {error}; nothing of this step "
                    "was saved: make room or repair the file, and repeat it"
                ) from error

    def close(self) -> None:
        """Closes the file; what was committed is on the disk already.

        Whoever closes it last leaves one file, without the log beside it.
        """
        with self._lock:
            if not self._reading:
                with contextlib.suppress(sqlite3.Error):  # another process has it open
                    self._connection.execute("PRAGMA busy_timeout = 0")
                    self._connection.execute("PRAGMA journal_mode = DELETE")
            self._connection.close()


def begins_study(head: bytes) -> bool:
    """Whether a file with these first bytes is a study of ``annotate serve`` or ``annotate page``."""
    application = head[_PLACE : _PLACE + 4]
    return head.startswith(_MAGIC) and application == APPLICATION.to_bytes(4, "big")


def notes_of_log(connection: sqlite3.Connection, path: Path) -> tuple[str, ...]:
    """A note where a file was not closed, and its log is not there; for a connection that read nothing."""
    log = path.with_name(f"{path.name}-wal")
    there = os.path.lexists(log)  # before SQLite makes it
    if there or connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        return ()
    return (
        f"{path.name} was not closed as usual, and {log.name} is not beside it: if it was copied without "
        "it, the last answers are missing",
    )


@contextmanager
def _faults_of_opening(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise InputError(
            f"{path}: the study cannot be opened: {error}; make room on its disk, and see that you may "
            "read and write there"
        ) from None
    except sqlite3.DatabaseError as error:
        raise InputError(f"{path}: no database of a study: {error}; name another file") from None


def make_database(path: str | os.PathLike[str], fill: Callable[[sqlite3.Connection], None]) -> None:
    """Makes a new database, readable by its owner alone, whole or not at all.

    Args:
        path: The file, which must not exist.
        fill: Writes the study into the connection that it is given.

    Raises:
        InputError: Something stands there, it cannot be written, or it lies on a network file system.
    """
    check_target(path)
    final = Path(os.path.realpath(path))
    if final.exists():
        raise _taken(path)
    _refuse_logs(path, final)
    refuse_network(final)
    with replacing(path) as temporary:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            connection = sqlite3.connect(temporary, isolation_level=None)
            try:
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {FORMAT}")
                add_checksum(connection)
                make_tables(connection)
                connection.execute("BEGIN")
                fill(connection)
                connection.execute("COMMIT")
            finally:
                connection.close()
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


def _refuse_logs(path: str | os.PathLike[str], final: Path) -> None:
    """Raises an InputError where the log of another database lies: SQLite would replay it."""
    for suffix in ("-wal", "-shm", "-journal"):
        log = final.with_name(final.name + suffix)
        if os.path.lexists(log):
            raise InputError(
                f"{path}: {log.name} stands beside it, the log of an earlier study, whose answers would "
                "come into the new one; put that study back, or remove its log, or name a new file"
            )


def refuse_network(path: Path) -> None:
    """Raises an InputError where a file would lie on a network file system."""
    kind = network_file_system(path)
    if kind is not None:
        raise InputError(
            f"{path}: lies on a network file system ({kind}), where a confirmed rating could be lost; "
            "put the study on a local disk"
        )
