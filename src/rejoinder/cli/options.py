"""The options that several verbs share: each is declared once, alone or in a class with its like."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from rejoinder.cli.declarations import (
    PATH,
    Options,
    Row,
    SettingsOption,
    argument,
    choice,
    flag,
    integer,
    number,
    option,
    path,
)
from rejoinder.cli.option_values import (
    USUAL_KAPPA,
    ScoreFile,
    column_values,
    columns_of,
    enough,
    formats_of,
    kappa,
    metric_names,
    passing,
    score_files,
    word_values,
)
from rejoinder.errors import RejoinderError
from rejoinder.statistics.draws import FEWEST_RESAMPLES


def seed(**more: Any) -> Any:
    """The random seed."""
    return integer("--seed", default=12345, help="Random seed.", **more)


def resamples(zero: str = "0 turns off every interval.", **more: Any) -> Any:
    """The number of resamples; ``zero`` says what 0 does."""
    words = f"Number of bootstrap resamples, at least {FEWEST_RESAMPLES}. {zero}"
    return integer("--resamples", default=1000, callback=enough, help=words.rstrip(), **more)


def by(example: str) -> Any:
    """The option --by, with an example of a column."""
    return option(
        "--by",
        metavar="COLUMN",
        help="Column of the contexts to group by, with a table for each value. For example "
        f"{example}.",
    )


def save(what: str) -> Any:
    """The option --save; ``what`` says what is saved, and in which formats."""
    return path("--save", writes=True, help=f"Save the results to this file. {what}")


def plots(what: str) -> Any:
    """The option --plots; ``what`` says which figures are drawn."""
    return path(
        "--plots",
        writes=True,
        metavar="FOLDER",
        help=f"Draw figures into this folder, as PNG and SVG. {what}",
    )


def output(what: str, metavar: str = "FILE", required: bool = True) -> Any:
    """The option --output; ``what`` says what is written."""
    return path(
        "--output",
        "-o",
        metavar=metavar,
        required=required,
        writes=True,
        help=f"Output path. {what}",
    )


def without(why: str = "") -> Any:
    """The option --without; ``why`` says for what it is used."""
    words = f"Exclude this system; may be repeated. {why}".rstrip()
    return option("--without", metavar="NAME", multiple=True, help=words)


def scale(default: tuple[float, float] | None = None) -> Any:
    """The scale of human ratings, for a verb that has a default or none."""
    return option(
        "--scale",
        metavar="LOW HIGH",
        type=(float, float),
        **({} if default is None else {"default": default}),
        help="Lowest and highest grade of the rating scale; a rating outside it is an error.",
    )


def criterion(which: str) -> Any:
    """The option --criterion; ``which`` says what holds without it."""
    return option("--criterion", metavar="NAME", help=f"Rating criterion. {which}")


def weights_from(what: str) -> Any:
    """The metric whose scores become weights; ``what`` says what holds beside other options."""
    return option(
        "--weights-from",
        holds="metric",
        metavar="NAME[:KEY=VALUE,...]",
        help="Learned rater whose scores become weights. A metric that needs no reference, for example "
        f"ruber:model=FOLDER. {what}",
    )


def cases(default: int, what: str) -> Any:
    """The number of contexts that are shown, for a verb with a default; ``what`` says with what."""
    words = f"Number of contexts, sampled at random, that are shown. {what}"
    return integer("--cases", default=default, help=words)


def case_ids() -> Any:
    """The contexts that are shown instead of random ones."""
    return option(
        "--case",
        metavar="ID",
        multiple=True,
        help="Id of a context that is shown, instead of random ones; may be repeated.",
    )


def permutations(default: int) -> Any:
    """The number of permutations, for a verb with a default."""
    return integer(
        "--permutations",
        default=default,
        help="Number of permutations of the significance tests. 0: no tests.",
    )


def preset(what: str) -> Any:
    """The option --preset of what is trained; ``what`` says what the presets are."""
    return choice(
        "--preset",
        of=("tiny", "small", "paper"),
        default="tiny",
        help=f"Preset of model sizes and training settings. {what}",
    )


def save_every(default: float) -> Any:
    """The pause between checkpoints, for a verb with a default."""
    return number(
        "--set save_every",
        metavar="SECONDS",
        default=default,
        help="Seconds between two checkpoints.",
    )


def nbest(default: int) -> Any:
    """The number of replies to a message, for a verb with a default."""
    return integer(
        "--set nbest",
        type=click.IntRange(min=1),
        default=default,
        help="Number of replies to each message, with their features: the n-best lists that 'rejoinder "
        "tune' reads. With a phrase-based system.",
    )


def epochs(what: str, **more: Any) -> Any:
    """The maximum number of epochs; ``what`` says what holds without the option."""
    return integer("--set epochs", help=f"Maximum number of epochs. {what}".rstrip(), **more)


def vectors(what: str) -> Any:
    """Word vectors; ``what`` says for what, and what holds without them."""
    return path(
        "--vectors",
        help="Word vectors: word2vec, GloVe, fastText, or a folder of 'rejoinder train vectors'. "
        + what,
    )


RATERS = choice(
    "--raters",
    of=("mean", "median", "z"),
    default="mean",
    help="How the ratings of a reply are combined. A name, not a number of raters: mean, median, or "
    "z (the mean of each rater's standardised ratings).",
)
FILTER_RATERS = option(
    "--filter-raters",
    metavar="[T]",
    is_flag=False,
    flag_value=USUAL_KAPPA,
    callback=kappa,
    gives=("drop",),
    help=f"Exclude raters whose kappa against the others is below T (without T: {USUAL_KAPPA}). "
    "Put it behind the files, or write --filter-raters=T.",
)
RATER_EFFECTS = choice(
    "--rater-effects",
    of=("random", "fixed"),
    help="Whether raters are a sample of all raters, so that intervals hold for others too (random), or the "
    "only ones (fixed). Default: random from four raters with names on; a note says which.",
)
LEAST = integer(
    "--min-shared",
    default=10,
    help="Minimum number of judgements that a rater shares with others. Raters with fewer "
    "are never removed.",
)
LEAST_RATERS = integer(
    "--min-raters",
    default=1,
    help="Minimum number of raters of a reply. Replies with fewer have no weight by people.",
)
DEVICE = option(
    "--device",
    metavar="NAME",
    default="auto",
    help="Device of torch: auto (a GPU where there is one), cpu, cuda or cuda:N.",
)
WORK = path(
    "--work",
    writes=True,
    metavar="FOLDER",
    help="Folder for intermediate results. Interrupted runs resume: repeat the command.",
)
TURNS = integer(
    "--turns",
    type=click.IntRange(1),
    help="Number of last turns of the context that are used (default: all).",
)
TEMPLATE = choice(
    "--set template",
    of=("auto", "chat", "plain"),
    default="auto",
    help="Whether to use the tokenizer's chat template. auto: where there is one; chat: "
    "always; plain: never.",
)
CLUSTER = option(
    "--cluster",
    metavar="COLUMN",
    help="Column of the contexts (or judgements, or scores) whose equal values are not independent. "
    "For example conversation or user; none: every item is independent. Default: conversation where "
    "there is such a column.",
)


def _responder_settings() -> list[Row]:
    from rejoinder.responders.seq2seq.parameters import described_settings

    return described_settings()


def _trained_settings() -> list[Row]:
    from rejoinder.responders.phrase.parameters import described_phrase_settings

    return _responder_settings() + described_phrase_settings()


def _phrase_settings() -> list[Row]:
    from rejoinder.responders.phrase.parameters import described_phrase_settings

    return described_phrase_settings()


TRAINED_SETTINGS: Any = SettingsOption(_trained_settings)
PHRASE_SETTINGS: Any = SettingsOption(_phrase_settings)
SETTINGS: Any = SettingsOption(_responder_settings)
CANDIDATES = integer(
    "--candidates",
    type=click.IntRange(min=1),
    default=15,
    help="Number of candidate replies. For each item of the test set.",
)
RANKS = flag(
    "--ranks",
    help="Print the range of ranks of every system. Systems whose difference is not significant share ranks.",
)
UNIT_SIZE = integer("--set unit_size", default=100, help="Number of items in a unit.")
ASSIGNMENTS = integer(
    "--set assignments", default=1000, help="Number of random assignments of items to units."
)
BEAM = integer("--set beam", default=10, help="Beam size.")
DETOKENIZE = flag("--detokenize", help="Detokenise and recase utterances, for DailyDialog.")
LANGUAGE = option(
    "--set language", metavar="NAME", default="en", help="Word segmentation: en, zh, char or none."
)
TOKENIZER = option(
    "--set tokenizer", metavar="NAME", default="13a", help="Tokenizer. Of the n-gram metrics."
)
RATING_FILES = path("--ratings", multiple=True, help="File of human ratings; may be repeated.")


class JsonOptions(Options):
    """How the result is printed."""

    json: bool = flag("--json", help="Print JSON on standard output.")


class PrintedOptions(JsonOptions):
    """How a result that is tables is printed, and the file that its tables go to."""

    tables: Path | None = path(
        "--tables",
        writes=True,
        help="Write the tables to this file: Markdown (.md), LaTeX (.tex) or HTML (.html), with numbers "
        "rounded as they are printed, or CSV (.csv), with all digits and one table in a file: "
        "further tables of x.csv are written to x-NAME.csv.",
    )

    def check(self) -> None:
        """Sees that the file can be written."""
        super().check()
        if self.tables is not None:
            from rejoinder.cli.targets import TABLES, check_file

            check_file(self.tables, TABLES, "--tables")


class LedgerOptions(Options):
    """The ledger that the numbers of a result go to."""

    ledger: Path | None = path(
        "--ledger",
        writes=True,
        help="Append this run and its numbers to this ledger, an SQLite file that is made where there is "
        "none. 'rejoinder runs' reads it.",
    )

    def check(self) -> None:
        """Sees that the ledger can be written."""
        super().check()
        if self.ledger is not None:
            from rejoinder.cli.targets import refuse_given
            from rejoinder.ledger.ledger import check_ledger

            refuse_given(self.ledger, "--ledger")
            check_ledger(self.ledger)


class ClaimOptions(Options):
    """The file of what is claimed, from which a reader computes the numbers again."""

    claim: Path | None = path(
        "--claim",
        writes=True,
        help="Write a claim to this file: the numbers, the rows from which they follow, and digests of the "
        "inputs, without a text. 'rejoinder verify' computes it again.",
    )
    anonymous: bool = flag(
        "--anonymous",
        help="Write hashes in the place of ids and clusters. For --claim, where raters are hashes in any "
        "case; the salt of the hashes is not kept.",
    )
    registered: Path | None = path(
        "--registered",
        help="Registration that 'rejoinder plan --register' wrote. For --claim, which names its digest.",
    )

    def check(self) -> None:
        """Sees that the claim can be written."""
        super().check()
        from rejoinder.cli.needs import check_needs
        from rejoinder.cli.targets import CLAIM, check_file

        check_needs(self.claim is not None, "--claim FILE", "anonymous", "registered")
        check_file(self.claim, CLAIM, "--claim")
        if self.registered is not None:
            from rejoinder.ledger.registrations import read_registration

            read_registration(self.registered)


class DrawnOptions(Options):
    """The items of which some were drawn for rating."""

    drawn: Path | None = path(
        "--drawn",
        help="Sample of items to rate: the table (id, probability, earlier, status) that 'rejoinder plan "
        "--next' writes.",
    )


class FailIfWorseOptions(Options):
    """A gate against a baseline."""

    fail_if_worse: float | None = number(
        "--fail-if-worse",
        metavar="MARGIN",
        gives=("worse_by",),
        help="Largest loss against the baseline that is accepted: exit with status 1 if a greater loss is "
        "shown. In the metrics' own range, from 0: 0.01 is one point of BLEU.",
    )
    fail_if_unsure: bool = flag(
        "--fail-if-unsure",
        help="Exit with status 1 also if a loss greater than MARGIN is not excluded.",
    )


class SeedOptions(Options):
    """The random seed."""

    seed: int = seed()


class SamplingOptions(SeedOptions):
    """The resamples of the intervals, and their seed."""

    resamples: int = resamples()


class LocalModelOptions(Options):
    """How a model on this machine is run."""

    device: str = DEVICE
    dtype: str = option(
        "--set dtype",
        metavar="NAME",
        default="auto",
        show_default=False,
        help="Number type of the weights: auto, float32, bfloat16, float16.",
    )
    batch_tokens: int | None = integer(
        "--set batch_tokens",
        type=click.IntRange(1),
        help="Maximum number of prompt tokens in a batch.",
    )
    download: bool = flag("--download", help="Download a model that is not on this machine.")


class ServedModelOptions(Options):
    """How a model behind a server is asked."""

    retries: int = integer(
        "--set retries",
        type=click.IntRange(0),
        default=2,
        help="Number of times that a server is asked again where its answer cannot be used.",
    )
    concurrency: int = integer(
        "--set concurrency",
        type=click.IntRange(1),
        default=8,
        help="Number of questions to a server that are under way at a time.",
    )
    max_calls: int | None = integer(
        "--max-calls",
        type=click.IntRange(1),
        help="Maximum number of answers of a server, together with those in --work. The command "
        "stops there; repeated with a higher limit, it goes on.",
    )
    max_tokens: int | None = integer(
        "--max-tokens",
        type=click.IntRange(1),
        help="Number of tokens, as a server counts them, after which no new question is asked; those "
        "under way go on. Together with those in --work.",
    )


def answer_tokens(default: int) -> Any:
    """The maximum length of a server's answer, for a verb with a default."""
    return integer(
        "--set answer_tokens",
        type=click.IntRange(1),
        default=default,
        help="Maximum number of tokens of an answer.",
    )


