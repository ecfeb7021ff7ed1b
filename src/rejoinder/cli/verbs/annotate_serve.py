"""``rejoinder annotate serve``: the page on which people judge replies."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejoinder.cli import options
from rejoinder.cli.declarations import command, flag, integer, option, path
from rejoinder.cli.study import StudyOptions

if TYPE_CHECKING:
    from rejoinder.annotation.followed_design import FollowedDesign
    from rejoinder.annotation.study import Study


_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


class ServeOptions(StudyOptions, options.JsonOptions):
    """The options of 'annotate serve'."""

    links: int | None = integer(
        "--links",
        type=click.IntRange(min=0),
        help="Number of personal links (default: as many as raters of a question).",
    )
    most_raters: int = integer(
        "--set most_raters",
        type=click.IntRange(min=0),
        default=1000,
        help="Maximum number of raters who can join by the common link. Raters with links of their own "
        "do not count.",
    )
    host: str = option(
        "--host",
        metavar="ADDRESS",
        default="127.0.0.1",
        help="Address to listen on. The default is this machine alone; 0.0.0.0 is every network.",
    )
    port: int = integer(
        "--port",
        type=click.IntRange(0, 65535),
        default=8000,
        help="Port to listen on; 0: any that is free.",
    )
    address: str | None = option(
        "--address",
        metavar="URL",
        help="Public address of the page, for the printed links (default: that of this server).",
    )
    design: Path | None = path(
        "--design",
        help="Design that the study follows, a file of 'rejoinder plan --design --save'. One rater rates the "
        "replies of all systems to an item, and the study ends by itself when a look says so. It stays "
        "with the study.",
    )
    prepare: bool = flag(
        "--prepare", help="Make the study and print its links, without serving it."
    )


@command(ServeOptions)
def serve(given: ServeOptions) -> None:
    """Serve a page on which people judge replies.

    The study is made from a test set and the replies of systems, and kept in the file of --db. Every
    rater has a link; the admin's link shows the progress. End it with Ctrl-C; repeat the command to go
    on.
    """
    from rejoinder.cli import study as studies
    from rejoinder.models.installed import check_installed

    check_installed(
        "annotate serve",
        "segno",
        "starlette",
        "uvicorn",
        extra="annotate",
        otherwise="take 'rejoinder annotate page', which writes an HTML file for each rater and needs "
        "no extra",
    )
    address = _checked(given.address)
    if given.design is not None and given.raters_per_question is None and given.testset is not None:
        given.raters_per_question = 1
    study, exists = studies.opened(given, given.design is not None)
    try:
        following = _following(given, study, exists)
        links = given.links
        if links is None and not exists:
            links = study.task.raters_per_question
        study.add_links(links or 0)
        if given.prepare:
            addresses = _own(given.host, given.port) if address is None else [address]
            _print(given, study, addresses, following)
            _say_how_to_serve(given)
            return
        _serve(given, study, address, following)
    finally:
        study.close()


def _following(given: ServeOptions, study: Study, exists: bool) -> FollowedDesign | None:
    """The design that the study follows; a new study that cannot follow it is not kept."""
    from rejoinder.annotation.followed_design import FollowedDesign
    from rejoinder.errors import RejoinderError

    try:
        return FollowedDesign.of(study, given.design)
    except RejoinderError:
        if not exists:
            study.close()
            given.db.unlink()
        raise


def _serve(
    given: ServeOptions, study: Study, address: str | None, following: FollowedDesign | None
) -> None:
    from contextlib import closing

    from rejoinder.annotation.server.run import listening
    from rejoinder.annotation.server.run import serve as served
    from rejoinder.cli.terminal.speech import note
    from rejoinder.files.sources import release_sources

    release_sources()  # the page is served for days
    with closing(listening(given.host, given.port)) as place:
        port = place.getsockname()[1]
        if given.host not in _THIS_MACHINE:
            note(
                f"other machines can reach this page on port {port}, without encryption, which is for "
                "a network that you trust; for raters elsewhere put a proxy with TLS before it, and name "
                "its address with --address"
            )
        addresses = _own(given.host, port) if address is None else [address]
        ready = functools.partial(_print, given, study, addresses, following)
        served(study, place, address, ready, given.most_raters, following)
    note(f"stopped; the answers are in {given.db}, and this goes on: {_again(given)}")


def _say_how_to_serve(given: ServeOptions) -> None:
    """Nobody can open the links before the study is served."""
    from rejoinder.cli.terminal.console import console

    if not given.json:
        console().print(f"no page is served yet: {_again(given)}", soft_wrap=True)


def _again(given: ServeOptions) -> str:
    """The command that serves the study as this one did."""
    rest = "".join(
        f" --{name} {value}"
        for name, value, usual in (
            ("host", given.host, "127.0.0.1"),
            ("port", given.port, 8000),
            ("address", given.address, None),
        )
        if value != usual
    )
    return f"rejoinder annotate serve --db {given.db}{rest}"


def _checked(address: str | None) -> str | None:
    """The address without a slash at its end."""
    from urllib.parse import urlsplit

    from rejoinder.annotation.task import is_address
    from rejoinder.errors import ParameterError

    if address is None:
        return None
    if not is_address(address, "http", "https"):
        raise ParameterError(
            f"--address {address}: expected an address; write it like https://study.example.org"
        )
    parts = urlsplit(address)
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ParameterError(
            f"--address {address}: expected an address without a path; give the study a host or port of "
            "its own"
        )
    return f"{parts.scheme}://{parts.netloc}"


def _own(host: str, port: int) -> list[str]:
    """The addresses of the page, the likeliest first."""
    from rejoinder.annotation.server.addresses import hosts_of

    return [f"http://{each}:{port}" for each in hosts_of(host)]


def _print(
    given: ServeOptions, study: Study, addresses: list[str], following: FollowedDesign | None
) -> None:
    """The links, on standard output: whoever sees them may rate, or see the progress."""
    import dataclasses
    import sys

    from rich.text import Text

    from rejoinder.annotation.overview import overview
    from rejoinder.annotation.server.addresses import qr_lines
    from rejoinder.cli.show import json_output
    from rejoinder.cli.terminal.console import console, print_notes
    from rejoinder.messages import counted, listed

    design = None if following is None else following.state()
    now, address = overview(study), addresses[0]
    links = [
        {"rater": each.rater.name, "state": each.state, "link": f"{address}/r/{each.rater.token}"}
        for each in now.raters
        if each.rater.origin == "link"
    ]
    whole: dict[str, Any] = {
        "settings": dataclasses.asdict(study.task),
        "identity": study.identity,
        "questions": now.questions,
        "answers": now.answers,
        "wanted": now.wanted,
        "admin": f"{address}/a/{study.admin}",
        "join": f"{address}/join/{study.join}",
        "addresses": addresses,
        "most_raters": given.most_raters,
        "raters": links,
        "db": str(given.db),
        "notes": study.notes,
    }
    if design is not None:
        whole["design"] = design.as_json()
    if given.json:
        json_output.write(whole)
        return
    out = console()
    raters = counted(study.task.raters_per_question, "rater")
    out.print(
        f"{study.task.kind}: {now.questions} questions, {raters} each; "
        f"{now.answers} of {now.wanted} answers"
    )
    out.print(f"progress and export (admin): {whole['admin']}", soft_wrap=True)
    out.print(f"for everybody, to join:      {whole['join']}", soft_wrap=True)
    out.print(f"at most {counted(given.most_raters, 'rater')} can join by it (--set most_raters)")
    if len(addresses) > 1:
        out.print(f"this machine is also {listed(addresses[1:])} in other networks", soft_wrap=True)
    if given.host not in _THIS_MACHINE and out.is_terminal and out.color_system:
        for line in qr_lines(whole["join"]):
            out.print(Text(line, style="black on white"), soft_wrap=True)
    if design is not None:
        out.print(f"design: {design}", soft_wrap=True)
    for row in links:
        out.print(f"{row['rater']}, {row['state']}: {row['link']}", soft_wrap=True)
    print_notes(out, study.notes)
    sys.stdout.flush()
