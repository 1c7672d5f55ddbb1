"""Writing a file in one step, so that a failure or Ctrl-C leaves what was there before."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress

from bnc2d.errors import FormatError


def atomic_write(path: str | os.PathLike[str], data: bytes) -> None:
    """Write ``data`` to a new file in the same folder, which then takes the name ``path``.

    Symbolic links are followed and the permissions of an existing file are kept; anything that exists and is
    not a regular file is refused.
    """
    name = os.fspath(path)
    try:
        _replace(os.path.realpath(name), data)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise FormatError(f"cannot write: {reason}", name) from None


def _replace(target: str, data: bytes) -> None:
    mode = None
    with suppress(FileNotFoundError):
        status = os.stat(target)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it exists and is not a regular file")
        mode = stat.S_IMODE(status.st_mode)
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name[:60]}.{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
