"""from_pyagrum of a fitted ``BNClassifier``: decisions, units and classes are those of pyAgrum."""

from __future__ import annotations

import copy
from fractions import Fraction
from math import inf, nan, nextafter
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnc2d
from bnc2d.adapters.from_pyagrum import from_pyagrum, least_probability
from bnc2d.base.scales import Intervals, scale_of
from bnc2d.errors import ClassifierError, UnknownNameError, UnsupportedError
from tests.adapters.agrum_classifiers import gum, random_fitted, skbn
from tests.adapters.random_frames import explained

# Others ask pyAgrum for what it cannot learn (tables without data, a score without its prior).
SEEDS = [0, 2, 3, 8, 9, 11, 12, 14, 15, 17, 18, 19, 22, 24]


@pytest.mark.filterwarnings("ignore")  # pyAgrum, pandas and scikit-learn have much to say while they learn
@pytest.mark.parametrize("seed", SEEDS)
def test_every_row_is_decided_as_pyagrum_does(seed: int) -> None:
    fitted = random_fitted(seed, size=50, new=10)
    clf = from_pyagrum(fitted.classifier)
    ours = clf.predict(fitted.rows)
    for at, theirs in enumerate(fitted.decisions()):
        row = {name: fitted.rows[name].iloc[at] for name in clf.features}
        if isinstance(theirs, ZeroDivisionError):
            assert explained(clf, row) == "impossible"
        elif isinstance(theirs, Exception):
            raise theirs
        elif ours.iloc[at] != theirs:
            assert explained(clf, row) == "tie", (row, ours.iloc[at], theirs)


def labels_of(fitted: Any) -> tuple[str, ...]:
    return tuple(fitted.bn_.variable(fitted.target_).labels())


def loans(size: int = 200) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Return columns of every kind, and a class that hangs on age and kids."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, size).round(1),
            "kids": rng.integers(0, 4, size),
            "floor": rng.choice([1, 5, 9], size),
            "rate": rng.choice([0.5, 1 / 3], size),
            "owner": rng.random(size) < 0.5,
            "town": rng.choice(["Aix", "Le Mans"], size),
        }
    )
    score = frame["age"] + 10 * frame["kids"] + rng.normal(0, 8, size)
    return frame, pd.Series(np.where(score > 52, "yes", "no"), name="loan")


def fit(frame: pd.DataFrame, classes: Any, **options: Any) -> Any:
    settings = {"learningMethod": "NaiveBayes", "discretizationThreshold": 6, "discretizationNbBins": 4}
    return skbn.createBNClassifier(**{**settings, **options}).fit(frame, classes)


@pytest.fixture(scope="module")
def fitted() -> Any:
    return fit(*loans(), learningMethod="TAN")


def test_cuts_are_in_the_upper_interval_and_ends_are_open(fitted: Any) -> None:
    frame, _ = loans()
    clf = from_pyagrum(fitted)
    ticks = fitted.bn_.variable("age").ticks()
    scale = scale_of(clf.network.variable("age").states)
    assert isinstance(scale, Intervals)
    assert [cut.value for cut in scale.cuts] == list(ticks[1:-1])
    ages = [one for tick in ticks for one in (nextafter(tick, -inf), tick, nextafter(tick, inf))]
    rows = pd.DataFrame([{**frame.iloc[3].to_dict(), "age": age} for age in [*ages, -1e9, 1e9]])
    assert clf.predict(rows).tolist() == fitted.predict(rows).tolist()
    places = [fitted.bn_.variable("age")[repr(age)] for age in rows["age"]]
    assert [clf.network.variable("age").index(age) for age in rows["age"]] == places
    reason = str(clf.explain(frame.iloc[3]).a_sufficient_reason())
    assert "age" not in reason or any(sign in reason for sign in ("age <", "age ≥", "age ∈ ["))


def test_columns_keep_their_types(fitted: Any) -> None:
    frame, _ = loans()
    clf = from_pyagrum(fitted)
    assert clf.features == tuple(frame.columns)
    assert [clf.network.variable(name).states for name in ("kids", "floor", "rate", "owner", "town")] == [
        ("0", "1", "2", "3"),
        ("1", "5", "9"),
        ("0.3333333", "0.5"),
        ("False", "True"),
        ("Aix", "Le Mans"),
    ]
    as_array = frame.to_numpy()
    assert clf.predict(as_array).tolist() == clf.predict(frame).tolist() == fitted.predict(frame).tolist()
    with pytest.raises(UnknownNameError, match="'town' has no state 'Lyon'"):
        clf.predict({**frame.iloc[0].to_dict(), "town": "Lyon"})
    with pytest.raises(UnknownNameError, match="'kids' has no state '7'"):
        clf.predict({**frame.iloc[0].to_dict(), "kids": 7})