class TablesOptions(Options):
    """Tables of input whose columns have names of their own."""

    columns: Any = option(
        "--columns",
        holds="path",
        metavar="[FILE:]NAME=COLUMN,...",
        multiple=True,
        help="Which column of the input is which, or a TOML file of such pairs; may be repeated. For "
        "example id=doc_id,text=resps.0.0, or human.csv:id=item for one file alone; known aliases need "
        "none.",
    )
    format: Any = option(
        "--format",
        "-f",
        metavar="[FILE:]NAME",
        multiple=True,
        help="Format of the input files (default: recognised), or of one file alone; may be repeated. For "
        "example csv, or human.dat:csv.",
    )

    def __init__(self, values: Mapping[str, Any]) -> None:
        named = {"columns": columns_of(values), "format": formats_of(values)}
        super().__init__({**values, **named})


class ValuesOptions(TablesOptions):
    """Tables of ratings, some of which may be words."""

    values: Any = option(
        "--values",
        metavar="WORD=NUMBER,...",
        multiple=True,
        callback=word_values,
        help="Numbers of ratings in words; may be repeated. For example Good=3,Okay=2,Bad=1; stars, "
        "thumbs, Like/Dislike, Good/Bad and True/False need none.",
    )


class TestsetFileOptions(TablesOptions):
    """A test set in one file."""

    testset: Path = argument("testset", type=PATH)


