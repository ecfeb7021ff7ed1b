"""What each option of each verb does: one row for each, in a file for each family of verbs."""

from dataclasses import replace

from settings import candidates, files, models, people, recipes, reports, scores, studies
from settings.shared import to_ledger

_FAMILIES = (scores, reports, people, models, recipes, files, studies, candidates)

_LONG = ("recipe tao2018", "recipe references", "recipe galley2015", "report", "plan")
"""Verbs that take time: of rows that several verbs share, the first of an option is enough by default."""

FEW = ("mine", "recipe negative-references", "recipe references", "recipe tao2018", "report")
"""Verbs that take time, of which twelve items show what an option does; under ``slow`` all items do too."""

_SHARED = ("--format", "--criterion")

_MEASURING = ("score", "compare", "audit", "report", "correlate", "judge", "ratings", "preferences")
_MEASURING_LONG = (
    "plan", "ruq", "variety", "recipe galley2015", "recipe khayrallah2021", "recipe negative-references",
    "recipe references", "recipe systems2015", "recipe tao2018",
)  # fmt: skip
"""The verbs whose numbers go into a ledger, by the same lines."""

ROWS = [row for family in _FAMILIES for row in family.ROWS]
ROWS += [to_ledger(verb, slow=verb in _MEASURING_LONG) for verb in (*_MEASURING, *_MEASURING_LONG)]
_FIRST = {(row.verb, row.option): row for row in reversed(ROWS)}
ROWS = [
    replace(row, slow=True)
    if row.verb in _LONG and row.option in _SHARED and row is not _FIRST[row.verb, row.option]
    else row
    for row in ROWS
]
ROWS = [replace(row, few=True) if row.verb in FEW else row for row in ROWS]
USUAL = {verb: command for family in _FAMILIES for verb, command in family.USUAL.items()}
EXEMPT: dict[tuple[str, str], str] = studies.EXEMPT
"""Options whose effect no result can show, each with the reason."""
