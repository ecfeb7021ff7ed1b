"""JSON over HTTP, with the standard library alone: a key from the environment, patience, no tricks."""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from typing import Any

from rejoinder.errors import InputError

KEY = "REJOINDER_API_KEY"
"""The environment variable that holds a server's key. It is sent, and never shown or kept."""

PATIENCE = 300.0  # seconds that an answer may take
PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before a request is tried again, where a server is busy or away for a moment."""

BUSY = {408, 409, 425, 429, 500, 502, 503, 504}


class Server:
    """A server's JSON routes.

    Args:
        url: What the routes' names are put behind.
        pauses: Seconds before each further try.
    """

    def __init__(self, url: str, pauses: tuple[float, ...] = PAUSES) -> None:
        self.url = url
        self.pauses = pauses
        # A redirect would carry the key to another host.
        self.opener = urllib.request.build_opener(_NoRedirect)

    def get(self, route: str) -> Any:
        """The answer of a route.

        Raises:
            InputError: There is none, or it is no JSON.
        """
        return self._answer(route, None)

    def post(self, route: str, value: Any) -> Any:
        """The answer of a route to a JSON value; errors as with ``get``."""
        return self._answer(route, json.dumps(value).encode())

    def _answer(self, route: str, body: bytes | None) -> Any:
        for pause in (*self.pauses, None):
            try:
                return self._once(route, body)
            except urllib.error.HTTPError as error:
                if error.code not in BUSY or pause is None:
                    raise InputError(self._refused(route, error)) from None
            except (OSError, http.client.HTTPException) as error:
                if pause is None or _nobody(error):
                    told = getattr(error, "reason", None) or error
                    raise InputError(
                        f"{self.url}/{route}: cannot be reached: {told}; is the server running?"
                    ) from None
            except ValueError:
                raise InputError(
                    f"{self.url}/{route}: the answer is no JSON; is this the URL of an "
                    "OpenAI-compatible server, with its /v1?"
                ) from None
            time.sleep(pause)
        raise AssertionError

    def _once(self, route: str, body: bytes | None) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        key = os.environ.get(KEY)
        if key:
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(f"{self.url}/{route}", data=body, headers=headers)
        with self.opener.open(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def _refused(self, route: str, error: urllib.error.HTTPError) -> str:
        told = error.read(2000).decode("utf-8", "replace")
        key = os.environ.get(KEY)
        if key:
            told = told.replace(key, "***")  # some servers repeat the key that they refuse
        words = " ".join(told.split())[:300]
        remedy = f"; set {KEY} to the server's key" if error.code in (401, 403) else ""
        return f"{self.url}/{route}: refused with status {error.code} ({words}){remedy}"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _nobody(error: BaseException) -> bool:
    """Whether nobody listens there: waiting does not help."""
    return isinstance(getattr(error, "reason", error), ConnectionRefusedError)
