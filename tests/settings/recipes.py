"""Rows of ``rejoinder recipe``."""

from __future__ import annotations

from rejoinder.recipes.khayrallah2021.settings import SYSTEMS, Settings
from rejoinder.responders.seq2seq.parameters import Parameters
from settings.row import Row
from settings.shared import (
    as_json,
    draws,
    gaps,
    more_than_before,
    only,
    rated,
    reading,
    refused,
    to_file,
)

NEGATIVE, TAO, GALLEY, KHAYRALLAH, REFERENCES, SYSTEMS_2015 = (
    f"recipe {name}"
    for name in (
        "negative-references",
        "tao2018",
        "galley2015",
        "khayrallah2021",
        "references",
        "systems2015",
    )
)
USUAL = {
    NEGATIVE: f"{NEGATIVE} {{testset}} --resamples 100 --permutations 50 --json",
    TAO: (
        f"{TAO} {{testset}} {{systems}} --ratings {{ratings}} --model {{ruber}} --cases 0"
        " --permutations 0 --resamples 0 --json"
    ),
    GALLEY: (
        f"{GALLEY} {{testset}} {{systems}} --ratings {{ratings}} --set unit_size=5 --set assignments=10"
        " --permutations 20 {drop} --json"
    ),
    REFERENCES: (
        f"{REFERENCES} {{corpus}} {{testset}} {{systems}} --ratings {{ratings}} -o {{out}}/r"
        " --candidates 3 --weights-from ruber:model={ruber} --set unit_size=5 --set assignments=10"
        " --permutations 20 --resamples 100 --json"
    ),
    KHAYRALLAH: f"{KHAYRALLAH} {{dailydialog}} {{two_systems}} -o {{out}}/k --resamples 100 --json",
    SYSTEMS_2015: (
        f"{SYSTEMS_2015} {{corpus}} {{testset}} -o {{out}}/s --set association=0.5 --set external=0"
        " --set tuning_items=4 --set nbest=3 --set rounds=1 --set starts=1 --resamples 0 --json"
    ),
}

ACCURACY = "table.*.accuracy"
NEGATIVES = [
    *(row for row in reading(NEGATIVE, ACCURACY) if "systems.data" not in row.more),
    # The seed draws the row 'random' too.
    *draws(NEGATIVE, "table[metric=BLEU, good only].*.accuracy", "table.*.accuracy_low"),
    as_json(NEGATIVE),
    to_file(NEGATIVE),
    Row(NEGATIVE, "--set order", "--set order=3", "out", people=True,
        effect=lambda _, after: "n-grams up to 3" in after.out),
    Row(NEGATIVE, "--set factor", "--set factor=0.1", ACCURACY),
    Row(NEGATIVE, "--set tokenizer", "--set tokenizer=char", ACCURACY),
    Row(NEGATIVE, "--set lowercase", "--set lowercase=true", "signatures", effect=lambda _, after: all(
        "case:lc" in after.at("signatures")[name] for name in ("deltaBLEU", "BLEU, good only"))),
    Row(NEGATIVE, "--permutations", "--permutations 0", "comparisons.*.p", ACCURACY,
        effect=only("comparisons.*.p", None)),
]  # fmt: skip

# Not of the row 'random', whose scores the seed draws.
VALUE = "table[metric=BLEU-2].*.value"
RUBER = "table[metric=RUBER arithmetic].*.value"
TAO2018 = [
    *reading(TAO, VALUE),
    *gaps(TAO, "table.*.n"),
    *draws(TAO, VALUE, "table[metric=BLEU-2].*.low", also="--resamples 100"),
    *rated(TAO, VALUE),
    as_json(TAO),
    to_file(TAO),
    # Of three systems each is correlated on what it answered.
    Row(TAO, "--missing", "--missing pairwise", VALUE, also="--missing drop",
        where={"systems": "systems_with_gaps"}),
    Row(TAO, "--raters", "--raters median", VALUE),
    Row(TAO, "--model", "--model {other_ruber}", RUBER, VALUE),
    Row(TAO, "--set referenced", "--set referenced=encoder", status=(0, 2), effect=lambda _, after: (
        "--encoder PATH" in after.err)),
    Row(TAO, "--set bounds", "--set bounds=scored", RUBER, VALUE),
    Row(TAO, "--set unreferenced", "--set unreferenced=sigmoid", "table.*.metric", VALUE),
    # The replies of 'generic' are the first references here.
    Row(TAO, "--leave-one-out", "--leave-one-out", VALUE,
        where={"systems": "systems_of_references"}),
    Row(TAO, "--without", "--without tuned", VALUE, effect=lambda _, after: (
        "tuned" not in after.at("table.*.group") if "group" in after.at("table.0") else True)),
    Row(TAO, "--metric", "-m chrf", effect=more_than_before("table.*.metric", "chrF")),
    Row(TAO, "--set tokenizer", "--set tokenizer=char", VALUE, RUBER),
    Row(TAO, "--set lowercase", "--set lowercase=true", VALUE, RUBER),
    Row(TAO, "--set smoothing", "--set smoothing=exp", VALUE, RUBER),
    Row(TAO, "--set min_weight", "--set min_weight=0.8", VALUE, also="--drop-unusable"),
    # A case is a context; 3 systems reply to it.
    Row(TAO, "--cases", "--cases 4", effect=lambda _, after: len(after.at("cases")) == 4 * 3),
    Row(TAO, "--case", "--case c003", effect=only("cases.*.id", "c003"), also="--cases 2"),
    Row(TAO, "--permutations", "--permutations 0", "table.*.p", VALUE, also="--permutations 20"),
    Row(TAO, "--plots", "--plots {out}", slow=True, effect=lambda _, after: (
        sorted(after.at("files")) == [f"OUT/{name}" for name in after.at("@")] != [])),
]  # fmt: skip

