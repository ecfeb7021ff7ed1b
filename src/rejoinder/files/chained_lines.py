"""Lines that know those before them, so that a damaged, lost or moved one is found when it is read.

Each line ends in ``"check"``: the SHA-256 of the check before it and the line without its own, of
which 16 digits are kept. The chain begins with the file's first line, which holds ``"checked": true``
and no check. It finds damage, and is no signature.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

DIGITS = 16
HEAD = b',"check":"'
TAIL = b'"}'


def begun(header: bytes) -> str:
    """The check that the first line behind a header follows."""
    return hashlib.sha256(header).hexdigest()[:DIGITS]


def linked(before: str, line: bytes) -> tuple[bytes, str]:
    """A line (a JSON object, not empty) with its check behind the check before it, and that check."""
    check = hashlib.sha256(before.encode() + line).hexdigest()[:DIGITS]
    return line[:-1] + HEAD + check.encode() + TAIL, check


def broken(header: bytes, lines: Sequence[bytes]) -> int | None:
    """The place of the first line that is not as it was written; None where all are."""
    before = begun(header)
    for place, line in enumerate(lines):
        plain = line[: -len(HEAD) - DIGITS - len(TAIL)] + b"}"
        whole, before = linked(before, plain)
        if whole != line:
            return place
    return None
