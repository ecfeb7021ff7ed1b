"""Python strings become Arrow's without a detour."""

import subprocess
import sys

import polars as pl
import pytest

from rejoinder.errors import InputError
from rejoinder.text.strings import Strings


@pytest.mark.parametrize("polars", [pl, None])
def test_both_ways_give_the_same_bytes(monkeypatch, polars):
    monkeypatch.setitem(sys.modules, "polars", polars)
    strings = Strings.of(["hi", "", "né", "茶"])
    assert list(strings) == ["hi", "", "né", "茶"]
    assert strings.stops.tolist() == [2, 2, 5, 8]
    assert list(Strings.of(())) == []
    for bad, words in ((None, "None"), (3, "int"), ("\ud800", "a lone surrogate")):
        with pytest.raises(InputError, match=rf"replies\[1\]: {words}"):
            Strings.of(["a", bad], "replies")


def test_few_strings_need_no_pyarrow_and_give_the_same_bytes(monkeypatch):
    values = ["hi", "", "né", "茶 \N{GRINNING FACE}"]
    by_arrow = Strings.of(values)
    for given in (values, tuple(values), pl.Series(values), pl.Series(["x", *values]).slice(1)):
        monkeypatch.delitem(sys.modules, "pyarrow", raising=False)
        strings = Strings.of(given)
        assert "pyarrow" not in sys.modules
        assert strings.data.tobytes() == by_arrow.data.tobytes()
        assert strings.starts.tolist() == by_arrow.starts.tolist()
        assert strings.stops.tolist() == by_arrow.stops.tolist()
    monkeypatch.delitem(sys.modules, "pyarrow", raising=False)
    assert list(Strings.of(pl.Series([], dtype=pl.String))) == []
    with pytest.raises(InputError, match=r"replies\[1\]"):
        Strings.of(pl.Series(["a", None]), "replies")


def test_scoring_does_not_wake_pandas(tmp_path):
    pytest.importorskip("pandas")
    code = (
        "import sys, polars, rejoinder\n"
        "testset = rejoinder.TestSet.from_lists([['a b'], ['c d']])\n"
        "rows = polars.DataFrame({'system': ['s'] * 2, 'id': ['1', '2'], 'text': ['a', 'd é']})\n"
        "rejoinder.score(testset, rows, ['bleu', 'deltableu', 'rougeL', 'distinct'])\n"
        "sys.exit('pandas' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
