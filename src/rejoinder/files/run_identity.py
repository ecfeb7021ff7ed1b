"""The identity of a run whose files are continued: everything that its results follow from.

A run that stops early leaves files, and the same command continues from them. Its identity (settings,
seed, hashes of the data; JSON) is kept beside the files, so that no other run continues from them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rejoinder.errors import InputError

_MOST = 6  # differing settings that a message names


def as_kept(identity: Mapping[str, Any]) -> dict[str, Any]:
    """The identity as a JSON file gives it back: tuples are lists, and keys are strings.

    >>> as_kept({"layers": (2, 1)})
    {'layers': [2, 1]}
    """
    return json.loads(json.dumps(dict(identity)))


def differences(kept: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """The settings in which two identities differ, each with both values; empty where none does.

    Nested settings are named by their own names. A group that one identity lacks is named alone.

    >>> differences({"seed": 1, "schedule": {"epochs": 60, "batch": 8}},
    ...             {"seed": 1, "schedule": {"epochs": 59, "batch": 8}})
    'epochs was 60, is 59'
    """
    there, here = _leaves(kept), _leaves(as_kept(wanted))
    both = {key[:-1] for key in there} & {key[:-1] for key in here}
    groups = {key[0] for key in {*there, *here} if key[:-1] not in both}
    changes = [
        f"{key[-1]} was {_shown(there.get(key))}, is {_shown(here.get(key))}"
        for key in dict.fromkeys([*there, *here])
        if there.get(key) != here.get(key) and key[:-1] in both
    ]
    changes += [f"{name} is given for one of them alone" for name in sorted(groups)]
    return "; ".join(changes[:_MOST]) + (
        f"; and {len(changes) - _MOST} more" if changes[_MOST:] else ""
    )


def another_run(place: object, what: str, differing: str, remedy: str) -> InputError:
    """The error of a place that holds files of another run.

    Args:
        place: The file or folder.
        what: What it holds, with its article.
        differing: What ``differences`` found, or other words; empty where unknown.
        remedy: What to do instead of repeating that run's settings.

    >>> str(another_run("m", "a model", "seed was 1, is 2", "name a new folder"))
    "m: holds a model of another run: seed was 1, is 2; repeat that run's settings, or name a new folder"
    """
    why = f": {differing}" if differing else ""
    return InputError(
        f"{place}: holds {what} of another run{why}; repeat that run's settings, or {remedy}"
    )


def _leaves(value: Mapping[str, Any], above: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """All settings that hold no further ones, by their path."""
    leaves: dict[tuple[str, ...], Any] = {}
    for key, each in value.items():
        if isinstance(each, Mapping) and each:
            leaves |= _leaves(each, (*above, str(key)))
        else:
            leaves[(*above, str(key))] = each
    return leaves


def _shown(value: Any) -> str:
    return "none" if value is None or value == "" else f"{value!s:.60}"
