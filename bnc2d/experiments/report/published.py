"""What the paper reports (Zhang and Darwiche 2026), and the file of times of another program."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from bnc2d.errors import FormatError
from bnc2d.experiments.running.jobs import Job, Record
from bnc2d.experiments.running.journal import Key
from bnc2d.formats.files import decode, read_bytes

# Averages over the paper's targets, all leaves being features: ω^T, ω and the number of features; by the
# name of the network in lower case.
WIDTHS: Mapping[str, tuple[float, int, int]] = {
    "win95pts": (17.1, 9, 16),
    "cpcs54": (18.1, 14, 13),
    "andes": (27.7, 18, 22),
}

# By network and target: the paper's name of the target, the instances in the class where it prints them,
# seconds and NNF nodes of its compiler, and those of the one of 2019. The paper gives initials; these are the
# targets whose labels in the network's file have them. For CNBG the number of instances is another one, so
# the classifiers need not be the same.
RUNS: Mapping[tuple[str, str], tuple[str, int | None, float, int, float, int]] = {
    ("andes", "TRY12"): ("TK", None, 12, 5, 11708, 47),
    ("andes", "CHOOSE47"): ("CNBG", 1719892, 30, 2453, 24374, 2893),
    ("andes", "MAXIMIZE34"): ("MDA", None, 1936, 2894, 26614, 5454),
    ("andes", "VALUE3"): ("VKE", None, 262, 1725, 27495, 2107),
}


REFERENCE = "reference"  # what stands for the method in the records of another program


def read_reference(path: Path) -> dict[Key, Record]:
    """Return the runs of a file with lines ``problem threshold seconds nodes``, more columns being ignored.

    The threshold is ``bal`` (the problem's own) or a number, seconds such as ``>100`` mean no result, lines
    that start with ``#`` and the line of headings are skipped.
    """
    lines = decode(read_bytes(str(path), may_be_empty=True), str(path)).splitlines()
    records: dict[Key, Record] = {}
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words or words[0].startswith("#") or words[:2] == ["problem", "threshold"]:
            continue
        try:
            problem, threshold, time, *rest = words
            job = Job(problem, "file" if threshold == "bal" else threshold, REFERENCE, {})
            records[job.key] = job.record("timeout")
            if not time.startswith(">"):
                nodes = int(rest[0]) if rest else None
                records[job.key] = job.record("ok", seconds=float(time), nodes=nodes)
                if not 0 < float(time) < math.inf:
                    raise ValueError("not a time")
        except ValueError:
            raise FormatError("expected: problem threshold seconds nodes", path, number) from None
    return records
