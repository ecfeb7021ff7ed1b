"""From the paths on the command line to scores."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rejoinder.cli.declarations import Options
from rejoinder.cli.needs import from_command_line
from rejoinder.cli.option_values import ScoreFile
from rejoinder.cli.options import (
    CorpusOptions,
    DrawnOptions,
    GapsOptions,
    MeasuredOptions,
    MeasuringOptions,
    MeasuringOrScoresOptions,
    RatingFilesOptions,
    SamplesOptions,
    SamplingOptions,
    ScoreFilesOptions,
    ScoringOptions,
    TestsetFileOptions,
    TestsetFilesOptions,
    TextsOptions,
    TrainingOptions,
)
from rejoinder.cli.terminal.progress import Progress
from rejoinder.cli.terminal.speech import logged, note
from rejoinder.errors import InputError, ParameterError, RejoinderError, one_of
from rejoinder.messages import listed, quoted
from rejoinder.tables.notes import RENAMED, Note, taking_notes

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.metrics.base import Metric
    from rejoinder.metrics.external import External
    from rejoinder.scoring.explanation import Explanations
    from rejoinder.scoring.scores import Scores
    from rejoinder.tables.testset import TestSet
    from rejoinder.tables.types import Ratings, Responses

Result = TypeVar("Result", bound=Any)


def read(
    given: TextsOptions, without: Sequence[str] = (), rest: str = ""
) -> tuple[TestSet, Responses]:
    """Reads a test set and the responses to it, but for the systems to be left out.

    Args:
        given: The files.
        without: The systems to be left out.
        rest: What the verb needs besides, for the message where there are no responses.
    """
    from rejoinder.tables.in_memory import read_as
    from rejoinder.tables.types import Responses

    check_named(given, rest)
    format, columns = given.format, given.columns
    with Progress("reading"):
        items = read_items(given)
        replies = read_as(Responses, given.replies, format=format, columns=columns, ids=items.ids)
    if given.holds_replies and given.testset not in given.replies:
        note(
            f"{given.testset}: holds replies too, which are not read beside the files of responses; to "
            "read them, list the file a second time, as responses"
        )
    note_order(given)
    without_references = items.references.is_empty()
    take_own_scores(given, without_references, "the metrics where there are no references")
    return items, replies.without(without)


_CALLED_REFERENCES = re.compile(r"(?<![a-z])(refs?|references?|golds?|targets?)(?![a-z])", re.I)


def note_order(given: TextsOptions) -> None:
    """Prints a note where the names of files say that references and replies may be confused."""
    if _CALLED_REFERENCES.search(given.testset.name):
        return
    for path in given.responses:
        if _CALLED_REFERENCES.search(path.name):
            note(
                f"{path}: read as the replies of a system, though its name is that of references; the "
                f"first file is the test set, and that is {given.testset} here"
            )
    for path in given.references if given.testset.suffix.lower() == ".txt" else ():
        if _CALLED_REFERENCES.search(path.name):
            note(
                f"{given.testset}: read as the test set, since it is the first file: its lines are "
                f"references beside those of {path}; if they are replies, give {path} first in its place, "
                f"and {given.testset} behind it"
            )


def take_own_scores(given: TextsOptions, needed: bool, why: str) -> None:
    """Takes the scores that logs hold for metrics, where they are wanted and no metric is named.

    Otherwise they are not read, and a note says so, as it does of ratings by people.
    """
    from rejoinder.tables.external_scores import read_scores
    from rejoinder.tables.formats.format_choice import is_log

    if not given.holds_replies or given.testset not in given.replies:
        return
    if not is_log(given.testset, given.format):
        return
    _note_own_ratings(given)
    if not isinstance(given, ScoreFilesOptions) or given.scores:
        return
    try:
        with taking_notes(quiet=True):
            names = read_scores(given.testset).get_column("name").unique(maintain_order=True)
    except RejoinderError:
        return  # it holds none
    paths = list(dict.fromkeys(given.replies))
    holds = f"{given.testset}: holds scores too ({listed(names)}), which are"
    if needed and not (isinstance(given, MeasuredOptions) and given.metrics):
        given.scores = tuple(ScoreFile(path, "higher", None, "") for path in paths)
        note(f"{holds} {why}")
        return
    read = " ".join(f"--scores {path}" for path in paths)
    note(f"{holds} read with {read}; use them where the log's targets are criteria, and no replies")


def take_judges(given: TextsOptions) -> None:
    """Takes the scores that logs hold for the judges beside people's ratings, where no metric is named."""
    if getattr(given, "ratings", ()) and given.replies and not getattr(given, "metrics", ()):
        take_own_scores(given, True, "the judges")


