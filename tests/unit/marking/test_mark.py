"""Marks by a model behind a server: what is asked, what becomes of the answers, and of bad ones."""

import json
import threading
import time

import polars as pl
import pytest

import chat_server
import rejoinder
from chat_server import completion, judge, number, options, plain, serving
from rejoinder.annotation.task import Criterion
from rejoinder.cli.terminal.showing import show
from rejoinder.errors import InputError, ParameterError
from rejoinder.marking.answers import CUT, EMPTY, OTHER, REFUSED, UNUSABLE
from rejoinder.marking.rubric import AGAIN, Rubric
from rejoinder.models import server as server_module
from rejoinder.models.chat import asking
from rejoinder.models.chat.asking import Limits
from rejoinder.models.chat.endpoint import ChatEndpoint
from rejoinder.models.likelihood.backend import LocalModel
from rejoinder.tables.external_scores import SegmentScores

SIZE = 12
IDS = [f"c{n}" for n in range(SIZE)]
TESTSET = rejoinder.TestSet.from_lists(
    [[f"Line {n}."] for n in range(SIZE)],
    contexts=[["Hello.", f"Where is bus {n}?"] for n in range(SIZE)],
    ids=IDS,
)
RESPONSES = pl.DataFrame(
    [
        {"system": system, "id": id, "text": f"{system} says {id}."}
        for system in ("cat", "bot")
        for id in IDS
    ]
)
RUBRIC = Rubric((Criterion("fit", "Does it fit?", 1, 5),))
KEY = "sk-very/secret+key"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(server_module.Server.__init__, "__defaults__", ((0.01,) * 3,))
    monkeypatch.setenv(server_module.KEY, KEY)


def mark(url, **given):
    return rejoinder.mark(TESTSET, RESPONSES, url, RUBRIC, **given)


def is_probe(asked):
    return "the number 1" in asked["messages"][0]["content"]


def prompt(system, id):
    n = id[1:]
    return RUBRIC.question(
        "pointwise",
        RUBRIC.criteria[0],
        list("12345"),
        {"context": f"A: Hello.\nB: Where is bus {n}?", "reply": f"{system} says {id}."},
    )


def test_marks_are_expectations_over_the_scale():
    with serving() as (server, url):
        result = mark(url)
    expected = []
    for system, id in RESPONSES.select("system", "id").iter_rows():
        first = chat_server.shares(prompt(system, id), list("12345"))
        value = sum(int(point) * each for point, each in first.items()) / sum(first.values())
        expected.append((system, id, "judge-1 fit", pytest.approx(value)))
    assert list(result.table.iter_rows()) == expected
    counts = result.counts()
    assert (counts["questions"], counts["expectations"], counts["calls"]) == (24, 24, 24)
    path, headers, asked = server.asked[-1]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert asked["messages"] == [{"role": "user", "content": asked["messages"][0]["content"]}]
    assert {name: asked[name] for name in asked if name != "messages"} == {
        "model": "judge-1", "max_tokens": 16, "temperature": 0, "seed": 12345, "logprobs": True,
        "top_logprobs": 20,
    }  # fmt: skip
    SegmentScores.of(result.table)  # what every verb reads
    assert result.notes == ()


def test_without_log_probabilities_marks_are_the_numbers_answered():
    with serving(plain) as (_, url):
        result = mark(url)
    values = [
        1.0 + number(prompt(system, id), 5)
        for system, id in RESPONSES.select("system", "id").iter_rows()
    ]
    assert result.table.get_column("value").to_list() == values
    assert "logprobs:no" in result.signature
    assert result.counts()["expectations"] == 0


def test_a_server_that_allows_fewer_first_tokens_is_asked_for_fewer():
    def few(asked):
        return (400, {"error": "at most 5"}) if asked.get("top_logprobs", 0) > 5 else judge(asked)

    with serving(few) as (server, url):
        result = mark(url)
    assert server.asked[-1][2]["top_logprobs"] == 5
    assert "logprobs:5" in result.signature


