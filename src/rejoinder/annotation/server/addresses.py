"""The addresses at which other machines reach this one, and the code of an address for a phone's camera."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import struct
import sys

_EVERY = ("0.0.0.0", "::", "")
_TARGETS = ("10.255.255.255", "192.168.255.255", "172.31.255.255", "192.0.2.1")
"""Addresses of private networks and one of the documentation: no packet is sent to them."""
_GET_ADDRESS = 0x8915  # Linux: SIOCGIFADDR


def hosts_of(host: str) -> list[str]:
    """The hosts under which a server that listens on an address is reached, the likeliest first.

    Args:
        host: The address that is listened on.

    Returns:
        The host itself, with brackets around one of IPv6; of a server for every network the addresses of
        this machine in its networks, and ``127.0.0.1`` where it is in none.

    >>> hosts_of("::1"), hosts_of("study.local")
    (['[::1]'], ['study.local'])
    """
    if host not in _EVERY:
        return [f"[{host}]" if ":" in host else host]
    found = dict.fromkeys([*_by_route(), *_by_interface()])
    usable = [
        each
        for each in found
        if not (ipaddress.ip_address(each).is_loopback or ipaddress.ip_address(each).is_link_local)
    ]
    return usable or ["127.0.0.1"]


def _by_route() -> list[str]:
    """The addresses from which packets into other networks would leave."""
    found = []
    for target in _TARGETS:
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked,
        ):
            asked.connect((target, 9))
            found.append(asked.getsockname()[0])
    return found


def _by_interface() -> list[str]:
    """The IPv4 address of every network interface; Linux alone tells them without a package."""
    if sys.platform != "linux":
        return []
    import fcntl

    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _, name in socket.if_nameindex():
            with contextlib.suppress(OSError):
                request = struct.pack("256s", name.encode()[:15])
                answer = fcntl.ioctl(asked.fileno(), _GET_ADDRESS, request)
                found.append(socket.inet_ntoa(answer[20:24]))
    return found


def qr_lines(address: str) -> list[str]:
    """An address as a QR code in lines of half blocks, which are dark: for print in black on white."""
    import segno

    code = segno.make(address, error="l")
    rows = [[bool(cell) for cell in row] for row in code.matrix_iter(border=2)]
    rows += [[False] * len(rows[0])] * (len(rows) % 2)
    blocks = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}
    return [
        "".join(blocks[pair] for pair in zip(upper, lower, strict=True))
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    ]


def qr_svg(address: str) -> str:
    """An address as a QR code: an SVG element of the class ``qr``, without a size of its own."""
    import segno

    return segno.make(address, error="m").svg_inline(
        border=2,
        omitsize=True,
        dark="#000",
        light="#fff",
        svgclass="qr",
        title="QR code of the link",
    )
