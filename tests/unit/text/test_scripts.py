"""Whether a tokenizer separated the words of a text."""

import pytest

from rejoinder.text.scripts import separated, suited, unspaced_script
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import tokenize


def counted(text, tokenizer):
    return int(tokenize(Strings.of([text]), tokenizer).lengths[0])


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("我们明天去公园散步吧", "Chinese"),
        ("我们明天去，好不好？", "Chinese"),
        ("好的，明天见！", "Chinese"),  # short runs, and one token all the same
        ("我在学 Python 这门很难的语言", "Chinese"),
        ("すみません、もう一度お願いします", "Japanese"),
        ("東京駅で会いましょう", "Japanese"),  # Chinese characters and kana
        ("พรุ่งนี้เราไปเดินเล่นกันเถอะ", "Thai"),
        ("ຂ້ອຍບໍ່ເຂົ້າໃຈເຈົ້າ", "Lao"),
        ("ខ្ញុំមិនយល់អ្វីទេ", "Khmer"),
        ("ကျွန်တော်နားမလည်ပါဘူး", "Burmese"),
        ("😀😀🎉🎉👍🏽👍🏽", "emoji"),
    ],
)
@pytest.mark.parametrize("tokenizer", ["13a", "none"])
def test_blanks_do_not_separate_the_words_of_these_scripts_and_char_does(text, script, tokenizer):
    assert unspaced_script(text) == script
    assert not separated(text, counted(text, tokenizer))
    assert separated(text, counted(text, "char"))
    assert "char" in suited(script, ["13a", "zh", "ja-mecab", "char"])


@pytest.mark.parametrize(
    "text",
    [
        "Absolutely!",
        "don't",
        "yes",
        "That's so good 😀😀😀",
        "Ça m'a beaucoup plu, merci.",
        "Спасибо, мне очень понравилось.",
        "Ευχαριστώ πολύ",
        "정말 재미있는 영화였어요",  # Korean writes spaces
        "شكرا جزيلا لك",
        "मुझे यह फिल्म पसंद आई",
        "你好",  # a single word
        "我们 明天 去 公园",  # separated beforehand
        "antidisestablishmentarianism",
        "...",
        "",
    ],
)
@pytest.mark.parametrize("tokenizer", ["13a", "none", "char"])
def test_text_with_spaces_is_separated_by_every_tokenizer(text, tokenizer):
    assert separated(text, counted(text, tokenizer))


def test_a_tokenizer_that_drops_more_than_half_of_the_words_does_not_separate_them():
    # 4 words; rouge-score's tokenizer keeps 'python' of them, or nothing.
    assert not separated("я пишу на python", 1)
    assert separated("я пишу на python", 2)
    assert not separated("спасибо", 0)
    assert separated("", 0)
    assert separated("  ", 0)
