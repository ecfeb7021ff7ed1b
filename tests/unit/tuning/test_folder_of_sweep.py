"""Which sweep a folder holds, and which calls go on in it."""

import json

import pytest

from rejoinder.errors import InputError
from rejoinder.responders.seq2seq.parameters import Parameters
from rejoinder.tuning.folder import opened
from rejoinder.tuning.grid import ParameterGrid, Search
from rejoinder.tuning.sweep import run_trials

WHAT = {"metric": "METEOR", "seed": 1, "trials": 4}


def held(folder):
    return json.loads((folder / "sweep.json").read_text("utf-8"))


def test_more_trials_go_on_where_they_change_none_before(tmp_path):
    opened(tmp_path, WHAT, True, None)
    opened(tmp_path, {**WHAT, "trials": 6}, True, None)
    assert held(tmp_path)["trials"] == 6
    with pytest.raises(InputError, match="trials was 6, is 5; repeat"):
        opened(tmp_path, {**WHAT, "trials": 5}, True, None)
    with pytest.raises(InputError, match=r"sampler='optuna' or prune='none'"):
        opened(tmp_path, {**WHAT, "trials": 7}, False, None)
    with pytest.raises(InputError, match="seed was 1, is 2"):
        opened(tmp_path, {**WHAT, "trials": 7, "seed": 2}, True, None)
    assert held(tmp_path) == {**WHAT, "trials": 6}


def test_a_java_that_is_gone_is_the_reason_for_another_metric(tmp_path):
    opened(tmp_path, WHAT, True, None)
    why = "scored by BLEU in place of METEOR: there is no 'java'"
    with pytest.raises(InputError, match=rf"metric was METEOR, is BLEU-4 \({why}\)"):
        opened(tmp_path, {**WHAT, "metric": "BLEU-4"}, True, why)


def test_other_things_are_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("x", "utf-8")
    with pytest.raises(InputError, match="other things in it"):
        opened(tmp_path, WHAT, True, None)
    grid = ParameterGrid(Parameters(), {"dropout": (0.0, 0.1)})
    with pytest.raises(InputError, match="is a file"):
        run_trials(None, grid, Search(), tmp_path / "thesis.tex")  # pyright: ignore
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "sweep.json").write_text("{", "utf-8")
    with pytest.raises(InputError, match="cut or altered"):
        opened(tmp_path / "cut", WHAT, True, None)
