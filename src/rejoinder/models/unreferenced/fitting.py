"""From a corpus to a model: vectors, scorers of several sizes and seeds, calibration, bounds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.models.checkpoints import Checkpoint, differing
from rejoinder.models.encoder import Encoder
from rejoinder.models.folder import Record, folder_hash, read_folder, write_folder
from rejoinder.models.unreferenced.conversations import Conversations
from rejoinder.models.unreferenced.gru import GRUConfig
from rejoinder.models.unreferenced.leakage import NOTHING, Said
from rejoinder.models.unreferenced.mixing import size_weights
from rejoinder.models.unreferenced.model import Calibration, Member, Unreferenced
from rejoinder.models.unreferenced.ranking import Ranking
from rejoinder.models.unreferenced.scorer import UnreferencedScorer
from rejoinder.models.unreferenced.sizes import (
    SIZES,
    Size,
    built,
    needed,
    reads_with_encoder,
    size_named,
)
from rejoinder.models.unreferenced.training import Report, Trained, train
from rejoinder.models.vectors import WordVectors, train_vectors
from rejoinder.tables.testset import TestSet
from rejoinder.tables.wording import counted
from rejoinder.text.words import check_language

MEMBER = "ruber-member"
FEW = 500  # queries: a share of one half has a standard error of 0.022
LEARNT = 0.6  # of the pairs: what learns anything of thousands of conversations is far above
HELD_OUT = 0.05
"""The share of conversations that validate where no corpus is given for it."""


@dataclass(frozen=True)
class Fitted:
    """A trained model, and what is to be said of its training.

    Attributes:
        model: trained; its bounds hold those of the unreferenced score.
        log: for each member its name and the best epoch's entry.
        notes: what was left out of the corpus, where the training went on after a kill, and which
            members stopped early.
        corpus_hash: of what was trained on.
        unlike: held-out replies, each with a random other one: what a referenced score is at least.
    """

    model: Unreferenced
    log: list[dict[str, Any]]
    notes: tuple[str, ...]
    corpus_hash: str
    unlike: list[tuple[str, str]]


def fit(
    corpus: TestSet,
    work: Path,
    *,
    sizes: Sequence[str] = ("gru",),
    seeds: int = 3,
    validation: TestSet | None = None,
    exclude: Sequence[TestSet] = (),
    encoder: str = "",
    vectors: WordVectors | None = None,
    language: str = "en",
    first_seed: int = 1,
    epochs: int | None = None,
    save_every: float = 30.0,
    report: Callable[[str], Report] | None = None,
) -> Fitted:
    """Trains an unreferenced model on conversations, without any label.

    Every size is trained with several seeds; the model's score is the weighted mean of all, each
    calibrated on held-out queries, which also give the sizes their weights (``mixing.py``). A run
    that was killed goes on from the folder ``work`` and ends with the very same weights.

    Args:
        corpus: conversations (docs/formats.md): every context with its first reference.
        work: where finished members and the state of the running one are kept.
        sizes: names of ``SIZES``.
        seeds: how many of each size.
        validation: conversations that choose the epochs; None: a twentieth of the corpus.
        exclude: evaluation sets: conversations that share long utterances or pairs with them are
            left out of corpus and validation.
        encoder: for sizes that read with a sentence encoder.
        vectors: of words, for the referenced score and for the GRU sizes to start from, which are
            then as wide; None: word2vec on the corpus.
        language: how texts are cut into words (``rejoinder.text.words``).
        first_seed: the seeds are this one and those behind it.
        epochs: at most; None: what each size has.
        save_every: seconds between two saves of a training.
        report: called with a member's name, gives what is told about its steps.

    Raises:
        InputError: the corpus is too small, or nothing is left of it; ``work`` holds another run.
        ParameterError: a size or a number is none.
        MissingExtraError: torch or gensim is not installed.
    """
    _check(sizes, seeds, epochs)
    check_language(language)
    wanted = [_shaped(size_named(name), epochs, vectors) for name in sizes]
    held = Encoder.load(encoder) if encoder else None
    if any(reads_with_encoder(size) for size in wanted):
        needed(held)
    k = max(size.config.turns for size in wanted)
    train_on, valid = _parts(corpus, validation, exclude, k, language)
    if vectors is None:
        vectors = train_vectors(
            _texts(train_on), language=language, min_count=2, skip_gram=True, seed=first_seed
        )
    vectors = replace(vectors, language=language)
    ranking = Ranking.of(valid, 12345)
    members, log, scores = [], [], []
    resumed, stopped = [], []
    prepared: dict[Any, Any] = {}
    for name, size in zip(sizes, wanted, strict=True):
        for seed in range(first_seed, first_seed + seeds):
            label = f"{name}-{seed}"
            scorer = _fresh(size, train_on, language, vectors, held, seed)
            telling = report(label) if report else None
            best = _trained(
                scorer, size, train_on, valid, ranking, seed, work / label, prepared,
                save_every, telling,
            )  # fmt: skip
            scorer.module.load_state_dict(dict(best.weights))
            reached = ranking.scores(
                scorer, _prepared(scorer, valid.texts, prepared, "validation", telling)
            )
            calibration = Calibration.of(_half_true(reached))
            members.append(Member(label, scorer, calibration))
            scores.append(calibration(reached))
            log.append({"member": label, **max(best.log, key=lambda each: each["first"])})
            resumed += [f"{label} {best.resumed}"] if best.resumed else []
            stopped += _stopped(label, best.log, size)
    weights = size_weights(np.stack(scores), np.repeat(sizes, seeds).tolist())
    model = _ensemble(members, weights, np.stack(scores), vectors, k, held)
    log = [{**entry, "weight": float(w)} for entry, w in zip(log, weights, strict=True)]
    left_out = dict.fromkeys((*train_on.notes, *valid.notes))  # a part has the notes of the whole
    went_on = [f"went on from {work}: {', '.join(resumed)}"] if resumed else []
    doubts = _few(len(ranking.turns)) or _unlearnt(log)
    notes = (*left_out, *went_on, *stopped, *doubts)
    return Fitted(model, log, notes, train_on.hash, _unlike(ranking, valid))


def _shaped(size: Size, epochs: int | None, vectors: WordVectors | None) -> Size:
    """A size with the epochs asked for, and as wide as the word vectors that are given."""
    if epochs is not None:
        size = replace(size, schedule=replace(size.schedule, epochs=epochs))
    if vectors is not None and isinstance(size.config, GRUConfig):
        size = replace(size, config=replace(size.config, width=vectors.size))
    return size


def _ensemble(
    members: Sequence[Member],
    weights: Floats,
    scores: Floats,
    vectors: WordVectors,
    k: int,
    encoder: Encoder | None,
) -> Unreferenced:
    """The members with their weights; the bounds are those of their scores on held-out pairs."""
    weighed = [replace(each, weight=float(w)) for each, w in zip(members, weights, strict=True)]
    bounds = {"unreferenced": _ends(np.average(scores, axis=0, weights=weights)[:, :-1])}
    path = str(encoder.path) if encoder else ""
    return Unreferenced(tuple(weighed), bounds, vectors, k, path)


def _unlike(ranking: Ranking, valid: Conversations) -> list[tuple[str, str]]:
    """Held-out replies, each with a random other one."""
    return [
        (valid.texts[true], valid.texts[other])
        for true, other in ranking.candidates[:, :2].tolist()
    ]


def _few(queries: int) -> list[str]:
    """That what members reached, and their weights, rest on few held-out queries."""
    if queries >= FEW:
        return []
    return [
        f"validation: {counted(queries, 'held-out query', 'held-out queries')} alone; what the scorers "
        f"reached, and their weights, are rough below {FEW}"
    ]


def _unlearnt(log: Sequence[Mapping[str, Any]]) -> list[str]:
    """The members that rank little better than chance, which spoil an ensemble."""
    return [
        f"{entry['member']} has not learnt: a true reply is above a random one in "
        f"{100 * entry['accuracy']:.1f}%, and 50 is chance; more conversations, or another number of "
        "seeds, may help"
        for entry in log
        if entry["accuracy"] < LEARNT
    ]


def _stopped(label: str, log: Sequence[Mapping[str, Any]], size: Size) -> list[str]:
    """That a member's training ended before its last epoch, and why."""
    last, most = log[-1]["epoch"], size.schedule.epochs
    if last >= most:
        return []
    best = max(entry["epoch"] for entry in log if entry["best"])
    return [f"{label} stopped after epoch {last} of {most}: no better since epoch {best}"]


