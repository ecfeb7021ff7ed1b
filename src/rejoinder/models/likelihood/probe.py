"""Whether a server's log-probabilities can be relied on, asked before any work is done."""

from __future__ import annotations

import math
from collections.abc import Callable

from rejoinder.errors import InputError
from rejoinder.models.likelihood.echo import Echo

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

    Raises:
        InputError: Log-probabilities are missing, cut short, constant, cut off at a floor, above 0,
            or no numbers.
    """
    alone = echo(PROMPT)
    found: list[float] = []
    for reply in REPLIES:
        whole = echo(PROMPT + reply)
        _check_whole(whole, PROMPT + reply, where)
        begin = alone.agreeing(whole)
        found += whole.logprobs[max(1, begin) :]
    if not found or any(math.isnan(value) for value in found):
        raise InputError(
            f"{where}: some of the echoed tokens have no log-probability; every one but the first "
            "needs its own. Is the server asked to skip the prompt's?"
        )
    if any(math.isinf(value) for value in found) or max(found) > 1e-2:
        raise InputError(
            f"{where}: log-probabilities up to {max(found)}, down to {min(found)}; expected finite "
            "natural logarithms of probabilities, none above 0"
        )
    if len(set(found)) < 2:
        raise InputError(
            f"{where}: every token has the same log-probability ({found[0]}); the server makes them "
            "up: use one that computes them"
        )
    if found.count(min(found)) >= FLOORS:
        raise InputError(
            f"{where}: {found.count(min(found))} tokens share the lowest log-probability "
            f"({min(found)}): the server cuts them off there; use one that tells them in full"
        )


def _check_whole(echo: Echo, text: str, where: str) -> None:
    """The tokens must tell the text; a start token may stand before it, and blanks may differ."""
    told = "".join(echo.tokens).replace("▁", " ").replace("Ġ", " ").replace("Ċ", "\n")
    if not _plain(told).endswith(_plain(text)):
        raise InputError(
            f"{where}: the echo does not tell the whole text back ({told[-40:]!r}); the server cuts "
            "it short, or adds to it: expected echo=true with max_tokens=0 to return the prompt alone"
        )


def _plain(text: str) -> str:
    return "".join(text.split())
