"""Tags of languages that the script of a text gives away, for screen readers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rejoinder.annotation.task import Task

SCRIPTS = {
    "ja": "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f",  # kana
    "ko": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "th": "\u0e00-\u0e7f",
    "lo": "\u0e80-\u0eff",
    "km": "\u1780-\u17ff\u19e0-\u19ff",
    "ka": "\u10a0-\u10ff\u1c90-\u1cbf",
    "hy": "\u0530-\u058f",
    "el": "\u0370-\u03ff\u1f00-\u1fff",
}
"""By tag the ranges of a script that one language of today writes. Arabic, Cyrillic, Devanagari, Hebrew
and others are those of several languages: they tell nothing."""

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
"""Chinese characters, which Japanese and Korean write too, among kana and Hangul."""

FEWEST_HAN = 5
"""So many Chinese characters in a question without kana and Hangul are Chinese."""

LEAST_KANA = 0.25
"""So many kana for each Chinese character are Japanese: fewer may be a quotation in Chinese."""

_HAN = re.compile(f"[{HAN}]")
_SCRIPTS = {tag: re.compile(f"[{ranges}]") for tag, ranges in SCRIPTS.items()}
_LETTER = re.compile(r"[^\W\d_]")


def languages(texts: Sequence[str], given: str = "") -> dict[str, str]:
    """By text of a question the tag of its language; "" where its script does not tell.

    Args:
        texts: The turns and the replies of one question.
        given: The language that the study names for all of them; empty: none.

    >>> languages(["你今天过得怎么样？", "Fine."])
    {'你今天过得怎么样？': 'zh', 'Fine.': ''}
    >>> languages(["明日は休みですか", "東京駅"])
    {'明日は休みですか': 'ja', '東京駅': 'ja'}
    """
    if given:
        return dict.fromkeys(texts, given)
    han = _language_of_characters("".join(texts))
    return {text: _language(text, han) for text in texts}


def own_languages(task: Task) -> dict[str, str]:
    """By each text that a study's author wrote the tag of its language; "" where its script does not tell.

    Args:
        task: The study: its title, instructions and consent, what its criteria ask, and the words of
            their points. The study's ``language`` is that of the conversations and says nothing here.
    """
    words = (text for each in task.criteria for text in (each.asked, *each.words))
    explained = (each.explanation for each in (*task.training, *task.attention))
    texts = (task.title, task.instructions, task.consent, *words, *explained)
    return languages(list(dict.fromkeys(filter(None, texts))))


def _language_of_characters(whole: str) -> str:
    """The language that writes the Chinese characters of a question; "" where that is not sure."""
    characters = len(_HAN.findall(whole))
    kana, hangul = (len(_SCRIPTS[tag].findall(whole)) for tag in ("ja", "ko"))
    if hangul:
        return ""
    if kana:
        return "ja" if kana >= LEAST_KANA * characters else ""
    return "zh" if characters >= FEWEST_HAN else ""


def _language(text: str, han: str) -> str:
    """The tag of the script that at least half of the letters are of.

    Args:
        text: A turn or a reply.
        han: What its Chinese characters count as; "": as nothing.
    """
    counts = {tag: len(script.findall(text)) for tag, script in _SCRIPTS.items()}
    if han:
        counts[han] = counts.get(han, 0) + len(_HAN.findall(text))
    most = max(counts, key=lambda tag: counts[tag])
    return most if counts[most] and 2 * counts[most] >= len(_LETTER.findall(text)) else ""
