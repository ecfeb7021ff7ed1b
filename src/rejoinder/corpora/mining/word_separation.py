"""A note where the tokenizer of a search does not separate the words of the texts that are searched for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rejoinder.text.scripts import lost, suited, unspaced_candidates, unspaced_script
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import TOKENIZERS, tokenize

EXAMINED = 500
"""Texts in scripts without spaces that are examined at most."""

FEW, SMALL = 2, 20
"""So many texts that lose their words are enough for a note; one of fewer than 20 texts."""


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
    strings = Strings.of(list(texts))
    candidates = unspaced_candidates(strings)
    step = -(-candidates.size // EXAMINED)
    sample = list(strings.take(candidates[:: max(1, step)]))
    unspaced = [text for text in sample if unspaced_script(text) not in ("", "emoji")]
    if not unspaced:
        return []
    counts = tokenize(Strings.of(unspaced), tokenizer, lowercase=True).lengths
    wrong = [
        text for text, tokens in zip(unspaced, counts.tolist(), strict=True) if lost(text, tokens)
    ]
    if len(wrong) < (1 if len(texts) < SMALL else FEW):
        return []
    script = Counter(map(unspaced_script, wrong)).most_common(1)[0][0]
    wanted = [f"'{each}'" for each in suited(script, TOKENIZERS) if each != tokenizer]
    examined = " examined" if step > 1 else ""
    return [
        f"the tokenizer '{tokenizer}' does not separate the words of {len(wrong)} of {len(unspaced)} "
        f"messages and responses in scripts without spaces{examined} ({script}), so that candidates are "
        f"found by whole sentences; give --tokenizer (tokenizer=) {' or '.join(wanted)}"
    ]
