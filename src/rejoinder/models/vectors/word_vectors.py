"""Word vectors, and the files and folders that hold them.

A folder that ``WordVectors.save`` wrote holds ``model.safetensors`` (float32 [V, d]),
``vocabulary.json`` (the words, most frequent first) and ``config.json``. Files of others are read as
they are, by models/vectors/published_formats.py; nothing is ever unpickled.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from rejoinder.errors import InputError, MissingExtraError, ParameterError, RejoinderError
from rejoinder.files.content import Stamp, file_or_folder, stamp
from rejoinder.files.strict_json import strict_json
from rejoinder.kernels.arrays import Indices
from rejoinder.messages import Argument
from rejoinder.models.training.folder import (
    FAULTS,
    WEIGHTS,
    ModelFolder,
    Record,
    foreign,
    read_folder,
    write_folder,
)
from rejoinder.models.training.shapes import check_rows
from rejoinder.models.vectors.published_formats import read_vector_file
from rejoinder.text.words import check_language, cutter

KIND = "word-vectors"
VOCABULARY = "vocabulary.json"


@dataclass(frozen=True, eq=False)
class Lookup:
    """The words of many texts, looked up.

    Attributes:
        rows: Rows of the vectors' matrix (int64 [t]); -1 is an unknown word.
        first: Text i has ``rows[first[i]:last[i]]`` (int64 [n]); equal texts share them.
        last: int64 [n].
    """

    rows: Indices
    first: Indices
    last: Indices


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words and their vectors.

    Attributes:
        words: V different words.
        matrix: float32 [V, d].
        language: How the corpus was cut into words (see ``rejoinder.text.words``); empty for
            vectors from elsewhere, which do not say.
        about: How they were made, JSON.

    Raises:
        InputError: Words and rows do not fit, or a number is not finite.

    >>> vectors = WordVectors(["yes", "no"], np.array([[1.0, 0.0], [0.0, 1.0]], np.float32))
    >>> "yes" in vectors, len(vectors), vectors.size
    (True, 2, 2)
    >>> vectors.unknown
    array([0.5, 0.5], dtype=float32)
    """

    words: list[str]
    matrix: np.ndarray
    language: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shape = self.matrix.shape
        if len(shape) != 2 or shape[0] != len(self.words) or 0 in shape:
            raise InputError(
                f"word vectors: {len(self.words)} words and an array of shape {list(shape)}; "
                "expected one row for each word, and at least one"
            )
        bad = np.flatnonzero(~np.isfinite(self.matrix).all(axis=1))
        if bad.size:
            raise InputError(
                f"word vectors: the vector of {self.words[int(bad[0])]!r} holds a number that is not "
                "finite; train or fetch them again"
            )

    def __len__(self) -> int:
        """How many words there are."""
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.places

    @property
    def size(self) -> int:
        """d, the width of a vector."""
        return self.matrix.shape[1]

    @cached_property
    def hash(self) -> str:
        """8 hexadecimal digits of the words and their vectors."""
        total = hashlib.sha256("\n".join(self.words).encode("utf-8", "surrogatepass"))
        total.update(np.ascontiguousarray(self.matrix).data)
        return total.hexdigest()[:8]

    @cached_property
    def places(self) -> dict[str, int]:
        """The row of each word."""
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def unknown(self) -> np.ndarray:
        """float32 [d]: the mean of all vectors, which stands for an unknown word in nlg-eval."""
        return self.matrix.mean(axis=0, dtype=np.float64).astype(np.float32)

    def lookup(self, texts: Iterable[str], language: str = "") -> Lookup:
        """Cuts texts into words and finds their rows; equal texts once.

        Args:
            texts: Texts, n of them.
            language: See ``rejoinder.text.words``; empty takes that of the vectors, else ``en``.

        Raises:
            ParameterError: The vectors were trained on words cut in another way.
        """
        cut = cutter(self.agreed(language))
        get = self.places.get
        rows: list[int] = []
        spans: dict[str, tuple[int, int]] = {}
        spans_of_texts: list[tuple[int, int]] = []
        for text in texts:
            span = spans.get(text)
            if span is None:
                begin = len(rows)
                rows.extend(get(word, -1) for word in cut(text))
                span = spans[text] = (begin, len(rows))
            spans_of_texts.append(span)
        bounds = np.array(spans_of_texts, dtype=np.int64).reshape(-1, 2)
        return Lookup(np.array(rows, dtype=np.int64), bounds[:, 0].copy(), bounds[:, 1].copy())

    def agreed(self, language: str) -> str:
        """The language that texts are to be cut as.

        Raises:
            ParameterError: It is unknown, or not the one that the vectors were trained with.
        """
        if language:
            check_language(language)
        if language and self.language and language != self.language:
            raise ParameterError(
                Argument("language", language),
                ", but these vectors were trained on words cut as "
                f"'{self.language}'; write {Argument('language', self.language)}",
            )
        return language or self.language or "en"

    def save(self, folder: str | os.PathLike[str]) -> ModelFolder:
        """Writes the vectors, whole or not at all.

        Raises:
            InputError: Something else stands there, or it cannot be written.
            MissingExtraError: Torch or safetensors is not installed.
        """
        try:
            import torch
        except ImportError:
            raise missing("torch") from None
        about = dict(self.about)
        record = Record(
            KIND,
            {"language": self.language, **about.get("parameters", {})},
            about.get("corpus_hash", ""),
            versions=about.get("versions", {}),
        )
        words = json.dumps(list(self.words), ensure_ascii=False, indent=0).encode()
        tensor = torch.from_numpy(np.ascontiguousarray(self.matrix, dtype=np.float32))
        return write_folder(folder, record, {"vectors": tensor}, {VOCABULARY: words})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> WordVectors:
        """Reads a folder of ``save``, or a file of word2vec (text, binary), GloVe or fastText (.vec).

        The last that was read is kept: asking again for the same file costs nothing.

        Raises:
            InputError: There is no such file, it is damaged, or holds something else.
            MissingExtraError: Safetensors is not installed (for a folder).
        """
        file = file_or_folder(
            path,
            "word vectors: a folder that WordVectors.save wrote, or a file of word2vec, GloVe or "
            "fastText (.vec)",
        )
        return _load(os.path.realpath(file), stamp(file))


@lru_cache(maxsize=2)
def _load(path: str, stamp: Stamp) -> WordVectors:
    if not os.path.isdir(path):
        return WordVectors(*read_vector_file(Path(path)))
    folder = read_folder(path, KIND)
    try:
        from safetensors.numpy import load_file
    except ImportError:
        raise missing("safetensors") from None
    try:
        words = strict_json((folder.path / VOCABULARY).read_text(encoding="utf-8"))
        check_rows(VOCABULARY, len(words), "vectors", folder.shapes())
        matrix = load_file(folder.path / WEIGHTS)["vectors"]
        config = dict(folder.record.config)
        about = {
            "parameters": {name: value for name, value in config.items() if name != "language"},
            "corpus_hash": folder.record.corpus_hash,
            "versions": dict(folder.record.versions),
        }
        return WordVectors(words, matrix, config.get("language", ""), about)
    except RejoinderError:
        raise
    except FAULTS as error:  # files whose hashes hold, and which hold something else
        raise foreign(path, error) from error


def missing(package: str) -> MissingExtraError:
    """The error of a package that is not installed."""
    return MissingExtraError(
        f'word vectors need {package}, which is not installed; run: pip install "rejoinder[models]"'
    )
