"""What ``--tables`` writes: the tables that a verb prints, in the format of the file's suffix."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path

import click

from rejoinder.files.replacing import replacing

STYLE = (
    ":root { color-scheme: light dark; font-family: sans-serif } body { margin: 1em } "
    "table { display: block; overflow-x: auto }"
)
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def save_tables(path: Path, show: Callable[[], None]) -> None:
    """Writes the tables of the running command; the first line says which verb made them, but for CSV.

    Args:
        path: The file: Markdown (.md), LaTeX (.tex), HTML (.html) or CSV (.csv).
        show: Prints the tables for people.
    """
    from rejoinder.cli.show.exported import written

    context = click.get_current_context(silent=True)
    name = "rejoinder" if context is None else context.command_path
    suffix = path.suffix.lower()
    if suffix == ".csv":
        content = written(show, "csv")
    elif suffix == ".tex":
        content = f"% {name}\n{written(show, 'latex')}"
    elif suffix == ".html":
        content = _page(name, written(show, "html"))
    else:
        content = f"<!-- {name} -->\n\n{written(show, 'markdown')}"
    with replacing(path) as temporary:
        temporary.write_text(content, encoding="utf-8")


def _page(name: str, tables: str) -> str:
    """A page by itself, which loads nothing and runs nothing."""
    title = html.escape(name)
    return (
        f'<!doctype html><!-- {title} -->\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{tables}\n</body>\n</html>\n"
    )
