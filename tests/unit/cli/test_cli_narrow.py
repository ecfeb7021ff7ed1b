"""In a terminal of 80 columns nothing that is measured vanishes: not a column, not a digit."""

import re
from collections import Counter

import pytest
from rich.cells import cell_len

from command_line import notes_of
from ladder_data import Rung
from ladder_verbs import LADDER, Entry, Line, kept

NAMES = [
    *(f"instruct-model-with-retrieval-and-reranking-{letter}" for letter in "abcdef"),
    *(f"中文检索式对话系统和重新排序模型之{letter}" for letter in "甲乙丙丁戊"),
    *("short", "a model of five words", "日本語", "x", "UPPER_CASE_WITH_UNDERSCORES_AND_MORE"),
]
FURTHER = {
    "score --by": lambda rung: [
        Line(["score", rung.testset(), rung.responses(), "-m", "bleu", "--by", "topic"])
    ],
    "score --explain": lambda rung: [
        Line(["score", rung.testset(), rung.responses(), "--explain", "i1", "-m", "bleu"])
    ],
    "ruq --by": lambda rung: [
        Line(
            [
                "ruq",
                *rung.likelihoods(),
                rung.testset(),
                "--generic",
                rung.generic(),
                "--by",
                "topic",
            ]
        )
    ],
    "plan --every-pair": lambda rung: [
        Line(["plan", kept(rung), "--ratings", rung.ratings(), "--every-pair", "-d", "0.3"])
    ],
    "metrics": lambda rung: [Line(["metrics"])],
}
BARS = "│┃"
NOTES = {"ratings": "note: --resamples has no effect: 'ratings' draws nothing at random\n"}


def lines_of(verb, rung):
    if verb in FURTHER:
        return [line.words for line in FURTHER[verb](rung)]
    return [[*verb.split(), *line.words] for line in LADDER[verb].lines(rung)]


def in_tables(out):
    """The lines of tables."""
    return [line for line in out.splitlines() if any(bar in line for bar in BARS)]


def numbers(lines):
    """How often every number stands in them."""
    return Counter(re.findall(r"[-+]?\d[\d.,]*", "\n".join(lines)))


SHOWN = [verb for verb, each in LADDER.items() if isinstance(each, Entry) and not each.alone]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("narrow")


# The default part shows 16 systems, among which are the two of two, but for these verbs.
# Their tables have a row for each metric: 16 systems only make more of them.
ROWS_OF_METRICS = ("recipe galley2015", "recipe tao2018")

# Their rows are raters and files, or pairs, which 'compare' lists of two systems.
LONG = (
    "compare",
    "plan --every-pair",
    "variety",
    "explain-diff",
    "annotate page",
    "annotate serve",
)


@pytest.mark.parametrize(
    ("verb", "systems"),
    [
        pytest.param(
            verb,
            systems,
            id=f"{verb}-{systems}",
            marks=[pytest.mark.slow] * ((systems == 16) == (verb in (*ROWS_OF_METRICS, *LONG))),
        )
        for systems in (2, 16)
        for verb in (*SHOWN, *FURTHER)
    ],
)
def test_all_numbers_of_the_wide_table_stand_in_the_narrow_one(
    verb, systems, command, monkeypatch, folder, unrendered
):
    if verb in LADDER and isinstance(LADDER[verb], Entry):
        for name in LADDER[verb].needs:
            pytest.importorskip(name)
    # Two systems: the longest names of both scripts.
    names = NAMES if systems == 16 else [NAMES[0], NAMES[6]]
    rung = Rung(folder, 9, systems, names)
    # Asked for twice: what a verb writes goes to another file each time.
    for both in zip(lines_of(verb, rung), lines_of(verb, rung), strict=True):
        told = {}
        for width, words in zip((1000, 80), both, strict=True):
            monkeypatch.setenv("COLUMNS", str(width))
            status, told[width], err = command(*words)
            assert (status, notes_of(err)) == (0, NOTES.get(words[0], "")), err
        wide, narrow = in_tables(told[1000]), in_tables(told[80])
        assert not [line for line in narrow if cell_len(line) > 80]
        assert "…" not in told[80]
        lost = numbers(wide) - numbers(narrow)
        assert not lost, f"{lost} are not in\n{told[80]}"


def test_every_group_shows_its_tables():
    """Verbs that show a table of systems are among those tried: score, compare, plan, ..."""
    assert {"score", "compare", "correlate", "ratings", "preferences", "audit", "plan", "ruq"} <= {
        *SHOWN
    }
