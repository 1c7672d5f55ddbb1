// What is seen: controls, decision, reasons. Names go into the page as text only.

const SHOWN = 12, MOST_BUTTONS = 6, MANY = 8, LEAST_SCALE = 0.6;

const KINDS = [
  ["Sufficient reasons", "Keep one, and the decision stays whatever else changes.", false, false],
  ["Necessary reasons", "Give up all of one, and the decision can change.", true, false],
  ["General sufficient reasons", "Stay within one, and the decision stays.", false, true],
  ["General necessary reasons", "Violate one, changing nothing else, and the decision changes.", true, true],
];

const IMPOSSIBLE = {
  lowest: "all classes tie at zero, and the tie rule takes the one listed first.",
  none: "all classes tie at zero, and a tie is in no class.",
  threshold: "nothing is above the threshold, so the rule takes the other class.",
};

const byId = (id) => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const named = (text, kind = "name") => make("bdi", { class: kind }, text);
const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, "\u202f");

class View {
  constructor(model) {
    this.model = model;
    this.row = this.rowOfAddress() ?? model.start;
    this.against = null;
    this.drawn = "decided";
    this.fit = null; // whether drawings shrink to the width, once the reader has said so
    this.seen = {}; // where the reader was looking in which drawing
    this.expanded = new Set();
    this.turn = 0;
    this.choices = model.features.map((feature, position) => this.control(feature, position));
    byId("features").append(...this.choices.map(({ element }) => element));
    byId("features").classList.toggle("many", model.features.length > MANY);
    byId("title").replaceChildren("Explore: ", named(model.target));
    byId("subtitle").append(
      model.name ? named(model.name) : "", model.name ? " · " : "",
      `${plural(model.features.length, "feature")} · ${model.classes.length} classes · `,
      `${grouped(model.total)} instances`,
      model.possible === null ? " · which of them are possible is not known here"
        : model.impossible === "0" ? "" : `, ${grouped(model.impossible)} of them impossible`);
    this.counts();
    byId("instance").addEventListener("submit", (event) => event.preventDefault());
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      byId("decision").focus();
    });
    window.addEventListener("hashchange", () => this.show(this.rowOfAddress() ?? this.row));
    this.show(this.row);
  }

  /** The row that the address names, as state positions between dots. */
  rowOfAddress() {
    const row = location.hash.slice(1).split(".").map((word) => (/^\d{1,6}$/.test(word) ? Number(word) : -1));
    const sizes = this.model.features.map(({ states }) => states.length);
    const fits = row.length === sizes.length && row.every((state, f) => state >= 0 && state < sizes[f]);
    return fits ? row : null;
  }

  /** Let the address name the row, so that a link leads here; not every frame has an address to change. */
  keepAddress() {
    if (!location.hash && this.row.every((state, feature) => state === this.model.start[feature])) return;
    try {
      history.replaceState(null, "", `#${this.row.join(".")}`);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  }

  className(label) {
    return this.model.classes[label] ?? "no class";
  }

  control({ name, states }, position) {
    const change = (state) => this.show(this.row.map((own, feature) => (feature === position ? state : own)));
    if (states.length > MOST_BUTTONS) {
      const options = states.map((_, state) => make("option", { value: state }));
      const select = make("select", { id: `feature${position}` }, ...options);
      select.addEventListener("change", () => change(Number(select.value)));
      const element = make("div", { class: "feature" },
        make("label", { for: `feature${position}` }, named(name)), select);
      const mark = (state, text) => {
        options[state].textContent = states[state] + (text ? ` → ${text}` : "");
      };
      return { element, choose: (state) => { select.value = String(state); }, mark };
    }
    const inputs = [], marks = [];
    const element = make("fieldset", { class: "feature" }, make("legend", {}, named(name)),
      make("div", { class: "states" }, ...states.map((state, number) => {
        const input = make("input", { type: "radio", name: `feature${position}`, value: number });
        input.addEventListener("change", () => change(number));
        const tag = make("span", { class: "leads" });
        inputs.push(input);
        marks.push(tag);
        return make("label", { class: "state" }, input, named(state, "text"), tag);
      })));
    const mark = (state, text) => {
      marks[state].replaceChildren(...(text ? ["→ ", named(text, "text")] : []));
      marks[state].title = text ? `would be decided as ${text}` : "";
    };
    return { element, choose: (state) => { inputs[state].checked = true; }, mark };
  }

  /** Show another row: the decision at once, then the rest, piece by piece. */
  show(row) {
    this.row = row;
    this.label = decide(this.model, row);
    this.changes = singleChanges(this.model, row);
    this.case = caseOf(this.model, row, this.changes);
    this.expanded.clear();
    this.choices.forEach(({ choose, mark }, feature) => {
      choose(row[feature]);
      this.changes[feature].forEach((label, state) =>
        mark(state, label === this.label ? "" : this.className(label)));
    });
    const decision = named(this.className(this.label), "class");
    byId("verdict").replaceChildren(named(this.model.target), " = ", decision);
    byId("impossible").textContent = isPossible(this.model, row) === false
      ? `This instance is impossible, the network gives it probability 0: ${IMPOSSIBLE[this.model.rule]}` : "";
    for (const line of byId("counts").querySelectorAll("tr[data-label]")) {
      line.classList.toggle("on", Number(line.dataset.label) === this.label);
    }
    this.keepAddress();
    const turn = ++this.turn;
    const pieces = [
      () => this.distance(),
      () => this.reasons(),
      ...KINDS.map((_, number) => () => this.list(number)),
      () => this.contrast(),
      () => this.picture(),
    ];
    byId("answers").setAttribute("aria-busy", "true");
    const next = () => {
      if (turn !== this.turn) return;
      const piece = pieces.shift();
      if (piece) {
        piece();
        setTimeout(next);
      } else {
        byId("answers").removeAttribute("aria-busy");
      }
    };
    setTimeout(next);
  }

  /** Show another row after a button that this removes: the reader goes on from the decision. */
  go(row) {
    this.show(row);
    byId("decision").focus();
  }

  literals(literals, sign, empty) {
    if (!literals.length) return [empty];
    return literals.flatMap(([feature, mask], index) => [
      ...(index ? [` ${sign} `] : []),
      named(literalText(this.model.features[feature], mask), "literal"),
    ]);
  }

  distance() {
    const found = nearest(this.model, this.row, (label) => label !== this.label);
    if (!found) {
      byId("distance").replaceChildren("No change leads to another decision.");
      return;
    }
    const changed = found.map((state, feature) => [feature, bit(state)])
      .filter(([feature]) => found[feature] !== this.row[feature]);
    const button = make("button", { type: "button" }, "Make this change");
    button.addEventListener("click", () => this.go(found));
    byId("distance").replaceChildren(
      `Nearest other decision: ${plural(changed.length, "change")} away. `,
      ...this.literals(changed, "and", ""), " would give ",
      named(this.className(decide(this.model, found)), "class"),
      isPossible(this.model, found) === false ? ", though the network gives that probability 0. " : ". ", button);
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
        const target = violating(this.model, this.row, item);
        const button = make("button", { type: "button", class: "try" }, "Try");
        button.title = `Violate it: decided as ${this.className(decide(this.model, target))}`;
        button.addEventListener("click", () => this.go(target));
        line.append(" ", button);
      }
      return line;
    });
    const empty = cut ? "Too many to find here." : none;
    const parts = [lines.length ? make("ul", {}, ...lines) : make("p", {}, empty)];
    if (items.length > shown.length) {
      const more = make("button", { type: "button" }, `${items.length - shown.length} more`);
      more.addEventListener("click", () => {
        this.expanded.add(key);
        again();
        const line = place.querySelectorAll("li")[SHOWN]; // the button is gone: go on from the first new line
        line.tabIndex = -1;
        line.focus();
      });
      parts.push(make("p", {}, more));
    }
    if (cut) {
      const known = total === null ? "there are more" : `there are ${grouped(String(total))}`;
      parts.push(make("p", { class: "cut" }, `Cut after ${items.length}: ${known}, too many for a page.`));
    }
    place.replaceChildren(...parts);
  }

  contrast() {
    const { classes } = this.model;
    const others = classes.map((_, label) => label).filter((label) => label !== this.label);
    if (!others.includes(this.against)) this.against = others[0] ?? null;
    const place = byId("contrast");
    if (this.against === null) {
      place.replaceChildren(make("p", {}, "There is no other class."));
      return;
    }
    const list = make("div", { id: "contrast-list" });
    const options = others.map((label) => [label, classes[label]]);
    const hint = "Violate one, changing nothing else, and the instance is in that class.";
    const chooser = this.chooser("Why not", "against", options, this.against, (label) => {
      this.against = label;
      this.fillContrast(list);
    });
    place.replaceChildren(chooser, make("p", { class: "hint" }, hint), list);
    this.fillContrast(list);
  }

  fillContrast(place) {
    const label = this.against, key = `against ${label}`;
    const against = this.case.remember(key, () => caseAgainst(this.model, this.row, label, this.changes));
    const none = "No instance is in this class.";
    this.fill(place, key, against.list(true, true), { none, again: () => this.fillContrast(place) });
  }

  chooser(label, id, options, chosen, change) {
    const select = make("select", { id }, ...options.map(([value, text]) => make("option", { value }, text)));
    select.value = String(chosen);
    select.addEventListener("change", () => change(options[select.selectedIndex][0]));
    return make("p", { class: "chooser" }, make("label", { for: id }, label), " ", select);
  }

  picture() {
    const { roots, pictures } = this.model;
    const place = byId("circuit");
    if (!byId("picture")) {
      const all = roots.map((_, label) => [label, this.className(label)]);
      const options = [["decided", "the decided class"], ...all];
      place.append(
        this.chooser("Formula of", "drawn", options, "decided", (label) => {
          this.drawn = label;
          this.picture();
        }),
        make("p", { class: "hint" }, "Lit: what holds for the instance."), make("div", { id: "picture" }));
    }
    const label = this.drawn === "decided" ? this.label : this.drawn;
    const root = roots[label][0], size = programOf(this.model, root).length;
    if (!pictures[label]) {
      const sentence = `This circuit has ${grouped(String(size))} nodes, too many to draw here.`;
      byId("picture").replaceChildren(make("p", {}, sentence));
      return;
    }
    const holding = holdingNodes(this.model, root, this.row);
    const about = `Circuit of ${this.className(label)}: ${size} nodes, ${holding.size} of them hold; `
      + `it is ${holding.has(root) ? "true" : "false"} for the instance`;
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

function bar(share) {
  const look = { class: "bar", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" };
  return shape("svg", look,
    shape("rect", { class: "whole", width: 1, height: 1 }), shape("rect", { width: share, height: 1 }));
}

function percent(count, share) {
  if (count === "0") return "0 %";
  return share < 0.001 ? "< 0.1 %" : `${(100 * share).toFixed(1)} %`;
}

try {
  const model = readModel(JSON.parse(byId("model").textContent));
  const view = new View(model);
  const rowOf = (instance) => model.features.map(({ name, states }) => {
    const state = states.indexOf(String(instance[name]));
    if (state < 0) throw new RangeError(`no such state of ${name}: ${instance[name]}`);
    return state;
  });
  // For scripts: every answer of this page as plain data.
  globalThis.bnc2d = Object.freeze({
    limits,
    answers: (instance) => answers(model, rowOf(instance)),
    reasonHolds: (instance, other, general = false) => {
      const why = caseOf(model, rowOf(instance));
      return why.circuit.holds(general ? why.general : why.complete, rowOf(other));
    },
    show: (instance) => view.show(rowOf(instance)),
  });
} catch (error) {
  byId("failure").textContent = `The page cannot show this model: ${error}`;
  byId("failure").hidden = false;
}
