"""The systems of Galley et al. (2015, section 4.2): trained, tuned on several metrics, scored on all.

Everything stands in a folder as it is made: ``model/``, and under ``weights/``, ``replies/`` and ``lists/``
a file of JSON with its checksum for each system. What is there is not made again.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rejoinder.corpora.pairs import Pairs, as_pairs, divided
from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.checksums import json_digest, without_checksum
from rejoinder.files.locks import alone
from rejoinder.files.replacing import made_folder, remove_parts
from rejoinder.files.resumable_lines import file_name
from rejoinder.files.run_identity import another_run, as_kept, differences
from rejoinder.messages import Argument
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.progress import Progress, advance
from rejoinder.recipes.systems2015.weights import chosen_by, lists_of, tuned_weights
from rejoinder.responders.phrase.trained import BY_HAND, FEATURES, Candidate, PhraseResponder
from rejoinder.responders.random import RandomResponder
from rejoinder.responders.replies import messages_of
from rejoinder.result import TableResult
from rejoinder.scoring.score import score
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.nbest_lists import NBestLists
from rejoinder.tables.testset import TestSet, first_references
from rejoinder.text.detokenize import plain
from rejoinder.training.responder import train_responder
from rejoinder.tuning.objectives import with_metrics
from rejoinder.tuning.rerank import rerank
from rejoinder.tuning.trial import write_with_checksum
from rejoinder.tuning.weight_search import best_of_lists

BASE = tuple(BY_HAND)
VARIANTS = {
    "tuned-1": BASE,
    "tuned-2": (*BASE, "lexical_forward", "phrase_backward", "lexical_backward", "association"),
    "tuned-3": tuple(
        name for name in FEATURES if name not in ("cosine", "jaccard", "jaccard_distance")
    ),
    "tuned-4": FEATURES,
}
"""The features of the four tuned variants. The paper says that they differ in number, and not which."""

TUNED_ON = ("bleu", "deltableu", "chrf")
UTILITY = "chrf"
"""The metric of pairs by which minimum Bayes risk chooses."""


@dataclass(frozen=True, repr=False)
class Systems2015(TableResult):
    """The systems, and what each metric says of them.

    Attributes:
        table: A row for each system and metric: ``system``, ``features`` (how many have a weight),
            ``tuned_on`` (null: not tuned), ``metric``, ``value``, ``low``, ``high``, ``n``.
        agreement: For each variant and pair of metrics: ``system``, ``one``, ``other``, and ``same``, the
            share of items to which both give the same reply, of ``items``.
        weights: By tuned system the weight of each feature.
        replies: The replies of all systems.
        signatures: By metric all that its numbers follow from.
        notes: What was left out.
    """

    table: pl.DataFrame
    agreement: pl.DataFrame
    weights: dict[str, dict[str, float]]
    replies: pl.DataFrame
    signatures: dict[str, str]
    notes: tuple[str, ...]

    def document(self, view: View = AS_USUAL) -> Document:
        """The systems by metric, and how alike those tuned on different metrics reply."""
        from rejoinder.recipes.systems2015.study_tables import study

        return study(self.table, self.agreement, self.signatures, self.notes)

    def as_json(self) -> dict[str, Any]:
        """The study as ``rejoinder recipe systems2015 --json`` prints it."""
        return {
            "systems": self.table.to_dicts(),
            "agreement": self.agreement.to_dicts(),
            "weights": self.weights,
            "signatures": self.signatures,
            "notes": list(self.notes),
        }


def systems2015(
    corpus: TestSet | Pairs,
    testset: TestSet,
    folder: Path,
    *,
    validation: TestSet | None = None,
    scorer: str | None = None,
    preset: str = "small",
    detokenize: bool = False,
    settings: Mapping[str, Any] | None = None,
    metrics: Sequence[str | Metric] = (),
    tuning_items: int = 300,
    nbest: int = 30,
    rounds: int = 3,
    starts: int = 3,
    beam: int = 10,
    resamples: int = 1000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Systems2015:
    """Trains the phrase-based system, tunes its variants on each metric, and scores all on all.

    The systems: ``by-hand``; ``tuned-1`` to ``tuned-4``, with more and more features, tuned on BLEU,
    deltaBLEU and chrF; ``mbr``, minimum Bayes risk of the lists of the last variant tuned on BLEU;
    ``reranked``, these lists by weights that a scorer's are among; ``random``, ``message`` (which says the
    message again) and ``people``, the first references. People's replies are no references of their own:
    all systems are scored against the other ones. Where an item has no other, there are no people.

    Args:
        corpus: Dialogues, or pairs of messages and replies; without those of the test set and of
            ``validation``.
        testset: The items to reply to.
        folder: Where everything is kept; an interrupted run is resumed.
        validation: The items to tune on; None: pairs held out of the corpus.
        scorer: The folder of a model of ``train_ruber``; None: without ``reranked``.
        preset: As for ``train_responder``.
        detokenize: Whether all texts are detokenised and recased first, for DailyDialog.
        settings: Further settings of the training.
        metrics: More metrics to score by.
        tuning_items: Number of items to tune on, sampled at random; 0: all.
        nbest: Candidates of a list.
        rounds: Most rounds of searching for replies and for weights.
        starts: Starts of each search for weights.
        beam: Beam size.
        resamples: Number of bootstrap resamples; 0: no intervals.
        seed: Random seed.
        progress: Called with the number of steps done, and of all steps.

    Raises:
        InputError: The corpus is too small; the folder holds another run, or other things.
        ParameterError: A setting is unknown or out of range.
    """
    check_draws(resamples, seed)
    for name, value in (("nbest", nbest), ("rounds", rounds), ("starts", starts), ("beam", beam)):
        if value < 1:
            raise ParameterError(Argument(name, value), ": expected 1 or more")
    if detokenize:
        testset = _plain(testset)
        validation = None if validation is None else _plain(validation)
    pairs = as_pairs(corpus, [testset, *([] if validation is None else [validation])])
    pairs = pairs.map(plain) if detokenize else pairs
    notes = list(pairs.notes)
    if validation is None:
        order, held_out, more = divided(pairs, None, seed)
        validation = TestSet.from_lists(
            [[each] for each in held_out.targets], contexts=[[each] for each in held_out.sources]
        )
        pairs, notes = pairs.take(np.sort(order)), [*notes, *more]
    identity = {
        "corpus": pairs.hash, "preset": preset, "settings": dict(settings or {}), "scorer": scorer,
        "testset": _digest(testset), "validation": _digest(validation),
        "tuning_items": tuning_items, "nbest": nbest, "rounds": rounds, "starts": starts,
        "beam": beam, "seed": seed,
    }  # fmt: skip
    with alone(folder):
        _check_identity(folder, identity)
        trained = train_responder(
            pairs, folder / "model", preset, kind="phrase", **dict(settings or {})
        )
        notes += trained.notes
        sampled = validation
        if 0 < tuning_items < len(validation):
            order = np.random.default_rng(seed).permutation(len(validation))[:tuning_items]
            sampled = validation.select([validation.ids[place] for place in np.sort(order)])
            notes.append(f"tuned on {tuning_items} of {len(validation)} items, sampled at random")
        search = {"rounds": rounds, "count": nbest, "starts": starts, "beam": beam, "seed": seed}
        run = _Run(
            folder,
            PhraseResponder.load(folder / "model"),
            testset,
            sampled,
            scorer,
            search,
            progress,
        )
        systems, weights = run.systems()
        messages = messages_of(testset)
        systems["random"] = RandomResponder(pairs, seed).respond(messages)
        systems["message"] = messages
    testset, people = _without_first(testset)
    if people is None:
        notes.append("no people: an item has no reference but the first")
    else:
        systems["people"] = people
        notes.append("the first references are people's replies, and references of no system")
    replies = pl.concat(
        [
            pl.DataFrame({"system": [name] * len(texts), "id": testset.ids, "text": texts})
            for name, texts in systems.items()
        ]
    )
    scores = score(
        testset, replies, [*TUNED_ON, *metrics], drop_unusable=True, resamples=resamples, seed=seed
    )
    notes += scores.notes
    signatures = {name: each.signature for name, each in scores.measured.items()}
    return Systems2015(
        _table(scores, weights), _agreement(systems), weights, replies, signatures,
        tuple(dict.fromkeys(notes)),
    )  # fmt: skip


@dataclass
class _Run:
    """What is made in the folder, step by step."""

    folder: Path
    responder: PhraseResponder
    testset: TestSet
    validation: TestSet
    scorer: str | None
    search: dict[str, int]
    progress: Progress | None
    done: int = 0

    def systems(self) -> tuple[dict[str, list[str]], dict[str, dict[str, float]]]:
        """The replies of every phrase-based system, and the weights of those that are tuned."""
        systems = {"by-hand": self._replies("by-hand", BY_HAND)}
        weights = {}
        for (variant, features), metric in itertools.product(VARIANTS.items(), TUNED_ON):
            name = f"{variant}-{metric}"
            tune = partial(self._tuned, self.responder, metric, features)
            weights[name] = self._kept(f"weights/{name}", tune)
            systems[name] = self._replies(name, weights[name])
        last = f"{list(VARIANTS)[-1]}-{TUNED_ON[0]}"
        lists = self._lists(last, weights[last])
        mbr = rerank(lists, mbr=UTILITY).responses
        systems["mbr"] = self._texts_of(mbr)
        if self.scorer is not None:
            scorer = f"ruber:model={self.scorer},referenced=none"
            tune = partial(
                self._tuned, self.responder.weighted(weights[last]), TUNED_ON[0], FEATURES, scorer
            )
            weights["reranked"] = self._kept("weights/reranked", tune)
            scored = with_metrics(lists, [scorer], self.testset.select(lists.ids), "scorer")
            chosen = best_of_lists(chosen_by(scored, weights["reranked"]), scored.bounds)
            systems["reranked"] = self._texts_of(scored.replies(chosen, "reranked"))
        return systems, weights

    def _kept(self, name: str, make: Callable[[], Any]) -> Any:
        """What a step made: from its file, or made now and written."""
        path = self.folder / f"{name}.json"
        made_folder(path.parent)
        remove_parts(path.parent)
        if not path.exists():
            write_with_checksum(path, {"made": make()})
        steps = 2 * (1 + len(VARIANTS) * len(TUNED_ON)) + (2 if self.scorer else 1)
        self.done += 1
        advance(self.progress, min(self.done, steps), steps)
        try:
            return without_checksum(path.read_bytes())["made"]
        except (OSError, ValueError, KeyError) as error:
            raise InputError(f"{path}: cut or altered; remove it, to make it anew") from error

    def _tuned(
        self, start: PhraseResponder, metric: str, features: Sequence[str], *more: str
    ) -> dict[str, float]:
        found, _ = tuned_weights(
            start,
            messages_of(self.validation),
            self.validation,
            registry.metric(metric),
            features,
            extra=lambda lists: with_metrics(lists, list(more), self.validation, "scorer"),
            more=more,
            **self.search,
        )
        return found

    def _replies(self, name: str, weights: Mapping[str, float]) -> list[str]:
        responder = self.responder.weighted(weights)
        messages, beam = messages_of(self.testset), self.search["beam"]
        return self._kept(f"replies/{name}", lambda: responder.respond(messages, beam))

    def _lists(self, name: str, weights: Mapping[str, float]) -> NBestLists:
        def make() -> list[Any]:
            responder = self.responder.weighted(weights)
            found = responder.candidates(
                messages_of(self.testset), self.search["count"], self.search["beam"]
            )
            return [[(c.text, c.features.tolist(), c.total) for c in each] for each in found]

        kept = self._kept(f"lists/{file_name(name)}", make)
        lists = [[Candidate(text, np.array(f), total) for text, f, total in each] for each in kept]
        return lists_of(self.testset.ids, lists)

    def _texts_of(self, replies: pl.DataFrame) -> list[str]:
        by_id = dict(replies.select("id", "text").iter_rows())
        return [by_id[id] for id in self.testset.ids]


def _plain(testset: TestSet) -> TestSet:
    """All texts detokenised and recased."""
    contexts = pl.col("context").list.eval(pl.element().map_elements(plain, pl.String))
    return TestSet(
        testset.contexts.with_columns(contexts),
        testset.references.with_columns(pl.col("text").map_elements(plain, pl.String)),
    )


def _digest(testset: TestSet) -> str:
    items = testset.contexts.select("id", "context").to_dicts()
    return json_digest({"items": items, "references": testset.references.to_dicts()})[:16]


def _check_identity(folder: Path, identity: Mapping[str, Any]) -> None:
    """Marks the folder as this study's.

    Raises:
        InputError: It is another's, or holds other things.
    """
    marker = folder / "study.json"
    remove_parts(folder)
    if not marker.exists():
        if any(folder.iterdir()):
            raise InputError(f"{folder}: a folder with other things in it; name a new folder")
        write_with_checksum(marker, {"identity": as_kept(identity)})
    try:
        recorded = without_checksum(marker.read_bytes())["identity"]
    except (ValueError, KeyError) as error:
        raise InputError(f"{marker}: cut or altered; name a new folder") from error
    if recorded != as_kept(identity):
        raise another_run(folder, "a study", differences(recorded, identity), "name a new folder")


def _without_first(testset: TestSet) -> tuple[TestSet, list[str] | None]:
    """The items without their first references, and these; None where an item has no other."""
    counts = testset.references.get_column("id").value_counts().get_column("count")
    if len(counts) < len(testset) or counts.min() == 1:
        return testset, None
    first = first_references(testset)
    texts = dict(first.select("id", "text").iter_rows())
    later = testset.references.filter(pl.col("id").cum_count().over("id") > 1)
    return TestSet(testset.contexts, later), [texts[id] for id in testset.ids]


def _table(scores: Scores, weights: Mapping[str, Mapping[str, float]]) -> pl.DataFrame:
    counts = {"by-hand": len(BY_HAND), **{name: len(each) for name, each in weights.items()}}
    tuned = {f"{variant}-{metric}": metric for variant in VARIANTS for metric in TUNED_ON} | {
        "mbr": TUNED_ON[0],
        "reranked": TUNED_ON[0],
    }
    counts["mbr"] = len(FEATURES)
    system = pl.col("system")
    rows = scores.systems().select("system", "metric", "value", "low", "high", "n")
    return rows.with_columns(
        features=system.replace_strict(counts, default=None, return_dtype=pl.Int64),
        tuned_on=system.replace_strict(tuned, default=None, return_dtype=pl.String),
    ).select("system", "features", "tuned_on", "metric", "value", "low", "high", "n")


def _agreement(systems: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    rows = []
    for variant, (one, other) in itertools.product(VARIANTS, itertools.combinations(TUNED_ON, 2)):
        a, b = systems[f"{variant}-{one}"], systems[f"{variant}-{other}"]
        same = float(np.mean([x == y for x, y in zip(a, b, strict=True)]))
        rows.append((variant, one, other, same, len(a)))
    return pl.DataFrame(rows, schema=["system", "one", "other", "same", "items"], orient="row")
