"""Ordinary files of people, odd but honest: each is read as it says, or refused with a reason.

What is expected was written by hand, and stands beside each file.
"""

# One file per line reads best.
# ruff: noqa: E501

from __future__ import annotations

import contextlib
import io
import json
import re
from collections import Counter, defaultdict
from statistics import mean
from typing import NamedTuple

import openpyxl
import pytest

from rejoinder.cli.app import run
from rejoinder.errors import RejoinderError
from rejoinder.tables.look import look
from rejoinder.tables.notes import taking_notes
from rejoinder.tables.registry import table_of

COLUMNS = {
    "responses": ("system", "id", "text"),
    "ratings": ("id", "system", "rater", "criterion", "score"),
    "preferences": ("id", "a", "b", "rater", "winner"),
    "scores": ("system", "id", "name", "value"),
}


class Ordinary(NamedTuple):
    """A file with what it holds.

    Args:
        name: Its name.
        content: Its content.
        holds: By kind of table the rows, of a test set id, turns and references; no other kind is in it.
        message: A part of the refusal, where it is refused.
        also: Kinds that the file may be looked at as besides.
    """

    name: str
    content: str | bytes
    holds: dict[str, list[tuple]]
    message: str = ""
    also: tuple[str, ...] = ()


def rows(*objects):
    """JSON Lines."""
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)


def sheet(*cells):
    """A workbook."""
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in cells:
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def said(name, content, *replies, items=()):
    """Replies as (system, id, text), and perhaps items."""
    holds = {"responses": list(replies)}
    return Ordinary(name, content, holds | ({"test set": list(items)} if items else {}))


def rated(name, content, *ratings, **more):
    return Ordinary(
        name, content, {"ratings": [(*each[:-1], float(each[-1])) for each in ratings]}, **more
    )


def refused(name, content, message):
    return Ordinary(name, content, {}, message)


def pair_of(header, style):
    """Replies of two systems to one item, under the names that a tool or a person gives the columns."""
    names, cells = header.split(), (("Hi", "Hey", "Hello", "a"), ("Hi", "Yo", "Hello", "b"))
    name = re.sub(r"\W+", "_", header).lower()[:60]
    if style == "csv":
        content = "\n".join(",".join(each) for each in (names, *cells)) + "\n"
    else:
        content = rows(*(dict(zip(names, each, strict=True)) for each in cells))
    return said(
        f"{name}.{style}",
        content,
        ("a", "1", "Hey"),
        ("b", "1", "Yo"),
        items=[("1", ("Hi",), ("Hello",))],
    )


