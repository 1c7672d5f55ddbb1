// The section on scores: a bar for each feature, the largest first, and what the numbers are.

const BARS_SHOWN = 12, FEW_NAMES = 8; // features at first, and of those with 0 that are named at once
const OPEN = "Not all reasons were found in time: it lies between the numbers, and the coloured part of the bar is proved.";
const NOTHING = 1e-12; // a number that is 0 but for roundings

class ScoreCard {
  constructor({ features }) {
    this.features = features;
    this.kind = SCORE_KINDS[0][0];
    this.asked = false; // whether the reader has chosen the kind
    byId("scores-kind").replaceChildren(chooser("Show", "score-kind", SCORE_KINDS, this.kind, (kind) => {
      this.kind = kind;
      this.asked = true;
      this.draw(BARS_SHOWN);
    }));
  }

  show(story, why) {
    Object.assign(this, { story, why });
    if (!this.asked) {
      const there = SCORE_KINDS.find(([kind]) => why.scores(kind).numbers) ?? SCORE_KINDS[0];
      this.kind = byId("score-kind").value = there[0];
    }
    this.draw(BARS_SHOWN);
  }

  /** Show so many features of the kind that is chosen. */
  draw(count) {
    const { kind, why } = this, found = why.scores(kind);
    byId("scores-sentence").textContent = found.without ?? this.sentence(found);
    byId("scores-table").hidden = !found.numbers;
    byId("scores-more").replaceChildren();
    byId("scores-note").textContent = "";
    if (!found.numbers) return;
    const { numbers, bounds } = found, isGame = kind === "shapley" || kind === "banzhaf";
    const size = (feature) => Math.abs(Math.round(numbers[feature] / NOTHING) * NOTHING); // equal ones in their order
    const isNothing = (feature) => size(feature) < NOTHING && !(bounds && bounds[feature][1] > NOTHING);
    const ranked = numbers.flatMap((number, feature) => (number === null || isNothing(feature) ? [] : [feature]))
      .sort((one, other) => size(other) - size(one) || one - other);
    const values = [0, ...ranked.flatMap((feature) => bounds?.[feature] ?? [numbers[feature]])];
    const range = [Math.min(...values), Math.max(...values)];
    const none = isGame ? inNoReason(why) : null;
    const marked = ranked.filter((feature) => none?.has(feature));
    byId("scores-table").replaceChildren(...ranked.slice(0, count).map((feature) =>
      this.line(feature, numbers[feature], bounds?.[feature], range, none?.has(feature))));
    this.rest(ranked, count, numbers.flatMap((number, feature) => (number !== null && isNothing(feature) ? [feature] : [])));
    if (marked.length) byId("scores-note").textContent = this.contradiction(marked);
  }

  line(feature, number, bounds, range, isInNone) {
    const own = this.features[feature], isOpen = bounds && bounds[0] !== bounds[1];
    const tag = isInNone ? [" ", make("span", { class: "in-none" }, "in no reason")] : [];
    return make("tr", {}, make("th", { scope: "row" }, nameOf(own), ...tag),
      make("td", { class: "number" }, isOpen ? this.between(bounds) : this.shown(number)),
      make("td", {}, scoreBar(...(isOpen ? bounds : [number, number]), range)));
  }

  /** Two numbers between which a score lies, as they are read; of shares nothing is rounded away. */
  between([low, high]) {
    if (this.kind === "occurrence") return `${Math.floor(100 * low)}–${Math.ceil(100 * high)} %`;
    return `${this.shown(low)}–${this.shown(high)}`;
  }

  /** A number as it is read: shares in percent, responsibilities as fractions, what is added with its sign. */
  shown(number) {
    if (this.kind === "occurrence") return number === 0 || number === 1 ? `${100 * number} %` : chance(number);
    if (this.kind === "responsibility") return number === 0 ? "0" : number === 1 ? "1" : `1/${Math.round(1 / number)}`;
    return `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(Math.abs(number) < 0.0005 ? 6 : 3)}`;
  }

  sentence({ numbers, bounds, reasons, baseline, value }) {
    const { story, kind } = this, known = story.missing ? "known " : "";
    if (kind === "occurrence") {
      if (reasons === 1 && !bounds) return "Whether the only sufficient reason has the feature.";
      return bounds ? `The share of the sufficient reasons that have the feature. ${OPEN}`
        : `How many of the ${plural(reasons, "sufficient reason")} have the feature.`;
    }
    if (kind === "responsibility") {
      return "1 / the number of features in the smallest necessary reason that has the feature: 1 where it can change "
        + `the decision alone, 1/2 where it takes one other feature with it, 0 where no reason has it.${bounds ? ` ${OPEN}` : ""}`;
    }
    const adds = `What knowing the ${known}feature adds to the probability that ${story.decided}, on the average over`;
    const drawn = "what is not known being drawn, all states alike";
    if (kind === "banzhaf") return `${adds} all sets of other ${known}features that are known, ${drawn}.`;
    const total = numbers.reduce((one, other) => one + (other ?? 0), 0);
    return `${adds} all orders in which ${known}features become known, ${drawn}. They sum to ${this.shown(total)}, from `
      + `${chance(clamped(baseline))} where nothing is known to ${chance(clamped(value))}.`;
  }

  contradiction(marked) {
    const names = marked.slice(0, 4).map((feature) => inline(this.features[feature].name));
    const more = marked.length > 4 ? [`${marked.length - 4} others`] : [];
    const [is, which, value] = marked.length === 1 ? ["is", "no other state of it changes", "Its value comes"]
      : ["are", "no other states of them change", "Their values come"];
    return `${series([...names, ...more])} ${is} in no reason: with the other features as they are, ${which} the decision. `
      + `${value} from instances in which other features differ, too.`;
  }

  /** A button for the features that are not shown, and which have 0. */
  rest(ranked, count, nothing) {
    const left = ranked.length - count, parts = [];
    if (left > 0) {
      parts.push(make("p", {}, button(`${left} more`, () => {
        this.draw(ranked.length);
        const next = byId("scores-table").rows[count]; // the button is gone: go on from the first new line
        next.tabIndex = -1;
        next.focus();
      })));
    }
    if (nothing.length) {
      const names = nothing.flatMap((feature, at) => [at ? ", " : "", nameOf(this.features[feature])]);
      const number = this.kind === "occurrence" ? "0 %" : "0";
      parts.push(nothing.length <= FEW_NAMES ? make("p", { class: "hint" }, `${number}: `, ...names, ".")
        : make("details", { class: "hint" }, make("summary", {}, `${number}: ${nothing.length} features`), ...names, "."));
    }
    byId("scores-more").replaceChildren(...parts);
  }
}

const clamped = (probability) => Math.min(Math.max(probability, 0), 1);

/** A bar from zero to a number, and on to one that it may be, where all numbers lie in a range. */
function scoreBar(number, most, [low, high]) {
  const look = { class: "score", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" };
  const scale = (at) => (at - low) / (high - low || 1), zero = scale(0);
  const zeroLine = low < 0 && high > 0 ? [shape("rect", { class: "zero", x: zero - 0.002, width: 0.004, height: 1 })] : [];
  const perhaps = most === number ? [] : [shape("rect", { class: "perhaps", x: scale(number),
    width: scale(most) - scale(number), y: 0.1, height: 0.8 })];
  return shape("svg", look, ...perhaps, shape("rect", { class: number < 0 ? "less" : "more", x: Math.min(zero, scale(number)),
    width: Math.abs(scale(number) - zero), y: 0.1, height: 0.8 }), ...zeroLine);
}
