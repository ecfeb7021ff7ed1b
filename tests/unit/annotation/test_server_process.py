"""The page in a process of its own: killed again and again, ended by Ctrl-C, and asked by many at once."""

import json
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import takewhile

import numpy as np
import pytest

pytest.importorskip("segno")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import studies
from rejoinder.studies.judgements import judgements
from shared_data import SYSTEMS, TESTSET
from study_server import Browser, Server, free_port

RATERS = 2


def rating_at_once(
    server: Server,
    raters: int,
    ended: Callable[[], bool],
    reading: float = 0.0,
    times: list[float] | None = None,
) -> tuple[list[threading.Thread], list[dict[int, str]], list[BaseException]]:
    """Starts a thread for each rater, which gives random grades until there is no question or ``ended``.

    Args:
        server: The server, whose links they follow.
        raters: How many.
        ended: Whether they stop.
        reading: Mean seconds of reading before each answer; 0: none.
        times: Takes how long each answer took, in seconds.

    Returns:
        The threads; by rater the grade of each question that the server confirmed, which grows
        while they run; and what they raised.
    """
    confirmed: list[dict[int, str]] = [{} for _ in range(raters)]
    faults: list[BaseException] = []

    def rate(place: int) -> None:
        draw = random.Random(place)
        browser = Browser(server.links["raters"][place]["link"], times)
        try:
            page = browser.begin()
            while not ended() and "question" in browser.fields(page):
                if reading:
                    time.sleep(draw.expovariate(1 / reading))
                number, grade = browser.fields(page)["question"], str(draw.randint(1, 5))
                page = browser.answer(page, {"c0": grade})
                confirmed[place][int(number)] = grade
        except BaseException as error:
            faults.append(error)
            raise
        finally:
            browser.close()

    threads = [threading.Thread(target=rate, args=(place,)) for place in range(raters)]
    for thread in threads:
        thread.start()
    return threads, confirmed, faults


@pytest.mark.parametrize("kills", [3, pytest.param(30, marks=pytest.mark.slow)])
def test_every_confirmed_answer_survives_kill_9(tmp_path, kills):
    db = tmp_path / "s.sqlite"
    server = Server(db, TESTSET, *SYSTEMS, "--set", f"raters_per_question={RATERS}")
    server.more = ()
    over = threading.Event()
    threads, confirmed, faults = rating_at_once(server, RATERS, over.is_set)
    draw = random.Random(kills)
    for _ in range(kills):
        enough = sum(map(len, confirmed)) + 4  # however busy the machine is
        while sum(map(len, confirmed)) < enough and any(each.is_alive() for each in threads):
            time.sleep(0.01)
        time.sleep(draw.uniform(0.05, 0.8))
        server.kill()
        server.start()
    if kills < 30:
        over.set()
    for thread in threads:
        thread.join(300)
    server.kill()
    assert not faults
    study = studies.opened(db)
    with study.database.transaction() as db_:
        assert db_.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = db_.execute(
            "SELECT rater, assignment, revision, choices FROM answer "
            "JOIN assignment ON assignment.id = answer.assignment"
        ).fetchall()
    stored = {(rater, number): choices for rater, number, _, choices in rows}
    assert len(stored) == len(rows)  # each once
    wanted = {
        (place + 1, number): f'{{"overall": {grade}}}'
        for place, each in enumerate(confirmed)
        for number, grade in each.items()
    }
    assert wanted.items() <= stored.items()
    assert len(stored) - len(wanted) <= RATERS  # stored, and killed before it was said
    assert sum(map(len, confirmed)) > 10
    for rater in range(1, RATERS + 1):
        positions = [
            each.position for each in judgements(study.database) if each.rater == f"r00{rater}"
        ]
        assert positions == list(range(1, len(positions) + 1))
    if kills == 30:
        assert len(stored) == 2 * 198


def test_ctrl_c_is_how_it_ends_and_the_same_command_goes_on(tmp_path):
    db = tmp_path / "s.sqlite"
    server = Server(db, TESTSET, *SYSTEMS, "--sample", 3)
    links = server.links
    browser = Browser(links["raters"][0]["link"])
    browser.answer(browser.begin(), {"c0": "4"})
    browser.close()
    assert server.stop() == 0
    assert [each.name for each in tmp_path.iterdir()] == ["s.sqlite"]
    server.start()  # names the test set again
    assert server.links == {**links, "answers": 1, "raters": server.links["raters"]}
    assert [each["link"] for each in server.links["raters"]] == [
        each["link"] for each in links["raters"]
    ]
    assert server.stop() == 0


IMPATIENT = """
import sys
from rejoinder.annotation.server import security
from rejoinder.cli.app import main

security.FORM_SECONDS = 1.0
sys.argv[0] = "rejoinder"
main()
"""


@pytest.mark.parametrize("end", ["stays", "leaves", "leaves at once"])
def test_a_form_of_which_half_was_sent_does_not_disturb_the_end(tmp_path, end):
    studies.study(tmp_path, items=2).close()
    port = free_port()
    words = ["annotate", "serve", "--db", tmp_path / "0.sqlite", "--port", port, "--json", "-q"]
    with (
        (tmp_path / "err").open("wb") as err,
        subprocess.Popen(
            [sys.executable, "-c", IMPATIENT, *map(str, words), "--links", "1"],
            stdout=subprocess.PIPE,
            stderr=err,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        said = "".join(takewhile(lambda line: line != "}\n", process.stdout))
        assert said, (tmp_path / "err").read_text()
        link = json.loads(said + "}")["raters"][0]["link"]
        with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
            client.sendall(
                f"POST /r/{link.rpartition('/')[2]}/begin HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                "Sec-Fetch-Site: same-origin\r\nContent-Length: 1000\r\n"
                "Content-Type: application/x-www-form-urlencoded\r\n\r\nform=abc".encode()
            )
            time.sleep(0.5)
            if end == "leaves at once":
                client.close()
            process.send_signal(signal.SIGINT)
            if end == "stays":
                assert client.recv(1000).startswith(b"HTTP/1.1 408")
        assert process.wait(30) == 0
    assert (tmp_path / "err").read_text() == ""


@pytest.mark.slow
def test_a_hundred_raters_at_once_for_two_minutes(tmp_path, capsys):
    raters, seconds = 100, 120.0
    db = tmp_path / "s.sqlite"
    server = Server(
        db, TESTSET, *SYSTEMS, "--links", raters, "--set", f"raters_per_question={raters}"
    )
    times: list[float] = []
    end = time.monotonic() + seconds
    threads, confirmed, faults = rating_at_once(
        server, raters, lambda: time.monotonic() >= end, reading=3, times=times
    )
    for thread in threads:
        thread.join()
    server.stop()
    assert not faults
    study = studies.opened(db)
    by_rater = [0] * raters
    for each in judgements(study.database):
        by_rater[int(each.rater[1:]) - 1] += 1
    assert by_rater == [len(each) for each in confirmed]
    tail = {share: float(np.quantile(times, share)) for share in (0.5, 0.95, 0.99, 1.0)}
    with capsys.disabled():
        print(
            f"\n{len(times)} requests, {sum(map(len, confirmed))} answers; seconds by quantile: {tail}"
        )
