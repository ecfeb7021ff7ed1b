"""The protocols under which metrics are compared with human ratings: what one observation is.

A protocol is a small object whose parameters stand in the signature. It turns rated replies into
evidence: observations, and what follows from them for each metric and coefficient.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from rejoinder.errors import ParameterError, one_of
from rejoinder.human_evaluation.rater_effects import RaterEffects, RaterRule
from rejoinder.messages import Argument
from rejoinder.meta_evaluation.dialogue_level import RULES, Turns, dialogues
from rejoinder.meta_evaluation.evidence import Draws, Evidence, Rated
from rejoinder.meta_evaluation.pair_units import PairUnits
from rejoinder.meta_evaluation.pairwise import ReplyPairs
from rejoinder.meta_evaluation.soft import SoftPairs
from rejoinder.meta_evaluation.turn_level import Observations, TurnObservations
from rejoinder.meta_evaluation.unit_assignments import UnitSettings
from rejoinder.meta_evaluation.unit_level import UnitObservations
from rejoinder.statistics.conventions import check_choice
from rejoinder.tables.checks.arguments import expect

# Of 7 systems drawn with replacement, 8% of the resamples hold 3 distinct ones or fewer, whose
# correlation is near 1 or -1 whatever the metric; of 8 systems 2% do.
LEAST_SYSTEMS = 8


class Protocol(ABC):
    """What one observation is."""

    name: ClassVar[str]
    observation: ClassVar[tuple[str, str]] = ("observation", "observations")
    """What one observation and several are called."""
    spread: ClassVar[str] = ""
    """What a table of this protocol has to say of its intervals."""
    resampled: ClassVar[bool] = True
    """Whether intervals are drawn."""
    in_pairs: ClassVar[bool] = False
    """Whether ratings that belong to a pair of systems are kept apart for each pair."""

    within: ClassVar[bool] = False
    """Whether there is an agreement within each system."""
    of_dialogues: ClassVar[bool] = False
    """Whether the clusters of items are conversations, each an observation."""
    clustered: ClassVar[bool] = True
    """Whether clusters of items are resampled, swapped and permuted as a whole."""

    @abstractmethod
    def signature(self) -> str:
        """Name and parameters, in the style of the metrics' signatures."""

    @abstractmethod
    def observe(self, rated: Rated, draws: Draws) -> Evidence:
        """Makes observations of rated replies."""


@dataclass(frozen=True)
class Turn(Protocol):
    """One observation for each rated reply: its score by itself against its rating.

    (Liu et al. 2016; Tao et al. 2018; Gupta et al. 2019.) Replies to one context are drawn together.

    Args:
        rater_effects: ``random``: the pooled intervals resample raters as well as contexts; ``fixed``:
            contexts alone. None: random where there are four raters or more with names, whose ratings are
            averaged.
    """

    name: ClassVar[str] = "turn"
    within: ClassVar[bool] = True
    rater_effects: RaterEffects | None = None

    def signature(self) -> str:
        """The protocol in a signature."""
        return "protocol:turn"

    def observe(self, rated: Rated, draws: Draws) -> TurnObservations:
        """One observation for each rated reply.

        Raises:
            ParameterError: Raters are to be resampled, and their ratings are not averaged, or they have no
                names.
        """
        why = "" if rated.mean else "the ratings of a reply are not averaged"
        return TurnObservations(rated, draws, RaterRule.of(self.rater_effects, rated.raters, why))


@dataclass(frozen=True)
class Dialogue(Protocol):
    """One observation for each system in each conversation: its turns' scores against their ratings.

    Conversations are what is resampled, left out and permuted.

    Args:
        turns: How the scores, and the ratings, of the turns become one number: their ``mean``, the
            ``least`` or the ``last``.
    """

    name: ClassVar[str] = "dialogue"
    within: ClassVar[bool] = True
    of_dialogues: ClassVar[bool] = True
    turns: Turns = "mean"

    def __post_init__(self) -> None:
        check_choice(RULES, turns=self.turns)

    def signature(self) -> str:
        """The protocol in a signature."""
        return f"protocol:dialogue|turns:{self.turns}"

    def observe(self, rated: Rated, draws: Draws) -> TurnObservations:
        """One observation for each system in each conversation.

        Raises:
            ParameterError: The conversations of the items are not known.
        """
        changed, notes = dialogues(rated, self.turns)
        evidence = TurnObservations(changed, draws)
        evidence.notes = [*notes, *evidence.notes]
        return evidence


@dataclass(frozen=True)
class System(Protocol):
    """One observation for each system: its corpus score on its rated items against its mean rating.

    Systems are what is drawn, so few of them give no interval.
    """

    name: ClassVar[str] = "system"
    clustered: ClassVar[bool] = False

    def signature(self) -> str:
        """The protocol in a signature."""
        return "protocol:system"

    def observe(self, rated: Rated, draws: Draws) -> Observations:
        """One observation for each system."""
        present = ~np.isnan(rated.grid)
        scores = {label: each.corpora(present) for label, each in rated.subjects.items()}
        number = np.bincount(rated.system, minlength=len(rated.systems))
        human = np.bincount(rated.system, rated.human, len(rated.systems)) / number
        systems = np.arange(len(rated.systems))
        keys = pl.DataFrame({"system": list(rated.systems), "items": number, "group": systems})
        evidence = Observations(scores, human, systems, keys, draws, "systems", LEAST_SYSTEMS)
        if len(set(number.tolist())) > 1 or not (present == present[0]).all():
            evidence.notes.append(
                "systems are rated on different items, which may be harder or easier: their scores "
                "and ratings are not strictly comparable"
            )
        return evidence


