"""Files of settings in TOML or JSON, whose values become one checked object."""

from __future__ import annotations

import dataclasses
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.files.reading import existing, read_text
from rejoinder.files.strict_json import strict_json
from rejoinder.messages import meant, quoted

Settings = TypeVar("Settings")


@dataclass(frozen=True)
class SettingsFile(Generic[Settings]):
    """A kind of file of settings.

    Attributes:
        what: What such a file is called in messages.
        kind: The dataclass that its values make; it checks them, and raises a ParameterError.
        tables: By the name of a repeated table of the file, ``[[criterion]]``, the attribute of
            ``kind``.
        keys: The settings of each repeated table.
        needed: The repeated tables of which a file must have one.
        json: Whether a file that ends in ``.json`` is read as JSON.
    """

    what: str
    kind: type[Settings]
    tables: Mapping[str, str]
    keys: Mapping[str, Sequence[str]]
    needed: Sequence[str] = ()
    json: bool = False

    def read(self, path: str | os.PathLike[str], **given: Any) -> Settings:
        """Reads a file.

        Args:
            path: The file.
            **given: Settings that take the place of the file's.

        Raises:
            InputError: The file cannot be read or has another syntax, or a setting is unknown, has a
                wrong type, or is out of range; the message names the file and the setting.
        """
        (path,) = existing([path], self.what)
        content = self._content(path)
        self._check_names(path, content)
        values = {self.tables.get(name, name): value for name, value in content.items()}
        try:
            settings = msgspec.convert({**values, **given}, self.kind)
        except msgspec.ValidationError as error:
            raise InputError(f"{path}: {self._reason(error)}") from None
        for table in self.needed:
            if table not in content:
                raise InputError(
                    f"{path}: no [[{table}]]; expected one or more, each with {one_of(self.keys[table])}"
                )
        return settings

    def _content(self, path: Path) -> dict[str, Any]:
        text = read_text(path)
        if self.json and path.suffix.lower() == ".json":
            try:
                content = strict_json(text)
            except ValueError as error:
                raise InputError(f"{path}: not JSON: {quoted(str(error))[1:-1]}") from None
            if not isinstance(content, dict):
                raise InputError(f"{path}: got no object of JSON; expected one with settings")
            return content
        try:
            return tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise InputError(f"{path}: not TOML: {quoted(str(error))[1:-1]}") from None

    def _reason(self, error: msgspec.ValidationError) -> str:
        """What msgspec says of a value, with the place in the words of the file.

        The class raises its own errors while msgspec builds it; these are told as they are.
        """
        if isinstance(error.__cause__, ParameterError):
            return str(error.__cause__)
        text = str(error).replace("`$.", "`")
        for table, attribute in self.tables.items():
            place = re.search(rf"`{attribute}\[(\d+)\]\.?", text)
            if place is not None:
                what = text.replace(place[0], "`").replace(" - at ``", "")
                text = f"{table} {int(place[1]) + 1}: {what[0].lower()}{what[1:]}"
        return text.replace("Expected", "expected", 1) + "; correct this setting"

    def _check_names(self, path: Path, content: Mapping[str, Any]) -> None:
        """Raises where the file has a setting that there is not: msgspec would ignore it."""
        fields = [each.name for each in dataclasses.fields(self.kind)]  # pyright: ignore
        single = [name for name in fields if name not in self.tables.values()]
        known = (*single, *self.tables)
        for name in content:
            if name not in known:
                raise InputError(f"{path}: {unknown(name, known)}")
        for table, keys in self.keys.items():
            rows = content.get(table, [])
            if not isinstance(rows, list):
                raise InputError(
                    f"{path}: [{table}] is one table; write [[{table}]], once for each"
                )
            for place, row in enumerate(rows, start=1):
                for name in row if isinstance(row, dict) else ():
                    if name not in keys:
                        raise InputError(f"{path}: {table} {place}: {unknown(name, keys)}")


def unknown(name: str, known: Sequence[str], what: str = "setting") -> str:
    """Says that there is no such setting, or another named thing, and which there are.

    Args:
        name: The name that was given.
        known: The names that there are.
        what: What is named.
    """
    near = meant(name, known)
    hint = f" (meant {quoted(near)}?)" if near else ""
    return f"no {what} {quoted(name)}{hint}; expected {one_of(known)}"
