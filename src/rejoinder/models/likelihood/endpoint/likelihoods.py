"""Likelihoods from an OpenAI-compatible completions server that echoes the prompt's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

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
from rejoinder.models.likelihood.endpoint.echo import Echo, check_echo, read_echo
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.server import open_server

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
