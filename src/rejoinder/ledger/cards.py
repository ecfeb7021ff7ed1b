"""A judge's card: what ``judge`` found of a judge, as a claim that is checked wherever its marks are used."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rejoinder.errors import InputError, one_of
from rejoinder.ledger.claims import Claim, read_claim
from rejoinder.ledger.comparable import made_by, role
from rejoinder.ledger.registrations import date_of, now
from rejoinder.ledger.verification import verified
from rejoinder.messages import quoted


@dataclass(frozen=True)
class Card:
    """A judge's card.

    Attributes:
        path: Its file, as it was given.
        date: When the judge was compared with people.
        expires: The date from which on the card is out of date; None: never.
        judges: By name of a judge its ``within`` (r within systems: value and interval).
        errors: By name of a judge the system that it favours most, and its error.
        marks: The words of the signatures of the marks: model, rubric and how the model was asked; empty
            where no record says how they were made.
    """

    path: str
    date: str
    expires: str | None
    judges: Mapping[str, Mapping[str, Any]]
    errors: Mapping[str, Mapping[str, Any]]
    marks: Sequence[Mapping[str, str]]

    def check_marks(self, signature: str | None, of: str, gate: bool) -> list[str]:
        """What the card cannot say of marks; raises where they are not made as those of the card were.

        Args:
            signature: The signature of the marks, which names model and rubric; None where no record says
                how they were made.
            of: Whose marks they are, for the message.
            gate: Whether the marks decide something: then model and rubric must be known of both.

        Raises:
            InputError: Another model or another rubric made them, the model was asked in another way, or
                that is unknown under a gate.
        """
        if signature is None or not self.marks:
            what = of if signature is None else f"the card {self.path}"
            unknown = f"{what}: no record says which model and rubric made the marks"
            if gate:
                raise InputError(
                    f"{unknown}, so that they decide nothing; keep the record that 'mark' writes beside its "
                    "marks, and write the card of them anew by 'judge'"
                )
            return [f"{unknown}: only names are compared"]
        apart = [_apart(each, made_by(signature)) for each in self.marks]
        if apart and all(apart):
            raise InputError(
                f"{of}: {min(apart, key=len)}, so that the card {self.path} is not of this judge; compare "
                "this one with people by 'judge', which writes a card of it"
            )
        return []

    def check_judges(self, names: Sequence[str], gate: bool) -> list[str]:
        """What the card says of judges; raises where it is of others, or out of date.

        Args:
            names: The names of the judges whose marks are used.
            gate: Whether the marks decide something: then a card out of date is refused, not noted.

        Raises:
            InputError: The card is of none of the judges; or under a gate not of all, or out of date.
        """
        known = [name for name in names if name in self.judges]
        unknown = [name for name in names if name not in self.judges]
        if unknown and (gate or not known):
            raise InputError(
                f"the card {self.path} is of {one_of(self.judges)}, not of {one_of(unknown)}; name the "
                "card of this judge"
            )
        notes = [self._found(name) for name in known]
        if unknown:
            notes.append(f"the card {self.path} says nothing of {one_of(unknown)}")
        if self.expires is not None and self.expires <= now()[: len(self.expires)]:
            late = f"the card {self.path} is out of date since {self.expires}; compare the judge with people "
            late += "again, by 'judge'"
            if gate:
                raise InputError(late)
            notes.append(late)
        return notes

    def _found(self, name: str) -> str:
        r, error = self.judges[name], self.errors.get(name)
        words = f"{self.path}: on {self.date[:10]} {quoted(name)} followed people's ratings with r within "
        words += (
            f"{r['value']:.2f} [{r['low']:.2f}, {r['high']:.2f}]"
            if _known(r)
            else "that is unknown"
        )
        if _known(r):
            low, high = sorted((r["low"] ** 2, r["high"] ** 2))
            low = 0.0 if r["low"] <= 0 <= r["high"] else low
            words += f", so that it saves at most {r['value'] ** 2:.0%} [{low:.0%}, {high:.0%}] of ratings"
            if r["high"] < 0:
                words += " though its marks run against people's: 'compare' fits their slope, of either sign"
        if error is not None and _known(error):
            words += f"; its greatest error is {error['value']:+.2f} [{error['low']:.2f}, "
            words += f"{error['high']:.2f}], of {quoted(error['level'])}"
        return words


def read_card(path: str | os.PathLike[str]) -> Card:
    """Reads a judge's card, and computes its numbers again.

    Raises:
        InputError: The file is no claim of ``judge``, or its numbers do not follow from its rows.
        ParameterError: The date from which on it is out of date is none.
    """
    claim = read_claim(path)
    if claim.predicate["call"] != "judge_by":
        raise InputError(f"{path}: a claim, but not of a judge; name one that 'judge' wrote")
    if not verified(claim).agrees:
        raise InputError(
            f"{path}: the card does not agree with its own rows; see 'rejoinder verify {path}'"
        )
    expires = claim.predicate["expires"]
    rows = claim.predicate["claimed"]["measures"]
    errors = [each for each in claim.predicate["claimed"]["errors"] if each["factor"] == "system"]
    return Card(
        str(path),
        claim.predicate["date"],
        None if expires is None else date_of(expires),
        {each["judge"]: each for each in rows if each["measure"] == "within"},
        {
            each["judge"]: each
            for each in sorted(filter(_known, errors), key=lambda e: abs(e["value"]))
        },
        _marks(claim),
    )


def _marks(claim: Claim) -> list[dict[str, str]]:
    made = [each.get("made_by") for each in claim.predicate["inputs"] if role(each) == "scores"]
    return [made_by(each) for each in made if isinstance(each, str)]


def _apart(card: Mapping[str, str], words: Mapping[str, str]) -> str:
    return "; ".join(
        f"{name} is {words.get(name)}, and {card.get(name)} on the card"
        for name in {**card, **words}
        if words.get(name) != card.get(name)
    )


def _known(row: Mapping[str, Any]) -> bool:
    return all(isinstance(row[name], int | float) for name in ("value", "low", "high"))
