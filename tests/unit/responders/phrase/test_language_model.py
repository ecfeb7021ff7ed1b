"""Kneser-Ney by hand and by sums, ARPA files, and KenLM's own numbers where it is at hand."""

import gzip
import math
import os
from pathlib import Path

import numpy as np
import pytest

from rejoinder.errors import InputError
from rejoinder.responders.phrase.alignment import WordNumbers
from rejoinder.responders.phrase.language_model import (
    SPECIAL,
    LanguageModel,
    _discounts,
    read_arpa,
)

SMALL = """\\data\\
ngram 1=4
ngram 2=2

\\1-grams:
-1.0\t<unk>\t0
-99\t<s>\t-0.5
-0.7\t</s>
-0.4\ttea\t-0.25

\\2-grams:
-0.1\t<s> tea
-0.2\ttea </s>

\\end\\
"""


def _random(order, seed=0, words=9, texts=60):
    rng = np.random.default_rng(seed)
    drawn = [rng.geometric(0.3, rng.integers(1, 9)) for _ in range(texts)]
    rows = [np.minimum(each + 2, words + 2).tolist() for each in drawn]
    vocabulary = [*SPECIAL, *"abcdefghi"[:words]]
    return LanguageModel.estimated(WordNumbers.of(rows), vocabulary, order)


def write_arpa(model, path):
    """Writes a model as an ARPA file, for KenLM to read."""
    lines = ["\\data\\", *(f"ngram {k}={len(each)}" for k, each in enumerate(model.ngrams, 1))]
    for k, (grams, logs, backoffs) in enumerate(
        zip(model.ngrams, model.logs, model.backoffs, strict=True), 1
    ):
        lines += ["", f"\\{k}-grams:"]
        for gram, log, backoff in zip(grams.tolist(), logs, backoffs, strict=True):
            text = " ".join(model.words[word] for word in gram)
            last = f"\t{backoff / math.log(10):.9g}" if k < model.order else ""
            lines.append(f"{log / math.log(10):.9g}\t{text}{last}")
    path.write_text("\n".join([*lines, "", "\\end\\", ""]), "utf-8")


@pytest.mark.parametrize("order", [2, 3, 4])
def test_probabilities_sum_to_1_after_any_history(order):
    model = _random(order)
    rng = np.random.default_rng(order)
    for _ in range(20):
        history = rng.choice([*"abcdefghi", "?"], rng.integers(0, 5)).tolist()
        ends = [*"abcdefghi", "?"]
        logs = [model.word_logs([[*history, each]])[0][len(history)] for each in ends]
        logs.append(model.word_logs([history])[0][-1])  # the end
        assert np.exp(logs).sum() == pytest.approx(1, abs=1e-9)


def test_bigrams_of_kneser_ney_by_hand():
    # "a b", "a b", "a a": <s> a 3 times, a b 2, b </s> 2, a a and a </s> once. Counts are too small for
    # discounts of their own, so that 1, 2 and 3 lose .5, 1 and 1.5. Distinct words on the left: 2 of a
    # (<s>, a), 1 of b, 2 of </s>, so that 5 is their sum.
    model = LanguageModel.estimated(
        WordNumbers.of([[3, 4], [3, 4], [3, 3]]), [*SPECIAL, "a", "b"], 2
    )
    left = (1 + 0.5 + 1) / 5 / 4  # what unigrams lose, over <unk>, </s>, a and b
    b = (1 - 0.5) / 5 + left
    after_a = (2 - 1) / 4 + (1 + 0.5 + 0.5) / 4 * b  # a has 2 + 1 + 1 words behind it
    found = np.exp(model.word_logs([["a", "b"]])[0])
    assert found[1] == pytest.approx(after_a)
    assert np.exp(model.word_logs([["b", "b"]])[0][1]) == pytest.approx((1 / 2) * b)


def test_discounts_are_chens_and_goodmans():
    counts = np.repeat([1, 2, 3, 4], [8, 4, 2, 1])  # Y = 8 / 16
    expected = [0, 1 - 2 * 0.5 * 4 / 8, 2 - 3 * 0.5 * 2 / 4, 3 - 4 * 0.5 * 1 / 2]
    assert _discounts(counts) == pytest.approx(expected)
    assert _discounts(np.ones(9, dtype=np.int64)) == pytest.approx([0, 0.5, 1, 1.5])


def test_an_arpa_file_backs_off(tmp_path):
    (tmp_path / "small.arpa").write_text(SMALL)
    model = read_arpa(tmp_path / "small.arpa")
    (known,) = model.word_logs([["tea"]])
    assert known / math.log(10) == pytest.approx([-0.1, -0.2])
    (unknown,) = model.word_logs([["tea", "soup"]])
    # tea soup: the backoff of tea and <unk>; behind <unk> the end alone.
    assert unknown / math.log(10) == pytest.approx([-0.1, -0.25 - 1.0, -0.7])


