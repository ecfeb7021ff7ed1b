"""Our metrics as a module of Hugging Face's ``evaluate``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from rejoinder.bridges.reply_rows import check_framework, naming
from rejoinder.errors import InputError
from rejoinder.messages import counted
from rejoinder.metrics.base import Metric
from rejoinder.references.text_notes import without_remedy
from rejoinder.scoring.score import score
from rejoinder.tables.testset import TestSet

check_framework("evaluate")

import datasets  # noqa: E402
import evaluate  # noqa: E402

_DESCRIPTION = "Metrics of open-domain dialogue with 95% intervals: what rejoinder.score computes."
_INPUTS = """
Args of ``compute``:
    predictions: The replies.
    references: For each reply the list of its references, or a single reference.
    metrics: Names of metrics with parameters (``["bleu:order=4", "chrf"]``), or metrics.
        Default: those of ``rejoinder.score``.
    weights: For each reply the list of its references' weights in [-1, 1].
    contexts: For each reply the turns before it, oldest first.
    intervals: Add ``<metric>_low`` and ``<metric>_high``, the 95% interval over replies.
    details: Add ``signatures``, by metric, and ``notes``. Without it notes are warnings.
    drop_unusable: Leave out replies that a metric cannot score instead of raising.
Returns:
    The score of each metric by its label, in its own range.
"""
_ARGUMENTS = {"hypotheses": "predictions", "responses": "predictions"}


class RejoinderScores(evaluate.Metric):
    """A module of ``evaluate`` that scores replies with any of our metrics.

    All replies are scored together, also those that several processes collected, so that metrics of
    all replies at once (distinct-n) work as well. ``compute`` gives the numbers of
    ``rejoinder.score`` by the metrics' labels.

    A file with the line ``from rejoinder.bridges.evaluate import RejoinderScores`` is a module that
    ``evaluate.load`` takes by its path.

    >>> module = RejoinderScores(keep_in_memory=True)
    >>> module.compute(
    ...     predictions=["so so", "no"], references=[["so it is"], ["no"]], metrics=["bleu:order=1"]
    ... )
    {'BLEU-1': 0.47768754038252614}
    """

    def _info(self) -> evaluate.MetricInfo:
        text, texts = datasets.Value("string"), datasets.Sequence(datasets.Value("string"))
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=_INPUTS,
            features=[
                datasets.Features({"predictions": text, "references": texts}),
                datasets.Features({"predictions": text, "references": text}),
            ],
        )

    def compute(  # type: ignore[override]
        self,
        *,
        predictions: Sequence[str] | None = None,
        references: Sequence[str] | Sequence[Sequence[str]] | None = None,
        **given: Any,
    ) -> dict[str, Any] | None:
        """The scores of all replies that were added, and of these; see ``_INPUTS``.

        Returns:
            The scores by label; None in every process but the first.

        Raises:
            InputError: There is no reply, the lists do not fit together, or a reply cannot be scored.
            ParameterError: A metric or a parameter is unknown.
        """
        if self.writer is None and not _texts(predictions, references):
            raise InputError(
                "predictions: no reply; give compute the lists predictions= and references=, or add "
                "replies with add_batch or add first"
            )
        return super().compute(predictions=predictions, references=references, **given)

    def add_batch(  # type: ignore[override]
        self,
        *,
        predictions: Sequence[str] | None = None,
        references: Sequence[str] | Sequence[Sequence[str]] | None = None,
        **given: Any,
    ) -> None:
        """Adds replies, which may be none.

        Raises:
            InputError: The lists do not fit together.
        """
        if _texts(predictions, references):
            super().add_batch(predictions=predictions, references=references, **given)

    def _compute(  # type: ignore[override]
        self,
        *,
        predictions: Sequence[str],
        references: Sequence[str] | Sequence[Sequence[str]],
        metrics: Sequence[str | Metric] | str | Metric | None = None,
        weights: Sequence[Sequence[float]] | None = None,
        contexts: Sequence[Sequence[str]] | None = None,
        intervals: bool = False,
        details: bool = False,
        drop_unusable: bool = False,
    ) -> dict[str, Any]:
        """The scores by label; see ``_INPUTS``, which ``compute`` shows as its help.

        Raises:
            InputError: The lists do not fit together, or a reply cannot be scored.
            ParameterError: A metric or a parameter is unknown.
        """
        lists = [[each] if isinstance(each, str) else each for each in references]
        for place, text in enumerate(predictions):
            if not isinstance(text, str):
                raise InputError(f"predictions[{place}]: {text!r}; expected a text")
        with naming(_ARGUMENTS):
            ids = [f"predictions[{place}]" for place in range(len(predictions))]
            testset = TestSet.from_lists(lists, weights, contexts, ids)
            replies = [
                {"system": "predictions", "id": id, "text": text}
                for id, text in zip(ids, predictions, strict=True)
            ]
            scores = score(
                testset,
                replies,
                [metrics] if isinstance(metrics, str | Metric) else metrics,
                drop_unusable=drop_unusable,
                resamples=1000 if intervals else 0,
            )
        notes = [without_remedy(note) for note in scores.notes]
        results: dict[str, Any] = {}
        for row in scores.systems().iter_rows(named=True):
            results[row["metric"]] = row["value"]
            if intervals:
                results[f"{row['metric']}_low"] = row["low"]
                results[f"{row['metric']}_high"] = row["high"]
        if details:
            table = scores.systems()
            results["signatures"] = dict(zip(table["metric"], table["signature"], strict=True))
            results["notes"] = notes
        elif notes:
            warnings.warn("; ".join(notes), UserWarning, stacklevel=2)
        return results


def _texts(predictions: Any, references: Any) -> int:
    """How many replies these lists hold; 0 without lists.

    Raises:
        InputError: One is given without the other, is a single text, or is longer than the other.
    """
    if predictions is None and references is None:
        return 0
    given: dict[str, Any] = {"predictions": predictions, "references": references}
    for name, each in given.items():
        if each is None:
            raise InputError(f"{name}: not given; give predictions= and references= together")
        if isinstance(each, str):
            raise InputError(f"{name}: a single text; expected a list with an entry for each reply")
    texts, lists = (len(each) for each in given.values())
    if texts != lists:
        raise InputError(
            f"predictions: {counted(texts, 'text')}, references: {counted(lists, 'entry', 'entries')}; "
            "expected an entry for each text"
        )
    return texts
