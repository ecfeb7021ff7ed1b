"""Lists given from Python: their types, their lengths, and which way round they are.

sacreBLEU takes one list per reference stream, ``references[stream][hypothesis]``. Rejoinder takes
one list per hypothesis, ``references[hypothesis][reference]``, because items have different numbers
of references.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, filterfalse
from typing import Any

from rejoinder.errors import InputError
from rejoinder.messages import counted


def check_orientation(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """Checks that there is one list of references per hypothesis, and that all entries are text.

    Two streams of two sentences look the same both ways round; that alone cannot be told.

    Args:
        hypotheses: N replies.
        references: N lists, each of zero or more references.

    Raises:
        InputError: A string where a list belongs, an entry that is None or no string or holds half
            of a surrogate pair (named by its index), other lengths, or the lists are one per
            stream; the remedy is then ``list(zip(*references))``.

    Example:
        >>> check_orientation(["a", "b", "c"], [["x"], ["y", "z"], []])
        >>> check_orientation(["a", "b", "c"], [["x", "y", "z"]])
        Traceback (most recent call last):
        ...
        rejoinder.errors.InputError: references: 1 list of 3 strings for 3 hypotheses: this is one \
list per reference stream, expected one list per hypothesis; turn it round with \
list(zip(*references))
    """
    _check_list(hypotheses, "hypotheses", "strings")
    check_strings(hypotheses, "hypotheses")
    check_reference_lists(references)
    n = len(hypotheses)
    if len(references) == n:
        return
    lists = counted(len(references), "list")
    if references and all(len(row) == n for row in references):
        raise InputError(
            f"references: {lists} of {n} strings for {n} hypotheses: this is one list per "
            "reference stream, expected one list per hypothesis; turn it round with "
            "list(zip(*references))"
        )
    raise InputError(
        f"references: {lists} for {n} hypotheses; expected one list per hypothesis (empty where "
        "it has no reference)"
    )


def check_reference_lists(references: Sequence[Sequence[str]]) -> None:
    """Checks that these are lists of lists of text.

    Raises:
        InputError: Names the first entry that is not.
    """
    _check_list(references, "references", "lists of strings")
    # One pass in C over the types: a corpus has hundreds of thousands of references.
    if not set(map(type, references)) <= {list, tuple}:
        for index, row in enumerate(references):
            if isinstance(row, str):
                raise InputError(
                    f"references[{index}]: a string; expected a list of strings, one list per "
                    "hypothesis; wrap single references: [[r] for r in references]"
                )
            _check_list(row, f"references[{index}]", "strings")
    flat = list(chain.from_iterable(references))
    if not _are_text(flat):
        for index, row in enumerate(references):
            check_strings(row, f"references[{index}]")


def check_strings(strings: Sequence[Any], name: str) -> None:
    """Checks that every entry is text that can be written as UTF-8.

    Args:
        strings: The entries.
        name: What the list is called in the message.

    Raises:
        InputError: Names the index of the first that is not.
    """
    if _are_text(strings):
        return
    for index, entry in enumerate(strings):
        if entry is None:
            raise missing(name, index)
        if not isinstance(entry, str):
            raise InputError(f"{name}[{index}]: {type(entry).__name__}; expected a string")
        try:
            entry.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"{name}[{index}]: a lone surrogate (half a character) at position "
                f"{error.start}; write the text again from a clean source"
            ) from None


def missing(name: str, index: int) -> InputError:
    """The error of a string that is missing."""
    return InputError(
        f"{name}[{index}]: None; expected a string; an empty reply is '', a missing one has no entry"
    )


def check_turns(contexts: Sequence[Sequence[str]], items: int) -> None:
    """Checks that these are the turns of so many items.

    Raises:
        InputError: They are for another number of items, or one is no list of text.
    """
    _check_list(contexts, "contexts", "lists of turns, oldest first")
    check_number(contexts, "contexts", items)
    for index, turns in enumerate(contexts):
        _check_list(turns, f"contexts[{index}]", "turns, oldest first")
        check_strings(turns, f"contexts[{index}]")


def check_weight_lists(
    weights: Sequence[Sequence[float | None]], references: Sequence[Sequence[str]]
) -> None:
    """Checks that there is a number, or None, for each reference.

    Raises:
        InputError: The lists are of another shape, or an entry is no number.
    """
    _check_list(weights, "weights", "lists of numbers")
    check_number(weights, "weights", len(references))
    for index, (row, texts) in enumerate(zip(weights, references, strict=True)):
        _check_list(row, f"weights[{index}]", "numbers")
        if len(row) != len(texts):
            raise InputError(
                f"weights[{index}]: got {len(row)}; expected "
                f"{counted(len(texts), 'weight')}, one per reference"
            )
    kinds = set(map(type, chain.from_iterable(weights)))
    if all(_is_number(kind) for kind in kinds - {type(None)}):
        return
    for index, row in enumerate(weights):
        for place, weight in enumerate(row):
            if weight is not None and not _is_number(type(weight)):
                raise InputError(
                    f"weights[{index}][{place}]: got {type(weight).__name__}; expected a number"
                )


def _is_number(kind: type) -> bool:
    return kind.__name__ not in ("bool", "bool_") and hasattr(kind, "__float__")


def check_number(given: Sequence[Any], name: str, items: int) -> None:
    """Raises an InputError where there is not an entry for each item.

    Args:
        given: The entries.
        name: What an error calls them.
        items: The number of items.
    """
    if len(given) != items:
        lists = counted(items, "list")
        raise InputError(f"{name}: {len(given)} for {lists} of references; expected one for each")


def _check_list(given: Any, name: str, of: str) -> None:
    if isinstance(given, str):
        raise InputError(f"{name}: a string; expected a list of {of}; wrap it: [{name}]")
    if not (hasattr(given, "__len__") and hasattr(given, "__getitem__")) or isinstance(
        given, (bytes, dict)
    ):
        raise InputError(f"{name}: {type(given).__name__}; expected a list of {of}")


def _are_text(strings: Sequence[Any]) -> bool:
    """Whether all are plain str that encode; a quick yes, the slow path finds the offender."""
    if not set(map(type, strings)) <= {str}:
        return False
    try:
        "".join(filterfalse(str.isascii, strings)).encode()
    except UnicodeEncodeError:
        return False
    return True