PAIRS = [
    "inputs outputs ground_truth system", "inputs predictions ground_truth model", "inputs predictions targets system",
    "user_input response reference model_name", "input output expected_output model", "input output expected model",
    "query response reference generator", "question answer ground_truth model", "full_prompt predictions gold model",
    "prompt completion target system_name", "context text reference system", "input actual_output expected_output model",
    "user_message assistant_message reference model_id", "Prompt Response Reference Model", "INPUT OUTPUT REFERENCE MODEL",
    "inputs outputs reference_outputs model", "instruction output reference model",
]  # fmt: skip
LARGE = [("ab"[n % 2], f"{n // 4}_{n // 2 % 2}", f"r{n}") for n in range(10_000)]
FILES = [
    *(pair_of(header, style) for header in PAIRS for style in ("csv", "jsonl")),
    said("json_replies.csv", 'id,system,response\nc1,a,"{""answer"": ""Yes""}"\nc1,b,"[""x"", ""y""]"\nc2,a,{}\nc2,b,[]\n',
         ("a", "c1", '{"answer": "Yes"}'), ("b", "c1", '["x", "y"]'), ("a", "c2", "{}"), ("b", "c2", "[]")),
    said("json_replies.jsonl", rows({"prompt": "Give JSON", "response": '{"role": "assistant", "content": "Hi"}', "model": "a"}, {"prompt": "Again", "response": '[{"text": "Yes"}]', "model": "a"}),
         ("a", "1", '{"role": "assistant", "content": "Hi"}'), ("a", "2", '[{"text": "Yes"}]'), items=[("1", ("Give JSON",), ()), ("2", ("Again",), ())]),
    said("json_prompts.csv", 'id,prompt,response,reference\n1,"{""text"": ""hi""}",yes,no\n2,"[1, 2]",ok,fine\n',
         ("json_prompts", "1", "yes"), ("json_prompts", "2", "ok"), items=[("1", ('{"text": "hi"}',), ("no",)), ("2", ("[1, 2]",), ("fine",))]),
    said("trace_like.jsonl", rows({"trace_id": "t_1", "request": "Hi", "response": "Hello"}, {"trace_id": "t_2", "request": "Bye", "response": '{"a": "b"}'}),
         ("trace_like", "t_1", "Hello"), ("trace_like", "t_2", '{"a": "b"}'), items=[("t_1", ("Hi",), ()), ("t_2", ("Bye",), ())]),
    said("tags_like.csv", 'timestamp,input,output,tags\n2024-01-01,Hi,Hello,x\n2024-01-02,Bye,"{""content"": ""See you""}",y\n',
         ("tags_like", "1", "Hello"), ("tags_like", "2", '{"content": "See you"}'), items=[("1", ("Hi",), ()), ("2", ("Bye",), ())]),
    said("urls.csv", "id,model,reply\n1_2,a,https://x.org/a?b=1&c=2\n12,a,http://y\n1_2,b,see x\n12,b,no\n",
         ("a", "1_2", "https://x.org/a?b=1&c=2"), ("a", "12", "http://y"), ("b", "1_2", "see x"), ("b", "12", "no")),
    said("numbers.csv", "id,system,text\n007,a,42\n7,a,1_2\n07,a,1e5\n7.0,a,007\n", ("a", "007", "42"), ("a", "7", "1_2"), ("a", "07", "1e5"), ("a", "7.0", "007")),
    said("nothing.csv", "id,system,response\n1,a,null\n2,a,None\n3,a,NaN\n4,a,N/A\n5,a,\n6,a,\"\"\n7,a,true\n",
         *(("a", str(n), text) for n, text in enumerate(("null", "None", "NaN", "N/A", "", "", "true"), start=1))),
    said("empty.jsonl", rows({"id": "1", "model": "a", "response": ""}, {"id": "2", "model": "a", "response": "  "}), ("a", "1", ""), ("a", "2", "  ")),
    said("grades.csv", "prompt,reference,model,response\nHi,Good,a,Good\nHi,Good,b,Bad\n", ("a", "1", "Good"), ("b", "1", "Bad"), items=[("1", ("Hi",), ("Good",))]),
    said("code.csv", 'id,system,response\n1,a,"def f(x):\n\treturn x\n"\n2,a,"<b>hi</b>, ""you"""\n', ("a", "1", "def f(x):\n\treturn x\n"), ("a", "2", '<b>hi</b>, "you"')),
    said("line_ends.csv", 'id,system,response\r\n1,a,"x\r\ny"\r\n2,a,z\r\n', ("a", "1", "x\r\ny"), ("a", "2", "z")),
    said("semicolons.csv", '\ufeffid;system;response\n1;a;"x;y"\n2;b;z,w\n', ("a", "1", "x;y"), ("b", "2", "z,w")),
    said("spreadsheet.csv", "id,system,response,,\n1,a,x,,\n2,a,z,,\n,,,,\n,,,,\n", ("a", "1", "x"), ("a", "2", "z")),
    said("quotes.tsv", 'id\tsystem\tresponse\n1\ta\tHe said "hi" to me\n2\ta\t你好，“世界”\n', ("a", "1", 'He said "hi" to me'), ("a", "2", "你好，“世界”")),
    said("two_lines.tsv", 'id\tsystem\tresponse\n1\ta\t"line1\nline2"\n', ("a", "1", "line1\nline2")),
    said("columns.json", json.dumps({"id": ["1", "2"], "system": ["a", "a"], "text": ["Hi", "{}"]}), ("a", "1", "Hi"), ("a", "2", "{}")),
    said("wrapped.json", json.dumps({"version": 1, "data": [{"id": "1", "system": "a", "response": "Hi"}, {"id": "2", "system": "b", "response": ""}]}), ("a", "1", "Hi"), ("b", "2", "")),
    said("marks.ndjson", rows({"id": "1", "system": "a", "text": "x\u2028y"}, {"id": 12345678901234567890, "system": "a", "text": "𝄞"}), ("a", "1", "x\u2028y"), ("a", "12345678901234567890", "𝄞")),
    said("cells.xlsx", sheet(["id", "system", "response"], ["007", "a", "1e5"], [7.0, "a", 42], ["1_2", "a", "1_2"]), ("a", "007", "1e5"), ("a", "7", "42"), ("a", "1_2", "1_2")),
    said("systems.csv", "id,system,response\n1,gpt-4,a\n1,gpt_4,b\n1,GPT-4,c\n1,01,d\n1,1,e\n", ("gpt-4", "1", "a"), ("gpt_4", "1", "b"), ("GPT-4", "1", "c"), ("01", "1", "d"), ("1", "1", "e")),
    said("wide.csv", "id,context,reference,System A,System B,flag,annotator,comment\n1,Hi,Hello,Hey,Yo,ok,ann,good\n2,Bye,Ciao,See,La,bad,ben,bad\n",
         ("System A", "1", "Hey"), ("System B", "1", "Yo"), ("System A", "2", "See"), ("System B", "2", "La"), items=[("1", ("Hi",), ("Hello",)), ("2", ("Bye",), ("Ciao",))]),
    said("empty_context.csv", "id,context,reference,response\n1,,Hello,Hey\n2,Bye,,See\n", ("empty_context", "1", "Hey"), ("empty_context", "2", "See"), items=[("1", (), ("Hello",)), ("2", ("Bye",), ())]),
    said("one.csv", "id,context,reference,response\n1,Hi,Hello,Hey\n", ("one", "1", "Hey"), items=[("1", ("Hi",), ("Hello",))]),
    said("questions.jsonl", rows({"question_id": 1, "model": "a", "answer": "x", "tstamp": 1.5}, {"question_id": 1, "model": "b", "answer": "y", "tstamp": 2.5}), ("a", "1", "x"), ("b", "1", "y")),
    said("chats.jsonl", rows(*({"conversation_id": id, "model": model, "conversation": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": reply}]} for id, model, reply in (("c_1", "a", "Hey"), ("c_2", "b", "Yo")))),
         ("a", "c_1", "Hey"), ("b", "c_2", "Yo"), items=[("c_1", ("Hi",), ("Hey",)), ("c_2", ("Hi",), ("Yo",))]),
    said("large.csv", "id,system,response\n" + "".join(f"{id},{system},{text}\n" for system, id, text in LARGE), *LARGE),
    Ordinary("list_cells.csv", 'id,context,reference\n1,Hi,"[""a"", ""b""]"\n2,Yo,"[""c""]"\n', {"test set": [("1", ("Hi",), ('["a", "b"]',)), ("2", ("Yo",), ('["c"]',))]}),
    Ordinary("numbered.txt", "1 hi\n2 hello there\n1.5 miles\ntext: x\nuser: hi\n", {"test set": [(str(n), (), (text,)) for n, text in enumerate(("1 hi", "2 hello there", "1.5 miles", "text: x", "user: hi"), start=1)]}, also=("responses",)),
    Ordinary("bars.txt", "0 ||| b\n1 ||| d\n", {"test set": [("1", (), ("0 ||| b",)), ("2", (), ("1 ||| d",))]}, also=("responses",)),
    Ordinary("turns.jsonl", rows({"id": "1", "context": "a\nb", "references": ["x ||| y", "z\tq"], "meta": {"k": [1]}}), {"test set": [("1", ("a\nb",), ("x ||| y", "z\tq"))]}),
    Ordinary("votes.csv", "id,a,b,rater,winner\n1,s_1,s_2,ann,a\n2,s_1,s_2,ann,tie\n", {"preferences": [("1", "s_1", "s_2", "ann", "a"), ("2", "s_1", "s_2", "ann", "tie")]}),
    Ordinary("judge.jsonl", rows({"id": "1_2", "system": "a", "name": "flag", "value": 4}, {"id": "12", "system": "a", "name": "flag", "value": 3}), {"scores": [("a", "1_2", "flag", 4.0), ("a", "12", "flag", 3.0)]}),
    rated("flags.csv", "id,system,rater,flag,fluency,comment\n1,a,ann,0,4,good\n1,b,ann,1,3,bad\n", ("1", "a", "ann", "flag", 0), ("1", "b", "ann", "flag", 1), ("1", "a", "ann", "fluency", 4), ("1", "b", "ann", "fluency", 3)),
    rated("spam.csv", "id,system,rater,flag,fluency,grammar\n1,a,ann,spam,4,1\n1,b,ann,,3,2\n2,a,ann,,5,3\n", ("1", "a", "ann", "fluency", 4), ("1", "b", "ann", "fluency", 3), ("2", "a", "ann", "fluency", 5), ("1", "a", "ann", "grammar", 1), ("1", "b", "ann", "grammar", 2), ("2", "a", "ann", "grammar", 3)),
    rated("types.jsonl", rows({"id": 1, "system": "a", "rater": "王", "flag": 1, "type": 2, "comment": "bad"}, {"id": 2, "system": "a", "rater": "王", "flag": 0, "type": 3, "comment": None}), ("1", "a", "王", "flag", 1), ("1", "a", "王", "type", 2), ("2", "a", "王", "flag", 0), ("2", "a", "王", "type", 3)),
    rated("helpful.csv", "id,system,rater,helpful,flag\n1,a,x,True,False\n2,a,x,False,True\n", ("1", "a", "x", "helpful", 1), ("1", "a", "x", "flag", 0), ("2", "a", "x", "helpful", 0), ("2", "a", "x", "flag", 1)),
    rated("criteria.csv", "id,system,rater,criterion,score\n1,a,1_a,flag,1\n1,a,1_a,type,4\n1,a,2,label,5\n1,a,02,label,3\n", ("1", "a", "1_a", "flag", 1), ("1", "a", "1_a", "type", 4), ("1", "a", "2", "label", 5), ("1", "a", "02", "label", 3)),
    rated("people.csv", "id,system,rater,age,fluency,year\n1,a,ann,31,3,2024\n2,a,ann,31,4,2024\n", ("1", "a", "ann", "fluency", 3), ("2", "a", "ann", "fluency", 4)),
    rated("prolific.csv", "item,model,Participant id,fluency,Age,Total approvals,Time taken,Sex\n1,a,p1,4,31,50,300,F\n1,b,p1,3,31,50,300,F\n", ("1", "a", "p1", "fluency", 4), ("1", "b", "p1", "fluency", 3)),
    rated("argilla.json", json.dumps([{"id": str(n), "status": "completed", "reply": "Hi", "item": "c1", "system": system, "quality.responses": [4, n], "quality.responses.users": ["u1", "u2"], "quality.responses.status": ["submitted", "draft"], "quality.suggestion": None} for n, system in enumerate("ab")]),
          ("c1", "a", "u1", "quality", 4), ("c1", "b", "u1", "quality", 4)),
    rated("chinese.xlsx", sheet(["id", "system", "rater", "流畅度", "Is it good?"], ["1_1", "a", "王", 4, 1], ["1_1", "b", "王", 3, 0]), ("1_1", "a", "王", "流畅度", 4), ("1_1", "b", "王", "流畅度", 3), ("1_1", "a", "王", "Is it good?", 1), ("1_1", "b", "王", "Is it good?", 0)),
    rated("form.csv", " Timestamp , Id ,System,Rater, Rating\n2024/01/02 10:00:00 AM,1,a,ann, 4 \n2024/01/02 10:01:00 AM,1,b,ann,2.50\n", ("1", "a", "ann", "overall", 4), ("1", "b", "ann", "overall", 2.5)),
    rated("quoted.csv", '"id","system","rater","comment","score"\n"1","a","ann","line1\nline2, ""x""","4"\n"2","a","ann","","3"\n', ("1", "a", "ann", "overall", 4), ("2", "a", "ann", "overall", 3)),
    rated("forms_of_numbers.csv", "id,system,rater,score\n1,a,ann,1e1\n2,a,ann,-0.0\n3,a,ann,.5\n4,a,ann,+2\n5,a,ann,5 - very good\n", *((str(n), "a", "ann", "overall", score) for n, score in enumerate((10, 0, 0.5, 2, 5), start=1))),
    rated("yes.csv", "id,system,rater,score\n1,a,ann,yes\n2,a,ann,No\n", ("1", "a", "ann", "overall", 1), ("2", "a", "ann", "overall", 0)),
    rated("texts.json", json.dumps([{"id": "1", "system": "a", "rater": "x", "score": "4"}, {"id": "2", "system": "a", "rater": "x", "score": 3}]), ("1", "a", "x", "overall", 4), ("2", "a", "x", "overall", 3)),
    rated("results.json", json.dumps({"results": [{"id": "1", "system": "a", "rater": "x", "score": 3}], "config": {"k": 1}}), ("1", "a", "x", "overall", 3)),
    rated("mean.csv", "id,system,mean\n1,a,3.5\n2,a,2\n", ("1", "a", "mean", "overall", 3.5), ("2", "a", "mean", "overall", 2)),
    *(refused(f"score_{n}.csv", f"id,system,rater,score\n1,a,ann,{cell}\n2,a,ann,3\n", message) for n, (cell, message) in enumerate((
        ("1_2", "is no number"), ('"4,5"', "decimal point"), ("85%", "is no number"), ("3/5", "is no number"), ("4 of 5", "is no number"), ("1-2", "is no number"), ("0x10", "is no number"),
        ("−1", "is no number"), ("inf", "finite"), ("Strongly agree", "values="), ('"{""x"": 3}"', "is no number"), ('"1,000"', "is no number")))),
    refused("label_or_type.csv", "id,system,rater,type,label\n1,a,ann,1,4\n1,b,ann,2,3\n", "rename 'label' to 'score'")._replace(also=("scores",)),
    refused("ids.jsonl", rows({"id": 1, "system": "a", "text": "x"}, {"id": "1", "system": "a", "text": "y"}), "duplicate reply"),
    refused("half_id.jsonl", rows({"id": 1.5, "system": "a", "text": "x"}), "got a number"),
    refused("twice.csv", "id,system,score,score\n1,a,1,2\n", "the column 'score' twice"),
    refused("target_or_label.csv", "id,prompt,target,label,system,answer\n1,Hi,Hello,pos,a,Hey\n", "could both be"),
    refused("ragged.csv", "id;response\n1;Hello, you\n2;Yes; no\n", "3 cells, expected 2"),
    refused("texts_alone.json", '["Hello", "Bye"]', "replies alone are plain text"),
    refused("slack.json", '[{"type": "message", "user": "U1", "text": "Hi", "ts": "17.1"}, {"type": "message", "user": "U2", "text": "Yo", "ts": "18.1"}]', "messages of a channel"),
    refused("discord.json", '{"guild": {"id": "1"}, "channel": {"id": "2"}, "messages": [{"id": "10", "content": "Hi", "author": {"name": "ann"}}]}', "messages of a channel"),
    refused("talk.vtt", "WEBVTT\n\n00:00.000 --> 00:02.000\n<v Ann>Hi\n", "subtitles"),
    refused("talk.srt", "1\n00:00:00,000 --> 00:00:02,000\nHi\n", "subtitles"),
    refused("by_number.csv", "id,system_1,system_2,winner\n1,a,b,1\n", "comparisons"),
]  # fmt: skip


@pytest.fixture(params=FILES, ids=lambda each: each.name)
def ordinary(request, tmp_path, monkeypatch):
    """A file and its path, from the folder in which it lies."""
    monkeypatch.chdir(tmp_path)
    content = request.param.content
    path = tmp_path / request.param.name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return request.param, path


def rows_of(kind, table):
    if kind != "test set":
        return table.select(COLUMNS[kind]).rows()
    references = defaultdict(list)
    for id, text in table.references.select("id", "text").rows():
        references[id].append(text)
    contexts = table.contexts.select("id", "context").rows()
    return [(id, tuple(turns), tuple(references[id])) for id, turns in contexts]


def test_an_ordinary_file_is_read_as_it_says(ordinary):
    file, path = ordinary
    tables, messages = {}, []
    for kind in ("test set", *COLUMNS):
        try:
            with taking_notes(quiet=True):
                tables[kind] = rows_of(kind, table_of(path, kind))
        except RejoinderError as error:
            messages.append(str(error))
    for kind, expected in file.holds.items():
        assert Counter(tables[kind]) == Counter(expected), kind
    assert any(file.message in each for each in messages) or file.holds, messages
    seen = set()
    with contextlib.suppress(RejoinderError):
        seen = {each.kind for each in look(path).readings if not each.instead}
    assert set(file.holds) <= seen <= {*file.holds, *file.also}, messages


def words_of(text):
    return Counter(re.findall(r"[a-z0-9]+", text.lower()))


def f1(reply, reference):
    """ROUGE-1's F of one reference."""
    shared = (words_of(reply) & words_of(reference)).total()
    return 2 * shared / (words_of(reply).total() + words_of(reference).total()) if shared else 0.0


def test_the_figures_of_verbs_are_those_of_the_rows(ordinary, capsys):
    """The mean rating, and ROUGE-1 and its difference, by system, computed from what stands in the file."""
    file, path = ordinary
    if ratings := file.holds.get("ratings"):
        assert run(["ratings", str(path), "--json", "--quiet"]) == 0
        given = {
            (each["criterion"], each["system"]): each["mean"]
            for each in json.loads(capsys.readouterr().out)["systems"]
        }
        assert given == pytest.approx(
            {
                (criterion, system): mean(r[4] for r in ratings if r[1::2] == (system, criterion))
                for _, system, _, criterion, _ in ratings
            }
        )
    items = {id: references for id, _, references in file.holds.get("test set", ()) if references}
    replies = file.holds.get("responses", [])
    if not items or {id for _, id, _ in replies} != set(items) or not look(path).holds_all:
        return
    values = defaultdict(dict)
    for system, id, text in replies:
        values[system][id] = max(f1(text, each) for each in items[id])
    pairwise = [] if all(len(each) == len(items) for each in values.values()) else ["--pairwise"]
    assert run(["score", str(path), "-m", "rouge1", "--json", "--quiet", *pairwise]) == 0
    given = {
        each["system"]: each["value"] for each in json.loads(capsys.readouterr().out)["systems"]
    }
    assert given == pytest.approx({system: mean(each.values()) for system, each in values.items()})
    if len(values) > 1 and not pairwise:
        assert run(["compare", str(path), "-m", "rouge1", "--json", "--quiet"]) == 0
        for each in json.loads(capsys.readouterr().out)["comparisons"]:
            assert each["difference"] == pytest.approx(given[each["a"]] - given[each["b"]])
