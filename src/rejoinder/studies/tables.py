"""The tables of a study: its settings, questions, raters, assignments and answers."""

from __future__ import annotations

from rejoinder.files.checked_tables import Layout
from rejoinder.messages import Call

_TABLES = """
CREATE TABLE study (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    checksum TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE block (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('rated', 'training', 'attention')),
    given INTEGER NOT NULL DEFAULT 0,
    checksum TEXT NOT NULL DEFAULT ''
);
CREATE INDEX block_by_number ON block (kind, given, id);
CREATE TABLE question (
    id INTEGER PRIMARY KEY,
    block INTEGER NOT NULL REFERENCES block,
    item TEXT NOT NULL,
    content TEXT NOT NULL,
    systems TEXT NOT NULL,
    probability REAL,
    checksum TEXT NOT NULL DEFAULT ''
);
CREATE INDEX question_by_block ON question (block, id);
CREATE TABLE rater (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    digest BLOB NOT NULL UNIQUE,
    token TEXT NOT NULL,
    code TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('link', 'joined', 'page')),
    platform_id TEXT UNIQUE,
    begun REAL,
    consented REAL,
    checksum TEXT NOT NULL DEFAULT ''
);
CREATE TABLE assignment (
    id INTEGER PRIMARY KEY,
    rater INTEGER NOT NULL REFERENCES rater,
    block INTEGER NOT NULL REFERENCES block,
    question INTEGER NOT NULL REFERENCES question,
    position INTEGER NOT NULL,
    arrangement TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'reopened', 'released')),
    expires REAL,
    shown REAL,
    revisions INTEGER NOT NULL DEFAULT 0,
    checksum TEXT NOT NULL DEFAULT '',
    UNIQUE (rater, position),
    UNIQUE (rater, question)
);
CREATE INDEX assignment_by_block ON assignment (rater, block);
CREATE INDEX assignment_by_state ON assignment (state, expires);
CREATE TABLE answer (
    assignment INTEGER NOT NULL REFERENCES assignment,
    revision INTEGER NOT NULL,
    at REAL NOT NULL,
    seconds REAL,
    choices TEXT NOT NULL,
    comment TEXT NOT NULL,
    checksum TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (assignment, revision)
) WITHOUT ROWID;
"""

STUDY = Layout(
    _TABLES,
    ("study", "block", "question", "rater", "assignment", "answer"),
    application=0x524A4E44,
    version=2,
    kind="study",
    entry="answer",
    log=True,
    remedies={
        "absent": "make one by naming a test set",
        "foreign": "name one that annotate has made",
        "version": ", whose rows have checksums; open and export it with the version of "
        "Rejoinder that made it",
        "damaged": f"restore a copy of it, or export what is whole with '{Call('export with salvage=True')}'",
    },
)
"""What a database of a study is."""
