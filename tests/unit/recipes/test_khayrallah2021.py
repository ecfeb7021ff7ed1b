"""The recipe ``khayrallah2021`` on our own dialogues, with systems of seconds."""

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from rejoinder.cli.app import run
from rejoinder.cli.terminal import progress
from rejoinder.errors import InputError, ParameterError
from rejoinder.human_evaluation.preference_summary import preferences
from rejoinder.recipes.khayrallah2021 import replies as khayrallah2021_replies
from rejoinder.recipes.khayrallah2021 import study as recipe
from rejoinder.recipes.khayrallah2021.corpora import Corpora, corpora
from rejoinder.recipes.khayrallah2021.published import PUBLISHED
from rejoinder.recipes.khayrallah2021.replies import replies
from rejoinder.recipes.khayrallah2021.settings import Settings, settings
from rejoinder.recipes.khayrallah2021.tables import absent, cells
from rejoinder.responders.seq2seq.parameters import Parameters
from rejoinder.tables.ratings import read_ratings
from rejoinder.tables.schemas import PREFERENCES, RATINGS
from rejoinder.tables.testset import read_testset
from rejoinder.tables.write import write_testset
from shared_data import EXAMPLES

pytest.importorskip("torch")
pytest.importorskip("transformers")

SMALL = Parameters(
    vocabulary=120,
    layers=1,
    width=32,
    heads=2,
    feed_forward=64,
    learning_rate=5e-3,
    warmup=10,
    tokens=400,
    accumulate=1,
    epochs=2,
    patience=0,
    longest=24,
    detokenize=True,
)
pytestmark = pytest.mark.java  # its tables have METEOR

SIZES = Settings(
    {
        **dict.fromkeys(("DD-BASE", "DD-BEST", "EF-BASE"), SMALL),
        "EF-BEST": SMALL.changed(vocabulary=110),
    },
    pairs=60,
    train_prompts=12,
    train_outputs=4,
    test_prompts=5,
    choose_on_training=True,
    beam=2,
)


