"""The columns of every table, declared once: what they hold, and what else they may be called.

A table is a long Polars frame. Rows are joined by ``id``, never by their position. From a declaration
follow a table's schema, the aliases under which files are read, and what an error proposes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import polars as pl


@dataclass(frozen=True)
class TableColumn:
    """A column of a kind of table.

    Attributes:
        name: Our name of it.
        meaning: What it holds.
        dtype: Its type.
        if_absent: How a table without it is handled: it is ``refused``, its reader has it ``filled``, it
            is ``null`` in each row, or the table goes ``without`` it.
        aliases: Names under which it is read too, in lower case with ``_`` for white space, parted by
            blanks.
        fallbacks: Names under which it is read where no other column has its meaning, written likewise.
        hints: Names that it may have, written likewise: errors propose them, and no file is read by them.
        digits: Whether a whole number in it is the text of its digits.
        may_be_empty: Whether a text in it may be empty, as a reply may.
        noun: What a text in it is the name of, in the singular; empty: of nothing. Several columns of a
            table may name the same, as ``a`` and ``b`` name systems.
    """

    name: str
    meaning: str
    dtype: Any = pl.String
    if_absent: Literal["refused", "filled", "null", "without"] = "refused"
    aliases: str = ""
    fallbacks: str = ""
    hints: str = ""
    digits: bool = False
    may_be_empty: bool = False
    noun: str = ""

    @property
    def is_needed(self) -> bool:
        """Whether a table that is read has it."""
        return self.if_absent in ("refused", "filled")

    @property
    def is_name(self) -> bool:
        """Whether each row names something in it: an item, a system, a rater, ..."""
        return self.is_needed and self.dtype == pl.String and not self.may_be_empty


SAMPLE, PROBABILITY, AGAINST, REFERENCE = "sample", "probability", "against", "reference"
SCORE_KIND, RATE = "kind", "rate"

ID = TableColumn(
    "id",
    "the item",
    noun="item",
    digits=True,
    aliases="item item_id example_id question_id prompt_id sample_id instance_id doc_id",
    hints="context_id instanceid uid index",
)
SYSTEM = TableColumn(
    "system",
    "the system that replies",
    noun="system",
    aliases="model model_name system_name",
    fallbacks="generator model_id",
    hints="system_id systemid sys",
)
_RATER = TableColumn(
    "rater",
    "who rated; `mean` is the mean of several people, and `1`, `2`, ... are places in a list",
    noun="rater",
    if_absent="filled",
    digits=True,
    aliases="annotator annotator_id rater_id worker worker_id workerid participant participant_id",
    hints="judge judgeid coder user",
)
_CRITERION = TableColumn(
    "criterion",
    "what was asked",
    noun="criterion",
    if_absent="filled",
    hints="criteria aspect dimension question",
)
_SAMPLE = TableColumn(
    SAMPLE,
    "which of several replies to one prompt it is",
    noun="sample",
    if_absent="without",
    digits=True,
)
_PROBABILITY = TableColumn(
    PROBABILITY, "that of having been drawn; empty: all alike", pl.Float64, if_absent="without"
)

COLUMNS = {
    "contexts": (
        ID,
        TableColumn(
            "context",
            "the turns so far, oldest first; the last one is the message",
            pl.List(pl.String),
            "filled",
            aliases="prompt input question instruction",
            fallbacks="inputs user_input query user_message",
            hints="history dialogue dialog turns message document article",
        ),
    ),
    "references": (
        ID,
        TableColumn("text", "a reference"),
        TableColumn(
            "weight",
            "a number within [-1, 1]; empty: unweighted",
            pl.Float64,
            "null",
            hints="score rating",
        ),
        TableColumn("source", "whose it is", if_absent="null", hints="origin annotator"),
    ),
    "items": (
        TableColumn(
            REFERENCE,
            "a reference, in a table with a row for each item",
            aliases="target gold label ground_truth expected_output reference_answer",
            fallbacks="answer expected targets reference_outputs",
        ),
        TableColumn(
            "references",
            "a list of references, in a table with a row for each item",
            hints="refs targets target golds gold answers responses completion summary captions",
        ),
    ),
    "responses": (
        replace(SYSTEM, if_absent="filled"),
        ID,
        TableColumn(
            "text",
            "the reply, which may be empty; a reply that is missing has no row",
            may_be_empty=True,
            aliases="prediction response output completion hypothesis generated_text reply",
            fallbacks="outputs predictions actual_output assistant_message answer",
            hints="generated reference",
        ),
        _SAMPLE,
    ),
    "ratings": (
        ID,
        SYSTEM,
        _RATER,
        _CRITERION,
        TableColumn(
            "score",
            "a number on the data's own scale; a reply that somebody did not rate has no row",
            pl.Float64,
            aliases="rating",
            hints="value label grade judgement judgment human_score",
        ),
        TableColumn(
            AGAINST,
            "the system beside whose reply it was rated, if any",
            noun="system",
            if_absent="without",
        ),
        _PROBABILITY,
    ),
    "preferences": (
        ID,
        TableColumn("a", "a system", noun="system", aliases="model_a system_a", hints="left first"),
        TableColumn(
            "b", "another system", noun="system", aliases="model_b system_b", hints="right second"
        ),
        _RATER,
        _CRITERION,
        TableColumn("winner", "`a`, `b` or `tie`", hints="preference preferred choice verdict"),
    ),
    "scores": (
        replace(SYSTEM, if_absent="filled"),
        ID,
        TableColumn(
            "name",
            "which number it is",
            noun="metric",
            if_absent="filled",
            aliases="metric metric_name scorer",
        ),
        TableColumn("value", "a finite number; empty: missing", pl.Float64),
        replace(_SAMPLE, if_absent="null"),
        replace(_RATER, if_absent="null"),
        replace(_PROBABILITY, if_absent="null"),
        TableColumn(
            SCORE_KIND, "`rate`: the mean is a share of replies that pass", if_absent="without"
        ),
    ),
}
"""By kind of table its columns. Contexts may have additional ones of the user's, which are kept."""


