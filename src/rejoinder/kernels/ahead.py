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

import ctypes
import hashlib
import sys
import threading
from collections.abc import Callable
from functools import cache, partial
from itertools import chain
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from rejoinder.kernels import arrays, code_files, shared_library

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
    "WholeTable": ("int32", 2, "C"),
    "Places": ("uint32", 1, "C"),
    "Counts": ("uint16", 1, "C"),
}
"""The annotations of array arguments: element type, dimensions, and C where contiguous."""

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
        self.tuples = {  # machine code takes the arrays of named tuples one by one
            kind: function.__globals__[kind] for kind in self.kinds if kind not in (*ARRAYS, "int")
        }
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
    linkable = code_files.read(_name(wanted, key))
    if linkable is None:
        compiling.set()
        try:
            compiled = _compiled(wanted, llvm)
            if compiled is None:  # it needs more than a linker can give: numba does all of it
                return _jitted(wanted)
            _write(wanted, key, compiled)
        finally:
            compiling.clear()
        linkable = compiled.symbol, compiled.code
    symbol, code = linkable
    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = engine.get_function_address(symbol)
    return _bound(wanted, address) if address else _jitted(wanted)


def _address(wanted: Kernel) -> int | None:
    """Where the code of a kernel's library lies; None where it has none of this processor."""
    key = _library_key(wanted)
    opened = code_files.opened(_name(wanted, key, code_files.LIBRARY)) if key else None
    return None if opened is None else shared_library.address(*opened)


def _bound(wanted: Kernel, address: int) -> Callable[..., Any]:
    """A function of arrays around machine code that follows numba's calling convention.

    An array is passed as two owners (none here), its size and item size, its data, its shape and
    its strides; before all arguments stand where the result and an error go to.
    """
    kinds = chain.from_iterable(
        _fields(wanted.tuples[kind]) if kind in wanted.tuples else [kind] for kind in wanted.kinds
    )
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


def _fields(tuple_type: Any) -> list[str]:
    """The annotations of the arrays of a named tuple."""
    return [kind.__forward_arg__ for kind in tuple_type.__annotations__.values()]


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
    for name, tuple_type in wanted.tuples.items():
        kinds = [types[kind] for kind in _fields(tuple_type)]
        types[name] = numba.types.NamedTuple(kinds, tuple_type)
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
        assembly = result.library.get_llvm_str()
        module = llvm.parse_assembly(assembly)
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
        .emit_object(llvm.parse_assembly(assembly))  # anew: what is emitted is changed by it
        for options in (
            {"codemodel": "jitdefault", "jit": True},
            {"codemodel": "default", "reloc": "pic"},
        )
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


def _name(wanted: Kernel, key: str, suffix: str = code_files.OBJECT) -> str:
    return f"{wanted.function.__module__}.{wanted.__name__}-{key}{suffix}"


def _write(wanted: Kernel, key: str, compiled: Compiled) -> None:
    """Writes the object file of a kernel, and its shared library where the processor is known."""
    code_files.write(partial(_name, wanted), key, compiled.symbol, compiled.code)
    key = _library_key(wanted)
    if not key or code_files.folder() is None:
        return
    library = shared_library.linked(compiled.independent, DESTRUCTOR)
    if library is not None:
        of_library = partial(_name, wanted, suffix=code_files.LIBRARY)
        code_files.write(of_library, key, compiled.symbol, library)
