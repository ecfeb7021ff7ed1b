"""Kernels that numba compiles once for a machine, and that later processes load without it.

Importing numba and waking its compiler takes longer than scoring a test set. So a kernel's machine
code is kept as an object file, and llvmlite, the small library below numba, links it: a few
milliseconds. Only where the file is missing, or was made for other sources, another processor or
another version, numba is imported and compiles anew. Beside it lies the same code as a shared
library, where the machine has a linker: then llvmlite is not imported either
(``shared_library``).

A kernel is a function of arrays, named tuples of arrays and whole numbers, annotated with the names
in ``arrays.py``, that allocates nothing (its caller does) and returns a whole number or nothing. It
runs without the interpreter's lock. What it calls is marked ``helper`` and lives in the same module.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import stat
import sys
import threading
import warnings
from collections.abc import Callable
from functools import cache
from itertools import chain
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from rejoinder.kernels import arrays, shared_library
from rejoinder.kernels.arrays import Best, Grouped, Memory, Postings, Query, TextBytes, Tokens

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

ARRAYS = {
    "Bytes": ("uint8", 1, "C"),
    "Words": ("uint64", 1, "A"),
    "Fingerprints": ("uint64", 1, "C"),
    "Indices": ("int64", 1, "C"),
    "Codes": ("int64", 2, "C"),
    "Floats": ("float64", 1, "C"),
    "Table": ("float64", 2, "C"),
    "Places": ("uint32", 1, "C"),
    "Counts": ("uint16", 1, "C"),
}
"""The annotations of array arguments: element type, dimensions, and C where contiguous."""

TUPLES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "TextBytes": (TextBytes, ("Bytes", "Indices", "Indices")),
    "Tokens": (Tokens, ("Fingerprints", "Indices", "Indices")),
    "Grouped": (Grouped, ("Fingerprints", "Indices", "Indices", "Indices")),
    "Memory": (Memory, ("Indices", "Indices", "Fingerprints")),
    "Postings": (Postings, ("Indices", "Places", "Counts", "Counts")),
    "Query": (Query, ("Indices", "Floats", "Floats", "Floats", "Floats")),
    "Best": (Best, ("Indices", "Fingerprints", "Floats", "Floats", "Floats")),
}
"""The annotations of named tuples of arrays; machine code takes their arrays one by one."""

# What machine code may ask of the process; the last is only reached by arrays that numba owns,
# of which there are none here.
LIBC = {"memset", "memcpy", "memmove"}
DESTRUCTOR = "NRT_MemInfo_call_dtor"

# What numba is to leave out: no code that talks to the interpreter, no checks that raise.
FLAGS = {
    "nrt": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "error_model": "numpy",
}

# How a file of machine code is opened: no symbolic link is followed, no byte translated (Windows).
READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)

_lock = threading.RLock()

compiling = threading.Event()
"""Set while a kernel is being compiled, which takes some seconds on the first run."""


def helper(function: F) -> F:
    """Marks a function that kernels of the same module call; it becomes part of their code."""
    function.__kernel_helper__ = True  # type: ignore[attr-defined]
    return function


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Makes a function machine code, on its first call."""
    return Kernel(function)  # type: ignore[return-value]


class Compiled(NamedTuple):
    """What numba made of a kernel."""

    symbol: str  # the name of its function
    code: bytes  # an object file, for llvmlite to link
    independent: bytes  # the same code, wherever it lies in memory


