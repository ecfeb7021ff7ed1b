"""Training a phrase-based responder: alignment, phrase pairs, language model, folder."""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rejoinder.corpora.pairs import Pairs
from rejoinder.errors import InputError
from rejoinder.files.arrays import is_written, new_folder, read_folder
from rejoinder.files.replacing import remove_parts
from rejoinder.files.run_identity import another_run, as_kept, differences
from rejoinder.kernels.phrases import Links
from rejoinder.messages import counted
from rejoinder.models.training.folder import ModelFolder, Record, versions, write_folder
from rejoinder.responders.phrase.alignment import WordNumbers, aligner, links_of
from rejoinder.responders.phrase.language_model import (
    SPECIAL,
    LanguageModel,
    by_lmplz,
    has_lmplz,
)
from rejoinder.responders.phrase.model import PhraseModel, cut, sentences, vocabulary
from rejoinder.responders.phrase.parameters import KIND, PhraseParameters
from rejoinder.responders.phrase.phrases import phrase_table
from rejoinder.responders.phrase.trained import SUFFIX
from rejoinder.text.detokenize import plain

if TYPE_CHECKING:
    from rejoinder.progress import Report

LINKS = "links"
_ALIGNMENT_FACTS = ("pairs", "longest", "detokenize", "iterations", "seed")
"""The settings that the alignment depends on."""


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
    work: Path,
    report: Report | None,
) -> tuple[ModelFolder, list[str]]:
    """Trains a phrase-based responder and writes its folder.

    Args:
        corpus: Messages and replies.
        path: The output folder.
        parameters: All settings.
        validation: Replies whose perplexity under the language model is noted; None: none.
        identity: What tells the training from any other.
        work: The folder in which the alignment is kept until the model is finished.
        report: Called after every step.

    Returns:
        The folder, and notes.

    Raises:
        InputError: No pair is left; the alignment of another run is in ``work``.
    """
    notes = list(corpus.notes)
    steps = 4 * parameters.iterations + 4
    done = 0

    def tick(what: str = "aligning") -> None:
        nonlocal done
        done += 1
        if report is not None:
            report(done, steps, what)

    texts, left_out = _texts(corpus, parameters)
    notes += left_out
    words = vocabulary(texts[0]), vocabulary(texts[1], SPECIAL)
    source, target = (sentences(each, own) for each, own in zip(texts, words, strict=True))
    found = tools(parameters)
    links, resumed = _links(source, target, parameters, found["aligner"], corpus.hash, work, tick)
    if resumed:
        notes.append(f"went on from {work}: the alignment is there")
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
    estimate = by_lmplz if found["language_model"] == "lmplz" else LanguageModel.estimated
    model = PhraseModel(words[0], estimate(target, words[1], parameters.order), table)
    log: dict[str, Any] = {
        **found,
        "pairs": len(texts[0]),
        "extracted": pruned.extracted,
        "chance": pruned.chance,
        "copies": pruned.copies,
        "phrase_pairs": len(table.features),
        "ngrams": [len(each) for each in model.language.ngrams],
        "perplexity": None if validation is None else _perplexity(model, validation, parameters),
    }
    record = Record(
        kind=KIND + SUFFIX,
        config={**parameters.as_json(), "identity": dict(identity)},
        corpus_hash=corpus.hash,
        log=[log],
        versions=versions("numpy"),
    )
    folder = write_folder(path, record, None, model.files())
    shutil.rmtree(work / LINKS, ignore_errors=True)
    with suppress(OSError):  # something else is in it
        work.rmdir()
    return folder, notes


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
    kept = [
        each for each in rows
        if all(0 < len(side) <= parameters.longest for side in each)
    ]  # fmt: skip
    if len(kept) < len(rows):
        notes.append(
            f"corpus: {counted(len(rows) - len(kept), 'pair')} without a word on a side, or with more "
            f"than {parameters.longest}, left out"
        )
    if not kept:
        raise InputError("corpus: no pair is left; expected messages and replies with words")
    return ([left for left, _ in kept], [right for _, right in kept]), notes


def _links(
    source: WordNumbers,
    target: WordNumbers,
    parameters: PhraseParameters,
    name: str,
    corpus_hash: str,
    work: Path,
    tick: Any,
) -> tuple[Links, bool]:
    """The alignment, and whether an interrupted run had made it: of settings that it depends on."""
    every = parameters.as_json()
    settings = {each: every[each] for each in _ALIGNMENT_FACTS}
    identity = {"aligner": name, **settings, "corpus": corpus_hash}
    remove_parts(work)
    folder = work / LINKS
    if is_written(folder):
        arrays, record = read_folder(folder)
        if record["identity"] != as_kept(identity):
            raise another_run(
                folder, "an alignment", differences(record["identity"], identity),
                f"remove {work} to start anew",
            )  # fmt: skip
        return Links(*(np.array(arrays[name]) for name in Links._fields)), True
    links = links_of(source, target, parameters.iterations, name, tick)
    with new_folder(folder) as saved:
        for field, values in links._asdict().items():
            saved.append(field, values)
        saved.finish({"identity": as_kept(identity)})
    return links, False


def _perplexity(model: PhraseModel, validation: Pairs, parameters: PhraseParameters) -> float:
    """The perplexity of the validation replies, a word and the end of a reply at a time."""
    targets: Sequence[str] = validation.targets
    texts, _ = cut([plain(each) for each in targets] if parameters.detokenize else targets)
    logs = np.concatenate(model.language.word_logs(texts))
    return math.exp(-float(logs.mean()))
