"""A training run's state on disk, from which it goes on exactly where it was, also after kill -9.

A checkpoint is a folder of two files: ``tensors-<n>.safetensors`` (weights, the optimizer's
moments, the state of torch's generators) and ``state.json`` (all that is no tensor, such as the
number of threads, and the hash of both). A save writes the tensors under a new name first and then
renames ``state.json`` into place, which names them: at every instant the ``state.json`` there
belongs to a complete checkpoint. Nothing is pickled. The folder is the run's own: one that holds
other things, or is a symbolic link, is refused, and no file is removed that a run did not write.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rejoinder.errors import InputError
from rejoinder.files.checksums import object_checksum, with_checksum
from rejoinder.files.content import sha256
from rejoinder.files.replacing import beside, failure, to_disk
from rejoinder.files.run_identity import another_run, differences
from rejoinder.files.strict_json import strict_json
from rejoinder.models.training.threads import Machine

if TYPE_CHECKING:
    from torch import Tensor, nn, optim

FORMAT = "rejoinder training checkpoint 1"
STATE = "state.json"
TENSORS = re.compile(r"tensors-(\d+)\.safetensors")
OURS = re.compile(
    rf"{TENSORS.pattern}|{re.escape(STATE)}|\.{re.escape(STATE)}\.([-\w]+\.)?part|\.tmp\w+"
)
"""What a run writes into its folder; the last two are what a killed run leaves half-written."""


@dataclass(frozen=True)
class Run:
    """The moving parts of a training run, each under a name; loading changes them in place.

    Attributes:
        modules: What is trained.
        optimizers: Torch's own, e.g. Adam.

    torch's global generators (the processor's, and each GPU's) belong to every run. A learning rate
    and an order of items follow from the step and the seed, so neither has a state of its own.
    """

    modules: Mapping[str, nn.Module]
    optimizers: Mapping[str, optim.Optimizer] = field(default_factory=dict)

    @property
    def machine(self) -> Machine:
        """What the run computes on."""
        import torch

        weights = (each for module in self.modules.values() for each in module.parameters())
        first = next(weights, None)
        return Machine.of(torch.device("cpu") if first is None else first.device)


@dataclass(frozen=True)
class Checkpoint:
    """A folder that holds the state of one training run.

    Attributes:
        folder: Where; made at the first save.
        identity: What the run is (parameters, seed, hash of the corpus; JSON): a checkpoint of
            another identity is refused, because to go on from it would be a third run.
        whole: The folder to remove where all is to start anew; None: ``folder``.

    Example:
        >>> import tempfile, torch
        >>> run = Run({"model": torch.nn.Linear(2, 1)})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     checkpoint = Checkpoint(Path(folder, "c"), {"seed": 1})
        ...     checkpoint.save(run, {"epoch": 2, "step": 40, "order": [1, 0]})
        ...     checkpoint.exists, checkpoint.load(run)[0]
        (True, {'epoch': 2, 'step': 40, 'order': [1, 0]})
    """

    folder: Path
    identity: Mapping[str, Any]
    whole: Path | None = None

    @property
    def exists(self) -> bool:
        """Whether there is one to go on from."""
        return (self.folder / STATE).exists()

    @property
    def machine(self) -> Machine | None:
        """What the run was begun on; None: there is no checkpoint, or one that does not say it."""
        return Machine.recorded(self._read().get("machine")) if self.exists else None

    def check_place(self) -> None:
        """Raises an InputError where the folder is not, and cannot become, the run's own.

        For the start of a training, which should not find this out at its first checkpoint.
        """
        if self.folder.is_symlink():
            raise InputError(
                f"{self.folder}: is a symbolic link, and a checkpoint is written and removed there; "
                "remove the link, or choose another place"
            )
        if not self.folder.exists() or self.exists:
            return
        if not self.folder.is_dir():
            raise InputError(f"{self.folder}: is a file; move it away, or choose another place")
        strange = [path.name for path in self.folder.iterdir() if not OURS.fullmatch(path.name)]
        if strange:
            raise InputError(
                f"{self.folder}: holds other things ('{strange[0]}') and no checkpoint; move them away, "
                "or choose another place"
            )

    def save(
        self,
        run: Run,
        progress: Mapping[str, Any],
        kept: Mapping[str, Mapping[str, Tensor]] | None = None,
    ) -> None:
        """Saves; what was saved before is there until this is complete.

        Args:
            run: The moving parts.
            progress: How far the run is (epoch, step, order of batches, log); JSON.
            kept: Further sets of tensors, e.g. the best weights so far.

        Raises:
            InputError: The folder cannot be written.
        """
        from safetensors import SafetensorError

        self.check_place()
        tensors, state = _gathered(run, kept or {})
        state |= {"format": FORMAT, "identity": dict(self.identity), "progress": dict(progress)}
        state["machine"] = run.machine.as_json()
        try:
            self._write(tensors, state)
        except (OSError, SafetensorError) as error:  # the latter where the disk is full
            why = failure(error) or str(error)
            raise InputError(
                f"{self.folder}: the checkpoint cannot be written: {why}; choose another place"
            ) from error

    def load(self, run: Run) -> tuple[dict[str, Any], dict[str, dict[str, Tensor]]]:
        """Brings the parts of a run to the state saved.

        Returns:
            ``progress`` and ``kept``, as they were saved.

        Raises:
            InputError: There is no checkpoint; it is not one of ours, is cut or altered; it is of
                another identity, or of parts of other names or shapes.
        """
        state = self._read()
        self._check_identity(state["identity"])
        tensors = self._tensors(state)
        try:
            restored = _restored(run, tensors, state)
        except (KeyError, ValueError, RuntimeError, TypeError) as error:
            raise InputError(
                f"{self.folder}: the checkpoint is of another model: {error!s:.200}; remove the "
                "folder to start anew"
            ) from error
        return state["progress"], restored

    def remove(self) -> None:
        """Removes the files of the checkpoint, and the folder if nothing else is in it.

        What is no checkpoint of ours, and what lies behind a symbolic link, stays.
        """
        if self.folder.is_symlink() or not self.folder.is_dir():
            return
        ours = [path for path in self.folder.iterdir() if OURS.fullmatch(path.name)]
        if not self.exists and len(ours) < len(list(self.folder.iterdir())):
            return
        (self.folder / STATE).unlink(missing_ok=True)
        for path in ours:
            if not path.is_dir():
                path.unlink(missing_ok=True)
        if not any(self.folder.iterdir()):
            self.folder.rmdir()

    def _write(self, tensors: dict[str, Tensor], state: dict[str, Any]) -> None:
        from safetensors.torch import save_file

        self.folder.mkdir(parents=True, exist_ok=True)
        name = f"tensors-{self._last_number() + 1}.safetensors"
        path = self.folder / name
        save_file(tensors, path)
        to_disk(path)
        state |= {"tensors": name, "tensors_sha256": sha256(path)}
        state = with_checksum(state)
        part = beside(self.folder / STATE, "part")
        part.write_text(json.dumps(state), encoding="utf-8")
        shutil.copymode(part, path)  # safetensors makes it the owner's alone
        to_disk(part)
        os.replace(part, self.folder / STATE)  # from here on the new one counts
        for old in list(self.folder.iterdir()):
            if OURS.fullmatch(old.name) and old.name not in (name, STATE) and not old.is_dir():
                old.unlink()

    def _last_number(self) -> int:
        matches = [TENSORS.fullmatch(path.name) for path in self.folder.iterdir()]
        return max((int(each[1]) for each in matches if each), default=0)

    def _read(self) -> dict[str, Any]:
        """The state that stands there, of whichever run it is."""
        path = self.folder / STATE
        try:
            state = strict_json(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(f"{self.folder}: holds no checkpoint ({STATE} is not there)") from None
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from error
        except ValueError:
            state = None
        if not isinstance(state, dict) or state.get("format") != FORMAT:
            raise InputError(
                f"{path}: not a checkpoint of this version of Rejoinder; expected '{FORMAT}'; "
                "name another folder, or remove this one to start anew"
            )
        if state.get("sha256") != object_checksum(state):
            raise InputError(f"{path}: the checkpoint was altered; remove the folder to start anew")
        return state

    def _check_identity(self, saved: Mapping[str, Any]) -> None:
        if differing := differences(saved, self.identity):
            remedy = f"remove {self.whole or self.folder} to start anew"
            raise another_run(self.folder, "a checkpoint", differing, remedy)

    def _tensors(self, state: Mapping[str, Any]) -> dict[str, Tensor]:
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        path = self.folder / state["tensors"]
        try:
            if sha256(path) == state["tensors_sha256"]:
                return load_file(path)
        except (OSError, SafetensorError):
            pass
        raise InputError(
            f"{path}: missing, cut or altered: its hash is not the one that {STATE} has; remove "
            "the folder to start anew"
        )


def _gathered(
    run: Run, saved: Mapping[str, Mapping[str, Tensor]]
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    import torch

    sets = {f"module/{name}": module.state_dict() for name, module in run.modules.items()}
    sets |= {f"kept/{name}": dict(tensors) for name, tensors in saved.items()}
    optimizers = {}
    for name, optimizer in run.optimizers.items():
        moments, optimizers[name] = _parted(optimizer.state_dict())
        sets[f"optimizer/{name}"] = moments
    tensors: dict[str, Tensor] = {"rng/torch": torch.get_rng_state()}
    if torch.cuda.is_available():
        for device, state in enumerate(torch.cuda.get_rng_state_all()):
            tensors[f"rng/cuda/{device}"] = state
    for prefix, weights in sets.items():
        tensors |= {f"{prefix}/{key}": tensor for key, tensor in weights.items()}
    once, aliases = untied(tensors)
    return once, {"sets": list(sets), "aliases": aliases, "optimizers": optimizers}


def untied(state: Mapping[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors of a state, each once and on the processor, and the names of those tied to them.

    safetensors refuses tensors that share memory, as tied embeddings do.

    Returns:
        Contiguous tensors by name; for each name left out, the name of the tensor that it shares.
    """
    once: dict[str, Tensor] = {}
    first: dict[tuple[Any, ...], str] = {}
    aliases: dict[str, str] = {}
    for key, tensor in state.items():
        place = (tensor.data_ptr(), tensor.device, tensor.shape, tensor.stride(), tensor.dtype)
        if tensor.numel() and place in first:
            aliases[key] = first[place]
            continue
        first[place] = key
        plain = tensor.detach().cpu().contiguous()
        whole = plain.untyped_storage().nbytes() == plain.numel() * plain.element_size()
        once[key] = plain if whole else plain.clone()
    return once, aliases


