"""Draws docs/demo.svg: what `make demo` shows. Run `python docs/picture.py` after it changes."""

from __future__ import annotations

import re
from pathlib import Path

from rejoinder import read_responses, read_testset
from rejoinder.cli.terminal.console import PlainConsole
from rejoinder.cli.terminal.showing import show
from rejoinder.document.parts import View
from rejoinder.scoring.score import score

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Records the table and writes it as SVG, without the fonts that rich would link to."""
    testset = read_testset(ROOT / "examples" / "testset.jsonl")
    names = ("generic", "retrieval", "tuned")
    paths = [ROOT / "examples" / "responses" / f"{name}.jsonl" for name in names]
    scores = score(testset, read_responses(*paths))
    with open("/dev/null", "w") as nowhere:
        out = PlainConsole(record=True, width=104, file=nowhere, highlight=False, markup=False)
        show(scores.document(View(signatures=False)), out)
        picture = out.export_svg(title="rejoinder score testset.jsonl systems/*.jsonl")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    (ROOT / "docs" / "demo.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
