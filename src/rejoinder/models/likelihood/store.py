"""Likelihoods of all replies to all prompts, with results on disk that an interrupted run resumes.

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

from rejoinder.files.resumable_lines import ResumableLines, file_name
from rejoinder.messages import Argument
from rejoinder.models.likelihood.backend import (
    Likelihood,
    LikelihoodBackend,
    LikelihoodRequest,
    RequestBatch,
)
from rejoinder.models.likelihood.recorded import Line, likelihood
from rejoinder.progress import Progress, advance

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
    measured: list[list[Likelihood]] = [[] for _ in requests]
    finished = 0
    for batch, found in (
        _measured(backend, plan.batches)
        if work is None
        else _resumed(backend, requests, plan.batches, Path(work))
    ):
        for place, each in zip(batch.requests, found, strict=True):
            measured[place] = each
        finished += len(batch.requests)
        advance(progress, finished, len(requests))
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

    def compute(position: int) -> list[Line]:
        likelihoods = chain.from_iterable(backend.measure(batches[position]))
        return [Line.of(*key, each) for key, each in zip(keys[position], likelihoods, strict=True)]

    file = ResumableLines(
        path,
        _header(backend, requests),
        Line,
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
