"""What is left of a study whose log was cut off anywhere: every confirmed answer before the cut."""

import os
import random
import shutil

import pytest

import studies
from rejoinder.studies.judgements import judgements

# Bytes between two cuts; primes, so that they fall anywhere in the pages of the log.
STEPS = [1801, pytest.param(601, marks=pytest.mark.slow)]


@pytest.fixture
def confirmed(tmp_path):
    """A study as its files lie on the disk, and by length of the log the answers confirmed by then."""
    folder = tmp_path / "served"
    folder.mkdir()
    study = studies.study(folder, items=4)
    log = study.database.path.with_name(study.database.path.name + "-wal")
    rater, draw = study.add_rater(), random.Random(1)
    study.consent(rater)
    lengths = []
    while (shown := study.current(rater)) is not None:
        study.answer(rater, shown.assignment, studies.form(study.task, shown, draw))
        lengths.append((os.path.getsize(log), judgements(study.database)))
    assert len(lengths) == 8
    yield study.database.path, log, lengths
    study.close()


def test_answers_lie_in_a_log_that_is_flushed_before_they_are_confirmed(confirmed):
    path, _, _ = confirmed
    study = studies.opened(path)
    with study.database._lock:
        ask = lambda name: study.database._connection.execute(f"PRAGMA {name}").fetchone()[0]  # noqa: E731
        assert (ask("journal_mode"), ask("synchronous")) == ("wal", 2)  # 2: FULL
    study.close()


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("torn", [False, True], ids=["cut off", "torn"])
def test_no_confirmed_answer_is_lost_and_no_other_is_half_there(confirmed, tmp_path, torn, step):
    path, log, lengths = confirmed
    whole = log.read_bytes()
    garbage = random.Random(2).randbytes(8192) if torn else b""
    seen = set()
    for cut in (*range(0, len(whole), step), len(whole)):
        copy = tmp_path / f"{cut}.sqlite"
        shutil.copy(path, copy)
        copy.with_name(copy.name + "-wal").write_bytes(whole[:cut] + garbage)
        study = studies.opened(copy)
        left = judgements(study.database)
        sure = max((len(there) for length, there in lengths if length <= cut), default=0)
        assert len(left) >= sure
        assert left == (lengths[len(left) - 1][1] if left else [])  # the first answers, each whole
        for rater in study.raters():  # and the study goes on
            study.current(rater)
        study.close()
        seen.add(len(left))
        copy.unlink()
    assert seen == set(range(9))
