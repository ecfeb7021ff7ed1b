"""Every example in the documentation runs."""

import itertools
import re
import shlex
import shutil
from pathlib import Path

import click
import pytest

from command_line import commands
from rejoinder.cli.app import app, run
from rejoinder.cli.terminal import progress
from rejoinder.metrics import registry
from rejoinder.metrics.registry import DEFAULT_METRICS
from shared_data import EXAMPLES, ROOT

STUDIES = sorted((ROOT / "docs" / "studies").glob("*.md"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), EXAMPLES / "README.md"]


LONG = {"sweep.md-0"}
"""Commands that train for seconds; the page on Python runs a sweep of the same settings."""


def blocks(language):
    return [
        pytest.param(
            code,
            id=f"{page.name}-{number}",
            marks=[pytest.mark.slow] * (f"{page.name}-{number}" in LONG),
        )
        for page in PAGES
        for number, code in enumerate(
            re.findall(
                rf"^```{language}\n(.*?)^```(?!\n\n```text)",
                page.read_text(encoding="utf-8"),
                re.M | re.S,
            )
        )
    ]


@pytest.mark.parametrize("code", blocks("python"))
def test_python_runs(code, unrendered, short_replies, monkeypatch, tmp_path):
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "example", "exec"), {})


@pytest.fixture
def few(short_replies, monkeypatch):
    """Commands that name no number of resamples or permutations draw few: no figure is compared."""
    for command in commands().values():
        for each in command.params:
            if each.name in ("resamples", "permutations") and isinstance(each.default, int):
                monkeypatch.setattr(each, "default", min(each.default, 100))


@pytest.mark.parametrize("code", blocks("sh"))
def test_commands_run(code, workplace, unrendered, few, monkeypatch, capfd):
    monkeypatch.setattr(progress, "PATIENCE", 1e6)
    for line in code.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] != ["rejoinder"]:
            continue
        assert run(expanded(words[1:])) == 0, capfd.readouterr().err


