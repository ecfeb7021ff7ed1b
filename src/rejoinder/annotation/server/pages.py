"""The pages as HTML. Every text of a corpus or of a rater is escaped by the templates."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from rejoinder.annotation.choices import LONGEST_COMMENT
from rejoinder.annotation.followed_design import DesignState
from rejoinder.annotation.languages import languages, own_languages
from rejoinder.annotation.markdown import html_of, nodes_of
from rejoinder.annotation.overview import FAST_SECONDS, Overview
from rejoinder.annotation.page_words import own_words, say
from rejoinder.annotation.server.addresses import qr_svg
from rejoinder.annotation.server.security import form_token
from rejoinder.annotation.speakers import turns
from rejoinder.annotation.study import Feedback, Rater, Shown, Study

STATIC = Path(__file__).with_name("static")


@functools.cache
def static_address(name: str) -> str:
    """The address of a static file, with a digest of its content, so that a browser may keep it for good.

    A page that is sent just before the server stops then still has its scripts, which keep the rater's
    answers.
    """
    return f"/static/{name}?{hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:16]}"


@functools.cache
def static_addresses() -> frozenset[str]:
    """The `static_address` of every static file."""
    return frozenset(static_address(each.name) for each in STATIC.iterdir())


class Pages:
    """The pages of a study.

    Args:
        study: The study.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self._environment = jinja2.Environment(
            loader=jinja2.PackageLoader("rejoinder.annotation.server"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters["turns"] = turns
        self._environment.filters["languages"] = self._languages
        self._own = own_languages(study.task)
        self._environment.filters["tag"] = self._tag
        self._environment.filters["paragraphs"] = paragraphs
        self._environment.filters["figure"] = figure
        self._environment.filters["shown"] = self._shown
        self._environment.globals["task"] = study.task
        self._environment.globals["heading"] = study.task.heading
        self._environment.globals["words"] = study.task.sentences
        self._environment.globals["say"] = functools.partial(say, study.task.sentences)
        self._environment.globals["longest_comment"] = LONGEST_COMMENT
        self._environment.globals["static"] = static_address

    def _languages(self, shown: Shown) -> dict[str, str]:
        """By text of a question the tag of its language."""
        return languages((*shown.context, *shown.replies), self.study.task.language)

    def _tag(self, text: str) -> Markup:
        """The attribute that says the language of a text of the study's author; nothing if unknown."""
        language = self._own.get(text, "")
        return Markup(' lang="{}"').format(language) if language else Markup("")

    def _shown(self, text: str) -> Markup:
        """A turn or a reply, with its Markdown if the study shows it."""
        return escape(text) if self.study.task.markup == "raw" else html_of(nodes_of(text))

    def start(self, rater: Rater, error: str = "") -> HTMLResponse:
        """The instructions and the consent."""
        token = form_token(rater.token, "begin")
        return self._page("start.html", 422 if error else 200, rater=rater, form=token, error=error)

    def join(self, participant: str) -> HTMLResponse:
        """The page of the common link."""
        token = form_token(self.study.join, "join")
        return self._page("join.html", token=self.study.join, form=token, participant=participant)

    def question(
        self, rater: Rater, shown: Shown, sent: Mapping[str, str] | None = None, error: str = ""
    ) -> HTMLResponse:
        """A question; with what was sent where that was not complete."""
        return self._page(
            "question.html",
            422 if error else 200,
            rater=rater,
            shown=shown,
            chosen=shown.form if sent is None else sent,
            comment=shown.comment if sent is None else sent.get("comment", ""),
            error=error,
            form=form_token(rater.token, f"answer {shown.assignment}"),
            undo=form_token(rater.token, "undo"),
        )

    def example(self, rater: Rater, shown: Shown, feedback: Feedback) -> HTMLResponse:
        """What is said of the answer to a training question."""
        return self._page("example.html", rater=rater, shown=shown, feedback=feedback)

    def done(self, rater: Rater, may_undo: bool) -> HTMLResponse:
        """The end, with the completion code."""
        address = self.study.task.return_address.replace("{code}", rater.code)
        return self._page(
            "done.html",
            rater=rater,
            address=address,
            may_undo=may_undo,
            undo=form_token(rater.token, "undo"),
        )

    def admin(
        self,
        overview: Overview,
        address: str,
        scheme: str,
        most_raters: int,
        design: DesignState | None = None,
    ) -> HTMLResponse:
        """How far the study is, the links that begin with an address, and how many raters may join."""
        return self._page(
            "admin.html",
            words=own_words("en"),
            overview=overview,
            study=self.study,
            base=address,
            qr=Markup(qr_svg(f"{address}/join/{self.study.join}")),
            encrypted=scheme == "https",
            joined=sum(each.rater.origin == "joined" for each in overview.raters),
            most_raters=most_raters,
            design=design,
            fast=f"{FAST_SECONDS:g}",
            form=form_token(self.study.admin, "links"),
        )

    def message(
        self, key: str, address: str = "", status: int = 200, **values: object
    ) -> HTMLResponse:
        """A page with a sentence of the page's language."""
        sentences = self.study.task.sentences
        title = sentences["break"] if key == "break_words" else self.study.task.heading
        text = say(sentences, key, **values)
        return self._page("message.html", status, heading=title, text=text, address=address)

    def message_for_owner(self, text: str, status: int) -> HTMLResponse:
        """A page with a sentence for those who run the study, in English."""
        return self._page("message.html", status, words=own_words("en"), text=text, address="")

    def _page(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        text = self._environment.get_template(template).render(**values)
        return HTMLResponse(text.encode("utf-8", "replace"), status)


def figure(value: float) -> str:
    """A number with two decimals; an undefined one is a dash.

    >>> figure(0.5), figure(float("nan"))
    ('0.50', '–')
    """
    return f"{value:.2f}" if value == value else "–"


def paragraphs(text: str) -> list[str]:
    r"""The paragraphs of a text, which blank lines part.

    >>> paragraphs("One.\n\nTwo\nlines.")
    ['One.', 'Two\nlines.']
    """
    return [each.strip() for each in text.split("\n\n") if each.strip()]
