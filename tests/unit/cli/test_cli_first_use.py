"""What a new user meets: help everywhere, and mistakes told before the work is done."""

import contextlib
import json

import click
import polars as pl
import pytest

from rejoinder.cli.app import app, run
from rejoinder.cli.terminal import progress
from rejoinder.document.numbers import three_decimals
from rejoinder.files.provenance import is_record
from rejoinder.kernels import ahead, code_files, tokens
from shared_data import EXAMPLES, SYSTEMS, TESTSET

RATINGS = str(EXAMPLES / "ratings.csv")
PREFERENCES = str(EXAMPLES / "preferences.csv")
SCORED = [TESTSET, *SYSTEMS, "-m", "bleu"]
QUICK = ["--permutations", "20", "--resamples", "0"]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    path = tmp_path_factory.mktemp("scores") / "kept.parquet"
    metrics = ["-m", "bleu", "-m", "distinct", "-m", "length"]
    assert run(["score", TESTSET, *SYSTEMS, *metrics, "--save", str(path), "--json"]) == 0
    return path


@pytest.fixture
def unmeasured(monkeypatch):
    """Measuring is the work that must not have begun."""

    def measured(*_, **__):
        raise AssertionError("measured before the mistake was told")

    monkeypatch.setattr("rejoinder.cli.inputs.measure", measured)


def verbs(command=app, names=()):
    """The names of every verb and subverb, down the tree."""
    yield names
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None, name
            yield from verbs(below, (*names, name))


TREE = list(verbs())


def test_the_tree_has_the_kinds_of_models_and_the_recipes():
    assert {("train", "ruber"), ("train", "responder"), ("train", "vectors")} <= set(TREE)
    assert {("score",), ("weigh",), ("recipe", "galley2015")} <= set(TREE)


@pytest.mark.parametrize("names", TREE, ids=lambda names: " ".join(names) or "rejoinder")
def test_every_verb_answers_help(command, names):
    status, out, err = command(*names, "--help")
    assert (status, err) == (0, "")
    assert out.startswith(f"Usage: {' '.join(['rejoinder', *names])}")
    for option in ("-h",):
        assert command(*names, option)[0] == 0


SAVES = {
    "score": (["score", *SCORED], "--save", ".parquet"),
    "correlate": (["correlate", *SCORED, "--ratings", RATINGS], "--save", ".csv"),
    "ratings": (["ratings", RATINGS], "--save", ".csv"),
    "weigh": (["weigh", TESTSET, *SYSTEMS, "--ratings", RATINGS], "-o", ".jsonl"),
}


@pytest.mark.parametrize("verb", SAVES)
def test_a_file_that_cannot_be_written_is_told_first(command, tmp_path, unmeasured, verb):
    words, option, suffix = SAVES[verb]
    (tmp_path / f"folder{suffix}").mkdir()
    for path, told in (
        (tmp_path / "absent" / f"kept{suffix}", "there is no folder 'absent'"),
        (tmp_path / "kept.xlsx", "got the suffix '.xlsx'"),
        (tmp_path / "kept", "got the suffix ''"),
        (tmp_path / f"folder{suffix}", "is a folder; expected the name of a file"),
    ):
        status, out, err = command(*words, option, path)
        assert (status, out) == (2, ""), path
        assert told in err
        assert err.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} == {f"folder{suffix}"}


def test_plots_where_a_file_stands(command, tmp_path, unmeasured):
    (tmp_path / "taken").write_text("mine")
    status, _, err = command(
        "correlate", *SCORED, "--ratings", RATINGS, "--plots", tmp_path / "taken"
    )
    assert status == 2
    assert "taken: no folder to draw into: it is a file" in err


def test_the_suffix_says_how_the_table_is_kept(command, kept, tmp_path):
    words = ["correlate", kept, "--ratings", RATINGS, *QUICK, "-c", "spearman"]
    for suffix, read in {
        ".parquet": pl.read_parquet,
        ".jsonl": pl.read_ndjson,
        ".csv": pl.read_csv,
        ".tsv": lambda path: pl.read_csv(path, separator="\t"),
    }.items():
        path = tmp_path / f"table{suffix}"
        assert command(*words, "--save", path)[0] == 0
        table = read(path)
        assert table.columns[:3] == ["metric", "correlation", "value"]
        assert table["metric"].to_list()[:3] == ["BLEU-2", "distinct-1", "length"]


