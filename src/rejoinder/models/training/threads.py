"""What a training computes on: sums that are made in another order differ in their last digits.

A training that was interrupted ends with the very same model only if it is continued on the same
kind of device and with as many threads. So its checkpoint records both, and a training that is
continued computes with the recorded number of threads, whatever torch's own number is by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rejoinder.kernels.cores import usable_cores
from rejoinder.messages import counted

if TYPE_CHECKING:
    import torch

CPU, GPU = "cpu", "cuda"

INEXACT = "not to the last bit"
"""Stands in the note of a training that could not be continued as it was begun."""


@dataclass(frozen=True)
class Machine:
    """What a training computes on.

    Attributes:
        device: ``cpu``, or ``cuda`` where there is a GPU.
        threads: The number of torch's threads on the processor.

    Example:
        >>> str(Machine("cpu", 1)), str(Machine("cuda", 8))
        ('1 thread', 'a GPU')
    """

    device: str
    threads: int

    @classmethod
    def of(cls, device: torch.device) -> Machine:
        """A device in this process, with torch's number of threads."""
        import torch

        return cls(GPU if device.type == GPU else CPU, torch.get_num_threads())

    @classmethod
    def recorded(cls, record: Any) -> Machine | None:
        """What ``as_json`` wrote; None where it is no such record."""
        if not isinstance(record, Mapping):
            return None
        device, threads = record.get("device"), record.get("threads")
        if device not in (CPU, GPU) or not isinstance(threads, int) or threads < 1:
            return None
        return cls(device, threads)

    def as_json(self) -> dict[str, Any]:
        """Both by name."""
        return asdict(self)

    def __str__(self) -> str:
        return "a GPU" if self.device == GPU else counted(self.threads, "thread")


@contextmanager
def as_begun(begun: Machine | None, device: torch.device) -> Iterator[str]:
    """Computes with as many threads as a training was begun with; afterwards all is as before.

    Args:
        begun: What the training was begun on; None: it begins now, or nothing was recorded.
        device: What it computes on now.

    Yields:
        What to say of it: nothing where nothing differs; that the number of threads is the one of
        the beginning; or that the model will differ in its last digits, because it was begun on
        another kind of device, or with more threads than there are processors here.
    """
    import torch

    here = Machine.of(device)
    if begun is None or str(begun) == str(here):
        yield ""
    elif begun.device != here.device or begun.threads > max(usable_cores(), here.threads):
        yield f"begun on {begun}, now {here}: {INEXACT}"
    else:
        torch.set_num_threads(begun.threads)
        try:
            yield f"with {begun}, as it was begun; torch has {here} here"
        finally:
            torch.set_num_threads(here.threads)
