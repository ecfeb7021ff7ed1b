"""Draws docs/architecture.svg from the imports of the source: ``python docs/architecture.py``.

Each row is a layer of import-linter's contract in pyproject.toml, each box a package, each line an
import between two packages that no chain of other imports implies.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

import grimp

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "architecture.svg"
WIDTH, ROW, BOX, HEIGHT = 820, 58, 172, 30


def layers() -> list[list[str]]:
    """The packages of each layer, from the highest to the lowest."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    rows = next(each["layers"] for each in contracts if each["type"] == "layers")
    return [[name.strip().removeprefix("rejoinder.") for name in row.split("|")] for row in rows]


def imports(packages: list[str]) -> dict[str, set[str]]:
    """For each package the others that its files import."""
    graph = grimp.build_graph("rejoinder", cache_dir=None)
    inside = {
        package: {f"rejoinder.{package}"} | graph.find_descendants(f"rejoinder.{package}")
        for package in packages
    }
    home = {module: package for package, modules in inside.items() for module in modules}
    return {
        package: {
            home[imported]
            for module in modules
            for imported in graph.find_modules_directly_imported_by(module)
            if imported in home and home[imported] != package
        }
        for package, modules in inside.items()
    }


def reduced(direct: dict[str, set[str]]) -> dict[str, set[str]]:
    """The imports that no chain of other imports implies (the transitive reduction)."""
    reach: dict[str, set[str]] = {}

    def below(package: str) -> set[str]:
        if package not in reach:
            reach[package] = set().union(*({each} | below(each) for each in direct[package]))
        return reach[package]

    return {
        package: {
            each
            for each in below_one
            if not any(each in below(other) for other in below_one if other != each)
        }
        for package, below_one in direct.items()
    }


def picture() -> str:
    """The SVG."""
    rows = layers()
    lines = reduced(imports([package for row in rows for package in row]))
    place = {
        package: (WIDTH * (2 * column + 1) / (2 * len(row)), ROW * number + 24)
        for number, row in enumerate(rows)
        for column, package in enumerate(row)
    }
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {ROW * len(rows)}" '
        f'font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{ROW * len(rows)}" fill="#ffffff"/>',
    ]
    for upper, lowers in lines.items():
        for lower in sorted(lowers):
            (x1, y1), (x2, y2) = place[upper], place[lower]
            y1, y2, bend = y1 + HEIGHT / 2, y2 - HEIGHT / 2, (y2 - y1) / 2
            parts.append(
                f'<path d="M{x1:.0f} {y1:.0f} C{x1:.0f} {y1 + bend:.0f} {x2:.0f} {y2 - bend:.0f} '
                f'{x2:.0f} {y2:.0f}" fill="none" stroke="#8aa0b4" stroke-width="1.2"/>'
            )
    for package, (x, y) in place.items():
        parts.append(
            f'<rect x="{x - BOX / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{BOX}" height="{HEIGHT}" '
            f'rx="5" fill="#eef3f7" stroke="#53687a"/>'
            f'<text x="{x:.0f}" y="{y + 4:.0f}" text-anchor="middle" fill="#1d2a35">'
            f"{escape(package)}</text>"
        )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture(), "utf-8")