@pytest.mark.parametrize("verb", ["score", "compare", "correlate", "plan", "audit", "report"])
def test_resamples_too_few_for_an_interval(command, unmeasured, verb):
    more = ["--ratings", RATINGS] if verb in ("correlate", "plan") else []
    more += ["-o", "r.html"] if verb == "report" else []
    status, _, err = command(verb, *SCORED, *more, "--resamples", "20")
    assert status == 2
    assert "--resamples 20: too few for a 95% interval; give 0 for none, or 100 or more" in err


@pytest.mark.parametrize(("path", "verb"), [(RATINGS, "ratings"), (PREFERENCES, "preferences")])
def test_resamples_too_few_for_judgements(command, path, verb):
    status, _, err = command(verb, path, "--resamples", "99")
    assert status == 2
    assert "--resamples 99: too few" in err


@pytest.fixture
def slipped(tmp_path):
    """The example's ratings, and in the fifth row a 9 on the scale from 1 to 5."""
    lines = (EXAMPLES / "ratings.csv").read_text().splitlines()
    lines[5] = lines[5].rsplit(",", 1)[0] + ",9"
    path = tmp_path / "slipped.csv"
    path.write_text("\n".join(lines) + "\n")
    id, system, rater = lines[5].split(",")[:3]
    return path, f"9 of '{system}' at id '{id}' by '{rater}' is off the scale from 1 to 5"


@pytest.mark.parametrize("verb", ["ratings", "correlate", "plan"])
def test_a_rating_off_the_scale_is_named(command, unmeasured, slipped, verb):
    path, told = slipped
    words = [path] if verb == "ratings" else [*SCORED, "--ratings", path]
    status, out, err = command(verb, *words, "--scale", "1", "5")
    assert (status, out) == (2, "")
    assert told in err


def test_a_rating_that_stands_apart_is_noted(command, kept, slipped):
    path, _ = slipped
    for words in (
        ["ratings", path, "--resamples", "0"],
        ["correlate", kept, "--ratings", path, *QUICK],
    ):
        _, out, _ = command(*words, "--json")
        notes = json.loads(out)["notes"]
        assert any("9 is an outlier (given once, next to 5)" in note for note in notes), words
    _, out, _ = command("ratings", RATINGS, "--resamples", "0", "--json")
    assert not any("apart" in note for note in json.loads(out)["notes"])


@pytest.mark.parametrize(
    ("protocol", "option", "owner"),
    [
        ("turn", ["--set", "unit_size=5"], "unit"),
        ("system", ["--set", "assignments=10"], "unit"),
        ("turn", ["--pair", "generic", "tuned"], "unit"),
        ("unit", ["--set", "epsilon=0.1"], "pairwise"),
        ("pairwise", ["--rater-effects", "random"], "turn"),
    ],
)
def test_an_option_of_another_protocol(command, unmeasured, protocol, option, owner):
    status, _, err = command("correlate", *SCORED, "--ratings", RATINGS, "-p", protocol, *option)
    assert status == 2
    name = " ".join(option).partition("=")[0] if option[0] == "--set" else option[0]
    assert f"{name} has no effect without --protocol {owner};" in err


def test_one_empty_reply_is_taken_from_the_metric_that_cannot_score_it(command, kept):
    _, out, _ = command("correlate", kept, "--ratings", RATINGS, *QUICK, "--json")
    told = json.loads(out)
    metrics = [row for row in told["agreement"] if not row["metric"].startswith("human")]
    assert {row["metric"] for row in metrics if row["n"] == 197} == {"distinct-1"}
    assert {row["n"] for row in metrics if row["metric"] != "distinct-1"} == {198}
    assert all(row["value"] is not None for row in metrics)
    assert any("distinct-1: 1 of 198 rated replies left out" in note for note in told["notes"])


def test_chance_gets_no_star(command, kept):
    # Of seeds enough, one gives chance a small p: the row is plain whatever it holds.
    _, out, _ = command("correlate", kept, "--ratings", RATINGS, "--permutations", "200",
                        "--resamples", "0", "-c", "spearman")  # fmt: skip
    assert not any("*" in line for line in out.splitlines() if line.startswith("random"))
    assert three_decimals(0.01, marked=False) == "0.010 "
    assert any("*" in line for line in out.splitlines() if line.startswith("BLEU-2"))


def test_two_systems_have_no_correlation_of_systems(command, kept):
    words = ["--ratings", RATINGS, "-p", "system", "--without", "tuned", *QUICK, "--json"]
    _, out, _ = command("correlate", kept, *words)
    row = json.loads(out)["agreement"][0]
    assert row["value"] is None
    assert row["reason"].startswith("2 observations")


