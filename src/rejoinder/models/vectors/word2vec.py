"""Training word vectors on texts, by gensim's word2vec."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Any

from rejoinder.errors import InputError, ParameterError
from rejoinder.messages import Argument, counted
from rejoinder.models.training.folder import versions
from rejoinder.models.vectors.word_vectors import WordVectors, missing
from rejoinder.text.words import cutter

WINDOW = 5


def word2vec(
    texts: Iterable[str],
    *,
    size: int = 50,
    language: str = "en",
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
        min_count: Rarer words get no vector.
        skip_gram: Predict the neighbours from the word; else the word from its neighbours (CBOW).
        epochs: How often the corpus is read.
        seed: Random seed of the first vectors and the negative samples.

    Raises:
        InputError: No word of the corpus is so frequent.
        ParameterError: A parameter is out of range.
        MissingExtraError: Gensim is not installed.
    """
    settings = {"window": WINDOW, "min_count": min_count, "skip_gram": skip_gram, "epochs": epochs}
    return trained_on(cut_sentences(texts, language), size, language, seed=seed, **settings)


def trained_on(
    sentences: list[list[str]], size: int, language: str, **settings: Any
) -> WordVectors:
    """Word vectors of texts that are cut into words; see ``word2vec``.

    Raises:
        ParameterError: A setting is below 1.
        MissingExtraError: The package gensim is not installed.
    """
    for name, value in {"size": size, **settings}.items():
        if name in ("size", "window", "epochs", "min_count") and value < 1:
            keeps = " (1 keeps every word)" if name == "min_count" else ""
            raise ParameterError(Argument(name, value), f" must be 1 or more{keeps}")
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
        "corpus_hash": corpus_hash(sentences),
        "versions": versions("gensim", "numpy"),
    }
    words = [str(word) for word in model.wv.index_to_key]
    return WordVectors(words, model.wv.vectors, language, about)


def cut_sentences(texts: Iterable[str], language: str) -> list[list[str]]:
    """The words of each text."""
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


def corpus_hash(sentences: list[list[str]]) -> str:
    """8 hexadecimal digits of the words in their order."""
    total = hashlib.sha256()
    for sentence in sentences:
        total.update(f"{' '.join(sentence)}\n".encode())
    return total.hexdigest()[:8]
