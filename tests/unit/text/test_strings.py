"""Strings as one run of bytes, from lists, columns and arrays."""

import subprocess
import sys
from datetime import date
from decimal import Decimal
from enum import StrEnum

import numpy as np
import polars as pl
import pytest

from rejoinder.errors import InputError
from rejoinder.text.strings import Strings


def alike(strings, values):
    """Whether strings are values, by what holds for every string and for all of them together."""
    sizes = [len(text.encode()) for text in values]
    return list(strings) == list(values) and strings.sizes.tolist() == sizes


def test_lists_of_strings_become_bytes_and_bounds():
    values = ["hi", "", "né", "茶"]
    for given in (values, tuple(values), np.array(values), iter(values)):
        assert alike(Strings.of(given), values)
    for empty in ([], ()):
        assert list(Strings.of(empty)) == []


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (None, "None"),
        (3, "int"),
        (b"a", "bytes"),
        (["a"], "list"),
        (date(2026, 1, 1), "date"),
        (Decimal(1), "Decimal"),
        ("\ud800", "a lone surrogate"),
    ],
)
def test_what_is_no_string_is_named(bad, words):
    with pytest.raises(InputError, match=rf"replies\[1\]: {words}"):
        Strings.of(["a", bad], "replies")


class Word(str):
    """A string of a class of its own, which writes itself otherwise."""

    def __str__(self):
        return "otherwise"


class Colour(StrEnum):
    RED = "red"


def test_strings_of_other_classes_are_their_text():
    assert alike(Strings.of([np.str_("né"), Word("a"), Colour.RED, "b"]), ["né", "a", "red", "b"])


def test_strings_and_lists_of_every_size():
    """MessagePack writes sizes in five bits, one, two or four bytes; those of lists likewise."""
    sizes = [0, 1, 31, 32, 255, 256, 65_535, 65_536, 70_000]
    values = ["é" * (size // 2) + "a" * (size % 2) for size in sizes]
    assert alike(Strings.of([*values, *reversed(values)]), [*values, *reversed(values)])
    for count in (1, 15, 16, 65_535, 65_536):
        strings = Strings.of(["ab", "", "é"] * (count // 3) + ["x"] * (count % 3))
        assert len(strings) == count
        assert strings[count - 1] == (["x"] * (count % 3) or ["é"])[0]
        assert strings.sizes.sum() == count // 3 * 4 + count % 3


def test_few_strings_need_no_pyarrow_and_give_the_same_bytes(monkeypatch):
    values = ["hi", "", "né", "茶 \N{GRINNING FACE}"]
    assert alike(Strings.of(pl.Series(values).to_arrow()), values)
    for given in (values, tuple(values), pl.Series(values), pl.Series(["x", *values]).slice(1)):
        monkeypatch.delitem(sys.modules, "pyarrow", raising=False)
        strings = Strings.of(given)
        assert "pyarrow" not in sys.modules
        assert alike(strings, values)
    monkeypatch.delitem(sys.modules, "pyarrow", raising=False)
    assert list(Strings.of(pl.Series([], dtype=pl.String))) == []
    with pytest.raises(InputError, match=r"replies\[1\]"):
        Strings.of(pl.Series(["a", None]), "replies")


def test_columns_of_polars_and_arrays_of_arrow_lie_without_gaps():
    """What is written of them to a file goes from the first byte to the last."""
    values = ["hi", "", "né", "茶"]
    series = pl.Series(["x", *values])
    for given in (series.slice(1), series.to_arrow().slice(1)):
        strings = Strings.of(given)
        assert (strings.starts[1:] == strings.stops[:-1]).all()


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
