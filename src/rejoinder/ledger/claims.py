"""A claim: what somebody says, the rows from which it follows, and how: one file that holds no text.

The file is an in-toto Statement v1 in canonical JSON (RFC 8785): its subjects are the digests of the rows
and of the files that were read, its predicate is described in docs/claims.md. The predicate's ``sha256``
is the digest of all other bytes.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import secrets
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rejoinder._version import __version__
from rejoinder.errors import InputError, ParameterError, RejoinderError
from rejoinder.files.canonical_json import canonical
from rejoinder.files.replacing import replacing
from rejoinder.files.strict_json import strict_json
from rejoinder.human_evaluation.by_people.compare import compare_by_people
from rejoinder.ledger.differences import differences
from rejoinder.ledger.registrations import now, read_registration
from rejoinder.messages import Argument
from rejoinder.meta_evaluation.correlate import correlate
from rejoinder.meta_evaluation.protocols import PROTOCOLS, Protocol
from rejoinder.meta_evaluation.with_people.compare import compare_with_people
from rejoinder.result import Basis, TableResult
from rejoinder.scoring.compare import compare
from rejoinder.scoring.external import scores_of
from rejoinder.scoring.measurements import Measurements
from rejoinder.scoring.scores import load_scores
from rejoinder.scoring.store import save
from rejoinder.tables.io.panics import refusing_panics
from rejoinder.tables.types import Ratings
from rejoinder.tables.write import parquet_of

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:rejoinder:claim:1"
SCORES = "scores"
"""The kind of a block that holds measured rows, as ``Scores.save`` writes them."""
RATINGS = "ratings"
"""The kind of a block that holds people's ratings, with hashes in the place of raters."""
_RATED = ("id", "system", "rater", "criterion", "score", "against", "probability")
"""The columns of ratings that a claim has, besides those of clusters."""
_PEOPLE = frozenset(
    {
        "a",
        "b",
        "criterion",
        "without",
        "scale",
        "cluster",
        "anytime",
        "correction",
        "rater_effects",
        "seed",
    }
)
CALLS: dict[str, tuple[Callable[..., Any], frozenset[str]]] = {
    "score": (lambda scores: scores, frozenset()),
    "compare": (compare, frozenset({"a", "b", "permutations", "margin", "worse_by"})),
    "compare_by_people": (compare_by_people, _PEOPLE),
    "compare_with_people": (compare_with_people, _PEOPLE | {"population"}),
    "correlate": (
        correlate,
        frozenset(
            {"protocol", "correlations", "criterion", "raters", "without", "scale", "cluster"}
        )
        | {"permutations", "resamples", "seed"},
    ),
}
"""What computes a claimed result again, and the settings that it takes besides the rows."""


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
    inputs: Sequence[Mapping[str, Any]] = (),
    command: Sequence[str] = (),
) -> None:
    """Writes what a result claims, with the rows from which a reader can compute it again.

    The file holds no text. It has the ids of the items, and of their columns that of the clusters alone.
    What is claimed is computed from the rows that are written, and compared with the result.

    Args:
        result: What ``score``, ``compare``, ``compare_with_people`` or ``correlate`` returned.
        path: The file; any suffix.
        ranks: Claim the ranges of ranks too.
        anonymous: Write hashes in the place of ids and clusters, with a salt that is not kept, and no
            notes, which may name ids.
        registered: What was registered beforehand: a file of `register`, whose digest the claim names.
        inputs: The files that were read: ``as``, ``name``, ``sha256`` and ``modified`` of each.
        command: The words by which it was computed.

    Raises:
        ParameterError: The result is of a kind that cannot be claimed.
        InputError: The file cannot be written, or the rows do not give the result.
    """
    basis = getattr(result, "basis", None)
    if not isinstance(basis, Basis):
        raise ParameterError(Argument("claim"), f": a {type(result).__name__} cannot be claimed")
    salt = secrets.token_hex(16) if anonymous else None
    clusters = {"conversation", str(basis.settings.get("cluster"))}
    raters = salt or secrets.token_hex(16)
    blocks = {
        name: _ratings_block(Ratings.of(value), clusters, salt, raters)
        if name == RATINGS
        else _block(scores_of(value, Measurements, "write_claim"), clusters, salt)
        for name, value in basis.rows.items()
    }
    registration = None if registered is None else read_registration(registered)
    predicate = {
        "version": __version__,
        "numpy": np.__version__,
        "date": now(),
        "command": list(command),
        "inputs": [dict(each) for each in inputs],
        "registered": None if registration is None else registration.digest,
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
    named = [
        (f"rows:{name}", hashlib.sha256(block).hexdigest()) for name, (_, block) in blocks.items()
    ]
    named += [(each["name"], each["sha256"]) for each in inputs if each["sha256"]]
    statement: dict[str, Any] = {
        "_type": STATEMENT,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in named],
        "predicateType": PREDICATE,
        "predicate": predicate | {"claimed": claimed},
    }
    predicate = statement["predicate"]
    predicate["sha256"] = hashlib.sha256(canonical(statement)).hexdigest()
    with replacing(path) as temporary:
        temporary.write_bytes(canonical(statement) + b"\n")


