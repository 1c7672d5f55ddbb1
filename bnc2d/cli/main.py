"""``bnc2d COMMAND``: finds the command, runs it, and turns every error into one line."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import NoReturn

from bnc2d.cli.shared.encoding import hold_every_sign
from bnc2d.cli.shared.printing import say
from bnc2d.errors import Bnc2dError, Bnc2dWarning, FeaturesWarning
from bnc2d.version import __version__

COMMANDS = {
    "info": "describe networks: size, roots, leaves, states",
    "compile": "compile every class of a classifier into a formula",
    "explain": "say why an instance is decided so, why not otherwise, what would change it",
    "scores": "give each feature of a decision a number: Shapley values, or from the reasons",
    "check": "prove rules about a classifier, or refute them by instances",
    "count": "count the instances of each class, or of a circuit, also with weights",
    "share": "say which share of the instances is in each class, however they are weighed",
    "bias": "say whether decisions depend on protected features",
    "monotone": "say whether raising features ever lowers the class",
    "robustness": "say how many features must change for another decision, of all instances or of rows",
    "sensitivity": "say how far a threshold or a table entry can move before a decision changes",
    "nearest": "find the nearest instances that are decided otherwise",
    "compare": "say what two classifiers decide differently",
    "verify": "check a compiled model by independent means",
    "audit": "audit a model against a network, rows and rules, and write a page to hand over",
    "bench": "compile a folder of benchmark problems",
    "experiments": "repeat the paper's evaluation and write a report",
    "predict": "decide the class of instances, with exact posteriors",
    "convert": "read a network and write it in another format",
    "networks": "list and fetch the public networks of the bnlearn repository",
    "explore": "write a page to explore a model",
    "draw": "draw networks, circuits, decisions and reasons",
    "demo": "explain a diagnosis, from network to reasons",
    "completion": "print a script that completes words in bash, zsh or fish",
}

_SHOWN = 200  # signs of a name that is too long
EXIT_OK, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 0, 2, 130


def main(arguments: Sequence[str] | None = None, loaded: Callable[[], object] = bool) -> int:
    """Run the command line; ``loaded`` is called when the modules of the command are there.

    Returns the exit code: 0 done, 1 a check failed or the answer is no, 2 bad input or a limit, 3 some rows
    of a table have no answer, 130 interrupted (Ctrl-C).
    """
    hold_every_sign()
    try:
        with warnings.catch_warnings():
            held: list[str] = []

            def show(message: Warning | str, *_: object, **__: object) -> None:
                if isinstance(message, FeaturesWarning):
                    held.append(str(message))  # for the end: where the command fails, its error is the news
                else:
                    say("warning", str(message))

            warnings.showwarning = show
            warnings.simplefilter("always", Bnc2dWarning)
            code = _run(list(sys.argv[1:] if arguments is None else arguments), loaded)
            if sys.stdout is not None:  # it is where the shell closed it
                sys.stdout.flush()
            for text in held:
                say("warning", text)
            return code
    except (Bnc2dError, MemoryError) as error:
        is_ours = isinstance(error, Bnc2dError)
        say("error", str(error) if is_ours else "out of memory; try fewer features or a smaller network")
        return EXIT_BAD_INPUT
    except BrokenPipeError:  # the reader of our output went away (`| head`); nothing to report
        _discard_output()
        return EXIT_OK
    except OSError as error:
        why = error.strerror or error
        if error.filename is not None:  # a name that no file can have, as it is too long
            say("error", f"{str(error.filename)[:_SHOWN]}: {why}; name another file or folder")
            return EXIT_BAD_INPUT
        # Standard output has no name: it is on a full disk.
        say("error", f"cannot write the output: {why}; free some space or write elsewhere")
        _discard_output()
        return EXIT_BAD_INPUT
    except (KeyboardInterrupt, Exception) as error:
        if not _is_ctrl_c(error):
            raise
        print("bnc2d: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED


def _discard_output() -> None:
    """Let what is still to be written to standard output go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(words: list[str], loaded: Callable[[], object]) -> int:
    parser = make_parser([word for word in words[:1] if word in COMMANDS])
    loaded()
    options, left = parser.parse_known_args(words)
    # argparse takes words for a list at one place only; these may come before and after options.
    lists = {name: value for name, value in vars(options).items() if isinstance(value, list | tuple)}
    words_of = next((name for name in ("instance", "rules") if name in lists), None)
    if left and (words_of is None or any(word.startswith("-") and word != "-" for word in left)):
        parser.prog += "" if options.command is None else f" {options.command}"
        parser.error(f"unrecognized arguments: {' '.join(left)}")
    if left:
        setattr(options, str(words_of), [*lists[str(words_of)], *left])
    if options.command is None:
        parser.print_help()
        return EXIT_OK
    code: int = options.run(options)
    return code


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all others; subparsers are of the same kind."""

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_BAD_INPUT, f"{self.prog}: error: {message}; see {self.prog} --help\n")


class _Version(argparse.Action):
    """Prints the version, and whether the optional loops were built; they are loaded only here."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from bnc2d.base.kernels import loops

        how = "without loops in C: slower, same results" if loops is None else "with loops in C"
        print(f"bnc2d {__version__} ({how})")
        parser.exit()