def quiet(what, done, total):
    return None


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Splits of our own corpus in DailyDialog's format, and further references of the test split."""
    folder = tmp_path_factory.mktemp("data")
    lines = (EXAMPLES / "corpus.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    for split, some in (("train", lines[:28]), ("validation", lines[28:31]), ("test", lines[31:])):
        (folder / f"{split}.txt").write_text("".join(some), encoding="utf-8")
    test = read_testset(folder / "test.txt")
    further = [
        {"id": id, "text": text, "weight": None, "source": None}
        for id in test.ids
        for text in ("yes , i think so .", "")
    ]
    references = pl.concat(
        [
            test.references.with_columns(pl.col("text").str.to_lowercase()),
            pl.DataFrame(further, schema=test.references.schema),
        ]
    )
    write_testset(type(test)(test.contexts, references), folder / "several.jsonl")
    return folder


@pytest.fixture(scope="module")
def study(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "out"
    told = read_ratings(EXAMPLES / "ratings.csv")
    return folder, made(data, folder, ratings=told)


def made(data, folder, **given):
    given = {"multiref": data / "several.jsonl", "resamples": 100, **given}
    return recipe.khayrallah2021(data, folder, SIZES, **given)


def test_the_papers_settings_stand_at_its_preset():
    # Table 6, and the command of figure 3.
    held = settings("paper").systems
    told = {
        name: (e.vocabulary, e.learning_rate, e.dropout, e.attention_dropout, e.label_smoothing)
        for name, e in held.items()
    }
    assert told == {
        "DD-BASE": (4000, 1e-3, 0.4, 0.2, 0.2),
        "DD-BEST": (4000, 1e-3, 0.0, 0.1, 0.4),
        "EF-BASE": (4000, 1e-3, 0.4, 0.2, 0.2),
        "EF-BEST": (2000, 1e-3, 0.0, 0.1, 0.2),
    }
    base = held["DD-BASE"]
    assert (base.layers, base.width, base.feed_forward, base.heads) == (5, 512, 2048, 2)
    assert (base.tokens, base.accumulate, base.epochs, base.warmup) == (4000, 4, 100, 4000)
    assert (settings("paper").beam, settings("paper").pairs, base.seed) == (10, 0, 10)
    for preset in ("tiny", "small"):
        regularised = settings(preset).systems["DD-BEST"]
        assert (regularised.dropout, regularised.label_smoothing) == (0.0, 0.4)
    with pytest.raises(ParameterError, match="preset"):
        settings("huge")


def test_published_rows_are_as_long_as_their_tables():
    from rejoinder.recipes.khayrallah2021.published import COLUMNS

    for table, rows in PUBLISHED.items():
        assert {len(row) for row in rows.values()} == {len(COLUMNS[table])}, table


def test_corpora_are_drawn_filtered_and_joined(data, tmp_path):
    held = corpora(data, data / "several.jsonl", tmp_path, SIZES, 7, quiet)
    assert isinstance(held, Corpora)
    dd, ef = held.trained["DD"], held.trained["EF"]
    assert len(dd) == 60
    # "Thank you." answers many messages of the corpus: over 1 bit, whatever part of it was drawn.
    assert "Thank you." in dd.targets
    assert "Thank you." not in ef.targets
    assert set(ef.ids) < set(dd.ids)
    assert any(f"{60 - len(ef)} of DD's 60 pairs left out" in note for note in held.notes)
    # The original keeps its capitals, what was collected follows, an empty one is left out.
    first, second = held.test.references.filter(pl.col("id") == held.test.ids[0])["text"].to_list()
    assert first[0].isupper()
    assert second == "Yes, I think so."
    assert any("empty reference" in note for note in held.notes)
    again = corpora(data, data / "several.jsonl", tmp_path, SIZES, 7, quiet)
    assert again.trained["DD"].hash == dd.hash
    assert again.test.references.equals(held.test.references)
    assert again.notes == held.notes


def test_a_folder_that_cannot_be_made_is_one_message(data, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="the folder cannot be made: Not a directory"):
        corpora(data, None, tmp_path / "file" / "run", SIZES, 7, quiet)


def test_another_run_is_refused(data, tmp_path):
    corpora(data, None, tmp_path, SIZES, 7, quiet)
    with pytest.raises(InputError, match="holds the corpora of another run"):
        corpora(data, None, tmp_path, replace(SIZES, pairs=50), 7, quiet)
    with pytest.raises(InputError, match="corpora of another run: multiref was none"):
        corpora(data, data / "several.jsonl", tmp_path, SIZES, 7, quiet)


def test_references_of_other_dialogues_are_refused(data, tmp_path):
    with pytest.raises(InputError, match="expected references for that split's pairs"):
        corpora(data, EXAMPLES / "testset.jsonl", tmp_path, SIZES, 7, quiet)


def test_missing_split(tmp_path):
    with pytest.raises(InputError, match=r"0 files 'train\.\*'"):
        recipe.khayrallah2021(tmp_path, tmp_path / "out", SIZES)


def test_tables(study):
    _, told = study
    numbers = cells(told)
    tables = numbers["table"].unique(maintain_order=True).to_list()
    expected = ["2", "3", "4", "6", "7", "9", "11", "12"]
    assert tables == expected
    assert set(absent(told)) >= {"5", "8", "10"}
    shares = numbers.filter(~pl.col("table").is_in(["4", "6"]))
    # Systems of two epochs may say nothing that has three words: a ratio of nothing is NaN.
    assert shares.filter(pl.col("table") != "11")["value"].is_not_nan().all()
    assert shares["value"].drop_nans().is_between(0, 1).all()
    held = {(r["table"], r["row"], r["column"]): r for r in numbers.iter_rows(named=True)}
    assert held["3", "DailyDialog", "BEST"]["paper"] == 0.953
    assert held["12", "EF-BASE", "RUQ-test"]["paper"] == 0.155
    # Table 3 is Table 12's first column.
    for row, system in (("DailyDialog", "DD-BASE"), ("entropy-filtered", "EF-BASE")):
        assert held["3", row, "BASE"]["value"] == held["12", system, "RUQ-train"]["value"]
    # RUQ by its definition, from the kept likelihoods themselves.
    train = told.train["DD"].replies.filter(pl.col("system") == "DD-BASE")
    own = train.filter(pl.col("kind") == "reference").sort("id")["mean"].to_numpy()
    idk = pl.col("text") == "I don't know."
    other = train.filter((pl.col("kind") == "generic") & idk).sort("id")["mean"].to_numpy()
    assert held["12", "DD-BASE", "RUQ-train"]["value"] == pytest.approx((own > other).mean())
    assert len(own) == 12
    # Only the prompts that were answered have an output in the figure.
    assert train.filter(pl.col("kind") == "output").height == 4


def test_table_5_is_people_s_choices_in_the_papers_order(study):
    _, told = study
    # Of 10 choices DD-BEST is chosen 5 times, EF-BEST 3 times; 2 ties. The paper names EF-BEST first.
    winners = "aaaaabbb" + "tt"
    rows = [
        (f"i{n}", "DD-BEST", "EF-BEST", "ann", "overall", {"t": "tie"}.get(each, each))
        for n, each in enumerate(winners)
    ]
    rows += [("i1", "DD-BEST", "people", "ann", "overall", "b")]
    table = pl.DataFrame(rows, schema=PREFERENCES, orient="row")
    summary = preferences(table, resamples=0)
    numbers = cells(replace(told, preferences=summary)).filter(table="5")
    held = {(r["row"], r["column"]): r for r in numbers.iter_rows(named=True)}
    pair = "EF-BEST - DD-BEST"
    assert [held[pair, each]["value"] for each in ("first", "second", "tie")] == [0.3, 0.5, 0.2]
    assert [held[pair, each]["paper"] for each in ("first", "second", "tie")] == [
        0.385,
        0.424,
        0.191,
    ]
    assert held[pair, "first"]["low"] < 0.3 < held[pair, "first"]["high"]
    assert held["DD-BEST - people", "second"]["value"] == 1
    assert held["DD-BEST - people", "second"]["paper"] is None
    assert "5" not in absent(replace(told, preferences=summary))
    assert absent(told)["5"] == "no choices between two systems' replies were given (preferences=)"
    assert replace(told, preferences=summary).signatures()["Table 5"] == summary.signature
    # Two criteria: each row names its own.
    both = pl.concat([table, table.with_columns(criterion=pl.lit("wit"))])
    several = cells(replace(told, preferences=preferences(both, resamples=0))).filter(table="5")
    assert "wit: EF-BEST - DD-BEST" in several["row"].to_list()


def test_the_intervals_of_choices_hold_for_the_papers_raters(data, tmp_path, monkeypatch):
    """Fixed rater effects with five raters, of whom ``preferences`` alone takes random ones."""
    rows = [
        (f"i{n}", "DD-BEST", "EF-BEST", rater, "overall", "ab"[(n + (place > 3)) % 3 == 0])
        for n in range(20)
        for place, rater in enumerate("uvwxy")
    ]
    table = pl.DataFrame(rows, schema=PREFERENCES, orient="row")
    assert "rater_effects:random" in preferences(table, resamples=0).signature
    given = []
    monkeypatch.setattr(
        "rejoinder.recipes.khayrallah2021.study._studied",
        lambda run, chosen, vectors, rated, choices: given.append(choices),
    )
    made(data, tmp_path / "run", preferences=table, resamples=0)
    assert "rater_effects:fixed" in given[0].signature


def test_everything_is_kept_and_drawn(study):
    folder, told = study
    assert all(path.exists() for path in told.files)
    assert {path.name for path in told.files} == {
        "responses.jsonl", "tables.csv", "figure1.png", "figure1.svg",
    }  # fmt: skip
    assert pl.read_csv(folder / "tables.csv").height == cells(told).height
    compared = told.compared()
    assert compared.select("prompts", "a", "b").rows() == [
        ("train", "DD-BEST", "DD-BASE"), ("test", "DD-BEST", "DD-BASE"),
        ("train", "EF-BEST", "EF-BASE"), ("test", "EF-BEST", "EF-BASE"),
    ]  # fmt: skip


def test_a_complete_run_does_nothing_again(study, data, unrendered, monkeypatch):
    folder, told = study

    def never(*_, **__):
        raise AssertionError("this was done before")

    monkeypatch.setattr("rejoinder.responders.seq2seq.training.train", never)
    monkeypatch.setattr("rejoinder.responders.seq2seq.trained.TrainedResponder.respond", never)
    monkeypatch.setattr("rejoinder.recipes.khayrallah2021.metrics.score", never)
    monkeypatch.setattr("rejoinder.recipes.khayrallah2021.corpora.plain", never)
    again = made(data, folder)
    shown = pl.col("table") != "4"
    assert cells(again).filter(shown).equals(cells(told).filter(shown))


def four_raters():
    """Three raters of the same mind, and one who gives the opposite grades; 21 replies."""
    grades = [1, 2, 3, 4, 5] * 4
    rows = [
        (f"c{i}", "bot", rater, "overall", float(6 - grade if rater == "dan" else grade))
        for i, grade in enumerate([*grades, 5])
        for rater in ("ann", "ben", "cem", "dan")
    ]
    return pl.DataFrame(rows, schema=RATINGS, orient="row")


def test_table_4_is_without_raters_who_agree_with_nobody(study, data, unrendered):
    # 20 grades of mean 3 and a 5: 65/21 for three raters. The fourth says 60 + 1 = 61/21; with
    # that rater the mean is (3 x 65 + 61)/84 = 64/21.
    folder, _ = study
    expected = {0.1: (65 / 21, 1), -1.0: (64 / 21, 0)}
    for threshold, (mean, removed) in expected.items():
        told = made(data, folder, ratings=four_raters(), rater_threshold=threshold)
        (cell,) = cells(told).filter(pl.col("table") == "4").to_dicts()
        assert cell["value"] == pytest.approx(mean)
        told_of = f"Table 4, overall: {removed} of 4 raters removed"
        assert [note for note in told.notes if note.startswith(told_of)]
        assert f"kappa:dropped below {threshold:g}" in told.signatures()["Table 4"]


def test_means_over_raters_leave_nobody_to_remove():
    means = four_raters().filter(pl.col("rater") == "ann").with_columns(rater=pl.lit("mean"))
    (note,) = recipe.removed_raters(
        recipe.summarise_ratings(means, threshold=0.1, drop=True, resamples=0, seed=1)
    )
    assert note == (
        "Table 4, overall: nobody could be removed: only means over raters are known, not single "
        "ratings"
    )


def test_ratings_that_leave_nobody_are_told_before_the_training(data, tmp_path):
    two = four_raters().filter(pl.col("rater").is_in(["ann", "dan"]))
    with pytest.raises(InputError, match="none is left; lower the threshold"):
        made(data, tmp_path / "out", ratings=two)
    assert not (tmp_path / "out").exists()


def test_replies_go_on_where_they_were(study, tmp_path, monkeypatch):
    folder, _ = study
    monkeypatch.setattr(khayrallah2021_replies, "AT_ONCE", 2)
    responder = recipe.TrainedResponder.load(folder / "models" / "DD-BASE")
    asked = {f"m{i}": f"Is room {i} free?" for i in range(3)}
    whole = replies(responder, asked, tmp_path / "whole.jsonl", 2, lambda *_: None)
    data = (tmp_path / "whole.jsonl").read_bytes()
    assert list(whole) == list(asked)
    for size in (0, 10, data.index(b"\n") + 1, len(data) // 2, len(data) - 1):
        cut = tmp_path / "cut.jsonl"
        cut.write_bytes(data[:size])
        assert replies(responder, asked, cut, 2, lambda *_: None) == whole
        assert cut.read_bytes() == data
    with pytest.raises(InputError, match="holds replies of another run"):
        replies(responder, asked, cut, 3, lambda *_: None)


class Replying:
    """A responder that notes with which beam it is asked."""

    hash = "h"

    def __init__(self):
        self.beams = []

    def respond(self, messages, beam=10, length_penalty=1.0, progress=None):
        self.beams.append(beam)
        return list(messages)


def test_a_bit_flipped_in_kept_replies_is_never_another_reply(tmp_path, monkeypatch):
    monkeypatch.setattr(khayrallah2021_replies, "AT_ONCE", 2)
    asked = {f"m{i}": f"Is room {i} free?" for i in range(5)}
    path = tmp_path / "kept.jsonl"
    whole = replies(Replying(), asked, path, 2, lambda *_: None)
    data = path.read_bytes()
    refused = []
    for place in range(len(data)):
        flipped = bytearray(data)
        flipped[place] ^= 1 << place % 8
        path.write_bytes(flipped)
        try:
            assert replies(Replying(), asked, path, 2, lambda *_: None) == whole
        except InputError as error:
            refused.append(str(error))
    # What follows the last line end is cut off, and answered again.
    assert len(refused) >= len(data) - 10
    assert all("remove the file" in message for message in refused)


def test_damaged_corpora_are_refused(data, tmp_path):
    corpora(data, None, tmp_path, SIZES, 7, quiet)
    path = tmp_path / "corpora" / "DD.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"Thank you", b"Thank yow"))
    with pytest.raises(InputError, match=r"DD.jsonl: missing, cut or altered; remove \S*run.json"):
        corpora(data, None, tmp_path, SIZES, 7, quiet)
    path.write_bytes(whole)
    run = tmp_path / "run.json"
    text = run.read_text("utf-8")
    run.write_text(text.replace("DD: 60 of", "DD: 61 of"), "utf-8")
    with pytest.raises(InputError, match="cut, altered, or no run"):
        corpora(data, None, tmp_path, SIZES, 7, quiet)
    told = json.loads(text)
    del told["sha256"]
    run.write_text(json.dumps(told), "utf-8")
    with pytest.raises(InputError, match="cut, altered, or no run"):
        corpora(data, None, tmp_path, SIZES, 7, quiet)


def test_replies_are_searched_with_the_beam_of_the_settings(tmp_path):
    responder = Replying()
    run = recipe._Run(tmp_path, replace(SIZES, beam=7), None, 100, 1, quiet)
    run.responders["DD-BASE"] = responder
    assert run.reply("DD-BASE", "test", {"1": "a"}) == {"1": "a"}
    assert responder.beams == [7]


def test_without_java_table_2_is_bleu(study, data, unrendered, monkeypatch, tmp_path):
    from rejoinder.errors import MissingExtraError
    from rejoinder.metrics.meteor import METEOR

    def missing(*_):
        raise MissingExtraError("METEOR needs Java, which is not here")

    monkeypatch.setattr(METEOR, "statistics", missing)
    folder, _ = study
    for path in (folder / "scores").glob("*.parquet"):
        path.rename(tmp_path / path.name)
    told = made(data, folder)
    for path in tmp_path.glob("*.parquet"):
        path.rename(folder / "scores" / path.name)
    held = {(r["table"], r["row"], r["column"]): r for r in cells(told).iter_rows(named=True)}
    assert held["2", "DailyDialog", "BASE"]["value"] == held["7", "DD-BASE", "BLEU-4"]["value"]
    assert held["2", "DailyDialog", "BASE"]["paper"] is None  # which is a METEOR
    assert "BLEU-4" in absent(told)["2"]
    assert any("METEOR is missing" in note for note in told.notes)


def test_command(study, data, unrendered, monkeypatch, capfd):
    folder, _ = study
    monkeypatch.setattr(progress, "PATIENCE", 1e6)
    monkeypatch.setattr(recipe, "settings", lambda scale: SIZES)
    words = ["recipe", "khayrallah2021", data, "--multiref", data / "several.jsonl", "-o", folder]
    words += ["--resamples", 100]
    assert run([*map(str, words), "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert {cell["table"] for cell in told["cells"]} == {"2", "3", "6", "7", "9", "11", "12"}
    assert Path(told["files"][1]).name == "tables.csv"
    assert run(list(map(str, words))) == 0
    out = capfd.readouterr().out
    assert "Table 12: RUQ on trained pairs and on test prompts" in out
    assert "RUQ-train: it is not clear whether DD-BEST or DD-BASE is better" in out
    assert "RUQ-train: EF-BASE is better than EF-BEST by " in out
    assert run([*map(str, words), "--filter-raters", "0.2"]) == 2
    assert "has no effect without --ratings FILE" in capfd.readouterr().err
    assert run([*map(str, words), "--system", "DD-WORST"]) == 2
    assert "system 'DD-WORST' is unknown" in capfd.readouterr().err
    assert run(["recipe", "khayrallah2021", str(data / "none"), "-o", str(folder)]) == 2
