"""Likelihoods of all replies to all prompts, on disk: as a run resumes them, or made elsewhere.

Results are kept in a file of ``files/resumable_lines.py``, a line for each prompt and reply in the
order of the plan.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.resumable_lines import ResumableLines, damaged_line, file_name
from rejoinder.files.shards import in_shards, shared
from rejoinder.messages import Argument, quoted
from rejoinder.models.likelihood.backend import (
    DROPS,
    Likelihood,
    LikelihoodBackend,
    LikelihoodRequest,
    RequestBatch,
    RequestPlan,
)
from rejoinder.progress import Progress, advance
from rejoinder.tables.io.json_lines import convert, read_objects

SIZE = 1024  # requests to a batch


WORK = Argument("work")


FORMAT = 1


@dataclass(frozen=True)
class Likelihoods:
    """The likelihoods of all replies to all prompts.

    Attributes:
        replies: For each request, and each of its replies, the likelihood.
        notes: What was cut or excluded.
        facts: What the numbers depend on.
    """

    replies: list[list[Likelihood]]
    notes: tuple[str, ...]
    facts: dict[str, str]


def likelihoods(
    backend: LikelihoodBackend,
    requests: Sequence[LikelihoodRequest],
    *,
    work: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Likelihoods:
    """Measures all replies to all prompts.

    Args:
        backend: The source of the likelihoods.
        requests: Prompts and replies, each id once.
        work: A folder in which results are kept as they are computed, and from which an interrupted
            run is resumed; None keeps nothing.
        progress: Called with the number of prompts done and of all prompts.

    Raises:
        InputError: The folder holds the results of another run, or cannot be written; the backend
            cannot score a reply.
    """
    plan = backend.plan(requests)
    if in_shards():
        return _in_shards(backend, requests, plan, work)
    measured: list[list[Likelihood]] = [[] for _ in requests]
    finished = 0
    for batch, likelihoods_of_batch in (
        _measured(backend, plan.batches)
        if work is None
        else _resumed(backend, requests, plan.batches, Path(work))
    ):
        for place, each in zip(batch.requests, likelihoods_of_batch, strict=True):
            measured[place] = each
        finished += len(batch.requests)
        advance(progress, finished, len(requests))
    return Likelihoods(measured, plan.notes, backend.facts)


def _in_shards(
    backend: LikelihoodBackend,
    requests: Sequence[LikelihoodRequest],
    plan: RequestPlan,
    work: str | os.PathLike[str] | None,
) -> Likelihoods:
    """The likelihoods of a shard's batches, or of all from parts: no batch is composed anew."""

    def compute(places: list[int]) -> list[list[list[LikelihoodRecord]]]:
        batches = [plan.batches[place] for place in places]
        resumed = None if work is None else Path(work)
        pairs = (
            _measured(backend, batches)
            if resumed is None
            else _resumed(backend, requests, batches, resumed)
        )
        return [
            [[LikelihoodRecord.of("", "", each) for each in replies] for replies in lists]
            for _, lists in pairs
        ]

    names = [requests[batch.requests[0]].id for batch in plan.batches]
    header = _header(backend, requests)
    row = list[list[LikelihoodRecord]]
    measured: list[list[Likelihood]] = [[] for _ in requests]
    lists_of_batches = shared(f"likelihoods of {backend.name}", names, header, compute, row)
    for batch, lists in zip(plan.batches, lists_of_batches, strict=True):
        if lists is None:  # of another shard
            continue
        for place, lines in zip(batch.requests, lists, strict=True):
            measured[place] = [likelihood(line, backend.name) for line in lines]
    return Likelihoods(measured, plan.notes, backend.facts)


def _measured(
    backend: LikelihoodBackend, batches: Sequence[RequestBatch]
) -> Iterator[tuple[RequestBatch, list[list[Likelihood]]]]:
    for batch in batches:
        yield batch, backend.measure(batch)


def _resumed(
    backend: LikelihoodBackend,
    requests: Sequence[LikelihoodRequest],
    batches: Sequence[RequestBatch],
    work: Path,
) -> Iterator[tuple[RequestBatch, list[list[Likelihood]]]]:
    path = work / f"{file_name(backend.name)}.scores.jsonl"
    keys = [
        [(requests[place].id, text) for place in batch.requests for text in requests[place].replies]
        for batch in batches
    ]

    def compute(position: int) -> list[LikelihoodRecord]:
        likelihoods = chain.from_iterable(backend.measure(batches[position]))
        return [
            LikelihoodRecord.of(*key, each)
            for key, each in zip(keys[position], likelihoods, strict=True)
        ]

    file = ResumableLines(
        path,
        _header(backend, requests),
        LikelihoodRecord,
        lambda line: (line.id, line.text),
        f"name another folder for {Argument('work')}",
    )
    for batch, lines in zip(batches, file.batches(keys, compute), strict=True):
        values = (likelihood(line, str(path)) for line in lines)
        yield batch, [[next(values) for _ in requests[place].replies] for place in batch.requests]


