"""Instances that the network rules out, and ties: every answer says so, with the rule that decided."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

import bnc2d
from bnc2d import Classifier, CompiledModel, TimeLimitExceeded
from bnc2d.base.checkpoints import checkpoint
from bnc2d.model.inference import JointQuery
from bnc2d.testing import random_instance
from tests.explain.learnt import learnt_tan, some_rows

ROWS = some_rows(1, 30, 8, 3, 3)
CASES: dict[str, dict[str, Any]] = {
    "lowest": {},
    "none": {"ties": "none"},
    "threshold": {"classes": 2, "threshold": Fraction(1, 3)},
}
SAID = {
    "lowest": "all classes tie at zero, and the tie rule takes the one listed first, 0.",
    "none": "all classes tie at zero, and a tie is in no class.",
    "threshold": "nothing is above the threshold, so the rule takes the other class, 0.",
}


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[str, CompiledModel]:
    options = {"classes": 3, **CASES[request.param]}
    rows = [{**row, "Y": str(min(int(row["Y"]), options["classes"] - 1))} for row in ROWS]
    model: CompiledModel = learnt_tan(rows, 3, **options).compile()
    return request.param, model


def some_instances(model: CompiledModel) -> list[dict[str, str]]:
    """Return instances that were met, and others at random."""
    met = [{feature: row[feature] for feature in model.features} for row in ROWS[:4]]
    return [*met, *(random_instance(model.classifier, seed) for seed in range(8))]


def test_most_instances_are_impossible(case: tuple[str, CompiledModel]) -> None:
    _, model = case
    assert model.classifier.count_impossible() > 0.7 * model.domain.instance_count


def test_explanations_say_so(case: tuple[str, CompiledModel], tmp_path: Path) -> None:
    name, model = case
    model.save(tmp_path / "model.bnc2d")
    loaded = bnc2d.load(tmp_path / "model.bnc2d")
    seen = {True: 0, False: 0}
    for instance in some_instances(model):
        for e in (model.explain(instance), loaded.explain(instance)):
            possible = any(model.classifier.posterior(instance).values())
            assert e.possible is possible
            seen[possible] += 1
            text, html = " ".join(e.to_text(limit=1).split()), e._repr_html_()
            said = "This instance is impossible"
            assert (said in text, said in html) == (not possible, not possible)
            nearest = e.robustness().witness
            assert nearest is not None
            way_out = model.classifier.is_possible(nearest)
            assert ("though the network gives that probability 0" in text) == (not way_out)
            assert ("(probability 0)" in html) == (not way_out)
            if not possible:
                assert e.decided_by == ("threshold rule" if name == "threshold" else "tie rule")
                assert e.caveat.endswith(SAID[name])
                assert e.caveat in text
                assert e.caveat in html
    assert min(seen.values()) > 2


def test_batches_say_so(case: tuple[str, CompiledModel]) -> None:
    import pandas as pd

    _, model = case
    rows = some_instances(model)
    answers = model.explain_many(rows, limit=1)
    assert [row.possible for row in answers] == [any(model.classifier.posterior(r).values()) for r in rows]
    assert [row.decided_by for row in answers] == [model.explain(row).decided_by for row in rows]
    frame = model.explain_many(pd.DataFrame(rows), limit=1)
    assert frame["possible"].tolist() == [row.possible for row in answers]
    assert frame["decided_by"].tolist() == [row.decided_by for row in answers]


def classifier_of(posteriors: dict[str, list[Fraction]], **options: Any) -> bnc2d.Classifier:
    """Return the classifier of ``Y`` with these posteriors, a list for each state of the feature ``X``."""
    x = bnc2d.Variable("X", tuple(posteriors))
    y = bnc2d.Variable("Y", ("no", "yes", "maybe")[: len(posteriors["a"])])
    table = [entry for column in posteriors.values() for entry in column]
    cpts = [bnc2d.CPT(x, (), [Fraction(1, len(x))] * len(x)), bnc2d.CPT(y, (x,), table)]
    return bnc2d.Classifier(bnc2d.BayesianNetwork([x, y], cpts), "Y", ["X"], **options)


def test_possible_instances_with_a_tie() -> None:
    low, high, half = Fraction(1, 5), Fraction(2, 5), Fraction(1, 2)
    three = {
        "a": [low, high, high],
        "b": [high, low, high],
        "c": [high, high, low],
        "d": [half, half, 0 * half],
    }
    three["e"] = [high, low * 3 / 2, low * 3 / 2]
    e = classifier_of(three).compile().explain({"X": "a"})
    assert (e.possible, e.decided_by, e.decision) == (True, "tie rule", "yes")
    said = "yes and maybe are equally probable: the tie rule takes the one listed first, yes."
    assert e.caveat == said
    assert said in e.to_text()
    assert said in e._repr_html_()
    assert classifier_of(three).compile().explain({"X": "e"}).caveat == ""
    e = classifier_of(three, ties="none").compile().explain({"X": "a"})
    assert (e.decision, e.decided_by) == (None, "tie rule")
    assert e.caveat == "yes and maybe are equally probable: a tie is in no class."
    two = {"a": [half, half], "b": [high, 1 - high]}
    e = classifier_of(two, threshold=half).compile().explain({"X": "a"})
    assert (e.possible, e.decision, e.decided_by) == (True, "no", "threshold rule")
    assert e.caveat == "The probability of yes is the threshold exactly, which is not above it: so no."
    e = classifier_of(two, threshold=half).compile().explain({"X": "b"})
    assert (e.decided_by, e.caveat) == ("posterior", "")


def test_a_network_too_large_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    e = (
        Classifier(bnc2d.example("asia"), "lung", ["smoke", "xray"])
        .compile()
        .explain({"smoke": "yes", "xray": "no"})
    )
    monkeypatch.setattr("bnc2d.model.inference.MAX_TABLE_ENTRIES", 1)
    assert "Whether the instance is possible, and no tie, is not known: inference needs" in e.to_text()


def test_inference_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A network whose tables are large, but not too large, cannot hold up a text."""

    def endless(*_: object) -> None:
        while True:
            checkpoint()

    model = Classifier(bnc2d.example("asia"), "lung", ["smoke", "xray"]).compile()
    e = model.explain({"smoke": "yes", "xray": "no"})
    monkeypatch.setattr(JointQuery, "possible", endless)
    started = perf_counter()
    for text in (e.to_text(time_limit=0.2), e._repr_html_()):
        assert "is not known: inference does not end within the time limit of" in " ".join(text.split())
    assert perf_counter() - started < 0.2 + 1 + 2.5  # the text, and the notebook's four lists and one line
    started = perf_counter()
    with pytest.raises(TimeLimitExceeded, match="which rows are possible is not known within the time limit"):
        model.explain_many([e.instance], time_limit=0.2)
    assert perf_counter() - started < 1.2
