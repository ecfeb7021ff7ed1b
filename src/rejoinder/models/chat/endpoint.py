"""Chat models behind OpenAI-compatible servers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rejoinder.errors import InputError, ParameterError
from rejoinder.messages import Argument
from rejoinder.models.chat.answer import ChatAnswer, read_chat
from rejoinder.models.server import AnswerError, RefusedError, open_server

Message = Mapping[str, str]
"""A turn of a conversation: ``role`` (``system``, ``user`` or ``assistant``) and ``content``."""

TOP = (20, 5)
"""How many of the likeliest first tokens are asked for: what most servers allow, and what all do."""

ANSWER_TOKENS = 16

PROBE = "Answer with the number 1 and nothing else."

UNSUPPORTED = (400, 422)
"""What servers answer to a parameter that they do not take."""


class ChatEndpoint:
    """A chat model behind ``POST /chat/completions``.

    Answers are as repeatable as the server makes them: temperature 0 and a seed are sent. Whether the
    server gives log-probabilities of the first token is found out by one question or up to three when
    it is opened.

    Args:
        url: Up to and with ``/v1``; ``#name`` behind it names the model.
        logprobs: Whether to ask for the likeliest first tokens, where the server gives them.
        answer_tokens: Maximum number of tokens of an answer.
        seed: Random seed, which the server may ignore.
        name: What tables call the model; None: the model's name.

    Attributes:
        name: What tables call the model.
        model: The model's name on the server.
        url: The server.
        top: How many likeliest first tokens answers have; 0: none.
        counts: Whether the server counts tokens.

    Raises:
        InputError: The server cannot be reached, or its answer to a first question is no chat
            completion.
        ParameterError: The model's name is missing, or a number is out of range.
    """

    def __init__(
        self,
        url: str,
        *,
        logprobs: bool = True,
        answer_tokens: int = ANSWER_TOKENS,
        seed: int = 12345,
        name: str | None = None,
    ) -> None:
        if answer_tokens < 1:
            raise ParameterError(Argument("answer_tokens", answer_tokens), "; expected 1 or more")
        self.server, self.model = open_server(url)
        self.url = self.server.url
        self.name = name or self.model
        self.answer_tokens = answer_tokens
        self.seed = seed
        self.top, self.counts = self._probe(logprobs)

    @property
    def facts(self) -> dict[str, str]:
        """Server, model and settings: what the answers depend on."""
        return {
            "endpoint": self.url,
            "model": self.model,
            "temperature": "0",
            "seed": str(self.seed),
            "answer_tokens": str(self.answer_tokens),
            "logprobs": str(self.top) if self.top else "no",
        }

    def ask(self, messages: Sequence[Message]) -> ChatAnswer:
        """The model's answer to a conversation.

        Raises:
            AnswerError: What the server answers is no chat completion.
            RefusedError: The server refuses the conversation.
            InputError: The server cannot be reached.
        """
        return self._ask(messages, self.top)

    def close(self) -> None:
        """Ends the waiting of all questions: none is asked any more."""
        self.server.close()

    def _ask(self, messages: Sequence[Message], top: int) -> ChatAnswer:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [dict(each) for each in messages],
            "max_tokens": self.answer_tokens,
            "temperature": 0,
            "seed": self.seed,
        }
        if top:
            body |= {"logprobs": True, "top_logprobs": top}
        return read_chat(self.server.post("chat/completions", body), self.url, bool(top))

    def _probe(self, logprobs: bool) -> tuple[int, bool]:
        """How many likeliest first tokens the server gives, and whether it counts tokens."""
        question = [{"role": "user", "content": PROBE}]
        for top in (*(TOP if logprobs else ()), 0):
            try:
                answer = self._ask(question, top)
            except AnswerError:
                if not top:
                    raise
            except RefusedError as error:
                if not top or error.status not in UNSUPPORTED:
                    raise
            else:
                return (top if answer.first else 0), answer.tokens is not None
        raise AssertionError


def is_refusal_of_the_prompt(error: InputError) -> bool:
    """Whether a server refused one conversation, and may well answer others: it is too long, say."""
    return isinstance(error, RefusedError) and error.status in (400, 413, 422)
