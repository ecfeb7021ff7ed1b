"""Shards: the work of one call is cut into parts, which are computed apart and put together again.

A function that does much work names its units (the items of a test set, the questions to a model, the
batches in which a model reads texts) and computes some of them (`shared`). Without shards it computes all.
In a shard it computes those that a stable order of their names gives to the shard, and they are kept in a
file, a part. When parts are merged, the function gets the results of all units from the parts, in the order
of the units, and everything else runs as it does without shards: the same code on the same numbers. A unit
is never smaller than what a run without shards computes at once, so that no batch is padded in another way.

A part is a line of JSON, which ends in its own checksum, and behind it the results in MessagePack.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rejoinder._version import __version__
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.checksums import with_checksum, without_checksum
from rejoinder.files.locks import alone
from rejoinder.files.replacing import write_file
from rejoinder.files.sources import set_within
from rejoinder.messages import Argument, listed, quoted

if TYPE_CHECKING:
    import numpy as np

KEY = "rejoinder_part"
"""The key with which every part begins; its value is the version of the format."""
FORMAT = 1
_BEGIN = b'{"%s"' % KEY.encode()
MOST = 100_000
"""So many shards there may be."""

T = TypeVar("T")


class PartComplete(BaseException):
    """Ends a call that computes a shard, when its work is done."""


@dataclass(frozen=True)
class Shard:
    """One of several parts of the work.

    Attributes:
        number: Its number, from 1.
        of: How many shards there are.

    >>> Shard.parse("2/3")
    Shard(number=2, of=3)
    """

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard of a text ``I/N``.

        Raises:
            ParameterError: It is none.
        """
        match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text) if isinstance(text, str) else None
        number, of = map(int, match.groups()) if match else (0, 0)
        if not 1 <= number <= of <= MOST:
            raise ParameterError(
                Argument("shard", text),
                f"; expected I/N, such as 2/3, with I from 1 to N, at most {MOST:,}",
            )
        return cls(number, of)

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


@dataclass(frozen=True)
class WorkPart:
    """What a shard computed.

    Attributes:
        path: Its file.
        shard: The shard.
        command: The words of the command; empty where a program in Python called.
        inputs: By path the SHA-256 of what the command read.
        version: The version of Rejoinder.
        calls: What each call of `shared` had: its name, the digest of its units, and how many of them the
            shard computed.
        content: The SHA-256 of the file.
    """

    path: Path
    shard: Shard
    command: tuple[str, ...]
    inputs: Mapping[str, str | None]
    version: str
    calls: tuple[Mapping[str, Any], ...]
    content: str
    _begin: int = field(default=0, repr=False)

    @property
    def units(self) -> int:
        """How many units the shard computed."""
        return sum(each["own"] for each in self.calls)

    def result(self, call: int) -> bytes:
        """The results of a call, in MessagePack."""
        sizes = [each["size"] for each in self.calls]
        with open(self.path, "rb") as file:
            file.seek(self._begin + sum(sizes[:call]))
            return file.read(sizes[call])


@dataclass
class _Computing:
    """A shard that is being computed."""

    shard: Shard
    calls: list[dict[str, Any]] = field(default_factory=list)
    results: list[bytes] = field(default_factory=list)


@dataclass
class _Merging:
    """Parts that are being merged, in the order of their shards."""

    parts: Sequence[WorkPart]
    calls: int = 0


_ACTIVE: ContextVar[_Computing | _Merging | None] = ContextVar("shards", default=None)


def in_shards() -> bool:
    """Whether a shard is being computed, or parts are being merged."""
    return _ACTIVE.get() is not None


def in_shard() -> bool:
    """Whether a shard is being computed: results of other shards are then zeros, or None."""
    return isinstance(_ACTIVE.get(), _Computing)


def end_of_shard() -> None:
    """Ends the call where a shard is being computed: what follows needs the results of all shards.

    Raises:
        PartComplete: There.
    """
    folder = _FOLDER.get()
    if in_shard() or isinstance(folder, Shard):
        raise PartComplete
    if folder is not None:
        folder([])


