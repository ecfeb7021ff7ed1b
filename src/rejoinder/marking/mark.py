"""Marks of replies by a language model: one by one on a scale, or in pairs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from rejoinder._version import __version__
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.checksums import json_digest
from rejoinder.files.resumable_lines import file_name
from rejoinder.files.shards import end_of_shard
from rejoinder.marking.answers import EXPECTED, READ, SHARE, Answered, of_likelihoods
from rejoinder.marking.asking import ask
from rejoinder.marking.opening import Model, open_model
from rejoinder.marking.questions import MarkQuestions, questions
from rejoinder.marking.result import Marks
from rejoinder.marking.rubric import Rubric, read_rubric
from rejoinder.marking.tables import (
    answers_table,
    preferences_table,
    scores_table,
    systems_of_preferences,
    systems_of_scores,
)
from rejoinder.messages import Argument, Placeholder, counted, quoted
from rejoinder.models.chat.asking import Limits, uncounted
from rejoinder.models.chat.endpoint import ANSWER_TOKENS, ChatEndpoint
from rejoinder.models.likelihood.backend import LikelihoodBackend, LikelihoodRequest, LocalModel
from rejoinder.models.likelihood.store import likelihoods
from rejoinder.models.unused_settings import check_unused
from rejoinder.progress import Progress
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.in_memory import ResponsesLike, taken
from rejoinder.tables.responses import refuse_unknown_ids
from rejoinder.tables.testset import TestSet, TestSetLike
from rejoinder.tables.types import Responses


def mark(
    testset: TestSetLike,
    responses: ResponsesLike,
    model: Model,
    rubric: Rubric | str | os.PathLike[str] | None = None,
    *,
    pairwise: bool = False,
    turns: int | None = None,
    limits: Limits = Limits(),
    answer_tokens: int = ANSWER_TOKENS,
    seed: int = 12345,
    work: str | os.PathLike[str] | None = None,
    template: str = "auto",
    local: LocalModel = LocalModel(),
    progress: Progress | None = None,
) -> Marks:
    """Has a language model mark replies.

    One by one, the mark is the expectation of the scale's points over the model's probabilities of the
    answer's first token (Liu et al. 2023, G-Eval, section 2.3), where these are to be had: of a model
    on this machine, or of a server that tells log-probabilities and gives the points at least half
    of the probability. Else it is the number that the model answers. An answer that is none of those
    asked for is no mark: the question is asked again, and then has no mark. In pairs, two replies to
    an item are compared in both orders, and each comparison is kept as it is.

    A model's marks are not people's: ``judge`` compares them, and ``compare_with_people`` corrects
    what they say about systems.

    Args:
        testset: The items.
        responses: The replies: ``system``, ``id``, ``text``, and ``sample`` where there are several to
            an item. Systems need not have answered the same items.
        model: The URL of an OpenAI-compatible server with chat completions (``#name`` behind it where it
            has several models), the folder of a ``transformers`` model, or an opened model.
        rubric: What is asked, or its file (``read_rubric``); None: one criterion, "How good is the
            reply?", from 1 to 5.
        pairwise: Whether replies are compared in pairs.
        turns: How many last turns of the context the model sees; None: all.
        limits: How often a server is asked; a maximum number of calls or tokens needs ``work``.
        answer_tokens: Maximum number of tokens of an answer of a server.
        seed: Random seed, which a server is told.
        work: A folder for intermediate results; an interrupted run is resumed.
        template: Of a model on this machine, whether its chat template is used: ``auto``, ``chat``,
            ``plain``.
        local: How a model on this machine is loaded and run.
        progress: Called with the number of questions answered and of all questions.

    Raises:
        InputError: The model cannot be opened or reached; none of its first answers is a mark; a limit
            is reached; replies are to items that there are not; nothing can be compared.
        ParameterError: A parameter is out of range, or has no effect on a model of this kind.
    """
    testset = TestSet.of(testset)
    check_draws(0, seed)
    if turns is not None and turns < 1:
        raise ParameterError(Argument("turns", turns), "; expected 1 or more, or None for all")
    limits.check(kept=work is not None)
    asked_by, rubric = _rubric(rubric)
    asked = questions(testset, _replies(testset, responses), rubric, pairwise, turns)
    opened = open_model(
        model,
        rubric,
        pairwise=pairwise,
        answer_tokens=answer_tokens,
        seed=seed,
        template=template,
        local=local,
    )
    asked_for = json_digest([question.key for question in asked.asked])[:8]
    facts = _facts(rubric, asked_for, turns, opened)
    folder = None if work is None else Path(work)
    notes: tuple[str, ...] = ()
    if isinstance(opened, ChatEndpoint):
        facts["retries"] = str(limits.retries)
        file = None if folder is None else folder / f"{file_name(opened.name)}.answers.jsonl"
        try:
            answers = ask(
                opened, asked.asked, rubric, limits, work=file, header=facts, progress=progress
            )
            notes = tuple(uncounted(answers))
        finally:
            if opened is not model:
                opened.close()
    else:
        limits.check(kept=True, served=False)
        where = "on a model on this machine; it is for a server"
        check_unused(vars(limits), vars(Limits()), where)
        answers, notes = _local_answers(opened, asked, folder, progress)
    return _result(opened.name, asked, answers, facts, (*asked_by, *notes), pairwise)


def signature_of(
    rubric: Rubric, model: ChatEndpoint | LikelihoodBackend, pairwise: bool, turns: int | None
) -> str:
    """What marks will depend on, besides the replies: what a judge's card is compared with.

    Args:
        rubric: What is asked.
        model: Who answers.
        pairwise: Whether two replies are compared.
        turns: How many turns of a context are shown; None: all.
    """
    return _signature(_facts(rubric, "", turns, model), pairwise)


def _facts(
    rubric: Rubric, asked: str, turns: int | None, model: ChatEndpoint | LikelihoodBackend
) -> dict[str, str]:
    return {
        "rubric": rubric.hash,
        "questions": asked,
        "turns": "all" if turns is None else str(turns),
        **model.facts,
    }


def _signature(facts: Mapping[str, str], pairwise: bool) -> str:
    words = {"kind": "pairwise" if pairwise else "pointwise", **facts}
    return "|".join(["mark", *(f"{key}:{value}" for key, value in words.items())])


def _rubric(given: Rubric | str | os.PathLike[str] | None) -> tuple[tuple[str, ...], Rubric]:
    """What is asked, and a note where no rubric was given."""
    if given is not None:
        return (), given if isinstance(given, Rubric) else read_rubric(given)
    usual = Rubric()
    criterion = usual.criteria[0]
    note = (
        f"no rubric was given: the model was asked {quoted(criterion.question)}, from "
        f"{criterion.lowest} to {criterion.highest}; a rubric with criteria of your own is "
    )
    return (note + str(Argument("rubric", Placeholder("FILE"))),), usual


def _replies(testset: TestSet, responses: ResponsesLike) -> pl.DataFrame:
    frame = taken(Responses, responses, testset.ids).frame
    refuse_unknown_ids(frame, testset.contexts.select("id"))
    return frame


def _local_answers(
    backend: LikelihoodBackend, asked: MarkQuestions, work: Path | None, progress: Progress | None
) -> tuple[list[Answered], tuple[str, ...]]:
    """The answers of a model on this machine: from the likelihood of every answer asked for."""
    requests = [
        LikelihoodRequest(question.key, (question.text,), tuple(question.marks))
        for question in asked.asked
    ]
    measured = likelihoods(backend, requests, work=work, progress=progress)
    end_of_shard()
    answers = [
        of_likelihoods(question, replies)
        for question, replies in zip(asked.asked, measured.replies, strict=True)
    ]
    if all(each.value is None for each in answers):
        raise InputError(
            f"{backend.name}: no question has a mark ({answers[0].fault}); where log-probabilities are "
            "NaN or infinite, check that the weights are complete"
        )
    notes = list(measured.notes)
    shares = [each.share for each in answers if each.share is not None]
    mean = sum(shares) / len(shares)
    if mean < SHARE:
        notes.append(
            f"the answers asked for have {mean:.2g} of the model's probability on average: it would "
            "rather say something else; a model that follows instructions marks better"
        )
    return answers, tuple(notes)


def _result(
    name: str,
    asked: MarkQuestions,
    answers: Sequence[Answered],
    facts: Mapping[str, str],
    notes: Sequence[str],
    pairwise: bool,
) -> Marks:
    kind = "preferences" if pairwise else "scores"
    table = (preferences_table if pairwise else scores_table)(asked, answers, name)
    systems = (systems_of_preferences if pairwise else systems_of_scores)(asked, answers)
    signature = _signature({**facts, "version": __version__}, pairwise)
    every = (*asked.notes, *notes, *_remarks(answers, pairwise))
    marks = Marks(kind, table, systems, answers_table(answers), name, signature)
    return replace(marks, notes=every)


def _remarks(answers: Sequence[Answered], pairwise: bool) -> list[str]:
    """What to know about the marks: those missing, and those that came about in another way."""
    notes = []
    faults: dict[str, list[Answered]] = {}
    for each in answers:
        if each.fault:
            faults.setdefault(each.fault, []).append(each)
    for fault, several in faults.items():
        got = f" ({quoted(several[0].answer)})" if several[0].answer else ""
        notes.append(
            f"{counted(len(several), 'question')} of {len(answers)} without a mark: {fault}; the first "
            f"at id {quoted(several[0].id)}{got}"
        )
    again = sum(each.calls > 1 for each in answers)
    if again:
        notes.append(f"{counted(again, 'question')} asked again, because an answer was no mark")
    how = [each.how for each in answers if each.how]
    if not pairwise and EXPECTED in how and READ in how:
        notes.append(
            f"{counted(how.count(READ), 'mark')} of {len(how)} read from the answer, because the scale's "
            "points had less than half of the first token's probability; the others are expectations"
        )
    return notes
