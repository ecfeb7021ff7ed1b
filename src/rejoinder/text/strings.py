"""Strings as one run of UTF-8 bytes and where each begins and ends: Arrow's layout."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Bytes, Indices
from rejoinder.text.lists import check_strings, missing

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Strings:
    """Many strings in one byte buffer.

    Attributes:
        data: uint8 [bytes], UTF-8.
        starts: int64 [n], string i is ``data[starts[i]:stops[i]]``.
        stops: int64 [n].
    """

    data: Bytes
    starts: Indices
    stops: Indices

    @classmethod
    def of(cls, values: Sequence[str] | pl.Series | pa.Array, what: str = "strings") -> Strings:
        """Takes over Python strings, a Polars column or an Arrow array; long columns uncopied.

        Args:
            values: The strings. A column must not hold nulls.
            what: What the strings are, for messages.

        Raises:
            InputError: An element is no string, is missing, or holds a lone surrogate.

        >>> Strings.of(["hi", "", "né"])[2]
        'né'
        """
        few = _encoded(values)
        if few is not None:
            return cls(*few)
        import pyarrow as pa

        array: Any = values
        if hasattr(values, "to_arrow"):
            array = values.to_arrow()  # pyright: ignore[reportAttributeAccessIssue]
        elif not isinstance(values, (pa.Array, pa.ChunkedArray)):
            try:
                array = _array(values)
            except (pa.ArrowException, UnicodeEncodeError, TypeError, ValueError):
                check_strings(list(values), what)
                raise InputError(
                    f"{what}: {type(values).__name__}; expected a list of strings"
                ) from None
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

    def counts(self, places: Indices) -> Indices:
        """How many of some ``places`` in ``data``, ascending, lie in each string: int64 [n]."""
        return np.searchsorted(places, self.stops) - np.searchsorted(places, self.starts)

    @property
    def sizes(self) -> Indices:
        """int64 [n]: the bytes of each string."""
        return self.stops - self.starts


FEW = 100_000
"""Up to so many strings, a copy of them takes less time than importing pyarrow."""


def _encoded(values: Any) -> tuple[Bytes, Indices, Indices] | None:
    """The bytes and bounds of a few strings, without pyarrow; None for what it is to read or refuse."""
    if "pyarrow" in sys.modules or not hasattr(values, "__len__") or len(values) > FEW:
        return None
    polars = sys.modules.get("polars")
    if not isinstance(values, list | tuple) and (
        polars is None or not isinstance(values, polars.Series) or values.dtype != polars.String
    ):
        return None
    try:
        data, sizes = _by_python(values) if polars is None else _by_polars(values, polars)
    except (TypeError, ValueError):
        return None
    stops = np.cumsum(sizes, dtype=np.int64)
    return np.frombuffer(data, dtype=np.uint8), stops - sizes, stops


def _by_python(values: Sequence[str]) -> tuple[bytes, Indices]:
    """The bytes of all strings together, and how many each has."""
    parts = list(map(str.encode, values))
    return b"".join(parts), np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))


def _by_polars(values: Any, polars: Any) -> tuple[bytes, Indices]:
    """The same in half the time, where Polars is there already."""
    series = polars.Series(values, dtype=polars.String, strict=True)
    if series.null_count():
        raise ValueError("a string is missing")
    data = series.str.join("").cast(polars.Binary).item()
    return data, series.str.len_bytes().to_numpy().astype(np.int64)


def _array(values: Any) -> pa.Array:
    """Python strings as an Arrow array.

    By Polars, where it is there already: given a list, pyarrow imports pandas to ask whether the list
    is one of pandas' own, which takes longer than scoring a test set.
    """
    import pyarrow as pa

    polars = sys.modules.get("polars")
    if polars is None or not isinstance(values, list | tuple):
        return pa.array(values, type=pa.large_string())
    series = polars.Series(values, dtype=polars.String, strict=True)
    return series.to_arrow(compat_level=polars.CompatLevel.oldest())
