"""The test set: contexts and their references, from a file or from lists."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import InitVar, dataclass
from typing import TypeAlias

import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import existing
from rejoinder.files.sources import keeping_sources
from rejoinder.messages import quoted
from rejoinder.result import Result
from rejoinder.tables import in_memory
from rejoinder.tables.assembly.column_mapping import Columns, column_mapping
from rejoinder.tables.assembly.item_columns import turns_column
from rejoinder.tables.checks.arguments import TESTSET, expect
from rejoinder.tables.checks.validation import check_contexts, check_references, conform
from rejoinder.tables.columns import forbid
from rejoinder.tables.format import FormatName
from rejoinder.tables.formats.format_choice import read_items
from rejoinder.tables.frames import Frame, is_table, polars_of
from rejoinder.tables.parts import Origin
from rejoinder.tables.schemas import COLUMNS, REFERENCES
from rejoinder.text.lists import (
    check_number,
    check_reference_lists,
    check_strings,
    check_turns,
    check_weight_lists,
)


@dataclass(frozen=True, eq=False, repr=False)
class TestSet(Result):
    """Items to reply to, and zero or more references for each, some of them weighted.

    The tables are validated once, here. References keep their order within an item: the first one
    of an item is its original.

    Attributes:
        contexts: One row per item, ``schemas.CONTEXTS``, then the user's additional columns; a frame
            of Polars or of pandas.
        references: ``schemas.REFERENCES``; a null weight means unweighted.
        origins: Where the rows of both tables stood, for errors; None for tables made in memory.

    Raises:
        InputError: A column is absent or of a wrong type; an id is empty, a duplicate, or differs
            from another in white space alone; a reference has no context or no text; a weight is
            not a number within [-1, 1]; there is neither a reference nor a context.
        ParameterError: A table is no frame of Polars or pandas.

    Example:
        >>> testset = TestSet.from_lists([["hi", "hello there"], []], [[1.0, -0.5], []])
        >>> len(testset), testset.ids, testset.references.height
        (2, ['1', '2'], 2)
    """

    __test__ = False

    contexts: pl.DataFrame
    references: pl.DataFrame
    origins: InitVar[tuple[Origin, Origin] | None] = None

    def __post_init__(self, origins: tuple[Origin, Origin] | None) -> None:
        """Brings the tables into their schemas and validates them."""
        remedy = (
            "make a test set of lists with TestSet.from_lists(references), or read_testset(path)"
        )
        given = polars_of(self.contexts, "contexts", "id and context", remedy)
        contexts = conform(given, COLUMNS["contexts"], _table(origins, 0))
        given = polars_of(self.references, "references", "id and text", remedy)
        forbid(given.columns, REFERENCES, _table(origins, 1))
        references = conform(given, COLUMNS["references"], _table(origins, 1))
        of_contexts, of_references = origins or (
            Origin.of_table("contexts", contexts),
            Origin.of_table("references", references),
        )
        check_contexts(contexts, of_contexts)
        table = of_references.files() or of_contexts.files()
        check_references(references, contexts, of_references, table)
        object.__setattr__(self, "contexts", contexts)
        object.__setattr__(self, "references", references)

    def __len__(self) -> int:
        """The number of items."""
        return self.contexts.height

    @property
    def ids(self) -> list[str]:
        """The ids of the items, in their order."""
        return self.contexts.get_column("id").to_list()

    @property
    def digest(self) -> str:
        """Eight digits of a hash of the ids, contexts and references, in their order."""
        total = hashlib.sha256()
        for frame in (self.contexts.select("id", "context"), self.references.select("id", "text")):
            total.update(frame.write_ndjson().encode())
        return total.hexdigest()[:8]

    def select(self, ids: Sequence[str]) -> TestSet:
        """The test set of these items alone, in the order given.

        Args:
            ids: Ids of this test set, each once.

        Raises:
            InputError: An id is unknown or given twice, or no reference is left.
        """
        order = pl.DataFrame({"id": ids}, schema={"id": pl.String}).with_row_index("place of item")
        unknown = order.join(self.contexts.select("id"), on="id", how="anti")
        if unknown.height:
            raise InputError(
                f"select: no item has the id {quoted(unknown.get_column('id')[0])}; expected ids of this "
                "test set"
            )
        references = self.references.with_row_index("place of reference").join(order, on="id")
        return TestSet(
            self.contexts.join(order, on="id").sort("place of item").drop("place of item"),
            references.sort("place of item", "place of reference").select(list(REFERENCES)),
        )

    @classmethod
    def of(cls, given: TestSetLike, name: str = "testset") -> TestSet:
        """The test set of a Python call: a frame or lists of references become one, and this type stays.

        Args:
            given: What was given.
            name: What the function calls it.

        Raises:
            InputError: A column is absent, or a row breaks a rule.
            ParameterError: It is nothing of these.

        >>> TestSet.of([["hi", "hello"], ["yes"]]).ids
        ['1', '2']
        """
        if isinstance(given, TestSet):
            return given
        if is_table(given):
            return read_testset(given)  # pyright: ignore[reportArgumentType]
        expect(given, (list, tuple), name, TESTSET)
        return cls.from_lists(given)  # pyright: ignore[reportArgumentType]

    @classmethod
    def from_lists(
        cls,
        references: Sequence[Sequence[str]],
        weights: Sequence[Sequence[float | None]] | None = None,
        contexts: Sequence[Sequence[str] | str] | None = None,
        ids: Sequence[str] | None = None,
    ) -> TestSet:
        """A test set from lists.

        Args:
            references: For each item the list of its references, which may be empty.
            weights: The same shape as ``references``; None: unweighted.
            contexts: For each item its turns, oldest first, or its message alone; None: unknown.
            ids: For each item its id; None: "1", "2", ...

        Raises:
            InputError: The shapes differ, an entry is not text, or a rule of the table is broken.
        """
        check_reference_lists(references)
        items = len(references)
        if weights is not None:
            check_weight_lists(weights, references)
        turns = [[]] * items
        if contexts is not None:
            turns = [[each] if isinstance(each, str) else each for each in contexts]
            check_turns(turns, items)
        names = [str(i + 1) for i in range(items)] if ids is None else list(ids)
        check_number(names, "ids", items)
        check_strings(names, "ids")
        flat = [weight for row in weights or () for weight in row]
        return cls(
            pl.DataFrame([pl.Series("id", names, dtype=pl.String), turns_column(turns)]),
            pl.DataFrame(
                {
                    "id": [i for i, row in zip(names, references, strict=True) for _ in row],
                    "text": [text for row in references for text in row],
                    "weight": None if weights is None else flat,
                    "source": None,
                },
                schema=REFERENCES,
            ),
        )


TestSetLike: TypeAlias = TestSet | Frame | Sequence[Sequence[str]]
"""A test set, a table of one, or for each item the list of its references."""


@keeping_sources()
def read_testset(
    *paths: str | os.PathLike[str] | Frame, format: FormatName = None, columns: Columns = None
) -> TestSet:
    """Reads a test set, in any of the formats of docs/formats.md.

    Args:
        *paths: One file or folder (of a folder of logs the test set of the first); two tables
            (contexts and references) in CSV, TSV or Parquet; or one plain text file per reference
            stream. Or the table itself: a frame of Polars or pandas, Arrow, a data set of Hugging Face,
            or a list of dictionaries.
        format: The name of the format; None: recognised by suffix and first bytes.
        columns: Which column is which, by our name of it: ``{"id": "doc_id", "reference":
            "doc.answers.0"}``, the same as ``"id=doc_id,reference=doc.answers.0"``, or the path of a
            TOML file; a dotted path looks into nested values. Known aliases need none.

    Raises:
        InputError: A file cannot be read or breaks a rule; the message names file and row.
        ParameterError: There is no such format.
    """
    mapping = column_mapping(columns)
    if in_memory.are_tables(paths, "test set"):
        draft = in_memory.testset_of(paths, mapping)
    else:
        draft = read_items(existing(paths, "test set"), format, mapping)
    contexts, references = draft
    return TestSet(contexts.frame, references.frame, (contexts.origin, references.origin))


def first_references(testset: TestSet) -> pl.DataFrame:
    """The rows of the first reference, the original, of each item that has one, in their order.

    >>> first_references(TestSet.from_lists([["hi", "hello"], []])).get_column("text").to_list()
    ['hi']
    """
    return testset.references.unique("id", keep="first", maintain_order=True)


def _table(origins: tuple[Origin, Origin] | None, which: int) -> str:
    if origins is None or not origins[which].parts:
        return ("contexts", "references")[which]
    return origins[which].parts[0][0]
