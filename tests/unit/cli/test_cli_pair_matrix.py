"""Pairs of many systems: the printed matrix and the letters against the JSON."""

import json
import re

import numpy as np
import pytest
from rich.cells import cell_len

NAMES = ("系统", "модель", "sys", "a system with a long name ")


@pytest.fixture(params=[2, 3, 6, 7, 16, pytest.param(40, marks=pytest.mark.slow)])
def many(request, tmp_path):
    """Scores of two metrics, of which lower values of the second are better."""
    number = request.param
    rng = np.random.default_rng(number)
    for name, scale in (("judge", 3.0), ("ter", 0.3)):
        rows = [
            f"{NAMES[s % 4]}{s},{i},{rng.normal(scale * s / number, 1):.3f}"
            for s in range(number)
            for i in range(30)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"system,id,{name}", *rows]) + "\n")
    words = ["--scores", tmp_path / "judge.csv", "--scores", f"{tmp_path / 'ter.csv'}:lower"]
    return number, [*words, "--resamples", "100", "--permutations", str(max(400, 20 * number**2))]


def significant(document, metric):
    """By ordered pair of systems: whether the first is significantly better."""
    better = {}
    for row in document["comparisons"]:
        if row["metric"] == metric:
            clear = row["p_randomization_holm"] < 0.05
            ahead = (row["difference"] > 0) == (metric == "judge")
            better[row["a"], row["b"]] = clear and ahead
            better[row["b"], row["a"]] = clear and not ahead
    return better


def test_the_matrix_and_the_letters_say_what_the_json_says(many, command, monkeypatch):
    number, words = many
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = command("compare", *words, "--ranks", "--json")
    assert status == 0, err
    document = json.loads(out)
    assert len(document["comparisons"]) == number * (number - 1)  # of two metrics
    out = command("compare", *words, "--ranks")[1]
    assert max(map(cell_len, out.splitlines())) <= 80
    for metric in ("judge", "ter"):
        better = significant(document, metric)
        ranks = [row for row in document["ranks"] if row["metric"] == metric]
        assert len(ranks) == number
        for one in ranks:
            for other in ranks:
                differ = one is not other and (
                    better[one["system"], other["system"]] or better[other["system"], one["system"]]
                )
                assert differ == (not letters_of(one) & letters_of(other))
        if number > 6:
            matrix_is(out, metric, [row["system"] for row in ranks], better)
    for row in document["ranks"]:
        span = str(row["best_rank"])
        span += f"-{row['worst_rank']}" * (row["worst_rank"] > row["best_rank"])
        assert re.search(rf"\b{span} {row['letters']}(\s|$)", out)
    assert ("--all-pairs prints a row for each pair" in " ".join(out.split())) == (number > 6)


def letters_of(row):
    return set(re.findall(r"[A-Za-z]\d*", row["letters"]))


def matrix_is(out, metric, systems, better):
    """Compares a printed matrix, sign by sign."""
    part = out.partition(f"{metric}{' (lower is better)' * (metric == 'ter')}: ")[2]
    assert int(part.split(" of ", 1)[0]) == sum(better.values())
    size = len(systems)
    signs = re.findall(rf"^ *(\d+) (.+?) *│.* ([-+.\\]{{{size}}}) *$", part, re.MULTILINE)[:size]
    expected = [
        "".join(
            "\\"
            if other == one
            else "+"
            if better[one, other]
            else "-"
            if better[other, one]
            else "."
            for other in systems
        )
        for one in systems
    ]
    assert signs == [(str(n), *row) for n, row in enumerate(zip(systems, expected, strict=True), 1)]
    digits = re.findall(rf"^ +│.* ([ \d]{{{size}}}) *$", part, re.MULTILINE)[: len(str(size))]
    numbers = [int("".join(column)) for column in zip(*digits, strict=True)]
    assert numbers == list(range(1, size + 1))


def test_all_pairs_prints_every_pair(many, command, monkeypatch):
    number, words = many
    if number not in (6, 7):
        pytest.skip("the two sides of the threshold are enough")
    monkeypatch.setenv("COLUMNS", "200")
    rows = r"^[^│]*│[^│]*│ +-?\d+\.\d\d │ +\["
    plain, listed = (
        len(re.findall(rows, command("compare", *words, *more)[1], re.MULTILINE))
        for more in ([], ["--all-pairs"])
    )
    assert listed == number * (number - 1)
    assert plain == (listed if number == 6 else 0)
    assert "JSON has every pair" in command("compare", *words, "--all-pairs", "--json")[2]


def test_one_system_has_no_ranks(command, tmp_path):
    path = tmp_path / "judge.csv"
    path.write_text("system,id,judge\n" + "".join(f"a,{i},{i % 3}\n" for i in range(9)))
    status, out, err = command("score", "--scores", path, "--ranks")
    assert (status, out) == (2, "")
    assert "one system alone" in err
