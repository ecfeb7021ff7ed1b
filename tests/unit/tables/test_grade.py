"""GRADE's human evaluation as it was published: several data sets, and contexts that are not shared.

The texts are of our own writing; the layout is that of the authors' repository.
"""

import json
import shlex

import pytest

from rejoinder import correlate, look, read_ratings, read_responses, read_testset, score
from rejoinder.errors import InputError
from rejoinder.tables.ratings import check_ratings
from rejoinder.tables.responses import check_responses
from shared_data import shared

LINES = {
    ("trips", "ann"): ["Hi|||Where to?", "Tea?", "Hi|||Where to?"],
    ("trips", "bob"): ["Any seats?", "Hi|||Where to?", "Tea?"],
    ("meals", "ann"): ["Soup?", "Salt?"],
    ("meals", "bob"): ["Soup?", "Salt?"],
}
"""The contexts of each system: in the first data set they differ, in the second they are shared."""

NAMES = {
    # trips: bob's first context is his own; the second time that ann says "Hi" is another item.
    ("trips", "ann"): ["trips/ann-1", "trips/ann-2", "trips/ann-3"],
    ("trips", "bob"): ["trips/bob-1", "trips/ann-1", "trips/ann-2"],
    ("meals", "ann"): ["meals/1", "meals/2"],
    ("meals", "bob"): ["meals/1", "meals/2"],
}


def answer(data_set, system, number):
    return f"{system} says {number} of {data_set} ."


@pytest.fixture
def published(tmp_path):
    """The folder ``evaluation`` of the repository."""
    judged = []
    for (data_set, system), contexts in LINES.items():
        folder = tmp_path / "eval_data" / data_set / system
        folder.mkdir(parents=True)
        replies = [answer(data_set, system, number) for number in range(1, len(contexts) + 1)]
        (folder / "human_ctx.txt").write_text("\n".join(contexts) + "\n")
        (folder / "human_ref.txt").write_text("".join(f"So: {each}\n" for each in contexts))
        (folder / "human_hyp.txt").write_text("\n".join(replies) + "\n")
        for place, (context, reply) in enumerate(zip(contexts, replies, strict=True)):
            judged.append(
                {
                    "ID": len(judged),
                    "Dataset": data_set + "_EVAL" * (data_set == "meals"),
                    "DialogModel": system,
                    "Context": context,
                    "Response": reply,
                    "HumanScores": str([1 + (place + len(judged)) % 5, 3]),
                }
            )
        scores = tmp_path / "human_score" / data_set / system
        scores.mkdir(parents=True)
        (scores / "human_score.txt").write_text("3.0\n" * len(contexts))
    (tmp_path / "human_score" / "human_judgement.json").write_text(json.dumps(judged, indent=4))
    return tmp_path


def named(*wanted):
    """System, item and reply of some folders, as they must be read."""
    return {
        (system, name, answer(data_set, system, number))
        for (data_set, system) in wanted
        for number, name in enumerate(NAMES[data_set, system], start=1)
    }


def read(path):
    return {*read_responses(path).rows()}


def test_every_folder_is_read_and_names_its_items_alike(published):
    data = published / "eval_data"
    assert read(data) == named(*LINES)
    for data_set in ("trips", "meals"):
        systems = [(data_set, system) for system in ("ann", "bob")]
        assert read(data / data_set) == named(*systems)
        for one in systems:
            folder = data / one[0] / one[1]
            assert read(folder) == read(folder / "human_hyp.txt") == named(one)
            assert set(read_testset(folder).ids) == set(NAMES[one])
    testset = read_testset(data)
    assert testset.ids == [
        "meals/1", "meals/2", "trips/ann-1", "trips/ann-2", "trips/ann-3", "trips/bob-1",
    ]  # fmt: skip
    assert testset.contexts["context"].to_list()[2:4] == [["Hi", "Where to?"], ["Tea?"]]
    assert testset.references["text"].to_list()[-1] == "So: Any seats?"
    assert testset.references.height == 6


def test_the_folder_of_all_that_was_published_is_enough(published, command):
    assert read(published) == read(published / "eval_data")
    assert read_testset(published).ids == read_testset(published / "eval_data").ids
    ratings = read_ratings(published)
    assert ratings.equals(read_ratings(published / "human_score"))
    result = look(published)
    assert [each.kind for each in result.readings] == ["test set", "responses", "ratings"]
    assert result.holds_all
    for example in result.examples:
        status, _, err = command(*shlex.split(example)[1:])
        assert status == 0, f"{example}\n{err}"


def test_the_ratings_of_all_data_sets_meet_their_replies(published):
    ratings = read_ratings(published / "human_score" / "human_judgement.json")
    assert {*ratings.select("system", "id").rows()} == {
        (system, name) for (_, system), names in NAMES.items() for name in names
    }
    assert read_ratings(published / "human_score").equals(ratings)
    matched = check_ratings(ratings, read_responses(published / "eval_data"))
    assert matched.notes == ()
    for data_set in ("trips", "meals"):
        replies = read_responses(published / "eval_data" / data_set)
        matched = check_ratings(ratings, replies)
        assert matched.unrated.height == 0
        assert {*matched.ratings["id"]} == {*replies["id"]}