def _note_own_ratings(given: TextsOptions) -> None:
    """Says of ratings in a log that they are not read, unless the log is also given as ratings."""
    from rejoinder.tables.ratings import read_ratings

    if given.testset in getattr(given, "ratings", ()):
        return
    try:
        with taking_notes(quiet=True):
            ratings = read_ratings(given.testset, format=given.format)
    except RejoinderError:
        return  # it holds none
    criteria = listed(ratings.get_column("criterion").unique(maintain_order=True))
    note(
        f"{given.testset}: holds ratings by people too ({criteria}), which 'rejoinder ratings' and the "
        "option --ratings of compare, correlate and report read"
    )


def read_items(given: TestsetFileOptions) -> TestSet:
    """Reads the test set."""
    from rejoinder.tables.testset import read_testset

    more = given.references if isinstance(given, TestsetFilesOptions) else ()
    return read_testset(given.testset, *more, format=given.format, columns=given.columns)


def read_corpus(given: CorpusOptions) -> TestSet:
    """Reads the corpus."""
    from rejoinder.tables.testset import read_testset

    return read_testset(given.corpus, format=given.format, columns=given.columns)


_MANY_TIMES = 10
"""A test set so many times larger than the corpus is taken for the corpus."""

_LARGE = 20_000_000
"""A file of more bytes is no test set."""


def check_corpus_first(corpus: Path, path: Path, testset: TestSet) -> None:
    """Raises an InputError where the corpus seems to be the test set, and the test set the corpus.

    So it seems where the corpus has weights, or several references of an item, and the test set has neither;
    or where the test set is many times larger.

    Args:
        corpus: The file or folder of the corpus.
        path: The file of the test set.
        testset: What it holds.
    """
    import polars as pl

    from rejoinder.tables.testset import read_testset

    if len(testset) < 2 or not corpus.is_file() or not path.is_file():
        return
    if corpus.stat().st_size > _LARGE:
        return  # no test set, and slow to read twice

    def rated(items: TestSet) -> bool:
        references = items.references
        weighted = references["weight"].null_count() < references.height
        return weighted or bool(references.select(pl.col("id").is_duplicated().any()).item())

    try:
        pairs = read_testset(corpus)
    except RejoinderError:
        return  # whoever reads the corpus says what is wrong
    if (rated(pairs) and not rated(testset)) or len(testset) >= _MANY_TIMES * len(pairs):
        verb = click.get_current_context().command_path
        raise InputError(
            f"{corpus}: is taken for the corpus and seems to be the test set ({len(pairs):,} items, and "
            f"{path} has {len(testset):,}); the corpus stands before the test set: "
            f"{verb} {path} {corpus}"
        )


def check_model_first(models: Sequence[str], testset: Path) -> None:
    """Raises a ParameterError where the test set stands before the models, or the replying system.

    So it seems where a file is named as the first model, and a URL, a name without suffix or a folder of a
    model as the test set.

    Args:
        models: The models, or the system.
        testset: The file that is named as the test set.
    """
    url = re.match(r"https?:/", str(testset))
    name = not testset.suffix and not testset.exists()
    if Path(models[0]).is_file() and (url or name or (testset / "config.json").exists()):
        model = str(testset).replace(":/", "://") if url else testset
        verb = click.get_current_context().command_path
        raise ParameterError(
            f"{models[0]}: stands in the place of a model or system, and {model} in that of the test set; "
            f"the test set stands last: {verb} {' '.join(map(str, (model, *models[1:], models[0])))}"
        )


