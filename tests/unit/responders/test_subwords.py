"""Subwords: SentencePiece is the oracle of the tokenizer that is made of its model."""

import json
import unicodedata

import pytest

pytest.importorskip("transformers")

from corpora import little_corpus

from rejoinder.errors import ParameterError
from rejoinder.responders import subwords
from rejoinder.tables.dialogues import adjacent_pairs
from rejoinder.tables.testset import read_testset
from shared_data import shared


def both(monkeypatch, texts, size):
    """The tokenizer, and the SentencePiece model that it came from."""
    held = []
    made = subwords._as_fast
    monkeypatch.setattr(subwords, "_as_fast", lambda model: held.append(model) or made(model))
    return subwords.train_subwords(texts, size), held[0]


def test_same_subwords_as_sentencepiece(monkeypatch):
    corpus = little_corpus()
    tokenizer, model = both(monkeypatch, corpus.sources + corpus.targets, 120)
    # The last ones: unknown characters, a full-width letter (NFKC), runs of blanks, nothing.
    for text in [*corpus.targets, "Zebra & 7 ünder", "ＡＢ soup", "  tea   at the park ", ""]:
        expected = model.encode(unicodedata.normalize("NFKC", text))
        assert tokenizer(text).input_ids == [*expected, subwords.EOS], text


def test_same_subwords_as_sentencepiece_on_dailydialog(monkeypatch):
    path = shared("data", "dailydialog", "validation.zip")
    texts = adjacent_pairs(read_testset(path)).targets
    tokenizer, model = both(monkeypatch, texts, 4000)
    ids = tokenizer(texts).input_ids
    expected = model.encode([unicodedata.normalize("NFKC", text) for text in texts])
    assert [row[:-1] for row in ids] == expected


def test_special_symbols(tmp_path):
    corpus = little_corpus()
    tokenizer = subwords.train_subwords(corpus.sources, 100)
    names = ["bos_token_id", "pad_token_id", "eos_token_id", "unk_token_id"]
    assert [getattr(tokenizer, name) for name in names] == [0, 1, 2, 3]
    # "</s>" in an utterance is text: only the end that the tokenizer adds ends anything.
    assert tokenizer("tea </s> soup").input_ids.count(subwords.EOS) == 1
    files = subwords.tokenizer_files(tokenizer)
    assert (
        json.loads(files["tokenizer_config.json"])["tokenizer_class"] == "PreTrainedTokenizerFast"
    )
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    again = subwords.load_tokenizer(tmp_path)
    text = corpus.sources[0]
    assert again(text).input_ids == tokenizer(text).input_ids
    assert again.decode(again(text).input_ids, skip_special_tokens=True) == text
    assert again(["tea", "tea at the park"], padding=True).input_ids[0][-1] == subwords.PAD


def test_a_vocabulary_that_does_not_suit_is_one_message(capfd):
    with pytest.raises(ParameterError, match="5000 subwords do not suit"):
        subwords.train_subwords(["a b c"], 5000)
    with pytest.raises(ParameterError, match="8 or more"):
        subwords.train_subwords(["a b c"], 3)
