"""Asking a chat model all questions, again where an answer is no mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.resumable_lines import ResumableLines
from rejoinder.marking.answers import REFUSED, UNUSABLE, Answered, read_answer, unmarked
from rejoinder.marking.questions import MarkQuestion
from rejoinder.marking.rubric import Rubric
from rejoinder.messages import Argument, counted, quoted
from rejoinder.models.chat.asking import Attempts, Limits, ask_in_order
from rejoinder.models.chat.endpoint import ChatEndpoint, is_refusal_of_the_prompt
from rejoinder.models.server import AnswerError
from rejoinder.progress import Progress


def ask(
    endpoint: ChatEndpoint,
    questions: Sequence[MarkQuestion],
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
        work: A file of answers that an interrupted run resumes; None saves nothing.
        header: What identifies the run, for the file.
        progress: Called with the number of questions answered and of all questions.

    Raises:
        InputError: A limit is reached; the server cannot be reached or refuses everything; none of the
            first answers is a mark; the file belongs to another run.
        ParameterError: Tokens are limited, and the server does not count them.
    """
    limits.check_counts(endpoint)
    file = None
    if work is not None:
        about = {"rejoinder": "answers of a model", "format": 1, **(header or {})}
        remedy = f"name another folder for {Argument('work')}"
        file = ResumableLines(work, about, Answered, lambda line: line.question, remedy)
    keys = [question.key for question in questions]
    return ask_in_order(
        endpoint,
        lambda place, attempts: _ask(attempts, questions[place], rubric),
        keys,
        limits,
        row=Answered,
        names=[question.id for question in questions],
        content=[dict(header or {}), keys],
        file=file,
        check=lambda answers: _check_marks(answers, endpoint.url),
        progress=progress,
    )


def _ask(attempts: Attempts, question: MarkQuestion, rubric: Rubric) -> Answered:
    """The answer to a question, which is asked again until it is a mark."""
    text = question.text
    answered = unmarked(question, UNUSABLE)
    while attempts.left and answered.value is None:
        try:
            answer = attempts.ask([{"role": "user", "content": text}])
        except AnswerError as error:
            answered = unmarked(question, UNUSABLE, str(error))
            continue
        except InputError as error:
            if not is_refusal_of_the_prompt(error):
                raise
            answered = unmarked(question, REFUSED, str(error))
            break
        answered = read_answer(question, answer)
        text = rubric.repeated(question.text, list(question.marks))
    return msgspec.structs.replace(answered, calls=attempts.calls, tokens=attempts.tokens)


def _check_marks(answers: Sequence[Answered], where: str) -> None:
    """Raises where no answer is a mark: further questions would be wasted."""
    if any(each.value is not None for each in answers):
        return
    first = answers[0]
    got = f"; the first answer is {quoted(first.answer)}" if first.answer else ""
    raise InputError(
        f"{where}: none of the first {counted(len(answers), 'answer')} is a mark ({first.fault}){got}; "
        "use a model that follows the rubric, or change the words of the rubric"
    )