def test_systems_are_summarised():
    with serving() as (_, url):
        result = mark(url)
    values = result.table.group_by("system", maintain_order=True).agg(pl.col("value").mean())
    rows = result.systems.rows()
    assert [row[:4] for row in rows] == [("cat", "fit", 12, 0), ("bot", "fit", 12, 0)]
    assert [row[4] for row in rows] == pytest.approx(values.get_column("value").to_list())


def test_pairs_are_compared_in_both_orders():
    with serving() as (_, url):
        result = mark(url, pairwise=True)
    rows = result.table.to_dicts()
    assert len(rows) == 2 * SIZE
    orders = [(row["id"], row["a"], row["b"], row["first"]) for row in rows]
    assert orders[:2] == [("c0", "cat", "bot", "a"), ("c0", "bot", "cat", "a")]
    for row in rows:
        context = f"A: Hello.\nB: Where is bus {row['id'][1:]}?"
        asked = RUBRIC.question("pairwise", RUBRIC.criteria[0], ["1", "2", "tie"], {
            "context": context, "first": f"{row['a']} says {row['id']}.",
            "second": f"{row['b']} says {row['id']}.",
        })  # fmt: skip
        assert row["winner"] == ("a", "b", "tie")[number(asked, 3)]
    (pair,) = result.systems.to_dicts()
    wins = [row["winner"] if row["a"] == "cat" else {"a": "b", "b": "a"}.get(row["winner"], "tie")
            for row in rows]  # fmt: skip
    assert [pair["a_wins"], pair["b_wins"], pair["ties"]] == [
        wins.count(w) for w in ("a", "b", "tie")
    ]
    same = sum(one == two for one, two in zip(wins[::2], wins[1::2], strict=True))
    assert (pair["both_orders"], pair["consistent"]) == (SIZE, same)
    rejoinder.preferences(result.table)


def test_ties_are_asked_for_where_the_rubric_allows_them():
    rubric = Rubric(RUBRIC.criteria, ties=False)
    with serving() as (server, url):
        result = rejoinder.mark(TESTSET, RESPONSES, url, rubric, pairwise=True)
    assert options(server.asked[-1][2]["messages"][0]["content"]) == ["1", "2"]
    assert set(result.table.get_column("winner")) <= {"a", "b"}


def test_equal_replies_are_asked_once_and_tie():
    same = RESPONSES.with_columns(text=pl.lit("Yes."))
    with serving() as (server, url):
        result = rejoinder.mark(TESTSET, same, url, RUBRIC)
    assert len(server.asked) == 12 + chat_server.PROBES
    values = result.table.get_column("value").to_list()
    assert values[:12] == values[12:]
    assert "12 questions asked once for equal replies" in result.notes


def test_several_replies_to_an_item_are_marked_each():
    samples = pl.concat(
        RESPONSES.with_columns(sample=pl.lit(str(n)), text=pl.col("text") + f" {n}")
        for n in range(2)
    )
    with serving() as (_, url):
        result = rejoinder.mark(TESTSET, samples, url, RUBRIC)
        with pytest.raises(InputError, match="several replies of one system to one item"):
            rejoinder.mark(TESTSET, samples, url, RUBRIC, pairwise=True)
    assert result.table.columns == ["system", "id", "name", "value", "sample"]
    assert result.table.height == 48
    SegmentScores.of(result.table)


def test_several_criteria_are_asked_one_by_one():
    rubric = Rubric((Criterion("fit", "Fits?"), Criterion("style", "Nice?", 0, 1)))
    with serving() as (_, url):
        result = rejoinder.mark(TESTSET, RESPONSES, url, rubric)
    assert set(result.table.get_column("name")) == {"judge-1 fit", "judge-1 style"}
    style = result.table.filter(pl.col("name") == "judge-1 style").get_column("value")
    assert style.is_between(0, 1).all()
    assert result.table.height == 48


def test_last_turns_and_references_are_shown():
    rubric = Rubric(RUBRIC.criteria, pointwise="{context}|{references}|{reply} Answer with {answers} "
                    "and nothing else.")  # fmt: skip
    with serving() as (server, url):
        rejoinder.mark(TESTSET, RESPONSES, url, rubric, turns=1)
    texts = {each[2]["messages"][0]["content"] for each in server.asked}
    assert (
        "B: Where is bus 3?|Line 3.|cat says c3. Answer with 1, 2, 3, 4 or 5 and nothing else."
        in texts
    )


