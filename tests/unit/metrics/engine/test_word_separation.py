"""A note beside every metric whose tokenizer does not separate the words of the replies."""

import json
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejoinder import TestSet, load_scores, score
from rejoinder.cli.app import run
from rejoinder.errors import MissingExtraError
from rejoinder.metrics import BLEU, METEOR, EmbeddingAverage, registry
from rejoinder.metrics.engine.word_separation import SHARE, SHORT, ReplySample, separation_notes
from rejoinder.metrics.meteor_scorer import command
from rejoinder.text.scripts import unspaced_candidates
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import TOKENIZERS

CHINESE = [
    "我们明天去公园散步吧。",
    "我不知道你在说什么。",
    "好的，明天下午见！",
    "这家饭馆的菜很好吃。",
]
JAPANESE = [
    "すみません、もう一度お願いします。",
    "駅の前で会いましょう。",
    "とても楽しかったです。",
]
THAI = ["พรุ่งนี้เราไปเดินเล่นกันเถอะ", "ฉันไม่รู้ว่าคุณพูดอะไร", "อาหารร้านนี้อร่อยมาก"]
KHMER = ["ខ្ញុំមិនយល់អ្វីទេ", "តោះយើងទៅដើរលេងថ្ងៃស្អែក"]
MIXED = ["我在学 Python 这门很难的语言", "这个 API 的文档写得不太清楚"]
EMOJI = ["😀😀🎉🎉👍🏽👍🏽", "😂😂😂😂😂😂"]
RUSSIAN = ["Я не знаю, что вы имеете в виду.", "Давайте завтра пойдём в парк!"]
ENGLISH = ["Let's take a walk in the park tomorrow!", "Absolutely.", "I don't know 😀", "Yes"]
FRENCH = ["Ça m'a beaucoup plu, merci !", "Où êtes-vous né ?"]

WITH_TOKENIZER = [name for name in registry.METRICS if hasattr(registry.metric(name), "tokenizer")]


def notes(metric, texts):
    return separation_notes(registry.metric(metric), ReplySample(Strings.of(texts)))


def advised(note):
    """The values of the parameter that a note names."""
    advice, _, typed = note.partition(", as in ")
    names = re.findall(r"tokenizer=([\w-]+)", advice)
    assert not typed or typed == f"metrics=METRIC:tokenizer={names[0]}"
    return names


def test_the_metrics_with_a_tokenizer_are_these():
    assert set(WITH_TOKENIZER) >= {"bleu", "deltableu", "sbleu", "ambleu", "rouge1", "rougeL"}
    assert set(WITH_TOKENIZER) >= {"distinct", "entropy", "length"}


@pytest.mark.parametrize("name", WITH_TOKENIZER)
@pytest.mark.parametrize(
    ("texts", "script", "tokenizers"),
    [
        (CHINESE, "Chinese", ["zh", "char"]),
        (MIXED, "Chinese", ["zh", "char"]),
        (JAPANESE, "Japanese", ["ja-mecab", "char"]),
        (THAI, "Thai", ["char"]),
        (KHMER, "Khmer", ["char"]),
        (EMOJI, "emoji", ["char"]),
    ],
)
def test_every_metric_with_a_tokenizer_names_one_that_suits_the_script(
    name, texts, script, tokenizers
):
    (note,) = notes(name, texts)
    assert f"{len(texts)} of {len(texts)} replies" in note
    assert script in note
    assert advised(note) == tokenizers
    assert set(tokenizers) <= set(TOKENIZERS)
    assert notes(f"{name}:tokenizer=char", texts) == []  # the advice helps


@pytest.mark.parametrize("name", WITH_TOKENIZER)
@pytest.mark.parametrize("texts", [ENGLISH, FRENCH, [], [""], ["", "ok"]])
def test_text_with_spaces_has_no_note(name, texts):
    assert notes(name, texts) == []


@pytest.mark.parametrize("name", ["rouge1", "rouge2", "rougeL"])
def test_rouge_drops_every_letter_that_is_not_ascii(name):
    (note,) = notes(name, RUSSIAN)
    assert "keeps only a-z and 0-9" in note
    assert advised(note) == ["intl", "none"]
    for tokenizer in advised(note):
        assert notes(f"{name}:tokenizer={tokenizer}", RUSSIAN) == []
    assert notes("bleu", RUSSIAN) == []


def test_zh_separates_chinese():
    assert notes("bleu:tokenizer=zh", CHINESE) == []
    assert notes("rougeL:tokenizer=zh", CHINESE) == []


