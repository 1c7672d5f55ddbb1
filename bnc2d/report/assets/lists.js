// The answers on a decision: in short, its reasons, what would change it, why not another class.

const SHOWN = 6, MORE = 50; // lines of a list: at first, and with each further click
const MOST_SAID = 7, FOLDED = 3; // features of a reason that are seen at once, and that are worth to fold away

const NOT_WRITTEN = "Too long to be written down here.";

/** All answers on one subject; go shows another row. */
class Answers {
  constructor(model, className, go) {
    Object.assign(this, { model, className, go });
    this.against = null;
    this.asked = false; // whether the reader has chosen the class to ask about
    this.expanded = new Map();
    this.figure = new Figure(byId("decision-picture"));
    this.card = new ScoreCard(model);
    const options = [["both", "sentences and symbols"], ["sentences", "sentences"], ["symbols", "symbols"]];
    byId("words").replaceChildren(chooser("Show", "shown-words", options, "both", (words) => {
      byId("answers").dataset.words = byId("short").dataset.words = words;
    }));
  }

  /** The steps that show a subject's answers, to be made one after another; why is null where nobody knows. */
  steps(subject, why) {
    this.expanded.clear();
    this.why = why;
    this.label = subject.label;
    for (const place of document.querySelectorAll(".explained")) place.hidden = !why;
    byId("unexplained").hidden = Boolean(why);
    byId("of-known").hidden = isComplete(subject.row);
    byId("unexplained-text").textContent = subject.sentence || "There is no decision to explain.";
    if (!why) return [];
    this.story = new Story(this.model, subject, why);
    return [
      () => this.short(),
      () => this.figure.show(pictureOf(this.model, subject, why)),
      () => this.enough(),
      () => this.changes(),
      () => this.contrast(),
      () => this.card.show(this.story, why),
      () => this.formulas(),
    ];
  }

  short() {
    const { because, change } = this.story.short(), nearest = this.why.nearest();
    byId("because").replaceChildren(...(because ? this.said(because) : []));
    const doing = nearest?.row ? [" ", button("Make this change", () => this.go(nearest.row))] : [];
    byId("distance").replaceChildren(...(typeof change === "string" ? [change] : this.said(change, ...doing)));
  }

  formulas() {
    const [complete, general] = this.why.formulas();
    byId("formulas").hidden = complete === null && general === null;
    byId("complete").textContent = complete ?? NOT_WRITTEN;
    byId("general").textContent = general ?? NOT_WRITTEN;
  }

  /** A line as elements: the sentence, what follows it, its symbols; of many features some are folded away. */
  said(line, ...following) {
    const { features } = this.model, { said, literals, sign, verb, before, after } = line;
    const parts = clausesOf(features, said, verb).map((part) =>
      [part.before, shortened(shortName(part.name), part.name, "name"), ` ${part.said}`]);
    const symbols = literals.map(([feature, mask], at) => {
      const own = features[feature], short = { ...own, name: shortName(own.name) };
      return [at ? ` ${sign} ` : "", shortened(literalText(short, mask), literalText(own, mask), "literal")];
    });
    const plain = make("span", { class: "plain" }, before, ...this.folded(parts, true), after);
    const formal = make("span", { class: "formal" }, ...(symbols.length ? this.folded(symbols, false) : ["⊤"]));
    return [plain, ...following, " ", formal];
  }

  /** Parts of a line of which the last are folded away where these are many, perhaps with a button to see them. */
  folded(parts, isPlain) {
    const count = parts.length - MOST_SAID;
    if (count < FOLDED) return parts.flat();
    const gap = make("span", { class: "gap" }, " …"), rest = make("span", { class: "rest" });
    rest.append(...parts.slice(MOST_SAID).flat());
    const shown = [...parts.slice(0, MOST_SAID).flat(), gap, rest];
    if (!isPlain) return shown;
    const more = button(`and ${count} others`, () => {
      const open = more.closest("li, p").classList.toggle("open");
      more.setAttribute("aria-expanded", String(open));
      more.textContent = open ? "fewer" : `and ${count} others`;
    }, { class: "fold", "aria-expanded": "false" });
    return [...shown, " ", more];
  }

