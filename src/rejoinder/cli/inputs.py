"""From the paths on the command line to scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rejoinder.cli.terminal.progress import Progress
from rejoinder.errors import ParameterError

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.scoring.explain import Explanation
    from rejoinder.scoring.scores import Scores
    from rejoinder.tables.responses import Missing
    from rejoinder.tables.testset import TestSet


def responses_of(
    testset: Path, responses: Sequence[Path], testset_format: str | None
) -> tuple[Path, ...]:
    """The responses named, or the test set's own file where it is one table of all."""
    from rejoinder.errors import RejoinderError
    from rejoinder.files.reading import existing
    from rejoinder.scoring.store import holds_scores
    from rejoinder.tables.formats import holds_all

    if responses or holds_scores(testset):
        return tuple(responses)
    try:
        (path,) = existing([testset], "test set")
        return (testset,) if holds_all(path, testset_format, None) else ()
    except RejoinderError:
        return ()  # whoever reads the test set says what is wrong


def read(
    testset: Path,
    references: Sequence[Path] | None,
    responses: Sequence[Path] | None,
    testset_format: str | None,
    responses_format: str | None,
    without: Sequence[str] = (),
) -> tuple[TestSet, pl.DataFrame]:
    """Reads a test set and the responses to it, but for the systems to be left out."""
    from rejoinder.tables.responses import read_responses
    from rejoinder.tables.selection import without_systems
    from rejoinder.tables.testset import read_testset

    if not responses:
        raise ParameterError(
            f"{testset}: a test set alone; name the systems' replies too: "
            f"rejoinder score {testset} SYSTEM.jsonl ..."
        )
    with Progress("reading"):
        if tuple(responses) == (testset,):
            responses_format = testset_format
        items = read_testset(testset, *(references or ()), format=testset_format)
        replies = read_responses(*responses, format=responses_format, ids=items.ids)
    return items, without_systems(replies, without)


def read_rated(
    paths: Sequence[Path],
    format: str | None,
    criterion: str | None,
    scale: tuple[float, float] | None,
) -> pl.DataFrame:
    """Reads people's ratings, and sees that they are on their scale: before anything is measured."""
    from rejoinder.human_evaluation.grades import check_scale
    from rejoinder.tables.ratings import read_ratings
    from rejoinder.tables.selection import of_criterion

    with Progress("reading"):
        table = read_ratings(*paths, format=format)
    if scale is not None:
        check_scale(of_criterion(table, criterion), scale)
    return table


def refuse_scores(path: Path, verb: str) -> None:
    """Raises a ParameterError where kept scores are given to a verb that reads the texts themselves."""
    from rejoinder.scoring.store import holds_scores

    if holds_scores(path):
        raise ParameterError(
            f"{path}: these are kept scores, which hold no texts, and '{verb}' reads the texts; name "
            f"the test set and the systems' replies: rejoinder {verb} TESTSET.jsonl SYSTEM.jsonl ..."
        )


def check_named(testset: Path, responses: Sequence[Path], verb: str, rest: str = "") -> None:
    """Raises a ParameterError where a verb on texts is given no responses.

    Args:
        testset: The file that stands alone; kept scores get a message of their own.
        responses: The files of responses.
        verb: The verb, for the message.
        rest: What the verb needs besides, for the message.
    """
    if responses:
        return
    refuse_scores(testset, verb)
    command = f"rejoinder {verb} {testset} SYSTEM.jsonl ... {rest}".rstrip()
    raise ParameterError(f"{testset}: a test set alone; name the systems' replies too: {command}")


def kept(path: Path, *further: str) -> Scores:
    """The scores that 'rejoinder score --save' wrote.

    Args:
        path: Their file.
        further: The parameters of the verb that only a measuring makes use of, besides those that
            all verbs have.

    Raises:
        InputError: It is no such file.
        ParameterError: An option is given that would be ignored.
    """
    import click
    from click.core import ParameterSource

    from rejoinder.scoring.scores import load_scores

    scores = load_scores(path)
    context = click.get_current_context()
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if given and option.name in {*_OF_MEASURING, *further}:
            raise ParameterError(
                f"{option.opts[0]}: {path} holds scores as they were measured, without texts; name "
                "the test set and the responses to measure anew"
            )
    return scores


_OF_MEASURING = (
    "metrics", "references", "missing", "drop_unusable", "testset_format", "responses_format"
)  # fmt: skip


def measure(
    testset: TestSet,
    responses: pl.DataFrame,
    metrics: Sequence[str] | None,
    missing: str,
    drop_unusable: bool,
    resamples: int,
    seed: int,
    cluster: str | None = None,
) -> Scores:
    """Measures with the metrics named, or with the default metrics of the test set."""
    from rejoinder.scoring.score import score

    with Progress("measuring") as tick:
        return score(
            testset,
            responses,
            list(metrics) if metrics else None,
            missing=cast("Missing", missing),
            drop_unusable=drop_unusable,
            cluster=cluster,
            resamples=resamples,
            seed=seed,
            progress=tick,
        )


def check_block(*given: object) -> None:
    """Raises a ParameterError where --block stands beside an option that needs single items."""
    if any(given):
        raise ParameterError(
            "--block keeps sums of many items, and reads Parquet alone: do without --explain, --by, "
            "--segments, --cluster, --reference, --without, --missing and the formats"
        )


def stream(
    testset: Path,
    responses: Sequence[Path],
    metrics: Sequence[str] | None,
    block: int,
    drop_unusable: bool,
    resamples: int,
    seed: int,
) -> Scores:
    """Measures Parquet files batch by batch."""
    from rejoinder.scoring.blocks import score_parquet

    with Progress("measuring") as tick:
        return score_parquet(
            testset,
            responses,
            metrics or None,
            block=block,
            drop_unusable=drop_unusable,
            resamples=resamples,
            seed=seed,
            progress=tick,
        )


def explain(
    testset: TestSet,
    responses: pl.DataFrame,
    id: str,
    system: str | None,
    metrics: Sequence[str] | None,
    missing: str,
) -> list[Explanation]:
    """What made the score of one item, for each metric and each system (or the one named)."""
    from rejoinder.cli.terminal.speech import note
    from rejoinder.scoring.explain import explain as explained
    from rejoinder.tables.responses import check_responses

    if not metrics:
        note("only deltaBLEU is explained by default; -m explains other metrics")
    if missing == "empty":
        responses = check_responses(responses, testset, "empty").responses
    names = responses.get_column("system").unique(maintain_order=True).to_list()
    return [
        explained(testset, responses, id, name, metric)
        for metric in metrics or ["deltableu"]
        for name in ([system] if system else names)
    ]


def check_together(options: Mapping[str, object], *clashes: tuple[str, str]) -> None:
    """Raises a ParameterError where two options are given of which one would be ignored."""
    for one, other in clashes:
        if options[one] and options[other]:
            raise ParameterError(f"{one} and {other} do not go together; give one of them")
