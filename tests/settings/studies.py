"""Rows of the verbs that ask people: annotate."""

from __future__ import annotations

from dataclasses import replace

from settings.row import Row
from settings.shared import as_json, read, reading

USUAL = {
    "annotate serve": "annotate serve {testset} {systems} --db {out}/s.sqlite --prepare --json",
    "annotate page": (
        "annotate page {testset} {systems} --db {out}/s.sqlite --sample 20 -o {out}/p.html --json"
    ),
    "annotate export": "annotate export {answered} -o {out}/r.csv --json",
}

QUESTIONS = "questions"


def serve(*words, **given) -> Row:
    return Row("annotate serve", *words, **given)


def setting(option: str, words: str, name: str, value, **given) -> Row:
    """An option that is a setting of the study."""
    effect = lambda _, after: after.json["settings"][name] == value  # noqa: E731
    return serve(option, words, f"settings.{name}", effect=effect, **given)


SERVE = [
    *reading("annotate serve", QUESTIONS, contexts_alone=True),
    as_json("annotate serve"),
    serve("--db", "--db {out}/other.sqlite",
          effect=lambda *both: [each.at("@") for each in both] == [["s.sqlite"], ["other.sqlite"]]),
    serve("--task", "--task {study_task}", "settings.title", keeps=QUESTIONS),
    serve("--task", "--criterion a", also="--task {study_task}", status=(0, 2),
          effect=lambda _, after: "the file of --task has the criteria" in after.err),
    # 66 items: 66 replies of each of 3 systems, 3 pairs of systems, one set of three.
    setting("--judgement", "--judgement head-to-head", "kind", "head-to-head"),
    serve("--judgement", "--judgement best-worst",
          effect=lambda *both: [each.json["questions"] for each in both] == [198, 66]),
    serve("--criterion", "--criterion fluency --criterion relevance", "identity",
          effect=lambda _, after: after.at("settings.criteria.*.name") == ["fluency", "relevance"]),
    serve("--question", "--question Wit?", "identity",
          effect=lambda _, after: after.at("settings.criteria.*.question") == ["Wit?"]),
    serve("--anchors", "--anchors bad,good", "identity",
          effect=lambda _, after: after.json["settings"]["criteria"][0]["words"]
          == ["bad", "", "", "", "good"]),
    setting("--set page_language", "--set page_language=de", "page_language", "de"),
    setting("--set markup", "--set markup=raw", "markup", "raw"),
    setting("--set break_every", "--set break_every=7", "break_every", 7),
    serve("--scale", "--scale 0 10", "identity",
          effect=lambda _, after: after.at("settings.criteria.*.highest") == [10]),
    serve("--set raters_per_question", "--set raters_per_question=5",
          effect=lambda *both: [each.json["wanted"] for each in both] == [3 * 198, 5 * 198]),
    setting("--set per_rater", "--set per_rater=20", "per_rater", 20),
    serve("--sample", "--sample 10",
          effect=lambda *both: [each.json["questions"] for each in both] == [198, 30]),
    serve("--set probability", "--set probability=chance", QUESTIONS, where={"testset": "drawn_testset"},
          effect=lambda _, after: 15 * 3 < after.json["questions"] < 51 * 3),
    serve("--drawn", "--drawn {drawn}",
          effect=lambda *both: [each.json["questions"] for each in both] == [198, 30]),
    serve("--mined", "--mined {mined}",
          effect=lambda *both: [each.json["questions"] for each in both] == [198, 198 + 2 * 66]),
    serve("--set original", "--set original=true",
          effect=lambda *both: [each.json["questions"] for each in both] == [198, 198 + 66]),
    serve("--without", "--without tuned",
          effect=lambda *both: [each.json["questions"] for each in both] == [198, 132]),
    serve("--seed", "--seed 7", "identity", also="--sample 10", keeps=QUESTIONS),
    serve("--design", "--design {design}",
          effect=lambda *both: [each.json.get("design", {}).get("left") for each in both] == [None, 57]),
    serve("--links", "--links 5",
          effect=lambda *both: [len(each.json["raters"]) for each in both] == [3, 5]),
    serve("--set most_raters", "--set most_raters=40",
          effect=lambda *both: [each.json["most_raters"] for each in both] == [1000, 40]),
    serve("--host", "--host 127.0.0.2",
          effect=lambda _, after: after.json["admin"].startswith("http://127.0.0.2:8000/")),
    serve("--port", "--port 8001",
          effect=lambda _, after: after.json["admin"].startswith("http://127.0.0.1:8001/")),
    serve("--address", "--address https://a.example/",
          effect=lambda _, after: after.json["admin"].startswith("https://a.example/a/")),
]  # fmt: skip


