"""The folder of a sweep: which sweep it holds, and whether that is the one asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rejoinder.errors import InputError
from rejoinder.files.replacing import made_folder, write_json
from rejoinder.files.run_identity import another_run, as_kept, differences
from rejoinder.files.strict_json import strict_json
from rejoinder.messages import Argument
from rejoinder.tuning.trial import finite

IDENTITY = "sweep.json"


def opened(
    path: Path,
    parameters: Mapping[str, Any],
    extensible: bool = False,
    fallback: str | None = None,
    name: str = IDENTITY,
    what: str = "a sweep",
) -> Path:
    """The folder, marked as this sweep's.

    Args:
        path: A new folder, or that of the same sweep.
        parameters: What the sweep is.
        extensible: Whether more ``trials`` than it was begun with leave the first as they are.
        fallback: Why the metric is not the one that one would expect; None: it is.
        name: The name of the file that says what the folder holds.
        what: What it holds, with its article: other studies have such folders too.

    Raises:
        InputError: Something else stands there, or it cannot be written.
    """
    marker = path / name
    current = as_kept(parameters)
    if marker.exists():
        recorded = _read(marker)
        _check_same(path, recorded, current, extensible, fallback, what)
        if recorded == current:
            return path
    elif path.is_dir() and any(not each.name.startswith(".") for each in path.iterdir()):
        raise InputError(f"{path}: a folder with other things in it; name a new folder")
    made_folder(path)
    write_json(marker, finite(parameters))
    return path


def _read(marker: Path) -> dict[str, Any]:
    try:
        parameters = strict_json(marker.read_text("utf-8"))
    except (OSError, ValueError):
        parameters = None
    if not isinstance(parameters, dict):
        raise InputError(f"{marker}: cut or altered; name a new folder")
    return parameters


def _check_same(
    path: Path,
    recorded: Mapping[str, Any],
    current: Mapping[str, Any],
    extensible: bool,
    fallback: str | None,
    what: str,
) -> None:
    """Refuses another sweep; more trials continue the same one where they change no earlier trial."""
    more = _more(recorded, current)
    before, now = _without_trials(recorded), _without_trials(current)
    if before != now:
        changed = recorded.get("metric") != current.get("metric")
        why = f" ({fallback})" if changed and fallback else ""
        raise another_run(path, what, f"{differences(before, now)}{why}", "name a new folder")
    if recorded.get("trials") == current.get("trials") or (more and extensible):
        return
    remedy = "name a new folder"
    if more:
        remedy = (
            "name a new folder, because halving would have chosen from all of them; to be extended, a "
            f"sweep needs {Argument('sampler', 'optuna')} or {Argument('prune', 'none')}"
        )
    raise another_run(path, what, differences(recorded, current), remedy)


def _without_trials(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in parameters.items() if key != "trials"}


def _more(recorded: Mapping[str, Any], current: Mapping[str, Any]) -> bool:
    before, here = recorded.get("trials"), current.get("trials")
    return isinstance(before, int) and isinstance(here, int) and before < here
