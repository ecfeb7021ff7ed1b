"""Between which shares a simulated interval counts as one that holds."""

from simulations import shaped
from simulations.study import LEVEL

LEAST, MOST = 0.93, 0.97
MOST_ALARMS = 0.06
FEWEST_RUNS = 200
"""Of intervals that are hardly ever given nothing is measured."""


def beyond(part, row):
    """Whether a row lies outside the limits by more than twice its error, and no sentence answers it."""
    if row.runs < FEWEST_RUNS or shaped.answered(part, row):
        return False
    more = 2 * row.error
    if row.aim == LEVEL:
        return row.share > MOST_ALARMS + more
    return not LEAST - more <= row.share <= MOST + more