def read_rated(
    given: RatingFilesOptions, scale: tuple[float, float] | None = None, cluster: str | None = None
) -> Ratings:
    """Reads human ratings, and checks that they are on their scale: before anything is measured.

    Args:
        given: The files.
        scale: The worst and the best grade; None: not known.
        cluster: The column of the ratings that names clusters; None: ``conversation``, if it is there.
    """
    from rejoinder.cli.made_of_ratings import took_ratings
    from rejoinder.human_evaluation.grades import check_scale
    from rejoinder.tables.in_memory import read_as
    from rejoinder.tables.item_clusters import cluster_columns
    from rejoinder.tables.types import Ratings

    try:
        with Progress("reading"):
            how = {"format": given.format, "columns": given.columns}
            table = read_as(Ratings, given.ratings, **how, keep=cluster_columns(cluster))
    except RejoinderError as error:
        if isinstance(given, ScoreFilesOptions):
            from rejoinder.cli.scores_or_ratings import check_not_swapped

            check_not_swapped([each.path for each in given.scores], given.ratings, error)
        raise
    took_ratings(table.frame)
    scale = take_own_scale(given, given.ratings) or scale
    if scale is not None:
        check_scale(table.of_criterion(given.criterion).frame, scale)
    return table


def take_own_scale(given: Options, paths: Sequence[Path]) -> tuple[float, float] | None:
    """Takes the scale of the studies that hold the ratings for that of the verb, where none is named."""
    context = click.get_current_context()
    if context.get_parameter_source("scale") is not click.core.ParameterSource.DEFAULT:
        return None
    if scale := own_scale(paths):
        given.scale = scale  # pyright: ignore[reportAttributeAccessIssue]
    return scale


def own_scale(paths: Sequence[Path]) -> tuple[float, float] | None:
    """The scale of the studies that hold ratings, with a note; None where a file is none, or they differ."""
    from rejoinder.tables.format import FileHead

    if not all(path.is_file() and FileHead.of(path).container == "sqlite" for path in paths):
        return None
    from rejoinder.tables.formats.study import scales_of

    scales = {each for path in paths for each in scales_of(path)}
    scale = scales.pop() if len(scales) == 1 else None
    if scale is not None:
        note(f"{paths[0]}: the grades of the study go from {scale[0]:g} to {scale[1]:g}")
    return scale


def read_drawn(given: DrawnOptions) -> pl.DataFrame | None:
    """Reads the table of drawn items; None where none is given."""
    from rejoinder.tables.drawn_items import read_drawn as read_items_drawn

    return None if given.drawn is None else read_items_drawn(given.drawn)


def with_notes(result: Result, paths: Sequence[Path]) -> Result:
    """The result with what was noted when these files were read, such as rows that were left out.

    Which columns were read under other names has been said by then, and is no part of the result.
    """
    names = tuple(str(path) for path in paths)
    logged_notes = [
        each for each in logged() if isinstance(each, Note) and each.about.startswith(names)
    ]
    notes = [str(each) for each in logged_notes if each.kind != RENAMED]
    return replace(result, notes=(*notes, *result.notes))


def read_training(given: TrainingOptions) -> tuple[TestSet, TestSet | None, list[TestSet]]:
    """The corpus to train on, the validation corpus, and the test sets to exclude."""
    from rejoinder.corpora.pairs import check_holds_pairs
    from rejoinder.tables.testset import read_testset

    with Progress("reading"):
        corpus = read_corpus(given)
        check_holds_pairs(corpus, str(given.corpus))
        held_out = given.validation and read_testset(given.validation)
        return corpus, held_out, [read_testset(path) for path in given.exclude]


