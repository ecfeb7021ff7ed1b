"""``rejoinder recipe tao2018`` as a user meets it."""

import json
import subprocess
import sys

import polars as pl
import pytest

from command_line import notes_of
from example_ruber import example_ruber
from rejoinder import read_ratings, read_responses, read_testset
from rejoinder.cli.app import run
from rejoinder.recipes.tao2018.study import tao2018
from shared_data import EXAMPLES, ROOT, TESTSET

pytest.importorskip("torch")
pytest.importorskip("gensim")

SYSTEMS = [str(EXAMPLES / "responses" / f"{name}.jsonl") for name in ("generic", "tuned")]
RATINGS = str(EXAMPLES / "ratings.csv")
FEW = ["--permutations", "20", "--resamples", "100"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return example_ruber(tmp_path_factory)


@pytest.fixture
def study(command, monkeypatch, model):
    monkeypatch.setenv("COLUMNS", "160")

    def call(*arguments, folder=None):
        given = ["--ratings", RATINGS, "--model", folder or model]
        return command("recipe", "tao2018", TESTSET, *SYSTEMS, *given, *FEW, *arguments)

    return call


def test_the_tables_for_people(study, tmp_path):
    kept = tmp_path / "all.csv"
    status, out, err = study("--case", "c001", "--tables", kept)
    assert (status, notes_of(err)) == (0, "")
    words = " ".join(out.split())
    for each in (
        "inter-annotator", "human (max)", "vector pool (s_R)", "scorer (s_U)", "RUBER geometric",
        "132 replies of 2 systems", "pearson, within", "mean of systems",
        "c001: Did you manage to get tickets", "reference: Yes, two beds in a sleeper",
        "|scale:training|",
    ):  # fmt: skip
        assert each in words, each
    # 18 metrics: pooled and the mean of systems; by two coefficients, the mean and two systems.
    assert pl.read_csv(kept).height == 18 * 2
    assert pl.read_csv(tmp_path / "all-systems.csv").height == 18 * 2 * 3


def test_json_has_every_row(study, model):
    status, out, _ = study("--json", "--without", "generic", "--cases", "1")
    assert status == 0
    told = json.loads(out)
    assert set(told) == {
        "json_version",
        "table", "signature", "signatures", "notes", "cases", "files",
    }  # fmt: skip
    testset = read_testset(TESTSET)
    replies = read_responses(*SYSTEMS, ids=testset.ids)
    study = tao2018(
        testset, replies, read_ratings(RATINGS), model, without=["generic"], permutations=20,
        resamples=100,
    )  # fmt: skip
    values = [row["value"] for row in told["table"]]
    assert values == pytest.approx(study.rows()["value"].to_list())
    assert told["table"][0]["low"] is None  # people have no interval
    assert [row["system"] for row in told["cases"]] == ["tuned"]
    assert told["files"] == []


def test_s_u_after_the_sigmoid(study):
    status, out, _ = study("--json", "--cases", "1", "--set", "unreferenced=sigmoid")
    assert status == 0
    told = json.loads(out)
    assert "RUBER arithmetic sigmoid" in {row["metric"] for row in told["table"]}
    for label in ("scorer (s_U)", "RUBER min sigmoid"):
        assert "|unreferenced:sigmoid|" in told["signatures"][label]
    assert "RUBER arithmetic sigmoid" in told["cases"][0]


def test_plots(study, unrendered, tmp_path):
    folder = tmp_path / "new" / "plots"
    status, _, err = study("--plots", folder, "--cases", "0")
    assert (status, notes_of(err)) == (0, "")
    singles = {
        "scatter-BLEU-2", "scatter-ROUGE-L", "scatter-RUBER-arithmetic", "scatter-all",
        "scatter-people", "scatter-scorer-s-U", "scatter-vector-pool-s-R", "scatter-median-rater",
        "scatter-groups", "relevance",
    }  # fmt: skip
    drawn = {path.stem for path in folder.iterdir() if path.suffix == ".svg"}
    assert drawn == {*singles, "system-generic", "system-tuned"}
    assert f"Wrote {2 * 12} figure files in {folder}.\n" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--criterion", "style"], "choose 'relevance'"),
        (["--without", "nobody"], "choose 'generic' or 'tuned'"),
        (["--set", "bounds=2;1;0;1"], "four numbers"),
        (["--set", "referenced=encoder"], "--encoder PATH"),
        (["--set", "smoothing=much"], "much"),
        (["--set", "tokenizer=nothing"], "nothing"),
        (["--set", "min_weight=3"], "outside [-1, 1]"),
        (["--case", "c999"], "--case c999: the test set has no such item"),
        (["-m", "bleu:order=2"], "twice"),
        (["--permutations", "-1"], "--permutations -1"),
    ],
)
def test_mistakes_are_one_message_and_status_2(study, arguments, words):
    status, out, err = study(*arguments)
    assert (status, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_a_folder_that_is_no_model(study, tmp_path):
    status, out, err = study(folder=str(tmp_path))
    assert (status, out) == (2, "")
    assert str(tmp_path) in err


def test_a_test_set_alone(capfd):
    assert run(["recipe", "tao2018", TESTSET, "--ratings", RATINGS, "--model", "m"]) == 2
    assert "name the systems' replies too: rejoinder recipe tao2018" in capfd.readouterr().err


def test_help_needs_nothing_heavy():
    program = (
        "import sys; from rejoinder.cli.app import run; run(['recipe', 'tao2018', '--help']);"
        "assert not {'numba', 'polars', 'pyarrow', 'numpy', 'torch', 'matplotlib'} & "
        "set(sys.modules), 'heavy import'"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, cwd=ROOT)