def test_an_item_that_a_system_did_not_answer_has_no_mark():
    few = RESPONSES.filter((pl.col("system") == "cat") | (pl.col("id") < "c2"))
    with serving() as (_, url):
        result = rejoinder.mark(TESTSET, few, url, RUBRIC)
        pairs = rejoinder.mark(TESTSET, few, url, RUBRIC, pairwise=True)
    short = 12 - few.filter(pl.col("system") == "bot").height
    assert f"system 'bot' did not answer {short} of 12 items: no marks there" in result.notes
    assert pairs.table.height == 2 * (12 - short)
    with serving() as (_, url), pytest.raises(InputError, match="which the test set does not have"):
        rejoinder.mark(TESTSET, RESPONSES.with_columns(id=pl.lit("x")).head(1), url, RUBRIC)
    with (
        serving() as (_, url),
        pytest.raises(InputError, match="no item that two of them answered"),
    ):
        rejoinder.mark(TESTSET, RESPONSES.head(12), url, RUBRIC, pairwise=True)


def http(body, head=b"HTTP/1.1 200 OK\r\n", length=None):
    size = len(body) if length is None else length
    return head + b"Content-Length: %d\r\n\r\n" % size + body


def good(**more):
    return http(json.dumps(completion("4", {"4": 0.9}, **more)).encode())


def logprob(value):
    row = {"token": "4", "logprob": value}
    body = completion("4")
    body["choices"][0]["logprobs"] = {"content": [{"token": "4", "top_logprobs": [row]}]}
    return http(json.dumps(body).encode())


def cut(asked):
    body = completion("I think that")
    body["choices"][0]["finish_reason"] = "length"
    return 200, body


BAD = {
    "no JSON": (lambda asked: (200, b"<html>hello</html>"), UNUSABLE),
    "cut JSON": (lambda asked: (200, b'{"choices": [{"mess'), UNUSABLE),
    "deep JSON": (lambda asked: (200, b"[" * 100_000), UNUSABLE),
    "a key twice": (lambda asked: (200, b'{"choices": [], "choices": []}'), UNUSABLE),
    "a huge body": (lambda asked: (200, b" " * (2 << 20)), UNUSABLE),
    "no choices": (lambda asked: (200, {"choices": []}), UNUSABLE),
    "two choices": (lambda asked: (200, {"choices": completion("4")["choices"] * 2}), UNUSABLE),
    "another kind of choice": (lambda asked: (200, {"choices": [{"text": "4"}]}), UNUSABLE),
    "NaN": (lambda asked: logprob(float("nan")), UNUSABLE),
    "a positive log-probability": (lambda asked: logprob(0.7), UNUSABLE),
    "no log-probability": (lambda asked: (200, completion("4")), UNUSABLE),
    "an empty answer": (lambda asked: (200, completion("", {})), EMPTY),
    "a mark outside of the scale": (lambda asked: (200, completion("9", {"9": 0.9})), OTHER),
    "half a surrogate pair": (lambda asked: (
        200, completion("\ud83d indeed", {"\ud83d": 0.9})), OTHER),
    "an echo": (lambda asked: (
        200, completion(asked["messages"][0]["content"], {"<conversation>": 1.0})), OTHER),
    "a refusal in words": (lambda asked: (200, completion("As a model, I", {"As": 0.9})), OTHER),
    "a cut answer": (lambda asked: (200, {**cut(asked)[1], "choices": [
        {**cut(asked)[1]["choices"][0], "logprobs": completion("I", {"I": 0.9})["choices"][0]["logprobs"]}
    ]}), CUT),
    "the key": (lambda asked: (200, completion(f"Your key is {KEY}", {KEY: 0.9})), OTHER),
    "a prompt that is too long": (lambda asked: (400, {"error": f"too long {KEY}"}), REFUSED),
}  # fmt: skip
"""Answers to one question that leave it without a mark, and the reason."""


def everything(result, folder):
    """All that a run leaves and says."""
    files = "".join(each.read_text() for each in folder.rglob("*") if each.is_file())
    return files + str(result.as_json()) + result.table.write_csv() + result.answers.write_csv()


