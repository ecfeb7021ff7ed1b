"""``rejoinder verify``: whether a claim is true, and how a file was made."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from rejoinder.cli import options
from rejoinder.cli.declarations import argument, command, path


class VerifyOptions(options.JsonOptions):
    """The options of 'verify'."""

    file: Path = argument("file", metavar="FILE", type=options.PATH)
    data: tuple[Path, ...] = path(
        "--data",
        multiple=True,
        help="File that the claim was made from; may be repeated. The rows are measured from it again.",
    )
    registered: Path | None = path(
        "--registered",
        help="Registration that 'rejoinder plan --register' wrote. It is compared with what a claim says.",
    )
    rows: Path | None = path(
        "--rows",
        writes=True,
        help="Write the measured rows of a claim to this file (.parquet), which score, compare and report "
        "read as kept scores.",
    )
    badge: Path | None = path(
        "--badge",
        writes=True,
        help="Write a badge to this file (.svg): whether a claim agrees, and the beginning of its digest.",
    )

    def check(self) -> None:
        """Sees that rows and badge can be written."""
        super().check()
        from rejoinder.cli.targets import BADGE, SCORES, check_file

        check_file(self.rows, SCORES, "--rows")
        check_file(self.badge, BADGE, "--badge")


@command(VerifyOptions)
def verify(given: VerifyOptions) -> None:
    """Compute a claim again; or show what a file was made of.

    Of a claim, which --claim writes, every number is computed again from the rows in it, and with --data
    the rows from the texts. The exit status is 0 where all agrees, and 1 where a number differs or the
    file was altered.

    Of any other file that a command wrote: the command, its inputs by the SHA-256 of their content,
    signatures, and notes about what was left out, from the record beside it, FILE.provenance.json. The
    chain leads back to the files that have no record. The exit status is 1 where a file has changed or
    is missing, and 0 otherwise.
    """
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.files.provenance_chain import Step
    from rejoinder.files.replacing import write_file
    from rejoinder.ledger import verification
    from rejoinder.ledger.claims import is_claim, read_claim

    block = None
    if is_claim(given.file):
        from rejoinder.cli.measured_again import measured_again

        claim = read_claim(given.file)
        again = measured_again(claim, given.data) if given.data else None
        result = verification.verified(claim, given.data, given.registered, again)
        block = None if given.rows is None else claim.scores()
    else:
        check_needs(False, "a claim as FILE", "rows", "badge")
        result = verification.verify(given.file, given.data, registered=given.registered)
    with Outputs(result) as outputs:
        if block is not None:
            outputs.save(given.rows, partial(write_file, content=block))
        if isinstance(result, verification.Verification):
            outputs.save(given.badge, partial(write_file, content=result.badge()))
        outputs.show(given, result.document, result.as_json)
    fails = (
        any(each.state in ("changed", "missing") for each in result.steps())
        if isinstance(result, Step)
        else not result.agrees
    )
    if fails:
        raise SystemExit(1)
