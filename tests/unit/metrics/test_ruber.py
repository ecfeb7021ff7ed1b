"""RUBER as a metric: blends, bounds, and that it goes with every verb."""

import numpy as np
import polars as pl
import pytest

pytest.importorskip("torch")
pytest.importorskip("gensim")

import rejoinder
import tiny_ruber
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.content import folder_hash
from rejoinder.metrics.ruber import RUBER
from rejoinder.models.ruber import model as folders
from rejoinder.scoring.explain import explain

QUERIES = [
    ["Is there tea at the park?"],
    ["Is there soup at the market?", "Yes, the market has soup.", "And is it any good?"],
    ["Is there milk at the library?"],
    ["And is it any good?"],
]
REFERENCES = [
    ["Yes, the park has tea.", "The tea is fine."],
    ["The soup is fine, the market is loud."],
    ["Yes, the library has milk."],
    ["The juice is fine."],
]
REPLIES = ["Yes, tea.", "The market is loud.", "Yes, the library has milk.", ""]
OTHERS = ["The soup is fine.", "Yes", "zzz", "The juice is loud."]
TESTSET = tiny_ruber.items(QUERIES, REFERENCES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("ruber") / "model"
    tiny_ruber.trained(path, sizes=("paper", "gru"))
    return str(path)


def segments(metric, replies=REPLIES, queries=QUERIES, references=REFERENCES):
    return metric.segments(replies, references, contexts=queries)


def halves(folder, **given):
    """s_R and s_U: with min and max of the two, and s_U alone, both are known."""
    u = segments(RUBER(model=folder, referenced="none", **given))
    total = 2 * segments(RUBER(model=folder, blend="arithmetic", **given))
    return total - u, u


def test_the_blends(folder):
    r, u = halves(folder)
    assert len(set(u.tolist())) == 4
    for blend, expected in (
        ("min", np.minimum(r, u)),
        ("max", np.maximum(r, u)),
        ("geometric", np.sqrt(r * u)),
        ("arithmetic", (r + u) / 2),
    ):
        np.testing.assert_allclose(segments(RUBER(model=folder, blend=blend)), expected, atol=1e-7)


def test_the_bounds_of_training_and_the_maximum_over_references(folder):
    model = folders.load(folder)
    low, high = model.bounds["unreferenced"]
    raw = model.score(QUERIES, REPLIES)
    r, u = halves(folder)
    np.testing.assert_allclose(u, np.clip((raw - low) / (high - low), 0, 1), atol=1e-9)
    alone = RUBER(model=folder)
    assert r[2] == pytest.approx(1.0)  # the reply is the reference
    assert r[3] == 0.0  # an empty one is like nothing
    single = segments(RUBER(model=folder, references="single"))
    assert (single <= segments(alone) + 1e-12).all()


def test_s_u_after_the_sigmoid(folder):
    # 1 / (1 + e^-z) of each member's output z, averaged with the members' weights; bounds 0 and 1.
    model = folders.load(folder)
    z = model.logits(QUERIES, REPLIES)
    weights = [each.weight for each in model.members]
    expected = np.average(1 / (1 + np.exp(-z)), axis=1, weights=weights)
    r, u = halves(folder, unreferenced="sigmoid")
    np.testing.assert_allclose(u, expected, atol=1e-9)
    np.testing.assert_allclose(r, halves(folder)[0], atol=1e-7)  # the other half is the same
    blend = segments(RUBER(model=folder, blend="geometric", unreferenced="sigmoid"))
    np.testing.assert_allclose(blend, np.sqrt(r * expected), atol=1e-7)
    fitted = segments(
        RUBER(model=folder, referenced="none", unreferenced="sigmoid", scale="scored")
    )
    low, high = expected.min(), expected.max()
    np.testing.assert_allclose(fitted, (expected - low) / (high - low), atol=1e-9)
    metric = RUBER(model=folder, unreferenced="sigmoid")
    assert "|unreferenced:sigmoid|" in metric.signature()
    assert "|unreferenced:logit|" in RUBER(model=folder).signature()
    assert metric.label == "RUBER arithmetic sigmoid"


def test_one_reply_alone_scores_as_among_others(folder):
    metric = RUBER(model=folder)
    whole = segments(metric)
    for i in range(4):
        one = segments(metric, REPLIES[i : i + 1], QUERIES[i : i + 1], REFERENCES[i : i + 1])
        assert one[0] == pytest.approx(whole[i], abs=1e-6)


def test_bounds_fitted_to_the_scored_set_are_fitted_once_and_said(folder, monkeypatch):
    monkeypatch.setenv("REJOINDER_THREADS", "2")
    metric = RUBER(model=folder, scale="scored", referenced="none")
    both = pl.concat([tiny_ruber.responses(REPLIES, "a"), tiny_ruber.responses(OTHERS, "b")])
    scores = rejoinder.score(TESTSET, both, [metric])
    found = scores.segments()[metric.label].to_numpy()
    # Over both systems together the least is 0 and the greatest 1: not within each.
    assert (found.min(), found.max()) == (0.0, 1.0)
    assert (
        sorted(np.count_nonzero((part == 0) | (part == 1)) for part in (found[:4], found[4:]))[0]
        < 2
    )
    [note] = [each for each in scores.notes if "write scale=" in each]
    numbers = note.partition("write scale=")[2]
    again = RUBER(model=folder, scale=numbers, referenced="none")
    table = rejoinder.score(TESTSET, both, [again]).segments()
    np.testing.assert_allclose(table[again.label].to_numpy(), found, atol=1e-5)
    raw = folders.load(folder).score(QUERIES * 2, REPLIES + OTHERS)
    np.testing.assert_allclose(found, (raw - raw.min()) / (raw.max() - raw.min()), atol=1e-6)


def test_a_scale_fitted_on_the_scored_does_not_see_what_is_dropped(folder):
    few, answers = tiny_ruber.items(QUERIES[:3], REFERENCES[:3]), REPLIES[:3]
    metric = RUBER(model=folder, scale="scored")
    expected = rejoinder.score(few, tiny_ruber.responses(answers), [metric]).segments()
    more = tiny_ruber.items(
        [*QUERIES[:3], [], QUERIES[3]], [*REFERENCES[:3], ["The juice is fine."], []]
    )
    given = tiny_ruber.responses([*answers, "zzz zzz zzz", "the the the the"])
    found = rejoinder.score(more, given, [metric], drop_unusable=True).segments()
    assert found[metric.label].drop_nans().to_list() == pytest.approx(
        expected[metric.label].to_list(), abs=1e-6
    )


def test_one_reply_has_no_scale_of_its_own(folder):
    with pytest.raises(InputError, match="take scale=training"):
        segments(RUBER(model=folder, scale="scored"), REPLIES[:1], QUERIES[:1], REFERENCES[:1])


def test_what_lies_beyond_given_bounds_is_counted(folder):
    metric = RUBER(model=folder, scale="-2;-1.5;-99;99")
    scores = rejoinder.score(TESTSET, tiny_ruber.responses(REPLIES), [metric])
    assert any("4 scores of a half (s_R or s_U) beyond the bounds" in note for note in scores.notes)


def test_words_that_the_model_does_not_know_are_counted(folder):
    # "zzz" is one of 13 words and marks of the replies; every word of the references is known.
    answers = tiny_ruber.responses(["zzz", *REPLIES[1:]])
    notes = rejoinder.score(TESTSET, answers, [RUBER(model=folder)]).notes
    assert any("RUBER arithmetic: 1 of " in note and "have no vector" in note for note in notes)
    assert "RUBER arithmetic: 1 reply of unknown words alone" in notes


def test_leaving_out_the_reply_itself(folder):
    # The reply stands among its references: compared with the other one alone.
    reply = ["The tea is fine."]
    left = RUBER(model=folder, leave_one_out=True)
    found = segments(left, reply, QUERIES[:1], REFERENCES[:1])
    expected = segments(RUBER(model=folder), reply, QUERIES[:1], [REFERENCES[0][:1]])
    assert found[0] == pytest.approx(expected[0], abs=1e-9)
    assert segments(RUBER(model=folder), reply, QUERIES[:1], REFERENCES[:1])[0] > found[0]
    with pytest.raises(InputError, match="no reference besides the reply itself"):
        left.corpus(reply, [reply], contexts=QUERIES[:1])


def test_scores_are_saved_and_read_again(folder, tmp_path):
    scores = rejoinder.score(TESTSET, tiny_ruber.responses(REPLIES), [RUBER(model=folder)])
    scores.save(tmp_path / "s.parquet")
    again = rejoinder.load_scores(tmp_path / "s.parquet")
    assert again.segments().equals(scores.segments())
    signature = scores.systems()["signature"][0]
    assert again.systems()["signature"][0] == signature
    assert f"model:{folder_hash(folder)}" in signature


def test_explaining_shows_the_words(folder):
    answers = tiny_ruber.responses(["Yes, the tea.", *REPLIES[1:]])
    told = explain(TESTSET, answers, "1", "a", f"ruber:model={folder}")
    assert told.likeness is not None
    assert sum(told.likeness.halves.values()) / 2 == pytest.approx(told.value)
    words = told.likeness.words
    assert {each.word for each in words} <= {"yes", ",", "the", "tea", "."}
    assert sum(each.sets for each in words) == pytest.approx(1.0)
    assert sum(each.adds for each in words) == pytest.approx(
        told.likeness.similarities[told.likeness.nearest], abs=1e-6
    )


def test_what_compares_with_no_reference_is_not_explained(folder):
    answers = tiny_ruber.responses(REPLIES)
    with pytest.raises(ParameterError, match="take referenced="):
        explain(TESTSET, answers, "1", "a", f"ruber:model={folder},referenced=none")
    alone = tiny_ruber.items(QUERIES[:2], [REFERENCES[0], []])
    with pytest.raises(InputError, match="no reference"):
        explain(alone, tiny_ruber.responses(REPLIES[:2]), "2", "a", f"ruber:model={folder}")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"blend": "mean"}, "choose"),
        ({"referenced": "bleu"}, "choose"),
        ({"unreferenced": "tanh"}, "choose 'logit' or 'sigmoid'"),
        ({"scale": "1;0;0;1"}, "four numbers"),
        ({"scale": "nonsense"}, "four numbers"),
        ({"scale": "0;1"}, "four numbers"),
        ({"scale": "nan;nan;nan;nan"}, "four numbers"),
        ({"scale": "0;inf;0;1"}, "four numbers"),
    ],
)
def test_wrong_parameters(given, said):
    with pytest.raises(ParameterError, match=said):
        RUBER(model="m", **given)


def test_a_model_without_an_encoder_has_no_encoder_half(folder):
    with pytest.raises(ParameterError, match="trained without one"):
        segments(RUBER(model=folder, referenced="encoder"))