class TestsetFilesOptions(TestsetFileOptions):
    """A test set in one file, or in several."""

    references: tuple[Path, ...] = path(
        "--reference",
        "-r",
        multiple=True,
        help="Additional file of the test set; may be repeated. It holds references: one on each "
        "line, or a table of them.",
    )


class TextsOptions(TestsetFilesOptions):
    """A test set, and the systems' replies."""

    responses: tuple[Path, ...] = argument("responses", type=PATH, nargs=-1)

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        named = [*([] if self.testset is None else [self.testset]), *self.responses]
        if any(path.is_dir() for path in named):
            from rejoinder.tables.formats.format_choice import logs_in

            self.testset, *responses = [each for path in named for each in logs_in(path)]
            self.responses = tuple(responses)

    @cached_property
    def replies(self) -> tuple[Path, ...]:
        """The responses named, and the test set's own file where it is one table of all.

        With responses it is not, unless all of them are logs of an evaluation tool: each log has the
        replies of its own system.
        """
        if not self.responses:
            return (self.testset,) if self.testset is not None and self.holds_replies else ()
        return (self.testset, *self.responses) if self._are_logs else tuple(self.responses)

    @cached_property
    def holds_replies(self) -> bool:
        """Whether the test set's own file holds replies too."""
        from rejoinder.files.reading import existing
        from rejoinder.tables.assembly.column_mapping import column_mapping
        from rejoinder.tables.formats.format_choice import holds_all
        from rejoinder.tables.kept_files import holds_scores

        if self.testset is None or holds_scores(self.testset):
            return False
        try:
            (path,) = existing([self.testset], "test set")
            return holds_all(path, self.format, column_mapping(self.columns))
        except RejoinderError:
            return False  # whoever reads the test set says what is wrong

    @property
    def _are_logs(self) -> bool:
        """Whether the test set and all responses are logs, and the test set is no response yet."""
        from rejoinder.tables.formats.format_choice import is_log

        if not self.holds_replies or self.testset in self.responses:
            return False
        try:
            return all(is_log(path, self.format) for path in (self.testset, *self.responses))
        except RejoinderError:
            return False  # whoever reads the responses says what is wrong


