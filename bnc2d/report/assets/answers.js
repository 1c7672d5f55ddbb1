// What this page knows of one row: its decision, its probabilities, the model that explains it.

/** The decision on a row, and who explains it: the model itself, or that of the known features.
 *
 * The label of a complete row is that of the diagram; where features are unknown, elimination finds it. Where
 * nobody can explain the decision, explainer is null and a sentence says why.
 */
function subjectOf(model, row) {
  const { label: found, posterior, impossible, tied } = posteriorOf(model, row);
  if (isComplete(row)) {
    const possible = isPossible(model, row), label = decide(model, row);
    const close = posterior !== null && found !== label; // floats cannot tell, the diagram can
    return { row, label, posterior, close, tied, impossible: possible === null ? impossible : !possible,
      explainer: model, filled: row, sentence: "" };
  }
  const known = found === TOO_LARGE ? "" : modelOfKnown(model, row);
  const explainer = typeof known === "string" ? null : known;
  const filled = row.map((state) => Math.max(state, 0)); // the explainer does not look at unknown features
  const label = explainer ? decide(explainer, filled) : found;
  return { row, label, posterior, close: label === TOO_CLOSE, tied, impossible,
    explainer, filled, sentence: explainer ? "" : known };
}

/** The row with the features that another one leaves unknown left so. */
const sameUnknown = (row, other) => row.map((state, feature) => (other[feature] < 0 ? UNKNOWN : state));

/** The nearest row that is decided otherwise, or null. */
function nearestOther({ row, label, explainer, filled }) {
  const found = nearest(explainer, filled, (other) => other !== label && other !== explainer.outside);
  return found && sameUnknown(found, row);
}

/** For each state of a feature, and last for leaving it unknown, the label that the choice leads to.
 *
 * Null where that would take too long; outside where no completion counts.
 */
function choicesOf(model, { row, label, explainer, filled }, feature) {
  const { states } = model.features[feature];
  const changed = row.slice();
  const outside = states.map((_, state) => {
    changed[feature] = state;
    return model.constraint !== null && !isAllowed(model, changed);
  });
  let labels = null, unknown = null;
  if (row[feature] >= 0) {
    changed[feature] = UNKNOWN;
    if (model.network) unknown = posteriorOf(model, changed).label;
    if (explainer) {
      const moved = filled.slice();
      labels = states.map((_, state) => {
        moved[feature] = state;
        return decide(explainer, moved);
      });
    }
  } else {
    unknown = label;
  }
  labels ??= model.network && decideOver(model, row, [feature])?.cells.map((cell) => cell.label);
  return [...states.map((_, state) => (outside[state] ? model.outside : labels?.[state] ?? null)),
    unknown === TOO_LARGE ? null : unknown];
}

/** Everything about one row as plain data: for scripts, and to check this page. */
function answers(model, row) {
  if (!isAllowed(model, row)) throw new RangeError("this instance violates the constraint");
  const subject = subjectOf(model, row), { label, explainer, filled, posterior } = subject;
  const outer = (found) => found && found.map((state) => (state < 0 ? null : state));
  const decisionOf = (other) => model.classes[other] ?? null;
  const found = { decision: decisionOf(label), decided: label >= 0, posterior, possible: possibleOf(subject) };
  if (!isComplete(row)) {
    const { counts, total, examples, matters, cut, chances } = completionsOf(model, row);
    const shown = ({ feature, rows }) =>
      ({ feature, rows, decisions: rows.map((one) => decisionOf(decide(model, one))) });
    found.completions = { counts: counts.slice(0, model.outside).map(String), total: String(total), examples,
      chances, matters: matters.map(shown), cut };
  }
  if (!explainer) return { ...found, without: subject.sentence };
  const why = caseOf(explainer, filled);
  const plain = (clauses, general, which = why) => {
    const { items, cut, total } = which.list(clauses, general);
    const literal = ([feature, mask]) => [feature, statesIn(mask)];
    return { items: items.map((item) => item.map(literal)), cut, total };
  };
  const contrast = model.classes.map((_, other) =>
    (other === label ? null : plain(true, true, caseAgainst(explainer, filled, other))));
  return {
    ...found,
    completeReason: why.circuit.text(why.complete),
    generalReason: why.circuit.text(why.general),
    sufficient: plain(false, false),
    necessary: plain(true, false),
    generalSufficient: plain(false, true),
    generalNecessary: plain(true, true),
    contrast,
    nearest: outer(nearestOther(subject)),
  };
}

const possibleOf = ({ impossible }) => (impossible === null ? null : !impossible);
