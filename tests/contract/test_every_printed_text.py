"""No text of others reaches the terminal raw, for any verb, and it is still recognised.

The list of verbs is the command line's own: a verb without a row here fails.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click
import pytest

import ledgers
import rejoinder
from command_line import commands as all_commands
from command_line import verbs
from hostile_text import MARKUP, SEQUENCES, HostileWorld, hostile, raw
from rejoinder import read_responses, read_testset, score
from rejoinder.cli.app import run
from rejoinder.cli.terminal import progress
from rejoinder.recipes.khayrallah2021 import study as khayrallah2021
from rejoinder.visible import visible
from settings import USUAL, recipes
from settings.row import Commands

OUT = "out"
"""Stands for the folder in whose name escape sequences are: it is printed too."""

# Verb, words behind its usual command, and hostile words of which the visible form is printed.
ROWS = [
    ("score", "", ["tuned", "generic"]),
    ("score", "--by topic", ["travel", "tuned"]),
    ("score", "--tables {out}/t.csv", ["tuned", OUT]),
    ("score", "--explain {explained}", ["c001", "tuned", "original"]),
    ("score", "--without nobody", ["tuned"], 2),
    ("score {kept}", "", ["tuned", "BLEU-2"]),
    ("compare", "", ["tuned", "generic"]),
    ("compare {kept}", "", ["tuned", "BLEU-2"]),
    ("compare {kept}", "-b {baseline} --fail-if-worse 0", ["tuned", "BLEU-2"], 1),
    (
        "compare {testset} {systems} -m bleu -m length --ratings {ratings} --ranks --anytime",
        "",
        ["tuned", "generic"],
    ),
    ("compare --ratings {ratings} --ranks", "", ["tuned", "generic", "relevance"]),
    ("audit", "", ["tuned"]),
    ("audit", "-m distinct", ["tuned"]),
    ("variety", "", ["tuned"]),
    ("report", "", ["tuned", "relevance", OUT]),
    ("metrics", "", []),
    ("explain-diff", "", ["tuned"]),
    ("correlate", "", []),
    ("correlate", "--criterion nothing", ["relevance"], 2),
    ("correlate", "-p system", []),
    ("judge", "", ["relevance", "r5"]),
    ("judge --scores {judge} --ratings {ratings}", "", ["tuned", "retrieval", "generic"]),
    ("ratings", "", ["relevance", "tuned", "r1"]),
    ("preferences", "", ["overall", "tuned", "j1"]),
    ("plan", "", ["tuned", "retrieval"]),
    (
        "plan {testset} {systems} -m bleu --resamples 100 --next 3 -o {out}/n.csv",
        "",
        [OUT],
    ),
    ("weigh", "", ["tuned", OUT]),
    ("weigh", "--weights-from length", ["tuned", OUT]),
    ("mark", "", ["tuned", OUT]),
    ("mark", "--pairwise", ["tuned", "generic", OUT]),
    ("mine", "--set parrot=true", [OUT]),
    ("annotate serve", "--sample 5", []),
    ("annotate serve", "--without nobody", ["tuned"], 2),
    ("annotate serve", "--set probability=topic", ["c001", "travel"], 2),
    ("annotate page", "", [OUT]),
    ("annotate page", "--without nobody", ["tuned"], 2),
    ("annotate export", "", [OUT]),
    ("look", "", []),
    ("look", "{systems}", ["tuned"]),
    ("verify", "", []),
    ("merge", "", ["tuned"]),
    ("runs", "-m bleu", ["a", "BLEU-2"]),
    ("convert", "", [OUT]),
    ("filter", "", ["Thank you.", OUT]),
    ("train vectors", "", [OUT]),
    ("train ruber", "", [OUT]),
    ("train responder", "", [OUT]),
    ("respond", "", [OUT]),
    ("respond {chat} {testset} -o {out}/r.jsonl", "--name 'a[bold]b'", [OUT]),
    ("ruq", "--worst 3", ["c025"]),
    ("ruq", "--by topic", ["travel"]),
    ("sweep", "", [OUT]),
    ("tune", "", []),
    ("rerank", "", ["c001", OUT]),
    ("recipe negative-references", "", ["mined"]),
    ("recipe tao2018", "--cases 2", ["tuned"]),
    ("recipe galley2015", "", []),
    ("recipe khayrallah2021", "", [OUT]),
    ("recipe references", "", ["tuned", OUT]),
    ("recipe systems2015", "", [OUT]),
]
SLOW = {"train responder", "respond", "sweep", "recipe khayrallah2021", "recipe systems2015"}


class World(HostileWorld):
    """The hostile files, and scores with a metric of somebody else's name."""

    explained = hostile("c001")
    baseline = hostile("tuned")

    @property
    def ledger(self) -> Path:
        path = self.folder / "runs.sqlite"
        if not path.exists():
            for day in (1, 2):
                ledgers.record(path, day, {hostile("a"): 0.5}, hostile("BLEU-2"))
        return path

    @property
    def kept(self) -> Path:
        path = self.folder / "kept.parquet"
        if not path.exists():
            table = read_responses(self.systems[0])
            found = score(read_testset(self.testset), table, ["bleu"], resamples=100)
            named = {hostile(label): each for label, each in found.measured.items()}
            replace(found, measured=named, _draws={}, _resampled={}, _left_out={}).save(path)
        return path


