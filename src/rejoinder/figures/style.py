"""The one look of all pictures, and their writing: PNG and SVG, whole, and the same again.

Figures are matplotlib's, made without pyplot: nothing opens a window or keeps global state. Draw
inside ``with drawing():``, tell things apart with `looks` (by marker and line as well as colour),
and write with `save`.
"""

from __future__ import annotations

import logging
import math
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rejoinder.errors import InputError
from rejoinder.files.replacing import replacing
from rejoinder.kernels.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, QUIET, FAINT = "#1a1a1a", "#595959", "#e3e3e3"
"""Of what is read first, of what stands beside it, and of lines that only guide the eye."""

# Okabe and Ito's colours without their yellow, dark and light in turn: neighbours differ in grey.
COLOURS = ("#0b3c6f", "#e69f00", "#00694e", "#56b4e9", "#8c2d04", "#cc79a7", "#2b2b2b")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p")
LINES = ("-", "--", ":", "-.")

_LOG = logging.getLogger(__name__)

MOST_BOXES = 10
"""So many characters that no font can write are named."""

LONGEST = 26
"""Names are shortened to so many characters."""

# Tried in this order for what the first lacks; it comes with matplotlib, the others may not be here.
FONTS = (
    "DejaVu Sans", "Noto Sans CJK SC", "Noto Sans CJK TC", "Noto Sans CJK JP", "Noto Sans CJK KR",
    "Noto Sans SC", "Noto Sans JP", "Noto Sans KR", "Source Han Sans SC", "Source Han Sans CN",
    "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Droid Sans Fallback", "Microsoft YaHei", "SimHei", "SimSun",
    "PingFang SC", "Heiti SC", "Hiragino Sans GB", "Hiragino Sans", "IPAexGothic", "Yu Gothic", "MS Gothic",
    "Malgun Gothic", "Apple SD Gothic Neo", "NanumGothic", "Noto Sans Devanagari", "Noto Sans Bengali",
    "Noto Sans Tamil", "Noto Sans Thai", "Nirmala UI", "Leelawadee UI", "Thonburi", "Arial Unicode MS",
    "Unifont",
)  # fmt: skip


class Look(NamedTuple):
    """How one of several is drawn: told by line and marker alone, without colour.

    Args:
        colour: Of line and marker.
        line: Matplotlib's line style.
        marker: Matplotlib's marker.
        filled: Whether the marker is filled, or hollow.
        size: Of the marker, in points.
        width: Of the line, in points.
    """

    colour: str
    line: str = "-"
    marker: str = "o"
    filled: bool = True
    size: float = 5.0
    width: float = 1.5

    @property
    def face(self) -> str:
        """What fills the marker."""
        return self.colour if self.filled else "white"


def looks(names: Iterable[str]) -> dict[str, Look]:
    """A look for each name, by its place: the first 20 differ in marker or filling.

    >>> looks(["a", "b"])["b"].marker
    's'
    """
    by_name = {}
    for i, name in enumerate(dict.fromkeys(names)):
        marker, hollow = MARKERS[i % len(MARKERS)], i // len(MARKERS) % 2
        by_name[name] = Look(COLOURS[i % len(COLOURS)], LINES[i % len(LINES)], marker, not hollow)
    return by_name


@contextmanager
def drawing(minus: bool = True) -> Iterator[None]:
    """The settings of every figure; make its parts and save it inside.

    Args:
        minus: Whether numbers have a minus sign; else the hyphen of tables, for a figure beside them.
    """
    import matplotlib as mpl

    settings: dict[str, Any] = {
        "font.family": _fonts(),
        "font.size": 9.0,
        "axes.labelsize": 9.0,
        "axes.titlesize": 9.5,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.edgecolor": QUIET,
        "axes.labelcolor": INK,
        "axes.linewidth": 0.8,
        "axes.unicode_minus": minus,
        "xtick.labelsize": 8.0,
        "ytick.labelsize": 8.0,
        "xtick.color": QUIET,
        "ytick.color": QUIET,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "legend.fontsize": 8.0,
        "legend.frameon": False,
        "text.color": INK,
        "text.parse_math": False,  # a name may hold dollars
        "text.usetex": False,
        "hatch.linewidth": 0.6,
        "svg.fonttype": "path",  # the same on a machine without the font
        "figure.facecolor": "white",
        "savefig.facecolor": "white",
    }
    with mpl.rc_context(), warnings.catch_warnings():
        # What no font here can write is said by `say_unwritable`.
        warnings.filterwarnings("ignore", r"(?s)Glyph .* missing from", UserWarning)
        mpl.rcdefaults()  # the user's own settings change no picture
        for key, value in settings.items():
            mpl.rcParams[key] = value  # pyright: ignore[reportArgumentType]
        yield


