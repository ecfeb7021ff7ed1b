"""A completions server on loopback that echoes made-up log-probabilities."""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def tokens(text):
    return re.findall(r"\s?[A-Za-z']+|\s|[^\sA-Za-z]", text)


def value(before, token):
    """A made-up log-probability that depends on the token and on how much stands before it."""
    return -0.5 - (sum(map(ord, token)) % 97) / 10 - len(before) / 1000


class Completions(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.reply(200, {"data": [{"id": name} for name in self.server.names]})

    def do_POST(self):
        if self.server.raw is not None and len(self.server.asked) >= self.server.good:
            self.server.asked.append(None)
            self.wfile.write(self.server.raw)
            self.close_connection = True
            return
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), asked))
        if self.server.busy:
            self.server.busy -= 1
            self.reply(503, {"error": "loading"})
            return
        cut = tokens(asked["prompt"])
        logprobs = [None] + [value(cut[:i], cut[i]) for i in range(1, len(cut))]
        self.reply(*self.server.answer(cut, logprobs))

    def reply(self, status, value):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(ConnectionError):  # who asked may have given up
            self.wfile.write(body)


def choices(cut, logprobs):
    return 200, {"choices": [{"logprobs": {"tokens": cut, "token_logprobs": logprobs}}]}


@contextmanager
def serving(answer=choices, names=("one",), busy=0, raw=None, good=0):
    """A server and its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Completions)
    server.answer, server.names, server.busy, server.asked = answer, names, busy, []
    server.raw, server.good = raw, good
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server, f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
