"""A real Chromium for tests of pages, and axe-core.

Both are looked for where CONTRIBUTING.md says; without playwright and a Chromium such tests skip.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

CHROMIUM = os.environ.get("REJOINDER_CHROMIUM") or shutil.which("chromium")
AXE = os.environ.get("REJOINDER_AXE", "")
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
MARKS = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium; name one in REJOINDER_CHROMIUM"),
]


@contextmanager
def launched():
    """A Chromium."""
    from playwright import sync_api

    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def opened(browser, **look):
    """A new page of a browser of its own, and what it complains of."""
    page = browser.new_context(**look).new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page, complaints


def axe() -> str:
    """The script of axe-core; "" where it is not here."""
    return Path(AXE).read_text("utf-8") if Path(AXE).is_file() else ""
