"""What models themselves prefer: the references of a test set, or replies that tell nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from rejoinder.batches.references import ReferenceRule
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.replacing import replacing
from rejoinder.messages import counted
from rejoinder.metrics.jackknife import interval_facts
from rejoinder.metrics.rows import Matrix
from rejoinder.metrics.ruq import RUQ, STRONGEST
from rejoinder.models.likelihood.backend import EMPTY, NOT_FINITE, LikelihoodBackend
from rejoinder.models.likelihood.store import Likelihoods, likelihoods
from rejoinder.scoring.measurements import Measured, few_items
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.testset import TestSet
from rejoinder.tables.write import write_parquet
from rejoinder.utterance_quantity.generic import checked, generic_replies
from rejoinder.utterance_quantity.requests import Items, items_of


@dataclass(frozen=True)
class Quantity:
    """Relative utterance quantity of some models on one test set.

    Attributes:
        scores: Models as systems; a metric for each generic reply, and one for the strongest.
        replies: Every likelihood; the columns are ``ruq_items.COLUMNS``.
        generic: The generic replies.
    """

    scores: Scores
    replies: pl.DataFrame
    generic: tuple[str, ...]

    @property
    def strongest(self) -> str:
        """The label of the metric against the strongest generic reply."""
        return self.scores.labels[0]

    def preferred(self) -> dict[str, float]:
        """By model, the share of prompts whose reference does not beat the strongest generic reply:
        1 - RUQ, ties included.
        """
        values = self.scores.measured[self.strongest].scores()
        return {name: 1 - float(v) for name, v in zip(self.scores.names, values, strict=True)}

    def worst(self, most: int = 10) -> pl.DataFrame:
        """The prompts where a generic reply wins by most.

        Returns:
            ``system``, ``id``, ``margin`` (mean log-probability of the strongest generic reply less
            the reference's, natural logarithms to a token), ``reference`` (which of the item's
            rows), ``reference_mean``, ``generic`` (its text), ``generic_mean``; the largest margins
            first, at most ``most`` of each model, none below 0. As in ``STRONGEST``, a prompt counts
            where every generic reply can be scored.
        """
        known = self.replies.filter(pl.col("counts") & pl.col("mean").is_not_null())
        own = known.filter(pl.col("kind") == "reference").select(
            "system", "id", pl.col("reply").alias("reference"), reference_mean="mean"
        )
        other = (
            self.replies.filter(pl.col("kind") == "generic")
            .filter(pl.col("mean").is_not_null().all().over("system", "id"))
            .sort("mean", descending=True, maintain_order=True)
            .unique(["system", "id"], keep="first", maintain_order=True)
            .select("system", "id", generic="text", generic_mean="mean")
        )
        table = own.join(other, on=["system", "id"], maintain_order="left").with_columns(
            margin=pl.col("generic_mean") - pl.col("reference_mean")
        )
        table = table.filter(pl.col("margin") > 0).sort("margin", descending=True)
        columns = ["system", "id", "margin", "reference", "reference_mean", "generic"]
        order = pl.Series("system", self.scores.names)
        return pl.concat(
            [table.filter(pl.col("system") == name).head(most) for name in order]
        ).select(*columns, "generic_mean")

    def save_tokens(self, path: str | os.PathLike[str]) -> None:
        """Writes every likelihood, token by token, to a Parquet file: what the RUQ plot draws.

        Raises:
            InputError: The path cannot be written, or does not end in .parquet.
        """
        if os.path.splitext(path)[1].lower() != ".parquet":
            raise InputError(f"{path}: token values are kept as Parquet; name a .parquet file")
        with replacing(path) as temporary:
            write_parquet(self.replies, temporary)


def ruq(
    testset: TestSet,
    models: Sequence[LikelihoodBackend],
    *,
    generic: Sequence[str] | None = None,
    references: str = "w>=0",
    outputs: Mapping[str, Mapping[str, str]] | None = None,
    work: str | os.PathLike[str] | None = None,
    resamples: int = 1000,
    seed: int = 12345,
    progress: Callable[[int, int], None] | None = None,
) -> Quantity:
    """Asks models which they find likelier: the reference, or a generic reply.

    A reply's score is its mean log-probability per token, end of sequence included; with several
    references the lowest counts (Khayrallah and Sedoc 2021, section 2). A reference or a generic
    reply that one model cannot score is left out for all of them, and counted in the notes.

    Args:
        testset: Prompts and references. Every prompt needs a turn.
        models: What to ask; see ``rejoinder.models.likelihood.open_backend``.
        generic: Generic replies; None takes the package's English set.
        references: ``all``, ``single`` or ``w>=T``, as for ``RUQ``.
        outputs: By model's name and item's id the model's own output, to be scored for the plot.
        work: A folder where results are kept as they come; a run that was cut off goes on there.
        resamples: Resamples of the paired bootstrap; 0 gives neither intervals nor tests.
        seed: Of every draw.
        progress: Called with how many prompts are done, and of how many.

    Raises:
        InputError: There is no prompt to score, or a model cannot score any.
        ParameterError: A parameter is none, or two models have one name.
    """
    check_draws(resamples, seed)
    ReferenceRule.parse(references)
    replies = generic_replies() if generic is None else checked(generic)
    names = _names(models)
    items = items_of(testset, replies, references)
    found, notes = [], list(items.notes)
    for place, model in enumerate(models):
        own = (outputs or {}).get(model.name, {})
        held = likelihoods(
            model,
            items.requests(own),
            work=work,
            progress=None if progress is None else _share(progress, place, len(models)),
        )
        _check_finite(model.name, held)
        found.append(items.table(model.name, held.held, own))
        notes += [f"{model.name}: {note}" if len(models) > 1 else note for note in held.notes]
    notes += _dropped(models, found)
    return _quantity(
        names, items, found, notes, RUQ(references=references), resamples, seed, _facts(models)
    )


def _names(models: Sequence[LikelihoodBackend]) -> tuple[str, ...]:
    names = tuple(model.name for model in models)
    if not names:
        raise ParameterError("no model is given; name one at least")
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(
                f"two models are called '{name}'; name each model once, or give them names of their own "
                "(name=...)"
            )
    return names


def _share(
    progress: Callable[[int, int], None], place: int, models: int
) -> Callable[[int, int], None]:
    return lambda done, total: progress(place * total + done, models * total)


def _check_finite(name: str, held: Likelihoods) -> None:
    kinds = {each.dropped for few in held.held for each in few} - {EMPTY}
    if kinds == {NOT_FINITE}:
        raise InputError(
            f"{name}: every log-probability is NaN or infinite; are the weights whole? A 16-bit "
            "number format can overflow: try --dtype float32"
        )


def _dropped(models: Sequence[LikelihoodBackend], found: Sequence[pl.DataFrame]) -> list[str]:
    """What has no likelihood, counted by kind and reason."""
    notes = []
    for model, table in zip(models, found, strict=True):
        before = f"{model.name}: " if len(models) > 1 else ""
        why = table.filter(pl.col("dropped") != "").group_by("kind", "dropped").len()
        for kind, reason, count in why.sort("kind", "dropped").iter_rows():
            of_set = kind == "generic"
            many = counted(
                count,
                "generic reply" if of_set else str(kind),
                "generic replies" if of_set else None,
            )
            notes.append(f"{before}{many} dropped: {reason}")
    return notes


def _facts(models: Sequence[LikelihoodBackend]) -> dict[str, str]:
    """What the signature says of each model."""
    told = {
        model.name: ",".join(f"{key}={value}" for key, value in model.facts.items())
        for model in models
    }
    if len(told) == 1:
        return {"model": next(iter(told.values()))}
    return {f"model[{name}]": facts for name, facts in told.items()}


def _quantity(
    names: tuple[str, ...],
    items: Items,
    found: Sequence[pl.DataFrame],
    notes: list[str],
    metric: RUQ,
    resamples: int,
    seed: int,
    facts: Mapping[str, str],
) -> Quantity:
    lowest, which = items.lowest(found)
    generic = np.stack([items.generic_means(table) for table in found], axis=1)  # [n, S, G]
    opponents = {STRONGEST: generic.max(axis=2)}  # NaN where one of them is
    opponents |= {reply: generic[:, :, g] for g, reply in enumerate(items.generic)}
    measured = {}
    for reply, means in opponents.items():
        each = replace(metric, generic=reply)
        rows = each.rows(lowest, means)
        usable: np.ndarray = np.isfinite(rows).all(axis=(1, 2))  # pyright: ignore
        if not usable.any():
            raise InputError(f"{each.label}: no prompt can be scored: {'; '.join(notes)}")
        dropped = int((~usable).sum())
        if dropped:
            notes.append(f"{each.label}: {dropped} of {len(usable)} items dropped")
        signature = each.signature(
            nrefs=items.spread, **facts, **interval_facts(each, resamples, seed)
        )
        measured[each.label] = Measured(
            each, Matrix(np.ascontiguousarray(rows[usable])), usable, signature
        )
    if resamples:
        notes += few_items(measured)
    scores = Scores(
        names, items.table_of_items, measured, tuple(notes), resamples, seed, items.span
    )
    replies = pl.concat([items.marked(table, which, place) for place, table in enumerate(found)])
    return Quantity(scores, replies, tuple(items.generic))
