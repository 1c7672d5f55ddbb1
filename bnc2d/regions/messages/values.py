"""Arrays of messages."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
