"""Machine code kept on disk: used again, made anew where it does not fit, never trusted blindly."""

import subprocess
import sys

import numpy as np
import pytest

from rejoinder.kernels import ahead, ngrams, tokens
from rejoinder.kernels.bags import _bag_totals

PROGRAM = """
import sys
from rejoinder.metrics import BLEU
assert BLEU(order=1).corpus(["yes no"], [["yes"]]).value == 0.5
print("numba" in sys.modules)
"""


def process(folder):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        env={"REJOINDER_CACHE": str(folder), "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip() == "True"


def test_the_second_process_needs_no_compiler(tmp_path):
    assert process(tmp_path)
    files = list(tmp_path.glob("*.o"))
    assert {file.name.rpartition("-")[0] for file in files} == {
        "rejoinder.kernels.tokens._same_strings",
        "rejoinder.kernels.tokens.tokens_13a",
        "rejoinder.kernels.ngrams._bleu_rows",
    }
    assert not process(tmp_path)
    # A file that is not whole is made anew; so is one of other sources (its name has another key).
    files[0].write_bytes(files[0].read_bytes()[:-9])
    assert process(tmp_path)
    assert not process(tmp_path)
    files[1].rename(files[1].with_name(files[1].name.rpartition("-")[0] + "-0000.o"))
    assert process(tmp_path)
    assert len(list(tmp_path.iterdir())) == 3


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
    monkeypatch.setattr(ahead, "_read", lambda *_: None)
    again = ahead.Kernel(ngrams._ngram_fingerprints.function)
    grams = np.zeros(2, dtype=np.uint64)
    keys = np.array([5, 6, 7], dtype=np.uint64)
    bounds = (np.array([0]), np.array([3]))
    again(keys, *bounds, 2, grams)
    expected, _, _ = ngrams.ngram_fingerprints(keys, *bounds, 2)
    np.testing.assert_array_equal(grams, expected)


def test_a_kernel_runs_as_plain_python_too():
    # The helpers are ordinary functions: a kernel can be stepped through.
    codes, first, last = np.array([0, 1, 1]), np.array([0, 1]), np.array([1, 3])
    totals = np.zeros((1, 2))
    _bag_totals.function(codes, first, last, np.array([[1.0, 2.0]]), totals)
    assert totals.tolist() == [[1.0, 4.0]]
    assert tokens._is_digit(ord("7"))
