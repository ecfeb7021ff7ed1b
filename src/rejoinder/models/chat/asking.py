"""Asking a server many questions: several at a time, in order, resumed, and never too often."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from rejoinder.errors import InputError, ParameterError
from rejoinder.files.replacing import failure
from rejoinder.files.resumable_lines import ResumableLines, SavedRows
from rejoinder.files.shards import end_of_shard, in_shards, shared
from rejoinder.messages import Argument, Placeholder, counted
from rejoinder.models.chat.endpoint import ChatAnswer, ChatEndpoint, Message
from rejoinder.progress import Progress, advance


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


GIVE_UP_AFTER = 32
"""Number of first answers after which a run without any usable one ends."""

FINISH_SECONDS = 30.0
"""Seconds that a run whose server failed waits for the questions under way, to save their answers."""


@dataclass(frozen=True)
class Limits:
    """How often a model behind a server is asked.

    Attributes:
        retries: How often a question is asked again whose answer cannot be used.
        concurrency: How many questions are under way at a time.
        max_calls: Maximum number of answers of the server; None: no limit.
        max_tokens: Number of tokens of questions and answers, as the server counts them, after which
            no new question is asked; None: no limit.

    Raises:
        ParameterError: A number is out of range.
    """

    retries: int = 2
    concurrency: int = 8
    max_calls: int | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        """Checks the numbers."""
        for name, least in (
            ("retries", 0),
            ("concurrency", 1),
            ("max_calls", 1),
            ("max_tokens", 1),
        ):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ParameterError(Argument(name, value), f"; expected {least} or more")

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the limits that are given."""
        return tuple(
            name for name in ("max_calls", "max_tokens") if getattr(self, name) is not None
        )

    def check(self, kept: bool, served: bool = True) -> None:
        """Sees that the limits can be kept, and lose no answer.

        Args:
            kept: Whether answers are kept in a folder.
            served: Whether the model is behind a server.

        Raises:
            ParameterError: A limit is given, and one of these does not hold.
        """
        for name in self.given:
            if not served:
                raise ParameterError(
                    Argument(name), " has no effect without a server; leave it out"
                )
            if not kept:
                raise ParameterError(
                    Argument(name),
                    f" needs {Argument('work', Placeholder('FOLDER'))}, in which answers are kept when the "
                    "limit is reached",
                )

    def check_counts(self, endpoint: ChatEndpoint) -> None:
        """Sees that a server counts tokens, where they are limited.

        Raises:
            ParameterError: It does not.
        """
        if self.max_tokens is not None and not endpoint.counts:
            raise ParameterError(
                Argument("max_tokens"),
                f": {endpoint.url} does not count tokens (usage); limit the number of calls with ",
                Argument("max_calls"),
            )

    def counted(self, tokens: int | None, endpoint: ChatEndpoint) -> int:
        """The tokens of an answer; 0 where the server does not count them.

        Raises:
            InputError: They are limited, and the server counts them no longer.
        """
        if tokens is None and self.max_tokens is not None:
            raise InputError(
                Argument("max_tokens"),
                f": {endpoint.url} no longer counts tokens (usage), so the limit cannot be "
                "kept; limit the number of calls with ",
                Argument("max_calls"),
            )
        return tokens or 0


class Counted(Protocol):
    """An answer, and what it took."""

    @property
    def calls(self) -> int:
        """How often the server answered."""
        ...

    @property
    def tokens(self) -> int:
        """How many tokens it counted in all."""
        ...


Row = TypeVar("Row", bound=Counted)


def uncounted(rows: Sequence[Counted]) -> list[str]:
    """A note on answers whose tokens are unknown, and count as 0."""
    count = sum(row.calls > 0 and row.tokens == 0 for row in rows)
    if not count:
        return []
    verb = "is" if count == 1 else "are"
    return [
        f"{counted(count, 'answer')} of {len(rows)} {verb} not in the number of tokens: the server does "
        "not count them, or its count is out of range (usage)"
    ]


