"""Fingerprints of tokens: keyed, so that nobody can write two tokens that are one."""

import subprocess
import sys

import pytest

from rejoinder.metrics import BLEU, DistinctN
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import tokenize

# A pair that is published as a collision of the public hash FNV-1a, 64 bits.
COLLIDING = ("8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ")

PROGRAM = """
from rejoinder.metrics import Entropy
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import tokenize
words = [f"{7 * i % 97} {i % 13} {i % 5} a" for i in range(400)]
print(repr(Entropy(order=2).corpus(words, [[]] * 400).value))
print(tokenize(Strings.of(["a"]), "none").fingerprints[0])
"""


def fnv1a(text):
    h = 0xCBF29CE484222325
    for byte in text.encode():
        h = (h ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return h


@pytest.mark.parametrize("tokenizer", ["none", "13a"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_a_collision_of_a_public_hash_is_no_match(tokenizer, lowercase):
    one, other = COLLIDING
    assert fnv1a(one) == fnv1a(other)
    metric = BLEU(order=1, tokenizer=tokenizer, lowercase=lowercase, smoothing="none")
    assert metric.corpus([one], [[other]]).value == 0
    assert DistinctN().corpus([f"{one} {other}"], [[]]).value == 1


def test_upper_and_lower_case_are_one_where_case_is_folded():
    strings = Strings.of(["ABCXYZ [@`{ ÀÉ", "abcxyz [@`{ àé"])
    kept, folded = (tokenize(strings, "none", lowercase) for lowercase in (False, True))
    first, second = (
        folded.fingerprints[a:b] for a, b in zip(folded.first, folded.last, strict=True)
    )
    assert (first == second).all()
    first, second = (kept.fingerprints[a:b] for a, b in zip(kept.first, kept.last, strict=True))
    assert (first == second).tolist() == [False, True, False]


def test_another_process_has_other_fingerprints_and_the_same_scores():
    told = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert told[0][0] == told[1][0]  # to the last digit, though sums run over the vocabulary
    assert told[0][1] != told[1][1]
