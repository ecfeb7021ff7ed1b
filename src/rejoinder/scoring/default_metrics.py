"""The metrics where none are named: the one rule of Python and of the command line."""

from __future__ import annotations

DEFAULT_METRICS = ("deltableu", "bleu", "sbleu", "rougeL", "distinct", "length")


def default_metrics(weighted: bool) -> list[str]:
    """The default metrics of a test set.

    deltaBLEU is among them where a reference has a weight. Without any weight it is BLEU.

    >>> default_metrics(weighted=False)
    ['bleu', 'sbleu', 'rougeL', 'distinct', 'length']
    """
    return [name for name in DEFAULT_METRICS if weighted or name != "deltableu"]
