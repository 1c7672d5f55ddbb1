// The features: a choice of a state each, or of "unknown", with what each choice would lead to.

const MOST_BUTTONS = 6, MANY = 8;
const NOT_ALLOWED = "not allowed with the rest: other features change too";
const NEVER_ALLOWED = "not allowed";

/** One feature. Choices are its states and last, where probabilities are known, "unknown". */
class Control {
  constructor({ name, states }, position, canBeUnknown, change) {
    this.states = states;
    const choices = canBeUnknown ? [...states, null] : states;
    const valueOf = (choice) => (choice < states.length ? choice : UNKNOWN);
    if (states.length > MOST_BUTTONS) {
      this.options = choices.map((_, choice) => make("option", { value: valueOf(choice) }));
      this.select = make("select", { id: `feature${position}` }, ...this.options);
      this.select.addEventListener("change", () => change(Number(this.select.value)));
      this.element = make("div", { class: "feature" },
        make("label", { for: `feature${position}` }, nameOf({ name })), this.select);
      choices.forEach((_, choice) => this.mark(choice, { kind: "", text: "" }));
      return;
    }
    this.inputs = [];
    this.tags = [];
    this.element = make("fieldset", { class: "feature" }, make("legend", {}, nameOf({ name })),
      make("div", { class: "states" }, ...choices.map((state, choice) => {
        const input = make("input", { type: "radio", name: `feature${position}`, value: valueOf(choice) });
        input.addEventListener("change", () => change(valueOf(choice)));
        this.inputs.push(input);
        this.tags.push(make("span", { class: "leads" }));
        const text = state === null
          ? [make("span", { "aria-hidden": "true", class: "text" }, "?"), onlyHeard("unknown")]
          : [named(state, "text")];
        const look = { class: state === null ? "state unknown" : "state" };
        return make("label", look, input, ...text, this.tags[choice]);
      })));
  }

  choose(state) {
    if (this.select) this.select.value = String(state);
    else this.inputs[state < 0 ? this.states.length : state].checked = true;
  }

  /** Say what a choice leads to: kind "leads" with a decision, "moves" or "never" under a constraint, or "". */
  mark(choice, { kind, text }) {
    const explained = kind === "leads" ? `would be decided as ${text}`
      : kind === "moves" ? NOT_ALLOWED : kind === "never" ? NEVER_ALLOWED : "";
    if (this.select) {
      const suffix = kind === "leads" ? ` → ${text}` : explained && ` (${explained.split(":")[0]})`;
      this.options[choice].textContent = (this.states[choice] ?? "unknown") + suffix;
      this.options[choice].disabled = kind === "never";
      return;
    }
    const label = this.inputs[choice].parentElement;
    this.tags[choice].replaceChildren(...(kind === "leads" ? ["→ ", named(text, "text")]
      : explained ? [make("span", { "aria-hidden": "true" }, "⊘"), onlyHeard(explained)] : []));
    label.title = explained || (choice < this.states.length ? "" : "unknown");
    label.classList.toggle("barred", kind === "moves" || kind === "never");
    this.inputs[choice].disabled = kind === "never";
  }
}
