"""Machine code kept on disk: used again, made anew where it does not fit, never trusted blindly."""

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rejoinder.kernels import ahead, code_files, ngrams, shared_library, tokens
from rejoinder.kernels.arrays import Tokens
from rejoinder.kernels.bags import _bag_totals

PROGRAM = """
import os, sys
os.umask(0o002)
from rejoinder.metrics import BLEU
assert BLEU(order=1).corpus(["yes no"], [["yes"]]).value == 0.5
print("numba" in sys.modules)
"""


# Two small kernels, which are compiled in a second, where it does not matter which.
SMALL = """
import os, sys
os.umask(0o002)
import numpy as np
from rejoinder.kernels.bags import bag_totals, multiplicities
counts = multiplicities(np.array([[0, 2, 2]]), 3)
assert counts.tolist() == [[1, 0, 2]]
places = np.arange(3)
assert bag_totals(places, places, places + 1, counts, 3).tolist() == [[1, 0, 2]]
print("numba" in sys.modules)
"""


# What a program imported of the libraries below the kernels.
IMPORTED = """
print(*sorted({"numba", "llvmlite.binding"} & sys.modules.keys()))
"""


def printed(folder, program, path):
    """What a process prints that keeps its machine code in the folder."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={"REJOINDER_CACHE": str(folder), "PATH": path},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def process(folder, program=SMALL):
    """Whether a process that keeps its machine code in the folder, without a linker, woke the compiler."""
    return printed(folder, program, "").strip() == "True"


def libraries(folder):
    """The same of a process that finds a linker: the libraries below the kernels that it imported."""
    return printed(folder, SMALL + IMPORTED, os.environ["PATH"]).split()[1:]


def is_whole(file):
    """Whether a kept file has the hash that its head tells; its size may be another each time."""
    head, _, code = file.read_bytes().partition(b"\n")
    kept = json.loads(head)
    return kept["sha256"] == code_files.digest(kept["symbol"], code)


@pytest.fixture
def chosen(monkeypatch):
    """What ``folder`` answers under an environment, without what it answered before."""

    def folder(**environment):
        for name in ("REJOINDER_CACHE", "XDG_CACHE_HOME", "HOME"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, str(value))
        return code_files.folder.__wrapped__()

    return folder


@pytest.mark.parametrize(
    ("program", "kernels"),
    [
        (SMALL, ("bags._bag_totals", "bags._multiplicities")),
        pytest.param(
            PROGRAM,
            (
                "strings.text_kinds",
                "tokens._same_strings",
                "tokens.tokens_13a",
                "ngrams._bleu_rows",
            ),
            marks=pytest.mark.slow,  # the same with larger kernels
        ),
    ],
)
def test_the_second_process_needs_no_compiler(program, kernels, tmp_path):
    assert process(tmp_path, program)
    files = list(tmp_path.glob("*.o"))
    names = {file.name.rpartition("-")[0] for file in files}
    assert names == {f"rejoinder.kernels.{each}" for each in kernels}
    assert not process(tmp_path, program)


def test_a_file_that_is_not_whole_or_of_other_sources_is_made_anew(unlinked):
    tmp_path = unlinked
    files = list(tmp_path.glob("*.o"))
    files[0].write_bytes(files[0].read_bytes()[:-9])
    assert not is_whole(files[0])
    stale = files[1].rename(files[1].with_name(files[1].name.rpartition("-")[0] + "-0000.o"))
    assert process(tmp_path)
    assert is_whole(files[0])
    assert files[1].exists()
    assert not stale.exists()
    assert len(list(tmp_path.iterdir())) == 2
    assert not process(tmp_path)


@pytest.fixture(scope="module")
def linked(tmp_path_factory):
    """A folder of machine code that a process has left which found a linker."""
    if not shared_library.LINUX or shutil.which("ld") is None:
        pytest.skip("this machine has no linker")
    folder = tmp_path_factory.mktemp("linked")
    assert libraries(folder) == ["llvmlite.binding", "numba"]
    return folder


@pytest.fixture
def kept(linked, tmp_path):
    """A copy of that folder."""
    return Path(shutil.copytree(linked, tmp_path / "kept"))


@pytest.fixture
def unlinked(kept):
    """The same without libraries: files of machine code alone."""
    for file in kept.glob("*.so"):
        file.unlink()
    return kept


def test_a_shared_library_needs_no_linker_of_ours(kept):
    assert len(list(kept.glob("*.so"))) == len(list(kept.glob("*.o"))) == 2
    assert libraries(kept) == []
    for file in kept.glob("*.o"):
        file.unlink()
    assert printed(kept, SMALL + IMPORTED, "").split() == ["False"]


def cut(file):
    file.write_bytes(file.read_bytes()[:-9])


def altered(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def of_others(file):
    file.chmod(0o620)


def absent(file):
    file.unlink()


def of_another_function(file):
    code, _, _ = file.read_bytes().rpartition(b"\n")
    file.write_bytes(code_files.described("nowhere", code, file.name))


def no_library(file):
    file.write_bytes(code_files.described("nowhere", b"no library", file.name))


def of_deep_json(file):
    file.write_bytes(b"code\n" + b"[" * 100_000)


@pytest.mark.parametrize(
    "change", [cut, altered, of_others, absent, of_another_function, no_library, of_deep_json]
)
def test_where_a_library_does_not_fit_llvmlite_links(kept, change):
    for file in kept.glob("*.so"):
        change(file)
    assert libraries(kept) == ["llvmlite.binding"]


def test_a_library_of_another_processor_is_not_loaded(monkeypatch):
    kernel = ngrams._ngram_fingerprints
    own = ahead._library_key(kernel)
    monkeypatch.setattr(shared_library, "processor", lambda: "another one")
    assert ahead._library_key(kernel) not in (own, "")
    monkeypatch.setattr(shared_library, "processor", lambda: "")
    assert ahead._library_key(kernel) == ""
    assert ahead._address(kernel) is None


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ("vendor_id : A\nflags : fpu avx\ncpu MHz : 2596.1\n\nprocessor : 1\n\n", True),
        ("CPU part : 0xd0c\nFeatures : fp asimd\n\nHardware : x\n", True),
        ("vendor_id : A\ncpu MHz : 2596.1\n\n", False),  # nothing on its instructions
        ("flags : fpu avx", False),  # cut off
        (None, False),
    ],
)
def test_the_processor_is_known_by_its_instructions(monkeypatch, told, known):
    def opened(*_, **__):
        if told is None:
            raise OSError
        return io.StringIO(told)

    monkeypatch.setattr("builtins.open", opened)
    processor = shared_library.processor.__wrapped__()
    assert bool(processor) is known
    assert "MHz" not in processor


def test_an_emulated_processor_is_told_by_itself(monkeypatch):
    """Under qemu /proc/cpuinfo may be that of the real one."""
    own = shared_library.processor.__wrapped__()
    fewer = dict.fromkeys(np._core._multiarray_umath.__cpu_features__, False)
    monkeypatch.setattr(np._core._multiarray_umath, "__cpu_features__", fewer)
    assert shared_library.processor.__wrapped__() not in (own, "")
    monkeypatch.delattr(np._core._multiarray_umath, "__cpu_features__")
    assert shared_library.processor.__wrapped__() == ""


def test_the_library_that_was_checked_is_loaded(kept, monkeypatch):
    """Whatever takes its name in between."""
    name = next(each.name for each in kept.glob("*multiplicities*.so"))
    monkeypatch.setattr(code_files, "folder", lambda: kept)
    file, symbol = code_files.opened(name)
    (kept / name).unlink()
    (kept / name).write_bytes(b"something else")
    assert shared_library.address(file, symbol)
    assert code_files.opened(name) is None


def test_without_a_place_for_temporary_files_nothing_is_linked(monkeypatch):
    def nowhere(**_):
        raise FileNotFoundError("no usable temporary directory")

    monkeypatch.setattr("tempfile.TemporaryDirectory", nowhere)
    assert shared_library.linked(b"", "nothing") is None


def test_a_linker_of_the_current_folder_is_not_run(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: "./ld")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("run"))
    assert shared_library.linked(b"", "nothing") is None


def test_a_linker_that_fails_is_none(monkeypatch, tmp_path):
    for script in ("exit 1", "exit 0", "kill -9 $$"):
        linker = tmp_path / "ld"
        linker.write_text(f"#!/bin/sh\n{script}\n")
        linker.chmod(0o700)
        monkeypatch.setattr(shutil, "which", lambda _, linker=linker: str(linker))
        assert shared_library.linked(b"", "nothing") is None


def test_sources_are_those_that_were_imported():
    # A source that changes while a process runs must not give its name to the code of the old one.
    here = Path(ngrams.__file__)
    before = ahead._source(str(here))
    kernels = [each for each in vars(ngrams).values() if isinstance(each, ahead.Kernel)]
    assert kernels
    assert {each.source for each in kernels} == {before}
    assert before == hashlib.sha256(here.read_bytes()).digest()


def test_a_file_that_others_may_write_is_not_run(unlinked):
    tmp_path = unlinked
    assert not process(tmp_path)  # although the umask lets a group write
    file = next(iter(tmp_path.glob("*.o")))
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o620)
    assert process(tmp_path)
    assert not process(tmp_path)  # its place was taken by a file of our own
    planted = tmp_path / "planted"
    file.rename(planted)
    file.symlink_to(planted)
    assert process(tmp_path)
    assert not file.is_symlink()


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_a_folder_that_others_may_write_is_no_cache(chosen, tmp_path, mode):
    tmp_path.chmod(mode)
    with pytest.warns(RuntimeWarning, match="nobody else may write"):
        assert chosen(REJOINDER_CACHE=tmp_path) is None
    tmp_path.chmod(0o755)
    assert chosen(REJOINDER_CACHE=tmp_path) == tmp_path


def test_a_folder_of_somebody_else_is_no_cache(chosen, tmp_path, monkeypatch):
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    if owner == 0:  # root's folders are trusted by all, so another user's is needed
        os.chown(tmp_path, 12345, 12345)
    with pytest.warns(RuntimeWarning, match="a folder that you own"):
        assert chosen(REJOINDER_CACHE=tmp_path) is None


def test_a_link_of_ours_to_the_folder_is_followed_once(chosen, tmp_path):
    there, elsewhere, link = tmp_path / "there", tmp_path / "elsewhere", tmp_path / "link"
    there.mkdir(mode=0o700)
    link.symlink_to(there)
    folder = chosen(REJOINDER_CACHE=link)
    link.unlink()
    elsewhere.mkdir(mode=0o700)
    link.symlink_to(elsewhere)
    assert folder == there.resolve()
    assert chosen(REJOINDER_CACHE=link / "cache") == elsewhere.resolve() / "cache"
    link.unlink()
    link.symlink_to(link)
    with pytest.warns(RuntimeWarning, match="links of others"):
        assert chosen(REJOINDER_CACHE=link) is None


@pytest.mark.parametrize("inside", ["", "cache"])
def test_a_link_of_somebody_else_is_not_followed(chosen, tmp_path, monkeypatch, inside):
    there, link, lstat = tmp_path / "there", tmp_path / "link", Path.lstat
    there.mkdir(mode=0o700)
    link.symlink_to(there)

    def of_another(path):
        status = lstat(path)
        if path != link:
            return status
        return os.stat_result([*status[:4], os.geteuid() + 1, *status[5:10]])

    monkeypatch.setattr(Path, "lstat", of_another)
    with pytest.warns(RuntimeWarning, match="links of others"):
        assert chosen(REJOINDER_CACHE=link / inside) is None
    assert not list(there.iterdir())  # nothing was made there
    assert chosen(REJOINDER_CACHE=there) == there.resolve()


@pytest.mark.parametrize(
    "line", [b"[" * 200_000, b"7", b"{}", b'{"symbol": 1, "sha256": 2}', b"\xff"]
)
def test_a_description_that_is_none_is_a_file_that_is_not_whole(tmp_path, monkeypatch, line):
    monkeypatch.setattr(code_files, "folder", lambda: tmp_path)
    (tmp_path / "kernel.o").write_bytes(line + b"\ncode")
    (tmp_path / "kernel.o").chmod(0o600)
    assert code_files.read("kernel.o") is None


def test_a_path_that_depends_on_the_current_folder_is_no_cache(chosen, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.warns(RuntimeWarning, match="absolute path"):
        assert chosen(REJOINDER_CACHE="cache") is None
    monkeypatch.setattr(code_files, "__file__", "/dev/null/ahead.py")  # nothing can stand beside it
    assert chosen(XDG_CACHE_HOME="cache") is None
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # a user without a home
    assert chosen() is None
    assert not list(tmp_path.iterdir())


def test_the_folder_at_home_where_sources_cannot_be_written(chosen, tmp_path, monkeypatch):
    monkeypatch.setattr(code_files, "__file__", str(tmp_path / "file" / "ahead.py"))
    (tmp_path / "file").write_text("in the way")
    assert chosen(HOME=tmp_path) == tmp_path / ".cache" / "rejoinder"
    assert chosen(XDG_CACHE_HOME=tmp_path) == tmp_path / "rejoinder"


def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert process(tmp_path / "file")


def test_arrays_of_another_kind_are_refused():
    whole = np.zeros(4, dtype=np.int64)
    with pytest.raises(TypeError, match="int64"):
        _bag_totals(whole.astype(np.int32), whole, whole, np.zeros((1, 4)), np.zeros((1, 1)))
    with pytest.raises(TypeError, match="contiguous"):
        _bag_totals(whole[::2], whole[:2], whole[:2], np.zeros((1, 2)), np.zeros((1, 1)))


def test_numba_itself_is_the_way_out(monkeypatch):
    monkeypatch.setattr(ahead, "_compiled", lambda *_: None)
    monkeypatch.setattr(code_files, "opened", lambda *_: None)
    again = ahead.Kernel(ngrams._ngram_fingerprints.function)
    grams = np.zeros(2, dtype=np.uint64)
    keys = np.array([5, 6, 7], dtype=np.uint64)
    words = Tokens(keys, np.array([0]), np.array([3]))
    again(words, 2, grams)
    expected, _, _ = ngrams.ngram_fingerprints(words, 2)
    np.testing.assert_array_equal(grams, expected)


def test_a_kernel_runs_as_plain_python_too():
    # The helpers are ordinary functions: a kernel can be stepped through.
    codes, first, last = np.array([0, 1, 1]), np.array([0, 1]), np.array([1, 3])
    totals = np.zeros((1, 2))
    _bag_totals.function(codes, first, last, np.array([[1.0, 2.0]]), totals)
    assert totals.tolist() == [[1.0, 4.0]]
    assert tokens._is_digit(ord("7"))
