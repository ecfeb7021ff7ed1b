"""Files that are no plain text, recognised by their content: what they are, and what to do with them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rejoinder.errors import InputError
from rejoinder.files import queries
from rejoinder.files.sources import tail_of
from rejoinder.messages import listed, quoted

_UTF16 = ("UTF-16 text", "save it as UTF-8 (iconv -f utf-16 -t utf-8)")

_SQLITE = "an SQLite database"

_BEGINNINGS = {
    b"\x1f\x8b": ("gzip-compressed", "unpack it first (gunzip)"),
    b"BZh": ("bzip2-compressed", "unpack it first (bunzip2)"),
    b"\xfd7zXZ\x00": ("xz-compressed", "unpack it first (unxz)"),
    b"\x28\xb5\x2f\xfd": ("zstd-compressed", "unpack it first (unzstd)"),
    b"PAR1": ("a Parquet file", "give it the suffix .parquet"),
    b"ARROW1": (
        "an Arrow (Feather) file",
        "write it as Parquet (polars.read_ipc(path).write_parquet('table.parquet'))",
    ),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": (
        "an Excel workbook or another file of Microsoft Office, of the old kind (.xls, .doc)",
        "open it there and export the sheet as CSV (UTF-8)",
    ),
    b"SQLite format 3\x00": (_SQLITE, "read it by a query: 'sqlite:FILE?SELECT ...'"),
    b"%PDF-": ("a PDF", "export the table as CSV"),
    b"\x93NUMPY": ("a NumPy array", "write a table of text and numbers (.csv, .jsonl, .parquet)"),
    b"\xff\xfe": _UTF16,
    b"\xfe\xff": _UTF16,
}

_ZIP = b"PK\x03\x04"
_OFFICE = (".xlsx", ".xlsm", ".xlsb", ".ods", ".docx", ".odt")

# What a zip archive is, by the names of the files in it.
_ARCHIVES = (
    (
        rb"xl/workbook",
        "an Excel workbook (.xlsx)",
        "give it the suffix .xlsx, or export the sheet as CSV (Excel: Save as, CSV UTF-8)",
    ),
    (rb"word/", "a Word document (.docx)", "save the text as UTF-8 text, or the table as CSV"),
    (
        rb"opendocument\.spreadsheet",
        "an OpenDocument spreadsheet (.ods)",
        "export the sheet as CSV (UTF-8)",
    ),
    (
        rb"_journal/start|summaries\.json",
        "a log of inspect_ai (.eval)",
        "give it the suffix .eval",
    ),
    (rb"\.npy", "an archive of NumPy arrays (.npz)", "write a table (.csv, .jsonl, .parquet)"),
)


def refuse_packed(data: bytes, name: str) -> None:
    """Refuses bytes that begin as no plain UTF-8 text does: compressed, binary, UTF-16.

    Args:
        data: The bytes of a file, or the first of them.
        name: The file's name for the message. The kind of a zip archive is recognised by the files in
            it, where there is a file of this name.

    Raises:
        InputError: They do; the message names the kind of file and what to do with it.
    """
    if data.startswith(_ZIP):
        kind, remedy = _archive(data + _end(name), Path(name))
        raise InputError(f"{name}: the file is {kind}; expected plain UTF-8 text; {remedy}")
    for magic, (kind, remedy) in _BEGINNINGS.items():
        if data.startswith(magic):
            if kind == _SQLITE and (tables := queries.tables_of(name)):
                first = tables[0] if tables[0].isidentifier() else f'"{tables[0]}"'
                remedy = (
                    f"read it by a query: {shlex.quote(f'sqlite:{name}?SELECT * FROM {first}')}"
                )
                remedy += f" (its tables are {listed(tables)})"
            raise InputError(f"{name}: the file is {kind}; expected plain UTF-8 text; {remedy}")


@contextmanager
def unpacking(where: str, what: str, remedy: str) -> Iterator[None]:
    """Within it every fault of a packed file is an InputError.

    Libraries raise whatever is raised within them where an archive is cut, altered, encrypted or packed
    unusually: errors of zip, zlib, LZMA and bzip2, of XML, of types.

    Args:
        where: The file, and the one within it.
        what: What it should be.
        remedy: What to do.

    Raises:
        InputError: Anything was raised.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        fault = quoted(str(error) or type(error).__name__)[1:-1]
        raise InputError(f"{where}: not a sound {what}: {fault}; {remedy}") from None


def _archive(data: bytes, path: Path) -> tuple[str, str]:
    for pattern, kind, remedy in _ARCHIVES:
        if re.search(pattern, data):
            return kind, remedy
    import zipfile

    office = path.suffix.lower() in _OFFICE
    if path.is_file() and not zipfile.is_zipfile(path):
        again = "copy or download it again"
        if office:
            again += (
                ", or repair it in the program that wrote it and export the sheet as CSV (UTF-8)"
            )
        return f"a damaged {'workbook or document' if office else 'zip archive'}", again
    if office:
        return (
            f"a zip archive that holds no workbook or document, though its suffix is {path.suffix}",
            "export the table as CSV (UTF-8) from the program that wrote it",
        )
    return "a zip archive", "unpack it first (unzip)"


def _end(name: str) -> bytes:
    """The end of a file, where a zip archive lists what is in it; nothing where it cannot be read."""
    try:
        return tail_of(Path(name), 1 << 20)
    except (OSError, ValueError):
        return b""
