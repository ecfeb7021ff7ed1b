"""Strings as one run of UTF-8 bytes and where each begins and ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rejoinder.kernels.arrays import Bytes, Indices
from rejoinder.kernels.strings import unpack
from rejoinder.text.lists import check_strings, missing

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Strings:
    """Many strings in one byte buffer.

    Attributes:
        data: uint8 [bytes], UTF-8.
        starts: String i is ``data[starts[i]:stops[i]]`` (int64 [n]).
        stops: int64 [n].
    """

    data: Bytes
    starts: Indices
    stops: Indices

    @classmethod
    def of(cls, values: Sequence[str] | pl.Series | pa.Array, what: str = "strings") -> Strings:
        """Takes over Python strings, a Polars column or an Arrow array.

        The strings of a column or an array lie one after the other, those of a list with gaps.

        Args:
            values: The strings. A column must not hold nulls.
            what: What the strings are, for messages.

        Raises:
            InputError: An element is no string, is missing, or holds a lone surrogate.

        >>> Strings.of(["hi", "", "né"])[2]
        'né'
        """
        array: Any = values
        if not hasattr(array, "null_count"):  # neither a column of Polars nor an array of Arrow
            return cls(*_packed(array, what))
        parts = _few(array)
        if parts is not None:
            return cls(*parts)
        import pyarrow as pa

        if hasattr(array, "to_arrow"):
            array = array.to_arrow()
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if array.null_count:
            nulls = array.is_null().to_numpy(zero_copy_only=False)
            raise missing(what, int(np.flatnonzero(nulls)[0]))
        if array.type != pa.large_string():
            array = array.cast(pa.large_string())
        _, offsets, data = array.buffers()
        bounds = np.frombuffer(offsets, dtype=np.int64)[
            array.offset : array.offset + len(array) + 1
        ]
        if len(array) == 0:
            bounds = np.zeros(1, dtype=np.int64)
        buffer = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, np.uint8)
        return cls(buffer, bounds[:-1], bounds[1:])

    def __len__(self) -> int:
        return self.starts.size

    def __getitem__(self, index: int) -> str:
        return self.data[self.starts[index] : self.stops[index]].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        return (self[i] for i in range(len(self)))

    def part(self, begin: int, end: int) -> Strings:
        """The strings ``begin`` to ``end``, over the same bytes."""
        return Strings(self.data, self.starts[begin:end], self.stops[begin:end])

    def take(self, indices: Indices) -> Strings:
        """The strings at ``indices``, over the same bytes."""
        return Strings(self.data, self.starts[indices], self.stops[indices])

    @property
    def sizes(self) -> Indices:
        """int64 [n]: the bytes of each string."""
        return self.stops - self.starts


SOME = 1_000
"""Fewer strings than that are encoded in less time than msgspec is imported."""

FEW = 100_000
"""Up to so many strings of a column, a copy of them takes less time than importing pyarrow."""


def _packed(values: Sequence[str], what: str) -> tuple[Bytes, Indices, Indices]:
    """The bytes and bounds of Python strings: as MessagePack, whose numbers between them are skipped.

    One pass in C over the strings, where ``str.encode`` makes an object of each. Some strings are encoded
    one by one where msgspec is not imported yet, which takes longer.
    """
    texts = values if isinstance(values, list | tuple) else list(values)
    try:
        if len(texts) < SOME and "msgspec" not in sys.modules:
            parts = [str.encode(text) for text in texts]
            return _bounded(b"".join(parts), [len(part) for part in parts])
    except (TypeError, UnicodeEncodeError):
        check_strings(texts, what)
        raise
    import msgspec

    try:
        # What is no string would become one: a date, a decimal number.
        checked = msgspec.convert(texts, list[str])
        data = msgspec.msgpack.encode(checked, enc_hook=str.__str__)
    except (msgspec.ValidationError, UnicodeEncodeError):
        check_strings(texts, what)
        raise
    starts, stops = np.empty((2, len(texts)), dtype=np.int64)
    packed = np.frombuffer(data, dtype=np.uint8)
    unpack(packed, starts, stops)
    return packed, starts, stops


def _few(series: Any) -> tuple[Bytes, Indices, Indices] | None:
    """The bytes and bounds of a short column, without pyarrow; None for what it is to read or refuse."""
    polars = sys.modules.get("polars")
    if "pyarrow" in sys.modules or polars is None or len(series) > FEW:
        return None
    if getattr(series, "dtype", None) != polars.String or series.null_count():
        return None
    data = series.str.join("").cast(polars.Binary).item()
    return _bounded(data, series.str.len_bytes().to_numpy())


def _bounded(data: bytes, sizes: ArrayLike) -> tuple[Bytes, Indices, Indices]:
    """Bytes of strings, one after the other, and their bounds."""
    sizes = np.asarray(sizes, dtype=np.int64)
    stops = np.cumsum(sizes)
    return np.frombuffer(data, dtype=np.uint8), stops - sizes, stops
