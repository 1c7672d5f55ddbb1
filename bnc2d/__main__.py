"""The command ``bnc2d``, also as ``python -m bnc2d``: Ctrl-C ends it quietly from the very start.

While modules are loaded nothing is there yet that must be put in order, so the process just ends; an
exception in the middle of an import would come out as a traceback, or as an error of the module that is
interrupted. Nor is garbage looked for meanwhile, as there is none. Memory is kept until the end and then
given back in one step, as the system does it: piece by piece that takes 20 ms, and more where models are
large.
"""

import atexit
import gc
import os
import sys

TYPE_CHECKING = False  # typing itself takes a while to load
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> "NoReturn":
    """Run the command line and end the process with its exit code."""
    gc.disable()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: its threads start with it, all unused
    try:
        import signal

        heard = signal.getsignal(signal.SIGINT)
        if heard is signal.default_int_handler:  # a shell may have it ignored
            signal.signal(signal.SIGINT, _end)
        from bnc2d.cli.main import main as run

        def loaded() -> None:
            gc.freeze()  # what is there will stay
            gc.enable()
            if "numpy" in sys.modules:  # else there will be no arrays
                from bnc2d.base.allocation import keep_memory

                keep_memory(whole_process=True)
            signal.signal(signal.SIGINT, heard)

        code = run(loaded=loaded)
    except KeyboardInterrupt:
        _end()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # it is where the shell closed it
            stream.flush()
    os._exit(code)


def _end(*_: object) -> "NoReturn":
    os.write(2, b"bnc2d: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
