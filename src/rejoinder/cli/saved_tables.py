"""What ``--tables`` writes: the tables that a verb prints, by the file's suffix."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejoinder.cli.targets import announce_replacements, check_file, tables_beside
from rejoinder.files.replacing import write_file

if TYPE_CHECKING:
    from rejoinder.document.parts import Document

STYLE = (
    ":root { color-scheme: light dark; font-family: sans-serif } body { margin: 1em } "
    "table { display: block; overflow-x: auto }"
)
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def save_tables(path: Path, document: Document) -> Iterator[tuple[Path, Callable[[Path], None]]]:
    """The files of the tables of the running command, each with a function that writes it.

    The first line says which verb made them, but for CSV: there each table has a file of its own, the
    one without a name the file that was asked for, others ``x-NAME.csv`` beside it.

    Args:
        path: The file: Markdown (.md), LaTeX (.tex), HTML (.html) or CSV (.csv).
        document: What is shown.
    """
    if path.suffix.lower() == ".csv":
        from rejoinder.rendering.comma_separated import as_csv

        for name, content in (as_csv(document) or {"": ""}).items():
            write = partial(_write_beside, named=path) if name else write_file
            place = path.with_name(f"{path.stem}-{name}.csv") if name else path
            yield place, partial(write, content=content)
    else:
        context = click.get_current_context(silent=True)
        name = "rejoinder" if context is None else context.command_path
        yield path, partial(write_file, content=written(document, path.suffix.lower(), name))


def written(document: Document, suffix: str, name: str) -> str:
    """A document as the text of a file of this suffix; the first line says what made it."""
    from rejoinder.rendering.forms import FORMS

    form = {".tex": "latex", ".html": "html"}.get(suffix, "markdown")
    content = FORMS[form](document)
    if form == "latex":
        return f"% {name}\n{content}"
    if form == "html":
        return _page(name, content)
    return f"<!-- {name} -->\n\n{content}"


def _write_beside(path: Path, content: str, named: Path) -> None:
    """Writes a file that the command does not name, which is looked at only now."""
    check_file(path, tables_beside(named), "--tables")
    announce_replacements()
    write_file(path, content)


def _page(name: str, tables: str) -> str:
    """A page by itself, which loads nothing and runs nothing."""
    title = html.escape(name)
    return (
        f'<!doctype html><!-- {title} -->\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{tables}\n</body>\n</html>\n"
    )
