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
from bnc2d.base.instances import all_rows
from tests.strategies import classifiers


def saved(path: Path) -> CompiledModel:
    model: CompiledModel = Classifier(example("diagnosis"), "D").compile()
    model.formula("2")
    model.formula("0", negated=True)
    model.save(path)
    return model


@given(classifiers())
@settings(max_examples=60)
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


def rewritten(path: Path, data: Any) -> None:
    text = json.dumps(data).encode()
    path.write_bytes(f"bnc2d-model 2 {hashlib.sha256(text).hexdigest()}\n".encode() + gzip.compress(text))


def test_a_sound_checksum_over_nonsense_is_refused_too(tmp_path: Path) -> None:
    """Change values at random places of the data: a load gives a model or one kind of error."""
    path = tmp_path / "model.bnc2d"
    saved(path)
    text = gzip.decompress(path.read_bytes().split(b"\n", 1)[1])
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
        rewritten(path, data)
        try:
            bnc2d.load(path)
        except Bnc2dError:
            refused += 1
    assert refused > 200


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