def canvas(width: float, height: float) -> Figure:
    """An empty figure, in inches, whose parts make room for each other."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def tidy(axes: Axes, grid: str = "y") -> None:
    """Takes away the upper and right line, and puts faint guides behind what is drawn.

    Args:
        axes: To be changed.
        grid: ``x``, ``y``, ``both`` or ``""``.
    """
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    if grid:
        axes.grid(axis=grid, color=FAINT, linewidth=0.7)  # pyright: ignore[reportArgumentType]


def say(axes: Axes, words: str) -> None:
    """Says in the middle of the axes why nothing is drawn there."""
    axes.text(
        0.5,
        0.5,
        words,
        transform=axes.transAxes,
        ha="center",
        va="center",
        fontsize=8,
        color=QUIET,
        bbox={"facecolor": "white", "edgecolor": FAINT, "pad": 4},
    )


def legend(owner: Figure | Axes, handles: Mapping[str, Artist], place: str, **more: Any) -> None:
    """A legend of a figure or of axes; names may be anything, also begin with an underscore.

    Args:
        owner: The figure or the axes.
        handles: What is explained, by name; without any there is no legend.
        place: The place of the legend, as matplotlib names it.
        **more: What else ``legend`` of matplotlib takes.
    """
    if not handles:
        return
    marks = [f"{i}" for i in range(len(handles))]
    more["loc"] = place
    legend_box = owner.legend(list(handles.values()), marks, **more)
    for text, name in zip(legend_box.get_texts(), handles, strict=True):
        text.set_text(shortened(name))


def shortened(text: str, longest: int = LONGEST) -> str:
    """A name on one line, its middle left out where it is too long.

    >>> shortened("abcdefghij", 7)
    'abc…hij'
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split()) or "(no name)"
    if len(line) <= longest:
        return line
    half = (longest - 1) // 2
    return f"{line[: longest - 1 - half]}…{line[-half:]}"


def told(value: float, digits: int = 2) -> str:
    """A number as a figure has it: with the minus sign of `drawing`, never -0; ``n/a`` for NaN.

    >>> told(-0.001), told(float("nan"))
    ('0.00', 'n/a')
    """
    if math.isnan(value):
        return "n/a"
    word = f"{value:.{digits}f}"
    word = word.lstrip("-") if float(word) == 0 else word
    import matplotlib as mpl

    return word.replace("-", "\N{MINUS SIGN}") if mpl.rcParams["axes.unicode_minus"] else word


def limits(values: Floats, margin: float = 0.05) -> tuple[float, float]:
    """Ends of an axis that holds all finite values with a margin, also if they are all equal."""
    values = np.asarray(values, dtype=np.float64)
    values = values[np.isfinite(values)]
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    # Of a width that vanishes beside the numbers themselves, an axis has no ticks.
    if high - low <= 1e-9 * max(abs(low), abs(high), 1e-300):
        room = 0.5 * abs(low) or 0.5
        return low - room, high + room
    room = margin * (high - low)
    return low - room, high + room


def file_names(prefix: str, names: Iterable[str], others: Iterable[str] = ()) -> dict[str, str]:
    """A file name, without suffix, for each of several names: unlike each other on any disk.

    Args:
        prefix: Of each.
        names: What is named.
        others: File names that are taken already.

    >>> file_names("scatter", ["BLEU-2", "BLEU-2 w>=0.6", "bleu/2"])
    {'BLEU-2': 'scatter-BLEU-2', 'BLEU-2 w>=0.6': 'scatter-BLEU-2-w-0.6', 'bleu/2': 'scatter-bleu-2-2'}
    """
    names_of: dict[str, str] = {}
    used = {other.casefold() for other in others}
    for name in dict.fromkeys(names):
        plain = re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")[:60] or "metric"
        word, again = f"{prefix}-{plain}", 1
        while word.casefold() in used:
            again += 1
            word = f"{prefix}-{plain}-{again}"
        used.add(word.casefold())
        names_of[name] = word
    return names_of


