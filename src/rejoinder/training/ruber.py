"""Training the model of the metric RUBER: its scorers, and the bounds of both halves of its score."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.files.content import folder_hash
from rejoinder.files.replacing import remove_parts
from rejoinder.files.shards import alone_with_shards, end_of_shard, shard_of_folder
from rejoinder.metrics.ruber import REFERENCED, RUBER, halves_of
from rejoinder.models.installed import check_installed
from rejoinder.models.training.folder import FINISHED, check_free, finished
from rejoinder.providers.ruber import embedded
from rejoinder.result import Result
from rejoinder.tables.testset import TestSet, TestSetLike

if TYPE_CHECKING:
    from rejoinder.models.ruber.model import Unreferenced
    from rejoinder.progress import Report


@dataclass(frozen=True, repr=False)
class RuberTraining(Result):
    """The result of training a RUBER model.

    Attributes:
        folder: The folder of the model.
        model: The trained model.
        log: For each scorer its name, its weight and the entry of its best epoch.
        notes: What was excluded, resumed or stopped early.
        corpus_hash: A hash of the conversations that were trained on.
    """

    folder: Path
    model: Unreferenced
    log: list[dict[str, Any]]
    notes: tuple[str, ...]
    corpus_hash: str

    def as_json(self) -> dict[str, Any]:
        """The folder with its hash, the scorers, the bounds of both halves, and the notes."""
        return {
            "folder": str(self.folder),
            "hash": folder_hash(self.folder),
            "corpus_hash": self.corpus_hash,
            "members": self.log,
            "bounds": {name: list(pair) for name, pair in self.model.bounds.items()},
            "notes": list(self.notes),
        }


def train_ruber(
    corpus: TestSetLike,
    path: str | os.PathLike[str],
    *,
    sizes: Sequence[str] = ("gru",),
    seeds: int = 3,
    validation: TestSetLike | None = None,
    exclude: Sequence[TestSetLike] = (),
    encoder: str = "",
    vectors: str | os.PathLike[str] = "",
    language: str = "en",
    epochs: int | None = None,
    save_every: float = 30.0,
    report: Callable[[str], Report] | None = None,
    device: str = "auto",
) -> RuberTraining:
    """Trains RUBER on conversations, without any label, and writes the model's folder.

    An interrupted run resumes from the folder ``<path>.work``, which is removed when the model is
    written. Where the folder holds the finished model of the same call already, nothing is done.

    Args:
        corpus: Conversations (docs/formats.md): every context with its first reference.
        path: The output folder of the model.
        sizes: ``paper``, ``gru``, ``encoder``, ``cross``: one, or several whose weighted mean is
            the score.
        seeds: How many scorers of each size are trained.
        validation: Conversations that choose the epochs; None takes a twentieth of the corpus.
        exclude: Evaluation sets; conversations that share text with them are left out.
        encoder: The folder of a sentence encoder, for the sizes that read with one.
        vectors: A file or folder of word vectors (``WordVectors.load``) in place of word2vec on the
            corpus: for s_R, and for the GRU sizes to start from.
        language: How texts are cut into words (``rejoinder.text.words``).
        epochs: Maximum number of epochs; None takes that of each size.
        save_every: Seconds between two saves of a training.
        report: Called with a scorer's name; returns what is called with its steps.
        device: ``auto`` (a GPU where there is one), ``cpu``, ``cuda`` or ``cuda:N``.

    Raises:
        InputError: The corpus is too small, or nothing is left of it; the folder is not free, or
            holds another finished model; ``<path>.work`` is of another run, or another run trains
            this model now.
        ParameterError: A size or a number is invalid.
        MissingExtraError: Torch or gensim is not installed.
    """
    check_installed("training RUBER", "torch", "gensim", "safetensors")
    from rejoinder.models.ruber import model as folders
    from rejoinder.models.ruber.fitting import fit, remove_work
    from rejoinder.models.ruber.material import ScorerMaterial
    from rejoinder.models.vectors.word_vectors import WordVectors

    folder = Path(os.path.realpath(path))  # "." has a name of its own
    work = folder.with_name(f"{folder.name}.work")
    check_free(folder)
    material = ScorerMaterial.of(
        TestSet.of(corpus), sizes=sizes, seeds=seeds, encoder=encoder,
        validation=None if validation is None else TestSet.of(validation),
        exclude=[TestSet.of(each) for each in exclude],
        vectors=WordVectors.load(vectors) if vectors else None, language=language, epochs=epochs,
        device=device,
    )  # fmt: skip
    with alone_with_shards(work):
        if not shard_of_folder():
            remove_parts(folder.parent, folder.name)
        if before := finished(folder, material.identity):
            end_of_shard()
            remove_work(work, material)  # left by a kill between the model's last file and here
            log = [dict(entry) for entry in before.record.log]
            notes = (*material.notes, FINISHED)
            model = folders.load(folder, device)
            return RuberTraining(Path(path), model, log, notes, before.record.corpus_hash)
        fitted = fit(material, work, save_every=save_every, report=report, device=device)
        model = replace(
            fitted.model,
            bounds={**fitted.model.bounds, **_referenced_bounds(fitted.model, fitted.unlike)},
        )
        about = (material.identity, material.notes)
        folders.save(folder, model, fitted.corpus_hash, fitted.log, *about)
        remove_work(work, material)
        return RuberTraining(Path(path), model, fitted.log, fitted.notes, fitted.corpus_hash)


def _referenced_bounds(
    model: Unreferenced, unlike: Sequence[tuple[str, str]]
) -> dict[str, tuple[float, float]]:
    """The bounds of s_R, by the kind of similarity: from unlike replies to equal ones, which have 1.

    The lower bound is the lowest hundredth of the similarities of unlike replies. Their minimum, as
    in the paper, would be that of a single pair with an empty text or one without words.
    """
    batch = Batch.from_lists([one for one, _ in unlike], [[other] for _, other in unlike])
    bounds = {}
    for kind in REFERENCED if model.encoder else REFERENCED[:1]:
        like = RUBER(model="-", referenced=kind).compared()
        values = halves_of(embedded(model, kind, batch), like, batch)
        bounds[kind] = (min(float(np.quantile(values, 0.01)), 0.99), 1.0)
    return bounds
