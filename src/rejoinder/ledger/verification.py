"""Whether a claim is true as far as its file permits: every number is computed again from the rows."""

from __future__ import annotations

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
from rejoinder.ledger.claims import (
    Claim,
    frame_of,
    is_claim,
    plain,
    read_claim,
    subjects,
    write_claim,
)
from rejoinder.ledger.comparable import role
from rejoinder.ledger.differences import Discrepancy, differences, numbers_in
from rejoinder.ledger.registrations import Registration, read_registration
from rejoinder.messages import Argument, counted
from rejoinder.result import TableResult
from rejoinder.scoring.compare import FEWEST_TRIALS, MOST_ENUMERATED
from rejoinder.statistics.holm import holm
from rejoinder.statistics.max_over_pairs import DRAWS as MAX_DRAWS

State = Literal[
    "recomputed", "within the error of its draws", "agrees", "differs", "altered", "registration changed",
    "registration later than the data", "not checkable",
]  # fmt: skip
BAD: frozenset[State] = frozenset(
    {"differs", "altered", "registration changed", "registration later than the data"}
)
"""The states of a claim that is refused."""
_BADGE = """<svg xmlns="http://www.w3.org/2000/svg" width="236" height="20" role="img">
<title>claim: {0}</title>
<rect width="236" height="20" rx="3" fill="#4a4a4a"/><rect x="44" width="192" height="20" rx="3" fill="{1}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="8" y="14">claim</text><text x="52" y="14">{0}</text></g></svg>
"""
DRAWN: Mapping[str, Mapping[str, Sequence[str]]] = {
    "compare": {"comparisons": ("p_randomization", "p_bootstrap")},
    "compare_by_people": {"pairs": ("p_max",)},
    "compare_with_people": {"pairs": ("p_max",), "errors": ("p_max",)},
    "correlate": {"agreement": ("p", "within_p", "pooled_p"), "within": ("p",)},
}
"""By call and table the columns whose p are drawn; every other number is compared exactly."""
SAME_DRAWS = (1, 26), (2, 4)
"""From the first to the last of these versions NumPy was seen to draw the same numbers from a seed."""
FEWEST_DRAWS = 1000
"""The error of fewer draws explains nearly every difference of two p, so that these are compared exactly."""


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
        unknown = any(each.what == "numbers" for each in self.checks)
        return "recomputed" in states and not states & BAD and not unknown

    @property
    def table(self) -> pl.DataFrame:
        """The checks, a row for each."""
        schema = dict.fromkeys(Check.__annotations__, pl.String)
        return pl.DataFrame([vars(each) for each in self.checks], schema)

    def document(self, view: View = AS_USUAL) -> Document:
        """The checks, and what they do not prove."""
        columns = [key("what"), *map(text, ("state", "claimed", "found", "why"))]
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

    def badge(self) -> str:
        """A small picture for a README: whether the claim agrees, and the beginning of its digest; SVG."""
        words, color = ("recomputed", "#2a7f3f") if self.agrees else ("does not agree", "#b3261e")
        if self.agrees and any(
            each.state == "within the error of its draws" for each in self.checks
        ):
            words, color = "p near by other draws", "#8a6d00"
        return _BADGE.format(f"{words} {self.digest[:8]}", color)

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
        "version, date, command, names and digests of the files: they are what the writer of the claim "
        "says.",
        "that nobody wrote the whole claim anew with other rows: compare its digest with one that was "
        "published.",
        *(
            ["the date of the registration: compare its digest with one that was published before."]
            if claim.predicate["registered"] is not None
            else []
        ),
    ]
    return Verification(tuple(checks), tuple(unproven), str(claim.predicate["sha256"]))


def _bytes(claim: Claim) -> Iterator[Check]:
    """Whether the digests are those of the content."""
    if claim.sound:
        yield Check("digest of the file", "agrees")
    else:
        yield Check("digest of the file", "altered", why="the content is not what was written")
    try:
        blocks = {name: claim.block(name) for name in claim.rows}
        same = claim.statement["subject"] == subjects(blocks, claim.predicate["inputs"])
    except (ValueError, KeyError, TypeError):
        same = False
    yield Check("digests of the rows and of the files", "agrees" if same else "altered")


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
    other_numpy = _drawn_otherwise(claim.predicate["numpy"])
    near = _take_draws(claim, computed) if other_numpy else {}
    wrong = list(differences(claimed, computed))
    for table in dict.fromkeys((*claimed, *computed)):
        if not any(each.table == table for each in wrong):
            pairs = near.get(table, [])
            number = numbers_in(claimed.get(table)) - len(pairs)
            words = counted(number, "number") if number else ""
            yield Check(str(table), "recomputed" if number else "agrees", words, words)
            if pairs:
                why = f"{other_numpy}; of {counted(len(pairs), 'number')} the one that is farthest off"
                p, q = max(pairs, key=lambda pair: abs(pair[0] - pair[1]))
                state = "within the error of its draws"
                yield Check(f"{table}: p", state, f"{p:.6g}", f"{q:.6g}", why)
    for each in wrong:
        words = f"{each.table}: {each.place}" if each.place else each.table
        why = "; ".join(filter(None, [another, other_numpy if each.of_number else ""]))
        if another and _is_reworded(each):
            yield Check(words, "not checkable", str(each.claimed), str(each.computed), why)
        else:
            yield Check(words, "differs", f"{each.claimed!r:.60}", f"{each.computed!r:.60}", why)


_NAME = re.compile(r"""(?<!\w)'[^']*'(?!\w)|"[^"]*\"""")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def _is_reworded(each: Discrepancy) -> bool:
    """Whether a note is said in other words, with the same numbers, and the same names in their order."""
    texts = each.claimed, each.computed
    if each.table != "notes" or not all(isinstance(text, str) for text in texts):
        return False
    names, numbers = ([pattern.findall(text) for text in texts] for pattern in (_NAME, _NUMBER))
    return names[0] == names[1] and set(numbers[0]) == set(numbers[1])


