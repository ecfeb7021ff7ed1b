"""How varied a system's replies to one prompt are, with quality beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.diversity.coverage import (
    PromptReferences,
    above_chance,
    closeness,
    cyclic_partners,
    near_copies,
    reached,
)
from rejoinder.diversity.measures import (
    SampleLikeness,
    mean_of_pairs,
    rarefied_distinct,
    subsets,
    vendi,
    vendi_of_answers,
)
from rejoinder.diversity.sameness import DrawnSamples, more_varied
from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument, counted
from rejoinder.metrics import registry
from rejoinder.metrics.chrf import ChrF
from rejoinder.metrics.contract import Contract
from rejoinder.metrics.distinct import DistinctN
from rejoinder.metrics.encoder_cosine import EncoderCosine
from rejoinder.metrics.engine.word_separation import ReplySample, separation_notes
from rejoinder.metrics.external import External
from rejoinder.metrics.pairs import PairScorer
from rejoinder.metrics.sentence_bleu import SentenceBLEU
from rejoinder.progress import Progress, advance
from rejoinder.result import PlottedResult
from rejoinder.scoring.clusters import cluster_column
from rejoinder.scoring.shown_values import times_of
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import too_few_groups
from rejoinder.statistics.draws import check_draws, check_permutations
from rejoinder.statistics.holm import holm
from rejoinder.statistics.mean_difference import mean_inference
from rejoinder.statistics.proportions import share_size, wilson
from rejoinder.tables.in_memory import ResponsesLike, taken
from rejoinder.tables.responses import refuse_unknown_ids
from rejoinder.tables.testset import TestSet, TestSetLike
from rejoinder.tables.types import Responses
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import tokenize

CHUNK = 500
"""The matrices of so many prompts are kept at a time."""

FOR_COVERAGE = 30
"""The fewest prompts of which coverage has an interval.

By simulation: where one prompt in ten earns anything, or most earn little and some much, the intervals of 12
prompts hold the truth in .70, of 25 in .92 and of 30 in .95 (docs/studies/coverage.md).
"""

_SYSTEMS = {
    "system": pl.String,
    "measure": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
    "reason": pl.String,
}
_PAIRS = {
    "a": pl.String,
    "b": pl.String,
    "measure": pl.String,
    **dict.fromkeys(("difference", "low", "high", "p", "p_holm"), pl.Float64),
    "similarity": pl.String,
    **dict.fromkeys(("within", "between", "gap", "gap_low", "gap_high"), pl.Float64),
    **dict.fromkeys(("p_same", "p_same_holm"), pl.Float64),
    "n": pl.Int64,
    "reason": pl.String,
    "gap_n": pl.Int64,
    "gap_reason": pl.String,
}


@dataclass(frozen=True, repr=False)
class Variety(PlottedResult):
    """How varied the samples of each prompt are, by system.

    Attributes:
        systems: A row for each system and measure: ``value``, the mean over ``n`` prompts, with its 95%
            interval ``low``, ``high``; ``reason``, why there is none.
        pairs: A row for each pair of systems: the ``difference`` a - b of ``measure`` with interval and
            p-values (whole sets of samples flipped); and how alike two samples are by ``similarity``,
            ``within`` a system and ``between`` both, and the ``gap`` with interval and p-values (single
            samples permuted within prompts); ``n`` and ``gap_n`` prompts, and ``reason`` and ``gap_reason``
            why there is no interval.
        prompts: A row for each system, prompt and measure, with ``samples``, how many there are.
        k: How many samples of a prompt the measures are of.
        signatures: How the measures are computed.
        notes: What was left out, and how values are to be read.
        parameters: ``cluster``, ``permutations``, ``seed``, ``without``.
        quality: By measure of quality, given scores first, what tables multiply it with.
    """

    systems: pl.DataFrame
    pairs: pl.DataFrame
    prompts: pl.DataFrame
    k: int
    signatures: dict[str, str]
    notes: tuple[str, ...]
    parameters: dict[str, Any]
    quality: dict[str, int] = field(default_factory=dict)

    def document(self, view: View = AS_USUAL) -> Document:
        """The systems under every measure, the pairs, and what the measures cannot see."""
        from rejoinder.diversity.variety_tables import of_pairs, of_systems, remarks

        shown = [*of_systems(self.systems, self.k, self.quality), *of_pairs(self.pairs)]
        return [*shown, *remarks(self.systems, self.pairs, self.signatures, self.notes)]

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder variety --json`` prints."""
        return self.json_of("k", "systems", "pairs", "signatures", "parameters", "notes")


