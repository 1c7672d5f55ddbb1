"""The command ``bnc2d``, also as ``python -m bnc2d``: Ctrl-C ends it quietly from the very start.

While modules are loaded nothing is there yet that must be put in order, so the process just ends; an
exception in the middle of an import would come out as a traceback, or as an error of the module that is
interrupted.
"""

import os
import sys

TYPE_CHECKING = False  # typing itself takes a while to load
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        import signal

        heard = signal.getsignal(signal.SIGINT)
        if heard is signal.default_int_handler:  # a shell may have it ignored
            signal.signal(signal.SIGINT, _end)
        from bnc2d.cli.main import main as run

        return run(loaded=lambda: signal.signal(signal.SIGINT, heard))
    except KeyboardInterrupt:
        _end()


def _end(*_: object) -> "NoReturn":
    os.write(2, b"bnc2d: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    sys.exit(main())
