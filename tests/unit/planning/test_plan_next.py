"""The items to have rated next, from scores and ratings to the comparison that weighs them."""

import numpy as np
import polars as pl
import pytest

from rejoinder import Scores, compare_with_people, next_items, plan, read_drawn, with_probabilities
from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.next_items import UNIFORM_PART
from rejoinder.tables.drawn_items import drawn_so_far
from rejoinder.tables.write import write_drawn

N = 300
IDS = [f"i{k:03}" for k in range(N)]


class World:
    """Two systems, a judge that errs where it finds them alike, and people's ratings of all."""

    def __init__(self, seed=0):
        rng = np.random.default_rng(seed)
        apart = 1.2 * rng.normal(size=N)
        self.uncertain = np.abs(apart) < 0.6
        wrong = np.where(self.uncertain, 1.5, 0.2) * rng.normal(size=N)
        base = rng.normal(size=N)
        marks = {"a": base + apart, "b": base}
        people = {"a": base + apart + wrong + 0.3, "b": base}
        self.scores = Scores.from_segments(self.table(marks, "judge"), resamples=0)
        self.people = self.table(people, "score").with_columns(
            rater=pl.lit("r"), criterion=pl.lit("overall")
        )
        self.order = rng.permutation(N)

    @staticmethod
    def table(values, name):
        return pl.concat(
            [pl.DataFrame({"system": s, "id": IDS, name: each}) for s, each in values.items()]
        )

    def rated(self, ids):
        return self.people.filter(pl.col("id").is_in(list(ids)))

    def pilot(self, number=40):
        return self.rated(IDS[i] for i in self.order[:number])


def next_of(table):
    return table.filter(pl.col("status") == "next").get_column("id").to_list()


def test_without_ratings_every_item_has_the_same_probability():
    told = next_items(World().scores, 30)
    assert told.table.get_column("probability").unique().to_list() == [0.1]
    assert told.table.get_column("earlier").unique().to_list() == [0.0]
    assert len(next_of(told.table)) == told.number == 30
    assert "no ratings yet" in told.notes[0]


def test_uncertain_items_are_rated_more_often():
    world = World()
    told = next_items(world.scores, 40, world.pilot())
    left = ~np.isin(IDS, world.pilot().get_column("id").to_list())
    now = told.table.get_column("probability").to_numpy()
    assert now[left & world.uncertain].mean() > 1.25 * now[left & ~world.uncertain].mean()
    counts = np.zeros(2)
    for seed in range(20):
        drawn = np.isin(IDS, next_of(next_items(world.scores, 40, world.pilot(), seed=seed).table))
        counts += [drawn[left & world.uncertain].mean(), drawn[left & ~world.uncertain].mean()]
    assert counts[0] > 1.25 * counts[1]


def test_probabilities_are_those_of_both_draws_and_bounded_below():
    world = World()
    told = next_items(world.scores, 40, world.pilot())
    table = told.table
    assert table.get_column("earlier").unique().to_list() == [40 / N]
    now = (table["probability"] - table["earlier"]) / (1 - table["earlier"])
    open_ = table["status"] != "rated"
    assert now.filter(open_).sum() == pytest.approx(40)
    assert now.min() >= UNIFORM_PART * 40 / 260 - 1e-12
    assert (told.lowest, told.highest) == pytest.approx(
        (now.filter(open_).min(), now.filter(open_).max())
    )
    assert set(table.filter(pl.col("status") == "rated")["id"]) == set(world.pilot()["id"])
    assert not set(next_of(table)) & set(world.pilot()["id"])


def test_items_drawn_next_have_a_short_text_and_their_table_is_read_back(tmp_path):
    items = next_items(World().scores, 30)
    assert repr(items).startswith(
        "NextItems(table: 300 rows, number=30, lowest=0.1, highest=0.1, notes: 1"
    )
    write_drawn(items.table, tmp_path / "next.csv")
    assert read_drawn(tmp_path / "next.csv").equals(items.table)