def test_score_and_compare_tell_the_same_p(command, kept):
    _, out, _ = command("score", kept, "--json")
    lead = json.loads(out)["leads"][0]
    _, out, _ = command("compare", kept, "--json")
    rows = json.loads(out)["comparisons"]
    (row,) = [
        row
        for row in rows
        if row["metric"] == lead["metric"] and {row["a"], row["b"]} == {lead["a"], lead["b"]}
    ]
    assert lead["p"] == row["p_randomization_holm"]
    assert lead["correction"] == "holm"
    # Items neither win nor lose under a metric of all words together.
    bags = [row for row in rows if row["metric"] == "distinct-1"]
    assert {row["wins"] for row in bags} == {None}
    _, out, _ = command("score", kept)
    assert "Holm-corrected over 3 pairs as in 'rejoinder compare'" in " ".join(out.split())


def test_who_leans_to_a_side_is_told(command):
    _, out, _ = command("preferences", PREFERENCES, "--resamples", "0", "--json")
    told = json.loads(out)
    rows = {row["rater"]: row for row in told["raters"]}
    # j4: 48 times the first of the two, 18 times the second; binomial, two-sided.
    assert rows["j4"]["side_p"] == pytest.approx(2.87e-4, rel=0.01)
    assert min(row["side_p"] for name, row in rows.items() if name != "j4") > 0.1
    (note,) = [note for note in told["notes"] if "leans" in note]
    assert note.startswith("'j4' leans to the side named first")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["score", TESTSET, RATINGS], "ratings.csv: no column 'text'"),
        (["score", TESTSET, RATINGS], "is this the ratings file?"),
        (["correlate", *SCORED, "--ratings", TESTSET], "is this the test set?"),
        (["ratings", PREFERENCES], "is this a file of comparisons, which 'rejoinder preferences' reads?"),
        (["preferences", RATINGS], "is this the ratings file?"),
        (["compare", TESTSET], "or give the Parquet file of 'rejoinder score --save' alone"),
        (["score", TESTSET, TESTSET, "--block", "9"], "(it is of another format)"),
        (["plan", *SCORED, "--scale", "1", "5"], "no effect without --ratings"),
    ],
)  # fmt: skip
def test_mistakes_of_the_first_hour(command, unmeasured, words, told):
    status, out, err = command(*words)
    assert (status, out) == (2, "")
    assert told in err
    assert "parquet:" not in err


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("bleu,chrf", "several at once; give each by itself: --metric bleu --metric chrf"),
        ("bleu:", "metric 'bleu:': no parameters behind the colon"),
    ],
)
def test_slips_in_the_names_of_metrics(command, name, told):
    status, out, err = command("score", *SCORED[:-1], name)
    assert (status, out) == (2, "")
    assert told in err


def test_the_first_run_says_that_it_compiles(tmp_path, monkeypatch):
    # While a kernel is compiled, and only then: not where none is needed and none is kept.
    monkeypatch.setattr(code_files, "folder", lambda: tmp_path)
    tick = progress.Progress("measuring")
    assert tick.line(3) == "rejoinder: measuring (3 s so far)"
    seen = []
    compiled = ahead._compiled
    monkeypatch.setattr(
        ahead, "_compiled", lambda *given: (seen.append(tick.line(3)), compiled(*given))[1]
    )
    again = ahead.Kernel(tokens._same_strings.function)
    with contextlib.suppress(ValueError):
        again()
    assert seen == ["rejoinder: compiling for this machine; later runs find it ready (3 s so far)"]
    assert tick.line(3) == "rejoinder: measuring (3 s so far)"


def test_the_files_of_plots_stand_in_the_json(command, unrendered, kept, tmp_path):
    words = ["--ratings", RATINGS, *QUICK, "-c", "spearman", "--json", "--plots", tmp_path / "p"]
    _, out, _ = command("correlate", kept, *words)
    files = json.loads(out)["files"]
    assert str(tmp_path / "p" / "heatmap.svg") in files
    assert len(files) == len([each for each in (tmp_path / "p").iterdir() if not is_record(each)])


def test_where_the_example_files_are_absent_the_error_says_how_to_write_them(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert run(["score", "examples/testset.jsonl", "examples/responses/tuned.jsonl"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "there is no folder examples; 'rejoinder --example-files examples' writes" in said
    assert run(["score", "other/testset.jsonl", "other/tuned.jsonl"]) == 2
    assert "--example-files" not in capsys.readouterr().err
