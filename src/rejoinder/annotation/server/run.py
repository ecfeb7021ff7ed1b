"""The server process of a study."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Callable, Iterator

import uvicorn

from rejoinder.annotation.followed_design import FollowedDesign
from rejoinder.annotation.server.app import make_app
from rejoinder.annotation.server.security import FORM_SECONDS
from rejoinder.annotation.study import Study
from rejoinder.errors import InputError
from rejoinder.messages import Argument


class _Server(uvicorn.Server):
    """A server that ends without an error on Ctrl-C, as on SIGTERM: people stop it in this way."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {
            each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes any that is free.

    Raises:
        InputError: The address is taken, or is none of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    place = socket.socket(family, socket.SOCK_STREAM)
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        place.bind((host, port))
        place.listen(512)
    except (OSError, TypeError, ValueError) as error:  # a text that is no host is one of the others
        place.close()
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"{host}, port {port}: cannot be listened to: {reason}; choose another ",
            Argument("port"),
            " or ",
            Argument("host"),
        ) from None
    return place


def serve(
    study: Study,
    place: socket.socket,
    address: str | None,
    ready: Callable[[], None],
    most_raters: int = 1000,
    following: FollowedDesign | None = None,
) -> None:
    """Serves a study until the process is asked to end.

    Nothing is logged: the addresses of requests hold the secrets of links.

    Args:
        study: The study.
        place: The socket.
        address: The public address, for the links on the admin page; None: that of the request.
        ready: Called when the process ends well on Ctrl-C, before the first request is answered.
        most_raters: The largest number of raters who can join by the common link.
        following: The design that the study follows.
    """
    config = uvicorn.Config(
        make_app(study, address, most_raters=most_raters, following=following),
        access_log=False,
        log_config=None,
        server_header=False,
        lifespan="off",
        ws="none",
        timeout_keep_alive=15,
        timeout_graceful_shutdown=int(FORM_SECONDS) + 2,
        limit_concurrency=1000,
        h11_max_incomplete_event_size=16 * 1024,
        proxy_headers=True,
        forwarded_allow_ips="127.0.0.1",
    )
    server = _Server(config)
    with server.capture_signals():
        ready()
        server.run(sockets=[place])
