"""A completions server on loopback: what is asked of it, what is taken from it, what is refused."""

import json
import math
from contextlib import ExitStack

import pytest

from completions_server import Completions, choices, serving, tokens, value
from rejoinder.errors import InputError, ParameterError
from rejoinder.models import server as patience
from rejoinder.models.likelihood.backend import EMPTY, LikelihoodRequest
from rejoinder.models.likelihood.endpoint import Echo, check_echo
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.likelihood.registry import open_backend
from rejoinder.models.likelihood.store import likelihoods

REQUESTS = [
    LikelihoodRequest("1", ("Did you get it?",), ("No, I did not.", "I don't know.", "")),
    LikelihoodRequest("2", ("Hi.", "Where to?"), ("To the coast.", "I don't know.")),
]


@pytest.fixture
def serve(monkeypatch):
    monkeypatch.setattr(patience.Server.__init__, "__defaults__", ((0.01,) * 3,))
    monkeypatch.delenv(patience.KEY, raising=False)
    with ExitStack() as servers:
        yield lambda *args, **kwargs: servers.enter_context(serving(*args, **kwargs))


def test_replies_begin_where_the_prompt_ends(serve):
    server, url = serve()
    found = likelihoods(open_backend(url), REQUESTS)
    prompt = tokens("Hi.\nWhere to?\n")
    whole = tokens("Hi.\nWhere to?\nTo the coast.")
    assert whole[: len(prompt) - 1] == prompt[:-1]  # the last blank is a part of "\nTo"
    expected = [value(whole[:i], whole[i]) for i in range(len(prompt) - 1, len(whole))]
    assert found.replies[1][0].logprobs.tolist() == expected
    assert found.replies[0][2].dropped == EMPTY
    assert "end of sequence is not counted" in found.notes[0]
    path, _, asked = server.asked[-1]
    assert path == "/v1/completions"
    assert (asked["model"], asked["echo"], asked["max_tokens"]) == ("one", True, 0)


def test_the_end_of_sequence_counts_where_it_is_named(serve):
    _, url = serve()
    plain = likelihoods(open_backend(url), REQUESTS[:1]).replies[0][0]
    ended = likelihoods(open_backend(url, end_text="!"), REQUESTS[:1])
    assert ended.replies[0][0].tokens == plain.tokens + 1
    assert ended.notes == ()


def test_the_key_is_sent_and_never_shown(serve, monkeypatch):
    monkeypatch.setenv(patience.KEY, "sk-secret")

    def refusing(cut, logprobs):
        return 401, {"error": "sk-secret is wrong"}

    server, url = serve(refusing)
    with pytest.raises(InputError, match=patience.KEY) as error:
        open_backend(url)
    assert "sk-secret" not in str(error.value)
    assert server.asked[0][1]["Authorization"] == "Bearer sk-secret"


@pytest.mark.parametrize(
    "url",
    [
        "http://me:secret@127.0.0.1:1/v1#m",
        "http://secret@127.0.0.1:1/v1#m",
        "https://host/v1?api_key=secret#m",
        "http://me:secret@[::1/v1",  # no URL, and a key all the same
    ],
)
def test_a_key_in_the_url_is_refused(url):
    with pytest.raises(ParameterError, match=patience.KEY) as error:
        open_backend(url)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1/v1",
        "http://host:port/v1",
        "http://host:99999/v1",
        "http:///v1",
        "http:/host/v1",
        "http://host/v 1",
        "http://host/v1\n",
        "http://host/ü",
        "http://a..b/v1",
        "http://./v1",
        f"http://{'a' * 64}.org/v1",
        "http://exämple.org/v1",
        "http://\u212a.org/v1",  # the sign of the kelvin
    ],
)
def test_what_is_no_url_of_a_server_is_refused(url):
    with pytest.raises(ParameterError, match="expected http://host:port/v1"):
        open_backend(url)


@pytest.mark.parametrize("key", ["sk-secret\nX: y", "sk-secrét", "sk-secret\x1b"])
def test_a_key_that_is_none_is_one_message(serve, monkeypatch, key):
    monkeypatch.setenv(patience.KEY, key)
    _, url = serve()
    with pytest.raises(ParameterError, match="no key has") as error:
        open_backend(url)
    assert "secr" not in str(error.value)


def test_redirects_are_not_followed(serve):
    _, url = serve(lambda cut, logprobs: (302, {}))
    with pytest.raises(InputError, match="status 302"):
        open_backend(url)


def test_a_busy_server_is_asked_again(serve):
    server, url = serve(busy=2)
    open_backend(url)
    assert server.busy == 0


