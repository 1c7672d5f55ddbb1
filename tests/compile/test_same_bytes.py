"""The same compilation gives the same file, byte for byte: in any process, and whatever happened since."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bnc2d
from bnc2d import Classifier, CompiledModel, example
from bnc2d.base.atomic import gzipped
from bnc2d.base.readers.choices import METHODS, Method
from bnc2d.compile.store import VERSION, model_from_bytes, model_to_bytes
from bnc2d.errors import Bnc2dError
from bnc2d.testing import (
    random_classifier,
    random_latent_tree,
    random_naive_bayes,
    random_noisy_or,
    random_tan,
)
from tests.cases import cases

VERSION_1 = Path(__file__).with_name("version1.bnc2d")  # with timings


def all_classifiers() -> dict[str, Classifier]:
    """Return small classifiers that between them take every way through the compilers."""
    found = {name: Classifier(net := example(name), net.roots[0]) for name in ("diagnosis", "running", "led")}
    found |= {f"random {seed}": random_classifier(seed, variables=7, features=6) for seed in range(8)}
    made = {
        "naive": random_naive_bayes(5, 9, states=3, classes=3),
        "tan": random_tan(5, 9),
        "tree": random_latent_tree(5, 9, states=3),
        "noisy": random_noisy_or(5, 8),
    }
    return found | {name: Classifier(net, net.names[0]) for name, net in made.items()}


def digests(threads: int) -> dict[str, str]:
    """Return the digest of the file of each classifier by each method that can compile it."""
    found = {}
    with ThreadPoolExecutor(threads) as pool:
        for name, classifier in all_classifiers().items():
            for method in METHODS:
                executor = pool if threads > 1 and method == "fast" else None
                try:
                    model = classifier.compile(method=method, executor=executor)
                except Bnc2dError:
                    continue
                found[f"{name}, {method}"] = hashlib.sha256(model_to_bytes(model)).hexdigest()
    return found


def test_across_processes_hash_seeds_and_threads() -> None:
    here = digests(1)
    assert {name.rpartition(", ")[2] for name in here} == set(METHODS)
    assert len(set(here.values())) > 30
    runs = []
    for seed, threads in ((1, 1), (2, 3)):
        script = f"import json; from {__name__} import digests; print(json.dumps(digests({threads})))"
        settings = {"PYTHONHASHSEED": str(seed), "OPENBLAS_NUM_THREADS": str(threads)}
        path = os.pathsep.join(entry for entry in sys.path if entry)
        runs.append(
            subprocess.Popen(
                [sys.executable, "-c", script],
                stdout=subprocess.PIPE,
                env={**os.environ, **settings, "PYTHONPATH": path},
            )
        )
    for run in runs:
        assert json.loads(run.communicate()[0]) == here


@pytest.mark.parametrize("method", METHODS)
def test_what_was_asked_of_a_model_does_not_change_its_file(method: Method) -> None:
    model = Classifier(example("running"), "A", ["D", "E", "F"]).compile(method=method)
    before = model_to_bytes(model)
    explanation = model.explain({"D": 1, "E": 0, "F": 1})
    list(explanation.contrastive("0"))
    for name in model.classes:
        model.formula(name, negated=True)
    model.verify()
    assert model_to_bytes(model) == before


def test_a_file_keeps_no_trace_of_the_run(tmp_path: Path) -> None:
    model = Classifier(example("diagnosis"), "D").compile()
    model.save(tmp_path / "x.bnc2d")
    loaded = bnc2d.load(tmp_path / "x.bnc2d")
    run: dict[str, Any] = {
        "seconds": {},
        "log2_work": None,
        "frontier": None,
        "cells": None,
        "exact_calls": None,
    }
    assert model.stats.seconds
    assert loaded.stats == replace(model.stats, **run)
    assert loaded.stats.omega_total == 4
    assert " s<" not in loaded._repr_html_()
    assert " s<" in model._repr_html_()


def test_a_file_of_version_1_is_read_and_written_as_the_newest(tmp_path: Path) -> None:
    old = bnc2d.load(VERSION_1)
    fresh: CompiledModel = Classifier(example("running"), "A", ["D", "E", "F"]).compile()
    assert str(old.formula("1")) == str(fresh.formula("1"))
    assert old.stats.seconds
    old.save(tmp_path / "new.bnc2d")
    head = (tmp_path / "new.bnc2d").read_bytes().split(b"\n")[0].split()
    assert head[1] == str(VERSION).encode() == b"3"
    assert bnc2d.load(tmp_path / "new.bnc2d").stats.seconds == {}
    damaged = bytearray(VERSION_1.read_bytes())
    damaged[-1] ^= 1
    (tmp_path / "old.bnc2d").write_bytes(damaged)
    with pytest.raises(bnc2d.FormatError, match="damaged: the checksum"):
        bnc2d.load(tmp_path / "old.bnc2d")


@pytest.mark.parametrize(
    ("name", "method", "classifier"),
    [
        ("version2", "fast", lambda: Classifier(example("running"), "A", ["D", "E", "F"])),
        ("version2_paper", "paper", lambda: Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"])),
    ],
)
def test_a_file_of_version_2_is_the_same_model(
    name: str, method: Method, classifier: Callable[[], Classifier]
) -> None:
    old = bnc2d.load(Path(__file__).with_name(f"{name}.bnc2d"))
    fresh = classifier().compile(method=method)
    assert old.stats.method == method
    for negated in (False, True):
        for label in old.classes:
            assert str(old.formula(label, negated)) == str(fresh.formula(label, negated))
    assert model_to_bytes(old) == model_to_bytes(fresh)


@pytest.mark.parametrize("method", ["fast", "paper", "enumerate"])
@pytest.mark.parametrize("seed", range(cases(3, 12)))
def test_what_was_asked_first_changes_no_formula(method: Method, seed: int) -> None:
    """Formulas of a loaded model are made as they are asked for; in any order they are the same."""
    model = random_classifier(seed, variables=8, features=7).compile(method=method)
    saved = model_to_bytes(model)
    wanted = [(name, negated) for negated in (False, True) for name in model.classes]
    texts = {key: model.formula(*key).to_text() for key in wanted}
    sizes = {key: model.formula(*key).node_count for key in wanted}
    for order in (wanted[::-1], wanted[1:], sorted(wanted, key=lambda key: (key[1], key[0]), reverse=True)):
        loaded = model_from_bytes(saved)
        assert {key: loaded.formula(*key).to_text() for key in order} == {key: texts[key] for key in order}
        assert {key: loaded.formula(*key).node_count for key in order} == {key: sizes[key] for key in order}
        for key in order:
            assert loaded.formula(*key).to_dict() == model.formula(*key).to_dict()
        assert model_to_bytes(loaded) == saved
    loaded = model_from_bytes(saved)
    assert [loaded.formula_size(name)[0] for name in model.classes] == [
        sizes[name, False] for name in model.classes
    ]
    assert not any(loaded.has_formula(name) for name in model.classes) or method != "fast"


def test_the_checksum_is_that_of_the_text_not_of_the_packing(tmp_path: Path) -> None:
    """Another release of zlib, which packs otherwise, gives the same first line."""
    data = model_to_bytes(Classifier(example("diagnosis"), "D").compile())
    head, _, body = data.partition(b"\n")
    text = gzip.decompress(body)
    assert head.split()[2] == hashlib.sha256(text).hexdigest().encode()
    assert gzip.compress(text, 9) != body
    (tmp_path / "x.bnc2d").write_bytes(head + b"\n" + gzip.compress(text, 9))
    assert model_to_bytes(bnc2d.load(tmp_path / "x.bnc2d")) == data


def test_packing_leaves_no_trace() -> None:
    for data in (b"", b"bnc2d", os.urandom(10**5), b"\0" * 10**6):
        packed = gzipped(data)
        assert gzip.decompress(packed) == data
        assert packed[:10] == bytes.fromhex("1f8b08000000000002ff")
        assert gzip.decompress(gzipped(data, 1)) == data
        assert gzipped(data, 1)[:10] == bytes.fromhex("1f8b08000000000004ff")
