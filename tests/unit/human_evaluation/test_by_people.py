"""Systems compared by people alone: the numbers of people beside scores, verdicts, raters, refusals."""

import math

import numpy as np
import polars as pl
import pytest

from rejoinder import Scores, compare, compare_with_people, ratings
from rejoinder.document.parts import View
from rejoinder.errors import InputError, ParameterError
from rejoinder.human_evaluation.by_people.compare import RatingComparison, compare_by_people
from rejoinder.rendering.latex import as_latex

COLUMNS = ["id", "system", "rater", "criterion", "score"]


def rated(items=30, systems="abc", raters=4, seed=0, step=1.0, lean=0.0, criterion="overall"):
    """Whole grades: each system is ``step`` worse than the one before, raters lean to systems."""
    rng = np.random.default_rng(seed)
    leaning = lean * rng.normal(size=(len(systems), raters))
    quality = rng.normal(size=(items, len(systems)))
    rows = [
        (
            f"i{i:03}",
            system,
            f"r{r}",
            criterion,
            float(np.round(5 - step * s + quality[i, s] + leaning[s, r] + 0.5 * rng.normal())),
        )
        for i in range(items)
        for s, system in enumerate(systems)
        for r in range(raters)
    ]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def beside_scores(table, **given):
    """What people say beside the scores of a judge of the same items."""
    rng = np.random.default_rng(9)
    replies = table.select("system", "id").unique(maintain_order=True)
    marks = replies.with_columns(judge=pl.Series(rng.normal(size=replies.height)))
    scores = Scores.from_segments(marks, resamples=0)
    return compare_with_people(scores, table, **given).pairs.filter(by="people")


