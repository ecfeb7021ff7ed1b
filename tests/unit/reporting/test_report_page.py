"""The page of a report: nothing from elsewhere, and every text of others is text."""

import base64
import gzip
import json
import os
import random
import re
from dataclasses import replace
from html.parser import HTMLParser

import polars as pl
import pytest

import rejoinder
from rejoinder.cli.show.options_of_verbs import options_of, with_their_verb
from rejoinder.document.table import Grid, Head
from rejoinder.figures import style
from rejoinder.files.page_policy import hash_of
from rejoinder.reporting.layout import PageLine, PagePart, PageSection
from rejoinder.reporting.page import unbroken, without_repeats
from rejoinder.reporting.pictures import in_page
from rejoinder.reporting.report import write_report
from shared_data import EXAMPLES

BAD = (
    "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>&amp;\u202e[x](http://e.org)"
)
"""What a page would obey."""


class Page(HTMLParser):
    """The elements of a page, and the texts of its scripts and styles."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.attributes, self.texts, self.inside = [], [], {}, ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += attrs
        self.inside = f"{tag} {dict(attrs).get('id', '')}".strip()

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside:
            self.texts[self.inside] = self.texts.get(self.inside, "") + data


def hostile():
    """A report all of whose texts are hostile."""
    testset = rejoinder.TestSet.from_lists(
        [[f"at nine {BAD}", "not yet"]] * 12,
        contexts=[[f"when {BAD}"]] * 12,
        ids=[f"{n}{BAD}" for n in range(12)],
    )
    topics = testset.contexts.with_columns(pl.lit(f"travel {BAD}").alias(f"topic {BAD}"))
    testset = rejoinder.TestSet(topics, testset.references)
    names = [f"a{BAD}", f"b{BAD}"]
    rows = [(s, id, f"at nine {BAD}") for s in names for id in testset.ids]
    replies = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    rated = [
        (id, s, f"r{BAD}", f"fit {BAD}", float(1 + (place * len(s)) % 5))
        for s in names
        for place, id in enumerate(testset.ids)
    ]
    columns = ["id", "system", "rater", "criterion", "score"]
    ratings = pl.DataFrame(rated, schema=columns, orient="row")
    return rejoinder.report(testset, replies, ["bleu", "length"], ratings=ratings, resamples=100)


@pytest.fixture(scope="module")
def made():
    return hostile()


@pytest.fixture(scope="module")
def html(made):
    return made.to_html({"command": ["rejoinder", BAD], "inputs": [
        {"as": "TESTSET", "name": BAD, "content": "0" * 64}]})  # fmt: skip


def test_texts_of_others_are_no_markup(html):
    page = Page(html)
    assert page.elements.count("script") == 2
    assert "img" not in page.elements
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "style"]
    assert "\u202e" not in html
    told = json.loads(page.texts["script data"])
    shown = BAD.replace("\u202e", "\\u202e")
    assert told["systems"] == [f"a{shown}", f"b{shown}"]
    assert told["ids"][0] == f"0{shown}"
    assert f"at nine {shown}" in told["texts"]
    assert f"when {shown}" in told["texts"]
    assert told["columns"][0]["name"] == f"topic {shown}"
    assert told["people"][0]["criterion"] == f"fit {shown}"


def test_a_large_page_holds_the_same_items_packed(made, html, unrendered, monkeypatch):
    """As many letters of JSON as the limit stand as they are, one more is packed; no time is in it."""
    plain = Page(html).texts["script data"]
    monkeypatch.setattr("rejoinder.reporting.page.LARGE", len(plain))
    whole = made.to_html()
    assert Page(whole).texts["script data"] == plain
    monkeypatch.setattr("rejoinder.reporting.page.LARGE", len(plain) - 1)
    page = made.to_html()
    told = Page(page)
    assert ("data-packed", "gzip") in told.attributes
    packed = base64.b64decode(told.texts["script data"], validate=True)
    assert gzip.decompress(packed).decode() == plain
    assert packed[4:8] == bytes(4)
    assert len(page) < len(whole)


def test_the_page_is_whole_without_any_other_file(html):
    page = Page(html)
    policy = dict(page.attributes)["content"]
    policy = next(value for _, value in page.attributes if value and "default-src" in value)
    style_text, script = page.texts["style"], page.texts["script"]
    assert policy == (
        f"default-src 'none'; style-src '{hash_of(style_text)}'; script-src '{hash_of(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    assert not {"link", "img", "image", "iframe", "object", "embed", "base", "form"} & {
        *page.elements
    }
    loads = [
        (name, value) for name, value in page.attributes if name in ("src", "href", "xlink:href")
    ]
    assert [(name, value) for name, value in loads if not value.startswith("#")] == []
    assert not re.search(r"url\((?!#)|@import", html)


def test_a_note_is_said_once(html):
    note = "note: "
    lines = re.findall(r'<p class="line" dir="auto">(.*?)</p>', html, re.S)
    notes = [line for line in lines if line.startswith(note)]
    assert len(notes) == len(set(notes))


def test_a_section_refers_to_notes_that_were_given_before(crowded_page):
    """What holds of the second criterion too is not said of the first alone."""
    html = crowded_page
    (first,) = re.findall(r'id="agreement-(\d)">fit: systems by people', html)
    (second,) = re.findall(r'id="agreement-(\d)">taste: systems by people', html)
    parts = re.split(r'<h3 dir="auto" id="(agreement-\d)">', html)
    texts = dict(zip(parts[1::2], parts[2::2], strict=True))
    scale = "its scores are not on the scale of the ratings"
    assert scale in texts[f"agreement-{first}"]
    assert scale not in texts[f"agreement-{second}"]
    words = "fit: systems by people, by metrics, and by metrics corrected by people"
    line = f'here too, see <a href="#agreement-{first}">{words}</a></p>'
    assert line in texts[f"agreement-{second}"]
    assert line not in texts[f"agreement-{first}"]


def test_notes_are_counted_by_the_place_that_has_them():
    """What holds for all sections, as notes of the summary do, is left out without a reference."""
    lines = [PageLine(f"note: {each}") for each in "abbc"]
    table = Grid("", [Head("x", False, False, False)], [["note: a"]])
    sections = [
        PageSection("one", "One", [PagePart("First", lines[:2]), PagePart("Second", lines[2:])]),
        PageSection("two", "Two", [PagePart("", [table, *lines, PageLine("BLEU: signature")])]),
    ]
    made = without_repeats(sections, ["note: a", "BLEU: signature"])
    shown = [[part.shown for part in each.parts] for each in made]
    first = PageLine("1 more note holds here too, see", link="First", place="one-0")
    second = PageLine("1 more note holds here too, see", link="Second", place="one-1")
    assert shown[0] == [[PageLine("note: b")], [PageLine("note: c"), first]]
    assert shown[1] == [[table, replace(first, text="2 more notes hold here too, see"), second]]


def test_notes_on_the_scores_stand_once_and_below_what_the_data_show():
    testset = rejoinder.TestSet.from_lists([["at nine"]] * 5)
    rows = [("a", id, "" if id == "1" else "at nine") for id in testset.ids]
    table = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    made = rejoinder.report(testset, table, ["bleu"], resamples=100)
    assert "'a': 1 empty reply, scored as such" in made.summary().notes
    page = made.to_html()
    assert page.count("1 empty reply, scored as such") == 1
    summary, _, below = page.partition('<section id="making"')
    assert '<h3 id="notes">Notes on the data and the scores</h3>' in below
    assert "1 empty reply, scored as such" in below
    count = len(made.summary().notes)
    assert f'<a href="#notes">{count} notes</a>' in summary
    # In Markdown they are the end.
    end = made.to_markdown().rpartition("Notes on the data and the scores")[2]
    assert end.count("1 empty reply, scored as such") == 1


def test_every_id_of_the_page_is_its_own(html):
    ids = [value for name, value in Page(html).attributes if name == "id"]
    assert len(ids) == len(set(ids))
    links = [value for name, value in Page(html).attributes if name == "href"]
    assert {link[1:] for link in links} <= {*ids}


def test_a_figure_in_a_page_keeps_its_looks_without_a_style():
    with style.drawing():
        figure = style.canvas(2, 2)
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color="#112233", linestyle="--")
    svg = in_page(style.as_svg(figure, "a"), "a")
    assert "style" not in svg
    assert "metadata" not in svg
    assert 'stroke="#112233"' in svg
    assert "stroke-dasharray" in svg
    assert {*re.findall(r'clip-path="([^"]*)"', svg)} <= {
        f"url(#{each})" for each in re.findall(r'id="([^"]*)"', svg)
    }


def crowd():
    """A report of 11 systems on 24 items, and of 30 raters of two criteria who rate at random."""
    draw = random.Random(7)
    testset = rejoinder.TestSet.from_lists([[f"at nine {n}", "not yet"] for n in range(24)])
    names = [f"s{n:02}" for n in range(11)]
    rows = [(s, id, " ".join(draw.choices(["at", "nine", "not", "yet"], k=4)))
            for s in names for id in testset.ids]  # fmt: skip
    replies = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    rated = [(id, s, f"r{n:02}", criterion, float(draw.randint(1, 5)))
             for criterion in ("fit", "taste") for s in names[:7] for id in testset.ids
             for n in range(30)]  # fmt: skip
    columns = ["id", "system", "rater", "criterion", "score"]
    ratings = pl.DataFrame(rated, schema=columns, orient="row")
    return rejoinder.report(testset, replies, ["rougeL"], ratings=ratings, resamples=100)


@pytest.fixture(scope="module")
def crowded():
    return crowd()


@pytest.fixture(scope="module")
def crowded_page(crowded):
    return crowded.to_html()


def test_numbers_of_columns_are_in_the_head_of_a_table(crowded_page):
    """So that they are printed again where the table goes on on another page."""
    html = crowded_page
    heads = [
        each for each in re.findall(r"<thead>(.*?)</thead>", html, re.S) if "pairs</th>" in each
    ]
    assert next(re.findall(r"<bdi>([ \d]+)</bdi>", each) for each in heads) == ["11", "12345678901"]
    assert len(heads) == 1 + 2 * 2
    bodies = re.findall(r"<tbody>(.*?)</tbody>", html, re.S)
    assert not [each for each in bodies if "<bdi>12345678901</bdi>" in each]


def test_a_long_table_of_raters_is_folded_and_printed_in_short(crowded, crowded_page):
    html = crowded_page
    folded = re.findall(r"<details class=\"folded\">(.*?)</details>", html, re.S)
    printed = re.findall(r"<div class=\"printed\">(.*?)</tbody>", html, re.S)
    raters = crowded.ratings.raters.filter(verdict="below").group_by("criterion").len().to_dicts()
    below = {row["criterion"]: row["len"] for row in raters}
    assert min(below.values()) > 20
    assert "replies of each system that people rate worst (fit)" in folded.pop(0)
    assert "people rate worst" in printed.pop(0)
    assert len(folded) == len(printed) == 2
    for criterion, whole, short in zip(("fit", "taste"), folded, printed, strict=True):
        words = f"{below[criterion]} of 30 raters below the threshold, lowest kappa first"
        assert f"<summary>{words}</summary>" in whole
        assert f"{words}; the first 5 of them:" in short
        assert whole.count("<tr>") == 1 + below[criterion]
        assert short.count("<tr>") == 1 + 5
        assert f"note: {criterion}: {below[criterion]} of 30 raters below a kappa" in html


def test_options_of_other_verbs_stand_with_their_verb(crowded, tmp_path):
    """A report has no --scale: where the command line writes it, its texts say which command has it."""
    for suffix in ("md", "html"):
        write_report(crowded, tmp_path / f"r.{suffix}", None, words=with_their_verb)
    page = (tmp_path / "r.html").read_text("utf-8")
    html = re.sub(r"</?span[^>]*>", "", page).replace("&#39;", "'")
    html = html[: html.index('<script type="application/json"')]
    texts = html[html.index("<main") :], (tmp_path / "r.md").read_text("utf-8")
    for text in texts:
        assert "all_pairs=True prints a row" in text.replace("\\_", "_")
        assert "; drop=True leaves them out" in text
        for found in re.finditer(r"(?<![\w-])--[a-z][a-z-]+", text):
            before = text[: found.start()]
            of = re.search(r"'rejoinder (\w+)' with $|'rejoinder (\w+) [^']*$", before)
            verb = (of[1] or of[2]) if of else "report"
            assert found[0] in options_of(verb), text[found.start() - 80 : found.end()]


def test_no_line_ends_within_an_option():
    assert unbroken("; --json all") == '; <span class="option">--json</span> all'
    assert unbroken("a-b -- -1 x--y") == "a-b -- -1 x--y"
    assert unbroken("-m <b>") == '<span class="option">-m</span> &lt;b&gt;'


def test_paths_are_as_seen_from_the_page(command, tmp_path):
    """The notes of readers, the files and the command name a file alike."""
    folder, other = tmp_path / "pages", tmp_path / "data"
    folder.mkdir()
    other.mkdir()
    ratings = other / "ratings.csv"
    text = (EXAMPLES / "ratings.csv").read_text("utf-8")
    ratings.write_text(text.replace(",", ";"), "utf-8")
    system = EXAMPLES / "responses" / "tuned.jsonl"
    words = ["report", EXAMPLES / "testset.jsonl", system, "-m", "length", "--resamples", 100]
    for name in ("r.html", "r.md"):
        status, out, _ = command(*words, "--ratings", ratings, "-o", folder / name)
        assert status == 0
        assert f"note: {ratings}: cells parted by ';'" in out.replace("\n", "")
        page = (folder / name).read_text("utf-8")
        assert str(other) not in page
        assert "../data/ratings.csv: cells parted by" in page.replace("\\", "")


def test_a_page_of_the_command_line_names_its_files(command, tmp_path, monkeypatch):
    system = EXAMPLES / "responses" / "tuned.jsonl"
    path = tmp_path / "r.html"
    words = ["report", EXAMPLES / "testset.jsonl", system, "-m", "bleu", "--resamples", 100]
    status, out, err = command(*words, "-o", path)
    assert (status, err) == (0, f"Wrote {path}.\n")
    assert "What is not known" in out
    page = path.read_text("utf-8")
    assert page.startswith("<!doctype html><!-- rejoinder report -->\n")
    assert f"<bdi>{os.path.relpath(system, tmp_path)}</bdi>" in page
    assert "rejoinder report" in page
    monkeypatch.setattr("rejoinder.cli.verbs.report.LARGE", 0.01)
    status, _, err = command(*words, "-o", path)
    assert "MB, which a browser opens slowly; take fewer items" in err
    assert "a report of an earlier run will be replaced" in err
    assert path.read_text("utf-8") == page
