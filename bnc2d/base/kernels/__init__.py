"""Inner loops in C, where they were built; numpy does everything they do, some of it several times slower.

``loops`` is the module that ``hatch_build.py`` builds of the C files here while the package is installed, or
None where there was no compiler or the environment says ``BNC2D_KERNELS=numpy``. Who uses a loop has the same
in numpy beside it, with the same result.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

loops: ModuleType | None = None
if os.environ.get("BNC2D_KERNELS") != "numpy":
    try:
        from bnc2d.base.kernels import compiled as loops
    except ImportError:
        loops = None
