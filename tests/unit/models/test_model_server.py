"""How servers are asked: when they are busy, when they say for how long, and when they redirect."""

import itertools
import re
import socket
import threading
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from rejoinder.cli.terminal.progress import Progress
from rejoinder.errors import InputError
from rejoinder.models import server as module
from rejoinder.models.server import AnswerError, RefusedError, Server, _retry_after
from rejoinder.progress import ServerWaits, run_with_servers


@contextmanager
def serving(*answers):
    """A server that gives these answers in turn, then ``{}``: (status, headers, body)."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            asked.append(time.monotonic())
            place = len(asked) - 1
            status, headers, body = answers[place] if place < len(answers) else (200, {}, b"{}")
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield Server(f"http://127.0.0.1:{server.server_port}/v1", (0.01, 0.01)), asked
    finally:
        server.shutdown()
        server.server_close()


def busy(seconds, status=429):
    return status, {"Retry-After": str(seconds)}, b""


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("2", 2), ("0.5", 0.5), ("-3", 0), ("", None), ("soon", None), ("inf", None), ("nan", None),
     ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 01 Jan 99999 00:00:00 GMT", None)],
)  # fmt: skip
def test_how_long_an_answer_asks_to_wait(text, seconds):
    headers = Message()
    headers["Retry-After"] = text
    assert _retry_after(headers) == seconds
    assert _retry_after(Message()) is None


def test_a_date_to_wait_for():
    headers = Message()
    headers["Retry-After"] = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    assert 50 < _retry_after(headers) <= 60


def test_a_request_waits_as_long_as_the_server_says():
    with serving(busy(0.2), busy(0.2)) as (server, asked):
        assert server.get("a") == {}
    assert [round(b - a, 1) >= 0.2 for a, b in itertools.pairwise(asked)] == [True, True]


def test_a_server_that_says_when_is_asked_more_often_than_one_that_does_not():
    # Two pauses: three tries without Retry-After; with it as many as MAX_ANNOUNCED_WAITS.
    with serving(*[busy(0)] * 10) as (server, asked):
        assert server.get("a") == {}
    assert len(asked) == 11
    with serving(*[(429, {}, b"")] * 10) as (server, asked), pytest.raises(RefusedError) as error:
        server.get("a")
    assert len(asked) == 3
    assert error.value.status == 429


def test_other_requests_wait_too():
    with serving(busy(0.3)) as (server, asked):
        threads = [threading.Thread(target=server.get, args=("a",)) for _ in range(4)]
        threads[0].start()
        while not asked or not server._free:
            time.sleep(0.005)
        for each in threads[1:]:
            each.start()
        for each in threads:
            each.join()
    assert len(asked) == 5
    assert min(asked[1:]) - asked[0] >= 0.29


def _closed(server):
    with pytest.raises(InputError, match="closed"):
        server.get("a")


def test_a_log_says_that_a_busy_server_is_waited_for():
    with run_with_servers(), serving(busy(30)) as (server, _asked):
        tick = Progress("asking", "questions")
        tick(3, 12)
        thread = threading.Thread(target=_closed, args=(server,))
        thread.start()
        while not server.waits.seconds():
            time.sleep(0.005)
        line = tick.line(seconds=5)
        with run_with_servers():
            assert Progress("asking").line(5) == "rejoinder: asking (5 s so far)"  # another run
        server.close()
        thread.join()
    words = r"rejoinder: asking: 3 of 12 questions, 25% \(server busy, next try in (30|29) s\)"
    assert re.fullmatch(words, line)
    assert tick.line(seconds=5) == "rejoinder: asking: 3 of 12 questions, 25% (5 s so far)"


def test_a_server_that_still_answers_others_is_not_called_busy():
    waits = ServerWaits()
    assert waits.seconds() == 0
    with waits.request(), waits.request(), waits.waiting(9):
        assert waits.seconds() == 0  # the other one is being answered
        with waits.waiting(4):
            assert 3 < waits.seconds() <= 4
        assert waits.seconds() == 0
    with waits.request(), waits.waiting(-1):
        assert waits.seconds() == 0
    assert waits.seconds() == 0


@pytest.mark.parametrize("wanted", [module.MAX_ANSWER_SECONDS + 1, 1e6, 1e300])
def test_a_server_that_asks_for_too_long_a_wait_is_given_up(wanted):
    with (
        serving(busy(wanted)) as (server, _),
        pytest.raises(RefusedError, match=r"another \d{1,10} seconds; repeat the command"),
    ):
        server.get("a")


def test_a_wait_of_exactly_the_longest_is_begun(monkeypatch):
    monkeypatch.setattr(module, "MAX_ANSWER_SECONDS", 0.2)
    with serving(busy(0.2)) as (server, _):
        assert server.get("a") == {}


def test_a_closed_server_is_asked_no_more():
    with serving(busy(30)) as (server, asked):
        failed = []

        def ask():
            try:
                server.get("a")
            except InputError as error:
                failed.append(str(error))

        thread = threading.Thread(target=ask)
        thread.start()
        while not server._free:
            time.sleep(0.005)
        server.close()
        thread.join(5)
    assert len(asked) == 1
    assert "no request is sent any more" in failed[0]


def test_a_redirect_is_not_followed():
    with (
        serving((302, {"Location": "http://127.0.0.1:9/"}, b"")) as (server, _),
        pytest.raises(RefusedError, match="carry the key to another host"),
    ):
        server.get("a")


def test_an_answer_that_cannot_be_used_is_no_refusal():
    with (
        serving((200, {}, b"[" * 100_000)) as (server, _),
        pytest.raises(AnswerError, match="no JSON"),
    ):
        server.get("a")


DRIPS = {
    "status line": (b"HTTP/1.1 ", b"2"),
    "header": (b"HTTP/1.1 200 OK\r\nX: ", b"a"),
    "many headers": (b"HTTP/1.1 200 OK\r\n", b"X: a\r\n"),
    "chunk size": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"),
    "chunk": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n", b"0"),
    "trailer": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: a\r\n"),
    "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "body": (b"HTTP/1.1 200 OK\r\n\r\n", b" "),
    "body of a known length": (b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b" "),
}


@contextmanager
def dripping(begin, piece):
    """The port of a server that sends ``begin``, and ``piece`` again and again."""
    done = threading.Event()

    def drip(connection):
        with connection, suppress(OSError):
            connection.sendall(begin)
            while not done.wait(0.02):
                connection.sendall(piece)

    def accept():
        with suppress(OSError):
            while True:
                threading.Thread(target=drip, args=place.accept()[:1], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as place:
        threading.Thread(target=accept, daemon=True).start()
        yield place.getsockname()[1]
        done.set()
        place.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("where", DRIPS)
def test_a_drip_ends_at_the_deadline_wherever_it_is(where, monkeypatch):
    monkeypatch.setattr(module, "MAX_ANSWER_SECONDS", 0.3)
    begun = time.monotonic()
    with dripping(*DRIPS[where]) as port:
        server = Server(f"http://127.0.0.1:{port}/v1", ())
        with pytest.raises(AnswerError, match="not complete after 0 seconds"):
            server.get("a")
    assert 0.29 < time.monotonic() - begun < 3


def test_a_drip_in_the_message_of_a_refusal_ends_at_the_deadline(monkeypatch):
    monkeypatch.setattr(module, "MAX_ANSWER_SECONDS", 0.3)
    begun = time.monotonic()
    with dripping(b"HTTP/1.1 400 Bad\r\nContent-Length: 9999\r\n\r\n", b" ") as port:
        server = Server(f"http://127.0.0.1:{port}/v1", ())
        with pytest.raises(
            RefusedError, match=r"status 400 \(and an error message that breaks off"
        ):
            server.get("a")
    assert 0.29 < time.monotonic() - begun < 3


def test_a_drip_before_a_connection_is_encrypted_ends_too(monkeypatch):
    monkeypatch.setattr(module, "MAX_SILENT_SECONDS", 0.3)
    begun = time.monotonic()
    with dripping(b"\x16\x03\x03\x40\x00", b"\x02") as port:
        server = Server(f"https://127.0.0.1:{port}/v1", ())
        with pytest.raises(InputError, match="timed out"):
            server.get("a")
    assert 0.29 < time.monotonic() - begun < 3


def test_a_drip_of_a_proxy_ends_at_the_deadline(monkeypatch):
    monkeypatch.setattr(module, "MAX_ANSWER_SECONDS", 0.3)
    with dripping(*DRIPS["header"]) as port:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("no_proxy", "")
        server = Server("https://host.invalid/v1", ())
        with pytest.raises(AnswerError, match="not complete after 0 seconds"):
            server.get("a")


def test_a_silent_server_is_asked_again_before_the_deadline(monkeypatch):
    monkeypatch.setattr(module, "MAX_SILENT_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as place:
        server = Server(f"http://127.0.0.1:{place.getsockname()[1]}/v1", (0.01,))
        with pytest.raises(InputError, match="cannot be reached: timed out"):
            server.get("a")