def save(figure: Figure, folder: str | os.PathLike[str], name: str) -> tuple[Path, ...]:
    """Writes PNG and SVG, each whole or not at all, and returns their paths.

    The same figure is the same files, to the byte, with the same matplotlib. Its parts stay where
    they are from then on: draw anew rather than add to it.

    Args:
        figure: The figure.
        folder: The folder of the files; it is made where it does not exist.
        name: The name of the files, without suffix.

    Raises:
        InputError: The folder cannot be made, or not be written to.
    """
    import matplotlib as mpl

    say_unwritable(figure)
    paths = tuple(prepared(folder) / f"{name}.{suffix}" for suffix in ("png", "svg"))
    for path in paths:
        metadata = {"Date": None, "Creator": MARK} if path.suffix == ".svg" else {"Software": MARK}
        with replacing(path) as temporary, drawing():
            mpl.rcParams["svg.hashsalt"] = f"rejoinder {name}"  # a bare "none" would mean None
            figure.savefig(temporary, format=path.suffix[1:], dpi=200, metadata=metadata)
            figure.set_layout_engine("none")  # laid out once: the slowest part
    return paths


def as_svg(figure: Figure, name: str, minus: bool = True) -> str:
    """The figure as an SVG document; of the same figure and name it is the same text.

    Args:
        figure: What was drawn.
        name: Its name.
        minus: As for `drawing`.
    """
    import io

    import matplotlib as mpl

    written = io.StringIO()
    say_unwritable(figure)
    with drawing(minus):
        mpl.rcParams["svg.hashsalt"] = f"rejoinder {name}"
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": MARK})
    return written.getvalue()


def prepared(folder: str | os.PathLike[str]) -> Path:
    """Makes a folder where there is none.

    Raises:
        InputError: It cannot be made, or not be written to.
    """
    if Path(folder).is_file():
        raise InputError(f"{folder}: no folder to draw into: it is a file; name another place")
    try:
        Path(os.path.realpath(folder)).mkdir(
            parents=True, exist_ok=True
        )  # a link to none yet stays
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(f"{folder}: no folder to draw into: {why}; name another one") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{folder}: no folder to draw into: it cannot be written to; name another")
    return Path(folder)


MARK = "Rejoinder"
"""What the metadata of a picture name as its maker."""

STEMS = ("agreement", "differences", "figure1", "galley2015-figure2", "heatmap", "ruq", "runs", "scatter-",
         "sweep-", "system-", "variety")  # fmt: skip
"""How the names of our pictures begin: what else is in a folder is none of our business."""


def pictures(folder: Path) -> tuple[list[Path], list[Path]]:
    """The files of a folder that a picture may replace: what ``save`` wrote, and what it did not."""
    existing = [
        path
        for path in sorted(folder.iterdir())
        if path.suffix in (".png", ".svg") and path.name.startswith(STEMS)
    ]
    ours = [path for path in existing if _is_ours(path)]
    return ours, [path for path in existing if path not in ours]


def _is_ours(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return MARK.encode() in file.read(4096)
    except OSError:
        return False


def say_unwritable(figure: Figure) -> None:
    """Logs a note where a figure has characters that no font here can write."""
    from matplotlib.text import Text

    texts = (each for each in figure.findobj(Text) if isinstance(each, Text))
    if boxes := unwritable(each.get_text() for each in texts):
        more = "..." * (len(boxes) > MOST_BOXES)
        _LOG.warning(
            "figure: no font of this machine can write %s%s, drawn as boxes; install one that can (for "
            "Chinese, Japanese and Korean: Noto Sans CJK)",
            boxes[:MOST_BOXES],
            more,
        )


def unwritable(texts: Iterable[str]) -> str:
    """The characters of texts that no font here can write.

    >>> unwritable(["BLEU-2", "Überraschung"])
    ''
    """
    from matplotlib.font_manager import findfont, get_font

    characters = {ord(c) for text in texts for c in text if not c.isspace()}
    for family in _fonts():
        if characters:
            characters -= set(get_font(findfont(family)).get_charmap())
    return "".join(map(chr, sorted(characters)))


@cache
def _fonts() -> list[str]:
    """Those of the fonts that are here."""
    from matplotlib.font_manager import fontManager

    here = set(fontManager.get_font_names())
    return [FONTS[0], *(name for name in FONTS[1:] if name in here)]
