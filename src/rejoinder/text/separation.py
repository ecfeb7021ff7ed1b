"""How many texts of a corpus lose their words, because they are cut where they have no spaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from rejoinder.messages import Argument
from rejoinder.text.scripts import lost, suited, unspaced_candidates, unspaced_script
from rejoinder.text.strings import Strings
from rejoinder.text.words import LANGUAGES, cutter

EXAMINED = 500
"""Texts in scripts without spaces that are examined at most."""

FEW, SMALL = 2, 20
"""So many texts that lose their words are enough for a note; one of fewer than 20 texts."""


@dataclass(frozen=True)
class LostWords:
    """Texts in scripts without spaces whose words are not separated.

    Attributes:
        number: How many texts lose their words.
        unspaced: How many texts are written in such a script.
        examined: " examined" where these are a sample; else empty.
        script: The script of most of them.
    """

    number: int
    unspaced: int
    examined: str
    script: str


def lost_words(
    texts: Sequence[str], lengths: Callable[[list[str]], Sequence[int]]
) -> LostWords | None:
    """How many texts lose their words; None where too few do for a note.

    Args:
        texts: All texts. 500 of those in scripts without spaces are examined at most.
        lengths: From texts to the number of words that each one is cut into.
    """
    strings = Strings.of(list(texts))
    candidates = unspaced_candidates(strings)
    step = max(1, -(-candidates.size // EXAMINED))
    sample = list(strings.take(candidates[::step]))
    unspaced = [text for text in sample if unspaced_script(text) not in ("", "emoji")]
    if not unspaced:
        return None
    wrong = [
        text for text, count in zip(unspaced, lengths(unspaced), strict=True) if lost(text, count)
    ]
    if len(wrong) < (1 if len(texts) < SMALL else FEW):
        return None
    script = Counter(map(unspaced_script, wrong)).most_common(1)[0][0]
    return LostWords(len(wrong), len(unspaced), " examined" if step > 1 else "", script)


def wanted(script: str, choices: Collection[str], without: str) -> str:
    """The choices that separate the words of a script, as a note lists them.

    Args:
        script: The script.
        choices: All choices.
        without: The choice that is left out, which does not separate them.

    >>> wanted("Japanese", ("13a", "ja-mecab", "char"), "13a")
    "'ja-mecab' or 'char'"
    """
    return " or ".join(f"'{each}'" for each in suited(script, choices) if each != without)


def language_notes(texts: Sequence[str], language: str) -> list[str]:
    """Says where a language of ``rejoinder.text.words`` leaves the words of a corpus words_lost.

    >>> language_notes(["今天天气很好。"], "en")[0][:58]
    "language 'en' does not separate the words of 1 of 1 uttera"
    >>> language_notes(["今天天气很好。"], "char"), language_notes(["How are you?"], "en")
    ([], [])
    """
    cut = cutter(language)
    words_lost = lost_words(texts, lambda some: [len(cut(text)) for text in some])
    if words_lost is None:
        return []
    return [
        f"language '{language}' does not separate the words of {words_lost.number} of {words_lost.unspaced} "
        f"utterances in scripts without spaces{words_lost.examined} ({words_lost.script}), so that whole "
        f"sentences are words; give {Argument('language')} {wanted(words_lost.script, LANGUAGES, language)}"
    ]
