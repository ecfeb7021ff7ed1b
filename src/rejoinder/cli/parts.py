"""Parts of the work of a verb: ``--shard`` writes one, ``rejoinder merge`` runs the verb on them, and
``--engine`` does both.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import click

from rejoinder.errors import InputError, ParameterError
from rejoinder.files.shards import Shard, WorkPart, compute_part, merge_parts, read_part, read_parts

OUTPUT = "FILE"
"""The word of a part's command for the file that merge writes."""
NOT_KEPT = ("shard", "engine", "json", "work", "max_calls", "max_tokens")
"""Options that are no part of what is computed: shards may differ in them, and merge has its own."""

ROUNDS = 4
"""So many shards there are for each worker: a slow one then computes fewer, and a killed one loses less."""


def write_part(verb: Callable[[Any], None], given: Any) -> None:
    """Computes the shard of ``--shard``, and writes the part in the place of the output.

    Nothing is printed on standard output: a part is of some items, and makes no claim.
    """
    from rejoinder.cli import targets
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.speech import is_quiet, say
    from rejoinder.messages import counted

    shard = Shard.parse(given.shard)
    name, path = _output(given, "shard", "FILE.part")
    targets.check_file(path, targets.PART, f"--{name}")
    words, inputs = _words(NOT_KEPT), _inputs()
    parts: list[WorkPart] = []

    def write(path: Path) -> None:
        with tempfile.TemporaryDirectory() as folder:
            given.shard = None
            setattr(given, name, Path(folder, "rows.jsonl") if name == "output" else None)
            if getattr(given, "work", None) is not None:
                given.work = given.work / f"shard-{shard.number}-of-{shard.of}"
            parts.append(compute_part(lambda: verb(given), shard, path, words, inputs))

    with Outputs() as outputs:
        write(path)
        outputs.wrote(path)
        if not is_quiet():
            say(
                f"{path}: shard {shard}, a part ({counted(parts[0].units, 'unit')} of work); 'rejoinder "
                "merge' makes the result of all parts"
            )


def run_on_engine(given: Any) -> None:
    """Computes the parts of a command on its ``--engine``, those that are not there yet, and merges all.

    The parts stay in a folder beside the output. A command that goes on where another stopped has its number
    of shards, whatever the number of workers.
    """
    from rejoinder.cli import engines, targets
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.cli.terminal.speech import say
    from rejoinder.files.locks import alone
    from rejoinder.messages import counted

    name, path = _output(given, "engine", "FILE")
    targets.check_merged(path, f"--{name}")
    folder = path.with_name(f"{path.name}.parts")
    command, inputs = tuple(_words(NOT_KEPT)), _inputs()
    words = _words(("shard", "engine", "json"))
    if hasattr(given, "work") and given.work is None:
        words = _with(words, "--work", str(folder / "work"))
    with alone(folder):
        with engines.opened(given.engine_begun) as engine:
            parts = _parts_there(folder, command, inputs)
            of = next(iter(parts)).of if parts else ROUNDS * engine.workers
            files = {Shard(k, of): str(folder / f"{k}-of-{of}.part") for k in range(1, of + 1)}
            if parts:
                say(f"{folder}: {counted(len(parts), 'part')} of {of} there already")
            commands = {
                shard.number: _with(_placed(words[1:], name, file), "--shard", str(shard))
                for shard, file in files.items()
                if shard not in parts
            }
            with Progress("computing", "shards") as tick:
                done = len(parts)
                for _ in _succeeded(engine.run(commands), of):
                    tick(done := done + 1, of)
        merge_files(list(files.values()), path, given.json, f"--{name}")


def run_in_folder(verb: Callable[[Any], None], given: Any) -> None:
    """Runs a verb whose work is files of its output folder: a shard of it, or all with an engine's help."""
    from rejoinder.cli import engines
    from rejoinder.cli.terminal.speech import is_quiet, say
    from rejoinder.files.shards import compute_in_folder
    from rejoinder.models.worker_models import IS_WORKER
    from rejoinder.progress import steps

    if given.engine is None:
        shard = Shard.parse(given.shard)
        os.environ.pop(IS_WORKER, None)  # its next shard trains another model
        compute_in_folder(lambda: verb(given), shard)
        if not is_quiet():
            say(f"{given.output}: shard {shard} is computed; when all are, leave out --shard")
        return
    words = _placed(_words(("shard", "engine")), "output", given.output)[1:]
    with ExitStack() as opened:
        engine = opened.enter_context(engines.opened(given.engine_begun))

        def compute(shards: Sequence[Shard]) -> None:
            if not shards:
                opened.close()  # which gives back standard output
                return
            commands = {each.number: _with(words, "--shard", str(each)) for each in shards}
            for _ in steps(_succeeded(engine.run(commands), shards[0].of), len(commands)):
                pass

        compute_in_folder(lambda: verb(given), compute)


def _succeeded(ended: Iterable[tuple[int, int, str]], of: int) -> Iterator[int]:
    """The numbers of the shards whose commands have ended.

    Raises:
        InputError: One has failed.
    """
    for number, status, errors in ended:
        if status != 0:
            message = f"\n{errors.strip()}".rpartition("\nrejoinder: ")[2].strip()  # behind notes
            raise InputError(f"shard {number}/{of}: {message or f'status {status}'}")
        yield number