def shared(
    what: str,
    names: Sequence[str],
    content: Any,
    compute: Callable[[list[int]], Any],
    row: Any = None,
) -> Any:
    """The results of all units: computed, those of a shard, or from the parts that are being merged.

    Args:
        what: What the results are, for messages.
        names: The name of each unit, by which shards are formed.
        content: All that the results depend on, or a digest of it; what JSON can hold.
        compute: Computes the units in some places: a list of results, or an array with a row for each.
        row: The type of a result in a list; None for an array of float64 or float32.

    Raises:
        InputError: A part has other units, or results that are damaged.
    """
    active = _ACTIVE.get()
    if active is None:
        return compute(list(range(len(names))))
    digest = hashlib.sha256(json.dumps([what, content, list(names)]).encode()).hexdigest()
    if isinstance(active, _Merging):
        active.calls += 1
        return _merged(active.parts, active.calls - 1, what, names, digest, row)
    import numpy as np

    mine = owners(names, active.shard.of) == active.shard.number
    places = np.flatnonzero(mine).tolist()
    with whole():
        results = compute(places)
    active.calls.append({"what": what, "units": len(names), "digest": digest, "own": len(places)})
    active.results.append(_packed(results))
    if row is not None:
        return [None] * len(names)
    return np.zeros((len(names), *results.shape[1:]), dtype=results.dtype)


def refuse_shards(what: str) -> None:
    """Raises a ParameterError where work that is not cut would be done in every shard."""
    if in_shards():
        raise ParameterError(
            Argument("shard"), f": {what} is not cut into shards; measure it without"
        )


def check_no_shard() -> None:
    """Raises a ParameterError where a result is to be written or printed that has no work for shards."""
    active = _ACTIVE.get()
    if isinstance(active, _Computing):
        raise _no_work(active.shard)


def _no_work(shard: Shard) -> ParameterError:
    return ParameterError(
        Argument("shard", str(shard)),
        ": this command has no work that is cut into shards; leave it out",
    )


@contextmanager
def whole() -> Iterator[None]:
    """Within it nothing is cut into shards."""
    with set_within(_ACTIVE, None):
        yield


Compute = Callable[[Sequence["Shard"]], None]
"""Computes shards in other processes, which leave files in the same folder; none: no more will come."""
_FOLDER: ContextVar[Shard | Compute | None] = ContextVar("folder", default=None)


def shard_of_folder() -> bool:
    """Whether a shard of work is computed whose results are files of one folder."""
    return isinstance(_FOLDER.get(), Shard)


def make_files(
    folder: Path, names: Sequence[str], there: Callable[[int], bool], make: Callable[[int], object]
) -> None:
    """Makes units of work whose results are files of one folder, one after the other.

    In a shard, those of the shard are made alone. On an engine, the shards of those that are not there are
    computed first, and ``make`` then finds the files.

    Args:
        folder: The folder of all units.
        names: For each unit the name of its folder there.
        there: Whether the files of the unit in a place are there.
        make: Makes the unit in a place, or reads its files.

    Raises:
        PartComplete: A shard is computed, and units of other shards are not there yet.
        InputError: Another run makes one of the units now.
    """
    active = _FOLDER.get()

    def make_alone(place: int) -> None:
        with alone(folder / names[place]):
            make(place)

    with set_within(_FOLDER, None):  # within a unit nothing is cut
        missing = [place for place in range(len(names)) if not there(place)]
        if isinstance(active, Shard):
            numbers = owners(names, active.of)
            for place in missing:
                if numbers[place] == active.number:
                    make_alone(place)
            if not all(map(there, missing)):
                raise PartComplete
        elif active is not None and missing:
            of = min(len(names), MOST)
            numbers = owners(names, of)
            active([Shard(int(each), of) for each in sorted({numbers[k] for k in missing})])
        for place in range(len(names)):
            (make if there(place) else make_alone)(place)  # shards may read one together


def alone_with_shards(folder: Path) -> AbstractContextManager[object]:
    """A folder in which no other run writes (`alone`), but for the shards that an engine computes there."""
    return nullcontext() if shard_of_folder() else alone(folder)


def compute_in_folder(call: Callable[[], Any], how: Shard | Compute) -> None:
    """Runs a call whose work is cut by `make_files`: a shard of it, or all on an engine."""
    with set_within(_FOLDER, how), suppress(PartComplete):
        call()


_Array = tuple[str, list[int], bytes]
"""An array as a part has it: its type, shape and values."""


def _packed(results: Any) -> bytes:
    import msgspec

    if not isinstance(results, list):
        results = (results.dtype.str, results.shape, results.tobytes())
    return msgspec.msgpack.encode(results)


