"""Khayrallah & Sedoc (2021) from the published files to the tables: four systems, RUQ, metrics.

Every step leaves its result in the run's folder, and is taken up there after a kill:

- ``corpora/``: what is trained on and asked about, detokenised; ``run.json``: of what run;
- ``models/``: a folder for each system, which ``transformers`` loads too;
- ``replies/``, ``likelihoods/``, ``scores/``: what they say, what they find likely, what that is
  worth;
- ``responses.jsonl``, ``tables.csv``, ``figure1.png`` and ``figure1.svg``: what to look at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rejoinder.corpora.pairs import Pairs
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.figures.ruq import ruq_plot
from rejoinder.files.locks import alone
from rejoinder.files.replacing import remove_parts
from rejoinder.human_evaluation.preference_summary import PreferenceSummary
from rejoinder.human_evaluation.preference_summary import preferences as summarise_preferences
from rejoinder.human_evaluation.rater_exclusion import DROPPED, THRESHOLD
from rejoinder.human_evaluation.rating_summary import RatingSummary
from rejoinder.human_evaluation.rating_summary import ratings as summarise_ratings
from rejoinder.messages import counted
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.likelihood.registry import open_backend
from rejoinder.models.vectors.word_vectors import WordVectors
from rejoinder.recipes.khayrallah2021.corpora import Corpora, Tell, corpora, messages
from rejoinder.recipes.khayrallah2021.metrics import Automatic, automatic
from rejoinder.recipes.khayrallah2021.replies import replies
from rejoinder.recipes.khayrallah2021.settings import CORPORA, GENERIC, SYSTEMS, Settings, settings
from rejoinder.recipes.khayrallah2021.tables import KhayrallahStudy, cells
from rejoinder.responders.seq2seq.trained import TrainedResponder
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.schemas import RESPONSES
from rejoinder.tables.testset import TestSet, first_references
from rejoinder.tables.write import write_responses, write_table
from rejoinder.training.responder import train_responder
from rejoinder.utterance_quantity.result import Quantity
from rejoinder.utterance_quantity.ruq import ruq

__all__ = ["FIGURE", "SYSTEMS", "KhayrallahStudy", "khayrallah2021", "settings"]

FIGURE = "figure1"
CHOOSERS = 200  # trained pairs that choose the epoch, where these do


def khayrallah2021(
    data: Path,
    folder: Path,
    sizes: Settings | str = "tiny",
    *,
    multiref: Path | None = None,
    ratings: pl.DataFrame | None = None,
    preferences: pl.DataFrame | None = None,
    rater_threshold: float = THRESHOLD,
    vectors: Path | None = None,
    systems: Sequence[str] = SYSTEMS,
    resamples: int = 1000,
    seed: int = 12345,
    tell: Tell = lambda what, done, total: None,
) -> KhayrallahStudy:
    """Trains the systems, lets them reply, asks them what they find likely, and measures it all.

    Args:
        data: The folder of DailyDialog's splits: ``train.zip``, ``validation.zip``, ``test.zip``.
        folder: Folder of the run; an interrupted run resumes: repeat the call.
        sizes: ``tiny``, ``small`` or ``paper`` (the paper's own sizes), or settings of your own.
        multiref: The multi-reference test set of Gupta et al. (2019).
        ratings: The table of ``read_ratings``, for a table of Table 4's shape.
        preferences: The table of ``read_preferences``: choices between two systems' replies, for
            Table 5.
        rater_threshold: Raters whose linearly weighted kappa against the others is lower are
            removed from Tables 4 and 5, criterion by criterion (section 4: 0.1); -1 keeps all. A
            note counts them.
        vectors: Word vectors, for Tables 8 and 10.
        systems: Which of the four systems.
        resamples: Number of resamples of the intervals.
        seed: Random seed of everything but training, which has the seeds of its settings.
        tell: Called with what is being done, the number of steps done, and the number of all.

    Raises:
        InputError: A file is missing or damaged; the folder holds another run, or another run is
            writing to it.
        ParameterError: A system is unknown, or a number is out of range.
        MissingExtraError: A package of the extra ``models`` is not installed.
    """
    if not data.is_dir():
        raise InputError(f"{data}: no such folder; expected DailyDialog's train.zip and the others")
    if isinstance(sizes, str):
        sizes = settings(sizes)
    unknown = [name for name in systems if name not in SYSTEMS]
    if unknown or not systems:
        raise ParameterError(f"system {one_of(unknown)} is unknown; choose {one_of(SYSTEMS)}")
    check_draws(resamples, seed)
    if vectors is not None:
        WordVectors.load(vectors)  # before the trainings, not after them
    facts: dict[str, Any] = {"threshold": rater_threshold, "drop": True, "resamples": resamples}
    rated = None if ratings is None else summarise_ratings(ratings, seed=seed, **facts)
    choices = (
        None
        if preferences is None
        else summarise_preferences(preferences, seed=seed, rater_effects="fixed", **facts)
    )
    chosen = tuple(name for name in SYSTEMS if name in systems)
    with alone(folder):
        prepared = corpora(data, multiref, folder, sizes, seed, tell)
        for part in ("", "corpora", "models", "scores"):
            remove_parts(folder / part)
        run = _Run(folder, sizes, prepared, resamples, seed, tell)
        return _studied(run, chosen, vectors, rated, choices)


def _studied(
    run: _Run,
    chosen: tuple[str, ...],
    vectors: Path | None,
    rated: RatingSummary | None,
    choices: PreferenceSummary | None,
) -> KhayrallahStudy:
    folder, prepared = run.folder, run.prepared
    for name in chosen:
        run.train(name)
    test = TestSet(prepared.test.contexts, first_references(prepared.test))
    replies_of = {name: run.reply(name, "test", messages(prepared.test)) for name in chosen}
    responses = _table(replies_of)
    write_responses(responses, folder / "responses.jsonl")
    train = {
        corpus: run.ask_train(corpus, [name for name in chosen if name.startswith(corpus)])
        for corpus in CORPORA
        if any(name.startswith(corpus) for name in chosen)
    }
    quantity = run.ask("test", test, chosen, replies_of)
    measured = automatic(
        prepared.test, responses, prepared.several, vectors, folder / "scores", run.resamples, run.seed,
        run.tell,
    )  # fmt: skip
    run.tell("drawing", 0, 0)
    tables = {
        "train": pl.concat([each.replies for each in train.values()]),
        "test": quantity.replies,
    }
    files = ruq_plot(tables, folder, name=FIGURE, generic=GENERIC)
    study = KhayrallahStudy(
        run.sizes,
        chosen,
        train,
        quantity,
        measured,
        rated,
        prepared.several,
        (folder / "responses.jsonl", folder / "tables.csv", *files),
        tuple(
            dict.fromkeys(
                (
                    *prepared.notes,
                    *run.notes,
                    *_noted(train, quantity, measured, rated),
                    *(f"Table 5: {note}" for note in (choices.notes if choices else ())),
                )
            )
        ),
        choices,
    )
    write_table(cells(study), folder / "tables.csv")
    return study


@dataclass
class _Run:
    """The steps, each with its file or folder."""

    folder: Path
    sizes: Settings
    prepared: Corpora
    resamples: int
    seed: int
    tell: Tell
    responders: dict[str, TrainedResponder] = field(default_factory=dict)
    trained: dict[str, np.ndarray] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def train(self, name: str) -> None:
        """Trains a system, or finds it trained; notes which pairs were short enough for it."""
        pairs, path = self.prepared.trained[name[:2]], self.folder / "models" / name
        parameters = self.sizes.systems[name]

        def report(done: int, total: int, words: str) -> None:
            self.tell(f"training {name}: {words}", done, total)

        self.tell(f"training {name}", 0, 0)
        result = train_responder(pairs, path, parameters, self._choosers(pairs), report=report)
        self.notes += [f"{name}: {note}" for note in result.inexact]
        log = result.folder.record.log
        best = next(row for row in reversed(log) if row["best"])
        loss = "loss on trained pairs" if self.sizes.choose_on_training else "validation loss"
        self.notes.append(
            f"{name}: epoch {best['epoch']} of {len(log)}, {best['updates']} updates, {loss} "
            f"{best['validation_loss']:.3f} to a subword"
        )
        responder = self.responders[name] = TrainedResponder.load(path)
        sides = responder.tokenizer(pairs.sources), responder.tokenizer(pairs.targets)
        lengths = [[len(row) for row in side.input_ids] for side in sides]
        short = np.max(lengths, axis=0) <= parameters.longest
        self.trained[name] = short
        left = int((~short).sum())
        if left:
            self.notes.append(
                f"{name}: {counted(left, 'pair')} of more than {parameters.longest} subwords left out"
            )

    def reply(self, name: str, where: str, asked: Mapping[str, str]) -> dict[str, str]:
        """A system's replies to messages."""
        path = self.folder / "replies" / f"{name}.{where}.jsonl"
        self.tell(f"{name} replies ({where})", 0, 0)
        texts = replies(
            self.responders[name],
            asked,
            path,
            self.sizes.beam,
            lambda done, total: self.tell(f"{name} replies ({where})", done, total),
        )
        empty = sum(not text.strip() for text in texts.values())
        if empty:
            self.notes.append(f"{name}: {empty} of {len(texts)} replies ({where}) are empty")
        return texts

    def ask_train(self, corpus: str, names: Sequence[str]) -> Quantity:
        """RUQ on pairs that the systems of a corpus were trained on."""
        pairs = self.prepared.trained[corpus]
        short = np.flatnonzero(np.logical_and.reduce([self.trained[name] for name in names]))
        generator = np.random.default_rng([self.seed, 2])
        count = self.sizes.train_prompts or short.size
        taken = pairs.take(np.sort(generator.permutation(short)[:count]))
        if len(taken) < len(pairs):
            self.notes.append(f"{corpus} train: RUQ on {len(taken)} trained pairs, drawn at random")
        items = taken.as_testset()
        answered = self.sizes.train_outputs or len(taken)
        order = generator.permutation(len(taken))[:answered]
        sample = taken.take(np.sort(order))
        asked = dict(zip(sample.ids, sample.sources, strict=True))
        # Which pairs are drawn hangs on the systems of this call: others have files of their own.
        where = f"train-{taken.hash}"
        replies_of = {name: self.reply(name, where, asked) for name in names}
        return self.ask(where, items, names, replies_of)

    def ask(
        self,
        where: str,
        items: TestSet,
        names: Sequence[str],
        replies_of: Mapping[str, Mapping[str, str]],
    ) -> Quantity:
        """RUQ of systems on prompts."""
        self.tell(f"asking ({where})", 0, 0)
        models = [
            open_backend(self.folder / "models" / name, Prompting(turns=1), name=name)
            for name in names
        ]
        return ruq(
            items,
            models,
            generic=GENERIC,
            references="single",
            outputs=replies_of,
            work=self.folder / "likelihoods" / where,
            resamples=self.resamples,
            seed=self.seed,
            progress=lambda done, total: self.tell(f"asking ({where})", done, total),
        )

    def _choosers(self, pairs: Pairs) -> Pairs:
        """The pairs whose loss chooses the epoch."""
        if not self.sizes.choose_on_training:
            return self.prepared.validation
        order = np.random.default_rng([self.seed, 3]).permutation(len(pairs))
        return pairs.take(np.sort(order[:CHOOSERS]))


def _table(replies_of: Mapping[str, Mapping[str, str]]) -> pl.DataFrame:
    rows = [(name, id, text) for name, texts in replies_of.items() for id, text in texts.items()]
    return pl.DataFrame(rows, schema=dict.fromkeys(RESPONSES, pl.String), orient="row")


def _noted(
    train: Mapping[str, Quantity], test: Quantity, measured: Automatic, rated: RatingSummary | None
) -> list[str]:
    results = {**{f"{name} train": each for name, each in train.items()}, "test": test}
    notes = [
        f"RUQ, {where}: {note}" for where, each in results.items() for note in each.scores.notes
    ]
    notes += (
        []
        if rated is None
        else [*removed_raters(rated), *(f"Table 4: {each}" for each in rated.notes)]
    )
    return [*notes, *measured.notes, *measured.scores.notes]


def removed_raters(rated: RatingSummary) -> list[str]:
    """How many raters of each criterion were removed, also where it is none."""
    notes = []
    for criterion in rated.counts.get_column("criterion"):
        rows = rated.raters.filter(pl.col("criterion") == criterion)
        removed = rows.filter(pl.col("verdict") == DROPPED).height
        sentence = (
            f"{removed} of {counted(rows.height, 'rater')} removed for too little agreement with the "
            "others"
            if rows.height
            else "nobody could be removed: only means over raters are known, not single ratings"
        )
        notes.append(f"Table 4, {criterion}: {sentence}")
    return notes
