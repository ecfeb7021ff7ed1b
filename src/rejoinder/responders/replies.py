"""The replies of a system to the items of a test set, and never those that the test set holds."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from rejoinder._version import __version__
from rejoinder.corpora.pairs import Pairs, as_pairs
from rejoinder.errors import InputError, ParameterError, check_least
from rejoinder.files.checksums import json_digest
from rejoinder.files.resumable_lines import file_name
from rejoinder.messages import Argument, counted
from rejoinder.models.chat.asking import Limits
from rejoinder.models.chat.endpoint import ChatEndpoint
from rejoinder.models.likelihood.backend import LocalModel
from rejoinder.models.training.folder import kind_of
from rejoinder.models.unused_settings import check_unused
from rejoinder.models.worker_models import loaded_once
from rejoinder.progress import Progress
from rejoinder.responders.chat import ChatResponder, remarks
from rejoinder.responders.registry import BUILT_IN, RERANKING, Choices, kind_of_system
from rejoinder.responders.retrieval.retrieval import Scorer
from rejoinder.responders.transformer import TransformerResponder
from rejoinder.result import Result
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.schemas import RESPONSES
from rejoinder.tables.testset import TestSet, TestSetLike


@dataclass(frozen=True, eq=False, repr=False)
class Replies(Result):
    """The replies of one system.

    Attributes:
        system: Its name in ``table``.
        table: Responses (``system``, ``id``, ``text``), one for each item: what ``score`` takes; or n-best
            lists, where these were asked for.
        hash: 8 hexadecimal digits: of the corpus that the replies come from, without the pairs that
            were excluded, or of the trained system's folder, or of a server's model and settings.
        notes: What was excluded, and what the replies lack.
        signature: Of a server's replies: model and settings; else empty.
    """

    system: str
    table: pl.DataFrame
    hash: str
    notes: tuple[str, ...]
    signature: str = ""


PHRASE_BASED = "phrase-responder"
"""The kind of model of a phrase-based system."""

ANSWER_TOKENS = 128
"""Maximum number of tokens of a reply."""


def respond(
    system: str | os.PathLike[str],
    testset: TestSetLike,
    *,
    corpus: TestSetLike | Pairs | None = None,
    exclude_test_pairs: bool = True,
    name: str | None = None,
    beam: int = 10,
    length_penalty: float = 1.0,
    scorer: Scorer | str | os.PathLike[str] | None = None,
    candidates: int = 20,
    tokenizer: str = "13a",
    seed: int = 12345,
    progress: Progress | None = None,
    local: LocalModel = LocalModel(),
    instructions: str = "",
    turns: int | None = None,
    answer_tokens: int = ANSWER_TOKENS,
    limits: Limits = Limits(),
    work: str | os.PathLike[str] | None = None,
    nbest: int = 1,
    weights: Mapping[str, Any] | None = None,
) -> Replies:
    """Replies to every item of a test set: to the last turn of its context.

    A corpus often holds the test set's own pairs of a message and its reply (a quarter of
    DailyDialog's). A system that takes its replies from such a corpus would give back the
    references, so the pairs that stand in both are excluded from the corpus, and counted in a note.

    A chat model behind a server, and a model of ``transformers``, see the whole conversation. One that
    a server refuses has no reply, and is counted in a note.

    Args:
        system: ``random``, ``retrieval``, the folder of a trained system or of a ``transformers``
            model, or the URL of an OpenAI-compatible server with chat completions (``#name`` behind it
            where it has several models).
        testset: The items to reply to.
        corpus: Where ``random`` and ``retrieval`` take their replies from.
        exclude_test_pairs: Whether the test set's own pairs (every reference of an item with the
            last turn of its context) are excluded from the corpus.
        name: The system's name in the table; None takes ``random``, ``retrieval`` or the folder's
            name.
        beam: Beam size (trained systems and ``transformers`` models); of a phrase-based one the number of
            hypotheses that are extended of each number of words covered.
        length_penalty: Log-probabilities are divided by the length to this power (trained systems).
        scorer: What re-ranks the replies that ``retrieval`` finds: a function from messages and
            replies to scores, or the folder of a model of ``train_ruber``.
        candidates: How many replies the scorer re-ranks.
        tokenizer: How ``retrieval`` cuts messages into words: one of
            ``rejoinder.text.tokenizers.TOKENIZERS``; ``zh``, ``ja-mecab`` or ``char`` where words have
            no spaces between them.
        seed: Random seed (``random``; a server is told it).
        progress: Called with the number of messages answered and of all messages.
        local: The device of a trained system or a scorer; device and number type of a ``transformers``
            model.
        instructions: What a server's model is told before each conversation.
        turns: How many last turns a server's or a ``transformers`` model sees; None: all.
        answer_tokens: Maximum number of tokens of its reply.
        limits: How often a server is asked; a maximum number of calls or tokens needs ``work``.
        work: A folder for intermediate results; an interrupted run is resumed.
        nbest: Number of replies to each message (phrase-based systems). Of more than one, the table has a
            column ``sample`` and a column for each feature: the n-best lists that ``tune`` reads.
        weights: By feature its weight, or what ``tune`` gives (phrase-based systems); None: weights by
            hand.

    Raises:
        InputError: An item has no context; the corpus holds nothing but the test set's own pairs;
            the folder is none of a trained system; the server cannot be reached, or a limit is reached.
        ParameterError: A corpus is missing or of no use to the system, a number is out of range, or a
            setting has no effect on this kind of system.
        MissingExtraError: A package of the extra ``models`` is not installed.

    Example:
        >>> testset = TestSet.from_lists([["Very."]], contexts=[["Is it cold?"]])
        >>> corpus = Pairs(["1", "2"], ["Is it cold?", "Cold?"], ["Very.", "A little."])
        >>> replies = respond("retrieval", testset, corpus=corpus)
        >>> replies.table["text"].to_list(), replies.notes
        (['A little.'], ('1 pair of 2 left out that also stand in the test set',))
    """
    check_draws(0, seed)
    testset = TestSet.of(testset)
    _check(system, corpus, scorer, beam, candidates)
    if tokenizer != "13a" and system != "retrieval":
        raise ParameterError(
            "tokenizer: only retrieval compares the words of messages; leave it out"
        )
    messages = messages_of(testset)
    served = ServerSettings(instructions, turns, answer_tokens, limits, work)
    kind = kind_of_system(system)
    _check_local(local, kind)
    if kind == "server":
        return of_server(str(system), testset, name, served, seed, progress)
    served.check_unused(("turns", "answer_tokens") if kind == "transformers" else ())
    if kind == "transformers":
        responder = TransformerResponder.load(
            system, local=local, turns=turns, answer_tokens=answer_tokens, name=name
        )
        return of_transformer(responder, testset, beam, length_penalty, progress)
    label = name or (str(system) if system in BUILT_IN else Path(system).resolve().name)
    if corpus is None and kind_of(system) == PHRASE_BASED:
        if length_penalty != 1.0 or local.device != "auto":
            raise ParameterError(
                Argument("device" if length_penalty == 1.0 else "length_penalty"),
                ": has no effect on a phrase-based system; leave it out",
            )
        return _phrase_based(system, messages, testset, label, beam, nbest, weights, progress)
    if nbest != 1 or weights is not None:
        raise ParameterError(
            Argument("nbest" if weights is None else "weights"),
            ": only phrase-based systems have n-best lists and weights; leave it out",
        )
    if corpus is None:
        texts, hash_, notes = _trained_replies(
            system, messages, beam, length_penalty, progress, local.device
        )
    else:
        pairs = as_pairs(corpus)
        if exclude_test_pairs:
            pairs = without_test_pairs(pairs, testset)
        chosen = Choices(seed, _ranking(scorer, local.device), candidates, tokenizer)
        responder = BUILT_IN[str(system)].make(pairs, chosen)
        texts = responder.respond(messages, progress)
        notes = [*pairs.notes, *responder.notes]
        hash_ = pairs.hash
    table = pl.DataFrame({"system": [label] * len(texts), "id": testset.ids, "text": texts})
    return Replies(label, table, hash_, tuple(notes))


def without_test_pairs(corpus: Pairs, testset: TestSet) -> Pairs:
    """The corpus without the pairs that stand in the test set; a note counts those.

    A pair stands in the test set if an item's context ends with its message and any reference of
    that item is its reply; only letters and figures are compared, whatever their case.

    Raises:
        InputError: No pair is left.

    Example:
        >>> corpus = Pairs(["1", "2"], ["Is it cold?", "Where to?"], ["Very.", "Home."])
        >>> testset = TestSet.from_lists([["No.", "very"]], contexts=[["is it cold"]])
        >>> without_test_pairs(corpus, testset).targets
        ['Home.']
    """
    left = corpus.without(_all_pairs(testset), "the test set")
    if not len(left):
        raise InputError(
            "corpus: all its pairs are the test set's own, which a system must not give back; name "
            "another corpus"
        )
    return left


def _all_pairs(testset: TestSet) -> Pairs:
    """The last turn of every item's context with each of the item's references."""
    items = testset.contexts.select("id", pl.col("context").list.last().alias("source"))
    pairs = testset.references.select("id", "text").join(items, on="id", maintain_order="left")
    whole = pairs.drop_nulls(["source", "text"])
    ids, sources, targets = (whole.get_column(name).to_list() for name in ("id", "source", "text"))
    return Pairs(ids, sources, targets)


def _check(
    system: str | os.PathLike[str],
    corpus: TestSetLike | Pairs | None,
    scorer: object,
    beam: int,
    candidates: int,
) -> None:
    check_least(1, beam=beam, candidates=candidates)
    if system in BUILT_IN and corpus is None:
        raise ParameterError(
            f"{system}: needs a corpus to take replies from; name one with ", Argument("corpus")
        )
    if system not in BUILT_IN and corpus is not None:
        names = " and ".join(BUILT_IN)
        raise ParameterError(f"corpus: only {names} take their replies from a corpus")
    if scorer is not None and system not in RERANKING:
        raise ParameterError(f"scorer: only {' and '.join(RERANKING)} re-ranks its replies")


def _check_local(local: LocalModel, kind: str) -> None:
    """Raises a ParameterError where a setting of a model on this machine would be ignored."""
    used = {"server": (), "transformers": ("device", "dtype")}.get(kind, ("device",))
    defaults = {name: each for name, each in vars(LocalModel()).items() if name not in used}
    check_unused(vars(local), defaults, "on replies of this system")


def messages_of(testset: TestSet) -> list[str]:
    """The last turn of every context.

    Raises:
        InputError: An item has no context.
    """
    messages = testset.contexts.get_column("context").list.last().to_list()
    without = [name for name, message in zip(testset.ids, messages, strict=True) if message is None]
    if without:
        raise InputError(
            f"test set: {len(without)} of {len(testset)} items have no context to reply to, "
            f"{without[0]!r} the first; expected a message for each"
        )
    return messages


def _ranking(scorer: Scorer | str | os.PathLike[str] | None, device: str) -> Scorer | None:
    if scorer is None or callable(scorer):
        return scorer
    from rejoinder.models.ruber.model import load

    model = load(os.fspath(scorer), device)
    return lambda messages, replies: model.score([[each] for each in messages], replies)


def _trained_replies(
    folder: str | os.PathLike[str],
    messages: list[str],
    beam: int,
    length_penalty: float,
    progress: Progress | None,
    device: str,
) -> tuple[list[str], str, list[str]]:
    from rejoinder.responders.seq2seq.trained import TrainedResponder

    responder = loaded_once(
        folder, ("trained", device), lambda: TrainedResponder.load(folder, device)
    )
    texts = responder.respond(messages, beam, length_penalty, progress)
    empty = sum(not text.strip() for text in texts)
    return (
        texts,
        responder.hash,
        [f"{counted(empty, 'reply is', 'replies are')} empty"] if empty else [],
    )


def _phrase_based(
    folder: str | os.PathLike[str],
    messages: list[str],
    testset: TestSet,
    label: str,
    beam: int,
    nbest: int,
    weights: Mapping[str, Any] | None,
    progress: Progress | None,
) -> Replies:
    from rejoinder.responders.phrase.trained import PhraseResponder, as_lists

    responder = PhraseResponder.load(folder, weights)
    lists = responder.candidates(messages, nbest, beam, progress)
    table = as_lists(label, testset.ids, lists)
    notes = responder.remarks(messages, lists)
    short = sum(len(several) < nbest for several in lists)
    if short:
        notes.append(f"{short} of {len(lists)} lists have fewer than {nbest} replies")
    table = table if nbest > 1 else table.select(list(RESPONSES))
    facts = {"weights": json_digest(dict(responder.weights))[:8]}
    return Replies(label, table, responder.hash, tuple(notes), _signature(facts))


@dataclass(frozen=True)
class ServerSettings:
    """What is said of a server's model alone; see ``respond``."""

    instructions: str = ""
    turns: int | None = None
    answer_tokens: int = ANSWER_TOKENS
    limits: Limits = field(default_factory=Limits)
    work: str | os.PathLike[str] | None = None

    def check_unused(self, used: Sequence[str] = ()) -> None:
        """Raises a ParameterError where a setting differs from its default: it would be ignored.

        Args:
            used: The settings that have an effect without a server too.
        """
        defaults = {**vars(ServerSettings()), **vars(Limits())}
        for name in ("limits", *used):
            defaults.pop(name)
        check_unused({**vars(self), **vars(self.limits)}, defaults, "without the URL of a server")


