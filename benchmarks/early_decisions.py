"""How many partial instances are undecided: by signs, by intervals and by rays; and open boxes of columns.

    python benchmarks/early_decisions.py SUITE                      # the rows of docs/benchmarks.md
    python benchmarks/early_decisions.py SUITE Win95pts-DrvOK tcc4e-var_8-30:20 asia:smoke
    python benchmarks/early_decisions.py SUITE --boxes tcc4e-var_4-30

A problem of the suite, its first features only after a colon; or a built-in network and its target. The
spine of the paper's method is walked for the last class, and what signs (the published test) leave undecided
is followed. So all three are asked about the same partial instances, on each edge that splits features.
"kept" is how many rays there are, "*" where they are too many, so that intervals decide instead.

With ``--boxes``: what share of the default method's boxes of 64 columns is open, by problem and threshold.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import bnc2d
from bnc2d.base.readers.choices import EARLY
from bnc2d.compile.graph.pruning import target_part
from bnc2d.compile.meet.boxes import Boxes, Signs
from bnc2d.compile.paper.compile_negative import PaperCompiler
from bnc2d.compile.paper.decide_early import decide_early
from bnc2d.compile.paper.decide_negative import UNDECIDED, ClassTest, Flags, decide_negative
from bnc2d.errors import LimitExceeded
from bnc2d.experiments.problems import read_problem, read_quietly
from bnc2d.model.accounts import Floats, margin

WALKS = (
    "Win95pts-AppOK",
    "Win95pts-DrvOK",
    "andes-APPLY32-19",
    "andes-CHOOSE47-19",
    "tcc4e-var_8-30:24",
    "tcc4e-var_12-30:20",
    "asia:smoke",
)
BOXES = tuple(
    f"tcc4e-{name}" for name in ("var_24-30", "var_5-30", "var_19-30", "var_7-27", "var_4-30", "var_8-30")
)
_ENTRIES_AT_ONCE = 1 << 20


def classifier_of(suite: Path, name: str, threshold: str | None = None) -> bnc2d.Classifier:
    """Return the classifier of a problem, or of a built-in network and a target."""
    name, _, rest = name.partition(":")
    if name in bnc2d.examples():
        return bnc2d.Classifier(bnc2d.example(name), rest)
    problem = read_problem(suite, name)
    features = problem.features if not rest else (problem.features or ())[: int(rest)]
    wanted = problem.threshold if threshold is None else threshold
    return bnc2d.Classifier(read_quietly(problem.network), problem.target, features, wanted)


@dataclass
class Walk:
    """Counts of partial instances by spine node, while what signs leave undecided is followed."""

    compiler: PaperCompiler
    ends: float
    met: dict[int, int] = field(default_factory=dict)
    undecided: dict[tuple[int, str], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        classifier = self.compiler.classifier
        classes = len(classifier.classes)
        self._test = ClassTest.of(classifier.rule, classes, classes - 1)

    def below(self, depth: int, factor: Floats, trusted: Flags) -> None:
        """Count what is at a node and further down."""
        node = self.compiler.spine[depth]
        if node.is_last:
            return
        width = max(len(node.table), factor.shape[1]) * node.right_message.shape[1] * len(node.states)
        step = max(1, _ENTRIES_AT_ONCE // width)
        for start in range(0, len(factor), step):
            if time.monotonic() > self.ends:
                raise LimitExceeded("the time is over")
            grown = node.extend(factor[start : start + step])
            joint = grown.reshape(-1, *grown.shape[2:])
            sure = np.repeat(trusted[start : start + step], len(node.states))
            left = self._count(depth, joint, sure) if node.splits_features else np.arange(len(joint))
            if left.size:
                onward, in_range = node.divide(joint[left])
                self.below(depth + 1, onward, sure[left] & in_range)

    def _count(self, depth: int, joint: Floats, trusted: Flags) -> np.ndarray:
        """Count by all three tests; return what signs leave undecided."""
        roundings, known = self.compiler.spine[depth].roundings, self.compiler.completions[depth]
        signs = decide_negative(joint, self._test, margin(roundings))
        left = np.flatnonzero((signs == UNDECIDED) | ~trusted)
        self.met[depth] = self.met.get(depth, 0) + len(joint)
        for early in EARLY:
            count = len(left)
            if early != "signs" and known is not None:
                verdicts = decide_early(joint[left], known, early, self._test, roundings)
                count = int(((verdicts == UNDECIDED) | ~trusted[left]).sum())
            self.undecided[depth, early] = self.undecided.get((depth, early), 0) + count
        return left


def walk(classifier: bnc2d.Classifier, name: str, limit: float) -> None:
    """Print the rows of a problem."""
    compiler = PaperCompiler(target_part(classifier).classifier, early="rays")
    found = Walk(compiler, time.monotonic() + limit)
    over = ""
    try:
        found.below(0, np.ones((1, 1, 1)), np.ones(1, dtype=bool))
    except LimitExceeded:
        over = f", ended after {limit:.0f} s"
    features = len(compiler.classifier.features)
    print(f"\n{name}: {features} features{over}\n")
    print("| features set | separator states | met | signs | intervals | rays | kept |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    done = 0
    for depth, node in enumerate(compiler.spine):
        done += len(node.features)
        if depth in found.met:
            known = compiler.completions[depth]
            counts = " | ".join(f"{found.undecided[depth, early]:,}" for early in EARLY)
            kept = "none" if known is None else f"{len(known.rays):,}" if known.complete else "*"
            states = node.right_message.shape[1]
            print(f"| {done} | {states} | {found.met[depth]:,} | {counts} | {kept} |", flush=True)


def boxes(suite: Path, name: str, threshold: str | None) -> None:
    """Print what share of the boxes was open."""
    seen: list[tuple[int, int]] = []
    signs = Boxes.signs

    def counted(self: Boxes, left: np.ndarray, bound: float) -> Signs:
        above, is_open = signs(self, left, bound)
        seen.append((int(is_open.sum()), is_open.size))
        return above, is_open

    Boxes.signs = counted  # type: ignore[method-assign]
    try:
        classifier_of(suite, name, threshold).compile()
    finally:
        Boxes.signs = signs  # type: ignore[method-assign]
    asked = sum(size for _, size in seen)
    share = f"{sum(count for count, _ in seen) / asked:.2%}" if asked else "no boxes"
    print(f"| {name} | {threshold or 'balanced'} | {asked:,} | {share} |", flush=True)


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--boxes", action="store_true")
    parser.add_argument("--time-limit", type=float, default=200.0)
    options = parser.parse_args()
    if options.boxes:
        print("| problem | threshold | boxes asked | open |\n| --- | --- | --- | --- |")
        for name in options.names or BOXES:
            for threshold in (None, "0.5"):
                boxes(options.suite, name, threshold)
        return
    for name in options.names or WALKS:
        walk(classifier_of(options.suite, name), name, options.time_limit)


if __name__ == "__main__":
    main()
