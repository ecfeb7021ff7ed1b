"""The registry of replying systems that are not trained: they take their replies from a corpus.

Their modules are imported when one is made, so that ``--help`` can list the names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rejoinder.corpora.pairs import Pairs
    from rejoinder.progress import Progress
    from rejoinder.responders.retrieval.retrieval import Scorer


class Responder(Protocol):
    """A replying system over a corpus."""

    def respond(self, messages: Sequence[str], progress: Progress | None = None) -> list[str]:
        """A reply to each message."""
        ...

    @property
    def notes(self) -> list[str]:
        """Notes about the replies of the last call."""
        ...


@dataclass(frozen=True)
class Choices:
    """What the caller of ``respond`` chooses; each system uses what concerns it.

    Attributes:
        seed: Random seed.
        scorer: Re-ranks candidate replies; None: no re-ranking.
        candidates: Number of replies that the scorer re-ranks.
        tokenizer: How messages are cut into words, one of ``rejoinder.text.tokenizers``.
    """

    seed: int = 12345
    scorer: Scorer | None = None
    candidates: int = 20
    tokenizer: str = "13a"


@dataclass(frozen=True)
class BuiltIn:
    """A replying system that is not trained.

    Attributes:
        make: Makes it from a corpus.
        reranks: Whether it uses a scorer.
    """

    make: Callable[[Pairs, Choices], Responder]
    reranks: bool = False


def _random(corpus: Pairs, chosen: Choices) -> Responder:
    from rejoinder.responders.random import RandomResponder

    return RandomResponder(corpus, chosen.seed)


def _retrieval(corpus: Pairs, chosen: Choices) -> Responder:
    from rejoinder.responders.retrieval.retrieval import RetrievalResponder

    return RetrievalResponder(corpus, chosen.scorer, chosen.candidates, chosen.tokenizer)


BUILT_IN: dict[str, BuiltIn] = {
    "random": BuiltIn(_random),
    "retrieval": BuiltIn(_retrieval, reranks=True),
}
"""The systems by name."""

KINDS = ("built-in", "server", "transformers", "trained")


def kind_of_system(system: object) -> str:
    """Which of ``KINDS`` a system is: a name of ``BUILT_IN``, a URL, or a folder.

    A folder of ``transformers`` has a ``config.json`` in which Rejoinder notes no model of its own.

    >>> kind_of_system("random"), kind_of_system("http://localhost:8000/v1"), kind_of_system("m")
    ('built-in', 'server', 'trained')
    """
    if system in BUILT_IN:
        return "built-in"
    if str(system).lower().startswith(("http:", "https:")):
        return "server"
    from rejoinder.models.training.folder import is_of_others

    return "transformers" if is_of_others(str(system)) else "trained"


RERANKING = tuple(name for name, system in BUILT_IN.items() if system.reranks)
"""The systems that use a scorer."""
