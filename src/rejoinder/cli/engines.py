"""Engines: where the commands of shards run, several processes on this machine or a cluster of Ray.

An engine runs commands and says how each ended. It knows nothing of shards: their results are files, which
all workers write into one folder.
"""

from __future__ import annotations

import io
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import Any, Protocol

from rejoinder.errors import InputError, ParameterError

RETRIES = 5
"""So many times a command is run again whose worker was killed or whose machine was lost."""
MOST = 1_000
"""So many processes a machine may be asked for."""
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS")
_TOKEN = (
    "if the cluster asks for a token, set RAY_AUTH_MODE=token for this command, and give both the same "
    "~/.ray/auth_token; or begin the cluster, and this command, with RAY_AUTH_MODE=disabled"
)
"""What Ray needs since 2.60: 'ray start' asks for a token where there is one, and a driver sends none to an
address that it was given unless it is told to."""

Ended = tuple[int, int, str]
"""The number of a command, its exit status, and what it said on standard error."""


class Engine(Protocol):
    """What runs commands."""

    @property
    def workers(self) -> int:
        """How many commands run at a time."""
        ...

    def open(self) -> None:
        """Makes sure that it can run commands."""
        ...

    def run(self, commands: Mapping[int, Sequence[str]]) -> Iterator[Ended]:
        """Runs commands, by number; yields each when it has ended, in any order."""
        ...

    def close(self) -> None:
        """Ends its workers, or leaves the cluster."""
        ...


def run_command(words: Sequence[str], folder: str, variables: Mapping[str, str]) -> tuple[int, str]:
    """Runs a command in this process, with its share of the threads.

    Returns:
        Its exit status, and what it said on standard error.
    """
    os.environ.update(variables)  # before anything is imported that reads them
    from rejoinder.cli.app import run
    from rejoinder.models.worker_models import IS_WORKER

    os.environ[IS_WORKER] = "1"
    os.chdir(folder)
    with redirect_stderr(io.StringIO()) as said, redirect_stdout(io.StringIO()):
        status = run(words)
    return status, said.getvalue()


def _nothing() -> None:
    """A task that begins a worker."""


def engine_of(text: str) -> Engine:
    """The engine of a text: ``local:K``, ``ray`` or ``ray://ADDRESS``.

    Raises:
        ParameterError: There is no such engine.
        InputError: Ray is not installed, or its cluster cannot be reached.
    """
    match = re.fullmatch(r"local:(\d{1,4})|(ray)(://.+)?", text)
    number = int(match[1] or 1) if match else 0
    if match is None or not 1 <= number <= MOST:
        raise ParameterError(
            f"--engine {text}: expected local:K with K processes, from 1 to {MOST:,}, ray or ray://ADDRESS"
        )
    return _Local(number) if match[1] else _Ray(text if match[3] else None)


@contextmanager
def opened(engine: Engine) -> Iterator[Engine]:
    """The engine, until the body ends.

    Raises:
        InputError: Ray is not installed, or its cluster cannot be reached.
    """
    engine.open()
    with redirect_stdout(sys.stderr):  # on which Ray says what died, from a thread of its own
        try:
            yield engine
        finally:
            engine.close()


def _variables(threads: int) -> dict[str, str]:
    """The variables of a worker's environment that give it its threads, unless they are set here."""
    return {name: os.environ.get(name, str(threads)) for name in _THREADS}


