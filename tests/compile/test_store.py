"""Saved models come back whole, and nothing else is accepted."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import bnc2d
from bnc2d import Bnc2dError, Classifier, CompiledModel, FormatError, example
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile import file_content
from bnc2d.testing import random_naive_bayes
from tests.cases import cases
from tests.strategies import classifiers


def saved(path: Path) -> CompiledModel:
    model: CompiledModel = Classifier(example("diagnosis"), "D").compile()
    model.formula("2")
    model.formula("0", negated=True)
    model.save(path)
    return model


@given(classifiers())
@settings(max_examples=cases(14, 60))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, classifier: Classifier) -> None:
    path = tmp_path_factory.mktemp("store") / "model.bnc2d"
    model = classifier.compile()
    model.formula(model.classes[0])
    model.save(path)
    loaded = bnc2d.load(path)
    assert loaded.classifier.network == classifier.network
    assert (loaded.classes, loaded.features, loaded.target) == (model.classes, model.features, model.target)
    assert (loaded.classifier.threshold, loaded.classifier.ties) == (classifier.threshold, classifier.ties)
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    assert loaded.predict(rows).tolist() == model.predict(rows).tolist()
    for name in model.classes:
        assert loaded.count(name) == model.count(name)
        assert str(loaded.formula(name)) == str(model.formula(name))
    before = path.read_bytes()
    bnc2d.load(path).save(path)
    assert path.read_bytes() == before


def test_damage_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "model.bnc2d"
    saved(path)
    good = path.read_bytes()
    head, body = good.split(b"\n", 1)
    version = head.split()
    newer = b" ".join([version[0], b"99", version[2]]) + b"\n" + body
    cases = {
        b"": "not a compiled model",
        b"network {}": "not a compiled model",
        newer: "newer bnc2d .file version 99",
        good[:-1]: "damaged: it cannot be unpacked",
        good + b"x": "damaged: it cannot be unpacked",
        good[:300] + bytes([good[300] ^ 1]) + good[301:]: "damaged",
        good[:20] + bytes([good[20] ^ 1]) + good[21:]: "damaged: the checksum does not fit",
    }
    for data, words in cases.items():
        path.write_bytes(data)
        with pytest.raises(FormatError, match=words):
            bnc2d.load(path)
    with pytest.raises(FormatError, match="cannot read"):
        bnc2d.load(tmp_path / "nowhere.bnc2d")
    path.write_bytes(good)
    with pytest.raises(FormatError, match="max_bytes"):
        bnc2d.load(path, max_bytes=10)


def content(path: Path) -> tuple[Any, bytes]:
    """The data of a file and, from version 3 on, the tables behind it."""
    text, _, tables = gzip.decompress(path.read_bytes().split(b"\n", 1)[1]).partition(b"\n")
    return json.loads(text), tables


def rewritten(path: Path, data: Any, tables: bytes | None) -> None:
    """Write a file with a sound checksum; without tables it is one of version 2."""
    text = json.dumps(data).encode()
    version = 2 if tables is None else 3
    if tables is not None:
        text += b"\n" + tables
    head = f"bnc2d-model {version} {hashlib.sha256(text).hexdigest()}\n".encode()
    path.write_bytes(head + gzip.compress(text, 1))


@pytest.mark.parametrize("version", [2, 3])
def test_a_sound_checksum_over_nonsense_is_refused_too(version: int, tmp_path: Path) -> None:
    """Change values at random places of the data: a load gives a model or one kind of error."""
    path = tmp_path / "model.bnc2d"
    if version == 2:
        path.write_bytes(Path(__file__).with_name("version2_paper.bnc2d").read_bytes())
    else:
        Classifier(example("diagnosis"), "D").compile(method="paper").save(path)
    whole, tables = content(path)
    text = json.dumps(whole)
    rng = Random(1)  # noqa: S311 - reproducible damage
    nonsense: list[Any] = [None, -1, 10**9, 1.5, "x", "1/0", [], {}, [[1, 2]], True]
    refused = 0
    for _ in range(400):
        data = json.loads(text)
        at = data
        while True:
            key = rng.choice(list(at) if isinstance(at, dict) else range(len(at)))
            if isinstance(at[key], dict | list) and at[key] and rng.random() < 0.9:
                at = at[key]
                continue
            at[key] = rng.choice(nonsense)
            break
        rewritten(path, data, None if version == 2 else tables)
        try:
            bnc2d.load(path)
        except Bnc2dError:
            refused += 1
    assert refused > 200


def larger(path: Path) -> tuple[Any, bytes]:
    """A saved model with tables of one and of two bytes a number."""
    model = Classifier(random_naive_bayes(2, 9, states=3, classes=3), "Y").compile()
    model.save(path)
    data, tables = content(path)
    assert sum(data["diagram"]["nodes"]) > 300
    assert len(tables) > 3 * sum(data["diagram"]["nodes"])
    rewritten(path, data, tables)
    rows = np.concatenate(list(all_rows(model.classifier.feature_variables)))
    assert bnc2d.load(path).predict(rows).tolist() == model.predict(rows).tolist()
    return data, tables


def test_hostile_tables_are_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "model.bnc2d"
    data, tables = larger(path)
    nodes: list[int] = data["diagram"]["nodes"]
    last = nodes[-1] * 3  # bytes of the last level's table

    def shape(**changes: object) -> Any:
        return {**data, "diagram": {**data["diagram"], **changes}}

    cases: list[tuple[Any, bytes, str]] = [
        (data, tables[:-1], "tables take .* bytes, its nodes"),
        (data, tables + b"\0", "tables take"),
        (data, b"", "tables take 0 bytes"),
        (shape(nodes=[*nodes[:-1], nodes[-1] + 1]), tables, "tables take"),
        (shape(nodes=[*nodes[:-1], 10**15]), tables, "tables take"),
        (shape(nodes=[*nodes[:-1], 10**30]), tables, "too many nodes"),
        (shape(nodes=[2**62] * len(nodes)), tables, "too many nodes|tables take"),
        (shape(nodes=[*nodes[:-1], -1]), tables, "'-1' is no number from 0 on"),
        (shape(nodes=[*nodes[:-1], 1.5]), tables, "'1.5' is no number"),
        (shape(nodes=nodes[:-1]), tables, "not valid"),
        (shape(nodes=[*nodes, 0]), tables, "not valid"),
        (shape(nodes=[*nodes[1:], nodes[0]]), tables, "not valid"),
        (shape(order=data["diagram"]["order"][::-1]), tables[::-1], "the diagram: "),
        (shape(order=[0] * len(nodes)), tables, "no permutation"),
        (shape(order=[*data["diagram"]["order"][:-1], 99]), tables, "not valid"),
        (shape(root=sum(nodes) + 3), tables, "no such root"),
        (shape(root=-1), tables, "'-1' is no number"),
        (shape(root=0), tables, "not reached"),
        (shape(terminals=4), tables, "4 terminals, the rule 3"),
        (data, tables[:-1] + b"\xff", "leads to no later node"),
        (data, tables[:-last] + b"\0" * last, "leads to one child only"),
        (data, tables[:-last] + (tables[-last:][:3] * nodes[-1]), "are equal"),
        ({**data, "sizes": data["sizes"][:-1]}, tables, "not valid"),
        ({**data, "sizes": [[-1, 2]] * 3}, tables, "'-1' is no number"),
        ({**data, "sizes": None}, tables, "not valid"),
    ]
    for changed, bytes_of_tables, words in cases:
        rewritten(path, changed, bytes_of_tables)
        with pytest.raises(FormatError, match=words) as refused:
            bnc2d.load(path)
        assert "\n" not in str(refused.value)


def test_children_above_their_parents_and_cycles_are_refused(tmp_path: Path) -> None:
    """Set single numbers of the first tables, which are those of the upper levels, to other nodes."""
    path = tmp_path / "model.bnc2d"
    data, tables = larger(path)
    total = sum(data["diagram"]["nodes"])
    numbers = np.frombuffer(tables[:6], dtype="<u2").copy()  # the root's children
    for child in (data["diagram"]["root"], total + 3, 2**16 - 1):
        numbers[0] = child
        rewritten(path, data, numbers.tobytes() + tables[6:])
        with pytest.raises(FormatError, match="leads to no later node"):
            bnc2d.load(path)
    rng = Random(5)  # noqa: S311 - reproducible damage
    refused = 0
    for _ in range(300):
        damaged = bytearray(tables)
        damaged[rng.randrange(len(tables))] ^= 1 << rng.randrange(8)
        rewritten(path, data, bytes(damaged))
        try:
            bnc2d.load(path).diagram.assert_consistent()
        except FormatError:
            refused += 1
    assert 100 < refused < 300  # some are diagrams of other functions


def test_a_file_without_tables_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.bnc2d"
    data, _ = larger(path)
    text = json.dumps(data).encode()
    head = f"bnc2d-model 3 {hashlib.sha256(text).hexdigest()}\n".encode()
    path.write_bytes(head + gzip.compress(text))
    with pytest.raises(FormatError, match="tables of the diagram are missing"):
        bnc2d.load(path)


def test_the_unpacked_tables_count_for_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "model.bnc2d"
    data, tables = larger(path)
    rewritten(path, data, tables + b"\0" * 10**6)
    size = path.stat().st_size
    with pytest.raises(FormatError, match="bytes unpacked; max_bytes raises the limit"):
        bnc2d.load(path, max_bytes=2 * size)


@pytest.mark.parametrize("bound", [1, 255, 256, 257, 65536, 65537, 2**32, 2**32 + 1])
def test_numbers_take_the_smallest_type(bound: int) -> None:
    dtype = file_content._type_below(bound)
    assert np.iinfo(dtype).max >= bound - 1
    assert dtype.itemsize == 1 or np.iinfo(f"<u{dtype.itemsize // 2}").max < bound - 1
    assert dtype.str[0] in "<|"


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.bnc2d"
    model = saved(path)
    before = path.read_bytes()

    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", broken)
    with pytest.raises(KeyboardInterrupt):
        model.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
