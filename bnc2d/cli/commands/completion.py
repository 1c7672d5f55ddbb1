"""``bnc2d completion``: a script that completes commands, options and their values in a shell.

The script is made from the parsers once, by hand: a library such as argcomplete would ask bnc2d, and load
numpy, at every press of the key, and shtab, which makes scripts as well, knows no fish (its issue 134).
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from bnc2d.cli.shared.printing import print_json
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
    add = command.add_argument
    command.epilog = (
        "example:\n  bnc2d completion bash > ~/.local/share/bash-completion/completions/bnc2d\n"
        '  bnc2d completion zsh > "${fpath[1]}/_bnc2d"\n'
        "  bnc2d completion fish > ~/.config/fish/completions/bnc2d.fish"
    )
    add("shell", choices=tuple(_FIELDS), help="the shell that is to run the script")
    add("--json", action="store_true", help="print what is completed as JSON for machines")


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    found = commands(options.parser_of_all())
    if options.json:
        print_json([asdict(command) for command in found], indent=1)
    else:
        template = asset("bnc2d.cli.commands", f"completion.{options.shell}")
        print(fill(template, _FIELDS[options.shell](found)), end="")
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


def _bash(found: Sequence[Command]) -> dict[str, str]:
    values, words = [], []
    for command in found:
        for option in command.options:
            if option.takes_value:
                where = "|".join(f"{command.name}:{name}" for name in option.names)
                answer = f'_bnc2d_words "{" ".join(option.choices)}"; ' if option.choices else ""
                answer = "_bnc2d_files; " if option.takes_path else answer
                values.append(f"        {where}) {answer}return ;;")
        options = " ".join(name for option in command.options for name in option.names)
        words.append(f'        {command.name}) options="{options}"; words="{" ".join(command.words)}" ;;')
    commands = " ".join([*(command.name for command in found), "--help", "--version"])
    return {"commands": f'"{commands}"', "values": "\n".join(values), "words": "\n".join(words)}


def _zsh(found: Sequence[Command]) -> dict[str, str]:
    cases = []
    for command in found:
        specs = []
        for option in command.options:
            summary = option.summary.translate(dict.fromkeys(map(ord, "[]:")))
            value = ""
            if option.takes_value:
                value = ":value:" + ("_files" if option.takes_path else f"({' '.join(option.choices)})")
            specs += [f"{name}[{summary}]{value}" for name in option.names]
        words = f"compadd -- {shlex.join(command.words)}; " if command.words else ""
        specs.append(f"*:word:{{{words}_files}}")
        cases.append(f"        {command.name}) _arguments {shlex.join(specs)} ;;")
    summaries = [f"{command.name}:{command.summary}" for command in found]
    return {"summaries": shlex.join(summaries), "cases": "\n".join(cases)}


def _fish(found: Sequence[Command]) -> dict[str, str]:
    # The first word alone decides which command it is: a file may have the name of another.
    lines = []
    for command in found:
        summary = _fish_quoted(command.summary)
        lines.append(f"complete -c bnc2d -n '__bnc2d_command \"\"' -f -a {command.name} -d {summary}")
        here = f"complete -c bnc2d -n '__bnc2d_command {command.name}'"
        if command.words:
            lines.append(f"{here} -a {_fish_quoted(' '.join(command.words))}")
        for option in command.options:
            flags = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names]
            value = (" -r" if option.takes_path else " -x") if option.takes_value else ""
            value += f" -a {_fish_quoted(' '.join(option.choices))}" if option.choices else ""
            lines.append(f"{here} {' '.join(flags)}{value} -d {_fish_quoted(option.summary)}")
    return {"lines": "\n".join(lines)}


def _fish_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


# What fills the fields of each shell's template.
_FIELDS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
