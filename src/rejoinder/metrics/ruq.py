"""Relative utterance quantity: how often a model prefers the reference to a generic reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.base import Metric
from rejoinder.metrics.contract import Part
from rejoinder.metrics.means import quotient

STRONGEST = "strongest"
"""In place of a generic reply: at every prompt the one that the model likes best."""


@dataclass(frozen=True)
class RUQ(Metric):
    r"""The share of prompts whose reference the model scores above a generic reply.

    ``RUQ = 1/n sum_i [s(r_i | c_i) > s(g | c_i)]`` with ``s`` the mean log-probability per token,
    end of sequence included (Khayrallah and Sedoc 2021, section 2). 1: the model would always
    rather say what a person said; 0: it would always rather say "I don't know.". A tie is no win.
    With several references the one of the lowest score counts: every valid reply should beat the
    generic one. NaN without a prompt.

    The likelihoods are a model's: ``rejoinder.ruq`` computes them, and passes them to ``rows``.

    Args:
        generic: The generic reply, or ``strongest``: of several, at each prompt the one of the
            highest score.
        references: Which references count: ``all``, ``single`` (the first) or ``w>=T``. The default
            leaves out those that people rated as bad replies (a negative weight).

    >>> metric = RUQ()
    >>> rows = metric.rows(np.array([-1.0, -2.5, -3.0]), np.array([-2.0, -2.0, -3.0]))
    >>> rows.sum(axis=0)
    array([1., 1., 3.])
    >>> round(float(metric.score(rows.sum(axis=0))), 3)
    0.333
    """

    name: ClassVar[str] = "ruq"
    source: ClassVar[str] = "Khayrallah and Sedoc (2021), section 2"
    needs: ClassVar[frozenset[str]] = frozenset({"references", "features"})
    share: ClassVar[bool] = True

    generic: str = "I don't know."
    references: str = "w>=0"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.generic.strip():
            raise ParameterError("metric 'ruq': the generic reply is empty; give it a text")

    @property
    def label(self) -> str:
        """RUQ, and against which reply."""
        return f"RUQ ({self.generic})"

    @property
    def columns(self) -> tuple[str, ...]:
        """Whether the reference wins, whether the two tie, and a 1 that counts the prompt."""
        return ("wins", "ties", "n")

    def rows(self, reference: Floats, generic: Floats) -> Floats:
        """The rows of prompts: mean log-probabilities float64 [...] to float64 [..., 3].

        NaN where either is NaN.
        """
        known = ~(np.isnan(reference) | np.isnan(generic))
        wins = np.where(known, reference > generic, np.nan)
        ties = np.where(known, reference == generic, np.nan)
        return np.stack([wins, ties, np.where(known, 1.0, np.nan)], axis=-1)

    def statistics(self, batch: Batch) -> Floats:
        """RUQ measures models, not replies.

        Raises:
            ParameterError: Always.
        """
        raise ParameterError(
            "RUQ measures a model, not its replies: 'rejoinder ruq MODEL TESTSET', or "
            "rejoinder.ruq(testset, models)"
        )

    def score(self, totals: Floats) -> Floats:
        """float64 [..., 3] to float64 [...]; NaN where no prompt was summed."""
        return quotient(totals[..., 0], totals[..., 2])

    def parts(self, totals: Floats) -> dict[str, Part]:
        """Prompts won, tied, lost and counted."""
        wins, ties, n = totals.tolist()
        return {"wins": wins, "ties": ties, "losses": n - wins - ties, "n": n}
