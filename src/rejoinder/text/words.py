"""Text to the words that word vectors and learned scorers know: the one place of this.

The corpora of dialogue write the same word in many ways: ``I'll``, ``I ’ ll``, ``i 'll``, ``I ' LL``.
Vectors trained on one and looked up by another would miss. ``words`` brings all of them to the same
list. The rules, in this order:

1. Unicode compatibility forms (NFKC: full width letters, ligatures, one character for three dots),
   unicode blanks to a plain blank, characters without width away, HTML entities to what they mean.
2. Lower case.
3. Every single quotation mark to ``'``, every double one to ``"``.
4. URLs to ``<url>``, as ``__url__`` and ``<link>``; other place holders (``<numbers>``) are one word.
5. Clitics as the Penn Treebank parts them, attached or detached: ``i 'll``, ``do n't``, ``it 's``,
   ``ca n't``, ``can not``; so do GloVe's vectors. Other apostrophes within a word stay (``o'clock``).
6. A hyphen or dash between words goes (``part-time``, ``part - time``: two words), and so does every
   underscore; a run of dots is ``...``; a run of any other mark is one.
7. What is left is cut into numbers (``1,000``, ``8:30``), runs of letters, and single marks.

Metrics of surface overlap have tokenizers of their own (``tokenizers.py``): published numbers rest
on those.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable
from functools import cache

from rejoinder.errors import MissingExtraError, ParameterError, one_of

URL = "<url>"


def words(text: str, language: str = "en") -> list[str]:
    """Cuts one text into words; an empty text, or one of blanks, has none.

    Args:
        text: Any string.
        language: ``en`` for English and every language that separates words with blanks; ``zh``, cut by
            jieba (extra ``models``); ``char``, every character but blanks; ``none``, what stands
            between blanks, as it stands (text that is tokenised as the vectors want it).

    Raises:
        ParameterError: The language is none of these.
        MissingExtraError: Jieba is not installed.

    >>> words("I ' ll see, don’t go......")
    ['i', "'ll", 'see', ',', 'do', "n't", 'go', '...']
    >>> words("i 'll see , do n't go . . .") == words("I'll see, don ' t go …")
    True
    """
    return cutter(language)(text)


def cutter(language: str) -> Callable[[str], list[str]]:
    """The function that cuts texts of a language, for loops over many.

    Raises:
        ParameterError: The language is none of ``LANGUAGES``.
        MissingExtraError: Jieba is not installed.
    """
    check_language(language)
    return LANGUAGES[language]()


def check_language(language: str) -> None:
    """Raises a ParameterError that lists the choices where ``language`` is none."""
    if language not in LANGUAGES:
        raise ParameterError(
            f"language {language!r} is unknown; choose {one_of(LANGUAGES)} ('en' suits every "
            "language with blanks between words, 'char' every other one, 'none' splits at blanks)"
        )


def _english() -> Callable[[str], list[str]]:
    find = _word().findall

    def cut(text: str) -> list[str]:
        text = _clean(text)
        if "'" in text:
            text = _apostrophes(text)
        if "-" in text:
            text = HYPHEN.sub(" ", text)
        return find(RUN_OF_MARKS.sub(_one_mark, text))

    return cut


def _segmented(segment: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """Cuts text without blanks between words; place holders and dots stay whole."""

    def cut(text: str) -> list[str]:
        text = RUN_OF_MARKS.sub(_one_mark, _clean(text))
        return [
            word
            for piece in HOLDER_OR_DOTS.split(text)
            for word in ([piece] if HOLDER_OR_DOTS.fullmatch(piece) else segment(piece))
            if not word.isspace()
        ]

    return cut


LANGUAGES: dict[str, Callable[[], Callable[[str], list[str]]]] = {
    "en": _english,
    "zh": lambda: _segmented(_jieba()),
    "char": lambda: _segmented(list),
    "none": lambda: str.split,
}
"""For each language the function that makes its cutter."""


# Marks that mean the same, and characters without width (soft hyphen, joiners of lines, variants).
SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ`´＇", "'"),
        **dict.fromkeys("“”„‟″«»＂", '"'),
        **dict.fromkeys("\u00ad\u200b\u2060\ufeff\ufe0e\ufe0f", ""),
        **dict.fromkeys("‐‑‒–—―\u2212", "-"),
    }
)
ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", "#39": "'", "nbsp": " "}
ENTITY = re.compile(f"&({'|'.join(ENTITIES)});")
DOUBLED = re.compile("''+")
LINK = re.compile(r"(?:https?://|www\.)\S+|__url__|<(?:link|url)>")

BEFORE_CLITIC = r"[a-z0-9>)]"
DETACHED = re.compile(rf"(?<={BEFORE_CLITIC}) ?' ?(s|m|d|ll|re|ve)\b")
NOT = re.compile(r" ?n ?' ?t\b")
THEM = re.compile(r"(?<![^ ])' em\b")
ONE_WORD = re.compile(r"\b(o|ma|y) ' ?(clock|am|all)\b|\b(o|ma|y)' (clock|am|all)\b")
HYPHEN = re.compile(r"(?<=[^\W_]) ?- ?(?=[^\W_])")

RUN_OF_MARKS = re.compile(r"([^\w\s])(?: ?\1)+")
HOLDER_OR_DOTS = re.compile(r"(<[a-z_]+>|\.\.\.)")


def _clean(text: str) -> str:
    """Rules 1 to 4: characters, case, quotation marks, links."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(SAME))
    text = " ".join(text.split()).lower()
    if "&" in text:
        text = ENTITY.sub(lambda match: ENTITIES[match[1]], text)
    if "`" in text or "''" in text:
        text = DOUBLED.sub('"', text.replace("`", "'"))
    if "http" in text or "www." in text or "__url__" in text or "<link>" in text:
        text = LINK.sub(f" {URL} ", text)
    return text


