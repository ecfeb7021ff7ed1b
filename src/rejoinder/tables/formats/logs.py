"""Logs of evaluation tools as formats of test sets and responses."""

from __future__ import annotations

from functools import partial

from rejoinder.tables.formats.format import Format
from rejoinder.tables.logs.registry import LOGS
from rejoinder.tables.logs.samples import Log, responses_of, testset_of


def _format(log: Log) -> Format:
    return Format(
        log.name,
        log.description,
        log.recognise,
        partial(testset_of, log) if log.has_items else None,
        lambda paths, ids: responses_of(log, paths[0]),
        holds_all=lambda path: log.has_items,
    )


FORMATS = tuple(_format(log) for log in LOGS)
