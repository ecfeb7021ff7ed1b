"""Scores out of cells: numbers, and labels that begin with their number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import Call, counted, quoted
from rejoinder.tables.notes import note
from rejoinder.tables.parts import Part

# "5 - very good", "5: good", "5. good", "5 (good)", "5 stars": a whole number, something between,
# and words. A second digit makes it anything: "1-2" and "3 of 5" are no rating.
_LABEL = r"^([+-]?\d+)\s*(?:[-–—:.)=(]|\s)[^\d]*\p{L}[^\d]*$"
_DECIMAL_COMMA = r"^[+-]?\d+,\d+$"
_WORDS = (
    ("👎 thumbs_down thumbsdown down", "👍 thumbs_up thumbsup up"),
    ("dislike disliked", "like liked"),
    ("bad", "good"),
    ("negative", "positive"),
    ("no", "yes"),
    ("false", "true"),
    ("fail failed", "pass passed"),
)
"""By kind the words of the grades 0 and 1, in lower case with ``_`` for white space."""

_GRADES = {
    word: (kind[0], str(grade))
    for kind in _WORDS
    for grade, words in enumerate(kind)
    for word in words.split()
}
"""By word its kind and its grade."""

_STARS = r"[★⭐]+☆*"
_MODIFIERS = "[\ufe0f\U0001f3fb-\U0001f3ff]"  # of an emoji: its presentation, a colour of skin
_ABSENT = ("na", "n/a", "none", "null", "-", "?", "missing")


@dataclass(frozen=True)
class CellScores:
    """The scores of a column of cells.

    Attributes:
        values: Float64, null where the cell is empty or holds no score.
        wrong: Boolean, true where the cell is not empty and holds no score.
        labels: Boolean, true where the score is the number that a label begins with.
    """

    values: pl.Series
    wrong: pl.Series
    labels: pl.Series

    @property
    def plain(self) -> int:
        """How many cells hold a number, and no label."""
        return int((self.values.is_not_null() & ~self.labels).sum())


def scores_of(cells: pl.Series) -> CellScores:
    """Reads a column of numbers, or of texts that hold them; an empty cell has no score.

    >>> scores_of(pl.Series(["4", " 2.5 ", "", "5 - very good", "agree"])).values.to_list()
    [4.0, 2.5, None, 5.0, None]
    """
    never = pl.Series(np.zeros(len(cells), np.bool_))
    if cells.dtype.is_numeric() or cells.dtype == pl.Null:
        return CellScores(cells.cast(pl.Float64), never, never)
    if cells.dtype == pl.Categorical or cells.dtype == pl.Enum:
        cells = cells.cast(pl.String)
    if cells.dtype != pl.String:
        nothing = pl.repeat(None, len(cells), dtype=pl.Float64, eager=True)
        return CellScores(nothing, cells.is_not_null(), never)
    cells = cells.str.strip_chars()
    numbers = cells.cast(pl.Float64, strict=False)
    if numbers.null_count() == cells.null_count():
        return CellScores(numbers, never, never)
    others = (numbers.is_null() & (cells != "")).fill_null(False)
    labelled = cells.str.extract(_LABEL).cast(pl.Float64, strict=False)
    labels = others & labelled.is_not_null()
    return CellScores(numbers.zip_with(~labels, labelled), others & ~labels, labels)


def graded(cells: pl.Series, name: object, values: Mapping[str, float] | None = None) -> pl.Series:
    """Cells in which words are their numbers: the user's, or stars and words of two grades.

    The latter count where they are of one kind and no filled cell holds anything else, so that ``good``
    among ``good``, ``fair`` and ``poor`` is no number.

    Args:
        cells: The column.
        name: The file, for the note.
        values: By word its number, of the user's.

    >>> [graded(pl.Series(each), "r.csv").to_list() for each in (["👍", "👎", ""], ["good", "fair"])]
    [['1', '0', ''], ['good', 'fair']]
    """
    if cells.dtype == pl.Boolean:
        cells = cells.cast(pl.String)
    if cells.dtype != pl.String:
        return cells
    words = cells.str.strip_chars()
    different = words.drop_nulls().unique(maintain_order=True)
    if values:
        known = {word: str(values[word]) for word in different if word in values}
    else:
        known, kinds = {}, set()
        for word in filter(None, different):
            kind, grade = _grade(word)
            kinds.add(kind)
            if not grade or len(kinds) > 1:
                return cells
            known[word] = grade
    if known:
        note("words", name, words=known)
    return words.replace(known)


def _grade(word: str) -> tuple[str, str]:
    """The kind of a word, and the number of its grade; empty where it has none."""
    plain = re.sub(r"[\s\-]+", "_", re.sub(_MODIFIERS, "", word).lower())
    if re.fullmatch(_STARS, plain):
        return "stars", str(plain.count("★") + plain.count("⭐"))
    return _GRADES.get(plain, ("", ""))


def number_in(cell: str) -> float | None:
    """The number that a text is; None where it is none.

    >>> number_in(" 2.5 "), number_in("2,5"), number_in("1_2")
    (2.5, None, None)
    """
    try:
        return None if "_" in str(cell) else float(cell)
    except ValueError:
        return None


def strict_scores(
    cells: pl.Series, name: str, numbers: Sequence[int], what: str = "score"
) -> pl.Series:
    """The scores of a column in which every filled cell must hold one.

    Args:
        cells: The column.
        name: The file, for messages.
        numbers: The number of each row.
        what: What the column is called.

    Returns:
        Float64 with nulls where there is no score.

    Raises:
        InputError: A cell holds something else; names its row and the remedy.
    """
    scores = scores_of(cells)
    refuse_wrong(scores, cells, name, numbers, what)
    note_labels(scores, cells, name)
    return scores.values


def with_numbers(part: Part, name: str) -> Part:
    """A table with numbers in a column, null where a cell is empty or NaN; as it is without the column.

    Raises:
        InputError: A cell holds something else.
    """
    if name not in part.frame.columns:
        return part
    values = strict_scores(part.frame.get_column(name), part.name, part.numbers, name)
    return part.with_frame(part.frame.with_columns(values.fill_nan(None).alias(name)))


_SPELLED = re.compile(r"\['\s*(-?\d+(?:[.,]\d*)?\s*%|-?\d*,\d+)\s*'\]")
"""A list of one cell that holds a number with a decimal comma or a percent sign."""


def columns_of_numbers(
    part: Part, names: Iterable[str], is_text: Callable[[CellScores], bool]
) -> list[str]:
    """The columns of a wide table that hold numbers; a note names the others.

    Args:
        part: The table.
        names: The columns that may hold them.
        is_text: Whether a column with such cells holds none.
    """
    names = list(names)
    text = [name for name in names if is_text(scores_of(part.frame.get_column(name)))]
    if text:
        firsts = (str(part.frame.get_column(name).drop_nulls().head(1).to_list()) for name in text)
        spelled = [match[1] for each in firsts if (match := _SPELLED.fullmatch(each))]
        note("no numbers", part.name, columns=text, spelled=spelled[:1])
    return [name for name in names if name not in text]


def refuse_wrong(
    scores: CellScores, cells: pl.Series, name: str, numbers: Sequence[int], what: str
) -> None:
    """Raises for the first cell that is filled and holds no score.

    Args:
        scores: The cells as scores.
        cells: The cells as they are in the file.
        name: The name of the file.
        numbers: The number of the row of each cell.
        what: What a cell is called.
    """
    rows = scores.wrong.arg_true()
    if len(rows):
        row = int(rows[0])
        cell = str(cells[row : row + 1].to_list()[0])
        others = f" (and {counted(len(rows) - 1, 'cell')} more like it)" if len(rows) > 1 else ""
        raise InputError(
            f"{name}, row {numbers[row]}: {what} {quoted(cell)} is no number{others}; "
            f"{_remedy(cell.strip())}"
        )


def note_labels(scores: CellScores, cells: pl.Series, name: object) -> None:
    """Says how many labels of a file were taken for the number that they begin with.

    Args:
        scores: The cells as scores.
        cells: The cells as they are in the file.
        name: The name of the file.
    """
    if count := int(scores.labels.sum()):
        note("labels", name, count=count, first=cells.filter(scores.labels)[0])


_VALUES = Call("rejoinder.read_ratings(FILE, values={{'disagree': 1, 'agree': 2}})")


def _remedy(cell: str) -> str:
    if pl.Series([cell]).str.contains(_DECIMAL_COMMA)[0]:
        return "write it with a decimal point"
    if cell.lower() in _ABSENT:
        return "leave the cell empty where a rating is missing"
    return (
        "expected a number, or a whole number before its label ('5 - very good'); say what other "
        f"labels are with '{_VALUES}'"
    )
