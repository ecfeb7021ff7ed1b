"""The forms of a document that are one text."""

from __future__ import annotations

from collections.abc import Callable

from rejoinder.document.parts import Document
from rejoinder.rendering.html import as_html
from rejoinder.rendering.latex import as_latex
from rejoinder.rendering.markdown import as_markdown

FORMS: dict[str, Callable[[Document], str]] = {
    "html": as_html,
    "markdown": as_markdown,
    "latex": as_latex,
}
