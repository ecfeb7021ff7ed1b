import random

import pytest

from rejoinder.text.porter import stemmed

ENDINGS = (
    "ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness "
    "ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance er ic able "
    "ement ment ion ou ism ate iti ous ive ize ed ing ies ied eed y s ss sses e ll"
).split()


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        # The examples of Porter 1980, which no departure changes.
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("cats", "cat"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("sing", "sing"),
        ("troubled", "troubl"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("filing", "file"),
        ("relational", "relat"),
        ("rational", "ration"),
        ("vietnamization", "vietnam"),
        ("triplicate", "triplic"),
        ("hopeful", "hope"),
        ("adjustment", "adjust"),
        ("adoption", "adopt"),
        ("cease", "ceas"),
        ("controll", "control"),
        ("roll", "roll"),
        # The departures.
        ("skies", "sky"),
        ("dies", "die"),
        ("tied", "tie"),
        ("enjoy", "enjoy"),
        ("geology", "geolog"),
    ],
)
def test_stems(word, stem):
    assert stemmed(word) == stem


def test_nltks_stemmer_agrees():
    theirs = pytest.importorskip("nltk.stem.porter").PorterStemmer()
    rng = random.Random(31)
    for _ in range(8000):
        start = "".join(rng.choice("aeiouybcdlstzwx1") for _ in range(rng.randrange(6)))
        word = start + rng.choice(ENDINGS) + rng.choice(["", "", "s", "ly", "y", "ed", "ing"])
        assert stemmed(word) == theirs.stem(word), word
