"""Tables 2, 3 and 4 of Tao et al. (2018), on the example data and on data made by hand."""

import math

import numpy as np
import polars as pl
import pytest

from example_ruber import example_ruber
from rejoinder import correlate, read_ratings, read_responses, read_testset, score
from rejoinder.errors import InputError, ParameterError
from rejoinder.meta_evaluation.protocols import Turn
from rejoinder.metrics.bleu import BLEU
from rejoinder.models.ruber.model import load
from rejoinder.recipes.tao2018.metrics import QUERY, S_U
from rejoinder.recipes.tao2018.study import MEAN, POOLED, Model, Texts, cases, tao2018
from rejoinder.tables.testset import TestSet
from rejoinder.text.words import cutter
from shared_data import EXAMPLES

pytest.importorskip("torch")
pytest.importorskip("gensim")

FEW = {"permutations": 20, "resamples": 100}
NONE = {"permutations": 0, "resamples": 0}
S_R = "vector pool (s_R)"
NAMES = ("generic", "retrieval", "tuned")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return example_ruber(tmp_path_factory)


@pytest.fixture(scope="module")
def data():
    testset = read_testset(EXAMPLES / "testset.jsonl")
    systems = [EXAMPLES / "responses" / f"{name}.jsonl" for name in NAMES]
    return (
        testset,
        read_responses(*systems, ids=testset.ids),
        read_ratings(EXAMPLES / "ratings.csv"),
    )


@pytest.fixture(scope="module")
def study(data, model):
    return tao2018(*data, model, **FEW)


def made(references, replies, marks, contexts=None):
    """A test set, replies by system, and the marks of raters x and y, by system."""
    asked = [["how are you", "well, and you?"]] * len(references)
    testset = TestSet.from_lists(references, contexts=asked if contexts is None else contexts)
    texts = [
        (name, i, text)
        for name, some in replies.items()
        for i, text in zip(testset.ids, some, strict=True)
    ]
    rated = [
        (i, name, rater, "overall", float(mark))
        for name, some in marks.items()
        for i, mark in zip(testset.ids, some, strict=True)
        for rater in "xy"
    ]
    columns = ["id", "system", "rater", "criterion", "score"]
    return (
        testset,
        pl.DataFrame(texts, schema=["system", "id", "text"], orient="row"),
        pl.DataFrame(rated, schema=columns, orient="row"),
    )


def test_the_rows_are_the_paper_s_with_ours_around_them(study):
    table = study.table()
    assert table["metric"].to_list() == [
        *("human (avg)", "human (max)"),
        *("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-1", "ROUGE-2", "ROUGE-L", S_R),
        *(QUERY, S_U),
        *("RUBER min", "RUBER geometric", "RUBER arithmetic", "RUBER max"),
        *("length", "random"),
    ]
    assert table["heading"].unique(maintain_order=True).to_list() == [
        "inter-annotator", "referenced", "unreferenced", "RUBER", "baseline",
    ]  # fmt: skip
    assert study.groups == (POOLED, MEAN, *NAMES)
    assert study.rows().height == 5 * 18 * 2
    assert study.rows().group_by("group").len()["len"].unique().to_list() == [36]


def test_every_number_is_one_of_correlate(study, data, model):
    testset, replies, ratings = data
    ruber = f"ruber:model={model}"
    wanted = ["bleu:order=2", "rougeL", "length", ruber, f"{ruber},referenced=none"]
    scores = score(testset, replies, wanted, resamples=0)
    names = {
        "BLEU-2": "BLEU-2", "ROUGE-L": "ROUGE-L", "length": "length",
        "RUBER arithmetic": "RUBER arithmetic", "RUBER s_U": S_U, "random": "random",
        "human (avg)": "human (avg)", "human (max)": "human (max)",
    }  # fmt: skip
    rows = study.rows()
    groups = {POOLED: (), "tuned": ("generic", "retrieval")}
    of_these_raters = Turn(rater_effects="fixed")
    for group, others in groups.items():
        told = correlate(
            scores,
            ratings,
            protocol=of_these_raters,
            correlations=["pearson", "spearman"],
            without=others,
            **FEW,
        ).table()
        for row in told.iter_rows(named=True):
            own = rows.row(
                by_predicate=(pl.col("group") == group)
                & (pl.col("metric") == names[row["metric"]])
                & (pl.col("coefficient") == row["correlation"]),
                named=True,
            )
            for key in ("value", "low", "high", "p", "n"):
                assert own[key] == pytest.approx(row[key], abs=1e-9, nan_ok=True), row


