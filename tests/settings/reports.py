"""Rows of the verb report."""

from __future__ import annotations

from settings.row import Row
from settings.scores import OF_2, SAMPLED
from settings.shared import (
    SCORES,
    as_json,
    empty,
    gaps,
    more_than_before,
    only,
    reading,
    refused,
    scores_format,
)

USUAL = {
    "report": (
        "report {testset} {systems} -m bleu --resamples 100 --ratings {ratings} -o {out}/r.md --json"
    )
}

VALUE, LOW = "scores.systems.*.value", "scores.systems.*.low"
NAMES = "scores.systems.*.system"
OF_PEOPLE = "ratings.systems.*.mean"

ROWS = [
    *reading("report", VALUE),
    *gaps("report", "scores.systems.*.n"),
    Row("report", "--resamples", "--resamples 0", keeps=VALUE, effect=empty(LOW)),
    # Intervals of sums need no draws; the correlation's do.
    Row("report", "--seed", "--seed 7", "agreement.relevance.agreement.*.low", VALUE),
    as_json("report"),
    Row(
        "report", "--metric", "-m length",
        effect=more_than_before("scores.systems.*.metric", "length"),
    ),
    scores_format("report"),
    Row("report", *SCORES, effect=more_than_before("scores.systems.*.metric", "judge")),
    Row("report", "--without", "--without tuned", effect=only(NAMES, "generic", "retrieval")),
    Row("report", "--cluster", "--cluster topic", LOW, VALUE),
    Row(
        "report", "--at", "--at 2", keeps="scores.systems[metric=BLEU-2]", where=SAMPLED,
        effect=lambda _, after: set(after.at("scores.systems.*.metric")) == {"BLEU-2", *OF_2},
    ),
    Row(
        "report", "--passing", "--passing 0.6", also="--at 2", where=SAMPLED,
        effect=lambda *both: [
            "BLEU-2 pass@2" in each.at("scores.systems.*.metric") for each in both] == [False, True],
    ),
    Row("report", "--output", "-o {out}/other.md", "@other.md"),
    Row(
        "report", "--ratings", "--ratings {second_ratings}", OF_PEOPLE, as_usual=OF_PEOPLE,
        where={"ratings": "first_ratings"},
    ),
    Row(
        "report", "--format", "--format ratings.data:csv", as_usual=OF_PEOPLE, status=(2, 0),
        where={"ratings": "ratings_data"}, effect=refused("--format"),
    ),
    # The ratings are of two criteria: all are shown, each by itself.
    Row(
        "report", "--criterion", "--criterion style", where={"ratings": "criteria"},
        effect=lambda before, after: (
            len(before.json["agreement"]) > 1 and list(after.json["agreement"]) == ["style"]
        ),
    ),
    Row(
        "report", "--preferences", "--preferences {preferences}", keeps="scores",
        effect=lambda before, after: (
            before.json["preferences"] is None and after.json["preferences"]["pairs"]
        ),
    ),
    Row(
        "report", "--format", "--format preferences.data:csv", status=(2, 0),
        also="--preferences {preferences_data}", effect=refused("--format"),
    ),
    Row(
        "report", "--ruq", "--ruq {kept_quantity}", keeps="scores",
        effect=lambda before, after: (
            before.json["ruq"] == {} and list(after.json["ruq"]) == ["ruq.parquet"]
        ),
    ),
]  # fmt: skip
