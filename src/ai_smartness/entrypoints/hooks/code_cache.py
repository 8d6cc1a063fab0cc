"""One file with the compiled modules that hooks have loaded, from which the next hook loads them.

Python looks for each module in several folders and opens two files for it: a third of the hook's
own time. A module whose source has changed is left to Python, as is everything if the file cannot
be read or written. `main.py` runs this module from the file itself.

The file has the size of its head in four bytes, the head, and the code of each module. The head
is the code of this module, and where each module's code is. A module of Python that is a library
has no code there, but its path.
"""

import _frozen_importlib_external as _importlib
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

    StoredModule = tuple[str, str, tuple[int, int], int, int]
    """The source, the folder of a package, the stamp of the source; start and size of the code."""
else:
    Loader = object  # to import the class would take longer than the file saves

__all__ = ["is_complete", "use_modules", "write_modules"]

PACKAGE = "ai_smartness"
NO_SOURCE = (0, 0)


class CompiledModules(Loader):
    """Finds and loads modules, as Python's importers do."""

    def __init__(self, handle: int, start: int, modules: "dict[str, StoredModule]") -> None:
        self.modules = modules
        self._handle = handle
        self._start = start

    def find_spec(
        self, name: str, _path: object = None, _target: object = None
    ) -> "ModuleSpec | None":
        """Return what Python needs to load a module; nothing if it has to find it itself."""
        module = self.modules.get(name)
        if module is None or module[2] != source_stamp(module[0]):
            return None
        source, package, _, _, size = module
        loader = self if size else _importlib.ExtensionFileLoader(name, source)
        spec = type(sys.__spec__)(name, loader, origin=source, is_package=bool(package))
        spec.has_location = True
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(package)
        return spec

    def create_module(self, spec: "ModuleSpec") -> None:
        """Let Python make the module."""

    def exec_module(self, module: "ModuleType") -> None:
        """Run the code of a module."""
        _, _, _, start, size = self.modules[module.__name__]
        exec(marshal.loads(os.pread(self._handle, size, self._start + start)), module.__dict__)


def use_modules(handle: int, modules: "dict[str, StoredModule]") -> None:
    """Have Python load our modules from an open file, whose head was read; not from half a file."""
    start = os.lseek(handle, 0, os.SEEK_CUR)
    if os.fstat(handle).st_size == start + sum(module[4] for module in modules.values()):
        sys.meta_path.insert(0, CompiledModules(handle, start, modules))


def is_complete() -> bool:
    """Say whether every module of ours was loaded from the file."""
    return all(
        type(module.__loader__).__name__ == CompiledModules.__name__
        for name, module in sys.modules.items()
        if name.startswith(PACKAGE)
    )


def write_modules(path: str) -> None:
    """Add the modules of ours that are loaded to the file, which is replaced as a whole."""
    if sys.dont_write_bytecode or not os.access(os.path.dirname(path), os.W_OK):
        return
    contents = _file_contents(_known_sources() | _loaded_sources())
    partial = f"{path}.{os.getpid()}"
    with open(partial, "wb") as file:
        file.write(contents)
    os.replace(partial, path)


def _known_sources() -> "dict[str, tuple[str, str]]":
    """Return the source and folder of each module in the file that is in use."""
    for finder in sys.meta_path:
        # Not by its class: `main.py` has run this module once more.
        if type(finder).__name__ == CompiledModules.__name__:
            modules: dict[str, StoredModule] = getattr(finder, "modules", {})
            return {name: module[:2] for name, module in modules.items()}
    return {}


def _loaded_sources() -> "dict[str, tuple[str, str]]":
    """Return the source of each module that is loaded, and the folder of a package."""
    specs = {name: module.__spec__ for name, module in sys.modules.items()}
    return {
        name: (spec.origin, (spec.submodule_search_locations or [""])[0])
        for name, spec in specs.items()
        if spec is not None and spec.origin is not None
        if name.startswith(PACKAGE) or isinstance(spec.loader, _importlib.ExtensionFileLoader)
    }


def _file_contents(sources: "dict[str, tuple[str, str]]") -> bytes:
    modules: dict[str, StoredModule] = {}
    codes, start = list[bytes](), 0
    for name, (source, package) in sources.items():
        # Before the code is read: a change meanwhile must not be missed.
        stamp = source_stamp(source)
        if stamp != NO_SOURCE:
            codes.append(marshal.dumps(_compiled_source(source)) if source.endswith(".py") else b"")
            modules[name] = (source, package, stamp, start, len(codes[-1]))
            start += len(codes[-1])
    head = marshal.dumps((_compiled_source(__file__), modules))
    return len(head).to_bytes(4, "big") + head + b"".join(codes)


def _compiled_source(source: str) -> "CodeType":
    """Return the code of a source without its docstrings."""
    with open(source, "rb") as file:
        code: CodeType = compile(file.read(), source, "exec", dont_inherit=True, optimize=2)
    return code


def source_stamp(source: str) -> "tuple[int, int]":
    """Return the time and size of a file, by which a change is noticed."""
    try:
        status = os.stat(source)
    except OSError:
        return NO_SOURCE
    return status.st_mtime_ns, status.st_size
