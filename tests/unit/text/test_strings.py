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
