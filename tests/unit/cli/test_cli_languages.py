"""Chinese and Japanese through every verb, on the data of the size ladder with other words."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ladder_data
from ladder_check import check
from ladder_data import Rung
from ladder_verbs import LADDER, Entry

WORDS = {
    "Chinese": "渡船 从 老 码头 六点 离开 冬天 也 一样 好的".split(),
    "Japanese": "フェリー は 古い 港 を 六時 に 出る 冬も はい".split(),
    "English": "the ferry leaves an old harbour at six in winter".split(),
}
GENERIC = {"Chinese": "我不知道。", "Japanese": "わかりません。", "English": "I don't know."}
TOKENIZER = {"Chinese": "zh", "Japanese": "ja-mecab"}
# What each verb says once that cuts texts into words by default.
SEPARATION = {
    "score": "does not separate the words of",
    "compare": "does not separate the words of",
    "correlate": "does not separate the words of",
    "audit": "does not separate the words of",
    "mine": "does not separate the words of",
    "train vectors": "language 'en' does not separate the words of",
}
SLOW = ("train ruber", "train responder", "sweep", "mark", "annotate serve")
WITHOUT = ("recipe tao2018",)  # the model that it scores with knows English words alone
VERBS = [verb for verb, entry in LADDER.items() if isinstance(entry, Entry) and verb not in WITHOUT]


def spoken(language):
    """In the place of ``ladder_data.texts``: four words, in Chinese and Japanese without spaces."""
    words = np.array(WORDS[language])

    def texts(items, seed):
        drawn = np.random.default_rng(seed).integers(0, len(words), (items, 4))
        parts = words[drawn].tolist()
        return ["".join(each) + "。" if language != "English" else " ".join(each) for each in parts]

    return texts


@pytest.fixture
def speak(monkeypatch):
    def take(language):
        monkeypatch.setattr(ladder_data, "texts", spoken(language))
        monkeypatch.setattr(ladder_data, "GENERIC", GENERIC[language])

    return take


@pytest.mark.parametrize(
    ("verb", "language"),
    [  # every verb in one of both by default
        pytest.param(
            verb, language, marks=[pytest.mark.slow] * (verb in SLOW or (number + place) % 2)
        )
        for number, verb in enumerate(VERBS)
        for place, language in enumerate(("Chinese", "Japanese"))
    ],
)
def test_every_verb(verb, language, speak, command, tmp_path):
    entry = LADDER[verb]
    assert isinstance(entry, Entry)
    for name in entry.needs:
        pytest.importorskip(name)
    speak(language)
    rung = Rung(tmp_path, max(9, entry.least[0]), 2)
    said = []
    for line in entry.lines(rung):
        answer = command(*verb.split(), *line.words)
        assert check(verb, entry, rung, line, *answer, False), answer
        said.append(" ".join("".join(answer[1:]).split()))
    if verb in SEPARATION:
        # One note for each way of cutting, which counts the replies and names what to take.
        assert any(SEPARATION[verb] in each and language in each for each in said), said
    else:
        assert all("does not separate" not in each or language in each for each in said), said


@pytest.mark.parametrize("verb", SEPARATION)
def test_nothing_is_said_of_english(verb, speak, command, tmp_path):
    entry = LADDER[verb]
    assert isinstance(entry, Entry)
    for name in entry.needs:
        pytest.importorskip(name)
    speak("English")
    for line in entry.lines(Rung(tmp_path, 9, 2)):
        _, out, err = command(*verb.split(), *line.words)
        assert "separate the words" not in out + err


@pytest.mark.parametrize("language", ["Chinese", "Japanese"])
def test_the_tokenizer_that_is_named_ends_the_note(language, speak, command, tmp_path):
    speak(language)
    rung = Rung(tmp_path, 9, 2)
    words = ["score", rung.testset(), rung.responses()]
    _, out, _ = command(*words, "-m", "bleu", "-m", "rougeL", "-m", "sbleu")
    text = " ".join(out.split())
    notes = [each for each in text.split("note: ") if "so these scores mean little" in each]
    # 13a of BLEU and sentence BLEU, and that of ROUGE: two notes, not one for each metric or reply.
    assert len(notes) == 2
    assert all(re.search(r"of 1[78] of 1[78] replies", each) for each in notes), notes
    assert all(f"set tokenizer={TOKENIZER[language]} or tokenizer=char" in each for each in notes)
    chosen = "zh" if language == "Chinese" else "char"
    _, out, _ = command(
        *words, "-m", f"bleu:tokenizer={chosen}", "-m", f"rougeL:tokenizer={chosen}"
    )
    assert "mean little" not in " ".join(out.split())
