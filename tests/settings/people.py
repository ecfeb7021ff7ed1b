"""Rows of the verbs that read people's judgements: correlate, ratings, preferences, plan, weigh."""

from __future__ import annotations

import dataclasses

import pytest

from settings.row import Row
from settings.shared import (
    SCORES,
    as_json,
    columns,
    draws,
    empty,
    flat,
    gaps,
    measuring,
    more_than_before,
    off_scale,
    only,
    rated,
    read,
    reading,
    refused,
    rows,
    scores_format,
    to_file,
    values,
)

USUAL = {
    "correlate": (
        "correlate {testset} {systems} --ratings {ratings} -m bleu -m length {pearson}"
        " --resamples 100 --permutations 50 --json"
    ),
    "judge": "judge {testset} {systems} -m bleu --ratings {ratings} --json",
    "ratings": "ratings {ratings} --resamples 100 --json",
    "preferences": "preferences {preferences} --resamples 100 --json",
    "plan": "plan {testset} {systems} -m bleu --ratings {ratings} --resamples 100 --json",
    "weigh": "weigh {testset} {systems} --ratings {ratings} -o {out}/w.jsonl --json",
}

# Not of the row 'random', whose scores the seed draws.
VALUE = "agreement[metric=BLEU-2].*.value"
ENDS = "agreement[metric=BLEU-2].*.low"
SOME_RATED = {"ratings": "some_ratings"}
UNIT = "-p unit --set unit_size=5 --set assignments=20"

CORRELATE = [
    *measuring("correlate", VALUE, ENDS, "agreement.*.n"),
    *rated("correlate", VALUE),
    off_scale("correlate"),
    as_json("correlate"),
    to_file("correlate"),
    # 'style' is 6 minus the relevance: Pearson's r turns its sign.
    Row(
        "correlate", "--criterion", "--criterion style", where={"ratings": "criteria"},
        also="--criterion relevance",
        effect=lambda before, after: after.at(VALUE) == pytest.approx(
            [-each for each in before.at(VALUE)]
        ),
    ),
    scores_format("correlate"),
    Row("correlate", *SCORES, effect=more_than_before("agreement.*.metric", "judge")),
    # A system that left out items is correlated on those that it answered.
    Row(
        "correlate", "--missing", "--missing pairwise", "agreement.*.n", also="--missing drop",
        where={"systems": "systems_with_gaps"},
    ),
    Row("correlate", "--metric", "-m chrf", effect=more_than_before("agreement.*.metric", "chrF")),
    Row(
        "correlate", "--protocol", UNIT, VALUE,
        effect=lambda _, after: after.json["signature"].startswith("protocol:unit|size:5|"),
    ),
    Row(
        "correlate", "--protocol", "-p soft", where={"pearson": "nothing"}, also="-p pairwise",
        effect=lambda before, after: (
            set(before.at("agreement.*.correlation")) == {"accuracy", "decided"}
            and set(after.at("agreement.*.correlation")) == {"soft"}
            and set(after.at("agreement.*.n")) == {3}
        ),
    ),
    # 66 items are 13 units of 5, or 6 of 10, of each of 3 pairs of systems.
    Row(
        "correlate", "--set unit_size", "--set unit_size=10", also=UNIT,
        effect=lambda before, after: (
            set(before.at("agreement.*.n")) == {3 * 13} and set(after.at("agreement.*.n")) == {3 * 6}
        ),
    ),
    Row("correlate", "--set assignments", "--set assignments=21", VALUE, also=UNIT),
    Row(
        "correlate", "--pair", "--pair generic tuned --pair tuned retrieval", also=UNIT,
        effect=lambda before, after: (
            set(before.at("agreement.*.n")) == {3 * 13} and set(after.at("agreement.*.n")) == {2 * 13}
        ),
    ),
    # Every length is a whole number: within 1000 of each other all are ties, and none is told apart.
    Row(
        "correlate", "--set epsilon", "--set epsilon=1000", "agreement[metric=length].*.value",
        also="-p pairwise", where={"pearson": "nothing"},
    ),
    Row("correlate", "--rater-effects", "--rater-effects fixed", ENDS, VALUE),
    Row(
        "correlate", "--correlation", "-c kendall-c",
        effect=more_than_before("agreement.*.correlation", "kendall-c"),
    ),
    Row("correlate", "--raters", "--raters median", VALUE),
    Row("correlate", "--raters", "--raters z", VALUE, also="--raters median"),
    Row(
        "correlate", "--without", "--without tuned",
        effect=lambda *both: [set(each.at("agreement[metric=BLEU-2].*.n")) for each in both]
        == [{198}, {132}],
    ),
    # No permutation reaches BLEU's mean correlation within systems: 1 / (n + 1).
    Row(
        "correlate", "--permutations", "--permutations 99", keeps=VALUE,
        effect=lambda *both: [each.at("agreement[metric=BLEU-2].*.within_p") for each in both]
        == [[1 / 51], [1 / 100]],
    ),
    Row(
        "correlate",
        "--set aggregate_turns",
        "--set aggregate_turns=least",
        VALUE,
        also="--level dialogue --cluster topic",
        keeps="agreement.*.n",
    ),
    # The six topics are the clusters.
    Row("correlate", "--cluster", "--cluster topic", "agreement.*.within_low", keeps=VALUE),
    Row(
        "correlate", "--cluster", "--cluster none", "agreement.*.within_low", also="--cluster topic",
        as_usual="agreement",
    ),
    Row("correlate", "--compare", "--compare", effect=only("comparisons.*.a", "BLEU-2")),
    Row(
        "correlate", "--save", "--save {out}/t.csv",
        effect=lambda _, after: read(after, "t.csv")["metric"].to_list()
        == after.at("agreement.*.metric"),
    ),
    Row(
        "correlate", "--plots", "--plots {out}",
        effect=lambda _, after: sorted(after.at("files")) == [f"OUT/{x}" for x in after.at("@")] != [],
    ),
]  # fmt: skip

