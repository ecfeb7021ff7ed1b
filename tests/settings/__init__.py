"""What each option of each verb does: one row for each, in a file for each family of verbs."""

from settings import candidates, files, models, people, recipes, reports, scores, studies

_FAMILIES = (scores, reports, people, models, recipes, files, studies, candidates)

ROWS = [row for family in _FAMILIES for row in family.ROWS]
USUAL = {verb: command for family in _FAMILIES for verb, command in family.USUAL.items()}
EXEMPT: dict[tuple[str, str], str] = studies.EXEMPT
"""Options whose effect no result can show, each with the reason."""
