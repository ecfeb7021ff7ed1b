"""What the values of options mean, and what a shell offers for them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rejoinder.cli.declarations import PATH
from rejoinder.cli.option_names import named_as_options
from rejoinder.errors import ParameterError, RejoinderError
from rejoinder.messages import listed, quoted
from rejoinder.statistics.draws import check_draws

if TYPE_CHECKING:
    from rejoinder.tables.assembly.column_mapping import ColumnMapping

USUAL_KAPPA = "0.1"
"""The threshold of --filter-raters: a number in human_evaluation/rater_exclusion.py, which is not
imported for --help."""


def texts_of(value: Any) -> Iterator[str | Path]:
    """The texts and paths in the value of an argument or option."""
    if isinstance(value, str | Path):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from texts_of(each)


def enough(_context: click.Context, _option: click.Parameter, value: int) -> int:
    """Refuses a number of resamples that is out of range, before any file is read."""
    with named_as_options():
        check_draws(value, 0)
    return value


def kappa(_context: click.Context, _option: click.Parameter, text: str | None) -> float | None:
    """The kappa of --filter-raters; None where it is not given.

    Raises:
        ParameterError: It is not a number, most likely a file that stands behind the option.
    """
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        raise ParameterError(
            f"--filter-raters {text}: got no number; put the option behind the files, or write "
            f"--filter-raters={USUAL_KAPPA}"
        ) from None


def column_values(
    _context: click.Context, _option: click.Parameter, texts: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """The columns and values of --only.

    Raises:
        ParameterError: One has no ``=`` between the two.
    """
    for text in texts:
        if "=" not in text.strip("="):
            raise ParameterError(
                f"--only {text}: expected COLUMN=VALUE, as topic=travel or id=c001"
            )
    return tuple((column, value) for column, _, value in (text.partition("=") for text in texts))


def passing(
    _context: click.Context, _option: click.Parameter, texts: Sequence[str]
) -> float | dict[str, float] | None:
    """The values of --passing: one for all metrics, or by metric; None where it is not given.

    Raises:
        ParameterError: One is no number, or a bare number stands beside others.
    """
    values: dict[str, float] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        value = math.nan
        with suppress(ValueError):
            value = float(number)
        if math.isnan(value) or (name and name in values):
            raise ParameterError(
                f"--passing {text}: expected a number, or METRIC=NUMBER (chrF=0.5), each metric once"
            )
        values[name] = value
    if "" in values and len(texts) > 1:
        raise ParameterError(
            f"--passing {texts[0]} --passing {texts[1]}: a number without a metric is of all metrics, so it "
            "stands alone; write METRIC=NUMBER for each"
        )
    return values.get("", values or None)


def word_values(
    _context: click.Context, _option: click.Parameter, texts: Sequence[str]
) -> dict[str, float]:
    """The numbers of words of --values.

    Raises:
        ParameterError: A word has no number, or two.
    """
    values: dict[str, float] = {}
    for pair in (pair for text in texts for pair in text.split(",")):
        word, _, number = (each.strip() for each in pair.rpartition("="))
        value = math.nan
        with suppress(ValueError):
            value = float(number)
        if not word or not math.isfinite(value) or values.setdefault(word, value) != value:
            raise ParameterError(
                f"--values {pair}: expected WORD=NUMBER, each word once, as Good=3,Okay=2,Bad=1"
            )
    return values


class ScoreFile(NamedTuple):
    """A file of --scores, and what stands behind its name.

    Attributes:
        path: The file.
        direction: ``higher`` or ``lower``: which values are better.
        bounds: The least and the greatest value there can be; None where they are not said.
        kind: ``rate``: the mean is a share of replies; empty where it is not said.
    """

    path: Path
    direction: str
    bounds: tuple[float, float] | None
    kind: str


def score_files(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> tuple[ScoreFile, ...]:
    """The files of --scores: ``FILE``, with ``:lower``, ``:1..5`` or ``:rate`` behind it, in any order."""
    return tuple(map(_score_file, values))


def _score_file(value: str) -> ScoreFile:
    direction, bounds, kind, file = "", None, "", value
    while True:
        rest, _, last = file.rpartition(":")
        if rest and not direction and last in ("higher", "lower"):
            direction = last
        elif rest and bounds is None and ".." in last and "/" not in last:
            bounds = _bounds(value, last)
        elif rest and not kind and last == "rate":
            kind = last
        else:
            if rest and not os.path.exists(file) and os.path.isfile(rest):
                raise ParameterError(
                    f"--scores {value}: got {last!r} behind the colon; expected higher, lower, rate, or the "
                    "least and the greatest value (FILE:1..5)"
                )
            return ScoreFile(PATH.convert(file, None, None), direction or "higher", bounds, kind)
        file = rest


def _bounds(value: str, text: str) -> tuple[float, float]:
    """The ends of ``1..5``.

    Raises:
        ParameterError: They are no numbers, or not the lower one first.
    """
    try:
        low, high = (float(part) for part in text.split("..", 1))
    except ValueError:
        low = high = 0.0
    if not low < high:
        raise ParameterError(
            f"--scores {value}: got {text!r}; expected the least and the greatest value, for example "
            "FILE:1..5 or FILE:lower:-25..0"
        )
    return low, high


def columns_of(values: Mapping[str, Any]) -> ColumnMapping | None:
    """What all --columns of a command line say together.

    Raises:
        ParameterError: One is of a file that the command does not read, or of a column that is in none.
    """
    words = values.get("values") or {}
    if not values["columns"] and not words:
        return None
    from functools import reduce

    from rejoinder.tables.assembly.column_mapping import ColumnMapping, column_mapping

    paths = [path for each in values.values() for path in _paths(each)]
    mappings = [ColumnMapping({}, values=words)]
    for text in values["columns"]:
        mapping = column_mapping(text)
        assert mapping is not None
        if "=" in text:
            _check_read(f"--columns {text}", mapping.files, paths)
        mappings.append(mapping)
    joined = reduce(ColumnMapping.joined, mappings)
    _check_sources(joined, [path for path in paths if path.exists() or str(path) == "-"])
    return joined


def _check_sources(mapping: ColumnMapping, paths: Sequence[Path]) -> None:
    """Sees that each column of a mapping is in a file, where all files are tables of columns.

    Raises:
        ParameterError: One is in none.
    """
    from rejoinder.tables.assembly.column_mapping import is_called
    from rejoinder.tables.formats.format_choice import columns_in

    if not all(path.is_file() or path.is_dir() for path in paths):
        return  # a pipe can be read once
    columns = {path: columns_in(path) for path in paths}
    if not columns or not all(columns.values()):
        return  # a format that is named, or that knows its columns: whoever reads it says what is wrong
    for file, pairs in [("", mapping.sources), *mapping.files.items()]:
        maps = {path: each for path, each in columns.items() if not file or is_called(path, file)}
        for name, source in pairs.items():
            top = {source, source.partition(".")[0], source.partition("+")[0]}
            if not any(top & set(each) for each in maps.values()):
                got = "; ".join(f"{path} has {listed(each)}" for path, each in maps.items())
                raise ParameterError(
                    f"--columns {name}={source}: no column {quoted(source)}; {got}; name one of these, "
                    "or a path like resps.0.0"
                )


def formats_of(values: Mapping[str, Any]) -> str | dict[str, str] | None:
    """What all --format of a command line say together: a name, or names by file.

    Raises:
        ParameterError: One is of a file that the command does not read, or has two names.
    """
    names: dict[str, str] = {}
    paths = [path for each in values.values() for path in _paths(each)]
    for text in values["format"]:
        file, _, name = text.rpartition(":")
        if file in names:
            of = f" of {file}" if file else ""
            raise ParameterError(f"--format {text}: the format{of} is named twice; name it once")
        _check_read(f"--format {text}", [file] if file else [], paths)
        names[file] = name
    return names.get("") if len(names) <= 1 and not any(names) else names


def _check_read(option: str, files: Iterable[str], paths: Sequence[Path]) -> None:
    """Raises a ParameterError where an option is about a file that the command does not read."""
    from rejoinder.tables.assembly.column_mapping import is_called

    for file in files:
        if not any(is_called(path, file) for path in paths):
            names = ", ".join(dict.fromkeys(path.name for path in paths))
            raise ParameterError(f"{option}: the command reads no file '{file}'; it names {names}")


def _paths(value: Any) -> list[Path]:
    """The files in the value of an option, which may be several, or pairs with something else."""
    if isinstance(value, tuple):
        return [path for each in value for path in _paths(each)]
    return [value] if isinstance(value, Path) else []


def metric_names(_context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    """The metrics, behind a colon the parameters of the one named, behind ``=`` the values of a parameter.

    Args:
        typed: What stands there already, for example ``ro`` or ``bleu:order=2,low``.

    >>> from unittest.mock import Mock
    >>> metric_names(Mock(), Mock(), "rouge")
    ['rouge1', 'rouge2', 'rougeL', 'rougeLsum', 'rouge']
    >>> metric_names(Mock(), Mock(), "bleu:order=2,lo")
    ['bleu:order=2,lowercase=']
    >>> metric_names(Mock(), Mock(), "rouge:measure=")
    ['rouge:measure=f', 'rouge:measure=precision', 'rouge:measure=recall']
    """
    from rejoinder.metrics import registry
    from rejoinder.metrics.settings import settings_of

    name, colon, rest = typed.partition(":")
    if not colon:
        return [each for each in registry.METRICS if each.startswith(typed)]
    try:
        known = settings_of(type(registry.metric(name)))
    except RejoinderError:
        return []
    before, comma, begun = rest.rpartition(",")
    key, equals, value = begun.partition("=")
    if equals and key in known:
        values = [each for each in known[key].values or () if each and each.startswith(value)]
        return [f"{name}:{before}{comma}{key}={each}" for each in values]
    given = {each.partition("=")[0] for each in before.split(",")}
    return [
        f"{name}:{before}{comma}{each}="
        for each in known
        if each.startswith(begun) and each not in given
    ]
