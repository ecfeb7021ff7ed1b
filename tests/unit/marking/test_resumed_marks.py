"""Marks of interrupted runs: every answer that came is saved, and every call is counted."""

import shutil
import threading
import time

import polars as pl
import pytest

import rejoinder
from chat_server import PROBES, begin, completion, judge, serving
from rejoinder.annotation.task import Criterion
from rejoinder.errors import InputError
from rejoinder.marking.rubric import Rubric
from rejoinder.models import server as server_module
from rejoinder.models.chat.asking import Limits

SIZE = 24
IDS = [f"c{n}" for n in range(SIZE)]
TESTSET = rejoinder.TestSet.from_lists(
    [["Yes."]] * SIZE, contexts=[[f"Where is bus {n}?"] for n in range(SIZE)], ids=IDS
)
RESPONSES = pl.DataFrame({"system": "cat", "id": IDS, "text": [f"It is at {id}." for id in IDS]})
RUBRIC = Rubric((Criterion("fit", "Does it fit?", 1, 5),))


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(server_module.Server.__init__, "__defaults__", ((0.01,) * 3,))


def mark(url, work, **given):
    return rejoinder.mark(TESTSET, RESPONSES, f"{url}#m", RUBRIC, work=work, **given)


def asks_about(asked, id):
    return f"It is at {id}." in asked["messages"][0]["content"]


def lines(folder):
    path = folder / "m.answers.jsonl"
    return path.read_bytes().count(b"\n") - 1 if path.is_file() else -1


def until_unchanged(folder, seconds=1.0):
    """Waits until no file of a folder has changed for a while."""
    seen, since, end = None, time.monotonic(), time.monotonic() + 30
    while time.monotonic() - since < seconds and time.monotonic() < end:
        now = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        if now != seen:
            seen, since = now, time.monotonic()
        time.sleep(0.02)


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The folder of a run that is killed while the first question alone is under way; and its end."""
    folder, copy = tmp_path_factory.mktemp("run"), tmp_path_factory.mktemp("copy") / "work"
    released = threading.Event()

    def slow_at_first(asked):
        if asks_about(asked, "c0"):
            released.wait(30)
        return judge(asked)

    with serving(slow_at_first) as (_, url):
        thread = threading.Thread(target=mark, args=(url, folder))
        thread.start()
        end = time.monotonic() + 30
        while lines(folder) < SIZE - 1 and time.monotonic() < end:
            time.sleep(0.01)
        until_unchanged(folder)  # the count of calls is written after the answers
        shutil.copytree(folder, copy)
        released.set()
        thread.join(30)
    return copy, folder, url


def served_again(killed, tmp_path, answer=judge):
    """The killed run's folder, and a server at the same URL."""
    copy, _, url = killed
    shutil.copytree(copy, tmp_path / "work")
    return begin(answer, port=int(url.rsplit(":", 1)[1].partition("/")[0])), tmp_path / "work"


def test_a_killed_run_has_every_answer_that_came_and_ends_with_the_same_file(killed, tmp_path):
    _, whole, url = killed
    server, work = served_again(killed, tmp_path)
    try:
        assert lines(work) == SIZE - 1
        result = mark(url, work)
        assert len(server.asked) == PROBES + 1
        assert result.counts()["marks"] == SIZE
        assert sorted(each.name for each in work.iterdir()) == ["m.answers.jsonl"]
        assert (work / "m.answers.jsonl").read_bytes() == (whole / "m.answers.jsonl").read_bytes()
        assert mark(url, whole).table.equals(result.table)
    finally:
        server.shutdown()
        server.server_close()


def test_the_calls_of_a_killed_run_are_counted(killed, tmp_path):
    # 23 answers, one question under way (up to 3 calls), and up to 3 calls for it again.
    _, _, url = killed
    server, work = served_again(killed, tmp_path)
    try:
        for _ in range(2):
            with pytest.raises(InputError, match=r"after 23 of 24 questions \(26 calls"):
                mark(url, work, limits=Limits(max_calls=28))
        assert len(server.asked) == 2 * PROBES
        assert mark(url, work, limits=Limits(max_calls=29)).counts()["calls"] == SIZE
    finally:
        server.shutdown()
        server.server_close()


def test_a_question_that_fails_loses_no_answer_that_is_under_way(tmp_path):
    failed = threading.Event()

    def fails_once(asked):
        if asks_about(asked, "c0") and not failed.is_set():
            time.sleep(0.05)
            failed.set()
            return 402, {"error": "pay"}
        if asks_about(asked, "c3"):
            failed.wait(30)
            time.sleep(0.1)
        return judge(asked)

    with serving(fails_once) as (server, url):
        with pytest.raises(InputError, match="status 402"):
            mark(url, tmp_path)
        questions = len(server.asked) - PROBES
        assert lines(tmp_path) == questions - 1 >= 7
        # The call that failed is counted too.
        with pytest.raises(InputError, match=rf"\({questions} calls"):
            mark(url, tmp_path, limits=Limits(max_calls=questions))
        assert mark(url, tmp_path).counts()["calls"] == SIZE
        assert len(server.asked) == 3 * PROBES + SIZE + 1


def test_limits_are_kept_over_runs_that_are_stopped_again_and_again(tmp_path):
    """However often a run fails, the calls of all runs together are no more than the limit."""
    limit, calls, lock = 40, [0], threading.Lock()

    def fails_at_times(asked):
        with lock:
            if "the number 1" in asked["messages"][0]["content"]:
                return judge(asked)
            calls[0] += 1
            if calls[0] % 5 == 0:
                return 402, {"error": "pay"}
            if calls[0] % 3 == 0:
                return 200, completion("Well", {"Well": 0.9})
        return judge(asked)

    with serving(fails_at_times) as (_, url):
        for _ in range(30):
            try:
                mark(url, tmp_path, limits=Limits(max_calls=limit, concurrency=4))
                break
            except InputError as error:
                stopped = str(error)
                if "max_calls=40: the limit is reached" in stopped:
                    break
    assert calls[0] <= limit


def test_a_damaged_count_of_calls_is_one_message(killed, tmp_path):
    _, _, url = killed
    server, work = served_again(killed, tmp_path)
    try:
        (work / "m.answers.jsonl.calls").write_text("seven")
        with pytest.raises(InputError, match="calls: damaged; expected the number of calls"):
            mark(url, work)
    finally:
        server.shutdown()
        server.server_close()
