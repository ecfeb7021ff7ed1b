"""Training a phrase-based responder: alignment, phrase pairs, language model, folder."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rejoinder.corpora.pairs import Pairs
from rejoinder.errors import InputError
from rejoinder.messages import counted
from rejoinder.models.training.folder import ModelFolder, Record, versions, write_folder
from rejoinder.responders.phrase.alignment import aligner, links_of
from rejoinder.responders.phrase.language_model import SPECIAL, LanguageModel, by_lmplz, has_lmplz
from rejoinder.responders.phrase.model import PhraseModel, cut, sentences, vocabulary
from rejoinder.responders.phrase.parameters import KIND, PhraseParameters
from rejoinder.responders.phrase.phrases import phrase_table
from rejoinder.responders.phrase.trained import SUFFIX
from rejoinder.text.detokenize import plain

if TYPE_CHECKING:
    from rejoinder.progress import Report


def tools(parameters: PhraseParameters) -> dict[str, str]:
    """What aligns here, and what estimates the language model: a model depends on them."""
    estimator = "lmplz" if parameters.external and has_lmplz() else "rejoinder"
    return {"aligner": aligner(bool(parameters.external)), "language_model": estimator}


def trained_phrases(
    corpus: Pairs,
    path: Path,
    parameters: PhraseParameters,
    validation: Pairs | None,
    identity: Mapping[str, Any],
    report: Report | None,
) -> tuple[ModelFolder, list[str]]:
    """Trains a phrase-based responder and writes its folder, whole or not at all.

    Args:
        corpus: Messages and replies.
        path: The output folder.
        parameters: All settings.
        validation: Replies whose perplexity under the language model is noted; None: none.
        identity: What tells the training from any other.
        report: Called after every step.

    Returns:
        The folder, and notes.

    Raises:
        InputError: No pair is left.
    """
    notes = list(corpus.notes)
    total, steps = 4 * parameters.iterations + 4, itertools.count(1)

    def tick(what: str = "aligning") -> None:
        if report is not None:
            report(next(steps), total, what)

    texts, left_out = _texts(corpus, parameters)
    notes += left_out
    words = vocabulary(texts[0]), vocabulary(texts[1], SPECIAL)
    source, target = (sentences(each, terms) for each, terms in zip(texts, words, strict=True))
    used_tools = tools(parameters)
    links = links_of(source, target, parameters.iterations, used_tools["aligner"], tick)
    tick("extracting phrases")
    numbers = {word: place for place, word in enumerate(words[0])}
    same = np.array([numbers.get(word, -2 - place) for place, word in enumerate(words[1])])
    table, pruned = phrase_table(
        source, target, links, same, parameters.phrase, parameters.association
    )
    if not table.keys.size:
        least = min(parameters.association or math.inf, math.log(len(texts[0])))
        lower = (
            f", or an association above 0 and below {least:.4g}" if pruned.chance and least else ""
        )
        raise InputError(
            f"corpus: none of {counted(pruned.extracted, 'phrase pair')} of {counted(len(texts[0]), 'pair')} "
            f"is left ({pruned.chance} may be chance, {counted(pruned.copies, 'copy', 'copies')}); give a "
            f"larger corpus{lower}"
        )
    tick("estimating the language model")
    estimate = by_lmplz if used_tools["language_model"] == "lmplz" else LanguageModel.estimated
    model = PhraseModel(words[0], estimate(target, words[1], parameters.order), table)
    log: dict[str, Any] = {
        **used_tools,
        "pairs": len(texts[0]),
        **pruned._asdict(),
        "phrase_pairs": len(table.features),
        "ngrams": [len(each) for each in model.language.ngrams],
        **_validated(model, validation, parameters),
    }
    record = Record(
        kind=KIND + SUFFIX,
        config={**parameters.as_json(), "identity": dict(identity)},
        corpus_hash=corpus.hash,
        log=[log],
        versions=versions("numpy"),
    )
    return write_folder(path, record, None, model.files()), notes


def _texts(
    corpus: Pairs, parameters: PhraseParameters
) -> tuple[tuple[list[list[str]], list[list[str]]], list[str]]:
    """The words of messages and replies, and notes on what is left out."""
    notes = []
    if parameters.pairs and parameters.pairs < len(corpus):
        notes.append(f"corpus: {parameters.pairs} pairs of {len(corpus)} used, drawn at random")
        order = np.random.default_rng([parameters.seed, len(corpus)]).permutation(len(corpus))
        corpus = corpus.take(np.sort(order[: parameters.pairs]))
    pairs = corpus.map(plain) if parameters.detokenize else corpus
    (messages, of_messages), (replies, of_replies) = cut(pairs.sources), cut(pairs.targets)
    notes += [f"corpus, messages: {each}" for each in of_messages]
    notes += [f"corpus, replies: {each}" for each in of_replies]
    rows = list(zip(messages, replies, strict=True))
    usable = [row for row in rows if all(0 < len(side) <= parameters.longest for side in row)]
    if len(usable) < len(rows):
        notes.append(
            f"corpus: {counted(len(rows) - len(usable), 'pair')} without a word on a side, or with more "
            f"than {parameters.longest}, left out"
        )
    if not usable:
        raise InputError("corpus: no pair is left; expected messages and replies with words")
    return ([left for left, _ in usable], [right for _, right in usable]), notes


def _validated(
    model: PhraseModel, validation: Pairs | None, parameters: PhraseParameters
) -> dict[str, float | None]:
    """How likely the validation replies are under the language model: a word and the end of a reply at a
    time (the mean of -ln p, and its exponential), and in bits per character.
    """
    if validation is None:
        return dict.fromkeys(("perplexity", "validation_loss", "bits_per_character"))
    texts, _ = cut((validation.map(plain) if parameters.detokenize else validation).targets)
    logs = np.concatenate(model.language.word_logs(texts))
    loss, characters = -float(logs.mean()), sum(map(len, validation.targets))
    bits = -float(logs.sum()) / (math.log(2) * max(characters, 1))
    return {"perplexity": math.exp(loss), "validation_loss": loss, "bits_per_character": bits}
