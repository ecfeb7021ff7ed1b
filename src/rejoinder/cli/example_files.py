"""The example files, which come with Rejoinder: every command of its pages runs on them."""

from __future__ import annotations

from pathlib import Path

import click

from rejoinder.cli.terminal.speech import say
from rejoinder.errors import InputError, ParameterError


def copy_examples(context: click.Context, folder: Path) -> None:
    """Copies the example files into a new folder, says what to try, and ends the command.

    Raises:
        ParameterError: The folder is there.
        InputError: It cannot be written.
    """
    if context.resilient_parsing:
        return
    import shutil

    import rejoinder

    package = Path(rejoinder.__file__).parent
    installed = package / "examples"
    try:
        shutil.copytree(
            installed if installed.is_dir() else package.parents[1] / "examples", folder
        )
    except FileExistsError:
        raise ParameterError(
            f"--example-files {folder}: is there already; name a new folder"
        ) from None
    except (OSError, shutil.Error) as error:
        raise InputError(f"--example-files {folder}: cannot be written: {error}") from None
    say(f"Wrote the example files to {folder}. Try, for example:", err=False)
    say(f"  rejoinder score {folder}/testset.jsonl {folder}/responses/*.jsonl", err=False)
    context.exit()