RATINGS = [
    # Nothing is drawn any more: --resamples 0 takes the intervals away, and the seed is only told.
    Row(
        "ratings", "--resamples", "--resamples 0", "agreement.*.low", "systems.*.mean",
        effect=empty("systems.*.low"),
    ),
    Row("ratings", "--seed", "--seed 7", "signature", "agreement"),
    as_json("ratings"),
    to_file("ratings"),
    off_scale("ratings"),
    columns("ratings", "systems.*.mean", "ratings"),
    values("ratings", "systems.*.mean"),
    Row(
        "ratings", "--format", "--format csv", as_usual="systems.*.mean",
        where={"ratings": "ratings_data"}, status=(2, 0), effect=refused("--format"),
    ),
    # The greatest kappa of a rater is below 1: all are left out but for those who may not be judged.
    Row("ratings", "--filter-raters", "--filter-raters=0.72", "systems.*.ratings"),
    # Every rater shares all 198 replies with others: 199 is more than anybody has.
    Row(
        "ratings", "--min-shared", "--min-shared 199", "systems.*.ratings", also="--filter-raters=0.72",
        effect=only("systems.*.ratings", 330),
    ),
    Row("ratings", "--min-shared", "--min-shared 198", keeps="systems", also="--filter-raters=0.72",
        differs="signature"),
    Row("ratings", "--raters", "--raters median", "systems.*.mean"),
    Row("ratings", "--raters", "--raters z", "systems.*.mean"),
    Row(
        "ratings", "--criterion", "--criterion style", where={"ratings": "criteria"},
        effect=only("counts.*.criterion", "style"),
    ),
    Row("ratings", "--without", "--without tuned", effect=only("systems.*.system", "generic", "retrieval")),
    Row("ratings", "--save", "--save {out}/r.csv", effect=lambda _, after: rows(after, "r.csv") == 990),
    Row(
        "ratings", "--cluster", "--cluster talk", "systems.*.low", "systems.*.mean",
        where={"ratings": "clustered_ratings"}, effect=only("counts.*.clusters", 7),
    ),
    # 198 replies have five ratings each.
    Row(
        "ratings", "--aggregated", "--aggregated", also="--save {out}/r.csv",
        effect=lambda _, after: rows(after, "r.csv") == 198,
    ),
]  # fmt: skip

MEASURED = "measures[measure=correlation].*.value"