def test_meteor_and_embeddings_are_told_too():
    for metric, remedy in (
        (METEOR(normalize=False), "set normalize=true"),
        (EmbeddingAverage(), "set language=zh or language=char"),
    ):
        (note,) = separation_notes(metric, ReplySample(Strings.of(CHINESE)))
        assert remedy in note
        assert separation_notes(metric, ReplySample(Strings.of(ENGLISH))) == []
    characters = EmbeddingAverage(language="char")
    assert separation_notes(characters, ReplySample(Strings.of(CHINESE))) == []
    assert notes("chrf", CHINESE) == []  # these two compare characters
    assert notes("meteor", CHINESE) == []


def test_a_fifth_of_the_replies_is_enough_and_less_is_not():
    # Russian under ROUGE: a script with spaces, so that the rule of few replies has no say.
    assert notes("rougeL", RUSSIAN[:1] + ["so it is"] * 4)
    assert not notes("rougeL", RUSSIAN[:1] + ["so it is"] * 5)


@pytest.mark.parametrize(
    ("lost", "others", "noted"),
    [
        (1, 18, True),  # 1 of 19: one is enough in a test set of fewer than 20
        (1, 19, False),  # 1 of 20
        (2, 18, True),  # 2 of 20
        (2, 5_000, True),  # two are enough, however many others there are
    ],
)
@pytest.mark.parametrize("metric", ["bleu", "rougeL", "average"])
def test_a_few_replies_in_a_script_without_spaces_are_enough(metric, lost, others, noted):
    found = notes(metric, ENGLISH[:1] * (others - 5) + CHINESE[:lost] + ["so it is"] * 5)
    assert len(found) == noted
    if noted:
        assert f" {lost} of {lost + others} replies (Chinese text has no spaces" in found[0]
        assert "the scores of these replies mean little" in found[0]


@pytest.mark.parametrize("texts", [["不知道。", "好的。"], ["ไม่รู้", "ครับ"], ["いいよ", "はい"]])
def test_rouge_drops_short_replies_too(texts):
    (note,) = notes("rougeL", [*texts, *["so it is"] * 28])
    assert "2 of 30 replies" in note
    assert notes("rougeL:tokenizer=char", [*texts, *["so it is"] * 28]) == []


@pytest.mark.parametrize("metric", ["bleu", "rougeL", "distinct", "average"])
@pytest.mark.parametrize(
    "odd",
    [
        ["so “nice” – it’s", "naïve café…"],
        ["😀😀🎉🎉👍🏽👍🏽", "❤️❤️❤️❤️❤️❤️"],
        ["https://example.org/a/b?c=d", "www.example.com/今天天气很好/and/more/english/words"],
        ["¯\\_(ツ)_/¯", "ヽ(ツ)ノ"],
        [
            "He wrote 今天天气很好 and left the room",
            "the sign says すみません in front of the shop",
        ],
        ["Ок.", "да"],
    ],
)
def test_other_replies_beyond_ascii_are_no_false_alarm(metric, odd):
    assert notes(metric, [*odd, *["so it is"] * 38]) == []


def test_items_count_not_the_replies_of_several_systems():
    texts = CHINESE[:1] + ["so it is"] * 29
    bleu = registry.metric("bleu")
    assert separation_notes(bleu, ReplySample(Strings.of(texts), items=10))
    assert not separation_notes(bleu, ReplySample(Strings.of(texts), items=30))


def test_one_system_of_six_that_answers_in_chinese_is_noted():
    english = ["so it is"] * 30
    system = [*CHINESE[:4], "不知道。", *english[5:]]
    references = [[text] for text in system]
    found = BLEU().corpus(system, references).notes
    assert len(found) == 1
    testset = TestSet.from_lists(references)
    table = pl.concat(
        pl.DataFrame({"system": [name] * 30, "id": testset.ids, "text": texts})
        for name, texts in [("same", system), *((f"e{k}", english) for k in range(5))]
    )
    found = score(testset, table, ["rougeL"], resamples=0).notes
    assert sum("5 of 180 replies" in note for note in found) == 1


def test_one_system_of_three_whose_replies_hold_chinese_is_named():
    mixed = ["今天天气很好，but tomorrow it will rain"] * 2 + ["so it is"] * 6
    systems = {"b": ["so it is"] * 8, "a": mixed, "c": ["so it is"] * 8}
    testset = TestSet.from_lists([["so it is"]] * 8)
    said = "does not separate the words of 2 of 8 replies of 5 characters or more of 'a' (Chinese"
    for notes in (
        score(testset, systems, ["bleu"], resamples=0).notes,
        BLEU().corpora(systems, [["so it is"]] * 8)["c"].notes,
    ):
        (note,) = [each for each in notes if said in each]
        assert advised(note) == ["zh", "char"]
    many = {name: texts * 100 for name, texts in systems.items()}
    (note,) = BLEU().corpora(many, [["so it is"]] * 800)["c"].notes
    assert " of 166 replies examined of 5 characters or more of 'a'" in note


