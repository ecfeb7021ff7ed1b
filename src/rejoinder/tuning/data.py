"""What every trial of a sweep is trained, validated and tested on: the same for all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import polars as pl

from rejoinder.corpora.pairs import Pairs, adjacent_pairs, divided
from rejoinder.errors import ParameterError, RejoinderError, one_of
from rejoinder.messages import Argument, Placeholder, counted
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.responders.phrase.parameters import PhraseParameters
from rejoinder.responders.replies import messages_of
from rejoinder.responders.seq2seq.parameters import Parameters
from rejoinder.tables.testset import TestSet
from rejoinder.text.detokenize import plain

METRICS = ("meteor", "bleu")


@dataclass(frozen=True)
class SweepMaterial:
    """Corpora, test set and measures.

    Attributes:
        corpus: What is trained on, in an order drawn at random: a trial takes the first of them.
        validation: What chooses the epochs, and which trials go on.
        testset: Messages and references, as read.
        plain: The same, detokenised and recased where the systems are trained so.
        train: Prompts for RUQ on train: the first pairs of ``corpus``, on which every trial trains,
            but for those too long in its subwords: all trials are asked the same.
        metric: What replies are scored by.
        generic: The generic reply of RUQ.
        beam: Beam size of the search for replies.
        resamples: Bootstrap resamples; 0 for no intervals.
        seed: Of every draw but those of the trainings.
        notes: What was left out, and what replaces what.
        fallback: Why replies are scored by BLEU where nobody asked for it; None: they are not.
    """

    corpus: Pairs
    validation: Pairs
    testset: TestSet
    plain: TestSet
    train: TestSet
    metric: Metric
    generic: str
    beam: int
    resamples: int
    seed: int
    notes: tuple[str, ...]
    fallback: str | None = None

    @property
    def messages(self) -> list[str]:
        """What is to be replied to: the last turn of every item."""
        return messages_of(self.testset)

    @property
    def hashes(self) -> dict[str, str]:
        """Of all texts: what tells this sweep from one of other data."""
        return {
            "corpus": self.corpus.hash,
            "validation": self.validation.hash,
            "testset": testset_hash(self.testset),
            "train_prompts": testset_hash(self.train),
        }

    def pairs(self, count: int) -> Pairs:
        """So many pairs to train on, in the order of the corpus file; 0: all."""
        size = len(self.corpus)
        first = np.arange(min(count, size) if count else size)
        order = np.argsort(np.array(self.corpus.ids, dtype=np.int64)[first], kind="stable")
        return self.corpus.take(first[order])


def material(
    corpus: Pairs,
    testset: TestSet,
    base: Parameters | PhraseParameters,
    *,
    least_pairs: int = 0,
    validation: Pairs | None = None,
    metric: str | None = None,
    train_prompts: int = 1000,
    generic: str = "I don't know.",
    beam: int = 10,
    resamples: int = 1000,
) -> SweepMaterial:
    """Divides a corpus, and chooses the measures.

    Args:
        corpus: Messages and replies.
        testset: Messages with one reference or more.
        base: The settings that are not swept; ``detokenize`` and ``seed`` of them count here.
        least_pairs: The fewest pairs that a trial trains on; 0: all.
        validation: None: one pair in twenty is held out of the corpus, at most 1,000.
        metric: ``meteor`` or ``bleu``; None: METEOR, or BLEU where Java or its jar is missing or does
            not run.
        train_prompts: For RUQ on train, drawn at random; 0: all pairs.
        generic: The generic reply of RUQ.
        beam: Beam size of the search for replies.
        resamples: Bootstrap resamples; 0 for no intervals.

    Raises:
        InputError: The corpus is too small; an item of the test set has no message.
        ParameterError: A number or a name that cannot be.
        RejoinderError: METEOR is asked for by name, and cannot run.
    """
    _check(train_prompts, generic, beam)
    messages_of(testset)
    chosen, fallback = _metric(metric)
    notes = [*corpus.notes, *([fallback] if fallback else []), *_overlap(corpus, testset)]
    order, validation, held_out = divided(corpus, validation, base.seed)
    notes += held_out
    shuffled = corpus.take(order)
    pairs = Pairs([str(row) for row in order], shuffled.sources, shuffled.targets)
    prompts = min(each for each in (train_prompts, least_pairs, len(pairs)) if each)
    return SweepMaterial(
        pairs,
        validation,
        testset,
        detokenized(testset) if base.detokenize else testset,
        _prompts(pairs, prompts, base.detokenize),
        chosen,
        generic,
        beam,
        resamples,
        base.seed,
        tuple(notes),
        fallback,
    )


def _check(train_prompts: int, generic: str, beam: int) -> None:
    if train_prompts < 0:
        raise ParameterError(Argument("train_prompts", train_prompts), ": expected 0 (all) or more")
    if beam < 1:
        raise ParameterError(Argument("beam", beam), ": expected 1 or more")
    if not generic.strip():
        raise ParameterError(
            Argument("generic", generic), ": the generic reply is empty; give it a text"
        )


def _metric(name: str | None) -> tuple[Metric, str | None]:
    """The metric, and why it is not the paper's."""
    from rejoinder.metrics.meteor_scorer import scorer

    if name is not None and name not in METRICS:
        raise ParameterError(Argument("metric", name), f": expected {one_of(METRICS)}")
    if name == "bleu":
        return _named("bleu"), None
    try:
        # Asked for once: a Java that is there and does not run is found now, not after a training.
        scorer("en", True).statistics([("yes", ["yes"])])
    except RejoinderError as error:
        if name is not None:
            raise
        return _named("bleu"), f"scored by BLEU in place of METEOR: {error}"
    return _named("meteor"), None


def _named(name: str) -> Metric:
    return next(iter(registry.metrics([name]).values()))


def _overlap(corpus: Pairs, testset: TestSet) -> list[str]:
    if not testset.references.height:
        return []
    both = len(corpus) - len(corpus.without(adjacent_pairs(testset)))
    if not both:
        return []
    return [
        f"{counted(both, 'pair')} of the corpus' {len(corpus)} also stand in the test set; "
        f"{Argument('exclude', Placeholder('TESTSET'))} takes them out"
    ]


def detokenized(testset: TestSet) -> TestSet:
    """All its texts detokenised and recased."""
    turns = [list(map(plain, each)) for each in testset.contexts.get_column("context").to_list()]
    texts = list(map(plain, testset.references.get_column("text").to_list()))
    return TestSet(
        testset.contexts.with_columns(pl.Series("context", turns, dtype=pl.List(pl.String))),
        testset.references.with_columns(pl.Series("text", texts, dtype=pl.String)),
    )


def _prompts(pairs: Pairs, count: int, detokenize: bool) -> TestSet:
    prompts = pairs.take(np.arange(count))
    return (prompts.map(plain) if detokenize else prompts).as_testset()


def testset_hash(testset: TestSet) -> str:
    """16 hexadecimal digits of the ids, turns and references."""
    tables: Sequence[pl.DataFrame] = (
        testset.contexts.select("id", "context"),
        testset.references.select("id", "text", "weight"),
    )
    rows = [list(each.iter_rows()) for each in tables]
    return hashlib.sha256(msgspec.json.encode(rows)).hexdigest()[:16]