def write_scores(rows: bytes, path: str | os.PathLike[str]) -> None:
    """Writes the measured rows of a claim, which ``load_scores`` reads.

    Raises:
        InputError: The path cannot be written.
    """
    with replacing(path) as temporary:
        temporary.write_bytes(rows)


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


_TYPES: dict[str, Any] = {
    "version": str, "numpy": str, "date": str, "command": list, "inputs": list, "call": str,
    "registered": str | None, "anonymous": bool, "settings": dict, "ranks": bool, "rows": dict,
    "claimed": dict,
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
    call, known = CALLS[predicate["call"]]
    if foreign := predicate["settings"].keys() - known:
        raise InputError(f"the setting {min(foreign)!r:.60} is unknown to {predicate['call']}")
    rows = {name: _value(predicate["rows"][name]["kind"], block) for name, block in blocks.items()}
    settings = {name: _argument(value) for name, value in predicate["settings"].items()}
    return plain(_shown(call(**rows, **settings), predicate["ranks"]))


def _setting(value: Any) -> Any:
    """A setting as JSON has it: a protocol is its name and its parameters."""
    return {**vars(value), "name": value.name} if isinstance(value, Protocol) else value


def _argument(value: Any) -> Any:
    """The argument of a setting."""
    if isinstance(value, dict):
        facts = dict(value)
        return PROTOCOLS[facts.pop("name")](
            **{name: _argument(each) for name, each in facts.items()}
        )
    return tuple(value) if isinstance(value, list) else value


def _ratings_block(
    value: Ratings, clusters: set[str], salt: str | None, raters: str
) -> tuple[str, bytes]:
    """The kind of ratings, and their Parquet; raters are hashes in any case."""
    frame = value.frame
    frame = frame.select(each for each in frame.columns if each in (*_RATED, *clusters))
    hidden = {"rater": raters}
    if salt is not None:
        hidden |= dict.fromkeys({"id", *clusters} & {*frame.columns}, salt)
    names = {name: salted(frame[name], each, name == "rater") for name, each in hidden.items()}
    return RATINGS, parquet_of(frame.with_columns(**names))


def _block(value: Measurements, clusters: set[str], salt: str | None) -> tuple[str, bytes]:
    """The kind of rows, and their Parquet."""
    columns = ("id", value.cluster, *clusters)
    items = value.items.select(each for each in value.items.columns if each in columns)
    notes = value.notes
    if salt is not None:
        items = items.select(salted(each, salt) for each in items)
        notes = ()
    bare = replace(value, items=items, notes=notes, unserved={})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        save(bare, path)
        return SCORES, path.read_bytes()


def salted(names: pl.Series, salt: str, ranked: bool = False) -> pl.Series:
    """Hashes of names, 16 hexadecimal digits each; what is null stays so.

    Args:
        names: The names.
        salt: What is hashed with each.
        ranked: Put the rank of the name before the hash: resamples take raters in the order of names.
    """
    texts = names.cast(pl.String).to_list()
    known = sorted({each for each in texts if each is not None})
    hashes = {each: hashlib.sha256(f"{salt}:{each}".encode()).hexdigest()[:16] for each in known}
    if ranked:
        hashes = {each: f"{rank:06}-{hashes[each]}" for rank, each in enumerate(known)}
    values = [None if each is None else hashes[each] for each in texts]
    return pl.Series(names.name, values, dtype=pl.String)


def _value(kind: str, block: bytes) -> Any:
    """The rows of a block."""
    if kind == RATINGS:
        return Ratings.of(frame_of(block))
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