class GapsOptions(Options):
    """How items that cannot be scored for all systems are handled."""

    missing: Any = choice(
        "--missing",
        of=("error", "drop", "empty", "pairwise"),
        default="error",
        help="What to do with an item that a system did not answer. error: stop; drop: exclude it for all "
        "systems; empty: score it as an empty reply; pairwise: score each system on what it answered, and "
        "compare two on what both answered.",
    )
    drop_unusable: bool = flag(
        "--drop-unusable",
        help="Exclude items that cannot be scored, and count them. They lack what a metric "
        "needs, such as a reference.",
    )


class MetricsOptions(Options):
    """The metrics to measure."""

    metrics: tuple[str, ...] = option(
        "--metric",
        "-m",
        holds="metric",
        metavar="NAME[:KEY=VALUE,...]",
        multiple=True,
        help="Metric; may be repeated. For example deltableu or bleu:order=4,lowercase=true; "
        "'rejoinder metrics' lists all. MODULE:NAME: a metric of your own.",
        shell_complete=metric_names,
    )


def scores(what: str) -> Any:
    """The option --scores; ``what`` says what the scores are used as."""
    return option(
        "--scores",
        holds="path",
        metavar="FILE[:lower][:LOW..HIGH][:rate]",
        multiple=True,
        callback=score_files,
        help="Table of scores that another tool made; may be repeated. FILE:lower: lower values are "
        f"better. FILE:1..5: the least and the greatest value there can be. FILE:rate: "
        f"the mean is a share of replies that pass, as where every value is 0 or 1. {what}",
    )


