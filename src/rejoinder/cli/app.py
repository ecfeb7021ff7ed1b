"""The command ``rejoinder``: its verbs, and how it handles errors."""

from __future__ import annotations

import atexit
import gc
import io
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import click

from rejoinder._version import __version__
from rejoinder.cli.project_defaults import ProjectDefaults
from rejoinder.cli.terminal.speech import Guarded, collecting_notes, log_as_notes, say
from rejoinder.cli.verb_group import VerbGroup
from rejoinder.errors import ParameterError, RejoinderError
from rejoinder.files.sources import keeping_sources
from rejoinder.visible import visible

TRACEBACK = "REJOINDER_TRACEBACK"
"""The environment variable that asks for the traceback of a defect."""

_THREADS = "POLARS_MAX_THREADS"

CLOSED_PIPE = 141
"""The exit status where nobody reads the output any more (``rejoinder ... | head -1``).

That of a program which the signal SIGPIPE ends, as shells tell it: 128 + 13.
"""


VERBS = {
    "Compare systems": (
        "score",
        "compare",
        "report",
        "audit",
        "variety",
        "explain-diff",
        "runs",
    ),
    "Ask people": ("annotate", "ratings", "preferences", "plan", "weigh"),
    "Trust metrics and judges": ("metrics", "correlate", "mark", "judge"),
    "Prepare files": ("look", "convert", "mine", "verify", "merge"),
    "Train and probe models": (
        "filter",
        "train",
        "respond",
        "tune",
        "rerank",
        "sweep",
        "ruq",
        "recipe",
    ),
}
"""By task, the verbs: each has a file of its name in ``verbs/``, which is imported when it is called."""


VERBS_WITH_DEFAULTS = [
    *VERBS["Compare systems"],
    *VERBS["Ask people"],
    *VERBS["Trust metrics and judges"],
]
"""The verbs that take the defaults of a project: those that evaluate."""


def _copy_examples(context: click.Context, _: click.Parameter, folder: Path | None) -> None:
    if folder is not None:
        from rejoinder.cli.example_files import copy_examples

        copy_examples(context, folder)