RHO = "table[metric=deltaBLEU].*.spearman"
OWN = "--references-from responses --set good_weight=0.1 --set unit_size=1"
GALLEY2015 = [
    *reading(GALLEY, RHO),
    *rated(GALLEY, RHO),
    as_json(GALLEY),
    to_file(GALLEY),
    Row(GALLEY, "--missing", "--missing empty", RHO, also="--missing drop",
        where={"systems": "systems_with_gaps"}),
    Row(GALLEY, "--drop-unusable", "--drop-unusable", status=(2, 0),
        where={"drop": "nothing", "testset": "testset_with_gaps"}, effect=refused("reference")),
    # Units of 5 and of 10 items of each of 3 pairs of systems: 65 and 60 of those that have any.
    Row(GALLEY, "--set unit_size", "--set unit_size=10", RHO, effect=lambda before, after: (
        max(after.at("table.*.n")) < min(before.at("table.*.n")))),
    Row(GALLEY, "--set assignments", "--set assignments=11", RHO),
    Row(GALLEY, "--set order", "--set order=1", RHO),
    Row(GALLEY, "--without", "--without tuned", RHO),
    Row(GALLEY, "--references-from", "--references-from responses", RHO,
        also="--set good_weight=0.1 --set unit_size=1"),
    Row(GALLEY, "--leave-own-out", "--leave-own-out own", RHO, also=OWN),
    Row(GALLEY, "--scale", "--scale 0 6", RHO, also=OWN),
    Row(GALLEY, "--set good_weight", "--set good_weight=0.9", "table[references=single].*.spearman",
        effect=lambda _, after: "w>=0.9" in after.at("table.*.references")),
    Row(GALLEY, "--permutations", "--permutations 0", "table.*.spearman_p", RHO),
    Row(GALLEY, "--seed", "--seed 7", RHO),
    Row(GALLEY, "--cases", "--cases 4", effect=lambda _, after: len(set(after.at("cases.*.id"))) == 4),
    Row(GALLEY, "--case", "--case c003", effect=only("cases.*.id", "c003"), also="--cases 2"),
    Row(GALLEY, "--plots", "--plots {out}", slow=True, effect=lambda _, after: (
        sorted(after.at("files")) == [f"OUT/{name}" for name in after.at("@")] != [])),
]  # fmt: skip


def sizes(scale: str) -> Settings:
    """Systems of seconds in place of a scale's own."""
    epochs = {"tiny": 1, "small": 2}[scale]
    base = Parameters(
        vocabulary=120, layers=1, width=16, heads=2, feed_forward=32, learning_rate=5e-3, warmup=10,
        tokens=400, accumulate=1, epochs=epochs, patience=0, longest=64, detokenize=True,
    )  # fmt: skip
    return Settings(
        dict.fromkeys(SYSTEMS, base), pairs=60, train_prompts=12, train_outputs=4, test_prompts=5,
        choose_on_training=True, beam=1,
    )  # fmt: skip


KHAYRALLAH2021 = [
    as_json(KHAYRALLAH, slow=True),
    to_file(KHAYRALLAH, slow=True),
    *(
        Row(KHAYRALLAH, option, more, differs, slow=True, **given)
        for option, more, differs, given in (
            ("--multiref", "--multiref {several}", "absent", {}),
            ("--ratings", "--ratings {ratings}", "absent", {}),
            ("--preferences", "--preferences {preferences}", "absent", {}),
            ("--vectors", "--vectors {vectors}", "cells", {}),
            ("--preset", "--preset small", "settings", {}),
            ("--filter-raters", "--filter-raters 0.72", "cells[table=4].*.value",
             {"also": "--ratings {ratings}"}),
            ("--system", "--system DD-BASE", "cells.*.row", {"where": {"two_systems": "nothing"}}),
            ("--output", "-o {out}/other", "@", {}),
            ("--resamples", "--resamples 0", "cells.*.low", {}),
            ("--seed", "--seed 7", "cells.*.low", {}),
        )
    ),
]  # fmt: skip

