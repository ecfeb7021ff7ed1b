"""Every file that a command reads is opened once, and parsed once: each format goes through its verbs."""

import builtins
import io
import os
from collections import Counter

import pytest

from chat_server import serving
from format_examples import REPLIES, SCORES, WORLDS, examples, write
from rejoinder.cli.app import run
from rejoinder.files.sources import cached
from rejoinder.tables.formats import own_tables
from rejoinder.tables.formats.registry import FORMATS
from rejoinder.tables.types import CheckedTable

CONTAINERS = {each.name for each in FORMATS if each.part is not None}
JUDGE = SCORES["jsonl"]
COMMANDS = {
    "testset": (["score", "GIVEN", "r.jsonl"],),
    "responses": (["compare", "t.jsonl", "GIVEN", "--missing", "pairwise"],),
    "ratings": (
        ["compare", "--scores", JUDGE[0], "--ratings", "GIVEN"],
        ["correlate", "t.jsonl", "r.jsonl", "--ratings", "GIVEN"],
        ["judge", "--scores", JUDGE[0], "--ratings", "GIVEN"],
        ["plan", "--scores", JUDGE[0], "--ratings", "GIVEN"],
    ),
    "scores": (["judge", "--scores", "GIVEN", "--ratings", "h.jsonl"],),
}
"""By what a file is for the verbs that read it; some refuse the few rows, after they have read them."""


@pytest.fixture
def opened(monkeypatch):
    """How often each file was opened, by its full path."""
    counts = Counter()
    for module in (builtins, io):

        def counted(file, *args, true=module.open, **options):
            if isinstance(file, str | os.PathLike):
                counts[os.path.realpath(file)] += 1
            return true(file, *args, **options)

        monkeypatch.setattr(module, "open", counted)
    return counts


@pytest.fixture
def parsed(monkeypatch):
    """How often each file of a container of tables was parsed, by its full path."""
    counts = Counter()

    def counted(path, key, make):
        def made():
            counts[os.path.realpath(path)] += 1
            return make()

        return cached(path, key, made)

    monkeypatch.setattr(own_tables, "cached", counted)
    return counts


# The verbs of ratings take turns, so that each reads a quarter of the files; under slow it reads all.
@pytest.mark.parametrize(
    ("role", "form", "name", "content", "command"),
    [
        pytest.param(
            *each,
            command,
            id=f"{each[0]}-{each[1]}-{each[2]}-{command[0]}"[:60],
            marks=[pytest.mark.slow] * ((place + number) % len(COMMANDS[each[0]]) > 0),
        )
        for place, each in enumerate(examples())
        for number, command in enumerate(COMMANDS[each[0]])
    ],
)
def test_a_file_is_opened_and_parsed_once(
    role, form, name, content, command, tmp_path, monkeypatch, opened, parsed, capsys
):
    monkeypatch.chdir(tmp_path)
    for other in ("testset", "responses", "ratings"):
        write(tmp_path / WORLDS["jsonl"][other][0], WORLDS["jsonl"][other][1])
    write(tmp_path / JUDGE[0], JUDGE[1])
    (tmp_path / "given").mkdir()
    given = tmp_path / "given" / name
    write(given, content)
    words = [str(given) if word == "GIVEN" else word for word in command]
    opened.clear()
    parsed.clear()
    assert run(words) in (0, 2), capsys.readouterr().err
    read = {path: count for path, count in opened.items() if path.startswith(str(tmp_path))}
    assert any(path.startswith(str(given)) for path in read), capsys.readouterr().err
    assert set(read.values()) == {1}, (words, read)
    assert set(parsed.values()) == {1}, (words, parsed)
    assert (os.path.realpath(given) in parsed) >= (form in CONTAINERS)


def test_a_file_of_all_tables_is_opened_and_parsed_once(tmp_path, opened, parsed, capsys):
    rows = [("1", "a b", "a b c", "a", 3), ("2", "b b", "b c", "a", 4), ("3", "c b", "c d", "a", 1)]
    table = "id,prompt,reference,response,model,rater,criterion,score\n" + "".join(
        f"{id},{prompt},{prompt} now,{reply},{system},r,overall,{score}\n"
        for id, prompt, reply, system, score in rows
    )
    file = tmp_path / "all.csv"
    file.write_text(table)
    opened.clear()
    assert run(["correlate", str(file), "--ratings", str(file)]) in (0, 2)
    assert opened[str(file)] == parsed[str(file)] == 1, capsys.readouterr().err