def _check(sizes: Sequence[str], seeds: int, epochs: int | None) -> None:
    if not sizes or len(set(sizes)) < len(sizes):
        raise ParameterError(
            f"sizes={list(sizes)!r}: name one or more of {', '.join(SIZES)}, each once"
        )
    for name, value in (("seeds", seeds), ("epochs", epochs)):
        if value is not None and value < 1:
            raise ParameterError(f"{name}={value} must be 1 or more")


def _parts(
    corpus: TestSet,
    validation: TestSet | None,
    exclude: Sequence[TestSet],
    k: int,
    language: str,
) -> tuple[Conversations, Conversations]:
    """What is trained on and what validates, sharing nothing with each other or the sets excluded."""
    whole = Conversations.of(corpus, k)
    excluded = reduce(Said.__or__, (Said.in_set(each, language) for each in exclude), NOTHING)
    whole = whole.without(excluded, "the sets excluded", language)
    if validation is None:
        train_on, valid = whole.split(HELD_OUT, 12345)
        if np.unique(whole.dialogues).size < 2:
            return whole, whole
        named = "the twentieth held out for validation"
        return train_on.without(valid.said(language), named, language), valid
    valid = Conversations.of(validation, k).without(excluded, "the sets excluded", language)
    told = replace(valid, notes=tuple(f"validation set: {note}" for note in valid.notes))
    return whole.without(valid.said(language), "the validation set", language), told


