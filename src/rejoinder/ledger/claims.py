"""A claim: what somebody says, the rows from which it follows, and how: one file that holds no text.

The file is an in-toto Statement v1 in canonical JSON (RFC 8785): its subjects are the digests of the rows
and of the files that were read, its predicate is described in docs/claims.md. The predicate's ``sha256``
is the digest of all other bytes.
"""

from __future__ import annotations

import base64
import hashlib
import inspect
import io
import os
import re
import secrets
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rejoinder._version import __version__
from rejoinder.errors import InputError, ParameterError, RejoinderError
from rejoinder.files.canonical_json import canonical
from rejoinder.files.replacing import write_file
from rejoinder.files.strict_json import strict_json
from rejoinder.ledger.differences import differences
from rejoinder.ledger.registrations import date_of, now, read_registration
from rejoinder.messages import Argument, spelled_by
from rejoinder.result import Basis, TableResult
from rejoinder.scoring.external import scores_of
from rejoinder.scoring.measurements import Measurements
from rejoinder.scoring.scores import load_scores
from rejoinder.scoring.store import save
from rejoinder.tables.covariates import MEASURED
from rejoinder.tables.io.panics import refusing_panics
from rejoinder.tables.types import Ratings
from rejoinder.tables.write import parquet_of

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:rejoinder:claim:1"
SCORES = "scores"
"""The kind of a block that holds measured rows, as ``Scores.save`` writes them."""
RATINGS = "ratings"
"""The kind of a block that holds people's ratings, with hashes in the place of raters."""
NUMBERS = "numbers"
"""The kind of a block that holds other numbers of replies: their length, repeated marks."""
_COLUMNS = {
    RATINGS: ("id", "system", "rater", "criterion", "score", "against", "probability"),
    NUMBERS: ("system", "id", "name", "value", "sample", "rater", *MEASURED),
}
"""The columns of a table that a claim has, besides those of clusters."""
CALLS = {
    "score": "",
    "compare": "scoring.compare",
    "compare_by_people": "human_evaluation.by_people.compare",
    "compare_with_people": "meta_evaluation.with_people.compare",
    "correlate": "meta_evaluation.correlate",
    "judge_by": "meta_evaluation.judge",
}
"""What computes a claimed result again, from its rows and settings, and where it is imported from.

Rows of scores are the result of ``score`` already.
"""
_TABLES = {"scores", "ratings", "covariates", "repeats"}
"""The arguments of these functions that are rows."""
_NO_SETTINGS = {*_TABLES, "progress", "by_people"}
"""Those that are no settings: a claim names them with its rows, or not at all."""


@dataclass(frozen=True)
class Claim:
    """A claim as its file says it: nothing of it is believed.

    Attributes:
        statement: The whole statement.
        sound: Whether the file is in canonical form, and its digest that of its content.
    """

    statement: dict[str, Any]
    sound: bool

    @property
    def predicate(self) -> dict[str, Any]:
        """What is claimed, and what it follows from."""
        return self.statement["predicate"]

    def block(self, name: str) -> bytes:
        """The bytes of a block of rows.

        Raises:
            ValueError: They are not in base64.
        """
        return base64.b64decode(self.predicate["rows"][name]["parquet"], validate=True)

    def scores(self) -> bytes:
        """The measured rows, as a file of kept scores.

        Raises:
            InputError: The claim has none, or not in base64.
        """
        try:
            names = (name for name, each in self.rows.items() if each["kind"] == SCORES)
            return self.block(next(names))
        except (StopIteration, KeyError, ValueError):
            raise InputError("the claim has no rows of scores, so none are written") from None

    def computed(self) -> dict[str, Any]:
        """The claimed numbers, computed again from the rows.

        Raises:
            RejoinderError: The rows cannot be read, or nothing can be computed from them.
        """
        try:
            return _computed(self.predicate, {name: self.block(name) for name in self.rows})
        except (TypeError, KeyError, AttributeError, ValueError, OverflowError) as error:
            raise InputError(f"nothing can be computed from the rows: {error}") from error

    @property
    def rows(self) -> Mapping[str, Mapping[str, str]]:
        """By name the blocks of rows: their ``kind``, and Parquet in base64."""
        return self.predicate["rows"]


