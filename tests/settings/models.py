"""Rows of the verbs that train models or ask them: filter, train, respond, mine, ruq, sweep."""

from __future__ import annotations

import shutil
from dataclasses import replace

from settings.row import Row
from settings.shared import (
    as_json,
    columns,
    in_shards,
    only,
    read,
    reading,
    refused,
    refused_after,
    rows,
    to_file,
)
from settings.world import TINY

USUAL = {
    "filter": "filter {corpus} -o {out}/f.jsonl --json",
    "train vectors": (
        "train vectors {corpus} -o {out}/v --set width=8 --set min_count=2 --set epochs=1 --json"
    ),
    "train ruber": "train ruber {corpus} -o {out}/r --size paper --set seeds=1 --set epochs=1 --json",
    "train responder": f"train responder {{corpus}} -o {{out}}/m {TINY} --json",
    "respond": "respond {responder} {testset} -o {out}/r.jsonl {beam} --json",
    "mine": "mine {corpus} {testset} -o {out}/m.jsonl --json",
    "mark": "mark {testset} {systems} --model {chat} --rubric {rubric} -o {out}/m.csv --json",
    "ruq": "ruq {language_model} {testset} --generic {generic} --resamples 100 --json",
    "sweep": (
        "sweep {corpus} --testset {testset} -o {out}/s --set dropout=0,0.3 --set vocabulary=120"
        " --set layers=1 --set width=16 {epochs} --reply-metric bleu --set beam=1 --resamples 100 --json"
    ),
}


def corpus_format(verb: str, value: str, **more) -> list[Row]:
    return [columns(verb, value, "corpus", **more), Row(
        verb, "--format", "--format dailydialog", as_usual=value, where={"corpus": "corpus_data"},
        status=(2, 0), effect=refused("--format"), **more,
    )]  # fmt: skip


# Vectors at random: no cluster says much, and nothing is to be dropped for it.
CLUSTERED = "--sentence-vectors {source_vectors} {target_vectors} --clusters 9 --threshold 99"
FILTER = [
    *corpus_format("filter", "highest"),
    as_json("filter"),
    to_file("filter"),
    Row("filter", "--output", "-o {out}/other.parquet", effect=lambda *both: [
        each.at("@") for each in both] == [["f.jsonl"], ["other.parquet"]]),
    Row("filter", "--side", "--side source", "highest", effect=only("highest.*.side", "source")),
    Row("filter", "--side", "--side both", effect=lambda before, after: (
        after.at("dropped") > before.at("dropped"))),
    # Higher than any entropy, and so nothing is dropped.
    Row("filter", "--threshold", "--threshold 99", effect=only("dropped", 0)),
    # Every utterance has a word or more, and so nothing is dropped.
    Row("filter", "--longest", "--longest 1", effect=only("dropped", 0)),
    Row("filter", "--sentence-vectors", CLUSTERED, effect=only("clusters.*", 9)),
    Row("filter", "--clusters", "--clusters 5", also=CLUSTERED, effect=only("clusters.*", 5)),
    Row("filter", "--seed", "--seed 7", "highest", also=CLUSTERED),
    # "It ’ s ." and "It's ." are one reply then, said to two messages: 1 bit, above 0.5.
    Row(
        "filter", "--detokenize", "--detokenize", where={"corpus": "spaced_corpus"},
        also="--threshold 0.5", effect=lambda *both: [x.at("dropped") for x in both] == [0, 2],
    ),
    Row("filter", "--show", "--show 3", effect=lambda *both: [
        len(each.at("highest")) for each in both] == [10, 3]),
]  # fmt: skip

VECTORS = [
    *corpus_format("train vectors", "hash"),
    as_json("train vectors"),
    Row("train vectors", "--output", "-o {out}/other", effect=lambda _, after: all(
        name.startswith("other/") for name in after.at("@"))),
    Row("train vectors", "--set width", "--set width=9", "hash", "words", effect=only("width", 9)),
    Row("train vectors", "--set language", "--set language=char", "words"),
    Row("train vectors", "--set min_count", "--set min_count=1", effect=lambda before, after: (
        after.at("words") > before.at("words"))),
    Row("train vectors", "--set epochs", "--set epochs=2", "hash", "words"),
    Row("train vectors", "--seed", "--seed 7", "hash", "words"),
]  # fmt: skip

