"""How an answer of the command line is judged in the size ladder."""

from __future__ import annotations

import json

from ladder_data import Rung
from ladder_verbs import Entry, Line


def refuse(name: str) -> None:
    """What JSON does not have: NaN, Infinity."""
    raise AssertionError(f"{name} is no JSON")


def check(
    verb: str, entry: Entry, rung: Rung, line: Line, status: int, out: str, err: str, as_json: bool
) -> bool:
    """Raises unless the answer is a result, or one clear message; whether it is a result."""
    what = f"{verb}, {rung!r}: {err[-2000:] or out[-2000:]}"
    assert "Traceback" not in err, what
    assert "Warning" not in err, what
    assert "internal error" not in err, what
    if status == 0:
        assert out.strip(), what
        if as_json:
            counts = set(entry.counted(json.loads(out, parse_constant=refuse)))
            assert line.n is None or counts == {line.n}, f"{what}: {counts}"
        return True
    assert status == 2, what
    assert out == "", what
    assert err.startswith("rejoinder: "), what
    assert err.count("\n") == 1, what
    assert rung.items < entry.least[0] or rung.systems < entry.least[1], what
    return False
