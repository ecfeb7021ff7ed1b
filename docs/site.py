"""The documentation site: ``python docs/site.py`` builds it into ``build/site/`` (``make site``).

The pages are those of ``docs/`` as GitHub renders them. Pages of the checkout that they link to
(the changelog, the log, results, examples) come along, pages of metrics and of Python are made from the
docstrings (``docs/reference.py``), and ``llms.txt`` lists all pages in the order of
the navigation, for readers that are programs. The built pages load nothing from another site, and a
content security policy in each of them forbids it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from docs import reference  # noqa: E402

STAGED = ROOT / "build" / "pages"
CONFIGURATION = ROOT / "build" / "zensical.toml"
BUILT = ROOT / "build" / "site"

PROJECT = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "LOG.md": "project/log.md",
    "SECURITY.md": "project/security.md",
    "benchmarks/RESULTS.md": "project/results.md",
    "examples/README.md": "project/examples.md",
}
"""Pages outside ``docs/`` by their path in the checkout, and where the site has them."""

COPIED = (".svg", ".png", ".json")
"""Suffixes of the other files of ``docs/`` that the site has: pictures and schemas."""

LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; "
    "base-uri 'self'; form-action 'self'"
)


def pages() -> dict[str, str]:
    """Every page of the site: its path in the checkout, and in the site's folder of pages."""
    found = sorted(page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").rglob("*.md"))
    return {page: page.removeprefix("docs/") for page in found} | PROJECT


def configuration() -> str:
    """``zensical.toml`` with the pages that are made from docstrings in its navigation."""
    text = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    for folder in ("metrics", "api"):
        entries = (
            f'    {{ "{title}" = "{place}" }},\n'
            for place, (title, _) in sorted(reference.pages().items())
            if place.startswith(f"{folder}/")
        )
        text = text.replace(f"    # {folder}/*.md\n", "".join(entries))
    return text


def navigation() -> list[tuple[str, str, str]]:
    """Section, title and path of every page of the navigation, in its order."""
    return list(_flat(tomllib.loads(configuration())["project"]["nav"], ""))


def _flat(entries: list[dict[str, object]], section: str) -> Iterator[tuple[str, str, str]]:
    for entry in entries:
        for title, target in entry.items():
            if isinstance(target, str):
                yield section, title, target
            elif isinstance(target, list):
                yield from _flat(target, title)


def staged(page: str, text: str) -> str:
    """The text of a page with the links that it has in the site.

    A link to a file that the site does not have becomes the words that were linked.

    Args:
        page: Its path in the checkout.
        text: Its Markdown.
    """
    places = pages()
    here = Path(places[page]).parent

    def linked(match: re.Match[str]) -> str:
        words, target = match.groups()
        path, hash_, anchor = target.partition("#")
        if "://" in target or target.startswith("mailto:") or not path:
            return match[0]
        there = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if there in places:
            return f"[{words}]({os.path.relpath(places[there], here)}{hash_}{anchor})"
        copied = there.startswith("docs/") and there.endswith(COPIED)
        return match[0] if copied else words

    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else LINK.sub(linked, part) for part in parts)


def stage(folder: Path = STAGED) -> None:
    """Writes the pages, pictures, schemas and ``llms.txt`` as the builder takes them."""
    shutil.rmtree(folder, ignore_errors=True)
    for page, place in pages().items():
        text = (ROOT / page).read_text(encoding="utf-8")
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(staged(page, text), encoding="utf-8")
    for place, (_, text) in reference.pages().items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
    for file in (ROOT / "docs").rglob("*"):
        if file.name.endswith(COPIED):
            there = folder / file.relative_to(ROOT / "docs")
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, there)
    (folder / "llms.txt").write_text(listing(), encoding="utf-8")