def _texts(corpus: Conversations) -> list[str]:
    """The distinct texts that the items hold."""
    return [corpus.texts[place] for place in corpus.used().tolist()]


def _fresh(
    size: Size,
    corpus: Conversations,
    language: str,
    vectors: WordVectors,
    encoder: Encoder | None,
    seed: int,
) -> UnreferencedScorer:
    """A scorer whose first weights follow from the seed."""
    import torch

    width = getattr(size.config, "width", vectors.size)
    if width != vectors.size:
        texts = _texts(corpus)
        vectors = train_vectors(
            texts, size=width, language=language, min_count=2, skip_gram=True, seed=seed
        )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return built(size, corpus, language, vectors, encoder)


def _prepared(
    scorer: UnreferencedScorer,
    texts: Sequence[str],
    held: dict[Any, Any],
    what: str,
    report: Report | None,
) -> Any:
    """Texts prepared for a scorer, once for all that prepare alike."""

    def tell(done: int, total: int) -> None:
        if report is not None:
            report(done, total, f"reading the {what} texts")

    key = (id(texts), scorer.prepares_like)  # corpus and validation may be parts of the same texts
    if key not in held:
        held[key] = scorer.prepare(texts, tell)
    return held[key]


def _trained(
    scorer: UnreferencedScorer,
    size: Size,
    corpus: Conversations,
    valid: Conversations,
    ranking: Ranking,
    seed: int,
    work: Path,
    held: dict[Any, Any],
    save_every: float,
    report: Report | None,
) -> Trained:
    """The best weights of a member: from its finished folder, or trained (on)."""
    identity = {
        "kind": scorer.kind,
        "config": json.loads(json.dumps(dict(scorer.config))),
        "schedule": asdict(size.schedule),
        "corpus": corpus.hash,
        "validation": valid.hash,
        "seed": seed,
        "encoder": folder_hash(scorer.reads_with) if scorer.reads_with else "",
        "start": _weights_hash(scorer),
    }
    done = work / "trained"
    if done.is_dir():
        folder = read_folder(done, MEMBER)
        if told := differing(folder.record.config, identity):
            raise InputError(
                f"{work}: holds a scorer of another run: {told}; give the same command to go on, or "
                f"remove {work.parent} to start anew"
            )
        return Trained(folder.tensors(), [dict(each) for each in folder.record.log], "was finished")
    checkpoint = Checkpoint(work / "checkpoint", identity, work.parent)
    ready = _prepared(scorer, corpus.texts, held, "corpus", report)
    validating = _prepared(scorer, valid.texts, held, "validation", report)
    best = train(
        scorer, corpus, ready, ranking, size.schedule, seed, validating, checkpoint, save_every,
        report,
    )  # fmt: skip
    write_folder(done, Record(MEMBER, identity, corpus.hash, best.log), best.weights)
    checkpoint.remove()
    return best


def _weights_hash(scorer: UnreferencedScorer) -> str:
    """Of fresh weights: they follow from the seed, and from word vectors whose making may change."""
    total = hashlib.sha256()
    for name, tensor in scorer.module.state_dict().items():
        total.update(name.encode() + tensor.cpu().contiguous().numpy().tobytes())
    return total.hexdigest()[:8]


def _half_true(scores: Floats) -> Floats:
    """The scores of the true replies and of one random reply each."""
    return scores[:, :2].ravel()


def _ends(values: Floats) -> tuple[float, float]:
    """The least and the greatest; a hair apart where all are equal."""
    low, high = float(values.min()), float(values.max())
    return low, high if high > low else low + 1.0
