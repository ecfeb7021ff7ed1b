"""Every result has a short text; those with tables have them in notebooks, Markdown and LaTeX too.

The tables are those of the command line: the same numbers, and no text of others that is obeyed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache, cached_property
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

import ledgers
import rejoinder
from rejoinder.cli.terminal.showing import show
from rejoinder.errors import InputError, ParameterError
from rejoinder.figures.of_results import FIGURES
from rejoinder.marking.result import Marks
from rejoinder.meta_evaluation.protocols import System
from rejoinder.recipes.galley2015 import galley2015
from rejoinder.recipes.negative_references import negative_references
from rejoinder.rendering import latex
from rejoinder.result import Result
from rejoinder.scoring.explain import explain
from rejoinder.tuning.table import SweepResult
from shared_data import EXAMPLES, SYSTEMS, TESTSET

BAD = "tuned<script>alert(1)</script>|*b*&_[x](http://y)\\end{tabular}%$#^~\n# one"
"""A name of a system that HTML, Markdown and LaTeX would obey."""


class Worlds:
    """A result of each class, of data whose best system has a name in markup.

    Args:
        folder: Where files are made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    testset = rejoinder.read_testset(TESTSET)
    responses = rejoinder.read_responses(*SYSTEMS).with_columns(
        pl.col("system").replace("tuned", BAD)
    )
    ratings = rejoinder.read_ratings(EXAMPLES / "ratings.csv").with_columns(
        pl.col("system").replace("tuned", BAD)
    )
    judge = rejoinder.read_scores(EXAMPLES / "judge.csv")
    few = rejoinder.read_ratings(EXAMPLES / "some-ratings.csv").with_columns(
        pl.col("system").replace("tuned", BAD)
    )

    @cached_property
    def scores(self):
        return rejoinder.score(self.testset, self.responses, ["bleu", "length"], resamples=100)

    def comparison(self):
        return rejoinder.compare(self.scores, b=BAD, permutations=99, margin=0.1, worse_by=0.1)

    def agreement(self):
        return rejoinder.correlate(
            self.scores, self.ratings, criterion="relevance", permutations=99
        )

    def agreement_of_systems(self):
        ratings = self.ratings.filter(criterion="relevance")
        return rejoinder.correlate(self.scores, ratings, System(), permutations=99)

    def explained_difference(self):
        return rejoinder.explain_diff(
            self.testset, self.responses, "rouge1", "rouge2:compat=hf,use_stemmer=true"
        )

    def reported_figure(self):
        return rejoinder.find_settings(
            self.testset, self.responses.filter(pl.col("system") == BAD), "bleu", "31.9"
        )

    def audit(self):
        return rejoinder.audit(self.testset, self.responses, ["bleu"], resamples=100)

    def variety_of_samples(self):
        second = self.responses.with_columns(pl.col("text").reverse(), sample=pl.lit("1"))
        samples = pl.concat([self.responses.with_columns(sample=pl.lit("0")), second])
        return rejoinder.variety(samples, self.testset, permutations=99)

    def report(self):
        facts = {"ratings": self.ratings, "resamples": 100}
        return rejoinder.report(self.testset, self.responses, ["bleu"], **facts)

    def plan(self):
        return rejoinder.plan(self.scores, self.ratings, criterion="relevance", difference=0.3)

    def summary_of_ratings(self):
        return rejoinder.ratings(self.ratings, scale=(1, 5), resamples=100)

    def summary_of_preferences(self):
        table = rejoinder.read_preferences(EXAMPLES / "preferences.csv")
        named = table.with_columns(pl.col("a", "b").replace("tuned", BAD))
        return rejoinder.preferences(named, resamples=100)

    @property
    def judged(self):
        columns = {"system": pl.col("system").replace("tuned", BAD)}
        return rejoinder.Scores.from_segments(self.judge.with_columns(**columns), resamples=0)

    def report_on_a_judge(self):
        return rejoinder.judge(self.judged, self.ratings, criterion="relevance")

    def comparison_with_people(self):
        return rejoinder.compare_with_people(self.judged, self.few)

    def comparison_by_people(self):
        return rejoinder.compare(ratings=self.ratings)

    def plan_of_rates(self):
        return rejoinder.plan_rates(0.8, 0.95)

    def plan_of_design(self):
        return rejoinder.plan_design(0.4, ratings=self.ratings, criterion="relevance")

    def progress_of_design(self):
        design = rejoinder.plan_design(0.5, reliability=0.6, spread=1.5).design
        return rejoinder.follow_design(self.ratings, design, criterion="relevance")

    def explanation(self):
        return explain(self.testset, self.responses, "c001", BAD, "bleu")

    def explanations(self):
        return self.scores.explain("c001")

    def marks(self):
        systems = [(BAD, "relevance", 3, 1, 2.5), ("b", "relevance", 3, 0, 3.25)]
        columns = ["system", "criterion", "replies", "missing", "mean"]
        answers = pl.DataFrame(
            {"value": [1.0], "how": ["a"], "fault": [""], "calls": [1], "tokens": [12]}
        )
        table = pl.DataFrame(systems, columns, orient="row")
        return Marks("scores", pl.DataFrame(), table, answers, "a model", "signature", ("note",))

    def look(self):
        path = self.folder / "replies.csv"
        self.responses.rename({"text": "<script>"}).write_csv(path)
        return rejoinder.look(path, columns={"text": "<script>"})

    def mined(self):
        return rejoinder.mine(rejoinder.read_testset(EXAMPLES / "corpus.txt"), self.testset)

    def likelihoods(self):
        paths = []
        for name, total in (("a", -8.5), (BAD.replace("/", ""), -4.25)):
            lines = [
                {
                    "id": row["id"],
                    "text": row["text"],
                    "total": total - len(row["text"]),
                    "tokens": 5,
                }
                for row in self.testset.references.iter_rows(named=True)
            ]
            lines += [
                {"id": each, "text": "Yes.", "total": -6.0, "tokens": 2}
                for each in self.testset.ids
            ]
            paths.append(self.folder / f"{name}.jsonl")
            paths[-1].write_text("\n".join(map(json.dumps, lines)), "utf-8")
        return rejoinder.ruq(self.testset, list(map(str, paths)), generic=["Yes."], resamples=100)

    def step(self):
        path = self.folder / "kept.jsonl"
        rejoinder.write_testset(self.testset, path)
        rejoinder.write_provenance(path, {"testset": TESTSET}, ["python", BAD])
        return rejoinder.verify(path)

    def verification(self):
        path = self.folder / "claim"
        rejoinder.write_claim(self.scores, path)
        return rejoinder.verify(path)

    @cached_property
    def ledger(self):
        path = ledgers.ledger(self.folder / "runs.sqlite")
        for day in (5, 6):
            ledgers.record(path, day, {BAD: 0.5 / day, "b": 0.25}, responses=str(day), seed=day)
        rejoinder.freeze_run(path, BAD, 5)
        return rejoinder.runs(path, metrics=["bleu"])

    def runs_of_ledger(self):
        return self.ledger

    def changes_of_runs(self):
        return self.ledger.changes(5, 6)

    def gate_of_runs(self):
        return self.ledger.gate(BAD, 0.1)

    def sweep(self):
        measures = {
            f"{name}{end}": [0.5]
            for name in ("metric", "ruq_train", "ruq_test")
            for end in ("", "_low", "_high")
        }
        trials = pl.DataFrame(
            {"trial": [1], "status": ["failed"], "dropout": [0.1], "epochs": [2]}
            | {"bits_per_character": [1.5], **measures, "reason": [BAD]}
        )
        parameters = {
            "grid": {"dropout": [0.1]},
            "metric": "METEOR",
            "generic": BAD,
            "rungs": [3],
        }
        return SweepResult(self.folder, trials, pl.DataFrame(), (), parameters)

    def tuned(self):
        return rejoinder.tune(
            self.candidates, self.testset, "deltableu", features=["words"], folds=2, starts=1
        )

    def reranked(self):
        return rejoinder.rerank(self.candidates, self.testset, ["bleu"], mbr="chrf")

    @property
    def candidates(self):
        words = pl.col("text").str.len_chars()
        return self.responses.with_columns(words.alias("words"), sample=pl.col("system"))

    def corpus(self):
        return rejoinder.filter_corpus(rejoinder.read_testset(EXAMPLES / "corpus.txt"))

    def weighed(self):
        return rejoinder.weigh(self.testset, self.responses, self.ratings, criterion="relevance")

    def replies(self):
        corpus = rejoinder.read_testset(EXAMPLES / "corpus.txt")
        return rejoinder.respond("random", self.testset, corpus=corpus)

    def items_drawn_next(self):
        return rejoinder.next_items(self.judged, 5)

    def galley2015(self):
        facts = {"criterion": "relevance", "unit_size": 5, "assignments": 10, "permutations": 20}
        data = (self.testset, self.responses, self.ratings)
        return galley2015(*data, drop_unusable=True, cases=2, **facts)

    def negative_references(self):
        references = [["yes please", "yes", "at nine"], ["at ten", "ten", "no"]] * 3
        testset = rejoinder.TestSet.from_lists(references, [[1.0, 0.5, -1.0]] * 6)
        return negative_references(testset, resamples=100, permutations=10)

    def rubric(self):
        return rejoinder.read_rubric(EXAMPLES / "rubric.toml")