def test_the_same_seed_draws_the_same_items():
    world = World()
    first, again, other = (
        next_items(world.scores, 40, world.pilot(), seed=seed).table for seed in (1, 1, 2)
    )
    assert first.equals(again)
    assert next_of(first) != next_of(other)
    assert first["probability"].equals(other["probability"])


def test_the_comparison_weighs_the_ratings_of_both_draws():
    world = World()
    drawn = next_items(world.scores, 40, world.pilot()).table
    ratings = pl.concat([world.pilot(), world.rated(next_of(drawn))])
    result = compare_with_people(world.scores, with_probabilities(ratings, drawn))
    row = result.pairs.filter(pl.col("by") == "corrected").row(0, named=True)
    assert (row["rated"], "weights:probability" in result.signature) == (80, True)
    assert row["low"] < 0.3 + world.people.filter(pl.col("system") == "a")["score"].mean()


def test_a_third_draw_goes_on_from_the_second():
    world = World()
    second = next_items(world.scores, 40, world.pilot()).table
    ratings = pl.concat([world.pilot(), world.rated(next_of(second))])
    third = next_items(world.scores, 30, with_probabilities(ratings, second), second).table
    assert third["earlier"].to_list() == pytest.approx(second["probability"].to_list())
    assert (third["probability"] >= second["probability"]).all()
    assert (third["status"] == "rated").sum() == 80
    assert len(next_of(third)) == 30


def test_while_ratings_come_in_the_draw_counts_as_far_as_it_is_rated():
    world = World()
    drawn = next_items(world.scores, 40, world.pilot()).table
    ratings = pl.concat([world.pilot(), world.rated(next_of(drawn)[:10])])
    now = with_probabilities(ratings, drawn)
    so_far = drawn_so_far(drawn, ratings["id"].unique())
    wanted = drawn["earlier"] + (drawn["probability"] - drawn["earlier"]) / 4
    assert so_far["probability"].to_list() == pytest.approx(wanted.to_list())
    known = dict(so_far.select("id", "probability").iter_rows())
    assert now["probability"].to_list() == [known[id] for id in now["id"]]
    told = next_items(world.scores, 5, now, drawn)
    assert "30 of 40 items drawn last, such as" in " ".join(told.notes)
    # Without any of them the pilot is a random sample, as it was.
    assert with_probabilities(world.pilot(), drawn)["probability"].n_unique() == 1


@pytest.mark.parametrize("alike", [True, False])
def test_a_plan_notes_that_it_does_not_weigh_items_drawn_with_different_probabilities(alike):
    world = World()
    drawn = next_items(world.scores, 40, world.pilot()).table
    rated = pl.concat([world.pilot(), world.rated(next_of(drawn))])
    ratings = with_probabilities(rated, drawn)
    if alike:
        ratings = ratings.with_columns(probability=pl.lit(0.2))
    notes = " ".join(plan(world.scores, ratings, difference=0.3, resamples=100).notes)
    assert ("the plan takes them as drawn alike" in notes) is not alike


def test_few_rated_items_give_every_item_the_same_probability():
    world = World()
    told = next_items(world.scores, 40, world.pilot(9))
    assert told.lowest == told.highest
    assert "9 rated items: every item is drawn with the same probability" in told.notes[0]


def test_several_judges_that_disagree_are_a_sign_of_doubt():
    rng = np.random.default_rng(1)
    base = {"a": rng.normal(size=N), "b": rng.normal(size=N)}
    other = np.where(np.arange(N) % 2, 3.0, 0.0) * rng.normal(size=N)
    people = {"a": base["a"] + other * rng.choice([-1, 1], N), "b": base["b"]}
    two = World.table(base, "first").join(
        World.table({"a": base["a"] + other, "b": base["b"]}, "second"), on=["system", "id"]
    )
    ratings = World.table(people, "score").with_columns(
        rater=pl.lit("r"), criterion=pl.lit("overall")
    )
    scores = Scores.from_segments(two, resamples=0)
    rated = ratings.filter(pl.col("id").is_in(IDS[:80]))
    now = next_items(scores, 40, rated).table["probability"].to_numpy()[80:]
    assert now[1::2].mean() > 1.15 * now[::2].mean()


