"""The addresses that 'annotate serve' prints, and their codes for a phone's camera."""

import socket
import xml.etree.ElementTree as ET

import pytest

pytest.importorskip("segno")

import segno

from rejoinder.annotation.server import addresses
from rejoinder.annotation.server.addresses import hosts_of, qr_lines, qr_svg

LINK = "http://192.168.1.12:8000/join/tMrCYN6Ro84BC9SFOzADwPozRTlTEGC6"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_a_server_for_every_network_names_those_of_this_machine(monkeypatch, host):
    """Not itself alone (127.), nor what no router passes on (169.254.); each once, the likeliest first."""
    monkeypatch.setattr(addresses, "_by_route", lambda: ["192.168.1.12", "192.168.1.12"])
    found = ["127.0.0.1", "169.254.3.4", "10.8.0.2", "192.168.1.12"]
    monkeypatch.setattr(addresses, "_by_interface", lambda: found)
    assert hosts_of(host) == ["192.168.1.12", "10.8.0.2"]


def test_a_machine_without_a_network_names_itself(monkeypatch):
    monkeypatch.setattr(addresses, "_by_route", list)
    monkeypatch.setattr(addresses, "_by_interface", lambda: ["127.0.0.1"])
    assert hosts_of("0.0.0.0") == ["127.0.0.1"]


def test_what_this_machine_says_of_itself_can_be_reached():
    """Whatever its networks are: a server at every address answers at each that is named."""
    with socket.socket() as server:
        server.bind(("0.0.0.0", 0))
        server.listen()
        for host in hosts_of("0.0.0.0"):
            with socket.create_connection((host, server.getsockname()[1]), timeout=5):
                pass


def test_the_lines_are_the_modules_of_the_code():
    """Half a block for each, dark where it is dark; two light ones stand around it."""
    modules = [[bool(each) for each in row] for row in segno.make(LINK, error="l").matrix]
    halves = {"█": (True, True), "▀": (True, False), "▄": (False, True), " ": (False, False)}
    drawn = []
    for line in qr_lines(LINK):
        upper, lower = zip(*(halves[each] for each in line), strict=True)
        drawn += [list(upper), list(lower)]
    inner = [row[2:-2] for row in drawn[2 : 2 + len(modules)]]
    assert inner == modules
    assert not any(any(row) for row in [*drawn[:2], *drawn[2 + len(modules) :]])


def test_the_picture_is_an_element_without_scripts_or_styles():
    element = ET.fromstring(qr_svg(LINK))
    assert element.tag == "svg"
    assert {each.tag for each in element.iter()} == {"svg", "title", "path"}
    assert not any("style" in each.attrib for each in element.iter())
