"""What each verb shows people, by the names that machine.py has for machines.

No numbers are made here, nor in the modules of tables.
"""

from __future__ import annotations

from rejoinder.cli.audit_tables import audit
from rejoinder.cli.compare_tables import comparison
from rejoinder.cli.correlate_tables import agreement
from rejoinder.cli.explain_tables import explanations
from rejoinder.cli.judgement_tables import preferences, ratings
from rejoinder.cli.metrics_table import metrics
from rejoinder.cli.plan_tables import plan
from rejoinder.cli.score_tables import groups, segments, systems

__all__ = [
    "agreement",
    "audit",
    "comparison",
    "explanations",
    "groups",
    "metrics",
    "plan",
    "preferences",
    "ratings",
    "segments",
    "systems",
]
