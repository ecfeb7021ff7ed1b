"""Porter's stemmer of English words (Porter 1980), in the version that NLTK and rouge-score use.

That version keeps the paper's five steps and departs from them in a few rules, each marked here:
irregular forms, words of up to two letters, -ies and -ied in short words, -y behind a consonant
alone, -alli, -bli, -fulli, -logi, and *o for a vowel and a consonant by themselves.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import TypeAlias

Rules: TypeAlias = tuple[tuple[str, str], ...]

IRREGULAR = {
    "skies": "sky",
    "sky": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}
"""Words that the rules would get wrong; not in the paper."""

# The first ending that a word has decides, whether or not its condition is met.
STEP_2: Rules = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),  # the paper: abli to able
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("fulli", "ful"),  # not in the paper
)
STEP_3: Rules = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion"),
    *("ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)


@lru_cache(maxsize=1 << 17)
def stemmed(word: str) -> str:
    """The stem of an English word.

    Args:
        word: In small letters; whatever is no vowel counts as a consonant, digits too.

    Source: Porter 1980, steps 1 to 5, with NLTK's departures (see the head of this file).

    >>> [stemmed(word) for word in ("running", "happily", "flies", "relational", "sky", "is")]
    ['run', 'happili', 'fli', 'relat', 'sky', 'is']
    """
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _without_y(_without_past(_without_plural(word)))
    word = _replaced(_step_2(word), STEP_3)
    return _tidied(_step_4(word))


def _vowels(word: str) -> list[bool]:
    """For each letter whether it is a vowel: a, e, i, o, u, and y behind a consonant."""
    vowels: list[bool] = []
    for letter in word:
        behind_consonant = bool(vowels) and not vowels[-1]
        vowels.append(letter in "aeiou" or (letter == "y" and behind_consonant))
    return vowels


def _measure(stem: str) -> int:
    """The paper's m: how often a vowel is followed by a consonant."""
    vowels = _vowels(stem)
    return sum(before and not after for before, after in itertools.pairwise(vowels))


def _doubled(word: str) -> bool:
    """The paper's *d: the word ends in a consonant twice."""
    return len(word) >= 2 and word[-1] == word[-2] and not _vowels(word)[-1]


def _short(word: str) -> bool:
    """The paper's *o: consonant, vowel, consonant, the last none of w, x, y."""
    vowels = _vowels(word)
    if len(word) == 2:  # not in the paper
        return vowels == [True, False]
    return vowels[-3:] == [False, True, False] and word[-1] not in "wxy"


def _without_plural(word: str) -> str:
    """Step 1a."""
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]  # the paper: always -i
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _without_past(word: str) -> str:
    """Step 1b."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]  # not in the paper
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem != word and any(_vowels(stem)):
            break
    else:
        return word
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _doubled(stem):
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _short(stem) else stem


def _without_y(word: str) -> str:
    """Step 1c; the paper asks for any vowel in front of the y."""
    stem = word[:-1]
    if word.endswith("y") and len(stem) > 1 and not _vowels(stem)[-1]:
        return stem + "i"
    return word


def _replaced(word: str, rules: Rules) -> str:
    """The word with the first of its endings replaced, where m > 0 in front of it."""
    for ending, replacement in rules:
        if word.endswith(ending):
            stem = word[: -len(ending)]
            return stem + replacement if _measure(stem) > 0 else word
    return word


def _step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:  # the paper: with the others, once
        return _step_2(word[:-2])
    if word.endswith("logi"):  # not in the paper; the l counts to the stem
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replaced(word, STEP_2)


def _step_4(word: str) -> str:
    for ending in STEP_4:
        if word.endswith(ending):
            stem = word[: -len(ending)]
            allowed = ending != "ion" or stem.endswith(("s", "t"))
            return stem if allowed and _measure(stem) > 1 else word
    return word


def _tidied(word: str) -> str:
    """Step 5: a last -e, and one l of -ll."""
    if word.endswith("e"):
        stem = word[:-1]
        measure = _measure(stem)
        if measure > 1 or (measure == 1 and not _short(stem)):
            word = stem
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word
