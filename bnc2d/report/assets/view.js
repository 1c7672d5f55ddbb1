// What is seen as a whole: the instance, its decision, and in turn all that is known of it.

const IMPOSSIBLE = {
  lowest: "all classes tie at zero, and the tie rule takes the one listed first.",
  none: "all classes tie at zero, and a tie is in no class.",
  threshold: "nothing is above the threshold, so the rule takes the other class.",
};
const AT_ONCE = 60, MARKING = 600; // milliseconds for what choices lead to: before anything is seen, and in all

class View {
  constructor(model) {
    this.model = model;
    this.row = this.rowOfAddress() ?? model.start;
    this.turns = new Turns();
    const open = { [TOO_CLOSE]: "too close to call here", [TOO_LARGE]: "not decided here" };
    this.className = (label) => model.classes[label] ?? open[label] ?? "no class";
    const go = (row) => this.go(row);
    this.answers = new Answers(model, this.className, go);
    this.circuits = new Circuits(model, this.className);
    this.bars = new Bars(model);
    this.completions = new Completions(model, this.className, go);
    this.controls = model.features.map((feature, position) =>
      new Control(feature, position, Boolean(model.network), (state) => this.choose(position, state)));
    byId("features").append(...this.controls.map(({ element }) => element));
    byId("features").classList.toggle("many", model.features.length > MANY);
    byId("title").replaceChildren("Explore: ", named(model.target));
    this.table = model.rows && new RowTable(model, this.className, (at) => this.show(model.rows.states[at]), true);
    this.subtitle();
    this.counts();
    byId("instance").addEventListener("submit", (event) => event.preventDefault());
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      byId("decision").focus();
    });
    window.addEventListener("hashchange", () => this.show(this.rowOfAddress() ?? this.row));
    this.show(this.row);
  }

  subtitle() {
    const { model } = this;
    const instances = model.constraint === null ? `${grouped(model.total)} instances`
      : `${grouped(model.total)} of ${grouped(model.all)} instances allowed`;
    byId("subtitle").append(
      model.name ? named(model.name) : "", model.name ? " · " : "",
      `${plural(model.features.length, "feature")} · ${model.classes.length} classes · ${instances}`,
      model.possible === null ? " · which of them are possible is not known here"
        : model.impossible === "0" ? "" : `, ${grouped(model.impossible)} of them impossible`);
    byId("constraint").hidden = model.constraint === null;
    byId("constraint-text").textContent = model.constraint ?? "";
    // A state that no allowed instance has cannot be chosen at all.
    const anything = model.features.map(() => UNKNOWN);
    this.never = model.features.map(({ states }, feature) => states.map((_, state) =>
      model.constraint !== null && !isAllowed(model, changedAt(anything, feature, state))));
    if (!model.network) byId("unknown-hint").hidden = true;
  }

  /** The row that the address names, as state positions between dots, a question mark for "unknown". */
  rowOfAddress() {
    const row = location.hash.slice(1).replace(/%3f/gi, "?").split(".").map((word) =>
      (word === "?" && this.model.network ? UNKNOWN : /^\d{1,6}$/.test(word) ? Number(word) : NaN));
    const sizes = this.model.features.map(({ states }) => states.length);
    const fits = row.length === sizes.length && row.every((state, feature) => state < sizes[feature]);
    return fits ? row : null;
  }

  /** Let the address name the row, so that a link leads here; not every frame has an address to change. */
  keepAddress() {
    if (!location.hash && this.row.every((state, feature) => state === this.model.start[feature])) return;
    try {
      history.replaceState(null, "", `#${this.row.map((state) => (state < 0 ? "?" : state)).join(".")}`);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  }

  /** Change one feature; others follow where the constraint would be violated. */
  choose(feature, state) {
    this.show(changedAt(this.row, feature, state), [feature]);
  }

  /** Show another row: the decision at once, then the rest, piece by piece. */
  show(wanted, held = []) {
    const { model } = this;
    const row = nearestAllowed(model, wanted, held) ?? this.row;
    this.row = row;
    const subject = subjectOf(model, row);
    this.subject = subject;
    if (subject.explainer) subject.changes = singleChanges(subject.explainer, subject.filled);
    this.controls.forEach((control, feature) => control.choose(row[feature]));
    const decided = subject.label >= 0;
    const decision = named(this.className(subject.label), decided ? "class" : "open");
    byId("verdict").replaceChildren(named(model.target), decided ? " = " : ": ", decision);
    this.caveat(subject);
    this.moved(wanted, row);
    this.bars.show(subject);
    byId("completions").hidden = isComplete(row);
    for (const line of byId("counts").querySelectorAll("tr[data-label]")) {
      line.classList.toggle("on", Number(line.dataset.label) === subject.label);
    }
    this.keepAddress();
    this.table?.mark((at) => model.rows.states[at].every((state, feature) => state === row[feature]));
    subject.values = model.rows?.values[this.table.chosen];
    const why = subject.explainer && new Found(model, subject);
    const completions = isComplete(row) ? [] : [() => this.completions.show(subject)];
    this.turns.take([...completions, ...this.marking(subject), ...this.answers.steps(subject, why),
      () => this.circuits.show(subject)]);
  }

  caveat({ row, impossible }) {
    const { ties, threshold } = this.model.rule;
    const what = isComplete(row) ? "This instance" : "What is known";
    const rule = IMPOSSIBLE[threshold ? "threshold" : ties];
    byId("impossible").textContent = impossible
      ? `${what} is impossible, the network gives it probability 0: ${rule}` : "";
  }

  /** Say what changed beside what the reader wanted. */
  moved(wanted, row) {
    const changed = row.flatMap((state, feature) => (state === wanted[feature] ? [] : [[feature, bit(state)]]));
    byId("moved").textContent = changed.length
      ? `So that the constraint holds, this changed too: ${sentence(this.model.features, changed)}.` : "";
  }

  /** Say at each choice what it leads to: at once while that is quick, the rest in further steps. */
  marking(subject) {
    let spent = 0;
    byId("unmarked").hidden = true;
    const mark = (feature) => {
      const begin = performance.now();
      const late = spent > MARKING;
      const labels = late ? subject.changes?.[feature] ?? [] : choicesOf(this.model, subject, feature);
      const choices = this.model.features[feature].states.length + (this.model.network ? 1 : 0);
      let missing = false;
      for (let choice = 0; choice < choices; choice++) {
        const label = labels[choice] ?? null;
        const never = this.never[feature][choice] === true;
        const own = subject.row[feature] === choice || (subject.row[feature] < 0 && choice === choices - 1);
        missing ||= label === null && !own;
        this.controls[feature].mark(choice, never ? { kind: "never" }
          : label === this.model.outside ? { kind: "moves" }
            : label === null || label === subject.label || own ? { kind: "" }
              : { kind: "leads", text: this.className(label) });
      }
      if (missing) byId("unmarked").hidden = false;
      spent += performance.now() - begin;
    };
    const features = this.model.features.map((_, feature) => feature);
    while (features.length && spent < AT_ONCE) mark(features.shift());
    return features.map((feature) => () => mark(feature));
  }

  /** Show another row after a button that this removes: the reader goes on from the decision. */
  go(row) {
    this.show(row);
    byId("decision").focus();
  }

  counts() {
    const { counts } = this.model;
    const head = ["Class", "Instances", "Share"].map((text) => make("th", { scope: "col" }, text));
    const lines = counts.map(([count, share], label) => make("tr", { "data-label": label },
      make("th", { scope: "row" }, named(this.className(label))),
      make("td", {}, grouped(count)),
      make("td", {}, bar(share), ` ${percent(count, share)}`)));
    byId("counts").append(
      make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...lines)));
  }
}

