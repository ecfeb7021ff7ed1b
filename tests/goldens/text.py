"""The text of a golden, and whether two say the same."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from goldens.running import Outcome

_NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+", re.IGNORECASE)
_CLOSE = 1e-9
"""By how much numbers may differ, relative to them: it depends on the order of sums."""


def text(outcomes: Sequence[Outcome], usual: Sequence[Outcome] = ()) -> str:
    """The text of a golden.

    Args:
        outcomes: What its commands gave.
        usual: What the usual commands of the verb gave: what is as there is not repeated.
    """
    parts, above = [], {}
    for place, each in enumerate(outcomes):
        parts += [f"$ {each.line}", f"exit status {each.status}"]
        alike = [other for other in usual if ("--json" in other.line) == ("--json" in each.line)]
        as_usual = alike[0].texts if alike else {}
        for name, content in each.texts.items():
            is_file = place > 0 and not name.startswith("standard ")
            where, before = ("above", above) if is_file else ("in usual.txt", as_usual)
            parts += _section(name, content, where, before.get(name))
        above |= {name: each.texts[name] for name in each.texts}
        parts.append("")
    return "\n".join(parts)


def _section(name: str, content: str, where: str, before: str | None) -> list[str]:
    """A heading and lines: the content, or what distinguishes it from another."""
    whole = [f"== {name}", *content.removesuffix("\n").split("\n")]
    if before is None:
        return whole
    if same(before, content):
        return [f"== {name}: as {where}"]
    changed = [f"== {name}: as {where}, but for", *_changes(before, content)]
    return min(whole, changed, key=lambda lines: sum(map(len, lines)))


def _changes(before: str, after: str) -> list[str]:
    """The lines that differ, with the line in front of them; of the old ones how they begin."""
    old, new = before.removesuffix("\n").split("\n"), after.removesuffix("\n").split("\n")
    matcher = difflib.SequenceMatcher(
        None, [*map(_rough, old)], [*map(_rough, new)], autojunk=False
    )
    shown = []
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind != "equal":
            shown += [f"  {line}" for line in new[max(k - 1, 0) : k]]
            shown += [f"- {_begin(line)}" for line in old[i:j]]
            shown += [f"+ {line}" for line in new[k:m]]
    return shown


def _begin(line: str) -> str:
    return line if len(line) <= 40 else f"{line[:40]}..."


def same(one: str, other: str) -> bool:
    """Whether two texts say the same: numbers with a point may differ a little.

    >>> same("p 0.123456789012", "p 0.123456789013"), same("p 0.12", "p 0.13"), same("1.0", "1")
    (True, False, False)
    """
    if one == other:
        return True
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    return all(a == b or _near(float(a), float(b)) for a, b in pairs)


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= _CLOSE * (max(abs(a), abs(b)) + 1e-3)


def _rough(line: str) -> str:
    """A line with fewer digits, by which equal lines are found."""
    return _NUMBER.sub(lambda found: f"{float(found[0]):.8g}", line)
