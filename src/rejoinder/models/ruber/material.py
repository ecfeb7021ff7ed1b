"""What a model is trained from: conversations, cleared of the evaluation sets, and the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from rejoinder.corpora.leakage import NOTHING, WordTexts
from rejoinder.errors import ParameterError, check_least
from rejoinder.files.content import folder_hash
from rejoinder.messages import Argument
from rejoinder.models.huggingface.encoder import Encoder
from rejoinder.models.ruber.data.conversations import Conversations
from rejoinder.models.ruber.registry import SIZES, Size, size_named
from rejoinder.models.ruber.scorer import needed
from rejoinder.models.vectors.word_vectors import WordVectors
from rejoinder.tables.testset import TestSet
from rejoinder.text.words import check_language

HELD_OUT = 0.05
"""The share of conversations that validate where no corpus is given for it."""
MOST_LOST = 0.1
"""Of the items, for what they share with those that validate: a greeting that all begin with, say."""


@dataclass(frozen=True, eq=False)
class ScorerMaterial:
    """All that the weights of a model follow from.

    Attributes:
        train_on: Conversations; they share nothing with those that validate.
        valid: Conversations that choose the epochs, and give the sizes their weights.
        sizes: By name, in the order of training.
        seeds: Seeds of each size.
        language: How texts are cut into words (``rejoinder.text.words``).
        vectors: Vectors of words; None: they are trained on ``train_on``.
        encoder: For the sizes that read with one.
    """

    train_on: Conversations
    valid: Conversations
    sizes: Mapping[str, Size]
    seeds: range
    language: str
    vectors: WordVectors | None
    encoder: Encoder | None

    @classmethod
    def of(
        cls,
        corpus: TestSet,
        *,
        sizes: Sequence[str] = ("gru",),
        seeds: int = 3,
        validation: TestSet | None = None,
        exclude: Sequence[TestSet] = (),
        encoder: str = "",
        vectors: WordVectors | None = None,
        language: str = "en",
        epochs: int | None = None,
        device: str = "auto",
    ) -> ScorerMaterial:
        """From a corpus and what a user asks for.

        Args:
            corpus: Conversations (docs/formats.md): every context with its first reference.
            sizes: Names of ``SIZES``.
            seeds: Number of of each size.
            validation: Conversations that choose the epochs; None: a twentieth of the corpus.
            exclude: Evaluation sets: conversations that share long utterances or pairs with them
                are left out of corpus and validation.
            encoder: The folder of a sentence encoder, for sizes that read with one.
            vectors: Vectors of words, for the referenced score and for the GRU sizes to start from,
                which are then as wide; None: word2vec on the corpus.
            language: How texts are cut into words.
            epochs: Maximum number of epochs; None: what each size has.
            device: Device of the encoder: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``.

        Raises:
            InputError: The corpus is too small, or nothing is left of it; there is no such encoder.
            ParameterError: A size, a language or a number is none; the vectors are of words that
                were cut in another way.
            MissingExtraError: Torch is not installed.
        """
        _check(sizes, seeds, epochs)
        check_language(language)
        sized = {name: _shaped(size_named(name), epochs, vectors) for name in sizes}
        if vectors is not None:
            vectors = replace(vectors, language=vectors.agreed(language))
        reader = Encoder.load(encoder, device) if encoder else None
        if any(size.scorer.needs_encoder for size in sized.values()):
            needed(reader)
        turns = max(size.config.turns for size in sized.values())
        train_on, valid = _parts(corpus, validation, exclude, turns, language)
        return cls(train_on, valid, sized, range(1, seeds + 1), language, vectors, reader)

    @property
    def labels(self) -> list[str]:
        """The names of the members, in the order of training."""
        return [f"{name}-{seed}" for name in self.sizes for seed in self.seeds]

    @property
    def turns(self) -> int:
        """How many turns of a query the sizes read at most."""
        return max(size.config.turns for size in self.sizes.values())

    @property
    def identity(self) -> dict[str, Any]:
        """What tells a model of this material from any other, as JSON."""
        return {
            "sizes": list(self.sizes),
            "seeds": list(self.seeds),
            "settings": {
                name: {"config": asdict(size.config), "schedule": size.schedule.as_json()}
                for name, size in self.sizes.items()
            },
            "corpus without what is excluded": self.train_on.hash,
            "validation set": self.valid.hash,
            "language": self.language,
            "vectors": self.vectors.hash if self.vectors else "",
            "encoder": folder_hash(self.encoder.path) if self.encoder else "",
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out of the corpus; a part of it has the notes of the whole."""
        return tuple(dict.fromkeys((*self.train_on.notes, *self.valid.notes)))

    def texts(self) -> list[str]:
        """The distinct texts that are trained on."""
        return [self.train_on.texts[place] for place in self.train_on.used().tolist()]


def _check(sizes: Sequence[str], seeds: int, epochs: int | None) -> None:
    if not sizes or len(set(sizes)) < len(sizes):
        raise ParameterError(
            Argument("sizes", list(sizes)), f": name one or more of {', '.join(SIZES)}, each once"
        )
    check_least(1, seeds=seeds, epochs=epochs)


def _shaped(size: Size, epochs: int | None, vectors: WordVectors | None) -> Size:
    """A size with the epochs asked for, and as wide as the word vectors that are given."""
    if epochs is not None:
        size = replace(size, schedule=replace(size.schedule, epochs=epochs))
    if vectors is not None:
        size = replace(size, config=size.scorer.with_vectors(size.config, vectors.size))
    return size


def _parts(
    corpus: TestSet,
    validation: TestSet | None,
    exclude: Sequence[TestSet],
    turns: int,
    language: str,
) -> tuple[Conversations, Conversations]:
    """What is trained on and what validates, sharing nothing with each other or the sets excluded."""
    excluded = reduce(
        WordTexts.__or__, (WordTexts.in_set(each, language) for each in exclude), NOTHING
    )
    whole = Conversations.of(corpus, turns, language).without(excluded, "the sets excluded")
    if validation is None:
        train_on, valid = whole.split(HELD_OUT, 12345)
        if np.unique(whole.dialogues).size < 2:
            alone = "one conversation alone: it validates what is learned from it"
            whole = replace(whole, notes=(*whole.notes, alone))
            return whole, whole
        return _apart(train_on, valid, "the twentieth held out for validation"), valid
    valid = Conversations.of(validation, turns, language).without(excluded, "the sets excluded")
    labelled = replace(valid, notes=tuple(f"validation set: {note}" for note in valid.notes))
    return _apart(whole, valid, "the validation set"), labelled


def _apart(train_on: Conversations, valid: Conversations, named: str) -> Conversations:
    """What shares nothing with what validates; where most talk opens alike, no reply at least."""
    utterances = valid.word_texts()
    if train_on.sharing(utterances).mean() > MOST_LOST:
        return train_on.without_replies(utterances, named)
    return train_on.without(utterances, named)
