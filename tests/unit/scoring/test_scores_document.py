"""What is shown of scores and comparisons."""

import polars as pl
import pytest

import rejoinder
from rejoinder.cli.terminal.console import console
from rejoinder.cli.terminal.showing import show
from rejoinder.document.parts import View
from rejoinder.scoring.score_tables import groups

REPLIES = ["see you at nine", "no", "yes please", "not today"]


@pytest.fixture(scope="module")
def scores():
    contexts = pl.DataFrame({"open": [True, False, None, True] * 3})
    testset = rejoinder.TestSet.from_lists([["see you at noon"]] * 12)
    testset = rejoinder.TestSet(
        testset.contexts.with_columns(open=contexts["open"]), testset.references
    )
    rows = [
        (f"a system with a long name {s}", id, REPLIES[(s * place) % 4])
        for s in range(8)
        for place, id in enumerate(testset.ids)
    ]
    replies = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    return rejoinder.score(testset, replies, ["rougeL"], resamples=100)


def test_groups_are_named_as_json_names_them(scores):
    (table, *_) = groups(scores, scores.by("open"), "open")
    shown = {row[0] for row in table.grids()[0].rows}
    assert shown == {"true", "false", "(none)", ""}


def test_a_matrix_has_its_title_in_one_line_and_no_interval_in_its_legend(scores, capsys):
    show(rejoinder.compare(scores).document(View()), console())
    out = capsys.readouterr().out
    (title,) = (line for line in out.splitlines() if line.startswith("ROUGE-L: "))
    assert title.rstrip().endswith(("differ", "differs"))
    assert "95% interval" not in out
