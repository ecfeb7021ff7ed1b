"""Rejoinder: which conversational system is better, and how sure that is.

The names below load on first use, so that ``import rejoinder`` and ``rejoinder --help`` stay quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rejoinder._version import __version__

if TYPE_CHECKING:
    from rejoinder.auditing.audit import audit
    from rejoinder.corpora.filtering import filter_corpus
    from rejoinder.corpora.mining.files import index_corpus
    from rejoinder.corpora.mining.mine import mine
    from rejoinder.diversity.variety import variety
    from rejoinder.files.recording import write_provenance
    from rejoinder.files.shards import merge, shard
    from rejoinder.human_evaluation.preference_summary import preferences
    from rejoinder.human_evaluation.rating_summary import ratings
    from rejoinder.ledger.cards import read_card
    from rejoinder.ledger.claims import write_claim
    from rejoinder.ledger.recording import record_run
    from rejoinder.ledger.runs import freeze_run, runs
    from rejoinder.ledger.verification import verify
    from rejoinder.marking.mark import mark
    from rejoinder.marking.rubric import read_rubric
    from rejoinder.meta_evaluation.correlate import correlate
    from rejoinder.meta_evaluation.judge import judge
    from rejoinder.meta_evaluation.with_people.compare import compare_with_people
    from rejoinder.metrics.external import External
    from rejoinder.metrics.function_metric import metric
    from rejoinder.models.chat.asking import Limits
    from rejoinder.models.likelihood.backend import LocalModel
    from rejoinder.planning.design import plan_design
    from rejoinder.planning.design_progress import follow_design
    from rejoinder.planning.next_items import next_items
    from rejoinder.planning.plan import plan
    from rejoinder.planning.rates import plan_rates
    from rejoinder.references.weighing import weigh
    from rejoinder.reporting.report import report
    from rejoinder.responders.replies import respond
    from rejoinder.scoring.compare import compare
    from rejoinder.scoring.explain_diff import explain_diff
    from rejoinder.scoring.reported import find_settings
    from rejoinder.scoring.score import score
    from rejoinder.scoring.scores import Scores, load_scores
    from rejoinder.tables.convert import convert
    from rejoinder.tables.drawn_items import read_drawn, with_probabilities
    from rejoinder.tables.external_scores import read_scores
    from rejoinder.tables.look import look
    from rejoinder.tables.preferences import read_preferences
    from rejoinder.tables.ratings import read_ratings
    from rejoinder.tables.responses import read_responses
    from rejoinder.tables.testset import TestSet, read_testset
    from rejoinder.tables.write import write_testset
    from rejoinder.training.responder import train_responder
    from rejoinder.training.ruber import train_ruber
    from rejoinder.training.vectors import train_vectors
    from rejoinder.tuning.rerank import rerank
    from rejoinder.tuning.sweep import sweep
    from rejoinder.tuning.tune import tune
    from rejoinder.utterance_quantity.ruq import ruq

__all__ = [
    "External",
    "Limits",
    "LocalModel",
    "Scores",
    "TestSet",
    "__version__",
    "audit",
    "compare",
    "compare_with_people",
    "convert",
    "correlate",
    "explain_diff",
    "filter_corpus",
    "find_settings",
    "follow_design",
    "freeze_run",
    "index_corpus",
    "judge",
    "load_scores",
    "look",
    "mark",
    "merge",
    "metric",
    "mine",
    "next_items",
    "plan",
    "plan_design",
    "plan_rates",
    "preferences",
    "ratings",
    "read_card",
    "read_drawn",
    "read_preferences",
    "read_ratings",
    "read_responses",
    "read_rubric",
    "read_scores",
    "read_testset",
    "record_run",
    "report",
    "rerank",
    "respond",
    "runs",
    "ruq",
    "score",
    "shard",
    "sweep",
    "train_responder",
    "train_ruber",
    "train_vectors",
    "tune",
    "variety",
    "verify",
    "weigh",
    "with_probabilities",
    "write_claim",
    "write_provenance",
    "write_testset",
]

_HOMES = {
    "External": "rejoinder.metrics.external",
    "Limits": "rejoinder.models.chat.asking",
    "LocalModel": "rejoinder.models.likelihood.backend",
    "Scores": "rejoinder.scoring.scores",
    "TestSet": "rejoinder.tables.testset",
    "audit": "rejoinder.auditing.audit",
    "compare": "rejoinder.scoring.compare",
    "compare_with_people": "rejoinder.meta_evaluation.with_people.compare",
    "convert": "rejoinder.tables.convert",
    "correlate": "rejoinder.meta_evaluation.correlate",
    "explain_diff": "rejoinder.scoring.explain_diff",
    "filter_corpus": "rejoinder.corpora.filtering",
    "find_settings": "rejoinder.scoring.reported",
    "index_corpus": "rejoinder.corpora.mining.files",
    "judge": "rejoinder.meta_evaluation.judge",
    "load_scores": "rejoinder.scoring.scores",
    "look": "rejoinder.tables.look",
    "freeze_run": "rejoinder.ledger.runs",
    "record_run": "rejoinder.ledger.recording",
    "runs": "rejoinder.ledger.runs",
    "mark": "rejoinder.marking.mark",
    "merge": "rejoinder.files.shards",
    "metric": "rejoinder.metrics.function_metric",
    "mine": "rejoinder.corpora.mining.mine",
    "next_items": "rejoinder.planning.next_items",
    "plan": "rejoinder.planning.plan",
    "follow_design": "rejoinder.planning.design_progress",
    "plan_design": "rejoinder.planning.design",
    "plan_rates": "rejoinder.planning.rates",
    "read_drawn": "rejoinder.tables.drawn_items",
    "with_probabilities": "rejoinder.tables.drawn_items",
    "preferences": "rejoinder.human_evaluation.preference_summary",
    "ratings": "rejoinder.human_evaluation.rating_summary",
    "read_preferences": "rejoinder.tables.preferences",
    "read_ratings": "rejoinder.tables.ratings",
    "read_responses": "rejoinder.tables.responses",
    "read_rubric": "rejoinder.marking.rubric",
    "read_scores": "rejoinder.tables.external_scores",
    "read_testset": "rejoinder.tables.testset",
    "report": "rejoinder.reporting.report",
    "rerank": "rejoinder.tuning.rerank",
    "respond": "rejoinder.responders.replies",
    "ruq": "rejoinder.utterance_quantity.ruq",
    "score": "rejoinder.scoring.score",
    "shard": "rejoinder.files.shards",
    "sweep": "rejoinder.tuning.sweep",
    "train_responder": "rejoinder.training.responder",
    "train_ruber": "rejoinder.training.ruber",
    "train_vectors": "rejoinder.training.vectors",
    "tune": "rejoinder.tuning.tune",
    "variety": "rejoinder.diversity.variety",
    "verify": "rejoinder.ledger.verification",
    "weigh": "rejoinder.references.weighing",
    "write_claim": "rejoinder.ledger.claims",
    "read_card": "rejoinder.ledger.cards",
    "write_provenance": "rejoinder.files.recording",
    "write_testset": "rejoinder.tables.write",
}


_PACKAGES = ("errors", "metrics")
"""Packages and modules of the library's own that are found by Tab, and load on first use too."""


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _PACKAGES:
        return import_module(f"rejoinder.{name}")
    raise AttributeError(f"module 'rejoinder' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_PACKAGES])
