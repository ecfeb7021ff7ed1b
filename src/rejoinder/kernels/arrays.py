"""The names of the array types that kernels take."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]
Words: TypeAlias = NDArray[np.uint64]
"""The eight bytes from every byte of a text on: neighbours overlap."""

Fingerprints: TypeAlias = NDArray[np.uint64]
Indices: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Table: TypeAlias = NDArray[np.float64]
"""Two dimensions, where ``Floats`` has one to a kernel and any number elsewhere."""

Codes: TypeAlias = NDArray[np.int64]
"""Two dimensions, where ``Indices`` has one."""
