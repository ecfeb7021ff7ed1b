"""What the page answers, to whom, and what it refuses."""

import hashlib
import re
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser

import polars as pl
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from starlette.testclient import TestClient

import studies
from rejoinder.annotation.export import export
from rejoinder.annotation.new_study import make_study
from rejoinder.annotation.questions import make_questions
from rejoinder.annotation.server.app import make_app
from rejoinder.annotation.server.run import listening
from rejoinder.annotation.server.security import HEADERS, form_token
from rejoinder.annotation.study import Study
from rejoinder.annotation.task import Criterion, Example, Task
from rejoinder.cli.verbs.annotate_serve import _checked
from rejoinder.errors import InputError, ParameterError
from rejoinder.studies.judgements import judgements
from rejoinder.tables.schemas import RESPONSES
from rejoinder.tables.testset import TestSet

OURS = {"Sec-Fetch-Site": "same-origin"}
SCRIPT = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{7*7}}</textarea>javascript:"


class Page(HTMLParser):
    """The tags of a page, its hidden fields, and its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.fields, self.text = [], {}, ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append((tag, given))
        if tag == "input" and given.get("type") == "hidden":
            self.fields.setdefault(given["name"], given["value"])

    def handle_data(self, data):
        self.text += data


def client(study, **more):
    app = {"limits": more.pop("limits", (1e6, 10**6)), "most_raters": more.pop("most_raters", 1000)}
    return TestClient(make_app(study, **app), base_url="http://127.0.0.1:8000", **more)


def begin(web, rater):
    page = Page(web.get(f"/r/{rater.token}").text)
    data = {"form": page.fields["form"], "consent": "yes"}
    return web.post(f"/r/{rater.token}/begin", data=data, headers=OURS)


def answer(web, rater, given, headers=OURS):
    page = Page(web.get(f"/r/{rater.token}").text)
    data = {"form": page.fields["form"], "question": page.fields["question"], **given}
    return web.post(f"/r/{rater.token}/answer", data=data, headers=headers)


def test_a_session_from_the_instructions_to_the_completion_code(tmp_path):
    task = Task(
        instructions="Read.\n\nJudge.",
        consent="I may stop.",
        training=(Example(("Hi",), ("Ho",), {"overall": 5}, "A greeting."),),
        return_address="https://crowd.example/done?code={code}",
        comments=True,
        raters_per_question=1,
    )
    study = studies.study(tmp_path, task, items=2, systems=1)
    rater, web = study.add_rater(), client(study)
    start = web.get(f"/r/{rater.token}")
    assert '<p class="lines" dir="auto">Judge.</p>' in start.text
    refused = web.post(
        f"/r/{rater.token}/begin", data={"form": Page(start.text).fields["form"]}, headers=OURS
    )
    assert refused.status_code == 422
    assert "Tick the box" in refused.text
    assert "Practice 1 of 3" in begin(web, rater).text
    explained = answer(web, rater, {"c0": "1"}).text
    assert "Others answered differently." in explained
    assert "overall Expected: 5" in explained
    assert "A greeting." in explained
    page = web.get(f"/r/{rater.token}").text
    assert "Question 2 of 3" in page
    assert "1 answer saved" in page
    page = answer(web, rater, {"comment": "kept"})
    assert page.status_code == 422
    assert "Choose one of the points of the scale: overall" in page.text
    assert ">kept</textarea>" in page.text
    page = answer(web, rater, {"c0": "4", "comment": " well said "}).text
    assert "Question 3 of 3" in page
    undo = re.findall(r'undo">\s*<input type="hidden" name="form" value="(\w+)"', page)
    page = web.post(f"/r/{rater.token}/undo", data={"form": undo[0]}, headers=OURS).text
    assert "You are changing an answer that is saved." in page
    assert re.search(r'value="4" required checked', page)
    answer(web, rater, {"c0": "2"})
    done = answer(web, rater, {"c0": "3"}).text
    assert "All of your answers are saved" in done
    assert f"https://crowd.example/done?code={rater.code}" in done
    assert [each.choices["overall"] for each in judgements(study.database)] == [1, 2, 3]
    assert [each.comment for each in judgements(study.database)] == [
        "",
        "",
        "",
    ]  # taken back with the answer


@pytest.mark.parametrize("kind", ["pointwise", "head-to-head", "best-worst"])
def test_nothing_of_a_corpus_or_a_rater_is_markup(tmp_path, kind):
    table = TestSet.from_lists([["x"]], contexts=[[SCRIPT, SCRIPT]], ids=[SCRIPT])
    rows = [(f"{SCRIPT}{k}", SCRIPT, f"{SCRIPT} {k}") for k in range(3)]
    replies = pl.DataFrame(rows, schema=RESPONSES, orient="row")
    one = Criterion(SCRIPT, SCRIPT, 1, 2, (SCRIPT, SCRIPT))
    number = {"pointwise": 1, "head-to-head": 2, "best-worst": 3}[kind]
    known = {"pointwise": 1, "head-to-head": 1, "best-worst": {"best": 1, "worst": 2}}[kind]
    example = Example((SCRIPT,), (SCRIPT,) * number, {SCRIPT: known}, SCRIPT)
    task = Task(
        kind, (one,), title=SCRIPT, instructions=SCRIPT, consent=SCRIPT, training=(example,),
        comments=True, raters_per_question=1,
    )  # fmt: skip
    make_study(tmp_path / "s.sqlite", task, make_questions(table, replies, task))
    study = studies.opened(tmp_path / "s.sqlite")
    rater, web = study.add_rater("joined", SCRIPT), client(study)
    given = {
        "pointwise": {"c0": "2"},
        "head-to-head": {"c0": "1"},
        "best-worst": {"c0-best": "1", "c0-worst": "3"},
    }[kind]
    pages = [web.get(f"/r/{rater.token}"), begin(web, rater)]
    while "question" in Page(pages[-1].text).fields:
        pages.append(answer(web, rater, {"comment": SCRIPT}))  # incomplete: shown again
        answer(web, rater, given | {"comment": SCRIPT})
        pages.append(web.get(f"/r/{rater.token}"))
    pages += [web.get(f"/join/{study.join}?participant={SCRIPT}"), web.get(f"/a/{study.admin}")]
    assert (
        len(judgements(study.database))
        == 1 + {"pointwise": 3, "head-to-head": 3, "best-worst": 1}[kind]
    )
    for page in pages:
        assert {name.lower(): page.headers[name] for name in HEADERS} == {
            name.lower(): value for name, value in HEADERS.items()
        }
        for tag, given in Page(page.text).tags:
            assert tag not in ("img", "iframe", "object", "style")
            assert not any(name.startswith("on") or name == "style" for name in given)
            if tag == "script":
                assert re.fullmatch(r"/static/(keys|page)\.js\?[0-9a-f]{16}", given.pop("src"))
                assert given == {"defer": None}
        assert "49" not in Page(page.text).text.replace(rater.code, "")


def test_a_browser_keeps_what_the_pages_load(tmp_path):
    study = studies.study(tmp_path)
    rater, web = study.add_rater(), client(study)
    first = web.get(f"/r/{rater.token}").text
    addresses = re.findall(r'"(/static/[^"]+)"', first)
    assert [address.split("?")[0] for address in addresses] == [
        f"/static/{name}" for name in ("page.css", "keys.js", "page.js")
    ]
    for address in addresses:  # those of the first question are here before a server can go away
        kept = web.get(address)
        assert kept.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert hashlib.sha256(kept.content).hexdigest().startswith(address.split("?")[1])
        assert address in begin(web, rater).text
        again = web.get(address, headers={"if-none-match": kept.headers["etag"]})
        assert (again.status_code, again.headers["cache-control"]) == (
            304,
            kept.headers["cache-control"],
        )
    for other in ("page.css", "page.css?", "page.css?0123456789abcdef", "nothing.css?1", "?1"):
        assert web.get(f"/static/{other}").headers["cache-control"] == "no-store"


def test_nobody_comes_in_without_a_link(tmp_path):
    study = studies.study(tmp_path)
    rater, web = study.add_rater(), client(study)
    for path in (
        "/r/", "/r/x", f"/r/{rater.token[:-1]}", f"/r/{rater.token}x", f"/r/{study.admin}",
        f"/a/{rater.token}", f"/a/{study.join}", f"/join/{study.admin}", "/a/", "/docs",
        f"/a/{rater.token}/export.csv", "/r/%00", "/r/é", "/static/../app.py", "/static/..%2fapp.py",
        "/static/nothing.css",
    ):  # fmt: skip
        page = web.get(path)
        assert page.status_code == 404, path
        assert rater.token not in page.text
        assert page.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]
    assert web.get("/").status_code == 200
    assert study.raters()[0].consented is None


def test_forms_of_other_sites_and_forged_ones_are_refused(tmp_path):
    study = studies.study(tmp_path)
    rater, other, web = study.add_rater(), study.add_rater(), client(study)
    begin(web, rater)
    begin(web, other)
    for headers in (
        {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"}, {}, {"Origin": "null"}, {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:8001"}, {"Origin": "http://127.0.0.1:8000.evil.example"},
        {"Origin": "http://[::1"}, {"Origin": "http://"}, {"Origin": "127.0.0.1:8000"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1:8000"},
    ):  # fmt: skip
        page = answer(web, rater, {"c0": "3"}, headers)
        assert page.status_code == 403, headers
        assert "another site" in page.text
    foreign = Page(web.get(f"/r/{other.token}").text).fields
    own = Page(web.get(f"/r/{rater.token}").text).fields
    for fields in (
        foreign,  # a form of another rater
        {**own, "question": foreign["question"]},
        {**own, "form": ""},
        {"question": own["question"]},
        {**own, "question": "9" * 30},
        {**own, "question": "x"},
    ):
        page = web.post(f"/r/{rater.token}/answer", data={**fields, "c0": "3"}, headers=OURS)
        assert page.status_code == 403, fields
    assert judgements(study.database) == []
    # An old browser on an address without TLS says its origin alone.
    assert answer(web, rater, {"c0": "3"}, {"Origin": "http://127.0.0.1:8000"}).status_code == 200
    replayed = web.post(f"/r/{rater.token}/answer", data={**own, "c0": "3"}, headers=OURS)
    assert replayed.status_code == 200
    assert len(judgements(study.database)) == 1
    with study.database.transaction() as db:
        assert db.execute("SELECT count(*) FROM answer").fetchone() == (1,)
    form = Page(web.get(f"/a/{study.admin}").text).fields["form"]
    for headers in ({}, {"Sec-Fetch-Site": "cross-site"}):
        page = web.post(f"/a/{study.admin}/links", data={"form": form}, headers=headers)
        assert page.status_code == 403
    assert len(study.raters()) == 2
    assert web.get(f"/r/{rater.token}/undo").status_code == 405


@pytest.mark.parametrize("host", ["a..b", "a" * 64, "[::1", "\udcff", "a\0b", "::g", "1.2.3.4.5"])
def test_a_host_that_is_none_is_one_message(host):
    with pytest.raises(
        InputError, match=r"cannot be listened to: .+; choose another port= or host="
    ):
        listening(host, 0)


@pytest.mark.parametrize(
    "address", ["http://[::1", "http://:80", "https://a.example:70000", "ftp://a"]
)
def test_a_public_address_that_is_none_is_one_message(address):
    with pytest.raises(ParameterError, match="expected an address; write it like https://"):
        _checked(address)


def test_bodies_are_forms_of_limited_size(tmp_path):
    study = studies.study(tmp_path)
    rater, web = study.add_rater(), client(study)
    address = f"/r/{rater.token}/begin"
    for body, kind, status in (
        (b"a=" + b"x" * 40_000, "application/x-www-form-urlencoded", 413),
        (b"&".join(b"a=1" for _ in range(500)), "application/x-www-form-urlencoded", 400),
        (b"a=%ff%fe", "application/x-www-form-urlencoded", 400),
        (b"\xff\xfe", "application/x-www-form-urlencoded", 400),
        (b'{"form": 1}', "application/json", 415),
        (b"form=1", "text/plain", 415),
        (b"--x\r\n", "multipart/form-data; boundary=x", 415),
        (b"", "application/x-www-form-urlencoded", 403),
    ):
        page = web.post(address, content=body, headers={**OURS, "Content-Type": kind})
        assert page.status_code == status, (body[:20], kind)


def test_too_many_requests_wait_and_strangers_lock_nobody_out(tmp_path):
    study = studies.study(tmp_path)
    rater, other = study.add_rater(), study.add_rater()
    web = client(study, limits=(0.001, 5))
    statuses = [web.get(f"/r/{rater.token}").status_code for _ in range(8)]
    assert statuses == [200] * 5 + [429] * 3
    statuses = [web.get("/r/nobody").status_code for _ in range(100)]
    assert statuses[0] == 404
    assert statuses[-1] == 429
    assert web.get(f"/r/{other.token}").status_code == 200
    statuses = [web.get(f"/join/{study.join}").status_code for _ in range(52)]
    assert statuses == [200] * 50 + [429] * 2  # a class opens it at once


def test_the_common_link_gives_everybody_a_link_and_a_known_participant_the_same(tmp_path):
    study = studies.study(tmp_path)
    web = client(study)
    address = f"/join/{study.join}?PROLIFIC_PID=p1"
    assert web.get(address).status_code == 200
    assert study.raters() == []  # a preview of the link adds nobody
    form = Page(web.get(address).text).fields
    assert form["participant"] == "p1"
    links = [str(web.post(f"/join/{study.join}", data=form, headers=OURS).url) for _ in range(2)]
    assert links[0] == links[1]
    web.post(f"/join/{study.join}", data={**form, "participant": ""}, headers=OURS)
    assert [each.platform_id for each in study.raters()] == ["p1", None]
    assert web.post(f"/join/{study.join}", data=form).status_code == 403


def test_no_more_raters_join_than_the_study_takes(tmp_path):
    study = studies.study(tmp_path)
    own = study.add_rater()
    web = client(study, most_raters=2)
    form = Page(web.get(f"/join/{study.join}").text).fields

    def join(participant):
        return web.post(
            f"/join/{study.join}", data={**form, "participant": participant}, headers=OURS
        )

    assert [join(each).status_code for each in ("p1", "", "p3", "")] == [200, 200, 403, 403]
    assert "nobody else can join" in join("p3").text
    assert join("p1").status_code == 200  # who has joined comes back
    assert [each.origin for each in study.raters()] == ["link", "joined", "joined"]
    assert web.get(f"/r/{own.token}").status_code == 200
    study.add_rater()  # the admin can always give another link
    page = " ".join(Page(web.get(f"/a/{study.admin}").text).text.split())
    assert "2 of at most 2 raters have joined, so that nobody else can join" in page


def test_of_many_who_join_at_once_no_more_come_in_than_the_study_takes(tmp_path):
    study = studies.study(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        joined = list(pool.map(lambda _: study.join_rater(None, 5), range(40)))
    assert sum(each is not None for each in joined) == len(study.raters()) == 5


def test_the_admin_page_has_progress_agreement_and_export(tmp_path):
    study = studies.study(tmp_path, Task(raters_per_question=2), items=10)
    raters, web = [study.add_rater() for _ in range(2)], client(study)
    empty = web.get(f"/a/{study.admin}/export.csv")
    assert empty.status_code == 503
    assert "no judgements yet" in empty.text
    assert "None: no answers yet." in web.get(f"/a/{study.admin}").text
    for rater in raters:
        begin(web, rater)
        while (shown := study.current(rater)) is not None:
            study.answer(
                rater, shown.assignment, {"c0": str(1 + int(shown.replies[0].split()[-1]) % 5)}
            )
    page = web.get(f"/a/{study.admin}").text
    assert "40 of 40 answers. 20 of 20 questions have all 2 answers." in page
    assert "<td>alpha ordinal</td>" in page
    assert re.search(r"alpha interval</td><td class=\"number\">1\.00</td>", page)
    assert "finished" in page
    table = pl.read_csv(web.get(f"/a/{study.admin}/export.csv").content)
    assert (table.height, table.columns[:5]) == (
        40,
        ["id", "system", "rater", "criterion", "score"],
    )
    form = Page(page).fields["form"]
    web.post(f"/a/{study.admin}/links", data={"form": form}, headers=OURS)
    assert len(study.raters()) == 3
    assert "not encrypted" in page


def test_no_reply_shows_whose_it_is(tmp_path):
    study = studies.study(tmp_path, Task("head-to-head"), items=3)
    with study.database.transaction() as db:
        db.execute("UPDATE question SET content = replace(content, ' says ', ' ')")
        db.execute(
            """UPDATE question SET content = replace(replace(content, 'ann', 'A'), 'bot', 'B')"""
        )
    rater, web = study.add_rater(), client(study)
    begin(web, rater)
    page = web.get(f"/r/{rater.token}").text.replace(rater.token, "")
    assert "ann" not in page
    assert "bot" not in page


def test_many_raters_at_once_lose_nothing(tmp_path):
    study = studies.study(tmp_path, Task(raters_per_question=4), items=8)
    raters = [study.add_rater() for _ in range(8)]
    web = client(study)

    def session(rater):
        begin(web, rater)
        confirmed = 0
        while "question" in Page(web.get(f"/r/{rater.token}").text).fields:
            page = answer(web, rater, {"c0": "3"})
            confirmed += page.status_code == 200
        return confirmed

    with ThreadPoolExecutor(8) as pool:
        confirmed = list(pool.map(session, raters))
    assert sum(confirmed) == len(judgements(study.database)) == 8 * 2 * 4


@pytest.mark.parametrize("number", ["abc", "", "-1", "1.5", "²", str(1 << 63), "9" * 5000])
def test_what_is_no_number_of_a_question_is_refused(tmp_path, number):
    study = studies.study(tmp_path)
    rater, web = study.add_rater(), client(study)
    begin(web, rater)
    data = {"form": form_token(rater.token, f"answer {number}"), "question": number, "c0": "3"}
    page = web.post(f"/r/{rater.token}/answer", data=data, headers=OURS)
    assert (page.status_code, judgements(study.database)) == (400, [])
    assert "This form cannot be read." in page.text
    assert web.get(f"/r/{rater.token}/example/{number}").status_code == 404


def test_a_failure_confirms_nothing(tmp_path, monkeypatch):
    study = studies.study(tmp_path)
    rater, web = study.add_rater(), client(study, raise_server_exceptions=False)
    begin(web, rater)

    def fail(*_):
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(Study, "answer", fail)
    page = answer(web, rater, {"c0": "3"})
    assert (page.status_code, judgements(study.database)) == (500, [])
    assert "was not saved" in page.text
    assert "defect" not in page.text
    assert page.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]


def standing(web, study, rater, value, form=None):
    fields = Page(web.get(f"/a/{study.admin}").text).fields
    data = {"form": form or fields["form"], "rater": rater.id, "standing": value}
    return web.post(f"/a/{study.admin}/standing", data=data, headers=OURS)


def test_a_rater_is_paused_taken_out_and_let_in_again(tmp_path):
    study = studies.study(tmp_path, Task(raters_per_question=1), items=6, systems=1)
    one, other = study.add_rater(own_name=SCRIPT), study.add_rater()
    web = client(study)
    begin(web, one)
    for _ in range(5):
        answer(web, one, {"c0": "3"})
    page = Page(web.get(f"/a/{study.admin}").text)
    assert "too fast" in page.text
    assert SCRIPT in page.text
    assert not any(tag in ("img", "script") for tag, _ in page.tags)
    assert standing(web, study, one, "paused", "0" * 64).status_code == 403
    assert standing(web, study, one, "gone").status_code == 503
    standing(web, study, one, "paused")
    assert "is paused" in web.get(f"/r/{one.token}").text
    assert len(judgements(study.database)) == 5
    standing(web, study, one, "out")
    assert "has ended" in web.get(f"/r/{one.token}").text
    begin(web, other)
    assert study.progress(other).total == 6  # the questions are given to others
    assert judgements(study.database) == []
    assert len(judgements(study.database, apart=True)) == 5
    assert "5 answers of raters who were taken out are kept apart" in (
        web.get(f"/a/{study.admin}").text
    )
    answer(web, other, {"c0": "4"})
    assert export(study).notes == ("5 answers of 1 rater taken out of the study left out",)
    standing(web, study, one, "active")
    assert len(judgements(study.database)) == 6
    assert web.get(f"/r/{one.token}").status_code == 200


def test_a_name_gives_nobody_the_link_of_another(tmp_path):
    study = studies.study(tmp_path)
    web = client(study)
    form = Page(web.get(f"/join/{study.join}").text).fields

    def join(**given):
        return web.post(f"/join/{study.join}", data={**form, **given}, headers=OURS)

    first = join(name="  Anna\n B. ")
    assert first.url.path.startswith("/r/")
    again = join(name="Anna B.")
    assert (again.status_code, "Somebody with this name" in again.text) == (409, True)
    assert join(participant="Anna B.").url != first.url
    assert [each.own_name for each in study.raters()] == ["Anna B.", ""]
    admin = Page(web.get(f"/a/{study.admin}").text)
    assert "Anna B." in admin.text
    data = {"form": admin.fields["form"], "name": "Anna B."}
    assert web.post(f"/a/{study.admin}/links", data=data, headers=OURS).status_code == 409


def test_a_break_is_offered_and_the_minutes_are_told(tmp_path):
    study = studies.study(tmp_path, Task(break_every=5, comments=True), items=8, systems=1)
    rater, web = study.add_rater(), client(study)
    begin(web, rater)
    pages = [answer(web, rater, {"c0": "3", "comment": f"<b>{k}"}) for k in range(8)]
    assert ["Time for a break?" in each.text for each in pages] == [False] * 4 + [True] + [
        False
    ] * 3
    assert "5 answers are saved" in pages[4].text
    assert "about 1 minute left" in pages[5].text
    assert "about" not in pages[3].text
    assert "&lt;b&gt;7" in web.get(f"/a/{study.admin}").text


def test_the_script_reads_where_the_next_page_is(tmp_path):
    study = studies.study(tmp_path)
    rater, web = study.add_rater(), client(study)
    begin(web, rater)
    headers = OURS | {"Rejoinder-Script": "1"}
    sent = answer(web, rater, {"c0": "3"}, headers)
    assert (sent.status_code, sent.headers["Location"]) == (204, f"/r/{rater.token}")
    refused = answer(web, rater, {}, headers)
    assert refused.status_code == 422


def test_the_pages_are_in_the_language_of_the_study(tmp_path):
    study = studies.study(tmp_path, Task(page_language="ar", completion_code="x"))
    rater, web = study.add_rater(), client(study)
    assert '<html lang="ar" dir="rtl">' in web.get(f"/r/{rater.token}").text
    page = answer(web, (begin(web, rater), rater)[1], {})
    assert "اختر إحدى درجات المقياس" in page.text
    assert "لا يوجد رابط كهذا" in web.get(f"/r/{rater.token}x").text
    assert '<html lang="en" dir="ltr">' in web.get(f"/a/{study.admin}").text
