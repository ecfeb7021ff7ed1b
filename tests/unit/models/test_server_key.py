"""A server's key is hidden, however a server writes it; and an answer is not changed."""

import json
import re
import urllib.parse

import pytest

from chat_server import completion, judge, serving
from rejoinder.errors import InputError
from rejoinder.models import server as module
from rejoinder.models.chat.endpoint import ChatEndpoint
from rejoinder.models.likelihood.endpoint import read_echo
from rejoinder.models.server import KEY, Server
from rejoinder.models.server_key import answer_without_key, without_key

SECRETS = ("sk-very/secret+key=", 'q"uote\\back&<amp>%tail', "plainlongkey12345")
SHORT = ("none", "x", "ollama", "ab/cd=", "\\")

FORMS = {
    "as it is": str,
    "in JSON": lambda key: json.dumps({"error": f"{key} is wrong"}),
    "in JSON with escaped slashes": lambda key: json.dumps(key).replace("/", "\\/"),
    "in JSON in JSON": lambda key: json.dumps(json.dumps(key).replace("/", "\\/")),
    "every character escaped": lambda key: "".join(f"\\u{ord(each):04x}" for each in key),
    "escaped in capitals": lambda key: "".join(f"\\u{ord(each):04X}" for each in key),
    "escaped in Python": lambda key: "".join(f"\\x{ord(each):02x}" for each in key),
    "in a URL": lambda key: urllib.parse.quote(key, safe=""),
    "in a URL in small letters": lambda key: "".join(f"%{ord(each):02x}" for each in key),
    "in a URL in a URL": lambda key: urllib.parse.quote(urllib.parse.quote(key, safe=""), safe=""),
    "in HTML": lambda key: "".join(f"&#{ord(each)};" for each in key),
    "in HTML by sixteen": lambda key: "".join(f"&#x{ord(each):X};" for each in key),
    "in HTML by name": lambda key: (
        key.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace("/", "&sol;")
    ),
    "in UTF-16": lambda key: key.encode("utf-16-le").decode("utf-8"),
    "over two lines": lambda key: f"{key[:8]}\n{key[8:]}",
}


def decoded(text):
    """A text in which nothing is escaped."""
    for _ in range(4):
        text = urllib.parse.unquote(text).replace("\\/", "/")
        text = re.sub(r"\\u00(..)", lambda each: chr(int(each[1], 16)), text)
    return text


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("key", SECRETS)
def test_a_key_is_hidden_in_every_form(monkeypatch, key, form):
    monkeypatch.setenv(KEY, key)
    written = FORMS[form](key)
    for mask in (without_key, answer_without_key):
        masked = mask(f"Bearer {written} is wrong; {written}.")
        assert masked.replace(FORMS["in JSON"]("***"), "***").count("***") == 2
        assert key not in masked
        assert written not in masked
    assert without_key(f"Bearer {key} is wrong.") == "Bearer *** is wrong."


@pytest.mark.parametrize("form", FORMS)
def test_a_short_key_is_hidden_in_messages(monkeypatch, form):
    for key in SHORT[:-1]:
        monkeypatch.setenv(KEY, key)
        assert "***" in without_key(f"<{FORMS[form](key)}>")


@pytest.mark.parametrize("key", SECRETS)
def test_parts_of_a_key_are_hidden_in_messages(monkeypatch, key):
    monkeypatch.setenv(KEY, key)
    for size in range(8, len(key)):  # at least four characters where some are an escape
        assert without_key(f"Wrong: {key[:size]}") == "Wrong: ***"
    masked = without_key(f"Wrong: {key[:6]}****{key[-6:]}")
    assert key[:6] not in masked
    assert key[-4:] not in masked


def test_three_characters_of_a_key_are_left_and_four_are_hidden(monkeypatch):
    monkeypatch.setenv(KEY, "abcdefghijkl")
    assert without_key("abc, ijk, bcde") == "abc, ijk, ***"
    monkeypatch.setenv(KEY, "abcdefghijk")  # one character fewer: no secret
    assert without_key("bcde abcdefghijk") == "bcde ***"


