"""The names of columns: which are there, which are not, and which was probably meant."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rejoinder.errors import InputError, one_of
from rejoinder.messages import Argument, Placeholder, listed, nearest, quoted
from rejoinder.tables.schemas import HINTS, NEEDED


class OtherTableError(InputError):
    """The columns of a table are not those of the kind of table that was asked for."""


def exchanged(where: str, has: str, this: str, expected: str) -> OtherTableError:
    """The error of a table that is of another kind, in whose place it may have been given.

    Args:
        where: The file, or the file and a row.
        has: What shows that it is of another kind.
        this: What it is.
        expected: What was expected.
    """
    return OtherTableError(
        f"{where}: has {has}: this is {this}, expected {expected}",
        "; were the files given the wrong way round?",
    )


def require(
    needed: Collection[str],
    present: Collection[str],
    where: str,
    optional: Collection[str] = (),
    renamed: bool = True,
    likely: Mapping[str, str] | None = None,
) -> None:
    """Checks that the needed columns are there and that no optional one is misspelt.

    Args:
        needed: Columns without which the table means nothing.
        present: Columns that are there.
        where: The start of the message: a file, or a file and a row.
        optional: Columns that may be absent. One that is absent while another column looks like
            it is refused too: ``wieght`` read as "no weight" would be a wrong number.
        renamed: Whether the user can say which column is which (``columns``).
        likely: By absent column the one whose values fit it, where the names tell nothing.

    Raises:
        InputError: Names the absent column, the columns there are, and the likely one.
    """
    for name in needed:
        if name not in present:
            meant = lookalike(name, present, needed, optional)
            hint = _all_at_once(likely or {}, needed, present) if renamed else ""
            if not hint:
                hint = remedy(name, meant, renamed) if meant else _other_kind(needed, present)
            if not hint and renamed and len(set(present) - {*needed, *optional}) > 0:
                hint = remedy(name, None, renamed)
            raise OtherTableError(
                f"{where}: no column '{name}'; got {listed(present)}, "
                f"expected {listed([*needed, *(f'{o} (optional)' for o in optional)])}{hint}"
            )
    for name in optional:
        if name not in present and (meant := lookalike(name, present, needed, optional)):
            raise InputError(
                f"{where}: unknown column {quoted(meant)} and no '{name}'; "
                f"rename {quoted(meant)} to '{name}', or leave it out"
            )


def _all_at_once(
    likely: Mapping[str, str], needed: Collection[str], present: Collection[str]
) -> str:
    """One line that names all columns, where several of ours are likely to be called otherwise."""
    absent: dict[str, str] = {name: Placeholder("COLUMN") for name in needed if name not in present}
    absent.update(likely)
    if len(absent) < 2 or not likely:
        return ""
    named = Argument("columns", absent)
    return f"; say which columns they are with {named}, where that is what they hold"


def remedy(name: str, meant: str | None, renamed: bool = True) -> str:
    """What to do where a column is absent, and another one may stand in its place.

    Args:
        name: The absent column.
        meant: The column that is probably it; None: unknown.
        renamed: Whether the user can say which column is which (``columns``).
    """
    if meant and not renamed:
        return f"; rename {quoted(meant)} to '{name}'"
    named = Argument("columns", {name: meant or Placeholder("COLUMN")})
    if not meant:
        return f"; where another column is the {name}, name it with {named}"
    return f"; rename {quoted(meant)} to '{name}', or name it with {named}"


OTHER_KINDS = {
    "the test set": ["id", "references"],
    "the ratings file": NEEDED["ratings"],
    "a file of comparisons, which 'rejoinder preferences' reads": NEEDED["preferences"],
    "a file of responses": NEEDED["responses"],
}
"""The columns that tell what a file is, where it stands in the place of another."""


def _other_kind(needed: Collection[str], present: Collection[str]) -> str:
    for kind, columns in OTHER_KINDS.items():
        if set(columns) <= set(present) and not set(columns) <= set(needed):
            return f"; is this {kind}?"
    return ""


def forbid(present: Collection[str], allowed: Collection[str], where: str) -> None:
    """Refuses columns that mean nothing here.

    Args:
        present: The columns of the table.
        allowed: The columns that mean something.
        where: The place that an error names.

    Raises:
        InputError: Names the first unknown column, the nearest known one and all known ones.
    """
    for name in present:
        if name not in allowed:
            close = nearest(name.lower(), allowed)
            hint = f"; did you mean '{close}'?" if close else ""
            raise InputError(
                f"{where}: unknown column {quoted(name)}; expected {one_of(allowed)}{hint}"
            )


def lookalike(
    name: str,
    present: Collection[str],
    needed: Collection[str] = (),
    optional: Collection[str] = (),
) -> str | None:
    """The column that stands where ``name`` was expected, or None.

    Args:
        name: The expected name.
        present: The columns of the table.
        needed: Columns that are used otherwise.
        optional: Further columns that are used otherwise.

    >>> lookalike("text", ["id", "Response"], ["id", "text"])
    'Response'
    """
    taken = {*needed, *optional}
    free = [p for p in present if p not in taken]
    if meant := synonym(name, free):
        return meant
    lowered = _lowered(free)
    close = nearest(name, lowered, cutoff=0.75)
    return lowered[close] if close else None


def synonym(name: str, present: Collection[str]) -> str | None:
    """The column that is ``name`` under another name in use, or None.

    >>> synonym("rater", ["id", "WorkerId"]), synonym("rater", ["id", "rater1"])
    ('WorkerId', None)
    """
    lowered = _lowered(present)
    for other in (name, f"{name}s", name.rstrip("s"), *HINTS.get(name, ())):
        if other in lowered:
            return lowered[other]
    return None


def _lowered(names: Collection[str]) -> dict[str, str]:
    return {name.strip().strip("\ufeff").lower(): name for name in names}