  /** The reasons of a kind, and those of its general kind under them or, where they are the same, a line on that. */
  enough() {
    const { story } = this, own = story.enough(false);
    byId("why-heading").textContent = own.question;
    this.fill("list0", own);
    this.second("list2", own.items.length > 0, story.areTheSame(false), story.sameBecause(false),
      () => story.enough(true));
  }

  changes() {
    const { story } = this, general = story.changes(true);
    byId("changes-heading").textContent = general.question;
    this.fill("list3", general);
    this.second("list1", general.items.length > 0, story.areTheSame(true),
      story.sameBecause(true).replace("general necessary", "necessary"), () => story.changes(false));
  }

  second(id, some, same, sentence, answer) {
    byId(`${id}-same`).textContent = some && same ? sentence : "";
    byId(`${id}-other`).hidden = !some || same;
    if (some && !same) this.fill(id, answer());
  }

  /** Fill a place with a list, and say how many are not shown and whether the search was cut. */
  fill(id, answer) {
    const { lead, kind, items, line, cut, total, note } = answer;
    const place = byId(id), key = `${id} ${kind}`, count = this.expanded.get(key) ?? SHOWN;
    const lines = items.slice(0, count).map((item, at) => this.item(line(item, at)));
    const parts = [make("p", { class: "lead" }, lead, ...(kind ? [" ", make("span", { class: "kind" }, kind)] : []))];
    if (lines.length) parts.push(make("ul", {}, ...lines));
    else if (cut) parts.push(make("p", {}, "Too many to find here."));
    if (items.length > count) {
      const more = () => {
        this.expanded.set(key, count + MORE);
        this.fill(id, answer);
        const next = place.querySelectorAll("li")[count]; // the button is gone: go on from the first new line
        next.tabIndex = -1;
        next.focus();
      };
      const left = items.length - count, next = Math.min(MORE, left);
      parts.push(make("p", {}, button(next < left ? `${next} more (of ${left})` : `${left} more`, more)));
    }
    if (cut) {
      const known = total === null || total === undefined ? "there are more" : `there are ${grouped(String(total))}`;
      parts.push(make("p", { class: "cut" }, note ?? `Cut after ${items.length}: ${known}, too many for a page.`));
    }
    place.replaceChildren(...parts);
  }

  item(line) {
    const row = line.changes && this.why.violating(line.changes);
    if (!row) return make("li", {}, ...this.said(line));
    const title = "Violate it: see what becomes of the decision";
    return make("li", {}, ...this.said(line, " ", button("Try", () => this.go(row), { class: "try", title })));
  }

  contrast() {
    const { why, label } = this, { classes } = this.model;
    const others = classes.map((_, other) => other).filter((other) => other !== label);
    others.sort((one, other) => why.hasInstances(other) - why.hasInstances(one) || one - other);
    const again = !others.includes(this.against) || (!this.asked && !why.hasInstances(this.against));
    if (again) this.against = others[0] ?? null;
    const place = byId("contrast");
    if (this.against === null || (!why.several && label in classes)) {
      place.replaceChildren(make("p", {}, this.against === null ? "There is no other class."
        : "There is no third class: what leads to the other one is listed above."));
      return;
    }
    const options = others.map((other) => [other, classes[other] + (why.hasInstances(other) ? "" : " (no instances)")]);
    const asking = chooser("Why not", "against", options, this.against, (other) => {
      this.against = other;
      this.asked = true;
      this.fill("contrast-list", this.story.whyNot(other));
    });
    place.replaceChildren(asking, make("div", { id: "contrast-list" }));
    this.fill("contrast-list", this.story.whyNot(this.against));
  }
}
