"""The page of a study in a process of its own, which may be killed, and raters who use it by HTTP."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit


def free_port() -> int:
    """A port that nobody listens to."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


class Server:
    """``rejoinder annotate serve`` on a study.

    Args:
        db: The study.
        more: Words of the command line, for example a test set and responses.
    """

    def __init__(self, db: Path, *more: object) -> None:
        self.db, self.port, self.more = db, free_port(), more
        self.start()

    def start(self) -> None:
        """Starts the process, and waits for its links."""
        words = [*self.more, "--db", self.db, "--port", self.port, "--json", "-q"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rejoinder", "annotate", "serve", *map(str, words)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        text = ""
        for line in self.process.stdout:
            text += line
            if line == "}\n":
                break
        self.links = json.loads(text)

    def kill(self) -> None:
        """Ends the process as loss of power would."""
        self.process.kill()
        self._wait()

    def stop(self) -> int:
        """Ends the process as Ctrl-C does; its exit status."""
        os.kill(self.process.pid, signal.SIGINT)
        return self._wait()

    def _wait(self) -> int:
        status = self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status


class Browser:
    """A rater's requests. A request that no server answers is repeated, as a person would.

    Args:
        link: The link.
        times: Takes how long each answer took, in seconds.
    """

    def __init__(self, link: str, times: list[float] | None = None) -> None:
        parts = urlsplit(link)
        self.host, self.path = parts.netloc, parts.path
        self.times = times
        self.connection: http.client.HTTPConnection | None = None

    def begin(self) -> str:
        """Agrees to take part; the first question."""
        page = self.get()
        fields = self.fields(page)
        return self.post("begin", {"form": fields["form"], "consent": "yes"})

    def answer(self, page: str, given: dict[str, str]) -> str:
        """Answers the question of a page; the page that confirms it."""
        fields = self.fields(page)
        both = {"form": fields["form"], "question": fields["question"], **given}
        return self.post("answer", both)

    def get(self) -> str:
        """The page of the link."""
        status, text, _ = self._request("GET", self.path, None)
        assert status == 200, (status, text)
        return text

    def post(self, action: str, fields: dict[str, str]) -> str:
        """Sends a form; the page that follows it."""
        status, text, address = self._request("POST", f"{self.path}/{action}", urlencode(fields))
        assert status == 303, (status, text)
        assert address in (self.path, f"{self.path}/break")  # a break is taken at once
        return self.get()

    @staticmethod
    def fields(page: str) -> dict[str, str]:
        """The hidden fields of the first form that has them."""
        values: dict[str, str] = {}
        for name, value in re.findall(r'type="hidden" name="(\w+)" value="(\w*)"', page):
            values.setdefault(name, value)
        return values

    def close(self) -> None:
        """Ends the connection."""
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def _request(self, method: str, path: str, body: str | None) -> tuple[int, str, str]:
        headers = {"Sec-Fetch-Site": "same-origin"}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        for _ in range(600):
            begun = time.monotonic()
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection(self.host, timeout=30)
                self.connection.request(method, path, body, headers)
                answer = self.connection.getresponse()
                text = answer.read().decode()
            except (OSError, http.client.HTTPException):
                self.close()
                time.sleep(0.1)
                continue
            if self.times is not None:
                self.times.append(time.monotonic() - begun)
            return answer.status, text, answer.headers.get("Location", "")
        raise AssertionError("no server for a minute")