@pytest.mark.parametrize(
    "data", [SMALL.replace("\n", "\r\n").encode(), gzip.compress(SMALL.encode())]
)
def test_line_ends_and_compression_are_no_damage(tmp_path, data):
    (tmp_path / "small.arpa").write_text(SMALL)
    (tmp_path / "other.arpa").write_bytes(data)
    (ours,), (theirs,) = (
        read_arpa(tmp_path / f"{name}.arpa").word_logs([["tea", "soup"]])
        for name in ("small", "other")
    )
    assert (ours == theirs).all()


def test_a_missing_backoff_weight_is_1(tmp_path):
    (tmp_path / "a.arpa").write_text(SMALL.replace("tea\t-0.25", "tea"))
    (logs,) = read_arpa(tmp_path / "a.arpa").word_logs([["tea", "soup"]])
    assert logs / math.log(10) == pytest.approx([-0.1, -1.0, -0.7])


def test_a_written_model_is_read_again(tmp_path):
    model = _random(3)
    write_arpa(model, tmp_path / "a.arpa")
    again = read_arpa(tmp_path / "a.arpa")
    texts = [list("abca"), list("?i"), []]
    for ours, theirs in zip(model.word_logs(texts), again.word_logs(texts), strict=True):
        assert theirs == pytest.approx(ours, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n", r"got \[\] n-grams by order; expected an ARPA file"),
        (SMALL.replace("\\end\\", ""), "it may be cut"),
        (SMALL.replace("-0.2\ttea </s>\n", ""), r"got \[4, 1\] n-grams by order; .* with \[4, 2\]"),
        (SMALL.replace("<s> tea", "tea"), "row 12: got '-0.1.*2 of the words"),
        (SMALL.replace("<s> tea", "<s> soup"), "row 12: .*of the words of the 1-grams"),
        (SMALL.replace("<s> tea", "tea </s>"), "row 13: .*in no other row"),
        (SMALL.replace("-0.1", "nan"), "row 12: .*a logarithm of 0 or less"),
        (SMALL.replace("-0.4\ttea", "0.4\ttea"), "row 9: .*a logarithm of 0 or less"),
        (SMALL.replace("-0.4\ttea", "-1e400\ttea"), "row 9: .*a logarithm of 0 or less"),
        (SMALL.replace("tea\t-0.25", "tea\tinf"), "row 9: .*possibly a backoff weight"),
        (SMALL.replace("=4", "=40"), r"got \[4, 2\] n-grams by order; .* with \[40, 2\]"),
        (SMALL.replace("\\2-grams", "\\3-grams"), "row 11: got"),
        ("\\1-grams:\nx\ta\n", "row 2: got"),
    ],
)
def test_what_is_no_arpa_file_is_refused(tmp_path, text, message):
    (tmp_path / "a.arpa").write_text(text)
    with pytest.raises(InputError, match=rf"a\.arpa.*{message}"):
        read_arpa(tmp_path / "a.arpa")


def test_damaged_files_are_read_or_refused_by_one_error(tmp_path):
    rng, whole, refused = np.random.default_rng(0), SMALL.encode(), 0
    for _ in range(60):
        data = bytearray(whole)
        for at in rng.integers(0, len(data), rng.integers(1, 4)):
            kind = rng.integers(4)
            if kind == 0:
                data[at:] = b""
            elif kind == 1:
                data[at : at + rng.integers(1, 30)] = b""
            elif kind == 2:
                data[at:at] = whole[rng.integers(0, len(whole)) :][:20]
            elif at < len(data):
                data[at] = rng.integers(256)
        (tmp_path / "a.arpa").write_bytes(data)
        try:
            model = read_arpa(tmp_path / "a.arpa")
        except InputError:
            refused += 1
        else:
            assert np.isfinite(model.word_logs([["tea", "soup"]])[0]).all()
    assert refused > 45


def test_kenlms_own_example():
    folder = os.environ.get("REJOINDER_KENLM")
    if folder is None:
        pytest.skip("REJOINDER_KENLM names no checkout of KenLM")
    model = read_arpa(Path(folder) / "lm" / "test.arpa")
    (logs,) = model.word_logs([["looking", "on", "a"]])
    assert logs[:3] / math.log(10) == pytest.approx([-0.484652, -0.348837, -0.0155266], abs=1e-6)


@pytest.mark.parametrize("order", [2, 3, 5])
def test_kenlm_reads_our_models_alike(tmp_path, order):
    kenlm = pytest.importorskip("kenlm")
    model = _random(order, 1)
    write_arpa(model, tmp_path / "a.arpa")
    theirs = kenlm.Model(str(tmp_path / "a.arpa"))
    rng = np.random.default_rng(order)
    for _ in range(50):
        text = rng.choice([*"abcdefghi", "soup"], rng.integers(1, 8)).tolist()
        scores = [each[0] for each in theirs.full_scores(" ".join(text))]
        assert model.word_logs([text])[0] / math.log(10) == pytest.approx(scores, abs=1e-4)
