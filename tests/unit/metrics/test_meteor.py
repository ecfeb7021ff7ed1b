"""METEOR's formula and its process, without Java: a few lines of Python play the scorer."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rejoinder.batches.batch import Batch
from rejoinder.errors import MissingExtraError, ParameterError, RejoinderError
from rejoinder.metrics import meteor_scorer
from rejoinder.metrics.meteor import METEOR
from rejoinder.metrics.meteor_scorer import Scorer, command

# Answers every line with its number of fields and the length of its last field, in 23 numbers.
HONEST = """
import sys
for line in sys.stdin:
    fields = line.rstrip("\\n").split(" ||| ")
    print(len(fields), len(fields[-1]), *[0.0] * 21, flush=True)
"""
NOISY = "import sys; sys.stderr.write('x' * 300_000); sys.stderr.flush()\n" + HONEST


def python(program):
    return Scorer([sys.executable, "-u", "-c", program, "scorer"])


@pytest.fixture
def started():
    scorers = []

    def start(program):
        scorers.append(python(program))
        return scorers[-1]

    yield start
    for each in scorers:
        each.close()


def numbers(**columns):
    row = np.zeros(23)
    for name, value in columns.items():
        row[METEOR().columns.index(name)] = value
    return row


def test_the_formula_by_hand():
    # Reply of 4 words, 1 of them a function word: delta * 3 + (1 - delta) * 1 = 2.5. Matched: 2
    # content words exactly, 1 function word by stem (0.6): 0.75 * 2 + 0.25 * 0.6 = 1.65; P = 0.66.
    # Reference of 6 words, 2 of them function words: 3.5; the same matches: R = 1.65/3.5.
    # 3 words matched in 2 chunks: Pen = 0.6 * (2/3)^0.2.
    row = numbers(
        hypothesis_length=4,
        reference_length=6,
        hypothesis_function_words=1,
        reference_function_words=2,
        hypothesis_content_exact=2,
        reference_content_exact=2,
        hypothesis_function_stem=1,
        reference_function_stem=1,
        chunks=2,
        hypothesis_matched_words=3,
        reference_matched_words=3,
    )
    p, r = 0.66, 1.65 / 3.5
    f = 1 / (0.15 / p + 0.85 / r)
    expected = f * (1 - 0.6 * (2 / 3) ** 0.2)
    assert METEOR().score(row) == pytest.approx(expected, abs=1e-12)
    parts = METEOR().parts(row)
    assert parts["precision"] == pytest.approx(p)
    assert parts["fragmentation"] == pytest.approx(2 / 3)


def test_edges_of_the_formula():
    whole = numbers(
        hypothesis_length=2,
        reference_length=2,
        hypothesis_content_exact=2,
        reference_content_exact=2,
        hypothesis_matched_words=2,
        reference_matched_words=2,
    )
    assert METEOR().score(whole) == 1
    assert METEOR().score(np.zeros((2, 23))).tolist() == [0, 0]
    assert METEOR().score(numbers(hypothesis_length=3, reference_length=2)) == 0
    assert np.isnan(METEOR().score(np.full(23, np.nan)))


def test_long_talks_do_not_block(started):
    # Far more than a pipe holds, in both directions and on stderr.
    pairs = [("y" * 2000, ["a", "b"]), ("", ["c"])] * 200
    rows = started(NOISY).statistics(pairs)
    assert rows[::2, :2].tolist() == [[4, 2000]] * 200
    assert rows[1::2, :2].tolist() == [[3, 0]] * 200


def test_threads_get_their_own_answers(started):
    scorer = started(HONEST)
    gate = threading.Barrier(4)

    def ask(length):
        gate.wait()
        return scorer.statistics([("y" * length, ["a"])] * 300)[:, 1]

    with ThreadPoolExecutor(4) as pool:
        for length, answers in zip((1, 2, 3, 4), pool.map(ask, (1, 2, 3, 4)), strict=True):
            assert (answers == length).all()


def test_a_scorer_that_dies_says_why(started):
    scorer = started("import sys; input(); sys.exit('out of memory')")
    with pytest.raises(RejoinderError, match=r"stopped \(exit status .*out of memory"):
        scorer.statistics([("a", ["b"])] * 100)
    assert not scorer.alive


def test_a_scorer_that_talks_nonsense(started):
    scorer = started("import sys\nfor line in sys.stdin: print('Error: what?', flush=True)")
    with pytest.raises(RejoinderError, match=r"said 'Error: what\?', expected 23 numbers"):
        scorer.statistics([("a", ["b"])])
    assert not scorer.alive


def test_an_interrupted_talk_is_not_taken_up_again(started, monkeypatch):
    scorer = started(HONEST)

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(
        scorer._process,
        "stdout",
        type(
            "Out", (), {"readline": staticmethod(interrupted), "close": staticmethod(lambda: None)}
        )(),
    )
    with pytest.raises(KeyboardInterrupt):
        scorer.statistics([("a", ["b"])])
    assert not scorer.alive


def test_a_dead_scorer_is_replaced(monkeypatch):
    monkeypatch.setattr(meteor_scorer, "_scorers", {})
    monkeypatch.setattr(
        meteor_scorer, "command", lambda *_: [sys.executable, "-u", "-c", HONEST, "scorer"]
    )
    first = meteor_scorer.scorer("en", True)
    assert meteor_scorer.scorer("en", True) is first
    first.close()
    second = meteor_scorer.scorer("en", True)
    try:
        assert second is not first
        # Item 1 has no reference: nothing is asked, and its row is NaN.
        rows = METEOR().statistics(Batch.from_lists(["abc", "d"], [["x", "y"], []]))
        assert rows[0, :2].tolist() == [4, 3]
        assert np.isnan(rows[1]).all()
    finally:
        second.close()


def test_without_java_or_jar(monkeypatch, tmp_path):
    monkeypatch.setenv("REJOINDER_METEOR_JAR", str(tmp_path / "none.jar"))
    monkeypatch.setattr(meteor_scorer, "_java", lambda: "java")
    with pytest.raises(MissingExtraError, match=r"none\.jar is no file"):
        command("en", True)
    monkeypatch.delenv("REJOINDER_METEOR_JAR")
    monkeypatch.setattr(meteor_scorer, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r'pip install "rejoinder\[meteor\]"'):
        command("en", True)
    monkeypatch.undo()
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtraError, match="a Java runtime"):
        command("en", True)


def test_the_jar_may_lie_elsewhere(monkeypatch, tmp_path):
    jar = tmp_path / "meteor-1.5.jar"
    jar.touch()
    monkeypatch.setenv("REJOINDER_METEOR_JAR", str(jar))
    monkeypatch.setattr(meteor_scorer, "_java", lambda: "java")
    assert command("en", True) == [
        "java", "-Xmx2G", "-jar", str(jar), "-", "-", "-stdio", "-l", "en", "-norm",
    ]  # fmt: skip
    assert command("en", False)[-1] == "en"


def test_facts_and_mistakes():
    assert len(METEOR().columns) == 23
    assert METEOR(references="single").label == "METEOR single"
    with pytest.raises(ParameterError, match="language='xx' is unknown; choose 'en'"):
        METEOR(language="xx")