JUDGE = [
    *reading("judge", MEASURED),
    *gaps("judge", "measures.*.n"),
    *rated("judge", MEASURED),
    off_scale("judge"),
    as_json("judge"),
    to_file("judge"),
    columns("judge", MEASURED, "ratings"),
    scores_format("judge"),
    Row("judge", *SCORES, effect=more_than_before("measures.*.judge", "judge")),
    Row("judge", "--metric", "-m chrf", effect=more_than_before("measures.*.judge", "chrF")),
    Row(
        "judge", "--missing", "--missing pairwise", "measures.*.n", also="--missing drop",
        where={"systems": "systems_with_gaps"},
    ),
    # BLEU is fitted to the ratings in ten folds of contexts.
    Row("judge", "--seed", "--seed 7", "raters.*.p", keeps="measures.*.value"),
    Row(
        "judge", "--resamples", "--resamples 200", keeps="measures.*.value",
        effect=lambda _, after: "no effect" in after.err,
    ),
    Row("judge", "--tolerance", "--tolerance 0.5", "raters.*.p", keeps="measures.*.value"),
    Row("judge", "--rater-severity", "--rater-severity kept", "measures[measure=slope].*.value", "raters"),
    Row("judge", "--alignment", "--alignment accuracy", "raters.*.advantage", keeps="measures.*.value"),
    Row(
        "judge", "--cluster", "--cluster topic", "measures[measure=correlation].*.low",
        keeps="measures.*.n",
    ),
    Row(
        "judge", "--without", "--without tuned",
        effect=only("errors[factor=system].*.level", "generic", "retrieval"),
    ),
]  # fmt: skip

PREFERENCES = [
    *(
        dataclasses.replace(row, also="--bootstrap") if row.option == "--seed" else row
        for row in draws("preferences", "strengths.*.strength", "strengths.*.low")
    ),
    Row(
        "preferences", "--bootstrap", "--bootstrap", "strengths.*.low",
        keeps="pairs.*.win_rate_low",
        effect=lambda before, after: (
            before.at("strengths.*.strength") == pytest.approx(after.at("strengths.*.strength"))
        ),
    ),
    # Of the examples' 324 comparisons some are ties: Davidson's strengths lie further apart.
    Row(
        "preferences", "--ties", "--ties davidson", "strengths.*.strength", keeps="pairs.*.win_rate_low",
        effect=lambda _, after: after.at("parameters.*.parameter") == ["tie"],
    ),
    Row(
        "preferences", "--covariate", "--covariate length", "strengths.*.strength",
        where={"preferences": "preferences_with_lengths"}, keeps="pairs.*.win_rate_low",
        effect=only("parameters.*.name", "length"),
    ),
    Row(
        "preferences", "--judge", "--judge j4", "strengths.*.strength", keeps="pairs.*.win_rate_low",
        effect=only("parameters.*.parameter", "discrimination"),
    ),
    Row(
        "preferences", "--same-family", "--same-family j4=tuned", "judges.*.measure", also="--judge j4",
        keeps="pairs.*.win_rate_low",
    ),
    Row(
        "preferences", "--rater-effects", "--rater-effects fixed", "strengths.*.low",
        keeps="strengths.*.strength",
    ),
    Row(
        "preferences", "--ranks", "--ranks",
        effect=lambda before, after: (
            "best_rank" not in before.json["strengths"][0] and after.at("strengths.*.best_rank")
        ),
    ),
    as_json("preferences"),
    to_file("preferences"),
    columns("preferences", "pairs.*.win_rate", "preferences"),
    Row(
        "preferences", "--format", "--format csv", as_usual="pairs.*.win_rate",
        where={"preferences": "preferences_data"}, status=(2, 0), effect=refused("--format"),
    ),
    Row(
        "preferences", "--cluster", "--cluster talk", "pairs.*.win_rate_low", "pairs.*.win_rate",
        where={"preferences": "clustered_preferences"}, effect=only("counts.*.clusters", 7),
    ),
    Row("preferences", "--filter-raters", "--filter-raters=0.1", "pairs.*.comparisons"),
    Row(
        "preferences", "--min-shared", "--min-shared 1000", "pairs.*.comparisons",
        also="--filter-raters=0.1",
        effect=lambda _, after: {each["verdict"] for each in after.at("raters")} != {"kept"},
    ),
    Row(
        "preferences", "--criterion", "--criterion style",
        where={"preferences": "preference_criteria"}, effect=only("counts.*.criterion", "style"),
    ),
    Row(
        "preferences", "--without", "--without tuned",
        effect=only("strengths.*.system", "generic", "retrieval"),
    ),
]  # fmt: skip

DIFFERENCE = "comparisons.*.difference"
LOW = "comparisons.*.detectable_low"
DESIGNED = "plan --json --design --reliability 0.6 -d 0.35"

