"""The registry of file formats, in the order in which they are recognised."""

from __future__ import annotations

from rejoinder.tables.format import Format, KindName
from rejoinder.tables.formats import (
    argilla,
    chat,
    dailydialog,
    dialogue_text,
    dstc7,
    google_forms,
    grade,
    label_studio,
    moses,
    mturk,
    own_tables,
    potato,
    prodigy,
    qualtrics,
    rated_lists,
    study,
    text,
    wmt,
)
from rejoinder.tables.logs import (
    conversations,
    deepeval,
    dpo,
    exports,
    inspect_ai,
    lm_eval,
    mt_bench,
    promptfoo,
)

FORMATS: tuple[Format, ...] = (
    *dailydialog.FORMATS,
    dstc7.FORMAT,
    grade.FORMAT,
    *rated_lists.FORMATS,
    mturk.FORMAT,
    *label_studio.FORMATS,
    potato.FORMAT,
    potato.INSTANCES,
    google_forms.FORMAT,
    prodigy.FORMAT,
    argilla.FORMAT,
    qualtrics.FORMAT,
    lm_eval.FORMAT,
    inspect_ai.FORMAT,
    promptfoo.FORMAT,
    deepeval.FORMAT,
    mt_bench.FORMAT,
    dpo.FORMAT,
    *conversations.FORMATS,
    *dialogue_text.FORMATS,
    *exports.FORMATS,
    *wmt.FORMATS,
    *chat.FORMATS,
    study.FORMAT,
    *own_tables.FORMATS,
    moses.FORMAT,
    text.FORMAT,
)
"""Published formats come first, because some of them are JSON or CSV as well, with other columns. Files of
one publication may have one name and other kinds of tables."""


def formats_for(*kinds: KindName) -> dict[str, Format]:
    """By name the formats that hold one of these kinds of tables."""
    return {each.name: each for each in FORMATS if not each.reads.keys().isdisjoint(kinds)}