SAVES = "rejoinder.models.training.checkpoints:Checkpoint.save"
RUBER = [
    *corpus_format("train ruber", "hash"),
    as_json("train ruber"),
    *in_shards("train ruber", "", "r/config.json"),
    Row("train ruber", "--output", "-o {out}/other", effect=lambda _, after: all(
        name.startswith("other/") for name in after.at("@"))),
    Row("train ruber", "--size", "--size gru", effect=only(
        "members.*.member", "paper-1", "gru-1"), slow=True),
    Row("train ruber", "--set seeds", "--set seeds=2", effect=only("members.*.member", "paper-1", "paper-2")),
    Row("train ruber", "--encoder", "--size encoder --encoder {encoder}", status=(0, 0),
        effect=lambda _, after: "encoder-1" in after.at("members.*.member"), slow=True),
    Row("train ruber", "--vectors", "--vectors {vectors}", "hash"),
    Row("train ruber", "--exclude", "--exclude {excluded}", "corpus_hash"),
    Row("train ruber", "--validation", "--validation {validation}", "members"),
    Row("train ruber", "--set language", "--set language=char", "hash"),
    Row("train ruber", "--set epochs", "--set epochs=3", "hash", "corpus_hash"),
    Row("train ruber", "--device", "--device tpu", status=(0, 2), effect=lambda _, after: (
        "device 'tpu' is unknown" in after.err)),
    Row("train ruber", "--set save_every", "--set save_every=0", "calls", "hash", watch=SAVES),
]  # fmt: skip

LOSSES = "log.*.loss"
PHRASES = (
    "train responder {corpus} -o {out}/m --kind phrase --set external=0 --set association=.5 "
    "--set pairs=0 --json"
)
RESPONDER = [
    *corpus_format("train responder", LOSSES),
    as_json("train responder"),
    Row("train responder", "--output", "-o {out}/other", effect=lambda _, after: all(
        name.startswith("other/") for name in after.at("@"))),
    Row("train responder", "--kind", "--kind gru", LOSSES, effect=only("kind", "gru-responder")),
    # What is not given is the scale's: feed-forward blocks of 512 and 1,024, for example.
    Row("train responder", "--preset", "--preset small", LOSSES),
    Row("train responder", "--validation", "--validation {validation}", "log.*.validation_loss"),
    Row("train responder", "--exclude", "--exclude {excluded}", "corpus_hash"),
    Row("train responder", "--detokenize", "--detokenize", LOSSES,
        where={"corpus": "tokenized_corpus"}),
    Row("train responder", "--set", "--set vocabulary=160", LOSSES),
    Row("train responder", "--set", "--set layers=2", LOSSES),
    Row("train responder", "--set", "--set width=32", LOSSES),
    Row("train responder", "--set", "--set dropout=0.5", LOSSES),
    Row("train responder", "--set", "--set attention_dropout=0.5", LOSSES),
    Row("train responder", "--set", "--set label_smoothing=0.5", LOSSES),
    Row("train responder", "--set", "--set learning_rate=0.01", LOSSES),
    Row("train responder", "--set", "--set warmup=50", LOSSES),
    # A smaller batch makes more updates of the same epoch; more batches to an update, fewer.
    Row("train responder", "--set", "--set tokens=100", effect=lambda before, after: (
        after.at("log.*.updates") > before.at("log.*.updates"))),
    Row("train responder", "--set", "--set accumulate=4", effect=lambda before, after: (
        after.at("log.*.updates") < before.at("log.*.updates"))),
    Row("train responder", "--set", "--set epochs=3", effect=lambda *both: [
        len(each.at("log")) for each in both] == [2, 3]),
    Row("train responder", "--set", "--set updates=3", effect=lambda _, after: (
        after.at("log.*.updates")[-1] == 3)),
    # A learning rate that destroys the model: the second epoch is no better, nor the third.
    Row("train responder", "--set", "--set patience=1", also="--set epochs=6 --set learning_rate=5",
        effect=lambda before, after: len(after.at("log")) < len(before.at("log")) == 6),
    Row("train responder", "--set", "--set pairs=40", LOSSES),
    Row("train responder", "--set", "--set seed=7", LOSSES),
    # Without it, the settings are of no kind.
    Row("train responder", "--kind", "--kind phrase", usual=PHRASES.replace("--kind phrase ", ""),
        status=(2, 0), effect=only("kind", "phrase-responder")),
    *(
        Row("train responder", "--set", f"--set {name}={value}", path, usual=PHRASES, **more)
        for name, value, path, more in (
            ("phrase", 2, "log.*.extracted", {}), ("order", 2, "log.*.ngrams", {}),
            ("iterations", 1, "log.*.extracted", {}), ("association", 1, "log.*.phrase_pairs", {}),
            ("longest", 9, "log.*.pairs", {}), ("pairs", 40, "log.*.pairs", {}),
            ("seed", 7, "log.*.ngrams", {"also": "--set pairs=40"}),
            # These are for replies (tests/unit/responders/phrase), and for programs that are not here.
            ("options", 2, "config.options", {}),
            ("external", 1, "config.external", {}),
        )
    ),
    Row("train responder", "--device", "--device tpu", status=(0, 2), effect=lambda _, after: (
        "device 'tpu' is unknown" in after.err)),
    Row("train responder", "--set save_every", "--set save_every=0", "calls", LOSSES, watch=SAVES),
]  # fmt: skip

