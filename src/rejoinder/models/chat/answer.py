"""The answer of a chat completions server: its text, and the likeliest first tokens."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rejoinder.models.server import AnswerError
from rejoinder.models.server_key import answer_without_key

ROUNDING = 1e-2
"""A log-probability may be so far above 0, and a sum of probabilities so far above 1."""

LOWEST = -1e6
"""A lower log-probability is as this one: the probability 0."""

MOST_TOKENS = 10**9
"""No answer has more. Files hold sums of counts, as integers of 64 bits."""


@dataclass(frozen=True)
class ChatAnswer:
    """What a model answered.

    Attributes:
        text: The answer; empty where the model said nothing.
        cut: Whether the answer was cut off at the maximum number of tokens.
        first: The probabilities of the likeliest first tokens, by their text; None where the server was
            not asked for them.
        token: The first token of the answer; empty where the server was not asked.
        tokens: How many tokens prompt and answer are, as the server counts them; None: it does not.
    """

    text: str
    cut: bool = False
    first: Mapping[str, float] | None = None
    token: str = ""
    tokens: int | None = None


def read_chat(answer: Any, where: str, logprobs: bool = False) -> ChatAnswer:
    """Reads the answer of ``/chat/completions``.

    Args:
        answer: The JSON value.
        where: The server's URL, for messages.
        logprobs: Whether log-probabilities of the first token were asked for.

    Raises:
        AnswerError: It holds not exactly one choice with a text, or its log-probabilities are missing
            or are none.
    """
    choices = answer.get("choices") if isinstance(answer, dict) else None
    if not isinstance(choices, list):
        raise AnswerError(
            f"{where}: the answer holds no choices; use a server with the route /chat/completions"
        )
    if len(choices) != 1:
        raise AnswerError(f"{where}: the answer holds {len(choices)} choices; expected 1")
    message = choices[0].get("message") if isinstance(choices[0], dict) else None
    if not isinstance(message, dict) or not isinstance(message.get("content"), str | None):
        raise AnswerError(f"{where}: the answer's choice holds no message with a text")
    text = answer_without_key(message.get("content") or "")
    cut = choices[0].get("finish_reason") == "length"
    tokens = _tokens(answer.get("usage"))
    if not logprobs or not text:
        return ChatAnswer(text, cut, None, "", tokens)
    token, first = _first(choices[0], where)
    return ChatAnswer(text, cut, first, token, tokens)


def _tokens(usage: Any) -> int | None:
    """The tokens that the server counted; None where it counts none, or its count is no such number."""
    if not isinstance(usage, dict):
        return None
    total = usage.get("total_tokens")
    if not isinstance(total, int) or isinstance(total, bool):
        return None
    return total if 0 <= total <= MOST_TOKENS else None


def _first(choice: dict[str, Any], where: str) -> tuple[str, dict[str, float]]:
    """The first token of the answer, and the probabilities of the likeliest ones in its place."""
    try:
        place = choice["logprobs"]["content"][0]
        token, rows = place["token"], place["top_logprobs"]
        pairs = [(row["token"], row["logprob"]) for row in rows]
    except (KeyError, IndexError, TypeError):
        raise AnswerError(
            f"{where}: the answer holds no log-probabilities of its first token (logprobs=true)"
        ) from None
    if not isinstance(token, str) or not pairs:
        raise AnswerError(f"{where}: the log-probabilities of the first token are empty")
    first: dict[str, float] = {}
    for each, value in pairs:
        if (
            not isinstance(each, str)
            or isinstance(value, bool)
            or not isinstance(value, int | float)
        ):
            raise AnswerError(f"{where}: a token or its log-probability is of another type")
        if not value <= ROUNDING:  # NaN too
            raise AnswerError(
                f"{where}: the log-probability {value!r:.40} of a first token; expected a number of at most 0"
            )
        first[each] = first.get(each, 0.0) + math.exp(
            max(value, LOWEST)
        )  # one text may be several tokens
    if sum(first.values()) > 1 + ROUNDING:
        raise AnswerError(
            f"{where}: the probabilities of the first token sum to {sum(first.values()):.3f}; expected "
            "at most 1"
        )
    return token, first
