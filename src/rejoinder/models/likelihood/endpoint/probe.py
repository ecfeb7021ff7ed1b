"""Whether a server's log-probabilities can be relied on, asked before any work is done."""

from __future__ import annotations

from collections.abc import Callable

from rejoinder.errors import InputError
from rejoinder.models.likelihood.endpoint.echo import Echo

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
        logprobs += whole.logprobs[max(1, alone.agreeing(whole)) :]
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
