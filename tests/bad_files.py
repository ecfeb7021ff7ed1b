"""Bad input of the file itself: its path, its bytes, its encoding, its JSON, its format."""

import gzip
import io
import json
import os
import zipfile

# One case per line reads best.
# ruff: noqa: E501

ITEM = '{"id": "c1", "context": ["Hi"], "references": ["Hello."]}\n'


def packed(name, content):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(name, content)
    return data.getvalue()


def case(case_id, wrong, expected, content=None, name="test.jsonl", **more):
    """A case whose test set is one file with this content."""
    given = {"id": case_id, "wrong": wrong, "expected": expected, **more}
    return given if content is None else {**given, "testset": {name: content}}


PATHS = [
    case(
        "missing-file",
        "a path that does not exist",
        r"absent\.jsonl: no such file",
        testset_paths=("absent.jsonl",),
    ),
    case(
        "misspelt-file",
        "a file name misspelt",
        r"did you mean .*test\.jsonl\?",
        testset_paths=("tset.jsonl",),
    ),
    case(
        "strange-folder",
        "a folder of no published format",
        r"a folder of no format known here",
        testset={"data/a.jsonl": ITEM, "data/b.jsonl": ITEM},
        testset_paths=("data",),
    ),
    case(
        "folder-as-file",
        "a folder where the format wants a file",
        r"data: is a folder; expected a file",
        testset={"data/a.jsonl": ITEM},
        testset_paths=("data",),
        testset_format="jsonl",
    ),
    case(
        "no-permission",
        "a file that may not be read",
        r"cannot be read: Permission denied",
        prepare=lambda folder: (folder / "test.jsonl").chmod(0),
        needs_user=True,
    ),
    case(
        "pipe",
        "a pipe that nobody writes into",
        r"a pipe from which nothing comes",
        prepare=lambda folder: os.mkfifo(folder / "pipe.jsonl"),
        testset_paths=("pipe.jsonl",),
    ),
    case(
        "device",
        "a device instead of a file",
        r"neither a file nor a folder",
        prepare=lambda folder: (folder / "zero.jsonl").symlink_to("/dev/zero"),
        testset_paths=("zero.jsonl",),
    ),
    case(
        "same-file-twice",
        "the same file given twice",
        r"the same file is given twice",
        responses_paths=("bot.jsonl", "./bot.jsonl"),
    ),
    case(
        "linked-twice",
        "the same file under two names",
        r"copy\.jsonl: the same file is given twice \(also as .*bot\.jsonl\)",
        prepare=lambda folder: (folder / "copy.jsonl").symlink_to(folder / "bot.jsonl"),
        responses_paths=("bot.jsonl", "copy.jsonl"),
    ),
]