def test_one_data_set_elsewhere_keeps_plain_names(published, tmp_path):
    (published / "eval_data" / "trips").rename(tmp_path / "mine")
    (published / "eval_data").rename(tmp_path / "gone")
    everything = json.loads((published / "human_score" / "human_judgement.json").read_text())
    own = [row for row in everything if row["Dataset"] == "trips"]
    (tmp_path / "mine" / "human_judgement.json").write_text(json.dumps(own))
    replies, ratings = read_responses(tmp_path / "mine"), read_ratings(tmp_path / "mine")
    assert {*replies["id"]} == {"ann-1", "ann-2", "ann-3", "bob-1"}
    assert check_ratings(ratings, replies).notes == ()
    with pytest.raises(InputError, match="differ in the data set before the slash alone"):
        check_ratings(read_ratings(published / "human_score"), replies)


def test_ratings_of_other_replies_are_told(published):
    file = published / "eval_data" / "trips" / "bob" / "human_hyp.txt"
    file.write_text(file.read_text().replace("says 2", "said 2"))
    with pytest.raises(InputError, match=r"human_hyp\.txt, row 2: not the reply"):
        read_ratings(published / "human_score")


def test_contexts_that_are_not_shared_are_told_and_correlated(published):
    folder = published / "eval_data" / "trips"
    testset, replies = read_testset(folder), read_responses(folder)
    with pytest.raises(InputError, match="missing='drop' keeps the 2 items that all"):
        check_responses(replies, testset)
    scores = score(testset, replies, ["rougeL"], missing="empty", resamples=0)
    told = correlate(scores, read_ratings(published / "human_score"), permutations=0, resamples=0)
    # 3 rated replies of each system; the empty ones in the place of the missing have no rating.
    assert told.table()["n"][0] == 6


def test_contexts_of_which_none_is_shared(published):
    folder = published / "eval_data" / "trips"
    file = folder / "bob" / "human_ctx.txt"
    file.write_text(file.read_text().replace("Hi", "Hey").replace("Tea", "Milk"))
    with pytest.raises(InputError, match="so missing='drop' would leave none"):
        check_responses(read_responses(folder), read_testset(folder))


def test_a_second_reference_of_a_shared_context_is_kept(published):
    file = published / "eval_data" / "meals" / "bob" / "human_ref.txt"
    file.write_text("So: Soup?\nOther.\n")
    testset = read_testset(published / "eval_data" / "meals")
    assert testset.references.select("id", "text").rows() == [
        ("meals/1", "So: Soup?"), ("meals/2", "So: Salt?"), ("meals/2", "Other."),
    ]  # fmt: skip


def test_real_ids_of_one_data_set_are_those_of_the_folder():
    folder = shared("data", "grade-dailydialog")
    assert read_testset(folder).ids == [str(i) for i in range(1, 151)]


def means_of(path):
    return {*read_ratings(path).select("system", "id", "rater", "score").rows()}


def test_mean_scores_alone_are_one_rater_called_mean(published, caplog):
    single = read_ratings(published / "human_score")
    expected = {(s, i, "mean", 3.0) for s, i in single.select("system", "id").rows()}
    (published / "human_score" / "human_judgement.json").unlink()
    for path in (published, published / "human_score"):
        assert means_of(path) == expected
    assert "whose single ratings are not known (rater 'mean')" in caplog.text
    # Of one data set too, under the names that its texts have.
    for data_set in ("trips", "meals"):
        ratings = read_ratings(published / "human_score" / data_set)
        matched = check_ratings(ratings, read_responses(published / "eval_data" / data_set))
        assert (matched.notes, matched.unrated.height) == ((), 0)


def test_single_ratings_come_before_means(published):
    with pytest.raises(InputError, match=r"human_judgement\.json, which holds every single rating"):
        read_ratings(published / "human_score" / "trips")


def test_mean_scores_of_other_lines_are_refused(published):
    (published / "human_score" / "human_judgement.json").unlink()
    file = published / "human_score" / "trips" / "bob" / "human_score.txt"
    file.write_text(file.read_text() + "4\n")
    with pytest.raises(
        InputError, match=r"human_score\.txt: 4 lines, and the contexts of 'bob' have 3"
    ):
        read_ratings(published / "human_score" / "trips")


def test_the_mean_scores_of_one_system_are_of_its_lines(tmp_path):
    (tmp_path / "set" / "bot").mkdir(parents=True)
    (tmp_path / "set" / "bot" / "human_score.txt").write_text("3.5\n2\n")
    assert means_of(tmp_path / "set") == {("bot", "1", "mean", 3.5), ("bot", "2", "mean", 2.0)}