# Neither has a beam.
RANDOM = {"responder": "random", "beam": "nothing"}
RETRIEVAL = {"responder": "retrieval", "beam": "nothing"}
BY_PHRASES = {"responder": "phrases", "beam": "nothing"}
BY_CHAT = {"responder": "chat", "beam": "nothing"}
LIMITS = "rejoinder.models.chat.asking:AskedInOrder.__init__"


def refused_at(text):
    """The changed command ends at a limit, and says so."""
    return lambda _, after: f"{text}: the limit is reached" in after.err


RESPOND = [
    as_json("respond"),
    *in_shards("respond"),
    columns("respond", "@r.jsonl", "testset"),
    Row("respond", "--format", "--format csv", where={"testset": "testset_data"}, status=(2, 0),
        effect=refused("--format")),
    Row("respond", "--output", "-o {out}/other.csv", effect=lambda _, after: (
        after.at("@") == ["other.csv"])),
    Row("respond", "--corpus", "--corpus {corpus}", where=RANDOM, status=(2, 0),
        effect=refused("--corpus")),
    Row("respond", "--name", "--name mine", effect=lambda _, after: (
        set(read(after, "r.jsonl")["system"]) == {after.at("system")} == {"mine"})),
    Row("respond", "--set beam", "--set beam=1", "@r.jsonl"),
    Row("respond", "--set beam", "--set beam=1", "@r.jsonl", where=BY_PHRASES, also="--set beam=20"),
    Row("respond", "--set nbest", "--set nbest=3", where=BY_PHRASES, effect=lambda before, after: (
        before.at("replies") < after.at("replies") and "sample" in read(after, "r.jsonl"))),
    Row("respond", "--set weights", "--set weights={phrase_weights}", "@r.jsonl", where=BY_PHRASES),
    Row("respond", "--set length_penalty", "--set length_penalty=0", "@r.jsonl", also="--set beam=8"),
    Row("respond", "--scorer", "--scorer {ruber}", "@r.jsonl", where=RETRIEVAL,
        also="--corpus {corpus}"),
    Row("respond", "--candidates", "--candidates 2", "@r.jsonl", where=RETRIEVAL,
        also="--corpus {corpus} --scorer {ruber}"),
    Row("respond", "--set tokenizer", "--set tokenizer=char", "@r.jsonl", where=RETRIEVAL,
        also="--corpus {corpus}"),
    Row("respond", "--device", "--device tpu", status=(0, 2), effect=lambda _, after: (
        "device 'tpu' is unknown" in after.err)),
    *(
        Row("respond", option, more, where=BY_CHAT, **given)
        for option, more, given in (
            ("--turns", "--turns 1", {"differs": "@r.jsonl"}),
            ("--instructions", "--instructions 'Be kind.'", {"differs": "@r.jsonl"}),
            ("--set answer_tokens", "--set answer_tokens=9", {"differs": "@r.jsonl"}),
            ("--work", "--work {out}/work", {"differs": "@", "keeps": "@r.jsonl"}),
            ("--max-calls", "--max-calls 20", {"also": "--work {out}/work", "status": (0, 2),
             "effect": refused_at("--max-calls 20")}),
            ("--max-tokens", "--max-tokens 500", {"also": "--work {out}/work", "status": (0, 2),
             "effect": refused_at("--max-tokens 500")}),
            ("--set retries", "--set retries=0", {"watch": LIMITS, "keeps": "@r.jsonl", "effect":
                lambda *both: [each.calls[0].args[4].retries for each in both] == [2, 0]}),
            ("--set concurrency", "--set concurrency=2", {"watch": LIMITS, "keeps": "@r.jsonl", "effect":
                lambda *both: [each.calls[0].args[4].concurrency for each in both] == [8, 2]}),
        )
    ),
    Row("respond", "--seed", "--seed 7", "@r.jsonl", where=RANDOM,
        also="--corpus {corpus}"),
]  # fmt: skip


