"""Replies of a chat model behind a server."""

import json

import pytest

import rejoinder
from chat_server import completion, judge, serving
from rejoinder.errors import InputError, ParameterError
from rejoinder.models import server as server_module
from rejoinder.models.chat.asking import Limits
from rejoinder.tables.responses import check_responses

KEY = "sk-very-secret"
CONTEXTS = [["Hello."], ["Hello.", "Hi.", "Where to?"], ["Hi.", "Where to?"], ["Is it late?"]]
TESTSET = rejoinder.TestSet.from_lists(
    [["Yes."]] * 4, contexts=CONTEXTS, ids=[f"c{n}" for n in range(4)]
)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(server_module.Server.__init__, "__defaults__", ((0.01,) * 3,))
    monkeypatch.setenv(server_module.KEY, KEY)


def asked(server):
    """The conversations that a server was asked about, by their last turn."""
    every = [each[2]["messages"] for each in server.asked]
    return [each for each in every if "the number 1" not in each[-1]["content"]]


def said(text):
    return lambda request: (
        judge(request) if "the number 1" in str(request) else (200, completion(text))
    )


def test_each_conversation_is_replied_to_with_its_roles():
    with serving() as (server, url):
        replies = rejoinder.respond(url, TESTSET, instructions="Be kind.", seed=7)
    assert replies.system == "judge-1"
    assert check_responses(replies.table, TESTSET).ids == TESTSET.ids
    system = {"role": "system", "content": "Be kind."}
    long = next(each for each in asked(server) if len(each) == 4)
    assert long == [
        system,
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Hi."},
        {"role": "user", "content": "Where to?"},
    ]
    body = server.asked[-1][2]
    assert (body["max_tokens"], body["temperature"], body["seed"]) == (128, 0, 7)
    assert "logprobs" not in body
    assert "seed:7" in replies.signature
    assert KEY not in replies.signature


def test_replies_follow_from_the_conversation():
    with serving() as (_, url):
        one, two = rejoinder.respond(url, TESTSET), rejoinder.respond(url, TESTSET, name="mine")
        short = rejoinder.respond(url, TESTSET, turns=1)
        assert one.hash == two.hash != short.hash
    assert one.table["text"].to_list() == two.table["text"].to_list()
    assert set(two.table["system"]) == {"mine"}
    assert short.table["text"][1] == short.table["text"][2] != one.table["text"][1]


def test_what_replies_lack_is_counted():
    def cut(request):
        status, body = said("A long")(request)
        if "the number 1" not in str(request):
            body["choices"][0]["finish_reason"] = "length"
        return status, body

    with serving(said(" ")) as (_, url):
        empty = rejoinder.respond(url, TESTSET)
    assert empty.notes == ("4 of 4 replies are empty",)
    assert empty.table["text"].to_list() == [""] * 4
    with serving(cut) as (_, url):
        assert rejoinder.respond(url, TESTSET).notes == (
            "4 of 4 replies are cut off at the maximum number of tokens",
        )


def test_half_a_surrogate_pair_in_a_reply_is_replaced_and_said(tmp_path):
    def some(request):
        odd = "Is it late?" in str(request["messages"])
        return (200, completion("Yes \ud83d", tokens=2**63)) if odd else judge(request)

    with serving(some) as (server, url):
        replies = rejoinder.respond(url, TESTSET, work=tmp_path)
        asked = len(server.asked)
        again = rejoinder.respond(url, TESTSET, work=tmp_path)
    assert len(server.asked) == asked + 1  # the first question alone
    assert again.table.equals(replies.table)
    assert replies.table["text"][3] == "Yes \ufffd"
    assert replies.notes == again.notes
    assert "1 of 4 replies contain the character U+FFFD, which replaces a broken one" in (
        replies.notes
    )