def owners(names: Sequence[str], shards: int) -> np.ndarray:
    """The number of the shard of each unit, from 1: all shards have equally many, but for one.

    Units are dealt in the order of the SHA-256 of their names, which is alike on every machine; those
    of one name go to one shard.

    >>> owners(["dialogue-7", "dialogue-8", "dialogue-7"], 3).tolist()
    [2, 1, 2]
    """
    import numpy as np

    digests = (hashlib.sha256(each.encode("utf-8", "surrogatepass")).digest() for each in names)
    numbers = (int.from_bytes(each[:8], "big") for each in digests)
    _, rank = np.unique(np.fromiter(numbers, np.uint64, len(names)), return_inverse=True)
    return rank % shards + 1


def _merged(
    parts: Sequence[WorkPart], call: int, what: str, names: Sequence[str], digest: str, row: Any
) -> Any:
    """The results of all units of a call, in their order."""
    import msgspec
    import numpy as np

    results: Any = None if row is None else [None] * len(names)
    owner = owners(names, len(parts))
    for part in parts:
        own = part.calls[call] if call < len(part.calls) else {}
        places = np.flatnonzero(owner == part.shard.number)
        if own.get("digest") != digest or own["own"] != places.size:
            raise InputError(
                f"{part.path}: holds no {what} of this test set and these settings; repeat the command of "
                f"shard {part.shard} on the same files"
            )
        data = msgspec.msgpack.decode(part.result(call), type=_Array if row is None else list[row])
        if row is None:
            kind, shape, values = data
            values = np.frombuffer(values, dtype=kind).reshape(shape)
            if results is None:
                results = np.empty((len(names), *values.shape[1:]), dtype=values.dtype)
            results[places] = values
        else:
            for place, each in zip(places.tolist(), data, strict=True):
                results[place] = each
    return results


def compute_part(
    call: Callable[[], Any],
    shard: Shard,
    path: str | os.PathLike[str],
    command: Sequence[str] = (),
    inputs: Mapping[str, str | None] | None = None,
) -> WorkPart:
    """Computes a shard of a call, and writes the part.

    Args:
        call: What is called; its result is not returned, since it is of the other shards too.
        shard: The shard.
        path: The file.
        command: The words of the command.
        inputs: By path the SHA-256 of what the command reads.

    Raises:
        ParameterError: The call has no work that is cut into shards.
    """
    computing = _Computing(shard)
    with set_within(_ACTIVE, computing), suppress(PartComplete):
        call()
    if not computing.calls:
        raise _no_work(shard)
    body = b"".join(computing.results)
    calls = [
        {**each, "size": len(result)}
        for each, result in zip(computing.calls, computing.results, strict=True)
    ]
    header = {
        KEY: FORMAT,
        "shard": [shard.number, shard.of],
        "command": list(command),
        "inputs": dict(inputs or {}),
        "version": __version__,
        "calls": calls,
        "results": hashlib.sha256(body).hexdigest(),
    }
    line = json.dumps(with_checksum(header), ensure_ascii=True).encode() + b"\n"
    write_file(path, line + body)
    return read_part(path)