# Of the metric whose references are chosen and weighted; systems and candidates are rated.
AGREEMENT = "agreement[metric=deltaBLEU-2].*.value"
MEANS = "sources.*.mean"
CHAIN = [
    *(row for row in reading(REFERENCES, MEANS, True) if row.option not in ("--columns",)),
    as_json(REFERENCES),
    to_file(REFERENCES),
    Row(REFERENCES, "--output", "-o {out}/other", effect=lambda _, after: (
        {each.split("/")[0] for each in after.at("@")} == {"other"})),
    Row(REFERENCES, "--candidates", "--candidates 2", effect=lambda *both: (
        [each.at("candidates") for each in both] in ([12 * 4, 12 * 3], [66 * 4, 66 * 3]))),
    Row(REFERENCES, "--weights-from", "--weights-from ruber:model={other_ruber}", MEANS),
    Row(REFERENCES, "--metric", "-m bleu", "systems.*.metric"),
    Row(REFERENCES, "--set unit_size", "--set unit_size=10", "agreement.*.n"),
    Row(REFERENCES, "--set assignments", "--set assignments=11", AGREEMENT),
    Row(REFERENCES, "--permutations", "--permutations 0", "agreement.*.p", AGREEMENT),
    Row(REFERENCES, "--resamples", "--resamples 0", "systems.*.low", "systems.*.value"),
    Row(REFERENCES, "--seed", "--seed 7", AGREEMENT, MEANS),
    Row(REFERENCES, "--ratings", "--ratings {candidate_ratings}", MEANS),
    Row(REFERENCES, "--scale", "--scale 0 6", MEANS, also="--ratings {candidate_ratings}"),
    Row(REFERENCES, "--filter-raters", "--filter-raters=0.1", MEANS,
        also="--ratings {candidate_ratings}"),
    Row(REFERENCES, "--min-raters", "--min-raters 4", status=(0, 2),
        also="--ratings {candidate_ratings}",
        effect=lambda _, after: "no reply has 4 raters (the most is 3)" in after.err),
    Row(REFERENCES, "--criterion", "--criterion relevance", as_usual=AGREEMENT, status=(2, 0),
        where={"ratings": "criteria"}, effect=refused("criteri")),
    Row(REFERENCES, "--format", "--format ratings.data:csv", as_usual=AGREEMENT, status=(2, 0),
        where={"ratings": "ratings_data"}, effect=refused("--format")),
    Row(REFERENCES, "--columns", "--columns id=key", as_usual="candidates", status=(2, 0),
        where={"testset": "keyed_testset"}, effect=refused("no column 'id'")),
]  # fmt: skip

TUNED = "systems.*.value"
# Twelve tunings each, so that all but a few are for the slow part.
SYSTEMS2015 = [
    as_json(SYSTEMS_2015, slow=True),
    to_file(SYSTEMS_2015, slow=True),
    Row(SYSTEMS_2015, "--output", "-o {out}/other", slow=True, effect=lambda _, after: (
        {each.split("/")[0] for each in after.at("@")} == {"other"})),
    Row(SYSTEMS_2015, "--metric", "-m rougel", "systems.*.metric"),
    *(
        Row(SYSTEMS_2015, option, more, differs, slow=True, **given)
        for option, more, differs, given in (
            ("--validation", "--validation {validation}", TUNED, {}),
            ("--scorer", "--scorer {ruber}", "systems.*.system", {}),
            ("--preset", "--preset small", "@s/study.json", {"keeps": TUNED}),  # of few pairs
            ("--detokenize", "--detokenize", TUNED, {"where": {"corpus": "tokenized_corpus"}}),
            ("--set", "--set order=2", TUNED, {}),
            ("--set tuning_items", "--set tuning_items=3", "weights", {}),
            ("--set nbest", "--set nbest=9", "weights", {}),
            ("--set rounds", "--set rounds=2", "weights", {}),
            ("--set starts", "--set starts=4", "weights", {}),
            ("--set beam", "--set beam=1", TUNED, {}),
            ("--resamples", "--resamples 100", "systems.*.low", {"keeps": TUNED}),
            ("--seed", "--seed 7", "weights", {}),
        )
    ),
]  # fmt: skip

ROWS = [*SYSTEMS2015, *NEGATIVES, *TAO2018, *GALLEY2015, *KHAYRALLAH2021, *CHAIN]
