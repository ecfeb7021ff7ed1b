"""Subwords: SentencePiece is the oracle of the tokenizer that is made of its model."""

import json
import re
import unicodedata

import pytest

pytest.importorskip("transformers")

from rejoinder.corpora.pairs import adjacent_pairs
from rejoinder.errors import ParameterError
from rejoinder.responders.seq2seq import subwords
from rejoinder.tables.testset import read_testset
from shared_data import shared
from tiny_corpora import little_corpus


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
    with pytest.raises(ParameterError, match="vocabulary=5000: 5000 sub") as told:
        subwords.train_subwords(["a b c"], 5000)
    most = int(re.search(r"at most (\d+)", str(told.value))[1])
    assert len(subwords.train_subwords(["a b c"], most)) == most
    with pytest.raises(ParameterError, match=f"from 8 to {most}"):
        subwords.train_subwords(["a b c"], most + 1)
    # The word's start, eight letters and four special symbols.
    with pytest.raises(ParameterError, match=r"whose characters alone are 13; give 13 or more"):
        subwords.train_subwords(["abcd efgh"], 12)
    with pytest.raises(ParameterError, match="it holds no text"):
        subwords.train_subwords([""], 12)
    with pytest.raises(ParameterError, match="8 or more"):
        subwords.train_subwords(["a b c"], 3)