def make_parser(chosen: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of all commands, with the arguments of the chosen; of one alone, where one is."""
    parser = _Parser(
        prog="bnc2d", description="Bayesian network classifiers as logic, explained with guarantees."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    parser.set_defaults(command=None, parser_of_all=lambda: make_parser(tuple(COMMANDS)))
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND", prog="bnc2d")
    for name in chosen if len(chosen) == 1 else COMMANDS:
        summary = COMMANDS[name]
        command = commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name in chosen:
            _configure(name, command)
    return parser


def _configure(name: str, command: argparse.ArgumentParser) -> None:
    """Describe the arguments of a command, whose module is loaded only here: help must not wait for numpy."""
    match name:
        case "audit":
            from bnc2d.cli.commands.audit import configure, run
        case "bench":
            from bnc2d.cli.commands.bench import configure, run
        case "bias":
            from bnc2d.cli.commands.bias import configure, run
        case "check":
            from bnc2d.cli.commands.check import configure, run
        case "compare":
            from bnc2d.cli.commands.compare import configure, run
        case "compile":
            from bnc2d.cli.commands.compile import configure, run
        case "completion":
            from bnc2d.cli.commands.completion import configure, run
        case "convert":
            from bnc2d.cli.commands.convert import configure, run
        case "count":
            from bnc2d.cli.commands.count import configure, run
        case "demo":
            from bnc2d.cli.commands.demo import configure, run
        case "draw":
            from bnc2d.cli.commands.draw import configure, run
        case "experiments":
            from bnc2d.cli.commands.experiments import configure, run
        case "explain":
            from bnc2d.cli.commands.explain import configure, run
        case "explore":
            from bnc2d.cli.commands.explore import configure, run
        case "info":
            from bnc2d.cli.commands.info import configure, run
        case "monotone":
            from bnc2d.cli.commands.monotone import configure, run
        case "nearest":
            from bnc2d.cli.commands.nearest import configure, run
        case "networks":
            from bnc2d.cli.commands.networks import configure, run
        case "predict":
            from bnc2d.cli.commands.predict import configure, run
        case "robustness":
            from bnc2d.cli.commands.robustness import configure, run
        case "sensitivity":
            from bnc2d.cli.commands.sensitivity import configure, run
        case "scores":
            from bnc2d.cli.commands.scores import configure, run
        case "share":
            from bnc2d.cli.commands.share import configure, run
        case "verify":
            from bnc2d.cli.commands.verify import configure, run
        case _:
            raise AssertionError(f"no module for the command {name!r}")
    configure(command)
    command.set_defaults(run=run)


def _is_ctrl_c(error: BaseException | None) -> bool:
    """Return whether this is Ctrl-C in disguise.

    The solvers of python-sat report it by an error of their own, and libraries that are interrupted while
    they are loaded say that they cannot be.
    """
    while error is not None:
        in_solver = type(error).__module__ == "pysolvers" and "keyboard interrupt" in str(error)
        if in_solver or isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False