PLAN = [
    *reading("plan", DIFFERENCE),
    *gaps("plan", "items"),
    Row(
        "plan", "--missing", "--missing pairwise", also="--missing drop",
        where={"systems": "systems_with_gaps"},
        effect=lambda before, after: after.at("items") > before.at("items"),
    ),
    # The six topics are the clusters.
    Row("plan", "--cluster", "--cluster topic", LOW, DIFFERENCE),
    # Prompts that cost nothing have one sample each; one that costs ten samples is asked for more of them.
    Row(
        "plan", "--costs", "--costs 10 1", "samples.*.ratio", "comparisons.*.difference",
        also="--costs 0 1", where={"systems": "systems_with_samples"},
        effect=lambda before, after: before.at("samples[best=True].*.samples") == [1]
            and after.at("samples[best=True].*.samples")[0] > 1,
    ),
    # A plan is drawn; fewer references are drawn too.
    Row("plan", "--resamples", "--resamples 200", LOW, "comparisons[references=None].*.difference"),
    Row("plan", "--seed", "--seed 7", LOW, "comparisons[references=None].*.difference"),
    *rated("plan", "components.*.rest"),
    off_scale("plan"),
    as_json("plan"),
    to_file("plan"),
    scores_format("plan"),
    Row("plan", *SCORES, effect=more_than_before("comparisons.*.subject", "judge")),
    Row("plan", "--metric", "-m rougeL", effect=more_than_before("comparisons.*.subject", "ROUGE-L")),
    Row(
        "plan", "--next", "--next 12 -o {out}/next.csv", where=SOME_RATED,
        effect=lambda before, after: (
            "next" not in before.json
            and read(after, "next.csv").filter(status="next").height == 12
            and read(after, "next.csv")["probability"].to_list()
            == pytest.approx(after.at("next.items.*.probability"))
        ),
    ),
    Row(
        "plan", "--output", "-o {out}/other.jsonl", where=SOME_RATED, also="--next 12 -o {out}/n.csv",
        effect=lambda *both: [each.at("@") for each in both] == [["n.csv"], ["other.jsonl"]],
    ),
    Row(
        "plan", "--drawn", "--drawn {drawn}", "next.items.*.earlier", "comparisons", where=SOME_RATED,
        also="--next 12 -o {out}/n.csv",
    ),
    # .90 against .95 takes 424 items a side, by hand in tests/unit/planning; .80 against .95 far fewer.
    Row("plan", "--rates", "--rates 0.80 0.95", usual="plan --json --rates 0.90 0.95",
        effect=lambda before, after: before.at("rate_needs.*.items")[0] == 424
            and after.at("rate_needs.*.items")[0] < 100),
    Row("plan", "--discordant", "--discordant 0.1", usual="plan --json --rates 0.90 0.95",
        effect=lambda before, after: len(before.at("rate_needs")) == 3
            and after.at("rate_needs.*.discordant") == [None, 0.1]),
    Row("plan", "--design", "--design -d 0.4", usual="plan --json --ratings {ratings} --criterion relevance",
        effect=lambda _, after: len(after.at("alternatives.*.most")) == 5),
    Row("plan", "--reliability", "--reliability 0.28", usual=DESIGNED, effect=lambda before, after:
        after.at("design.fixed") < before.at("design.fixed")),
    Row("plan", "--spread", "--spread 2", usual=DESIGNED, effect=lambda before, after:
        after.at("alternatives.*.items")[0] > 3 * before.at("alternatives.*.items")[0]),
    Row("plan", "--rho", "--rho 0.7", "design.judge", "design.fixed", usual=DESIGNED),
    Row("plan", "--pool", "--pool 50", "design.raters", "alternatives.*.design", usual=DESIGNED),
    Row("plan", "--systems", "--systems 5", "design.systems", "design.goal", usual=DESIGNED, effect=lambda
        before, after: after.at("design.most") > 1.5 * before.at("design.most")),
    Row("plan", "--goal", "--goal best", "design.goal", usual=DESIGNED),
    Row("plan", "--looks-every", "--looks-every 25", "design.every", "alternatives.*.design", usual=DESIGNED),
    Row("plan", "--per-rating", "--per-rating 2 0.5", usual=DESIGNED, effect=lambda before, after:
        before.at("alternatives.*.minutes")[0] is None
        and after.at("alternatives.*.minutes")[0] == 2 * after.at("alternatives.*.planned")[0]
        and after.at("alternatives.*.price")[0] == 0.5 * after.at("alternatives.*.planned")[0]),
    Row("plan", "--save", "--save {out}/design.json", usual=DESIGNED,
        effect=lambda _, after: after.at("@") == ["design.json"]),
    Row("plan", "-a", "-a generic", also="-b tuned", effect=only("comparisons.*.a", "generic")),
    Row("plan", "-b", "-b generic", also="-a tuned", effect=only("comparisons.*.b", "generic")),
    Row("plan", "--every-pair", "--every-pair", effect=lambda _, after: len(
        {(each["a"], each["b"]) for each in after.at("comparisons")}) == 3),
    Row("plan", "--items", "--items 500 --items 600", effect=only("comparisons.*.items", 500, 600)),
    Row("plan", "--raters-per-reply", "--raters-per-reply 7", effect=lambda _, after: set(
        flat(after.at("comparisons[subject=people].*.raters"))) == {7}),
    # More power, or a stricter test, takes more items.
    Row("plan", "--power", "--power 0.99", effect=lambda before, after: needed(before) < needed(after)),
    Row("plan", "--alpha", "--alpha 0.001", effect=lambda before, after: needed(before) < needed(after)),
    Row("plan", "--difference", "-d 0.25", effect=lambda _, after: set(
        after.at("comparison_needs[subject=people].*.target")) == {0.25}),
    Row("plan", "--interval-width", "--interval-width 0.1", effect=lambda before, after: (
        not before.at("correlation_needs") and after.at("correlation_needs") != [])),
    Row("plan", "--correlation", "-c pearson", "correlations.*.value"),
    Row("plan", "--without", "--without tuned", effect=only("comparisons.*.a", "retrieval")),
]  # fmt: skip


