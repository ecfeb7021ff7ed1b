"""Asking a chat model all questions: several at a time, again where need be, and never too often."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from rejoinder.errors import InputError, ParameterError
from rejoinder.files.resumable_lines import ResumableLines
from rejoinder.marking.answers import REFUSED, UNUSABLE, Answered, read_answer, unmarked
from rejoinder.marking.questions import Question
from rejoinder.marking.rubric import Rubric
from rejoinder.messages import counted, quoted
from rejoinder.models.chat.endpoint import ChatEndpoint, is_refusal_of_the_prompt
from rejoinder.models.server import AnswerError
from rejoinder.progress import Progress

FIRST = 32
"""So many first answers without a mark are no chance: the run ends."""


@dataclass(frozen=True)
class Limits:
    """How often a model is asked.

    Attributes:
        retries: How often a question is asked again whose answer is no mark.
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


def ask(
    endpoint: ChatEndpoint,
    questions: Sequence[Question],
    rubric: Rubric,
    limits: Limits,
    *,
    work: Path | None = None,
    header: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> list[Answered]:
    """The answers to all questions, in their order.

    Args:
        endpoint: The model.
        questions: The questions, each once.
        rubric: What is added to a question that is asked again.
        limits: How often to ask.
        work: A file of answers that an interrupted run resumes; None keeps nothing.
        header: What identifies the run, for the file.
        progress: Called with the number of questions answered and of all questions.

    Raises:
        InputError: A limit is reached; the server cannot be reached or refuses everything; none of the
            first answers is a mark; the file belongs to another run.
    """
    if limits.max_tokens is not None and not endpoint.counts:
        raise ParameterError(
            f"max_tokens: {endpoint.url} does not count tokens (usage); limit the number of calls "
            "with max_calls"
        )
    answers: list[Answered] = []
    with _Window(endpoint, questions, rubric, limits).begun() as window:
        for answered in _answers(window, questions, work, header or {}):
            answers.append(answered)
            window.count(answered)
            if len(answers) in (FIRST, len(questions)):
                _check_marks(answers, endpoint.url)
            if progress is not None:
                progress(len(answers), len(questions))
    return answers


def _answers(
    window: _Window, questions: Sequence[Question], work: Path | None, header: Mapping[str, str]
) -> Iterator[Answered]:
    if work is None:
        for place in range(len(questions)):
            yield window.answer(place)
        return
    file = ResumableLines(
        work,
        {"rejoinder": "answers of a model", "format": 1, **header},
        Answered,
        lambda line: line.question,
        "name another folder for --work",
    )
    keys = [[question.key] for question in questions]
    for rows in file.batches(keys, lambda place: [window.answer(place)]):
        yield from rows


class _Window:
    """Questions under way: the next ones are asked before the answer to the first one is there."""

    def __init__(
        self, endpoint: ChatEndpoint, questions: Sequence[Question], rubric: Rubric, limits: Limits
    ) -> None:
        self.endpoint, self.questions, self.rubric, self.limits = (
            endpoint,
            questions,
            rubric,
            limits,
        )
        self.calls = self.tokens = self.done = 0
        self._pending: deque[Future[Answered]] = deque()
        self._next: int | None = None
        self._pool = ThreadPoolExecutor(limits.concurrency)

    @contextmanager
    def begun(self) -> Iterator[_Window]:
        """Ends what is under way when the body ends."""
        try:
            yield self
        finally:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def count(self, answered: Answered) -> None:
        """Takes account of an answer, from the server or from the file."""
        self.calls += answered.calls
        self.tokens += answered.tokens
        self.done += 1

    def answer(self, place: int) -> Answered:
        """The answer to a question: places come one after the other, the first may be any."""
        if self._next is None:
            self._next = place
        while (
            self._next < len(self.questions)
            and len(self._pending) < self.limits.concurrency
            and self._may_begin()
        ):
            question = self.questions[self._next]
            self._pending.append(self._pool.submit(self._ask, question))
            self._next += 1
        if not self._pending:
            raise InputError(self._reached())
        return self._pending.popleft().result()

    def _may_begin(self) -> bool:
        """Whether another question can be asked, and again, without going beyond a limit."""
        calls, tokens = self.limits.max_calls, self.limits.max_tokens
        most = (len(self._pending) + 1) * (1 + self.limits.retries)
        return (calls is None or self.calls + most <= calls) and (
            tokens is None or self.tokens < tokens
        )

    def _reached(self) -> str:
        calls, tokens = counted(self.calls, "call"), counted(self.tokens, "token")
        name = "max_calls" if self.limits.max_calls is not None else "max_tokens"
        if self.limits.max_tokens is not None and self.tokens >= self.limits.max_tokens:
            name = "max_tokens"
        return (
            f"{name}={getattr(self.limits, name)}: the limit is reached after {self.done} of "
            f"{len(self.questions)} questions ({calls}, {tokens}; a question takes up to "
            f"{counted(1 + self.limits.retries, 'call')}); raise the limit, and repeat the command: "
            "with --work it goes on where it stopped"
        )

    def _ask(self, question: Question) -> Answered:
        calls = tokens = 0
        text = question.text
        answered = unmarked(question, UNUSABLE)
        while calls <= self.limits.retries and not (calls and answered.value is not None):
            calls += 1
            try:
                answer = self.endpoint.ask([{"role": "user", "content": text}])
            except AnswerError as error:
                answered = unmarked(question, UNUSABLE, str(error))
                continue
            except InputError as error:
                if not is_refusal_of_the_prompt(error):
                    raise
                answered = unmarked(question, REFUSED, str(error))
                break
            tokens += self._counted(answer.tokens)
            answered = read_answer(question, answer)
            text = self.rubric.repeated(question.text, list(question.marks))
        return msgspec.structs.replace(answered, calls=calls, tokens=tokens)

    def _counted(self, tokens: int | None) -> int:
        if tokens is None and self.limits.max_tokens is not None:
            raise InputError(
                f"max_tokens: {self.endpoint.url} no longer counts tokens (usage), so the limit "
                "cannot be kept; limit the number of calls with max_calls"
            )
        return tokens or 0


def _check_marks(answers: Sequence[Answered], where: str) -> None:
    """Raises where no answer is a mark: asking on would be for nothing."""
    if any(each.value is not None for each in answers):
        return
    first = answers[0]
    got = f"; the first answer is {quoted(first.answer)}" if first.answer else ""
    raise InputError(
        f"{where}: none of the first {counted(len(answers), 'answer')} is a mark ({first.fault}){got}; "
        "use a model that follows the rubric, or change the words of the rubric"
    )