def write_claim(
    result: TableResult,
    path: str | os.PathLike[str],
    *,
    ranks: bool = False,
    anonymous: bool = False,
    registered: str | os.PathLike[str] | None = None,
    expires: str | None = None,
    inputs: Sequence[Mapping[str, Any]] = (),
    command: Sequence[str] = (),
) -> None:
    """Writes what a result claims, with the rows from which a reader can compute it again.

    The file holds no text. It has the ids of the items, and of their columns that of the clusters alone.
    What is claimed is computed from the rows that are written, and compared with the result.

    Args:
        result: What ``score``, ``compare``, ``compare_with_people``, ``correlate`` or ``judge`` returned.
        path: The file; any suffix.
        ranks: Claim the ranges of ranks too.
        anonymous: Write hashes in the place of ids and clusters, with a salt that is not kept, and no
            notes, which may name ids. A rank in alphabetical order stands before each, by which who has
            the list of the names knows them all.
        registered: What was registered beforehand: a file of `register`, whose digest the claim names.
        expires: The date (``2027-06-30``) from which on the claim is out of date as a judge's card.
        inputs: The files that were read: ``as``, ``name``, ``sha256`` and ``modified`` of each, and in
            ``made_by`` the signature of what made it.
        command: The words by which it was computed.

    Raises:
        ParameterError: The result is of a kind that cannot be claimed, or ``expires`` is no date.
        InputError: The file cannot be written, or the rows do not give the result.
    """
    basis = getattr(result, "basis", None)
    if not isinstance(basis, Basis):
        raise ParameterError(Argument("claim"), f": a {type(result).__name__} cannot be claimed")
    clusters = {"conversation", str(basis.settings.get("cluster"))}
    values = {name: _values(name, value, clusters) for name, value in basis.rows.items()}
    frames = [each.items if isinstance(each, Measurements) else each for each in values.values()]
    hidden = {"rater"}
    if anonymous:
        items = (each.items.columns for each in values.values() if isinstance(each, Measurements))
        hidden.update(("id", *clusters), *items)
    hashes = _hashes(frames, hidden)
    blocks = {name: _block(name, value, hashes, anonymous) for name, value in values.items()}
    registration = None if registered is None else read_registration(registered)
    predicate = {
        "version": __version__,
        "numpy": np.__version__,
        "date": now(),
        "command": list(command),
        "inputs": [dict(each) for each in inputs],
        "registered": None if registration is None else registration.digest,
        "expires": None if expires is None else date_of(expires),
        "anonymous": anonymous,
        "call": basis.call,
        "settings": {name: _setting(value) for name, value in basis.settings.items()},
        "ranks": ranks,
        "rows": {
            name: {"kind": kind, "parquet": base64.b64encode(block).decode()}
            for name, (kind, block) in blocks.items()
        },
    }
    claimed = _computed(predicate, {name: block for name, (_, block) in blocks.items()})
    own = plain(_shown(result, ranks))
    for each in differences(own, claimed):
        if each.of_number and each.table != "notes":
            raise InputError(
                f"{path}: cannot be claimed: {each.table}, {each.place} is {each.claimed}, and "
                f"{each.computed} from the rows that a claim has; please report this"
            )
    statement: dict[str, Any] = {
        "_type": STATEMENT,
        "subject": subjects({name: block for name, (_, block) in blocks.items()}, inputs),
        "predicateType": PREDICATE,
        "predicate": predicate | {"claimed": claimed},
    }
    predicate = statement["predicate"]
    predicate["sha256"] = hashlib.sha256(canonical(statement)).hexdigest()
    write_file(path, canonical(statement) + b"\n")


