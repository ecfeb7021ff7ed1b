"""The version that a build gets, and the wheel and the source distribution that hold it.

A commit with the tag ``v1.2.0`` is version 1.2.0. Any later commit is a version on the way to the
next: ``1.2.1.dev5+g0123abc`` is the fifth commit after it. Where there is no such tag, or no Git at
all (an unpacked source distribution, an archive), the version is the one in
``src/rejoinder/_version.py``, which stays the only place that the running program reads.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
HOME = "src/rejoinder/_version.py"
TAG = re.compile(r"v(\d+)\.(\d+)\.(\d+)((?:a|b|rc)\d+)?-(\d+)-(g[0-9a-f]+)(-dirty)?")


def version(root: Path = ROOT) -> str:
    """The version of what lies in a folder: of its tags, else the one that is written there."""
    return of_tags(_description(root)) or written(root)


def of_tags(description: str) -> str | None:
    """The version that a line of ``git describe --long --dirty`` stands for; None: for no version.

    >>> of_tags("v1.2.0-0-g0123abc"), of_tags("v1.2.0-5-g0123abc"), of_tags("0123abc")
    ('1.2.0', '1.2.1.dev5+g0123abc', None)
    >>> of_tags("v1.2.0rc1-0-g0123abc"), of_tags("v1.2.0rc1-5-g0123abc")
    ('1.2.0rc1', '1.2.0rc2.dev5+g0123abc')
    """
    match = TAG.fullmatch(description)
    if match is None:
        return None
    major, minor, patch, commits = (int(match[group]) for group in (1, 2, 3, 5))
    before, number = (
        (match[4][: -len(digits)], int(digits)) if (digits := _digits(match[4])) else ("", 0)
    )
    if commits == 0 and match[7] is None:
        return f"{major}.{minor}.{patch}{match[4] or ''}"
    last = f"{patch}{before}{number + 1}" if before else f"{patch + 1}"
    return f"{major}.{minor}.{last}.dev{commits}+{match[6]}{'.changed' if match[7] else ''}"


def _digits(candidate: str | None) -> str:
    """The number of a release candidate such as ``rc1``; empty where there is none."""
    return (candidate or "").lstrip("abrc")


def written(root: Path) -> str:
    """The version in ``_version.py``."""
    words = (root / HOME).read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', words, re.MULTILINE)
    if found is None:
        raise ValueError(f'{HOME}: no line __version__ = "..."')
    return found[1]


def _description(root: Path) -> str:
    """What Git says of this folder; nothing where the folder is no checkout of its own."""
    if not (root / ".git").exists():  # a folder within another project's checkout is not ours
        return ""
    command = ["git", "describe", "--tags", "--match", "v[0-9]*", "--long", "--dirty"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


class VersionInBuild(BuildHookInterface):
    """Puts the version of the tags into ``_version.py``, and the example files into the wheel."""

    temporary: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it collects files; an editable build keeps the checkout's file."""
        if self.target_name == "wheel" and version != "editable":
            build_data["force_include"][str(ROOT / "examples")] = "rejoinder/examples"
        said = self.metadata.version
        if version == "editable" or said == written(ROOT):
            return
        words = (ROOT / HOME).read_text(encoding="utf-8")
        changed = Path(tempfile.mkdtemp()) / "_version.py"
        self.temporary = changed.parent
        changed.write_text(words.replace(f'"{written(ROOT)}"', f'"{said}"'), encoding="utf-8")
        place = HOME if self.target_name == "sdist" else HOME.removeprefix("src/")
        build_data["force_include"][str(changed)] = place

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called when the file is built: what was written for it goes."""
        if self.temporary is not None:
            shutil.rmtree(self.temporary, ignore_errors=True)
