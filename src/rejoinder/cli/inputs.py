"""From the paths on the command line to scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

from rejoinder.cli.progress import Progress
from rejoinder.errors import ParameterError

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.scoring.explain import Explanation
    from rejoinder.scoring.scores import Scores
    from rejoinder.tables.responses import Missing
    from rejoinder.tables.testset import TestSet


def read(
    testset: Path,
    references: Sequence[Path] | None,
    responses: Sequence[Path] | None,
    testset_format: str | None,
    responses_format: str | None,
) -> tuple[TestSet, pl.DataFrame]:
    """Reads a test set and the responses to it."""
    from rejoinder.tables.responses import read_responses
    from rejoinder.tables.testset import read_testset

    if not responses:
        raise ParameterError(
            f"{testset}: a test set alone; name the systems' replies too: "
            f"rejoinder score {testset} SYSTEM.jsonl ..."
        )
    with Progress("reading"):
        items = read_testset(testset, *(references or ()), format=testset_format)
        return items, read_responses(*responses, format=responses_format, ids=items.ids)


def measure(
    testset: TestSet,
    responses: pl.DataFrame,
    metrics: Sequence[str] | None,
    missing: str,
    drop_unusable: bool,
    resamples: int,
    seed: int,
) -> Scores:
    """Measures with the metrics wanted, or with those that suit the test set."""
    from rejoinder.scoring.score import score, suited

    with Progress("measuring") as tick:
        return score(
            testset,
            responses,
            list(metrics) if metrics else suited(testset),
            missing=cast("Missing", missing),
            drop_unusable=drop_unusable,
            resamples=resamples,
            seed=seed,
            progress=tick,
        )


def check_block(*given: object) -> None:
    """Raises a ParameterError where --block stands beside an option that needs single items."""
    if any(given):
        raise ParameterError(
            "--block keeps sums of many items, and reads Parquet alone: do without --explain, --by, "
            "--segments, --reference and the formats"
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
    from rejoinder.scoring.stream import score_parquet

    with Progress("measuring") as tick:
        return score_parquet(
            testset,
            responses,
            metrics or ["deltableu", "bleu"],
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
) -> list[Explanation]:
    """What made the score of one item, for each metric and each system (or the one named)."""
    from rejoinder.scoring.explain import explain as explained

    names = responses.get_column("system").unique(maintain_order=True).to_list()
    return [
        explained(testset, responses, id, name, metric)
        for metric in metrics or ["deltableu"]
        for name in ([system] if system else names)
    ]


def shown(json: bool) -> ModuleType:
    """What shows results: render.py to people, machine.py (which imports less) to machines."""
    from importlib import import_module

    return import_module(f"rejoinder.cli.{'machine' if json else 'render'}")