def same_with_an_index(before, after):
    """The candidates are the same; with a folder for its index that is there too."""
    return before.at("@m.jsonl") == after.at("@m.jsonl") and "i/index.json" in after.at("@")


MINED = "@m.jsonl"
MINE = [
    as_json("mine"),
    *in_shards("mine"),
    to_file("mine"),
    columns("mine", MINED, "testset"),
    Row("mine", "--format", "--format csv", where={"testset": "testset_data"}, status=(2, 0),
        effect=refused("--format")),
    Row("mine", "--output", "-o {out}/other.parquet", effect=lambda _, after: (
        after.at("@") == ["other.parquet"])),
    Row("mine", "--candidates", "--candidates 2", effect=lambda _, after: (
        after.at("mined") == 2 * after.at("items") == read(after, "m.jsonl").height)),
    Row("mine", "--set response_weight", "--set response_weight=0.9", MINED),
    # Without the similarity of responses the product is half the similarity of messages, or 3 times.
    Row("mine", "--set response_smoothing", "--set response_smoothing=6", also="--set response_weight=0.5",
        differs=MINED, effect=lambda before, after: (
            after.at("mean_product") > 2 * before.at("mean_product"))),
    Row("mine", "--set k1", "--set k1=0", "mean_message_score"),
    Row("mine", "--set b", "--set b=0", "mean_message_score"),
    Row("mine", "--set tokenizer", "--set tokenizer=char", "mean_message_score"),
    Row("mine", "--set parrot", "--set parrot=true", effect=lambda _, after: (
        after.at("candidates") == after.at("mined") + after.at("items"))),
    Row("mine", "--index", "--index {out}/i", effect=same_with_an_index),
]  # fmt: skip

MEANS = "systems.*.mean"
LOCAL = {"chat": "language_model"}
POST = "rejoinder.models.server:Server.post"


def asked(name):
    """What the server was asked for, in each of its last requests."""
    return lambda *both: [each.calls[-1].args[2][name] for each in both]


MARK = [
    as_json("mark"),
    *in_shards("mark"),
    to_file("mark"),
    *reading("mark", MEANS, contexts_alone=True),
    Row("mark", "--output", "-o {out}/other.jsonl", effect=lambda _, after: (
        after.at("@") == ["other.jsonl"])),
    Row("mark", "--model", "--model {chat}#other", "model", MEANS),
    Row("mark", "--rubric", "--rubric {other_rubric}", effect=only("systems.*.criterion", "tone")),
    Row("mark", "--card", "--card {card}", status=(0, 2), effect=refused_after("the card of this judge")),
    Row("mark", "--pairwise", "--pairwise", effect=lambda *both: [
        each.at("kind") for each in both] == ["scores", "preferences"]),
    Row("mark", "--turns", "--turns 1", MEANS),
    Row("mark", "--set retries", "--set retries=0", where={"chat": "hesitant"}, effect=lambda *both: [
        (each.at("asked_again") > 0, each.at("marks") == 198) for each in both
    ] == [(True, True), (False, False)]),
    Row("mark", "--set concurrency", "--set concurrency=2", watch="rejoinder.marking.mark:ask", keeps=MEANS,
        effect=lambda *both: [each.calls[0].args[3].concurrency for each in both] == [8, 2]),
    Row("mark", "--set answer_tokens", "--set answer_tokens=3", watch=POST, keeps=MEANS,
        effect=lambda *both: asked("max_tokens")(*both) == [16, 3]),
    Row("mark", "--seed", "--seed 7", watch=POST, keeps=MEANS,
        effect=lambda *both: asked("seed")(*both) == [12345, 7]),
    Row("mark", "--work", "--work {out}/work", "@", "systems"),
    Row("mark", "--max-calls", "--max-calls 20", also="--work {out}/work", status=(0, 2),
        effect=refused_at("--max-calls 20")),
    Row("mark", "--max-tokens", "--max-tokens 500", also="--work {out}/work", status=(0, 2),
        effect=refused_at("--max-tokens 500")),
    Row("mark", "--set template", "--set template=plain", MEANS, where={"chat": "chat_model"}),
    Row("mark", "--device", "--device tpu", where=LOCAL, status=(0, 2), effect=lambda _, after: (
        "device 'tpu' is unknown" in after.err)),
    Row("mark", "--set dtype", "--set dtype=bfloat16", MEANS, where=LOCAL),
    Row("mark", "--download", "--download", where=LOCAL,
        watch="rejoinder.models.huggingface.pretrained:_tokenizer", effect=lambda *both: [
            each.calls[0].args[1]["local_files_only"] for each in both] == [True, False]),
    Row("mark", "--set batch_tokens", "--set batch_tokens=64", "calls", where=LOCAL,
        watch="rejoinder.models.likelihood.transformer.likelihoods:TransformerBackend.measure"),
]  # fmt: skip

