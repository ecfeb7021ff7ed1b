"""The replies of language models to the items of a test set: behind a server, or on this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from rejoinder._version import __version__
from rejoinder.errors import ParameterError
from rejoinder.files.checksums import json_digest
from rejoinder.files.resumable_lines import file_name
from rejoinder.messages import Argument
from rejoinder.models.chat.asking import Limits
from rejoinder.models.chat.endpoint import ChatEndpoint
from rejoinder.models.unused_settings import check_unused
from rejoinder.progress import Progress
from rejoinder.responders.chat import ChatResponder, remarks
from rejoinder.responders.result import Replies
from rejoinder.responders.transformer import TransformerResponder
from rejoinder.tables.schemas import RESPONSES
from rejoinder.tables.testset import TestSet

ANSWER_TOKENS = 128
"""Maximum number of tokens of a reply."""


@dataclass(frozen=True)
class ServerSettings:
    """What is said of a server's model alone; see ``respond``."""

    instructions: str = ""
    turns: int | None = None
    answer_tokens: int = ANSWER_TOKENS
    limits: Limits = field(default_factory=Limits)
    work: str | os.PathLike[str] | None = None

    def check_unused(self, used: Sequence[str] = ()) -> None:
        """Raises a ParameterError where a setting differs from its default: it would be ignored.

        Args:
            used: The settings that have an effect without a server too.
        """
        defaults = {**vars(ServerSettings()), **vars(Limits())}
        for name in ("limits", *used):
            defaults.pop(name)
        check_unused({**vars(self), **vars(self.limits)}, defaults, "without the URL of a server")


def of_server(
    url: str,
    testset: TestSet,
    name: str | None,
    served: ServerSettings,
    seed: int,
    progress: Progress | None,
) -> Replies:
    """The replies of a chat model behind a server."""
    served.limits.check(kept=served.work is not None)
    if served.turns is not None and served.turns < 1:
        raise ParameterError(
            Argument("turns", served.turns), "; expected 1 or more, or None for all"
        )
    endpoint = ChatEndpoint(
        url, logprobs=False, answer_tokens=served.answer_tokens, seed=seed, name=name
    )
    responder = ChatResponder(endpoint, served.instructions, served.turns, served.limits)
    contexts = testset.contexts.get_column("context").to_list()
    file = None
    if served.work is not None:
        file = Path(served.work) / f"{file_name(endpoint.name)}.replies.jsonl"
    try:
        replies = responder.respond(dict(zip(testset.ids, contexts, strict=True)), file, progress)
    finally:
        endpoint.close()
    rows = [(endpoint.name, each.id, each.text) for each in replies if each.text is not None]
    table = pl.DataFrame(rows, schema=RESPONSES, orient="row")
    facts = responder.facts
    notes = tuple(remarks(replies))
    return Replies(endpoint.name, table, json_digest(facts)[:8], notes, _signature(facts))


def of_transformer(
    responder: TransformerResponder,
    testset: TestSet,
    beam: int,
    length_penalty: float,
    progress: Progress | None,
) -> Replies:
    """The replies of a model of ``transformers`` on this machine."""
    contexts = testset.contexts.get_column("context").to_list()
    texts, notes = responder.respond(contexts, beam, length_penalty, progress)
    name = responder.backend.name
    table = pl.DataFrame({"system": [name] * len(texts), "id": testset.ids, "text": texts})
    facts = {
        **responder.backend.facts,
        "beam": str(beam),
        "length_penalty": str(length_penalty),
        "answer_tokens": str(responder.answer_tokens),
    }
    return Replies(name, table, json_digest(facts)[:8], tuple(notes), _signature(facts))


def _signature(facts: Mapping[str, str]) -> str:
    words = {**facts, "version": __version__}
    return "|".join(["respond", *(f"{key}:{value}" for key, value in words.items())])