/** Show a model that this page decides with, and let scripts ask it. */
function showModel(model) {
  const view = new View(model);
  const rowOf = (instance) => model.features.map(({ name, states }) => {
    const value = instance[name] ?? null;
    if (value === null && model.network) return UNKNOWN;
    const state = states.indexOf(String(value));
    if (state < 0) throw new RangeError(`no such state of ${name}: ${value}`);
    return state;
  });
  // For scripts: every answer of this page as plain data. A feature without a state, or with null, is unknown.
  globalThis.bnc2d = Object.freeze({
    limits,
    answers: (instance) => answers(model, rowOf(instance)),
    choices: (instance) => {
      const subject = subjectOf(model, rowOf(instance));
      const plain = (label) => (label === null || label < 0 ? "open" : label === model.outside ? "outside"
        : { decision: model.classes[label] ?? null });
      return model.features.map((_, feature) => choicesOf(model, subject, feature).map(plain));
    },
    reasonHolds: (instance, other, general = false) => {
      const { explainer, filled } = subjectOf(model, rowOf(instance)), why = caseOf(explainer, filled);
      return why.circuit.holds(general ? why.general : why.complete, rowOf(other));
    },
    texts: (instance) => {
      const subject = subjectOf(model, rowOf(instance));
      return subject.explainer && new Story(model, subject, new Found(model, subject)).texts();
    },
    scores: (instance) => {
      const subject = subjectOf(model, rowOf(instance));
      return subject.explainer && plainScores(new Found(model, subject));
    },
    picture: (instance) => {
      const subject = subjectOf(model, rowOf(instance));
      return subject.explainer && plainPicture(pictureOf(model, subject, new Found(model, subject)));
    },
    literal: (feature, states, verb) => {
      const mask = states.reduce((all, state) => all | bit(state), 0n), own = model.features[feature];
      return [literalText(own, mask), sentence(model.features, [[feature, mask]], verb)];
    },
    show: (instance) => view.show(rowOf(instance)),
  });
}
