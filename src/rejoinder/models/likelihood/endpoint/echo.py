"""The answer of a completions server that echoes: tokens and their log-probabilities."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from typing import Any

from rejoinder.errors import InputError
from rejoinder.messages import Argument
from rejoinder.models.server_key import without_key

ROUNDING = 1e-2
"""A log-probability may lie so far above 0: servers compute in 16 bits."""

UNREADABLE = "\ufffd"
"""What a token shows that holds a part of a character: no text of its own."""


@dataclass(frozen=True)
class Echo:
    """A text as a server tokenises it.

    Attributes:
        tokens: The tokens' texts.
        logprobs: Of each token given those before it; NaN where the server has none (the first).
    """

    tokens: list[str]
    logprobs: list[float]


def read_echo(answer: Any, where: str) -> Echo:
    """Reads the answer of ``/completions`` with ``echo`` and ``logprobs``.

    Raises:
        InputError: There are no log-probabilities, or not one to a token.
    """
    try:
        logprobs = answer["choices"][0]["logprobs"]
        tokens, values = logprobs["tokens"], logprobs["token_logprobs"]
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
    return Echo(
        [_text(token, where) for token in tokens], [_number(value, where) for value in values]
    )


def check_echo(echo: Echo, text: str, where: str) -> None:
    """Refuses an answer that cannot be relied on; every one is checked, not the first alone.

    The tokens must tell the whole text: of a text that was cut, the last replies would be measured
    by the tokens that are left. And every token but the first needs a log-probability: a finite
    number that is not above 0.

    Args:
        echo: The answer.
        text: What was to be echoed.
        where: The server's URL, for messages.

    Raises:
        InputError: One of these does not hold.
    """
    if not _tells(echo.tokens, text):
        end = without_key("".join(echo.tokens))[-40:]
        raise InputError(
            f"{where}: the echo of {text[-40:]!r} ends in {end!r}, so it does not tell the whole text "
            "back; the server cuts it short or changes it: expected echo=true with max_tokens=0 to "
            "return the prompt alone. Is its context length too short? Keep fewer turns (",
            Argument("turns"),
            ")",
        )
    logprobs = echo.logprobs[1:]
    if any(math.isnan(value) for value in logprobs):
        raise InputError(
            f"{where}: some of the echoed tokens have no log-probability; every one but the first "
            "needs its own. Is the server asked to skip the prompt's?"
        )
    if any(math.isinf(value) for value in logprobs) or max(logprobs, default=0.0) > ROUNDING:
        raise InputError(
            f"{where}: log-probabilities up to {max(logprobs)}, down to {min(logprobs)}; expected finite "
            "natural logarithms of probabilities, none above 0"
        )


def _tells(tokens: list[str], text: str) -> bool:
    """Whether tokens tell a text; a start token may stand before it, and blanks may differ.

    Both are read from the end. A token that is a part of a character shows ``\ufffd`` (or, with some
    servers, ``bytes:``) and stands for one character of the text at most.
    """
    shown = "".join(UNREADABLE if token.startswith("bytes:") else token for token in tokens)
    echoed = _plain(shown.replace("▁", " ").replace("Ġ", " ").replace("Ċ", "\n"))
    wanted = _plain(text)
    left, spare = len(wanted), 0
    for character in reversed(echoed):
        if not left:
            break
        if character == UNREADABLE:
            spare += 1
            continue
        while left and wanted[left - 1] != character and spare:
            left, spare = left - 1, spare - 1
        if left and wanted[left - 1] != character:
            return False
        left = max(0, left - 1)
    return left <= spare


def _plain(text: str) -> str:
    """A text but for blanks, case and the ways to write one character: some tokenizers change them."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _text(token: Any, where: str) -> str:
    if not isinstance(token, str):
        raise InputError(f"{where}: a token is {without_key(repr(token)):.40}; expected text")
    return token


def _number(value: Any, where: str) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        got = without_key(repr(value))
        raise InputError(f"{where}: a log-probability is {got:.40}; expected a number")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{where}: a log-probability beyond all numbers; expected one") from None
