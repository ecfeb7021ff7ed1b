"""rouge-score's own tests, run on Rejoinder through an adapter that looks like rouge-score.

Its tests of functions that Rejoinder has not (tables of common subsequences) are not run; those of
NLTK's sentence splitter need its data.
"""

import pytest

from peers.checkouts import checkout
from peers.foreign_tests import foreign_results

OF_INSIDES = ["testLcsTable", "testUnionLcs", "testSummaryLevelLcs"]
OF_LARGE_FILES = ["testRougeLsumLarge", "testConfidenceIntervals"]


def splits_sentences():
    """Whether NLTK's splitter has its data here."""
    nltk = pytest.importorskip("nltk")
    try:
        nltk.sent_tokenize("A b.")
    except LookupError:
        return False
    return True


@pytest.mark.parametrize(
    ("file", "cases"),
    [("rouge_scorer_test.py", 21), ("scoring_test.py", 3), ("tokenizers_test.py", 2)],
)
def test_their_scores_are_ours(file, cases, tmp_path):
    folder = checkout("REJOINDER_ROUGE_SCORE_TESTS")
    left_out = [*OF_INSIDES, *([] if splits_sentences() else ["testRougeLSumSentenceSplitting"])]
    if not (folder / "rouge_score/testdata/pyrouge_files/target_multi.249.txt").is_file():
        left_out += OF_LARGE_FILES
    selected = f"not ({' or '.join(left_out)})"
    outcomes = foreign_results(
        folder,
        f"rouge_score/{file}",
        "peers.rouge_score_adapter",
        selected,
        tmp_path / "report.xml",
        own_package=True,
    )
    assert {name: why for name, why in outcomes.items() if why} == {}
    assert len(outcomes) >= cases
