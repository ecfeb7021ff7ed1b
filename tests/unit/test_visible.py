"""What a terminal would obey, or nobody can see, is written out."""

import json
import unicodedata

import pytest

from rejoinder.visible import visible, visible_json

# What texts need, though Unicode calls it format: the soft hyphen, the joiners, signs of numbers.
NEEDED = {0xAD, 0x200C, 0x200D, 0x2060, *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2}
NEEDED |= {0x110BD, 0x110CD}


def test_every_character_that_steers_or_hides():
    for code in range(0x110000):
        character = chr(code)
        steers = unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp", "Cf")
        if steers and code not in NEEDED:
            shown = visible(character)
            assert shown != character, hex(code)
            assert shown.isascii()
            assert shown.isprintable()
            assert shown.encode().decode("unicode_escape") == character
        elif unicodedata.category(character) != "Cn":
            assert visible(character) == character, hex(code)


@pytest.mark.parametrize(
    "text",
    ["yes", "né 中文 हिन्दी ไทย", "👩‍👩‍👧 🏳️‍🌈", "می‌خواهم", "a [/x] [bold] b", ""],
)
def test_texts_stay_as_they_are(text):
    assert visible(text) == text


def test_lines_of_a_message_stay_lines():
    assert visible("one\n\ttwo\r\x1b[2J", lines=True) == "one\n\ttwo\\r\\x1b[2J"


def test_json_says_the_same_with_escapes_of_its_own():
    text = "a\x1b[2J\x7f\x9b\u202e\U000e0041\n\t\ufeff"
    shown = visible_json(json.dumps({text: text}, ensure_ascii=False, indent=1))
    assert json.loads(shown) == {text: text}
    assert visible(shown, lines=True) == shown
