"""Audits of random classifiers, of which everything is counted again over all instances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import product
from random import Random
from typing import Any

import numpy as np

from bnc2d import CPT, Audit, BayesianNetwork, Classifier, CompiledModel, Variable, audit
from bnc2d.auditing.sources import network_digest
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.result import diagram_of_list
from tests.hard_classifiers import mixed_classifier

KINDS = ("same", "reordered", "other tables", "tampered")


def facts(found: Audit, name: str) -> Mapping[str, Any]:
    """Return the figures of a check."""
    return next(check.facts for check in found.checks if check.name == name)


def verdicts(found: Audit) -> dict[str, str]:
    """Return the verdict of each check."""
    return {check.name: check.verdict for check in found.checks}


def tampered(model: CompiledModel, rng: Random, times: int = 1) -> CompiledModel:
    """Return a model that decides a few instances otherwise, as someone would who edits its table."""
    labels = model.diagram.labels(np.concatenate(list(all_rows(model.classifier.feature_variables))))
    terminals = model.diagram.terminals
    if terminals == 1:
        return model  # there is no other decision
    for at in rng.sample(range(len(labels)), min(times, len(labels))):
        labels[at] = (labels[at] + rng.randrange(1, terminals)) % terminals
    return CompiledModel(model.classifier, diagram_of_list(model.classifier, labels, terminals), model.stats)


def reordered(network: BayesianNetwork, rng: Random, *, states_too: bool = False) -> BayesianNetwork:
    """Return the same network with variables, parents and maybe states listed in another order."""
    made = {
        one.name: Variable(one.name, tuple(rng.sample(one.states, len(one)) if states_too else one.states))
        for one in network.variables
    }
    cpts = []
    for cpt in network.cpts:
        order = rng.sample(range(len(cpt.parents)), len(cpt.parents))
        table = cpt.exact.transpose(*order, len(order))
        scope = [*(cpt.parents[at] for at in order), cpt.child]
        for axis, old in enumerate(scope):
            table = table.take([old.states.index(state) for state in made[old.name].states], axis=axis)
        parents = [made[cpt.parents[at].name] for at in order]
        cpts.append(CPT(made[cpt.child.name], parents, table.reshape(-1).tolist()))
    return BayesianNetwork(rng.sample(list(made.values()), len(made)), cpts, "another name")


def with_other_table(network: BayesianNetwork, rng: Random) -> BayesianNetwork:
    """Return a network in which the columns of one table are turned round."""
    cpts = list(network.cpts)
    at = rng.randrange(len(cpts))
    old = cpts[at]
    cpts[at] = CPT(old.child, old.parents, old.exact[..., ::-1].reshape(-1).tolist())
    return BayesianNetwork(network.variables, cpts, network.name)


def drawn_rows(classifier: Classifier, rng: Random) -> list[dict[str, object]]:
    """Return rows, some with missing values, some with states that do not exist."""
    rows: list[dict[str, object]] = []
    for _ in range(rng.randrange(1, 12)):
        row: dict[str, object] = {one.name: rng.choice(one.states) for one in classifier.feature_variables}
        name = rng.choice(classifier.features)
        row[name] = rng.choices((row[name], None, "no such state"), (6, 1, 1))[0]
        rows.append({**row, "remark": "ignored"})
    return rows


def check_audit(seed: int) -> tuple[str, Audit]:
    """Audit a random model and compare every figure with its definition; return its kind and the audit."""
    rng = Random(f"audit {seed}")  # noqa: S311 - reproducible test data
    classifier = mixed_classifier(seed, max_instances=120)
    model = classifier.compile()
    kind = KINDS[seed % len(KINDS)]
    network = classifier.network
    if kind == "reordered":
        network = reordered(network, rng, states_too=rng.random() < 0.5)
    elif kind == "other tables":
        network = with_other_table(network, rng)
    elif kind == "tampered":
        model = tampered(model, rng, rng.choice((1, 1, 3)))
    protected = rng.sample(model.features, min(len(model.features), rng.choice((1, 1, 2))))
    rows = drawn_rows(classifier, rng)
    found = audit(model, network, rows, protected=protected, time_limit=None)
    _check_network(found, model, network)
    _check_protected(found, model, protected)
    _check_rows(found, model, network, rows, protected)
    return kind, found


def _instances(model: CompiledModel) -> list[dict[str, str]]:
    states = product(*model.domain.states)
    return [dict(zip(model.features, row, strict=True)) for row in states]


def _brought(model: CompiledModel, network: BayesianNetwork) -> Classifier:
    own = model.classifier
    return Classifier(network, own.target, own.features, own.threshold, own.positive, own.ties)


def _check_network(found: Audit, model: CompiledModel, network: BayesianNetwork) -> None:
    own = model.classifier.network
    brought, instances = _brought(model, network), _instances(model)
    pairs = list(zip(model.predict(instances), brought.predict(instances), strict=True))
    differ = sum(one != other for one, other in pairs)
    said = verdicts(found)
    for name in ("network: decisions proved", "network: decisions by inference"):
        assert facts(found, name)["differ"] == differ, name
        assert said[name] == ("failed" if differ else "passed")
    for check in found.checks:
        if check.name.startswith("network: decisions") and differ:
            (shown,) = check.instances
            one, other = shown.decisions.values()
            assert one != other
            assert one == model.predict(dict(shown.instance))
            assert other == brought.predict(dict(shown.instance))
    same = all(own.variable(name).states == network.variable(name).states for name in own.names)
    assert said["network: variables"] == ("passed" if same else "failed")
    entries = _differing_entries(own, network)
    assert facts(found, "network: tables")["entries"] == entries
    assert (said["network: tables"] == "passed") == (same and not entries)
    is_equal = network_digest(own) == network_digest(network)
    assert is_equal == (same and not entries)
    decided = model.classifier.predict(instances) == model.predict(instances)
    assert said["file: oracle"] == ("passed" if decided else "failed")
    assert said["file: second method"] == ("passed" if decided else "failed")


def _differing_entries(one: BayesianNetwork, other: BayesianNetwork) -> int:
    count = 0
    for cpt in one.cpts:
        for states in product(*(variable.states for variable in cpt.scope)):
            named = dict(zip((variable.name for variable in cpt.scope), states, strict=True))
            count += _entry(one, cpt.child.name, named) != _entry(other, cpt.child.name, named)
    return count


def _entry(network: BayesianNetwork, child: str, named: dict[str, str]) -> object:
    cpt = network.cpt(child)
    return cpt.exact[tuple(variable.states.index(named[variable.name]) for variable in cpt.scope)]


def _check_protected(found: Audit, model: CompiledModel, protected: list[str]) -> None:
    for names in [[name] for name in protected] + ([protected] if len(protected) > 1 else []):
        ordered = [name for name in protected if name in names]
        check = next(one for one in found.checks if one.name == f"protected: {', '.join(ordered)}")
        depend = sum(_depends(model, instance, names) for instance in _instances(model))
        assert check.facts["depend"] == depend
        assert check.verdict == ("failed" if depend else "passed")
        if depend:
            before, after = check.instances
            changed = {name for name in model.features if before.instance[name] != after.instance[name]}
            assert changed <= set(names)
            assert model.predict(dict(before.instance)) != model.predict(dict(after.instance))


def _depends(model: CompiledModel, instance: dict[str, str], names: list[str]) -> bool:
    states = [model.domain.states[model.domain.index(name)] for name in names]
    variants = [{**instance, **dict(zip(names, some, strict=True))} for some in product(*states)]
    return len(set(model.predict(variants))) > 1


def _check_rows(
    found: Audit,
    model: CompiledModel,
    network: BayesianNetwork,
    rows: list[dict[str, object]],
    protected: list[str],
) -> None:
    brought = _brought(model, network)
    own = [{name: row[name] for name in model.features} for row in rows]
    wrong = [at for at, row in enumerate(own, 1) if "no such state" in row.values()]
    missing = [at for at, row in enumerate(own, 1) if None in row.values()]
    read = facts(found, "rows: read")
    assert (read["wrong_rows"], read["missing_rows"]) == (wrong, missing)
    assert verdicts(found)["rows: read"] == ("failed" if wrong else "passed")
    good = {at: row for at, row in enumerate(own, 1) if at not in wrong}
    if not good:
        return
    differ = [at for at, row in good.items() if model.predict(row) != brought.predict(row)]
    assert facts(found, "rows: network")["differing_rows"] == differ
    complete: dict[int, dict[str, str]] = {
        at: {name: str(state) for name, state in row.items()} for at, row in good.items() if at not in missing
    }
    depending = [at for at, row in complete.items() if _depends(model, row, protected)]
    assert facts(found, "rows: protected")["depending_rows"] == depending
    table = next(one for one in found.checks if one.name == "rows: decisions").tables[0]
    told = Counter({row[0]: row[1] for row in table.rows if row[1]})
    assert told == Counter("no class" if one is None else one for one in map(model.predict, good.values()))
    if complete:
        distances = Counter(_distance(model, row) for row in complete.values())
        assert facts(found, "rows: robustness")["distances"] == distances


def _distance(model: CompiledModel, row: dict[str, str]) -> str:
    own = model.predict(row)
    others = [instance for instance in _instances(model) if model.predict(instance) != own]
    far = [sum(row[name] != other[name] for name in row) for other in others]
    return str(min(far)) if far else "none"