@click.group(cls=VerbGroup, lazy=VERBS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--example-files",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    is_eager=True,
    expose_value=False,
    callback=_copy_examples,
    help="Copy the example files of the documentation to a new folder, and exit.",
)
@click.version_option(__version__, prog_name="rejoinder", message="%(prog)s %(version)s")
@click.pass_context
def app(context: click.Context) -> None:
    """Evaluate conversational systems.

    Rejoinder says which system is better, how certain that is, and how far a metric can be trusted.
    """
    context.default_map = dict.fromkeys(VERBS_WITH_DEFAULTS, ProjectDefaults(context.meta))


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status.

    A user's mistake is one message on standard error and status 2, never a traceback. So is a
    defect of Rejoinder's own, with status 1; its traceback is shown where the environment variable
    ``REJOINDER_TRACEBACK`` is set. A pipe that is closed by its reader is no mistake: the command
    ends without a word, with status 141.

    Args:
        arguments: What stands behind ``rejoinder``; None takes the process' own.
    """
    streams = sys.stdout, sys.stderr
    try:
        with collecting_notes(), keeping_sources():
            _check_threads()
            ended = app.main(arguments, prog_name="rejoinder", standalone_mode=False)
        return ended if isinstance(ended, int) else 0
    except click.ClickException as error:
        say(_misuse(error), lines=True)
        return error.exit_code
    except click.Abort:
        say("Aborted!")
        return 1
    except RejoinderError as error:
        # A message names ids, systems and files, and what a server said.
        say(f"rejoinder: {error}")
        return 2
    except Interrupted:
        say(
            "rejoinder: interrupted; nothing was left half-written; the same command takes an "
            "unfinished training or sweep up again"
        )
        return 130
    except OSError as error:
        # Readers and writers of files turn theirs into an InputError: this is the output's own.
        return _unwritable(error)
    except SystemExit as end:
        # After a broken pipe rich and click end with 1, without a message; click wraps the streams.
        if isinstance(end.__context__, BrokenPipeError) or sys.stdout is not streams[0]:
            sys.stdout, sys.stderr = streams
            return CLOSED_PIPE
        return end.code if isinstance(end.code, int) else 1
    except MemoryError:
        say(
            "rejoinder: there is not enough memory; take fewer items, systems or resamples, or "
            "'score --block' for Parquet files larger than memory"
        )
        return 1
    except BaseException as error:
        foreseen = not isinstance(error, Exception) and type(error).__name__ != "PanicException"
        if foreseen or os.environ.get(TRACEBACK):
            raise
        say(f"rejoinder: {_defect(error)}")
        return 1
    return 0


def _check_threads() -> None:
    """Raises where Polars is to have no thread, with which it stops in the midst of its work."""
    value = os.environ.get(_THREADS, "")
    if value.strip() and not value.strip(" 0"):
        raise ParameterError(
            f"{_THREADS}: got '{value}'; expected a number of threads from 1 on; unset this "
            "environment variable for as many as there are cores"
        )


def _misuse(error: click.ClickException) -> str:
    """What click says of a wrong command line: its usage, and one line of what is wrong.

    That line names words of the command line, which a shell may have filled with names of files.
    """
    if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Option):
        option = error.param
        value = option.metavar or option.type.name.upper()
        expected = f"Expected: {option.opts[0]} {value} ({(option.help or '').rstrip('.')})"
        error = click.MissingParameter(expected, ctx=error.ctx, param=option)
    shown = io.StringIO()
    error.show(shown)
    text = shown.getvalue().rstrip("\n")
    if isinstance(error, click.MissingParameter | click.exceptions.NoArgsIsHelpError):
        return text  # several lines of our own: the choices, the help
    message = error.format_message()
    return text.replace(message, visible(message))


def _unwritable(error: OSError) -> int:
    """Says that standard output takes nothing more, where standard error still does: status 2.

    That a reader has had enough is not said.
    """
    if isinstance(error, BrokenPipeError):
        return CLOSED_PIPE
    with suppress(OSError):
        say(f"rejoinder: the output cannot be written: {error.strerror or error}")
    return 2


def _defect(error: BaseException) -> str:
    """What is said of an error that nothing foresaw: what, where, and how to report it."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if f"{os.sep}rejoinder{os.sep}" in frame.filename]
    at = f" at {os.path.basename(ours[-1].filename)}:{ours[-1].lineno}" if ours else ""
    words = f"{type(error).__name__}: {error}"[:300]
    return (
        f"internal error{at}: {words}. This is a defect of Rejoinder {__version__}, not of your "
        f"files; please report it, with the traceback that {TRACEBACK}=1 shows"
    )


class Interrupted(BaseException):
    """Ctrl-C, told apart from what the command line framework makes of KeyboardInterrupt."""


def _interrupt(*_: object) -> None:
    raise Interrupted


def _interrupt_again(ignored: sys.UnraisableHookArgs) -> None:
    """Interrupts once more where Ctrl-C came within a callback or a finalizer, which cannot raise.

    Python prints such an error and goes on; the compiler of kernels calls back while it works.
    """
    if ignored.exc_type is not Interrupted:
        sys.__unraisablehook__(ignored)
    elif hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0.01)


def _buffered(stream: TextIO) -> TextIO:
    """Standard output that writes all of a text or raises, under ``PYTHONUNBUFFERED`` too.

    Without a buffer Python drops, without an error, what a full disk or a closed pipe did not take.
    """
    if not isinstance(stream, io.TextIOWrapper) or not isinstance(stream.buffer, io.RawIOBase):
        return stream
    whole = io.BufferedWriter(stream.buffer)
    return io.TextIOWrapper(whole, stream.encoding, stream.errors, line_buffering=True)


def main() -> None:
    """The process ``rejoinder``.

    A short life: most of it goes into imports. So the garbage collector is kept from looking at
    what they make, and at the end the process goes without taking every module apart.
    """
    gc.set_threshold(200_000, 50, 50)
    signal.signal(signal.SIGINT, _interrupt)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _interrupt)
    sys.unraisablehook = _interrupt_again
    if sys.stdout is None or sys.stderr is None:  # closed by who started the process
        if sys.stderr is not None:
            say("rejoinder: the output cannot be written: it is closed")
        os._exit(2)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what cannot be written in ASCII is written out
            stream.reconfigure(errors="backslashreplace")
    sys.stdout = _buffered(sys.stdout)
    sys.stderr = Guarded.over(sys.stderr)
    log_as_notes()
    status = run()
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError as error:
        # With status 2 it was said already; where nobody reads, what the command ended with stays.
        if status == 0 or (status != 2 and not isinstance(error, BrokenPipeError)):
            status = _unwritable(error)
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(status)
