// A page of answers that were written down beforehand, row by row: of models that are too large to be in a page.

const LISTED = [["sufficient", "generalSufficient"], ["necessary", "generalNecessary"]];

/** Why a row is decided as it is, as it was written down (see Found). */
class Recorded {
  constructor(answer, { features, several }) {
    Object.assign(this, { answer, features, several });
    this.lists = new Map();
  }

  read(key) {
    if (!this.lists.has(key)) {
      const { items, cut } = this.answer.lists[key];
      const mask = ([feature, states]) => [feature, BigInt(states)];
      this.lists.set(key, { items: items.map((item) => item.map(mask)), cut: cut !== null, note: noteOf(cut, items) });
    }
    return this.lists.get(key);
  }

  list(clauses, general) {
    const [own, other] = LISTED[Number(clauses)];
    return this.read(general && this.answer.lists[other] ? other : own); // what is the same is there once
  }

  against(label) {
    const { message } = this.answer.against[label];
    if (message) return { items: [], cut: false, message };
    this.answer.lists[`against ${label}`] ??= this.answer.against[label];
    return this.read(`against ${label}`);
  }

  hasInstances() {
    return true;
  }

  nearest() {
    const { nearest, states } = this.answer;
    if (!nearest || nearest.cut) return nearest ? undefined : null;
    const changes = nearest.states.flatMap((state, feature) =>
      (state < 0 || state === states[feature] ? [] : [[feature, bit(state)]]));
    return { changes, label: nearest.label, impossible: nearest.possible === false, row: null };
  }

  /** The reason and the way out of the picture, as Python chose them. */
  widest() {
    return this.answer.shaded && this.answer.shaded.map(([feature, states]) => [feature, BigInt(states)]);
  }

  out() {
    return this.answer.out && this.answer.out.map(([feature, states, nearest]) => [feature, BigInt(states), nearest]);
  }

  outcomes(_, at) {
    return this.answer.outcomes[at] ?? null;
  }

  violating() {
    return null;
  }

  reason() {
    return this.answer.reason.map(([feature, states]) => [feature, BigInt(states)]);
  }

  unproved(key, position) {
    return this.answer.unproved[key]?.[position];
  }

  scores(kind) {
    return this.answer.scores[kind];
  }

  plainlyInNone() {
    return new Set();
  }

  formulas() {
    return this.answer.formulas;
  }
}

const noteOf = (cut, { length }) => (cut === "time" ? "And perhaps more: time ended this list."
  : `The first ${length}: there are more.`);

/** What is seen of rows that were answered beforehand. */
class RecordedView {
  constructor(data) {
    const features = readFeatures(data), { classes } = data;
    this.model = { ...data, features };
    const className = (label) => classes[label] ?? "no class";
    Object.assign(this, { className, turns: new Turns() });
    for (const place of document.querySelectorAll(".live")) place.hidden = true;
    byId("instance").hidden = true;
    document.querySelector("main").classList.add("recorded");
    byId("values").hidden = false;
    byId("title").replaceChildren("Rows explained: ", named(data.target));
    byId("subtitle").append(data.name ? named(data.name) : "", data.name ? " · " : "",
      `${plural(features.length, "feature")} · ${classes.length} classes · ${plural(data.rows.names.length, "row")}`);
    byId("constraint").hidden = data.constraint === null;
    byId("constraint-text").textContent = data.constraint ?? "";
    byId("source").textContent = data.source;
    this.answers = new Answers(this.model, className, () => {});
    this.bars = new Bars({ ...this.model, network: true });
    this.table = new RowTable(this.model, className, (at, number) => this.show(at, number), false);
    window.addEventListener("hashchange", () => this.open());
    this.open();
  }

  /** Show the row that the address names, or the first that has an answer. */
  open() {
    const { names, errors } = this.model.rows, asked = Number(/^#row(\d{1,9})$/.exec(location.hash)?.[1] ?? 0) - 1;
    const usable = (number) => number in names && errors[number] === undefined;
    const first = usable(asked) ? asked : names.findIndex((_, number) => usable(number));
    if (first >= 0) this.table.take(first);
    else {
      byId("verdict").textContent = "No row could be answered.";
      byId("short").hidden = byId("answers").hidden = true;
    }
  }

  show(at, number) {
    const { model } = this, answer = model.answers[at], { states: row, label, posterior, caveat, missing } = answer;
    byId("verdict").replaceChildren(named(model.target), " = ", named(this.className(label), "class"));
    byId("impossible").textContent = caveat;
    this.bars.show({ label, posterior, close: false, tied: false, impossible: answer.possible === false, row });
    byId("values-heading").replaceChildren("Row ", named(model.rows.names[number]));
    const lines = row.map((state, feature) => make("tr", {},
      make("th", { scope: "row" }, nameOf(model.features[feature])),
      make("td", {}, state < 0 ? "?"
        : named(model.rows.values[number]?.[feature] ?? model.features[feature].states[state]))));
    byId("values-table").replaceChildren(make("div", { class: "scroll", tabindex: "0", role: "region",
      "aria-label": "States" }, make("table", {}, make("tbody", {}, ...lines))));
    byId("completions").hidden = !missing.length;
    byId("completions-table").hidden = byId("tipping").hidden = true;
    byId("completions-text").replaceChildren(...missing.flatMap((text) => [text, make("br")]));
    try {
      if (location.hash || number) history.replaceState(null, "", `#row${number + 1}`);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
    const subject = { row, label, sentence: "", values: model.rows.values[number] };
    this.turns.take(this.answers.steps(subject, new Recorded(answer, model)));
  }
}

/** Show what was written down, and let scripts read it. */
function showRecorded(data) {
  const view = new RecordedView(data), { model } = view;
  const why = (answer) => new Recorded(answer, model);
  globalThis.bnc2d = Object.freeze({
    rows: data.rows.names.length,
    answers: (number) => data.answers[data.rows.at[number]],
    texts: (number) => {
      const answer = data.answers[data.rows.at[number]];
      return new Story(model, { row: answer.states, label: answer.label }, why(answer)).texts();
    },
    scores: (number) => plainScores(why(data.answers[data.rows.at[number]])),
    picture: (number) => {
      const answer = data.answers[data.rows.at[number]];
      return plainPicture(pictureOf(model, { row: answer.states, label: answer.label, values: data.rows.values[number] }, why(answer)));
    },
    show: (number) => view.table.take(number),
  });
}
