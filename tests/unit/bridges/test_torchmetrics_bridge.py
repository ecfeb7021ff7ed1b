"""Our metrics in torchmetrics: batches and processes add up to the number of ``rejoinder.score``."""

from __future__ import annotations

import doctest
import importlib
import math
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import rejoinder
from lazily import lazily
from rejoinder.errors import InputError, MissingExtraError, ParameterError
from rejoinder.metrics import BLEU

torch, torchmetrics = lazily("torch"), lazily("torchmetrics")
bridge = lazily("rejoinder.bridges.torchmetrics")

REPLIES = [
    "yes i do", "at nine i think", "no", "", "i am not sure", "the cat sat on the mat", "so so",
    "see you there",
]  # fmt: skip
REFERENCES = [
    ["yes", "yes i do indeed"], ["at nine"], ["no way", "no", "not at all"], ["fine"],
    ["i am quite sure", "sure"], ["the cat sat on a mat"], ["so and so"], ["see you", "see you there"],
]  # fmt: skip
WEIGHTS = [[1.0, -0.5], [0.7], [0.2, 1.0, -1.0], [0.5], [-0.3, 0.9], [1.0], [0.4], [0.1, 0.8]]
METRICS = [
    "deltableu", "bleu:order=4,smoothing=exp", "sbleu", "ambleu", "rouge1", "rougeL", "chrf", "length",
]  # fmt: skip


def score(name):
    testset = rejoinder.TestSet.from_lists(REFERENCES, weights=WEIGHTS)
    rows = [{"system": "a", "id": str(i), "text": t} for i, t in enumerate(REPLIES, start=1)]
    table = rejoinder.score(testset, rows, [name], resamples=0).systems()
    return table["value"][0]


@pytest.mark.parametrize("name", METRICS)
def test_batches_add_up_to_the_number_of_score(name):
    metric = bridge().CorpusScore(name)
    for begin, end in ((0, 3), (3, 4), (4, 8)):
        metric.update(REPLIES[begin:end], REFERENCES[begin:end], WEIGHTS[begin:end])
    assert metric.compute().dtype == torch().float64
    assert float(metric.compute()) == pytest.approx(score(name), rel=1e-14)
    assert metric.higher_is_better is True
    metric.reset()
    metric.update(REPLIES, REFERENCES, WEIGHTS)
    assert float(metric.compute()) == pytest.approx(score(name), rel=1e-14)


def test_the_example():
    pytest.importorskip("torchmetrics")
    result = doctest.testmod(importlib.import_module("rejoinder.bridges.torchmetrics"))
    assert (result.failed, result.attempted) == (0, 4)


def test_the_sums_of_bleu_are_exact():
    metric = bridge().CorpusScore(BLEU(order=2))
    values = [float(metric(*each)) for each in zip(REPLIES, REFERENCES, strict=True)]
    assert float(metric.compute()) == score("bleu:order=2")
    # forward() gives the score of its batch alone.
    assert values[0] == BLEU(order=2).corpus(REPLIES[:1], REFERENCES[:1]).value


def test_a_collection_a_copy_and_a_pickle_score_alike():
    both = torchmetrics().MetricCollection(
        {"bleu": bridge().CorpusScore("bleu"), "chrf": bridge().CorpusScore("chrf")}
    )
    both.update(REPLIES, REFERENCES)
    computed = both.compute()
    assert float(computed["bleu"]) == score("bleu")
    assert float(computed["chrf"]) == pytest.approx(score("chrf"), rel=1e-14)
    again = pickle.loads(pickle.dumps(both["bleu"]))
    assert float(again.compute()) == score("bleu")
    assert float(both["bleu"].clone().float().compute()) == score("bleu")


def test_one_reply_and_single_references_are_lists_of_one():
    metric = bridge().CorpusScore("bleu:order=1")
    metric.update("the cat sat", ["a cat sat", "the dog"])
    metric.update(["so so"], ["so it is"])
    # Matches: the, cat and sat, one "so"; totals: 3 + 2; lengths: 3 + 2 replied, 3 + 3 referenced.
    assert float(metric.compute()) == pytest.approx(4 / 5 * math.exp(1 - 6 / 5))


