"""Words for word vectors: one list for every way in which corpora write the same."""

import time

import pytest

from rejoinder.errors import ParameterError
from rejoinder.text.words import LANGUAGES, cutter, words
from shared_data import shared

# Each row is one utterance as different corpora write it.
SAME = [
    ["i 'll", "I'll", "I’ll", "I ' ll", "I ’ LL", "i 'll", "I`ll", "I\u00a0’\u2009ll"],
    ["do n't", "don't", "don ’ t", "don 't", "do n't", "do n ' t", "DON’T"],
    ["ca n't", "can't", "can ’ t", "ca n't"],
    ["can not", "cannot", "Can not"],
    ["they 're", "they're", "they ’ re", "They 're"],
    ["you 've", "you ’ Ve", "you've", "you 've"],
    ["<numbers> 's", "<numbers> ' s", "<NUMBERS>'s"],
    ["'em all", "' em all", "’em all"],
    ["o'clock", "o ' clock", "o’clock", "o 'clock", "o' clock"],
    ["ma'am", "ma ’ am", "ma'am"],
    ["would n't 've", "wouldn't've", "wouldn ’ t ’ ve"],
    ['" hi "', "“hi”", "``hi''", "« hi »", '"hi"'],
    ["' hi '", "'hi'", "‘ hi ’"],
    ["dogs ' house", "dogs' house", "dogs ’ house"],
    ["part time", "part-time", "part - time", "part–time", "part — time"],
    ["well ...", "well..........", "well . . . .", "well…", "well ……"],
    ["what ? !", "what???!!!", "what ? ? !"],
    ["u . s .", "U.S.", "u . s ."],
    ["see <url> ok", "see https://a.b/c?d=e_f ok", "see www.x.org ok", "see __url__ ok"],
    ["see <url> ok", "see <link> ok", "see <url> ok"],
    ["q & a >", "q &amp; a &gt;", "Q & A >"],
    ["naïve café", "nai\u0308ve cafe\u0301", "NAÏVE Café"],
    ["abc 12", "ＡＢＣ　１２", "a\u00adbc 1\u200b2"],
    ["emphasis now", "_emphasis_ now", "__emphasis__ now"],
    ["1,000 at 8:30 for 3.50", "1,000 at 8:30 for 3.50"],
    ["हिन्दी में", "हिन्दी में"],
    ["🙂", "🙂🙂🙂", "🙂\ufe0f 🙂"],
    ["brown ' table", "brown ' table"],
]


@pytest.mark.parametrize("row", SAME, ids=lambda row: row[0])
def test_one_list_for_every_way_of_writing(row):
    expected = row[0].split()
    for text in row[1:]:
        assert words(text) == expected, text


def test_hundreds_of_dots_are_one_word():
    assert words("." * 700) == ["..."]
    assert words(" ".join("." * 700)) == ["..."]


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_has_no_words(language):
    for text in ("", " ", "\n\t\u3000 "):
        assert words(text, language) == []


def test_what_was_cut_is_cut_alike_again():
    for row in SAME:
        for text in row:
            once = words(text)
            assert words(" ".join(once)) == once


def test_characters_and_blanks():
    assert words("为什么 OK？……", "char") == ["为", "什", "么", "o", "k", "?", "..."]
    assert words("Don't  Change a-b .", "none") == ["Don't", "Change", "a-b", "."]


def test_chinese_by_jieba():
    pytest.importorskip("jieba")
    assert words("我喜欢北京。。。真的", "zh") == ["我", "喜欢", "北京", "。", "真的"]
    assert words("看 http://a.b 吧……", "zh") == ["看", "<url>", "吧", "..."]


def test_an_unknown_language_is_told():
    with pytest.raises(ParameterError, match="language 'tlh' is unknown; choose 'en', 'zh'"):
        words("nuqneH", "tlh")


def test_a_word_that_never_ends_takes_no_time():
    # No pattern may walk back over and over: 200,000 characters each, well within a second.
    start = time.process_time()
    for text in ("a" * 200_000, "'" * 200_000, "n' " * 70_000, "a-" * 100_000, "._" * 100_000):
        words(text)
    assert time.process_time() - start < 10


def test_every_corpus_of_ours_is_cut_without_rest():
    # Whatever stands in real replies comes out as words without blanks, case or curly quotes.
    path = shared("data", "dailydialog-multiref", "hredf.txt")
    cut = cutter("en")
    found = {word for line in path.read_text(encoding="utf-8").splitlines() for word in cut(line)}
    assert {"n't", "'s", "'ll", "'m", "unk"} <= found
    for word in found:
        assert word
        assert word == word.lower()
        assert not set(word) & set(" ’‘`“”_")
