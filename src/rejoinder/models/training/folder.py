"""A finished model on disk: a folder of ``model.safetensors``, ``config.json`` and vocabulary files.

What Rejoinder notes of a model stands under the key ``rejoinder`` of ``config.json``; beside it
stand the keys of ``transformers``, where the model is one of its classes, so that ``from_pretrained``
loads the same folder. Nothing is pickled, and a folder is written whole or not at all.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rejoinder.errors import InputError
from rejoinder.files.checksums import json_digest
from rejoinder.files.content import folder_hash, sha256
from rejoinder.files.replacing import beside, check_folder_target, failure
from rejoinder.files.run_identity import another_run, as_kept, differences
from rejoinder.files.strict_json import strict_json
from rejoinder.models.training.checkpoints import untied
from rejoinder.models.training.shapes import header

if TYPE_CHECKING:
    from torch import Tensor

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
FINISHED = "this model was finished before; nothing was done"
"""What is said of a training that ``finished`` finds done."""
_OURS = "rejoinder"  # the key of config.json under which a record stands
_OWN_HASH = "record_sha256"  # of all of config.json
_REMEDY = "remove the folder, then fetch or train the model again"


@dataclass(frozen=True)
class Record:
    """What is known of a model, all of it JSON.

    Attributes:
        kind: What the model is, e.g. "ruber" or "transformer-responder"; a reader asks for it.
        config: Sizes and parameters, enough to build the model again.
        corpus_hash: Hash of what it was trained on.
        log: The training log, one entry for each epoch or evaluation; without clock times, so that
            a run that was killed and resumed makes the very same folder.
        versions: Versions of the packages that made it.
        calibration: What was fitted on a scored set afterwards (a normalisation).
    """

    kind: str
    config: Mapping[str, Any]
    corpus_hash: str = ""
    log: Sequence[Mapping[str, Any]] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    calibration: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelFolder:
    """A finished model's folder, checked.

    Attributes:
        path: Where it is.
        record: What is known of the model.
        files: The names of the vocabulary files in it.
        tied: The names of weights that are another weight, and which.
    """

    path: Path
    record: Record
    files: tuple[str, ...]
    tied: Mapping[str, str]

    @property
    def hash(self) -> str:
        """8 hexadecimal digits for signatures."""
        return folder_hash(self.path)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the weights by name, tied ones under each of their names.

        Raises:
            ValueError: The file is none of safetensors.
        """
        shapes = header(self.path / WEIGHTS)
        return shapes | {name: shapes[first] for name, first in self.tied.items()}

    def tensors(self) -> dict[str, Tensor]:
        """The weights by name, on the processor, tied ones under each of their names.

        Raises:
            ValueError: The file is none of safetensors.
        """
        from safetensors.torch import load_file

        header(self.path / WEIGHTS)
        tensors = load_file(self.path / WEIGHTS)
        return tensors | {name: tensors[first] for name, first in self.tied.items()}


def write_folder(
    path: str | os.PathLike[str],
    record: Record,
    tensors: Mapping[str, Tensor] | None,
    files: Mapping[str, bytes] | None = None,
    keys: Mapping[str, Any] | None = None,
) -> ModelFolder:
    """Writes a model's folder, whole or not at all; a model that stands there is replaced.

    Args:
        path: The folder.
        record: What is known of the model.
        tensors: The weights, e.g. ``module.state_dict()``; tied ones are kept once. None: all of the
            model is in ``files``.
        files: The bytes of vocabulary files by name.
        keys: Further top-level keys of ``config.json``, e.g. those of ``transformers``.

    Raises:
        InputError: Something that is no model's folder stands there, or it cannot be written.
    """
    final = Path(os.path.realpath(path))
    check_free(final)
    part = beside(final, "part")
    try:
        part.mkdir(parents=True)
        tied = {} if tensors is None else _save(tensors, part / WEIGHTS)
        for name, content in (files or {}).items():
            (part / name).write_bytes(content)
        names: list[str] = sorted([*([] if tensors is None else [WEIGHTS]), *(files or {})])
        hashes = {name: sha256(part / name) for name in names}
        noted = {**asdict(record), "tied": tied, "sha256": hashes}
        config = {**(keys or {}), _OURS: {**noted, _OWN_HASH: _digest(noted, keys or {})}}
        text = json.dumps(config, indent=1, ensure_ascii=False, sort_keys=True)
        (part / CONFIG).write_text(text + "\n", encoding="utf-8")
        if tensors is not None:
            shutil.copymode(part / CONFIG, part / WEIGHTS)  # safetensors makes it the owner's alone
        _swap(part, final)
    except OSError as error:
        why = failure(error) or str(error)
        raise InputError(f"{path}: cannot be written: {why}; choose another place") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return read_folder(path)