BYTES = [
    case("empty-file", "a file of 0 bytes", r"test\.jsonl: the file is empty", ""),
    case("empty-text", "an empty plain text file", r"the file is empty", "", "refs.txt"),
    case("blank-file", "a file of blank lines", r"nothing but white space", "\n  \n"),
    case("gzip", "a compressed file that is cut short", r"a gzip file that is damaged: .*copy or download it again", gzip.compress(ITEM.encode())[:-9], "test.jsonl.gz"),
    case("gzip-twice", "a file that was compressed twice", r"gzip-compressed.*gunzip", gzip.compress(gzip.compress(ITEM.encode())), "test.jsonl.gz"),
    case("zip", "a zip archive that is none of DailyDialog", r"a zip archive", packed("a", ITEM)),
    case("excel-as-csv", "an Excel workbook named .csv", r"an Excel workbook \(\.xlsx\).*export the sheet as CSV", packed("xl/workbook.xml", "<workbook/>"), "test.csv"),
    case("excel-damaged", "a damaged Excel workbook", r"a damaged workbook or document.*download it again.*export the sheet as CSV", b"PK\x03\x04junk" + bytes(600), "test.xlsx"),
    case("excel-other", "a zip archive named .xlsx", r"holds no workbook or document, though its suffix is \.xlsx", packed("a", ITEM), "test.xlsx"),
    case("zip-damaged", "a damaged zip archive", r"a damaged zip archive.*download it again", b"PK\x03\x04junk" + bytes(600), "test.jsonl"),
    case("excel-old", "an Excel workbook of the old kind", r"\(\.xls, \.doc\).*export the sheet as CSV", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "test.xls"),
    case("inspect-log", "a log of inspect_ai that is called otherwise", r"a log of inspect_ai \(\.eval\).*suffix", packed("_journal/start.json", "{}"), "test.jsonl"),
    case("spreadsheet", "an OpenDocument spreadsheet", r"an OpenDocument spreadsheet.*CSV", packed("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), "test.ods"),
    case("feather", "an Arrow file", r"an Arrow \(Feather\) file.*Parquet", b"ARROW1\x00\x00" + bytes(64), "test.arrow"),
    case("database", "a database", r"an SQLite database.*sqlite:FILE\?SELECT", b"SQLite format 3\x00" + bytes(64), "test.db"),
    case("parquet-as-json", "Parquet named .jsonl", r"test\.jsonl.*Parquet", b"PAR1\x15\x00PAR"),
    case("utf-16", "UTF-16 text", r"UTF-16 text.*save it as UTF-8", ITEM.encode("utf-16")),
    case("nul-byte", "a NUL byte: a binary file", r"row 2: a NUL byte", f"{ITEM}\0\n"),
    case("latin-1", "text in Latin-1", r"row 1: byte 0xe9.*find out which encoding", ITEM.replace("e", "é").encode("l1")),
    case("gb18030", "Chinese text in GB18030", r"row 1: byte 0xc4 is not UTF-8; find out which encoding.*GB18030.*iconv -f ENCODING", ITEM.replace("Hi", "你好").encode("gb18030")),
    case(
        "surrogate-bytes",
        "half a surrogate pair written as UTF-8",
        r"row 1: a lone surrogate",
        ITEM.encode().replace(b"Hi", b"\xed\xa0\x80"),
    ),
]  # fmt: skip

FORMATS = [
    case("unknown-suffix", "a file of unknown format", r"cannot tell the format", "Hi\n", "a.dat"),
    case("json-in-txt", "JSON Lines named .txt", r"cannot tell the format", ITEM, "test.txt"),
    case("unknown-format", "a format that does not exist", r"'jsonl'\?", testset_format="jsonll"),
    case(
        "mixed-formats",
        "a test set in two formats",
        r"b\.tsv: format 'tsv', but .*a\.csv is 'csv'",
        testset={"a.csv": "id,text\n1,Hi\n", "b.tsv": "id\tcontext\n1\tHo\n"},
    ),
    case(
        "no-responses-in-it",
        "a format without responses given for responses",
        r"'dailydialog' holds no responses",
        responses={"dialogues_test.txt": "Hi __eou__ Hello __eou__\n"},
    ),
]

JSON = [
    case("truncated-json", "the last row breaks off", r"row 2: JSON breaks off", ITEM + ITEM[:30]),
    case("not-json", "a row that is no JSON", r"row 2: not JSON", ITEM + "{id: c2}\n"),
    case("json-list", "a JSON list of no objects", r"a JSON list", '["Hello."]'),
    case("json-lengths", "a JSON object of columns of different lengths", r"column 'id' has 2 values, 'references' has 1; expected", '{"id": ["1", "2"], "references": [["Hi"]]}', "test.json"),
    case("json-object", "a JSON object that is no table", r"an object with a; expected a list of objects", json.dumps({"a": {"b": 1}}, indent=1), "test.json"),
    case("json-record", "Rejoinder's record of another file, as *.json names it too", r"is no table, but Rejoinder's own record of how 'r\.html' was made; leave it out \(files named \*\.provenance\.json\)", json.dumps({"rejoinder_provenance": 1, "file": "r.html", "inputs": [{"as": "test set"}]}, indent=1), "r.html.provenance.json"),
    case("json-two-lists", "a JSON object with two lists of rows", r"several lists of rows \(data, results\); expected one; write the one to read alone", json.dumps({"data": [{"id": 1}], "results": [{"id": 2}]}, indent=1), "test.json"),
    case("json-indented", "JSON spread over lines", r"spans lines", json.dumps({"a": 1}, indent=1)),
    case("json-scalar", "a row that is no object", r'row 1: got "c1"; expected', '"c1"\n'),
    case("nan", "NaN as a weight in JSON", r"row 1: NaN is not JSON", ITEM.replace(
        '"Hello."', '{"text": "Hello.", "weight": NaN}'
    )),
    case("infinity", "Infinity as a weight in JSON", r"row 1: Infinity is not JSON", ITEM.replace(
        '"Hello."', '{"text": "Hello.", "weight": -Infinity}'
    )),
    case(
        "huge-number",
        "a number beyond float64",
        r"row 1: .*out of range",
        ITEM.replace('"Hello."', '{"text": "Hello.", "weight": 1e999}'),
    ),
    case("deep-json", "JSON nested without end", r"row 1: JSON nested too deeply", "[" * 100_000),
    case(
        "surrogate-escape",
        "half a surrogate pair as a JSON escape",
        r"row 1: a lone surrogate",
        ITEM.replace("Hello", "\\ud83d"),
    ),
]  # fmt: skip

CASES = [*PATHS, *BYTES, *FORMATS, *JSON]
