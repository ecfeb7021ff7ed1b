"""Goldens as they are made now."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from goldens.cases import CASES, Case
from goldens.running import Outcome, outcome, workplace
from goldens.text import same, text
from goldens.world import FormatWorld, OurFiles, SmallWorld


class Goldens:
    """Runs cases in a folder.

    Args:
        folder: An empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._worlds: dict[int, OurFiles] = {}
        self._usual: dict[Case, list[Outcome]] = {}

    def text(self, case: Case, alone: bool = False) -> str:
        """The golden of a case, or what it says of the first command alone."""
        usual = CASES.get(case.path.with_name("usual.txt"))
        if alone:
            case = replace(case, commands=case.commands[:1])
        with workplace(self._folder(case)):
            if usual is None or usual.items != case.items:
                return text(self._outcomes(case))
            if usual not in self._usual:
                self._usual[usual] = self._outcomes(usual)
            if case == usual:
                return text(self._usual[usual])
            return text(self._outcomes(case), self._usual[usual])

    def _folder(self, case: Case) -> Path:
        folder = self.folder / str(case.items)
        folder.mkdir(exist_ok=True)
        return folder

    def _outcomes(self, case: Case) -> list[Outcome]:
        if case.items not in self._worlds:
            made = SmallWorld(case.items) if case.items else FormatWorld()
            self._worlds[case.items] = made
        return [outcome(command, self._worlds[case.items]) for command in case.commands]

    @staticmethod
    def is_kept(case: Case, made: str) -> bool:
        """Whether the file of a case says the same."""
        return case.path.exists() and same(case.path.read_bytes().decode(), made)