def subjects(
    blocks: Mapping[str, bytes], inputs: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """What a statement is about: the digests of its rows, and of the files that were read."""
    named = [(f"rows:{name}", hashlib.sha256(blocks[name]).hexdigest()) for name in sorted(blocks)]
    named += [(each["name"], each["sha256"]) for each in inputs if each["sha256"]]
    return [{"name": name, "digest": {"sha256": digest}} for name, digest in named]


def is_claim(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as a claim does."""
    try:
        with open(path, "rb") as file:
            return file.read(len(STATEMENT) + 12).startswith(f'{{"_type":"{STATEMENT}"'.encode())
    except OSError:
        return False


def read_claim(path: str | os.PathLike[str]) -> Claim:
    """Reads a claim; whether its numbers follow from its rows is for `verify` to say.

    Raises:
        InputError: The file cannot be read, is no claim, or one of another version.
    """
    try:
        content = Path(path).read_bytes()
        statement = strict_json(content)
        kind = statement["predicateType"]
        if kind != PREDICATE:
            raise InputError(
                f"{path}: a statement of the type {str(kind)!r:.80}; expected {PREDICATE}; a claim of a "
                "later version is verified by that version"
            )
        predicate = statement["predicate"]
        digest = predicate.pop("sha256")
        sound = digest == hashlib.sha256(canonical(statement)).hexdigest()
        predicate["sha256"] = digest
        sound = sound and content == canonical(statement) + b"\n"
        for name, kinds in _TYPES.items():
            if not isinstance(predicate[name], kinds):
                raise ValueError(f"{name} is {predicate[name]!r:.60}")
        if foreign := {*predicate} - {*_TYPES, "sha256"} or {*statement} - _STATEMENT:
            raise ValueError(f"a key {min(foreign)!r:.60}, which no claim has")
        for each in (*predicate["rows"].values(), *predicate["inputs"], *statement["subject"]):
            if not isinstance(each, dict):
                raise ValueError(f"{each!r:.60} is no object")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; name a claim") from None
    except RejoinderError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path}: no readable claim, it is damaged or cut short ({error}); ask for the file again"
        ) from None
    return Claim(statement, sound)


_STATEMENT = {"_type", "subject", "predicateType", "predicate"}
_TYPES: dict[str, Any] = {
    "version": str, "numpy": str, "date": str, "command": list, "inputs": list, "call": str,
    "registered": str | None, "expires": str | None, "anonymous": bool, "settings": dict,
    "ranks": bool, "rows": dict, "claimed": dict,
}  # fmt: skip
"""The keys of the predicate that are read, and their types."""


def plain(value: Any) -> Any:
    """A value as the file has it: what JSON spells, with ``NaN`` and the like as texts."""
    return strict_json(canonical(value))


def _shown(result: Any, ranks: bool) -> dict[str, Any]:
    return result.as_json(True) if ranks else result.as_json()


def _computed(predicate: Mapping[str, Any], blocks: Mapping[str, bytes]) -> dict[str, Any]:
    """The numbers that follow from the blocks of rows."""
    if predicate["call"] not in CALLS:
        raise InputError(
            f"the call {predicate['call']!r:.60} is unknown; choose {', '.join(CALLS)}"
        )
    call = _function(predicate["call"])
    known = inspect.signature(call).parameters.keys()
    if foreign := predicate["settings"].keys() - (known - _NO_SETTINGS):
        raise InputError(f"the setting {min(foreign)!r:.60} is unknown to {predicate['call']}")
    if foreign := blocks.keys() - (known & _TABLES):
        raise InputError(f"the rows {min(foreign)!r:.60} are unknown to {predicate['call']}")
    rows = {name: _value(predicate["rows"][name]["kind"], block) for name, block in blocks.items()}
    settings = {name: _argument(value) for name, value in predicate["settings"].items()}
    with spelled_by(lambda _: ""):  # a note names an option alike, whichever command runs
        return plain(_shown(call(**rows, **settings), predicate["ranks"]))


def _function(name: str) -> Callable[..., Any]:
    """The function of `CALLS` of this name; only that of the claim is imported."""
    if not CALLS[name]:
        return lambda scores: scores
    return getattr(import_module(f"rejoinder.{CALLS[name]}"), name)


def _setting(value: Any) -> Any:
    """A setting as JSON has it: a protocol is its name and its parameters."""
    from rejoinder.meta_evaluation.protocols import Protocol

    return {**vars(value), "name": value.name} if isinstance(value, Protocol) else value


def _argument(value: Any) -> Any:
    """The argument of a setting."""
    if isinstance(value, dict):
        from rejoinder.meta_evaluation.protocols import PROTOCOLS

        facts = dict(value)
        return PROTOCOLS[facts.pop("name")](
            **{name: _argument(each) for name, each in facts.items()}
        )
    return tuple(value) if isinstance(value, list) else value


def _values(name: str, value: Any, clusters: set[str]) -> Measurements | pl.DataFrame:
    """The rows of an argument: of items their ids and clusters alone, and of tables no text."""
    if name == SCORES:
        rows = scores_of(value, Measurements, "write_claim")
        columns = {"id", rows.cluster, *clusters}
        items = rows.items.select(each for each in rows.items.columns if each in columns)
        return replace(rows, items=items, unknown_metrics={})
    kind = RATINGS if name == RATINGS else NUMBERS
    frame: pl.DataFrame = Ratings.of(value).frame if kind == RATINGS else value
    return frame.select(each for each in frame.columns if each in (*_COLUMNS[kind], *clusters))


def _block(
    name: str,
    value: Measurements | pl.DataFrame,
    hashes: Mapping[str, pl.DataFrame],
    anonymous: bool,
) -> tuple[str, bytes]:
    """The kind of rows, and their Parquet."""
    if isinstance(value, pl.DataFrame):
        return RATINGS if name == RATINGS else NUMBERS, parquet_of(_hidden(value, hashes))
    notes = () if anonymous else value.notes
    bare = replace(value, items=_hidden(value.items, hashes), notes=notes)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        save(bare, path)
        return SCORES, path.read_bytes()


def _hashes(frames: Sequence[pl.DataFrame], columns: Iterable[str]) -> dict[str, pl.DataFrame]:
    """By column its values and the hashes in their place: a rank, and 16 digits with a salt that is not kept.

    The rank keeps the order, in which folds and resamples take names.
    """
    hashes = {}
    for column in columns:
        there = [frame[column] for frame in frames if column in frame.columns]
        if there:
            salt = secrets.token_hex(16)
            own = pl.concat([each.to_frame() for each in there], how="vertical_relaxed")
            known = own.drop_nulls().unique().sort(column)
            digests = (
                hashlib.sha256(f"{salt}:{each}".encode()).hexdigest()[:16] for each in known[column]
            )
            names = pl.Series("hash", [f"{rank:06}-{each}" for rank, each in enumerate(digests)])
            hashes[column] = known.with_columns(names)
    return hashes


def _hidden(frame: pl.DataFrame, hashes: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    return frame.with_columns(
        pl.col(column).replace_strict(
            known[column], known["hash"], default=None, return_dtype=pl.String
        )
        for column, known in hashes.items()
        if column in frame.columns
    )


def _value(kind: str, block: bytes) -> Any:
    """The rows of a block."""
    if kind == RATINGS:
        return Ratings.of(frame_of(block))
    if kind == NUMBERS:
        return frame_of(block)
    if kind != SCORES:
        raise InputError(f"rows of the kind {kind!r:.60} are unknown")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        try:
            path.write_bytes(block)
            scores = load_scores(path)
        except OSError as error:
            raise InputError(f"the rows cannot be unpacked: {error.strerror or error}") from error
        except InputError as error:
            raise InputError(str(error).replace(str(path), "the rows")) from None
    for label, each in scores.measured.items():
        own = {"bs": scores.resamples, "seed": scores.seed}
        for word, value in re.findall(r"\b(bs|seed):(\d+)", each.signature):
            if int(value) != own[word]:
                raise InputError(
                    f"{label}: the signature says {word}:{value}, the rows {own[word]}"
                )
    return scores


def frame_of(block: bytes) -> pl.DataFrame:
    """The rows of a block as a table.

    Raises:
        InputError: They are not Parquet.
    """
    try:
        with refusing_panics():
            return pl.read_parquet(io.BytesIO(block))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"the rows are not Parquet ({error})") from None
