"""The whole public API in one file of a user's, with the type of every answer, for mypy and for Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Literal, Protocol, assert_type

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import bnc2d

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}


def networks(folder: Path) -> bnc2d.BayesianNetwork:
    """Variables, tables, files."""
    coin = bnc2d.Variable("Coin", ("heads", "tails"))
    assert_type(coin.name, str)
    assert_type(coin.states, tuple[str, ...])
    assert_type(coin.index("tails"), int)
    number: bnc2d.Number = "0.25"
    table = bnc2d.CPT(coin, (), [number, 0.75])
    assert_type(table.scope, tuple[bnc2d.Variable, ...])
    assert_type(table.exact, NDArray[np.object_])
    assert_type(table.values, NDArray[np.float64])
    assert_type(table.integers, NDArray[np.object_])
    assert_type((table.rounds_to_zero, table.lowest_exponent), tuple[bool, float])
    assert_type(bnc2d.CPT.from_numbers(coin, (), [0.3, 0.3], normalise=True), tuple[bnc2d.CPT, Fraction])
    assert_type(bnc2d.BayesianNetwork([coin], [table]).check(), None)
    assert_type(bnc2d.examples(), dict[str, str])
    network = bnc2d.example("diagnosis")
    assert_type(network, bnc2d.BayesianNetwork)
    assert_type(bnc2d.write_network(network, folder / "diagnosis.bif"), None)
    assert_type(bnc2d.read_network(folder / "diagnosis.bif"), bnc2d.BayesianNetwork)
    assert_type(network.names, tuple[str, ...])
    assert_type(network.variable("D"), bnc2d.Variable)
    assert_type(network.cpt("D"), bnc2d.CPT)
    assert_type(network.parents("X"), tuple[str, ...])
    assert_type(network.children("X"), tuple[str, ...])
    assert_type(network.index("X"), int)
    assert_type(network.edges, tuple[tuple[str, str], ...])
    assert_type(network.leaves, tuple[str, ...])
    assert_type(network.roots, tuple[str, ...])
    assert_type(network.ancestors(["BP"]), set[str])
    assert_type(network.markov_blanket("X"), tuple[str, ...])
    return network


def classifiers(network: bnc2d.BayesianNetwork) -> bnc2d.Classifier:
    """Posteriors and decisions, in the form of the question."""
    ties: bnc2d.Ties = "lowest"
    classifier = bnc2d.Classifier(network, "D", ["BP", "CT", "HR"], ties=ties)
    frame = pd.DataFrame([PATIENT, PATIENT])
    row: pd.Series[str] = pd.Series(PATIENT)
    array = np.array([[2, 1, 1], [0, 0, 0]])
    decided = classifier.decides({"BP": "High", "CT": ["0", "1"]}, towards="2", time_limit=10)
    assert_type(decided, bnc2d.Decided)
    explanation = classifier.explain(PATIENT, fixed=["BP"], time_limit=10)
    assert_type(explanation, bnc2d.Explanation)
    reason = explanation.a_sufficient_reason(time_limit=10)
    assert_type(reason, bnc2d.Term)
    assert_type(classifier.explain_many([PATIENT], kinds=["sufficient"], limit=1), list[bnc2d.Row])
    assert_type(classifier.explain_many(PATIENT), list[bnc2d.Row])
    assert_type(classifier.explain_many(frame), pd.DataFrame)
    kinds: list[bnc2d.ExplainKind] = ["sufficient", "occurrence", "shapley"]
    scored = classifier.explain_many([PATIENT], kinds=kinds, distribution={"BP": {"High": 1}})
    assert_type(scored[0].scores, dict[str, bnc2d.Scores])
    assert_type(classifier.scores_many([PATIENT], "occurrence", given="BP=High or CT=1"), list[bnc2d.Scores])
    assert_type(classifier.scores_many(frame, "occurrence", time_limit=5, chunk_size=2), pd.DataFrame)
    assert_type((reason.proved_minimal, reason.unproved), tuple[bool, tuple[str, ...]])
    assert_type(explanation.classifier.classes, tuple[str, ...])
    assert_type(decided.witness, dict[str, str] | None)
    assert_type((decided.decision, decided.other), tuple[str | None, str | None])
    assert_type(decided.settled, float)
    assert_type(classifier.check("class != 0", time_limit=10), bnc2d.RuleCheck)
    assert_type(classifier.is_independent("CT", {"HR": "High"}, time_limit=10), bnc2d.RuleResult)
    assert_type(classifier.is_coherent(features="CT", time_limit=10), bnc2d.RuleResult)
    assert_type(classifier.predict(PATIENT), bnc2d.Label | None)
    assert_type(classifier.predict(row), bnc2d.Label | None)
    assert_type(classifier.predict(frame.iloc[0]), bnc2d.Label | None)
    assert_type(classifier.predict([PATIENT, {"BP": "Low", "CT": 1, "HR": "Low"}]), list[bnc2d.Label | None])
    assert_type(classifier.predict(dict(PATIENT) for _ in range(2)), list[bnc2d.Label | None])
    assert_type(classifier.predict(frame.to_dict("records")), list[bnc2d.Label | None])
    assert_type(classifier.predict(array), NDArray[np.generic])
    assert_type(classifier.predict(frame), "pd.Series")
    assert_type(classifier.posterior(PATIENT), dict[str, Fraction])
    assert_type(classifier.posterior(row), dict[str, Fraction])
    assert_type(classifier.posterior(PATIENT, exact=False), dict[str, float])
    assert_type(classifier.posterior([PATIENT]), list[dict[str, float]])
    assert_type(classifier.posterior([PATIENT], exact=True), list[dict[str, Fraction]])
    assert_type(classifier.posterior(array), NDArray[np.float64])
    assert_type(classifier.posterior(array, exact=True), NDArray[np.object_])
    assert_type(classifier.posterior(frame), pd.DataFrame)
    assert_type(classifier.is_possible(PATIENT), bool)
    assert_type(classifier.is_possible([PATIENT]), list[bool])
    assert_type(classifier.is_possible(array), NDArray[np.object_])
    assert_type(classifier.is_possible(frame), "pd.Series[bool]")
    assert_type(classifier.labels(array), NDArray[np.intp])
    assert_type(classifier.bases(array), list[bnc2d.Basis])
    assert_type(classifier.bases(array)[0].tied, tuple[int, ...])
    assert_type(classifier.count_impossible(), int)
    assert_type(classifier.instance_count, int)
    assert_type(classifier.feature_variables, tuple[bnc2d.Variable, ...])
    assert_type(bnc2d.Classifier.of(classifier), bnc2d.Classifier)
    return classifier


def models(classifier: bnc2d.Classifier, folder: Path) -> bnc2d.CompiledModel:
    """What is compiled, saved, verified and asked as a whole."""
    method: bnc2d.Method = "fast"
    arithmetic: bnc2d.Arithmetic = "certified"
    early: bnc2d.Early = "rays"

    def heard(phase: str, done: float) -> None:
        assert 0 <= done <= 1, phase

    model = classifier.compile(method=method, arithmetic=arithmetic, progress=heard, time_limit=60)
    assert_type(model, bnc2d.CompiledModel)
    assert_type(classifier.compile(method="paper", early=early), bnc2d.CompiledModel)
    assert_type(model.classifier, bnc2d.Classifier)
    assert_type(model.stats, bnc2d.Stats)
    assert_type(model.stats.seconds, Mapping[str, float])
    widths = model.stats.omega, model.stats.omega_left, model.stats.omega_right, model.stats.omega_total
    assert_type(widths, tuple[int, int, int, int])
    assert_type(model.stats.log2_work, float | None)
    figures = model.stats.cells, model.stats.exact_calls, model.stats.frontier
    assert_type(figures, tuple[int | None, int | None, int | None])
    assert_type(model.stats.diagram_nodes, int)
    assert_type(model.stats.as_dict()["omega"], str | int | float | Mapping[str, float] | None)
    assert model.stats.of_any_run().items() <= model.stats.as_dict().items()
    assert_type(model.save(folder / "model.bnc2d"), None)
    assert_type(bnc2d.load(folder / "model.bnc2d"), bnc2d.CompiledModel)
    assert_type(bnc2d.CompiledModel.of(model), bnc2d.CompiledModel)
    assert_type(bnc2d.write_page(model, folder / "page.html"), None)
    assert_type(
        bnc2d.write_page(model.classifier, folder / "page.html", rows=[{"BP": "Low"}], time_limit=2.0), None
    )
    names = model.classes, model.features, model.mentioned_features
    assert_type(names, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]])
    assert_type(model.target, str)
    assert_type(model.label("2"), int)
    assert_type(model.count("2"), int)
    assert_type((model.has_formula("2"), model.formula_size("2")), tuple[bool, tuple[int, int]])
    assert_type(model.shares(), dict[str | None, Fraction])
    assert_type(model.share("2"), Fraction)
    marginals = {"BP": {"Low": 0.5, "High": 0.5}}
    assert_type(model.shares("network", time_limit=10), dict[str | None, Fraction])
    assert_type(model.share("2", [PATIENT]) + model.share("2", pd.DataFrame([PATIENT])), Fraction)
    assert_type(model.share(None if model.classifier.ties == "none" else "0", marginals), Fraction)
    weighed = model.weigh(np.array([[2, 1, 1]]))
    assert_type(weighed, bnc2d.Weighed)
    assert_type((weighed.shares, weighed.allowed), tuple[dict[str | None, Fraction], Fraction])
    assert_type((weighed.distribution, weighed.rows, weighed.violating), tuple[str, int | None, int | None])
    profile = model.robustness_profile("network", towards="2", time_limit=10)
    assert_type(profile, bnc2d.RobustnessProfile)
    assert_type(profile.counts, dict[str | None, dict[int | None, int]])
    assert_type(profile.shares, dict[str | None, dict[int | None, Fraction]])
    assert_type(profile.classes, dict[str | None, bnc2d.ClassRobustness])
    assert_type(profile.overall.expected_bounds, tuple[Fraction, Fraction] | None)
    assert_type((profile.expected, profile.complete, profile.cut), tuple[Fraction | None, bool, str | None])
    assert_type((profile.least, profile.worst, profile.largest), tuple[int | None, int | None, int | None])
    assert_type((profile.overall.most_robust, profile.overall.beyond), tuple[dict[str, str] | None, int])
    assert_type((profile.overall.known_to, profile.overall.beyond_share), tuple[int | None, Fraction])
    assert_type(profile.overall.least_robust, dict[str, str] | None)
    assert_type(profile.named(), list[tuple[str, bnc2d.ClassRobustness]])
    assert_type((profile.what, profile.question), tuple[str, str])
    assert_type(profile.figure(width=360, theme="dark"), bnc2d.Chart)
    assert_type(profile.to_dict()["overall"]["count"], int)
    assert_type(model.robustness_of(PATIENT, towards="2"), int | None)
    assert_type(model.robustness_of([PATIENT]), list[int | None])
    assert_type(model.robustness_of(np.array([[2, 1, 1]])), NDArray[np.generic])
    assert_type(model.robustness_of(pd.DataFrame([PATIENT])), "pd.Series")
    assert_type(model.sample("2"), dict[str, str])
    assert_type(model.sample("2", seed=1, size=3), list[dict[str, str]])
    assert_type(model.predict(PATIENT), bnc2d.Label | None)
    assert_type(model.predict([PATIENT]), list[bnc2d.Label | None])
    assert_type(model.predict(np.array([[2, 1, 1]])), NDArray[np.generic])
    assert_type(model.predict(pd.DataFrame([PATIENT])), "pd.Series")
    kinds: list[bnc2d.ReasonKind] = ["sufficient", "general_necessary"]
    with ThreadPoolExecutor(1) as executor:
        rows = model.explain_many([PATIENT], executor, kinds=kinds, limit=2, chunk_size=1)
    assert_type(rows, list[bnc2d.Row])
    assert_type(rows[0].instance, dict[str, str])
    assert_type(rows[0].reasons, dict[str, tuple[bnc2d.Term, ...] | tuple[bnc2d.Clause, ...]])
    assert_type(rows[0].cut, dict[str, Literal["limit", "time"] | None])
    chart = bnc2d.heat_map(rows, "sufficient", features=model.features, width=500)
    assert_type(chart, bnc2d.Chart)
    assert_type(chart.save(folder / "reasons.svg"), int)
    assert_type(model.explain_many(PATIENT), list[bnc2d.Row])
    assert_type(model.explain_many(pd.DataFrame([PATIENT])), pd.DataFrame)
    given = model.given("HR=Normal -> BP!=Normal")
    assert_type(given, bnc2d.GivenModel)
    assert_type(given.given([{"BP": "Low"}]).constraint, bnc2d.NNF)
    assert_type(given.unconstrained, bnc2d.CompiledModel)
    assert_type(given.instance_count, int)
    assert_type((given.allows(PATIENT), given.count_allowed()), tuple[bool, int])
    assert_type(given.sample("2", size=2), list[dict[str, str]])
    assert_type(given.explain(PATIENT), bnc2d.Explanation)
    assert_type(given.explain_many([PATIENT]), list[bnc2d.Row])
    assert_type(given.check("class != 0"), bnc2d.RuleCheck)
    assert_type(given.is_independent("CT"), bnc2d.RuleResult)
    assert_type(given.is_coherent(), bnc2d.RuleResult)
    return model


def findings(model: bnc2d.CompiledModel) -> list[bnc2d.Finding]:
    """Every yes or no."""
    pair = tuple[dict[str, str], dict[str, str]]
    report = model.verify(second_method=False, samples=10, time_limit=30)
    assert_type(report, bnc2d.Report)
    assert_type((report.passed, report.failed, report.verdict), tuple[bool, bool, str])
    assert_type(report.holds, bool | None)
    assert_type(report.status, bnc2d.Status)
    assert_type(report.witness, Mapping[str, str] | None)
    assert_type(report.checks, tuple[bnc2d.Check, ...])
    check = report.checks[0]
    assert_type((check.detail, check.failed, check.finished), tuple[str, bool, bool])
    bias = model.is_biased("BP")
    assert_type(bias, bnc2d.Bias)
    assert_type(bias.pair, pair | None)
    assert_type(bias.witness, pair | None)
    assert_type(bias.decisions, tuple[bnc2d.Label | None, bnc2d.Label | None] | None)
    assert_type((bias.count, bias.share), tuple[int | None, Fraction | None])
    assert_type(model.is_biased("BP", distribution="network"), bnc2d.Bias)
    monotone = model.is_monotone("BP", towards="2")
    assert_type(monotone, bnc2d.Monotone)
    assert_type(monotone.feature, str | None)
    entry = model.entry_interval("BP", "High", {"X": 0, "Y": "0"}, time_limit=10)
    assert_type(entry, bnc2d.EntryInterval)
    assert_type((entry.low, entry.high_included, entry.margin), tuple[Fraction, bool, Fraction | None])
    assert_type(entry.first_below, dict[str, str] | None)
    assert_type(entry.decisions_above, tuple[bnc2d.Label | None, bnc2d.Label | None] | None)
    assert_type((entry.entry, 0.2 in entry, entry.status), tuple[str, bool, bnc2d.Status])
    binary = bnc2d.Classifier(bnc2d.example("survey"), "E", ["A", "S"], threshold="0.4")
    assert_type(binary.threshold_interval(time_limit=10), bnc2d.ThresholdInterval)
    assert_type(binary.threshold_interval().positive, str)
    sensitivity = model.sensitivity(limit=3, time_limit=10)
    assert_type(sensitivity, bnc2d.Sensitivity)
    assert_type(sensitivity.entries, tuple[bnc2d.EntryInterval, ...])
    assert_type(sensitivity.threshold, bnc2d.ThresholdInterval | None)
    equivalence = model.equivalent(model)
    assert_type(equivalence, bnc2d.Equivalence)
    assert_type(bnc2d.equivalent(model, model), bnc2d.Equivalence)
    comparison = model.compare(model)
    assert_type(comparison, bnc2d.Comparison)
    assert_type(bnc2d.compare(model, model), bnc2d.Comparison)
    assert_type(comparison.table, dict[tuple[str | None, str | None], int])
    rules = model.check("if BP=Normal then class in {0, 1}")
    assert_type(rules, bnc2d.RuleCheck)
    assert_type((rules.rule, rules.posterior), tuple[str | None, dict[str, Fraction] | None])
    ways = model.nearest(
        PATIENT, "0", allowed={"BP": "up"}, costs={"HR": {"Low": 2, ("High", "Low"): "0.5"}}, limit=3
    )
    assert_type(ways, list[bnc2d.Nearest])
    limited = model.explain(PATIENT, forbidden={"BP": ["Low"]}, order={"HR": ["High", "Normal", "Low"]})
    assert_type(limited.allowed, dict[str, tuple[str, ...]])
    assert_type(limited.ways_out(2, costs={"BP": 2}), list[bnc2d.Nearest])
    assert_type(limited.preferring(avoid="BP"), bnc2d.Explanation)
    assert_type(next(limited.sufficient_reasons(avoid=["BP"], tiers=[["CT"]])), bnc2d.Term)
    assert_type(rules.witness, dict[str, str] | pair | None)
    assert_type((rules.holds, rules.broken), tuple[bool | None, bnc2d.RuleResult | None])
    result = rules.results[0]
    assert_type(result, bnc2d.RuleResult)
    assert_type((result.rule, result.line, result.why), tuple[str, int, str])
    assert_type((result.reason, result.settled), tuple[str | None, float | None])
    assert_type(result.decisions, tuple[bnc2d.Label | None, ...])
    assert_type(result.posteriors, tuple[dict[str, Fraction], ...])
    assert_type(result.instances, tuple[dict[str, str], ...])
    assert_type(model.check(["BP=Low and HR=High"], towards="2", time_limit=10), bnc2d.RuleCheck)
    assert_type(model.is_independent(["CT"], "HR=High", time_limit=10), bnc2d.RuleResult)
    assert_type(model.is_coherent(["2", "1", "0"], "BP", {"CT": ["0", "1"]}), bnc2d.RuleResult)
    nearest = model.nearest(PATIENT, weights={"BP": "0.5"}, fixed=["HR"])
    assert_type(nearest, bnc2d.Nearest)
    assert_type(nearest.distance, int | Fraction | None)
    assert_type(nearest.changes, dict[str, tuple[str, str]])
    answer = model.formula("2").satisfiable()
    assert_type(answer, bnc2d.Answer)
    assert_type((answer.holds, answer.reason), tuple[bool, str])
    verdict = model.explain(PATIENT).is_sufficient({"BP": "High", "CT": 1})
    assert_type(verdict, bnc2d.Verdict)
    assert_type(verdict.smaller, bnc2d.Term | bnc2d.Clause | None)
    return [report, check, bias, monotone, equivalence, comparison, nearest, answer, verdict]


def explanations(model: bnc2d.CompiledModel) -> None:
    """Why one decision is as it is."""
    e = model.explain(PATIENT, fixed=())
    assert_type(e, bnc2d.Explanation)
    assert_type(e.model, bnc2d.CompiledModel)
    assert_type(e.decision, bnc2d.Label | None)
    assert_type(e.possible, bool)
    assert_type(e.basis, bnc2d.Basis)
    assert_type(e.decided_by, Literal["posterior", "tie rule", "threshold rule"])
    assert_type(e.caveat, str)
    scores = e.scores("shapley", {"BP": {"Low": "0.5", "High": "0.5"}}, towards="2", exact=True)
    assert_type(scores, bnc2d.Scores)
    assert_type(scores["BP"], Fraction | float)
    assert_type((scores.total, scores.error, scores.exact), tuple[Fraction | float, float, bool])
    assert_type(scores.bounds, Mapping[str, tuple[Fraction | float, Fraction | float]] | None)
    assert_type(scores.ranked(), list[str])
    assert_type((scores.baseline, scores.value), tuple[Fraction | float | None, Fraction | float | None])
    assert_type((scores.towards, scores.weighted), tuple[bnc2d.Label | None, bool])
    assert_type(scores.get("BP"), Fraction | float | None)
    assert scores.keys() == {"BP", "CT", "HR"}
    assert_type(e.scores("occurrence", weighted=True, time_limit=1).reasons, int | None)
    assert_type(model.scores_many([PATIENT], "banzhaf", pd.DataFrame([PATIENT])), list[bnc2d.Scores])
    assert_type(model.scores_many(pd.DataFrame([PATIENT]), "shapley"), pd.DataFrame)
    kind: bnc2d.ScoreKind = "responsibility"
    with ThreadPoolExecutor(1) as executor:
        assert_type(model.scores_many([PATIENT], kind, None, executor, progress=None), list[bnc2d.Scores])
    assert_type((scores.lines(), scores.notes()), tuple[list[tuple[str, str]], list[str]])
    assert_type(bnc2d.score_chart(scores, width=360, theme="dark"), bnc2d.Chart)
    assert_type((e.complete_reason, e.general_reason), tuple[bnc2d.NNF, bnc2d.NNF])
    terms, clauses = e.sufficient_reasons(limit=5), e.necessary_reasons(time_limit=5)
    assert_type(terms, bnc2d.Primes[bnc2d.Term])
    assert_type(clauses, bnc2d.Primes[bnc2d.Clause])
    assert_type(e.axps(), bnc2d.Primes[bnc2d.Term])
    assert_type(e.cxps(), bnc2d.Primes[bnc2d.Clause])
    assert_type(e.general_sufficient_reasons(), bnc2d.Primes[bnc2d.Term])
    assert_type(e.general_necessary_reasons(), bnc2d.Primes[bnc2d.Clause])
    assert_type(list(terms), list[bnc2d.Term])
    assert_type((terms.complete, terms.ordered), tuple[bool, bool])
    assert_type(terms.cut, Literal["limit", "time"] | None)
    assert_type(terms.close(), None)
    contrast = e.contrastive("0")
    assert_type(contrast, bnc2d.Contrast)
    assert_type(contrast.message, str | None)
    assert_type(list(contrast), list[bnc2d.Clause])
    assert_type(e.changes({"BP": "High"}), Iterator[tuple[dict[str, str], bnc2d.Label | None]])
    assert_type(e.a_sufficient_reason(), bnc2d.Term)
    assert_type(e.shortest_sufficient_reason({"BP": 2, "CT": "0.5"}), bnc2d.Term)
    assert_type(e.shortest_necessary_reason(), bnc2d.Clause | None)
    assert_type(e.probability(["BP"], "network"), Fraction)
    assert_type(e.probability({"BP": ["Low", "High"]}, time_limit=2.0), Fraction)
    probable = e.probable_reasons(0.95, {"CT": {"0": 0.5, "1": 0.5}}, limit=3, shortest=True)
    assert_type(probable, bnc2d.Primes[bnc2d.ProbableReason])
    kept = e.a_probable_reason("0.9")
    assert_type(kept, bnc2d.ProbableReason)
    assert_type((kept.term, kept.probability, kept.wanted), tuple[bnc2d.Term, Fraction, Fraction])
    assert_type((kept.features, kept.least), tuple[tuple[str, ...], int])
    assert_type((kept.proved_minimal, kept.proved_shortest), tuple[bool, bool])
    assert_type(e.shortest_probable_reason(Fraction(9, 10), "uniform", time_limit=5), bnc2d.ProbableReason)
    assert_type(model.probability_of_decision({"BP": "High"}, "2", "network"), Fraction)
    partial = model.explain({**PATIENT, "CT": None})
    assert_type(partial.missing, tuple[str, ...])
    if_known = partial.if_known(time_limit=2.0)
    assert_type(if_known, bnc2d.IfKnown)
    assert_type((if_known.share, if_known.probability), tuple[Fraction | None, Fraction | None])
    assert_type(if_known.share_bounds, tuple[Fraction, Fraction])
    assert_type(if_known.probability_bounds, tuple[Fraction, Fraction] | None)
    assert_type((if_known.witness, if_known.other), tuple[dict[str, str] | None, bnc2d.Label | None])
    assert_type(if_known.alone, dict[str, dict[str, bnc2d.Label | None]] | None)
    assert_type(if_known.matters, dict[str, tuple[dict[str, str], dict[str, str]]])
    assert_type((if_known.irrelevant, if_known.open), tuple[tuple[str, ...], tuple[str, ...]])
    assert_type(if_known.exact, bool)
    robustness = e.robustness()
    assert_type(robustness, bnc2d.Robustness)
    assert_type((robustness.distance, robustness.decision), tuple[int | None, bnc2d.Label | None])
    assert_type(robustness.witness, dict[str, str] | None)
    assert_type(e.count_sufficient_reasons(), int)
    assert_type(e.count_necessary_reasons(), int)
    assert_type(e.count_general_sufficient_reasons(), int)
    assert_type(e.count_general_necessary_reasons(), int)
    assert_type(e.necessary_features(), tuple[str, ...])
    assert_type(e.relevant_features(), tuple[str, ...])
    assert_type(e.irrelevant_features(), tuple[str, ...])
    assert_type(e.is_necessary({"BP": "High"}), bnc2d.Verdict)
    assert_type(e.is_general_sufficient({"BP": ["Low", "High"]}), bnc2d.Verdict)
    assert_type(e.is_general_necessary({"BP": ["Low", "High"]}), bnc2d.Verdict)
    assert_type(e.to_text(), str)
    chart = e.figure({"BP": "High", "CT": "1"}, towards="0", width=400, theme="dark", time_limit=5)
    assert_type(chart, bnc2d.Chart)
    assert_type((chart.title, chart.text, chart.width), tuple[str, str, int])
    assert_type(chart.theme, Literal["auto", "light", "dark"])
    assert_type((chart.svg(360), chart.html(), chart.png(theme="light")), tuple[str, str, bytes])
    data = e.to_dict(formulas=True)
    assert_type(data["posterior"], dict[str, float])
    assert_type(data["contrastive"]["0"]["reasons"], list[dict[str, list[str]]])
    assert_type(data["robustness"]["distance"], int | None)
    assert_type(data["formulas"]["complete_reason"]["features"], dict[str, list[str]])


def logic(model: bnc2d.CompiledModel, folder: Path) -> None:
    """Domains, circuits, terms and clauses, diagrams."""
    domain = bnc2d.Domain({"BP": ("Low", "Normal", "High"), "CT": ("0", "1")})
    assert_type(domain.names, tuple[str, ...])
    assert_type(domain.cardinalities, tuple[int, ...])
    assert_type(domain.instance_count, int)
    instance: bnc2d.Instance = {"BP": "High", "CT": True}
    assert_type(domain.encode(instance), list[int])
    assert_type(domain.read([instance]).rows, NDArray[np.intp])
    assert_type(domain.decode([2, 1]), dict[str, str])
    assert_type(domain.index("CT"), int)
    assert_type(domain.state_index(0, "High"), int)
    assert_type((domain.mask(0, ["Low"]), domain.full(0)), tuple[int, int])
    assert_type(domain.states_of(0, 0b101), tuple[str, ...])
    assert_type(domain.show_literal(0, 0b101), str)
    manager = bnc2d.Manager(domain)
    high, ct = bnc2d.NNF.literal(manager, "BP", "High"), bnc2d.NNF.literal(manager, "CT", 1)
    either = high | ct
    assert_type(either, bnc2d.NNF)
    assert_type(~(high & ct), bnc2d.NNF)
    assert_type(bnc2d.NNF.all_of([high, ct]), bnc2d.NNF)
    assert_type(bnc2d.NNF.any_of([bnc2d.NNF.true(manager), bnc2d.NNF.false(manager)]), bnc2d.NNF)
    assert_type((either.manager, either.root, either.domain), tuple[bnc2d.Manager, int, bnc2d.Domain])
    assert_type((either.node_count, either.edge_count, either.depth), tuple[int, int, int])
    assert_type(either.features, tuple[str, ...])
    assert_type(either.evaluate(instance), bool)
    assert_type(either.evaluate(pd.Series({"BP": "Low", "CT": "1"})), bool)
    assert_type(either.evaluate([instance]), NDArray[np.bool_])
    assert_type(either.evaluate(np.array([[2, 1]])), NDArray[np.bool_])
    assert_type(either.evaluate(pd.DataFrame([{"BP": "High", "CT": "1"}])), NDArray[np.bool_])
    assert_type(either.is_or_decomposable(), bool)
    assert_type(either.is_and_decomposable(), bool)
    assert_type(either.is_monotone_towards(instance), bool)
    assert_type(either.is_deterministic(), bnc2d.Answer)
    assert_type(either.implies(high), bnc2d.Answer)
    assert_type(either.equivalent(high), bnc2d.Answer)
    assert_type(either.disjoint(high), bnc2d.Answer)
    weights: bnc2d.StateNumbers = {"BP": {"High": "0.25"}, "CT": {1: Fraction(1, 3)}}
    assert_type(either.model_count(deterministic=False, time_limit=5), int)
    assert_type(either.model_count(weights), Fraction)
    assert_type(either.models(limit=2), Iterator[dict[str, str]])
    assert_type(either.cheapest_model(weights), bnc2d.PricedInstance | None)
    assert_type(next(either.cheapest_models(weights, limit=3)).cost, Fraction)
    assert_type(either.negate(), bnc2d.NNF)
    assert_type(either.condition({"BP": ["Low", "High"]}), bnc2d.NNF)
    assert_type(either.complete_reason(instance), bnc2d.NNF)
    assert_type(either.general_reason(instance), bnc2d.NNF)
    assert_type(either.prime_implicants(towards=None, limit=5), bnc2d.Primes[bnc2d.Term])
    assert_type(either.prime_implicates(variable_minimal=True), bnc2d.Primes[bnc2d.Clause])
    assert_type(either.copy_to(bnc2d.Manager(domain)), bnc2d.NNF)
    assert_type(either.save(folder / "either.nnf"), None)
    assert_type(bnc2d.NNF.load(folder / "either.nnf", domain), bnc2d.NNF)
    assert_type(either.save(folder / "either.cnf", weights=weights, weight_format="cachet"), None)
    (folder / "d4.nnf").write_text("o 1 0\nt 2 0\n1 2 3 5 0\n")
    assert_type(bnc2d.NNF.load(folder / "d4.nnf", domain, variables="one-hot"), bnc2d.NNF)
    assert_type(bnc2d.NNF.load(folder / "d4.nnf", variables=[5]), bnc2d.NNF)
    assert_type((either.to_text(), either.to_dot(), either.to_svg(highlight=instance)), tuple[str, str, str])
    assert_type([node["kind"] for node in either.to_dict()["nodes"]], list[str])
    assert_type(bnc2d.NNF.from_dict(either.to_dict()), bnc2d.NNF)
    assert_type(bnc2d.NNF.from_sympy(manager, either.to_sympy()), bnc2d.NNF)
    either.to_cnf()
    form = either.to_sdd()
    assert_type(form, bnc2d.SddForm)
    assert_type((form.size, form.count(), form.equivalent(form)), tuple[int, int, bool])
    assert_type(form.count(weights), Fraction)
    assert_type(form.to_nnf(manager), int)
    assert_type(manager.add_or([manager.add_literal(0, 1), manager.add_and([1])]), int)
    term, clause = bnc2d.Term(domain, {"BP": "High"}), bnc2d.Clause(domain, {"CT": 1})
    assert_type(term.holds(instance), bool)
    assert_type(clause.features, tuple[str, ...])
    assert_type(clause.domain, bnc2d.Domain)
    assert_type(clause.masks, Mapping[int, int])
    assert_type(dict(term), dict[str, frozenset[str]])
    assert_type(bnc2d.Term.from_masks(domain, {0: 1}), bnc2d.Term)
    diagram = model.diagram
    assert_type(diagram, bnc2d.Diagram)
    assert_type(diagram.evaluate(PATIENT), int)
    assert_type(diagram.evaluate([PATIENT]), NDArray[np.int64])
    assert_type(diagram.labels(np.array([[2, 1, 1]])), NDArray[np.int64])
    assert_type(diagram.count(2), int)
    assert_type(diagram.counts(), list[int])
    assert_type(diagram.count(2, weights), Fraction)
    assert_type(diagram.counts(weights), list[Fraction])
    assert_type(diagram.cheapest(2, weights), bnc2d.PricedInstance | None)
    assert_type([one.instance for one in diagram.in_order_of_cost(2, weights, 3)], list[dict[str, str]])
    assert_type(model.count("2", weights), Fraction)
    assert_type(diagram.shares(), list[Fraction])
    assert_type(diagram.instances(2, limit=3), Iterator[dict[str, str]])
    assert_type(diagram.sample(2, size=2), list[dict[str, str]])
    assert_type(diagram.to_nnf(2), bnc2d.NNF)
    assert_type(diagram.leading_to([0, 2]), bnc2d.Diagram)
    assert_type((diagram.node_count, diagram.size), tuple[int, int])
    assert_type(diagram.features, tuple[str, ...])


def audits(model: bnc2d.CompiledModel, folder: Path) -> bnc2d.Audit:
    """What an auditor asks."""
    found = bnc2d.audit(
        model, bnc2d.example("diagnosis"), [PATIENT], protected="CT", samples=10, time_limit=30
    )
    assert_type(found, bnc2d.Audit)
    assert_type((found.passed, found.failed, found.holds), tuple[bool, bool, bool | None])
    assert_type(found.summary, tuple[str, ...])
    assert_type((found.to_html(), found.to_json()), tuple[str, str])
    assert_type(found.with_verdict("failed"), list[bnc2d.AuditCheck])
    assert_type(found.worst_first, list[bnc2d.AuditCheck])
    check = found.worst_first[0]
    assert_type((check.name, check.detail, check.counts), tuple[str, str, bool])
    assert_type(check.to_dict()["question"], str)
    assert_type(found.to_dict()["summary"], list[str])
    assert len(check.tables) + len(check.instances) + len(check.facts) > 0
    assert_type((check.group, check.question, check.method, check.seconds), tuple[str, str, str, float])
    found.write(folder / "audit.html")
    return found


def errors(folder: Path) -> list[str]:
    """Whatever is refused is refused in a line."""
    kinds: list[type[bnc2d.Bnc2dError]] = [
        bnc2d.ArgumentError,
        bnc2d.ClassifierError,
        bnc2d.FormatError,
        bnc2d.InstanceError,
        bnc2d.LimitExceeded,
        bnc2d.LogicError,
        bnc2d.MissingExtraError,
        bnc2d.NetworkError,
        bnc2d.NotCompiledError,
        bnc2d.TimeLimitExceeded,
        bnc2d.UnknownNameError,
        bnc2d.UnsupportedError,
    ]
    warnings: list[type[bnc2d.Bnc2dWarning]] = [
        bnc2d.DataWarning,
        bnc2d.FeaturesWarning,
        bnc2d.NormalisationWarning,
    ]
    try:
        bnc2d.read_network(folder / "none.bif")
    except bnc2d.FormatError as error:
        assert_type(error.line, int | None)
        return [str(error), *(kind.__name__ for kind in (*kinds, *warnings))]
    return []


def units() -> None:
    """States that were made from columns of data."""
    age, grade = bnc2d.Intervals([37.5, (50, True)], unit="years"), bnc2d.Labels([0, 1], missing=0)
    assert_type(age.position(41), int | None)
    assert_type(age.positions(np.array([41.0])), NDArray[np.intp] | None)
    assert_type(age.symbols("age", 1) + age.words("age", 1, "were") + age.value_text(41), str)
    assert_type([age.cut_text(cut) for cut in age.cuts], list[str])
    assert_type([run.low is None for run in age.runs(0b101)], list[bool])
    assert_type(age.to_data(), dict[str, object])
    assert_type(grade.label(0), bnc2d.Label)
    target = bnc2d.Variable("y", bnc2d.States(grade))
    feature = bnc2d.Variable("age", bnc2d.States(age))
    tables = [
        bnc2d.CPT(target, (), [0.5, 0.5]),
        bnc2d.CPT(feature, (target,), [0.5, 0.3, 0.2, 0.2, 0.3, 0.5]),
    ]
    classifier = bnc2d.Classifier(bnc2d.BayesianNetwork([target, feature], tables), "y", ["age"])
    assert_type(classifier.predict_proba(np.array([[41.0]])), NDArray[np.float64])
    assert_type(classifier.score(np.array([[41.0]]), [1]), float)
    assert_type(classifier.classes_, NDArray[np.generic])
    assert_type(classifier.with_units({"age": "years"}), bnc2d.Classifier)
    assert_type(classifier.class_labels, tuple[bnc2d.Label, ...])
    assert_type(classifier.explain({"age": 41}).decision_name, str | None)


class Fitted(Protocol):
    """What a fitted BNClassifier of pyAgrum has."""

    threshold_: float


def others(pgmpy: object, pyagrum: object, fitted: Fitted, sklearn: object) -> None:
    """Models of other libraries."""
    assert_type(bnc2d.from_pgmpy(pgmpy), bnc2d.BayesianNetwork)
    assert_type(bnc2d.from_pyagrum(pyagrum), bnc2d.BayesianNetwork)
    assert_type(bnc2d.from_pyagrum(fitted), bnc2d.Classifier)
    assert_type(bnc2d.from_sklearn(sklearn), bnc2d.Classifier)
    trained = bnc2d.from_data(
        pd.DataFrame({"a": [1], "y": [0]}), target="y", structure="tan", bins={"a": [1.5]}
    )
    assert_type(trained, bnc2d.Classifier)
    assert_type(trained.training, bnc2d.Training | None)
    if trained.training is not None:
        assert_type(trained.training.accuracy, float | None)
        assert_type(trained.training.dropped_rows + trained.training.seed, int)
        assert_type(trained.training.held_out_words, str)
        assert_type(bnc2d.Training.of_data(trained.training.to_data()), bnc2d.Training)
    assert_type(bnc2d.Intervals([1.5], missing=2).has_missing_state, bool)
    converted = bnc2d.from_sklearn(
        sklearn, max_counts={"prize": 2}, feature_states={"prize": ["no", "one", "two"]}
    )
    assert_type(converted, bnc2d.Classifier)
    found = bnc2d.agreement(converted, sklearn, [{"prize": 1}], tolerance="1e-9")
    assert_type(found, bnc2d.Agreement)
    assert_type(found.equal, int)
    assert_type(found.differences, tuple[bnc2d.Difference, ...])
    assert_type(found.equal, int)
    assert_type(found.counts["tie"], int)
    assert_type([one.margin for one in found.differences], list[Fraction])


def main(folder: Path) -> list[str]:
    """Run all of it but what needs other libraries."""
    model = models(classifiers(networks(folder)), folder)
    explanations(model)
    logic(model, folder)
    units()
    assert audits(model, folder).failed
    assert_type(bnc2d.__version__, str)
    return [*errors(folder), *(found.status for found in findings(model))]
