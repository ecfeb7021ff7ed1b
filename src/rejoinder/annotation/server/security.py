"""What the page lets in and out: headers, requests of other sites, sizes, and rates."""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl

from anyio import fail_after
from starlette.requests import ClientDisconnect, Request

LARGEST_BODY = 32 * 1024
MOST_FIELDS = 100
FORM_SECONDS = 10.0
"""How long a form may take to come in; the server waits for it when it is stopped."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    # Without an origin in forms (no-referrer) old browsers could not be told from other sites.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


class RequestRefusedError(Exception):
    """A request that is not answered.

    Attributes:
        status: The status of HTTP.
        key: The key of the sentence that says why.
    """

    def __init__(self, status: int, key: str) -> None:
        super().__init__(key)
        self.status = status
        self.key = key


class RateLimit:
    """At most so many requests in a second, for each key by itself, after a first burst.

    Args:
        rate: The requests in a second.
        burst: How many may come at once.
        clock: The time in seconds.

    >>> limit = RateLimit(1, 2, clock=lambda: 0.0)
    >>> [limit.allows("a") for _ in range(3)], limit.allows("b")
    ([True, True, False], True)
    """

    MOST_KEYS = 10_000

    def __init__(
        self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def allows(self, key: str) -> bool:
        """Whether one more request may pass; it is counted if so."""
        with self._lock:
            now = self._clock()
            left, before = self._left.pop(key, (float(self._burst), now))
            left = min(float(self._burst), left + (now - before) * self._rate)
            passes = left >= 1
            self._left[key] = (left - 1 if passes else left, now)
            while len(self._left) > self.MOST_KEYS:
                self._left.popitem(last=False)
            return passes


def form_token(secret: str, purpose: str) -> str:
    """What a form holds so that it can come only from a page that was shown to the rater."""
    return hmac.new(secret.encode(), purpose.encode(), hashlib.sha256).hexdigest()


def check_form_token(form: Mapping[str, str], secret: str, purpose: str) -> None:
    """Raises a `RequestRefusedError` where a form does not hold its token.

    Args:
        form: The fields of the form.
        secret: The secret of the study.
        purpose: What the token is for.
    """
    given = form.get("form", "").encode()
    if not hmac.compare_digest(given, form_token(secret, purpose).encode()):
        raise RequestRefusedError(403, "form_elsewhere")


def check_same_site(request: Request) -> None:
    """Raises a `RequestRefusedError` where a form was sent by a page of another site.

    Browsers say so in ``Sec-Fetch-Site``, and where they do not (an address without TLS) in ``Origin``.
    A request with neither is none of a browser's forms.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        if site == "same-origin":
            return
    else:
        origin, host = request.headers.get("origin", ""), request.headers.get("host", "")
        if host and origin.partition("://")[2] == host:
            return
    raise RequestRefusedError(403, "form_other_site")


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form, of limited size; of a field that is given twice the last one counts.

    Raises:
        RequestRefusedError: It is too large, no form, or came in part.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise RequestRefusedError(415, "form_expected")
    body = b""
    try:
        with fail_after(FORM_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > LARGEST_BODY:
                    raise RequestRefusedError(413, "form_large")
    except (ClientDisconnect, TimeoutError):
        raise RequestRefusedError(408, "form_in_part") from None
    try:
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise RequestRefusedError(400, "form_unreadable") from None
    return dict(pairs)