class Kernel:
    """A function and, once called, its machine code.

    Args:
        function: What to compile; see the head of this file.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.source = _source(function.__code__.co_filename)
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__wrapped__ = function
        kinds = dict(function.__annotations__)
        self.returns = str(kinds.pop("return"))
        self.kinds = [str(kind) for kind in kinds.values()]
        self._call: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:  # noqa: D102
        call = self._call
        if call is None:
            with _lock:
                call = self._call = self._call or _loaded(self)
        return call(*arguments)


def _loaded(wanted: Kernel) -> Callable[..., Any]:
    """The machine code of a kernel: from its library or its file, else compiled now."""
    address = _address(wanted)
    if address is not None:
        return _bound(wanted, address)
    import llvmlite.binding as llvm

    key = _key(wanted, llvm)
    compiled = _read(_name(wanted, key))
    if compiled is None:
        compiling.set()
        try:
            made = _compiled(wanted, llvm)
            if made is None:  # it needs more than a linker can give: leave it to numba altogether
                return _jitted(wanted)
            _write(wanted, key, made)
            _write_library(wanted, made)
        finally:
            compiling.clear()
        compiled = made.symbol, made.code
    symbol, code = compiled
    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = engine.get_function_address(symbol)
    return _bound(wanted, address) if address else _jitted(wanted)


def _address(wanted: Kernel) -> int | None:
    """Where the code of a kernel's library lies; None where it has none of this processor."""
    place, key = folder(), _library_key(wanted)
    if place is None or not key:
        return None
    name = _name(wanted, key, LIBRARY)
    kept = _read(name)
    return None if kept is None else shared_library.address(place / name, kept[0])


def _bound(wanted: Kernel, address: int) -> Callable[..., Any]:
    """A function of arrays around machine code that follows numba's calling convention.

    An array is passed as two owners (none here), its size and item size, its data, its shape and
    its strides; before all arguments stand where the result and an error go to.
    """
    kinds = chain.from_iterable(TUPLES.get(kind, (None, (kind,)))[1] for kind in wanted.kinds)
    shapes = [ARRAYS.get(kind) for kind in kinds]
    slots = sum(5 + 2 * shape[1] if shape else 1 for shape in shapes)
    prototype = ctypes.CFUNCTYPE(
        ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int64] * slots
    )
    code = prototype(address)
    dtypes = [np.dtype(shape[0]) if shape else None for shape in shapes]

    def call(*arguments: Any) -> int | None:
        flat: list[int] = []
        single = chain.from_iterable(x if isinstance(x, tuple) else (x,) for x in arguments)
        for argument, dtype, shape in zip(single, dtypes, shapes, strict=True):
            if dtype is None or shape is None:
                flat.append(int(argument))
                continue
            fits = argument.dtype == dtype and argument.ndim == shape[1]
            if not fits or (shape[2] == "C" and not argument.flags.c_contiguous):
                raise TypeError(
                    f"{wanted.__name__}: an array is not {shape[0]}[{shape[1]}], contiguous"
                )
            flat += (0, 0, argument.size, argument.itemsize, argument.ctypes.data)
            flat += argument.shape
            flat += argument.strides
        result, error = ctypes.c_int64(), ctypes.c_void_p()
        status = code(ctypes.addressof(result), ctypes.addressof(error), *flat)
        if status:
            raise RuntimeError(f"{wanted.__name__}: machine code failed with status {status}")
        return result.value if wanted.returns == "int" else None

    return call


