// A table of rows to choose from, filtered by what is typed.

const ROWS_SHOWN = 100; // at first, and with each further click

/** The rows of a page: names, labels (-1 where a row has an error), and at which of the states each is. */
class RowTable {
  constructor({ rows, features }, className, choose, withValues) {
    Object.assign(this, { rows, features, className, choose, withValues });
    this.count = ROWS_SHOWN;
    this.chosen = -1;
    const { names } = rows;
    byId("rows").hidden = false;
    this.filter = make("input", { type: "search", id: "rows-filter", placeholder: "name, class or state" });
    this.filter.addEventListener("input", () => {
      this.count = ROWS_SHOWN;
      this.show();
    });
    const step = (by) => () => this.step(by);
    this.buttons = [button("Previous", step(-1)), button("Next", step(1))];
    this.body = make("tbody");
    this.rest = make("p", { class: "hint" });
    this.own = make("p", { class: "hint" });
    const head = ["Row", "Decision"].map((text) => make("th", { scope: "col" }, text));
    byId("rows-table").append(
      make("p", { class: "chooser" }, make("label", { for: "rows-filter" }, "Find"), " ", this.filter),
      make("p", { class: "steps" }, ...this.buttons),
      make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rows" },
        make("table", {}, make("thead", {}, make("tr", {}, ...head)), this.body)),
      this.rest, this.own);
    this.found = names.map((_, number) => number);
    this.show();
  }

  /** What is searched for in a row: its name, its class and its states. */
  text(number) {
    this.texts ??= new Map();
    if (!this.texts.has(number)) {
      const { names, labels, at, states } = this.rows, own = states[at[number]] ?? [];
      const parts = own.map((state, feature) => (state < 0 ? ""
        : `${this.features[feature].name}=${this.features[feature].states[state]}`));
      const decision = labels[number] < 0 ? "error" : this.className(labels[number]);
      this.texts.set(number, [names[number], decision, ...parts].join("\n").toLowerCase());
    }
    return this.texts.get(number);
  }

  show() {
    const { names, labels, errors } = this.rows, wanted = this.filter.value.trim().toLowerCase();
    this.found = names.map((_, number) => number).filter((number) => !wanted || this.text(number).includes(wanted));
    this.body.replaceChildren(...this.found.slice(0, this.count).map((number) => {
      const error = errors[number];
      const cell = error === undefined ? named(this.className(labels[number])) : make("span", { class: "hint" }, error);
      const name = error === undefined ? button(names[number], () => this.take(number), { class: "row" })
        : named(names[number]);
      return make("tr", { "data-row": number }, make("th", { scope: "row" }, name), make("td", {}, cell));
    }));
    const left = this.found.length - this.count;
    const more = button(`${Math.min(left, ROWS_SHOWN)} more`, () => {
      this.count += ROWS_SHOWN;
      this.show();
    });
    this.rest.replaceChildren(`${plural(this.found.length, "row")} of ${names.length}. `, ...(left > 0 ? [more] : []));
    this.light();
  }

  /** The next or the previous row of those that are listed and have an answer. */
  step(by) {
    const usable = this.found.filter((number) => this.rows.errors[number] === undefined);
    const place = usable.indexOf(this.chosen);
    const next = place < 0 ? (by > 0 ? 0 : usable.length - 1) : place + by;
    if (!(next in usable)) return;
    this.take(usable[next]);
    this.count = Math.max(this.count, this.found.indexOf(usable[next]) + 1);
    if (!this.body.querySelector(`[data-row="${usable[next]}"]`)) this.show();
    this.body.querySelector(`[data-row="${usable[next]}"]`).scrollIntoView({ block: "nearest" });
  }

  take(number) {
    this.chosen = number;
    this.choose(this.rows.at[number], number);
    this.light();
  }

  /** Light up the chosen row where it still is what is shown, else the first that is. */
  mark(isShown) {
    const fits = (number) => this.rows.errors[number] === undefined && isShown(this.rows.at[number]);
    if (this.chosen < 0 || !fits(this.chosen)) this.chosen = this.rows.names.findIndex((_, number) => fits(number));
    this.light();
  }

  light() {
    const values = this.withValues ? this.rows.values[this.chosen] ?? [] : [];
    const given = values.flatMap((text, feature) => (text === null ? [] : [`${this.features[feature].name} ${text}`]));
    this.own.textContent = given.length ? `Row ${this.rows.names[this.chosen]}: ${given.join(", ")}` : "";
    for (const line of this.body.children) {
      const on = Number(line.dataset.row) === this.chosen;
      line.classList.toggle("on", on);
      if (on) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    }
  }
}
