"""Why ratings and scores cannot be put together: ratings chosen by scores, scores made from ratings."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from rejoinder.errors import InputError
from rejoinder.human_evaluation.summary import judgements_hash
from rejoinder.messages import p_value, quoted
from rejoinder.meta_evaluation.with_people.replies import RepliesWithRatings
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import PERFECT, is_least_p
from rejoinder.statistics.correlation import pearson
from rejoinder.statistics.prediction_powered import FEWEST_LABELLED
from rejoinder.statistics.selection import DRAWS, selection
from rejoinder.tables.schemas import PROBABILITY

REFUSED, NOTED = 0.001, 0.01
"""Ratings are refused, or noted, where at most so many random draws differ as much in their scores."""

_REMEDY = "leave {} out, or give ratings that it has not seen"


def check_not_fitted(
    replies: RepliesWithRatings, signatures: Mapping[str, str], table: pl.DataFrame
) -> None:
    """Refuses a predictor that was made from these ratings.

    Args:
        replies: The replies.
        signatures: By predictor its signature.
        table: The ratings.

    Raises:
        InputError: As for ``check_signatures``, or the scores of all rated replies follow from the
            ratings exactly.
    """
    check_signatures(signatures, table)
    rated = replies.rated
    for place, label in enumerate(replies.labels):
        remedy = _REMEDY.format(quoted(label))
        alone = "if it agrees with people by itself, compare by its scores alone, without ratings"
        x, y = replies.values[place][rated], replies.ratings[rated]
        if x.size < FEWEST_LABELLED or np.unique(y).size < 3:
            continue
        if abs(float(pearson(x, y))) > PERFECT:
            raise InputError(
                f"{label}: the scores of all {x.size} rated replies follow from their ratings exactly, "
                f"so that they seem to be made from them, and no error is left to correct; {remedy}; "
                f"{alone}"
            )


def check_signatures(signatures: Mapping[str, str], table: pl.DataFrame) -> None:
    """Refuses a predictor whose signature names the hash of the ratings.

    The signature of ``rejoinder.ratings`` holds that hash, so that a signature of one's own may name it.

    Args:
        signatures: By predictor its signature.
        table: The ratings.

    Raises:
        InputError: One does.
    """
    digest = judgements_hash(table.drop(PROBABILITY, strict=False))
    for label, signature in signatures.items():
        if digest in signature:
            raise InputError(
                f"{label}: its signature names these ratings (hash {digest}): it was fitted on them, and "
                f"a comparison with them would find too little error; {_REMEDY.format(quoted(label))}"
            )


def selection_notes(replies: RepliesWithRatings, seed: int) -> list[str]:
    """A note where rated items differ from the others in their scores more than chance explains.

    Systems that are rated on the same items are tested together, by their scores, the mean of these
    and their spread; p is corrected for the number of such sets of systems (Bonferroni).

    Raises:
        InputError: They differ so much that the items were chosen by their scores.
    """
    if replies.probabilities is not None:
        return []
    by_items: dict[bytes, list[int]] = {}
    for s in range(len(replies.systems)):
        key = replies.rated[s].tobytes() + replies.scored[s].tobytes()
        by_items.setdefault(key, []).append(s)
    rng = np.random.default_rng([seed, 2])
    worst, what, limit = 1.0, "", False
    for systems in by_items.values():
        columns, names = _columns(replies, systems)
        scored = np.flatnonzero(replies.scored[systems[0]])
        groups = Groups.of(replies.group[scored], scored.size)
        means = groups.sums(columns[scored]) / groups.size[:, None]
        labelled = groups.sums(replies.rated[systems[0]][scored].astype(float)) / groups.size
        test = selection(means, labelled, rng, max(DRAWS, 1000 * len(by_items)))
        p = min(1.0, test.p * len(by_items))
        if p < worst:
            higher = "higher" if test.deviations > 0 else "lower"
            limit = is_least_p(test.p, test.draws)
            worst, what = p, f"rated items have {higher} values of {names[test.score]}"
    if worst > NOTED:
        return []
    text = f"{what} than random items would (p {p_value(worst, limit)})"
    if worst <= REFUSED:
        raise InputError(
            f"ratings: {text}; a correction holds only for items drawn without a look at their scores: "
            "have items rated that were drawn at random, or give the probability with which each was "
            "drawn in the column 'probability'"
        )
    return [f"{text}: the correction holds only if items were drawn without a look at their scores"]


def _columns(replies: RepliesWithRatings, systems: list[int]) -> tuple[np.ndarray, list[str]]:
    """Scores in which rated items could differ, float64 [n, T], and what each is called."""
    columns, names = [], []
    for place, label in enumerate(replies.labels):
        values = replies.values[place, systems]
        values = values / (np.abs(values[np.isfinite(values)]).max(initial=0.0) or 1.0)
        columns += list(values)
        names += [f"{label} of '{replies.systems[s]}'" for s in systems]
        if len(systems) > 1:
            columns += [values.mean(axis=0), values.std(axis=0)]
            names += [f"the mean {label} of systems", f"the spread of {label} between systems"]
    return np.stack(columns, axis=1), names
