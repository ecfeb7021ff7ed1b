"""The page of a report in a real Chromium: by the keyboard alone, hostile texts, accessibility, size."""

import os
import re

import polars as pl
import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

import rejoinder
from chromium import MARKS, axe, launched, opened
from shared_data import EXAMPLES, SYSTEMS, TESTSET
from unit.reporting.test_report_page import BAD, crowd, hostile

pytestmark = MARKS
LOOKS = {
    "desktop": {"viewport": {"width": 1200, "height": 900}},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True},
    "dark": {"viewport": {"width": 1200, "height": 900}, "color_scheme": "dark"},
}
FIRST = "1 to 20 of 66 items"


@pytest.fixture(scope="module")
def browser():
    with launched() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """The page of the examples, with everything that they have."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    made = rejoinder.report(
        rejoinder.read_testset(TESTSET),
        rejoinder.read_responses(*SYSTEMS),
        ["bleu", "length"],
        ratings=rejoinder.read_ratings(EXAMPLES / "ratings.csv"),
        preferences=rejoinder.read_preferences(EXAMPLES / "preferences.csv"),
        resamples=100,
    )
    made.save(path)
    return path


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """The page of many systems and many raters of two criteria."""
    path = tmp_path_factory.mktemp("crowd") / "report.html"
    crowd().save(path)
    return path


def shown(browser, path, **look):
    """The open page, and what it complains of or asks for."""
    page, complaints = opened(browser, **look)
    page.on("request", lambda request: complaints.append(request.url))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.goto(path.as_uri())
    page.wait_for_selector("#item-title")
    complaints.remove(path.as_uri())
    return page, complaints


@pytest.mark.parametrize("look", LOOKS)
def test_axe_has_no_finding(browser, full, look):
    if not axe():
        pytest.skip("no axe-core; name its axe.min.js in REJOINDER_AXE")
    page, complaints = shown(browser, full, bypass_csp=True, **LOOKS[look])
    page.evaluate(axe())
    for order in page.locator("#order option").evaluate_all("all => all.map(each => each.value)"):
        page.select_option("#order", order)
        found = page.evaluate("axe.run()")["violations"]
        assert [(each["id"], each["help"]) for each in found] == []
    assert complaints == []
    assert page.evaluate("document.documentElement.scrollWidth") <= LOOKS[look]["viewport"]["width"]
    if folder := os.environ.get("REJOINDER_SHOTS"):
        page.screenshot(path=f"{folder}/report-{look}.png", full_page=True)


def test_axe_has_no_finding_in_open_tables_of_raters(browser, crowded):
    if not axe():
        pytest.skip("no axe-core; name its axe.min.js in REJOINDER_AXE")
    page, complaints = shown(browser, crowded, bypass_csp=True, **LOOKS["phone"])
    page.evaluate(axe())
    for each in page.locator(".folded summary").all():
        each.click()
    found = page.evaluate("axe.run()")["violations"]
    assert [(each["id"], each["help"]) for each in found] == []
    assert complaints == []


@pytest.mark.parametrize("look", LOOKS)
def test_a_page_of_judgements_alone_has_items_without_texts_or_no_items(browser, tmp_path, look):
    ratings = rejoinder.read_ratings(EXAMPLES / "ratings.csv")
    choices = rejoinder.read_preferences(EXAMPLES / "preferences.csv")
    of_ratings, of_choices = tmp_path / "ratings.html", tmp_path / "choices.html"
    rejoinder.report(ratings=ratings, resamples=100).save(of_ratings)
    rejoinder.report(preferences=choices, resamples=100).save(of_choices)
    page, complaints = shown(browser, of_ratings, bypass_csp=True, **LOOKS[look])
    page.locator("#list button").first.click()
    assert page.locator("#count").inner_text() == FIRST
    assert "The texts are not given." in page.locator("#item").inner_text()
    assert "no reply" not in page.locator("#item").inner_text()
    other, more = opened(browser, bypass_csp=True, **LOOKS[look])
    other.goto(of_choices.as_uri())
    assert other.locator("#items").count() == 0
    assert complaints == more == []
    for each in (page, other):
        wide, screen = each.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= screen
        if axe():
            each.evaluate(axe())
            assert each.evaluate("axe.run()")["violations"] == []


@pytest.mark.parametrize("look", LOOKS)
def test_the_answer_and_its_figure_stand_first(browser, full, crowded, look):
    """The sentence and the whole figure of three systems are on the first screen; marks are in their axes."""
    page, complaints = shown(browser, full, **LOOKS[look])
    assert page.locator("h1").inner_text() == (
        "tuned is best by people: 4.19, better than each of the other two."
    )
    chart = page.locator(".first .chart")
    figure = chart.bounding_box()
    assert figure["y"] + figure["height"] <= LOOKS[look]["viewport"]["height"]
    strip = chart.locator("tbody .strip > svg").first.bounding_box()
    for mark in chart.locator("g line").all():
        box = mark.bounding_box()
        assert strip["x"] <= box["x"]
        assert box["x"] + box["width"] <= strip["x"] + strip["width"] + 1
    page.locator(".examples a").first.click()
    wanted = page.locator(".examples a").first.get_attribute("data-id")
    page.locator("#item-title", has_text=re.compile(f"^Item {wanted}$")).wait_for()
    many, _ = shown(browser, crowded, **LOOKS[look])
    assert many.evaluate("document.documentElement.scrollWidth") <= LOOKS[look]["viewport"]["width"]
    assert complaints == []


def test_a_folded_table_is_printed_in_short_unless_it_is_open(browser, crowded):
    page, _ = shown(browser, crowded)
    whole, short = page.locator(".folded").first, page.locator(".printed").first
    assert whole.is_visible()
    assert not whole.locator("table").is_visible()
    assert not short.is_visible()
    page.emulate_media(media="print")
    assert not whole.is_visible()
    assert short.is_visible()
    page.emulate_media(media="screen")
    whole.locator("summary").click()
    page.emulate_media(media="print")
    assert whole.locator("table").is_visible()
    assert not short.is_visible()


def test_names_and_options_are_whole_and_figures_are_large_on_a_phone(browser, crowded):
    page, _ = shown(browser, crowded, **LOOKS["phone"])
    lines = """each => new Set([...(() => {
      const range = document.createRange();
      range.selectNodeContents(each);
      return range.getClientRects();
    })()].map((line) => Math.round(line.top))).size"""
    names = page.locator("#systems td.tight, #agreement td.tight, .option")
    counts = names.evaluate_all(f"all => all.map({lines})")
    assert len(counts) > 50
    assert {*counts} <= {0, 1}
    broad = page.locator(".picture.broad svg").first.bounding_box()
    assert broad["width"] >= 48 * 16 - 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("packed", [False, True])
def test_hostile_texts_are_texts(browser, tmp_path, monkeypatch, packed):
    if packed:
        monkeypatch.setattr("rejoinder.reporting.page.LARGE", 0)
    path = tmp_path / "hostile.html"
    hostile().save(path)
    page, complaints = shown(browser, path)
    visible = BAD.replace("\u202e", "\\u202e")
    assert page.locator("#item-title").inner_text() == f"Item 0{visible}"
    for order in page.locator("#order option").evaluate_all("all => all.map(each => each.value)"):
        page.select_option("#order", order)
        page.locator("#list button").first.click()
    assert page.locator("#item .name").first.inner_text() == f"a{visible}"
    assert page.locator("#group option").last.inner_text() == f"travel {visible}"
    assert page.locator("#item img, #item script").count() == 0
    page.fill("#search", "<img src=x")
    assert page.locator("#count").inner_text() == "1 to 12 of 12 items"
    assert complaints == []


def test_items_are_found_and_ordered(browser, full):
    page, complaints = shown(browser, full)
    count, first = page.locator("#count"), page.locator("#list button").first
    assert count.inner_text() == FIRST
    page.fill("#search", "night train")
    assert count.inner_text() == "1 to 1 of 1 item (of 66)"
    assert page.locator("#item-title").inner_text() == "Item c001"
    page.fill("#search", "c010")
    assert page.locator("#item-title").inner_text() == "Item c010"
    page.fill("#search", "nothing has this")
    assert count.inner_text().startswith("No item has this text")
    page.fill("#search", "")
    page.select_option("#group", label="travel")
    assert count.inner_text().endswith("(of 66)")
    page.select_option("#group", "")
    page.select_option("#order", "differ")
    page.select_option("#a", label="tuned")
    page.select_option("#b", label="generic")
    segments = rejoinder.score(
        rejoinder.read_testset(TESTSET), rejoinder.read_responses(*SYSTEMS), ["bleu"], resamples=0
    ).segments()
    apart = segments.filter(system="tuned").join(segments.filter(system="generic"), on="id")
    apart = apart.select("id", d=pl.col("BLEU-2") - pl.col("BLEU-2_right"))
    id, largest = apart.sort(pl.col("d").abs(), descending=True).row(0)
    assert first.inner_text().endswith(f"{id} · difference {100 * largest:.1f}")
    page.select_option("#order", "apart")
    assert "of 100 ranks" in first.inner_text()
    page.select_option("#order", "rated")
    page.select_option("#a", label="tuned")
    rated = rejoinder.read_ratings(EXAMPLES / "ratings.csv").filter(system="tuned")
    means = rated.group_by("id").agg(pl.col("score").mean())["score"]
    assert first.inner_text().endswith(f"· rating {means.min():.2f}")
    assert complaints == []


def test_ratings_order_items_where_no_metric_does(browser, tmp_path):
    path = tmp_path / "ratings.html"
    rejoinder.report(ratings=rejoinder.read_ratings(EXAMPLES / "ratings.csv"), resamples=0).save(
        path
    )
    page, complaints = shown(browser, path)
    orders = page.locator("#order option").evaluate_all("all => all.map(each => each.value)")
    assert orders == ["given", "rated"]
    assert complaints == []


def test_the_keyboard_is_enough(browser, full):
    page, complaints = shown(browser, full)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Go to the content"
    page.locator("#list button").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "item-title"
    assert page.locator("#item-title").inner_text() == "Item c002"
    assert page.url.endswith("#item=c002")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Back to the list"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.item") == "1"
    page.locator("#after").focus()
    page.keyboard.press("Enter")
    assert page.locator("#count").inner_text() == "21 to 40 of 66 items"
    assert complaints == []


def test_a_link_leads_to_an_item(browser, full):
    page, _ = opened(browser)
    page.goto(f"{full.as_uri()}#item=c030")
    page.locator("#item-title", has_text=re.compile("^Item c030$")).wait_for()
    assert page.locator("#count").inner_text() == "21 to 40 of 66 items"


def test_a_large_report_is_small_and_shows_few_items_at_a_time(browser, tmp_path):
    """7,000 items of 10 systems: under 30 MB, and no more of the page is built than of 20 items."""
    items, systems = 7000, [f"system {n}" for n in range(10)]
    testset = rejoinder.TestSet.from_lists(
        [[f"the answer to {n} is {n * 7}", f"nobody knows {n}"] for n in range(items)],
        contexts=[[f"hello {n}", f"what is the answer to question {n}?"] for n in range(items)],
    )
    rows = [
        (name, id, f"i think that it is {place * (7 + k % 3)} , friend {k}")
        for k, name in enumerate(systems)
        for place, id in enumerate(testset.ids)
    ]
    table = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    path = tmp_path / "large.html"
    rejoinder.report(testset, table, ["bleu", "length"], resamples=0).save(path)
    assert path.stat().st_size < 30e6
    page, complaints = shown(browser, path)
    elements = "document.querySelectorAll('*').length"
    for text, count in (
        ("", "1 to 20 of 7,000 items"),
        ("6999", "1 to 4 of 4 items (of 7,000)"),
        ("friend 3", "1 to 20 of 7,000 items"),
        ("no such text", "No item has this text; change the search or the filter."),
    ):
        page.locator("#search").fill(text)
        print(page.locator("#count").inner_text(), page.evaluate(elements))
        assert page.locator("#count").inner_text() == count
        assert page.evaluate(elements) < 2000
    assert complaints == []


def test_a_browser_that_cannot_unpack_the_items_says_so(browser, tmp_path, monkeypatch):
    """Everything else is there; a file that is not whole has a sentence of its own."""
    monkeypatch.setattr("rejoinder.reporting.page.LARGE", 0)
    path = tmp_path / "packed.html"
    hostile().save(path)
    page, complaints = opened(browser)
    page.add_init_script("delete window.DecompressionStream")
    page.goto(path.as_uri())
    words = page.locator("#opening")
    assert "cannot unpack the items of this page" in words.inner_text()
    assert "Firefox 113" in words.inner_text()
    assert page.locator("#browser").is_hidden()
    assert page.locator("#summary li").count() > 3
    whole = path.read_text("utf-8")
    begun = whole.index('id="data">') + len('id="data">')
    path.write_text(whole[: begun + 400] + whole[whole.index("</script>", begun) :], "utf-8")
    other, _ = opened(browser)
    other.goto(path.as_uri())
    other.locator("#opening", has_text="damaged").wait_for()
    assert other.locator("#browser").is_hidden()
    assert complaints == []


def test_every_letter_is_found_in_any_case(browser, tmp_path):
    """A search folds capitals, also a letter that becomes two, and never joins two texts."""
    texts = [
        "\u0130stanbul",
        "GR\u00dc\u00dfE an alle",
        "\u039f\u0394\u039f\u03a3 one",
        "two",
        "last one",
    ]
    testset = rejoinder.TestSet.from_lists([[text] for text in texts])
    table = pl.DataFrame({"system": "a", "id": testset.ids, "text": ["reply"] * 5})
    path = tmp_path / "letters.html"
    rejoinder.report(testset, table, ["length"], resamples=0).save(path)
    page, _ = shown(browser, path)
    for wanted, items in (
        ("i\u0307STAN", [1]),
        ("gr\u00fc\u00dfe", [2]),
        ("\u03bf\u03b4\u03bf\u03c2", [3]),
        ("ONE", [3, 5]),
        ("onetwo", []),
        ("one two", []),
        ("st", [1, 5]),
        ("REPLY", [1, 2, 3, 4, 5]),
    ):
        page.fill("#search", wanted)
        ids = page.locator("#list bdi").all_inner_texts()
        assert ids == [str(each) for each in items], wanted