def check_named(given: TextsOptions, rest: str = "") -> None:
    """Raises a ParameterError where a verb on texts is given no responses.

    Args:
        given: The files; kept scores and responses in the place of the test set are told apart.
        rest: What the verb needs besides, for the message.
    """
    if given.replies:
        return
    path = given.testset
    verb = click.get_current_context().command_path.partition(" ")[2]
    from rejoinder.tables.kept_files import holds_scores

    if holds_scores(path):
        raise ParameterError(
            f"{path}: these are kept scores, which hold no texts, and '{verb}' reads the texts; name "
            f"the test set and the systems' replies: rejoinder {verb} TESTSET.jsonl SYSTEM.jsonl ..."
        )
    kinds = _kinds_of(path)
    check_testset_named(given, rest)
    by_scores = isinstance(given, MeasuringOrScoresOptions)
    declared = {each.name: each for each in click.get_current_context().command.params}
    for kind in ("scores", "ratings", "preferences"):
        # Where the test set can be left out, these are enough.
        enough = not declared["testset"].required and kind in declared
        enough &= not any(each.required for each in declared.values() if each.name == "ratings")
        if enough and kind in kinds and "test set" not in kinds:
            what = "scores of another tool" if kind == "scores" else kind
            raise ParameterError(
                f"{path}: holds {what}, but the first file is taken for the test set; name "
                f"it with --{kind}: rejoinder {verb} --{kind} {path} {rest}".rstrip()
            )
    _check_format(given)
    instead = "; or give the Parquet file of 'rejoinder score --save' alone" if by_scores else ""
    raise ParameterError(
        f"{path}: is taken for the test set, and no replies are given; name the systems' replies too: "
        f"rejoinder {verb} {path} SYSTEM.jsonl ... {rest}".rstrip()
        + instead
    )


def check_testset_named(given: TextsOptions, rest: str = "") -> None:
    """Raises a ParameterError where every file is one of replies, the test set's too."""
    files = (given.testset, *given.responses)
    if all(map(holds_only_replies, files)):
        verb = click.get_current_context().command_path.partition(" ")[2]
        raise ParameterError(
            f"{given.testset}: holds replies, but the first file is taken for the test set; name the test "
            f"set before it: rejoinder {verb} TESTSET.jsonl {' '.join(map(str, files))} {rest}".rstrip()
        )


def _check_format(given: TextsOptions) -> None:
    """Raises where the test set is no file, or of no known format: replies would not help."""
    from rejoinder.files.reading import existing
    from rejoinder.tables.formats.format_choice import choose

    paths = existing([given.testset], "test set")
    if paths[0].is_file():
        choose(paths, given.format, "test set", given.columns)


def holds_only_replies(path: Path) -> bool:
    """Whether a file can be read as responses, and not as a test set."""
    kinds = _kinds_of(path)
    return "responses" in kinds and "test set" not in kinds


def _kinds_of(path: Path) -> set[str]:
    """The kinds of table that a file can be read as; none where it is no file of a known format."""
    from rejoinder.tables.look import look

    try:
        return {each.kind for each in look(path).readings} if path.is_file() else set()
    except RejoinderError:
        return set()