@pytest.mark.filterwarnings("ignore:The ``compute`` method of metric")
def test_no_reply_has_no_score():
    metric = bridge().CorpusScore("bleu")
    assert math.isnan(float(metric.compute()))
    metric.update([], [])
    assert math.isnan(float(metric.compute()))


def test_items_without_a_reference_are_refused_or_dropped():
    with pytest.raises(InputError, match=r"target\[1\] has no reference \(1 of 2 items\)"):
        bridge().CorpusScore("bleu").update(["yes", "no"], [["yes"], []])
    metric = bridge().CorpusScore("bleu:order=1", drop_unusable=True)
    metric.update(["yes", "no"], [["yes"], []])
    assert float(metric.compute()) == 1.0
    assert int(metric.replies) == 1


def test_wrong_lists_are_named_as_torchmetrics_names_them():
    with pytest.raises(InputError, match="target: 1 list for 2 preds"):
        bridge().CorpusScore("bleu").update(["yes", "no"], [["yes"]])
    with pytest.raises(InputError, match=r"preds\[0\]"):
        bridge().CorpusScore("bleu").update([None], [["yes"]])  # type: ignore[list-item]


@pytest.mark.parametrize("name", ["distinct", "entropy", "ruber:model=x,scale=scored"])
def test_metrics_of_all_replies_at_once_are_refused(name):
    with pytest.raises(ParameterError, match="all replies of a system at once"):
        bridge().CorpusScore(name)


def test_scores_of_other_tools_are_refused():
    judge = rejoinder.External("judge", [{"system": "a", "id": "1", "judge": 4}])
    with pytest.raises(ParameterError, match="'judge': its scores belong to systems and ids"):
        bridge().CorpusScore(judge)


def test_words_that_are_not_separated_are_said_once():
    metric = bridge().CorpusScore("bleu")
    replies, references = ["今天天气很好我们去公园吧"] * 4, [["今天天气不错"]] * 4
    with pytest.warns(UserWarning, match="set tokenizer=zh"):
        metric.update(replies, references)
    metric.update(replies, references)  # warnings are errors: a second one would fail


def test_without_torchmetrics_the_remedy_is_said(monkeypatch):
    monkeypatch.delitem(sys.modules, "rejoinder.bridges.torchmetrics")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "rejoinder.bridges.reply_rows")
    with pytest.raises(MissingExtraError, match="run: pip install torchmetrics"):
        import rejoinder.bridges.torchmetrics  # noqa: F401


PROCESSES = """
import os
import sys
from pathlib import Path

import torch.distributed as dist
from rejoinder.bridges.torchmetrics import CorpusScore
from test_torchmetrics_bridge import REFERENCES, REPLIES, WEIGHTS

folder = Path(sys.argv[1])
child = os.fork()  # one import of torch for both
rank = 1 if child == 0 else 0
dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2)
mine = {0: slice(0, 3), 1: slice(3, 8)}[rank]
lines = []
for name in ("deltableu", "bleu:order=4,smoothing=exp", "chrf"):
    metric = CorpusScore(name)
    metric.update(REPLIES[mine], REFERENCES[mine], WEIGHTS[mine])
    lines.append(f"{name} {float(metric.compute())!r}")
last = CorpusScore("bleu")
if rank == 0:
    last.update(REPLIES, REFERENCES)  # the other process has no batch
lines.append(f"bleu {float(last.compute())!r}")
(folder / str(rank)).write_text("\\n".join(lines))
dist.destroy_process_group()
if child:
    sys.exit(os.waitpid(child, 0)[1])
"""


@pytest.mark.slow
def test_two_processes_give_the_number_of_one(tmp_path):
    bridges, *_, tests = Path(__file__).parents[:3]
    folders = [str(bridges), str(tests), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROCESSES, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders))},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    printed = [(tmp_path / str(rank)).read_text().splitlines() for rank in (0, 1)]
    assert printed[0] == printed[1]
    values = dict(line.rsplit(" ", 1) for line in printed[0])
    assert float(values["bleu"]) == score("bleu")
    assert float(values["bleu:order=4,smoothing=exp"]) == score("bleu:order=4,smoothing=exp")
    for name in ("deltableu", "chrf"):
        assert float(values[name]) == pytest.approx(score(name), rel=1e-14)
