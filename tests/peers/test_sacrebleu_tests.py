"""sacreBLEU's own tests, run on Rejoinder through an adapter that looks like sacreBLEU.

Its test of the paired bootstrap is not run: that is another test than Rejoinder's (see
``sacrebleu_adapter.PairedTest``). Its tests of TER's tokenizer are of code that is called here, and
those of data sets and the command line have nothing to test here.
"""

import pytest

from peers.checkouts import checkout
from peers.foreign_tests import foreign_results

ADAPTER = "peers.sacrebleu_adapter"


@pytest.mark.parametrize(
    ("file", "selected", "cases"),
    [
        ("test_bleu.py", "test", 27),
        ("test_sentence_bleu.py", "test", 30),
        ("test_chrf.py", "test", 25),
        ("test_ter.py", "test", 7),
    ],
)
def test_their_scores_are_ours(file, selected, cases, tmp_path):
    folder = checkout("REJOINDER_SACREBLEU_TESTS")
    outcomes = foreign_results(folder, f"test/{file}", ADAPTER, selected, tmp_path / "report.xml")
    assert {name: why for name, why in outcomes.items() if why} == {}
    assert len(outcomes) >= cases


def test_their_approximate_randomization_is_ours(tmp_path):
    # On the 16 systems of WMT17 (English to German, 3,004 segments) that lie beside the test file,
    # against the p of the multeval toolkit, to 0.01.
    folder = checkout("REJOINDER_SACREBLEU_TESTS")
    if not (folder / "test" / "wmt17_en_de_systems.pkl.bz2").is_file():
        pytest.skip("the checkout holds no wmt17_en_de_systems.pkl.bz2")
    selected = "test_paired_approximate_randomization"
    file = "test/test_significance.py"
    outcomes = foreign_results(folder, file, ADAPTER, selected, tmp_path / "report.xml")
    assert {name: why for name, why in outcomes.items() if why} == {}
    assert len(outcomes) == 15
