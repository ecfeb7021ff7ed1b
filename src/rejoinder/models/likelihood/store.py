"""Results on disk as they come, and work that was cut off taken up where it stood.

The file is JSONL: a first line that says of what model, settings and requests it is, then a line for
each prompt and reply, in the order of the plan. The plan is the same for the same requests, so a
file that was cut off is a prefix of the whole one: what is left of a half-written batch goes, and
the next batch follows. The whole file is byte by byte what an uninterrupted run writes. Each line
has a check (``chain.py``), which is compared when the file is read back. One run at a time writes to
a file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.chained_lines import DIGITS, TAIL, begun, broken, linked
from rejoinder.files.locks import lock
from rejoinder.files.replacing import made_folder
from rejoinder.models.likelihood.provider import Batch, Likelihood, Provider, Request
from rejoinder.models.likelihood.recorded import Line, encoded, likelihood

FORMAT = 1
FOREIGN = "is no file of likelihoods of ours; name another folder for --work"
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Likelihoods:
    """The likelihoods of all replies to all prompts.

    Attributes:
        held: For each request, and each of its replies, the likelihood.
        notes: What was cut on the way.
        facts: What the numbers depend on.
    """

    held: list[list[Likelihood]]
    notes: tuple[str, ...]
    facts: dict[str, str]


def likelihoods(
    provider: Provider,
    requests: Sequence[Request],
    *,
    work: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Likelihoods:
    """Measures all replies to all prompts.

    Args:
        provider: Where from.
        requests: Prompts and replies, each id once.
        work: A folder in which results are kept as they come, and where a run that was cut off is
            taken up; None keeps nothing.
        progress: Called with how many prompts are done, and of how many.

    Raises:
        InputError: The folder holds another run's results, or cannot be written; a reply cannot be
            scored by the provider.
    """
    plan = provider.plan(requests)
    measured: list[list[Likelihood]] = [[] for _ in requests]
    done = 0
    for batch, found in (
        _measured(provider, plan.batches)
        if work is None
        else _kept(provider, requests, plan.batches, Path(work))
    ):
        for place, each in zip(batch.requests, found, strict=True):
            measured[place] = each
        done += len(batch.requests)
        if progress is not None:
            progress(done, len(requests))
    return Likelihoods(measured, plan.notes, provider.facts)


def _measured(
    provider: Provider, batches: Sequence[Batch]
) -> Iterator[tuple[Batch, list[list[Likelihood]]]]:
    for batch in batches:
        yield batch, provider.measure(batch)


def _kept(
    provider: Provider, requests: Sequence[Request], batches: Sequence[Batch], work: Path
) -> Iterator[tuple[Batch, list[list[Likelihood]]]]:
    path = _file(provider, work)
    counts = [sum(len(requests[place].replies) for place in batch.requests) for batch in batches]
    try:
        with open(path, "a+b") as file:
            lock(file.fileno(), path, "file", "--work")
            kept = _read(file, path, _header(provider, requests), counts)
            done = begun = 0
            while done < len(batches) and begun + counts[done] <= len(kept.lines):
                some = kept.lines[begun : begun + counts[done]]
                yield batches[done], _told(requests, batches[done], some, path)
                begun += counts[done]
                done += 1
            check = kept.check
            for batch in batches[done:]:
                found = provider.measure(batch)
                lines = []
                for place, each in zip(batch.requests, found, strict=True):
                    for text, held in zip(requests[place].replies, each, strict=True):
                        line = msgspec.json.encode(encoded(requests[place].id, text, held))
                        if check is not None:
                            line, check = linked(check, line)
                        lines.append(line + b"\n")
                file.write(b"".join(lines))
                file.flush()
                os.fsync(file.fileno())
                yield batch, found
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read or written: {error.strerror}; name another folder for --work"
        ) from error


def _file(provider: Provider, work: Path) -> Path:
    """The file of one model in the folder: models of one name but other weights stand apart."""
    made_folder(work, "name another for --work")
    plain = "".join(c if c.isalnum() or c in "-_." else "-" for c in provider.name)
    return work / f"{plain}.scores.jsonl"


def _header(provider: Provider, requests: Sequence[Request]) -> dict[str, Any]:
    digest = hashlib.sha256()
    for request in requests:
        digest.update(msgspec.json.encode(request))
    return {
        "rejoinder": "likelihoods",
        "format": FORMAT,
        "name": provider.name,
        **provider.facts,
        "requests": digest.hexdigest()[:16],
        "checked": True,
    }


class _Kept(NamedTuple):
    """What stands in a file of results.

    Args:
        lines: Those of all whole batches, without the header.
        check: What the next line follows; None in a file of an earlier version, without checks.
    """

    lines: list[bytes]
    check: str | None


def _read(file: BinaryIO, path: Path, header: dict[str, Any], counts: Sequence[int]) -> _Kept:
    """The lines of all whole batches; the rest of the file is cut off, a new file is begun.

    Raises:
        InputError: The file is of another run, is none of ours, or is damaged.
    """
    first = msgspec.json.encode(header)
    file.seek(0)
    data = file.read()
    lines = data.split(b"\n")[:-1]
    if not lines:
        if not (first + b"\n").startswith(data):
            raise InputError(f"{path}: {FOREIGN}")
        file.truncate(0)
        file.write(first + b"\n")
        return _Kept([], begun(first))
    checked = _check_header(path, lines[0], header)
    held = lines[1:]
    place = broken(lines[0], held) if checked else None
    if place is not None:
        raise InputError(
            f"{path}, line {place + 2}: damaged or altered since it was written; delete the file, or "
            "that line and all behind it"
        )
    whole = 0
    for count in counts:
        if whole + count > len(held):
            break
        whole += count
    size = sum(len(line) + 1 for line in lines[: 1 + whole])
    if size < len(data):
        file.truncate(size)
    held = held[:whole]
    last = held[-1][-len(TAIL) - DIGITS : -len(TAIL)].decode() if held else begun(lines[0])
    return _Kept(held, last if checked else None)


def _check_header(path: Path, line: bytes, header: dict[str, Any]) -> bool:
    """Whether the lines have checks; an InputError where the file is of another run."""
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("rejoinder") != "likelihoods":
        raise InputError(f"{path}: {FOREIGN}")
    if found == header:
        return True
    if found == {key: value for key, value in header.items() if key != "checked"}:
        return False
    differing = [key for key in header | found if header.get(key) != found.get(key)]
    raise InputError(
        f"{path}: results of another run (differing: {', '.join(differing)}); name another folder "
        "for --work, or delete the file"
    )


def _told(
    requests: Sequence[Request], batch: Batch, lines: Sequence[bytes], path: Path
) -> list[list[Likelihood]]:
    decode = msgspec.json.Decoder(Line).decode
    at, told = 0, []
    for place in batch.requests:
        each = []
        for text in requests[place].replies:
            try:
                line = decode(lines[at])
            except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                raise InputError(f"{path}: a damaged line ({error}); delete the file") from None
            if (line.id, line.text) != (requests[place].id, text):
                raise InputError(f"{path}: lines out of order; delete the file")
            each.append(likelihood(line, str(path)))
            at += 1
        told.append(each)
    return told
