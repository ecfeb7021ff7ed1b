"""Word vectors: trained, read from every format, saved and found again; gensim is the oracle."""

import gzip
import json
import os

import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.files.content import content_hash
from rejoinder.models.vectors.word2vec import word2vec
from rejoinder.models.vectors.word_vectors import WordVectors

WORDS = ["the", "café", "n't", "北京", ".", "rare-word"]
MATRIX = np.random.default_rng(4).normal(size=(6, 5)).astype(np.float32)


def gensim_vectors():
    models = pytest.importorskip("gensim.models")
    vectors = models.KeyedVectors(vector_size=5)
    vectors.add_vectors(WORDS, MATRIX)
    return models.KeyedVectors, vectors


def assert_is_ours(vectors, atol=0.0):
    assert list(vectors.words) == WORDS
    assert vectors.matrix.dtype == np.float32
    np.testing.assert_allclose(vectors.matrix, MATRIX, rtol=0, atol=atol)


@pytest.mark.parametrize("read", [WordVectors.load, content_hash])
def test_a_pipe_or_a_device_is_refused_and_not_waited_for(tmp_path, read):
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", "/dev/zero"):
        with pytest.raises(InputError, match="a pipe or a device, which cannot be read twice"):
            read(path)


@pytest.mark.parametrize("binary", [False, True])
def test_word2vec_files_of_gensim(tmp_path, binary):
    _, theirs = gensim_vectors()
    path = tmp_path / "vectors.bin"
    theirs.save_word2vec_format(str(path), binary=binary)
    assert_is_ours(WordVectors.load(path), atol=1e-7)