@pytest.mark.parametrize("raters", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("effects", [None, "fixed"])
def test_numbers_are_those_of_people_beside_scores_of_the_same_items(raters, effects):
    table = rated(raters=raters, lean=0.5, seed=raters)
    alone = compare(ratings=table, rater_effects=effects).pairs
    both = beside_scores(table, rater_effects=effects)
    names = ["a", "b", "difference", "low", "high", "p", "p_holm", "rated"]
    for one, other in zip(alone.select(names).rows(), both.select(names).rows(), strict=True):
        assert one[:2] == other[:2]
        assert one[2:] == pytest.approx(other[2:], abs=1e-12)


@pytest.mark.parametrize("given", [{"anytime": True}, {"correction": "max"}, {"scale": (0.0, 9.0)}])
def test_so_they_are_with_everything_that_may_be_asked(given):
    table = rated(seed=3)
    names = ["difference", "low", "high", "p"] + ["p_max"] * ("correction" in given)
    alone = compare(ratings=table, **given).pairs.select(names)
    for one, other in zip(
        alone.rows(), beside_scores(table, **given).select(names).rows(), strict=True
    ):
        assert one == pytest.approx(other, abs=1e-12)


def test_wins_ties_and_losses_by_hand():
    rows = [(f"i{i}", s, "ann", "overall", x) for i, pair in enumerate([(2, 1), (1, 1), (1, 3)] * 4)
            for s, x in zip("ab", map(float, pair), strict=True)]  # fmt: skip
    row = compare(ratings=pl.DataFrame(rows, schema=COLUMNS, orient="row")).pairs.row(0, named=True)
    assert (row["wins"], row["ties"], row["losses"], row["rated"]) == (4, 4, 4, 12)
    assert row["difference"] == pytest.approx(-1 / 3)


def test_the_verdict_is_a_sentence_and_that_of_ratings():
    clear, tied = rated(), rated(step=0.0, seed=5)
    assert compare(ratings=clear).verdicts.item(0, "sentence") == (
        f"a is best by people: {clear.filter(system='a')['score'].mean():.2f}, "
        "better than each of the other two."
    )
    assert " are tied by people: " in compare(ratings=tied).verdicts.item(0, "sentence")
    for table in (clear, tied, rated(raters=2, lean=1.0)):
        assert ratings(table).verdicts.rows() == compare(ratings=table).verdicts.rows()


def test_of_each_criterion_and_of_the_one_named():
    both = pl.concat([rated(criterion="x"), rated(step=-1.0, criterion="y", seed=1)])
    result = compare(ratings=both)
    assert result.pairs["criterion"].to_list() == ["x"] * 3 + ["y"] * 3
    assert [row[1][:9] for row in result.verdicts.rows()] == ["a is best", "c is best"]
    one = compare(ratings=both, criterion="y")
    assert one.pairs.rows() == result.pairs.filter(criterion="y").rows()
    assert one.ranks.filter(system="c").row(0, named=True)["best_rank"] == 1


def test_all_pairs_of_the_systems_compared_have_a_verdict_and_ranks():
    table = rated()
    one = compare(ratings=table, a="b", b="c")
    assert one.verdicts.item(0, "sentence").startswith("b is better than c by people: ")
    assert one.ranks["system"].to_list() == ["b", "c"]
    several = compare(ratings=table, b="c")
    assert (several.pairs.height, several.verdicts.height, several.ranks.height) == (2, 0, 0)


def test_two_raters_who_lean_make_a_claim_for_themselves_alone():
    table = rated(raters=2, lean=1.0, step=0.3, seed=4, systems="ab")
    default = compare(ratings=table)
    assert (
        "intervals hold for these raters only (fixed rater effects: 2 raters are fewer than 4)"
        in default.notes
    )
    assert default.pairs.item(0, "p") < 0.05
    assert "rater_effects:fixed" in default.signature
    with pytest.raises(ParameterError, match="2 raters; expected three or more"):
        compare(ratings=table, rater_effects="random")
    # So it is of two systems of several, which two of four raters rate.
    more = rated(systems="abc", seed=1).filter((pl.col("system") == "c") | (pl.col("rater") < "r2"))
    notes = compare(ratings=more).notes
    few = "a - b: two raters, by their effective number, do not show how raters differ, so intervals hold"
    assert any(each.startswith(few) for each in notes)


def test_a_severe_rater_is_named_and_raters_who_are_alike_are_not():
    table = rated(raters=3, systems="ab")
    for made in (compare(ratings=table), ratings(table)):
        assert not any(each.startswith("rater '") for each in made.notes)
    severe = pl.col("score") - 2 * (pl.col("rater") == "r1")
    table = table.with_columns(score=severe)
    others = (
        table.filter(pl.col("rater") != "r1").group_by("id", "system").agg(pl.col("score").mean())
    )
    both = table.filter(rater="r1").join(others, on=["id", "system"])
    apart = (both["score_right"] - both["score"]).mean()
    for made in (compare(ratings=table), ratings(table)):
        (named,) = [each for each in made.notes if each.startswith("rater '")]
        assert named.startswith(
            "rater 'r1' is more severe than 'r0', 'r2': grades of the same replies "
        )
        assert f" are {apart:.2f} lower on average (95% interval " in named


def test_a_rater_who_met_no_failure_by_chance_is_not_named_as_lenient():
    # Five raters agree, but four of them give 4 less for two replies each, of eight items: there the mean
    # of the others is 1 lower for one of two replies. So the fifth is 0.5 higher in 8 of 20 items, 0.2 on
    # average with a variance of 0.063 (t = 3.6, p = .002 < .05 / 5). That of each other rater, with -2 in
    # two items and 0.5 in six, is 0.497, the median of all, with which t is 1.3.
    scores = np.tile(np.arange(40)[:, None] % 3 + 5.0, (1, 5))
    for rater in range(4):
        scores[[4 * rater, 4 * rater + 2], rater] -= 4
    rows = [
        (f"i{reply // 2:02}", "ab"[reply % 2], f"r{rater}", "overall", float(scores[reply, rater]))
        for reply in range(40)
        for rater in range(5)
    ]
    made = ratings(pl.DataFrame(rows, schema=COLUMNS, orient="row"))
    assert not [each for each in made.notes if each.startswith("rater '")]


def test_a_rater_who_grades_at_random_hides_no_severe_one():
    # ann is 0.8 lower than the others, of whom eve gives 1 and 5 without regard to the reply.
    grades = {"ann": (2.1, 2.3), "bob": (3.1, 2.9), "dee": (2.9, 3.1), "eve": (5.0, 1.0)}
    rows = [
        (f"i{n:02}", system, rater, "overall", given[n // 2**place % 2])
        for n in range(16)
        for system in "ab"
        for place, (rater, given) in enumerate(grades.items())
    ]
    made = ratings(pl.DataFrame(rows, schema=COLUMNS, orient="row"))
    (named,) = (each for each in made.notes if each.startswith("rater '"))
    assert "'ann' is more severe than 'bob', 'dee', 'eve': grades" in named
    assert " are 0.80 lower on average (95% interval " in named
    assert "by the median spread of raters)" in named


@pytest.mark.parametrize("raters", [3, 4, 5])
def test_nobody_is_surer_of_other_raters_than_of_these(raters):
    # Where raters look alike by chance, the estimate of their variance is below 0 and counts as 0.
    alike = 0
    for seed in range(10):
        table = rated(raters=raters, seed=seed, systems="ab")
        rows = [
            compare(ratings=table, rater_effects=each).pairs.row(0, named=True)
            for each in ("random", "fixed")
        ]
        assert rows[0]["low"] <= rows[1]["low"]
        assert rows[1]["high"] <= rows[0]["high"]
        assert rows[0]["p"] >= rows[1]["p"]
        alike += rows[0]["low"] == rows[1]["low"]
    assert alike


def test_systems_that_share_no_item_are_unpaired():
    table = rated(items=60, systems="ab", lean=1.0)
    early = pl.col("id") < "i030"
    table = table.filter((pl.col("system") == "a") == early)
    fixed, random = (compare(ratings=table, rater_effects=each) for each in ("fixed", "random"))
    row = fixed.pairs.row(0, named=True)
    assert (row["kind"], row["rated"], row["wins"], row["reason"]) == ("unpaired", 0, None, None)
    means = table.group_by("system", "id").agg(pl.col("score").mean())
    stats = pytest.importorskip("scipy.stats")
    sides = [means.filter(system=s)["score"].to_numpy() for s in "ab"]
    assert row["p"] == pytest.approx(stats.ttest_ind(*sides, equal_var=False).pvalue, abs=1e-12)
    assert "rated on no common item" in " ".join(fixed.notes)
    wide = random.pairs.row(0, named=True)
    assert wide["high"] - wide["low"] > row["high"] - row["low"]


def test_different_raters_of_two_systems_leave_no_interval():
    table = rated(items=60, systems="ab", raters=2)
    table = table.filter((pl.col("system") == "a") == (pl.col("rater") == "r0"))
    for items in (table, table.filter((pl.col("system") == "a") == (pl.col("id") < "i030"))):
        row = compare(ratings=items).pairs.row(0, named=True)
        assert math.isnan(row["p"])
        assert row["reason"].startswith("different people rate the two systems")


def test_clusters_are_what_is_independent():
    table = rated(items=40).with_columns(talk=pl.col("id").str.slice(0, 3))
    by_item, by_talk = (compare(ratings=table, cluster=each) for each in ("none", "talk"))
    assert by_talk.pairs["low"].to_list() != by_item.pairs["low"].to_list()
    assert "4 rated clusters; expected 10 or more" in by_talk.pairs.item(0, "reason")
    assert "cluster:talk" in by_talk.signature


def test_probabilities_weigh_items():
    table = rated(items=40)
    often = (pl.col("id") < "i010").cast(pl.Float64) * 0.5 + 0.25
    weighted = compare(ratings=table.with_columns(probability=often))
    assert (
        weighted.pairs["difference"].to_list()
        != compare(ratings=table).pairs["difference"].to_list()
    )
    assert "weights:probability" in weighted.signature


def test_seven_systems_are_a_matrix_and_a_name_is_shown_as_it_is():
    result = compare(ratings=rated(systems="abcdefg"))
    assert isinstance(result, RatingComparison)
    assert "of 21 pairs differ" in result.to_markdown()
    assert result.to_markdown().startswith("a is best by people: ")
    assert [*result.as_json()] == ["verdicts", "pairs", "signature", "notes"]
    assert len(result.as_json(ranks=True)["ranks"]) == 7


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"margin": 0.1}, r"margin=0\.1 has no effect on ratings"),
        ({"permutations": 99}, r"permutations=99 has no effect on ratings"),
        ({"correction": "none"}, "correction='none' is unknown; choose 'holm' or 'max'"),
        ({"correction": "max", "anytime": True}, "do not go together"),
        ({"criterion": "wit"}, "criterion='wit' is unknown"),
        ({"a": "z"}, "system 'z' is unknown"),
        ({"without": ["a", "b"]}, "there is one system alone, 'c'"),
        ({"rater_effects": "some"}, "rater_effects='some' is unknown"),
    ],
)
def test_what_cannot_be_meant(given, words):
    with pytest.raises(ParameterError, match=words):
        compare(ratings=rated(), **given)