MEAN = "parts"
RUQ = [
    as_json("ruq"),
    *in_shards("ruq", "--save"),
    to_file("ruq"),
    # The interval of a share needs no draws; the test of two models has them, and the signature.
    Row("ruq", "--resamples", "--resamples 0", "systems.*.low", "systems.*.value"),
    Row("ruq", "--seed", "--seed 7", "systems.*.signature", "systems.*.value"),
    Row("ruq", "--reference", "-r {references_csv}", as_usual="systems.*.value",
        where={"testset": "contexts_csv"}, status=(2, 0), effect=refused("reference")),
    columns("ruq", "systems.*.value", "testset"),
    Row("ruq", "--format", "--format csv", where={"testset": "testset_data"}, status=(2, 0),
        effect=refused("--format")),
    Row("ruq", "--cluster", "--cluster topic", "systems.*.low", "systems.*.value"),
    Row("ruq", "--generic", "--generic {other_generic}", "systems.*.value"),
    Row("ruq", "--reference-rule", "--reference-rule single", "systems.*.value"),
    # The outputs of one system: 66 replies more, each with its tokens.
    Row("ruq", "--outputs", "--outputs {tuned}", also="--save-tokens {out}/t.parquet",
        effect=lambda before, after: (
            rows(after, "t.parquet") == rows(before, "t.parquet") + 66)),
    Row("ruq", "--by", "--by topic", effect=lambda _, after: (
        len(set(after.at("groups.*.topic"))) == 6)),
    Row("ruq", "--worst", "--worst 2", effect=lambda *both: [
        len(each.at("worst")) for each in both] == [5, 2]),
    Row("ruq", "--fail-above", "--fail-above 0", status=(0, 1), effect=lambda _, after: (
        after.at("failed") == after.at("preferred"))),
    Row("ruq", "--save", "--save {out}/s.parquet", "@s.parquet"),
    Row("ruq", "--save-tokens", "--save-tokens {out}/t.parquet", "@t.parquet"),
    Row("ruq", "--plots", "--plots {out}", effect=lambda _, after: (
        after.at("@") == ["ruq.png", "ruq.svg"])),
    Row("ruq", "--work", "--work {out}/work", "@", "systems"),
    Row("ruq", "--turns", "--turns 1", MEAN),
    Row("ruq", "--set turn_end", "--set turn_end=' / '", MEAN),
    Row("ruq", "--set template", "--set template=plain", MEAN, where={"language_model": "chat_model"}),
    Row("ruq", "--set no_end", "--set no_end=true", MEAN),
    Row("ruq", "--device", "--device tpu", status=(0, 2), effect=lambda _, after: (
        "device 'tpu' is unknown" in after.err)),
    Row("ruq", "--set dtype", "--set dtype=bfloat16", "@t.parquet", also="--save-tokens {out}/t.parquet"),
    # A folder is not downloaded, and nobody serves the URL: what is handed on.
    Row("ruq", "--download", "--download", watch="rejoinder.models.huggingface.pretrained:_tokenizer",
        effect=lambda *both: [
            each.calls[0].args[1]["local_files_only"] for each in both] == [True, False]),
    Row("ruq", "--set end_text", "--set end_text='</s>'", where={"language_model": "unreachable"},
        status=(2, 2), watch="rejoinder.models.likelihood.registry:open_backend",
        effect=lambda *both: [each.calls[0].kwargs["end_text"] for each in both] == ["", "</s>"]),
    Row("ruq", "--set batch_tokens", "--set batch_tokens=64", "calls",
        watch="rejoinder.models.likelihood.transformer.likelihoods:TransformerBackend.measure"),
]  # fmt: skip