def test_many_replies_in_such_scripts_among_more_others_are_sampled():
    (note,) = notes("bleu", CHINESE * 250 + ["so it is"] * 9_000)
    assert "500 of 500 replies examined in such scripts" in note


def test_characters_of_every_script_are_candidates():
    for texts in (CHINESE, JAPANESE, THAI, KHMER, MIXED, ["ລາວ", "བོད་", "မြန်မာ", "ﾊﾝｶｸ"]):
        assert unspaced_candidates(Strings.of(texts)).tolist() == list(range(len(texts)))
    assert unspaced_candidates(Strings.of([*FRENCH, *RUSSIAN, "", "😀", "“so”…"])).size == 0
    assert unspaced_candidates(Strings.of([])).size == 0


def test_of_many_replies_500_are_examined():
    (note,) = notes("bleu", CHINESE * 10_000)
    assert "500 of 500 replies examined of 5 characters or more" in note


def texts_as_testset(texts):
    return TestSet.from_lists([[text] for text in texts])


def as_responses(texts):
    return pl.DataFrame(
        {"system": ["s"] * len(texts), "id": texts_as_testset(texts).ids, "text": texts}
    )


def test_scores_hold_the_note_and_keep_it_in_a_file(tmp_path):
    scores = score(
        texts_as_testset(CHINESE), as_responses(CHINESE), ["bleu", "sbleu", "chrf"], resamples=0
    )
    (note,) = [each for each in scores.notes if "does not separate" in each]
    assert note.startswith("BLEU-2, sBLEU-2: the tokenizer '13a' does not separate the words")
    scores.save(tmp_path / "s.parquet")
    assert note in load_scores(tmp_path / "s.parquet").notes


def test_a_corpus_score_holds_the_note():
    references = [[text] for text in CHINESE]
    (note,) = BLEU().corpus(CHINESE, references).notes
    assert "tokenizer=zh" in note
    assert BLEU(tokenizer="char").corpus(CHINESE, references).notes == ()
    assert BLEU().corpus(ENGLISH, [[text] for text in ENGLISH]).notes == ()


def test_blocks_hold_the_note(tmp_path):
    from rejoinder.scoring.blocks import score_parquet

    ids = [str(k) for k in range(len(CHINESE))]
    pl.DataFrame({"id": ids, "references": [[text] for text in CHINESE]}).write_parquet(
        tmp_path / "t.parquet"
    )
    pl.DataFrame({"id": ids, "text": CHINESE}).write_parquet(tmp_path / "s.parquet")
    scores = score_parquet(
        tmp_path / "t.parquet", [tmp_path / "s.parquet"], ["bleu"], block=2, resamples=0
    )
    assert "tokenizer=zh" in scores.notes[0]


def test_the_command_line_prints_the_note_and_json_holds_it(tmp_path, capsys):
    rows = [{"id": str(k), "context": ["嗯"], "references": [t]} for k, t in enumerate(CHINESE)]
    answers = [{"id": str(k), "text": text} for k, text in enumerate(CHINESE)]
    for name, lines in (("t", rows), ("s", answers)):
        text = "".join(json.dumps(each) + "\n" for each in lines)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    given = ["score", str(tmp_path / "t.jsonl"), str(tmp_path / "s.jsonl"), "-m", "rougeL"]
    assert run(given) == 0
    streams = capsys.readouterr()
    said = " ".join((streams.out + streams.err).split())
    assert "set tokenizer=zh or tokenizer=char, as in --metric METRIC:tokenizer=zh" in said
    assert run([*given, "--json"]) == 0
    assert "set tokenizer=zh or tokenizer=char" in capsys.readouterr().out


@pytest.mark.slow  # two starts of Java
def test_meteor_separates_characters_where_it_normalizes():
    try:
        command("en", normalize=True)
    except MissingExtraError as error:
        pytest.skip(str(error))
    for normalize, expected in ((True, 11.0), (False, 1.0)):  # 10 characters and a full stop
        score = METEOR(normalize=normalize).corpus(CHINESE[:1], [CHINESE[:1]])
        assert score.parts["hypothesis_length"] == expected
        assert (score.notes == ()) == normalize


@given(st.lists(st.text(alphabet="ab  \n\té今", max_size=40), max_size=12))
def test_the_quick_look_at_bytes_leaves_out_no_sample_that_the_texts_ask_for(texts):
    long = [text for text in texts if len("".join(text.split())) >= SHORT]
    examined = sum(not text.isascii() for text in long) >= SHARE * max(1, len(long))
    assert ReplySample(Strings.of(texts)).texts == (long if examined else [])