def test_a_server_that_is_not_there():
    with pytest.raises(InputError, match="is the server running"):
        open_backend("http://127.0.0.1:9/v1#m")


def test_several_models_must_be_told_apart(serve):
    _, url = serve(names=("one", "two"))
    with pytest.raises(ParameterError, match="'one' or 'two'"):
        open_backend(url)
    assert open_backend(f"{url}#two").name == "two"


def test_a_chat_template_is_refused():
    with pytest.raises(ParameterError, match="plain prompts"):
        open_backend("http://127.0.0.1:9/v1#m", Prompting(template="chat"))


PROBED = 3
"""How many texts the probe asks for."""


def generated_only(cut, logprobs):
    return choices([], [])


def none(cut, logprobs):
    return 200, {"choices": [{"text": "".join(cut), "logprobs": None}]}


def floored(cut, logprobs):
    return choices(cut, [None] + [max(each, -4.0) for each in logprobs[1:]])


def constant(cut, logprobs):
    return choices(cut, [None] + [-1.0] * (len(cut) - 1))


def skipped(cut, logprobs):
    return choices(cut, [None] * (len(cut) - 2) + logprobs[-2:])


def cut_at_the_end(cut, logprobs):
    return choices(cut[:-1], logprobs[:-1])


def cut_at_the_start(cut, logprobs):
    return choices(cut[1:], logprobs[1:])


def cut_in_the_middle(cut, logprobs):
    return choices(cut[:2] + cut[3:], logprobs[:2] + logprobs[3:])


def another_text(cut, logprobs):
    return choices(["x"] * len(cut), logprobs)


def longer(cut, logprobs):
    return choices([*cut, " and", " more"], [*logprobs, -1.0, -2.0])


def unequal(cut, logprobs):
    return choices(cut, logprobs[1:])


def positive(cut, logprobs):
    return choices(cut, [*logprobs[:-1], 5.0])


def infinite(cut, logprobs):
    return choices(cut, [None, -math.inf, *logprobs[2:-1], -math.inf])


def not_a_number(cut, logprobs):
    return choices(cut, [*logprobs[:-1], math.nan])


def words(cut, logprobs):
    return choices(cut, ["no"] * len(cut))


def truths(cut, logprobs):
    return choices(cut, [True] * len(cut))


def nested(cut, logprobs):
    return choices([{"token": each} for each in cut], logprobs)


def huge(cut, logprobs):
    return choices(cut, [*logprobs[:-1], -(10**399)])


def too_huge(cut, logprobs):
    digits = b"-" + b"9" * 5000
    return 200, json.dumps(choices(cut, [*logprobs[:-1], -77])[1]).encode().replace(b"-77", digits)


def a_string(cut, logprobs):
    return 200, {"choices": [{"logprobs": {"tokens": "".join(cut), "token_logprobs": "0"}}]}


def no_choices(cut, logprobs):
    return 200, {"choices": []}


def a_list(cut, logprobs):
    return 200, [choices(cut, logprobs)[1]]


def null(cut, logprobs):
    return 200, None


def an_error(cut, logprobs):
    return 200, {"error": {"message": "no"}}


def no_json(cut, logprobs):
    return 200, b"<html>hello</html>"


def deep(cut, logprobs):
    return 200, b"[" * 100_000 + b"]" * 100_000


def half_a_character(cut, logprobs):
    return 200, b'{"choices": "\xff"}'


def empty(cut, logprobs):
    return 200, b""


def refused(cut, logprobs):
    return 400, {"error": "the prompt is too long"}


def moved(cut, logprobs):
    return 302, {}


IN_EVERY_ANSWER = [
    (none, "holds no log-probabilities"),
    (generated_only, "empty"),
    (skipped, "have no log-probability"),
    (cut_at_the_end, "does not tell the whole text"),
    (cut_in_the_middle, "does not tell the whole text"),
    (cut_at_the_start, "does not tell the whole text"),
    (another_text, "does not tell the whole text"),
    (longer, "does not tell the whole text"),
    (unequal, "expected one for each"),
    (positive, "none above 0"),
    (infinite, "expected finite"),
    (not_a_number, "have no log-probability"),
    (words, "expected a number"),
    (truths, "expected a number"),
    (nested, "expected text"),
    (huge, "beyond all numbers"),
    (too_huge, "no JSON"),
    (a_string, "are empty"),
    (no_choices, "holds no log-probabilities"),
    (a_list, "holds no log-probabilities"),
    (null, "holds no log-probabilities"),
    (an_error, "holds no log-probabilities"),
    (no_json, "no JSON"),
    (deep, "no JSON"),
    (half_a_character, "no JSON"),
    (empty, "no JSON"),
    (refused, "status 400"),
    (moved, "status 302"),
]

