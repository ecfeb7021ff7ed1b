"""From a corpus to a folder, from the folder to replies and lists, and on from a kept alignment."""

import os
import stat
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import rejoinder
from rejoinder.corpora.pairs import Pairs
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.content import folder_hash
from rejoinder.models.training.folder import FINISHED, read_folder
from rejoinder.responders.phrase import alignment
from rejoinder.responders.phrase.alignment import WordNumbers
from rejoinder.responders.phrase.phrases import PHRASE_FEATURES, phrase_table
from rejoinder.responders.phrase.trained import FEATURES, PhraseResponder
from rejoinder.tables.nbest_lists import NBestLists
from rejoinder.tables.testset import TestSet
from rejoinder.training.responder import train_responder
from tiny_corpora import little_corpus

SETTINGS = {"kind": "phrase", "external": 0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "phrase"
    train_responder(little_corpus(), path, validation=little_corpus(), **SETTINGS)
    return path


def _items():
    return TestSet.from_lists(
        [["Yes, the park has tea."], ["Then go back."]],
        contexts=[["Is there tea at the park?"], ["I left my soup at the market."]],
    )


def test_the_folder_is_all_there_is(folder):
    assert [path.name for path in folder.parent.iterdir()] == ["phrase"]
    names = {"config.json", "model.npz", "source.txt", "target.txt"}
    assert {path.name for path in folder.iterdir()} == names
    record = read_folder(folder).record
    (log,) = record.log
    assert record.kind == "phrase-responder"
    assert log["aligner"] == "hmm"
    assert log["extracted"] == log["chance"] + log["copies"] + log["phrase_pairs"]
    assert 1 < log["perplexity"] < 10


def test_it_replies_in_the_words_of_the_corpus(folder):
    replies = rejoinder.respond(folder, _items())
    assert replies.table.columns == ["system", "id", "text"]
    assert [text.split()[0] for text in replies.table["text"]] == ["Yes,", "Then"]
    assert replies.hash == folder_hash(folder)


def test_its_lists_are_what_tune_reads_and_weights_rank_them(folder):
    lists = rejoinder.respond(folder, _items(), nbest=5).table
    read = NBestLists.of(lists)
    assert read.features() == list(FEATURES)
    assert np.diff(read.bounds).tolist() == [5, 5]
    short = rejoinder.respond(
        folder, _items(), weights={"words": -1.0, "language_model": 0.1}
    ).table
    assert short["text"].str.len_chars().max() < lists["text"].str.len_chars().max()


def test_what_has_no_effect_is_refused(folder):
    with pytest.raises(ParameterError, match="phrase-based"):
        rejoinder.respond(folder, _items(), length_penalty=0.5)
    with pytest.raises(ParameterError, match="phrase-based"):
        rejoinder.respond("random", _items(), corpus=little_corpus(), nbest=2)
    for given, message in (
        ({"device": "cpu"}, "device"),
        ({"layers": 2}, "unknown setting; choose 'phrase', 'order'"),
        ({"phrase": 9}, "phrase: got 9; expected 1 to 7"),
    ):
        with pytest.raises(ParameterError, match=message):
            train_responder(little_corpus(), "none", **SETTINGS, **given)


def test_a_finished_model_is_left_and_another_refused(folder):
    again = train_responder(little_corpus(), folder, validation=little_corpus(), **SETTINGS)
    assert again.notes == (FINISHED,)
    with pytest.raises(InputError, match="order"):
        train_responder(little_corpus(), folder, validation=little_corpus(), order=2, **SETTINGS)


def test_an_interrupted_training_leaves_nothing_and_is_repeated(folder, tmp_path):
    def stop(done, total, words):
        if words.startswith("extracting"):
            raise KeyboardInterrupt

    given = {**SETTINGS, "validation": little_corpus()}
    with pytest.raises(KeyboardInterrupt):
        train_responder(little_corpus(), tmp_path / "phrase", report=stop, **given)
    assert list(tmp_path.iterdir()) == []
    result = train_responder(little_corpus(), tmp_path / "phrase", **given)
    assert result.folder.hash == folder_hash(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["phrase"]


def test_a_corpus_of_chance_is_refused(tmp_path):
    corpus = Pairs(["1", "2"], ["tea ?", "rain ."], ["fine", "home"])
    with pytest.raises(InputError, match=r"0 copies\); .* association above 0 and below 0\.6931"):
        train_responder(corpus, tmp_path / "m", **SETTINGS)
    many = Pairs([str(k) for k in range(5)], ["a b"] * 5, ["c"] * 5)
    with pytest.raises(InputError, match=r"none of 0 phrase pairs of 5 pairs .* larger corpus$"):
        train_responder(many, tmp_path / "p", phrase=1, **SETTINGS)
    with pytest.raises(InputError, match="no pair is left"):
        train_responder(Pairs(["1"], [" "], ["x"]), tmp_path / "m", **SETTINGS)


def test_words_that_are_marks_are_left_out(folder, tmp_path):
    corpus = little_corpus()
    marked = Pairs(
        corpus.ids,
        [f"<s> {each}" for each in corpus.sources],
        [f"{each} <unk>" for each in corpus.targets],
    )
    result = train_responder(marked, tmp_path / "m", **SETTINGS)
    count = f"{len(corpus)} words left out that are marks of the language model"
    assert sum(count in note for note in result.notes) == 2
    for name in ("model.npz", "source.txt", "target.txt"):
        assert (result.folder.path / name).read_bytes() == (folder / name).read_bytes()


def test_notes_say_why_a_reply_is_empty_and_what_was_left_out(folder):
    items = TestSet.from_lists(
        [["x"]] * 3,
        contexts=[
            ["qqq zzz"],
            ["Is there tea at the park?"],
            ["<s> is there tea at the park? " * 63],
        ],
    )
    none = rejoinder.respond(folder, items, weights={"words": -99.0})
    assert none.notes == (
        "messages: 63 words left out that are marks of the language model ('<unk>', '<s>', '</s>')",
        "1 reply is empty: the search found no phrase of the message in the model",
    )


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_a_weight_that_is_not_finite_is_refused(folder, value):
    with pytest.raises(ParameterError, match=r"words: got (inf|nan); expected a finite number"):
        rejoinder.respond(folder, _items(), weights={"words": value})


def test_a_model_of_other_arrays_is_refused(folder, tmp_path):
    from rejoinder.models.training.folder import Record, write_folder

    record = read_folder(folder).record
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".json"}
    for changed in ({"target.txt": b"<unk>\n<s>\n</s>\n"}, {"model.npz": files["model.npz"][:999]}):
        write_folder(tmp_path / "m", Record(**vars(record)), None, files | changed)
        with pytest.raises(InputError, match="another version"):
            PhraseResponder.load(tmp_path / "m")


def test_features_of_a_phrase_pair_by_hand():
    # Message 0 1 | reply 7 8, twenty times, with the links 0-0 and 1-1; twenty other pairs 2 | 9.
    source = WordNumbers.of([[0, 1]] * 20 + [[2]] * 20)
    target = WordNumbers.of([[7, 8]] * 20 + [[9]] * 20)
    links = alignment.Links(np.arange(60), np.arange(60))
    same = np.array([-1, -1, -1, -1, -1, -1, -1, 0, -9, -8])  # 7 is the word 0, a copy
    table, pruned = phrase_table(source, target, links, same, 5)
    assert (pruned.extracted, pruned.chance, pruned.copies) == (4, 0, 1)
    words = np.split(table.words, table.starts[1:-1])
    (place,) = (k for k, each in enumerate(words) if each.tolist() == [7, 8])
    features = dict(zip(PHRASE_FEATURES, table.features[place], strict=True))
    # 0 1 | 7 8 share 0 of 0, 1 and 8: one change, cosine 1/2, Jaccard 1/3. All its words always go
    # together. 20 of 40 pairs have either phrase, p = 1 / C(40, 20).
    assert features["association"] == pytest.approx(25.6489, abs=1e-3)
    expected = {"phrase_forward": 0, "lexical_forward": 0, "phrase_backward": 0, "lexical_backward": 0,
                "phrases": 1, "words": 2, "edit_distance": 1, "cosine": 1 / 2, "jaccard": 1 / 3,
                "jaccard_distance": 2 / 3, "length_ratio": 1}  # fmt: skip
    assert {name: features[name] for name in expected} == pytest.approx(expected)


def test_an_aligner_and_lmplz_that_are_installed_are_used(monkeypatch, tmp_path):
    class Aligner:
        def align(self, source, target, links_filename_fwd, links_filename_rev, quiet):
            lines = [f"0-{len(each.split()) - 1}\n" for each in target]
            for path in (links_filename_fwd, links_filename_rev):
                Path(path).write_text("".join(lines))

    fake = type(sys)("eflomal")
    fake.Aligner = Aligner
    monkeypatch.setitem(sys.modules, "eflomal", fake)
    monkeypatch.setattr(alignment, "version", lambda name: "2.0.0")
    program = tmp_path / "bin" / "lmplz"
    program.parent.mkdir()
    rows = [
        "-1\t<unk>",
        "-99\t<s>\t0",
        "-1\t</s>",
        "-0.1\tyes\t0",
        "",
        "\\2-grams:",
        "-0.1\t<s> yes",
    ]
    head = ["\\data\\", "ngram 1=4", "ngram 2=2", "", "\\1-grams:"]
    lines = [*head, *rows, "-0.1\tyes </s>", "", "\\end\\", ""]
    (tmp_path / "model.arpa").write_text("\n".join(lines))
    program.write_text(f"#!/bin/sh\ncat > /dev/null\ncat {tmp_path / 'model.arpa'}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    result = train_responder(little_corpus(), tmp_path / "m", kind="phrase", association=0.1)
    (log,) = result.folder.record.log
    assert (log["aligner"], log["language_model"]) == ("eflomal 2.0.0", "lmplz")
    assert log["ngrams"][1] == 2


def test_responses_without_samples_are_written_as_before(tmp_path):
    from rejoinder.tables.write import write_responses

    frame = pl.DataFrame({"system": ["a"], "id": ["1"], "text": ["x"], "words": [2.0]})
    write_responses(frame, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "system,id,text,words\na,1,x,2.0\n"
