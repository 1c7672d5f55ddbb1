// What there is to say of one decision, in the words of Python's texts; the page shows it, scripts can read it.
//
// Why a row is decided as it is, is found here (Found) or was written down beforehand (Recorded). Either has
// list(clauses, general), against(label): { items, cut, total }, the search having been cut or not;
// nearest(): { changes, label, impossible, row }, or null where nothing changes the decision, or undefined where
// that is not known; outcomes(clause): the labels that violating it leads to, or null where these are not known;
// scores(kind): a number for each feature (see scores.js); violating(clause): a row to try, or null; formulas(): the complete and the general reason; several: whether
// there is a third decision.

const MOST_CHANGES = 64; // of one reason, to say where they lead

/** Why the model on this page decides a row as it does. */
class Found {
  constructor(model, subject) {
    Object.assign(this, { model, subject });
    const { explainer, filled, changes } = subject;
    this.case = caseOf(explainer, filled, changes);
    this.several = model.counts.length > 2;
  }

  list(clauses, general) {
    return this.case.list(clauses, general);
  }

  against(label) {
    const { explainer, filled, changes } = this.subject;
    const against = this.case.remember(`against ${label}`, () => caseAgainst(explainer, filled, label, changes));
    return against.list(true, true);
  }

  hasInstances(label) {
    return this.subject.explainer.has[label];
  }

  nearest() {
    return this.case.remember("nearest", () => {
      const { row, explainer } = this.subject, found = nearestOther(this.subject);
      if (!found) return null;
      const changes = found.flatMap((state, feature) => (state === row[feature] ? [] : [[feature, bit(state)]]));
      const impossible = isComplete(found) ? isPossible(this.model, found) === false
        : posteriorOf(this.model, found).impossible === true;
      return { changes, label: decide(explainer, found.map((state) => Math.max(state, 0))), impossible, row: found };
    });
  }

  outcomes(clause) {
    const { explainer, filled } = this.subject, { features, outside } = this.model;
    const others = clause.map(([feature, mask]) => statesIn(features[feature].full & ~mask));
    const count = others.reduce((one, states) => one * states.length, 1);
    if (count > MOST_CHANGES) return null;
    const changed = filled.slice(), labels = new Set();
    const names = clause.map(([feature]) => feature), sizes = others.map((states) => states.length);
    for (let cell = 0; cell < count; cell++) {
      setCell(changed, names, sizes, cell);
      names.forEach((feature, at) => (changed[feature] = others[at][changed[feature]]));
      labels.add(decide(explainer, changed));
    }
    labels.delete(outside);
    return labels.size ? [...labels] : null;
  }

  violating(clause) {
    const { row, explainer, filled } = this.subject;
    return sameUnknown(violating(explainer, filled, clause), row);
  }

  scores(kind) {
    return this.case.remember(`scores ${kind}`, () => scoresOf(this.model, this.subject, this, kind));
  }

  /** The known features that the complete reason does not mention. */
  plainlyInNone() {
    const { circuit, complete } = this.case;
    const used = new Set([...circuit.program(complete)].filter((node) => circuit.kinds[node] === LITERAL)
      .map((node) => circuit.parts[node][0]));
    return new Set(this.subject.row.flatMap((state, feature) => (state < 0 || used.has(feature) ? [] : [feature])));
  }

  formulas() {
    const { circuit, complete, general } = this.case;
    return [circuit.text(complete), circuit.text(general)];
  }
}

/** Sentences on one subject: its row and label, and why. */
class Story {
  constructor({ features, classes, target }, { row, label }, why) {
    Object.assign(this, { features, classes, row, label, why, target: inline(target) });
    this.missing = !isComplete(row);
  }

  name(label) {
    return label in this.classes ? inline(this.classes[label]) : "undecided (a tie)";
  }

  get decided() {
    return `${this.target} is ${this.name(this.label)}`;
  }

  whatever(other = "other ") {
    return `whatever the ${other}${this.missing ? "known " : ""}features are`;
  }

  get always() {
    return this.row.every((state) => state < 0) ? `where nothing is known, ${this.decided}`
      : `${this.decided} ${this.whatever("")}`;
  }

  get isConstant() {
    return this.why.nearest() === null;
  }

  /** A line: what is said of a term, what follows it, and the literals in symbols. */
  line(literals, { clauses = false, verb = VERB, before = "", after = "" } = {}) {
    const said = clauses ? opposite(this.features, literals) : literals;
    return { literals, sign: clauses ? "∨" : "∧", said, verb, before, after };
  }

  plain({ said, verb, before, after }) {
    return `${before}${sentence(this.features, said, verb)}${after}`;
  }

  formal({ literals, sign }) {
    return formula(this.features, literals, sign);
  }

