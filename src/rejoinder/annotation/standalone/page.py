"""One rater's questions as one HTML file."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jinja2

from rejoinder.annotation.answers import FORMAT, MARK
from rejoinder.annotation.choices import LONGEST_COMMENT
from rejoinder.annotation.languages import languages, own_languages
from rejoinder.annotation.markdown import Node, nodes_of
from rejoinder.annotation.study import Rater, Study
from rejoinder.files.page_policy import hash_of

_HERE = files("rejoinder.annotation")


def make_page(study: Study) -> tuple[str, Rater, int]:
    """Makes the page of a new rater, with all questions that there are for this rater.

    The page holds no name of a system, and no answer of an attention question. What the rater answers
    stays in the browser until the rater downloads it as a file, which `answers.taken_in` reads.

    Returns:
        The HTML, the rater, and the number of questions.

    Raises:
        InputError: No question is left for another rater; then none is added.
    """
    rater, planned = study.add_rater_of_page()
    questions = []
    for shown, known in planned:
        tags = languages((*shown.context, *shown.replies), study.task.language)
        question: dict[str, Any] = {
            "question": shown.assignment,
            "context": shown.context,
            "replies": shown.replies,
            "languages": {text: tag for text, tag in tags.items() if tag},
            "nodes": {text: nodes for text in tags if (nodes := _nodes(study, text)) != (text,)},
        }
        if known is not None:
            question["known"] = {"answers": known.answers, "explanation": known.explanation}
        questions.append(question)
    task = study.task
    content = {
        "answers_of": MARK,
        "format": FORMAT,
        "study": study.identity,
        "rater": rater.token,
        "name": rater.name,
        "code": rater.code,
        "address": task.return_address.replace("{code}", rater.code),
        "kind": task.kind,
        "ties": task.ties,
        "title": task.heading,
        "words": task.sentences,
        "languages": {text: tag for text, tag in own_languages(task).items() if tag},
        "instructions": task.instructions,
        "consent": task.consent,
        "comments": task.comments,
        "break_every": task.break_every,
        "longest_comment": LONGEST_COMMENT,
        "criteria": [{"asked": each.asked, "points": each.points} for each in task.criteria],
        "questions": questions,
    }
    return _html(study, content), rater, len(questions)


def _nodes(study: Study, text: str) -> tuple[Node, ...]:
    return (text,) if study.task.markup == "raw" else nodes_of(text)


def _html(study: Study, content: dict[str, Any]) -> str:
    static = _HERE / "server" / "static"
    style = (static / "page.css").read_text("utf-8")
    keys = (static / "keys.js").read_text("utf-8")
    script = keys + (_HERE / "standalone" / "static" / "standalone.js").read_text("utf-8")
    template = (_HERE / "standalone" / "templates" / "page.html").read_text("utf-8")
    # A '<' in the data could end the element that holds it.
    data = json.dumps(content, ensure_ascii=True).replace("<", "\\u003c")
    policy = (
        f"default-src 'none'; style-src '{hash_of(style)}'; script-src '{hash_of(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(template).render(
        title=study.task.heading,
        words=study.task.sentences,
        style=style,
        script=script,
        data=data,
        policy=policy,
    )