def _schema(kind: str) -> dict[str, Any]:
    return {each.name: each.dtype for each in COLUMNS[kind] if each.if_absent != "without"}


CONTEXTS, REFERENCES = _schema("contexts"), _schema("references")
RESPONSES, RATINGS = _schema("responses"), _schema("ratings")
PREFERENCES, SCORES = _schema("preferences"), _schema("scores")

NEEDED = {
    kind: [each.name for each in columns if each.if_absent == "refused"]
    for kind, columns in COLUMNS.items()
}
OPTIONAL = {
    kind: [each.name for each in columns if each.if_absent != "refused"]
    for kind, columns in COLUMNS.items()
}
_EVERY = {each.name: each for columns in COLUMNS.values() for each in columns}
ALIASES = {name: each.aliases.split() for name, each in _EVERY.items() if each.aliases}
FALLBACKS = {name: each.fallbacks.split() for name, each in _EVERY.items()}
HINTS = {
    name: f"{each.aliases} {each.fallbacks} {each.hints}".split() for name, each in _EVERY.items()
}
_OTHERS = ("responses", "ratings", "preferences", "scores")
NOT_OF_ITEMS = {each.name for kind in _OTHERS for each in COLUMNS[kind]} - {"id", SCORE_KIND}

REPEATS = ("run", "repeat", "epoch", "trial", "candidate", "attempt")
"""Columns read as ``sample`` where they tell rows of one reply's id and system apart."""

DETAILS = {
    "first": pl.String,
    "probability": pl.Float64,
    "position": pl.Int64,
    "seconds": pl.Float64,
    "comment": pl.String,
}
"""Optional columns of ratings and preferences that a study of ``rejoinder annotate`` knows.

``first``: which of ``a`` and ``b`` was shown first (of preferences alone); ``probability``: that with
which the question was drawn; ``position``: its place in the rater's order; ``seconds``: how long the
answer took; ``comment``: what the rater wrote.
"""

CANDIDATES = {
    "id": pl.String,
    "text": pl.String,
    "source": pl.String,
    "dialogue": pl.String,
    "turn": pl.Int64,
    "mined_context": pl.List(pl.String),
    "message_score": pl.Float64,
    "response_score": pl.Float64,
    "product": pl.Float64,
}
"""One row per candidate reference that was mined for an item; ``source`` is unique within the item.

``dialogue`` and ``turn`` (from 0) say where it stands in the corpus, ``mined_context`` what was said
before it there. They and the scores are null where the candidate is the item's own message.
"""

DRAWN = {
    "id": pl.String,
    "probability": pl.Float64,
    "earlier": pl.Float64,
    "status": pl.String,
}
"""One row per item of which some were drawn for rating.

``probability`` is that of having been drawn so far, also of the items that were not, ``earlier`` that
of having been drawn before the last draw; ``status`` is ``rated``, ``next`` (drawn, to be rated) or
``left``.
"""