def read_part(path: str | os.PathLike[str]) -> WorkPart:
    """A part, whose checksums are checked.

    Raises:
        InputError: It is not there, is no part, is damaged, or of another version.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; name a part") from None
    line, _, body = data.partition(b"\n")
    if not line.startswith(_BEGIN):
        raise InputError(f"{path}: is not a part of work that was cut into shards")
    damaged = InputError(
        f"{path}: the part is damaged or cut short; repeat the command of its shard"
    )
    try:
        header = without_checksum(line)
    except (ValueError, RecursionError):
        raise damaged from None
    if header.get("version") != __version__ or header[KEY] != FORMAT:
        raise InputError(
            f"{path}: is of Rejoinder {header.get('version')}, and this is {__version__}; compute all parts "
            "and merge them with one version"
        )
    if hashlib.sha256(body).hexdigest() != header["results"]:
        raise damaged
    return WorkPart(
        path,
        Shard(*header["shard"]),
        tuple(header["command"]),
        header["inputs"],
        header["version"],
        tuple(header["calls"]),
        hashlib.sha256(data).hexdigest(),
        len(line) + 1,
    )


def is_part(path: Path) -> bool:
    """Whether a file begins as parts do; it may be damaged."""
    with path.open("rb") as file:
        return file.read(len(_BEGIN)) == _BEGIN


def read_parts(paths: Sequence[str | os.PathLike[str]]) -> list[WorkPart]:
    """All parts of one call, in the order of their shards.

    Raises:
        InputError: One is missing, there twice, damaged, or of another command, input or version.
    """
    parts = sorted((read_part(path) for path in paths), key=lambda each: each.shard.number)
    if not parts:
        raise ParameterError("parts: none is named; name those of all shards")
    usual = _most_common(each.shard.of for each in parts)
    by_shard: dict[int, WorkPart] = {}
    for part in parts:
        if part.shard.of != usual:
            raise InputError(
                f"{part.path}: is shard {part.shard}, and others are of {usual}; leave it out"
            )
        other = by_shard.setdefault(part.shard.number, part)
        if other is not part:
            raise InputError(
                f"{other.path} and {part.path}: both are shard {part.shard}; leave one out"
            )
    missing = [f"{number}/{usual}" for number in range(1, usual + 1) if number not in by_shard]
    if missing:
        raise InputError(
            f"parts: {len(missing)} of {usual} {'is' if len(missing) == 1 else 'are'} missing: shard "
            f"{listed(missing[:5])}{' and further ones' * (len(missing) > 5)}; compute "
            f"{'it' if len(missing) == 1 else 'them'} and merge again"
        )
    _check_alike(parts)
    return parts


def _most_common(values: Iterable[T]) -> T:
    return Counter(values).most_common(1)[0][0]


def _check_alike(parts: Sequence[WorkPart]) -> None:
    """Raises an InputError where a part is of another command, or of other files."""
    usual = _most_common(each.command for each in parts)
    for part in parts:
        if part.command != usual:
            ours = [each for each in part.command if each not in usual]
            theirs = [each for each in usual if each not in part.command]
            raise InputError(
                f"{part.path}: is of another command than the other parts: {quoted(' '.join(ours))} where "
                f"they have {quoted(' '.join(theirs))}; repeat it with their settings"
            )
    usual_inputs = _most_common(tuple(each.inputs.items()) for each in parts)
    for part in parts:
        for path, content in usual_inputs:
            if part.inputs.get(path) != content:
                raise InputError(
                    f"{part.path}: was computed from another content of {path} than the other parts; "
                    "compute its shard again"
                )


def merge_parts(call: Callable[[], T], parts: Sequence[WorkPart]) -> T:
    """What a call returns without shards: from the results of all parts.

    Args:
        call: The call whose shards were computed.
        parts: All of them (`read_parts`).

    Raises:
        InputError: The parts are of another call.
    """
    merging = _Merging(parts)
    with set_within(_ACTIVE, merging):
        result = call()
    for part in parts:
        if len(part.calls) != merging.calls:
            raise InputError(f"{part.path}: is of another call, which had further results")
    return result


def shard(call: Callable[[], Any], shard: str, path: str | os.PathLike[str]) -> WorkPart:
    """Computes one shard of a call, and writes its results to a file, a part.

    The work of ``score``, ``score_parquet``, ``ruq``, ``respond``, ``mark``, ``mine`` and ``variety`` with an
    encoder is cut into shards; ``merge`` then gives what the call returns without shards, to the bit.

    Args:
        call: The call without arguments, such as ``lambda: rejoinder.score(testset, responses)``. It does
            not return: what it would return needs all shards.
        shard: ``I/N``: number I of N shards.
        path: The file of the part.

    Raises:
        ParameterError: There is no such shard, or the call has no work that is cut into shards.
        InputError: What the call raises.

    >>> import tempfile
    >>> from rejoinder import TestSet, merge, score
    >>> testset = TestSet.from_lists([["yes"], ["at nine"]])
    >>> call = lambda: score(testset, {"system": ["a", "a"], "id": ["1", "2"], "text": ["no", "at nine"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parts = [shard(call, f"{k}/2", f"{folder}/{k}.part").path for k in (1, 2)]
    ...     merge(call, parts).systems().equals(call().systems())
    True
    """
    return compute_part(call, Shard.parse(shard), path)


def merge(call: Callable[[], T], parts: Sequence[str | os.PathLike[str]]) -> T:
    """What a call returns, from the parts of all its shards: the same to the bit as without shards.

    Args:
        call: The call whose shards were computed (``shard``), on the same test set.
        parts: The files of all parts, in any order.

    Raises:
        InputError: A part is missing, there twice, damaged, or of another call or version.
    """
    return merge_parts(call, read_parts(parts))
