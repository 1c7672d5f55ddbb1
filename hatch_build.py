"""Builds the optional inner loops in C (``bnc2d/base/kernels``) while the package is built or installed.

Where no C compiler is at hand, or it fails, the package is built without them and works the same, slower;
``bnc2d --version`` says which. ``BNC2D_KERNELS=numpy`` leaves them out on purpose.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = Path("bnc2d", "base", "kernels")


class KernelsHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the module into a wheel, or into the source tree where that is installed as it is.

    A wheel leaves the tree alone. An installed tree never keeps a module of other sources.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the module; say in one line where that was not possible."""
        if self.target_name != "wheel":
            return
        self._scratch = TemporaryDirectory()
        made = self._made(Path(self._scratch.name))
        if version == "editable":
            _replace(Path(self.root, FOLDER), made)
        elif made is not None:
            build_data["pure_python"] = False
            build_data["tag"] = f"cp311-abi3-{_platform()}"
            build_data["force_include"][str(made)] = (FOLDER / made.name).as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Forget what the compiler made."""
        if self.target_name == "wheel":
            self._scratch.cleanup()

    def _made(self, scratch: Path) -> Path | None:
        """Return the module, or None where it is not wanted or cannot be built."""
        if os.environ.get("BNC2D_KERNELS") == "numpy":
            return None
        try:
            return compiled(Path(self.root), scratch)
        except (Exception, SystemExit) as error:
            self.app.display_warning(f"bnc2d is built without its loops in C: {error}")
            return None


def build(root: Path) -> Path:
    """Compile the C files beside their sources, and return where the module is, from the root."""
    with TemporaryDirectory() as scratch:
        made = compiled(root, Path(scratch))
        _replace(root / FOLDER, made)
        return FOLDER / made.name


def compiled(root: Path, scratch: Path) -> Path:
    """Compile the C files into a folder, and return where the module is."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    if sys.byteorder != "little":
        raise OSError("they read sets of variables as little-endian numbers")
    # Without what a debugger wants the module is small, and the same wherever the sources are.
    flags = [] if sys.platform == "win32" else ["-O3", "-g0", "-Wno-psabi"]
    name = ".".join([*FOLDER.parts, "compiled"])
    sources = sorted(path.relative_to(root).as_posix() for path in Path(root, FOLDER).glob("*.c"))
    module = Extension(name, sources, extra_compile_args=flags, py_limited_api=True)
    before = Path.cwd()
    os.chdir(root)  # names in messages are from there
    try:
        command = build_ext(Distribution({"name": "bnc2d", "ext_modules": [module]}))
        command.build_temp, command.build_lib = str(scratch / "objects"), str(scratch / "modules")
        command.ensure_finalized()
        command.run()
        return Path(command.get_ext_fullpath(name))
    finally:
        os.chdir(before)


def _platform() -> str:
    """Return the platform of this machine; on Linux the plain one, not what stands for many."""
    from packaging.tags import sys_tags

    platforms = [tag.platform for tag in sys_tags()]
    return next((name for name in platforms if name.startswith("linux_")), platforms[0])


def _replace(folder: Path, made: Path | None) -> None:
    """Let a module, or none, take the place of what was built in a folder before.

    At once: a process may have the old one loaded, another may be about to load it.
    """
    kept = None if made is None else folder / made.name
    if made is not None and kept is not None:
        fresh = folder / f"compiled.{os.getpid()}{made.suffix}"
        fresh.write_bytes(made.read_bytes())
        fresh.chmod(0o755)
        fresh.replace(kept)
    for old in (*folder.glob("compiled*.so"), *folder.glob("compiled*.pyd")):
        if old != kept:
            old.unlink(missing_ok=True)