@pytest.fixture
def workplace(monkeypatch, tmp_path):
    """A folder with the files that pages name: the examples, by their names and by shorter ones."""
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    for name in ("testset.jsonl", "ratings.csv"):
        shutil.copy(EXAMPLES / name, tmp_path)
    for name in ("responses", "systems"):
        shutil.copytree(EXAMPLES / "responses", tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def expanded(words):
    """The words of a command with the files that patterns match, as a shell puts them in."""
    return [
        name
        for word in words
        for name in (sorted(str(path) for path in Path().glob(word)) if "*" in word else [word])
    ]


def printed():
    """Commands whose output a page shows: the page, the commands, and the lines."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        found = re.findall(r"^```sh\n(.*?)^```\n\n```text\n(.*?)^```", text, re.M | re.S)
        for number, (code, shown) in enumerate(found):
            yield pytest.param(code, shown, id=f"{page.name}-{number}")


@pytest.mark.parametrize(("code", "shown"), list(printed()))
def test_commands_print_what_the_page_shows(code, shown, workplace, monkeypatch, capfd):
    monkeypatch.setattr(progress, "PATIENCE", 1e6)
    monkeypatch.setenv("COLUMNS", "80")
    for line in code.replace("\\\n", " ").splitlines():
        capfd.readouterr()
        assert run(expanded(shlex.split(line, comments=True)[1:])) == 0
    lines = [line.rstrip() for line in capfd.readouterr().out.rstrip().splitlines()]
    for part in re.split(r"^\.\.\.\n?", shown, flags=re.M):
        wanted = part.rstrip("\n").split("\n")
        places = [at for at in range(len(lines)) if lines[at : at + len(wanted)] == wanted]
        assert places or not part.strip(), "\n".join([*wanted, "is not in:", *lines])
        lines = lines[places[0] + len(wanted) :] if places else lines


def indented():
    """The commands in indented blocks, and all commands of studies; whether to run them.

    tests/unit/recipes/test_study_pages.py runs those of studies.
    """
    for page in [*PAGES, *STUDIES]:
        blocks = r"^(?: {4}|\t)(rejoinder .*)$"
        text = page.read_text(encoding="utf-8")
        for number, line in enumerate(re.findall(blocks, text, re.M)):
            yield pytest.param(line, page not in STUDIES, id=f"{page.name}-{number}")
        if page in STUDIES:
            fenced = "".join(re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S))
            for number, line in enumerate(re.findall(r"^(rejoinder .*)$", fenced, re.M)):
                yield pytest.param(line, False, id=f"{page.name}-sh-{number}")


WRITTEN = {"-o", "--output", "--save", "--tables", "--plots", "--db"}
ENDLESS = {"annotate serve"}


@pytest.mark.parametrize(("line", "here"), list(indented()))
def test_indented_commands_have_the_options_of_their_verb_and_run(
    line, here, workplace, unrendered, few, monkeypatch, capfd
):
    monkeypatch.setattr(progress, "PATIENCE", 1e6)
    words = shlex.split(line, comments=True)[1:]
    known = commands()
    verb = " ".join(words[:2]) if " ".join(words[:2]) in known else words[0]
    options = {name for each in known[verb].params for name in (*each.opts, *each.secondary_opts)}
    assert {word.partition("=")[0] for word in words if word.startswith("-")} <= options
    inputs = [
        word
        for before, word in itertools.pairwise(words)
        if before not in WRITTEN
        and re.search(r"[a-z]\.(jsonl?|csv|eval|txt|toml|zip|sqlite)$|/", word)
    ]
    here &= not any(re.search(r"(?:^|[=:])[A-Z]{3,}$", word) for word in words)
    here &= all(list(Path().glob(word)) if "*" in word else Path(word).exists() for word in inputs)
    if not here or not inputs or verb in ENDLESS:
        return  # it names files that only the reader has
    assert run(expanded(words)) == 0, capfd.readouterr().err


def misspelt(line):
    """What a command names that its verb does not have: the verb itself, or options."""
    words = shlex.split(re.split(r"(?<!\\)[;|>]| \.\.\.", line)[0], comments=True)[1:]
    words = words[1:] if words[:1] == ["help"] else words
    known = commands()
    verb = next((each for each in (" ".join(words[:2]), *words[:1]) if each in known), None)
    if verb is None or isinstance(known[verb], click.Group):
        options, wrong = set(), [] if verb or not words or words[0][0] in "-|" else words[:1]
    else:
        options = {
            name for each in known[verb].params for name in (*each.opts, *each.secondary_opts)
        }
        wrong = []
    options |= {"--help", "-h", *(name for each in app.params for name in each.opts)}
    return wrong + [
        word
        for word in words
        if re.match(r"--?[a-zA-Z]", word) and word.partition("=")[0] not in options
    ]


@pytest.mark.parametrize("page", [*PAGES, *STUDIES], ids=lambda page: page.name)
def test_commands_within_sentences_have_the_options_of_their_verb(page):
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    fenced = re.findall(r"^```(?:sh)?\n(.*?)^```", text, re.M | re.S)
    lines = [line for block in fenced for line in re.findall(r"^rejoinder .*$", block, re.M)]
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    lines += re.findall(r"`(rejoinder [^`]+)`", prose)
    wrong = {line: misspelt(line.replace("\n", " ")) for line in lines}
    assert not {line: words for line, words in wrong.items() if words}


def test_the_readme_fits_a_terminal_of_80_columns():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if len(line) > 80 and not line.startswith("![")]


def test_the_readme_names_the_commands_of_the_makefile():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^    make ([\w-]+)", readme, re.M):
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_every_metric_has_its_row():
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    for name in registry.METRICS:
        assert f"`{name}`" in page, name
    assert set(DEFAULT_METRICS) <= set(registry.METRICS)


def test_the_default_metrics_are_those_that_the_page_names():
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    (sentence,) = re.findall(r"^Where no metric is named.*?measure the same: (.*?)\. ", page, re.M)
    named = re.sub(r" \(.*?\)", "", sentence).replace(" and ", ", ").split(", ")
    words = {"deltaBLEU": "deltableu", "BLEU": "bleu", "sentence BLEU": "sbleu"}
    words |= {"ROUGE-L": "rougeL", "distinct-1": "distinct"}
    assert [words.get(each, each) for each in named] == list(DEFAULT_METRICS)
    assert registry.metric("distinct").label == "distinct-1"


def test_links_lead_somewhere():
    for page in PAGES:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
            if "://" not in target and target != "benchmarks/RESULTS.md":
                assert (page.parent / target).exists(), f"{page.name}: {target}"
