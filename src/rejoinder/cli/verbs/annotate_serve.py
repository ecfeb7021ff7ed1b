"""``rejoinder annotate serve``: the page on which people judge replies."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from rejoinder.cli import options
from rejoinder.cli.declarations import command, flag, integer, option
from rejoinder.cli.study import StudyOptions

if TYPE_CHECKING:
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
    study, there = studies.opened(given)
    try:
        links = given.links
        if links is None and not there:
            links = study.task.raters_per_question
        study.add_links(links or 0)
        if given.prepare:
            _print(given, study, _own(given.host, given.port) if address is None else [address])
            _say_how_to_serve(given)
            return
        _serve(given, study, address)
    finally:
        study.close()


def _serve(given: ServeOptions, study: Study, address: str | None) -> None:
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
        ready = functools.partial(_print, given, study, addresses)
        served(study, place, address, ready, given.most_raters)


def _say_how_to_serve(given: ServeOptions) -> None:
    """Nobody can open the links before the study is served."""
    from rejoinder.cli.terminal.console import console

    rest = "".join(
        f" --{name} {value}"
        for name, value, usual in (
            ("host", given.host, "127.0.0.1"),
            ("port", given.port, 8000),
            ("address", given.address, None),
        )
        if value != usual
    )
    if not given.json:
        line = f"no page is served yet: rejoinder annotate serve --db {given.db}{rest}"
        console().print(line, soft_wrap=True)


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


def _print(given: ServeOptions, study: Study, addresses: list[str]) -> None:
    """The links, on standard output: whoever sees them may rate, or see the progress."""
    import dataclasses
    import sys

    from rich.text import Text

    from rejoinder.annotation.overview import overview
    from rejoinder.annotation.server.addresses import qr_lines
    from rejoinder.cli.show import machine
    from rejoinder.cli.terminal.console import console, print_notes
    from rejoinder.messages import counted, listed

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
    if given.json:
        machine.write(whole)
        return
    out = console()
    out.print(
        f"{study.task.kind}: {now.questions} questions, {study.task.raters_per_question} raters each; "
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
    for row in links:
        out.print(f"{row['rater']}, {row['state']}: {row['link']}", soft_wrap=True)
    print_notes(out, study.notes)
    sys.stdout.flush()