@pytest.mark.parametrize("key", SHORT)
def test_a_short_key_changes_no_answer(monkeypatch, key):
    monkeypatch.setenv(KEY, key)
    answer = f"There are {key} left."
    assert answer_without_key(answer) == answer
    with serving(lambda asked: (200, completion(answer))) as (_, url):
        assert ChatEndpoint(url).ask([{"role": "user", "content": "Hi."}]).text == answer


def test_a_key_of_twelve_characters_is_hidden_in_answers_and_one_of_eleven_is_not(monkeypatch):
    monkeypatch.setenv(KEY, "abcdefghijkl")
    assert answer_without_key("abcdefghijkl abcdefghijk") == "*** abcdefghijk"
    monkeypatch.setenv(KEY, "abcdefghijk")
    assert answer_without_key("abcdefghijk") == "abcdefghijk"


def test_a_model_named_like_a_short_key_is_asked_by_its_name(monkeypatch):
    monkeypatch.setenv(KEY, "ollama")
    with serving(judge, names=("ollama-7b",)) as (server, url):
        assert ChatEndpoint(url).model == "ollama-7b"
    assert server.asked[0][2]["model"] == "ollama-7b"


def test_without_a_key_nothing_is_hidden(monkeypatch):
    monkeypatch.delenv(KEY, raising=False)
    assert without_key("a \\u0041 %41") == answer_without_key("a \\u0041 %41") == "a \\u0041 %41"


@pytest.mark.parametrize("values", [["{key}", -1.0], [-1.0, ["{key}"]]])
def test_a_log_probability_that_is_the_key_hides_it(monkeypatch, values):
    key = SECRETS[0]
    monkeypatch.setenv(KEY, key)
    values = json.loads(json.dumps(values).replace("{key}", key))
    logprobs = {"tokens": ["a", "b"], "token_logprobs": values}
    with pytest.raises(InputError, match=r"a log-probability is .*\*\*\*") as error:
        read_echo({"choices": [{"text": "ab", "logprobs": logprobs}]}, "http://127.0.0.1")
    assert key not in str(error.value)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("key", [*SECRETS, "ab/cd="])
@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_hides_the_key(monkeypatch, key, form, status):
    monkeypatch.setenv(KEY, key)
    body = f'{{"error": "Bearer {FORMS[form](key)}"}}'.encode()
    with serving(lambda asked: (status, body)) as (_, url), pytest.raises(InputError) as error:
        ChatEndpoint(url)
    assert "***" in str(error.value)
    assert key not in str(error.value)
    assert FORMS[form](key) not in str(error.value)
    assert key not in decoded(str(error.value))


@pytest.mark.parametrize("before", range(1975, 2001))
def test_a_refusal_that_is_cut_inside_of_the_key_hides_it(monkeypatch, before):
    key = "sk-very-long-secret-key"
    monkeypatch.setenv(KEY, key)
    body = b" " * before + key.encode()
    with serving(lambda asked: (401, body)) as (_, url), pytest.raises(InputError) as error:
        ChatEndpoint(url)
    assert key[:4] not in str(error.value)


@pytest.mark.parametrize("key", ["none", *SECRETS])
def test_what_is_no_http_hides_the_key(monkeypatch, key):
    monkeypatch.setenv(KEY, key)
    for line in (key, f"HTTP/1.1 {key}", f"HTTP/{key} 200 OK"):
        answer = f"{line}\r\n\r\n".encode()
        with serving(lambda asked, answer=answer: answer) as (_, url):
            server = Server(url, ())
            with pytest.raises(InputError, match="cannot be reached") as error:
                server.post("chat/completions", {})
        assert key not in str(error.value)
    assert module.KEY == KEY