def test_marks_of_several_raters_are_read_once(tmp_path, opened, capsys):
    files = {name: WORLDS["jsonl"][name] for name in ("testset", "responses", "ratings")}
    for name, content in files.values():
        write(tmp_path / name, content)
    marks = [
        (s, i, r, n % 4 + k) for n, (s, i, _) in enumerate(REPLIES) for k, r in enumerate("xy")
    ]
    table = "".join(f"{s},{i},judge,{r},{value}\n" for s, i, r, value in marks)
    (tmp_path / "m.csv").write_text("system,id,name,rater,value\n" + table)
    words = ["judge", *(str(tmp_path / files[name][0]) for name in ("testset", "responses"))]
    scores, people = str(tmp_path / "m.csv"), str(tmp_path / files["ratings"][0])
    opened.clear()
    assert run([*words, "--scores", scores, "--ratings", people]) in (0, 2)
    assert opened[scores] == 1, capsys.readouterr().err


def test_a_file_that_changes_is_read_again(tmp_path):
    from rejoinder.files.sources import data_of, digest_of, keeping_sources, release_sources

    file = tmp_path / "a.txt"
    file.write_bytes(b"one")
    with keeping_sources():
        assert data_of(file) == b"one"
        first = digest_of(file)
        release_sources()
        assert data_of(file) == b"one"
        file.write_bytes(b"three")
        assert data_of(file) == b"three"
        assert digest_of(file) != first


def test_a_file_larger_than_the_room_is_not_kept(tmp_path, monkeypatch):
    from rejoinder.files import sources

    monkeypatch.setattr(sources, "ROOM", 64)
    file = tmp_path / "large.txt"
    file.write_bytes(bytes(range(100)))
    with sources.keeping_sources():
        assert sources.data_of(file)[:3] == sources.head_of(file, 3) == b"\x00\x01\x02"
        assert sources.tail_of(file, 2) == b"bc"
        assert not sources._KEPT.get()


TEXTS = ["testset.jsonl", "responses.jsonl"]
CHECKED = {
    "score": ([*TEXTS], "Responses"),
    "score of several samples": (["testset.jsonl", "samples.jsonl"], "Responses"),
    "score beside other scores": ([*TEXTS, "--scores", "scores.jsonl"], "Responses SegmentScores"),
    "compare": ([*TEXTS, "--missing", "drop"], "Responses"),
    "compare with people": (
        ["--scores", "scores.jsonl", "--ratings", "ratings.jsonl"], "Ratings SegmentScores"
    ),
    "correlate": ([*TEXTS, "--ratings", "ratings.jsonl"], "Ratings Responses"),
    "correlate of units": (
        [*TEXTS, "--ratings", "ratings.jsonl", "--protocol", "unit", "--permutations", "0"],
        "Ratings Responses",
    ),
    "judge": (["--scores", "scores.jsonl", "--ratings", "ratings.jsonl"], "Ratings SegmentScores"),
    "judge with texts": (
        [*TEXTS, "--scores", "scores.jsonl", "--ratings", "ratings.jsonl"],
        "Ratings Responses SegmentScores",
    ),
    "plan": (["--scores", "scores.jsonl", "--ratings", "ratings.jsonl"], "Ratings SegmentScores"),
    "ratings": (["ratings.jsonl"], "Ratings"),
    "preferences": (["preferences.jsonl"], "Preferences"),
    "mark": ([*TEXTS, "--model", "URL", "--rubric", "rubric.toml", "-o", "m.csv"], "Responses"),
    "explain-diff": ([*TEXTS, "-m", "bleu", "-m", "bleu:order=2"], "Responses"),
}  # fmt: skip
"""By command the tables that it checks, each once; the first word is the verb."""


@pytest.mark.parametrize("command", CHECKED)
def test_a_table_is_checked_once(command, tmp_path, monkeypatch, capsys):
    made, counts = CheckedTable.__post_init__, Counter()

    def counted(self, origin):
        counts[type(self).__name__] += 1
        made(self, origin)

    monkeypatch.setattr(CheckedTable, "__post_init__", counted)
    monkeypatch.chdir(tmp_path)
    for role in ("testset", "responses", "ratings", "preferences", "scores"):
        _, content = SCORES["jsonl"] if role == "scores" else WORLDS["jsonl"][role]
        (tmp_path / f"{role}.jsonl").write_bytes(content.replace(b'"="', b'"tie"'))
    lines = (tmp_path / "responses.jsonl").read_text().splitlines()
    samples = [line[:-1] + f', "sample": {n}}}\n' for line in lines for n in (1, 2)]
    (tmp_path / "samples.jsonl").write_text("".join(samples))
    (tmp_path / "rubric.toml").write_text(
        '[[criterion]]\nname = "fit"\nquestion = "Does it fit?"\n'
    )
    words, expected = CHECKED[command]
    with serving() as (_, url):
        run([command.partition(" ")[0], *(url if word == "URL" else word for word in words)])
    assert counts == Counter(expected.split()), capsys.readouterr().err
