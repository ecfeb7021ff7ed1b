"""Training and scoring with RUBER's GRUs: beside a plain PyTorch loop over padded batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

from benchmarks.corpus import Corpus
from benchmarks.timing import Timing, interleaved

STEPS, PAIRS, ROUNDS = 8, 4000, 7
WORDS, TALKS = 10_000, 2_000


def run(_: Corpus) -> Iterator[str]:
    """Yields the lines of the report."""
    import torch

    corpus = _corpus()
    yield (
        f"Random texts of {WORDS} words in the shape of DailyDialog (14 words to an utterance on "
        f"average), float32, CPU, {torch.get_num_threads()} threads, torch {version('torch')}; "
        f"{ROUNDS} rounds, medians (least to most). The "
        "plain loop has the same weights, batches, loss and Adam; it pads query, reply and wrong "
        "reply to the longest text of the batch, and reads the padding."
    )
    yield ""
    yield "| size | training, pairs/s | plain loop, pairs/s | ratio | scoring, pairs/s |"
    yield "|---|---|---|---|---|"
    for name in ("paper", "gru"):
        ours, plain, scoring, batch = _rivals(name, corpus)
        timed = interleaved({"ours": ours, "plain": plain, "scoring": scoring}, rounds=ROUNDS)
        learnt = STEPS * batch
        ratio = timed["plain"].median / timed["ours"].median
        yield (
            f"| {name} | {_rate(learnt, timed['ours'])} | {_rate(learnt, timed['plain'])} "
            f"| **{ratio:.1f}** | {_rate(PAIRS, timed['scoring'])} |"
        )


def _rate(pairs: int, timing: Timing) -> str:
    """Pairs a second: the median, and the least and the most."""
    least, most = pairs / max(timing.rounds), pairs / min(timing.rounds)
    return f"{pairs / timing.median:,.0f} ({least:,.0f} to {most:,.0f})"


def _corpus() -> Any:
    """Conversations of six turns."""
    from rejoinder.models.ruber.data.conversations import Conversations
    from rejoinder.tables.testset import TestSet

    rng = np.random.default_rng(1)
    contexts, replies = [], []
    for _ in range(TALKS):
        said = [_utterance(rng) for _ in range(6)]
        contexts += [said[:i] for i in range(1, 6)]
        replies += [[said[i]] for i in range(1, 6)]
    return Conversations.of(TestSet.from_lists(replies, contexts=contexts), 3)


def _utterance(rng: np.random.Generator) -> str:
    length = 1 + min(60, int(rng.gamma(1.6, 8.2)))
    ranks = np.minimum(rng.zipf(1.25, length), WORDS)
    return " ".join(f"w{rank}" for rank in ranks)


def _rivals(
    name: str, corpus: Any
) -> tuple[Callable[[], object], Callable[[], object], Callable[[], object], int]:
    """Some steps of ours, the same of the plain loop, pairs scored, and items to a step."""
    import torch

    from rejoinder.models.ruber.gru.gru import GRUScorer
    from rejoinder.models.ruber.ranking import Ranking, logits
    from rejoinder.models.ruber.registry import SIZES
    from rejoinder.models.ruber.scorer import Sources
    from rejoinder.models.ruber.training import ScorerTask
    from rejoinder.models.training.loop import Loop
    from rejoinder.models.vectors.word_vectors import WordVectors

    size = SIZES[name]
    torch.manual_seed(1)
    start = WordVectors(["w1"], np.ones((1, 1), np.float32))
    scorer = size.scorer.fresh(size.config, Sources(corpus, "none", lambda _: start, None))
    assert isinstance(scorer, GRUScorer)
    prepared = scorer.prepare(corpus.texts)
    batch = size.schedule.batch
    ranking = Ranking.of(corpus, 1)
    loop = Loop(ScorerTask(scorer, corpus, prepared, ranking, prepared, size.schedule, 1))
    batches = np.random.default_rng(2).permutation(len(corpus))[: STEPS * batch].reshape(STEPS, -1)
    plain = _plain(scorer, corpus, prepared, size.schedule)
    rows = np.random.default_rng(3).integers(0, len(corpus), (2, PAIRS))

    def ours() -> None:
        for rows in batches:
            loop.step(rows, STEPS)

    def theirs() -> None:
        for rows in batches:
            plain(rows)

    def scoring() -> None:
        logits(scorer, scorer.prepare(corpus.texts), corpus.turns[rows[0]], corpus.replies[rows[1]])

    return ours, theirs, scoring, batch


def _plain(scorer: Any, corpus: Any, prepared: Any, schedule: Any) -> Callable[[Any], None]:
    """One step as public implementations take it."""
    import copy

    import torch
    from torch.nn.functional import dropout

    from rejoinder.models.ruber.gru.gru import joined
    from rejoinder.models.ruber.losses import margin_loss, own_loss, softmax_loss
    from rejoinder.models.ruber.scorer import said_elsewhere

    house, sizes = copy.deepcopy(scorer.network), scorer.sizes
    adam = torch.optim.Adam(house.parameters(), lr=schedule.rate)
    rng, others = np.random.default_rng(4), corpus.others()

    def read(gru: Any, ids: torch.Tensor) -> torch.Tensor:
        last = gru(dropout(house.vectors(ids), sizes.dropout))[1]
        return dropout(torch.cat([last[0], last[1]], dim=-1), sizes.dropout)

    def step(rows: Any) -> None:
        b, true = rows.size, corpus.replies[rows]
        softmax = sizes.loss == "softmax"
        if softmax:
            wrong = said_elsewhere(corpus, rows, others, rng)
        else:
            wrong = corpus.replies[rng.integers(0, len(corpus), b)]
        texts = [
            joined(prepared, corpus.turns[rows][:, -sizes.turns :]),
            prepared.take(true),
            prepared.take(wrong),
        ]
        longest = max(int(each.lengths.max()) for each in texts)
        q, r, w = (_padded(each, longest) for each in texts)
        q, r, w = read(house.query, q), read(house.reply, r), read(house.reply, w)
        if softmax:
            grid = house.grid(q, r)
            own = own_loss(grid.diagonal(), house.pairs(q, w))
            loss = softmax_loss(grid, true) + sizes.own * own
        else:
            loss = margin_loss(house.pairs(q, r), house.pairs(q, w), sizes.margin)
        adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(house.parameters(), schedule.clip)
        adam.step()

    return step


def _padded(texts: Any, longest: int) -> Any:
    import torch

    ids = texts.padded()[0]
    return torch.nn.functional.pad(ids, (0, longest - ids.shape[1]))