class Attempts:
    """The calls of one question, which is asked again where its answer cannot be used.

    Args:
        endpoint: The model.
        limits: How often to ask.

    Attributes:
        calls: How often the server was asked.
        tokens: How many tokens it counted in all.
    """

    def __init__(self, endpoint: ChatEndpoint, limits: Limits) -> None:
        self._endpoint, self._limits = endpoint, limits
        self.calls = self.tokens = 0

    @property
    def left(self) -> bool:
        """Whether the question may be asked again."""
        return self.calls <= self._limits.retries

    def ask(self, messages: Sequence[Message]) -> ChatAnswer:
        """The model's answer; errors as with ``ChatEndpoint.ask`` and ``Limits.counted``."""
        self.calls += 1
        answer = self._endpoint.ask(messages)
        self.tokens += self._limits.counted(answer.tokens, self._endpoint)
        return answer


def ask_in_order(
    endpoint: ChatEndpoint,
    ask: Callable[[int, Attempts], Row],
    keys: Sequence[str],
    limits: Limits,
    *,
    row: type[Row],
    names: Sequence[str],
    content: Any,
    file: ResumableLines[Row] | None,
    check: Callable[[Sequence[Row]], None],
    progress: Progress | None = None,
) -> list[Row]:
    """All answers, in the order of the questions: asked for, or those of parts that are merged.

    A call that computes a shard ends here.

    Args:
        endpoint: As for ``AskedInOrder``, and so the next three.
        ask: Asks a question.
        keys: What identifies each.
        limits: How often to ask.
        row: The type of an answer.
        names: For each question the name by which shards are formed.
        content: What the answers depend on, as JSON has it.
        file: As for ``AskedInOrder.all``, and so the last two.
        check: Raises where no answer can be used; of a shard with few questions none may be.
        progress: Called with the number of questions answered and of all questions.
    """
    whole = not in_shards()

    def compute(places: list[int]) -> list[Row]:
        asked = AskedInOrder(
            endpoint,
            lambda place, attempts: ask(places[place], attempts),
            [keys[place] for place in places],
            limits,
        )
        enough = lambda rows: check(rows) if whole or len(rows) >= GIVE_UP_AFTER else None  # noqa: E731
        return asked.all(file, enough, progress)

    rows = shared("answers", names, content, compute, row)
    end_of_shard()
    if not whole:
        check(rows[:GIVE_UP_AFTER])
        check(rows)
    return rows