def test_the_mean_of_systems_is_theirs(study):
    rows = study.rows()
    for label in ("human (avg)", "BLEU-1", "RUBER max"):
        for name in ("pearson", "spearman"):
            some = rows.filter(metric=label, coefficient=name)
            each = some.filter(pl.col("group").is_in(NAMES))["value"].mean()
            assert some.filter(group=MEAN)["value"].item() == pytest.approx(each)
    mean = rows.filter(group=MEAN, metric="BLEU-1")
    # Of several systems the test stands at the mean within systems, and nowhere else.
    assert mean["p"].is_between(0, 1, closed="right").all()
    assert mean["low"].is_not_nan().all()
    assert mean["reason"].to_list() == [None, None]
    assert rows.filter(group=POOLED)["p"].is_nan().all()
    within = study.pooled.within().filter(metric="BLEU-1", system="mean")
    assert mean["p"].to_list() == within["p"].to_list()


def test_the_pooled_vectors_by_a_loop(study, data, model):
    from rejoinder.models.ruber.model import load

    vectors, cut = load(model).vectors, cutter("en")

    def pooled(text):
        rows = [vectors.matrix[vectors.places[word]] for word in cut(text) if word in vectors]
        if not rows:
            return np.zeros(2 * vectors.size)
        return np.concatenate([np.max(rows, axis=0), np.min(rows, axis=0)]).astype(np.float64)

    def cosine(a, b):
        a, b = pooled(a), pooled(b)
        length = np.linalg.norm(a) * np.linalg.norm(b)
        return a @ b / length if length else 0.0

    testset = data[0]
    references = dict(testset.references.group_by("id").agg("text").iter_rows())
    queries = {name: turns[-1] for name, turns in testset.contexts.select("id", "context").rows()}
    replies = {(s, i): text for s, i, text in data[1].select("system", "id", "text").iter_rows()}
    for row in study.pooled.observations().iter_rows(named=True):
        reply = replies[row["system"], row["id"]]
        best = max(cosine(reply, each) for each in references[row["id"]])
        assert row[S_R] == pytest.approx(best, abs=1e-6)
        assert row[QUERY] == pytest.approx(cosine(reply, queries[row["id"]]), abs=1e-6)


def test_the_bounds_of_the_scored_set_can_be_used_again(data, model):
    testset, replies, ratings = data
    first = tao2018(*data, Model(model, scale="scored"), **NONE)
    note = next(each for each in first.notes if "scale=" in each)
    numbers = note.rsplit("scale=", 1)[1]
    again = tao2018(*data, Model(model, scale=numbers), **NONE)
    for label in ("RUBER min", "RUBER arithmetic", S_U):
        values = first.pooled.observations()[label].to_numpy()
        assert again.pooled.observations()[label].to_numpy() == pytest.approx(values, abs=1e-5)
    # s_U is scaled to [0, 1] by the replies themselves: one of them is at either end.
    assert first.pooled.observations()[S_U].min() == 0
    assert first.pooled.observations()[S_U].max() == 1
    # What nobody rated, or is left out, moves no bound.
    some = ratings.filter(pl.col("id") <= "c033")
    part = tao2018(
        testset, replies, some, Model(model, scale="scored"), without=["generic"], **NONE
    )
    assert part.pooled.observations()[S_U].min() == 0
    assert part.notes[:2] == (
        "left out as asked: generic",
        "33 of 66 items without a rating left out",
    )
    assert part.groups == (POOLED, MEAN, "retrieval", "tuned")