class ScoreFilesOptions(TablesOptions):
    """Scores that another tool made."""

    scores: tuple[ScoreFile, ...] = scores("They are metrics; without -m, the only ones.")


class MeasuredOptions(
    TextsOptions, MetricsOptions, GapsOptions, SamplingOptions, ScoreFilesOptions
):
    """What is measured: texts, and the scores of other tools."""


class MeasuringOptions(MeasuredOptions, PrintedOptions, LedgerOptions):
    """What every verb has that reads texts, measures them and prints tables."""


class MeasuringOrScoresOptions(MeasuringOptions):
    """The same, for a verb that takes scores kept by 'rejoinder score --save' as well."""

    # None where --scores alone names files.
    testset: Path = argument("testset", metavar="[TESTSET|SCORES]", type=PATH, required=False)
    responses: tuple[Path, ...] = argument("responses", type=PATH, nargs=-1)


class CardOptions(Options):
    """The card of a judge."""

    card: Path | None = path(
        "--card",
        help="Judge's card, which 'rejoinder judge --claim' wrote. Marks by another model or another rubric "
        "are refused; a card that is out of date is noted, and refused beside --fail-if-worse.",
    )

    def check(self) -> None:
        """Sees that there are marks to check."""
        super().check()
        from rejoinder.cli.needs import check_needs

        check_needs(bool(getattr(self, "scores", True)), "--scores FILE", "card")


