"""``rejoinder compare --ratings``: people, judges, and judges corrected by people."""

import json
import shutil

import numpy as np
import polars as pl
import pytest

import rejoinder
from rejoinder.cli.terminal.showing import show
from rejoinder.figures import style
from rejoinder.meta_evaluation import judge_tables
from rejoinder.meta_evaluation.with_people.compare import compare_with_people
from rejoinder.meta_evaluation.with_people.people_tables import ERRORS, summary
from rejoinder.scoring.score import score
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.confidence_sequence import quantile_at, standard_errors_at
from rejoinder.tables.external_scores import read_scores
from rejoinder.tables.ratings import read_ratings
from rejoinder.tables.responses import read_responses
from rejoinder.tables.testset import read_testset
from shared_data import EXAMPLES, SYSTEMS, TESTSET

READ = [TESTSET, *SYSTEMS]
RATED = ["--ratings", EXAMPLES / "some-ratings.csv"]
JUDGE = ["--scores", EXAMPLES / "judge.csv"]


def test_the_table_of_people(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = command("compare", *READ, *RATED, *JUDGE, "-m", "sbleu", "--ranks")
    assert status == 0
    for words in ("people", "corrected", "24/66", "errors of the judges", "ranks"):
        assert words in out
    shown = " ".join(out.split())
    assert "of 3 pairs, 2 differ significantly by people alone and 3 corrected" in shown
    assert "sBLEU-2 x100; ratings as they were given" in shown
    assert max(map(len, out.splitlines())) <= 80


def test_json_has_what_the_library_gives(command):
    status, out, _ = command("compare", *READ, *RATED, "-m", "sbleu", "--json")
    assert status == 0
    document = json.loads(out)
    scores = score(read_testset(TESTSET), read_responses(*SYSTEMS), ["sbleu"], resamples=0)
    result = compare_with_people(scores, read_ratings(RATED[1]))
    assert document["pairs"] == json.loads(
        json.dumps(result.pairs.to_dicts()).replace("NaN", "null")
    )
    assert document["signature"] == result.signature


@pytest.mark.parametrize(
    "option",
    [["--margin", "1"], ["--permutations", "100"], ["--resamples", "100"]],
)
def test_options_of_the_tests_of_metrics_are_refused(command, option):
    status, _, err = command("compare", *READ, *RATED, *JUDGE, *option)
    assert status == 2
    assert f"{option[0]} has no effect beside --ratings" in err


def test_a_judge_must_be_named(command):
    status, _, err = command("compare", *READ, *RATED)
    assert status == 2
    assert "no judge is named" in err


def test_references_weighed_by_these_ratings_are_refused(command, tmp_path):
    weighed = tmp_path / "weighed.jsonl"
    status, _, err = command("weigh", *READ, *RATED, "-o", weighed)
    assert status == 0, err
    words = ["--drop-unusable", "-m", "deltableu"]
    status, _, err = command("compare", weighed, *SYSTEMS, *RATED, *words)
    assert status == 2
    assert f"{weighed}: was made from {RATED[1]}" in err
    # Without its record nothing shows that the references were made from these ratings.
    (tmp_path / "weighed.jsonl.provenance.json").unlink()
    status, _, err = command("compare", weighed, *SYSTEMS, *RATED, *words)
    assert "was made from" not in err


@pytest.mark.parametrize("option", [["--criterion", "x"], ["--scale", "1", "5"]])
def test_options_of_ratings_need_ratings(command, option):
    status, _, err = command("compare", *READ, *JUDGE, *option)
    assert status == 2
    assert f"{option[0]} has no effect without --ratings FILE" in err


@pytest.mark.parametrize(("p", "star"), [(0.0499, "0.0499*"), (0.05, "0.05 ")])
def test_a_star_marks_what_is_significant(capsys, monkeypatch, p, star):
    from dataclasses import replace

    monkeypatch.setenv("COLUMNS", "200")
    scores = score(read_testset(TESTSET), read_responses(*SYSTEMS), ["sbleu"], resamples=0)
    result = compare_with_people(scores, read_ratings(RATED[1]))
    pairs = result.pairs.with_columns(p_holm=pl.lit(p))
    show(replace(result, pairs=pairs).document())
    out = capsys.readouterr().out
    assert out.count(star) >= pairs.height


@pytest.fixture
def crowd(tmp_path):
    """Eight systems with a judge's scores of 40 items; three of them are rated on 4 items alone."""
    rng = np.random.default_rng(8)
    scores, ratings = ["system,id,judge"], ["id,system,rater,score"]
    for place in range(8):
        for item in range(40):
            quality = 2 + 0.35 * place + rng.normal(0, 0.6)
            grade = min(5, max(1, round(quality + rng.normal(0, 0.3))))
            mark = min(5, max(1, quality + rng.normal(0, 0.3)))
            scores.append(f"s{place},c{item},{mark:.2f}")
            if item % 10 == 0 or (place < 5 and item % 2 == 0):
                ratings.append(f"c{item},s{place},r,{grade}")
    (tmp_path / "judge.csv").write_text("\n".join(scores) + "\n")
    (tmp_path / "ratings.csv").write_text("\n".join(ratings) + "\n")
    return ["--scores", tmp_path / "judge.csv", "--ratings", tmp_path / "ratings.csv"]


def test_many_systems_are_two_matrices_of_what_the_json_says(command, crowd, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = command("compare", *crowd)
    assert status == 0, err
    lines = out.splitlines()
    assert len(lines) < 60
    assert max(map(len, lines)) <= 80
    document = json.loads(command("compare", *crowd, "--json")[1])
    for by in ("people", "corrected"):
        pairs = [row for row in document["pairs"] if row["by"] == by]
        clear = [row for row in pairs if row["p_holm"] is not None and row["p_holm"] < 0.05]
        assert 0 < len(clear) < 10
        start = next(
            k for k, line in enumerate(lines) if line.startswith(f"{by}: {len(clear)} of 28")
        )
        rows = [line.split("│") for line in lines[start + 4 : start + 12]]
        signs = {row[0].split()[1]: row[2].strip() for row in rows}
        order = list(signs)
        for row in pairs:
            ends = [(row["a"], row["b"]), (row["b"], row["a"])]
            expected = "??" if row["p_holm"] is None else ".."
            if row in clear:
                expected = "+-" if row["difference"] > 0 else "-+"
            assert "".join(signs[one][order.index(other)] for one, other in ends) == expected
    flat = " ".join(out.split())
    assert "18 of 28 pairs (such as 's0' and 's5') without an interval: 4 rated items" in flat
    tested = [row for row in document["errors"] if row["p_holm"] is not None]
    assert f"errors of the judges: 0 of {len(tested)} tested are significant" in flat


def test_all_pairs_are_listed_where_that_is_asked_for(command, crowd):
    out = command("compare", *crowd, "--all-pairs")[1]
    assert out.count("corrected │") == 28
    status, _, err = command("compare", *crowd, "--all-pairs", "--json")
    assert status == 2
    assert "JSON has every pair" in err


def test_csv_has_every_pair_in_one_table_and_the_errors_in_another(command, crowd, tmp_path):
    names = ("t.csv", "t-errors.csv")
    assert command("compare", *crowd, "--tables", tmp_path / "t.csv")[0] == 0
    matrix = [(tmp_path / name).read_text() for name in names]
    assert command("compare", *crowd, "--tables", tmp_path / "t.csv", "--all-pairs")[0] == 0
    assert matrix == [(tmp_path / name).read_text() for name in names]
    document = json.loads(command("compare", *crowd, "--json")[1])
    for name, rows in zip(names, (document["pairs"], document["errors"]), strict=True):
        read = pl.read_csv(tmp_path / name)
        assert read.to_dicts() == [{name: row[name] for name in read.columns} for row in rows]
    assert read.columns == ["a", "b", "judge", "error", "low", "high", "p_holm"]


def test_the_pairs_of_one_system_that_have_an_interval_are_listed(command, crowd):
    out = command("compare", *crowd, "-a", "s0")[1]
    assert out.count("corrected │") == 4
    assert "pairs without an interval are not listed: --all-pairs lists them" in out
    flat = " ".join(out.split())
    assert "3 of 7 pairs (such as 's0' and" in flat
    assert ") without an interval: " in flat
    assert command("compare", *crowd, "-a", "s0", "--all-pairs")[1].count("corrected │") == 7


@pytest.mark.parametrize(("p", "sign"), [(0.0499, "+"), (0.05, ".")])
def test_a_sign_marks_what_is_significant(crowd, capsys, monkeypatch, p, sign):
    from dataclasses import replace

    monkeypatch.setenv("COLUMNS", "200")
    scores = Scores.from_segments(read_scores(crowd[1]), resamples=0)
    result = compare_with_people(scores, read_ratings(crowd[3]))
    changed = {
        name: getattr(result, name).with_columns(p_holm=pl.lit(p)) for name in ("pairs", "errors")
    }
    show(replace(result, **changed).document())
    out = capsys.readouterr().out
    differ = 28 if sign == "+" else 0
    assert f"corrected: {differ} of 28 pairs differ" in out
    assert f"errors of the judges: {differ} of 28 tested are significant" in out
    last = out[out.index("corrected: ") :].splitlines()[3:11]
    assert sum(line.count("+") for line in last) == differ


def test_drawn_items_weigh_the_ratings_and_those_not_rated_yet_are_counted(command, tmp_path):
    path = tmp_path / "next.csv"
    plan = ["plan", *READ, *RATED, *JUDGE, "--next", 12, "-o", path]
    assert command(*plan)[0] == 0
    plain = json.loads(command("compare", *READ, *RATED, *JUDGE, "--json")[1])
    status, out, _ = command("compare", *READ, *RATED, *JUDGE, "--drawn", path, "--json")
    told = json.loads(out)
    assert status == 0
    assert any(note.startswith("12 of 12 items drawn last") for note in told["notes"])
    assert "weights:probability" in told["signature"]
    # Without a rating of the draw the rated items are the random sample that they were.
    assert [row["low"] for row in told["pairs"]] == pytest.approx(
        [row["low"] for row in plain["pairs"]]
    )


def test_legends_say_which_way_round_errors_are():
    assert "less people's ratings: above 0 the judge favours the system" in judge_tables.ERRORS
    assert "the judge's difference less people's" in ERRORS


def test_the_summary_says_where_judges_save_nothing_and_counts_in_grammar():
    def of(saved, p):
        by = [name for name in ("people", "corrected") for _ in range(3)]
        pairs = pl.DataFrame({"by": by, "saved": [None] * 3 + saved, "p": p * 2})
        return next(summary(pairs, "p"))

    few = of([0.0, 0.004, 0.3], [0.01, 0.5, 0.5])
    assert few.startswith("of 3 pairs, 1 differs significantly by people alone and 1 corrected; ")
    assert few.endswith(
        "; in at least half of the pairs with an interval the judges save no ratings"
    )
    more = of([0.2, 0.25, 0.3], [0.01, 0.02, 0.5])
    assert more.startswith("of 3 pairs, 2 differ significantly")
    assert more.endswith("; half of the pairs with an interval save 25% of the ratings or more")


def test_the_docs_have_the_quantiles_of_any_time():
    text = (EXAMPLES.parent / "docs" / "compare-with-people.md").read_text()
    z, t = standard_errors_at(20), quantile_at(20, 19)
    assert f"at 20 rated items z is {z:.2f}, and t with 19 degrees of freedom {t:.1f}" in text


def _reversed(lines):
    return [lines[0], *reversed(lines[1:])]


def _longer(lines):
    return [*lines, "c003,tuned,new,relevance,3"]


def _blank(lines):
    return [*lines[:5], "", *lines[5:]]


def _a_tenth(lines):
    return [lines[0], *lines[1::10]]


def _decimals(lines):
    return [lines[0], *(f"{line}.0" for line in lines[1:])]


@pytest.mark.parametrize("edit", [_reversed, _longer, _blank, _a_tenth, _decimals])
@pytest.mark.parametrize("verb", ["compare", "judge"])
def test_ratings_are_known_again_however_their_file_was_edited(command, tmp_path, verb, edit):
    lines = RATED[1].read_text().splitlines()
    assert lines[0].endswith("score")
    ratings, weighed = tmp_path / "ratings.csv", tmp_path / "weighed.jsonl"
    ratings.write_text("\n".join(lines) + "\n")
    assert command("weigh", *READ, "--ratings", ratings, "-o", weighed)[0] == 0
    ratings.write_text("\n".join(edit(lines)) + "\n")
    words = [weighed, *SYSTEMS, "--ratings", ratings, "--drop-unusable", "-m", "deltableu"]
    status, _, err = command(verb, *words)
    assert status == 2, err
    rows = [line for line in edit(lines)[1:] if line]
    share = f"{len(rows) - (edit is _longer)} of the {len(rows)} ratings"
    assert f"{weighed}: was made from {share}" in err


@pytest.mark.parametrize("verb", ["compare", "judge"])
def test_ratings_are_known_again_over_converted_files_that_are_gone(command, tmp_path, verb):
    converted, weighed, again = (
        tmp_path / name for name in ("r.jsonl", "w.jsonl", "again.parquet")
    )
    assert command("convert", RATED[1], "-o", converted)[0] == 0
    assert command("weigh", *READ, "--ratings", converted, "-o", weighed)[0] == 0
    assert command("convert", weighed, "--as", "testset", "-o", again)[0] == 0
    for gone in (converted, weighed):
        gone.unlink()
        gone.with_name(f"{gone.name}.provenance.json").unlink()
    words = [*SYSTEMS, *RATED, "--drop-unusable", "-m", "deltableu"]
    status, _, err = command(verb, again, *words)
    assert status == 2
    assert f"{again}: was made from 360 of the 360 ratings (100.0%" in err


def test_a_judge_of_ones_own_made_from_a_file_that_these_ratings_were_converted_from(
    command, tmp_path
):
    scores, converted = tmp_path / "scores.csv", tmp_path / "ratings.jsonl"
    shutil.copy(EXAMPLES / "judge.csv", scores)
    rejoinder.write_provenance(scores, {"ratings": RATED[1]}, ["python", "fit.py"])
    assert command("convert", RATED[1], "-o", converted)[0] == 0
    status, _, err = command("compare", *READ, "--scores", scores, "--ratings", converted)
    assert status == 2
    assert f"{scores}: was made from {converted}" in err


def test_ratings_by_others_and_files_that_have_changed_are_no_refusal(command, tmp_path):
    lines = RATED[1].read_text().splitlines()
    weighed, others = tmp_path / "weighed.jsonl", tmp_path / "others.csv"
    assert command("weigh", *READ, *RATED, "-o", weighed)[0] == 0
    column = lines[0].split(",").index("rater")
    rows = [line.split(",") for line in lines[1:]]
    renamed = [
        ",".join([*row[:column], f"other-{row[column]}", *row[column + 1 :]]) for row in rows
    ]
    others.write_text("\n".join([lines[0], *renamed]) + "\n")
    words = [weighed, *SYSTEMS, "--drop-unusable", "-m", "deltableu"]
    assert "was made from" not in command("compare", *words, "--ratings", others)[2]
    weighed.write_text(weighed.read_text() + "\n")
    _, _, err = command("compare", *words, *RATED)
    assert f"note: {weighed}: was made from {RATED[1]}" in err
    assert "has changed since; leave it out if it still depends on them" in err


@pytest.mark.slow  # draws two figures
def test_each_criterion_of_ratings_alone_has_its_figure(command, tmp_path):
    ratings = pl.read_csv(EXAMPLES / "some-ratings.csv")
    both = pl.concat([ratings, ratings.with_columns(criterion=pl.lit("style"))])
    both.write_csv(tmp_path / "both.csv")
    plots = tmp_path / "plots"
    status, _, err = command("compare", "--ratings", tmp_path / "both.csv", "--plots", plots)
    assert (status, "Wrote 4 figure files" in err) == (0, True)
    drawn = sorted(path.name for path in plots.glob("*.svg"))
    assert drawn == ["differences-2.svg", "differences.svg"]
    assert "style" in (plots / "differences-2.svg").read_text()


def test_names_that_no_font_can_write_have_a_note(command, caplog, tmp_path):
    rows = [
        f"{i},{name},{rater},{1 + (i * k) % 5}"
        for i in range(12)
        for k, name in enumerate(("a\U00020000", "b"), 1)
        for rater in "xy"
    ]
    (tmp_path / "r.csv").write_text("\n".join(["id,system,rater,score", *rows]))
    status, _, err = command(
        "compare", "--ratings", tmp_path / "r.csv", "--plots", tmp_path / "plots"
    )
    assert status == 0
    assert ("no font of this machine can write \U00020000" in caplog.text) == bool(
        style.unwritable(["\U00020000"])
    )
    assert "Glyph" not in err
