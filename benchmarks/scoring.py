"""From in-memory strings to score: BLEU-4 and deltaBLEU beside sacreBLEU and bleuscore."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import bleuscore
import sacrebleu
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

from benchmarks.corpus import Corpus
from benchmarks.timing import Timing, interleaved, show
from rejoinder.metrics import BLEU, DeltaBLEU

OURS = BLEU(order=4, smoothing="exp")
DELTA = DeltaBLEU(order=4)

EARLIER = """
Commit 83ab64e beside commit be37c84, on 2 quiet cores, process by process in turns; by the clock, median of
the least times of 7 processes with 40 rounds each: the 3,004 replies with one reference, BLEU-4 2.18 ms
against 2.19, ROUGE-L 2.58 against 2.49, chrF 5.91 against 5.81; one system 4.11 against 4.16, ten 6.38
against 7.09. Half an hour before, ROUGE-L took 3.11 against 2.50 and chrF 6.55 against 5.82, and each by
itself in five processes 3.03 against 3.14 and 6.59 against 6.40."""


def run(corpus: Corpus) -> Iterator[str]:
    """Yields the lines of the report."""
    yield "| case | rejoinder | rival | ratio |"
    yield "|---|---|---|---|"
    yield from one_by_one(corpus)
    yield from together(corpus, rounds=7)
    yield from rust(corpus)
    yield from delta(corpus)
    yield single(corpus)
    for segments, rounds in ((100_000, 3), (1_000_000, 2)):
        yield from repeated(corpus, segments, rounds)
    yield EARLIER


def row(case: str, ours: Timing, theirs: Timing, rival: str) -> str:
    """A line of the table; ratios of medians, by the clock and by the processor."""
    ratio = f"**{theirs.median / ours.median:.1f}**"
    if ours.processor:
        times = statistics.median(theirs.processor) / statistics.median(ours.processor)
        ratio += f", processor **{times:.1f}**"
    return f"| {case} | {ours} | {rival} {theirs} | {ratio} |"


def one_by_one(corpus: Corpus) -> Iterator[str]:
    streams = corpus.streams
    ratios, every = [], {"ours": [], "theirs": []}
    for replies in corpus.systems.values():
        theirs = sacrebleu.BLEU().corpus_score(replies, streams).score
        assert abs(100 * OURS.corpus(replies, corpus.references).value - theirs) < 1e-9

        def ours(replies: list[str] = replies) -> object:
            return OURS.corpus(replies, corpus.references)

        def rival(replies: list[str] = replies) -> object:
            # sacreBLEU keeps the tokens of the last 65,536 strings: they are forgotten, so that
            # every round tokenises, as ours does. Below the same is timed with them kept.
            Tokenizer13a.__call__.cache_clear()
            TokenizerRegexp.__call__.cache_clear()
            return sacrebleu.BLEU().corpus_score(replies, streams)

        timed = interleaved({"ours": ours, "theirs": rival}, rounds=2)
        ratios.append(timed["theirs"].median / timed["ours"].median)
        for name, timing in timed.items():
            every[name] += timing.rounds
    yield row(
        "one system alone",
        Timing(tuple(every["ours"])),
        Timing(tuple(every["theirs"])),
        "sacreBLEU",
    )
    yield (
        f"| (the ten systems one by one: least, median, most) | | | {min(ratios):.0f}, "
        f"{statistics.median(ratios):.0f}, {max(ratios):.0f} |"
    )
    warm = interleaved(
        {
            "ours": lambda: [OURS.corpus(r, corpus.references) for r in corpus.systems.values()],
            "theirs": lambda: [
                sacrebleu.BLEU().corpus_score(r, streams) for r in corpus.systems.values()
            ],
        },
        rounds=2,
    )
    yield row(
        "the ten one after the other, sacreBLEU's tokenizer cache warm",
        warm["ours"],
        warm["theirs"],
        "sacreBLEU",
    )


def together(corpus: Corpus, rounds: int) -> Iterator[str]:
    streams = corpus.streams

    def cached() -> list[object]:
        metric = sacrebleu.BLEU(references=streams)
        return [metric.corpus_score(replies, None) for replies in corpus.systems.values()]

    timed = interleaved(
        {
            "ours": lambda: OURS.corpora(corpus.systems, corpus.references),
            "theirs": cached,
        },
        rounds,
    )
    yield row(
        f"ten systems together ({10 * corpus.size:,} segments)",
        timed["ours"],
        timed["theirs"],
        "sacreBLEU, reference cache",
    )


def rust(corpus: Corpus) -> Iterator[str]:
    replies = next(iter(corpus.systems.values()))
    timed = interleaved(
        {
            "one": lambda: OURS.corpus(replies, corpus.references),
            "one, rust": lambda: bleuscore.compute(corpus.references, replies),
            "ten": lambda: OURS.corpora(corpus.systems, corpus.references),
            "ten, rust": lambda: [
                bleuscore.compute(corpus.references, each) for each in corpus.systems.values()
            ],
        },
        rounds=7,
    )
    yield row("one system alone", timed["one"], timed["one, rust"], "bleuscore")
    yield row("ten systems together", timed["ten"], timed["ten, rust"], "bleuscore")


def delta(corpus: Corpus) -> Iterator[str]:
    replies = next(iter(corpus.systems.values()))
    given = (corpus.references, corpus.weights)
    timed = interleaved(
        {
            "bleu": lambda: OURS.corpus(replies, corpus.references),
            "delta": lambda: DELTA.corpus(replies, *given),
            "bleu ten": lambda: OURS.corpora(corpus.systems, corpus.references),
            "delta ten": lambda: DELTA.corpora(corpus.systems, *given),
        },
        rounds=21,
    )
    for case, suffix in (("one system alone", ""), ("ten systems together", " ten")):
        bleu, weighted = timed["bleu" + suffix], timed["delta" + suffix]
        ratio = weighted.median / bleu.median
        yield f"| cost of deltaBLEU, {case} | {weighted} | our BLEU {bleu} | {ratio:.2f} |"


def single(corpus: Corpus, segments: int = 3004) -> str:
    """As many replies as a test set of translation has lines, with one reference each."""
    flat = [
        (reply, references[0])
        for replies in corpus.systems.values()
        for reply, references in zip(replies, corpus.references, strict=True)
    ][:segments]
    replies, first = map(list, zip(*flat, strict=True))
    references = [[each] for each in first]
    timed = interleaved(
        {
            "ours": lambda: OURS.corpus(replies, references),
            "theirs": lambda: sacrebleu.BLEU().corpus_score(replies, [first]),
        },
        rounds=21,
    )
    case = f"{segments:,} replies, one reference each, sacreBLEU's tokenizer cache warm"
    return row(case, timed["ours"], timed["theirs"], "sacreBLEU")


def repeated(corpus: Corpus, segments: int, rounds: int) -> Iterator[str]:
    """sacreBLEU runs a slice and is extrapolated: its time grows with the segments."""
    long = corpus.items(segments // len(corpus.systems))
    share = min(1.0, 20_000 / segments)
    part = long.items(int(long.size * share))
    streams = part.streams

    def cached() -> list[object]:
        metric = sacrebleu.BLEU(references=streams)
        return [metric.corpus_score(replies, None) for replies in part.systems.values()]

    timed = interleaved(
        {"ours": lambda: OURS.corpora(long.systems, long.references), "theirs": cached}, rounds
    )
    ratio = timed["theirs"].median / share / timed["ours"].median
    yield (
        f"| the ten repeated to {segments:,} segments | {timed['ours']} | sacreBLEU, reference "
        f"cache, {share:.0%} of them: {timed['theirs']}, all: {show(timed['theirs'].median / share)} "
        f"| **{ratio:.1f}** |"
    )