def test_scores_beside_ratings_and_options_of_ratings_alone():
    scores = Scores.from_segments(
        rated().select("system", "id", judge="score").unique(["system", "id"])
    )
    with pytest.raises(ParameterError, match=r"compare_with_people\(scores, ratings\) takes both"):
        compare(scores, ratings=rated())
    with pytest.raises(ParameterError, match="criterion= has no effect without ratings"):
        compare(scores, criterion="overall")
    with pytest.raises(InputError, match="off the scale"):
        compare_by_people(rated(), scale=(1, 2))


def apart(items=40, systems="ab", **more):
    """Ratings of systems each of which has items of its own."""
    table = rated(items=items * len(systems), systems=systems, **more)
    of = pl.col("id").str.slice(1).cast(pl.Int64) % len(systems)
    return table.filter(
        of == pl.col("system").replace_strict({s: i for i, s in enumerate(systems)})
    )


@pytest.mark.parametrize("cluster", [None, "talk"])
def test_the_order_of_rows_changes_no_number(cluster):
    # b shares its items with a, and c has others: paired and unpaired rows in one family.
    table = apart(step=0.3, seed=2, systems="ac")
    b = rated(items=70, systems="b", seed=5).filter(
        pl.col("id").is_in(table.filter(system="a")["id"])
    )
    table = pl.concat([table, b])
    table = table.with_columns(talk=pl.col("id").str.slice(1).cast(pl.Int64) // 4)
    orders = [table.sort("system", "id"), table.sort("id", "system")]
    given = {"correction": "max", "rater_effects": "fixed", "cluster": cluster}
    first, second = (compare(ratings=each, **given).pairs for each in orders)
    assert first["kind"].to_list() == ["paired", "unpaired", "unpaired"]
    columns = ["difference", "low", "high", "p", "p_holm", "p_max"]
    for one, other in zip(first[columns].rows(), second[columns].rows(), strict=True):
        assert one == pytest.approx(other, abs=1e-9)


def test_an_unpaired_difference_is_that_of_the_weighted_means():
    often = pl.when(pl.col("id") < "i020").then(0.9).otherwise(0.1)
    result = compare(ratings=apart().with_columns(probability=often))
    row, ranks = result.pairs.row(0, named=True), dict(result.ranks.select("system", "mean").rows())
    assert row["kind"] == "unpaired"
    assert row["difference"] == pytest.approx(ranks["a"] - ranks["b"], abs=1e-12)
    assert "probabilities of their own" in row["reason"]


@pytest.mark.parametrize(
    ("items", "anytime", "fewest"), [(4, False, 10), (9, False, 10), (19, True, 20)]
)
def test_an_unpaired_difference_has_an_interval_from_as_many_items_of_each_as_a_paired_one(
    items, anytime, fewest
):
    few = compare(ratings=apart(items, raters=2), anytime=anytime).pairs.row(0, named=True)
    assert math.isnan(few["p"])
    assert math.isnan(few["low"])
    expected = f"{items} rated items of one of the systems; expected {fewest} or more of each"
    assert few["reason"] == expected
    enough = compare(ratings=apart(fewest, raters=2), anytime=anytime).pairs.row(0, named=True)
    assert enough["reason"] is None
    assert math.isfinite(enough["p"])


def test_one_rated_item_is_in_the_singular():
    row = compare(ratings=rated(items=1)).pairs.row(0, named=True)
    assert row["reason"] == "1 rated item; expected 10 or more"
    notes = " ".join(compare(ratings=rated(items=1)).notes)
    assert "with 1 rated item, " in notes
    assert "1 rated items" not in notes


def test_a_criterion_with_one_system_alone_is_left_out_by_name():
    table = pl.concat([rated(), rated(systems="a", criterion="wit")])
    result = compare(ratings=table)
    assert result.pairs.rows() == compare(ratings=rated()).pairs.rows()
    note = "criterion 'wit' is left out: it has ratings of one system alone, 'a'"
    assert note in result.notes
    with pytest.raises(ParameterError, match="there is one system alone, 'a'"):
        compare(ratings=table, criterion="wit")
    with pytest.raises(ParameterError, match="there is one system alone, 'a'"):
        compare(ratings=table.filter(system="a"))


def test_an_interval_for_other_raters_ends_where_a_given_scale_does():
    """Without one it does not: other raters could use grades that these did not.

    Three raters differ by 1.5, -2.5 and -0.5: -0.5 with 4.30 times 2 / sqrt(3), Student's t with 2 degrees
    of freedom, to either side; items add hardly anything.
    """
    lean = {"ann": 5.0, "bob": 1.0, "eve": 3.0}
    rows = [
        (f"i{n}", system, rater, "overall", grade if system == "a" else 3.0 + n % 2)
        for n in range(20)
        for rater, grade in lean.items()
        for system in "ab"
    ]
    table = pl.DataFrame(rows, schema=COLUMNS, orient="row")
    free, cut = (-5.468, 4.468), "the interval ends where the scale does (1 to 5). It says little"
    beyond = (
        "the interval reaches beyond the grades given (1 to 5), and would end where a scale does"
    )
    for scale, ends, expected in (
        (None, free, [beyond]),
        ((1.0, 5.0), (-4.0, 4.0), [cut]),
        ((1.0, 7.0), free, []),
    ):
        result = compare(ratings=table, rater_effects="random", scale=scale)
        beside = beside_scores(table, rater_effects="random", scale=scale)
        for pairs in (result.pairs, beside):
            assert pairs.select("low", "high").row(0) == pytest.approx(ends, abs=0.001)
        notes = " ".join(result.notes)
        assert [each for each in (beyond, cut) if each in notes] == expected
    for each in (compare(ratings=table).pairs, beside_scores(table)):
        assert each["high"][0] - each["low"][0] < 2


def test_an_interval_at_every_look_that_the_scale_cuts_has_the_note():
    """Four raters differ by 1, 1, 0 and 0, with 3.18 times 0.29 an interval for one look to 1.42; on a scale
    that allows 1.5 it is within, and that for every look is not.
    """
    rows = [
        (f"i{n}", system, f"r{rater}", "overall", 1.0 + n % 2 / 2 + (system == "a" and rater < 2))
        for n in range(22)
        for rater in range(4)
        for system in "ab"
    ]
    table = pl.DataFrame(rows, schema=COLUMNS, orient="row")
    for anytime, cut in ((False, False), (True, True)):
        options = {"scale": (1.0, 2.5), "anytime": anytime}
        result = compare(ratings=table, **options)
        for pairs in (result.pairs, beside_scores(table, **options)):
            assert (pairs["high"][0] == 1.5) == cut
        assert (
            "the interval ends where the scale does (1 to 2.5)" in " ".join(result.notes)
        ) == cut


def test_ratings_by_nobody_named_are_not_by_one_rater():
    table = rated(raters=1).with_columns(rater=pl.lit("1"))
    fixed = "intervals hold for these raters only (fixed rater effects: raters have no names)"
    assert fixed in compare(ratings=table).notes
    with pytest.raises(ParameterError, match="raters have no names"):
        compare(ratings=table, rater_effects="random")


def test_the_verdict_has_the_sign_of_the_difference_on_shared_items():
    """a is rated on 40 easy items beside the 20 on which it loses to b."""
    grades = [("a", n, 1.5 if n < 20 else 4.5) for n in range(60)]
    grades += [("b", n, 2.0 + n % 3 / 2) for n in range(20)]
    rows = [(f"i{n}", system, r, "overall", grade) for system, n, grade in grades for r in "uv"]
    columns = ["id", "system", "rater", "criterion", "score"]
    made = compare_by_people(pl.DataFrame(rows, schema=columns, orient="row"))
    assert made.pairs["difference"][0] == pytest.approx(-0.975)
    (sentence,) = made.verdicts["sentence"]
    assert sentence == (
        "By people, on the items that both have, b is better than a by 0.97, although the mean of a on all "
        "of its items is 3.50 and that of b 2.48."
    )


def test_a_paper_has_means_with_letters_and_each_table_its_own_caption():
    made = compare(ratings=rated(systems="ab", step=2.0))
    written = as_latex(made.document(View(ranks=True)))
    best, other = made.ranks["mean"]
    assert rf"a & \textbf{{{best:.2f}}}\textsuperscript{{a}} & 1 a \\" in written
    assert rf"b & {other:.2f}\textsuperscript{{b}} & 2 b \\" in written
    pairs, ranks = (line for line in written.splitlines() if line.startswith("\\caption"))
    assert "{Pairs of systems by people. [low, high]: 95" in pairs
    assert "two systems that share a letter" in ranks
    assert "items W/T/L" not in ranks
    assert "& $<0.001$ & $<0.001$* &" in written  # 1e-11: papers print the limit
    (usual,) = (line for line in made.to_latex().splitlines() if line.startswith("a & \\textbf"))
    assert usual == rf"a & \textbf{{{best:.2f}}}\textsuperscript{{a}} \\"  # without ranks the means


def test_the_tables_of_a_paper_name_their_criterion_where_there_are_several():
    both = [
        rated(systems="ab", step=2.0).with_columns(criterion=pl.lit(c)) for c in ("fit_1", "taste")
    ]
    written = compare(ratings=pl.concat(both)).to_latex()
    captions = [line for line in written.splitlines() if line.startswith("\\caption")]
    assert captions[0].startswith("\\caption{fit\\_1. Pairs of systems by people")
    assert captions[1].startswith("\\caption{taste. Pairs of systems by people")
    assert (
        "fit" not in compare(ratings=both[0]).to_latex().partition("\\caption")[2].splitlines()[0]
    )


def test_a_paper_has_true_minus_signs():
    written = compare(ratings=rated(systems="ab", step=2.0), a="b", b="a").to_latex()
    row = next(line for line in written.splitlines() if line.startswith("b & a & "))
    assert row.count("$-$") == 3  # the difference and the two ends of its interval
    assert "-" not in row.replace("$-$", "")


@pytest.mark.parametrize(
    ("items", "step", "said"), [(14, 0.0, True), (15, 0.0, False), (14, 9.0, False)]
)
def test_a_tie_of_few_items_is_no_sign_that_systems_are_alike(items, step, said):
    """It stands beside the verdict: claims hold the verdict in its words."""
    table = rated(items, "ab", step=step)
    few = f"{items} items are few: fewer than 15 miss even a difference of 0.8 standard deviations"
    compared = compare(ratings=table)
    assert (few in compared.to_markdown()) is said
    assert few not in compared.verdicts["sentence"][0]
    assert any(few in each for each in ratings(table).notes) is said


def test_who_rated_one_of_two_systems_alone_does_not_decide():
    """The ratings of r2, who gives 2 more than others, count in the pair of both systems that r2 rated."""
    table = rated(30, "abc", raters=3, step=0.0)
    lenient = table.with_columns(score=pl.col("score") + 2.0 * (pl.col("rater") == "r2")).filter(
        (pl.col("rater") != "r2") | (pl.col("system") != "b")
    )
    compared = compare(ratings=lenient)
    of_both = compare(ratings=table.filter(pl.col("rater") != "r2"))
    pairs, expected = (
        {
            (a, b): row
            for a, b, *row in each.pairs.select("a", "b", "difference", "low", "high", "p").rows()
        }
        for each in (compared, of_both)
    )
    assert pairs["a", "b"] == pytest.approx(expected["a", "b"])
    assert pairs["b", "c"] == pytest.approx(expected["b", "c"])
    everybody = compare(ratings=table).pairs.filter(a="a", b="c")["difference"][0]
    assert pairs["a", "c"][0] == pytest.approx(everybody)
    note = (
        "a - b, b - c: 'r2' rated only one of the two systems; only ratings by raters of both count"
    )
    assert any(each.startswith(note) for each in compared.notes)
    random = compare(ratings=lenient, rater_effects="random")
    wrong = random.pairs.filter(a="a", b="b")["difference"][0]
    assert wrong == pytest.approx(pairs["a", "b"][0] + 2 / 3, abs=0.1)
    assert not any(each.startswith(note) for each in random.notes)
    apart = lenient.filter((pl.col("rater") == "r2") == (pl.col("system") == "a"))
    notes = compare(ratings=apart.filter(pl.col("system") != "c")).notes
    assert not any("rated only one of the two" in each for each in notes)


@pytest.mark.parametrize("raters", [3, 5])
def test_severity_of_raters_who_rated_different_shares_decides_nothing(raters):
    """Who is how severe changes no difference for these raters: r2 rated most of a and little of b."""
    table = rated(40, "ab", raters=raters, step=0.0).with_columns(pl.col("score") + 0.25)
    item = pl.col("id").str.slice(1).cast(pl.Int64)
    most = pl.when(pl.col("system") == "a").then(item % 4 > 0).otherwise(item % 4 == 0)
    uneven = table.filter((pl.col("rater") != "r2") | most)
    uneven = uneven.filter(pl.col("rater").is_in(["r0", "r2"]) | (item % 8 == 0))  # r0: two thirds
    lenient = uneven.with_columns(score=pl.col("score") + 5.0 * (pl.col("rater") == "r2"))
    columns = ["difference", "low", "high", "p"]
    one, other = (compare(ratings=each) for each in (uneven, lenient))
    assert one.pairs.select(columns).row(0) == pytest.approx(other.pairs.select(columns).row(0))
    note = "a - b: the raters rated different shares of the two systems' replies, so that the difference"
    assert any(each.startswith(note) for each in other.notes)
    (said,) = (each for each in ratings(lenient).notes if each.startswith("which system is best"))
    assert said.count("these raters only") == 1
    assert "other raters too" not in said
    corrected = beside_scores(lenient).select(columns).row(0)
    assert corrected == pytest.approx(other.pairs.select(columns).row(0))
    assert not any(note in each for each in compare(ratings=rated(40, "ab", raters=3)).notes)


def test_where_severity_is_taken_off_the_sentence_says_so_and_not_that_items_differ():
    """b is better; r2, who gives 3 more, rated all of a and a fifth of b, so that a's mean is higher."""
    table = rated(120, "ba", raters=3, step=0.5)
    item = pl.col("id").str.slice(1).cast(pl.Int64)
    of_both = (pl.col("rater") != "r2") | (pl.col("system") == "a") | (item % 5 == 0)
    lenient = table.filter(of_both).with_columns(
        score=pl.col("score") + 3.0 * (pl.col("rater") == "r2")
    )
    compared = compare(ratings=lenient)
    (sentence,) = compared.verdicts["sentence"]
    words = "By people, without the severity of raters, on the items that both have, b is better than a by"
    assert sentence.startswith(words)
    assert "the mean of a by all ratings is" in sentence
    assert ratings(lenient).verdicts["sentence"].to_list() == [sentence]
    assert any("without their severity" in each for each in ratings(lenient).notes)


def test_a_pair_without_an_interval_has_no_severity_taken_off():
    table = rated(40, "ab", raters=4, step=0.0)
    item = pl.col("id").str.slice(1).cast(pl.Int64)
    own = (pl.col("system") == "a") == pl.col("rater").is_in(["r0", "r1"])
    tied = table.filter(own | (item % 10 == 0)).filter(pl.col("rater").is_in(["r0", "r3"]))
    for effects in ("fixed", None):
        compared = compare(ratings=tied, rater_effects=effects)
        assert compared.pairs["reason"].str.starts_with("different people rate").all()
        assert not any("without their severity" in each for each in compared.notes)
    named = tied.with_columns(pl.format("{}{}", "rater", item % 3).alias("rater"))
    (said,) = (each for each in ratings(named).notes if each.startswith("which system is best"))
    assert said.removeprefix("which system is best: ")