RAW = {
    "nothing": (b"", "cannot be reached"),
    "no HTTP": (b"hello\r\n\r\n", "cannot be reached"),
    "a status that is no number": (b"HTTP/1.1 abc OK\r\n\r\n", "cannot be reached"),
    "headers that break off": (b"HTTP/1.1 200 OK\r\nContent-Le", "no JSON"),
    "a body that breaks off": (
        b'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"choices"',
        "breaks off",
    ),
    "a chunk that breaks off": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n63\r\n{",
        "breaks off",
    ),
    "a chunk without a size": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
        "breaks off",
    ),
    "a header line without end": (
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n{}",
        "cannot be reached",
    ),
    "headers without end": (
        b"HTTP/1.1 200 OK\r\n" + b"X: x\r\n" * 200 + b"\r\n{}",
        "cannot be reached",
    ),
    "an error message that breaks off": (
        b"HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "status 404",
    ),
    "too long": (
        b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 2_000_000,
        "longer than 1 MiB",
    ),
}


@pytest.mark.parametrize(
    ("answer", "told"), IN_EVERY_ANSWER, ids=lambda each: getattr(each, "__name__", "")
)
@pytest.mark.parametrize("good", [0, PROBED], ids=["at once", "after the probe"])
def test_an_answer_not_to_be_relied_on_is_refused(serve, answer, told, good):
    # 28 behaviours, each from the first answer on, and each once the probe has been answered well.
    seen = []

    def later(cut, logprobs):
        seen.append(cut)
        return choices(cut, logprobs) if len(seen) <= good else answer(cut, logprobs)

    _, url = serve(later)
    with pytest.raises(InputError, match=told):
        likelihoods(open_backend(url), REQUESTS)
    assert len(seen) > good


@pytest.mark.parametrize("name", RAW)
@pytest.mark.parametrize("good", [0, PROBED], ids=["at once", "after the probe"])
def test_what_is_hardly_an_answer_is_one_message(serve, monkeypatch, name, good):
    monkeypatch.setattr(patience, "MAX_ANSWER_BYTES", 1 << 20)
    raw, told = RAW[name]
    _, url = serve(raw=raw, good=good)
    with pytest.raises(InputError, match=told):
        likelihoods(open_backend(url), REQUESTS)


@pytest.mark.parametrize(
    ("answer", "told"), [(constant, "every token has the same"), (floored, "share the lowest")]
)
def test_what_several_answers_show_together_is_seen_by_the_probe(serve, answer, told):
    _, url = serve(answer)
    with pytest.raises(InputError, match=told):
        open_backend(url)


def test_an_answer_that_trickles_for_ever_is_given_up(serve, monkeypatch):
    monkeypatch.setattr(patience, "MAX_ANSWER_SECONDS", 0.0)
    _, url = serve()
    with pytest.raises(InputError, match="not complete after 0 seconds"):
        open_backend(f"{url}#one")


@pytest.mark.parametrize("listed", [None, 7, "one", [7], {"one": 1}, [{"id": None}] * 2])
def test_a_list_of_models_that_is_none(serve, monkeypatch, listed):
    monkeypatch.setattr(Completions, "do_GET", lambda self: self.reply(200, {"data": listed}))
    _, url = serve()
    with pytest.raises(ParameterError, match="name the model as in"):
        open_backend(url)


@pytest.mark.parametrize(
    ("tokens", "text", "whole"),
    [
        (["<s>", "▁Hi", "▁there"], "Hi there", True),
        (["<s>", "▁Hi"], "Hi there", False),
        (["Hi", "\ufffd", "\ufffd", "\ufffd"], "Hi中", True),  # three bytes of one character
        (["Hi", "bytes:\\xe4", "bytes:\\xb8\\xad"], "Hi中", True),
        (["中", "\ufffd", "\ufffd"], "中文", True),
        (["Hi"], "Hi中文", False),
        (["\ufffd"], "中文", False),  # a token holds no more than one character's bytes
        (["ok", "..."], "ok…", True),  # NFKC, as SentencePiece normalises
        (["hello"], "Hello", True),
        ([], "Hello", False),
    ],
)
def test_what_tells_a_whole_text(tokens, text, whole):
    echo = Echo(tokens, [-1.0] * len(tokens))
    if whole:
        check_echo(echo, text, "here")
    else:
        with pytest.raises(InputError, match="does not tell the whole text"):
            check_echo(echo, text, "here")
