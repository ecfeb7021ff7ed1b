"""Replies with all their scores, as in Table 3 of Tao et al. (2018)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from rejoinder.errors import ParameterError
from rejoinder.messages import Argument
from rejoinder.recipes.tao2018.study import Study
from rejoinder.tables.testset import first_references


def cases(study: Study, n: int = 2, ids: Sequence[str] = ()) -> pl.DataFrame:
    """The rated replies to a few contexts with all their scores, as in the paper's Table 3.

    Args:
        study: The study whose replies are listed.
        n: Number of contexts, sampled with the study's seed: nobody picks those that suit a metric.
        ids: These contexts instead.

    Returns:
        One row for each rated reply: ``id``, ``query`` (the message), ``reference`` (the first),
        ``system``, ``reply``, ``human``, and each metric under its label. Scores are as measured;
        the paper rescales all of them to its raters' 0 to 2.

    Raises:
        ParameterError: A context is not in the study, or ``n`` is negative.
    """
    if n < 0:
        raise ParameterError(Argument("cases", n), " must be 0 or more")
    seen = study.pooled.observations().drop("group")
    rated: list[str] = seen.get_column("id").unique(maintain_order=True).to_list()
    for name in ids:
        if name not in rated:
            raise ParameterError(
                f"case '{name}' is no rated item of the study; the first are "
                f"{', '.join(repr(each) for each in rated[:5])}"
            )
    chosen = list(dict.fromkeys(ids)) or _drawn(rated, n, study.seed)
    testset = study.replies.testset
    queries = testset.contexts.select("id", query=pl.col("context").list.last())
    first = first_references(testset)
    order = pl.DataFrame({"id": chosen}, schema={"id": pl.String}).with_row_index(" place")
    whole = (
        order.join(queries, on="id", how="left")
        .join(first.select("id", reference="text"), on="id", how="left")
        .join(seen, on="id")
        .join(study.replies.responses.rename({"text": "reply"}), on=["id", "system"], how="left")
    )
    systems = {name: place for place, name in enumerate(study.replies.systems)}
    whole = whole.with_columns(
        pl.col("system").replace_strict(systems, return_dtype=pl.Int64).alias(" system")
    ).sort(" place", " system")
    labels = [name for name in study.headings if name in seen.columns]
    return whole.select("id", "query", "reference", "system", "reply", "human", *labels)


def _drawn(rated: list[str], n: int, seed: int) -> list[str]:
    """So many contexts, in their own order."""
    rng = np.random.default_rng([seed, 3])
    picked = rng.choice(len(rated), min(n, len(rated)), replace=False)
    return [rated[place] for place in sorted(picked.tolist())]