# gensim leaves the file open where there is no header.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_we_read_is_what_gensim_reads(tmp_path):
    keyed, _ = gensim_vectors()
    path = tmp_path / "glove.txt"
    lines = [
        f"{word} " + " ".join(f"{x:.5f}" for x in row)
        for word, row in zip(WORDS, MATRIX, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    theirs = keyed.load_word2vec_format(str(path), binary=False, no_header=True)
    ours = WordVectors.load(path)
    assert ours.words == theirs.index_to_key
    np.testing.assert_array_equal(ours.matrix, theirs.vectors)


def test_fasttext_with_trailing_blanks_a_repeated_word_and_gzip(tmp_path):
    text = "3 2\n, 0.1 0.2 \nthe 1 2 \n, 9 9 \n"
    path = tmp_path / "wiki.vec.gz"
    path.write_bytes(gzip.compress(text.encode()))
    vectors = WordVectors.load(path)
    assert vectors.words == [",", "the"]  # the first of two counts, as in gensim
    np.testing.assert_array_equal(vectors.matrix, np.array([[0.1, 0.2], [1, 2]], np.float32))


def test_a_word_of_glove_may_hold_blanks(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text("at 1 2 3\n. . . 4 5 6\n", encoding="utf-8")
    assert WordVectors.load(path).words == ["at", ". . ."]


def test_binary_vectors_with_line_ends(tmp_path):
    # The word2vec tool itself ends every vector with a line end; gensim does not.
    path = tmp_path / "tool.bin"
    rows = b"".join(
        f"{w} ".encode() + row.tobytes() + b"\n" for w, row in zip(WORDS, MATRIX, strict=True)
    )
    path.write_bytes(b"6 5\n" + rows)
    assert_is_ours(WordVectors.load(path))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no vector"),
        (b"3 2\na 1 2\nb 3 4\n", "says 3 words and holds 2; it is cut"),
        (b"a 1 2\nb 3\n", "line 2: 'b 3' is no word followed by 2 numbers"),
        (b"a 1 2\nb 3 x\n", "line 2: 'b 3 x' is no word"),
        (b"alone\n", "line 1: 'alone' is no word"),
        (b"a 1 nan\n", "the vector of 'a' holds a number that is not finite"),
        (b"2 3\na " + bytes(12) + b"b " + bytes(5), "cut at word 2 of 2|more than the file holds"),
        (b"9 999\n\x00\x01\x02", "more than the file holds"),
        (b"\xff\xfe 1 2\n", "is not UTF-8"),
        (b'{"a": [1, 2]}', "is no word|not finite|UTF-8|holds no vector"),
    ],
)
def test_damaged_files_are_told(tmp_path, content, message):
    path = tmp_path / "vectors.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        WordVectors.load(path)


def test_a_cut_gzip_and_no_file_are_told(tmp_path):
    path = tmp_path / "vectors.gz"
    path.write_bytes(gzip.compress(b"a 1 2\n" * 50)[:20])
    with pytest.raises(InputError, match="cannot be read"):
        WordVectors.load(path)
    whole = bytearray(gzip.compress(b"a 1 2\n" * 50))
    whole[10:12] = b"\xff\xff"  # behind the header: no kind of block, of which zlib itself tells
    path.write_bytes(bytes(whole))
    with pytest.raises(InputError, match="cannot be read"):
        WordVectors.load(path)
    with pytest.raises(InputError, match="no such file or folder"):
        WordVectors.load(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no model of Rejoinder's"):
        WordVectors.load(tmp_path / "empty")


def test_lookup_counts_and_shares():
    vectors = WordVectors(WORDS, MATRIX)
    found = vectors.lookup(["The café . café", "", "Don't", "The café . café"])
    assert found.rows.tolist() == [0, 1, 4, 1, -1, 2]  # "do" is unknown, "n't" is not
    assert found.first.tolist() == [0, 4, 4, 0]
    assert found.last.tolist() == [4, 4, 6, 4]
    np.testing.assert_allclose(vectors.unknown, MATRIX.mean(axis=0), atol=1e-7)


def test_shapes_that_do_not_fit_are_told():
    with pytest.raises(InputError, match="5 words and an array of shape"):
        WordVectors(WORDS[:5], MATRIX)
    with pytest.raises(InputError, match="at least one"):
        WordVectors([], np.zeros((0, 3), np.float32))


def corpus():
    rng = np.random.default_rng(0)
    vocabulary = np.array([f"{a}{b}" for a in "bdfk" for b in ("a", "e", "i", "o")])
    return [" ".join(vocabulary[rng.integers(0, 16, size=8)]) for _ in range(300)]


def test_training_is_the_same_twice_and_survives_a_folder(tmp_path):
    pytest.importorskip("gensim")
    pytest.importorskip("torch")
    texts = corpus()
    one = word2vec(texts, size=12, seed=3)
    two = word2vec(texts, size=12, seed=3)
    np.testing.assert_array_equal(one.matrix, two.matrix)
    assert one.words == two.words
    assert not np.array_equal(one.matrix, word2vec(texts, size=12, seed=4).matrix)
    assert one.matrix.shape == (16, 12)

    one.save(tmp_path / "a")
    two.save(tmp_path / "b")
    loaded = WordVectors.load(tmp_path / "a")
    np.testing.assert_array_equal(loaded.matrix, one.matrix)
    assert loaded.words == one.words
    assert loaded.language == "en"
    assert loaded.about["parameters"]["seed"] == 3
    assert loaded.about["corpus_hash"] == one.about["corpus_hash"]
    # The hash tells contents, not places.
    assert content_hash(tmp_path / "a") == content_hash(tmp_path / "b")


def test_another_content_has_another_hash(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("a 1 2\n", encoding="utf-8")
    before = content_hash(path)
    assert WordVectors.load(path).matrix.tolist() == [[1.0, 2.0]]
    path.write_text("a 1 2.5\n", encoding="utf-8")
    assert content_hash(path) != before
    assert WordVectors.load(path).matrix.tolist() == [[1.0, 2.5]]  # not what was kept


def test_an_altered_folder_is_told(tmp_path):
    pytest.importorskip("torch")
    WordVectors(WORDS, MATRIX).save(tmp_path / "v")
    vocabulary = tmp_path / "v" / "vocabulary.json"
    vocabulary.write_text(json.dumps([*WORDS[:-1], "other"]), encoding="utf-8")
    with pytest.raises(InputError, match="altered"):
        WordVectors.load(tmp_path / "v")


def test_what_cannot_be_trained_is_told():
    pytest.importorskip("gensim")
    with pytest.raises(
        InputError, match="3 utterances with 6 words, and none of them stands there"
    ):
        word2vec(["hi there", "so long", "good bye"])
    with pytest.raises(InputError, match="0 utterances with 0 words"):
        word2vec([])
    with pytest.raises(ParameterError, match="size=0"):
        word2vec(["a"], size=0)
    # A corpus of three dialogues can be trained on, if that is wanted.
    assert len(word2vec(["hi there", "so long"], min_count=1, size=4)) == 4


def test_vectors_cut_in_another_way_are_told():
    vectors = WordVectors(WORDS, MATRIX, language="char")
    assert vectors.agreed("") == "char"
    with pytest.raises(
        ParameterError, match="trained on words cut as 'char'; write language='char'"
    ):
        vectors.lookup(["a"], "en")


@pytest.mark.parametrize(
    "head",
    ["1000000000 300", "3 1000000000", "999999999999999999 999999999999999999"],
)
@pytest.mark.parametrize("body", ["yes 1 2\nno 3 4\n", "yes \0\0\0\0"])
def test_a_header_cannot_ask_for_more_than_the_file_holds(tmp_path, head, body):
    (tmp_path / "v.vec").write_text(f"{head}\n{body}")
    with pytest.raises(InputError):
        WordVectors.load(tmp_path / "v.vec")
