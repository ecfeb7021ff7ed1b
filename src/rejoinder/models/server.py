"""JSON over HTTP, with the standard library alone: a key from the environment, and bounds on answers.

Nothing that a server answers is trusted: it may be too long, endless, broken off, or no JSON, and
each of these is one message. A server that is busy is asked again, when it says so or after a pause.
"""

from __future__ import annotations

import http.client
import io
import json
import math
import socket
import threading
import time
import urllib.error
import urllib.request
from contextlib import closing
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.files.strict_json import strict_json, well_formed
from rejoinder.models.server_key import KEY, answer_without_key, server_key, without_key
from rejoinder.progress import waits_of_run

MAX_SILENT_SECONDS = 300.0  # seconds that a server may be silent
MAX_ANSWER_SECONDS = 900.0  # seconds that a request may take, from connecting to the last byte
MAX_ANSWER_BYTES = 64 << 20
"""How long an answer may be: the echo of 100,000 tokens takes about 10 MiB."""

PIECE = 1 << 16  # bytes that are read at a time
PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before a request is tried again, where a server is busy or away for a moment."""

BUSY = {408, 409, 425, 429, 500, 502, 503, 504}

MAX_ANNOUNCED_WAITS = 60
"""Maximum number of waits that the server asks for (Retry-After), of `MAX_ANSWER_SECONDS` in all."""


class AnswerError(InputError):
    """A server's answer that cannot be used: no JSON, too long, or of another kind than asked for."""


