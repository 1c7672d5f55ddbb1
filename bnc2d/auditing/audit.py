"""``bnc2d.audit``: runs every check of an audit, each within its share of the time."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, TypeAlias

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.api.files import load
from bnc2d.auditing import against_network, own_file, questions, row_checks
from bnc2d.auditing.limits import limits, scales
from bnc2d.auditing.result import Audit
from bnc2d.auditing.rows import RawRow, columns_of, read_rows
from bnc2d.auditing.sources import Source, network_digest
from bnc2d.auditing.subject import Planned, Subject
from bnc2d.base.budget import Budget, default_memory
from bnc2d.base.readers.arguments import count, instance_of, items, mapping, named, one_of, seconds, wrong
from bnc2d.base.readers.arguments import names as as_names
from bnc2d.base.scales import Label
from bnc2d.errors import ArgumentError, ClassifierError, LogicError, UnknownNameError, did_you_mean
from bnc2d.formats.files import decode, read_bytes
from bnc2d.formats.io import read_network
from bnc2d.logic.constraints.syntax import MOST_BYTES
from bnc2d.model.network import BayesianNetwork
from bnc2d.version import __version__

if TYPE_CHECKING:
    import pandas as pd

    from bnc2d.base.readers.instances import Instances, StateArray

File: TypeAlias = str | os.PathLike[str]
AuditRows: TypeAlias = "Instances | StateArray | pd.DataFrame | Sequence[RawRow]"

_LIBRARIES = ("numpy", "python-sat", "pysdd")
_DIRECTIONS = ("up", "down")
_MOST_SAMPLES = 10**6
_MOST_SEED = 2**63 - 1
_EPOCH = "SOURCE_DATE_EPOCH"


def audit(
    model: CompiledModel | File,
    network: BayesianNetwork | File | None = None,
    rows: AuditRows | None = None,
    *,
    protected: str | Iterable[str] = (),
    rules: str | Iterable[str] | os.PathLike[str] | None = None,
    monotone: str | Iterable[str] | Mapping[str, str] | None = None,
    towards: Label | None = None,
    given: object = None,
    time_limit: float | None = 120.0,
    samples: int = 200,
    seed: int = 0,
    date: str | datetime.date | None = None,
    files: Mapping[str, File | Source] | None = None,
    command: str | None = None,
    progress: Callable[[str], object] | None = None,
) -> Audit:
    """Return what an auditor asks of a compiled model, with verdicts, methods, witnesses and digests.

    ``model`` is a compiled model or its file. ``network`` is the auditor's own, or its file: it is compared
    with the one in the model table by table, and the model's decisions with those of the network, by proof
    and by exact inference. ``rows`` are instances, in a list or data frame; wrong ones are reported, not
    raised. ``protected`` names features on which no decision may depend, or columns of the rows to group them
    by. ``rules`` are as in ``check``, or the ``Path`` of a file. ``monotone`` names features that must not
    lower the class when raised (a mapping to ``"down"``: when lowered), or not lead out of class ``towards``;
    without it, it is told which way each feature goes. ``given`` is a constraint (see ``given`` of models).

    ``time_limit`` (seconds) holds for the whole, each check has a share, and what that does not suffice for
    is open; so is what needs more than 4 GiB or half of the machine's memory. ``samples`` and ``seed`` are
    for exact inference on large models. ``date`` is today's, or that of ``SOURCE_DATE_EPOCH``. ``files`` has
    further files to list with their digests, by their role, such as ``{"rows": "rows.csv"}``. ``progress`` is
    called with the name of each check before it runs.
    """
    budget = Budget(seconds(time_limit))
    budget.left()  # reading counts
    sources = [one if isinstance(one, Source) else Source.of_file(role, one) for role, one in _files(files)]
    found, sources = _model(model, sources)
    if given is not None:
        found = found.given(given)
    if network is not None and not isinstance(network, BayesianNetwork):
        sources.append(Source.of_file("network", _path(network, "network", "a network or its file")))
        network = read_network(network)
    if isinstance(rules, os.PathLike):
        sources.append(Source.of_file("rules", rules))
        rules = decode(read_bytes(os.fspath(rules), MOST_BYTES), str(rules))
    names = _protected(found, network, rows, protected)
    say = _told(progress)
    subject = Subject(
        found,
        network,
        None if rows is None else read_rows(found, rows, names),
        names,
        _rules(rules),
        _monotone(found, monotone),
        None if towards is None else found.classes[found.label(towards)],
        count(samples, "samples", least=1, most=_MOST_SAMPLES),
        count(seed, "seed", most=_MOST_SEED),
    )
    _check_early(subject)
    when = _date(date)
    if command is not None:
        instance_of(str, command, "command")
    checks = []
    plan = _plan(subject, say)
    weight = sum(one.weight for one in plan)
    for one in plan:
        say(one.heading.name)
        left = budget.left()
        share = None if left is None else round(left * one.weight / weight, 2)
        checks += one.run(Budget(share, default_memory()))
        weight -= one.weight
    for source in sources:
        source.check_unchanged()
    settings = _settings(subject, time_limit)
    return Audit(
        tuple(checks),
        tuple(limits(subject, checks)),
        _description(subject),
        settings,
        tuple(sources),
        _versions(),
        when,
        command,
        found.domain,
    )


def _check_early(subject: Subject) -> None:
    """Raise for what would be an error of a later check, before anything takes long."""
    model = subject.model
    if subject.rules is not None and not model.check(subject.rules, time_limit=0.0).results:
        raise LogicError("there is no rule")
    if subject.monotone and subject.towards is None and model.shares().get(None):
        raise ClassifierError("some instances are in no class, which no order holds; name a class towards=")


def _plan(subject: Subject, say: Callable[[str], object]) -> list[Planned]:
    return [
        *against_network.planned(subject),
        *own_file.planned(subject, say),
        *questions.planned_protected(subject),
        *questions.planned_monotone(subject),
        *questions.planned_rules(subject),
        *row_checks.planned(subject),
        *questions.planned_shares(subject),
    ]


def _files(files: object) -> list[tuple[str, Any]]:
    if files is None:
        return []
    given = mapping(files, "files", "a mapping from role to path")
    return [(instance_of(str, role, "a role of files"), path) for role, path in given.items()]


def _path(value: object, name: str, expected: str) -> str:
    if not isinstance(value, str | os.PathLike):
        raise wrong(name, value, expected)
    path = os.fspath(value)
    if not isinstance(path, str):
        raise wrong(name, value, expected)
    return path


def _model(model: CompiledModel | File, sources: list[Source]) -> tuple[CompiledModel, list[Source]]:
    if isinstance(model, CompiledModel):
        return model, sources
    path = _path(model, "model", "a compiled model or the path of its file")
    source = Source.of_file("model", path)  # before it is read; whether it is the same is asked at the end
    return load(path), [source, *sources]


def _told(progress: object) -> Callable[[str], object]:
    if progress is None:
        return lambda _: None
    if not callable(progress):
        raise wrong("progress", progress, "a function or None")
    return progress


def _protected(
    model: CompiledModel, network: BayesianNetwork | None, rows: object, protected: object
) -> tuple[str, ...]:
    """Return the protected names: features, columns of the rows, or variables of a network."""
    columns = columns_of(rows)
    variables = (*model.classifier.network.names, *(network.names if network is not None else ()))
    chosen: list[str] = []
    for name in as_names(protected, "protected"):
        if not isinstance(name, str) or name not in (*model.features, *columns, *variables):
            hint = did_you_mean(name, dict.fromkeys([*model.features, *columns]))
            raise UnknownNameError(f"protected {named(name)} is no feature and no column of the rows{hint}")
        if name == model.target:
            raise ArgumentError(f"the target {name!r} cannot be protected: it is what is decided")
        if name not in chosen:
            chosen.append(name)
    return tuple(chosen)


def _rules(rules: object) -> str | tuple[str, ...] | None:
    if rules is None or isinstance(rules, str):
        return rules
    listed = items(rules, "rules", "a text, a list of texts or the Path of a file")
    return tuple(instance_of(str, rule, "each of the rules") for rule in listed)


def _monotone(model: CompiledModel, monotone: object) -> dict[str, str] | None:
    """Return the features that are asked about, each with its direction."""
    if monotone is None:
        return None
    pairs = [*monotone.items()] if isinstance(monotone, Mapping) else []
    if not isinstance(monotone, Mapping):
        pairs = [(name, "up") for name in as_names(monotone, "monotone")]
    found: dict[str, str] = {}
    for name, direction in pairs:
        model.domain.index(name)  # raises where there is no such feature
        one_of(direction, _DIRECTIONS, f"the direction of {name!r}")
        found[name] = direction
    return found


def _date(date: object) -> str:
    """Return the date of the audit: as given, of the environment for builds that repeat, or today's."""
    if date is None:
        epoch = os.environ.get(_EPOCH)
        if epoch is None:
            return datetime.datetime.now(datetime.UTC).date().isoformat()
        try:
            return datetime.datetime.fromtimestamp(int(epoch), datetime.UTC).date().isoformat()
        except (ValueError, OverflowError, OSError):
            raise ArgumentError(f"{_EPOCH} is {epoch!r}, not a number of seconds") from None
    if isinstance(date, datetime.date):
        return date.isoformat()
    if not isinstance(date, str):
        raise wrong("date", date, "a date or a text such as '2026-01-31'")
    try:
        return datetime.date.fromisoformat(date).isoformat()
    except ValueError:
        raise wrong("date", date, "a date or a text such as '2026-01-31'") from None


def _description(subject: Subject) -> dict[str, Any]:
    model, own = subject.model, subject.model.classifier
    return {
        "target": model.target,
        "classes": list(model.classes),
        "features": {one.name: list(one.states) for one in own.feature_variables},
        "scales": scales(own.network),
        "threshold": None if own.threshold is None else str(own.threshold),
        "positive": None if own.threshold is None else own.positive,
        "ties": own.ties,
        "instances": model.domain.instance_count,
        "constraint": None if model.constraint is None else str(model.constraint),
        "allowed_instances": model.instance_count,
        "diagram_nodes": model.unconstrained.diagram.node_count,
        "method": model.stats.method,
        "network": own.network.name,
        "network_sha256": network_digest(own.network),
        "brought_network_sha256": None if subject.network is None else network_digest(subject.network),
    }


def _settings(subject: Subject, time_limit: float | None) -> dict[str, Any]:
    return {
        "protected": list(subject.protected),
        "monotone": subject.monotone,
        "towards": subject.towards,
        "time_limit": time_limit,
        "samples": subject.samples,
        "seed": subject.seed,
    }


def _versions() -> dict[str, str]:
    found = {"bnc2d": __version__, "python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found