@pytest.mark.parametrize("name", BAD)
def test_an_answer_that_is_no_mark_is_counted_asked_again_and_missing(name, tmp_path, monkeypatch):
    monkeypatch.setattr(server_module, "MAX_ANSWER_BYTES", 1 << 20)
    answer, fault = BAD[name]

    def some(asked):
        return answer(asked) if "cat says c3." in asked["messages"][0]["content"] else judge(asked)

    with serving(some) as (server, url):
        result = mark(url, work=tmp_path, limits=Limits(retries=2))
        whole = len(server.asked)
        again = mark(url, work=tmp_path, limits=Limits(retries=2))
    tries = 1 if fault == REFUSED else 3
    assert whole == chat_server.PROBES + 23 + tries
    values = dict(zip(zip(RESPONSES["system"], RESPONSES["id"], strict=True), result.table["value"],
                      strict=True))  # fmt: skip
    assert values["cat", "c3"] is None
    assert sum(value is None for value in values.values()) == 1
    counts = result.counts()
    assert counts["without_mark"] == {fault: 1}
    assert (counts["marks"], counts["calls"]) == (23, 23 + tries)
    assert counts["asked_again"] == (0 if fault == REFUSED else 1)
    assert any(f"1 question of 24 without a mark: {fault}" in note for note in result.notes)
    assert KEY not in everything(result, tmp_path)
    assert again.table.equals(result.table)
    assert again.as_json() == result.as_json()
    if fault in (OTHER, EMPTY, CUT):
        texts = [each[2]["messages"][0]["content"] for each in server.asked]
        assert (
            sum(text.endswith(AGAIN.replace("{answers}", "1, 2, 3, 4 or 5")) for text in texts) == 2
        )


@pytest.mark.parametrize("name", BAD)
def test_a_server_that_answers_nothing_else_is_one_message(name, tmp_path, monkeypatch):
    monkeypatch.setattr(server_module, "MAX_ANSWER_BYTES", 1 << 20)
    answer, _ = BAD[name]

    def always(asked):
        return judge(asked) if is_probe(asked) else answer(asked)

    told = "none of the first 24 answers is a mark"
    with serving(always) as (_, url), pytest.raises(InputError, match=told) as error:
        mark(url, work=tmp_path, limits=Limits(retries=0))
    assert KEY not in str(error.value)


def test_a_long_run_without_marks_ends_early():
    testset = rejoinder.TestSet.from_lists([["Yes."]] * 500, contexts=["Hi."] * 500)
    replies = pl.DataFrame({"system": "bot", "id": testset.ids, "text": testset.ids})
    told = "none of the first 32 answers"
    silent = serving(lambda asked: (200, completion("No comment.")))
    with silent as (server, url), pytest.raises(InputError, match=told):
        rejoinder.mark(testset, replies, url, RUBRIC, limits=Limits(retries=0))
    assert len(server.asked) <= 3 + asking.GIVE_UP_AFTER + 8


class Moody:
    """A server that fails the first times that each question is asked."""

    def __init__(self, times, *answers):
        self.times, self.answers = times, answers
        self.seen, self.lock = {}, threading.Lock()

    def __call__(self, asked):
        text = asked["messages"][0]["content"]
        with self.lock:
            count = self.seen[text] = self.seen.get(text, 0) + 1
        if count > self.times:
            return judge(asked)
        return self.answers[(count - 1) % len(self.answers)]


MOODS = {
    "500, then 503": Moody(2, (500, {"error": "oops"}), (503, {})),
    "429": Moody(3, (429, {"error": "slow down"})),
    "a storm of 429 with Retry-After": Moody(20, (429, {}, {"Retry-After": "0"})),
    "the connection is cut": Moody(2, b""),
    "the answer breaks off": Moody(2, http(b'{"choices": [', length=4000)),
    "no HTTP": Moody(2, b"hello\r\n\r\n"),
}


