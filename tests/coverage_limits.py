"""Between which shares a simulated interval counts as one that holds."""

from simulations import shaped
from simulations.study import LEVEL

LEAST, MOST = 0.93, 0.97
MOST_ALARMS = 0.06
FEWEST_GIVEN = 0.1
"""Of intervals that are hardly ever given nothing is measured."""


def beyond(part, row):
    """Whether a row is `outside`, and neither answered by a sentence nor listed as just beyond."""
    return outside(row) and not shaped.answered(part, row)


def outside(row):
    """Whether a row lies outside the limits by more than twice its error.

    Intervals for every look, however many there are, have no upper limit: a study has few looks.
    """
    if row.runs < FEWEST_GIVEN * (row.runs + row.refused):
        return False
    more = 2 * row.error
    if row.aim == LEVEL:
        return row.share > MOST_ALARMS + more
    at_every_look = row.what.startswith(("--anytime", "repeated interval"))
    return row.share < LEAST - more or (row.share > MOST + more and not at_every_look)
