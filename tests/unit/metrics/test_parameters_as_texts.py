"""Types of parameters of metrics that users write, with annotations that stay texts."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Optional

import pytest

from parameter_cases import REFUSED, TAKEN, Scored
from rejoinder.errors import ParameterError


@dataclass(frozen=True)
class Own(Scored):
    """A metric with a parameter of every type."""

    name: ClassVar[str] = "own"

    order: int = 2
    share: float = 0.5
    strict: bool = False
    word: str = "a"
    seed: int | None = None
    limit: Optional[float] = None  # noqa: UP045
    mode: Literal["fast", "exact"] = "fast"
    level: Literal[1, 2] | None = None
    path: str | os.PathLike[str] = ""
    folder: Path = Path("here")
    anything: Any = None


@pytest.mark.parametrize(("name", "value", "kept"), TAKEN)
def test_values_of_the_type_are_taken(name, value, kept):
    found = getattr(Own(**{name: value}), name)
    assert (found, type(found)) == (kept, type(kept))


@pytest.mark.parametrize(("name", "value", "message"), REFUSED)
def test_values_of_another_type_are_refused(name, value, message):
    with pytest.raises(ParameterError, match=message):
        Own(**{name: value})
