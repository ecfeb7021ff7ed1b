"""The documentation site without its builder: its navigation, its links, and nothing from elsewhere."""

import re
import tomllib

import pytest
from docs import reference, site

import rejoinder
from rejoinder.metrics.registry import METRICS
from shared_data import ROOT

PAGES = [ROOT / "README.md", *(ROOT / page for page in site.pages())]


def prose(page):
    """The Markdown of a page without its blocks of code."""
    text = re.sub(r"^(```+).*?^\1", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"^(?: {4}|\t).*$", "", text, flags=re.M)


def anchors(page):
    """The anchors of the headings of a page, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ +(.*?)\s*$", prose(page), re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        name = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        number = sum(each == name or each.startswith(f"{name}-") for each in found)
        found.add(f"{name}-{number}" if name in found else name)
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', prose(page)))


def test_every_page_is_in_the_navigation_once():
    placed = [place for _, _, place in site.navigation()]
    assert sorted(placed) == sorted([*site.pages().values(), *reference.pages()])


def test_every_metric_and_every_public_name_has_its_description():
    pages = {place: text for place, (_, text) in reference.pages().items()}
    metrics = "".join(text for place, text in pages.items() if place.startswith("metrics/"))
    for name in METRICS:
        assert f"`-m {name}`" in metrics
    assert set(reference.WHEN_NOT) >= {kind.__name__ for kind in reference.metric_classes()}
    for name in rejoinder.__all__:
        assert name.startswith("__") or f"\n## {name}\n" in pages["api/rejoinder.md"]
    for name in ("Agreement", "Audit", "Comparison", "Marks", "Plan", "RatingSummary", "Scores"):
        assert f"\n## {name}\n" in pages["api/rejoinder.results.md"]


def test_every_extra_has_its_row():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    for extra in set(project["optional-dependencies"]) - {"bench", "dev"}:
        assert f"| `{extra}` |" in page, extra


def test_a_docstring_becomes_paragraphs_lists_and_examples():
    docstring = (
        "A ``mean``\nof x.\n\n- one\n  line\n- two\n\nArgs:\n    order: The longest\n        n-gram.\n"
        "    other: Text.\n\n>>> 1 + 1\n2\n>>> 3\n3"
    )
    assert [line for line in reference.rendered(docstring, {"order": "2"}) if line] == [
        "A `mean` of x.", "- one line", "- two", "**Parameters**",
        "- `order` (default `2`): The longest n-gram.", "- `other`: Text.",
        "```pycon", ">>> 1 + 1\n2\n>>> 3\n3", "```",
    ]  # fmt: skip


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_pages_and_headings(page):
    text = re.sub(r"`[^`]*`", "", prose(page))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists() or there.name == "RESULTS.md", target
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there), target


@pytest.mark.parametrize("page", site.pages())
def test_pages_load_nothing_from_elsewhere(page):
    text = prose(ROOT / page)
    assert not re.findall(r"!\[[^\]]*\]\((?:https?:)?//", text)
    assert not site.outside(text)


def test_staged_links_lead_to_staged_pages(tmp_path):
    site.stage(tmp_path)
    for page in tmp_path.rglob("*.md"):
        text = re.sub(r"`[^`]*`", "", prose(page))
        for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
            assert "://" in target or (page.parent / target).exists(), (page.name, target)
    listed = (tmp_path / "llms.txt").read_text(encoding="utf-8")
    assert listed.startswith("# Rejoinder\n\n> Which conversational system")
    assert "](compare/): " in listed
    assert len(re.findall(r"^- \[", listed, re.M)) == len(site.navigation())


def test_a_link_out_of_the_site_becomes_words():
    text = "[a](../pyproject.toml) [b](../LOG.md#x) [c](formats.md) [d](https://e.org)\n```\n[a](../z)\n```"
    expected = "a [b](project/log.md#x) [c](formats.md) [d](https://e.org)\n```\n[a](../z)\n```"
    assert site.staged("docs/compare.md", text) == expected


def test_what_a_built_page_loads_from_elsewhere_is_found(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "index.html").write_text(
        '<a href="there/#no">x</a><a href="gone.html">y</a><a href="https://fine.org">z</a>'
        '<link rel="canonical" href="https://fine.org"><link rel="stylesheet" href="//a.org/f.css">'
        '<img alt="" src="https://b.org/i.png"><style>@import "https://c.org/x.css"</style>'
    )
    (tmp_path / "there" / "index.html").write_text('<h1 id="yes">There</h1>')
    faults = site.broken(tmp_path)
    assert [fault.partition(": ")[2] for fault in faults] == [
        "loads https://b.org/i.png", "loads //a.org/f.css", "loads https://c.org/x.css",
        "no there/#no", "no gone.html",
    ]  # fmt: skip
