// Literals, terms and clauses as people read them: in symbols, and in sentences with the words of Python's texts.
// A feature's record has its name, its states, the position of the state that reads as true (-1: none reads so),
// and for a column of numbers the cuts between its states: [text, whether the cut itself is in the lower part].

const VERB = "is";

function statesIn(mask) {
  const found = [];
  for (let state = 0; mask >> BigInt(state); state++) if (mask & bit(state)) found.push(state);
  return found;
}

/** A name inside other text: it must not turn what follows it around. */
function inline(name) {
  const plain = name.replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
  return /\p{Script=Hebrew}|\p{Script=Arabic}/u.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** A literal in symbols. */
function literalText({ name, states, yes, cuts, unit }, mask) {
  const chosen = statesIn(mask), shown = inline(name);
  if (cuts && chosen.length) return `${shown} ${rangeText(cuts, unit, mask, "∈", "∉", " ∪ ")}`;
  if (chosen.length !== 1) return `${shown}∈{${chosen.map((state) => inline(states[state])).join()}}`;
  if (yes < 0) return `${shown}=${inline(states[chosen[0]])}`;
  return chosen[0] === yes ? shown : `¬${shown}`;
}

/** A literal in words: the feature, what is said of it, and whether that names several states. */
function literalSaid({ name, states, full, cuts, unit }, mask, verb = VERB) {
  const shown = inline(name);
  if (cuts) {
    const range = rangeText(cuts, unit, mask, "in", "not in", " or ");
    return { name: shown, said: verb === VERB ? range : `${verb} ${range}`, several: / or /.test(`${shown} ${range}`) };
  }
  const named = (some) => statesIn(some).map((state) => inline(states[state]));
  const chosen = named(mask), others = named(full & ~mask);
  const few = chosen.length <= 2 ? chosen.join(" or ") : `one of ${chosen.join(", ")}`;
  const most = others.length === 1 ? `not ${others[0]}` : `none of ${others.join(", ")}`;
  const said = chosen.length <= Math.max(2, others.length) ? few : most;
  return { name: shown, said: `${verb} ${said}`, several: chosen.length > 1 };
}

/** The intervals of a mask: neighbours as one, each with the cuts at its ends or null. */
function runsOf(cuts, mask) {
  const found = [];
  let start = -1;
  for (let at = 0; at <= cuts.length + 1; at++) {
    const inside = at <= cuts.length && (mask & bit(at)) !== 0n;
    if (inside && start < 0) start = at;
    if (inside || start < 0) continue;
    found.push([start ? cuts[start - 1] : null, at - 1 < cuts.length ? cuts[at - 1] : null]);
    start = -1;
  }
  return found;
}

/** What is said of a column of numbers whose states are those of a mask. */
function rangeText(cuts, unit, mask, inside, outside, union) {
  const behind = unit ? ` ${unit}` : "", full = bit(cuts.length + 1) - 1n;
  const runs = runsOf(cuts, mask), others = runsOf(cuts, full & ~mask);
  if (runs.length === 1) {
    const text = runText(runs[0], "= ");
    return `${/^[[(]/.test(text) ? `${inside} ` : ""}${text}${behind}`;
  }
  if (others.length === 1) {
    const text = runText(others[0], "");
    return `${/^[[(]/.test(text) ? outside : "≠"} ${text}${behind}`;
  }
  return `${inside} ${runs.map(bracketed).join(union)}${behind}`;
}

const isPoint = ([low, high]) => low !== null && high !== null && low[0] === high[0];

function runText(run, equal) {
  const [low, high] = run;
  if (low === null && high === null) return "";
  if (low === null) return `${high[1] ? "≤" : "<"} ${high[0]}`;
  if (high === null) return `${low[1] ? ">" : "≥"} ${low[0]}`;
  return isPoint(run) ? `${equal}${low[0]}` : bracketed(run);
}

function bracketed(run) {
  const [low, high] = run;
  if (isPoint(run)) return `{${low[0]}}`;
  const left = low === null ? "(-∞" : `${low[1] ? "(" : "["}${low[0]}`;
  return `${left}, ${high === null ? "∞)" : `${high[0]}${high[1] ? "]" : ")"}`}`;
}

/** What stands before each of some words in a sentence: commas and a last "and", after a comma if one helps. */
const separators = (count, comma) => Array.from({ length: count }, (_, at) =>
  (at === 0 ? "" : at < count - 1 ? ", " : comma ? ", and " : " and "));

function series(words, comma = false) {
  const before = separators(words.length, comma);
  return words.map((word, at) => before[at] + word).join("");
}

/** The parts of a term in words, each with what stands before it. */
function clausesOf(features, term, verb) {
  const said = term.map(([feature, mask]) => literalSaid(features[feature], mask, verb));
  const before = separators(said.length, said.some(({ several }) => several));
  return said.map((one, at) => ({ ...one, before: before[at] }));
}

/** A term in words: "BP is Low or High, and HR is Normal". */
const sentence = (features, term, verb) => clausesOf(features, term, verb)
  .map(({ before, name, said }) => `${before}${name} ${said}`).join("");

/** A term or clause in symbols. */
const formula = (features, literals, sign) => (literals.length === 0 ? (sign === "∧" ? "⊤" : "⊥")
  : literals.map(([feature, mask]) => literalText(features[feature], mask)).join(` ${sign} `));

/** The term that holds where a clause does not. */
const opposite = (features, clause) => clause.map(([feature, mask]) => [feature, features[feature].full & ~mask]);
