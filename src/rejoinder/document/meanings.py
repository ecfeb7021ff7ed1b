"""What the keys hold that many results have; a table says what its others hold (``Table.meanings``)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

MEANINGS = {
    "json_version": "Version of the form of this document.",
    "notes": "What is to be said beside the numbers.",
    "signature": "All that the numbers follow from.",
    "signatures": "By metric: all that its numbers follow from.",
    "metric": "Label of the metric.",
    "system": "Name of the system.",
    "by": "What the numbers rest on: people, a judge by its label, or corrected.",
    "a": "First system of the pair.",
    "b": "Second system of the pair.",
    "id": "Id of the item.",
    "criterion": "Criterion of the ratings.",
    "rater": "Name of the rater.",
    "judge": "Label of the judge or metric.",
    "correlation": "Correlation coefficient.",
    "value": "The value, in its own range: not multiplied by 100.",
    "low": "Lower end of the 95% interval; null where there is none.",
    "high": "Upper end of the 95% interval; null where there is none.",
    "n": "Number of observations.",
    "n_samples": "Number of replies: all samples of these prompts.",
    "items": "Number of items, or the items.",
    "clusters": "Number of clusters of items.",
    "design_effect": "By how much clusters multiply the variance.",
    "difference": "Value of a less that of b.",
    "p": "p-value.",
    "p_holm": "p-value after Holm's correction.",
    "p_max": "p-value corrected by the maximum over pairs.",
    "p_randomization": "p-value of approximate randomization, not corrected for several pairs.",
    "p_randomization_holm": "The same after Holm's correction: below 0.05 the two systems differ.",
    "p_bootstrap": "p-value of the paired bootstrap; where it and p_randomization disagree, prefer that one.",
    "p_bootstrap_holm": "The same after Holm's correction.",
    "detectable": "Smallest true difference that is found with 80% power.",
    "wins": "Number of items that a won.",
    "ties": "Number of items that are tied.",
    "losses": "Number of items that a lost.",
    "best_rank": "Best rank that the tests leave possible.",
    "worst_rank": "Worst rank that the tests leave possible.",
    "letters": "Systems that share a letter do not differ significantly.",
    "reason": "Why a number is null.",
    "sentence": "Which system is best, as far as the tests tell.",
    "file": "The file that was written; null where none was.",
    "files": "The files that were written.",
    "figures": "The figures that were written.",
    "pearson": "Pearson's correlation.",
    "spearman": "Spearman's rank correlation.",
    "kendall-b": "Kendall's tau-b.",
}

BESIDE = {
    "low": "Lower end of the 95% interval of {}; null where there is none.",
    "high": "Upper end of the 95% interval of {}; null where there is none.",
    "p": "p-value of {}.",
}
"""What stands beside the value of another column: ``auc_low`` beside ``auc``."""


def meaning_of(name: str, first: Mapping[str, str] = MappingProxyType({})) -> str:
    """What a column holds, in a sentence.

    >>> meaning_of("auc_low")
    'Lower end of the 95% interval of auc; null where there is none.'

    Raises:
        KeyError: Neither ``first``, which is of its table, nor this file says it.
    """
    for known in (first, MEANINGS):
        if name in known:
            return known[name]
    value, _, end = name.rpartition("_")
    return BESIDE[end].format(value)