def pages() -> list[Row]:
    """The rows of serve for another page: its questions are those of one rater."""
    same = {"--columns", "--criterion", "--format", "--judgement", "--mined", "--set original", "--reference",
            "--scale", "--without", "--question", "--anchors", "--set page_language", "--set markup",
            "--set break_every"}  # fmt: skip
    rows = [each.on("annotate page") for each in SERVE if each.option in same]
    return [
        replace(each, differs=IDENTITY, keeps="", effect=None)
        if each.status == (0, 0) and each.option != "--reference"
        else replace(each, as_usual=IDENTITY * (each.option == "--reference") or each.as_usual)
        for each in rows
    ]


IDENTITY = "identity"


def page(*words, **given) -> Row:
    return Row("annotate page", *words, **given)


PAGE = [
    *pages(),
    as_json("annotate page"),
    page("--output", "-o {out}/other.html",
         effect=lambda *both: [each.at("@") for each in both]
         == [["p.html", "s.sqlite"], ["other.html", "s.sqlite"]]),
    page("--platform", "--platform potato -o {out}/task",
         effect=lambda *both: [each.json["rater"] for each in both] == ["r001", None]),
    page("--db", "--db {out}/other.sqlite",
         effect=lambda _, after: after.at("@") == ["other.sqlite", "p.html"]),
    page("--task", "--task {study_task}", IDENTITY, keeps=QUESTIONS),
    page("--set raters_per_question", "--set raters_per_question=5", IDENTITY, keeps=QUESTIONS),
    page("--set per_rater", "--set per_rater=20",
         effect=lambda *both: [each.json["questions"] for each in both] == [60, 20]),
    page("--sample", "--sample 10",
         effect=lambda *both: [each.json["questions"] for each in both] == [60, 30]),
    page("--set probability", "--set probability=chance", status=(0, 2),
         where={"testset": "drawn_testset"},
         effect=lambda _, after: "items are drawn by one of them" in after.err),
    page("--drawn", "--drawn {drawn}", status=(0, 2),
         effect=lambda _, after: "says which single items are judged; leave sample out" in after.err),
    page("--seed", "--seed 7", IDENTITY, keeps=QUESTIONS),
]  # fmt: skip

EXPORT = [
    as_json("annotate export"),
    Row("annotate export", "--output", "-o {out}/other.parquet",
        effect=lambda *both: [each.at("@") for each in both] == [["r.csv"], ["other.parquet"]]),
    # The rater who always gave 5 failed; the other gave 1 to 15 replies.
    Row("annotate export", "--attention", "--attention 0.5",
        effect=lambda *both: [set(read(each, "r.csv")["score"]) for each in both]
        == [{1.0, 5.0}, {1.0}]),
    Row("annotate export", "--salvage", "--salvage",
        effect=lambda before, after: before.json["rows"] == after.json["rows"]
        and [each for each in after.json["notes"] if each not in before.json["notes"]]
        == ["the study is whole; lost: nothing"]),
]  # fmt: skip

ROWS = [*SERVE, *PAGE, *EXPORT]
EXEMPT = {
    ("annotate serve", "--prepare"): "every row has it, because a server does not end; "
    "tests/unit/annotation/test_server_process.py is without it",
}