def test_ratings_chosen_by_their_scores_are_refused():
    world = World()
    best = world.scores.segments().sort("judge").get_column("id").to_list()[-40:]
    with pytest.raises(InputError, match="drawn at random"):
        next_items(world.scores, 40, world.rated(set(best)))


def test_probabilities_of_rated_items_alone_are_refused():
    world = World()
    pilot = world.pilot().with_columns(
        probability=pl.when(pl.col("id") < "i150").then(0.1).otherwise(0.2)
    )
    with pytest.raises(InputError, match="not that of the others"):
        next_items(world.scores, 40, pilot)
    alike = world.pilot().with_columns(probability=pl.lit(0.2))
    assert next_items(world.scores, 40, alike).number == 40


@pytest.mark.parametrize("number", [0, 261, 1.5])
def test_numbers_that_cannot_be_drawn_are_refused(number):
    world = World()
    with pytest.raises(ParameterError, match=r"number=.*; expected 1"):
        next_items(world.scores, number, world.pilot())


def test_all_that_is_left_is_drawn_with_certainty():
    world = World()
    told = next_items(world.scores, 260, world.pilot())
    assert told.table["probability"].unique().to_list() == [1.0]
    assert len(next_of(told.table)) == 260


def test_a_table_of_other_items_is_refused():
    world = World()
    drawn = next_items(world.scores, 40, world.pilot()).table
    with pytest.raises(InputError, match="not in the table of drawn items"):
        next_items(world.scores, 10, world.pilot(), drawn.head(200))
    with pytest.raises(InputError, match="'left' in the table"):
        with_probabilities(world.people, drawn)
    with pytest.raises(ParameterError, match="has no rating"):
        next_items(world.scores, 10, world.pilot(), a="c")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"a": "zzz"}, "system 'zzz' has no score; choose"),
        ({"a": "a", "b": "a"}, "'a' cannot be compared with itself"),
        ({"without": ["zzz"]}, "system 'zzz' is unknown"),
        ({"without": ["a", "b"]}, "without: every system is left out"),
        ({"criterion": "overall"}, "criterion: it is about ratings"),
        ({"scale": (1, 5)}, "scale: it is about ratings"),
        ({"drawn": next_items(World().scores, 30).table}, "drawn: it is about ratings"),
    ],
)
def test_without_ratings_no_argument_is_ignored(given, expected):
    with pytest.raises(ParameterError, match=expected):
        next_items(World().scores, 30, **given)


@pytest.mark.parametrize("rated", [False, True])
def test_a_system_is_no_pair_with_itself(rated):
    world = World()
    with pytest.raises(ParameterError, match="'b' cannot be compared with itself"):
        next_items(world.scores, 30, world.pilot() if rated else None, a="b", b="b")


def test_items_without_the_scores_of_two_systems_are_not_drawn_before_there_are_ratings():
    marks = pl.concat(
        [
            World.table({name: np.arange(float(N)) for name in ("a", "b", "c")}, "judge").filter(
                (pl.col("system") != "b") | (pl.col("id") < "i200"),
                (pl.col("system") != "c") | (pl.col("id") < "i100"),
            )
        ]
    )
    scores = Scores.from_segments(marks, resamples=0, missing="pairwise")
    drawn = {
        "every pair": next_items(scores, 10),
        "a and c": next_items(scores, 10, a="a", b="c"),
        "without b": next_items(scores, 10, without=["b"]),
        "a alone": next_items(scores, 10, without=["b", "c"]),
    }
    assert {name: each.table.height for name, each in drawn.items()} == {
        "every pair": 200, "a and c": 100, "without b": 100, "a alone": 300,
    }  # fmt: skip
    assert drawn["a and c"].lowest == pytest.approx(0.1)
    assert "200 items without scores of two systems" in " ".join(drawn["a and c"].notes)