def needed(result) -> int:
    """The most items that a comparison by people needs."""
    return max(result.at("comparison_needs[subject=people].*.items"))


def scaled(before, after) -> bool:
    """Means s on 1 to 5 became 2 (s - 1) / 4 - 1, and 2 s / 5 - 1 on 0 to 5."""
    means = [2 * (weight + 1) + 1 for weight in before.at("sources.*.mean")]
    return after.at("sources.*.mean") == pytest.approx([2 * mean / 5 - 1 for mean in means])


SOURCES = "sources.*.mean"


def people_rate_and_judges_score() -> list[Row]:
    """Rows of who may rate, and of learned raters."""
    return [
        Row("weigh", "--filter-raters", "--filter-raters=0.72", SOURCES),
        # Every rater shares all 198 replies with others: 199 is more than anybody has.
        Row("weigh", "--min-shared", "--min-shared 199", SOURCES, also="--filter-raters=0.72"),
        Row("weigh", "--min-shared", "--min-shared 198", keeps=SOURCES, also="--filter-raters=0.72",
            effect=lambda *both: both[0].json["sources"] == both[1].json["sources"]),
        Row("weigh", "--min-raters", "--min-raters 5", keeps=SOURCES,
            effect=lambda *both: both[0].json["sources"] == both[1].json["sources"]),
        Row("weigh", "--min-raters", "--min-raters 6", status=(0, 2),
            effect=lambda _, after: "no reply has 6 raters" in after.err),
        Row("weigh", "--scores", "--scores {judge_scores}", SOURCES),
        Row("weigh", "--scores", "--scores {judge_scores}:lower", SOURCES),
        Row(
            "weigh", "--format", "--format judge.data:csv", also="--scores {judge_data}",
            status=(2, 0), effect=refused("--format"),
        ),
        Row("weigh", "--weights-from", "--weights-from length", SOURCES),
        Row("weigh", "--weights-from", "--weights-from ruber:model={ruber}", "signature",
            also="--weights-from length"),
        Row(
            "weigh", "--rated-replies", "--rated-replies {tuned}", SOURCES,
            also="--weights-from length", effect=lambda _, after: any(
                "66 rated replies" in note for note in after.json["notes"]),
        ),
    ]  # fmt: skip


WEIGH = [
    *reading("weigh", SOURCES, contexts_alone=True),
    *rated("weigh", SOURCES),
    as_json("weigh"),
    to_file("weigh"),
    Row(
        "weigh", "--output", "-o {out}/other.parquet",
        effect=lambda *both: [each.at("@") for each in both] == [["w.jsonl"], ["other.parquet"]],
    ),
    Row("weigh", "--scale", "--scale 0 5", effect=scaled),
    Row("weigh", "--without", "--without tuned", effect=only("sources.*.source", "generic", "retrieval")),
    # The test set has 382 references of its own.
    *people_rate_and_judges_score(),
    Row("weigh", "--keep", "--keep", effect=lambda before, after: (
        after.at("references") == before.at("references") + 382)),
]  # fmt: skip

ROWS = [*CORRELATE, *JUDGE, *RATINGS, *PREFERENCES, *PLAN, *WEIGH]
