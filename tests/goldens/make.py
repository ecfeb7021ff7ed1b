"""Makes the goldens anew, and says which changed: ``python tests/goldens/make.py [NAME ...]``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from goldens.cases import CASES, FOLDER
from goldens.made import Goldens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="Parts of paths, such as score/, or whole names of cases.",
    )
    given = parser.parse_args()
    chosen = [
        each
        for path, each in CASES.items()
        if (
            not given.names
            or any(
                word in str(path.relative_to(FOLDER)) or word == str(each) for word in given.names
            )
        )
    ]
    changed = 0
    with tempfile.TemporaryDirectory() as folder:
        goldens = Goldens(Path(folder))
        for case in chosen:
            begun = time.process_time()
            found = goldens.text(case)
            if not goldens.is_kept(case, found):
                word = "changed" if case.path.exists() else "new"
                case.path.parent.mkdir(exist_ok=True)
                case.path.write_bytes(found.encode())
                changed += 1
                seconds = time.process_time() - begun
                print(f"{word}: {case.path.relative_to(FOLDER)} ({seconds:.2f} s)")
    for path in sorted({*FOLDER.glob("*/*.txt")} - {*CASES}):
        print(f"gone: {path.relative_to(FOLDER)}")
        path.unlink()
    print(f"{len(chosen)} goldens, {changed} of them changed or new")


if __name__ == "__main__":
    main()