@cache
def _engine() -> Any:
    """The linker of this process."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.add_symbol(DESTRUCTOR, ctypes.cast(_never, ctypes.c_void_p).value)
    machine = llvm.Target.from_default_triple().create_target_machine(
        codemodel="jitdefault", jit=True
    )
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _never(_: int) -> None:
    """The destructor of arrays that numba owns."""


def _compiled(wanted: Kernel, llvm: Any) -> Compiled | None:
    """Has numba compile a kernel; None where it cannot."""
    import numba
    from numba.core import compiler
    from numba.core.errors import NumbaError
    from numba.core.registry import cpu_target

    types = {
        name: numba.types.Array(
            getattr(numba.types, dtype), dimensions, layout, aligned=layout == "C"
        )
        for name, (dtype, dimensions, layout) in ARRAYS.items()
    } | {"int": numba.types.int64, "None": numba.types.none}
    for name, (tuple_type, kinds) in TUPLES.items():
        types[name] = numba.types.NamedTuple([types[kind] for kind in kinds], tuple_type)
    flags = compiler.Flags()
    for name, value in FLAGS.items():
        setattr(flags, name, value)
    try:
        result = compiler.compile_extra(
            cpu_target.typing_context,
            cpu_target.target_context,
            _standalone(wanted),
            tuple(types[kind] for kind in wanted.kinds),
            types[wanted.returns],
            flags,
            {},
        )
        module = llvm.parse_assembly(result.library.get_llvm_str())
    # Another numba, whose inside looks otherwise, or one that is told not to compile.
    except (AttributeError, TypeError, NumbaError):
        return None
    asked = {f.name for f in module.functions if f.is_declaration}
    if {name for name in asked if not name.startswith("llvm.")} - LIBC - {DESTRUCTOR}:
        return None
    objects = [
        llvm.Target.from_default_triple()
        .create_target_machine(
            cpu=llvm.get_host_cpu_name(),
            features=llvm.get_host_cpu_features().flatten(),
            opt=3,
            **options,
        )
        .emit_object(module)
        for options in ({"codemodel": "jitdefault", "jit": True}, {"reloc": "pic"})
    ]
    return Compiled(result.fndesc.llvm_func_name, *objects)


def _jitted(wanted: Kernel) -> Callable[..., Any]:
    import numba

    return numba.njit(nogil=True, error_model="numpy")(_standalone(wanted))


def _standalone(wanted: Kernel) -> FunctionType:
    """The kernel's function in a world where the helpers of its module are numba's."""
    import numba

    world = dict(wanted.function.__globals__)
    for name, value in list(world.items()):
        if getattr(value, "__kernel_helper__", False):
            world[name] = numba.njit(error_model="numpy")(
                FunctionType(value.__code__, world, name, value.__defaults__)
            )
    return FunctionType(wanted.function.__code__, world, wanted.__name__)


def _key(wanted: Kernel, llvm: Any) -> str:
    """What the machine code depends on: sources, versions, processor."""
    digest = hashlib.sha256(wanted.source + _OWN_SOURCES)
    # A version of llvmlite belongs to one of numba.
    facts = (sys.platform, llvm.get_process_triple(), _version())
    digest.update(repr((facts, llvm.get_host_cpu_name())).encode())
    digest.update(llvm.get_host_cpu_features().flatten().encode())
    return digest.hexdigest()[:20]


def _library_key(wanted: Kernel) -> str:
    """What a library depends on: as ``_key``, but as the operating system tells it; empty: unknown."""
    if not shared_library.LINUX or not (processor := shared_library.processor()):
        return ""
    facts = (sys.platform, processor, _version())
    return hashlib.sha256(wanted.source + _OWN_SOURCES + repr(facts).encode()).hexdigest()[:20]


@cache
def _source(file: str) -> bytes:
    """The checksum of a source, as it is when the module is imported.

    Read when it is compiled, it could be the source of a newer version than the one that was
    imported: its name would then hold the machine code of the old one.
    """
    return hashlib.sha256(Path(file).read_bytes()).digest()


_OWN_SOURCES = b"".join(
    _source(each) for each in (__file__, arrays.__file__, shared_library.__file__)
)


def _version() -> str:
    import llvmlite

    return llvmlite.__version__


OBJECT, LIBRARY = ".o", ".so"
"""The suffixes of kept machine code: an object file, and a shared library."""


def _name(wanted: Kernel, key: str, suffix: str = OBJECT) -> str:
    return f"{wanted.function.__module__}.{wanted.__name__}-{key}{suffix}"


@cache
def folder() -> Path | None:
    """The folder of machine code; None where there is none that only this user can write to.

    What lies there is run. So a folder counts only if it belongs to this user (or to root) and
    nobody else may write to it; its path must be absolute, or another current folder would be
    another cache. ``REJOINDER_CACHE`` names the folder; without it, it is ``__pycache__`` beside
    the sources, else ``rejoinder`` in ``XDG_CACHE_HOME`` or ``~/.cache``. Without a folder every
    process compiles anew, which takes some seconds; where ``REJOINDER_CACHE`` is refused, a warning
    says so.
    """
    chosen = os.environ.get("REJOINDER_CACHE")
    if chosen:
        if _private(Path(chosen)):
            return Path(chosen)
        warnings.warn(
            f"REJOINDER_CACHE={chosen!r}: not used, so that kernels are compiled anew in each "
            "process; expected the absolute path of a folder that you own and that nobody else may "
            "write to (chmod go-w), since the code in it is run",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    beside = Path(__file__).parent / "__pycache__"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    writable = (place for place in (beside, Path(home) / "rejoinder") if _private(place))
    return next(writable, None)


def _private(place: Path) -> bool:
    """Whether a folder is, or can be made, this user's own, with nobody else writing to it."""
    if not place.is_absolute():
        return False
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _trusted(place.stat()) and os.access(place, os.W_OK)
    except OSError:
        return False


