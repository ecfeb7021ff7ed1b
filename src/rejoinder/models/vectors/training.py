"""Training word vectors on a corpus."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rejoinder.errors import InputError, ParameterError
from rejoinder.messages import counted
from rejoinder.models.training.folder import FINISHED, ModelFolder, check_free, finished, versions
from rejoinder.models.vectors.word_vectors import KIND, WordVectors, missing
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.testset import TestSet
from rejoinder.text.words import cutter

WINDOW = 5


@dataclass(frozen=True)
class TrainedVectors:
    """Word vectors, and the folder that holds them.

    Attributes:
        folder: The folder of the model.
        vectors: The word vectors.
        notes: That nothing was done, where the folder held the vectors of the same call already.
    """

    folder: ModelFolder
    vectors: WordVectors
    notes: tuple[str, ...] = ()

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
    corpus: TestSet,
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
            another call.
        ParameterError: A parameter is out of range.
        MissingExtraError: gensim or torch is not installed.
    """
    check_draws(0, seed)
    if width < 1:
        raise ParameterError(f"width={width} must be 1 or more")
    check_free(Path(path))
    turns = corpus.contexts.get_column("context").explode().drop_nulls().to_list()
    references = corpus.references.get_column("text").to_list()
    sentences = _sentences(dict.fromkeys([*turns, *references]), language)
    settings = {"window": WINDOW, "min_count": min_count, "skip_gram": False, "epochs": epochs}
    identity = {
        **settings,
        "language": language,
        "seed": seed,
        "width": width,
        "corpus": _corpus_hash(sentences),
    }
    if before := finished(Path(path), identity, _identity):
        return TrainedVectors(before, WordVectors.load(path), (FINISHED,))
    vectors = _trained(sentences, width, language, seed=seed, **settings)
    return TrainedVectors(vectors.save(path), vectors)


def _identity(folder: ModelFolder) -> dict[str, Any] | None:
    """The identity of the call that wrote a folder of vectors."""
    record = folder.record
    if record.kind != KIND:
        return None
    width = folder.shapes()["vectors"][1]
    return {**record.config, "width": width, "corpus": record.corpus_hash}


def word2vec(
    texts: Iterable[str],
    *,
    size: int = 50,
    language: str = "en",
    window: int = WINDOW,
    min_count: int = 5,
    skip_gram: bool = False,
    epochs: int = 5,
    seed: int = 12345,
) -> WordVectors:
    """Trains word2vec on the utterances of a corpus (Tao et al. 2018, section 4.1: 50 dimensions).

    By gensim, with its defaults, which are the word2vec tool's. One thread trains, so that the same
    texts and seed give the same vectors, bit by bit.

    Args:
        texts: The utterances, each a sentence of its own.
        size: d, the width of a vector.
        language: How they are cut into words; see ``rejoinder.text.words``.
        window: How many words away a neighbour may be.
        min_count: Rarer words get no vector.
        skip_gram: Predict the neighbours from the word; else the word from its neighbours (CBOW).
        epochs: How often the corpus is read.
        seed: Random seed of the first vectors and the negative samples.

    Raises:
        InputError: No word of the corpus is so frequent.
        ParameterError: A parameter is out of range.
        MissingExtraError: gensim is not installed.
    """
    settings = {"window": window, "min_count": min_count, "skip_gram": skip_gram, "epochs": epochs}
    return _trained(_sentences(texts, language), size, language, seed=seed, **settings)


def _trained(sentences: list[list[str]], size: int, language: str, **settings: Any) -> WordVectors:
    for name, value in {"size": size, **settings}.items():
        if name in ("size", "window", "epochs", "min_count") and value < 1:
            keeps = " (1 keeps every word)" if name == "min_count" else ""
            raise ParameterError(f"{name}={value} must be 1 or more{keeps}")
    try:
        from gensim.models import Word2Vec
    except ImportError:
        raise missing("gensim") from None
    _check_frequent(sentences, settings["min_count"])
    model = Word2Vec(
        sentences,
        vector_size=size,
        window=settings["window"],
        min_count=settings["min_count"],
        sg=int(settings["skip_gram"]),
        epochs=settings["epochs"],
        seed=settings["seed"],
        workers=1,
    )
    about = {
        "parameters": settings,
        "corpus_hash": _corpus_hash(sentences),
        "versions": versions("gensim", "numpy"),
    }
    words = [str(word) for word in model.wv.index_to_key]
    return WordVectors(words, model.wv.vectors, language, about)


def _sentences(texts: Iterable[str], language: str) -> list[list[str]]:
    cut = cutter(language)
    return [cut(text) for text in texts]


def _check_frequent(sentences: list[list[str]], min_count: int) -> None:
    counts = Counter(word for sentence in sentences for word in sentence)
    if not counts or max(counts.values()) < min_count:
        words = counted(sum(counts.values()), "word")
        raise InputError(
            f"corpus: {counted(len(sentences), 'utterance')} with {words}, and none of them stands "
            f"there {min_count} times; give more text, or let rarer words count"
        )


def _corpus_hash(sentences: list[list[str]]) -> str:
    total = hashlib.sha256()
    for sentence in sentences:
        total.update(f"{' '.join(sentence)}\n".encode())
    return total.hexdigest()[:8]
