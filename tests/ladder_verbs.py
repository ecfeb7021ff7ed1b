"""What the size ladder asks of every verb: its command lines, and how many items its JSON tells.

A new verb needs an entry here: ``tests/unit/cli/test_cli_ladder.py`` fails without one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

import ledgers
from ladder_data import Rung
from rejoinder.files.provenance import content_of, write_record
from shared_data import EXAMPLES

RESAMPLES = ["--resamples", 100]
FEW = ["--permutations", 100, *RESAMPLES]
TINY = {"vocabulary": 60, "layers": 1, "width": 16, "tokens": 2000, "epochs": 1}
"""A Transformer that trains in a second."""


class Line(NamedTuple):
    """One command line, without the verb and without ``--json``.

    Args:
        words: Its words.
        n: What each number of items (or replies, or pairs) in the JSON must be; None where that is
            the protocol's own affair.
    """

    words: list[Any]
    n: int | None = None


@dataclass(frozen=True)
class Entry:
    """One verb in the ladder.

    Attributes:
        lines: The command lines of a rung.
        counted: The numbers of items that the JSON tells.
        least: From how many items and systems on there must be a result; below it a message will do.
        most: With more replies (items x systems) the cell is left to the slow part.
        alone: Whether systems play no part: one number of systems is enough.
        installed: With how many systems the installed command is tried in the default part too, where a
            verb imports what no other does; the slow part tries every verb.
        needs: Modules without which the cell is skipped.
    """

    lines: Callable[[Rung], Iterable[Line]]
    counted: Callable[[Any], Iterable[int]] = lambda told: []
    least: tuple[int, int] = (1, 1)
    most: int = 20_000
    alone: bool = False
    installed: int = 0
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Absent:
    """A verb that has no place in the ladder.

    Attributes:
        why: The reason.
    """

    why: str


def kept(rung: Rung) -> str:
    """Scores of the rung, kept as ``rejoinder score --save`` keeps them."""
    path = rung.folder / "kept.parquet"
    if not path.exists():
        from rejoinder import read_responses, read_testset, score

        table = read_responses(rung.responses())
        score(read_testset(rung.testset()), table, ["bleu", "length"], resamples=100).save(path)
    return str(path)


def half_rated(rung: Rung) -> str:
    """The ratings of every other item."""
    path = rung.folder / "half-rated.parquet"
    if not path.exists():
        table = pl.read_parquet(rung.ratings())
        table.filter(pl.col("id").is_in(list(rung.ids)[::2])).write_parquet(path)
    return str(path)


def compared(told: Any) -> list[int]:
    """The numbers of items of pairs, by metrics or beside ratings."""
    if "verdicts" in told:
        return [row["rated"] for row in told["pairs"]]
    if "pairs" in told:
        return [row["items"] for row in told["pairs"]]
    return [row["n"] for row in told["comparisons"]]


def rows(name: str) -> Callable[[Any], list[int]]:
    """The column ``n`` of a list of rows."""
    return lambda told: [row["n"] for row in told[name]]


def score(rung: Rung) -> Iterator[Line]:
    """With the default metrics, but for the large rungs; with one, and saved; samples; from kept scores."""
    files = [rung.testset(), rung.responses()]
    if rung.items < 10_000:
        yield Line([*files, *RESAMPLES], rung.items)
    yield Line([*files, "-m", "bleu", "--save", rung.new("saved.parquet")], rung.items)
    at = ["-m", "sbleu", "--at", 2, "--passing", 0.2, "--cluster", "topic"]
    yield Line([rung.testset(), rung.samples(), *at, *RESAMPLES], rung.items)
    yield Line([kept(rung)], rung.items)
    yield Line([kept(rung), "--cluster", "topic"], rung.items)


def compare(rung: Rung) -> Iterator[Line]:
    """All pairs, of kept scores; over clusters, with all that is added on demand; a gate."""
    yield Line([kept(rung), "--permutations", 1000], rung.items)
    gate = ["-b", rung.names[0], "--fail-if-worse", 0.99]
    yield Line([kept(rung), "--permutations", 1000, *gate], rung.items)
    added = ["--cluster", "topic", "--margin", 0.1, "--ranks"]
    yield Line([kept(rung), "--permutations", 1000, *added], rung.items)
    if rung.items >= 20 and rung.systems > 1:  # a correction takes 10 rated items
        people = [kept(rung), "--ratings", half_rated(rung)]
        yield Line([*people, "--ranks", "--anytime"], rung.items)
        if rung.items < 1000:
            yield Line([*people, "--correction", "max"], rung.items)
    if rung.systems > 1:
        yield Line(["--ratings", rung.ratings(), "--ranks"], rung.items)


def audit(rung: Rung) -> Iterator[Line]:
    """Trivial replies beside the systems."""
    files = [rung.testset(), rung.responses(), "-m", "bleu", *RESAMPLES]
    yield Line(files, rung.items)
    if rung.items < 1000:
        yield Line([*files, "--cluster", "topic"], rung.items)


def variety(rung: Rung) -> Iterator[Line]:
    """Two samples of every reply: with references, and alone."""
    yield Line([rung.testset(), rung.samples(), "--permutations", 100], rung.items)
    if rung.items < 1000:
        yield Line([rung.samples(), "--permutations", 100], rung.items)


def report(rung: Rung) -> Iterator[Line]:
    """A page with ratings, and Markdown without."""
    files = [rung.testset(), rung.responses(), "-m", "bleu", *RESAMPLES]
    if rung.systems == 2:
        rated = ["--ratings", rung.ratings()]
        yield Line([*files, *rated, "-o", rung.new("report.html")], rung.items)
    yield Line([*files, "-o", rung.new("report.md")], rung.items)


def explain_diff(rung: Rung) -> Iterator[Line]:
    """Sums and averages of BLEU; ROUGE, with its aggregator."""
    files = [rung.testset(), rung.responses()]
    yield Line([*files, "-m", "bleu:compat=sacrebleu", "-m", "sbleu:compat=nltk"], rung.items)
    if rung.items < 1000:
        yield Line([*files, "-m", "rouge1", "-m", "rouge1:stemmer=true"], rung.items)
        if rung.systems == 1:
            yield Line([*files, "-m", "rougeL", "--reported", "31.4"], rung.items)


def correlate(rung: Rung) -> Iterator[Line]:
    """Every protocol."""
    rated = [kept(rung), "--ratings", rung.ratings(), *FEW]
    turn = ["-c", "spearman", "-p", "turn", "--compare"]
    yield Line([*rated, *turn], rung.items * rung.systems)
    yield Line([*rated, "-c", "spearman", "--level", "dialogue", "--cluster", "topic"])
    units = ["--set", f"unit_size={unit_size(rung)}", "--set", "assignments=20"]
    yield Line([*rated, "-c", "spearman", "-p", "unit", *units])
    yield Line([*rated, "-c", "pearson", "-p", "system"], rung.systems)
    yield Line([*rated, "-p", "pairwise"])
    if rung.systems > 1 and rung.items > 1:
        yield Line([*rated, "-p", "soft"])


def unit_size(rung: Rung) -> int:
    """A hundred items, or an eighth of what there is."""
    return min(100, max(1, rung.items // 8))


def judge(rung: Rung) -> Iterator[Line]:
    """Metrics beside two raters of every reply."""
    yield Line([kept(rung), "--ratings", rung.ratings()], rung.items * rung.systems)


def ratings(rung: Rung) -> Iterator[Line]:
    """Two raters of every reply."""
    yield Line([rung.ratings(), *RESAMPLES], rung.items)


def preferences(rung: Rung) -> Iterator[Line]:
    """Two raters of every pair of neighbours."""
    yield Line([rung.preferences(), *RESAMPLES, "--tables", rung.new("tables.csv")], rung.items)
    yield Line([rung.preferences(), "--ties", "davidson", "--ranks"], rung.items)


def _planned(told: Any) -> Iterator[int]:
    """The items of the pilot, or those that a plan for rates is asked for."""
    yield from [told["items"]] if "items" in told else [row["items"] for row in told["rate_power"]]


def plan(rung: Rung) -> Iterator[Line]:
    """From a metric alone, from ratings, and from rates alone."""
    yield Line([kept(rung), *RESAMPLES], rung.items)
    yield Line([kept(rung), "--ratings", rung.ratings(), *RESAMPLES], rung.items)
    yield Line([kept(rung), "--cluster", "topic", *RESAMPLES], rung.items)
    yield Line(["--rates", 0.7, 0.9, "--items", rung.items], rung.items)
    drawn = ["--next", 1, "-o", rung.new("next.csv")]
    yield Line([kept(rung), *drawn, *RESAMPLES], rung.items)
    if rung.items >= 20 and rung.systems > 1:
        yield Line(
            [kept(rung), "--ratings", half_rated(rung), *drawn, *RESAMPLES], (rung.items + 1) // 2
        )


def weigh(rung: Rung) -> Iterator[Line]:
    """Rated replies as references."""
    files = [rung.testset(), rung.responses(), "--ratings", rung.ratings()]
    yield Line([*files, "--scale", 1, 5, "-o", rung.new("weighed.jsonl")], rung.items)
    rated = ["--rated-replies", rung.responses(), "--ratings", rung.ratings()]
    own = [rung.testset(), "--weights-from", "length:tokenizer=char", *rated]
    if rung.items > 3:  # one rated reply makes no map
        yield Line([*own, "-o", rung.new("own.jsonl")], rung.items)


def annotate_serve(rung: Rung) -> Iterator[Line]:
    """A study of every reply, and one of pairs."""
    files = [rung.testset(), rung.responses(), "--prepare"]
    yield Line([*files, "--db", rung.new("study.sqlite")], rung.items * rung.systems)
    if rung.systems > 1:
        pairs = rung.items * rung.systems * (rung.systems - 1) // 2
        if pairs <= 40_000:
            judged = ["--judgement", "head-to-head", "--db", rung.new("pairs.sqlite")]
            yield Line([*files, *judged], pairs)


def annotate_page(rung: Rung) -> Iterator[Line]:
    """The page of one rater who judges every reply."""
    files = [rung.testset(), rung.responses(), "--db", rung.new("paged.sqlite")]
    yield Line([*files, "-o", rung.new("page.html")], rung.items * rung.systems)


def annotate_export(rung: Rung) -> Iterator[Line]:
    """A study whose one rater answered everything."""
    study = answered_study(Path(rung.new("answered.sqlite")), rung.testset(), rung.responses())
    yield Line([study, "-o", rung.new("ratings.parquet")], rung.items)


def answered_study(path: Path, testset: str, responses: str) -> str:
    """A study in which one rater gave every reply a grade."""
    from rejoinder import read_responses, read_testset
    from rejoinder.annotation.new_study import make_study
    from rejoinder.annotation.questions import make_questions
    from rejoinder.annotation.study import Study
    from rejoinder.annotation.task import Task

    task = Task(raters_per_question=1)
    make_study(path, task, make_questions(read_testset(testset), read_responses(responses), task))
    study = Study(path)
    rater = study.add_rater()
    asked = study.plan(rater)
    with study.answers_of_page(rater) as store:  # one transaction: a commit each would take seconds
        for k, (shown, _) in enumerate(asked):
            store(shown.assignment, {"c0": str(1 + k % 5)}, 1.0, None)
    study.close()
    path.chmod(0o644)  # a study is its owner's alone; some tests run a command as somebody else
    return str(path)


def ruq(rung: Rung) -> Iterator[Line]:
    """Recorded likelihoods of a model for each system."""
    files = [*rung.likelihoods(), rung.testset(), "--generic", rung.generic()]
    yield Line([*files, *RESAMPLES], rung.items)


def filtered(rung: Rung) -> Iterator[Line]:
    """A corpus of as many pairs."""
    yield Line([rung.corpus(), "-o", rung.new("filtered.jsonl")], rung.items)


def tune(rung: Rung) -> Iterator[Line]:
    """The replies of all systems as candidates, by their length."""
    files = [rung.responses(), rung.testset()]
    yield Line([*files, "-m", "bleu", "--feature", "length", "--starts", 2], rung.items)


def rerank(rung: Rung) -> Iterator[Line]:
    """By minimum Bayes risk, and by the oracle beside a metric."""
    words = [rung.responses(), "-o"]
    yield Line([*words, rung.new("chosen.jsonl"), "--mbr", "chrf"], rung.items)
    oracle = ["--testset", rung.testset(), "--oracle", "bleu", "-m", "length"]
    yield Line([*words, rung.new("chosen.jsonl"), *oracle], rung.items)


def respond(rung: Rung) -> Iterator[Line]:
    """Random and retrieved replies from a corpus of as many pairs."""
    for system in ("random", "retrieval"):
        files = [system, rung.testset(), "--corpus", rung.corpus()]
        yield Line([*files, "-o", rung.new("replies.jsonl")], rung.items)
    if rung.items <= 400:
        import chat_server

        files = [chat_server.process(), rung.testset()]
        yield Line([*files, "-o", rung.new("chat.jsonl")], rung.items)


def mark(rung: Rung) -> Iterator[Line]:
    """A server that marks every reply, and every pair in both orders."""
    asked = [*mark_words(rung), "-o"]
    yield Line([*asked, rung.new("marks.csv")], rung.items * rung.systems)
    if rung.systems > 1 and rung.items * rung.systems**2 <= 400:
        pairs = rung.items * rung.systems * (rung.systems - 1)
        yield Line([*asked, rung.new("pairs.jsonl"), "--pairwise"], pairs)


def mark_words(rung: Rung) -> list[Any]:
    """What 'mark' is asked, without an output."""
    import chat_server

    files = [rung.testset(), rung.responses(), "--rubric", EXAMPLES / "rubric.toml"]
    return [*files, "--model", chat_server.process()]


def mine(rung: Rung) -> Iterator[Line]:
    """Candidates from a corpus of as many pairs."""
    yield Line([rung.corpus(), rung.testset(), "-o", rung.new("mined.jsonl")], rung.items)


def references(rung: Rung) -> Iterator[Line]:
    """Candidates from a corpus of as many pairs, for people to rate."""
    words = [rung.corpus(), rung.testset(), "-o", rung.new("chain"), "--candidates", 2]
    yield Line(words, None)


def train_vectors(rung: Rung) -> Iterator[Line]:
    """Of every word."""
    options = ["--set", "min_count=1", "--set", "width=4", "--set", "epochs=1"]
    yield Line([rung.corpus(), "-o", rung.new("vectors"), *options])


def train_ruber(rung: Rung) -> Iterator[Line]:
    """The smallest size, one epoch."""
    options = ["--size", "paper", "--set", "seeds=1", "--set", "epochs=1"]
    yield Line([rung.corpus(), "-o", rung.new("ruber"), *options])


def train_responder(rung: Rung) -> Iterator[Line]:
    """A tiny Transformer, one update."""
    settings = {**TINY, "updates": 1, "pairs": 0}
    fixed = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    yield Line([rung.corpus(), "-o", rung.new("responder"), *fixed])


def sweep(rung: Rung) -> Iterator[Line]:
    """Two trials of a tiny Transformer."""
    fixed = [word for name, value in TINY.items() for word in ("--set", f"{name}={value}")]
    search = [
        "--set",
        "dropout=0,0.1",
        "--set",
        "beam=1",
        "--reply-metric",
        "bleu",
        "--set",
        "train_prompts=8",
    ]
    files = [rung.corpus(), "--testset", rung.testset(), "-o", rung.new("sweep")]
    yield Line([*files, *fixed, *search, *RESAMPLES])


def galley2015(rung: Rung) -> Iterator[Line]:
    """Units of a hundred items, or of an eighth of what there is."""
    options = [
        "--set",
        f"unit_size={unit_size(rung)}",
        "--set",
        "assignments=5",
        "--permutations",
        100,
    ]
    yield Line([rung.testset(), rung.responses(), "--ratings", rung.ratings(), *options])


def negative_references(rung: Rung) -> Iterator[Line]:
    """References alone are what it reads."""
    yield Line([rung.testset(), *FEW])


def tao2018(rung: Rung) -> Iterator[Line]:
    """With a model of a second's training."""
    options = ["--model", ruber(rung.root), "--set", "bounds=scored", "--drop-unusable", *FEW]
    yield Line([rung.testset(), rung.responses(), "--ratings", rung.ratings(), *options])


