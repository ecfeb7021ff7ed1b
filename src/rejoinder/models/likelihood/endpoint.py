"""Likelihoods from an OpenAI-compatible completions server that echoes the prompt's own."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from rejoinder.errors import InputError, ParameterError
from rejoinder.messages import Argument
from rejoinder.models.likelihood.backend import (
    EMPTY,
    NO_START,
    Likelihood,
    LikelihoodBackend,
    LikelihoodRequest,
    RequestBatch,
    RequestPlan,
    agreeing,
)
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.server import open_server
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
    expected = _plain(text)
    left, spare = len(expected), 0
    for character in reversed(echoed):
        if not left:
            break
        if character == UNREADABLE:
            spare += 1
            continue
        while left and expected[left - 1] != character and spare:
            left, spare = left - 1, spare - 1
        if left and expected[left - 1] != character:
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


AT_ONCE = 8
"""Requests under way at a time; servers batch them themselves."""

SIZE = 32  # prompts to a batch: what is written, and resumed, together


class EndpointBackend(LikelihoodBackend):
    """Likelihoods of a model behind ``POST /completions`` with ``echo`` and ``logprobs``.

    Prompts are laid out plainly (a server's chat route cannot echo). Where the prompt ends is found
    as for local models: the prompt is echoed alone too, and a reply begins where the tokens part.
    The end of sequence counts if its text is named: it cannot be asked for.

    Args:
        url: Up to and with ``/v1``; ``#name`` behind it names the model.
        prompting: How conversations are laid out.
        end_text: The text of the model's end-of-sequence token; empty: the end does not count.
        name: What tables call it; None: the model's name.

    Raises:
        InputError: The server cannot be reached, or its log-probabilities cannot be relied on.
        ParameterError: A chat template is asked for, or the model's name is missing.
    """

    def __init__(
        self,
        url: str,
        prompting: Prompting | None = None,
        *,
        end_text: str = "",
        name: str | None = None,
    ) -> None:
        self.prompting = prompting or Prompting()
        if self.prompting.template == "chat":
            raise ParameterError(
                f"{url}: a completions endpoint takes plain prompts; choose {Argument('template', 'plain')} "
                "or 'auto', and lay turns out with ",
                Argument("turn_end"),
            )
        self.server, self.model = open_server(url)
        self.url = self.server.url
        self.name = name or self.model
        self.end_text = end_text if self.prompting.end else ""
        probe(self.echo, self.url)

    @property
    def facts(self) -> dict[str, str]:
        """Server, model and the layout of the prompts."""
        layout = {**self.prompting.facts, "end": repr(self.end_text) if self.end_text else "no"}
        return {"endpoint": self.url, "model": self.model, **layout}

    def echo(self, text: str) -> Echo:
        """The tokens of a text and their log-probabilities, as the server has them.

        Raises:
            InputError: The server gives no answer, or one that cannot be relied on (`check_echo`).
        """
        body = {
            "model": self.model,
            "prompt": text,
            "max_tokens": 0,
            "echo": True,
            "logprobs": 1,
            "temperature": 0,
        }
        echo = read_echo(self.server.post("completions", body), self.url)
        check_echo(echo, text, self.url)
        return echo

    def plan(self, requests: Sequence[LikelihoodRequest]) -> RequestPlan:
        """In the order of the requests: the server forms batches of its own."""
        if not self.prompting.end or self.end_text:
            return RequestPlan.in_order(requests, SIZE)
        unended = (
            "the end of sequence is not counted: an endpoint's end token is unknown; name its text with "
            f"{Argument('end_text')}"
        )
        return RequestPlan.in_order(requests, SIZE, (unended,))

    def measure(self, batch: RequestBatch) -> list[list[Likelihood]]:
        """Several requests at a time; their answers in order."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(self._one, batch.work))

    def _one(self, request: LikelihoodRequest) -> list[Likelihood]:
        prompt = self.prompting.plain(request.turns)
        if not prompt:
            return [Likelihood.none(NO_START) for _ in request.replies]
        alone = self.echo(prompt)
        return [self._reply(prompt, alone, reply) for reply in request.replies]

    def _reply(self, prompt: str, alone: Echo, reply: str) -> Likelihood:
        if not reply.strip():
            return Likelihood.none(EMPTY)
        whole = self.echo(prompt + reply + self.end_text)
        begin = agreeing(alone.tokens, whole.tokens)
        if begin >= len(whole.tokens):
            raise InputError(
                f"{self.url}: the echo of a prompt with its reply is no longer than that of the "
                "prompt; the server cuts what it echoes: raise its context length, or keep fewer "
                "turns (",
                Argument("turns"),
                ")",
            )
        if begin == 0:
            # The first token of all has no log-probability: nothing stands before it.
            return Likelihood.none(NO_START)
        return Likelihood.of(whole.logprobs[begin:])


PROMPT = "Good morning. Where does the night train to the coast leave from?\n"
REPLIES = (
    "It leaves from the platform behind the old clock.",
    "Zebra quartz 7 %% violin, umbrella oddly!",
)
"""A reply that any model finds likelier than the other: each is several tokens long."""

FLOORS = 3
"""So many tokens at the very same lowest value are no chance, they are a floor."""


def probe(echo: Callable[[str], Echo], where: str) -> None:
    """Asks for two texts, and refuses what no language model says.

    What every single answer must hold to (`echo.check_echo`) is checked there; this looks for what
    several answers show together.

    Args:
        echo: Asks the server for a text, and checks its answer.
        where: The server's URL, for messages.

    Raises:
        InputError: Log-probabilities are missing, constant or cut off at a floor, or the server
            echoes no reply.
    """
    alone = echo(PROMPT)
    logprobs: list[float] = []
    for reply in REPLIES:
        whole = echo(PROMPT + reply)
        logprobs += whole.logprobs[max(1, agreeing(alone.tokens, whole.tokens)) :]
    if not logprobs:
        raise InputError(
            f"{where}: the echo of a prompt with its reply is no longer than that of the prompt; use "
            "a server that echoes the whole text"
        )
    if len(set(logprobs)) < 2:
        raise InputError(
            f"{where}: every token has the same log-probability ({logprobs[0]}); the server makes them "
            "up: use one that computes them"
        )
    if logprobs.count(min(logprobs)) >= FLOORS:
        raise InputError(
            f"{where}: {logprobs.count(min(logprobs))} tokens share the lowest log-probability "
            f"({min(logprobs)}): the server cuts them off there; use one that tells them in full"
        )