@dataclass(frozen=True)
class Pairwise(Protocol):
    """One observation for each pair of replies to a context: does the metric order them as people?

    (WMT's accuracy with ties: Deutsch, Foster and Freitag 2023.)

    Args:
        epsilon: Scores that differ by no more are a tie; ``"best"`` finds the one that serves each
            metric best.
    """

    name: ClassVar[str] = "pairwise"
    observation: ClassVar[tuple[str, str]] = ("pair of replies", "pairs of replies")
    epsilon: float | Literal["best"] = 0.0

    def __post_init__(self) -> None:
        known = self.epsilon == "best" if isinstance(self.epsilon, str) else self.epsilon >= 0
        if not known:
            raise ParameterError(Argument("epsilon", self.epsilon), " must be 0 or more, or 'best'")

    def signature(self) -> str:
        """The protocol in a signature."""
        return f"protocol:pairwise|epsilon:{self.epsilon}"

    def observe(self, rated: Rated, draws: Draws) -> ReplyPairs:
        """Pairs of rated replies to one context."""
        return ReplyPairs(rated, self.epsilon, draws)


@dataclass(frozen=True)
class Soft(Protocol):
    """One observation for each pair of systems: is the metric as sure as people which is better?

    (Soft pairwise accuracy: Thompson et al. 2024.) How sure is the one-sided p-value of a permutation
    test on the items that both systems were rated on; the metric's is of corpus scores.
    """

    name: ClassVar[str] = "soft"
    observation: ClassVar[tuple[str, str]] = ("pair of systems", "pairs of systems")
    resampled: ClassVar[bool] = False

    def signature(self) -> str:
        """The protocol in a signature."""
        return "protocol:soft"

    def observe(self, rated: Rated, draws: Draws) -> SoftPairs:
        """Pairs of rated systems."""
        return SoftPairs(rated, draws)


@dataclass(frozen=True)
class Unit(UnitSettings, Protocol):
    """One observation for each unit of items of a pair of systems (Galley et al. 2015, section 5).

    The metric's difference between the two systems on the unit's items, as a corpus, against the
    difference of their mean ratings. Ratings that belong to a pair of systems (column ``against``)
    are used for that pair alone, and only pairs that were rated have units.

    Args:
        size: How many items are a unit: M.
        assignments: How many random assignments of items to units are averaged.
        pairs: The pairs of systems that have units, by name and in any order; none takes every pair
            (the paper has 12 of the 21 pairs of 7 systems).
    """

    name: ClassVar[str] = "unit"
    spread: ClassVar[str] = (
        "the interval (jackknife over systems, Student's t) says how far other systems like these "
        "would change the correlation; p tests whether these systems agree at all with these "
        "ratings; the two answer different questions, so a value with a star may have an interval "
        "that contains 0"
    )
    resampled: ClassVar[bool] = False
    clustered: ClassVar[bool] = False
    in_pairs: ClassVar[bool] = True

    def signature(self) -> str:
        """The protocol in a signature."""
        pairs = "+".join(f"{a}/{b}" for a, b in self.pairs)
        only = f"|pairs:{pairs}" if pairs else ""
        return f"protocol:unit|size:{self.size}|assignments:{self.assignments}{only}"

    def observe(self, rated: Rated, draws: Draws) -> UnitObservations:
        """Units of items of every pair of systems, or of those that have ratings of their own."""
        if rated.paired is not None:
            return PairUnits(rated, self, draws)
        return UnitObservations(rated, self, draws)


PROTOCOLS: dict[str, type[Turn | Dialogue | Unit | System | Pairwise | Soft]] = {
    "turn": Turn,
    "dialogue": Dialogue,
    "unit": Unit,
    "system": System,
    "pairwise": Pairwise,
    "soft": Soft,
}


def protocol_named(protocol: str | Protocol) -> Protocol:
    """A protocol by its name, with its defaults; a protocol stays what it is.

    Raises:
        ParameterError: There is none of that name.

    >>> protocol_named("unit")
    Unit(size=100, assignments=1000, pairs=())
    """
    if isinstance(protocol, Protocol):
        return protocol
    expect(protocol, str, "protocol", f"one of {one_of(PROTOCOLS)}, or a protocol such as Turn()")
    check_choice(PROTOCOLS, protocol=protocol)
    return PROTOCOLS[protocol]()


def threshold(text: str) -> float | Literal["best"]:
    """Reads the epsilon of `Pairwise`.

    Raises:
        ParameterError: It is neither a number nor ``best``.
    """
    if text == "best":
        return "best"
    try:
        return float(text)
    except ValueError:
        raise ParameterError(Argument("epsilon", text), " must be 0 or more, or 'best'") from None


def check_names(protocol: Protocol, correlations: Sequence[str]) -> None:
    """Raises a ParameterError for coefficients wanted of a protocol that has none."""
    if correlations and isinstance(protocol, (Pairwise, Soft)):
        raise ParameterError(
            f"the protocol '{protocol.name}' has accuracies in place of correlations: do without ",
            Argument("correlations"),
        )
