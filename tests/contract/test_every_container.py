"""Every kind of table is the same table from every container, under our names and under every alias."""

import polars as pl
import pytest

from format_examples import table, workbook, write
from fuzzing import parquet, rows, saved_to_disk
from rejoinder.tables.external_scores import read_scores
from rejoinder.tables.formats.registry import formats_for
from rejoinder.tables.preferences import read_preferences
from rejoinder.tables.ratings import read_ratings
from rejoinder.tables.responses import read_responses
from rejoinder.tables.schemas import (
    ALIASES,
    FALLBACKS,
    PREFERENCES,
    RATINGS,
    REFERENCE,
    RESPONSES,
    SCORES,
)
from rejoinder.tables.testset import read_testset

VALUES = {
    "id": ["c1", "c2"], "system": ["bot", "bot"], "text": ["Not now.", "At nine, I think."],
    "rater": ["ann", "ben"], "criterion": ["fluency", "fluency"], "score": [4.5, 2.0],
    "a": ["bot", "bot"], "b": ["cat", "cat"], "winner": ["a", "tie"], "name": ["judge", "judge"],
    "value": [0.5, 0.25], "context": ["When?", "At what time?"], REFERENCE: ["At nine.", "Soon."],
}  # fmt: skip
OF_TEXTS = {"test set": ("id", "context", REFERENCE), "responses": tuple(RESPONSES)}
COLUMNS = {
    **OF_TEXTS,
    "ratings": tuple(RATINGS),
    "preferences": tuple(PREFERENCES),
    "scores": tuple(name for name in SCORES if name in VALUES and name != "rater"),
}
READ = {
    "test set": lambda source: read_testset(source),
    "responses": lambda source: read_responses(source),
    "ratings": lambda source: read_ratings(source),
    "preferences": lambda source: read_preferences(source),
    "scores": lambda source: read_scores(source),
}
CONTAINERS = {
    "csv": lambda columns: table(columns, *zip(*map(quoted, columns.values()), strict=True)),
    "tsv": lambda columns: table(columns, *zip(*columns.values(), strict=True), mark="\t"),
    "xlsx": lambda columns: workbook(list(columns), *zip(*columns.values(), strict=True)),
    "jsonl": lambda columns: rows(*as_rows(columns)),
    "json": lambda columns: b"[" + b",".join(rows(*as_rows(columns)).split(b"\n")[:-1]) + b"]",
    "parquet": parquet,
    "datasets": saved_to_disk,
}
MEMORY = {
    "polars": pl.DataFrame,
    "pandas": lambda columns: pl.DataFrame(columns).to_pandas(),
    "arrow": lambda columns: pl.DataFrame(columns).to_arrow(),
    "rows": lambda columns: as_rows(columns),
}


def quoted(cells):
    """The cells of a CSV, some of which hold a comma."""
    return [f'"{cell}"' if isinstance(cell, str) else cell for cell in cells]


def as_rows(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def columns_of(kind, renames=None):
    """By the name of a column its values."""
    return {(renames or {}).get(name, name): VALUES[name] for name in COLUMNS[kind]}


def read(kind, source):
    """The table as frames."""
    made = READ[kind](source)
    return (made.contexts, made.references) if kind == "test set" else (made,)


def file_of(container, columns, folder):
    path = folder / ("table" if container == "datasets" else f"table.{container}")
    write(path, CONTAINERS[container](columns))
    return path


def test_no_kind_and_no_container_is_forgotten():
    for kind in COLUMNS:
        tables = {name for name, each in formats_for(kind).items() if each.part is not None}
        assert tables == set(CONTAINERS)


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """By kind the table that Parquet gives."""
    return {
        kind: read(kind, file_of("parquet", columns_of(kind), tmp_path_factory.mktemp("usual")))
        for kind in COLUMNS
    }


def same(made, usual):
    assert [frame.columns for frame in made] == [frame.columns for frame in usual]
    assert all(one.equals(other) for one, other in zip(made, usual, strict=True))


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("container", CONTAINERS)
def test_a_container_gives_the_same_table(kind, container, tmp_path, usual):
    same(read(kind, file_of(container, columns_of(kind), tmp_path)), usual[kind])


@pytest.mark.parametrize("kind", [kind for kind in COLUMNS if kind != "scores"])
@pytest.mark.parametrize("container", MEMORY)
def test_memory_gives_the_same_table(kind, container, usual):
    same(read(kind, MEMORY[container](columns_of(kind))), usual[kind])


@pytest.mark.parametrize("container", ["csv", "jsonl"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_an_alias_gives_the_same_table(kind, container, tmp_path, usual):
    for name in COLUMNS[kind]:
        for alias in (*ALIASES.get(name, ()), *FALLBACKS.get(name, ())):
            if (name, alias) == ("text", "answer"):
                continue  # it is a reference, unless another column is
            file = file_of(container, columns_of(kind, {name: alias}), tmp_path)
            same(read(kind, file), usual[kind])
