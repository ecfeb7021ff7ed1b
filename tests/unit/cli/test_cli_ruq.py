"""``rejoinder ruq`` as a user meets it."""

import json
from functools import partial

import msgspec
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_language_models as tiny
from rejoinder import read_testset, ruq
from rejoinder.utterance_quantity.generic import generic_replies
from shared_data import EXAMPLES, TESTSET


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    return [
        str(tiny.save(folder / "gpt2", "gpt2", window=256)),
        str(tiny.save(folder / "t5", "t5", window=256)),
    ]


@pytest.fixture
def generic(tmp_path):
    path = tmp_path / "generic.txt"
    path.write_text("I don't know.\nI don't know what to do.\n")
    return str(path)


@pytest.fixture
def asked(command):
    """Calls ``rejoinder ruq``."""
    return partial(command, "ruq")


def test_a_table_a_verdict_the_worst_prompts(asked, models, generic):
    status, out, err = asked(*models, TESTSET, "--generic", generic, "--worst", 2)
    assert (status, err) == (0, "")
    flat = " ".join(out.split())
    for words in (
        "the strongest of these",
        "I don't know what to do.",
        "gpt2",
        "t5",
        "against the strongest: ",
    ):
        assert words in flat
    assert "2 prompts where a generic reply wins by most" in flat
    assert "references left out by the rule 'w>=0'" in flat
    assert "weights=" in flat


def test_json_files_plots_and_the_gate(asked, models, generic, tmp_path):
    arguments = [models[0], TESTSET, "--generic", generic, "--json", "--work", tmp_path / "work"]
    saved = ["--save", tmp_path / "s.parquet", "--save-tokens", tmp_path / "t.parquet"]
    plots = ["--plots", tmp_path / "plots", "--outputs", EXAMPLES / "responses" / "tuned.jsonl"]
    status, out, err = asked(*arguments, *saved, *plots, "--fail-above", 0, "--by", "topic")
    assert status == 1
    assert "does not beat the strongest generic reply" in err
    told = json.loads(out)
    row = next(row for row in told["systems"] if row["metric"] == "RUQ (strongest)")
    assert told["preferred"]["gpt2"] == pytest.approx(1 - row["value"])
    assert told["failed"] == told["preferred"]
    assert {row["topic"] for row in told["groups"]} >= {"travel"}
    for name in ("s.parquet", "t.parquet", "plots/ruq.png", "plots/ruq.svg"):
        assert (tmp_path / name).stat().st_size > 500
    # The work folder is a source of likelihoods itself: no model is loaded, the numbers are equal.
    kept = tmp_path / "work" / "gpt2.scores.jsonl"
    status, out, err = asked(kept, TESTSET, "--generic", generic, "--json", "--fail-above", 1)
    assert (status, err) == (0, "")
    again = json.loads(out)
    assert again["parts"] == told["parts"]


def test_one_call_of_the_library_gives_what_the_command_prints(asked, models, generic):
    status, out, _ = asked(*models, TESTSET, "--generic", generic, "--json", "--by", "topic")
    assert status == 0
    found = ruq(read_testset(TESTSET), models, generic=generic_replies(generic))
    shown = json.loads(out)
    assert shown.pop("json_version") == 2
    assert shown == json.loads(msgspec.json.encode(found.as_json(by="topic")))


def test_groups(asked, models, generic):
    status, out, _ = asked(models[0], TESTSET, "--generic", generic, "--by", "reference_words")
    assert status == 0
    assert "6 to 10" in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["no/such/model", TESTSET], "no such folder"),
        (["scores.jsonl", TESTSET], "no such file"),
        ([TESTSET], "Missing"),
        (["MODEL", TESTSET, "--generic", "none.txt"], "no such file"),
        (["MODEL", TESTSET, "--reference-rule", "best"], "is no rule"),
        (["MODEL", TESTSET, "--fail-above", "3"], "fail-above"),
        (["MODEL", TESTSET, "--device", "gpu9"], "is unknown"),
        (["MODEL", TESTSET, "--resamples", "-1"], "resamples"),
        (["MODEL", TESTSET, "--by", "mood"], "no column 'mood'"),
        (["http://127.0.0.1:9/v1#m", TESTSET], "cannot be reached"),
        (["MODEL", TESTSET, "--set", "template=chat"], "no chat template"),
        (["MODEL", "MODEL", TESTSET], "two models"),
    ],
)
def test_one_clear_message(asked, models, arguments, told):
    filled = [models[0] if each == "MODEL" else each for each in arguments]
    status, _, err = asked(*filled)
    assert status == 2
    assert told in err
    assert "Traceback" not in err
