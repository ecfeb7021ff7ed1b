"""A note where the tokenizer of a search does not separate the words of the texts that are searched for."""

from __future__ import annotations

from collections.abc import Sequence

from rejoinder.messages import Argument
from rejoinder.text.separation import lost_words, wanted
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import TOKENIZERS, tokenize


def separation_notes(texts: Sequence[str], tokenizer: str) -> list[str]:
    """Says where the words of texts in Chinese, Japanese, Thai and the like are not separated.

    Each sentence is then one word, and a search finds equal sentences alone.

    Args:
        texts: The messages and responses that are searched for.
        tokenizer: One of ``text.tokenizers``.

    >>> separation_notes(["你好吗，今天好吗？"], "13a")[0][:54]
    "the tokenizer '13a' does not separate the words of 1 o"
    >>> separation_notes(["你好吗，今天好吗？"], "char"), separation_notes(["How are you?"], "13a")
    ([], [])
    """
    found = lost_words(
        texts, lambda some: tokenize(Strings.of(some), tokenizer, lowercase=True).lengths.tolist()
    )
    if found is None:
        return []
    return [
        f"the tokenizer '{tokenizer}' does not separate the words of {found.number} of {found.unspaced} "
        f"messages and responses in scripts without spaces{found.examined} ({found.script}), so that "
        f"candidates are found by whole sentences; give {Argument('tokenizer')} "
        f"{wanted(found.script, TOKENIZERS, tokenizer)}"
    ]
