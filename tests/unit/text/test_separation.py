"""Texts of a corpus that lose their words, and the notes of trainings and retrieval about them."""

from __future__ import annotations

import pytest

import rejoinder
from rejoinder.models.ruber.data.conversations import Conversations
from rejoinder.responders.replies import respond
from rejoinder.text.scripts import suited
from rejoinder.text.separation import language_notes, lost_words

CHINESE = [
    "今天天气怎么样？", "今天天气很好。", "你想喝茶还是咖啡？", "我想喝咖啡。",
    "火车几点开？", "火车上午九点开。", "你昨天去哪儿了？", "我昨天去图书馆看书了。",
]  # fmt: skip
ENGLISH = ["How is the weather?", "It is fine.", "Tea or coffee?", "Coffee, please.", "Naïve ☕ 😀"]


def corpus(texts):
    pairs = list(zip(texts[::2], texts[1::2], strict=False))
    return rejoinder.TestSet.from_lists([[b] for _, b in pairs], contexts=[[a] for a, _ in pairs])


def test_one_note_names_how_many_texts_lose_their_words():
    (note,) = language_notes([*CHINESE, *ENGLISH], "en")
    # The English texts are in no script without spaces.
    assert "of 8 of 8 utterances" in note
    assert note.endswith(
        "(Chinese), so that whole sentences are words; give language= 'zh' or 'char'"
    )
    assert language_notes(CHINESE, "char") == []
    assert language_notes(ENGLISH, "en") == []
    assert language_notes([], "en") == []


def test_in_many_texts_two_are_enough():
    one, two = [CHINESE[0], *ENGLISH * 5], [*CHINESE[:2], *ENGLISH * 5]
    assert language_notes(one, "en") == []
    assert "of 2 of 2 utterances" in language_notes(two, "en")[0]


def test_of_many_texts_500_are_examined():
    found = lost_words(CHINESE * 200, lambda texts: [1] * len(texts))
    assert found is not None
    assert (found.number, found.unspaced, found.examined) == (400, 400, " examined")


def test_retrieval_names_the_tokenizer_and_takes_another():
    asked = rejoinder.TestSet.from_lists([["x"]], contexts=[["天气很好吗？"]])
    whole = respond("retrieval", asked, corpus=corpus(CHINESE))
    assert [note.split(" of the corpus")[0] for note in whole.notes] == [
        "the tokenizer '13a' does not separate the words of 4 of 4 messages",
        "1 messages share no word with the corpus; they got its most frequent reply",
    ]
    cut = respond("retrieval", asked, corpus=corpus(CHINESE), tokenizer="zh")
    assert cut.notes == ()
    assert cut.table["text"].to_list() == ["今天天气很好。"]
    assert respond("retrieval", asked, corpus=corpus(ENGLISH)).notes == (
        "1 messages share no word with the corpus; they got its most frequent reply",
    )


def test_a_tokenizer_without_effect_is_refused():
    asked = rejoinder.TestSet.from_lists([["x"]], contexts=[["天气很好吗？"]])
    with pytest.raises(rejoinder.errors.ParameterError, match="tokenizer: only retrieval"):
        respond("random", asked, corpus=corpus(CHINESE), tokenizer="zh")
    with pytest.raises(rejoinder.errors.ParameterError, match="tokenizer 'zz' is unknown"):
        respond("retrieval", asked, corpus=corpus(CHINESE), tokenizer="zz")


def test_trainings_say_that_the_language_does_not_separate_words(tmp_path):
    pytest.importorskip("gensim")
    trained = rejoinder.train_vectors(corpus(CHINESE), tmp_path / "v", width=4, min_count=1)
    assert "language 'en' does not separate the words of 8 of 8 utterances" in trained.notes[0]
    again = rejoinder.train_vectors(corpus(CHINESE), tmp_path / "v", width=4, min_count=1)
    assert len(again.notes) == 2
    assert (trained.trained, again.trained) == (True, False)
    assert "language 'en' does not" in Conversations.of(corpus(CHINESE), 1).notes[0]
    assert Conversations.of(corpus(CHINESE), 1, "char").notes == ()
    assert Conversations.of(corpus(ENGLISH), 1).notes == ()


def test_korean_has_a_tokenizer_of_its_own():
    replies = ["기차는 아홉 시에 출발해요", "오늘은 날씨가 아주 좋아요"] * 3
    score = rejoinder.metrics.ROUGE("L").corpus(replies, [["오늘은 날씨가 좋아요"]] * 6)
    (note,) = score.notes
    assert "6 of 6 replies" in note
    assert note.endswith(
        "set tokenizer=ko-mecab or tokenizer=intl or tokenizer=char, as in metrics=METRIC:tokenizer=ko-mecab"
    )
    # Blanks separate the words, and BLEU says nothing.
    assert rejoinder.metrics.BLEU().corpus(replies, [["오늘은 날씨가 좋아요"]] * 6).notes == ()
    assert suited("Thai", ("13a", "zh", "char")) == ["char"]
