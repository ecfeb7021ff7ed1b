"""The look of pictures, and their writing."""

import os

import numpy as np
import pytest
from matplotlib import font_manager

from rejoinder.errors import InputError
from rejoinder.figures import style


def luminance(colour):
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def line():
    with style.drawing():
        figure = style.canvas(2, 2)
        figure.add_subplot().plot([0, 1], [1, 0], label="$a$")
    return figure


def test_twenty_are_told_apart_without_colour():
    looks = style.looks([f"system {i}" for i in range(20)])
    assert len({(look.marker, look.filled) for look in looks.values()}) == 20
    assert looks["system 10"].face == "white"


def test_neighbours_differ_in_grey():
    greys = [luminance(colour) for colour in style.COLOURS]
    steps = np.abs(np.diff([*greys, greys[0]]))
    # Dark and light in turn; seven being odd, one pair of dark neighbours is left.
    assert (steps > 0.2).sum() >= len(greys) - 1


def test_files_are_whole_and_the_same_again(tmp_path):
    first = [path.read_bytes() for path in style.save(line(), tmp_path / "a", "line")]
    again = [path.read_bytes() for path in style.save(line(), tmp_path / "b", "line")]
    assert first == again
    assert first[0].startswith(b"\x89PNG")
    assert first[1].rstrip().endswith(b"</svg>")
    assert sorted(os.listdir(tmp_path / "a")) == ["line.png", "line.svg"]


def test_the_users_own_settings_stay_and_change_nothing(tmp_path):
    import matplotlib as mpl

    first = style.save(line(), tmp_path, "line")[0].read_bytes()
    with mpl.rc_context({"lines.linewidth": 9.0, "font.size": 30.0}):
        assert style.save(line(), tmp_path, "line")[0].read_bytes() == first
        assert mpl.rcParams["font.size"] == 30.0


@pytest.mark.parametrize("place", ["taken", "taken/below"])
def test_a_folder_that_cannot_be(tmp_path, place):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(InputError, match="no folder to draw into"):
        style.prepared(tmp_path / place)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_closed(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="cannot be written"):
        style.prepared(tmp_path)


def test_a_file_that_cannot_be_replaced(tmp_path):
    (tmp_path / "line.png").mkdir()
    with pytest.raises(InputError, match=r"line\.png: is a folder"):
        style.save(line(), tmp_path, "line")


def test_names_of_files_never_meet():
    names = style.file_names("scatter", ["a/b", "A b", "..", "", "all"], ["scatter-all"])
    assert list(names.values()) == [
        "scatter-a-b",
        "scatter-A-b-2",
        "scatter-metric",
        "scatter-metric-2",
        "scatter-all-2",
    ]


def test_any_name_can_stand_in_a_legend(tmp_path):
    names = ["_hidden", "$x_1$ $", "系統", "a\nb\tc", "long " * 40, ""]
    with style.drawing():
        figure = style.canvas(4, 2)
        axes = figure.add_subplot()
        lines = dict(zip(names, axes.plot(np.ones((2, len(names)))), strict=True))
        style.legend(figure, lines, "outside lower center")
        written = [text.get_text() for text in figure.legends[0].get_texts()]
    assert written[:4] == ["_hidden", "$x_1$ $", "系統", "a b c"]
    assert (len(written[4]), written[5]) == (style.LONGEST, "(no name)")
    style.save(figure, tmp_path, "names")  # no warning of a glyph that is missing
    assert set(style.unwritable(["BLEU", "\U0001fae8"])) <= {"\U0001fae8"}


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        ([], 0.0, 1.0),
        ([np.nan, np.inf], 0.0, 1.0),
        ([0.0, 0.0], -0.5, 0.5),
        ([4.0], 2.0, 6.0),
        ([-1e-30], -1.5e-30, -0.5e-30),
        ([0.0, 10.0, np.nan], -0.5, 10.5),
    ],
)
def test_limits_hold_everything_and_are_apart(values, low, high):
    assert style.limits(np.array(values)) == pytest.approx((low, high))


def test_numbers_as_they_are_written():
    # -0.004 rounds to 0, which has no sign.
    assert [style.told(x) for x in (-0.314, -0.004, 1.0)] == ["−0.31", "0.00", "1.00"]


def test_a_font_of_the_machine_is_used(monkeypatch):
    here = ["DejaVu Sans", "SimHei"]
    monkeypatch.setattr(font_manager.fontManager, "get_font_names", lambda: here)
    style._fonts.cache_clear()
    try:
        assert style._fonts() == here
    finally:
        style._fonts.cache_clear()
