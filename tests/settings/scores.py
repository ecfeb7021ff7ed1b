"""Rows of the verbs that measure: score, compare, audit, metrics."""

from __future__ import annotations

import json
import re

from settings.row import Row
from settings.shared import (
    SCORES,
    as_json,
    claims,
    empty,
    gaps,
    in_shards,
    measuring,
    more_than_before,
    only,
    reading,
    refused,
    rows,
    scores_format,
    to_file,
    with_card,
)

_READ = "{testset} {systems} -m bleu --resamples 100 --json"
USUAL = {
    "score": f"score {_READ}",
    "compare": "compare {testset} {systems} {bleu} {draws} --json",
    "audit": f"audit {_READ}",
    "variety": "variety {testset} {systems_with_samples} --permutations 100 --json",
    "metrics": "metrics --json",
    "explain-diff": "explain-diff {testset} {systems} -m rouge1 {stemmed} --json",
}

SAMPLED = {"systems": "systems_with_samples"}
OF_2 = ("BLEU-2 best@2", "BLEU-2 worst@2", "BLEU-2 median@2")
SEVERAL = "-m length -m rougeL -m sbleu"
VALUE = "systems.*.value"
NO_DRAWS = {"draws": "nothing"}
ALONE = dict.fromkeys(("testset", "systems", "bleu", "draws"), "nothing")
"""Ratings are all that is compared."""
DIFFERENCE = "comparisons.*.difference"
COVERAGE = "systems[measure=coverage chrF].*.value"


def _rising(values) -> bool:
    return values == sorted(set(values))