def measured(
    given: MeasuringOptions,
    without: Sequence[str] = (),
    resamples: int | None = None,
    cluster: str | None = None,
    unused: Sequence[str] = (),
    only: Sequence[str] = (),
) -> tuple[Scores, tuple[TestSet, Responses] | None]:
    """The scores that a verb works on, and their texts: measured, or kept by 'rejoinder score --save'.

    Kept scores are narrowed to the metrics of ``-m``, and to the systems that are not left out.

    Args:
        given: The files, and how to measure.
        without: The systems that are not read.
        resamples: Of the scores; None takes those given.
        cluster: A column of the contexts: items with the same value are not independent.
        unused: The parameters of the verb that kept scores have no use for, besides those of files
            and metrics.
        only: The systems to measure, if all of them are there; empty measures all. Items that other
            systems did not answer then count.
    """
    from rejoinder.tables.selection import only_systems

    check_given(given)
    holds_scores = (
        given.testset is not None and not given.replies and _may_hold_scores(given.testset)
    )
    if given.scores and not given.replies and not holds_scores:
        return _only(given, _by_themselves(given, without, resamples, cluster, only)), None
    if holds_scores:
        scores = narrowed(given.testset, given.metrics, without, unused)
        return _only(given, scores if cluster is None else scores.clustered(cluster)), None
    items, replies = read(given, without)
    texts = items, replies.with_frame(only_systems(replies.frame, only))
    scores = measure(given, *texts, resamples, cluster, metrics_of(given, without, only))
    return _only(given, with_notes(scores, [each.path for each in given.scores])), texts


def _only(given: MeasuringOptions, scores: Scores) -> Scores:
    """The scores of the items of --only, with a note on how many they are."""
    import polars as pl

    if not isinstance(given, ScoringOptions) or not given.only:
        return scores
    scores.need_items()
    columns = dict.fromkeys(column for column, _ in given.only)
    for column in columns:
        if column not in scores.items.columns:
            raise ParameterError(
                f"--only {column}=: the contexts have no column {quoted(column)}; choose "
                f"{one_of(scores.items.columns)}"
            )
    values = {each: [value for column, value in given.only if column == each] for each in columns}
    meets = [pl.col(each).cast(pl.String).is_in(of) for each, of in values.items()]
    ids = scores.items.filter(*meets).get_column("id").to_list()
    words = " ".join(f"--only {column}={value}" for column, value in given.only)
    if not ids:
        raise ParameterError(f"{words}: no item has these values")
    note = f"{words}: {len(ids)} of {scores.items.height} items"
    chosen = scores.select(ids)
    return replace(chosen, notes=(note, *chosen.notes))


def metrics_of(
    given: MeasuredOptions, without: Sequence[str] = (), only: Sequence[str] = ()
) -> list[str | Metric] | None:
    """The metrics named and those of --scores; None for the default metrics."""
    return [*given.metrics, *external(given, without, only)] or None


def external(
    given: ScoreFilesOptions,
    without: Sequence[str] = (),
    only: Sequence[str] = (),
    alone: bool = False,
) -> list[External]:
    """The metrics of the files of --scores.

    Args:
        given: The files.
        without: The systems to be left out.
        only: As for ``measured``.
        alone: Whether no other file says which systems there are.
    """
    from rejoinder.metrics.external import externals
    from rejoinder.tables.external_scores import SegmentScores
    from rejoinder.tables.in_memory import read_as
    from rejoinder.tables.item_clusters import cluster_columns
    from rejoinder.tables.selection import check_systems, only_systems

    paths: dict[tuple[str, tuple[float, float] | None, str], list[Path]] = {}
    for file in given.scores:
        paths.setdefault((file.direction, file.bounds, file.kind), []).append(file.path)
    with Progress("reading"):
        keep = cluster_columns(getattr(given, "cluster", None)) if paths else ()
        how = {"format": given.format, "columns": given.columns, "keep": keep}
        tables = {about: read_as(SegmentScores, each, **how) for about, each in paths.items()}
    every = [table.frame for table in tables.values()]
    click.get_current_context().meta[_SCORES] = every
    if alone:
        names = [name for table in every for name in table.get_column("system").unique()]
        check_systems(without, names)
    metrics: list[External] = []
    for (direction, bounds, kind), table in tables.items():
        frame = table.frame.filter(~table.frame.get_column("system").is_in(list(without)))
        frame = only_systems(frame, only)
        names = frame.get_column("name").unique().to_list()
        metrics += externals(
            table.with_frame(frame),
            lower=names if direction == "lower" else (),
            bounds=None if bounds is None else dict.fromkeys(names, bounds),
            rates=names if kind else (),
        )
    card: Path | None = getattr(given, "card", None)
    if card is not None and metrics:
        from rejoinder.cli.judge_card import check_marks

        gate = getattr(given, "fail_if_worse", None) is not None
        check_marks(
            card, [each.path for each in given.scores], [each.title for each in metrics], gate
        )
    return metrics


