"""How many calls of a server a run has used, beside the file of its answers."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.replacing import failure
from rejoinder.messages import Argument


class _Counts(msgspec.Struct, frozen=True):
    calls: int
    tokens: int


@dataclass(frozen=True)
class CallsFile:
    """A file with the calls of all runs in a folder, those included whose answers were lost.

    It is there while a run goes on, and after one that lost answers. The calls under way are counted
    with all their retries: after ``kill -9`` nobody knows how many there were.

    Attributes:
        path: The file.
    """

    path: Path

    @classmethod
    def beside(cls, answers: Path) -> CallsFile:
        """The file that belongs to a file of answers."""
        return cls(answers.with_name(f"{answers.name}.calls"))

    def read(self) -> tuple[int, int]:
        """Calls and tokens; 0 where there is no file.

        Raises:
            InputError: It cannot be read.
        """
        try:
            counts = msgspec.json.decode(self.path.read_bytes(), type=_Counts)
        except FileNotFoundError:
            return 0, 0
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {failure(error)}") from None
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise InputError(
                f"{self.path}: damaged; expected the number of calls and tokens; remove the file, and "
                f"lower {Argument('max_calls')} by the calls that were made"
            ) from None
        return max(counts.calls, 0), max(counts.tokens, 0)

    def write(self, calls: int, tokens: int) -> None:
        """Writes the counts; one run at a time does.

        Raises:
            InputError: It cannot be written.
        """
        temporary = self.path.with_name(f".{self.path.name}.part")
        try:
            temporary.write_bytes(msgspec.json.encode(_Counts(calls, tokens)))
            os.replace(temporary, self.path)
        except OSError as error:
            raise InputError(
                f"{self.path}: cannot be written: {failure(error)}; name another folder for ",
                Argument("work"),
            ) from None

    def remove(self) -> None:
        """Removes the file, where there is one."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