def look(rung: Rung) -> Iterator[Line]:
    """The test set."""
    yield Line([rung.testset()], rung.items)


def verify(rung: Rung) -> Iterator[Line]:
    """The record of a table of as many rows."""
    path = Path(rung.new("made.jsonl"))
    path.write_text("made")
    testset = Path(rung.testset())
    named = {"as": "TESTSET", "name": "t", "path": str(testset), "content": content_of(testset)}
    record = {"command": ["rejoinder"], "notes": [], "signatures": {}, "content": content_of(path)}
    write_record(path, record | {"rows": rung.items, "inputs": [named]})
    yield Line([path], rung.items)


def runs(rung: Rung) -> Iterator[Line]:
    """Two runs of as many systems."""
    path = Path(rung.new("runs.sqlite"))
    values = {f"s{number}": 0.5 for number in range((rung.items + 1) // 2)}
    for day in (1, 2):
        ledgers.record(path, day, values)
    yield Line([path], 2 * len(values))
    yield Line([path, "-m", "bleu"], 2 * len(values))


def convert(rung: Rung) -> Iterator[Line]:
    """The test set and the replies."""
    yield Line([rung.testset(), "-o", rung.new("testset.parquet")], rung.items)
    replies = [rung.responses(), "-o", rung.new("replies.parquet")]
    yield Line(replies, rung.items * rung.systems)


def ruber(folder: Path) -> str:
    """A RUBER model, trained once for a ladder."""
    path = folder / "ruber"
    if not path.exists():
        import tiny_ruber

        with tiny_ruber.narrow():
            tiny_ruber.trained(path)
    return str(path)


TRAINED: dict[str, Any] = {"needs": ("torch", "gensim"), "most": 10}
"""Of verbs that ask models: the default part has the sizes that take a second."""

LADDER: dict[str, Entry | Absent] = {
    "score": Entry(score, rows("systems"), most=40_000, installed=2),
    "compare": Entry(compare, compared, least=(1, 2), most=40_000),
    "audit": Entry(audit, lambda told: [row["n"] for row in told["systems"]["all"]], most=40_000),
    "variety": Entry(
        variety,
        lambda told: [row["n"] for row in told["systems"] if row["measure"] == "pairwise chrF"],
        most=4_000,
    ),
    "report": Entry(
        report, lambda told: [row["n"] for row in told["scores"]["systems"]], most=40, installed=2
    ),
    "explain-diff": Entry(explain_diff, lambda told: [told["items"]], most=40_000),
    "correlate": Entry(correlate, rows("agreement"), least=(1, 2), most=17_000),
    "judge": Entry(judge, rows("measures"), most=40_000),
    "ratings": Entry(ratings, lambda told: [row["items"] for row in told["counts"]], most=40_000),
    "preferences": Entry(
        preferences,
        lambda told: [row["items"] for row in told["counts"]],
        least=(1, 2),
        most=40_000,
    ),
    "plan": Entry(plan, _planned, least=(1, 2), most=40_000),
    "weigh": Entry(weigh, lambda told: [told["items"]], most=4_000),
    "annotate serve": Entry(
        annotate_serve,
        lambda told: [told["questions"]],
        most=4_000,
        installed=2,
        needs=("segno", "starlette", "uvicorn"),
    ),
    "annotate page": Entry(annotate_page, lambda told: [told["questions"]], most=400),
    "annotate export": Entry(annotate_export, lambda told: [told["items"]], most=200),
    "look": Entry(look, lambda told: [told["readings"][0]["counts"]["items"]], alone=True),
    "verify": Entry(verify, lambda told: [told["rows"]], alone=True),
    "runs": Entry(runs, lambda told: [told["runs"][0]["numbers"]], alone=True),
    "convert": Entry(convert, lambda told: [told["rows"]]),
    "ruq": Entry(ruq, rows("systems"), most=17_000),
    "filter": Entry(filtered, lambda told: [told["pairs"]], alone=True),
    "tune": Entry(tune, lambda told: [told["settings"]["items"]], least=(4, 1), most=40_000),
    "rerank": Entry(rerank, lambda told: [len(told["chosen"])], most=40_000),
    "respond": Entry(respond, lambda told: [told["replies"]], alone=True, most=4_000),
    "mark": Entry(
        mark,
        lambda told: [told["rows"]],
        most=400,
        needs=("http.server",),
    ),
    "mine": Entry(mine, lambda told: [told["items"]], alone=True, most=2_000),
    "train vectors": Entry(train_vectors, alone=True, **{**TRAINED, "most": 1_100}),
    "train ruber": Entry(train_ruber, least=(9, 1), alone=True, **{**TRAINED, "most": 2}),
    "train responder": Entry(train_responder, least=(20, 1), alone=True, **TRAINED),
    "sweep": Entry(sweep, least=(20, 1), alone=True, **TRAINED),
    "recipe galley2015": Entry(galley2015, least=(1, 2), most=17_000),
    "recipe negative-references": Entry(negative_references, alone=True, most=17_000),
    "recipe tao2018": Entry(tao2018, least=(9, 1), **TRAINED),
    "recipe references": Entry(
        references, lambda told: [told["candidates"]], alone=True, most=4_000
    ),
    "recipe khayrallah2021": Absent(
        "trains the paper's systems, for minutes at its smallest scale; its tables are tested in "
        "tests/unit/recipes/test_khayrallah2021.py, and what it compares is what ruq compares"
    ),
    "recipe systems2015": Absent(
        "trains a system and tunes it twelve times; what it is made of is tested in "
        "tests/unit/recipes/test_systems2015.py, and it reads what train responder and respond read"
    ),
    "merge": Absent("runs the verb whose parts it reads, on all of them"),
    "metrics": Absent("lists metrics and reads no data"),
}
