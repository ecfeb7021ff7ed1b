"""The result of RUQ: values of models, their likelihoods, and the prompts where they fail."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from rejoinder.document.parts import AS_USUAL, GAP, Document, Line, View, lines
from rejoinder.errors import InputError
from rejoinder.files.replacing import replacing
from rejoinder.result import PlottedResult
from rejoinder.scoring.scores import Scores
from rejoinder.tables.testset import TestSet
from rejoinder.tables.write import write_parquet


@dataclass(frozen=True, repr=False)
class Quantity(PlottedResult):
    """Relative utterance quantity of models on one test set.

    Attributes:
        scores: Models as systems; one metric for each generic reply, and one for the strongest.
        replies: Every likelihood; the columns are ``requests.COLUMNS``.
        generic: The generic replies.
        notes: Remarks about the call itself; those about the values are ``scores.notes``.
    """

    scores: Scores
    replies: pl.DataFrame
    generic: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def strongest(self) -> str:
        """The label of the metric against the strongest generic reply."""
        return self.scores.labels[0]

    def preferred(self) -> dict[str, float]:
        """By model the share of prompts whose reference does not beat the strongest generic reply.

        This is 1 - RUQ, and includes ties.
        """
        values = self.scores.measured[self.strongest].scores()
        return {name: 1 - float(v) for name, v in zip(self.scores.names, values, strict=True)}

    def failed(self, above: float) -> dict[str, float]:
        """The models whose share of ``preferred`` is above a threshold or undefined, with the shares.

        Args:
            above: The greatest share that passes, 0 to 1.
        """
        shares = self.preferred()
        return {name: share for name, share in shares.items() if not share <= above}

    def worst(self, most: int = 10) -> pl.DataFrame:
        """The prompts where a generic reply is ahead of the reference by most.

        Args:
            most: Maximum number of prompts for each model.

        Returns:
            ``system``, ``id``, ``margin`` (mean log-probability of the strongest generic reply minus
            that of the reference, natural logarithms per token), ``reference`` (its position among
            the item's references), ``reference_mean``, ``generic`` (its text), ``generic_mean``; the
            largest margins first, and only those above 0. As for the strongest generic reply, a
            prompt counts only if every generic reply can be scored.
        """
        scored = self.replies.filter(pl.col("counts") & pl.col("mean").is_not_null())
        references = scored.filter(pl.col("kind") == "reference").select(
            "system", "id", pl.col("reply").alias("reference"), reference_mean="mean"
        )
        strongest = (
            self.replies.filter(pl.col("kind") == "generic")
            .filter(pl.col("mean").is_not_null().all().over("system", "id"))
            .sort("mean", descending=True, maintain_order=True)
            .unique(["system", "id"], keep="first", maintain_order=True)
            .select("system", "id", generic="text", generic_mean="mean")
        )
        margin = pl.col("generic_mean") - pl.col("reference_mean")
        table = (
            references.join(strongest, on=["system", "id"], maintain_order="left")
            .with_columns(margin=margin)
            .filter(pl.col("margin") > 0)
            .sort("margin", descending=True)
            .select(
                "system", "id", "margin", "reference", "reference_mean", "generic", "generic_mean"
            )
        )
        models = self.scores.names
        return pl.concat([table.filter(pl.col("system") == name).head(most) for name in models])

    def document(
        self,
        view: View = AS_USUAL,
        testset: TestSet | None = None,
        by: str | None = None,
        worst: int = 5,
    ) -> Document:
        """Models against generic replies, or groups; the worst prompts; the notes.

        Args:
            view: What was asked of the showing.
            testset: Has the texts of the worst prompts; None: these are not shown.
            by: A column of the contexts: a row for each of its values instead.
            worst: See ``worst``.
        """
        from rejoinder.scoring.score_tables import groups
        from rejoinder.utterance_quantity import ruq_tables as tables

        scores, few = self.scores, self._few()
        signature = f"{self.strongest}: {scores.measured[self.strongest].signature}"
        end = [GAP, Line(signature, "signature")]
        if by is not None:
            return [*groups(few, few.by(by), by, view.digits), *end]
        shown = tables.models(scores, scores.systems())
        several = len(scores.names) > 1
        if several and scores.resamples:
            shown += [GAP, tables.ahead(few, few.leads().row(0, named=True))]
        if testset is not None:
            shown += tables.worst(self.worst(worst), testset, several)
        return [*shown, *lines(scores.notes, "note"), *end]

    def _few(self) -> Scores:
        """The scores against the strongest generic reply and the first one: what fits a table."""
        scores = self.scores
        measured = {label: scores.measured[label] for label in scores.labels[:2]}
        return replace(scores, measured=measured, _draws={}, _resampled={}, _left_out={})

    def as_json(
        self, by: str | None = None, worst: int = 5, fail_above: float | None = None
    ) -> dict[str, Any]:
        """The object that ``rejoinder ruq --json`` prints.

        Args:
            by: A column of the contexts; ``groups`` has a row for each of its values.
            worst: See ``worst``.
            fail_above: The threshold of ``failed``; None: no model fails.
        """
        scores = self.scores.as_json()
        notes = scores.pop("notes")
        return {
            **scores,
            "groups": [] if by is None else self.scores.by(by).to_dicts(),
            "worst": self.worst(worst).to_dicts(),
            "preferred": self.preferred(),
            "failed": {} if fail_above is None else self.failed(fail_above),
            "notes": notes,
        }

    def save_tokens(self, path: str | os.PathLike[str]) -> None:
        """Writes every likelihood, token by token, to a Parquet file, which the RUQ plot reads.

        Raises:
            InputError: The path cannot be written, or does not end in .parquet.
        """
        if os.path.splitext(path)[1].lower() != ".parquet":
            raise InputError(f"{path}: token values are written as Parquet; name a .parquet file")
        with replacing(path) as temporary:
            write_parquet(self.replies, temporary)
