"""Every example in the documentation runs."""

import re
import shlex
import shutil

import pytest

from rejoinder.cli.app import run
from rejoinder.cli.terminal import progress
from rejoinder.metrics import registry
from rejoinder.scoring.score import DEFAULT_METRICS
from shared_data import EXAMPLES, ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), EXAMPLES / "README.md"]


def blocks(language):
    return [
        pytest.param(code, id=f"{page.name}-{number}")
        for page in PAGES
        for number, code in enumerate(
            re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
        )
    ]


@pytest.mark.parametrize("code", blocks("python"))
def test_python_runs(code, monkeypatch, tmp_path):
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "example", "exec"), {})


@pytest.mark.parametrize("code", blocks("sh"))
def test_commands_run(code, unrendered, monkeypatch, tmp_path, capfd):
    # The names that the README uses, filled with the example data.
    monkeypatch.setattr(progress, "PATIENCE", 1e6)
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    for name in ("testset.jsonl", "ratings.csv"):
        shutil.copy(EXAMPLES / name, tmp_path)
    shutil.copytree(EXAMPLES / "responses", tmp_path / "responses")
    shutil.copytree(EXAMPLES / "responses", tmp_path / "systems")
    monkeypatch.chdir(tmp_path)
    for line in code.splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] != ["rejoinder"]:
            continue
        arguments = [
            name
            for word in words[1:]
            for name in (sorted(map(str, tmp_path.glob(word))) if "*" in word else [word])
        ]
        assert run(arguments) == 0, capfd.readouterr().err


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
