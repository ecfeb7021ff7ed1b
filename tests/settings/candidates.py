"""Rows of the verbs on n-best lists: tune, rerank."""

from __future__ import annotations

from settings.row import Row
from settings.shared import as_json, more_than_before, only, refused, rows, to_file

USUAL = {
    "tune": "tune {candidates} {testset} -m deltableu {features} --starts 2 --json",
    "rerank": "rerank {candidates} {by} -o {out}/r.jsonl --json",
}

GAIN, WEIGHTS, CHOSEN = "held_out.gain", "tuned.weights", "chosen.*.candidate"
LOWS = "metrics.*.low"

TUNE = [
    as_json("tune"),
    to_file("tune"),
    Row("tune", "--metric", "-m chrf", effect=more_than_before("metrics.*.metric", "chrF")),
    Row("tune", "--reference", "-r {references_csv}", as_usual=GAIN, status=(2, 0),
        where={"testset": "contexts_csv"}, effect=refused("reference")),
    Row("tune", "--format", "--format candidates.data:csv", status=(2, 0),
        where={"candidates": "candidates_data"}, as_usual=GAIN, effect=refused("--format")),
    Row("tune", "--columns", "--columns id=key", status=(2, 0),
        where={"candidates": "keyed_candidates"}, as_usual=GAIN, effect=refused("no column 'id'")),
    Row("tune", "--scores", "--scores {marks_of_candidates} --feature mark",
        effect=lambda _, after: "mark" in after.at(WEIGHTS)),
    Row("tune", "--feature", "--feature length",
        effect=lambda _, after: list(after.at(WEIGHTS)) == ["words", "lm", "length"]),
    Row("tune", "--mean", "--mean judge", effect=lambda before, after: (
        more_than_before("metrics.*.metric", "judge")(before, after)
        and "judge" not in after.at(WEIGHTS))),
    # Of every second candidate people said nothing.
    Row("tune", "--predictor", "--predictor judge", "metrics[metric=people].*.gain",
        also="--mean people"),
    Row("tune", "--bound", "--bound words=..-0.5",
        effect=lambda before, after: before.at(WEIGHTS)["words"] > 0 > after.at(WEIGHTS)["words"]),
    Row("tune", "--folds", "--folds 3", effect=only("settings.folds", 3)),
    Row("tune", "--starts", "--starts 3", effect=only("settings.starts", 3)),
    Row("tune", "--seed", "--seed 7", "held_out"),
    # All items of a topic stand in one fold.
    Row("tune", "--cluster", "--cluster topic", LOWS),
]  # fmt: skip

RERANK = [
    as_json("rerank"),
    to_file("rerank"),
    Row("rerank", "--output", "-o {out}/other.csv", effect=lambda *both: [
        each.at("@") for each in both] == [["r.jsonl"], ["other.csv"]]),
    Row("rerank", "--metric", "-m chrf", also="--testset {testset}",
        effect=only("metrics.*.metric", "chrF")),
    Row("rerank", "--testset", "--testset {testset}", also="-m chrf", status=(2, 0),
        effect=refused("--testset")),
    Row("rerank", "--reference", "-r {references_csv}", also="--testset {contexts_csv} -m chrf",
        status=(2, 0), effect=refused("reference")),
    # All items of a topic stand in one cluster.
    Row("rerank", "--cluster", "--cluster topic", LOWS, also="--testset {testset} -m chrf"),
    Row("rerank", "--format", "--format candidates.data:csv", status=(2, 0),
        where={"candidates": "candidates_data"}, as_usual=CHOSEN, effect=refused("--format")),
    Row("rerank", "--columns", "--columns id=key", status=(2, 0),
        where={"candidates": "keyed_candidates"}, as_usual=CHOSEN, effect=refused("no column 'id'")),
    Row("rerank", "--mbr", "--mbr sbleu", "rule"),
    Row("rerank", "--utility", "--utility {utilities}", where={"by": "nothing"}, as_usual=CHOSEN,
        status=(2, 0), effect=refused("no rule")),
    Row("rerank", "--save-utility", "--save-utility {out}/u.csv",
        effect=lambda _, after: rows(after, "u.csv") == 66 * 9),
    Row("rerank", "--weights", "--weights {weights}", where={"by": "nothing"}, status=(2, 0),
        effect=lambda _, after: after.at("chosen.*.candidate") and "words" in after.at("rule")),
    Row("rerank", "--best", "--best words:lower", where={"by": "nothing"}, status=(2, 0),
        effect=only("rule", "the lowest words")),
    Row("rerank", "--oracle", "--oracle deltableu", also="--testset {testset}",
        where={"by": "nothing"}, status=(2, 0), effect=only("rule", "greedy oracle under deltaBLEU-2")),
    Row("rerank", "--log-probability", "--log-probability lm", "chosen.*.value"),
    Row("rerank", "--scores", "--scores {marks_of_candidates} --best mark", where={"by": "nothing"},
        status=(2, 0), effect=only("rule", "the highest mark")),
    Row("rerank", "--explain", "--explain c001", effect=lambda _, after: (
        sorted(each["candidate"] for each in after.at("candidates")) == [1, 2, 3])),
]  # fmt: skip

ROWS = [*TUNE, *RERANK]
