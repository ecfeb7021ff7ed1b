"""The answer of a completions server that echoes: tokens and their log-probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from rejoinder.errors import InputError


@dataclass(frozen=True)
class Echo:
    """A text as a server tokenises it.

    Attributes:
        tokens: The tokens' texts.
        logprobs: Of each token given those before it; NaN where the server has none (the first).
    """

    tokens: list[str]
    logprobs: list[float]

    def agreeing(self, other: Echo) -> int:
        """How many first tokens two echoes share."""
        count = 0
        for one, two in zip(self.tokens, other.tokens, strict=False):
            if one != two:
                break
            count += 1
        return count


def read_echo(answer: Any, where: str) -> Echo:
    """Reads the answer of ``/completions`` with ``echo`` and ``logprobs``.

    Raises:
        InputError: There are no log-probabilities, or not one to a token.
    """
    try:
        held = answer["choices"][0]["logprobs"]
        tokens, values = held["tokens"], held["token_logprobs"]
    except (KeyError, IndexError, TypeError):
        raise InputError(
            f"{where}: the answer holds no log-probabilities of the prompt's tokens (echo=true, "
            "logprobs=1); use a server that echoes them, such as vLLM, or a file of scores"
        ) from None
    if not isinstance(tokens, list) or not isinstance(values, list) or not tokens:
        raise InputError(
            f"{where}: the answer's log-probabilities are empty; use a server that echoes them"
        )
    if len(tokens) != len(values):
        raise InputError(
            f"{where}: {len(tokens)} tokens with {len(values)} log-probabilities; expected one for "
            "each"
        )
    return Echo([str(token) for token in tokens], [_number(value, where) for value in values])


def _number(value: Any, where: str) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"{where}: a log-probability is {value!r:.40}; expected a number")
    return float(value)