def test_missing_values_are_summed_out(fitted: Any) -> None:
    frame, _ = loans()
    clf = from_pyagrum(fitted)
    row = {**frame.iloc[0].to_dict(), "town": None, "age": nan}
    engine = gum.LazyPropagation(fitted.bn_)
    engine.setEvidence({name: str(value) for name, value in row.items() if name not in ("town", "age")})
    theirs = engine.posterior("loan")
    assert clf.posterior(row, exact=False) == pytest.approx({"no": theirs[0], "yes": theirs[1]})


@pytest.mark.parametrize(
    ("labels", "kind"), [([0, 1], int), ([-3, 8], int), ([False, True], bool), ([1.0, 2.0], float)]
)
def test_classes_keep_their_type(labels: list[Any], kind: type) -> None:
    frame, classes = loans(80)
    own = classes.map({"no": labels[0], "yes": labels[1]})
    fitted = fit(frame, own)
    clf = from_pyagrum(fitted)
    found = clf.predict(frame)
    assert (found == fitted.predict(frame)).all()
    assert found.dtype == own.dtype
    assert type(clf.predict(frame.iloc[0])) is kind
    assert clf.classes_.tolist() == labels
    assert clf.score(frame, own) == pytest.approx(fitted.score(frame, own))


@pytest.mark.parametrize("digits", [-1, 0, 1, 2, 10, 16, 20, 400])
def test_the_threshold_stands_for_rounding_and_comparing(digits: int) -> None:
    rng = np.random.default_rng(digits + 1)
    fixed = [0.25, 0.125, 0.5, 0.15, 0.45, 0.35, 1.0, 1e-12, 0.3, 0.75]
    thresholds = [*fixed, *rng.random(40).tolist(), *(round(one, digits) for one in rng.random(40).tolist())]
    for threshold in thresholds:
        least = least_probability(threshold, digits)
        assert least is not None
        near = float(min(max(least, Fraction(0)), Fraction(1)))
        probabilities = [threshold, near, nextafter(near, 0), nextafter(near, 1), *rng.random(5).tolist()]
        for one in [*probabilities, *fixed]:
            if 0 <= one <= 1:
                assert (Fraction(one) > least) == (round(one, digits) >= threshold), (threshold, one)
    assert least_probability(1.5, digits) is least_probability(nan, digits) is None
    assert least_probability(0.0, digits) == least_probability(-inf, digits) == -1


def coin(rows: int = 100, yes: int = 50) -> Any:
    """Return a classifier of a trained network with P(yes | X=x) = yes / rows for both x."""
    bn = gum.fastBN("Y{no|yes}->X{a|b}")
    bn.cpt("Y").fillWith([1 - yes / rows, yes / rows])
    bn.cpt("X").fillWith([0.5, 0.5, 0.5, 0.5])
    return bn


@pytest.mark.parametrize(
    ("digits", "threshold"), [(10, 0.5), (10, 0.5000000001), (1, 0.5), (0, 0.5), (2, 0.505)]
)
def test_a_threshold_that_is_hit_counts_as_reached(digits: int, threshold: float) -> None:
    made = skbn.createBNClassifier(significant_digit=digits)
    made.fromTrainedModel(coin(), "Y", targetModality="yes", threshold=threshold)
    rows = pd.DataFrame({"X": ["a", "b"]})
    assert from_pyagrum(made).predict(rows).tolist() == made.predict(rows).tolist()


def test_a_trained_model_says_whether_or_names_the_class() -> None:
    bn = gum.fastBN("A[3]->Y{no|yes}<-B{u|v|w};Y->C[0,1.5,3]")
    rows = pd.DataFrame([{"A": a, "B": b, "C": c} for a in range(3) for b in "uvw" for c in (0.5, 1.5)])
    for modality in ("", "no", "yes"):
        made = skbn.createBNClassifier()
        made.fromTrainedModel(bn, "Y", targetModality=modality, threshold=0.6)
        clf = from_pyagrum(made)
        assert clf.predict(rows).tolist() == made.predict(rows).tolist()
        assert clf.predict({"A": 1, "B": "v", "C": 1.2}) in ([True, False] if modality else ["no", "yes"])
        assert set(clf.features) == {"A", "B", "C"}


def test_the_blanket_alone_decides_where_other_tables_have_zeros() -> None:
    bn = gum.fastBN("Z->A->Y{no|yes}->X;W")
    bn.cpt("Z").fillWith([1, 0])
    bn.cpt("A").fillWith([1, 0, 0.5, 0.5])  # so A=1 is impossible, which pyAgrum does not look at
    bn.cpt("Y").fillWith([0.8, 0.2, 0.3, 0.7])
    bn.cpt("X").fillWith([0.6, 0.4, 0.5, 0.5])
    made = skbn.createBNClassifier()
    made.fromTrainedModel(bn, "Y")
    clf = from_pyagrum(made)
    rows = pd.DataFrame([{"Z": 0, "W": 0, "A": a, "X": x} for a in (0, 1) for x in (0, 1)])
    assert set(clf.features) == {"A", "X"}
    assert clf.predict(rows).tolist() == made.predict(rows).tolist() == ["no", "no", "yes", "yes"]