def of_server(
    url: str,
    testset: TestSet,
    name: str | None,
    served: ServerSettings,
    seed: int,
    progress: Progress | None,
) -> Replies:
    """The replies of a chat model behind a server.

    Args:
        url: The address of the server.
        testset: The test set.
        name: The name of the model; None: the only one of the server.
        served: How the server is asked.
        seed: Random seed.
        progress: Called with what is done and what there is in all; None: never.

    Raises:
        ParameterError: A setting is outside its range.
    """
    served.limits.check(kept=served.work is not None)
    if served.turns is not None and served.turns < 1:
        raise ParameterError(
            Argument("turns", served.turns), "; expected 1 or more, or None for all"
        )
    endpoint = ChatEndpoint(
        url, logprobs=False, answer_tokens=served.answer_tokens, seed=seed, name=name
    )
    responder = ChatResponder(endpoint, served.instructions, served.turns, served.limits)
    contexts = testset.contexts.get_column("context").to_list()
    file = None
    if served.work is not None:
        file = Path(served.work) / f"{file_name(endpoint.name)}.replies.jsonl"
    try:
        replies = responder.respond(dict(zip(testset.ids, contexts, strict=True)), file, progress)
    finally:
        endpoint.close()
    rows = [(endpoint.name, each.id, each.text) for each in replies if each.text is not None]
    table = pl.DataFrame(rows, schema=RESPONSES, orient="row")
    facts = responder.facts
    notes = tuple(remarks(replies))
    return Replies(endpoint.name, table, json_digest(facts)[:8], notes, _signature(facts))


def of_transformer(
    responder: TransformerResponder,
    testset: TestSet,
    beam: int,
    length_penalty: float,
    progress: Progress | None,
) -> Replies:
    """The replies of a model of ``transformers`` on this machine.

    Args:
        responder: The model.
        testset: The test set.
        beam: Beam size.
        length_penalty: Log-probabilities are divided by the length to this power.
        progress: Called with what is done and what there is in all; None: never.
    """
    contexts = testset.contexts.get_column("context").to_list()
    texts, notes = responder.respond(contexts, beam, length_penalty, progress)
    name = responder.backend.name
    table = pl.DataFrame({"system": [name] * len(texts), "id": testset.ids, "text": texts})
    facts = {
        **responder.backend.facts,
        "beam": str(beam),
        "length_penalty": str(length_penalty),
        "answer_tokens": str(responder.answer_tokens),
    }
    return Replies(name, table, json_digest(facts)[:8], tuple(notes), _signature(facts))


def _signature(facts: Mapping[str, str]) -> str:
    words = {**facts, "version": __version__}
    return "|".join(["respond", *(f"{key}:{value}" for key, value in words.items())])