_SCORES = "rejoinder.scores"


def read_marks() -> pl.DataFrame:
    """All rows of the files of --scores, which `external` has read."""
    import polars as pl

    return pl.concat(click.get_current_context().meta[_SCORES], how="diagonal")


def _by_themselves(
    given: MeasuringOptions,
    without: Sequence[str],
    resamples: int | None,
    cluster: str | None,
    only: Sequence[str],
) -> Scores:
    """The scores of other tools without any reply, on the items of the test set if one is named."""
    from rejoinder.scoring.external import from_values
    from rejoinder.scoring.scores import Scores

    if "metrics" in from_command_line():
        raise ParameterError(
            f"-m {given.metrics[0]}: it measures replies, and none are given; name the systems' replies "
            "behind the test set, or leave -m out"
        )
    testset = None
    if given.testset is not None:
        with Progress("reading"):
            testset = read_items(given)
    metrics = external(given, without, only, alone=True)
    if given.columns is None and not getattr(given, "ratings", ()):
        from rejoinder.cli.scores_or_ratings import check_no_ratings

        check_no_ratings([file.path for file in given.scores], read_marks())
    scores = from_values(
        metrics,
        testset,
        missing=given.missing,
        cluster=cluster,
        resamples=given.resamples if resamples is None else resamples,
        seed=given.seed,
        **_sample_options(given),
    )
    return with_notes(Scores(**vars(scores)), [each.path for each in given.scores])


def check_given(given: MeasuringOptions) -> None:
    """Raises where neither a test set nor --scores is named: mostly click's error on a missing argument."""
    if given.testset is None and not given.scores:
        ratings = getattr(given, "ratings", None)
        if ratings:
            raise ParameterError(
                f"--ratings {ratings[0]}: ratings need scores beside them, and none are named; name the test "
                "set and the replies, or the scores of another tool with --scores FILE; "
                f"'rejoinder compare --ratings {ratings[0]}' compares the systems by people alone"
            )
        context = click.get_current_context()
        ratings_alone = " people's ratings (--ratings FILE)," if "ratings" in context.params else ""
        raise click.MissingParameter(
            f"Expected: a test set and replies, scores that were saved,{ratings_alone} or scores of another "
            "tool (--scores FILE)",
            ctx=context,
            param_hint="'TESTSET|SCORES'",
            param_type="argument",
        )


def _may_hold_scores(path: Path) -> bool:
    """Whether to open a file as kept scores: it holds them, is damaged, a pipe, or not there."""
    import io

    import polars as pl

    from rejoinder.files.sources import data_of, head_of
    from rejoinder.tables.io.panics import refusing_panics
    from rejoinder.tables.kept_files import holds_scores

    if holds_scores(path) or not path.is_file():
        return True
    try:
        if head_of(path, 4) == b"PAR1":
            with refusing_panics():
                pl.read_parquet_metadata(io.BytesIO(data_of(path)))
    except (pl.exceptions.PolarsError, OSError):
        return True
    return False


def narrowed(
    path: Path, metrics: Sequence[str | Metric], without: Sequence[str], unused: Sequence[str]
) -> Scores:
    """Kept scores of the metrics that are named on the command line, without some systems.

    Args:
        path: Their file.
        metrics: The metrics of the verb.
        without: The systems that are left out.
        unused: See ``measured``.
    """
    import polars as pl

    from rejoinder.tables.selection import without_systems

    scores = kept_scores(path, *unused)
    left = without_systems(pl.DataFrame({"system": scores.names}), without)
    asked = metrics if "metrics" in from_command_line() else None
    return scores.select(metrics=asked, systems=left.get_column("system").to_list())


