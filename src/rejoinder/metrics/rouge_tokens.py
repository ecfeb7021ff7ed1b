"""The words and the sentences of texts as ROUGE counts them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rejoinder.errors import MissingExtraError
from rejoinder.kernels.arrays import Indices, Tokens
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import TOKENIZERS, tokenize

OTHER_SPACE = re.compile(r"[^\S ]|\\")
WORD_BREAK = re.compile(r"[^a-z0-9]+")
LONGEST_UNSTEMMED = 3
"""Words of up to so many letters are not stemmed, as in rouge-score and ROUGE-1.5.5."""


class RougeSentences(NamedTuple):
    """The tokens of texts, sentence by sentence.

    Attributes:
        tokens: Those of each sentence, the sentences of a text one after the other.
        bounds: Text i has the sentences bounds[i] to bounds[i + 1] (int64 [n + 1]).
    """

    tokens: Tokens
    bounds: Indices

    @property
    def lengths(self) -> Indices:
        """int64 [n]: how many tokens each text has."""
        return np.diff(np.concatenate([[0], np.cumsum(self.tokens.lengths)])[self.bounds])


def words(strings: Strings, tokenizer: str, lowercase: bool, stemmer: bool) -> Tokens:
    """The tokens of texts.

    Args:
        strings: The texts.
        tokenizer: ``rouge``, ``blanks`` or one of ``text.tokenizers.TOKENIZERS``.
        lowercase: Fold case first; ``rouge`` always does.
        stemmer: Cut the words of ``rouge`` down to their stems.
    """
    if tokenizer in TOKENIZERS:
        return tokenize(strings, tokenizer, lowercase)
    rewrite = _stems if stemmer else REWRITES[tokenizer]
    return tokenize(rewrite(strings, lowercase), "none")


def sentences(
    strings: Strings, split: str, tokenizer: str, lowercase: bool, stemmer: bool
) -> RougeSentences:
    """The tokens of texts by sentence; empty sentences are left out.

    Args:
        strings: The texts.
        split: ``lines``: a sentence ends with its line; ``punkt``: NLTK's splitter for English.
        tokenizer: See ``words``.
        lowercase: See ``words``.
        stemmer: See ``words``.

    Raises:
        MissingExtraError: ``punkt`` needs NLTK or its data, which are not here.
    """
    cut = _punkt() if split == "punkt" else _lines
    pieces = {text: [each for each in cut(text) if each] for text in strings}
    listed = [pieces[text] for text in strings]
    bounds = np.concatenate([[0], np.cumsum([len(each) for each in listed])]).astype(np.int64)
    flat = Strings.of([sentence for each in listed for sentence in each])
    return RougeSentences(words(flat, tokenizer, lowercase, stemmer), bounds)


def _lines(text: str) -> list[str]:
    return text.split("\n")


def _punkt() -> Callable[[str], list[str]]:
    """NLTK's splitter of sentences.

    Raises:
        MissingExtraError: NLTK or its data are not here; nothing is fetched.
    """
    try:
        import nltk

        nltk.sent_tokenize("A b. C d.")
        return nltk.sent_tokenize
    except ImportError:
        why = "NLTK is not installed; run: pip install nltk, and then: "
    except LookupError:
        why = "NLTK's data for it are not here, and nothing is fetched unasked; run: "
    raise MissingExtraError(
        f"sentences=punkt: {why}python -m nltk.downloader punkt_tab; or give texts with one "
        "sentence on each line and take sentences=lines"
    )


def _stems(strings: Strings, lowercase: bool) -> Strings:
    """The words of ``rouge``, stemmed."""
    from rejoinder.text.porter import stemmed

    seen: dict[str, str] = {}
    for text in strings:
        if text not in seen:
            parts = WORD_BREAK.sub(" ", text.lower()).split()
            seen[text] = " ".join(
                stemmed(each) if len(each) > LONGEST_UNSTEMMED else each for each in parts
            )
    return Strings.of([seen[text] for text in strings])


def _alphanumeric(strings: Strings, lowercase: bool) -> Strings:
    """Strings with all but ASCII letters, lower-cased, and digits turned into blanks.

    One look-up per byte. Two letters beyond ASCII become ASCII ones when they are lower-cased, the
    Kelvin sign and the dotted capital I: a slice that holds one of them is rewritten at length.
    """
    if not len(strings):
        return strings
    begin, end = int(strings.starts.min()), int(strings.stops.max())
    data = strings.data[begin:end]
    whole = data.tobytes()
    if KELVIN in whole or DOTTED_I in whole:
        return Strings.of([WORD_BREAK.sub(" ", text.lower()) for text in strings])
    return Strings(LETTERS_AND_DIGITS[data], strings.starts - begin, strings.stops - begin)


def _single_blanks(strings: Strings, lowercase: bool) -> Strings:
    r"""Strings whose tokens at white space are those of ``text.split(" ")``, empty ones included.

    Each token gets a ``=`` in front, so that an empty one is one too, and white space that does not
    split is escaped.
    """
    seen: dict[str, str] = {}
    for text in strings:
        if text not in seen:
            lowered = text.lower() if lowercase else text
            line = OTHER_SPACE.sub(lambda match: f"\\{ord(match[0]):x};", lowered)
            seen[text] = "=" + line.replace(" ", " =")
    return Strings.of([seen[text] for text in strings])


KELVIN, DOTTED_I = "\u212a".encode(), "\u0130".encode()

LETTERS_AND_DIGITS = np.full(256, ord(" "), dtype=np.uint8)
LETTERS_AND_DIGITS[list(b"abcdefghijklmnopqrstuvwxyz0123456789")] = list(
    b"abcdefghijklmnopqrstuvwxyz0123456789"
)
LETTERS_AND_DIGITS[list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")] = list(b"abcdefghijklmnopqrstuvwxyz")

REWRITES: dict[str, Callable[[Strings, bool], Strings]] = {
    "rouge": _alphanumeric,
    "blanks": _single_blanks,
}
