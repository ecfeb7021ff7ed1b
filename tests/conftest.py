"""What all tests share."""

import gc
import logging
import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from _pytest.logging import catching_logs
from hypothesis import settings

# Every model of the tests is tiny: a second thread of torch saves nothing, and where tests run side
# by side (-n auto) threads that wait for each other cost several times the work itself. torch reads
# this when it is imported, in this process and in those that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Workers that share two cores move between them, and so do their threads: with a core for each worker the
# tests take a sixth less time. The number of threads stays the same, so that their faults still show.
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
if WORKER and hasattr(os, "sched_setaffinity"):
    usable = sorted(os.sched_getaffinity(0))
    os.environ.setdefault("REJOINDER_THREADS", str(len(usable)))
    os.environ.setdefault("POLARS_MAX_THREADS", str(len(usable)))
    os.sched_setaffinity(0, {usable[int(WORKER.removeprefix("gw")) % len(usable)]})

# Tests start hundreds of processes, and two workers import all tests: where bytecode is not kept, as
# in many containers, each of them would compile every source anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Tests write some 50,000 small files, and the product waits until each lies on the disk: folders of
# tests are in memory where there is room for them.
MEMORY = Path("/dev/shm")
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 4e9:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# Twelve thousand tests leave little behind that only the collector can free, and it looks at what
# libraries have imported each time: one look in thirty is enough.
gc.set_threshold(20_000)

# Scripts for another Python than that of the tests, which has packages that this one may lack.
# What other suites load has no examples either.
collect_ignore = ["peers/inspect_evaluation.py", "peers/torchmetrics_adapter.py"]

# Kernels are compiled on first use: the first example takes its time.
settings.register_profile("rejoinder", deadline=None)
settings.load_profile("rejoinder")


def _catch(self, whole=catching_logs.__enter__):
    """Catches the records that come to the root logger, as pytest 8 did.

    pytest 9 also looks for loggers that do not propagate, among all loggers of all libraries and six
    times a test, which is a seventieth of the time of all tests.
    """
    if self.level is not None:
        return whole(self)
    root = logging.getLogger()
    root.addHandler(self.handler)
    self.attached_loggers.append(root)
    return self.handler


if hasattr(catching_logs, "attached_loggers"):
    catching_logs.__enter__ = _catch


class Examples:
    """Which files are searched for examples in docstrings: to search one is to import it.

    It is of files of the package too, for which a hook of this file alone is not asked. The frameworks of
    two bridges take three seconds to import in each of two workers: tests of the bridges run their examples.
    """

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path):
        found = yield
        slow = file_path.match("bridges/evaluate.py") or file_path.match("bridges/torchmetrics.py")
        if slow or file_path.name.startswith("test_") or b">>>" not in file_path.read_bytes():
            found = [each for each in found if not isinstance(each, DoctestModule)]
        return found


def pytest_configure(config):
    config.pluginmanager.register(Examples())


def pytest_collection_modifyitems(items):
    """Tests that ask Java come first: worksteal leaves the first tests to one worker, so one Java starts."""
    items.sort(key=lambda item: item.get_closest_marker("java") is None)


def pytest_collection_finish():
    """Keeps the garbage collector from what was imported: it stays, and is most of what there is."""
    gc.freeze()


@pytest.fixture(autouse=True)
def close_studies():
    """Closes the studies that a test opened by ``studies.py``."""
    yield
    studies = sys.modules.get("studies")
    while studies is not None and studies.OPENED:
        studies.OPENED.pop().close()


@pytest.fixture
def with_threads():
    """A context in which torch has so many threads."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()

    @contextmanager
    def threads(number):
        torch.set_num_threads(number)
        try:
            yield
        finally:
            torch.set_num_threads(before)

    return threads


@pytest.fixture(scope="module")
def short_replies():
    """Trained systems reply in a few subwords: as good as untrained, they would never end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rejoinder.responders.seq2seq.trained.LONGEST_REPLY", 8)
        yield


@pytest.fixture
def unrendered(monkeypatch):
    """Figures are made, and their files hold our mark alone: for tests of which files there are.

    What figures show is in contract/test_every_figure.py; tests of figures/ render and save them.
    """
    figure = pytest.importorskip("matplotlib.figure")
    from rejoinder.figures.style import MARK

    mark = MARK.encode()

    def save(_, target, **__):
        if isinstance(target, str | Path):
            Path(target).write_bytes(mark)
        else:  # a stream, for a page
            target.write('<svg xmlns="http://www.w3.org/2000/svg"/>')

    monkeypatch.setattr(figure.Figure, "savefig", save)


@pytest.fixture
def command(capfd, monkeypatch):
    """Calls ``rejoinder`` with arguments and gives its exit status, output and messages."""
    from rejoinder.cli.app import run
    from rejoinder.cli.terminal import progress

    monkeypatch.setattr(progress, "PATIENCE", 1e6)  # a busy machine must not add words

    def call(*arguments):
        status = run([str(each) for each in arguments])
        streams = capfd.readouterr()
        return status, streams.out, streams.err

    return call