class AskedInOrder(Generic[Row]):
    """Questions, of which several are under way at a time, and whose answers come in their order.

    Each answer is saved as soon as it is there, also before those of earlier questions.

    Args:
        endpoint: The model.
        ask: Asks the question in a place; called in several threads.
        keys: What identifies each question.
        limits: How often to ask.
    """

    def __init__(
        self,
        endpoint: ChatEndpoint,
        ask: Callable[[int, Attempts], Row],
        keys: Sequence[str],
        limits: Limits,
    ) -> None:
        self._endpoint, self._ask, self._keys, self._limits = endpoint, ask, keys, limits
        self._calls = self._tokens = self._yielded = 0
        self._waiting: deque[int] = deque()
        self._pending: dict[Future[Row], tuple[int, Attempts]] = {}
        self._rows: dict[int, Row] = {}
        self._saved: SavedRows[Row] | None = None
        self._calls_file: CallsFile | None = None
        self._pool = ThreadPoolExecutor(limits.concurrency)

    def all(
        self,
        file: ResumableLines[Row] | None,
        check: Callable[[Sequence[Row]], None],
        progress: Progress | None = None,
    ) -> list[Row]:
        """All answers, in the order of the questions.

        Args:
            file: Holds answers as they come, and those of an interrupted run; None saves nothing.
            check: Called with the first ``GIVE_UP_AFTER`` answers, and with all; it raises where none
                can be used.
            progress: Called with the number of questions answered and of all questions.

        Raises:
            InputError: A limit is reached, or the server fails; the file belongs to another run.
        """
        rows: list[Row] = []
        with closing(self.answers(file)) as answers:
            for row in answers:
                rows.append(row)
                if len(rows) in (GIVE_UP_AFTER, len(self._keys)):
                    check(rows)
                advance(progress, len(rows), len(self._keys))
        return rows

    def answers(self, file: ResumableLines[Row] | None = None) -> Generator[Row, None, None]:
        """The answers, in the order of the questions; closing the iterator stops the asking.

        Arguments and errors as with ``all``.
        """
        saving = nullcontext() if file is None else file.in_any_order(self._keys)
        try:
            with saving as saved:
                self._resume(file, saved)
                seconds = 0.0
                try:
                    for place in range(len(self._keys)):
                        yield self._answer(place)
                        self._yielded += 1
                except InputError:
                    seconds = FINISH_SECONDS
                    raise
                finally:
                    self._finish(seconds)
        finally:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _resume(self, file: ResumableLines[Row] | None, saved: SavedRows[Row] | None) -> None:
        self._saved = saved
        if file is not None and saved is not None:
            self._rows = dict(saved.rows)
            self._calls_file = CallsFile.beside(file.path)
            calls, tokens = self._calls_file.read()
            self._calls = max(calls, sum(row.calls for row in self._rows.values()))
            self._tokens = max(tokens, sum(row.tokens for row in self._rows.values()))
        self._waiting.extend(each for each in range(len(self._keys)) if each not in self._rows)

    def _answer(self, place: int) -> Row:
        while place not in self._rows:
            self._begin()
            if not self._pending:
                raise InputError(self._reached())
            self._collect()
        return self._rows[place]

    def _begin(self) -> None:
        """Begins as many questions as may be under way."""
        concurrency = self._limits.concurrency
        while self._waiting and len(self._pending) < concurrency and self._may_begin():
            if self._yielded < GIVE_UP_AFTER <= self._waiting[0] - concurrency:
                return  # The run may yet end because of the first answers.
            self._record_calls(len(self._pending) + 1)
            attempts = Attempts(self._endpoint, self._limits)
            place = self._waiting.popleft()
            self._pending[self._pool.submit(self._ask, place, attempts)] = place, attempts

    def _collect(self, seconds: float | None = None) -> None:
        """Waits for an answer, and saves all that are there; raises what a question raised."""
        done, _ = wait(self._pending, seconds, FIRST_COMPLETED)
        failure: Exception | None = None
        for future in sorted(done, key=lambda each: self._pending[each][0]):
            place, attempts = self._pending.pop(future)
            self._calls += attempts.calls
            self._tokens += attempts.tokens
            try:
                row = future.result()
                self._rows[place] = row
                if self._saved is not None:
                    self._saved.add(place, row)
            except Exception as error:
                failure = failure or error
        self._record_calls(len(self._pending))
        if failure is not None:
            raise failure

    def _finish(self, seconds: float) -> None:
        """Saves the answers of questions under way that come within some seconds, and the calls."""
        end = time.monotonic() + seconds
        while self._pending:
            left = end - time.monotonic()
            with suppress(InputError):
                self._collect(max(left, 0.0))
            if left <= 0:
                break
        if self._calls_file is None:
            return
        known = sum(row.calls for row in self._rows.values())
        if len(self._rows) == len(self._keys) or (not self._pending and known == self._calls):
            self._calls_file.remove()
        else:
            self._record_calls(len(self._pending))

    def _record_calls(self, under_way: int) -> None:
        """Records the calls before they are begun: a killed run cannot say how many there were."""
        if self._calls_file is not None:
            most = under_way * (1 + self._limits.retries)
            self._calls_file.write(self._calls + most, self._tokens)

    def _may_begin(self) -> bool:
        """Whether another question can be asked, and again, without going beyond a limit."""
        calls, tokens = self._limits.max_calls, self._limits.max_tokens
        most = (len(self._pending) + 1) * (1 + self._limits.retries)
        return (calls is None or self._calls + most <= calls) and (
            tokens is None or self._tokens < tokens
        )

    def _reached(self) -> str:
        limits = self._limits
        of_tokens = limits.max_tokens is not None and self._tokens >= limits.max_tokens
        name = "max_tokens" if of_tokens else "max_calls"
        return (
            f"{Argument(name, getattr(limits, name))}: the limit is reached after {len(self._rows)} of "
            f"{len(self._keys)} questions ({counted(self._calls, 'call')}, "
            f"{counted(self._tokens, 'token')}; a question takes up to "
            f"{counted(1 + limits.retries, 'call')}); raise the limit and run this again: with the "
            f"same {Argument('work', Placeholder('FOLDER'))} it goes on where it stopped"
        )
