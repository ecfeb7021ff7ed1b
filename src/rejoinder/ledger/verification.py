"""Whether a claim is true as far as its file permits: every number is computed again from the rows."""

from __future__ import annotations

import hashlib
import math
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from rejoinder._version import __version__
from rejoinder.document.parts import AS_USUAL, Document, View, lines, spaced
from rejoinder.document.table import Table, key, text
from rejoinder.errors import ParameterError, RejoinderError
from rejoinder.files.canonical_json import canonical
from rejoinder.files.provenance import content_of
from rejoinder.files.provenance_chain import Step, provenance
from rejoinder.ledger.claims import Claim, frame_of, is_claim, read_claim, write_claim
from rejoinder.ledger.comparable import role
from rejoinder.ledger.differences import Discrepancy, differences, numbers_in
from rejoinder.ledger.registrations import Registration, read_registration
from rejoinder.messages import Argument, counted
from rejoinder.result import TableResult

State = Literal[
    "recomputed", "agrees", "differs", "altered", "registration changed",
    "registration later than the data", "not checkable",
]  # fmt: skip
BAD: frozenset[State] = frozenset(
    {"differs", "altered", "registration changed", "registration later than the data"}
)
"""The states of a claim that is refused."""
FEWEST_DRAWS = 1000
"""So many draws a p rests on at least."""


@dataclass(frozen=True)
class Check:
    """A line of a verification.

    Attributes:
        what: What was checked.
        state: What came out.
        claimed: What the claim says.
        found: What was computed or read.
        why: Why nothing could be checked, or what else is to be known.
    """

    what: str
    state: State
    claimed: str = ""
    found: str = ""
    why: str = ""