def _apostrophes(text: str) -> str:
    """Rule 5: clitics, attached or detached, become words of their own."""
    text = ONE_WORD.sub(lambda match: "'".join(each for each in match.groups() if each), text)
    text = NOT.sub(" n't", text)
    text = DETACHED.sub(r" '\1", text)
    return THEM.sub("'em", text)


def _one_mark(match: re.Match[str]) -> str:
    return "..." if match[1] == "." else match[1]


@cache
def _word() -> re.Pattern[str]:
    """What a word is. A letter may carry marks (Hindi, Thai, Arabic), which are no letters to re."""
    letter = rf"(?:[^\W\d_][{_marks()}]*)"
    return re.compile(
        r"<[a-z_]+>"
        r"|n't\b"
        r"|'(?:s|m|d|ll|re|ve|em)\b"
        rf"|can(?=not\b)|{letter}+(?:'{letter}+)*"
        r"|\d+(?:[.,:]\d+)*"
        r"|\.\.\."
        r"|[^\s_]"
    )


def _marks() -> str:
    """The combining marks, as ranges of a character class."""
    codes = [c for c in range(0x300, 0x20000) if unicodedata.category(chr(c))[0] == "M"]
    ranges, first = [], codes[0]
    for code, after in zip(codes, [*codes[1:], -1], strict=True):
        if after != code + 1:
            ranges.append(f"{chr(first)}-{chr(code)}")
            first = after
    return "".join(ranges)


@cache
def _jieba() -> Callable[[str], list[str]]:
    """Jieba's segmentation, from a dictionary of its own that no other user of jieba changes."""
    try:
        with warnings.catch_warnings():  # its 0.42.1 holds escapes that Python 3.12 warns of
            warnings.simplefilter("ignore")
            import jieba
    except ImportError:
        raise MissingExtraError(
            "Chinese is cut into words by jieba, which is not installed; run: "
            'pip install "rejoinder[models]", or take language=char'
        ) from None
    jieba.setLogLevel("WARNING")
    return jieba.Tokenizer().lcut
