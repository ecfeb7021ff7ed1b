"""Writing systems that put no space between words, and how a tokenizer copes with them."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property

import numpy as np

from rejoinder.kernels.arrays import Bytes, Indices, TextBytes
from rejoinder.kernels.strings import UNSPACED_LEAD, text_kinds
from rejoinder.text.strings import Strings

UNSPACED = {
    "Chinese": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f",
    "Japanese": "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f",
    "Thai": "\u0e00-\u0e7f",
    "Lao": "\u0e80-\u0eff",
    "Tibetan": "\u0f00-\u0fff",
    "Burmese": "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f",
    "Khmer": "\u1780-\u17ff\u19e0-\u19ff",
    # With the joiners, variation selectors and skin tones between them.
    "emoji": "\u200d\u20e3\ufe0f\u2600-\u27bf\U0001f000-\U0001faff",
}
"""Character ranges by script. Japanese also writes the characters listed under Chinese."""

_LETTER = re.compile(r"[^\W\d_]")


LONGEST_WORD = 4
"""A run of more characters than that is hardly a single word."""


class _Patterns:
    """The patterns of these scripts, compiled when a text needs them: that takes 8 ms."""

    @cached_property
    def scripts(self) -> dict[str, re.Pattern[str]]:
        """The characters of each script."""
        return {name: re.compile(f"[{ranges}]") for name, ranges in UNSPACED.items()}

    @cached_property
    def run(self) -> re.Pattern[str]:
        """Unspaced writing without a break."""
        return re.compile(f"[{''.join(UNSPACED.values())}]+")

    @cached_property
    def piece(self) -> re.Pattern[str]:
        """What is left whole where words are not separated.

        That is a run of unspaced writing, a word of other letters and digits, or a single mark.
        """
        return re.compile(rf"{self.run.pattern}|[^\W{''.join(UNSPACED.values())}]+|[^\w\s]")

    @cached_property
    def word(self) -> re.Pattern[str]:
        """Two characters in a row: a single one is often a part of a drawn face such as ヽ(ツ)ノ."""
        scripts = (ranges for name, ranges in UNSPACED.items() if name != "emoji")
        return re.compile("|".join(f"[{ranges}]{{2}}" for ranges in scripts))


_PATTERNS = _Patterns()

SUITED = {
    "Chinese": ("zh", "char"),
    "Japanese": ("ja-mecab", "char"),
    "Korean": ("ko-mecab", "intl", "char"),
    "": ("intl", "none"),
}
"""The tokenizers that separate the words of a script, best first; ``char`` for any other script."""


def suited(script: str, choices: Collection[str]) -> list[str]:
    """The tokenizers among ``choices`` that separate the words of a script, best first.

    >>> suited("Chinese", ("13a", "zh", "char")), suited("Thai", ("13a", "zh", "char"))
    (['zh', 'char'], ['char'])
    """
    return [each for each in SUITED.get(script, ("char",)) if each in choices]


def separated(text: str, tokens: int) -> bool:
    """Whether a tokenizer that made so many tokens of a text separated its words.

    It did not where runs of unspaced writing stayed whole, and where more than half of the words
    between spaces are gone.

    Args:
        text: Any string.
        tokens: How many tokens the tokenizer made of it.

    >>> separated("今天天气很好", 1), separated("今天天气很好", 6), separated("so nice", 2)
    (False, True, True)
    """
    words = sum(_LETTER.search(part) is not None for part in text.split())
    if tokens == 0 or 2 * tokens < words:
        return not text.strip()
    runs = _PATTERNS.run.findall(text)
    if tokens == 1 and sum(map(len, runs)) > LONGEST_WORD:
        return False
    if max(map(len, runs), default=0) <= LONGEST_WORD:
        return True
    return tokens > len(_PATTERNS.piece.findall(text))


def lost(text: str, tokens: int) -> bool:
    """Whether a tokenizer lost the words of a text in a script without spaces, be it short or long.

    As ``not separated``, but for texts whose characters of that script all stand alone.

    Args:
        text: A text that ``unspaced_script`` gives a script for.
        tokens: How many tokens the tokenizer made of it.

    >>> lost("不知道。", 0), lost("不知道。", 1), lost("ヽ(ツ)ノ", 0)
    (True, False, False)
    """
    return _PATTERNS.word.search(text) is not None and not separated(text, tokens)


def spaced_script(texts: Collection[str]) -> str:
    """``Korean`` where most letters of texts with spaces between words are Hangul; "" for any other.

    >>> spaced_script(["오늘 날씨가 좋아요"]), spaced_script(["so nice", "да"])
    ('Korean', '')
    """
    whole = "".join(texts)
    hangul = sum("\uac00" <= each <= "\ud7af" for each in whole)
    return "Korean" if 2 * hangul > sum(each.isalpha() for each in whole) else ""


def kinds_of(texts: Strings, least: int = 0) -> Bytes:
    """What the bytes of texts tell of them: uint8 [n], sums of constants of ``kernels.strings``.

    Args:
        texts: n texts.
        least: Texts of fewer bytes than that, blanks aside, are short.
    """
    kinds = np.empty(len(texts), dtype=np.uint8)
    bytes_of = TextBytes(texts.data, texts.starts, texts.stops)
    text_kinds(bytes_of, bytes_of.words, least, kinds)
    return kinds


def unspaced_candidates(texts: Strings) -> Indices:
    """The indices of the texts that may hold characters of scripts without spaces, emoji aside.

    Of the scripts listed here, characters above U+FFFF and those that begin with the byte EA (parts
    of Burmese) are passed over: no text is written in them alone.

    >>> unspaced_candidates(Strings.of(["so “nice”", "不知道。", "สวัสดี"])).tolist()
    [1, 2]
    """
    return np.flatnonzero(kinds_of(texts) & UNSPACED_LEAD)


def unseparated_script(text: str) -> str:
    """The script without spaces that keeps the words of a text together; "" for none.

    In a text that is mostly in another script it is that of its longest run without spaces.

    >>> unseparated_script("今天天气很好，but tomorrow it will rain"), unseparated_script("all so nice ツ")
    ('Chinese', '')
    """
    longest = max(_PATTERNS.run.findall(text), key=len, default="")
    of_run = unspaced_script(longest) if len(longest) > LONGEST_WORD else ""
    return unspaced_script(text) or of_run.replace("emoji", "")


def unspaced_script(text: str) -> str:
    """The script without spaces between words that most of a text is written in; "" for none.

    Characters that Chinese and Japanese share are Japanese where the text also holds kana.

    >>> unspaced_script("今天天气很好"), unspaced_script("今日はいい天気"), unspaced_script("hi")
    ('Chinese', 'Japanese', '')
    """
    if not _PATTERNS.run.search(text):
        return ""
    counts = {name: len(script.findall(text)) for name, script in _PATTERNS.scripts.items()}
    if counts["Japanese"]:
        counts["Japanese"] += counts.pop("Chinese")
    most = max(counts, key=lambda name: counts[name])
    letters = len(_LETTER.findall(text))
    return most if counts[most] > 0 and 2 * counts[most] >= letters else ""
