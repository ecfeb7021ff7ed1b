"""The sentences of a rater's page in a language: one file for each, or a file of the user's."""

from __future__ import annotations

import functools
import json
import os
import string
from collections.abc import Mapping
from importlib.resources import files

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.files.reading import existing, read_text
from rejoinder.files.strict_json import strict_json
from rejoinder.messages import listed, quoted

LANGUAGES = ("ar", "de", "en", "es", "fr", "ja", "zh")
"""The languages of which there is a file."""
CRITERIA = ("overall", "relevance", "fluency", "safety", "helpfulness", "preference")
"""The criteria that have a question and words for the ends of a scale."""

Words = Mapping[str, str]
"""By key a sentence; ``tag`` is the language, and ``direction`` is ltr or rtl."""


class RaterError(InputError):
    """An error that a rater sees, in the language of the page.

    Attributes:
        key: The key of its sentence.
        values: The values in its braces.
    """

    def __init__(self, key: str, **values: str) -> None:
        super().__init__(say(own_words("en"), key, **values))
        self.key, self.values = key, values


def words_of(page_language: str | Words, language: str = "") -> Words:
    """The sentences of a study's page.

    Args:
        page_language: One of ``LANGUAGES``, or the sentences; empty: those of the language of the texts
            where there is a file of it, otherwise English.
        language: The tag of the language of the texts.

    >>> words_of("", "pt")["begin"], words_of("", "de-AT")["begin"]
    ('Begin', 'Beginnen')
    """
    if not isinstance(page_language, str):
        return page_language
    near = language.partition("-")[0].lower()
    return own_words(page_language or (near if near in LANGUAGES else "en"))


@functools.cache
def own_words(tag: str) -> Words:
    """The sentences of a language of ``LANGUAGES``."""
    text = (files("rejoinder.annotation") / "page_languages" / f"{tag}.json").read_text("utf-8")
    return json.loads(text)


def say(words: Words, key: str, **values: object) -> str:
    """A sentence with its values; where ``n`` is 1, the one for a single thing, if there is one.

    >>> say(own_words("en"), "saved", n=1), say(own_words("en"), "saved", n=2)
    ('1 answer saved', '2 answers saved')
    """
    if values.get("n") == 1 and f"{key}_one" in words:
        key = f"{key}_one"
    return words[key].format(**values)


def read_words(path: str | os.PathLike[str]) -> Words:
    """Reads a language from a JSON file with the keys of English.

    Raises:
        InputError: The file cannot be read or is no JSON, or `check_words` finds something.
    """
    (path,) = existing([path], "page_language")
    text = read_text(path)
    try:
        words = strict_json(text)
        check_words(words if isinstance(words, Mapping) else {})
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    return words


def check_words(page_language: str | Words) -> None:
    """Sees that a page's language is one that there is, or has every sentence with its values.

    Raises:
        ParameterError: It is unknown, or a key is missing, unknown, or has other values.
    """
    if isinstance(page_language, str):
        if page_language and page_language not in LANGUAGES:
            raise ParameterError(
                f"page_language: got {quoted(page_language)}; expected {one_of(LANGUAGES)}, or a .json "
                "file with the sentences of another language"
            )
        return
    english = own_words("en")
    both = [key for key in english if key in page_language]
    values = [key for key in both if _values(page_language[key]) != _values(english[key])]
    for what, keys in (
        ("no sentence for", [key for key in english if key not in page_language]),
        ("no such key:", [key for key in page_language if key not in english]),
        ("other values in braces than in English:", values),
    ):
        if keys:
            raise ParameterError(
                f"page_language: {what} {listed(keys)}; write a sentence for each key of the English "
                "file, with the same {values}"
            )
    if page_language["direction"] not in ("ltr", "rtl"):
        raise ParameterError(
            f"page_language: direction: got {quoted(page_language['direction'])}; expected 'ltr' or 'rtl'"
        )


def _values(text: object) -> set[tuple[str | None, ...]] | None:
    """The names and formats in the braces of a sentence; None: it cannot be filled in."""
    if not isinstance(text, str):
        return None
    try:
        return {tuple(each[1:]) for each in string.Formatter().parse(text) if each[1] is not None}
    except ValueError:
        return None