def _parts_there(
    folder: Path, command: Sequence[str], inputs: Mapping[str, str | None]
) -> set[Shard]:
    """The shards of a command whose parts are there and whole: of the number of shards that has most."""
    parts = set()
    for path in folder.glob("*-of-*.part"):
        with suppress(InputError):
            part = read_part(path)
            named = f"{part.shard.number}-of-{part.shard.of}.part" == path.name
            if named and (part.command, part.inputs) == (command, inputs):
                parts.add(part.shard)
    most = Counter(each.of for each in parts).most_common(1)
    return {each for each in parts if each.of == most[0][0]}


def merge_files(
    files: Sequence[str | Path], output: Path | None, as_json: bool, option: str = "--save"
) -> None:
    """Merges parts, and writes the certificate beside the output."""
    from rejoinder.cli import targets
    from rejoinder.cli.outputs import Outputs

    certificate = None
    if output is not None:
        targets.check_merged(output, option)
        certificate = output.with_name(f"{output.name}.certificate.json")
        targets.check_file(certificate, targets.CERTIFICATE)
    parts = read_parts(files)
    ended = merge_command(parts, output, as_json)
    with Outputs() as outputs:
        outputs.save(certificate, lambda path: write_certificate(parts, path))
    if ended is not None:
        raise ended


def merge_command(
    parts: Sequence[WorkPart], output: Path | None, as_json: bool
) -> SystemExit | None:
    """Runs the command of the parts on their results, with this output.

    Returns:
        How the command ended where that was not with status 0: a threshold is not met (``--fail-above``).

    Raises:
        InputError: A file that the command read is no longer as it was.
        ParameterError: The parts are of a program in Python.
    """
    from rejoinder.cli.app import app  # which imports this module's verb when it is called
    from rejoinder.files.provenance import content_of

    first = parts[0]
    if not first.command:
        raise ParameterError(
            f"{first.path}: a program in Python computed it; merge it there: rejoinder.merge(call, parts)"
        )
    for path, content in first.inputs.items():
        if content_of(path) != content:
            raise InputError(
                f"{path}: is missing or no longer as it was when the parts were computed; merge in the same "
                "folder, with the same files"
            )
    _, verb, *words = first.command
    command = app.get_command(click.Context(app), verb)
    names = {each.name for each in command.params} if command else set()
    name = "output" if "output" in names else "save"
    if output is None and name == "output":
        raise ParameterError(f"merge: 'rejoinder {verb}' writes a file; name it with --save FILE")
    arguments = [verb, *_placed(words, name, output)]
    if as_json:
        arguments = _with(arguments, "--json")
    try:
        merge_parts(
            lambda: app.main(arguments, prog_name="rejoinder", standalone_mode=False), parts
        )
    except SystemExit as ended:
        return ended
    return None


def write_certificate(parts: Sequence[WorkPart], path: Path) -> None:
    """Writes what was merged: each part with its SHA-256, and that every unit is in one part."""
    calls = [
        {
            "what": each["what"],
            "units": each["units"],
            "digest": each["digest"],
            "in_parts": sum(part.calls[place]["own"] for part in parts),
        }
        for place, each in enumerate(parts[0].calls)
    ]
    value = {
        "command": list(parts[0].command),
        "version": parts[0].version,
        "inputs": dict(parts[0].inputs),
        "shards": parts[0].shard.of,
        "missing": [],
        "work": calls,
        "parts": [
            {
                "file": each.path.name,
                "shard": str(each.shard),
                "units": each.units,
                "sha256": each.content,
            }
            for each in parts
        ],
    }
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _output(given: Any, option: str, file: str) -> tuple[str, Path]:
    """The name of the option for the output of a command whose work is cut, and its file."""
    name = "output" if hasattr(given, "output") else "save"
    path = getattr(given, name)
    if path is None:
        what = "part" if option == "shard" else "result"
        raise ParameterError(
            f"--{option} {getattr(given, option)}: name the file of the {what}: --{name} {file}"
        )
    if getattr(given, "explain", None) is not None:
        raise ParameterError(f"--explain: is not cut into shards; leave out --{option}")
    return name, path


def _words(without: Collection[str]) -> list[str]:
    """The words of the running command without some options, and with a word in the place of its output."""
    from rejoinder.cli.command_words import command_words

    context = click.get_current_context()
    words = command_words(context, None, without)
    for option in context.command.params:
        if option.name in ("save", "output") and option.opts[0] in words:
            words[words.index(option.opts[0]) + 1] = OUTPUT
    return words


def _placed(words: Sequence[str], name: str, output: str | Path | None) -> list[str]:
    """The words of a command that writes to this output."""
    option = [f"--{name}", OUTPUT]
    place = next(at for at in range(len(words)) if words[at : at + 2] == option)
    given = [] if output is None else [f"--{name}", str(output)]
    return [*words[:place], *given, *words[place + 2 :]]


def _with(words: Sequence[str], *more: str) -> list[str]:
    """The words of a command with an option more."""
    place = words.index("--") if "--" in words else len(words)
    return [*words[:place], *more, *words[place:]]


def _inputs() -> dict[str, str | None]:
    from rejoinder.cli.records import Records

    return {str(path): known["content"] for _, path, known in Records().inputs}
