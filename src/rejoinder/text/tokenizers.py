"""The tokenizers, by the names that sacreBLEU gave them.

``13a``, ``none`` and ``char`` run as one pass over the bytes (kernels/tokens.py), to sacreBLEU's
tokens exactly. The others are sacreBLEU's own, called once for each distinct string.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial

import numpy as np

from rejoinder.errors import MissingExtraError, ParameterError, one_of
from rejoinder.kernels import tokens as kernels
from rejoinder.kernels.arrays import Bytes, Fingerprints, TextBytes, Tokens
from rejoinder.text.strings import Strings


@dataclass(frozen=True, slots=True)
class Scanner:
    """A tokenizer that runs as a kernel over bytes.

    Attributes:
        kernel: The pass.
        classes: What each byte is to it.
        folding: The same where letters are lower-cased: text beyond ASCII is rewritten first.
        exact: The same for text that was rewritten.
        rewrite: What a string the pass cannot take is made into.
    """

    kernel: Callable[..., int]
    classes: Bytes
    folding: Bytes
    exact: Bytes
    rewrite: Callable[[str], str]


def _decoded(text: str) -> str:
    """mteval-v13a's first, language-independent rules, in sacreBLEU's order."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(entity, character)
    return text


@dataclass(frozen=True, slots=True)
class Rewriter:
    """A tokenizer that is a function from a line to its tokens with blanks between.

    Attributes:
        load: Makes the function, once it is needed.
        package: The distribution whose version signatures name; empty for one of our own.
    """

    load: Callable[[], Callable[[str], str]]
    package: str = ""


# Those of sacreBLEU, with what each needs besides it.
BORROWED = {
    "intl": "",
    "zh": "",
    "ja-mecab": "sacrebleu[ja]",
    "ko-mecab": "sacrebleu[ko]",
    "spm": "sentencepiece",
    "flores101": "sentencepiece",
    "flores200": "sentencepiece",
}

_borrowing = threading.Lock()


def check_tokenizer(name: str) -> None:
    """Raises a ParameterError that lists the choices where ``name`` is no tokenizer."""
    if name not in TOKENIZERS:
        raise ParameterError(f"tokenizer {name!r} is unknown; choose {one_of(TOKENIZERS)}")


def tokenize(
    strings: Strings, tokenizer: str, lowercase: bool = False, keys: Fingerprints | None = None
) -> Tokens:
    """Cuts strings into tokens. Equal strings are tokenised once.

    Args:
        strings: The texts, n of them.
        tokenizer: One of ``TOKENIZERS``.
        lowercase: Lower-case the text first, as ``str.lower`` does.
        keys: What fingerprints are made with, ``kernels.tokens.drawn_keys()``; None: those of this
            process, which mean nothing in another.

    Returns:
        The fingerprints of the tokens of every string.

    Raises:
        ParameterError: The tokenizer is unknown.
        MissingExtraError: It needs a package or a model that is not here.
    """
    check_tokenizer(tokenizer)
    same = kernels.same_strings(TextBytes(strings.data, strings.starts, strings.stops))
    distinct = np.flatnonzero(same == np.arange(same.size))
    if distinct.size == same.size:
        return _tokenize(strings, tokenizer, lowercase, keys)
    place = np.empty(same.size, dtype=np.int64)
    place[distinct] = np.arange(distinct.size)
    return _tokenize(strings.take(distinct), tokenizer, lowercase, keys).take(place[same])