class RefusedError(InputError):
    """A server refused a request.

    Attributes:
        status: The status of its answer, for example 400.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def split_url(url: str) -> SplitResult:
    """The parts of a server's URL.

    Raises:
        ParameterError: It is none of http or https with a host, or it holds a key: a URL
            ends up in files, signatures and logs.
    """
    try:
        parts = urlsplit(url)
        (parts.hostname or "").encode("idna")
        whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a bracket that is never closed, a port that is no number, an empty label
        parts, whole = SplitResult("", "", "", "", ""), False
    if "@" in url.partition("#")[0] or parts.query:
        raise ParameterError(
            f"a URL with {'parameters' if parts.query else 'a user or password'}: a key in a URL "
            f"ends up in files and logs; put it into the environment variable {KEY}, and leave out "
            "what stands before '@' or after '?'"
        )
    plain = url.isprintable() and " " not in url and (parts.netloc + parts.path).isascii()
    if not whole or not plain:
        raise ParameterError(
            f"{url!r:.80} is no URL of a server; expected http://host:port/v1 or https://host/v1 in "
            "ASCII, and #NAME behind it where it serves several models"
        )
    return parts


def open_server(url: str) -> tuple[Server, str]:
    """A server, and the name of the model on it: as the URL says behind ``#``, else the only one.

    Raises:
        ParameterError: The URL is none, or it names no model where the server has several.
        InputError: The server is asked for its models, and cannot be reached.
    """
    parts = split_url(url)
    server = Server(urlunsplit(parts._replace(fragment="")).rstrip("/"))
    return server, parts.fragment or server.only_model()


class Server:
    """A server's JSON routes, which several threads may ask at a time.

    Args:
        url: What the routes' names are put behind.
        pauses: Seconds before each further try.

    Attributes:
        waits: Where its requests are counted, and those that wait: together with those of the other
            servers of the run.
    """

    def __init__(self, url: str, pauses: tuple[float, ...] = PAUSES) -> None:
        self.url = url
        self.pauses = pauses
        # A redirect would carry the key to another host.
        self.opener = urllib.request.build_opener(_NoRedirect, _Http, _Https)
        self.waits = waits_of_run()
        self._closed = threading.Event()
        self._free = 0.0  # no request is sent before this time (time.monotonic)

    def close(self) -> None:
        """Ends the waiting of all requests: none is sent any more."""
        self._closed.set()

    def get(self, route: str) -> Any:
        """The answer of a route.

        Raises:
            AnswerError: It is no JSON, or it is longer or slower than any answer is.
            RefusedError: The server refuses the request, or goes on being busy.
            InputError: There is no answer.
            ParameterError: The key in the environment is none.
        """
        with self.waits.request():
            return self._answer(route, None)

    def post(self, route: str, value: Any) -> Any:
        """The answer of a route to a JSON value; errors as with ``get``."""
        body = json.dumps(value).encode()
        with self.waits.request():
            return self._answer(route, body)

    def only_model(self) -> str:
        """The name of the model that the server has.

        Raises:
            ParameterError: It has several, or does not say.
        """
        answer = self.get("models")
        listed = answer.get("data") if isinstance(answer, dict) else None
        rows = listed if isinstance(listed, list) else []
        ids = [each.get("id") for each in rows if isinstance(each, dict)]
        names = [answer_without_key(each) for each in ids if isinstance(each, str) and each.strip()]
        if len(names) != 1:
            choices = f"it serves {one_of(names)}" if names else "it lists none"
            raise ParameterError(f"{self.url}: name the model as in {self.url}#NAME; {choices}")
        return names[0]

    def _answer(self, route: str, body: bytes | None) -> Any:
        pauses, waited, announced = iter(self.pauses), 0.0, 0
        while True:
            self._wait()
            try:
                return self._read(route, self._once(route, body))
            except urllib.error.HTTPError as error:
                with closing(error):
                    pause = next(pauses, None) if error.code in BUSY else None
                    seconds = _retry_after(error.headers) if error.code in BUSY else None
                    if seconds is not None:
                        seconds = max(seconds, *self.pauses[:1], 0.0)
                        waited, announced = waited + seconds, announced + 1
                        if waited > MAX_ANSWER_SECONDS or announced > MAX_ANNOUNCED_WAITS:
                            message = self._too_busy(route, error.code, seconds)
                            raise RefusedError(message, error.code) from None
                        pauses = iter(self.pauses)
                        self._free = max(self._free, time.monotonic() + seconds)
                        pause = 0.0
                    if pause is None:
                        raise RefusedError(self._refused(route, error), error.code) from None
            except (OSError, http.client.HTTPException) as error:
                if isinstance(getattr(error, "reason", error), _DeadlineError):
                    raise AnswerError(
                        f"{self.url}/{route}: the answer was not complete after "
                        f"{MAX_ANSWER_SECONDS:.0f} seconds; is the server overloaded?"
                    ) from None
                pause = next(pauses, None)
                if pause is None or _nobody(error):
                    raise InputError(
                        f"{self.url}/{route}: cannot be reached: {_reason(error)}; is the server "
                        "running?"
                    ) from None
            self._sleep(pause)

    def _sleep(self, seconds: float) -> None:
        """Waits some seconds, or until the server is closed."""
        with self.waits.waiting(seconds):
            self._closed.wait(seconds)

    def _wait(self) -> None:
        """Waits until the server takes requests again; all threads wait, where one was told to."""
        while not self._closed.is_set() and (left := self._free - time.monotonic()) > 0:
            self._sleep(left)
        if self._closed.is_set():
            raise InputError(f"{self.url}: closed; no request is sent any more")

    def _read(self, route: str, answer: bytes) -> Any:
        try:
            value = strict_json(answer)
            return well_formed(value) if b"\\u" in answer else value
        except ValueError:
            raise AnswerError(
                f"{self.url}/{route}: the answer is no JSON; is this the URL of an "
                "OpenAI-compatible server, with its /v1?"
            ) from None

    def _once(self, route: str, body: bytes | None) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        key = server_key()
        if key and not (key.isascii() and key.isprintable()):
            raise ParameterError(f"{KEY}: holds characters that no key has; set it anew")
        if key:
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(f"{self.url}/{route}", data=body, headers=headers)
        with self.opener.open(request, timeout=MAX_SILENT_SECONDS) as answer:
            return self._body(route, answer)

    def _body(self, route: str, answer: http.client.HTTPResponse) -> bytes:
        """The body of an answer, no longer than `MAX_ANSWER_BYTES`."""
        body = bytearray()
        while piece := answer.read1(PIECE):
            body += piece
            if len(body) > MAX_ANSWER_BYTES:
                raise AnswerError(
                    f"{self.url}/{route}: the answer is longer than {MAX_ANSWER_BYTES >> 20} MiB, so it is "
                    "no answer of a completions server; is this its URL?"
                )
        if answer.length:  # read1 does not say that the connection ended before its time
            raise http.client.IncompleteRead(bytes(body), answer.length)
        return bytes(body)

    def _refused(self, route: str, error: urllib.error.HTTPError) -> str:
        try:
            message = error.read(2000).decode("utf-8", "replace")
        except (OSError, ValueError, http.client.HTTPException):
            message = "and an error message that breaks off"
        words = " ".join(without_key(message).split())[:300]
        remedy = f"; set {KEY} to the server's key" if error.code in (401, 403) else ""
        if 300 <= error.code < 400:
            remedy = (
                "; redirects are not followed, because they would carry the key to another host"
            )
        return f"{self.url}/{route}: refused with status {error.code} ({words}){remedy}"

    def _too_busy(self, route: str, status: int, seconds: float) -> str:
        return (
            f"{self.url}/{route}: busy (status {status}); the server asks to wait for another "
            f"{min(seconds, 1e9):.0f} seconds; repeat the command later"
        )


def _retry_after(headers: Message) -> float | None:
    """The seconds to wait that an answer names, as a number or as a date; None where it names none."""
    text = (headers.get("Retry-After") or "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            date = parsedate_to_datetime(text)
            date = date if date.tzinfo else date.replace(tzinfo=UTC)
            seconds = (date - datetime.now(UTC)).total_seconds()
        except (ValueError, OverflowError):
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _DeadlineError(OSError):
    """A request took longer than `MAX_ANSWER_SECONDS`."""


class _UntilDeadline(io.RawIOBase):
    """What comes over a connection up to ``end`` (``time.monotonic``), be it slow or without an end."""

    def __init__(self, connection: socket.socket, stream: io.RawIOBase, end: float) -> None:
        self.connection, self.stream, self.end = connection, stream, end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self.end - time.monotonic()
        try:
            if left > 0:
                self.connection.settimeout(min(left, MAX_SILENT_SECONDS))
                return self.stream.readinto(buffer)
        except TimeoutError:
            if left > MAX_SILENT_SECONDS:
                raise
        raise _DeadlineError

    def close(self) -> None:
        self.stream.close()
        super().close()


class _Response(http.client.HTTPResponse):
    """An answer of which everything is read up to a time: status, headers, sizes of chunks, body."""

    def __init__(self, sock: socket.socket, *given: Any, end: float, **named: Any) -> None:
        super().__init__(sock, *given, **named)
        self.fp = io.BufferedReader(_UntilDeadline(sock, self.fp.detach(), end))


class _WithDeadline(urllib.request.AbstractHTTPHandler):
    """Opens connections whose answers have `MAX_ANSWER_SECONDS` from now."""

    def do_open(self, http_class: Any, req: urllib.request.Request, **given: Any) -> Any:
        end = time.monotonic() + MAX_ANSWER_SECONDS

        def connection(*arguments: Any, **named: Any) -> http.client.HTTPConnection:
            opened = http_class(*arguments, **named)
            opened.response_class = partial(_Response, end=end)
            return opened

        return super().do_open(connection, req, **given)


class _Http(_WithDeadline, urllib.request.HTTPHandler):
    pass


class _Https(_WithDeadline, urllib.request.HTTPSHandler):
    pass


def _reason(error: BaseException) -> str:
    """Why there was no answer, in words."""
    if isinstance(error, http.client.IncompleteRead):
        return "the answer breaks off"
    words = str(getattr(error, "reason", None) or error)
    return " ".join(without_key(words).split())[:300] or type(error).__name__


def _nobody(error: BaseException) -> bool:
    """Whether nobody listens there: waiting does not help."""
    return isinstance(getattr(error, "reason", error), ConnectionRefusedError)
