"""The RUQ plot: what a model thinks of each token of references, its own output, generic replies.

After Figure 1 of Khayrallah and Sedoc (2021).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.figures import style
from rejoinder.figures.style import Look
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Call
from rejoinder.tables.io.panics import refusing_panics

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TOKENS_SAVED = Call("Quantity.save_tokens")
COLUMNS = ("system", "id", "kind", "reply", "text", "counts", "mean", "logprobs")
GENERIC = 2
"""How many generic replies are drawn where none is named: the paper draws two."""

LONGEST = 20
"""The last token position that is drawn: further out few replies are left."""

LEAST = 5
"""A position with fewer replies than this is not drawn."""

NAMES = {"reference": "reference", "output": "beam output"}
Z95 = 1.959963984540054


@dataclass(frozen=True)
class Course:
    """One kind of reply, position by position.

    Attributes:
        mean: The mean log-probability of the tokens at each position (float64 [t]).
        error: float64 [t], its standard error; NaN where one reply is left.
        counts: int64 [t], how many replies have a token there.
    """

    mean: Floats
    error: Floats
    counts: Indices


def ruq_plot(
    tables: Mapping[str, pl.DataFrame | str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    name: str = "ruq",
    generic: Sequence[str] | None = None,
) -> tuple[Path, ...]:
    """Draws mean log-probability by token position, test sets side by side, models one below another.

    Each panel has the reference (of several the lowest), the model's own output where it was
    scored, and generic replies; bands are 95% intervals of the mean over prompts (normal
    approximation), and a strip below counts the prompts whose replies are so long. The last
    position of a reply is its end of sequence.

    Args:
        tables: By title (``train``, ``test``) what ``Quantity.save_tokens`` wrote, or
            ``Quantity.replies``.
        folder: Where PNG and SVG go; made where there is none.
        name: Of the files, without suffix.
        generic: The generic replies to draw; None: the first two.

    Returns:
        The paths written.

    Raises:
        InputError: A file cannot be read, or holds no values of single tokens.
        ParameterError: A generic reply is unknown.
    """
    with style.drawing():
        figure = ruq_figure(tables, generic=generic)
        return style.save(figure, folder, name)


def ruq_figure(
    tables: Mapping[str, pl.DataFrame | str | os.PathLike[str]],
    *,
    generic: Sequence[str] | None = None,
) -> Figure:
    """Draws the figure of ``ruq_plot``, inside ``style.drawing()``, without writing it.

    Args:
        tables: As for ``ruq_plot``.
        generic: As for ``ruq_plot``.

    Raises:
        InputError: A file cannot be read, or holds no values of single tokens.
        ParameterError: A generic reply is unknown, or there is no table.
    """
    by_title = {title: _table(given) for title, given in tables.items()}
    if not by_title:
        raise ParameterError("no table is given; name one at least, as in {'test': path}")
    systems = list(
        dict.fromkeys(s for table in by_title.values() for s in table["system"].to_list())
    )
    first = next(iter(by_title.values()))
    texts = _generic(first, generic)
    looks = _looks(texts)
    courses = {
        (system, title): _courses(table.filter(pl.col("system") == system), texts)
        for system in systems
        for title, table in by_title.items()
    }
    if not any(len(each) for each in courses.values()):
        raise InputError(
            "the tables hold no log-probabilities of single tokens (scores made elsewhere told their "
            "sums alone); give 'logprobs' in the file of scores"
        )
    figure = style.canvas(1.0 + 3.3 * len(by_title), 0.7 + 2.9 * len(systems))
    grid = figure.subplots(
        2 * len(systems),
        len(by_title),
        sharex="col",
        squeeze=False,
        height_ratios=[4, 1] * len(systems),
    )
    handles: dict[str, Artist] = {}
    for r, system in enumerate(systems):
        row = [courses[system, title] for title in by_title]
        ends = style.limits(np.concatenate([_reach(each) for each in row]))
        for c, title in enumerate(by_title):
            above, below = grid[2 * r, c], grid[2 * r + 1, c]
            named = [style.shortened(system)] if len(systems) > 1 or not title else []
            above.set_title(": ".join([*([title] if title else []), *named]))
            handles |= _draw(above, below, row[c], looks, ends)
            if c == 0:
                above.set_ylabel("mean log-probability")
                below.set_ylabel("prompts")
    for axes in grid[-1]:
        axes.set_xlabel("token position")
    ordered = {key: handles[key] for key in looks if key in handles}
    style.legend(figure, ordered, "outside lower center", ncols=2)
    return figure


def course(logprobs: Sequence[Sequence[float]], longest: int = LONGEST) -> Course:
    """The mean log-probability at every token position.

    Args:
        logprobs: For each reply those of its tokens.
        longest: The last position that counts.

    >>> course([[-1.0, -2.0], [-3.0]]).mean.tolist()
    [-2.0, -2.0]
    """
    lengths = np.array([len(each) for each in logprobs], dtype=np.int64)
    width = min(longest, int(lengths.max(initial=0)))
    values = np.full((len(lengths), width), np.nan)
    for row, each in zip(values, logprobs, strict=True):
        row[: len(each)] = each[:width]
    counts = (~np.isnan(values)).sum(axis=0)
    mean = np.nansum(values, axis=0) / counts
    squares = np.nansum((values - mean) ** 2, axis=0)
    divisor = np.where(counts > 1, counts - 1, 1)
    error = np.where(counts > 1, np.sqrt(squares / divisor / counts), np.nan)
    return Course(mean, error, counts)


def _table(given: pl.DataFrame | str | os.PathLike[str]) -> pl.DataFrame:
    if isinstance(given, pl.DataFrame):
        return given
    if not Path(given).is_file():
        raise InputError(f"{given}: no such file; expected what '{TOKENS_SAVED}' wrote")
    try:
        with refusing_panics():
            table = pl.read_parquet(Path(given), glob=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(
            f"{given}: no readable Parquet file ({str(error).splitlines()[0]:.80}); expected what "
            f"'{TOKENS_SAVED}' wrote"
        ) from None
    if not set(COLUMNS) <= set(table.columns):
        raise InputError(f"{given}: not what '{TOKENS_SAVED}' wrote; save it again")
    return table


def _generic(table: pl.DataFrame, texts: Sequence[str] | None) -> list[str]:
    present = (
        table.filter(pl.col("kind") == "generic").get_column("text").unique(maintain_order=True)
    ).to_list()
    if texts is None:
        return present[:GENERIC]
    for text in texts:
        if text not in present:
            raise ParameterError(f"generic reply {text!r} was not scored; choose {one_of(present)}")
    return list(texts)


def _looks(generic: Sequence[str]) -> dict[str, Look]:
    looks = style.looks([*NAMES.values(), *generic])
    # Every other line is compared with the reference, so it is the heaviest.
    looks[NAMES["reference"]] = looks[NAMES["reference"]]._replace(width=2.2)
    return looks


def _courses(table: pl.DataFrame, generic: Sequence[str]) -> dict[str, Course]:
    """What one panel draws: by name, those that there are."""
    known = table.filter(pl.col("logprobs").is_not_null() & pl.col("counts"))
    kinds = {name: pl.col("kind") == kind for kind, name in NAMES.items()}
    kinds |= {text: (pl.col("kind") == "generic") & (pl.col("text") == text) for text in generic}
    courses = {}
    for name, chosen in kinds.items():
        values = known.filter(chosen).get_column("logprobs").to_list()
        if values:
            courses[name] = course(values)
    return courses


def _shown(each: Course) -> np.ndarray:
    """Positions with replies enough; all of them where there are few prompts altogether."""
    return each.counts >= min(LEAST, int(each.counts.max(initial=0)))


def _reach(courses: Mapping[str, Course]) -> Floats:
    """The values between which a panel's bands lie."""
    ends = []
    for each in courses.values():
        shown, band = _shown(each), Z95 * np.nan_to_num(each.error)
        ends += [(each.mean - band)[shown], (each.mean + band)[shown]]
    return np.concatenate(ends) if ends else np.empty(0)


def _draw(
    above: Axes,
    below: Axes,
    courses: Mapping[str, Course],
    looks: Mapping[str, Look],
    ends: tuple[float, float],
) -> dict[str, Artist]:
    from matplotlib.ticker import MaxNLocator

    for axes in (above, below):
        style.tidy(axes)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    above.set_ylim(*ends)
    if not courses:
        style.say(above, "no token values")
        return {}
    handles: dict[str, Artist] = {}
    for name, each in courses.items():
        look, shown = looks[name], _shown(each)
        places, mean = np.arange(1, each.mean.size + 1)[shown], each.mean[shown]
        band = Z95 * np.nan_to_num(each.error[shown])
        above.fill_between(places, mean - band, mean + band, color=look.colour, alpha=0.18, lw=0)
        (handles[name],) = above.plot(
            places,
            mean,
            color=look.colour,
            linestyle=look.line,
            linewidth=look.width,
            marker=look.marker,
            markersize=look.size,
            markerfacecolor=look.face,
        )
        below.step(
            np.arange(1, each.counts.size + 1),
            each.counts,
            where="mid",
            color=look.colour,
            linestyle=look.line,
            linewidth=1.0,
        )
    below.set_ylim(bottom=0)
    return handles