QUOTED = (
    [["yes please", "no thanks"], ["at nine", "at ten"], ["good", "good"], ["fine"], ["the tram"]],
    {
        "people": ["Yes  please", "at ten", "good", "well", "by bus"],
        "machine": ["yes no", "at nine", "bad", "bad", "the bus"],
    },
    {"people": [5, 4, 4, 2, 3], "machine": [1, 4, 1, 2, 3]},
)


def test_a_reply_does_without_the_reference_that_it_is(model, tmp_path):
    held = made(*QUOTED)
    plain = tao2018(*held, model, **NONE).pooled.observations()
    left = tao2018(*held, Model(model, leave_one_out=True), **NONE)
    seen = left.pooled.observations()

    def of(frame, system, label):
        return frame.filter(pl.col("system") == system)[label].to_list()

    assert of(plain, "people", "ROUGE-1") == [1, 1, 1, 0, 0]
    # "no thanks" has no word of "Yes please"; "at nine" has one of two of "at ten", P = R = 1/2;
    # of two equal references one goes.
    assert of(seen, "people", "ROUGE-1") == [0, 0.5, 1, 0, 0]
    # "yes no" quotes nobody and has a word of either reference; "at nine" has "at ten" left, and
    # "the bus" one word of "the tram".
    assert of(plain, "machine", "ROUGE-1") == [0.5, 1, 0, 0, 0.5]
    assert of(seen, "machine", "ROUGE-1") == [0.5, 0.5, 0, 0, 0.5]
    alone = BLEU(order=1).segments(["at ten"], [["at nine"]])
    assert of(seen, "people", "BLEU-1")[1] == pytest.approx(alone[0])
    assert of(seen, "people", "human") == [5, 4, 4, 2, 3]
    # A metric of similarity that was not told to do so does without it all the same.
    load(model).vectors.save(tmp_path / "v")
    asked = Model(model, leave_one_out=True)
    more = tao2018(*held, asked, further=[f"pooled:vectors={tmp_path / 'v'}"], **NONE).pooled
    label = next(name for name in more.signatures if "pool" in more.signatures[name][:6])
    assert of(more.observations(), "people", label)[0] < 0.999  # "Yes  please" is not among them
    assert "bleu|leave_one_out:yes|order:1" in left.pooled.signatures["BLEU-1"]
    assert any("4 replies among the item's own references" in note for note in left.notes)
    assert not any("high by construction" in note for note in left.notes)


def test_items_that_cannot_be_scored_are_an_error_or_are_counted(model):
    references, replies, marks = QUOTED
    replies = {**replies, "people": [*replies["people"][:3], "fine", "by bus"]}
    held = made(references, replies, marks)
    kind = Model(model, leave_one_out=True)
    with pytest.raises(InputError, match=r"item '4' has no reference besides.*drop_unusable=True"):
        tao2018(*held, kind, **NONE)
    study = tao2018(*held, kind, drop_unusable=True, **NONE)
    assert study.table()["n"].unique().to_list() == [8]
    told = "1 of 5 items dropped for all rows: 1 with no reference besides a system's own reply"
    assert told in study.notes
    contexts = [["hi"], [], ["hi"], ["hi"], ["hi"]]
    references = [*references[:3], [], references[4]]
    held = made(references, replies, marks, contexts)
    with pytest.raises(InputError, match=r"item '4' has no reference \(2 of 5 items\)"):
        tao2018(*held, model, **NONE)
    notes = tao2018(*held, model, drop_unusable=True, **NONE).notes
    told = "2 of 5 items dropped for all rows: 1 with no reference, 1 with no context"
    assert told in notes


def test_one_system_is_one_group(model):
    references, replies, marks = QUOTED
    held = made(references, {"machine": replies["machine"]}, {"machine": marks["machine"]})
    study = tao2018(*held, model, **NONE)
    assert study.groups == (POOLED,)
    row = study.table().row(by_predicate=pl.col("metric") == "BLEU-4", named=True)
    # No reply has four words: as in the paper's Table 4.
    assert math.isnan(row["pearson"])
    assert "all metric scores equal" in row["reason"]


