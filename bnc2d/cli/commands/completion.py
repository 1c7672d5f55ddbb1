"""``bnc2d completion``: a script that completes commands, options and their values in a shell.

The script is made from the parsers once, by hand: a library such as argcomplete would ask bnc2d, and load
numpy, at every press of the key, and shtab, which makes scripts as well, knows no fish (its issue 134).
"""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from bnc2d.draw.html import asset, fill
from bnc2d.formats.builtin import examples

_FILES = ("FILE", "FILE.json", "DIR", "MODEL", "OUT")  # what stands for a path in the help
_NETWORK = "built-in name"  # in the help of words that need not be a path


@dataclass(frozen=True)
class Option:
    """An option's names, its help, and what may follow it: nothing, a path, some words, or anything."""

    names: tuple[str, ...]
    summary: str
    takes_value: bool
    takes_path: bool
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Command:
    """A command with its options and the words that may stand alone, beside paths."""

    name: str
    summary: str
    options: tuple[Option, ...]
    words: tuple[str, ...]


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    command.epilog = (
        "example:\n  bnc2d completion bash > ~/.local/share/bash-completion/completions/bnc2d\n"
        '  bnc2d completion zsh > "${fpath[1]}/_bnc2d"\n'
        "  bnc2d completion fish > ~/.config/fish/completions/bnc2d.fish"
    )
    command.add_argument("shell", choices=tuple(_SCRIPTS), help="the shell that is to run the script")
    command.add_argument("--json", action="store_true", help="print what is completed as JSON for machines")


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    found = commands(options.parser_of_all())
    if options.json:
        print(json.dumps([asdict(command) for command in found], ensure_ascii=False, indent=1))
    else:
        print(_SCRIPTS[options.shell](found), end="")
    return 0


def commands(parser: argparse.ArgumentParser) -> list[Command]:
    """Return every command as the parser of all of them describes it."""
    found = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    summaries = {action.dest: action.help or "" for action in found._choices_actions}
    return [_command(name, summaries[name], one) for name, one in found.choices.items()]


def _command(name: str, summary: str, parser: argparse.ArgumentParser) -> Command:
    options, words = [], []
    for action in parser._actions:
        metavar = str(action.metavar)
        choices = tuple(str(choice) for choice in action.choices or ())
        if action.option_strings:
            value = action.nargs != 0
            path = value and (metavar in _FILES or "-o" in action.option_strings)
            options.append(Option(tuple(action.option_strings), action.help or "", value, path, choices))
        else:
            words += [*choices, *(examples() if _NETWORK in (action.help or "") else ())]
    return Command(name, summary, tuple(options), tuple(words))


def _bash(found: Iterable[Command]) -> str:
    values, words = [], []
    for command in found:
        for option in command.options:
            if option.takes_value:
                where = "|".join(f"{command.name}:{name}" for name in option.names)
                answer = f"_bnc2d_words {_quoted(option.choices)}; " if option.choices else ""
                answer = "_bnc2d_files; " if option.takes_path else answer
                values.append(f"        {where}) {answer}return ;;")
        names = [name for option in command.options for name in option.names]
        words.append(f"        {command.name}) options={_quoted(names)}; words={_quoted(command.words)} ;;")
    commands = _quoted([*(command.name for command in found), "--help", "--version"])
    fields = {"commands": commands, "values": "\n".join(values), "words": "\n".join(words)}
    return fill(asset("bnc2d.cli.commands", "completion.bash"), fields)


def _zsh(found: Iterable[Command]) -> str:
    cases, summaries = [], []
    for command in found:
        summaries.append(_quoted([f"{command.name}:{command.summary}"], whole=True))
        specs = []
        for option in command.options:
            summary = option.summary.translate(dict.fromkeys(map(ord, "[]:")))
            value = ""
            if option.takes_value:
                value = ":value:" + ("_files" if option.takes_path else f"({' '.join(option.choices)})")
            specs += [_quoted([f"{name}[{summary}]{value}"], whole=True) for name in option.names]
        words = f"compadd -- {' '.join(map(shlex.quote, command.words))}; " if command.words else ""
        specs.append(_quoted([f"*:word:{{{words}_files}}"], whole=True))
        cases.append(f"        {command.name}) _arguments {' '.join(specs)} ;;")
    fields = {"summaries": " ".join(summaries), "cases": "\n".join(cases)}
    return fill(asset("bnc2d.cli.commands", "completion.zsh"), fields)


def _fish(found: Iterable[Command]) -> str:
    lines = [
        "# fish completion for bnc2d, made by `bnc2d completion fish`",
        "function __bnc2d_command",  # the first word alone decides: a file may have the name of a command
        "    set -l words (commandline -opc)",
        '    test "$words[2]" = "$argv[1]"',
        "end",
        "complete -c bnc2d -n '__bnc2d_command \"\"' -f -l help -d 'show this help message and exit'",
        "complete -c bnc2d -n '__bnc2d_command \"\"' -f -l version -d 'show the version and exit'",
    ]
    for command in found:
        summary = _fish_quoted(command.summary)
        lines.append(f"complete -c bnc2d -n '__bnc2d_command \"\"' -f -a {command.name} -d {summary}")
        here = f"complete -c bnc2d -n '__bnc2d_command {command.name}'"
        if command.words:
            lines.append(f"{here} -a {_fish_quoted(' '.join(command.words))}")
        for option in command.options:
            flags = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names]
            value = ""
            if option.takes_value:
                value = " -r" if option.takes_path else " -x"
            if option.choices:
                value += f" -a {_fish_quoted(' '.join(option.choices))}"
            lines.append(f"{here} {' '.join(flags)}{value} -d {_fish_quoted(option.summary)}")
    return "\n".join(lines) + "\n"


def _quoted(words: Iterable[str], whole: bool = False) -> str:
    """Return words as one quoted word of a shell, which splits it again unless it is meant whole."""
    text = " ".join(words)
    return shlex.quote(text) if whole else f'"{text}"'


def _fish_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


_SCRIPTS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
