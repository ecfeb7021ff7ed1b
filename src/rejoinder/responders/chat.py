"""Replies of a chat model behind a server, to whole conversations."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.checksums import json_digest
from rejoinder.files.resumable_lines import ResumableLines
from rejoinder.messages import Argument, counted, quoted
from rejoinder.models.chat.asking import Attempts, Limits, ask_in_order, uncounted
from rejoinder.models.chat.endpoint import ChatEndpoint, is_refusal_of_the_prompt
from rejoinder.models.likelihood.prompts import chat_messages
from rejoinder.models.server import AnswerError
from rejoinder.progress import Progress


class Replied(msgspec.Struct, frozen=True):
    """A line of the file of replies.

    Attributes:
        id: The item's.
        text: The reply; None: there is none.
        fault: Why there is none.
        cut: Whether the reply was cut off at the maximum number of tokens.
        later: Whether the oldest turn was left out, because the server refuses a conversation that the
            assistant opens.
        calls: How often the server answered.
        tokens: How many tokens it counted in all.
    """

    id: str
    text: str | None
    fault: str = ""
    cut: bool = False
    later: bool = False
    calls: int = 1
    tokens: int = 0


@dataclass(frozen=True)
class ChatResponder:
    """A chat model that replies.

    Attributes:
        endpoint: The model.
        instructions: What it is told before each conversation; empty: nothing.
        turns: How many last turns it sees; None: all.
        limits: How often it is asked.
    """

    endpoint: ChatEndpoint
    instructions: str = ""
    turns: int | None = None
    limits: Limits = field(default_factory=Limits)

    @property
    def facts(self) -> dict[str, str]:
        """What the replies depend on."""
        digest = hashlib.sha256(self.instructions.encode()).hexdigest()[:8]
        return {
            **self.endpoint.facts,
            "instructions": digest if self.instructions else "none",
            "turns": "all" if self.turns is None else str(self.turns),
        }

    def respond(
        self,
        conversations: Mapping[str, Sequence[str]],
        work: Path | None = None,
        progress: Progress | None = None,
    ) -> list[Replied]:
        """The replies, in the order of the conversations.

        Args:
            conversations: By id the turns, oldest first; the last one is replied to.
            work: A file of replies that an interrupted run resumes; None saves nothing.
            progress: Called with the number of conversations replied to and of all.

        Raises:
            InputError: A limit is reached; the server cannot be reached; none of the first
                conversations has a reply; the file belongs to another run.
            ParameterError: Tokens are limited, and the server does not count them.
        """
        self.limits.check_counts(self.endpoint)
        ids = list(conversations)
        return ask_in_order(
            self.endpoint,
            lambda place, attempts: self._one(ids[place], conversations[ids[place]], attempts),
            ids,
            self.limits,
            row=Replied,
            names=ids,
            content=self._header(conversations),
            file=self._file(work, conversations),
            check=self._check_replies,
            progress=progress,
        )

    def _check_replies(self, replies: Sequence[Replied]) -> None:
        if all(each.text is None for each in replies):
            raise InputError(
                f"{self.endpoint.url}: none of the first {counted(len(replies), 'conversation')} "
                f"has a reply: {replies[0].fault}"
            )

    def _file(
        self, work: Path | None, conversations: Mapping[str, Sequence[str]]
    ) -> ResumableLines[Replied] | None:
        if work is None:
            return None
        remedy = f"name another folder for {Argument('work')}"
        return ResumableLines(
            work, self._header(conversations), Replied, lambda line: line.id, remedy
        )

    def _header(self, conversations: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        texts = {id: list(each) for id, each in conversations.items()}
        return {
            "rejoinder": "replies of a model",
            "format": 1,
            **self.facts,
            "retries": str(self.limits.retries),
            "conversations": json_digest(texts)[:16],
        }

    def _one(self, id: str, turns: Sequence[str], attempts: Attempts) -> Replied:
        seen = list(turns if self.turns is None else turns[-self.turns :])
        first = [{"role": "system", "content": self.instructions}] if self.instructions else []
        later, fault, answer = False, "", None
        while attempts.left and answer is None:
            try:
                answer = attempts.ask([*first, *chat_messages(seen)])
            except AnswerError as error:
                fault = str(error)
            except InputError as error:
                if not is_refusal_of_the_prompt(error):
                    raise
                fault = str(error)
                if later or len(seen) % 2 or not attempts.left:
                    break
                seen, later = seen[1:], True  # many servers refuse an assistant who speaks first
        calls, tokens = attempts.calls, attempts.tokens
        if answer is None:
            return Replied(id, None, fault[:200], calls=calls, tokens=tokens)
        return Replied(id, answer.text.strip(), "", answer.cut, later, calls, tokens)


def remarks(replies: Sequence[Replied]) -> list[str]:
    """What the replies lack."""
    notes = []
    without = [each for each in replies if each.text is None]
    if without:
        notes.append(
            f"{counted(len(without), 'item')} of {len(replies)} without a reply: the first is id "
            f"{quoted(without[0].id)} ({without[0].fault})"
        )
    for count, what in (
        (sum(each.text == "" for each in replies), "replies are empty"),
        (sum(each.cut for each in replies), "replies are cut off at the maximum number of tokens"),
        (
            sum(each.later for each in replies),
            "conversations are shown from their second turn on: the server refuses an assistant who "
            "speaks first",
        ),
        (
            sum("\ufffd" in (each.text or "") for each in replies),
            "replies contain the character U+FFFD, which replaces a broken one",
        ),
    ):
        if count:
            notes.append(f"{count} of {len(replies)} {what}")
    return [*notes, *uncounted(replies)]