class Printed(Commands):
    """Runs commands whose output folder has a hostile name, and keeps both streams."""

    def run(self, command: str) -> tuple[int, str]:
        """Runs a command, though it ran before."""
        words = [word for part in shlex.split(command) for word in self._words(part)]
        return self._run(words, "")

    def _run(self, words: list[str], watch: str):  # pyright: ignore
        out = Path(tempfile.mkdtemp(SEQUENCES, dir=self.folder))
        names = {name for word in words for name in re.findall(r"\{(\w+)\}", word)}
        filled = {name: out if name == "out" else getattr(self.world, name) for name in names}
        return printed([re.sub(r"\{(\w+)\}", lambda m: str(filled[m[1]]), word) for word in words])


def printed(words: list[str]) -> tuple[int, str]:
    """The exit status of a command and all that it printed."""
    stream = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        status = run(words)
    return status, stream.buffer.getvalue().decode()


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "made").mkdir()
    return Printed(USUAL, World(folder), folder / "made")


@pytest.fixture(autouse=True)
def coloured(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "700")  # nothing is folded, so that words can be looked for


def test_every_verb_has_a_row():
    assert set(verbs()) <= {verb.partition(" {")[0] for verb, *_ in ROWS}


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=" ".join(row[:2]), marks=[pytest.mark.slow] * (row[0] in SLOW))
        for row in ROWS
    ],
)
def test_what_a_verb_prints(row, commands, monkeypatch):
    verb, more, words, *refused = row
    monkeypatch.setattr(khayrallah2021, "settings", recipes.sizes)
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    usual = USUAL.get(verb, verb).replace(" --json", "")
    status, shown = commands.of(f"{usual} {more}")
    assert status == (refused[0] if refused else 0), shown
    assert raw(shown) == []
    for word in words:
        assert visible(SEQUENCES if word == OUT else hostile(word)) in shown, word


@pytest.mark.parametrize("suffix", ["md", "tex", "html", "csv"])
def test_files_of_tables_hold_no_control_character(suffix, commands, tmp_path):
    path = tmp_path / f"tables.{suffix}"
    status, _ = commands.of(f"{USUAL['score']} --tables {path}")
    assert status == 0
    content = path.read_text("utf-8")
    assert raw(content) == []
    assert "<script" not in content
    assert not any(line.startswith("=") for line in content.splitlines())


NARROW = [row for row in ROWS if "{out}" not in USUAL.get(row[0], "") and "tao" not in row[0]]


