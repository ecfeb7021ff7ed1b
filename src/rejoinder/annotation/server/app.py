"""The routes of the page of a study."""

from __future__ import annotations

import functools
import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rejoinder.annotation.export import export
from rejoinder.annotation.followed_design import FollowedDesign
from rejoinder.annotation.overview import overview
from rejoinder.annotation.page_words import RaterError, say
from rejoinder.annotation.server.pages import STATIC, Pages, static_addresses
from rejoinder.annotation.server.security import (
    HEADERS,
    RateLimit,
    RequestRefusedError,
    check_form_token,
    check_same_site,
    read_form,
)
from rejoinder.annotation.study import LONGEST_PLATFORM_ID, Rater, Study
from rejoinder.errors import InputError
from rejoinder.rendering.comma_separated import without_formulas

PLATFORM_IDS = ("PROLIFIC_PID", "workerId", "participant")
"""The parameters of the common link in which crowd platforms name a participant."""

SCRIPT_HEADER = "Rejoinder-Script"
"""The header of an answer that the page's script sends, so that it can be sent again."""

Made = TypeVar("Made")


def make_app(
    study: Study,
    address: str | None = None,
    limits: tuple[float, int] = (10.0, 40),
    most_raters: int = 1000,
    following: FollowedDesign | None = None,
) -> ASGIApp:
    """The page of a study.

    Args:
        study: The study.
        address: The public address, for the links on the admin page; None: that of the request.
        limits: The requests in a second of one link, and how many may come at once; ten times as many
            of the common link, which many people open at the same time.
        most_raters: The largest number of raters who can join by the common link.
        following: The design that the study follows; None: it ends when all questions are answered.
    """
    rate, burst = limits
    of_join = RateLimit(10 * rate, 10 * burst)
    routes = _Routes(
        study, address, RateLimit(rate, burst), of_join, RateLimit(0.5, 30), most_raters, following
    )
    app = Starlette(
        routes=[
            Route("/", routes.home),
            Route("/favicon.ico", routes.icon),
            Route("/join/{token}", routes.join, methods=["GET", "POST"]),
            Route("/r/{token}", routes.question),
            Route("/r/{token}/begin", routes.begin, methods=["POST"]),
            Route("/r/{token}/answer", routes.answer, methods=["POST"]),
            Route("/r/{token}/undo", routes.undo, methods=["POST"]),
            Route("/r/{token}/break", routes.pause),
            Route("/r/{token}/example/{number}", routes.example),
            Route("/a/{token}", routes.admin),
            Route("/a/{token}/links", routes.add_link, methods=["POST"]),
            Route("/a/{token}/standing", routes.set_standing, methods=["POST"]),
            Route("/a/{token}/export.csv", routes.export),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        exception_handlers={
            RequestRefusedError: routes.refused,
            HTTPException: routes.no_page,
            InputError: routes.failed,
            Exception: routes.defect,
        },
    )
    return SafeHeaders(app)


class SafeHeaders:
    """Adds the headers of `security.HEADERS` to every answer; a browser may keep static files."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""

        async def send_safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower(): value for name, value in HEADERS.items()}
                # An address with a digest never has other content; a 304 must not say no-store.
                address = f"{scope['path']}?{scope['query_string'].decode('latin-1')}"
                if message["status"] in (200, 304) and address in static_addresses():
                    own["cache-control"] = "public, max-age=31536000, immutable"
                other_headers = [each for each in message["headers"] if each[0].decode() not in own]
                own_headers = [(name.encode(), value.encode()) for name, value in own.items()]
                message = {**message, "headers": [*other_headers, *own_headers]}
            await send(message)

        await self.app(scope, receive, send_safe if scope["type"] == "http" else send)


@dataclass
class _Routes:
    """What each address answers.

    Args:
        study: The study.
        address: The public address.
        of_link: The limit for each link of one person.
        of_join: The limit for the common link.
        of_stranger: The limit for each address that asks for links that there are not.
        most_raters: The largest number of raters who can join by the common link.
        following: The design that the study follows.
    """

    study: Study
    address: str | None
    of_link: RateLimit
    of_join: RateLimit
    of_stranger: RateLimit
    most_raters: int
    following: FollowedDesign | None

    def __post_init__(self) -> None:
        self.pages = Pages(self.study)

    async def home(self, request: Request) -> Response:
        """Without a link there is nothing to see."""
        return self.pages.message("open_link")

    async def icon(self, request: Request) -> Response:
        """Browsers ask for a picture of the site; there is none."""
        return Response(status_code=204)

    async def join(self, request: Request) -> Response:
        """The common link: a page with a button, so that nobody joins by a preview of the link."""
        self._check(request, self.study.join, self.of_join)
        if request.method == "GET":
            given = (request.query_params.get(name, "").strip() for name in PLATFORM_IDS)
            return self.pages.join(next(filter(None, given), "")[:LONGEST_PLATFORM_ID])
        form = await _form(request, self.study.join, "join")
        platform_id = form.get("participant", "")[:LONGEST_PLATFORM_ID].strip() or None
        name = "" if platform_id else _name_in(form)
        rater = await _in_thread(self.study.join_rater, platform_id, self.most_raters, name)
        if rater is None:
            raise RequestRefusedError(403, "full")
        return _to(f"/r/{rater.token}")

    async def question(self, request: Request) -> Response:
        """The instructions, the question of now, or the end."""
        rater = await self._rater(request)
        if rater.standing != "active":
            return self.pages.message(rater.standing, status=403)
        if rater.consented is None:
            return self.pages.start(rater)
        shown = await _in_thread(self.study.current, rater)
        if shown is None:
            undoable = await _in_thread(self.study.may_undo, rater)
            return self.pages.done(rater, undoable)
        return self.pages.question(rater, shown)

    async def begin(self, request: Request) -> Response:
        """The rater agrees to take part."""
        rater, form = await self._sent(request, "begin")
        if self.study.task.consent and form.get("consent") != "yes":
            return self.pages.start(rater, self.study.task.sentences["tick"])
        await _in_thread(self.study.consent, rater)
        return _to(f"/r/{rater.token}")

    async def answer(self, request: Request) -> Response:
        """Stores an answer. The page that follows confirms it, and is sent when it is on the disk."""
        rater, form = await self._sent(request, None)
        number = form.get("question", "")
        check_form_token(form, rater.token, f"answer {number}")
        asked = _number(number)
        if asked is None:
            raise RequestRefusedError(400, "form_unreadable")
        try:
            then = await _in_thread(self.study.answer, rater, asked, form)
        except RaterError as error:
            text = say(self.study.task.sentences, error.key, **error.values)
            shown = await _in_thread(self.study.current, rater)
            if shown is None or str(shown.assignment) != number:
                return self.pages.message(error.key, f"/r/{rater.token}", 409, **error.values)
            return self.pages.question(rater, shown, form, text)
        if self.following is not None:
            await _in_thread(self.following.look)
        to = f"/r/{rater.token}" + {"example": f"/example/{asked}", "break": "/break", "": ""}[then]
        if SCRIPT_HEADER in request.headers:  # which cannot read where a redirection leads
            return Response(status_code=204, headers={"Location": to})
        return _to(to)

    async def pause(self, request: Request) -> Response:
        """The offer of a break, which takes no time of a question."""
        rater = await self._rater(request)
        counts = await _in_thread(self.study.progress, rater)
        return self.pages.message("break_words", f"/r/{rater.token}", n=counts.answered)

    async def undo(self, request: Request) -> Response:
        """Opens the last answer again."""
        rater, _ = await self._sent(request, "undo")
        await _in_thread(self.study.undo, rater)
        return _to(f"/r/{rater.token}")

    async def example(self, request: Request) -> Response:
        """The explanation of a training question."""
        rater = await self._rater(request)
        number = _number(request.path_params["number"])
        if number is None:
            raise HTTPException(404)
        feedback = await _in_thread(self.study.feedback, rater, number)
        shown = await _in_thread(self.study.example_of, rater, number)
        if feedback is None or shown is None:
            return _to(f"/r/{rater.token}")
        return self.pages.example(rater, shown, feedback)

    async def admin(self, request: Request) -> Response:
        """How far the study is."""
        self._check(request, self.study.admin, self.of_link)
        address = self.address or str(request.base_url).rstrip("/")
        now = await _in_thread(overview, self.study)
        design = None if self.following is None else await _in_thread(self.following.state)
        return self.pages.admin(now, address, request.url.scheme, self.most_raters, design)

    async def add_link(self, request: Request) -> Response:
        """Adds a rater."""
        self._check(request, self.study.admin, self.of_link)
        form = await _form(request, self.study.admin, "links")
        await _in_thread(functools.partial(self.study.add_rater, own_name=_name_in(form)))
        return _to(f"/a/{self.study.admin}")

    async def set_standing(self, request: Request) -> Response:
        """Pauses a rater, takes a rater out, or lets one go on."""
        self._check(request, self.study.admin, self.of_link)
        form = await _form(request, self.study.admin, "links")
        number = _number(form.get("rater", ""))
        if number is None:
            raise RequestRefusedError(400, "form_unreadable")
        await _in_thread(self.study.set_standing, number, form.get("standing", ""))
        if self.following is not None:
            await _in_thread(self.following.state)
        return _to(f"/a/{self.study.admin}#raters")

    async def export(self, request: Request) -> Response:
        """The judgements so far, as CSV; no spreadsheet takes a rater's comment for a formula."""
        self._check(request, self.study.admin, self.of_link)
        exported = await _in_thread(export, self.study)
        table = exported.table
        if "comment" in table.columns:
            table = table.with_columns(without_formulas(table.select("comment")))
        name = f'attachment; filename="{exported.kind}.csv"'
        return Response(
            table.write_csv(), media_type="text/csv", headers={"Content-Disposition": name}
        )

    def refused(self, request: Request, error: Exception) -> Response:
        """A request that is not answered."""
        assert isinstance(error, RequestRefusedError)
        return self.pages.message(error.key, status=error.status)

    def no_page(self, request: Request, error: Exception) -> Response:
        """An address that there is not."""
        assert isinstance(error, HTTPException)
        return self.pages.message("no_page", status=error.status_code)

    def failed(self, request: Request, error: Exception) -> Response:
        """A disk that is full, most likely; or nothing to export yet. The words are for the owner."""
        if isinstance(error, RaterError):
            return self.pages.message(error.key, status=409, **error.values)
        if request.url.path.startswith("/a/"):
            return self.pages.message_for_owner(str(error), 503)
        return self.pages.message("failed", status=503)

    def defect(self, request: Request, error: Exception) -> Response:
        """An error that nothing foresaw."""
        return self.pages.message("defect", status=500)

    async def _rater(self, request: Request) -> Rater:
        """The rater of a link."""
        rater = await _in_thread(self.study.rater, request.path_params["token"])
        if rater is None:
            raise self._stranger(request)
        if not self.of_link.allows(rater.token):
            raise RequestRefusedError(429, "too_many")
        return rater

    async def _sent(self, request: Request, purpose: str | None) -> tuple[Rater, dict[str, str]]:
        """The rater of a form, and its fields."""
        rater = await self._rater(request)
        return rater, await _form(request, rater.token, purpose)

    def _check(self, request: Request, secret: str, limit: RateLimit) -> None:
        """Raises where a link of the whole study is wrong, or used too often."""
        if not same_secret(request.path_params["token"], secret):
            raise self._stranger(request)
        if not limit.allows(secret):
            raise RequestRefusedError(429, "too_many")

    def _stranger(self, request: Request) -> RequestRefusedError:
        address = request.client.host if request.client else ""
        if not self.of_stranger.allows(address):
            return RequestRefusedError(429, "no_such_links")
        return RequestRefusedError(404, "no_link")


async def _form(request: Request, secret: str, purpose: str | None) -> dict[str, str]:
    """The form of a page of this site, with the token of its purpose; None: who asks looks at the token."""
    check_same_site(request)
    form = await read_form(request)
    if purpose is not None:
        check_form_token(form, secret, purpose)
    return form


def same_secret(given: str, secret: str) -> bool:
    """Whether two secrets are the same, in a time that does not tell where they differ."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), secret.encode())


def _number(text: str) -> int | None:
    """The number of a question; None: it is no number, or larger than any of a database."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


def _name_in(form: Mapping[str, str]) -> str:
    """The name in a form, without white space at its ends and between words."""
    return " ".join(form.get("name", "")[:LONGEST_PLATFORM_ID].split())


def _to(address: str) -> Response:
    return RedirectResponse(address, status_code=303)


async def _in_thread(function: Callable[..., Made], *arguments: Any) -> Made:
    return await to_thread.run_sync(functools.partial(function, *arguments))