def _save(tensors: Mapping[str, Tensor], path: Path) -> dict[str, str]:
    """Writes weights, tied ones once, and returns which weight those are.

    Raises:
        OSError: They cannot be written.
    """
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    once, tied = untied(tensors)
    try:
        # safetensors writes several entries here in random order: one alone keeps the hash.
        save_file(once, path, {"format": "pt"})
    except SafetensorError as error:  # where the disk is full
        raise OSError(failure(error) or str(error)) from error
    return tied


def read_folder(path: str | os.PathLike[str], kind: str | None = None) -> ModelFolder:
    """Reads what is known of a model, and checks that all its files are there and unaltered.

    Args:
        path: The folder.
        kind: What the model must be; None: anything.

    Raises:
        InputError: There is no such folder; it was not written by Rejoinder, or by another version
            of it; a file is missing, cut or altered; the model is of another kind.

    Example:
        >>> import tempfile, torch
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     layer = torch.nn.Linear(2, 1)
        ...     _ = write_folder(f"{folder}/m", Record("line", {"width": 2}), layer.state_dict())
        ...     model = read_folder(f"{folder}/m", "line")
        ...     model.record.config, sorted(model.tensors())
        ({'width': 2}, ['bias', 'weight'])
    """
    folder = Path(path)
    config = _config(folder)
    noted = config.pop(_OURS)
    recorded = noted.pop(_OWN_HASH, None)
    sound = recorded == _digest(noted, config)
    hashes, tied = noted.pop("sha256", {}), noted.pop("tied", {})
    try:
        record = Record(**noted)
    except TypeError as error:
        raise InputError(
            f"{folder / CONFIG}: of another version of Rejoinder: {error}; {_REMEDY}"
        ) from None
    sections = (hashes, tied, record.config, record.calibration)
    if not sound or not all(isinstance(each, dict) for each in sections):
        raise InputError(f"{folder}: {CONFIG} is altered; {_REMEDY}")
    for name, expected in hashes.items():
        file = folder / name
        if not file.is_file() or sha256(file) != expected:
            state = "is altered or cut" if file.is_file() else "is missing"
            raise InputError(f"{folder}: {name} {state}; {_REMEDY}")
    if kind is not None and record.kind != kind:
        raise InputError(f"{folder}: is a model of kind '{record.kind}'; expected '{kind}'")
    return ModelFolder(folder, record, tuple(name for name in hashes if name != WEIGHTS), tied)


def versions(*packages: str) -> dict[str, str]:
    """The installed versions of packages by name, Rejoinder's and Python's among them.

    >>> sorted(versions("numpy"))
    ['numpy', 'python', 'rejoinder']
    """
    import platform
    from importlib.metadata import version

    from rejoinder._version import __version__

    versions = {"python": platform.python_version(), "rejoinder": __version__}
    return versions | {package: version(package) for package in packages}


FAULTS = (
    OSError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    RuntimeError,
    ArithmeticError,
    AssertionError,  # of torch, for sizes that a module cannot have
)
"""What reading a record of other entries, or tensors of other shapes, may raise."""


def foreign(path: str, error: BaseException) -> InputError:
    """The error of a folder whose files are whole, and which holds something else."""
    words = " ".join(str(error).split())
    why = f"{words} is not in it" if isinstance(error, KeyError) else f"{words:.200}"
    return InputError(
        f"{path}: of another version of Rejoinder, or altered ({why}); take that version, or remove "
        "the folder and train the model again"
    )


