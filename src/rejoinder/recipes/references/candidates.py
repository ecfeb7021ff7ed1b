"""The first step of the chain: candidates mined once, and kept for those who rate them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from rejoinder.corpora.mining.mine import mine
from rejoinder.errors import InputError
from rejoinder.files.checksums import with_checksum, without_checksum
from rejoinder.files.content import sha256
from rejoinder.files.replacing import write_json
from rejoinder.files.run_identity import another_run, differences
from rejoinder.progress import Progress
from rejoinder.tables.candidates import SOURCE, originals, read_candidates
from rejoinder.tables.schemas import CANDIDATES
from rejoinder.tables.testset import TestSet
from rejoinder.tables.write import write_candidates

FILE = "candidates.jsonl"
RUN = "run.json"


def kept_candidates(
    corpus: TestSet,
    testset: TestSet,
    folder: Path,
    candidates: int,
    progress: Progress | None = None,
) -> tuple[pl.DataFrame, tuple[str, ...], str, bool]:
    """The candidates of a folder: mined, or those of an earlier call with the same corpus and items.

    People may be rating them, so that they are never replaced.

    Args:
        corpus: Conversations.
        testset: The items.
        folder: Where ``candidates.jsonl`` and ``run.json`` stand.
        candidates: The number of mined replies for each item.
        progress: Called with the number of items done, and of all items.

    Returns:
        ``id, text, source``; notes; the signature; whether they were there already.

    Raises:
        InputError: The folder holds candidates of another corpus or test set, or damaged ones, or
            without ``run.json`` a file ``candidates.jsonl`` of other content.
    """
    identity = {"corpus": corpus.digest, "test set": testset.digest, "candidates": candidates}
    record = _kept(folder, identity)
    if record is not None:
        table = read_candidates(folder / FILE).select("id", "text", "source")
        return table, record["notes"], record["signature"], True
    mined = mine(corpus, testset, candidates=candidates, progress=progress)
    table = with_originals(mined.table, testset)
    _write_once(table, folder / FILE)
    facts = {"notes": list(mined.notes), "signature": mined.signature}
    record = {"identity": identity, FILE: sha256(folder / FILE), **facts}
    write_json(folder / RUN, with_checksum(record))
    return table.select("id", "text", "source"), mined.notes, mined.signature, False


def with_originals(mined: pl.DataFrame, testset: TestSet) -> pl.DataFrame:
    """The candidates with each item's own first reference before them (its source is ``original``)."""
    first = originals(testset).rename({"system": SOURCE})
    both = pl.concat([first, mined], how="diagonal_relaxed").select(
        pl.col(name).cast(kind) for name, kind in CANDIDATES.items()
    )
    order = testset.contexts.select("id").with_row_index("place of item")
    return (
        both.join(order, on="id", maintain_order="left")
        .sort("place of item", maintain_order=True)
        .drop("place of item")
    )


def _write_once(table: pl.DataFrame, path: Path) -> None:
    """Writes the candidates, unless a file with the same bytes is there: an earlier run was ended.

    Raises:
        InputError: A file of other content is there, or the candidates cannot be written.
    """
    if not path.exists():
        write_candidates(table, path)
        return
    with tempfile.TemporaryDirectory(prefix="rejoinder-") as folder:
        mined = Path(folder) / FILE
        write_candidates(table, mined)
        same = path.is_file() and sha256(mined) == sha256(path)
    if not same:
        raise InputError(
            f"{path}: already there, without {RUN}, and not the candidates that this command mines; "
            "people may be rating them, so that they are not replaced; name a new folder, or move the file"
        )


def _kept(folder: Path, identity: Mapping[str, Any]) -> dict[str, Any] | None:
    """What ``run.json`` says, where the folder holds these candidates; None where it holds none."""
    place = folder / RUN
    if not place.exists():
        return None
    try:
        record = without_checksum(place.read_bytes())
        if record[FILE] != sha256(folder / FILE):
            raise ValueError(f"{FILE} is not as it was written")
        earlier = dict(record["identity"])
        record = {**record, "notes": tuple(record["notes"]), "signature": record["signature"]}
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise InputError(
            f"{place}: the kept candidates are damaged: {error}; restore {FILE}, or name a new folder"
        ) from None
    if earlier != dict(identity):
        raise another_run(folder, "candidates", differences(earlier, identity), "name a new folder")
    return record