@pytest.mark.parametrize("name", MOODS)
def test_a_server_that_fails_for_a_while_loses_nothing(name, tmp_path):
    with serving() as (_, url):
        whole = mark(url)
    with serving(MOODS[name]) as (_, url):
        result = mark(url, work=tmp_path)
    assert result.table.equals(whole.table)
    assert {**result.as_json(), "signature": ""} == {**whole.as_json(), "signature": ""}
    assert KEY not in everything(result, tmp_path)


def test_a_slow_server_is_waited_for(tmp_path):
    def slow(asked):
        time.sleep(0.02 + number(str(asked), 5) / 100)
        return judge(asked)

    with serving(slow) as (_, url):
        result = mark(url)
    assert result.counts()["marks"] == 24


FAILING = {
    "down": (lambda asked: (500, {"error": f"broken {KEY}"}), "refused with status 500"),
    "a storm": (lambda asked: (429, {}, {"Retry-After": "5000"}), "repeat the command later"),
    "elsewhere": (lambda asked: (307, {}, {"Location": "http://localhost:9/v1"}), "carry the key"),
    "no key": (lambda asked: (401, {"error": f"{KEY} is wrong"}), server_module.KEY),
    "no money": (lambda asked: (402, {"error": "pay"}), "status 402"),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_server_that_fails_for_good_loses_no_answer(name, tmp_path):
    answer, told = FAILING[name]
    with serving() as (_, url):
        whole = mark(url)
    seen, lock = [], threading.Lock()

    def later(asked):
        with lock:
            seen.append(asked)
            fails = len(seen) > 15
        return answer(asked) if fails and later.fails else judge(asked)

    later.fails = True
    with serving(later) as (server, url):
        with pytest.raises(InputError, match=told) as error:
            mark(url, work=tmp_path, limits=Limits(concurrency=1))
        assert KEY not in str(error.value)
        kept = next(tmp_path.glob("*.answers.jsonl")).read_text()
        assert len(kept.splitlines()) == 1 + 15 - chat_server.PROBES
        later.fails = False
        before = len(server.asked)
        result = mark(url, work=tmp_path)
        assert len(server.asked) - before == chat_server.PROBES + 24 - (15 - chat_server.PROBES)
    assert result.table.equals(whole.table)
    assert KEY not in everything(result, tmp_path)


@pytest.mark.parametrize("name", FAILING)
def test_a_server_that_fails_at_once_is_one_message(name):
    answer, told = FAILING[name]
    with serving(answer) as (_, url), pytest.raises(InputError, match=told) as error:
        mark(url)
    assert KEY not in str(error.value)


@pytest.mark.parametrize("concurrency", [1, 3, 8])
def test_answers_come_in_the_order_of_the_questions(concurrency, tmp_path):
    running, most, lock = set(), [0], threading.Lock()

    def watched(asked):
        me = object()
        with lock:
            running.add(me)
            most[0] = max(most[0], len(running))
        time.sleep(0.01 + number(str(asked), 3) / 100)
        with lock:
            running.discard(me)
        return judge(asked)

    with serving() as (_, url):
        whole = mark(url)
    with serving(watched) as (_, url):
        result = mark(url, limits=Limits(concurrency=concurrency), work=tmp_path)
    assert result.table.equals(whole.table)
    assert most[0] <= concurrency
    assert most[0] > 1 or concurrency == 1


def unmarked_once(asked):
    """Each question is answered with a mark at the second time of asking."""
    text = asked["messages"][0]["content"]
    if is_probe(asked) or (text.endswith("nothing else.") and "could not be read" in text):
        return judge(asked)
    return 200, completion("Well", {"Well": 0.9})


def test_a_limit_of_calls_is_never_exceeded_and_loses_nothing(tmp_path):
    with serving(unmarked_once) as (server, url):
        for limit, answered in ((20, 9), (30, 14), (50, 24)):
            before = len(server.asked)
            if answered < 24:
                # A question is begun where all of its calls are left: 20 - 2 n >= 3, and so on.
                with pytest.raises(InputError, match=f"max_calls={limit}: the limit is reached after "
                                   f"{answered} of 24 questions"):  # fmt: skip
                    mark(url, limits=Limits(max_calls=limit), work=tmp_path)
            else:
                result = mark(url, limits=Limits(max_calls=limit), work=tmp_path)
            assert len(server.asked) - chat_server.PROBES * (1 + before // 20) <= limit
            assert len(next(tmp_path.glob("*")).read_text().splitlines()) == 1 + answered
        whole = mark(url)
    assert result.counts()["calls"] == 48
    assert result.table.equals(whole.table)
    assert "24 questions asked again, because an answer was no mark" in result.notes


def test_a_limit_of_tokens_ends_the_run(tmp_path):
    with serving() as (server, url):
        with pytest.raises(InputError, match="max_tokens=200: the limit is reached"):
            mark(url, limits=Limits(max_tokens=200, concurrency=1), work=tmp_path)
        kept = [json.loads(line) for line in next(tmp_path.glob("*")).read_text().splitlines()[1:]]
        counted = [each["tokens"] for each in kept]
        assert sum(counted[:-1]) < 200 <= sum(counted)
        assert len(server.asked) == len(kept) + chat_server.PROBES
        result = mark(url, limits=Limits(max_tokens=1_000_000), work=tmp_path)
    assert result.counts()["tokens"] == result.answers.get_column("tokens").sum() > 200


@pytest.mark.parametrize("tokens", [2**63, 2**64, 10**30, -1])
def test_a_count_of_tokens_that_nobody_can_believe_counts_as_unknown(tokens, tmp_path):
    def some(asked):
        status, body = judge(asked)
        odd = "cat says c3." in asked["messages"][0]["content"]
        return status, {**body, "usage": {"total_tokens": tokens}} if odd else body

    with serving(some) as (server, url):
        result = mark(url, work=tmp_path)
        asked = len(server.asked)
        again = mark(url, work=tmp_path)
    assert len(server.asked) == asked + chat_server.PROBES  # every answer was kept
    assert again.as_json() == result.as_json()
    assert result.counts()["marks"] == 24
    assert result.answers["tokens"].to_list().count(0) == 1
    assert result.notes == (
        "1 answer of 24 is not in the number of tokens: the server does not count them, or its count "
        "is out of range (usage)",
    )


def test_a_limit_of_tokens_needs_a_server_that_counts(tmp_path):
    def uncounted(asked):
        status, body = judge(asked)
        return status, {**body, "usage": None}

    with (
        serving(uncounted) as (_, url),
        pytest.raises(ParameterError, match="does not count tokens"),
    ):
        mark(url, limits=Limits(max_tokens=100), work=tmp_path)

    def at_first(asked):
        return judge(asked) if is_probe(asked) else uncounted(asked)

    with serving(at_first) as (_, url), pytest.raises(InputError, match="no longer counts tokens"):
        mark(url, limits=Limits(max_tokens=100), work=tmp_path)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"limits": Limits(max_calls=9)}, "max_calls= needs work=FOLDER"), ({"turns": 0}, "turns=0"),
        ({"limits": Limits(max_tokens=9)}, "max_tokens= needs work=FOLDER"),
        ({"answer_tokens": 0}, "answer_tokens=0"), ({"seed": -1}, "seed"),
        ({"local": LocalModel("cpu")}, "device: has no effect on a server"),
        ({"template": "plain"}, "template: has no effect on a server"),
    ],
)  # fmt: skip
def test_a_parameter_out_of_range_is_one_message(given, told):
    with serving() as (server, url), pytest.raises(ParameterError, match=told):
        mark(f"{url}#m", **given)
    assert not server.asked


