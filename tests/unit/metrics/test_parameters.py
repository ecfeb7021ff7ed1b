"""Types of parameters of metrics that users write, with evaluated annotations.

``test_parameters_as_texts.py`` holds the same for annotations that stay texts.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Optional

import numpy as np
import pytest

from parameter_cases import REFUSED, TAKEN, Scored
from rejoinder.errors import ParameterError
from rejoinder.metrics.settings import types_of


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
    assert f"{name}:" in Own(**{name: value}).signature() or found in (None, "")


@pytest.mark.parametrize(("name", "value", "message"), REFUSED)
def test_values_of_another_type_are_refused(name, value, message):
    with pytest.raises(ParameterError, match=message):
        Own(**{name: value})


def test_an_annotation_that_cannot_be_resolved_is_not_checked():
    @dataclass(frozen=True)
    class Odd(Scored):
        name: ClassVar[str] = "odd"
        what: "Unheard" = 1  # noqa: F821
        count: int = 2

    assert Odd(what="x").what == "x"
    assert types_of(Odd) == {"what": Any, "count": int}


def test_a_metric_of_a_users_module_scores():
    assert Own(order=np.int64(3)).corpus(["a b"], [["a"]]).value == 2.0
