"""Logs of evaluation tools, one small file each: replies with what they answer and their scores.

``LOGS`` is the one place that lists them: ``tables.formats`` reads their test sets and replies, and
``tables.score_formats`` the numbers that the tools gave.
"""

from rejoinder.tables.logs import batch_output, deepeval, inspect_ai, lm_eval, promptfoo, wmt
from rejoinder.tables.logs.samples import Log

LOGS: tuple[Log, ...] = (
    lm_eval.LOG,
    inspect_ai.LOG,
    batch_output.LOG,
    promptfoo.LOG,
    deepeval.LOG,
    wmt.LOG,
)
