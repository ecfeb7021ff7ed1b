"""Bad input of rows and columns: test sets, responses, their join, CSV, text, published formats."""

# One case per line reads best.
# ruff: noqa: E501

import io
import json
import re
import zipfile

import openpyxl
import polars as pl


def items(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def item(references=("Hello.",), **more):
    return {"id": "c1", "context": ["Hi"], "references": list(references), **more}


def parquet(**columns):
    data = io.BytesIO()
    pl.DataFrame(columns).write_parquet(data)
    return data.getvalue()


def workbook(*rows, old="(?!)", new=""):
    """A workbook of these rows; in the XML of its sheet a pattern is replaced."""
    book, whole, edited = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(whole)
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(edited, "w") as archive:
        for name in source.namelist():
            content = source.read(name).decode()
            archive.writestr(name, re.sub(old, new, content) if "sheet1" in name else content)
    return edited.getvalue()


def one_testset(case_id, wrong, expected, content, name="test.jsonl", **more):
    """A case whose test set is one file."""
    return {"id": case_id, "wrong": wrong, "expected": expected, "testset": {name: content}, **more}


def one_reply_file(case_id, wrong, expected, content, name="bot.jsonl", **more):
    """A case whose responses are one file; the test set is a good one with c1, c2 and c3."""
    given = {"id": case_id, "wrong": wrong, "expected": expected, **more}
    return {**given, "responses": {name: content}}


GOOD = [{"id": f"c{i}", "text": "At the stop."} for i in (1, 2, 3)]
COUNTED = items(*({"id": i, "references": ["Hello."]} for i in (1, 2, 3)))

TESTSETS = [
    one_testset("weight-outside", "a weight outside [-1, 1]", r"row 1: weight 1\.7 outside \[-1, 1\] at id 'c1'; scale", items(item([{"text": "Hello.", "weight": 1.7}]))),
    one_testset("weight-text", "a weight in quotes", r"references\[0\]\.weight: got text; expected a number", items(item([{"text": "Hello.", "weight": "0.5"}]))),
    one_testset("reference-null", "a reference that is null", r"row 1: references\[1\]: got null; expected text", items(item(["Hello.", None]))),
    one_testset("reference-number", "a reference that is no text", r"references\[0\]\.text: got a whole number; expected text", items(item([{"text": 5}]))),
    one_testset("references-string", "one reference without its list", r"row 1: references: got text; expected a list", items(item() | {"references": "Hello."})),
    one_testset("reference-column", "an unknown column of a reference", r"references\[0\]: unknown column 'wieght'", items(item([{"text": "Hello.", "wieght": 0.5}]))),
    one_testset("references-misspelt", "a column misspelt", r"rename 'refrences' to 'references'", items({"id": "c1", "refrences": []})),
    one_testset("no-id", "a row without an id", r"row 2: no column 'id'", items(item(), {"references": []})),
    one_testset("context-misspelt", "an optional column misspelt", r"unknown column 'contexts'", items({"id": "c1", "contexts": "Hi", "references": []})),
    one_testset("duplicate-id", "an id twice", r"row 3: duplicate id 'c1', first at .*row 1", items(item(), item() | {"id": "c2"}, item())),
    one_testset("white-space-id", "ids that differ in white space alone", r"row 2: id 'c1 ' differs from 'c1'", items(item(), item() | {"id": "c1 "})),
    one_testset("empty-id", "an empty id", r"row 1: the id is empty", items(item() | {"id": ""})),
    one_testset("id-fraction", "an id that is no text or whole number", r"id: got a number; expected", items(item() | {"id": 1.5})),
    one_testset("null-turn", "a turn that is null", r"row 1: context\[1\]: got null; expected text", items(item() | {"context": ["Hi", None]})),
    one_testset("no-references", "a test set with neither references nor contexts", r"no reference and no context for any item", items({"id": "c1", "references": []})),
    one_testset("testset-is-responses", "responses given as the test set", r"this is a file of responses", items(*GOOD)),
    one_testset("duplicate-key", "a key twice in an object", r"test\.jsonl, row 2: duplicate key 'context' in one object; keep", items(item()) + '{"id": "c2", "context": "Hi", "references": ["Ho."], "context": "Hey"}\n'),
    one_testset("duplicate-inner-key", "a key twice in a nested object", r"row 1: duplicate key 'text' in one object; keep", '{"id": "c1", "references": [{"text": "Hi", "weight": 1, "text": "Ho"}]}\n'),
    one_testset("further-mixed", "an additional column of text and numbers", r"row 2: column 'topic' holds a number", items(item(topic="bus"), item(topic=1) | {"id": "c2"})),
]  # fmt: skip

RESPONSES = [
    one_reply_file("responses-is-testset", "a test set given as responses", r"this is a test set, expected responses", items(item())),
    one_reply_file("text-null", "a reply that is null", r"row 1: text: got null; expected text", items({"id": "c1", "text": None})),
    one_reply_file("text-number", "a reply that is no text", r"row 1: text: got a whole number; expected text", items({"id": "c1", "text": 5})),
    one_reply_file("text-column", "the replies in a column of another name", r"rename 'generated' to 'text'", items({"id": "c1", "generated": "Hi"})),
    one_reply_file("duplicate-key-reply", "two texts in one reply", r"bot\.jsonl, row 2: duplicate key 'text' in one object; keep", items(GOOD[0]) + '{"id": "c2", "text": "Hi", "text": "Ho"}\n'),
    one_reply_file("system-column", "the system in a column of another name", r"rename 'sys' to 'system'", items({"id": "c1", "text": "Hi", "sys": "m"})),
    one_reply_file("system-sometimes", "a system named in some rows alone", r"row 2: no system at id 'c2'", items({"system": "m", **GOOD[0]}, GOOD[1])),
    one_reply_file("duplicate-reply", "two replies of a system to an item", r"row 4: duplicate reply \(system 'bot', id 'c1'\), first at .*row 1", items(*GOOD, GOOD[0])),
    {
        "id": "system-in-two-files",
        "wrong": "a system in two files",
        "expected": r"b/bot\.jsonl: the system 'bot' also stands in .*a/bot\.jsonl",
        "responses": {"a/bot.jsonl": items(*GOOD), "b/bot.jsonl": items(*GOOD)},
    },
    one_reply_file("unknown-id", "replies to items that the test set lacks", r"answers id 'c8', 'c9', which the test set does not have \(2 of 5", items(*GOOD, *({"id": i, "text": ""} for i in ("c8", "c9")))),
    one_reply_file("off-by-one", "ids counted from 0 and from 1", r"off by one", items(*({"id": i, "text": ""} for i in (0, 1, 2))), testset={"test.jsonl": COUNTED}),
    one_reply_file("padded-id", "ids with white space around them", r"they differ in white space alone", items(*({**row, "id": row["id"] + " "} for row in GOOD))),
    one_reply_file("upper-case-id", "ids in upper case", r"upper and lower case", items(*({**row, "id": row["id"].upper()} for row in GOOD))),
    one_reply_file("decimal-id", "whole numbers written as decimals", r"they are equal as whole numbers", items(*({"id": f"{i}.0", "text": ""} for i in (1, 2, 3))), testset={"test.jsonl": COUNTED}),
    one_reply_file("unanswered", "an item that a system did not answer", r"system 'bot' did not answer 2 of 3 items: 'c2', 'c3'", items(GOOD[0])),
    one_reply_file("none-left", "no item answered by all systems", r"no item is answered by all of the 2 systems", items(*({"system": f"bot {i}", **GOOD[i]} for i in (0, 1))), missing="drop"),
]  # fmt: skip

CELLS = [
    one_testset("ragged-csv", "a CSV row with more cells than the header", r"row 3: 3 cells, expected 2", "id,text\n1,Hi\n2,Hi, you\n", "t.csv"),
    one_testset("open-quote", "a double quote that is never closed", r"row 2: a double quote that is never closed", 'id,text\n1,"Hi\n2,Ho\n', "t.csv"),
    one_testset("bare-quote", "text after a closing quote", r"row 2: not CSV: .*expected after", 'id,text\n1,"Hi" there\n', "t.csv"),
    one_testset("carriage-return", "rows that end in a bare CR", r"row 1: a bare carriage return", "id,text\r1,Hi\r", "t.csv"),
    one_testset("column-twice", "a column twice in the header", r"the column 'text' twice", "id,text,text\n1,Hi,Ho\n", "t.csv"),
    one_testset("references-cell", "references in a column of another name", r"t\.csv: no column 'ref1' or 'text'; got id, context, references; rename 'references' to 'ref1'", "id,context,references\n1,Hi,Ho\n", "t.csv"),
    one_testset("message-column", "the message in place of the context", r"t\.csv: unknown column 'message' and no 'context'; rename 'message' to 'context'", "id,message,ref1\n1,Hi,Ho\n", "t.csv"),
    {"id": "message-table", "wrong": "a table of messages in place of contexts", "expected": r"c\.csv: no column 'context'; got id, message; rename 'message' to 'context'", "testset": {"r.csv": "id,text\n1,Ho\n", "c.csv": "id,message\n1,Hi\n"}},
    one_testset("message-and-text", "messages beside references", r"t\.csv: column 'message' looks like the contexts", "id,message,text\n1,Hi,Ho\n", "t.csv"),
    one_testset("references-text", "a text in place of a list of references", r"'references' holds String; expected a list per item; rename it to 'ref1'", parquet(id=["1"], references=["Ho"]), "t.parquet"),
    one_testset("column-nameless", "a column without a name", r"a column without a name", "id,,text\n1,0,Hi\n", "t.csv"),
    one_testset("column-index", "the index of a pandas frame that does not count the rows", r"'Unnamed: 0'; if it is the index of a pandas frame", "Unnamed: 0,id,text\n7,1,Hi\n", "t.csv"),
    one_testset("reference-empty", "an empty cell as a reference", r"row 3: the text of the reference is empty", "id,text\n1,Hi\n1,\n", "t.csv"),
    one_testset("header-alone", "a header and no rows", r"t\.csv: no rows", "id,text\n", "t.csv"),
    one_testset("weight-no-number", "a weight that is no number", r"row 2: weight '0,5' is no number", "id\ttext\tweight\n1\tHi\t0,5\n", "t.tsv"),
    one_testset("weight-nan", "a weight that is NaN", r"row 2: weight NaN at id '1'", "id,text,weight\n1,Hi,NaN\n", "t.csv"),
    one_testset("csv-column", "an unknown column of the references", r"unknown column 'sourec'|rename 'sourec'", "id,text,sourec\n1,Hi,a\n", "t.csv"),
    one_testset("two-references", "two tables of references", r"a second table without a column 'context'", "id,text\n1,Hi\n", "a.csv") | {"testset": {"a.csv": "id,text\n1,Hi\n", "b.csv": "id,text\n1,Ho\n"}},
    one_testset("three-tables", "three tables", r"a third table", "") | {"testset": {"a.csv": "id,text\n1,Hi\n", "b.csv": "id,context\n1,Ho\n", "c.csv": "id,text\n1,Hi\n"}},
    one_testset("orphan-reference", "a reference to an item without a context", r"r\.csv, row 3: a reference for id '9', which no context has", "") | {"testset": {"c.csv": "id,context\n1,Hi\n", "r.csv": "id,text\n1,Hi\n9,Ho\n"}},
    one_testset("context-cell", "a cell that opens like a list of turns", r"row 2: the context opens like a JSON list", "") | {"testset": {"c.tsv": 'id\tcontext\n1\t["Hi\n', "r.tsv": "id\ttext\n1\tHi\n"}},
    one_testset("context-python", "a list of turns as Python prints it", r"row 2: the context is a list as Python prints it", "") | {"testset": {"c.csv": "id,context\n1,\"['Hi', 'Ho']\"\n", "r.csv": "id,text\n1,Hi\n"}},
    one_reply_file("tsv-open-quote", "a quoted TSV with a quote that is never closed", r"row 3: a double quote that is never closed", '"system"\t"id"\t"text"\n"bot"\t"c1"\t"Hi"\n"bot"\t"c2"\t"Hi\n', "bot.tsv"),
    one_testset("references-twice", "references in a column 'references' and in columns of their own", r"columns 'references' and 'ref1' could both be the references", "id,references,ref1\nc1,Hi,Ho\n", "t.csv"),
    one_testset("csv-is-responses", "a CSV of responses as the test set", r"has a column 'system'", "system,id,text\nbot,c1,Hi\n", "t.csv"),
    one_reply_file("no-replies", "a system without a single reply", r"bot\.csv: no rows; expected at least one reply", "system,id,text\n", "bot.csv"),
    one_reply_file("ragged-tsv", "a TSV row with a tab in its text", r"row 2: 4 cells, expected 3", "system\tid\ttext\nbot\tc1\tHi\tyou\n", "bot.tsv"),
    one_reply_file("empty-cell", "an empty cell in a wide table", r"system 'b' did not answer 1 of 3 items: 'c2'", "id,a,b\nc1,Hi,Ho\nc2,Hi,\nc3,Ho,Ho\n", "bots.csv"),
    one_reply_file("wide-index", "a column of numbers in a wide table", r"column 'index' holds numbers", "id,index,a\nc1,0,Hi\n", "bots.csv"),
    one_reply_file("wide-prompt", "a column of contexts in a wide table", r"column 'prompt' looks like the context of a test set", "id,prompt,a\nc1,Ho,Hi\n", "bots.csv"),
    one_reply_file("wide-or-long", "one column beside the id, named like a text", r"rename 'generated' to 'text'", "id,generated\nc1,Hi\n", "bot.csv"),
    one_reply_file("two-meanings", "two columns that could be the reply", r"columns 'output' and 'response' could both be the 'text'; .*--columns text=output", "id,output,response\nc1,Hi,Ho\n", "bot.csv"),
    one_testset("one-item-two-texts", "one table in which rows of an item differ", r"row 3: another context or reference at id '1' than in row 2", "id,model,prompt,reference,prediction\n1,a,Hi,Ho,Hey\n1,b,Hi,Oh,Hey\n", "t.csv"),
    one_reply_file("csv-is-references", "a CSV of references as responses", r"has a column 'weight': this is a table of references", "id,text,weight\nc1,Hi,1\n", "bot.csv"),
]  # fmt: skip

TEXTS = [
    one_testset("streams-differ", "reference streams of different lengths", r"b\.txt: 1 line, but .*a\.txt has 2", "") | {"testset": {"a.txt": "Hi\nHo\n", "b.txt": "Hi\n"}},
    one_reply_file("lines-differ", "other numbers of lines and items", r"bot\.txt: 2 lines, but the test set has 3 items", "Hi\nHo\n", "bot.txt"),
    one_testset("streams-empty", "reference streams of empty lines", r"no reference and no context for any item", "\n\n", "a.txt"),
]  # fmt: skip

PARQUET = [
    one_testset("parquet-cut", "a Parquet file cut short", r"breaks off before its end", parquet(id=["1"], text=["Hi"])[:-9], "t.parquet"),
    one_testset("parquet-none", "a file that is no Parquet", r"is no Parquet file", "Hi\n", "t.parquet"),
    one_testset("parquet-damaged", "a damaged Parquet file", r"not a sound Parquet file", b"PAR1" + b"\x07" * 90 + b"PAR1", "t.parquet"),
    one_reply_file("parquet-type", "a column of another type", r"column 'text' holds Int64; expected text", parquet(system=["a"], id=["c1"], text=[5]), "bot.parquet"),
    one_reply_file("wide-number", "a number where a wide table has replies", r"column 'length' holds Int64", parquet(id=["c1"], bot=["Hi"], length=[2]), "bots.parquet"),
    one_reply_file("wide-null", "a system of nulls in a wide table", r"no reply of the system 'b'", parquet(id=["c1"], a=["Hi"], b=pl.Series([None], dtype=pl.String)), "bots.parquet"),
    one_reply_file("parquet-null", "a null reply", r"row 2: the text of system 'a' at id 'c2' is null", parquet(system=["a"] * 2, id=["c1", "c2"], text=["Hi", None]), "bot.parquet"),
]  # fmt: skip

COLUMNS = ("system", "id", "text")
WORKBOOKS = [
    one_reply_file("formula", "a formula that was never computed", r"sheet 'Sheet', cell C2: a formula without a saved value \(1 in", workbook(COLUMNS, ("a", "c1", "=A1")), "bot.xlsx"),
    one_reply_file("row-order", "rows of a workbook out of order", r"the row 3 stands after the row 9", workbook(COLUMNS, ("a", "c1", "Hi"), ("a", "c2", "Ho"), old=r'r="([ABC]?)2"', new=r'r="\g<1>9"'), "bot.xlsx"),
    one_reply_file("cell-order", "cells of a workbook out of order", r"row 2: the cell 'B2' is in another row, or before its neighbour", workbook(COLUMNS, ("a", "c1", "Hi"), old='r="C2"', new='r="B2"'), "bot.xlsx"),
]  # fmt: skip

RATED = "model,context_id,response,prevgt,all_references,context\n"
PUBLISHED = [
    one_testset("broken-zip", "a DailyDialog zip that is broken", r"not a sound zip archive", b"PK\x03\x04 test/dialogues_test.txt", "test.zip"),
    one_testset("no-utterance-end", "a DailyDialog line without its mark", r"row 2: the line does not end in __eou__", "Hi __eou__ Ho __eou__\nHi there\n", "dialogues_test.txt"),
    one_testset("rated-differ", "rated replies whose contexts differ", r"row 3: context_id '0_1' has another context", RATED + "a,0_1,Hi,Ho,Ho,Yes\nb,0_1,Hi,Ho,Ho,No\n", "rated.csv"),
    one_testset("dstc7-replies", "DSTC7's replies as the test set", r"expected the file of gold_responses", "SystemID\tInstanceID\tResponse\nA\t1\tHi\n", "system_responses.tsv"),
    one_reply_file("dstc7-references", "DSTC7's references as responses", r"not responses; expected the file of system_responses", "InstanceID\tReference1\t...\n1\tHi\n", "gold_responses.tsv"),
    one_testset("grade-lines", "a GRADE folder with a reply missing", r"b/human_ctx\.txt: 2 lines, but human_hyp\.txt has 1", "") | {
        "testset": {f"{s}/human_{n}.txt": "Hi\nHo\n" if n != "hyp" or s == "a" else "Hi\n" for s in "ab" for n in ("ctx", "ref", "hyp")},
        "testset_paths": (".",),
    },
    one_testset("plusplus-context", "DailyDialog++ without a context", r"row 1: no column 'context'", items({"id": 0, "positive_responses": ["Hi"]})),
]  # fmt: skip

CASES = [*TESTSETS, *RESPONSES, *CELLS, *TEXTS, *PARQUET, *WORKBOOKS, *PUBLISHED]