@dataclass(frozen=True)
class _Samples:
    """The samples of one system, prompt after prompt.

    Attributes:
        texts: All of them.
        prompts: int64 [p], the prompts, of which each has k samples or more.
        bounds: int64 [p + 1], where the samples of each begin.
    """

    texts: list[str]
    prompts: Indices
    bounds: Indices

    @cached_property
    def places(self) -> list[Indices]:
        """The places of the samples of each prompt."""
        return [np.arange(a, b) for a, b in pairwise(self.bounds.tolist())]


def variety(
    responses: ResponsesLike,
    testset: TestSetLike | None = None,
    *,
    encoder: str | None = None,
    scores: Sequence[External] = (),
    samples: int | None = None,
    tokenizer: str = "13a",
    without: Sequence[str] = (),
    cluster: str | None = None,
    permutations: int = 1000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Variety:
    """Measures how varied the samples of each prompt are, at one number of samples for all.

    distinct-n is that of k samples, expected over all subsets; pairwise chrF and sentence BLEU are means
    over pairs of samples (Shen et al. 2019: lower is more varied); the Vendi score is the effective number
    of different replies among k (Friedman and Dieng 2023), by exact match, by chrF and by an encoder. With
    references: coverage, the expected best similarity of k samples to each reference, less the same with
    the system's own samples to other prompts, so that noise earns nothing; that of references of
    negative weight is a number of its own. Closeness, the mean similarity of a sample to its nearest
    reference, is the quality beside it.

    Args:
        responses: The table of ``read_responses``, with several replies of a system to one prompt, told
            apart in a column ``sample``.
        testset: References for the coverage, and clusters; None: neither.
        encoder: The folder or name of a sentence encoder; None: chrF alone.
        scores: What judges or other tools gave the samples (``External``): further measures of quality, the
            mean over all samples of a prompt.
        samples: k; None takes the smallest number that a prompt with several samples has. Prompts with
            fewer are left out, and counted.
        tokenizer: Of distinct-n and sentence BLEU; see ``rejoinder.text.tokenizers.TOKENIZERS``.
        without: Systems that are left out.
        cluster: A column of the contexts whose equal values are not independent; None takes
            ``conversation`` where there is one, ``none`` none.
        permutations: Of the two tests of pairs of systems; 0: no tests.
        seed: Random seed of the permutations, of the order in which prompts are shifted, and of subsets.
        progress: Called with how many systems are done, and of how many.

    Raises:
        InputError: No prompt has k samples; or responses and test set do not fit.
        ParameterError: A parameter is none that there is.

    >>> rows = [("a", "1", "0", "yes"), ("a", "1", "1", "no"), ("b", "1", "0", "ok"), ("b", "1", "1", "ok")]
    >>> table = pl.DataFrame(rows, schema=["system", "id", "sample", "text"], orient="row")
    >>> variety(table).systems.filter(measure="Vendi exact match").get_column("value").round(6).to_list()
    [2.0, 1.0]
    """
    check_draws(0, seed)
    check_permutations(permutations)
    bleu, distinct = SentenceBLEU(tokenizer=tokenizer), DistinctN(tokenizer=tokenizer)
    items = None if testset is None else TestSet.of(testset)
    frame = taken(Responses, responses, None if items is None else items.ids).without(without).frame
    ids = (
        frame.get_column("id").unique(maintain_order=True).to_list() if items is None else items.ids
    )
    if items is not None:
        refuse_unknown_ids(frame, items.contexts.select("id").with_row_index("item"))
    k = _common(frame, samples)
    by_system, notes = _samples(frame, ids, k)
    contexts = pl.DataFrame({"id": ids}) if items is None else items.contexts
    column, unclustered = cluster_column(contexts, cluster)
    labels = contexts.get_column(column or "id").cast(pl.String)
    clusters = labels.rank("dense").to_numpy()
    replies = Strings.of([text for own in by_system.values() for text in own.texts])
    unseparated = separation_notes(bleu, ReplySample(replies, len(ids)))
    notes += [*unclustered, *(f"distinct-n, sBLEU-2: {each}" for each in unseparated)]
    # Each use has draws of its own, so that all systems are shifted alike, whatever k is.
    of_subsets, of_shifts, of_tests = range(3)
    similarities: dict[str, Contract] = {"chrF": ChrF()}
    labels = registry.metrics(scores) if scores else ()
    outside = dict(zip(labels, scores, strict=True))
    if encoder is not None:
        similarities["cosine"] = EncoderCosine(encoder=encoder)
    texts = None if items is None else _texts(items)
    references = [] if texts is None else _references(texts, len(ids))
    values: dict[tuple[str, str], Floats] = {}
    for done, (system, own) in enumerate(by_system.items()):
        rng = np.random.default_rng([seed, of_subsets])
        measured = _variety(own, {"sBLEU-2": bleu, **similarities}, tokenizer, k, rng)
        of_prompts = [ids[i] for i in own.prompts.tolist()]
        for label, metric in outside.items():
            if label in measured:
                raise ParameterError(f"scores: '{label}' is a measure of variety itself; rename it")
            assert metric.reply_values is not None
            measured[label] = metric.reply_values.at((system,), of_prompts)[0][0]
        for measure, each in measured.items():
            there = int((~np.isnan(each)).sum())
            if 0 < there < each.size:
                notes.append(
                    f"{system}: {measure} is undefined for {each.size - there} of its prompts"
                )
        if texts is not None and references:
            rng = np.random.default_rng([seed, of_shifts])
            words = texts.get_column("text").to_list()
            covered, remark = _coverage(own, similarities, references, words, clusters, k, rng)
            measured |= covered
            notes += [f"{system}: {each}" for each in remark]
        for measure, each in measured.items():
            row = values.setdefault((system, measure), np.full(len(ids), np.nan))
            row[own.prompts] = each
        advance(progress, done + 1, len(by_system))
    similarity = list(similarities)[-1]
    pairs = _pairs(
        by_system,
        values,
        similarity,
        similarities[similarity],
        clusters,
        permutations,
        np.random.default_rng([seed, of_tests]),
    )
    clustering = {"cluster": column} if column else {}
    facts = {"samples": k, "seed": seed, **clustering}
    metrics = {
        **similarities, "sBLEU-2": bleu, "distinct-1": distinct, "distinct-2": replace(distinct, order=2)
    }  # fmt: skip
    quality = {label: times_of(each) for label, each in outside.items()}
    quality |= {of[1]: 100 for of in values if of[1].startswith("closeness")}
    return Variety(
        pl.DataFrame(
            [_summary(*of, each, clusters, k, outside.get(of[1])) for of, each in values.items()],
            _SYSTEMS,
        ),
        pairs,
        _prompts(values, ids, by_system),
        k,
        {name: metric.signature(**facts) for name, metric in metrics.items()}
        | {name: metric.signature(**clustering) for name, metric in outside.items()},
        tuple(notes),
        {"cluster": column, "permutations": permutations, "seed": seed, "without": list(without)},
        quality,
    )


def _common(frame: pl.DataFrame, samples: int | None) -> int:
    """How many samples of each prompt are measured."""
    counts = frame.group_by("system", "id").len().get_column("len")
    if samples is not None:
        if not isinstance(samples, int) or isinstance(samples, bool) or samples < 1:
            raise ParameterError(Argument("samples", samples), " must be a whole number, 1 or more")
        if samples > int(counts.max() or 0):  # pyright: ignore[reportArgumentType]
            raise ParameterError(
                Argument("samples", samples),
                f": no prompt has so many samples; the most are {counts.max()}",
            )
        return samples
    several = counts.filter(counts > 1)
    if several.is_empty():
        raise InputError(
            "responses: every system has one reply to each prompt, and variety is that of several samples; "
            "ask the system several times (in most tools: epochs, repeats or n) and tell its replies apart "
            "in a column 'sample', or give a log with repeats; for one sample alone give ",
            Argument("samples", 1),
        )
    return int(several.min())  # pyright: ignore[reportArgumentType]


def _samples(
    frame: pl.DataFrame, ids: Sequence[str], k: int
) -> tuple[dict[str, _Samples], list[str]]:
    """The samples of each system, and notes on prompts that have fewer than k."""
    order = pl.DataFrame({"id": ids}, {"id": pl.String}).with_row_index("prompt")
    placed = frame.join(order, on="id", maintain_order="left").sort("prompt", maintain_order=True)
    by_system, notes, counts = {}, [], set[int]()
    for system in frame.get_column("system").unique(maintain_order=True):
        own = placed.filter(system=system).with_columns(n=pl.len().over("prompt"))
        few = own.filter(pl.col("n") < k).get_column("prompt").n_unique()
        unanswered = len(ids) - own.get_column("prompt").n_unique()
        own = own.filter(pl.col("n") >= k)
        if unanswered:
            notes.append(f"{system}: no reply to {unanswered} of {counted(len(ids), 'prompt')}")
        if few:
            notes.append(
                f"{system}: {counted(few, 'prompt')} with fewer than {counted(k, 'sample')} left out"
            )
        prompts, sizes = np.unique(own.get_column("prompt").to_numpy(), return_counts=True)
        bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        counts |= set(sizes.tolist())
        if prompts.size:
            by_system[system] = _Samples(
                own.get_column("text").to_list(), prompts.astype(np.int64), bounds
            )
    notes.insert(
        0,
        f"{counted(k, 'sample')} of each prompt"
        + (f", out of up to {max(counts)}" if max(counts) > k else "")
        + f"; {Argument('samples')} asks for another number",
    )
    return by_system, notes


def _texts(items: TestSet) -> pl.DataFrame:
    """The references of all prompts, in the order of the prompts, with their places."""
    prompts = items.contexts.select("id").with_row_index("prompt")
    texts = prompts.join(items.references, on="id", maintain_order="left_right")
    return texts.with_row_index("place")


def _references(texts: pl.DataFrame, prompts: int) -> list[tuple[str, PromptReferences]]:
    """The good references of prompts and, where there are any, the bad ones."""
    weights = texts.get_column("weight").fill_null(1.0).to_numpy()
    sizes = np.bincount(texts.get_column("prompt").to_numpy(), minlength=prompts)
    bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    kinds = {"coverage": np.maximum(weights, 0.0), "bad coverage": np.maximum(-weights, 0.0)}
    return [
        (kind, PromptReferences(np.arange(texts.height), bounds, each))
        for kind, each in kinds.items()
        if each.any()
    ]


def _variety(
    own: _Samples, similarities: dict[str, Contract], tokenizer: str, k: int, rng: Any
) -> dict[str, Floats]:
    """Every measure of the samples alone, of each prompt: float64 [p]."""
    strings, sizes = Strings.of(own.texts), np.diff(own.bounds)
    drawn = {n: subsets(n, k, rng) for n in np.unique(sizes).tolist()}
    tokens = tokenize(strings, tokenizer)
    measured = {
        f"distinct-{order}": rarefied_distinct(tokens, own.bounds, order, k) for order in (1, 2)
    }
    measured["Vendi exact match"] = np.array(
        [vendi_of_answers(own.texts[a:b], drawn[b - a]) for a, b in pairwise(own.bounds.tolist())]
    )
    for name, metric in similarities.items():
        pairs, scores = [], []
        for alike in _matrices(SampleLikeness(metric, strings), own):
            pairs.append(mean_of_pairs(alike))
            if not isinstance(metric, SentenceBLEU):
                some = drawn[len(alike)]
                scores.append(float(vendi(alike[some[:, :, None], some[:, None, :]]).mean()))
        measured[f"pairwise {name}"] = np.array(pairs)
        if scores:
            measured[f"Vendi {name}"] = np.array(scores)
    return measured


def _matrices(scorer: SampleLikeness, own: _Samples) -> Any:
    """The similarities of the samples of each prompt, some prompts at a time."""
    for begin in range(0, own.prompts.size, CHUNK):
        bounds = own.bounds[begin : begin + CHUNK + 1]
        yield from scorer.within(np.arange(bounds[0], bounds[-1]), bounds - bounds[0])


def _coverage(
    own: _Samples,
    similarities: dict[str, Contract],
    references: list[tuple[str, PromptReferences]],
    texts: list[str],
    clusters: NDArray[np.generic],
    k: int,
    rng: np.random.Generator,
) -> tuple[dict[str, Floats], list[str]]:
    """Coverage above chance and closeness, of each prompt: float64 [p]; and what was left out."""
    measured, near = dict[str, Floats](), dict[str, Floats]()
    scorers = {
        name: PairScorer(metric, [*own.texts, *texts]) for name, metric in similarities.items()
    }
    notes, (_, every) = [], references[0]
    copied = near_copies(own.texts, own.bounds, texts, every.bounds, own.prompts)
    for kind, found in references:
        weights = found.weights.copy()
        shifted = replace(found, places=found.places + len(own.texts))
        if kind == "coverage":
            usable = np.flatnonzero(_totals(found, weights)[own.prompts] > 0)
            for name, scorer in scorers.items():
                near[f"closeness {name}"] = np.full(own.prompts.size, np.nan)
                if usable.size:
                    near[f"closeness {name}"][usable] = closeness(
                        scorer, [own.places[i] for i in usable], shifted, own.prompts[usable]
                    )
        repeated = copied[weights[copied] > 0]
        weights[repeated] = 0.0
        if repeated.size:
            notes.append(
                f"{counted(repeated.size, 'reference')} that repeat{'s' * (repeated.size == 1)} a reply of "
                f"the system to the same prompt, or nearly, left out of the {kind}"
                + (" (not of the closeness)" if kind == "coverage" else "")
            )
        usable = np.flatnonzero(_totals(found, weights)[own.prompts] > 0)
        if usable.size < own.prompts.size:
            lacking = counted(int(own.prompts.size - usable.size), "prompt")
            notes.append(f"{lacking} without a reference that counts for the {kind} left out of it")
        if not usable.size:
            continue
        prompts = own.prompts[usable]
        partners = cyclic_partners(prompts.size, clusters[prompts], rng)
        safe = prompts[np.where(partners < 0, np.arange(prompts.size)[:, None], partners)]
        shifted = replace(shifted, weights=weights)
        samples = [own.places[i] for i in usable.tolist()]
        for name, scorer in scorers.items():
            values = reached(scorer, samples, shifted, k, safe)
            measured[f"{kind} {name}"] = np.full(own.prompts.size, np.nan)
            measured[f"{kind} {name}"][usable] = above_chance(values, partners)
    for name in similarities:
        good, bad = measured.get(f"coverage {name}"), measured.get(f"bad coverage {name}")
        if good is not None and bad is not None:
            measured[f"good less bad coverage {name}"] = good - bad
    return measured | near, notes


def _totals(references: PromptReferences, weights: Floats) -> Floats:
    """The sum of the weights of each prompt's references."""
    prompts = np.repeat(np.arange(references.bounds.size - 1), np.diff(references.bounds))
    sums = np.bincount(prompts, weights, minlength=references.bounds.size - 1)
    return sums.astype(np.float64)  # whole numbers where there is no reference


def _pairs(
    by_system: dict[str, _Samples],
    values: dict[tuple[str, str], Floats],
    name: str,
    similarity: Contract,
    clusters: NDArray[np.generic],
    permutations: int,
    rng: np.random.Generator,
) -> pl.DataFrame:
    """Both tests of every pair of systems."""
    if len(by_system) < 2:
        return pl.DataFrame(schema=_PAIRS)
    texts, samples = list[str](), [dict[str, Indices]() for _ in clusters]
    for system, own in by_system.items():
        for prompt, places in zip(own.prompts.tolist(), own.places, strict=True):
            samples[prompt][system] = places + len(texts)
        texts += own.texts
    drawn = DrawnSamples.drawn(SampleLikeness(similarity, Strings.of(texts)), samples, rng)
    rows = []
    for a, b in combinations(by_system, 2):
        measure = f"Vendi {name}"
        varied, n = more_varied(values[a, measure], values[b, measure], clusters, permutations, rng)
        same = drawn.gap(a, b, clusters, permutations, rng)
        rows.append(
            {
                "a": a,
                "b": b,
                "measure": measure,
                "difference": varied.value,
                "low": varied.interval.low,
                "high": varied.interval.high,
                "p": varied.p,
                "similarity": name,
                "within": same.within,
                "between": same.between,
                "gap": same.gap.value,
                "gap_low": same.gap.interval.low,
                "gap_high": same.gap.interval.high,
                "p_same": same.gap.p,
                "n": n,
                "reason": varied.interval.reason,
                "gap_n": same.prompts,
                "gap_reason": same.gap.interval.reason,
            }
        )
    table = pl.DataFrame(rows, schema={key: _PAIRS[key] for key in rows[0]})
    corrected = {
        f"{p}_holm": pl.Series(holm(table.get_column(p).to_numpy()), dtype=pl.Float64)
        for p in ("p", "p_same")
    }
    return table.with_columns(**corrected).select(*_PAIRS).fill_nan(None)


def _summary(
    system: str,
    measure: str,
    values: Floats,
    clusters: NDArray[np.generic],
    k: int,
    metric: External | None = None,
) -> dict[str, Any]:
    """The row of a system and a measure; ``metric``: that of given scores."""
    there = ~np.isnan(values)
    row: dict[str, Any] = dict.fromkeys(_SYSTEMS)
    row |= {"system": system, "measure": measure, "n": int(there.sum())}
    covers = "coverage" in measure
    if not there.any():
        lacking = "no two prompts of different clusters to compare" if covers else ""
        return row | {"reason": lacking or "no prompt has what it needs"}
    groups = Groups.of(clusters[there], int(there.sum()))
    reason = too_few_groups(len(groups), "prompts or clusters")
    if covers and row["n"] < FOR_COVERAGE:
        reason = f"fewer than {FOR_COVERAGE} prompts for an interval of coverage"
    found = mean_inference(values[there], groups, reason)
    row |= {"value": found.value, "reason": found.interval.reason}
    if metric is not None and metric.share and reason is None:
        (low, high), p = metric.ends, found.value
        shares = (values[there] - low) / (high - low)
        ends = wilson((p - low) / (high - low), share_size(shares, groups))
        row |= {"low": low + (high - low) * ends.low, "high": low + (high - low) * ends.high}
        return row | {"reason": None}  # also where all replies have the same value
    if found.interval.reason is not None:
        return row
    least, most = (-1, 1) if covers or measure.endswith("cosine") else (0, 1)
    if metric is not None:
        least, most = metric.bounds
    if measure.startswith(("Vendi", "good less bad")):
        least, most = (1, k) if measure.startswith("Vendi") else (-2, 2)
    return row | {"low": max(least, found.interval.low), "high": min(most, found.interval.high)}


def _prompts(
    values: dict[tuple[str, str], Floats], ids: Sequence[str], by_system: dict[str, _Samples]
) -> pl.DataFrame:
    """Every measure of every prompt."""
    frames = []
    for (system, measure), each in values.items():
        own = by_system[system]
        frames.append(
            pl.DataFrame(
                {
                    "system": system,
                    "id": [ids[i] for i in own.prompts.tolist()],
                    "samples": np.diff(own.bounds),
                    "measure": measure,
                    "value": each[own.prompts],
                }
            )
        )
    return pl.concat(frames).with_columns(pl.col("value").fill_nan(None))
