// The probability of each class as bars, and what the unknown features could do.

const LONG_NAME = 14;

/** A bar for each class, always there, so that nothing moves when the numbers change. */
class Bars {
  constructor({ classes, rule: { ties, threshold }, network, without }) {
    this.threshold = threshold;
    this.tie = threshold ? "The threshold is hit exactly, and not exceeded."
      : ties === "none" ? "Classes are equally probable: a tie is in no class."
        : "Classes are equally probable: the one listed first is taken.";
    byId("posterior").hidden = !network;
    if (!network) {
      byId("posterior-note").textContent = `No probabilities, and no feature can be left unknown. ${without}`;
      return;
    }
    this.lines = classes.map((name) => {
      const heading = make("th", { scope: "row" }, named(name));
      return { name: heading, bar: make("td"), number: make("td", { class: "number" }) };
    });
    const lines = this.lines.map((line) => make("tr", {}, line.name, line.bar, line.number));
    byId("posterior").append(make("tbody", {}, ...lines));
    byId("posterior").classList.toggle("wide", classes.some((name) => name.length > LONG_NAME));
    if (threshold) {
      const names = [threshold.positive, 1 - threshold.positive].map((label) => named(classes[label]));
      const above = ` above ${chance(threshold.at)} (the line), else `;
      byId("posterior-rule").replaceChildren(names[0], above, names[1]);
    }
  }

  show({ label, posterior, close, tied, impossible, row }) {
    if (!this.lines) return;
    this.lines.forEach((line, number) => {
      const share = posterior ? posterior[number] : 0;
      const mark = this.threshold?.positive === number ? this.threshold.at : null;
      line.bar.replaceChildren(bar(share, mark));
      line.number.textContent = posterior ? chance(share) : "–";
      line.name.parentElement.classList.toggle("on", number === label);
    });
    if (this.lines[label]) this.reveal(this.lines[label].name);
    const near = "Equal, or too close to tell apart here; the decision is the compiled model's.";
    byId("posterior-note").textContent = posterior ? (tied ? this.tie : close && isComplete(row) ? near : "")
      : impossible ? "What is impossible has no probabilities of classes."
        : label === TOO_LARGE ? "Their probabilities would take too long to find here."
          : "The probabilities are too small to show here.";
  }

  /** Where there are many classes, scroll to one. */
  reveal(element) {
    const place = byId("probabilities");
    const [seen, wanted] = [place, element].map((one) => one.getBoundingClientRect());
    place.scrollTop += wanted.top - seen.top - (place.clientHeight - wanted.height) / 2;
  }
}

/** The section on completions of a row with unknown features. */
class Completions {
  constructor(model, className, go) {
    Object.assign(this, { model, className, go });
  }

  show({ row, label }) {
    const { model } = this, { counts, total, examples, matters, cut, chances } = completionsOf(model, row);
    const allowed = model.constraint === null ? "" : "allowed ";
    const ways = `${allowed}${total === 1n ? "way" : "ways"} to fill in the unknown features`;
    const all = `${grouped(String(total))} ${ways}`;
    const share = (count) => percent(String(count), Number((count << 60n) / total) / 2 ** 60);
    const kept = counts[label] ?? 0n;
    const known = chances && label >= 0 ? ` The probability that it stays is ${chance(chances[label])}.` : "";
    byId("completions-text").textContent = label < 0 ? `Of ${all}:`
      : kept === total ? `All ${all} keep the decision.`
        : `Of ${all}, ${grouped(String(kept))} (${share(kept)}) keep the decision.${known}`;
    const head = ["Class", "Ways", "Share", ...(chances ? ["Probability"] : [])].map((text, column) =>
      make("th", { scope: "col", class: column ? "number" : "" }, text));
    const likely = chances ? "The likeliest" : "One";
    const lines = examples.flatMap((example, other) => (example === null ? [] : [
      make("tr", { class: other === label ? "on" : "" },
        make("th", { scope: "row" }, named(this.className(other))),
        make("td", { class: "number" }, grouped(String(counts[other]))),
        make("td", { class: "number" }, share(counts[other])),
        ...(chances ? [make("td", { class: "number" }, chance(chances[other]))] : []),
        make("td", {}, button("Try", () => this.go(example), {
          class: "try", title: `${likely} that gives ${this.className(other)}` })))]));
    byId("completions-table").replaceChildren(
      make("thead", {}, make("tr", {}, ...head, make("td"))), make("tbody", {}, ...lines));
    const several = lines.length > 1;
    byId("completions-table").hidden = byId("tipping").hidden = !several;
    if (several) this.mattering(row, label, matters, cut);
  }

  mattering(row, label, matters, cut) {
    const { model } = this, place = byId("matters");
    const listed = new Set(matters.map(({ feature }) => feature));
    const others = row.flatMap((state, feature) => (state < 0 && !listed.has(feature) ? [feature] : []));
    const lines = matters.map(({ feature, rows, shown }) => {
      const labels = rows.map((one) => decide(model, one));
      const other = labels[1] === label ? 0 : 1;
      const text = (one, name) => literalText(model.features[name], bit(one[name]));
      const rest = [...shown].filter((name) => name !== feature).sort((one, two) => one - two);
      const sides = rows.flatMap((one, side) => [
        side ? ", " : "", named(text(one, feature), "literal"), " → ", named(this.className(labels[side]))]);
      const where = rest.map((name) => text(rows[0], name)).join(" and ");
      return make("li", {}, ...sides, ...(rest.length ? [" where ", named(where)] : []), " ",
        button("Try", () => this.go(rows[other]), {
          class: "try", title: `The one that gives ${this.className(labels[other])}` }));
    });
    const names = others.flatMap((feature, index) => [index ? ", " : "", named(model.features[feature].name)]);
    const rest = !others.length ? [] : [make("p", { class: "hint" },
      cut ? "Of these it was not found in time: " : "Whatever the others are, these change nothing: ",
      ...names, ".")];
    place.replaceChildren(lines.length ? make("ul", {}, ...lines) : make("p", {}, "None alone."), ...rest);
  }
}
