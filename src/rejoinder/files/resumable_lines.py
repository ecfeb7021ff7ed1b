"""Files of JSON lines that are written as results are computed, and resumed after an interruption.

The first line, the header, identifies the run: its model, settings and inputs. One line for each
result follows, batch by batch, in an order that depends on the inputs alone. So the file of an
interrupted run is a prefix of the complete one: an incomplete last batch is removed and computed again,
and the resumed run writes the same bytes as an uninterrupted one.

Where results come in any order (``in_any_order``), lines are written as they come, and the file is
written again in the order of the inputs when it is complete: again the same bytes.

Each line ends in ``"check"``: the first 16 digits of the SHA-256 of the check before it and the line
without its own. A damaged, lost or moved line is found when the file is read. The checks begin with
the header, which holds ``"checked": true``. They find damage, and are not a signature.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.locks import lock
from rejoinder.files.replacing import made_folder, replacing
from rejoinder.files.run_identity import another_run, differences

DIGITS = 16
HEAD = b',"check":"'
TAIL = b'"}'
CHECKED = "checked"

Row = TypeVar("Row")


@dataclass(frozen=True)
class SavedRows(Generic[Row]):
    """The rows of a resumable file, by their places.

    Attributes:
        rows: The rows that the file has.
        save: Writes a row to the disk.
    """

    rows: dict[int, Row]
    save: Callable[[Row], None]

    def add(self, place: int, row: Row) -> None:
        """Saves a row; an InputError where it cannot be written."""
        self.save(row)
        self.rows[place] = row


@dataclass(frozen=True)
class ResumableLines(Generic[Row]):
    """A resumable file, which one run at a time writes.

    Attributes:
        path: The file; its folder is created if necessary.
        header: What identifies the run. ``"rejoinder"`` names the kind of rows, for messages.
        row: The ``msgspec.Struct`` of a line.
        key: What identifies a row within the run.
        remedy: How to avoid a file that cannot be used, for messages.
    """

    path: Path
    header: Mapping[str, Any]
    row: type[Row]
    key: Callable[[Row], Hashable]
    remedy: str = "name another folder"

    def batches(
        self, keys: Sequence[Sequence[Hashable]], compute: Callable[[int], Sequence[Row]]
    ) -> Iterator[Sequence[Row]]:
        """The rows of each batch: read where the file has them, otherwise computed and written.

        Args:
            keys: For each batch the keys of its rows.
            compute: Computes the rows of a batch, given its position.

        Raises:
            InputError: The file belongs to another run, is damaged, is in use, or cannot be written.
        """
        with self._opened() as file:
            with self._faults():
                lines, check = self._read(file, [len(each) for each in keys])
            begin = 0
            for position, expected in enumerate(keys):
                end = begin + len(expected)
                if end <= len(lines):
                    yield self._rows(lines[begin:end], expected)
                else:
                    rows = compute(position)
                    with self._faults():
                        check = self._append(file, rows, check)
                    yield rows
                begin = end

    @contextmanager
    def in_any_order(self, keys: Sequence[Hashable]) -> Iterator[SavedRows[Row]]:
        """The rows that the file has, and those that are added as they come.

        Args:
            keys: The keys of all rows, each once.

        Raises:
            InputError: As with ``batches``.
        """
        with self._opened() as file:
            with self._faults():
                lines, check = self._read(file, [1] * len(keys))
                file.seek(0)
                header = file.readline().rstrip(b"\n")
                file.seek(0, os.SEEK_END)
            rows = self._decoded(lines)
            places = {key: place for place, key in enumerate(keys)}
            order = [places.get(self.key(row), -1) for row in rows]
            if -1 in order or len(set(order)) < len(order):
                raise InputError(f"{self.path}: lines of other inputs, or twice; remove the file")
            whole = True

            def save(row: Row) -> None:
                nonlocal check, whole
                if not whole:  # after a part of a line, no other line can be read
                    raise InputError(f"{self.path}: cannot be written; {self.remedy}")
                whole = False
                with self._faults():
                    check = self._append(file, [row], check)
                whole = True
                order.append(places[self.key(row)])

            saved = SavedRows(dict(zip(order, rows, strict=True)), save)
            yield saved
        if len(order) == len(keys) and order != sorted(order):
            self._write_again(header, [saved.rows[place] for place in range(len(keys))])

    def _write_again(self, header: bytes, rows: Sequence[Row]) -> None:
        with replacing(self.path) as temporary, open(temporary, "w+b") as file:
            file.write(header + b"\n")
            self._append(file, rows, _first_check(header))

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        """The file, which no other run has; on a full disk closing it fails too, and must not hide what
        failed first.
        """
        made_folder(self.path.parent, self.remedy)
        with self._faults():
            file = open(self.path, "a+b")  # noqa: SIM115 - closed below, by the end of the block
        try:
            lock(file.fileno(), self.path, "file", self.remedy)
            yield file
        except BaseException:
            with suppress(OSError):
                file.close()
            raise
        with self._faults():
            file.close()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(
                f"{self.path}: cannot be read or written: {error.strerror}; {self.remedy}"
            ) from error

    def _read(self, file: BinaryIO, sizes: Sequence[int]) -> tuple[list[bytes], str]:
        """The lines of all complete batches, and the check that the next line follows.

        What follows them is removed from the file, and an empty file gets its header.
        """
        header = msgspec.json.encode({**self.header, CHECKED: True})
        file.seek(0)
        data = file.read()
        whole = data.split(b"\n")[:-1]
        if not whole:
            if not (header + b"\n").startswith(data):
                raise self._foreign()
            file.truncate(0)
            file.write(header + b"\n")
            return [], _first_check(header)
        self._check_header(whole[0])
        lines = whole[1:]
        damaged = _damaged(whole[0], lines)
        if damaged is not None:
            raise InputError(
                f"{self.path}, line {damaged}: damaged or altered since it was written; remove the "
                "file, or that line and all that follow it"
            )
        count = 0
        for size in sizes:
            if count + size > len(lines):
                break
            count += size
        size = sum(len(line) + 1 for line in whole[: 1 + count])
        if size < len(data):
            file.truncate(size)
        lines = lines[:count]
        return lines, _check_of(lines[-1]) if lines else _first_check(whole[0])

    def _check_header(self, line: bytes) -> None:
        """Raises an InputError where the file belongs to another run."""
        try:
            kept_header = msgspec.json.decode(line)
        except (msgspec.DecodeError, ValueError, RecursionError):
            kept_header = None
        if (
            not isinstance(kept_header, dict)
            or kept_header.get("rejoinder") != self.header["rejoinder"]
        ):
            raise self._foreign()
        header = {**self.header, CHECKED: True}
        if kept_header == header:
            return
        differing = differences(kept_header, header)
        what, remedy = self.header["rejoinder"], f"{self.remedy}, or remove the file"
        raise another_run(self.path, what, differing, remedy)

    def _foreign(self) -> InputError:
        return InputError(
            f"{self.path}: is not a file of {self.header['rejoinder']} that Rejoinder wrote; "
            f"{self.remedy}, or remove the file"
        )

    def _rows(self, lines: Sequence[bytes], keys: Sequence[Hashable]) -> list[Row]:
        rows = self._decoded(lines)
        if [self.key(row) for row in rows] != list(keys):
            raise InputError(f"{self.path}: lines out of order; remove the file")
        return rows

    def _decoded(self, lines: Sequence[bytes]) -> list[Row]:
        decode = msgspec.json.Decoder(self.row).decode
        try:
            return [decode(line) for line in lines]
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise InputError(f"{self.path}: a damaged line ({error}); remove the file") from None

    def _append(self, file: BinaryIO, rows: Sequence[Row], check: str) -> str:
        """Writes rows to the disk; returns the check that the next line follows."""
        lines = []
        for row in rows:
            line, check = _linked(check, msgspec.json.encode(row))
            lines.append(line + b"\n")
        file.write(b"".join(lines))
        file.flush()
        os.fsync(file.fileno())
        return check


def file_name(name: str) -> str:
    """A name, for example of a model, as a file can have it.

    >>> file_name("org/model 1")
    'org-model-1'
    """
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name)


def damaged_line(data: bytes) -> int | None:
    """The number of the first line (from 1) that is not as it was written.

    None where all lines are intact, and where the first line does not declare checks.
    """
    header, *lines = data.split(b"\n")
    if not header.startswith(b'{"rejoinder":') or b'"checked":true' not in header:
        return None
    return _damaged(header, lines[:-1] if lines and not lines[-1] else lines)


def _damaged(header: bytes, lines: Sequence[bytes]) -> int | None:
    check = _first_check(header)
    for number, line in enumerate(lines, start=2):
        plain = line[: -len(HEAD) - DIGITS - len(TAIL)] + b"}"
        expected, check = _linked(check, plain)
        if expected != line:
            return number
    return None


def _first_check(header: bytes) -> str:
    """The check that the first line after a header follows."""
    return hashlib.sha256(header).hexdigest()[:DIGITS]


def _linked(before: str, line: bytes) -> tuple[bytes, str]:
    """A line (a JSON object that is not empty) with its check, and that check."""
    check = hashlib.sha256(before.encode() + line).hexdigest()[:DIGITS]
    return line[:-1] + HEAD + check.encode() + TAIL, check


def _check_of(line: bytes) -> str:
    return line[-len(TAIL) - DIGITS : -len(TAIL)].decode()
