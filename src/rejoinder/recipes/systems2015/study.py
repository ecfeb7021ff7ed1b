"""The systems of Galley et al. (2015, section 4.2): trained, tuned on several metrics, scored on all.

Everything stands in a folder as it is made: ``model/``, and under ``weights/`` and ``replies/`` a file of
JSON with its checksum for each system. What is there is not made again.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rejoinder.corpora.pairs import Pairs, as_pairs, divided
from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import InputError, check_least
from rejoinder.files.checksums import without_checksum
from rejoinder.files.locks import alone
from rejoinder.files.replacing import made_folder, remove_parts
from rejoinder.messages import merged
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.progress import Progress, advance
from rejoinder.recipes.systems2015.weights import SYSTEM, tuned_weights
from rejoinder.responders.phrase.trained import BY_HAND, FEATURES, PhraseResponder, as_lists
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
from rejoinder.tuning.data import detokenized, testset_hash
from rejoinder.tuning.folder import opened
from rejoinder.tuning.rerank import rerank
from rejoinder.tuning.trial import write_with_checksum

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
        facts = self.json_of("agreement", "weights", "signatures", "notes")
        return {"systems": self.table.to_dicts(), **facts}


def systems2015(
    corpus: TestSet | Pairs,
    testset: TestSet,
    folder: str | os.PathLike[str],
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
    folder = Path(folder)
    check_least(1, nbest=nbest, rounds=rounds, starts=starts, beam=beam)
    if detokenize:
        testset = detokenized(testset)
        validation = validation and detokenized(validation)
    pairs = as_pairs(corpus, [testset, *([] if validation is None else [validation])])
    pairs = pairs.map(plain) if detokenize else pairs
    notes = list(pairs.notes)
    if validation is None:
        order, held_out, more = divided(pairs, None, seed)
        validation, pairs = held_out.as_testset(), pairs.take(np.sort(order))
        notes += more
    identity = {
        "corpus": pairs.hash, "preset": preset, "settings": dict(settings or {}), "scorer": scorer,
        "testset": testset_hash(testset), "validation": testset_hash(validation),
        "tuning_items": tuning_items, "nbest": nbest, "rounds": rounds, "starts": starts,
        "beam": beam, "seed": seed,
    }  # fmt: skip
    with alone(folder):
        opened(folder, identity, name="study.json", what="a study")
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
        model = PhraseResponder.load(folder / "model")
        run = _Run(folder, model, testset, sampled, scorer, search, progress)
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
        pl.DataFrame({"system": [name] * len(texts), "id": testset.ids, "text": texts})
        for name, texts in systems.items()
    )
    scores = score(
        testset, replies, [*TUNED_ON, *metrics], drop_unusable=True, resamples=resamples, seed=seed
    )
    notes += [*merged(run.remarks), *scores.notes]
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
    remarks: list[tuple[str, str]] = field(default_factory=list)

    def systems(self) -> tuple[dict[str, list[str]], dict[str, dict[str, float]]]:
        """The replies of every phrase-based system, and the weights of those that are tuned."""
        systems = {"by-hand": self._replies("by-hand", BY_HAND)}
        weights = {}
        for (variant, features), metric in itertools.product(VARIANTS.items(), TUNED_ON):
            name = f"{variant}-{metric}"
            weights[name] = self._tuned(name, self.responder, metric, features)
            systems[name] = self._replies(name, weights[name])
        last = f"{list(VARIANTS)[-1]}-{TUNED_ON[0]}"
        responder = self.responder.weighted(weights[last])
        candidates = responder.candidates(
            messages_of(self.testset), self.search["count"], self.search["beam"]
        )
        lists = NBestLists(as_lists(SYSTEM, self.testset.ids, candidates))
        rules: dict[str, dict[str, Any]] = {"mbr": {"mbr": UTILITY}}
        if self.scorer is not None:
            scorer = f"ruber:model={self.scorer},referenced=none"
            weights["reranked"] = self._tuned("reranked", responder, TUNED_ON[0], FEATURES, scorer)
            rules["reranked"] = {"weights": weights["reranked"]}
        for name, rule in rules.items():
            chosen = rerank(lists, self.testset, **rule).responses
            systems[name] = chosen.get_column("text").to_list()
        return systems, weights

    def _kept(self, name: str, make: Callable[[], Any]) -> Any:
        """What a step made: from its file, or made now and written."""
        path = self.folder / f"{name}.json"
        made_folder(path.parent)
        remove_parts(path.parent)
        if not path.exists():
            write_with_checksum(path, {"made": make()})
        steps = 1 + 2 * len(VARIANTS) * len(TUNED_ON) + (self.scorer is not None)
        self.done += 1
        advance(self.progress, self.done, steps)
        try:
            return without_checksum(path.read_bytes())["made"]
        except (OSError, ValueError, KeyError) as error:
            raise InputError(f"{path}: cut or altered; remove it, to make it anew") from error

    def _tuned(
        self, name: str, start: PhraseResponder, metric: str, features: Sequence[str], *more: str
    ) -> dict[str, float]:
        def tune() -> dict[str, float]:
            messages, tuned_on = messages_of(self.validation), registry.metric(metric)
            return tuned_weights(
                start, messages, self.validation, tuned_on, features, more=more, **self.search
            )[0]

        return self._kept(f"weights/{name}", tune)

    def _replies(self, name: str, weights: Mapping[str, float]) -> list[str]:
        responder, messages = self.responder.weighted(weights), messages_of(self.testset)

        def reply() -> dict[str, list[str]]:
            lists = responder.candidates(messages, 1, self.search["beam"])
            texts = [each[0].text for each in lists]
            return {"texts": texts, "notes": responder.remarks(messages, lists)}

        saved = self._kept(f"replies/{name}", reply)
        self.remarks += [(name, note) for note in saved["notes"]]
        return saved["texts"]


def _without_first(testset: TestSet) -> tuple[TestSet, list[str] | None]:
    """The items without their first references, and these; None where an item has no other."""
    later = testset.references.filter(~pl.col("id").is_first_distinct())
    if later["id"].n_unique() < len(testset):
        return testset, None
    texts = dict(first_references(testset).select("id", "text").iter_rows())
    return TestSet(testset.contexts, later), [texts[id] for id in testset.ids]


def _table(scores: Scores, weights: Mapping[str, Mapping[str, float]]) -> pl.DataFrame:
    counts = {"by-hand": len(BY_HAND), "mbr": len(FEATURES)}
    counts |= {name: len(each) for name, each in weights.items()}
    tuned = {name: name.rpartition("-")[2] for name in weights}
    tuned |= dict.fromkeys(("mbr", "reranked"), TUNED_ON[0])
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
