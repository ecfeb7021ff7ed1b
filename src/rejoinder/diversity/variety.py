"""How varied a system's replies to one prompt are, with quality beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, Literal

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
    bounds_of,
    mean_of_pairs,
    rarefied_distinct,
    subsets,
    vendi,
    vendi_of_answers,
)
from rejoinder.diversity.sameness import DrawnSamples, more_varied
from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.shards import end_of_shard
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument, counted
from rejoinder.metrics import registry
from rejoinder.metrics.chrf import ChrF
from rejoinder.metrics.contract import Contract
from rejoinder.metrics.distinct import DistinctN
from rejoinder.metrics.encoder_cosine import EncoderCosine
from rejoinder.metrics.engine.word_separation import ReplySample, separation_notes
from rejoinder.metrics.external import External
from rejoinder.metrics.sentence_bleu import SentenceBLEU
from rejoinder.progress import Progress, advance
from rejoinder.result import PlottedResult
from rejoinder.scoring.clusters import cluster_column
from rejoinder.scoring.shown_values import times_of
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import too_few_groups
from rejoinder.statistics.draws import check_draws, check_permutations
from rejoinder.statistics.holm import holm
from rejoinder.statistics.intervals import Interval
from rejoinder.statistics.mean_difference import mean_inference
from rejoinder.statistics.proportions import share_size, wilson
from rejoinder.tables.in_memory import ResponsesLike, taken
from rejoinder.tables.item_clusters import cluster_labels
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
        first: The place of the first sample among those of all systems.
    """

    texts: list[str]
    prompts: Indices
    bounds: Indices
    first: int

    @cached_property
    def places(self) -> list[Indices]:
        """The places of the samples of each prompt, among those of all systems."""
        return [np.arange(a, b) for a, b in pairwise((self.bounds + self.first).tolist())]


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
    items = None if testset is None else TestSet.of(testset)
    frame = taken(Responses, responses, None if items is None else items.ids).without(without).frame
    contexts = frame.select("id").unique(maintain_order=True) if items is None else items.contexts
    refuse_unknown_ids(frame, contexts.select("id").with_row_index("item"))
    ids = contexts.get_column("id").to_list()
    k = _common(frame, samples)
    by_system, notes = _samples(frame, ids, k)
    column, without_label = cluster_column(contexts, cluster)
    bleu, distinct = SentenceBLEU(tokenizer=tokenizer), DistinctN(tokenizer=tokenizer)
    said = [text for own in by_system.values() for text in own.texts]
    unseparated = separation_notes(bleu, ReplySample(Strings.of(said), len(ids)))
    notes += [*without_label, *(f"distinct-n, sBLEU-2: {each}" for each in unseparated)]
    similarities: dict[str, Contract] = {"chrF": ChrF()}
    if encoder is not None:
        similarities["cosine"] = EncoderCosine(encoder=encoder)
    written, references = ([], []) if items is None else _references(items, len(said))
    texts = Strings.of([*said, *written])
    prompts = _Prompts(
        ids,
        (cluster_labels(contexts, column) if column else contexts.get_column("id"))
        .rank("dense")
        .to_numpy(),
        k,
        seed,
        tokenizer,
        SampleLikeness(bleu, texts),
        {name: SampleLikeness(metric, texts) for name, metric in similarities.items()},
        dict(zip(registry.metrics(scores) if scores else (), scores, strict=True)),
        written,
        references,
    )
    end_of_shard()  # an encoder has read all texts
    values: dict[tuple[str, str], Floats] = {}
    for done, (system, own) in enumerate(by_system.items()):
        measured, remarks = prompts.measured(system, own)
        notes += [f"{system}: {each}" for each in remarks]
        for measure, each in measured.items():
            values[system, measure] = _placed(each, own.prompts, len(ids))
        advance(progress, done + 1, len(by_system))
    clustering = {"cluster": column} if column else {}
    signed = {
        **similarities, "sBLEU-2": bleu, "distinct-1": distinct, "distinct-2": replace(distinct, order=2)
    }  # fmt: skip
    signatures = {
        name: metric.signature(samples=k, seed=seed, **clustering)
        for name, metric in signed.items()
    }
    given = {name: metric.signature(**clustering) for name, metric in prompts.given.items()}
    quality = {label: times_of(each) for label, each in prompts.given.items()}
    quality |= {measure: 100 for _, measure in values if measure.startswith("closeness")}
    return Variety(
        pl.DataFrame(
            [
                _summary(*of, each, prompts.clusters, k, prompts.given.get(of[1]))
                for of, each in values.items()
            ],
            _SYSTEMS,
        ),
        prompts.pairs(by_system, values, permutations),
        _by_prompt(values, ids, by_system),
        k,
        signatures | given,
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
    by_system, notes, counts, first = dict[str, _Samples](), [], set[int](), 0
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
        counts |= set(sizes.tolist())
        if prompts.size:
            texts = own.get_column("text").to_list()
            of_prompts = prompts.astype(np.int64), bounds_of(sizes)
            by_system[system], first = _Samples(texts, *of_prompts, first), first + len(texts)
    notes.insert(
        0,
        f"{counted(k, 'sample')} of each prompt"
        + (f", out of up to {max(counts)}" if max(counts) > k else "")
        + f"; {Argument('samples')} asks for another number",
    )
    return by_system, notes


def _references(items: TestSet, first: int) -> tuple[list[str], list[tuple[str, PromptReferences]]]:
    """The references of all prompts; and the good ones and, where there are any, the bad ones.

    ``first``: the place of the first reference among all texts.
    """
    prompts = items.contexts.select("id").with_row_index("prompt")
    texts = prompts.join(items.references, on="id", maintain_order="left_right")
    weights = texts.get_column("weight").fill_null(1.0).to_numpy()
    sizes = np.bincount(texts.get_column("prompt").to_numpy(), minlength=prompts.height)
    kinds = {"coverage": np.maximum(weights, 0.0), "bad coverage": np.maximum(-weights, 0.0)}
    return texts.get_column("text").to_list(), [
        (kind, PromptReferences(first + np.arange(texts.height), bounds_of(sizes), each))
        for kind, each in kinds.items()
        if each.any()
    ]


@dataclass(frozen=True)
class _Prompts:
    """What the samples of every system are measured by.

    Attributes:
        ids: Of the prompts.
        clusters: The cluster of each, [n].
        k: How many samples of each are measured.
        seed: Each use has draws of its own, so that all systems are shifted alike, whatever k is.
        tokenizer: Of distinct-n.
        bleu: How alike all texts are by sentence BLEU.
        similarities: By name the same by what coverage and Vendi scores are made of.
        given: By label scores that other tools gave the samples.
        texts: All references, prompt after prompt.
        references: The good ones of each prompt and, where there are any, the bad ones.
    """

    ids: list[str]
    clusters: NDArray[np.generic]
    k: int
    seed: int
    tokenizer: str
    bleu: SampleLikeness
    similarities: dict[str, SampleLikeness]
    given: dict[str, External]
    texts: list[str]
    references: list[tuple[str, PromptReferences]]

    def _rng(self, use: Literal["subsets", "shifts", "tests"]) -> np.random.Generator:
        return np.random.default_rng([self.seed, ("subsets", "shifts", "tests").index(use)])

    def measured(self, system: str, own: _Samples) -> tuple[dict[str, Floats], list[str]]:
        """Every measure of a system, of each of its prompts: float64 [p]; and what was left out."""
        measured = self._sample_measures(own)
        ids = [self.ids[i] for i in own.prompts.tolist()]
        for label, metric in self.given.items():
            if label in measured:
                raise ParameterError(f"scores: '{label}' is a measure of variety itself; rename it")
            assert metric.reply_values is not None
            measured[label] = metric.reply_values.at((system,), ids)[0][0]
        notes = [
            f"{measure} is undefined for {missing} of its prompts"
            for measure, each in measured.items()
            if 0 < (missing := int(np.isnan(each).sum())) < each.size
        ]
        if not self.references:
            return measured, notes
        covered, remarks = self._coverage(own)
        return measured | covered, notes + remarks

    def _sample_measures(self, own: _Samples) -> dict[str, Floats]:
        """The measures of the samples alone, of each prompt: float64 [p]."""
        k, rng = self.k, self._rng("subsets")
        drawn = {n: subsets(n, k, rng) for n in np.unique(np.diff(own.bounds)).tolist()}
        tokens = tokenize(Strings.of(own.texts), self.tokenizer)
        measured = {
            f"distinct-{order}": rarefied_distinct(tokens, own.bounds, order, k) for order in (1, 2)
        }
        measured["Vendi exact match"] = np.array(
            [
                vendi_of_answers(own.texts[a:b], drawn[b - a])
                for a, b in pairwise(own.bounds.tolist())
            ]
        )
        for name, likeness in ({"sBLEU-2": self.bleu} | self.similarities).items():
            pairs, scores = [], []
            for alike in _matrices(likeness, own):
                pairs.append(mean_of_pairs(alike))
                if likeness is not self.bleu:
                    some = drawn[len(alike)]
                    scores.append(float(vendi(alike[some[:, :, None], some[:, None, :]]).mean()))
            measured[f"pairwise {name}"] = np.array(pairs)
            if scores:
                measured[f"Vendi {name}"] = np.array(scores)
        return measured

    def _coverage(self, own: _Samples) -> tuple[dict[str, Floats], list[str]]:
        """Coverage above chance and closeness, of each prompt: float64 [p]; and what was left out."""
        measured, near, notes = dict[str, Floats](), dict[str, Floats](), list[str]()
        rng, n, (_, every) = self._rng("shifts"), own.prompts.size, self.references[0]
        scorers = {name: each.scorer for name, each in self.similarities.items()}
        copied = near_copies(own.texts, own.bounds, self.texts, every.bounds, own.prompts)
        for kind, each in self.references:
            found = replace(each, weights=each.weights.copy())
            if kind == "coverage":
                usable = _counted(found, own.prompts)
                places, these = [own.places[i] for i in usable], own.prompts[usable]
                for name, scorer in scorers.items():
                    values = closeness(scorer, places, found, these) if places else np.zeros(0)
                    near[f"closeness {name}"] = _placed(values, usable, n)
            repeated = copied[found.weights[copied] > 0]
            found.weights[repeated] = 0.0
            if repeated.size:
                notes.append(
                    f"{counted(repeated.size, 'reference')} that repeat{'s' * (repeated.size == 1)} a reply "
                    f"of the system to the same prompt, or nearly, left out of the {kind}"
                    + (" (not of the closeness)" if kind == "coverage" else "")
                )
            usable = _counted(found, own.prompts)
            if usable.size < n:
                lacking = counted(int(n - usable.size), "prompt")
                notes.append(
                    f"{lacking} without a reference that counts for the {kind} left out of it"
                )
            if not usable.size:
                continue
            these = own.prompts[usable]
            partners = cyclic_partners(these.size, self.clusters[these], rng)
            safe = these[np.where(partners < 0, np.arange(these.size)[:, None], partners)]
            for name, scorer in scorers.items():
                values = reached(scorer, [own.places[i] for i in usable], found, self.k, safe)
                measured[f"{kind} {name}"] = _placed(above_chance(values, partners), usable, n)
        for name in self.similarities:
            good, bad = measured.get(f"coverage {name}"), measured.get(f"bad coverage {name}")
            if good is not None and bad is not None:
                measured[f"good less bad coverage {name}"] = good - bad
        return measured | near, notes

    def pairs(
        self,
        by_system: dict[str, _Samples],
        values: dict[tuple[str, str], Floats],
        permutations: int,
    ) -> pl.DataFrame:
        """Both tests of every pair of systems."""
        if len(by_system) < 2:
            return pl.DataFrame(schema=_PAIRS)
        rng, (name, similarity) = self._rng("tests"), [*self.similarities.items()][-1]
        samples = [dict[str, Indices]() for _ in self.ids]
        for system, own in by_system.items():
            for prompt, places in zip(own.prompts.tolist(), own.places, strict=True):
                samples[prompt][system] = places
        drawn = DrawnSamples.drawn(similarity, samples, rng)
        rows, measure = [], f"Vendi {name}"
        for a, b in combinations(by_system, 2):
            sets = values[a, measure], values[b, measure]
            varied, n = more_varied(*sets, self.clusters, permutations, rng)
            same = drawn.gap(a, b, self.clusters, permutations, rng)
            rows.append(
                {
                    "a": a,
                    "b": b,
                    "measure": measure,
                    "difference": varied.value,
                    "p": varied.p,
                    **_ends(varied.interval),
                    "n": n,
                    "similarity": name,
                    "within": same.within,
                    "between": same.between,
                    "gap": same.gap.value,
                    "p_same": same.gap.p,
                    **_ends(same.gap.interval, "gap_"),
                    "gap_n": same.prompts,
                }
            )
        table = pl.DataFrame(rows, _PAIRS)
        corrected = {f"{p}_holm": holm(table.get_column(p).to_numpy()) for p in ("p", "p_same")}
        return table.with_columns(pl.Series(*each) for each in corrected.items()).fill_nan(None)


def _summary(
    system: str,
    measure: str,
    values: Floats,
    clusters: NDArray[np.generic],
    k: int,
    given: External | None = None,
) -> dict[str, Any]:
    """The row of a system and a measure, whose values are [n], NaN where a prompt has none.

    ``given``: the metric, if it is of given scores.
    """
    there = ~np.isnan(values)
    values, n = values[there], int(there.sum())
    row: dict[str, Any] = dict.fromkeys(_SYSTEMS)
    row |= {"system": system, "measure": measure, "n": n}
    covers = "coverage" in measure
    if not n:
        lacking = "no two prompts of different clusters to compare" if covers else ""
        return row | {"reason": lacking or "no prompt has what it needs"}
    groups = Groups.of(clusters[there], n)
    reason = too_few_groups(len(groups), "prompts or clusters")
    if covers and n < FOR_COVERAGE:
        reason = f"fewer than {FOR_COVERAGE} prompts for an interval of coverage"
    mean, interval, _ = mean_inference(values, groups, reason)
    row["value"] = mean
    if given is not None and given.share and reason is None:  # also where all values are the same
        low, high = given.ends
        ends = wilson(
            (mean - low) / (high - low), share_size((values - low) / (high - low), groups)
        )
        return row | {"low": low + (high - low) * ends.low, "high": low + (high - low) * ends.high}
    if interval.reason is not None:
        return row | {"reason": interval.reason}
    least, most = (-1, 1) if covers or measure.endswith("cosine") else (0, 1)
    if given is not None:
        least, most = given.bounds
    if measure.startswith(("Vendi", "good less bad")):
        least, most = (1, k) if measure.startswith("Vendi") else (-2, 2)
    return row | {"low": max(least, interval.low), "high": min(most, interval.high)}


def _ends(interval: Interval, of: str = "") -> dict[str, Any]:
    """The columns of an interval."""
    return {f"{of}{each}": getattr(interval, each) for each in ("low", "high", "reason")}


def _matrices(likeness: SampleLikeness, own: _Samples) -> Iterator[Floats]:
    """The similarities of the samples of each prompt, some prompts at a time."""
    for begin in range(0, own.prompts.size, CHUNK):
        bounds = own.bounds[begin : begin + CHUNK + 1]
        places = own.first + np.arange(bounds[0], bounds[-1])
        yield from likeness.within(places, bounds - bounds[0])


def _counted(references: PromptReferences, prompts: Indices) -> Indices:
    """Which of some prompts have references that count: int64 [p or fewer], places among them."""
    of = np.repeat(np.arange(references.bounds.size - 1), np.diff(references.bounds))
    sums = np.bincount(of, references.weights, minlength=references.bounds.size - 1)
    return np.flatnonzero(sums[prompts] > 0)


def _placed(values: Floats, places: Indices, number: int) -> Floats:
    """Values at their places among so many, NaN at the others."""
    row = np.full(number, np.nan)
    row[places] = values
    return row


def _by_prompt(
    values: dict[tuple[str, str], Floats], ids: list[str], by_system: dict[str, _Samples]
) -> pl.DataFrame:
    """Every measure of every prompt."""
    names = np.array(ids, dtype=object)
    frames = [
        pl.DataFrame(
            {
                "system": system,
                "id": names[own.prompts],
                "samples": np.diff(own.bounds),
                "measure": measure,
                "value": each[own.prompts],
            },
            schema_overrides={"id": pl.String},
        )
        for (system, measure), each in values.items()
        for own in (by_system[system],)
    ]
    return pl.concat(frames).with_columns(pl.col("value").fill_nan(None))