def _header(backend: LikelihoodBackend, requests: Sequence[LikelihoodRequest]) -> dict[str, Any]:
    digest = hashlib.sha256()
    for request in requests:
        digest.update(msgspec.json.encode(request))
    return {
        "rejoinder": "likelihoods",
        "format": FORMAT,
        "name": backend.name,
        **backend.facts,
        "requests": digest.hexdigest()[:16],
    }


class LikelihoodRecord(msgspec.Struct, omit_defaults=True):
    """One reply to one prompt.

    Attributes:
        id: The item's.
        text: The reply.
        logprobs: Natural logarithms of the tokens' probabilities, the end of sequence included.
        total: Their sum, where they themselves are not known.
        tokens: How many tokens ``total`` sums up.
        dropped: Why there are none.
    """

    id: str
    text: str
    logprobs: list[float] | None = None
    total: float | None = None
    tokens: int | None = None
    dropped: str = ""

    @classmethod
    def of(cls, id: str, text: str, likelihood: Likelihood) -> LikelihoodRecord:
        """The line of a likelihood."""
        if likelihood.dropped:
            return cls(id, text, dropped=likelihood.dropped)
        if likelihood.logprobs is None:
            return cls(id, text, total=likelihood.total, tokens=likelihood.tokens)
        return cls(id, text, likelihood.logprobs.tolist())


class RecordedBackend(LikelihoodBackend):
    """Scores made elsewhere: a JSONL file with a line for each item and reply.

    A line holds ``id``, ``text`` and ``logprobs``; or, instead of the last, ``total`` and
    ``tokens``. Lines with the key ``rejoinder`` describe the file and are passed over.

    Args:
        path: The file.
        name: What tables call it; None: the file's name.

    Raises:
        InputError: The file cannot be read, or a line breaks a rule.
    """

    def __init__(self, path: str | os.PathLike[str], name: str | None = None) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise InputError(f"{path}: no such file; expected a .jsonl file of scores")
        self.name = name or self.path.stem.removesuffix(".scores")
        _check_lines(self.path)
        self.held: dict[tuple[str, str], Likelihood] = {}
        for number, row in read_objects(self.path):
            if "rejoinder" in row:
                continue
            where = f"{self.path}, row {number}"
            line = convert(row, LikelihoodRecord, where)
            key = (line.id, line.text)
            if key in self.held:
                raise InputError(
                    f"{where}: id {quoted(line.id)} has the reply {quoted(line.text)} a second time; "
                    "keep one of the lines"
                )
            self.held[key] = likelihood(line, where)

    @property
    def facts(self) -> dict[str, str]:
        """The hash of the file."""
        return {"scores": hashlib.sha256(self.path.read_bytes()).hexdigest()[:8]}

    def plan(self, requests: Sequence[LikelihoodRequest]) -> RequestPlan:
        """In the order of the requests.

        Raises:
            InputError: The file lacks a reply.
        """
        for request in requests:
            for reply in request.replies:
                if reply.strip() and (request.id, reply) not in self.held:
                    raise InputError(
                        f"{self.path}: no line for id {quoted(request.id)} with the reply "
                        f"{quoted(reply)}; score every reference and every generic reply of every "
                        "item"
                    )
        return RequestPlan.in_order(requests, SIZE)

    def measure(self, batch: RequestBatch) -> list[list[Likelihood]]:
        """Looks the replies up."""
        return [
            [self.held.get((request.id, text)) or Likelihood.of([]) for text in request.replies]
            for request in batch.work
        ]


def _check_lines(path: Path) -> None:
    """Raises an InputError where a file that a run of Rejoinder wrote is damaged or altered."""
    number = damaged_line(path.read_bytes())
    if number is not None:
        raise InputError(
            f"{path}, row {number}: damaged or altered since a run wrote it into the folder of "
            f"{WORK}; repeat that run with another folder for {WORK}"
        )


def likelihood(line: LikelihoodRecord, where: str) -> Likelihood:
    """What a line says.

    Raises:
        InputError: It says too little, or what cannot be.
    """
    if line.dropped:
        return Likelihood.none(line.dropped if line.dropped in DROPS else "dropped in the file")
    if line.logprobs is not None:
        values: Sequence[float] = line.logprobs
        _check_negative(values, where)
        return Likelihood.of(values)
    if line.total is None or line.tokens is None or line.tokens < 1:
        raise InputError(
            f"{where}: neither 'logprobs' nor 'total' and 'tokens' (1 or more); give one of them"
        )
    _check_negative([line.total], where)
    return Likelihood(line.total, line.tokens)


def _check_negative(values: Sequence[float], where: str) -> None:
    # A little above 0 is rounding: a probability of 1 from half-precision arithmetic.
    if any(value > 1e-2 for value in values):
        raise InputError(
            f"{where}: a log-probability above 0 ({max(values)}); expected natural logarithms of "
            "probabilities, not the probabilities, nor losses"
        )