@pytest.mark.parametrize("row", NARROW, ids=lambda row: " ".join(row[:2]))
def test_nothing_comes_through_where_names_are_folded(row, commands, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    usual = USUAL.get(row[0], row[0]).replace(" --json", "")
    _, shown = commands.run(f"{usual} {row[1]}")
    assert raw(shown) == []


@pytest.mark.parametrize("verb", verbs())
def test_errors_of_every_verb(verb, tmp_path):
    command = all_commands()[verb]
    arguments = sum(isinstance(each, click.Argument) for each in command.params)
    missing = str(tmp_path / hostile("nothing").replace("/", "|"))
    for words in ([missing] * arguments, [f"--no{SEQUENCES}{MARKUP}"], [hostile("one")] * 9):
        status, shown = printed([*verb.split(), *words])
        assert status == (2 if words else status), shown
        assert raw(shown) == []


def terminal(words: list[str], script: str = "") -> str:
    """What a command of its own process sends to a terminal, 500 columns wide."""
    ours, theirs = pty.openpty()
    start = "from rejoinder.cli.app import main; main()"
    environment = {**os.environ, "COLUMNS": "500", "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        [sys.executable, *([script] if script else ["-c", start]), *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
    ):
        os.close(theirs)
        sent = b""
        with contextlib.suppress(OSError):  # the end of a pseudo-terminal
            while part := os.read(ours, 65536):
                sent += part
    os.close(ours)
    return sent.decode().replace("\r\n", "\n")


def test_on_a_terminal_colours_are_ours_and_nothing_else_comes_through(commands):
    world = commands.world
    files = [str(world.testset), str(world.systems[0]), "-m", "bleu", "--resamples", "100"]
    tables = terminal(["score", *files])
    assert "\x1b[1m" in tables  # rich's bold: the terminal is taken for one
    assert raw(tables, ours=r"\x1b\[[0-9;]*m|\r\x1b\[K") == []
    assert visible(hostile("tuned")) in tables
    rows = terminal(["score", *files, "--segments"])
    assert raw(rows) == []
    assert f"{visible(hostile('tuned'))}\t{visible(hostile('c001'))}" in rows
    found = terminal(["score", *files, "--json"])
    assert raw(found, ours="") == []
    assert {row["system"] for row in json.loads(found)["systems"]} >= {hostile("tuned")}


def test_what_is_no_terminal_gets_the_rows_as_they_are(commands):
    status, shown = commands.of("score {testset} {systems} -m bleu --resamples 100 --segments")
    assert status == 0
    assert hostile("c001") in shown


def test_what_readers_log_passes_the_same_border(tmp_path):
    path = tmp_path / f"a{SEQUENCES}.txt"
    path.write_bytes(b"yes\r\nno\r\n")
    shown = terminal(["score", str(path), str(path), "-m", "bleu"])
    assert "CR was taken off" in shown
    assert raw(shown, ours=r"\x1b\[[0-9;]*m|\r\x1b\[K") == []


def test_what_libraries_print_passes_it_too(tmp_path):
    """Loggers with handlers of their own, as that of transformers, warnings, and plain writes."""
    script = tmp_path / "said.py"
    script.write_text(
        "import logging, sys, warnings\n"
        "from rejoinder.cli import app\n"
        "words = sys.argv.pop()\n"
        "def run():\n"
        "    logging.basicConfig()\n"
        "    logging.warning('one %s', words)\n"
        "    warnings.warn('two ' + words)\n"
        "    print('three', words, file=sys.stderr)\n"
        "    return 0\n"
        "app.run = run\n"
        "app.main()\n",
        "utf-8",
    )
    shown = terminal([hostile("word")], str(script))
    assert shown.count(visible(hostile("word"))) == 3
    assert raw(shown, ours="") == []


def test_an_error_is_one_line_whatever_it_names(tmp_path):
    name = "x\nrejoinder: all is well.jsonl"
    score_line = ["score", str(tmp_path)]
    for words in (
        ["score", str(tmp_path / name)],
        [*score_line, f"--resamples={name}"],
        [*score_line, f"--{name}"],
        ["metrics", name],
    ):
        status, shown = printed(words)
        assert status == 2
        assert "x\\nrejoinder: all is well" in shown
        assert not any(line.startswith("rejoinder: all") for line in shown.splitlines())


def test_a_line_of_progress(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", 0.001)
    with progress.Progress(hostile("training\n")) as tick:
        while not tick.shown or "\n" not in stream.getvalue():
            time.sleep(0.001)
    assert raw(stream.getvalue(), ours="") == []
    assert visible(hostile("training\n")) in stream.getvalue()


def test_a_line_end_in_a_name_makes_no_line(tmp_path):
    items = [{"id": "1", "context": ["Hi"], "references": [{"text": "yes"}]}]
    replies = [{"system": "good\nbest │ 100.0", "id": "1", "text": "no"}]
    for name, rows in (("t.jsonl", items), ("r.jsonl", replies)):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    status, shown = printed(["score", str(tmp_path / "t.jsonl"), str(tmp_path / "r.jsonl")])
    assert status == 0, shown
    assert not any(line.startswith("best") for line in shown.splitlines())
    assert "good\\nbest" in shown


# Where what is printed leaves the program: each of these makes foreign text visible.
BORDER = {
    "speech.py": {"click.echo"},
    "console.py": {"Console", "sys.stdout.write"},
    "json_output.py": {"sys.stdout.buffer.write"},
    "progress.py": {"own_stderr().write"},
    "markdown.py": {"escape"},  # of HTML, for the page of a study
    "pages.py": {"escape"},
}
PRINTING = re.compile(
    r"(click\.s?echo|print|(sys\.|own_)?std(out|err)(\(\))?(\.buffer)?\.write|(rich\.\w+\.)?Console|"
    r"(\w+\.)*from_(markup|ansi)|rich\.print|(markup\.)?escape|(\w+\.)*secho)"
)
PRINTS = re.compile("echo|print|std(out|err)|Console|from_(markup|ansi)|escape")


def test_nothing_is_printed_elsewhere():
    found = {}
    for path in Path(rejoinder.__file__).parent.rglob("*.py"):
        text = path.read_text("utf-8")
        if not PRINTS.search(text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and PRINTING.fullmatch(name := ast.unparse(node.func)):
                found.setdefault(path.name, set()).add(name)
    assert {name: calls - BORDER.get(name, set()) for name, calls in found.items()} == {
        name: set() for name in BORDER
    }


def test_what_a_server_says_of_an_error(commands):
    class Refusing(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def answer(self) -> None:
            body = hostile("no such model").encode()
            self.send_response(400)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = answer

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1#m"
        status, shown = printed(["ruq", url, str(commands.world.testset)])
        server.shutdown()
    assert status == 2
    assert raw(shown, ours="") == []
    assert visible(hostile("no such model")) in shown
