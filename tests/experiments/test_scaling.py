"""Synthetic classifiers are what they claim to be, and the slopes are those of the numbers."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import pytest

from bnc2d import BayesianNetwork, ClassifierError
from bnc2d.experiments import scaling
from bnc2d.experiments.report.plots import Picture, Series
from bnc2d.experiments.running.jobs import Job, Record, run_job
from bnc2d.experiments.scaling import FAMILIES, synthetic_classifier
from bnc2d.testing import random_noisy_or
from tests.brute_force.decisions import decisions

SMALL = [
    ("noisy-or", 6, 2, 2),
    ("naive-bayes", 4, 3, 3),
    ("naive-bayes", 3, 4, 6),
    ("tan", 5, 3, 2),
    ("tan", 4, 2, 6),
    ("random-tree", 5, 2, 3),
    ("random-tree", 4, 3, 4),
]


def undirected_parts(network: BayesianNetwork) -> int:
    """Return how many connected parts a network has."""
    parts = {name: {name} for name in network.names}
    for parent, child in network.edges:
        joined = parts[parent] | parts[child]
        parts |= dict.fromkeys(joined, joined)
    return len({frozenset(part) for part in parts.values()})


@pytest.mark.parametrize(("family", "features", "states", "classes"), SMALL)
def test_the_shape_is_as_asked(family: str, features: int, states: int, classes: int) -> None:
    classifier = synthetic_classifier(family, features, states, classes, 1)
    network = classifier.network
    network.check()
    assert classifier.features == tuple(f"X{number}" for number in range(features))
    assert {len(variable) for variable in classifier.feature_variables} == {states}
    assert len(classifier.classes) == classes
    assert classifier.target in network.roots
    assert network == synthetic_classifier(family, features, states, classes, 1).network
    assert network != synthetic_classifier(family, features, states, classes, 2).network
    for cpt in network.cpts:
        assert set(cpt.exact.reshape(-1, len(cpt.child)).sum(axis=-1).tolist()) == {Fraction(1)}
        assert all(entry > 0 and 10**8 % entry.denominator == 0 for entry in cpt.exact.reshape(-1).tolist())


@pytest.mark.parametrize(("family", "features", "states", "classes"), SMALL)
def test_every_instance_is_decided_as_by_enumeration(
    family: str, features: int, states: int, classes: int
) -> None:
    met = set()
    for seed in range(3):
        classifier = synthetic_classifier(family, features, states, classes, seed)
        model = classifier.compile()
        for instance, decision in decisions(classifier).items():
            assert model.predict(dict(zip(classifier.features, instance, strict=True))) == decision
            met.add(decision)
    assert len(met) > 1


@pytest.mark.parametrize("features", [1, 2, 9, 40])
def test_structures(features: int) -> None:
    noisy_or, naive, tan, tree = (FAMILIES[family](3, features, 2, 2) for family in FAMILIES)
    found = [f"X{number}" for number in range(features)]
    assert set(noisy_or.leaves) >= set(found)
    assert all(set(noisy_or.parents(name)) <= set(noisy_or.roots) for name in found)
    assert all(1 <= len(noisy_or.parents(name)) <= 3 for name in found)
    assert "Y" in noisy_or.parents("X0")
    assert all(naive.parents(name) == ("Y",) for name in found)
    assert tan.parents("X0") == ("Y",)
    assert all(tan.parents(name)[0] == "Y" and len(tan.parents(name)) == 2 for name in found[1:])
    assert set(tree.leaves) == set(found)
    assert tree.roots == ("Y",)
    assert len(tree.edges) == len(tree) - 1
    assert undirected_parts(tree) == undirected_parts(tan) == 1


def test_a_finding_is_silent_when_no_cause_acts() -> None:
    network = random_noisy_or(5, 12, diseases=4, max_parents=4)
    assert len(network.roots) == 4
    assert max(len(network.parents(leaf)) for leaf in network.leaves) == 4
    for leaf in network.leaves:
        silent = network.cpt(leaf).exact[..., 0]
        parents = silent.ndim
        leak = silent[(0,) * parents]
        alone = [silent[tuple(int(axis == one) for axis in range(parents))] / leak for one in range(parents)]
        both = leak
        for factor in alone:
            both *= factor
        assert silent[(1,) * parents] == both


def test_a_noisy_or_network_is_binary() -> None:
    with pytest.raises(ClassifierError, match="binary, not of 3 states"):
        synthetic_classifier("noisy-or", 4, 3, 2, 0)


def all_jobs(features: Mapping[int, Sequence[int]]) -> list[Job]:
    """Return the jobs of all waves, every one of them being solved."""
    records: dict[tuple[str, str, str], Record] = {}
    while len(found := scaling.jobs(["fast"], records, features=features)) > len(records):
        records = {job.key: job.record("ok") for job in found}
    return found


def test_a_line_goes_on_while_most_runs_are_solved() -> None:
    def lines(records: dict[tuple[str, str, str], Record]) -> set[int]:
        found = [job.source["synthetic"] for job in scaling.jobs(["fast"], records)]
        return {source["features"] for source in found if source["family"] == "noisy-or"}

    first = [job for job in scaling.jobs(["fast"], {}) if "noisy-or" in job.problem]
    assert lines({}) == {8}
    one = {first[0].key: first[0].record("ok")}
    assert lines(one) == {8}
    assert lines(one | {first[1].key: first[1].record("ok")}) == {8, 12}
    assert lines(one | {job.key: job.record("timeout") for job in first[1:]}) == {8}


def test_jobs_are_small_first_and_bounded() -> None:
    found = all_jobs(scaling.FEATURES)
    assert len({job.key for job in found}) == len(found) == 3 * (9 + 3 * (9 + 9 + 9 + 7 + 5))
    sources = [job.source["synthetic"] for job in found]
    sizes = [source["states"] ** source["features"] for source in sources]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 2**40
    assert {source["features"] for source in sources if source["states"] == 6} == {4, 6, 8, 10, 12}
    assert {(s["states"], s["classes"]) for s in sources if s["family"] == "noisy-or"} == {(2, 2)}


def test_a_job_runs() -> None:
    job = scaling.jobs(["fast"], {}, features={states: [4] for states in scaling.FEATURES}, seeds=1)[-1]
    assert job.problem == "scaling/random-tree/4/6/6/0"
    record = run_job(job, 30)
    assert (record["status"], record["network"], record["features"]) == ("ok", "random-tree", 4)
    assert sum(record["class_models"]) == record["instances"] == 6**4


def records() -> dict[tuple[str, str, str], Record]:
    """Runs whose seconds double with each feature, and whose nodes double with every second."""
    found = {}
    for job in all_jobs({states: [8, 12, 16, 20] for states in scaling.FEATURES}):
        source = job.source["synthetic"]
        features = source["features"]
        lost = source["family"] == "tan" and features == 16 and source["seed"] > 0
        facts = {
            "features": features,
            "seconds": 2.0 ** (features - 12),
            "class_nodes": [2 ** (features // 2), 0],
            "peak_mib": 60.0,
        }
        found[job.key] = job.record("timeout") if lost else job.record("ok", **facts)
    other = Job("collection/asia/smoke", "argmax", "fast", {})
    return found | {other.key: other.record("ok")}


def test_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: dict[str, list[str]] = {}

    def record_plot(
        title: str, x_label: str, y_label: str, series: Sequence[Series], *, log_y: bool = False
    ) -> Picture:
        assert (x_label, log_y) == ("features", True)
        drawn[title] = [one.name for one in series]
        return Picture(b"", b"")

    monkeypatch.setattr(scaling, "plot", record_plot)
    summary, *families = scaling.sections(records())
    assert [section.title for section in families] == [f"Scaling: {family}" for family in FAMILIES]
    rows = {row[:3]: row[4:] for row in summary.tables[0].rows}
    assert len(rows) == 1 + 3 * len(scaling.SHAPES)
    assert rows["noisy-or", 2, 2] == (12, 12, 20, 1.0, 1.0, 0.5, None)
    assert rows["tan", 6, 6] == (12, 10, 20, 2.58, 1.0, 0.5, None)
    figures = [figure.name for section in families for figure in section.figures]
    assert figures[:3] == ["scaling-noisy-or-seconds", "scaling-noisy-or-nodes", "scaling-noisy-or-memory"]
    assert len(set(figures)) == 12
    assert drawn["noisy-or: seconds against features"] == ["2 states, 2 classes: slope 1.00"]
    assert drawn["tan: memory against features"] == [
        f"{states} states, {classes} classes" for states, classes in scaling.SHAPES
    ]


def test_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaling, "MEASURES", scaling.MEASURES[:1])
    few = {key: record for key, record in records().items() if "noisy-or" in key[0]}
    _, family = scaling.sections(few)
    assert all(figure.picture.png.startswith(b"\x89PNG") for figure in family.figures)


def test_a_line_ends_where_half_of_its_runs_do_not() -> None:
    seconds = scaling.MEASURES[0]
    job = Job("p", "argmax", "fast", {})
    ok, late = job.record("ok", seconds=1.0), job.record("timeout")
    assert scaling.medians(
        seconds, {8: [ok] * 3, 12: [ok, ok, late], 16: [ok, late, late], 20: [ok, late]}
    ) == {
        8: 1.0,
        12: 1.0,
    }


def test_nothing_to_say() -> None:
    assert scaling.sections({}) == []