def _tokenize(
    strings: Strings, tokenizer: str, lowercase: bool, keys: Fingerprints | None
) -> Tokens:
    keys = kernels.KEYS if keys is None else keys
    scanner = TOKENIZERS[tokenizer]
    if isinstance(scanner, Rewriter):
        with _borrowing:  # a tagger keeps state of its own
            rewrite = scanner.load()
            lines = [rewrite((s.lower() if lowercase else s).rstrip()) for s in strings]
        return _scan(Strings.of(lines), kernels.tokens_none, kernels.CLASSES, keys)
    classes = scanner.folding if lowercase else scanner.classes
    folded = kernels.folding(keys) if lowercase else keys
    scanned = _scan(strings, scanner.kernel, classes, folded)
    rest = np.flatnonzero(scanned.last < 0)
    if rest.size == 0:
        return scanned
    lines = [scanner.rewrite(s.lower() if lowercase else s) for s in strings.take(rest)]
    rewritten = _scan(Strings.of(lines), scanner.kernel, scanner.exact, keys)
    offset = scanned.fingerprints.size
    scanned.first[rest] = rewritten.first + offset
    scanned.last[rest] = rewritten.last + offset
    fingerprints = np.concatenate([scanned.fingerprints, rewritten.fingerprints])
    return Tokens(fingerprints, scanned.first, scanned.last)


def _scan(
    strings: Strings, kernel: Callable[..., int], classes: Bytes, keys: Fingerprints
) -> Tokens:
    # No string has more tokens than bytes, and a scanner writes one place further; pages that are
    # never written cost no memory.
    fingerprints = np.empty(int(strings.sizes.sum()) + 1, dtype=np.uint64)
    first, last = (np.empty(len(strings), dtype=np.int64) for _ in range(2))
    texts = TextBytes(strings.data, strings.starts, strings.stops)
    written = kernel(texts, classes, keys, Tokens(fingerprints, first, last))
    return Tokens(fingerprints[:written], first, last)


@cache
def borrowed(name: str) -> Callable[[str], str]:
    """One of sacreBLEU's tokenizers: a function from a line to its tokens with blanks between.

    Raises:
        MissingExtraError: It needs a package, or a model that sacreBLEU would now download.
    """
    from sacrebleu.metrics.bleu import BLEU

    if BORROWED.get(name) == "sentencepiece":
        _check_sentencepiece(name)
    try:
        return BLEU(tokenize=name).tokenizer
    except (ImportError, RuntimeError) as error:
        raise MissingExtraError(
            f"tokenizer '{name}' needs a package that is not installed; "
            f'run: pip install "{BORROWED[name]}"'
        ) from error


def _check_sentencepiece(name: str) -> None:
    """Nothing is downloaded unasked: without its model file, sacreBLEU would fetch it."""
    import os

    from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS
    from sacrebleu.utils import SACREBLEU_DIR

    model = SPM_MODELS["flores101" if name == "spm" else name]
    path = os.path.join(SACREBLEU_DIR, "models", os.path.basename(model["url"]))
    if not os.path.exists(path):
        raise MissingExtraError(
            f"tokenizer '{name}' needs its model at {path}, and nothing is downloaded unasked; "
            f"fetch it once with: echo x | sacrebleu --tokenize {name} <(echo x)"
        )


@lru_cache(maxsize=256)
def words(text: str, tokenizer: str, lowercase: bool = False) -> tuple[str, ...]:
    """The tokens of one string as text, for people to read: the slow twin of ``tokenize``.

    Args:
        text: The string.
        tokenizer: The name of the tokenizer.
        lowercase: Whether to lowercase first.

    >>> words("It's 3.5, no?", "13a")
    ("It's", '3.5', ',', 'no', '?')
    """
    check_tokenizer(tokenizer)
    text = (text.lower() if lowercase else text).rstrip()
    known = TOKENIZERS[tokenizer]
    cut = known.load() if isinstance(known, Rewriter) else borrowed(tokenizer)
    return tuple(cut(text).split())


_WHOLE = kernels.CLASSES, kernels.CLASSES_FOLDING, kernels.CLASSES, str
_13A = kernels.CLASSES_13A_RAW, kernels.CLASSES_13A_RAW_FOLDING, kernels.CLASSES_13A, _decoded

TOKENIZERS: dict[str, Scanner | Rewriter] = {
    "13a": Scanner(kernels.tokens_13a, *_13A),
    "none": Scanner(kernels.tokens_none, *_WHOLE),
    "char": Scanner(kernels.tokens_char, *_WHOLE),
    **{name: Rewriter(partial(borrowed, name), "sacrebleu") for name in BORROWED},
}
"""Every tokenizer by name."""
