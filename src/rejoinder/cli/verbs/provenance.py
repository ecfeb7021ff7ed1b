"""``rejoinder provenance``: how a file was made."""

from __future__ import annotations

from pathlib import Path

from rejoinder.cli import options
from rejoinder.cli.declarations import argument, command


class ProvenanceOptions(options.JsonOptions):
    """The options of 'provenance'."""

    path: Path = argument("path", metavar="FILE", type=options.PATH)


@command(ProvenanceOptions)
def provenance(given: ProvenanceOptions) -> None:
    """Show what a file was made of, and whether that has changed.

    Every file that a command writes has a record beside it, FILE.provenance.json: the command, its
    inputs by the SHA-256 of their content, signatures, and notes about what was left out. The chain
    leads back to the files that have no record. For each input this command says whether it is
    unchanged, has changed, or is missing. The exit status is 1 where a file has changed or is missing,
    and 0 otherwise.
    """
    from rejoinder.cli.show.machine import write
    from rejoinder.files.provenance_chain import provenance as chain

    step = chain(given.path)
    if given.json:
        write(step.as_json())
    else:
        from rejoinder.cli.terminal.showing import show

        show(step.document())
    if any(each.state in ("changed", "missing") for each in step.steps()):
        raise SystemExit(1)