def test_a_conversation_that_the_assistant_opens_begins_a_turn_later_where_it_is_refused():
    def strict(request):
        return (
            (400, {"error": "roles"})
            if request["messages"][0]["role"] != "user"
            else judge(request)
        )

    with serving(strict) as (_, url):
        replies = rejoinder.respond(url, TESTSET)
    assert replies.table.height == 4
    assert replies.notes == (
        "1 of 4 conversations are shown from their second turn on: the server refuses an assistant who "
        "speaks first",
    )


@pytest.mark.parametrize(
    "answer", [(400, {"error": f"too long {KEY}"}), (200, b"<html>"), (200, {"choices": []})]
)
def test_a_conversation_without_a_reply_is_counted(answer, tmp_path):
    def some(request):
        return answer if "Is it late?" in str(request["messages"]) else judge(request)

    with serving(some) as (_, url):
        replies = rejoinder.respond(url, TESTSET, work=tmp_path)
        again = rejoinder.respond(url, TESTSET, work=tmp_path)
    assert replies.table["id"].to_list() == ["c0", "c1", "c2"]
    assert "1 item of 4 without a reply: the first is id 'c3'" in replies.notes[0]
    assert again.table.equals(replies.table)
    assert KEY not in str(replies) + next(tmp_path.iterdir()).read_text()


def test_a_server_that_replies_to_nothing_is_one_message():
    def mute(request):
        return judge(request) if "the number 1" in str(request) else (200, b"no")

    with (
        serving(mute) as (_, url),
        pytest.raises(InputError, match="none of the first 4 conversations"),
    ):
        rejoinder.respond(url, TESTSET)


def test_an_interrupted_run_is_resumed_and_limits_are_kept(tmp_path):
    with serving() as (server, url):
        whole = rejoinder.respond(url, TESTSET)
        with pytest.raises(InputError, match="max_calls=5: the limit is reached after 3 of 4"):
            # A reply takes up to 3 calls, so the fourth is not begun when 3 of 5 are used.
            rejoinder.respond(url, TESTSET, work=tmp_path, limits=Limits(max_calls=5))
        kept = [json.loads(line) for line in next(tmp_path.iterdir()).read_text().splitlines()[1:]]
        assert [each["id"] for each in kept] == ["c0", "c1", "c2"]
        before = len(asked(server))
        result = rejoinder.respond(url, TESTSET, work=tmp_path, limits=Limits(max_calls=50))
        assert len(asked(server)) == before + 1
        with pytest.raises(InputError, match="turns was all, is 1"):
            rejoinder.respond(url, TESTSET, work=tmp_path, turns=1)
    assert result.table.equals(whole.table)


@pytest.mark.parametrize(
    ("given", "told"),
    [({"turns": 2}, "turns"), ({"instructions": "x"}, "instructions"),
     ({"limits": Limits(retries=1)}, "retries"),
     ({"work": "w"}, "work"), ({"answer_tokens": 9}, "answer_tokens"),
     ({"limits": Limits(max_calls=9)}, "max_calls")],
)  # fmt: skip
def test_settings_of_a_server_are_refused_elsewhere(given, told):
    corpus = rejoinder.TestSet.from_lists([["Yes."]], contexts=[["Hi."]])
    with pytest.raises(ParameterError, match=f"{told}: has no effect without the URL of a server"):
        rejoinder.respond("random", TESTSET, corpus=corpus, **given)


@pytest.mark.parametrize(
    ("given", "told"),
    [({"turns": 0}, "turns=0"), ({"answer_tokens": 0}, "answer_tokens=0"),
     ({"limits": Limits(max_calls=9)}, "needs work=FOLDER"), ({"corpus": TESTSET}, "corpus: only random")],
)  # fmt: skip
def test_settings_out_of_range_are_refused(given, told):
    with pytest.raises(ParameterError, match=told):
        rejoinder.respond("http://127.0.0.1:9/v1#m", TESTSET, **given)


def test_an_item_without_a_context_is_told():
    bare = rejoinder.TestSet.from_lists([["Yes."]])
    with pytest.raises(InputError, match="no context to reply to"):
        rejoinder.respond("http://127.0.0.1:9/v1#m", bare)