def test_a_target_that_nothing_touches_is_decided_alike_everywhere() -> None:
    bn = gum.fastBN("A->B;Y{no|yes}")
    bn.cpt("A").fillWith([1, 0])
    bn.cpt("B").fillWith([0.5, 0.5, 0.5, 0.5])
    bn.cpt("Y").fillWith([0.3, 0.7])
    made = skbn.createBNClassifier()
    made.fromTrainedModel(bn, "Y")
    clf = from_pyagrum(made)
    assert set(clf.features) == {"A", "B"}
    rows = pd.DataFrame([{"A": a, "B": b} for a in (0, 1) for b in (0, 1)])
    assert clf.predict(rows).tolist() == made.predict(rows).tolist() == ["yes"] * 4
    assert len(clf.explain(rows.iloc[0]).a_sufficient_reason()) == 0


def renamed(fitted: Any) -> Any:
    """Return the same classifier with its attributes as releases before 3 name them."""
    names = ["bn", "MarkovBlanket", "target", "label", "threshold", "targetType", "fromModel"]
    old = {name: getattr(fitted, f"{name}_") for name in [*names, "variableNameIndexDictionary"]}
    kind = type("BNClassifier", (), {"__module__": "pyagrum.skbn.bnclassifier"})
    made = kind()
    made.__dict__.update(old, isBinaryClassifier=len(fitted.classes_) == 2, significant_digit=10)
    return made


def test_older_releases_name_things_otherwise(fitted: Any) -> None:
    frame, classes = loans()
    assert from_pyagrum(renamed(fitted)).predict(frame).tolist() == fitted.predict(frame).tolist()
    several = fit(frame, classes + frame["kids"].clip(upper=1).astype(str))
    assert from_pyagrum(renamed(several)).predict(frame).tolist() == several.predict(frame).tolist()


def test_learning_noise_is_no_reason_to_warn(fitted: Any, recwarn: pytest.WarningsRecorder) -> None:
    from_pyagrum(fitted)
    assert not recwarn.list


def changed(fitted: Any, **attributes: Any) -> Any:
    other = copy.copy(fitted)
    for name, value in attributes.items():
        setattr(other, name, value)
    return other


def test_what_cannot_be_taken_in_is_refused(fitted: Any) -> None:
    with pytest.raises(ClassifierError, match=r"not fitted; call its fit\(\) or fromTrainedModel\(\)"):
        from_pyagrum(skbn.createBNClassifier())
    made = skbn.createBNClassifier()
    made.fromTrainedModel(gum.fastBN("Y{a|b|c}->X"), "Y", targetModality="b")
    with pytest.raises(UnsupportedError, match=r"only says whether a row is 'b', out of 3 .* without target"):
        from_pyagrum(made)
    for threshold, always in ((1.5, "no"), (inf, "no"), (nan, "no"), (0.0, "yes")):
        with pytest.raises(UnsupportedError, match=f"never crossed: it decides '{always}' for every row"):
            from_pyagrum(changed(fitted, threshold_=threshold))


def test_numbers_of_a_network_are_read_and_shown_in_units() -> None:
    bn = gum.BayesNet()
    bn.add(gum.RangeVariable("Y", "", 1, 2))
    bn.add(gum.DiscretizedVariable("age", "", [0, 37.5, 50, 120]))
    bn.add(gum.IntegerVariable("floor", "", [7, 1]))
    bn.add(gum.NumericalDiscreteVariable("rate", "", [0.5, 2.25]))
    for name in ("age", "floor", "rate"):
        bn.addArc("Y", name)
    bn.cpt("Y").fillWith([0.5, 0.5])
    bn.cpt("age").fillWith([0.8, 0.1, 0.1, 0.2, 0.3, 0.5])
    for name in ("floor", "rate"):
        bn.cpt(name).fillWith([0.5, 0.5, 0.5, 0.5])
    net = from_pyagrum(bn)
    assert net.variable("age").states == bn.variable("age").labels() == ("[0;37.5[", "[37.5;50[", "[50;120]")
    clf = bnc2d.Classifier(net, "Y", "all")
    row = {"age": 37.5, "floor": 7, "rate": 2.25}
    assert clf.predict(row) == 2
    assert str(clf.explain(row).a_sufficient_reason()) == "age ∈ [37.5, 50)"
    assert str(next(iter(clf.explain(row).general_sufficient_reasons()))) == "age ≥ 37.5"
    assert clf.predict({"age": "[0;37.5[", "floor": "1", "rate": "0.5"}) == 1