@pytest.mark.parametrize("name", list(vars(Limits())))
def test_a_limit_out_of_range_is_one_message(name):
    with pytest.raises(ParameterError, match=f"{name}=-1; expected"):
        Limits(**{name: -1})


def test_what_cannot_mark_is_refused():
    with pytest.raises(ParameterError, match="a file of likelihoods gives no marks"):
        mark("a.jsonl")
    with (
        serving(names=("one", "two")) as (_, url),
        pytest.raises(ParameterError, match="'one' or 'two'"),
    ):
        mark(url)
    with pytest.raises(InputError, match="is the server running"):
        mark("http://127.0.0.1:9/v1#m")
    with pytest.raises(ParameterError, match="testset is str"):
        rejoinder.mark("a.jsonl", RESPONSES, "http://127.0.0.1:9/v1#m", RUBRIC)


def test_another_runs_answers_are_refused(tmp_path):
    with serving() as (_, url):
        mark(url, work=tmp_path)
        with pytest.raises(InputError, match="seed was 12345, is 7"):
            mark(url, work=tmp_path, seed=7)
        with pytest.raises(InputError, match="another run: rubric was"):
            rejoinder.mark(TESTSET, RESPONSES, url, Rubric(ties=False), work=tmp_path)


OTHER_RUNS = {
    "seed": {"seed": 7},
    "answer_tokens": {"answer_tokens": 9},
    "retries": {"limits": Limits(retries=1)},
    "questions": {"turns": 1},
    "model": {"model": "other"},
}


