"""Every reader is on the page of formats, and every kind of file on the page has a test that reads it."""

import re
from pathlib import Path

import pytest

from rejoinder.tables.format import FileHead
from rejoinder.tables.formats.registry import formats_for

FORMATS = formats_for("test set", "responses")
RATING_FORMATS = formats_for("ratings")
SCORE_FORMATS = formats_for("scores")

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "formats.md").read_text("utf-8")
_TABLE = PAGE.partition("## Kinds of files")[2].partition("\n## ")[0]
_ROW = r"^\| (?!kind of file)([^|]+?) \| `([^`]+)` \| `(\w+)::(\w+)(?:\[(.+)\])?` \|$"
KINDS = re.findall(_ROW, _TABLE, re.MULTILINE)
EVERY = {
    (registry, name): each
    for registry, table in (
        ("tables", FORMATS),
        ("ratings", RATING_FORMATS),
        ("scores", SCORE_FORMATS),
    )
    for name, each in table.items()
}
ANY = {"all", "memory"}
"""What stands for all formats, or for none of them."""


def test_the_page_lists_thirty_kinds_and_more():
    assert len(KINDS) >= 30
    assert len(KINDS) == _TABLE.count("\n| ") - 1, "a row of another form"
    assert len({kind for kind, *_ in KINDS}) == len(KINDS)


@pytest.mark.parametrize("row", KINDS, ids=lambda row: row[0])
def test_a_kind_of_file_is_read_by_a_test(row):
    _, name, file, test, case = row
    assert name in ANY | {name for _, name in EVERY}
    source = (ROOT / "tests" / "unit" / "tables" / f"test_{file}.py").read_text("utf-8")
    assert f"def test_{test}(" in source
    assert case in source


def test_every_format_is_on_the_page():
    listed = {name for _, name, *_ in KINDS}
    assert {name for _, name in EVERY} <= listed
    for _, name in EVERY:
        assert f"`{name}`" in PAGE.partition("## Formats of test sets")[2]


@pytest.mark.parametrize("key", EVERY, ids="-".join)
def test_a_reader_is_declared_whole(key, tmp_path):
    each = EVERY[key]
    assert each.name == key[1]
    assert re.fullmatch(r"[a-z0-9+-]+", each.name)
    assert 10 < len(each.description) < 110
    # What is nobody's is not recognised: no file, an empty one, a folder, bytes of no format.
    (tmp_path / "folder").mkdir()
    for name, first in (
        ("absent.xyz", b""),
        ("folder", b""),
        ("noise.xyz", bytes(range(128, 256))),
    ):
        assert not each.recognises(FileHead(tmp_path / name, first))