def test_texts_weights_and_further_metrics(data, model):
    study = tao2018(
        *data,
        model,
        texts=Texts("none", lowercase=True, smoothing="add-k"),
        further=["chrf"],
        least_weight=0,
        **NONE,
    )
    assert study.headings["chrF"] == "further"
    assert "tok:none|case:lc|smooth:add-k" in study.pooled.signatures["BLEU-3"]
    assert "tok:none" in study.pooled.signatures["ROUGE-L"]
    bad = (data[0].references["weight"] < 0).sum()
    assert f"{bad} references of a weight below 0 left out as asked" in study.notes
    assert not any("negative weight" in note for note in study.notes)
    with pytest.raises(ParameterError, match="twice"):
        tao2018(*data, model, further=["length"], **NONE)
    with pytest.raises(ParameterError, match="least_weight=2"):
        tao2018(*data, model, least_weight=2, **NONE)


def test_cases_are_drawn_or_named(study):
    drawn = cases(study, 2)
    assert drawn.height == 6
    assert drawn.equals(cases(study, 2))
    named = cases(study, ids=["c002", "c001"])
    assert named["id"].to_list() == ["c002"] * 3 + ["c001"] * 3
    assert named["system"].to_list() == [*NAMES, *NAMES]
    first = named.row(3, named=True)
    assert first["query"] == "Did you manage to get tickets for the night train?"
    assert first["reference"] == "Yes, two beds in a sleeper, but they were the last ones."
    seen = study.pooled.observations().filter(id="c001", system="generic").row(0, named=True)
    assert all(first[label] == seen[label] for label in ("human", "BLEU-2", S_U, "RUBER max"))
    assert cases(study, 0).height == 0
    with pytest.raises(ParameterError, match="case 'c999'"):
        cases(study, ids=["c999"])
    with pytest.raises(ParameterError, match="cases=-1"):
        cases(study, -1)


@pytest.mark.parametrize(
    ("change", "options", "error", "words"),
    [
        ("", {"without": ["nobody"]}, ParameterError, "system 'nobody' is unknown"),
        ("", {"without": NAMES}, InputError, "of none"),
        ("", {"criterion": "taste"}, ParameterError, "choose 'relevance'"),
        ("", {"raters": "best"}, ParameterError, "best"),
        ("ids", {}, InputError, "no id is among"),
        ("systems", {}, InputError, "name systems alike"),
        ("criteria", {}, ParameterError, "choose 'relevance' or 'style'"),
        ("replies", {}, InputError, "did not answer"),
        ("", {}, InputError, "no-model"),
    ],
)
def test_what_does_not_fit_is_told_before_the_model_is_read(data, change, options, error, words):
    testset, replies, ratings = data
    if change == "ids":
        ratings = ratings.with_columns(id=pl.lit("x") + pl.col("id"))
    if change == "systems":
        ratings = ratings.with_columns(system=pl.lit("other"))
    if change == "criteria":
        ratings = pl.concat([ratings, ratings.with_columns(criterion=pl.lit("style"))])
    if change == "replies":
        replies = replies[1:]
    with pytest.raises(error, match=words):
        tao2018(testset, replies, ratings, "no-model", **NONE, **options)


def test_missing_replies_and_unrated_systems_are_counted(data, model):
    testset, replies, ratings = data
    some = ratings.filter(pl.col("system") != "generic")
    dropped = tao2018(testset, replies[:-1], some, model, missing="drop", **NONE)
    assert {"'generic' has no rating", "1 item dropped that a system did not answer"} <= set(
        dropped.notes
    )
    assert dropped.table().filter(metric="length")["n"].item() == 130
    filled = tao2018(testset, replies[:-1], some, model, missing="empty", **NONE)
    assert any("1 missing reply of" in note and "scored as empty" in note for note in filled.notes)
