"""Table 1 of Galley et al. (2015): sample reference sets with the weights of their references."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from rejoinder.errors import ParameterError
from rejoinder.messages import Argument
from rejoinder.tables.testset import TestSet


def check_cases(testset: TestSet, n: int, ids: Sequence[str]) -> None:
    """Raises a ParameterError where an item cannot be shown: before the work, not after it."""
    if n < 0:
        raise ParameterError(Argument("cases", n), " must be 0 or more")
    known = set(testset.ids)
    for name in ids:
        if name not in known:
            raise ParameterError(f"case {name!r}: the test set has no such item; see its ids")


def table1(
    testset: TestSet, n: int = 2, ids: Sequence[str] = (), seed: int = 12345
) -> pl.DataFrame:
    """The references of a few items with their weights.

    Args:
        testset: Contexts and references.
        n: Number of items, sampled with the seed among those that have two references or more.
        ids: These items instead.
        seed: Random seed.

    Returns:
        A row for each reference, in the order of the test set: ``id``, ``context`` (the turns before
        the message, a line each), ``message``, ``reference``, ``weight`` (null: unweighted), ``source``.

    Raises:
        ParameterError: An item is not in the test set, or ``n`` is negative.

    >>> testset = TestSet.from_lists([["me too!", "why?"]], [[0.8, -0.4]], [["hi", "i like it"]])
    >>> table1(testset).select("message", "reference", "weight").rows()
    [('i like it', 'me too!', 0.8), ('i like it', 'why?', -0.4)]
    """
    check_cases(testset, n, ids)
    chosen = list(dict.fromkeys(ids)) or _sampled(testset, n, seed)
    order = pl.DataFrame({"id": chosen}, schema={"id": pl.String}).with_row_index("place of item")
    turns = pl.col("context")
    contexts = testset.contexts.select(
        "id",
        context=turns.list.head(
            pl.max_horizontal(turns.list.len().cast(pl.Int64) - 1, 0)
        ).list.join("\n"),
        message=turns.list.last(),
    )
    references = testset.references.with_row_index("place of reference")
    table = order.join(contexts, on="id").join(references, on="id")
    return table.sort("place of item", "place of reference").select(
        "id", "context", "message", pl.col("text").alias("reference"), "weight", "source"
    )


def _sampled(testset: TestSet, n: int, seed: int) -> list[str]:
    """So many items with several references, in their own order."""
    counts = testset.references.group_by("id").len()
    several = set(counts.filter(pl.col("len") > 1).get_column("id"))
    usable = [id for id in testset.ids if id in several]
    rng = np.random.default_rng([seed, 4])
    picked = rng.choice(len(usable), min(n, len(usable)), replace=False)
    return [usable[place] for place in sorted(picked.tolist())]
