"""The check of marks against the card of their judge (``--card``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rejoinder.cli.records import signature_beside
from rejoinder.cli.terminal.speech import note
from rejoinder.files.recording import identity_of
from rejoinder.ledger.cards import read_card


def check_marks(path: Path, scores: Sequence[Path], judges: Sequence[str], gate: bool) -> None:
    """Checks files of marks against a card, and notes what the card found.

    Args:
        path: The card.
        scores: The files of marks.
        judges: The names of the judges in them.
        gate: Whether the marks decide something.

    Raises:
        InputError: The card is of another judge; or under a gate out of date, or not known to be of it.
    """
    card = read_card(path)
    for each in scores:
        made_by = signature_beside(each, identity_of(each))
        for line in card.check_marks(made_by, str(each), gate):
            note(line)
    for line in card.check_judges(judges, gate):
        note(line)


def check_judge(path: Path, signature: str, judges: Sequence[str]) -> None:
    """Checks a model and a rubric against a card before the model is asked; see `check_marks`."""
    card = read_card(path)
    unknown = card.check_marks(signature, "this model with this rubric", gate=False)
    for line in (*unknown, *card.check_judges(judges, gate=False)):
        note(line)