def kept_scores(path: Path, *further: str) -> Scores:
    """The scores that 'rejoinder score --save' wrote.

    Args:
        path: Their file.
        further: The parameters of the verb that only a measuring makes use of, besides those that
            all verbs have.

    Raises:
        InputError: It is no such file.
        ParameterError: An option is given that would be ignored.
    """
    from rejoinder.scoring.scores import load_scores

    scores = load_scores(path)
    for name, option in from_command_line().items():
        needless = {*_MEASURING_OPTIONS, *further}
        needless |= set() if _reads_ratings() else {"columns", "format"}
        if name in needless:
            raise ParameterError(
                f"{option}: {path} holds scores as they were measured, without texts; name "
                "the test set and the responses to measure anew"
            )
    return scores


def _reads_ratings() -> bool:
    """Whether the command reads ratings too, whose columns the user may name."""
    return bool(click.get_current_context().params.get("ratings"))


_MEASURING_OPTIONS = (
    "scores", "references", "missing", "drop_unusable", "at", "passing",
)  # fmt: skip


def measure(
    given: MeasuringOptions,
    testset: TestSet,
    responses: Responses,
    resamples: int | None = None,
    cluster: str | None = None,
    metrics: Sequence[str | Metric] | None = None,
) -> Scores:
    """Measures with these metrics; None takes the default metrics of the test set."""
    from rejoinder.scoring.score import score

    with Progress("measuring") as tick:
        return score(
            testset,
            responses,
            metrics,
            **given.of(GapsOptions),
            cluster=cluster,
            resamples=given.resamples if resamples is None else resamples,
            seed=given.seed,
            **_sample_options(given),
            progress=tick,
        )


def _sample_options(given: Options) -> dict[str, Any]:
    """The options of a verb that tells what k samples of a prompt reach; of another verb none."""
    return given.of(SamplesOptions) if isinstance(given, SamplesOptions) else {}


def check_block(*given: object) -> None:
    """Raises a ParameterError where --block stands beside an option that needs single items."""
    if any(given):
        raise ParameterError(
            "--block keeps sums of many items, and reads Parquet alone: do without --explain, --by, "
            "--segments, --cluster, --scores, --reference, --without, --missing, --at, --columns and --format"
        )


def stream(given: MeasuringOptions, block: int) -> Scores:
    """Measures Parquet files batch by batch."""
    from rejoinder.scoring.blocks import score_parquet

    with Progress("measuring") as tick:
        return score_parquet(
            given.testset,
            given.responses,
            given.metrics or None,
            block=block,
            drop_unusable=given.drop_unusable,
            **given.of(SamplingOptions),
            progress=tick,
        )


def explain(
    given: MeasuringOptions, testset: TestSet, responses: Responses, id: str, system: str | None
) -> Explanations:
    """What made the score of one item, for each metric and each system (or the one named)."""
    from rejoinder.scoring.explain import explain as explained
    from rejoinder.scoring.explanation import Explanations
    from rejoinder.tables.responses import check_responses

    if not given.metrics:
        note("only deltaBLEU is explained by default; -m explains other metrics")
    if given.missing == "empty":
        responses = responses.with_frame(check_responses(responses, testset, "empty").responses)
    names = responses.frame.get_column("system").unique(maintain_order=True).to_list()
    results = [
        explained(testset, responses, id, name, metric)
        for metric in given.metrics or ["deltableu"]
        for name in ([system] if system else names)
    ]
    return Explanations(tuple(results))


def check_together(given: Options, one: str, other: str) -> None:
    """Raises a ParameterError where two options are given of which one would be ignored."""
    values = getattr(given, one), getattr(given, other)
    if all(each or (each == 0 and each is not False) for each in values):
        raise ParameterError(f"--{one} and --{other} do not go together; give one of them")