TABLES = [
    "items_drawn_next", "explanations",
    "scores", "comparison", "agreement", "agreement_of_systems", "audit", "plan", "plan_of_rates",
    "plan_of_design", "progress_of_design",
    "summary_of_ratings",
    "variety_of_samples",
    "explained_difference", "reported_figure",
    "summary_of_preferences", "judged", "report_on_a_judge", "comparison_with_people",
    "comparison_by_people", "explanation", "report", "marks", "look", "mined", "likelihoods", "step", "sweep",
    "verification", "runs_of_ledger", "changes_of_runs", "gate_of_runs",
    "tuned", "reranked",
]  # fmt: skip
OTHERS = ["testset", "corpus", "weighed", "replies", "rubric"]
STUDIES = {"GalleyStudy", "KhayrallahStudy", "NegativeReferences", "ReferencesStudy", "TaoStudy"}
MADE_ELSEWHERE = {"Systems2015"}
"""Classes of tables whose results take long to make: a test of their recipe does."""
WITHOUT_A_RESULT = {
    *("ResponderTraining", "RuberTraining", "TrainedVectors", "TripleIndex"),
    *STUDIES,
}
"""Classes with a short text alone, whose results take long to make."""

TAGS = {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p", "h4", "span", "br"}
NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Page(HTMLParser):
    """The tags, the attributes and the text of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags, self.open, self.attributes, self.text = set(), [], set(), []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def numbers(text: str) -> Counter[str]:
    return Counter(NUMBER.findall(text))


def printed(result, capsys, monkeypatch) -> str:
    """What the command line prints of a result."""
    monkeypatch.setenv("COLUMNS", "10000")
    show(result.document())
    return capsys.readouterr().out


def of_markdown(text: str) -> str:
    for name, character in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("<br>", "\n")):
        text = text.replace(name, character)
    return re.sub(r"\\([\\`*_|~$\[\]#+=.)-])", r"\1", text)


@pytest.mark.parametrize("name", [*TABLES, *OTHERS])
def test_the_short_text_is_short(name, result_of):
    result = result_of(name)
    assert isinstance(result, Result)
    text = repr(result)
    assert text.startswith(f"{type(result).__name__}(")
    assert len(text) < 2000
    assert text.isprintable()


@pytest.mark.parametrize("name", TABLES)
def test_a_notebook_shows_the_tables_and_obeys_no_text(name, result_of, capsys, monkeypatch):
    html = result_of(name)._repr_html_()
    page = Page(html)
    assert page.tags <= TAGS
    assert page.attributes <= {"style", "class"}
    assert not page.open
    assert numbers(" ".join(page.text)) == numbers(printed(result_of(name), capsys, monkeypatch))


@pytest.mark.parametrize("name", TABLES)
def test_markdown_has_the_numbers_of_the_command_line(name, result_of, capsys, monkeypatch):
    shown = result_of(name).to_markdown()
    assert "<script" not in shown
    assert "](http" not in shown.replace("\\](", "")
    assert not re.search(r"^# ", shown, re.M)
    assert numbers(of_markdown(shown)) == numbers(printed(result_of(name), capsys, monkeypatch))
    tables = [block.splitlines() for block in shown.split("\n\n") if block.startswith("|")]
    assert tables or name == "step"
    for rows in tables:
        assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows}) == 1


@pytest.mark.parametrize("name", TABLES)
def test_latex_has_the_numbers_of_the_tables(name, result_of, monkeypatch):
    monkeypatch.setattr(latex, "LEAST_P", 0)  # every p-value in full
    shown = result_of(name).to_latex()
    markdown = result_of(name).to_markdown()
    rows = "\n".join(line for line in markdown.splitlines() if line.startswith("|"))
    lines = [line for line in shown.splitlines() if line.endswith(r"\\")]
    assert numbers("\n".join(lines)) == numbers(of_markdown(rows))
    assert shown.count(r"\begin{tabular}") == shown.count(r"\end{tabular}")
    for line in lines:
        line = re.sub(r"\$-\$|\$<([\d.]+)\$", r"\1", line)
        plain = re.sub(
            r"\\text(bf|superscript)(?=\{)|\\text\w+\{\}|\{\\char34\}|\\[{}$&#_%]|\\\\$", "", line
        )
        assert not set(plain) & set("\\$#_%^~<>|")
        assert plain.count("{") == plain.count("}")


@pytest.mark.parametrize("name", [each for each in TABLES if each != "step"])
def test_latex_has_the_lines_beside_the_tables_in_captions_and_comments(name, result_of):
    shown = result_of(name).to_latex()
    markdown = result_of(name).to_markdown()
    lines = [line for line in markdown.splitlines() if line and not line.startswith("|")]
    captions = [line.replace("\\caption{", "% ") for line in shown.splitlines()]
    comments = [line[2:] for line in captions if line.startswith("% ")]
    assert shown.count("\\begin{table}") == len(set(re.findall(r"\\label\{.*\}", shown)))
    there, expected = numbers(" ".join(comments)), numbers(of_markdown(" ".join(lines)))
    assert expected - there == Counter()
    headings = [line for line in lines if line.startswith(("#", "*"))]
    assert set(there - expected) <= set(
        numbers(of_markdown(" ".join(headings)))
    )  # in captions again
    assert not re.search(r"\\caption\{([^.]+)\. \1\.", shown)
    for line in shown.splitlines():
        assert not line or line.startswith(("% ", "\\")) or line.endswith(r"\\"), line


def test_latex_says_the_units_and_the_signature_of_each_metric(result_of):
    shown = result_of("scores").to_latex().replace("\n% ", " ")
    assert (
        "; values x100 but for length; [low, high]: 95\\% interval (jackknife over items)" in shown
    )
    for label, each in result_of("scores").measured.items():
        signature = each.signature.replace("_", r"\_")
        assert f"\n% {label}: {signature}\n" in result_of("scores").to_latex()


def test_the_name_is_there_and_escaped(result_of):
    scores = result_of("scores")
    assert "tuned&lt;script&gt;alert(1)&lt;/script&gt;|*b*&amp;_[x]" in scores._repr_html_()
    assert (
        r"tuned&lt;script&gt;alert(1)&lt;/script&gt;\|\*b\*&amp;\_[x\](http" in scores.to_markdown()
    )
    assert r"tuned\textless{}script\textgreater{}alert(1)" in scores.to_latex()


def test_a_comparison_names_its_systems_and_metrics(result_of):
    text = repr(result_of("comparison"))
    assert text.startswith("Comparison(2 pairs of generic, retrieval, tuned<script>")
    assert "one; BLEU-2, length; see .table" in text


def test_what_has_no_table_has_its_lines_in_latex(result_of):
    shown = result_of("step").to_latex()
    assert shown.startswith(r"\noindent{}kept.jsonl, content ")
    assert r"\noindent\hspace*{1em}{}made by: python" in shown


def test_the_mathjax_of_a_notebook_reads_no_formula(result_of):
    assert " mathjax_ignore" in result_of("scores")._repr_html_().splitlines()[0]


def test_what_explains_a_table_is_dim_and_notes_are_not(result_of):
    html = result_of("scores")._repr_html_()
    assert '<span style="opacity: 0.7">66 items with' in html
    assert '<p style="white-space: pre-wrap">note: ' in html


def test_values_are_those_of_the_frame(result_of):
    scores = result_of("scores")
    shown = of_markdown(scores.to_markdown())
    for row in scores.systems().filter(metric="BLEU-2").iter_rows(named=True):
        percents = [f"{100 * row[name]:.1f}" for name in ("value", "low", "high")]
        assert "{} [{}, {}]".format(*percents) in shown


@cache
def classes_with_base(base: str) -> set[str]:
    """The classes of the package that are declared with a base."""
    root = Path(rejoinder.__file__).parent
    pattern = re.compile(rf"^class (\w+)\([^)]*\b{base}\b[^)]*\):", re.M)
    return {
        name for path in root.rglob("*.py") for name in pattern.findall(path.read_text("utf-8"))
    }


def test_every_class_of_results_stands_here(result_of):
    plotted = classes_with_base("PlottedResult")
    assert plotted == set(FIGURES)
    tables = (classes_with_base("TableResult") | plotted) - {"PlottedResult"} - MADE_ELSEWHERE
    assert tables == {type(result_of(name)).__name__ for name in TABLES}
    others = {type(result_of(name)).__name__ for name in OTHERS}
    assert classes_with_base("Result") == others | WITHOUT_A_RESULT | {"TableResult", "ReportParts"}


OTHER_RETURNS = {
    *("shard", "merge"),  # what the call that is cut gives
    "convert",
    "index_corpus",
    "metric",
    "read_card",  # what was read is no result
    "write_claim",
    "freeze_run",
    "record_run",
    "write_provenance",
    "write_testset",
}
SETTINGS = {"External", "Limits", "LocalModel"}
FRAMES = {
    *("read_drawn", "read_preferences", "read_ratings", "read_responses", "read_scores"),
    "with_probabilities",
}


@pytest.mark.parametrize(
    "name",
    [
        each
        for each in rejoinder.__all__
        if each not in OTHER_RETURNS | FRAMES | SETTINGS | {"__version__"}
    ],
)
def test_every_public_call_gives_a_result(name):
    public = getattr(rejoinder, name)
    if isinstance(public, type):
        assert issubclass(public, Result)
    else:
        given = public.__annotations__["return"].strip("'\"")
        bases = ("Result", "TableResult", "PlottedResult")
        results = {name for base in bases for name in classes_with_base(base)}
        assert set(given.split(" | ")) <= results


def test_results_are_made_without_what_draws_tables():
    code = (
        "import sys, rejoinder; from rejoinder import auditing, scoring\n"
        "import rejoinder.scoring.compare, rejoinder.auditing.audit, rejoinder.result\n"
        "assert not {'rich', 'click', 'rejoinder.cli'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ))


@pytest.mark.parametrize(
    "name",
    [
        "scores", "comparison", "agreement", "agreement_of_systems", "summary_of_ratings",
        "summary_of_preferences", "comparison_with_people", "comparison_by_people",
    ],
)  # fmt: skip
def test_a_notebook_shows_the_figure_and_a_name_that_there_is_not_is_refused(name, result_of):
    figure = result_of(name).plot()
    assert figure._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(ParameterError, match=r"there is no such .*; choose '"):
        result_of(name).plot("nothing")


def test_sums_of_likelihoods_make_no_figure(result_of):
    with pytest.raises(InputError, match="no log-probabilities of single tokens"):
        result_of("likelihoods").plot()