def _trusted(status: os.stat_result) -> bool:
    """Whether only this user and root could have written what has this status.

    Where files have no such owners (Windows), the user's own folders are private as they are.
    """
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid in (0, os.geteuid()) and not status.st_mode & 0o022


def _read(name: str) -> tuple[str, bytes] | None:
    """Symbol and code that were kept; None where there is nothing, it is not whole, or not this user's."""
    place = folder()
    if place is None:
        return None
    try:
        # The file that is checked is the file that is read: no link, nothing put there in between.
        opened = os.open(place / name, READ)
        with open(opened, "rb") as file:
            status = os.fstat(opened)
            if not stat.S_ISREG(status.st_mode) or not _trusted(status):
                return None
            content = file.read()
        if name.endswith(LIBRARY):
            code, _, description = content.rpartition(b"\n")
        else:
            description, _, code = content.partition(b"\n")
        description = json.loads(description)
        whole = description["sha256"] == _digest(description["symbol"], code)
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return (description["symbol"], code) if whole else None


def _digest(symbol: str, code: bytes) -> str:
    return hashlib.sha256(symbol.encode() + b"\n" + code).hexdigest()


def _write(wanted: Kernel, key: str, compiled: Compiled) -> None:
    """Keeps the object file of a kernel."""
    description = _description(compiled.symbol, compiled.code)
    _keep(wanted, key, OBJECT, description + b"\n" + compiled.code)


def _write_library(wanted: Kernel, compiled: Compiled) -> None:
    """Keeps the shared library of a kernel, where it is known for which processor it is."""
    key = _library_key(wanted)
    library = shared_library.linked(compiled.independent, DESTRUCTOR) if key and folder() else None
    if library is not None:
        # Loaders do not look behind the end of a library.
        description = _description(compiled.symbol, library)
        _keep(wanted, key, LIBRARY, library + b"\n" + description)


def _description(symbol: str, code: bytes) -> bytes:
    return json.dumps({"symbol": symbol, "sha256": _digest(symbol, code)}).encode()


def _keep(wanted: Kernel, key: str, suffix: str, content: bytes) -> None:
    """Writes a file of machine code, where there is a place to keep it; other versions of it go."""
    place = folder()
    if place is None:
        return
    import tempfile

    temporary = None
    try:
        # Made for this user alone, whatever the umask; a link that waits there is not followed.
        opened, temporary = tempfile.mkstemp(dir=place, prefix=".kernel-")
        with open(opened, "wb") as file:
            file.write(content)
        path = place / _name(wanted, key, suffix)
        os.replace(temporary, path)
        for old in place.glob(_name(wanted, "*", suffix)):
            if old != path:
                old.unlink(missing_ok=True)
    except OSError:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
