"""From DailyDialog's tokens back to plain writing, as Khayrallah & Sedoc (2021, section 3) train on.

They detokenise and recase the corpus (ParlAI's release, which is lower-cased too) and do not print
their rules; these are ours. They are made for DailyDialog: blanks around punctuation, apostrophes
as ``'``, ``’`` and `` ' ``, sentences glued together where a line was broken. Text that is plain
already comes out as it was, but for typographic quotes and runs of blanks.
"""

from __future__ import annotations

import re

_QUOTES = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "“": '"', "”": '"'})
_CLITIC = re.compile(r"(\w) ?' ?(s|t|m|d|ll|re|ve|clock|em|am|mon)\b(?!')", re.IGNORECASE)
_NOT = re.compile(r"\b(\w+) (n't)\b", re.IGNORECASE)
_FREE = re.compile(r"(?<!\w)'|'(?!\w)")
_PLURAL = re.compile(r"(?<=s) ' (?=[a-z])")
_NUMBER = re.compile(r"(?<=\d) ([:.,]) (?=\d)")
_BEFORE = re.compile(r" +(?=[,.!?;:%)\]}])")
_AFTER = re.compile(r"(?<=[(\[{$£€#]) +(?=\S)")
_GLUED = re.compile(r"(?<=[a-z])(?<!\bPh)(?<!\bwww)([.!?])(?=[A-Z](?:[a-z' ]|$))")
_COMMA = re.compile(r"(?<=[A-Za-z]),(?=[A-Za-z])")
_QUOTED = re.compile(r'" *([^"]*?) *"')
_BLANKS = re.compile(r"\s+")
_SENTENCE = re.compile(
    r"(?:^|(?<=[.!?] )(?<!\.\w\. )(?<!\.\. ))([\"'(]*)([a-z])(?=[a-z']*(?:[^A-Za-z]|$))"
)
_I = re.compile(r"(?<![\w.'-])i(?=$|[ ,!?;:]|\.(?!\w)|'(?:m|d|ll|ve)\b)")


def detokenize(text: str) -> str:
    """Takes the blanks out that a tokenizer put in.

    A decimal point, a colon between figures and the comma of thousands are joined to both sides;
    so is an apostrophe before what English writes behind one (s, t, m, d, ll, re, ve, clock, em, am,
    mon), and one behind a plural where no other stands alone, which could be a closing quote.
    Double quotes are joined to what they hold if they come in pairs, and left alone if not.

    Example:
        >>> detokenize("Good.Let ' s say 10 : 30 , if you don ’ t mind ( I do ) ?")
        "Good. Let's say 10:30, if you don't mind (I do)?"
        >>> detokenize('He said " no , thanks " .')
        'He said "no, thanks".'
    """
    text = _BLANKS.sub(" ", text.translate(_QUOTES)).strip()
    text = _NOT.sub(r"\1\2", _CLITIC.sub(r"\1'\2", text))
    if len(_FREE.findall(text)) == 1:
        text = _PLURAL.sub("' ", text)
    text = _NUMBER.sub(r"\1", text)
    text = _AFTER.sub("", _BEFORE.sub("", text))
    text = _COMMA.sub(", ", _GLUED.sub(r"\1 ", text))
    if text.count('"') % 2 == 0:
        text = _BEFORE.sub("", _QUOTED.sub(r'"\1"', text))
    return text


def recase(text: str) -> str:
    """Capital letters where a sentence begins, and for the word I. Names stay as they are.

    An ellipsis, a quotation and letters with points (``i.e.``) begin no sentence.

    Example:
        >>> recase("well , i'm late . where is paris ? i forgot.")
        "Well , I'm late . Where is paris ? I forgot."
    """
    return _SENTENCE.sub(lambda match: match[1] + match[2].upper(), _I.sub("I", text))


def plain(text: str) -> str:
    """Detokenised and recased: the one way in which corpora of tokens are prepared for training.

    Example:
        >>> plain("sure . that ' s what i said .")
        "Sure. That's what I said."
    """
    return recase(detokenize(text))