def _drawn_otherwise(theirs: str) -> str:
    """That a claim's NumPy and this one may draw other numbers; empty where they draw the same."""
    matches = [re.match(r"(\d+)\.(\d+)\.", each) for each in (theirs, np.__version__)]
    versions = [(int(each[1]), int(each[2])) for each in matches if each]
    same = len(versions) == 2 and SAME_DRAWS[0] <= min(versions) <= max(versions) <= SAME_DRAWS[1]
    if same or theirs == np.__version__:
        return ""
    return f"the claim is drawn by NumPy {theirs:.20}, these by {np.__version__}"


def _take_draws(claim: Claim, computed: dict[str, Any]) -> dict[str, list[tuple[float, float]]]:
    """Takes claimed p for those computed where draws explain the difference, and corrects them by Holm.

    Args:
        claim: The claim, whose p were drawn by another NumPy.
        computed: What was computed; it is changed.

    Returns:
        By table the p that were taken, corrected ones too, each before that which was computed.
    """
    taken: dict[str, list[tuple[float, float]]] = {}
    for table, columns in DRAWN.get(claim.predicate["call"], {}).items():
        rows, theirs = computed.get(table, []), claim.predicate["claimed"].get(table)
        if not isinstance(theirs, list) or len(theirs) != len(rows):
            continue
        for column in columns:
            near = [
                (row, their[column])
                for row, their in zip(rows, theirs, strict=True)
                if isinstance(their, dict)
                and row.get(column) != their.get(column)
                and _within_draws(
                    their.get(column), row.get(column), _draws(claim, computed, column, row)
                )
            ]
            if near:
                taken.setdefault(table, []).extend((p, row[column]) for row, p in near)
                for row, p in near:
                    row[column] = p
                taken[table] += _correct(rows, column)
    return taken


def _correct(rows: Sequence[dict[str, Any]], column: str) -> list[tuple[float, float]]:
    """Corrects a column of p by Holm, over the pairs of each metric; returns what changed, now and before."""
    name, changed = f"{column}_holm", list[tuple[float, float]]()
    for metric in dict.fromkeys(row.get("metric") for row in rows if name in row):
        family = [row for row in rows if row["metric"] == metric]
        corrected = plain(holm(np.array([float(row[column]) for row in family])).tolist())
        for row, p in zip(family, corrected, strict=True):
            if row[name] != p:
                changed.append((p, row[name]))
                row[name] = p
    return changed


def _draws(claim: Claim, computed: Mapping[str, Any], column: str, row: Mapping[str, Any]) -> int:
    """How many draws a p rests on; 0 where all are taken that there are."""
    settings = claim.predicate["settings"]
    if column == "p_max":
        return MAX_DRAWS
    if column == "p_bootstrap":
        said = re.search(r"\bbs:(\d+)", computed["signatures"][row["metric"]])
        return int(said[1]) if said else 0
    if column != "p_randomization":
        return settings.get("permutations", 1000)
    pairs = sum(each["metric"] == row["metric"] for each in computed["comparisons"])
    fewest = 1000 if row["wins"] is None else max(FEWEST_TRIALS, 100 * pairs)
    draws = settings.get("permutations") or fewest
    units = row.get("clusters") or row["n"]
    return 0 if units < MOST_ENUMERATED and 1 << units <= draws else draws


def _within_draws(claimed: Any, computed: Any, draws: int) -> bool:
    """Whether two p of so many draws differ by no more than draws explain: 5 standard errors."""
    if draws < FEWEST_DRAWS or {type(claimed), type(computed)} - {int, float}:
        return False
    reached = claimed * (draws + 1)  # a count, and one more; the p of a maximum may be Holm's
    if draws != MAX_DRAWS and abs(reached - round(reached)) > 1e-6:
        return False
    if claimed < min(computed, 1 / (draws + 1)) or claimed > 1:
        return False
    p = (claimed + computed) / 2
    return abs(claimed - computed) <= 5 * math.sqrt(2 * p * (1 - p) / draws)


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
            for each, kind in ours.schema.items()
            if each == "rater"
            or (claim.predicate["anonymous"] and kind == pl.String and each not in _OPEN)
        ]
        # Names have another salt each time: a number stands for each, where the name stands first.
        codes = [pl.int_range(pl.len()).first().over(each).alias(each) for each in hidden]
        ours, theirs = ours.with_columns(codes), theirs.with_columns(codes)
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


_OPEN = ("system", "against", "criterion", "name", "sample")
"""Columns of texts that an anonymous claim has as they are."""


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
    sizes = [int(each) for each in re.findall(r'"n":(\d+)', claimed)]
    margins = [settings[name] for name in ("margin", "worse_by") if settings.get(name) is not None]
    for name, value in facts.items():
        word = str(value).lower()
        met = {
            "metric": f'"metric":"{word}"' in claimed or f'"{word}|' in claimed,
            "margin": value in margins,
            "test": f'"p_{word}"' in claimed,
            "n": name == "n" and max(sizes, default=0) >= value,
        }
        said = value if isinstance(value, str) else f"{value:g}"
        if name in met:
            found = {"margin": ", ".join(map(str, margins)), "n": str(max(sizes, default=0))}.get(
                name, ""
            )
            state: State = "agrees" if met[name] else "differs"
            yield Check(f"registered {name}", state, said, found)
        else:
            yield Check(f"registered {name}", "not checkable", said, why="words of a person")


_BEFORE = ("testset", "reference")
"""What may be older than a registration: the items and their references."""
_DATA = Argument("data")