@dataclass(frozen=True, repr=False)
class Verification(TableResult):
    """What was checked of a claim.

    Attributes:
        checks: The lines, in their order.
        unproven: What a claim that passes does not prove.
        digest: The digest of the claim, as its file says.
    """

    checks: tuple[Check, ...]
    unproven: tuple[str, ...]
    digest: str

    @property
    def agrees(self) -> bool:
        """Whether all that the file permits was computed again and agrees."""
        states = {each.state for each in self.checks}
        return "recomputed" in states and not states & BAD

    @property
    def table(self) -> pl.DataFrame:
        """The checks, a row for each."""
        names = ("what", "state", "claimed", "found", "why")
        rows = [[getattr(each, name) for name in names] for each in self.checks]
        return pl.DataFrame(rows, dict.fromkeys(names, pl.String), orient="row")

    def document(self, view: View = AS_USUAL) -> Document:
        """The checks, and what they do not prove."""
        columns = [
            key("what"),
            *(text(name, name) for name in ("state", "claimed", "found", "why")),
        ]
        meanings = {
            "what": "What was checked.",
            "state": "What came out.",
            "claimed": "What the claim says.",
            "found": "What was computed again, or read.",
            "why": "Why it cannot be checked, or what else is to be known.",
        }
        end = "agrees" if self.agrees else "DOES NOT AGREE"
        first = (
            f"The claim with the digest {self.digest} {end} with what its file permits to check."
        )
        return [
            *spaced(Table(self.table, columns, meanings=meanings)),
            *lines([first]),
            *lines((f"Not proven: {each}" for each in self.unproven), "legend"),
        ]

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder verify --json`` prints."""
        return {
            "agrees": self.agrees,
            "digest": self.digest,
            "checks": self.table.to_dicts(),
            "unproven": list(self.unproven),
        }


def verify(
    path: str | os.PathLike[str],
    data: Sequence[str | os.PathLike[str]] = (),
    *,
    registered: str | os.PathLike[str] | None = None,
    measured: TableResult | None = None,
) -> Verification | Step:
    """Whether the numbers of a claim follow from its rows; of another file, what it was made of.

    Args:
        path: A claim; or a file that a command of Rejoinder wrote, or its record.
        data: Files that the claim was made from: their digests are compared.
        registered: The registration that the claim names.
        measured: The same result, measured from the data at hand: its rows are compared.

    Raises:
        InputError: The file cannot be read, is no claim, or has no record.
        ParameterError: ``data`` and the like stand beside a file that is no claim.
    """
    if is_claim(path):
        claim, blocks = read_claim(path), None
        if measured is not None:
            with tempfile.TemporaryDirectory() as folder:
                own = Path(folder, "claim")
                write_claim(measured, own, anonymous=claim.predicate["anonymous"])
                blocks = read_claim(own)
        return verified(claim, data, registered, blocks)
    for name, given in {"data": data, "registered": registered, "measured": measured}.items():
        if given:
            raise ParameterError(Argument(name), f": {path} is no claim; leave it out")
    return provenance(path)


def verified(
    claim: Claim,
    data: Sequence[str | os.PathLike[str]] = (),
    registered: str | os.PathLike[str] | None = None,
    measured: Claim | str | None = None,
) -> Verification:
    """Checks a claim.

    Args:
        claim: The claim.
        data: As for ``verify``.
        registered: Likewise.
        measured: What the data at hand give; a text says why they cannot be measured.
    """
    registration = None if registered is None else read_registration(registered)
    checks = [
        *_bytes(claim),
        *_numbers(claim),
        *_inputs(claim, data),
        *_rows(claim, measured),
        *_registration(claim, registration),
    ]
    unproven = [
        "that the replies are those of the systems that are named.",
        *(
            []
            if isinstance(measured, Claim)
            else [
                f"that the rows follow from texts; whoever has the files gives them with {_DATA}."
            ]
        ),
        "version, date, command and names: they are what the writer of the claim says.",
        "that nobody wrote the whole claim anew with other rows: compare its digest with one that was "
        "published.",
    ]
    return Verification(tuple(checks), tuple(unproven), str(claim.predicate["sha256"]))


def _bytes(claim: Claim) -> Iterator[Check]:
    """Whether the digests are those of the content."""
    if claim.sound:
        yield Check("digest of the file", "agrees")
    else:
        yield Check("digest of the file", "altered", why="the content is not what was written")
    named = {each.get("name"): each.get("digest") for each in claim.statement["subject"]}
    for name in claim.rows:
        said = named.get(f"rows:{name}")
        try:
            now = hashlib.sha256(claim.block(name)).hexdigest()
        except (ValueError, KeyError, TypeError):
            now = "unreadable"
        same = said == {"sha256": now}
        yield Check(f"digest of the rows: {name}", "agrees" if same else "altered")
    inputs = {str(each.get("name")): each.get("sha256") for each in claim.predicate["inputs"]}
    for name, digest in inputs.items():
        if digest and named.get(name) not in (None, {"sha256": digest}):
            yield Check(f"subject {name}", "altered", why="its digest is not that of the inputs")


def _numbers(claim: Claim) -> Iterator[Check]:
    """Whether the claimed numbers follow from the rows."""
    theirs = claim.predicate["version"]
    another = (
        "" if theirs == __version__ else f"the claim is of version {theirs}, this is {__version__}"
    )
    try:
        computed = claim.computed()
    except (RejoinderError, MemoryError) as error:
        why = f"{error}{another and f'; {another}: install that version'}"
        yield Check("numbers", "not checkable" if another else "altered", why=why)
        return
    claimed = claim.predicate["claimed"]
    wrong = list(differences(claimed, computed))
    drawn = claim.predicate["numpy"] != np.__version__
    rough = {each.table for each in wrong if drawn and _within_draws(each)}
    wrong = [each for each in wrong if not (drawn and _within_draws(each))]
    for table in dict.fromkeys((*claimed, *computed)):
        if not any(each.table == table for each in wrong):
            why = "p within the error of draws by another NumPy" if table in rough else ""
            number = numbers_in(claimed.get(table))
            words = counted(number, "number") if number else ""
            yield Check(str(table), "recomputed" if number else "agrees", words, words, why)
    for each in wrong:
        words = f"{each.table}: {each.place}" if each.place else each.table
        yield Check(words, "differs", f"{each.claimed!r:.60}", f"{each.computed!r:.60}", another)


def _within_draws(each: Discrepancy) -> bool:
    """Whether two p differ by no more than their draws explain: 5 standard errors, times the family of 45."""
    name = each.place.rpartition(": ")[2]
    if not (name == "p" or name.startswith("p_")) or not each.of_number:
        return False
    if isinstance(each.claimed, str) or isinstance(each.computed, str):
        return False
    p = min(1.0, max(each.claimed, each.computed, 1 / FEWEST_DRAWS))
    family = 45 if name == "p" or name.endswith("_holm") else 1
    error = 5 * math.sqrt(2 * p * (1 - p) / FEWEST_DRAWS / family) * family
    return abs(each.claimed - each.computed) <= error


def _inputs(claim: Claim, data: Sequence[str | os.PathLike[str]]) -> Iterator[Check]:
    """Whether the files at hand are those that were read."""
    inputs = claim.predicate["inputs"]
    there = {content_of(path): str(path) for path in data}
    if inputs and not there:
        yield Check("files read", "not checkable", counted(len(inputs), "file"), why=f"no {_DATA}")
        return
    for each in inputs:
        words, digest = f"file {each.get('name')}", each.get("sha256")
        if digest in there:
            yield Check(words, "agrees", str(digest)[:12], f"{there.pop(digest)}")
        else:
            yield Check(words, "not checkable", str(digest)[:12], why=f"no file of {_DATA} has it")
    for digest, path in there.items():
        yield Check(
            f"file {path}", "differs", found=str(digest)[:12], why="the claim was not made from it"
        )


MOST_ROWS = 5
"""So many rows that differ are named."""


def _rows(claim: Claim, measured: Claim | str | None) -> Iterator[Check]:
    """Whether the rows are those that the data at hand give, to the bit."""
    if measured is None:
        return
    if isinstance(measured, str):
        yield Check("rows from the data", "not checkable", why=measured)
        return
    for name in claim.rows:
        try:
            ours = frame_of(measured.block(name))
            theirs = frame_of(claim.block(name))
        except (RejoinderError, KeyError, ValueError) as error:
            yield Check(f"rows from the data: {name}", "not checkable", why=str(error))
            continue
        shape = f"{theirs.height} rows", f"{ours.height} rows"
        if ours.schema != theirs.schema or ours.height != theirs.height:
            yield Check(f"rows from the data: {name}", "differs", *shape, "or other columns")
            continue
        hidden = [
            each
            for each in ours.columns
            if each == "rater"
            or (claim.predicate["anonymous"] and (each == "id" or each.startswith("item:")))
        ]
        ours, theirs = (each.with_columns(_codes(each, hidden)) for each in (ours, theirs))
        wrong = 0
        for column in ours.columns:
            unlike = (ours[column].ne_missing(theirs[column])).arg_true().to_list()
            for row in unlike[: max(0, MOST_ROWS - wrong)]:
                system = f"{theirs['system'][row]}, " if "system" in theirs else ""
                words = f"rows from the data: {system}row {row + 1}, {column}"
                yield Check(
                    words, "differs", f"{theirs[column][row]!r:.40}", f"{ours[column][row]!r:.40}"
                )
            wrong += len(unlike)
        if wrong > MOST_ROWS:
            yield Check(f"rows from the data: {name}", "differs", found=f"{wrong} values differ")
        if not wrong:
            yield Check(f"rows from the data: {name}", "recomputed", *shape)


def _codes(frame: pl.DataFrame, names: Sequence[str]) -> list[pl.Series]:
    """Columns with numbers in the place of names, which are hashes with another salt each time."""
    columns = []
    for name in names:
        values = frame[name].to_list()
        codes = {value: code for code, value in enumerate(dict.fromkeys(values))}
        columns.append(pl.Series(name, [codes[value] for value in values]))
    return columns


def _registration(claim: Claim, given: Registration | None) -> Iterator[Check]:
    """Whether what was registered is what is claimed, and was registered before the data."""
    named = claim.predicate["registered"]
    if given is None:
        if named is not None:
            yield Check(
                "registration", "not checkable", named[:12], why=f"no {Argument('registered')}"
            )
        return
    if named != given.digest:
        yield Check("registration", "registration changed", str(named)[:12], given.digest[:12])
        return
    yield Check("registration", "agrees", named[:12], given.digest[:12])
    inputs: Sequence[Mapping[str, Any]] = claim.predicate["inputs"]
    data = [each for each in inputs if role(each) not in _BEFORE] or inputs
    times = {str(each["modified"]): str(each.get("name")) for each in data if each.get("modified")}
    first = min([claim.predicate["date"], *times])
    if given.date > first:
        yield Check(
            "date of the registration", "registration later than the data", first, given.date,
            f"{times.get(first, 'the claim')} is older",
        )  # fmt: skip
    else:
        yield Check("date of the registration", "agrees", first, given.date)
    yield from _as_registered(claim, given.facts)


def _as_registered(claim: Claim, facts: Mapping[str, Any]) -> Iterator[Check]:
    """Whether what is claimed has the metric, the margin, the test and the items that were registered."""
    claimed = canonical(claim.predicate["claimed"]).decode().lower()
    settings = claim.predicate["settings"]
    sizes = [float(each) for each in re.findall(r'"n":(\d+)', claimed)]
    for name, value in facts.items():
        word = str(value).lower()
        margins = [settings.get("margin"), settings.get("worse_by")]
        met = {
            "metric": f'"metric":"{word}"' in claimed or f'"{word}|' in claimed,
            "margin": value in margins,
            "test": f'"p_{word}"' in claimed,
            "n": bool(sizes) and max(sizes) >= float(value) if name == "n" else True,
        }
        if name in met:
            found = {"margin": str(margins), "n": str(max(sizes, default=0))}.get(name, "")
            state: State = "agrees" if met[name] else "differs"
            yield Check(f"registered {name}", state, str(value), found)
        else:
            yield Check(f"registered {name}", "not checkable", str(value), why="words of a person")


_BEFORE = ("testset", "reference")
"""What may be older than a registration: the items and their references."""
_DATA = Argument("data")