class ScoringOptions(MeasuringOrScoresOptions, ClaimOptions, CardOptions):
    """The same, for a verb that ranks systems."""

    ranks: bool = RANKS
    digits: int | None = integer(
        "--digits",
        type=click.IntRange(0, 12),
        help="Number of decimals of scores in the tables. Default: 1 for values x100, 2 for others; "
        "--json prints all.",
    )
    cluster: str | None = CLUSTER
    without: tuple[str, ...] = without()
    only: tuple[tuple[str, str], ...] = option(
        "--only",
        metavar="COLUMN=VALUE",
        multiple=True,
        callback=column_values,
        help="Only the items with this value in a column of the contexts; may be repeated. For example "
        "topic=travel, or id=c001: values of one column are alternatives.",
    )


class SamplesOptions(Options):
    """What k samples of a prompt reach."""

    at: tuple[int, ...] = integer(
        "--at",
        metavar="K",
        multiple=True,
        help="Number of samples of a prompt; may be repeated. Adds best@K, worst@K and median@K of every "
        "metric that ranks systems, and pass@K and pass^K (all K pass) of rates and with --passing, over "
        "all subsets of the samples. Prompts with fewer samples are left out.",
    )
    passing: float | dict[str, float] | None = option(
        "--passing",
        metavar="[METRIC=]X",
        multiple=True,
        callback=passing,
        help="Value from which a sample passes, for --at; may be repeated. In the metric's own range: "
        "chrF=0.5 is 50 points of the tables. Default: the better end of a rate.",
    )


class RatingFilesOptions(TablesOptions):
    """Human ratings, and which of them count."""

    ratings: tuple[Path, ...] = path(
        "--ratings", multiple=True, required=True, help="File of human ratings; may be repeated."
    )
    criterion: str | None = criterion("Required if the ratings have several.")


class JudgementsOptions(TablesOptions, SamplingOptions, PrintedOptions, LedgerOptions):
    """The options of the verbs that summarise what people said."""

    files: tuple[Path, ...] = argument(
        "files", metavar="FILE...", type=PATH, nargs=-1, required=True
    )
    filter_raters: float | None = FILTER_RATERS
    least: int = LEAST
    criterion: str | None = criterion("Default: all, each by itself.")
    without: tuple[str, ...] = without()
    cluster: str | None = CLUSTER

    def summary(self) -> dict[str, Any]:
        """What the summaries of the library are asked for."""
        from rejoinder.human_evaluation.rater_exclusion import THRESHOLD

        return {
            "criterion": self.criterion,
            "without": self.without,
            "threshold": THRESHOLD if self.filter_raters is None else self.filter_raters,
            "drop": self.filter_raters is not None,
            "least": self.least,
            "cluster": self.cluster,
            **self.of(SamplingOptions),
        }


class CorpusOptions(TablesOptions, JsonOptions):
    """A corpus of dialogues."""

    corpus: Path = argument("corpus", type=PATH)


class TrainingOptions(CorpusOptions):
    """What every verb has that trains a model on a corpus."""

    validation: Path | None = path(
        "--validation",
        metavar="CORPUS",
        help="Validation corpus. It chooses the best epoch (default: a part of the corpus is held "
        "out).",
    )
    exclude: tuple[Path, ...] = path(
        "--exclude",
        metavar="TESTSET",
        multiple=True,
        help="Test set whose items are excluded from training; may be repeated.",
    )
    device: str = DEVICE
    save_every: float = save_every(60.0)