def check_free(path: Path) -> None:
    """Raises an InputError where a model's folder cannot be written without losing other things.

    For the start of a training, which should not find this out at its end.
    """
    if path.is_dir() and any(path.iterdir()):
        try:
            _config(path)
        except InputError:
            raise InputError(
                f"{path}: a folder with other things in it; name a new folder for the model"
            ) from None
    elif path.exists() and not path.is_dir():
        raise InputError(f"{path}: is a file; name a new folder for the model")
    check_folder_target(path)


def finished(
    path: Path,
    identity: Mapping[str, Any],
    identity_of: Callable[[ModelFolder], Any] = lambda folder: folder.record.config.get("identity"),
) -> ModelFolder | None:
    """The finished model of a training that is asked for once more; None: there is none yet.

    Args:
        path: The folder that the training would write.
        identity: What tells the training from any other.
        identity_of: The identity of the training that wrote a folder; by default the one in the
            ``config`` of its record.

    Raises:
        InputError: A model of another training stands there, or something that is no model.
    """
    check_free(path)
    if not path.is_dir() or not any(path.iterdir()):
        return None
    folder = read_folder(path)
    identified = identity_of(folder)
    if identified != as_kept(identity):
        differing = differences(identified, identity) if isinstance(identified, dict) else ""
        raise another_run(path, "a finished model", differing, "remove it, or name a new folder")
    return folder


def kind_of(path: str | os.PathLike[str]) -> str | None:
    """The kind of a model that Rejoinder wrote; None where it wrote none there."""
    try:
        return str(_config(Path(path))[_OURS].get("kind"))
    except InputError:
        return None


def is_of_others(path: str | os.PathLike[str]) -> bool:
    """Whether a folder has a ``config.json`` in which nothing is of Rejoinder, not even damaged."""
    config = Path(path, CONFIG)
    if not config.is_file():  # nor is a pipe in its place ours
        return config.exists()
    try:
        content = config.read_bytes()
    except OSError:
        return False
    return f'"{_OURS}"'.encode() not in content and _OWN_HASH.encode() not in content


def check_own(path: str | os.PathLike[str]) -> None:
    """Raises an InputError where a model that Rejoinder wrote is cut or altered.

    For readers of other programs' folders, which read those of Rejoinder too and compare no hashes.
    What Rejoinder did not write passes, and so does the name of a model that is no folder.
    """
    if kind_of(path) is None:
        return
    try:
        read_folder(path)
    except InputError as error:
        raise InputError(
            f"{error}; if another program wrote the model anew, remove the entry '{_OURS}' from {CONFIG}"
        ) from None


def _config(folder: Path) -> dict[str, Any]:
    """All of ``config.json``, the entry of Rejoinder's among it."""
    path = folder / CONFIG
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder; expected that of a trained model")
    try:
        # A pipe in the place of the file would never end.
        config = strict_json(path.read_text(encoding="utf-8") if path.is_file() else "")
    except (OSError, ValueError):
        config = None
    if not isinstance(config, dict) or not isinstance(config.get(_OURS), dict):
        raise InputError(
            f"{folder}: no model of Rejoinder's: {CONFIG} is missing, cut, or has no entry "
            "'rejoinder'; name a folder that 'rejoinder train' wrote"
        )
    return config


def _digest(noted: Mapping[str, Any], keys: Mapping[str, Any]) -> str:
    """The hash of what is noted of a model, and of the keys beside it if there are any."""
    return json_digest({**keys, _OURS: noted} if keys else noted)


def _swap(part: Path, final: Path) -> None:
    """Puts a folder into place; what was there is moved aside first, and back if that fails.

    Of two processes that do so at once the last one wins: each sees that the other was there in
    between, and begins again.
    """
    while True:
        try:
            return os.rename(part, final)
        except OSError:
            if not final.exists():
                raise
        aside = beside(final, "old")
        try:
            os.rename(final, aside)
        except FileNotFoundError:
            continue
        try:
            os.rename(part, final)
        except OSError:
            if not final.exists():
                os.rename(aside, final)
                raise
            shutil.rmtree(aside, ignore_errors=True)
        else:
            return shutil.rmtree(aside, ignore_errors=True)