ROWS = [
    *reading("score", VALUE),
    *gaps("score", "systems.*.n"),
    # The 60 items that all answered, or for each system those that it answered.
    Row(
        "score", "--missing", "--missing pairwise", also="--missing drop",
        where={"systems": "systems_with_gaps"},
        effect=lambda before, after: (
            set(before.at("systems.*.n")) == {60} and {60} < set(after.at("systems.*.n"))
        ),
    ),
    Row("score", "--resamples", "--resamples 0", keeps=VALUE, effect=empty("systems.*.low")),
    # Intervals of sums need no draws; permutations do.
    Row("score", "--seed", "--seed 7", "leads.*.p_randomization", VALUE, also=SEVERAL),
    as_json("score"),
    *in_shards("score", "--save"),
    to_file("score"),
    Row("score", "--metric", "-m length", effect=more_than_before("systems.*.metric", "length")),
    Row("score", "--metric", "-m bleu:order=4", effect=more_than_before("systems.*.metric", "BLEU-4")),
    scores_format("score"),
    Row("score", *SCORES, effect=more_than_before("systems.*.metric", "judge")),
    # Where lower values are better, the lowest stands first.
    Row(
        "score", "--scores", "--scores {judge_scores}:lower", keeps="systems[metric=BLEU-2].*.value",
        effect=lambda _, after: _rising(after.at("systems[metric=judge].*.value")),
    ),
    Row("score", "--exact", "--exact", keeps="systems[metric=passed].*.value", also="--scores {passes}",
        effect=lambda before, after: all(
            exact < wilson
            for wilson, exact in zip(before.at("systems[metric=passed].*.low"),
                                     after.at("systems[metric=passed].*.low"), strict=True)
        )),
    # Values of 0 and 1 have McNemar's test.
    Row("compare", "--scores", "--scores {passes}",
        effect=lambda _, after: None not in after.at("comparisons[metric=passed].*.p_mid")),
    Row("score", "--without", "--without tuned", effect=only("systems.*.system", "generic", "retrieval")),
    Row("score", "--only", "--only topic=travel", VALUE, effect=only("systems.*.n", 11)),
    # The test set has six topics.
    Row(
        "score", "--by", "--by topic",
        effect=lambda _, after: len(set(after.at("groups.*.topic"))) == 6,
    ),
    # 66 items of 3 systems.
    Row("score", "--segments", "--segments", effect=lambda _, after: len(after.at("segments")) == 198),
    Row("score", "--explain", "--explain c001", effect=only("*.id", "c001")),
    Row("score", "--system", "--system tuned", also="--explain c001", effect=only("*.system", "tuned")),
    Row(
        "score", "--system", "--system tuned", keeps="systems.*.value",
        effect=only("examples.*.system", "tuned"),
    ),
    Row("score", "--save", "--save {out}/kept.parquet", "@kept.parquet"),
    *claims("score"),
    *claims("compare"),
    *claims("correlate"),
    *claims("judge"),
    with_card("score"),
    with_card("compare"),
    Row("judge", "--expires", "--expires 2020-01-01", also="--claim {out}/claim.json",
        effect=lambda *both: [
            json.loads(each.at("@claim.json"))["predicate"]["expires"] for each in both
        ] == [None, "2020-01-01"]),
    Row("plan", "--register", "--register {out}/r.json --fix n=66", "@r.json"),
    Row(
        "plan", "--fix", "--fix metric=bleu", also="--register {out}/r.json",
        effect=lambda *both: [json.loads(each.at("@r.json"))["registered"] for each in both]
        == [{}, {"metric": "bleu"}],
    ),
    # 66 items are 33 or 6 blocks for each of three systems.
    Row(
        "score", "--block", "--block 11", keeps=VALUE,
        also="--block 2 --resamples 0 --save {out}/kept.parquet",
        where={"testset": "testset_parquet", "systems": "systems_parquet"},
        effect=lambda *both: [rows(each, "kept.parquet") for each in both] == [3 * 33, 3 * 6],
    ),
    Row("score", "--digits", "--digits 3", people=True, also="-m length",
        effect=lambda before, after: "56.724" in after.out and "10.485" in after.out != before.out),
    Row("compare", "--digits", "--digits 0", people=True,
        effect=lambda before, after: " -38 " in after.out and " -38 " not in before.out),
    Row("score", "--ranks", "--ranks", effect=lambda before, after: (
        "ranks" not in before.json and [row["best_rank"] for row in after.json["ranks"]] == [1, 2, 3]
    )),
    # 3 samples of 66 items: best, worst and median of 2 are three metrics more, over as many items.
    Row(
        "score", "--at", "--at 2", keeps="systems[metric=BLEU-2]", where=SAMPLED,
        effect=lambda _, after: set(after.at("systems.*.metric")) == {"BLEU-2", *OF_2}
            and set(after.at("systems.*.n_samples")) == {198},
    ),
    # From 0 on every sample passes, and from 0.6 on few do.
    Row(
        "score", "--passing", "--passing BLEU-2=0.6", also="--at 2 --passing 0", where=SAMPLED,
        status=(0, 2),
        effect=lambda before, after: set(before.at("systems[metric=BLEU-2 pass@2].*.value")) == {1.0}
            and "a number without a metric is of all metrics" in after.err,
    ),
    Row(
        "score", "--passing", "--passing BLEU-2=0.6", also="--at 2", where=SAMPLED,
        effect=lambda before, after: "sometimes" not in before.json
            and 0 < len(after.json["sometimes"]) < 198
            and max(after.at("systems[metric=BLEU-2 pass@2].*.value")) < 0.5,
    ),
    # The six topics are the clusters.
    Row("score", "--cluster", "--cluster topic", "systems.*.low", VALUE),
    Row("score", "--cluster", "--cluster none", "systems.*.low", as_usual="systems", also="--cluster topic"),
    *reading("compare", DIFFERENCE),
    *gaps("compare", "comparisons.*.n"),
    Row(
        "compare", "--missing", "--missing pairwise", also="--missing drop",
        where={"systems": "systems_with_gaps"},
        effect=lambda before, after: (
            set(before.at("comparisons.*.n")) == {60} and {60} < set(after.at("comparisons.*.n"))
        ),
    ),
    # p = (c + 1) / (n + 1): the least is 1/101, and then 1/201.
    Row("compare", "--resamples", "--resamples 200", "comparisons.*.p_bootstrap", DIFFERENCE),
    Row("compare", "--seed", "--seed 7", "comparisons.*.p_randomization", DIFFERENCE, also=SEVERAL),
    as_json("compare"),
    to_file("compare"),
    Row("compare", "--plots", "--plots {out}", effect=lambda _, after: (
        after.at("@") == ["differences.png", "differences.svg"])),
    Row("compare", "--metric", "-m length", effect=more_than_before("comparisons.*.metric", "length")),
    # The largest difference of BLEU is 0.38.
    Row("compare", "--margin", "--margin 0.6", "comparisons.*.p_equivalence", DIFFERENCE, also="--margin 0.4",
        effect=lambda _, after: max(after.at("comparisons.*.p_equivalence_holm")) < 0.05),
    # 'tuned' is the best of the three: the two others lose more than 0.05 of BLEU, and none loses 0.5.
    Row("compare", "--fail-if-worse", "--fail-if-worse 0.05", also="-b tuned", status=(0, 1),
        effect=lambda before, after: "verdict" not in before.json["comparisons"][0]
            and after.at("comparisons.*.verdict") == ["worse", "worse"]
            and after.err.count("is worse than the baseline 'tuned' by more than 0.05") == 2),
    # 'retrieval' is behind 'tuned' by 0.137, from 0.062 to 0.212.
    Row("compare", "--fail-if-unsure", "--fail-if-unsure", "err", "comparisons", status=(0, 1),
        also="-a retrieval -b tuned --fail-if-worse 0.15",
        effect=lambda _, after: after.at("comparisons.*.verdict") == ["not clear"]),
    Row("compare", "--save", "--save {out}/a.xml", "@a.xml", also="-b tuned --fail-if-worse 0.9"),
    Row("compare", "--ranks", "--ranks", effect=lambda before, after: (
        "ranks" not in before.json and len(after.json["ranks"]) == 3
    )),
    # Of seven systems: a matrix with a row for each, and 21 rows of pairs.
    Row("compare", "--all-pairs", "--all-pairs", people=True, where={"systems": "seven_systems"},
        effect=lambda *both: [_rows_of_pairs(each.out) for each in both] == [0, 21]),
    scores_format("compare"),
    Row("compare", *SCORES, effect=more_than_before("comparisons.*.metric", "judge")),
    Row(
        "compare", "--at", "--at 2", keeps="comparisons[metric=BLEU-2]", where=SAMPLED,
        effect=lambda _, after: set(after.at("comparisons.*.metric")) == {"BLEU-2", *OF_2}
            and set(after.at("comparisons.*.n_samples")) == {396},
    ),
    Row("compare", "--passing", "--passing 0.6", also="--at 2", where=SAMPLED,
        effect=more_than_before("comparisons.*.metric", "BLEU-2 pass@2", "BLEU-2 pass^2")),
    Row("compare", "--cluster", "--cluster topic", "comparisons.*.p_randomization", DIFFERENCE),
    Row("compare", "--without", "--without tuned", effect=only("comparisons.*.b", "retrieval")),
    Row("compare", "--only", "--only topic=travel", DIFFERENCE, effect=only("comparisons.*.n", 11)),
    Row(
        "compare", "--examples", "--examples 3", keeps=DIFFERENCE,
        effect=lambda _, after: len(after.at("examples")) == 3,
    ),
    Row("compare", "-a", "-a tuned", effect=only("comparisons.*.a", "tuned")),
    Row("compare", "-b", "-b retrieval", also="-a tuned", effect=only("comparisons.*.b", "retrieval")),
    # p = (c + 1) / (n + 1), and no permutation reaches BLEU's differences: 1/101 and 1/201.
    Row(
        "compare", "--permutations", "--permutations 200", keeps="comparisons.*.low",
        effect=lambda before, after: (
            min(before.at("comparisons.*.p_randomization")) == 1 / 101
            and min(after.at("comparisons.*.p_randomization")) == 1 / 201
        ),
    ),
    # The seed draws resamples, and the replies of some trivial baselines.
    # With ratings of some items: people, each judge, and the judges corrected; no draws but of folds.
    Row(
        "compare", "--ratings", "--ratings {some_ratings}", where=NO_DRAWS,
        effect=lambda _, after: set(after.at("pairs.*.by")) == {"people", "BLEU-2", "corrected"},
    ),
    Row(
        "compare", "--format", "--format ratings.data:csv", also="--ratings {ratings_data}",
        status=(2, 0), where=NO_DRAWS, effect=refused("--format"),
    ),
    Row(
        "compare", "--criterion", "--criterion style", "pairs[by=people].*.difference",
        "pairs[by=BLEU-2].*.difference", also="--ratings {criteria} --criterion relevance", where=NO_DRAWS,
    ),
    Row(
        "compare", "--scale", "--scale 1 4", also="--ratings {some_ratings}", status=(0, 2),
        where=NO_DRAWS, effect=lambda _, after: "scale" in after.err,
    ),
    # BLEU lies within 0 and 1, which is no scale of grades from 1 to 5.
    Row(
        "compare", "--scores", "--scores {judge_scores}", also="--ratings {some_ratings}",
        where=NO_DRAWS,
        effect=lambda before, after: (
            before.at("errors.*.judge") == [] and set(after.at("errors.*.judge")) == {"judge"}
        ),
    ),
    Row(
        "compare", "--seed", "--seed 7", "pairs[by=corrected].*.difference",
        "pairs[by=people].*.difference", also="--ratings {some_ratings} -m length", where=NO_DRAWS,
    ),
    Row(
        "compare", "--drawn", "--drawn {drawn}", "pairs[by=people].*.difference",
        "pairs[by=BLEU-2].*.difference", also="--ratings {some_ratings}", where=NO_DRAWS,
        effect=lambda _, after: "weights:probability" in after.json["signature"],
    ),
    Row(
        "compare", "--anytime", "--anytime", "pairs[by=corrected].*.p",
        "pairs[by=BLEU-2].*.p", also="--ratings {some_ratings}", where=NO_DRAWS,
    ),
    Row(
        "compare", "--correction", "--correction max", keeps="pairs[by=corrected].*.p_holm",
        also="--ratings {some_ratings}", where=NO_DRAWS,
        effect=lambda before, after: all("p_max" in row for row in after.json["pairs"]),
    ),
    Row(
        "compare", "--population", "--population these", "pairs[by=corrected].*.low",
        "pairs[by=corrected].*.difference", also="--ratings {some_ratings}", where=NO_DRAWS,
        effect=lambda _, after: "population:these" in after.json["signature"],
    ),
    Row(
        "compare", "--rater-effects", "--rater-effects fixed", "pairs[by=corrected].*.low",
        "pairs[by=corrected].*.difference", also="--ratings {some_ratings}", where=NO_DRAWS,
        effect=lambda _, after: "rater_effects:fixed" in after.json["signature"],
    ),
    Row(
        "compare", "--ranks", "--ranks", also="--ratings {some_ratings}", where=NO_DRAWS,
        effect=lambda before, after: "ranks" not in before.json and len(after.json["ranks"]) == 6,
    ),
    Row(
        "compare", "--without", "--without tuned", also="--ratings {some_ratings}", where=NO_DRAWS,
        effect=only("pairs.*.b", "retrieval"),
    ),
    # By people alone: every criterion by itself, and which system is best in a sentence.
    Row(
        "compare", "--criterion", "--criterion style", also="--ratings {criteria}", where=ALONE,
        effect=lambda before, after: (
            set(before.at("verdicts.*.criterion")) == {"relevance", "style"}
            and after.at("verdicts.*.criterion") == ["style"]
        ),
    ),
    Row(
        "compare", "--scale", "--scale -9 9", "pairs.*.low", "pairs.*.difference", where=ALONE,
        also="--ratings {some_ratings}",
    ),
    Row(
        "compare", "--cluster", "--cluster talk", "pairs.*.low", "pairs.*.difference", where=ALONE,
        also="--ratings {clustered_ratings} --criterion relevance",
    ),
    Row(
        "compare", "--drawn", "--drawn {drawn}", "pairs.*.difference", where=ALONE,
        also="--ratings {some_ratings}",
    ),
    Row(
        "compare", "--anytime", "--anytime", "pairs.*.p", "pairs.*.difference", where=ALONE,
        also="--ratings {some_ratings}",
    ),
    Row(
        "compare", "--design", "--design {design}", where=ALONE,
        also="--ratings {ratings} --criterion relevance",
        effect=lambda before, after: "looks" not in before.json and max(after.at("looks.*.rated")) == 50,
    ),
    Row(
        "compare", "--correction", "--correction max", keeps="pairs.*.p_holm", where=ALONE,
        also="--ratings {some_ratings}",
        effect=lambda _, after: all("p_max" in row for row in after.json["pairs"]),
    ),
    Row(
        "compare", "--seed", "--seed 7", "pairs.*.p_max", "pairs.*.p_holm", where=ALONE,
        also="--ratings {some_ratings} --correction max",
    ),
    Row(
        "compare", "--rater-effects", "--rater-effects fixed", "pairs.*.low", "pairs.*.difference",
        where=ALONE, also="--ratings {some_ratings}",
    ),
    Row(
        "compare", "--ranks", "--ranks", also="--ratings {some_ratings}", where=ALONE,
        effect=lambda before, after: "ranks" not in before.json and len(after.json["ranks"]) == 3,
    ),
    Row(
        "compare", "--without", "--without tuned", also="--ratings {some_ratings}", where=ALONE,
        effect=only("pairs.*.b", "retrieval"),
    ),
    Row(
        "compare", "-a", "-a tuned", also="--ratings {some_ratings}", where=ALONE,
        effect=only("pairs.*.a", "tuned"),
    ),
    Row(
        "compare", "-b", "-b retrieval", also="--ratings {some_ratings}", where=ALONE,
        effect=only("pairs.*.b", "retrieval"),
    ),
    Row(
        "compare", "--population", "--population these", also="--ratings {some_ratings}", where=ALONE,
        status=(0, 2), effect=lambda _, after: "has no effect on ratings alone" in after.err,
    ),
    *measuring("audit", "audit[baseline=constant].*.value", "audit.*.low", "audit.*.n"),
    Row("audit", "--seed", "--seed 7", "audit[baseline=random].*.value"),
    as_json("audit"),
    to_file("audit"),
    scores_format("audit"),
    Row("audit", *SCORES, effect=more_than_before("audit.*.metric", "judge")),
    # Seven baselines reply to 66 items each.
    Row(
        "audit", "--save-replies", "--save-replies {out}/trivial.csv", keeps="audit.*.value",
        effect=lambda _, after: rows(after, "trivial.csv") == 7 * 66,
    ),
    Row("audit", "--metric", "-m length", effect=more_than_before("audit.*.metric", "length")),
    Row("audit", "--cluster", "--cluster topic", "audit.*.low", "audit[baseline=constant].*.value"),
    Row("audit", "--without", "--without tuned", effect=only("audit.*.best_system", "retrieval")),
    Row(
        "audit", "--constant", "--constant 'Yes, it is.'", "audit[baseline=constant].*.value",
        "audit[baseline=echo].*.value",
    ),
    Row(
        "audit", "--turns", "--turns 3", "audit[baseline=context].*.value", "audit[baseline=echo].*.value"
    ),
    *(row for row in reading("variety", "systems[measure=Vendi chrF].*.value", contexts_alone=True)
      if "systems" not in row.where),
    Row(
        "variety", "--format", "--format samples.data:csv", as_usual=COVERAGE, status=(2, 0),
        where={"systems_with_samples": "samples_data"}, effect=refused("--format"),
    ),
    Row("variety", "--seed", "--seed 7", COVERAGE, "systems[measure=Vendi chrF].*.value"),
    as_json("variety"),
    to_file("variety"),
    scores_format("variety"),
    Row("variety", *SCORES, effect=more_than_before("systems.*.measure", "judge")),
    Row("variety", "--encoder", "--encoder {encoder}", effect=more_than_before(
        "systems.*.measure", *(f"{each} cosine" for each in (
            "pairwise", "Vendi", "coverage", "bad coverage", "closeness", "good less bad coverage")))),
    Row("variety", "--samples", "--samples 2", effect=lambda *both: (
        [each.json["k"] for each in both] == [3, 2])),
    Row("variety", "--set tokenizer", "--set tokenizer=char", "systems[measure=distinct-1].*.value"),
    Row("variety", "--permutations", "--permutations 0", keeps="systems", effect=empty("pairs.*.p_same")),
    Row("variety", "--without", "--without tuned", effect=only("systems.*.system", "generic", "retrieval")),
    Row("variety", "--cluster", "--cluster topic", "systems[measure=Vendi chrF].*.low",
        "systems[measure=Vendi chrF].*.value"),
    Row("variety", "--plots", "--plots {out}", effect=lambda _, after: (
        after.at("@") == ["variety.png", "variety.svg"])),
    as_json("metrics"),
    *reading("explain-diff", "steps.*.value"),
    *gaps("explain-diff", "items"),
    Row("explain-diff", "--seed", "--seed 7", "aggregates.*.mid", "steps.*.value"),
    as_json("explain-diff"),
    to_file("explain-diff"),
    # One metric, one system, and a figure in the place of the second metric.
    Row(
        "explain-diff", "--reported", "--reported 50.99", status=(2, 0),
        where={"stemmed": "nothing", "systems": "tuned"},
        effect=lambda before, after: (
            "got 1, expected 2" in before.err and after.at("candidates.*.settings") == ["rouge1"]
        ),
    ),
    # Two metrics are compared; a third is refused.
    Row(
        "explain-diff", "--metric", "-m rouge2", status=(0, 2),
        effect=lambda _, after: "got 3, expected 2" in after.err,
    ),
]  # fmt: skip


def _rows_of_pairs(out: str) -> int:
    """How many lines begin with two systems."""
    return len(re.findall(r"^s\d │ s\d", out, re.MULTILINE))