JAVA = shutil.which("java") is not None
# Four settings, of which one in N goes on to more epochs.
WIDE = {"also": "--set warmup=5,50", "where": {"epochs": "more_epochs"}}
BITS = "trials.*.bits_per_character"
REACH = "rejoinder.tuning.run:SweepRun.reach"
TRIALS = "trials.*.metric"
SWEEP = [
    *corpus_format("sweep", TRIALS, slow=True),
    *in_shards("sweep", "", "s/results.json", slow=True),
    as_json("sweep", slow=True),
    to_file("sweep", slow=True),
    *(
        Row("sweep", option, more, differs, keeps, slow=True, **given)
        for option, more, differs, keeps, given in (
            ("--testset", "--testset {several}", "trials.0.ruq_test_n", "", {}),
            ("--output", "-o {out}/other", "@", TRIALS, {}),
            ("--set", "--set seed=7", BITS, "", {}),
            ("--kind", "--kind gru", BITS, "", {}),
            ("--validation", "--validation {validation}", BITS, "", {}),
            ("--exclude", "--exclude {excluded}", BITS, "", {}),
            ("--detokenize", "--detokenize", BITS, "",
             {"where": {"corpus": "tokenized_corpus"}}),
            ("--seed", "--seed 7", BITS, "", {}),
            ("--resamples", "--resamples 0", "trials.*.ruq_test_low", TRIALS, {}),
            ("--set generic_reply", "--set generic_reply='Of course not, no.'", "trials.*.ruq_test",
             TRIALS, {}),
            ("--set train_prompts", "--set train_prompts=5", "trials.*.ruq_train_n", TRIALS, {}),
            ("--set beam", "--set beam=4", "trials.*.distinct_replies", "trials.*.ruq_test", {}),
            ("--set keep_models", "--set keep_models=2", "@", TRIALS, {"also": "--set prune=none"}),
            ("--draw", "--draw", "figures", TRIALS, {}),
            ("--reply-metric", "--reply-metric meteor", "", "", {"status": (0, 0 if JAVA else 2), "effect":
                lambda _, after: "METEOR" in after.out or "no 'java' on the PATH" in after.err}),
            # The paper's grid has learning rates too.
            ("--grid", "--grid paper", "", "", {"also": "--trials 1", "effect": lambda *both: [
                "learning_rate" in each.at("trials.0") for each in both] == [False, True]}),
            ("--sampler", "--sampler optuna", "parameters", "", {"also": "--trials 2"}),
            ("--trials", "--trials 2", "", "", {"also": "--trials 1", "effect": lambda *both: [
                len(each.at("trials")) for each in both] == [1, 2]}),
            ("--set prune", "--set prune=none", "trials.*.epochs", "", {}),
            ("--set proposals", "--set proposals=2", "parameters", "", {"watch": REACH,
                "also": "--sampler optuna --trials 2", "effect": lambda *both: [
                    len(each.calls[0].args[1]) for each in both] == [1, 2]}),
            ("--set reduction", "--set reduction=2", "trials.*.epochs", "", WIDE),
            ("--set first_epochs", "--set first_epochs=2", "trials.*.epochs", "", WIDE),
            ("--preset", "--preset small", BITS, "", {}),
            ("--device", "--device tpu", "", "", {"status": (0, 2), "effect":
                lambda _, after: "device 'tpu' is unknown" in after.err}),
            ("--set save_every", "--set save_every=0", "calls", TRIALS, {"watch": SAVES}),
        )
    ),
]  # fmt: skip

OF_ALL = ("--outputs", "--by", "--cluster", "--reference-rule", "--set no_end")
"""What needs all items: their number, their topics, intervals over clusters, a rare effect."""


def few(row: Row) -> Row:
    """The row on a few items where each of its commands asks a model of this process."""
    asked = USUAL[row.verb].replace("{chat}", f"{{{row.where.get('chat', 'chat')}}}")
    local = any(name in asked for name in ("{responder}", "{language_model}", "{chat_model}"))
    return replace(row, few=local and "responder" not in row.where and row.option not in OF_ALL)


ROWS = [*FILTER, *VECTORS, *RUBER, *RESPONDER, *RESPOND, *MINE, *MARK, *RUQ, *SWEEP]
ROWS = [few(row) if row.verb in ("respond", "mark", "ruq") else row for row in ROWS]
