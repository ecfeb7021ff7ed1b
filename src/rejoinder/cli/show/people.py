"""What verbs show people, by the names that machine.py has for machines."""

from __future__ import annotations

from rejoinder.cli.show.judgements import preferences, ratings
from rejoinder.cli.show.metrics import metrics

__all__ = ["metrics", "preferences", "ratings"]
