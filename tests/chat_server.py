"""A chat completions server on loopback that marks replies in a made-up way.

``python chat_server.py`` prints its URL, and serves until its standard input is closed.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PROBES = 1
"""How many questions a server gets before the first one of a run, where it tells log-probabilities."""


def options(prompt):
    """What the question lets a model answer."""
    listed = re.findall(r"Answer with (.+?) and nothing else", prompt)
    return [word for word in re.split(r", | or ", listed[-1] if listed else "1") if word]


def number(text, most):
    """A number below ``most`` that depends on the text alone."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % most


def completion(text, first=None, tokens=7, **more):
    """The body of an answer; ``first`` has the probabilities of first tokens."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
    }
    if first is not None:
        rows = [{"token": token, "logprob": math.log(p)} for token, p in first.items()]
        token = text.split()[0] if text.split() else ""
        choice["logprobs"] = {"content": [{"token": token, "logprob": -0.1, "top_logprobs": rows}]}
    return {"choices": [choice], "usage": {"total_tokens": tokens}, **more}


def shares(prompt, marks):
    """The probabilities of the marks as first tokens, .9 in all; the highest is that of ``judge``."""
    weights = [1 + number(prompt + mark, 50) for mark in marks]
    weights[number(prompt, len(marks))] += 100
    return {mark: 0.9 * weight / sum(weights) for mark, weight in zip(marks, weights, strict=True)}


def judge(asked):
    """Marks a reply: the same question always gets the same answer.

    A model called "hesitant" gives half of its marks only when it is asked again.
    """
    prompt = asked["messages"][-1]["content"]
    hesitates = asked["model"] == "hesitant" and "could not be read" not in prompt
    if hesitates and number(prompt, 2):
        return 200, completion("Well", {"Well": 0.9} if asked.get("logprobs") else None)
    if "nothing else" not in prompt:  # a conversation
        whole = json.dumps(asked["messages"]) + str(asked["max_tokens"])
        return 200, completion(f"Reply {number(whole, 10_000)}, I think.", None, len(whole.split()))
    marks = ["1"] if "the number 1" in prompt else options(prompt)
    answer = marks[number(prompt, len(marks))]
    first = shares(prompt, marks) if asked.get("logprobs") else None
    return 200, completion(answer, first, len(prompt.split()) + 1)


def plain(asked):
    """The same judge on a server that knows no log-probabilities."""
    if asked.get("logprobs"):
        return 400, {"error": "logprobs are not supported"}
    return judge(asked)


class Chat(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.reply(200, {"data": [{"id": name} for name in self.server.names]})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.asked is not None:
            with self.server.lock:
                self.server.asked.append((self.path, dict(self.headers), asked))
        answered = self.server.answer(asked)
        if isinstance(answered, bytes):  # as it is, and the connection ends
            self.wfile.write(answered)
            self.close_connection = True
            return
        self.reply(*answered)

    def reply(self, status, value, headers=()):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, content in {"Content-Length": str(len(body)), **dict(headers)}.items():
            self.send_header(name, content)
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass  # a client that went away


def begin(answer=judge, names=("judge-1",), port=0):
    """A server that runs, with its ``url``."""
    server = Server(("127.0.0.1", port), Chat)
    server.answer, server.names, server.asked, server.lock = answer, names, [], threading.Lock()
    server.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server


@contextmanager
def serving(answer=judge, names=("judge-1",)):
    """A server and its URL."""
    server = begin(answer, names)
    try:
        yield server, server.url
    finally:
        server.shutdown()
        server.server_close()


@cache
def process():
    """The URL of a server in a process of its own, which ends with this one."""
    started = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(_end, started, os.getpid())
    return started.stdout.readline().strip()


def _end(started, parent):
    if os.getpid() == parent:  # not a process that was forked from it
        started.stdin.close()
        started.stdout.close()
        started.wait()


if __name__ == "__main__":
    running = begin(judge)
    running.asked = None
    print(running.url, flush=True)
    sys.stdin.read()
