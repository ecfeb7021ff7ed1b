"""The rows of replies that arrive part by part, as other frameworks hand them over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError, MissingExtraError, ParameterError, RejoinderError
from rejoinder.kernels.arrays import Floats
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.measurement import measure, provided, remarks
from rejoinder.metrics.external import External


def check_framework(package: str) -> None:
    """Checks, without importing it, that the package of a framework is installed.

    Raises:
        MissingExtraError: It is not; the message has the command that installs it.
    """
    if find_spec(package) is None:
        distribution = package.replace("_", "-")
        raise MissingExtraError(
            f"rejoinder.bridges.{package} needs the package {distribution}, which is not installed; "
            f"run: pip install {distribution}"
        )


def metric_of_parts(metric: str | Metric) -> Metric:
    """The metric of a name; one whose rows do not depend on which replies are measured together.

    Raises:
        ParameterError: The name is unknown, or the metric reads all replies at once: distinct-n and
            entropy, scores of other tools, RUBER with ``scale=scored``.
    """
    resolved = registry.metric(metric)
    if isinstance(resolved, External):
        raise ParameterError(
            f"metric '{resolved.label}': its scores belong to systems and ids, which are not known here; "
            "give it to rejoinder.score"
        )
    if not resolved.summable or getattr(resolved, "scale", "") == "scored":
        raise ParameterError(
            f"metric '{resolved.label}': it reads all replies of a system at once, and here they come in "
            "parts; give it to rejoinder.score, or to the bridge to evaluate"
        )
    return resolved


def reply_rows(
    metric: Metric,
    replies: Sequence[str],
    references: Sequence[Sequence[str]],
    weights: Sequence[Sequence[float]] | None = None,
    contexts: Sequence[Sequence[str]] | None = None,
    drop_unusable: bool = False,
) -> tuple[Floats, list[str]]:
    """Measures replies, one for each item.

    Args:
        metric: A metric of ``metric_of_parts``.
        replies: n texts.
        references: For each reply the list of its references.
        weights: The references' weights in [-1, 1], the same shape; None weighs all 1.
        contexts: For each reply the turns before it, oldest first, for metrics that read them.
        drop_unusable: Leave out items that cannot be scored instead of raising.

    Returns:
        The rows of the items that can be scored, float64 [m, k], whose sum is scored by
        ``metric.score``; and notes about the replies.

    Raises:
        InputError: The lists do not fit together, or an item cannot be scored.
    """
    batch = provided([metric], Batch.from_lists(replies, references, weights, contexts))
    unusable, why = metric.unusable(batch)
    if unusable.any() and not drop_unusable:
        first, count = int(np.flatnonzero(unusable)[0]), int(unusable.sum())
        raise InputError(
            f"references[{first}] {why} ({count} of {len(batch)} items); leave such items out or pass "
            "drop_unusable=True"
        )
    rows = measure([metric], batch)[0]
    assert isinstance(rows, np.ndarray)
    return rows[~unusable], remarks({metric.label: metric}, batch)


def score_of_rows(metric: Metric, totals: Floats, count: int) -> float:
    """The corpus score of summed rows, float64 [k]; NaN of no reply.

    Args:
        metric: The metric.
        totals: The sum of the rows.
        count: Number of replies that were summed.
    """
    return float(metric.score(totals)) if count else float("nan")


@contextmanager
def naming(arguments: Mapping[str, str]) -> Iterator[None]:
    """Messages name the arguments of the framework: no name of ours.

    Args:
        arguments: By our names of arguments those of the framework.

    >>> with naming({"references": "target"}):
    ...     raise InputError("references[3]: a number; expected text")
    Traceback (most recent call last):
    ...
    rejoinder.errors.InputError: target[3]: a number; expected text
    """
    try:
        yield
    except RejoinderError as error:
        message = str(error).partition(registry.FROM_ANOTHER_TOOL)[0]
        if isinstance(error, InputError):
            words = re.compile(rf"\b({'|'.join(arguments)})\b(?!=)")
            message = words.sub(lambda word: arguments[word[1]], message)
        error.args = (message,)
        raise
