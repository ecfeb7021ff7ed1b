"""The columns of every table, declared once.

A table is a long Polars frame. Rows are joined by ``id``, never by their position.
"""

from __future__ import annotations

import polars as pl

CONTEXTS = {"id": pl.String, "context": pl.List(pl.String)}
"""One row per item: the turns so far, oldest first; the last one is the message.

Further scalar columns of the user's (``topic``, ...) may stand beside these and are kept.
"""

REFERENCES = {"id": pl.String, "text": pl.String, "weight": pl.Float64, "source": pl.String}
"""Zero or more rows per item. ``weight`` is null where unweighted, else within [-1, 1]."""

SAMPLE = "sample"
"""An optional column of responses and scores: which of several replies to one prompt this is."""

RESPONSES = {"system": pl.String, "id": pl.String, "text": pl.String}
"""One row per system and item, or several that differ in ``sample``.

An empty text is a reply; a reply that is missing has no row.
"""

RATINGS = {
    "id": pl.String,
    "system": pl.String,
    "rater": pl.String,
    "criterion": pl.String,
    "score": pl.Float64,
}
"""One row per rating. A reply that somebody did not rate has no row; the scale is the data's own.

The rater ``mean`` is no person: its score is the mean of several people whose single ratings are
not known. Where the data has no names, ``1``, ``2``, ... are places in a list, which may be other
people for every item.
"""

PROBABILITY = "probability"
"""An optional column of ratings and scores: the probability with which the item was drawn.

Null where all items were drawn alike, or all of them were taken.
"""

AGAINST = "against"
"""An optional column of ratings: the system beside whose reply this reply was rated.

Null where a reply was rated by itself. One rater may rate one reply in several pairs of systems.
"""

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

PREFERENCES = {
    "id": pl.String,
    "a": pl.String,
    "b": pl.String,
    "rater": pl.String,
    "criterion": pl.String,
    "winner": pl.String,
}
"""One row per comparison of two systems' replies; ``winner`` is ``a``, ``b`` or ``tie``."""

SCORES = {
    "system": pl.String,
    "id": pl.String,
    "name": pl.String,
    "value": pl.Float64,
    "sample": pl.String,
    "rater": pl.String,
    "probability": pl.Float64,
}
"""One row per number that another tool gave a reply; ``name`` says which number it is.

``value`` is null where it is missing. ``sample`` tells several replies to one prompt apart, ``rater``
several judges under one name; both are null where there is one alone. ``probability`` is that with
which the reply was drawn; null: all alike.
"""

OPTIONAL_SCORES = ("sample", "rater", "probability")
"""The columns of ``SCORES`` that a table may lack."""

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
