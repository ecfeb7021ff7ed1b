"""What a verb writes to: one rule for every option that names a file or a folder.

The options are taken from the command line itself: a new one that has no entry here fails.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass

import polars as pl
import pytest

import rejoinder
from command_line import notes_of, written
from rejoinder.figures.style import STEMS
from rejoinder.files.provenance import is_record, record_path
from rejoinder.tables.testset import read_testset
from shared_data import EXAMPLES, SYSTEMS, TESTSET

RATINGS = str(EXAMPLES / "ratings.csv")
CORPUS = str(EXAMPLES / "corpus.txt")


@dataclass(frozen=True)
class Output:
    """An option that names what is written.

    Attributes:
        verb: The words of the verb.
        option: The option.
        arguments: The others, IN standing for what is read.
        suffix: Of a file; "" for a folder.
        foreign: A file that makes a folder another's; "" where any folder is taken.
    """

    verb: str
    option: str
    arguments: str
    suffix: str = ""
    foreign: str = ""

    def words(self, target, read="absent.jsonl"):
        """The command; without ``read`` nothing that it names is there, and nothing is read."""
        named = [str(read) if word == "IN" else word for word in self.arguments.split()]
        return [*self.verb.split(), *named, self.option, str(target)]


OUTPUTS = [
    Output("score", "--tables", "IN a.jsonl", ".csv"),
    Output("compare", "--tables", "IN a.jsonl", ".md"),
    Output("correlate", "--tables", "IN a.jsonl --ratings b.csv", ".tex"),
    Output("audit", "--tables", "IN a.jsonl", ".html"),
    Output("explain-diff", "--tables", "IN a.jsonl -m bleu -m sbleu", ".html"),
    Output("ratings", "--tables", "IN", ".csv"),
    Output("preferences", "--tables", "IN", ".md"),
    Output("judge", "--tables", "--scores IN --ratings b.csv", ".tex"),
    Output("plan", "--tables", "IN a.jsonl", ".html"),
    Output("weigh", "--tables", "IN a.jsonl --ratings b.csv -o c.jsonl", ".csv"),
    Output("mark", "--tables", "IN a.jsonl --model http://127.0.0.1:9/v1 --rubric b.toml -o c.csv", ".md"),
    Output("mine", "--tables", "IN b.jsonl -o c.jsonl", ".tex"),
    Output("filter", "--tables", "IN -o c.jsonl", ".html"),
    Output("tune", "--tables", "IN a.jsonl", ".csv"),
    Output("rerank", "--tables", "IN --mbr chrf -o c.jsonl", ".md"),
    Output("ruq", "--tables", "model IN", ".csv"),
    Output("sweep", "--tables", "IN --testset b.jsonl --set dropout=0,0.1 -o c", ".md"),
    Output("recipe galley2015", "--tables", "IN a.jsonl --ratings b.csv", ".tex"),
    Output("recipe khayrallah2021", "--tables", "IN -o c", ".html"),
    Output("recipe negative-references", "--tables", "IN", ".csv"),
    Output("recipe references", "--tables", "IN b.jsonl -o c", ".md"),
    Output("recipe systems2015", "--tables", "IN b.jsonl -o c", ".md"),
    Output("recipe tao2018", "--tables", "IN a.jsonl --ratings b.csv --model c", ".tex"),
    Output("score", "--claim", "IN a.jsonl", ".json"),
    Output("compare", "--claim", "IN a.jsonl", ".claim"),
    Output("verify", "--rows", "IN", ".parquet"),
    Output("verify", "--badge", "IN", ".svg"),
    Output("correlate", "--claim", "IN a.jsonl --ratings b.csv", ".claim"),
    Output("judge", "--claim", "--scores IN --ratings b.csv", ".json"),
    Output("plan", "--register", "IN a.jsonl", ".json"),
    Output("score", "--save", "IN a.jsonl", ".parquet"),
    Output("merge", "--save", "IN", ".parquet"),
    Output("compare", "--save", "IN a.jsonl -b a --fail-if-worse 0", ".xml"),
    Output("report", "--output", "IN a.jsonl", ".html"),
    Output("variety", "--tables", "IN a.jsonl", ".csv"),
    Output("runs", "--tables", "IN", ".md"),
    Output("runs", "--plots", "IN -m bleu", foreign="runs.png"),
    Output("compare", "--plots", "IN a.jsonl", foreign="differences.svg"),
    Output("variety", "--plots", "IN a.jsonl", foreign="variety.png"),
    Output("audit", "--save-replies", "IN a.jsonl", ".csv"),
    Output("correlate", "--save", "IN a.jsonl --ratings b.csv", ".csv"),
    Output("correlate", "--plots", "IN a.jsonl --ratings b.csv", foreign="heatmap.png"),
    Output("plan", "--save", "--design -d 0.5 --ratings IN", ".json"),
    Output("plan", "--output", "IN a.jsonl --next 5", ".csv"),
    Output("ratings", "--save", "IN", ".csv"),
    Output("convert", "--output", "IN --as responses", ".jsonl"),
    Output("weigh", "--output", "IN a.jsonl --ratings b.csv", ".jsonl"),
    Output("annotate page", "--output", "IN a.jsonl --db b.sqlite", ".html"),
    Output("annotate export", "--output", "IN", ".csv"),
    Output("ruq", "--save", "model IN", ".parquet"),
    Output("ruq", "--save-tokens", "model IN", ".parquet"),
    Output("ruq", "--plots", "model IN", foreign="ruq.svg"),
    Output("ruq", "--work", "model IN"),
    Output("respond", "--output", "random IN --corpus b.jsonl", ".csv"),
    Output("respond", "--work", "http://127.0.0.1:9/v1 IN -o c.csv"),
    Output("mark", "--output", "IN a.jsonl --model http://127.0.0.1:9/v1 --rubric b.toml", ".csv"),
    Output("mark", "--work", "IN a.jsonl --model http://127.0.0.1:9/v1 --rubric b.toml -o c.csv"),
    Output("mine", "--output", "IN b.jsonl", ".jsonl"),
    Output("mine", "--index", "IN b.jsonl -o c.jsonl", foreign="a.txt"),
    Output("filter", "--output", "IN", ".parquet"),
    Output("rerank", "--output", "IN --mbr chrf", ".csv"),
    Output("rerank", "--save-utility", "IN --mbr chrf -o c.jsonl", ".parquet"),
    Output("sweep", "--output", "IN --testset b.jsonl --set dropout=0,0.1", foreign="a.txt"),
    Output("train vectors", "--output", "IN", foreign="a.txt"),
    Output("train ruber", "--output", "IN", foreign="a.txt"),
    Output("train responder", "--output", "IN", foreign="a.txt"),
    Output("recipe khayrallah2021", "--output", ".", foreign="a.txt"),
    Output("recipe references", "--output", "IN b.jsonl", foreign="a.txt"),
    Output("recipe systems2015", "--output", "IN b.jsonl", foreign="a.txt"),
    Output("recipe tao2018", "--plots", "IN a.jsonl --ratings b.csv --model c", foreign="scatter-x.png"),
    Output("recipe galley2015", "--plots", "IN a.jsonl --ratings b.csv", foreign="galley2015-figure2.svg"),
]  # fmt: skip
FILES = [each for each in OUTPUTS if each.suffix]
FOLDERS = [each for each in OUTPUTS if not each.suffix]


def named(each):
    return f"{each.verb} {each.option}"


def test_every_option_of_a_path_is_read_or_stands_here():
    assert set(written()) == {(each.verb, each.option) for each in OUTPUTS}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("each", FILES, ids=named)
def test_a_file_of_another_kind_is_spared_before_anything_is_read(command, here, each):
    target = here / f"mine{each.suffix}"
    for content in (b"mine", b'{"mine": 1}\n', b"PAR1mine", b"a,b\n1,2\n", b'{"id": "1"}\n'):
        target.write_bytes(content)
        status, out, err = command(*each.words(target))
        assert (status, out) == (2, "")
        assert f"{each.option} {target}: a file stands there that holds no" in err
        assert "name another file, or remove this one" in err
        assert target.read_bytes() == content


@pytest.mark.parametrize("each", FILES, ids=named)
def test_what_is_read_is_not_written(command, here, each):
    (here / f"read{each.suffix}").write_bytes(b"mine")
    (here / f"link{each.suffix}").symlink_to(here / f"read{each.suffix}")
    for name in ("read", "link"):
        target = here / f"{name}{each.suffix}"
        status, out, err = command(*each.words(target, read=here / f"read{each.suffix}"))
        assert (status, out) == (2, "")
        assert f"{each.option} {target}: that is an input; name another file" in err
    assert (here / f"read{each.suffix}").read_bytes() == b"mine"


@pytest.mark.parametrize("each", FILES, ids=named)
def test_a_file_that_cannot_be_written_is_told_before_anything_is_read(
    command, here, each, monkeypatch
):
    (here / f"folder{each.suffix}").mkdir()
    os.mkfifo(here / f"pipe{each.suffix}")
    for target, message in (
        (f"folder{each.suffix}", "is a folder; expected the name of a file"),
        (f"nowhere/a{each.suffix}", "there is no folder 'nowhere'; make it first"),
        (f"pipe{each.suffix}", "neither a file nor free"),
    ):
        status, out, err = command(*each.words(target))
        assert (status, out) == (2, "")
        assert message in err
    monkeypatch.setattr(os, "access", lambda _path, mode, **_: not mode & os.W_OK)
    status, _, err = command(*each.words(f"new{each.suffix}"))
    assert status == 2
    assert "its folder cannot be written to" in err


@pytest.mark.parametrize("each", FOLDERS, ids=named)
def test_a_folder_that_cannot_be_written_is_told_before_anything_is_read(
    command, here, each, monkeypatch
):
    (here / "file").write_bytes(b"mine")
    for target in ("file", "file/below"):
        status, out, err = command(*each.words(target))
        assert (status, out) == (2, "")
        assert "file" in err
        assert "absent" not in err
    assert (here / "file").read_bytes() == b"mine"
    monkeypatch.setattr(os, "access", lambda _path, mode, **_: not mode & os.W_OK)
    status, _, err = command(*each.words("new"))
    assert status == 2
    assert "written to" in err


@pytest.mark.parametrize("each", [each for each in FOLDERS if each.foreign], ids=named)
def test_a_folder_of_other_things_is_spared_before_anything_is_read(command, here, each):
    (here / "folder").mkdir()
    (here / "folder" / each.foreign).write_bytes(b"mine")
    status, out, err = command(*each.words("folder"))
    assert (status, out) == (2, "")
    assert "folder" in err
    assert "absent" not in err
    assert (here / "folder" / each.foreign).read_bytes() == b"mine"


@pytest.mark.parametrize("each", FILES, ids=named)
def test_a_link_to_a_file_of_another_kind_is_spared(command, here, each):
    (here / "mine").write_bytes(b"mine")
    link = here / f"link{each.suffix}"
    link.symlink_to(here / "mine")
    status, out, err = command(*each.words(link))
    assert (status, out) == (2, "")
    assert f"{each.option} {link}: a file stands there that holds no" in err
    assert link.is_symlink()
    assert (here / "mine").read_bytes() == b"mine"


def test_a_link_stays_and_what_it_points_to_is_replaced(command, here):
    (here / "there").mkdir()
    (here / "a.jsonl").symlink_to(here / "there" / "kept.jsonl")
    for _ in range(2):
        assert command("filter", TESTSET, "--output", "a.jsonl")[0] == 0
        assert (here / "a.jsonl").is_symlink()
        assert [path.name for path in (here / "there").iterdir()] == ["kept.jsonl"]


def test_what_a_filter_replaces_is_no_mere_test_set(command, here):
    for expected in ("", "note: a.jsonl: a corpus or test set of an earlier run will be replaced"):
        status, _, err = command("filter", TESTSET, "--output", "a.jsonl")
        assert status == 0
        assert ("earlier run" in err) == bool(expected)
        assert expected in " ".join(err.split())


def test_scores_as_csv_are_refused_with_the_way_to_a_csv(command, here):
    status, out, err = command("score", TESTSET, *SYSTEMS, "-m", "bleu", "--save", "x.csv")
    assert (status, out) == (2, "")
    (line,) = re.findall(r"rejoinder\.load_scores\(.*?\)\.systems\(\)\.write_csv\(.*?\)", err)
    assert "--segments > segments.tsv" in err
    assert command("score", TESTSET, *SYSTEMS, "-m", "bleu", "--save", "kept.parquet")[0] == 0
    eval(line, {"rejoinder": rejoinder})  # the advice works as it stands
    table = pl.read_csv(here / "table.csv")
    assert table.get_column("metric").to_list() == ["BLEU-2"] * len(SYSTEMS)


def test_of_two_commands_with_one_output_each_leaves_it_whole(here):
    words = [sys.executable, "-m", "rejoinder", "filter", str(TESTSET), "--output", "a.parquet"]
    both = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in "ab"]
    told = [each.communicate() for each in both]
    assert [each.returncode for each in both] == [0, 0], told
    assert sorted(here.iterdir()) == [here / "a.parquet", record_path(here / "a.parquet")]
    assert len(read_testset(here / "a.parquet")) == 66


TWICE = [
    ("score", TESTSET, *SYSTEMS, "-m", "bleu", "--tables", "a.md"),
    ("score", TESTSET, *SYSTEMS, "-m", "bleu", "--tables", "a.csv"),
    ("ratings", RATINGS, "--resamples", "0", "--tables", "a.tex"),
    ("ratings", RATINGS, "--resamples", "0", "--tables", "a.html"),
    ("score", TESTSET, *SYSTEMS, "-m", "bleu", "--save", "a.parquet"),
    ("correlate", TESTSET, *SYSTEMS, "-m", "bleu", "--ratings", RATINGS, "--permutations", "10",
     "--resamples", "100", "--save", "a.tsv", "--plots", "plots"),
    ("compare", TESTSET, *SYSTEMS, "-m", "bleu", "--tables", "a.md"),
    ("compare", TESTSET, *SYSTEMS, "-m", "bleu", "--tables", "a.tex"),
    ("compare", TESTSET, *SYSTEMS, "-m", "bleu", "-a", "tuned", "-b", "generic", "--fail-if-worse", "0",
     "--save", "a.xml"),
    ("ratings", RATINGS, "--resamples", "0", "--save", "a.jsonl"),
    ("weigh", TESTSET, *SYSTEMS, "--ratings", RATINGS, "--output", "a.jsonl"),
    ("weigh", TESTSET, *SYSTEMS, "--ratings", RATINGS, "--output", "a.parquet"),
    ("filter", TESTSET, "--output", "a.jsonl"),
    ("respond", "random", TESTSET, "--corpus", CORPUS, "--output", "a.csv"),
    ("respond", "random", TESTSET, "--corpus", CORPUS, "--output", "a.jsonl"),
]  # fmt: skip


@pytest.mark.parametrize("words", TWICE, ids=lambda words: f"{words[0]} {words[-1]}")
def test_what_the_same_command_wrote_is_replaced_and_said(command, here, unrendered, words):
    assert command(*words)[0] == 0
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    status, _, err = command(*words)
    assert status == 0
    assert "of an earlier run will be replaced" in err
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before
    for path in here.rglob("plots/*"):
        assert path.name.startswith(STEMS) or is_record(path)
        assert "pictures of an earlier run will be replaced" in err


def test_a_csv_that_was_changed_since_is_spared(command, here):
    words = ("ratings", RATINGS, "--resamples", "0", "--tables", "a.csv")
    assert command(*words)[0] == 0
    with (here / "a.csv").open("a") as file:
        file.write("mine\n")
    status, _, err = command(*words)
    assert status == 2
    assert "--tables a.csv: a file stands there that holds no tables of results" in err


def test_a_command_that_is_refused_announces_no_replacement(command, here):
    words = ("score", TESTSET, *SYSTEMS, "-m", "bleu", "--resamples", "0", "--save", "a.parquet")
    assert command(*words)[0] == 0
    status, _, err = command(*words, "--without", "nobody")
    assert status == 2
    assert "replaced" not in err


def test_an_empty_file_loses_nothing(command, here):
    (here / "a.jsonl").touch()
    status, _, err = command("filter", TESTSET, "-o", here / "a.jsonl")
    assert (status, notes_of(err)) == (0, "")


def test_two_outputs_are_not_one_file(command, here):
    status, _, err = command(
        "ruq", "m", "t.jsonl", "--save", "a.parquet", "--save-tokens", "./a.parquet"
    )
    assert status == 2
    assert "--save-tokens names the same file" in err


def test_a_table_of_ones_own_json_is_not_taken_for_ours(command, here):
    """A test set as json.dumps writes it: the same keys, other bytes."""
    target = here / "mine.jsonl"
    target.write_text('{"id": "a", "context": ["Hi"], "references": ["Ho"]}\n')
    status, _, err = command("filter", TESTSET, "-o", target)
    assert status == 2
    assert "holds no corpus or test set as Rejoinder writes them" in err


def test_the_names_of_the_recipes_pictures_are_known():
    from rejoinder.cli.verbs import recipe_galley2015 as recipe
    from rejoinder.figures.ruq import ruq_plot
    from rejoinder.recipes.khayrallah2021 import study as khayrallah2021
    from rejoinder.recipes.tao2018 import figures as tao2018_figures

    defaults = ruq_plot.__kwdefaults__
    assert defaults is not None
    for name in (recipe.FIGURE, khayrallah2021.FIGURE, defaults["name"], tao2018_figures.PAGE):
        assert name.startswith(STEMS)


def test_scores_that_python_kept_are_replaced(command, tmp_path):
    kept = tmp_path / "kept.parquet"
    replies = rejoinder.read_responses(*SYSTEMS)
    rejoinder.score(rejoinder.read_testset(TESTSET), replies, ["bleu"]).save(kept)
    status, _, err = command("score", TESTSET, *SYSTEMS, "-m", "chrf", "--save", kept)
    assert status == 0, err
    assert f"{kept}: kept scores of an earlier run will be replaced" in err
    assert rejoinder.load_scores(kept).systems()["metric"].unique().to_list() == ["chrF"]


@pytest.mark.parametrize("name", ["report.html", "report.md"])
def test_a_report_that_python_wrote_is_replaced_unless_it_was_changed_since(
    command, tmp_path, name
):
    page, ratings = tmp_path / name, str(EXAMPLES / "ratings.csv")
    rejoinder.report(ratings=rejoinder.read_ratings(ratings), resamples=100).save(page)
    words = ["report", "--ratings", ratings, "--resamples", "100", "-o", page]
    status, _, err = command(*words)
    assert status == 0, err
    assert f"{page}: a report of an earlier run will be replaced" in err
    rejoinder.report(ratings=rejoinder.read_ratings(ratings), resamples=100).save(page)
    page.write_text("my notes")
    status, _, err = command(*words)
    assert (status, page.read_text()) == (2, "my notes")
