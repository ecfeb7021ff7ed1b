"""A completions server on loopback: what is asked of it, what is taken from it, what is refused."""

import json
import math
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.models.likelihood import Prompting, Request, likelihoods, open_provider
from rejoinder.models.likelihood import server as patience
from rejoinder.models.likelihood.provider import EMPTY

REQUESTS = [
    Request("1", ("Did you get it?",), ("No, I did not.", "I don't know.", "")),
    Request("2", ("Hi.", "Where to?"), ("To the coast.", "I don't know.")),
]


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
        self.wfile.write(body)


def choices(cut, logprobs):
    return 200, {"choices": [{"logprobs": {"tokens": cut, "token_logprobs": logprobs}}]}


@pytest.fixture
def serve(monkeypatch):
    monkeypatch.setattr(patience.Server.__init__, "__defaults__", ((0.01,) * 3,))
    monkeypatch.delenv(patience.KEY, raising=False)
    made = []

    def start(answer=choices, names=("one",), busy=0):
        server = ThreadingHTTPServer(("127.0.0.1", 0), Completions)
        server.answer, server.names, server.busy, server.asked = answer, names, busy, []
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        made.append(server)
        return server, f"http://127.0.0.1:{server.server_port}/v1"

    yield start
    for server in made:
        server.shutdown()
        server.server_close()


def test_replies_begin_where_the_prompt_ends(serve):
    server, url = serve()
    found = likelihoods(open_provider(url), REQUESTS)
    prompt = tokens("Hi.\nWhere to?\n")
    whole = tokens("Hi.\nWhere to?\nTo the coast.")
    assert whole[: len(prompt) - 1] == prompt[:-1]  # the last blank is a part of "\nTo"
    expected = [value(whole[:i], whole[i]) for i in range(len(prompt) - 1, len(whole))]
    assert found.held[1][0].logprobs.tolist() == expected
    assert found.held[0][2].dropped == EMPTY
    assert "end of sequence is not counted" in found.notes[0]
    path, _, asked = server.asked[-1]
    assert path == "/v1/completions"
    assert (asked["model"], asked["echo"], asked["max_tokens"]) == ("one", True, 0)


def test_the_end_of_sequence_counts_where_it_is_named(serve):
    _, url = serve()
    plain = likelihoods(open_provider(url), REQUESTS[:1]).held[0][0]
    ended = likelihoods(open_provider(url, end_text="!"), REQUESTS[:1])
    assert ended.held[0][0].tokens == plain.tokens + 1
    assert ended.notes == ()


def test_the_key_is_sent_and_never_shown(serve, monkeypatch):
    monkeypatch.setenv(patience.KEY, "sk-secret")

    def refusing(cut, logprobs):
        return 401, {"error": "sk-secret is wrong"}

    server, url = serve(refusing)
    with pytest.raises(InputError, match=patience.KEY) as error:
        open_provider(url)
    assert "sk-secret" not in str(error.value)
    assert server.asked[0][1]["Authorization"] == "Bearer sk-secret"


def test_a_key_in_the_url_is_refused():
    with pytest.raises(ParameterError, match=patience.KEY):
        open_provider("http://me:secret@127.0.0.1:1/v1#m")


def test_redirects_are_not_followed(serve):
    _, url = serve(lambda cut, logprobs: (302, {}))
    with pytest.raises(InputError, match="status 302"):
        open_provider(url)


def test_a_busy_server_is_asked_again(serve):
    server, url = serve(busy=2)
    open_provider(url)
    assert server.busy == 0


def test_a_server_that_is_not_there():
    with pytest.raises(InputError, match="is the server running"):
        open_provider("http://127.0.0.1:9/v1#m")


def test_several_models_must_be_told_apart(serve):
    _, url = serve(names=("one", "two"))
    with pytest.raises(ParameterError, match="'one' or 'two'"):
        open_provider(url)
    assert open_provider(f"{url}#two").name == "two"


def test_a_chat_template_is_refused():
    with pytest.raises(ParameterError, match="plain prompts"):
        open_provider("http://127.0.0.1:9/v1#m", Prompting(template="chat"))


def generated_only(cut, logprobs):
    return choices([], [])


def none(cut, logprobs):
    return 200, {"choices": [{"text": "".join(cut), "logprobs": None}]}


def constant(cut, logprobs):
    return choices(cut, [None] + [-1.0] * (len(cut) - 1))


def floored(cut, logprobs):
    return choices(cut, [None] + [max(each, -4.0) for each in logprobs[1:]])


def skipped(cut, logprobs):
    return choices(cut, [None] * (len(cut) - 2) + logprobs[-2:])


def shorter(cut, logprobs):
    return choices(cut[:-3], logprobs[:-3])


def unequal(cut, logprobs):
    return choices(cut, logprobs[1:])


def positive(cut, logprobs):
    return choices(cut, [None] + [-each for each in logprobs[1:]])


def infinite(cut, logprobs):
    return choices(cut, [None, -math.inf, *logprobs[2:-1], -math.inf])


def words(cut, logprobs):
    return choices(cut, ["no"] * len(cut))


def no_json(cut, logprobs):
    return 200, b"<html>hello</html>"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (none, "holds no log-probabilities"),
        (generated_only, "empty"),
        (constant, "every token has the same"),
        (floored, "share the lowest"),
        (skipped, "have no log-probability"),
        (shorter, "does not tell the whole text"),
        (unequal, "expected one for each"),
        (positive, "none above 0"),
        (infinite, "expected finite"),
        (words, "expected a number"),
        (no_json, "no JSON"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_log_probabilities_not_to_be_relied_on_are_refused(serve, answer, told):
    _, url = serve(answer)
    with pytest.raises(InputError, match=told):
        open_provider(url)