def listing() -> str:
    """All pages with what each is about, in Markdown: https://llmstxt.org."""
    project = tomllib.loads(configuration())["project"]
    texts = {place: (ROOT / page).read_text(encoding="utf-8") for page, place in pages().items()}
    texts |= {place: text for place, (_, text) in reference.pages().items()}
    lines = [f"# {project['site_name']}", "", f"> {project['site_description']}"]
    before = ""
    for section, title, place in navigation():
        if section != before:
            lines += ["", f"## {section}", ""]
        elif not section and len(lines) == 3:
            lines.append("")
        before = section
        address = re.sub(r"(index)?\.md$", "", place)
        address = f"{address}/" if address and not address.endswith("/") else address or "./"
        lines.append(f"- [{title}]({address}): {_about(texts[place])}")
    return "\n".join(lines) + "\n"


def _about(text: str) -> str:
    """The first sentence of a page, without links and code."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    paragraphs = (each for each in re.split(r"\n\s*\n", text)[1:] if each.strip())
    plain = (each for each in paragraphs if each[0] not in "#|`!<> \n")
    words = LINK.sub(r"\1", " ".join(next(plain, "").split())).replace("**", "")
    return re.split(r"(?<=[.:?])(?<!al\.)\s(?=[A-Z`])", words)[0].removesuffix(":")


def outside(html: str) -> list[str]:
    """What a page loads from another site: addresses of scripts, styles, pictures, fonts, frames."""
    tags = (
        r"<(?:script|img|iframe|source|video|audio|embed|object|input)\b[^>]*?(?:src|data|srcset)"
    )
    found = re.findall(rf"""{tags}=["']?((?:https?:)?//[^"'\s>]+)""", html)
    for link in re.findall(r"<link\b[^>]*>", html):
        if not re.search(r"""rel=["']?(?:canonical|prev|next)""", link):
            found += re.findall(r"""href=["']?((?:https?:)?//[^"'\s>]+)""", link)
    return found + re.findall(r"""(?:url\(|@import\s)["']?((?:https?:)?//[^"')\s]+)""", html)


def broken(folder: Path = BUILT) -> list[str]:
    """What is wrong with the built site: links between its pages that lead nowhere, foreign files."""
    faults = []
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.html"))}
    names = {
        path: set(re.findall(r"""\bid=["']?([^"'\s>]+)""", text)) for path, text in texts.items()
    }
    for path, text in texts.items():
        shown = path.relative_to(folder)
        faults += [f"{shown}: loads {address}" for address in outside(text)]
        if path.name == "404.html":
            continue  # its links start at the root of a site
        for target in re.findall(r"""<a\b[^>]*?href=["']?([^"'\s>]+)""", text):
            if re.match(r"[a-z]+:|//", target):
                continue
            file, _, anchor = target.partition("#")
            there = Path(os.path.normpath(path.parent / file)) if file else path
            there = there / "index.html" if there.is_dir() else there
            if not there.exists() or (anchor and there in names and anchor not in names[there]):
                faults.append(f"{shown}: no {target}")
    for path in sorted(folder.rglob("*.css")):
        found = outside(path.read_text(encoding="utf-8"))
        faults += [f"{path.relative_to(folder)}: loads {address}" for address in found]
    return faults


def secured(folder: Path = BUILT) -> None:
    """Writes the content security policy into every built page."""
    meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    for path in folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("<head>", f"<head>{meta}", 1), encoding="utf-8")


def main() -> None:
    """Builds the site and checks it."""
    stage()
    CONFIGURATION.write_text(configuration(), encoding="utf-8")
    builder = Path(sys.executable).with_name("zensical")
    if not builder.exists():
        sys.exit('docs/site.py: zensical is not installed; pip install ".[docs]"')
    environment = os.environ | {"NO_COLOR": "1"}
    subprocess.run(
        [builder, "build", "--strict", "--clean", "-f", CONFIGURATION],
        cwd=ROOT,
        env=environment,
        check=True,
    )
    secured()
    faults = broken()
    if faults:
        sys.exit("\n".join(["docs/site.py: the built site is not whole", *faults]))
    print(
        f"{BUILT.relative_to(ROOT)}/: {len(list(BUILT.rglob('*.html')))} pages, nothing from elsewhere"
    )


if __name__ == "__main__":
    main()
