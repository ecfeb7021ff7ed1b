"""Whether the packages of an extra are installed."""

from __future__ import annotations

from importlib.util import find_spec

from rejoinder.errors import MissingExtraError


def check_installed(
    purpose: str, *packages: str, extra: str = "models", otherwise: str = ""
) -> None:
    """Checks, without importing them, that the packages which a purpose needs are installed.

    Args:
        purpose: What needs them, at the beginning of the message.
        packages: Their import names.
        extra: The extra that brings them.
        otherwise: What can be done without them, at the end of the message.

    Raises:
        MissingExtraError: Some are not; the message names them and the command that installs them.
    """
    absent = [name for name in packages if find_spec(name) is None]
    if absent:
        raise MissingExtraError(
            f'{purpose} needs {", ".join(absent)}; run: pip install "rejoinder[{extra}]"'
            f"{f', or {otherwise}' if otherwise else ''}"
        )
