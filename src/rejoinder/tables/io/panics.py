"""Panics of Polars: faults of a file that its Parquet reader does not foresee."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

_ALONE = threading.RLock()  # the standard error is the process's


@contextmanager
def refusing_panics() -> Iterator[None]:
    """Within it a panic of Polars is an OSError, as other faults of files are.

    A panic is no ``Exception``, and Rust prints it, with its stack, on the standard error of the
    process. That is kept back meanwhile; where there was no panic it is printed afterwards.

    Raises:
        OSError: Polars panicked.
    """
    with _ALONE, tempfile.TemporaryFile() as printed:
        error_output = os.dup(2)
        os.dup2(printed.fileno(), 2)
        panicked = False
        try:
            yield
        except pl.exceptions.PanicException as error:
            panicked = True
            raise OSError(f"Polars gave up: {str(error).splitlines()[0]:.80}") from None
        finally:
            os.dup2(error_output, 2)
            os.close(error_output)
            printed.seek(0)
            if not panicked and (others := printed.read()):
                os.write(2, others)
