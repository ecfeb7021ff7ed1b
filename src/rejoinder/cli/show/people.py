"""What each verb shows people, by the names that machine.py has for machines.

No numbers are made here, nor in the modules of tables.
"""

from __future__ import annotations

from rejoinder.cli.show.audit import audit
from rejoinder.cli.show.compare import comparison
from rejoinder.cli.show.correlate import agreement
from rejoinder.cli.show.explain import explanations
from rejoinder.cli.show.judgements import preferences, ratings
from rejoinder.cli.show.metrics import metrics
from rejoinder.cli.show.plan import plan
from rejoinder.cli.show.score import groups, segments, systems

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
