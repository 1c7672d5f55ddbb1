// The answers on a decision: its reasons, why not another class, the circuit.

const SHOWN = 12, LEAST_SCALE = 0.6;

const KINDS = [
  ["Sufficient reasons", "Keep one, and the decision stays whatever else changes.", false, false],
  ["Necessary reasons", "Give up all of one, and the decision can change.", true, false],
  ["General sufficient reasons", "Stay within one, and the decision stays.", false, true],
  ["General necessary reasons", "Violate one, changing nothing else, and the decision changes.", true, true],
];

/** All answers on one subject; go shows another row. */
class Answers {
  constructor(model, className, go) {
    Object.assign(this, { model, className, go });
    this.against = null;
    this.asked = false; // whether the reader has chosen the class to ask about
    this.drawn = "decided";
    this.fit = null; // whether drawings shrink to the width, once the reader has said so
    this.seen = {}; // where the reader was looking in which drawing
    this.expanded = new Set();
  }

  /** The steps that show a subject's answers, to be made one after another. */
  steps(subject) {
    this.subject = subject;
    this.expanded.clear();
    const { explainer, filled, changes } = subject;
    this.case = explainer && caseOf(explainer, filled, changes);
    for (const place of document.querySelectorAll(".explained")) place.hidden = !explainer;
    byId("unexplained").hidden = Boolean(explainer);
    byId("of-known").hidden = isComplete(subject.row);
    byId("unexplained-text").textContent = subject.sentence || "There is no decision to explain.";
    if (!explainer) return [() => this.picture()]; // of the model as a whole
    return [
      () => this.distance(),
      () => this.reasons(),
      ...KINDS.map((_, number) => () => this.list(number)),
      () => this.contrast(),
      () => this.picture(),
    ];
  }

  literals(literals, sign, empty) {
    if (!literals.length) return [empty];
    return literals.flatMap(([feature, mask], index) => [
      ...(index ? [` ${sign} `] : []),
      named(literalText(this.model.features[feature], mask), "literal"),
    ]);
  }

  distance() {
    const { row, explainer } = this.subject;
    const found = nearestOther(this.subject);
    if (!found) {
      byId("distance").replaceChildren("No change leads to another decision.");
      return;
    }
    const changed = found.map((state, feature) => [feature, state])
      .filter(([feature, state]) => state !== row[feature]).map(([feature, state]) => [feature, bit(state)]);
    const label = decide(explainer, found.map((state) => Math.max(state, 0)));
    const never = isComplete(found) && isPossible(this.model, found) === false;
    byId("distance").replaceChildren(
      `Nearest other decision: ${plural(changed.length, "change")} away. `,
      ...this.literals(changed, "and", ""), " would give ", named(this.className(label), "class"),
      never ? ", though the network gives that probability 0. " : ". ",
      button("Make this change", () => this.go(found)));
  }

  reasons() {
    const { circuit, complete, general } = this.case;
    byId("complete").replaceChildren(circuit.text(complete));
    byId("general").replaceChildren(circuit.text(general));
  }

  list(number) {
    const [title, hint, clauses, general] = KINDS[number];
    const id = `list${number}`;
    if (!byId(id)) {
      byId("reasons").append(make("section", { "aria-labelledby": `${id}-heading` },
        make("h3", { id: `${id}-heading` }, title), make("p", { class: "hint" }, hint), make("div", { id })));
    }
    const none = clauses ? "None: no change leads to another decision." : "";
    const again = () => this.list(number);
    const found = this.case.list(clauses, general);
    this.fill(byId(id), id, found, { clauses, tryable: clauses && general, none, again });
  }

  /** Fill a place with a list, and say how many are not shown and whether the search was cut. */
  fill(place, key, { items, cut, total }, { clauses = true, tryable = true, none, again }) {
    const shown = this.expanded.has(key) ? items : items.slice(0, SHOWN);
    const lines = shown.map((item) => {
      const sign = clauses ? "∨" : "∧";
      const line = make("li", {}, ...this.literals(item, sign, "⊤ (whatever the instance)"));
      if (tryable) {
        const { row, explainer, filled } = this.subject;
        const target = violating(explainer, filled, item);
        const title = `Violate it: decided as ${this.className(decide(explainer, target))}`;
        line.append(" ", button("Try", () => this.go(sameUnknown(target, row)), { class: "try", title }));
      }
      return line;
    });
    const empty = cut ? "Too many to find here." : none;
    const parts = [lines.length ? make("ul", {}, ...lines) : make("p", {}, empty)];
    if (items.length > shown.length) {
      const more = () => {
        this.expanded.add(key);
        again();
        const line = place.querySelectorAll("li")[SHOWN]; // the button is gone: go on from the first new line
        line.tabIndex = -1;
        line.focus();
      };
      parts.push(make("p", {}, button(`${items.length - shown.length} more`, more)));
    }
    if (cut) {
      const known = total === null ? "there are more" : `there are ${grouped(String(total))}`;
      parts.push(make("p", { class: "cut" }, `Cut after ${items.length}: ${known}, too many for a page.`));
    }
    place.replaceChildren(...parts);
  }

