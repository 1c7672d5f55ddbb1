"""Classifiers whose states were made from columns of data: raw values in, labels in their own type out."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnc2d
from bnc2d import CPT, BayesianNetwork, Classifier, Intervals, Labels, States, Variable

AGE = Intervals([37.5, 50], unit="years")
INCOME = Intervals([20_000, (50_000, True)])
CUTS = {"age": (-1e300, 37.4, 37.5, 49.9, 50, 1e300), "income": (0, 19_999.99, 20_000, 50_000, 50_000.01)}


def credit(labels: tuple[object, ...] = (0, 1), **options: Any) -> Classifier:
    target = Variable("y", States(Labels(labels)))
    age, income = Variable("age", States(AGE)), Variable("income", States(INCOME))
    grade = Variable("grade", States(Labels([1, 2.5, "x"])))
    tables = [
        CPT(target, (), ["0.4", "0.6"]),
        CPT(age, (target,), ["0.7", "0.2", "0.1", "0.1", "0.2", "0.7"]),
        CPT(income, (target,), ["0.6", "0.3", "0.1", "0.1", "0.3", "0.6"]),
        CPT(grade, (target,), ["0.5", "0.3", "0.2", "0.2", "0.3", "0.5"]),
    ]
    network = BayesianNetwork([table.child for table in tables], tables)
    return Classifier(network, "y", ["age", "income", "grade"], **options)


def rows() -> pd.DataFrame:
    values = product(CUTS["age"], CUTS["income"], [1, 2.5, "x"])
    return pd.DataFrame(list(values), columns=["age", "income", "grade"])


def by_name(frame: pd.DataFrame) -> list[dict[str, str]]:
    """Return the same rows with the names of states, by the definition of the cuts."""
    ages = ["<37.5" if age < 37.5 else "[37.5, 50)" if age < 50 else "≥50" for age in frame["age"]]
    incomes = ["<20k" if i < 20_000 else "[20k, 50k]" if i <= 50_000 else ">50k" for i in frame["income"]]
    grades = [str(grade) for grade in frame["grade"]]
    names = ("age", "income", "grade")
    return [dict(zip(names, row, strict=True)) for row in zip(ages, incomes, grades, strict=True)]


@pytest.mark.parametrize("labels", [(0, 1), (False, True), ("no", "yes"), (1.5, 2.5)])
def test_every_form_of_raw_rows_is_decided_as_the_names_are(labels: tuple[object, ...]) -> None:
    classifier, frame = credit(labels), rows()
    plain = [classifier.classes.index(name) for name in map(str, classifier.predict(by_name(frame)))]
    expected = [labels[position] for position in plain]
    for model in (classifier, classifier.compile()):
        found = model.predict(frame)
        assert found.tolist() == expected
        assert found.index.equals(frame.index)
        assert (found == np.array(expected)).all()
        assert model.predict(frame.to_dict("records")) == expected
        array = model.predict(frame.to_numpy(object))
        assert array.tolist() == expected
        assert array.dtype == np.array(labels).dtype
        assert [model.predict(row) for _, row in frame.iterrows()] == expected
        assert all(type(one) is type(labels[0]) for one in model.predict(frame.to_dict("records")))
        assert model.classes_.tolist() == list(labels)
        assert model.score(frame, expected) == 1
        assert model.score(frame, np.array(expected)) == 1
        assert model.score(frame, [str(label) for label in expected]) == 1
        proba = model.predict_proba(frame)
        assert proba.shape == (len(frame), 2)
        assert (proba.argmax(axis=1) == plain).all()
        np.testing.assert_allclose(proba.sum(axis=1), 1)


def test_columns_of_every_dtype() -> None:
    classifier, frame = credit(), rows()
    expected = classifier.predict(by_name(frame))
    for dtype in ("float64", "Float64", "object", "string"):
        other = frame.astype({"age": dtype, "income": dtype})
        assert classifier.predict(other).tolist() == expected, dtype
    whole = frame.assign(age=41, income=30_000)
    names = classifier.predict(by_name(whole))
    for dtype in ("int64", "Int32", "uint16", "float32"):
        assert classifier.predict(whole.astype({"age": dtype, "income": dtype})).tolist() == names


def test_missing_values_of_raw_rows() -> None:
    classifier = credit()
    frame = pd.DataFrame({"age": [np.nan, 60.0], "income": [60_000.0, np.nan], "grade": ["x", None]})
    expected = [classifier.predict({"income": 60_000, "grade": "x"}), classifier.predict({"age": 60})]
    assert classifier.predict(frame).tolist() == expected
    assert classifier.explain(frame.iloc[1]).missing == ("income", "grade")
    filled = Variable("age", States(Intervals([10], missing=1)))
    table = CPT(filled, (), ["0.5", "0.5"])
    target = Variable("y", ("a", "b"))
    network = BayesianNetwork([filled, target], [table, CPT(target, (filled,), ["0.9", "0.1", "0.2", "0.8"])])
    frame = pd.DataFrame({"age": [np.nan, 3.0]})
    assert Classifier(network, "y", ["age"]).predict(frame).tolist() == ["b", "a"]


def test_explanations_speak_in_units() -> None:
    classifier = credit()
    instance = {"age": 41, "income": 30_000.0, "grade": 1}
    for explained in (classifier.explain(instance), classifier.compile().explain(pd.Series(instance))):
        assert explained.decision == classifier.predict(instance)
        assert explained.instance == {"age": "[37.5, 50)", "income": "[20k, 50k]", "grade": "1"}
        assert explained.values == instance
        text = explained.to_text()
        assert "age is 41 years, income is 30k and grade is 1" in text
        assert "age < 37.5 years" in text or "age ≥ 37.5 years" in text or "age in [37.5, 50) years" in text
        data = explained.to_dict()
        assert data["values"] == instance
        assert data["decision"] == explained.decision
        assert data["scales"]["income"] == {"cuts": [[20_000.0, False], [50_000.0, True]]}
        for reason in explained.general_sufficient_reasons():
            assert "∈{" not in str(reason).replace("grade∈{", "")
        nearest = explained.robustness()
        assert nearest.witness is not None
        assert nearest.decision == classifier.predict(nearest.witness)
        assert "years" not in nearest.witness["age"]
    (row,) = classifier.compile().explain_many([instance])
    assert row.decision == classifier.predict(instance)
    frame = classifier.compile().explain_many(pd.DataFrame([instance]))
    assert frame["decision"].tolist() == [classifier.predict(instance)]


def test_values_that_are_no_numbers_say_what_is_expected() -> None:
    classifier = credit()
    with pytest.raises(
        bnc2d.UnknownNameError, match="'old' is no value of 'age': expected a number or one of its"
    ):
        classifier.predict({"age": "old", "income": 1, "grade": 1})
    with pytest.raises(bnc2d.UnknownNameError, match="row 1: variable 'grade' has no state '7'"):
        classifier.predict(pd.DataFrame({"age": [1, 2], "income": [1, 2], "grade": [1, 7]}))
    with pytest.raises(bnc2d.InstanceError, match="expected an array of shape"):
        classifier.predict(np.zeros((2, 5)))


def test_files_keep_units_and_types(tmp_path: Path) -> None:
    path, frame = tmp_path / "m.bnc2d", rows()
    model: Any = credit((False, True)).compile()
    model.save(path)
    assert path.read_bytes().startswith(b"bnc2d-model 5 ")
    again = bnc2d.load(path)
    assert again.predict(frame).tolist() == model.predict(frame).tolist()
    assert again.verify()
    assert str(again.formula("True")) == str(model.formula(True))
    given = model.given("grade=x or age=60")
    given.save(path)
    again = bnc2d.load(path)
    assert isinstance(again, bnc2d.GivenModel)
    assert again.instance_count == given.instance_count


def test_questions_take_raw_values() -> None:
    model: Any = credit().compile()
    instance = {"age": 20, "income": 60_000, "grade": "x"}
    assert model.explain(instance).decision == model.predict(instance)
    assert model.classifier.decides({"age": 60, "income": 60_000}).holds is True
    assert model.nearest(instance, towards=0).decision == 0
    assert model.count(0) == model.count("0")
    assert model.check("if age=60 and income=60000 then y=1")
    term = bnc2d.Term(model.domain, {"age": [20, 41]})
    assert str(term) == "age < 50 years"
    assert term.holds({"age": 12})


def test_units_are_shown_and_change_nothing_else() -> None:
    plain, frame = credit(), rows()
    named = plain.with_units({"income": "€", "age": ""})
    assert named.predict(frame).tolist() == plain.predict(frame).tolist()
    assert named.network.names == plain.network.names
    explanation = named.explain({"age": 41, "income": 30_000, "grade": 1})
    assert "age is 41, income is 30k € and grade is 1" in explanation.to_text()
    for units, message in (
        ({"incom": "€"}, "'incom' is not a feature; did you mean 'income'"),
        ({"grade": "€"}, "'grade' are no intervals"),
        ({"age": 3}, "the unit of 'age' must be a text, not int 3"),
    ):
        wrong: Any = units
        with pytest.raises(bnc2d.ClassifierError, match=message):
            plain.with_units(wrong)
