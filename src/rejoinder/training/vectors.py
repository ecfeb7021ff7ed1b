"""Training word vectors on a corpus, and the folder that holds them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rejoinder.errors import check_least
from rejoinder.files.locks import alone
from rejoinder.models.training.folder import FINISHED, ModelFolder, check_free, finished
from rejoinder.models.vectors.word2vec import WINDOW, corpus_hash, cut_sentences, trained_on
from rejoinder.models.vectors.word_vectors import KIND, WordVectors
from rejoinder.result import Result
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.testset import TestSet, TestSetLike
from rejoinder.text.separation import language_notes


@dataclass(frozen=True, repr=False)
class TrainedVectors(Result):
    """Word vectors, and the folder that holds them.

    Attributes:
        folder: The folder of the model.
        vectors: The word vectors.
        notes: Words that the language does not separate; that nothing was done, where the folder held
            the vectors of the same call already.
        trained: Whether they were trained by this call.
    """

    folder: ModelFolder
    vectors: WordVectors
    notes: tuple[str, ...] = ()
    trained: bool = True

    def as_json(self) -> dict[str, Any]:
        """The folder, its hash and its size; the notes where there are any."""
        return {
            "folder": str(self.folder.path),
            "hash": self.folder.hash,
            "words": len(self.vectors),
            "width": self.vectors.size,
            **({"notes": list(self.notes)} if self.notes else {}),
        }


def train_vectors(
    corpus: TestSetLike,
    path: str | os.PathLike[str],
    *,
    width: int = 50,
    language: str = "en",
    min_count: int = 5,
    epochs: int = 5,
    seed: int = 12345,
) -> TrainedVectors:
    """Trains word vectors on the distinct utterances of a corpus, and writes their folder.

    Where the folder holds the vectors of the same call already, nothing is done.

    Args:
        corpus: Dialogues; all turns of the contexts and all references are utterances.
        path: The output folder.
        width: Dimension of a vector.
        language: How texts are cut into words; see ``rejoinder.text.words``.
        min_count: Minimum count of a word; rarer words get no vector.
        epochs: How often the corpus is read.
        seed: Random seed.

    Raises:
        InputError: No word is frequent enough; the folder holds other things, or the vectors of
            another call; another run writes there.
        ParameterError: A parameter is out of range.
        MissingExtraError: Gensim or torch is not installed.
    """
    check_draws(0, seed)
    check_least(1, width=width)
    check_free(Path(path))
    corpus = TestSet.of(corpus)
    turns = corpus.contexts.get_column("context").explode().drop_nulls().to_list()
    references = corpus.references.get_column("text").to_list()
    utterances = dict.fromkeys([*turns, *references])
    sentences = cut_sentences(utterances, language)
    notes = tuple(language_notes(list(utterances), language))
    settings = {"window": WINDOW, "min_count": min_count, "skip_gram": False, "epochs": epochs}
    identity = {
        **settings,
        "language": language,
        "seed": seed,
        "width": width,
        "corpus": corpus_hash(sentences),
    }
    with alone(Path(path)):
        if before := finished(Path(path), identity, _identity):
            return TrainedVectors(before, WordVectors.load(path), (*notes, FINISHED), False)
        vectors = trained_on(sentences, width, language, seed=seed, **settings)
        return TrainedVectors(vectors.save(path), vectors, notes)


def _identity(folder: ModelFolder) -> dict[str, Any] | None:
    """The identity of the call that wrote a folder of vectors."""
    record = folder.record
    if record.kind != KIND:
        return None
    width = folder.shapes()["vectors"][1]
    return {**record.config, "width": width, "corpus": record.corpus_hash}