@pytest.mark.parametrize("what", OTHER_RUNS)
def test_each_setting_makes_another_run(what, tmp_path):
    given = dict(OTHER_RUNS[what])
    with serving() as (_, url):
        mark(f"{url}#m", work=tmp_path)
        (file,) = tmp_path.iterdir()
        name = given.pop("model", "m")
        file.rename(tmp_path / f"{name}.answers.jsonl")
        with pytest.raises(InputError, match=f"answers of a model of another run: {what} was"):
            mark(f"{url}#{name}", work=tmp_path, **given)
        # Neither of these changes an answer.
        (tmp_path / f"{name}.answers.jsonl").rename(file)
        mark(f"{url}#m", work=tmp_path, limits=Limits(concurrency=2, max_calls=10_000))


def test_an_opened_model_marks_again():
    with serving() as (_, url):
        model = ChatEndpoint(url, name="j|2", seed=3)
        one, two = mark(model), mark(model)
        model.close()
        with pytest.raises(InputError, match="closed"):
            mark(model)
    assert one.table.equals(two.table)
    assert set(one.table.get_column("name")) == {"j/2 fit"}
    assert "seed:3" in one.signature
    SegmentScores.of(one.table)


@pytest.mark.parametrize(
    ("name", "value"),
    [("device", "cpu"), ("dtype", "float32"), ("template", "plain"), ("download", True),
     ("batch_tokens", 9), ("answer_tokens", 9), ("seed", 7)],
)  # fmt: skip
def test_settings_of_a_model_that_is_open_are_refused(name, value):
    given = {name: value}
    if name in vars(LocalModel()):
        given = {"local": LocalModel(**given)}
    told = f"{name}: has no effect on a model that is open already"
    with serving() as (server, url):
        model = ChatEndpoint(url)
        before = len(server.asked)
        with pytest.raises(ParameterError, match=told):
            mark(model, **given)
        assert len(server.asked) == before


def test_an_answer_that_is_cut_at_any_byte_of_the_file_gives_the_same_file(tmp_path):
    with serving() as (_, url):
        whole = mark(url, work=tmp_path / "whole")
        (file,) = (tmp_path / "whole").iterdir()
        content = file.read_bytes()
        (tmp_path / "cut").mkdir()
        for size in range(0, len(content), 577):
            (tmp_path / "cut" / file.name).write_bytes(content[:size])
            assert mark(url, work=tmp_path / "cut").table.equals(whole.table)
            assert (tmp_path / "cut" / file.name).read_bytes() == content


def test_a_criterion_without_a_question_is_refused_before_the_server_is_asked():
    rubric = Rubric((Criterion("fit"),))
    for pairwise in (False, True):
        with pytest.raises(ParameterError, match="criterion 'fit' has no question"):
            rejoinder.mark(TESTSET, RESPONSES, "http://127.0.0.1:9/v1", rubric, pairwise=pairwise)


def test_replies_without_a_mark_are_followed_by_the_argument_that_takes_them(capsys):
    def gap(asked):
        bad = "cat says c3." in asked["messages"][0]["content"]
        return (200, completion("As a model, I", {"As": 0.9})) if bad else judge(asked)

    for answer, expected in ((gap, True), (judge, False)):
        with serving(answer) as (_, url):
            show(mark(url, limits=Limits(retries=0)).document())
        printed = " ".join(capsys.readouterr().out.split())
        assert ("missing='drop'" in printed) == expected