  /** One reason and the nearest change, each as a line or as plain text. */
  short() {
    const enough = this.why.list(false, false).items[0] ?? this.why.reason?.();
    const nearest = this.why.nearest(), found = { because: null };
    if (this.isConstant) return { because: null, change: `Nothing changes it: ${this.always}.` };
    if (enough) {
      const note = this.note(false, 0, "sufficient_reason");
      const after = `: that is enough, ${this.whatever()}${note}.`;
      found.because = this.line(enough, { before: `${this.decided} because `, after });
    }
    found.change = "The nearest change that leads to another decision was not found in time.";
    if (nearest) {
      const fewer = nearest.changes.length === 1 ? "" : "; no fewer changes lead to another decision";
      const never = nearest.impossible ? ", though the network gives that probability 0" : "";
      const before = `${this.target} would be ${this.name(nearest.label)} if `;
      found.change = this.line(nearest.changes, { before, after: `${never}${fewer}.`, verb: "were" });
    }
    return found;
  }

  /** What is not proved of a reason, where reasons were found without compiling. */
  note(general, position, key = general ? "general_sufficient_reasons" : "sufficient_reasons") {
    const open = this.why.unproved?.(key, position);
    if (!open) return "";
    const { features, size } = open, names = features.map((feature) => inline(this.features[feature].name));
    return names.length > 1 && names.length === size ? " (none of them is proved to be needed)"
      : ` (not proved to be needed: ${series(names)})`;
  }

  /** A list with what leads to it: { question, kind, lead, items, line, cut, total }; line makes that of an item. */
  enough(general) {
    const question = `Why is ${this.target} ${this.name(this.label)}?`;
    const { items, ...rest } = this.why.list(false, general);
    if (items.some((item) => !item.length)) {
      return { question, lead: `Nothing is needed for it: ${this.always}.`, items: [], cut: false };
    }
    const lead = general ? "With other states it would still be enough that"
      : `Each line alone is enough, ${this.whatever()}:`;
    const line = (item, at) => this.line(item, { after: this.note(general, at) });
    return { question, kind: `${general ? "general " : ""}sufficient reasons`, lead, items, line, ...rest };
  }

  changes(general) {
    const question = "What would change it?", nearest = this.why.nearest();
    if (this.isConstant) return { question, lead: `Nothing: ${this.always}.`, items: [], cut: false };
    const { items, ...rest } = this.why.list(true, general);
    const kind = `${general ? "general " : ""}necessary reasons`;
    if (!general) {
      const lead = "Each line alone can change it, depending on the states that are taken:";
      return { question, kind, lead, items, line: (item) => this.line(item, { clauses: true }), ...rest };
    }
    const least = !nearest ? "How many features must change at least was not found in time"
      : `At least ${plural(nearest.changes.length, "feature")} must change`;
    const lead = `${least}. ${this.target} is no longer ${this.name(this.label)}, all else as it is, if`;
    const line = (item, at) => {
      const labels = this.why.outcomes(item, at);
      const then = labels ? labels.map((label) => this.name(label)).join(" or ") : "another";
      return { ...this.line(item, { clauses: true, after: `: then ${this.target} is ${then}` }), changes: item };
    };
    return { question, kind, lead, items, line, ...rest };
  }

  whyNot(label) {
    const question = `Why is ${this.target} not ${this.name(label)}?`;
    if (!this.why.hasInstances(label)) {
      return { question, lead: "No instance is in this class.", items: [], cut: false };
    }
    const { items, message, ...rest } = this.why.against(label);
    if (message) return { question, lead: message, items: [], cut: false };
    const line = (item) => ({ ...this.line(item, { clauses: true, verb: "were" }), changes: item });
    const lead = `${this.target} would be ${this.name(label)}, all else as it is, if`;
    return { question, kind: "contrastive explanations", lead, items, line, ...rest };
  }

  /** Whether the reasons of a kind are those of its general kind: then they are shown once. */
  areTheSame(clauses) {
    const [own, general] = [false, true].map((which) => this.why.list(clauses, which));
    return own.cut === general.cut && own.items.length === general.items.length
      && own.items.every((item, at) => item.length === general.items[at].length
        && item.every(([feature, mask], place) =>
          feature === general.items[at][place][0] && mask === general.items[at][place][1]));
  }

  /** Why that is so, as a sentence. */
  sameBecause(clauses) {
    const { items } = this.why.list(clauses, false);
    const kind = `general ${clauses ? "necessary" : "sufficient"} reasons`;
    const binary = items.every((item) => item.every(([feature]) => this.features[feature].states.length === 2));
    return binary ? `Their features have two states each, so these are the ${kind}, too.`
      : `No other states would do, so these are the ${kind}, too.`;
  }

  /** Everything as plain text: for scripts, and to check this page. */
  texts() {
    const said = (line) => [this.plain(line), this.formal(line)];
    const listed = ({ question, lead, items, line }) =>
      ({ question, lead, lines: items.map((item, at) => said(line(item, at))) });
    const { because, change } = this.short();
    return {
      because: because && this.plain(because),
      change: typeof change === "string" ? change : this.plain(change),
      enough: listed(this.enough(false)),
      general: listed(this.enough(true)),
      changes: listed(this.changes(true)),
      necessary: listed(this.changes(false)),
      against: this.classes.map((_, label) => (label === this.label ? null : listed(this.whyNot(label)))),
      same: [false, true].map((clauses) => this.areTheSame(clauses)),
    };
  }
}