def _parted(state: dict[str, Any]) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """An optimizer's state: its tensors by '<parameter>/<name>', and the rest, which is JSON."""
    import torch

    tensors: dict[str, Tensor] = {}
    rest: dict[str, dict[str, Any]] = {}
    for parameter, entries in state["state"].items():
        rest[str(parameter)] = {}
        for name, value in entries.items():
            if isinstance(value, torch.Tensor):
                tensors[f"{parameter}/{name}"] = value
            else:
                rest[str(parameter)][name] = value
    return tensors, {"state": rest, "param_groups": state["param_groups"]}


def _restored(
    run: Run, tensors: Mapping[str, Tensor], state: Mapping[str, Any]
) -> dict[str, dict[str, Tensor]]:
    import torch

    full = {**tensors, **{name: tensors[first] for name, first in state["aliases"].items()}}
    sets: dict[str, dict[str, Tensor]] = {prefix: {} for prefix in state["sets"]}
    for path, tensor in full.items():
        prefix, key = "/".join(path.split("/")[:2]), "/".join(path.split("/")[2:])
        if prefix in sets:
            sets[prefix][key] = tensor
    for name, module in run.modules.items():
        module.load_state_dict(sets[f"module/{name}"])
    for name, optimizer in run.optimizers.items():
        optimizer.load_state_dict(_joined(sets[f"optimizer/{name}"], state["optimizers"][name]))
    torch.set_rng_state(tensors["rng/torch"])
    if torch.cuda.is_available():
        for device in range(torch.cuda.device_count()):
            if (saved := tensors.get(f"rng/cuda/{device}")) is not None:
                torch.cuda.set_rng_state(saved, device)
    return {
        prefix.removeprefix("kept/"): weights
        for prefix, weights in sets.items()
        if prefix.startswith("kept/")
    }


def _joined(tensors: Mapping[str, Tensor], rest: Mapping[str, Any]) -> dict[str, Any]:
    """What ``_parted`` took apart."""
    state = {int(parameter): dict(entries) for parameter, entries in rest["state"].items()}
    for full, tensor in tensors.items():
        parameter, _, name = full.partition("/")
        state[int(parameter)][name] = tensor
    groups = [
        {k: tuple(v) if k == "betas" else v for k, v in group.items()}
        for group in rest["param_groups"]
    ]
    return {"state": state, "param_groups": groups}
