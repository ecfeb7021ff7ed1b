"""Every reader on damaged copies of a whole file of its own: a table, or one message of Rejoinder."""

from __future__ import annotations

import random
import zlib
from functools import partial
from itertools import islice

import pytest

import rejoinder
from format_examples import IDS, examples, write
from rejoinder.errors import RejoinderError
from rejoinder.tables.formats.registry import formats_for

FORMATS = formats_for("test set", "responses")
RATING_FORMATS = formats_for("ratings")
SCORE_FORMATS = formats_for("scores")

READ = {
    "testset": rejoinder.read_testset,
    "responses": rejoinder.read_responses,
    "ratings": rejoinder.read_ratings,
    "scores": rejoinder.read_scores,
}
COLUMNS = {
    "responses": {"system", "id", "text"},
    "ratings": {"id", "system", "rater", "criterion", "score"},
    "scores": {"system", "id", "rater", "name", "value"},
}
CUTS, FLIPS, SHUFFLES = 4, 6, 3

EXAMPLES = [pytest.param(*each, id=f"{each[0]}-{each[1]}-{each[2]}") for each in examples()]
SHARES = [pytest.param(2, id="half"), pytest.param(1, id="all", marks=pytest.mark.slow)]


def test_every_reader_has_an_example():
    tried = {(role, form) for role, form, *_ in examples()}
    formats = {form for role, form in tried if role in ("testset", "responses")}
    assert set(FORMATS) == formats
    assert set(RATING_FORMATS) == {form for role, form in tried if role == "ratings"}
    assert set(SCORE_FORMATS) == {form for role, form in tried if role == "scores"}


@pytest.mark.parametrize("every", SHARES)
@pytest.mark.parametrize(("role", "form", "name", "content"), EXAMPLES)
def test_a_damaged_file_is_a_table_or_one_message(role, form, name, content, tmp_path, every):
    # Plain text has no ids: they come from the test set.
    read = partial(
        READ[role], format=form, **({"ids": IDS} if (role, form) == ("responses", "text") else {})
    )
    checked(role, read(written(tmp_path / "whole", name, content)))
    draw = random.Random(zlib.crc32(f"{role} {form} {name}".encode()))
    for number, (damage, copy) in enumerate(islice(damaged_copies(draw, content), 0, None, every)):
        path = written(tmp_path / str(number), name, copy)
        case = f"the reader '{form}' of {role}, a copy {damage}: {copy!r}"[:2000]
        try:
            result, message = read(path), None
        except RejoinderError as error:
            result, message = None, str(error)
        except Exception as error:
            error.add_note(case)
            raise
        if message is None:
            checked(role, result)
        else:
            assert message, case
            assert "\n" not in message, case


def damaged_copies(draw, content):
    """What was done, and the copy; of a folder, one file is damaged at a time."""
    if not isinstance(content, dict):
        yield from damaged_bytes(draw, content)
        return
    for name in content:
        yield f"without {name}", {other: each for other, each in content.items() if other != name}
        for damage, copy in damaged_bytes(draw, content[name]):
            yield f"with {name} {damage}", content | {name: copy}


def damaged_bytes(draw, content):
    yield "emptied", b""
    for _ in range(CUTS):
        cut = draw.randrange(1, len(content))
        yield f"cut off after {cut} bytes", content[:cut]
    lines = content.splitlines(keepends=True)
    for line in range(min(3, len(lines))):
        short = lines[line][: len(lines[line]) // 2] + b"\n"
        yield f"with a short line {line + 1}", b"".join([*lines[:line], short, *lines[line + 1 :]])
    for _ in range(SHUFFLES):
        yield "with its lines shuffled", b"".join(draw.sample(lines, len(lines)))
    for _ in range(FLIPS):
        at, bit = draw.randrange(len(content)), 1 << draw.randrange(8)
        flipped = bytes([content[at] ^ bit])
        yield f"with bit {bit} of byte {at} flipped", content[:at] + flipped + content[at + 1 :]


def checked(role, result):
    """A valid table: it has rows, its columns, and ids."""
    if role == "testset":
        assert len(result) > 0
        assert len(set(result.ids)) == len(result)
        assert set(result.references.get_column("id")) <= set(result.ids)
        return
    assert result.height > 0
    assert set(result.columns) >= COLUMNS[role]
    assert result.get_column("id").null_count() == 0


def written(folder, name, content):
    write(folder / name, content)
    return folder / name
