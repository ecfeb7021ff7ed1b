"""Asking a server many questions: several at a time, in order, resumed, and never too often."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from rejoinder.errors import InputError, ParameterError
from rejoinder.files.resumable_lines import ResumableLines
from rejoinder.messages import counted
from rejoinder.models.chat.endpoint import ChatEndpoint


@dataclass(frozen=True)
class Limits:
    """How often a model behind a server is asked.

    Attributes:
        retries: How often a question is asked again whose answer cannot be used.
        concurrency: How many questions are under way at a time.
        max_calls: Maximum number of answers of the server; None: no limit.
        max_tokens: Number of tokens of questions and answers, as the server counts them, after which
            no question is begun; None: no limit.

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
                raise ParameterError(f"{name}={value}; expected {least} or more")

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
                raise ParameterError(f"{name}: has no effect without a server; leave {name} out")
            if not kept:
                raise ParameterError(
                    f"{name}: needs a folder work=, in which answers are kept when the limit is reached"
                )

    def check_counts(self, endpoint: ChatEndpoint) -> None:
        """Sees that a server counts tokens, where they are limited.

        Raises:
            ParameterError: It does not.
        """
        if self.max_tokens is not None and not endpoint.counts:
            raise ParameterError(
                f"max_tokens: {endpoint.url} does not count tokens (usage); limit the number of calls "
                "with max_calls"
            )

    def counted(self, tokens: int | None, endpoint: ChatEndpoint) -> int:
        """The tokens of an answer; 0 where the server does not count them.

        Raises:
            InputError: They are limited, and the server counts them no longer.
        """
        if tokens is None and self.max_tokens is not None:
            raise InputError(
                f"max_tokens: {endpoint.url} no longer counts tokens (usage), so the limit cannot be "
                "kept; limit the number of calls with max_calls"
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


class Questions(Generic[Row]):
    """Questions, of which the next ones are asked before the answer to the first one is there.

    Args:
        ask: Asks the question in a place; called in several threads.
        keys: What identifies each question.
        limits: How often to ask.
    """

    def __init__(self, ask: Callable[[int], Row], keys: Sequence[str], limits: Limits) -> None:
        self._ask, self._keys, self._limits = ask, keys, limits
        self._calls = self._tokens = self._done = 0
        self._pending: deque[Future[Row]] = deque()
        self._next: int | None = None
        self._pool = ThreadPoolExecutor(limits.concurrency)

    def answers(self, file: ResumableLines[Row] | None = None) -> Generator[Row, None, None]:
        """The answers, in the order of the questions; close the iterator to end what is under way.

        Args:
            file: Holds answers as they come, and those of an interrupted run; None keeps nothing.

        Raises:
            InputError: A limit is reached, or the server fails; the file belongs to another run.
        """
        try:
            for row in self._rows(file):
                self._calls += row.calls
                self._tokens += row.tokens
                self._done += 1
                yield row
        finally:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _rows(self, file: ResumableLines[Row] | None) -> Iterator[Row]:
        if file is None:
            for place in range(len(self._keys)):
                yield self._answer(place)
            return
        keys = [[key] for key in self._keys]
        for rows in file.batches(keys, lambda place: [self._answer(place)]):
            yield from rows

    def _answer(self, place: int) -> Row:
        """The answer in a place: places come one after the other, the first may be any."""
        if self._next is None:
            self._next = place
        while (
            self._next < len(self._keys)
            and len(self._pending) < self._limits.concurrency
            and self._may_begin()
        ):
            self._pending.append(self._pool.submit(self._ask, self._next))
            self._next += 1
        if not self._pending:
            raise InputError(self._reached())
        return self._pending.popleft().result()

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
            f"{name}={getattr(limits, name)}: the limit is reached after {self._done} of "
            f"{len(self._keys)} questions ({counted(self._calls, 'call')}, "
            f"{counted(self._tokens, 'token')}; a question takes up to "
            f"{counted(1 + limits.retries, 'call')}); raise the limit, and repeat the command: with "
            "--work it goes on where it stopped"
        )