@dataclass
class _Local:
    """Processes on this machine, which live as long as the engine: each imports what it needs once."""

    workers: int
    _pools: list[ProcessPoolExecutor] = field(default_factory=list)
    _closed: bool = False

    def open(self) -> None:
        pass

    def run(self, commands: Mapping[int, Sequence[str]]) -> Iterator[Ended]:
        own, folder = threading.local(), os.getcwd()
        variables = _variables(max(1, (os.cpu_count() or 1) // self.workers))

        def ended(words: Sequence[str]) -> tuple[int, str]:
            deaths = 0
            while deaths <= RETRIES and not self._closed:
                pool: ProcessPoolExecutor | None = getattr(own, "pool", None)
                if pool is None:  # one for each process, so that the death of one stops no other
                    pool = ProcessPoolExecutor(1, get_context("spawn"), _begin)
                    own.pool = pool
                    self._pools.append(pool)
                try:
                    return pool.submit(run_command, words, folder, variables).result()
                except BrokenProcessPool:
                    own.pool = None
                    deaths += 1
            return 1, f"its process ended {deaths} times: killed, or out of memory"

        threads = ThreadPoolExecutor(self.workers)
        try:
            futures = {threads.submit(ended, words): number for number, words in commands.items()}
            for future in as_completed(futures):
                yield futures[future], *future.result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        self._closed = True
        for pool in self._pools:
            for process in list((pool._processes or {}).values()):
                process.terminate()
            pool.shutdown(wait=False, cancel_futures=True)


def _begin() -> None:
    """A process begins, which ends with the process that began it."""
    parent = parent_process()
    if parent is not None:
        ended = lambda: (wait([parent.sentinel]), os._exit(1))  # noqa: E731
        threading.Thread(target=ended, daemon=True).start()


class _Ray:
    """A cluster of Ray: tasks, which Ray places, and begins again where a worker or a node is lost."""

    def __init__(self, address: str | None) -> None:
        self._address = address
        known = address or os.environ.get("RAY_ADDRESS")
        self._where = known or "this machine"
        if known:  # its workers begin while the command is read
            self.open()
            nothing = self._task(_nothing)
            for _ in range(self.workers):
                nothing.remote()

    def open(self) -> None:
        try:
            self._ray: Any = import_module("ray")
        except ImportError:
            raise InputError(
                '--engine ray: Ray is not installed; install it: pip install "rejoinder[ray]"'
            ) from None
        try:
            if not self._ray.is_initialized():
                self._ray.init(self._address, log_to_driver=False, logging_level="ERROR")
        except Exception as error:  # of many kinds, by what is wrong
            raise self._failed(error) from None

    @property
    def workers(self) -> int:
        there = self._ray.cluster_resources()
        return max(1, int(there.get("GPU") or there.get("CPU", 1)))

    def _task(self, function: Callable[..., Any]) -> Any:
        gpu = self._ray.cluster_resources().get("GPU", 0)
        share = {"num_gpus": 1} if gpu else {"num_cpus": 1}
        # Without max_calls=0 a worker with a GPU would end with its task, and load its model again.
        return self._ray.remote(max_retries=RETRIES, max_calls=0, **share)(function)

    def run(self, commands: Mapping[int, Sequence[str]]) -> Iterator[Ended]:
        ray, folder = self._ray, os.getcwd()
        resources = ray.cluster_resources()
        gpus, cpus = resources.get("GPU", 0), resources.get("CPU", 1)
        # The task itself sets them, in the place of Ray's own OMP_NUM_THREADS: a runtime_env would start no
        # worker where the path of Python has a blank.
        variables = _variables(max(1, int(cpus / gpus)) if gpus else 1)
        task = self._task(run_command)
        pending = {
            task.remote(list(words), folder, variables): number
            for number, words in commands.items()
        }
        try:
            while pending:
                (ended, *_), _ = ray.wait(list(pending), num_returns=1)
                yield pending.pop(ended), *ray.get(ended)
        except (ray.exceptions.RayError, ConnectionError) as error:
            raise self._failed(error) from None
        finally:
            for each in pending:
                ray.cancel(each, force=True)

    def close(self) -> None:
        self._ray.shutdown()

    def _failed(self, error: Exception) -> InputError:
        lines = str(error).strip().splitlines() or [""]  # in the last one a task's own error
        # Ray's own error of a refused connection does not say why.
        token = f"; {_TOKEN}" if isinstance(error, ConnectionError) else ""
        return InputError(
            f"--engine ray: the cluster at {self._where} does not run the work: {type(error).__name__}: "
            f"{lines[-1]}; repeat the command when it does, and the parts that are there stay{token}"
        )