  contrast() {
    const { explainer, label } = this.subject, { classes } = this.model, { has } = explainer;
    const others = classes.map((_, other) => other).filter((other) => other !== label);
    others.sort((one, other) => has[other] - has[one] || one - other);
    const again = !others.includes(this.against) || (!this.asked && !has[this.against]);
    if (again) this.against = others[0] ?? null;
    const place = byId("contrast");
    if (this.against === null) {
      place.replaceChildren(make("p", {}, "There is no other class."));
      return;
    }
    const list = make("div", { id: "contrast-list" });
    const options = others.map((other) => [other, classes[other] + (has[other] ? "" : " (no instances)")]);
    const hint = "Violate one, changing nothing else, and the instance is in that class.";
    const asking = chooser("Why not", "against", options, this.against, (other) => {
      this.against = other;
      this.asked = true;
      this.fillContrast(list);
    });
    place.replaceChildren(asking, make("p", { class: "hint" }, hint), list);
    this.fillContrast(list);
  }

  fillContrast(place) {
    const { explainer, filled, changes } = this.subject;
    const label = this.against, key = `against ${label}`;
    const against = this.case.remember(key, () => caseAgainst(explainer, filled, label, changes));
    const none = "No instance is in this class.";
    this.fill(place, key, against.list(true, true), { none, again: () => this.fillContrast(place) });
  }

  picture() {
    const { roots, pictures } = this.model;
    const place = byId("circuit");
    if (!byId("picture")) {
      const all = roots.map((_, label) => [label, this.className(label)]);
      const options = [["decided", "the decided class"], ...all];
      place.append(
        chooser("Formula of", "drawn", options, "decided", (label) => {
          this.drawn = label;
          this.picture();
        }),
        make("p", { class: "hint", id: "lit" }), make("div", { id: "picture" }));
    }
    const { row } = this.subject;
    byId("lit").textContent = isComplete(row) ? "Lit: what holds for the instance."
      : "Of all features. Lit: what holds whatever the unknown features are.";
    const label = this.drawn === "decided" ? this.subject.label : this.drawn;
    if (!roots[label]) {
      byId("picture").replaceChildren(make("p", {}, "There is no circuit of this decision."));
      return;
    }
    const root = roots[label][0], size = programOf(this.model, root).length;
    if (!pictures[label]) {
      const sentence = `This circuit has ${grouped(String(size))} nodes, too many to draw here.`;
      byId("picture").replaceChildren(make("p", {}, sentence));
      return;
    }
    const holding = holdingNodes(this.model, root, row);
    const truth = holding.has(root) ? "true" : isComplete(row) ? "false" : "not known to be true";
    const about = `Circuit of ${this.className(label)}: ${size} nodes, ${holding.size} of them hold; `
      + `it is ${truth} for the instance`;
    const { width, points, boxes } = pictures[label];
    const frame = make("div", { class: "drawing", tabindex: "0", role: "region", "aria-label": "Drawing" });
    frame.append(draw(pictures[label], holding, about));
    const fit = make("input", { type: "checkbox" });
    const scale = () => frame.classList.toggle("fit", fit.checked);
    fit.addEventListener("change", () => {
      this.fit = fit.checked;
      scale();
    });
    byId("picture").replaceChildren(make("p", {}, make("label", {}, fit, " Fit to the width")), frame);
    fit.checked = this.fit ?? width * LEAST_SCALE <= frame.clientWidth;
    scale();
    const top = points.slice(0, boxes.length).reduce((one, other) => (other[1] < one[1] ? other : one));
    const seen = this.seen.label === label ? this.seen : { left: top[0] - frame.clientWidth / 2, top: 0 };
    frame.scrollTo(seen.left, seen.top);
    this.seen = { label, left: frame.scrollLeft, top: frame.scrollTop };
    frame.addEventListener("scroll", () => {
      this.seen = { label, left: frame.scrollLeft, top: frame.scrollTop };
    });
  }
}
