"""What is fixed beforehand: hypothesis, metric, margin, test and number of items, in a file with a date.

Its digest is published before there are data; a claim names the digest. The nonce keeps a reader of the
digest from guessing what is registered.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from rejoinder._version import __version__
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.files.canonical_json import canonical
from rejoinder.files.replacing import write_file
from rejoinder.files.strict_json import strict_json
from rejoinder.messages import Argument

KEY = "rejoinder_registration"
VERSION = 1
FACTS = ("hypothesis", "metric", "margin", "test", "n")
"""What can be registered."""
DATE = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True)
class Registration:
    """What was registered.

    Attributes:
        digest: The SHA-256 of the file.
        date: When it was written, as it says.
        facts: ``hypothesis``, ``metric``, ``margin``, ``test``, ``n`` and what else was planned.
    """

    digest: str
    date: str
    facts: Mapping[str, Any]


def in_words(time: datetime) -> str:
    """A time as files have it, to the second."""
    return time.strftime(DATE)


def now() -> str:
    """The present time, as files have it."""
    return in_words(datetime.now(UTC))


def date_of(text: str) -> str:
    """A date as a claim has it, which is compared as text: 2027-06-30, however ISO 8601 spells it.

    Raises:
        ParameterError: It is no date.
    """
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ParameterError(
            Argument("expires", text), ": expected a date such as 2027-06-30"
        ) from None


def facts_of(given: Sequence[str]) -> dict[str, str | float]:
    """What is registered, of texts ``NAME=VALUE``; ``margin`` and ``n`` are numbers.

    Raises:
        ParameterError: A name is unknown, is given twice, or its value is no number.

    >>> facts_of(["metric=bleu", "n=500"])
    {'metric': 'bleu', 'n': 500.0}
    """
    facts: dict[str, str | float] = {}
    for each in given:
        name, _, value = each.partition("=")
        if name not in FACTS or not value or name in facts:
            raise ParameterError(
                Argument("fix", each),
                f": expected NAME=VALUE, with NAME {one_of(FACTS)}, each once",
            )
        try:
            facts[name] = float(value) if name in ("margin", "n") else value
        except ValueError:
            raise ParameterError(
                Argument("fix", each), f": expected a number behind {name}="
            ) from None
    return facts


def register(path: str | os.PathLike[str], **facts: Any) -> Registration:
    """Writes a registration.

    Args:
        path: The file; any suffix.
        facts: What is fixed: ``hypothesis``, ``metric``, ``margin``, ``test``, ``n``.

    Raises:
        InputError: The file cannot be written.
    """
    value = {KEY: VERSION, "version": __version__, "date": now(), "nonce": secrets.token_hex(16)}
    content = canonical(value | {"registered": facts}) + b"\n"
    write_file(path, content)
    return Registration(hashlib.sha256(content).hexdigest(), value["date"], facts)


def read_registration(path: str | os.PathLike[str]) -> Registration:
    """Reads a registration.

    Raises:
        InputError: The file cannot be read, or is no registration.
    """
    try:
        content = Path(path).read_bytes()
        value = strict_json(content)
        if value[KEY] != VERSION:
            raise InputError(
                f"{path}: a registration of version {value[KEY]!r:.20}; expected {VERSION}"
            )
        datetime.strptime(value["date"], DATE)
        facts = dict(value["registered"])
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; name a registration") from None
    except InputError:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}: is no registration ({error}); name the file that a registration was written to"
        ) from None
    return Registration(hashlib.sha256(content).hexdigest(), value["date"], facts)
