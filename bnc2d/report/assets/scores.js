// A number for each feature of a decision: from its reasons, or the values of games (bnc2d/explain/scores).
//
// An answer is { numbers, bounds, reasons, baseline, value }: numbers and bounds by feature, null where a feature is
// unknown; or { without }, a sentence that says why there is none.

const SCORE_KINDS = [
  ["shapley", "Shapley values"], ["banzhaf", "Banzhaf values"],
  ["occurrence", "share of the sufficient reasons"], ["responsibility", "responsibility"],
];
const SCORE_WORK = 100_000_000; // edges times points of one value that a page may walk
const NO_PRODUCT = "These values are of features that are drawn independently, which a constraint does not leave: "
  + "choose the share of the reasons or the responsibility, which are about what the constraint allows.";
const TOO_MANY_REASONS = "The reasons are too many to be counted on a page; in Python, e.scores() counts them.";
const TOO_MANY_NODES = "The model is too large to find these values on a page; in Python, e.scores() finds them.";

/** The points and weights of Gauss and Legendre's rule on [0, 1], by Newton steps. */
function gaussLegendre(count) {
  return Array.from({ length: count }, (_, at) => {
    let x = Math.cos(Math.PI * (at + 0.75) / (count + 0.5)), slope = 1;
    for (let step = 0, move = 1; step < 20 && Math.abs(move) > 1e-16; step++) {
      let before = 1, value = x;
      for (let k = 2; k <= count; k++) [before, value] = [value, ((2 * k - 1) * x * value - (k - 1) * before) / k];
      slope = count * (x * value - before) / (x * x - 1);
      move = value / slope;
      x -= move;
    }
    return { at: (1 + x) / 2, weight: 1 / ((1 - x * x) * slope * slope) };
  });
}

/** The Shapley or Banzhaf values of reaching a label, features that are not held being drawn uniformly.
 *
 * Each feature is held with a probability, else drawn: what it adds is a polynomial of that probability, whose value
 * at 1/2 is the Banzhaf value, and whose integral the Shapley value. Null where the diagram is too large.
 */
function gameValues({ diagram, features }, row, label, kind) {
  const { root, terminals, children, featureOf } = diagram;
  const players = new Set(featureOf.slice(terminals)).size;
  const points = kind === "banzhaf" ? [{ at: 0.5, weight: 1 }] : gaussLegendre(Math.max(1, Math.ceil(players / 2)));
  let edges = 0;
  for (let node = terminals; node < children.length; node++) edges += children[node].length;
  if (edges * points.length > SCORE_WORK) return null;
  const means = new Float64Array(children.length), gains = new Float64Array(children.length);
  const numbers = features.map(() => 0);
  const climb = (held) => {
    means.fill(0, 0, terminals);
    means[label] = 1;
    for (let node = terminals; node < children.length; node++) {
      const below = children[node], own = means[below[row[featureOf[node]]]];
      let mean = 0;
      for (const child of below) mean += means[child];
      mean /= below.length;
      gains[node] = own - mean;
      means[node] = held * own + (1 - held) * mean;
    }
    return means[root];
  };
  const baseline = climb(0);
  for (const { at, weight } of points) {
    climb(at);
    const met = means.fill(0); // made anew, in the same memory
    met[root] = 1;
    for (let node = children.length - 1; node >= terminals; node--) {
      const here = met[node], below = children[node], own = row[featureOf[node]];
      if (!here) continue;
      numbers[featureOf[node]] += weight * here * gains[node];
      const drawn = here * (1 - at) / below.length;
      for (const child of below) met[child] += drawn;
      met[below[own]] += here * at;
    }
  }
  return { numbers, bounds: null, baseline, value: 1 };
}

/** The scores of a kind, of a row that the page explains. */
function scoresOf(model, { row, label, explainer, filled }, why, kind) {
  const known = (numbers) => numbers.map((number, feature) => (row[feature] < 0 ? null : number));
  if (kind === "shapley" || kind === "banzhaf") {
    if (model.constraint !== null) return { without: NO_PRODUCT };
    const found = gameValues(explainer, filled, label, kind);
    return found ? { ...found, numbers: known(found.numbers) } : { without: TOO_MANY_NODES };
  }
  const { every } = why.case.featureSets(kind === "responsibility");
  if (!every) return { without: TOO_MANY_REASONS };
  const counts = model.features.map(() => 0), least = model.features.map(() => Infinity);
  for (const set of every) {
    const features = statesIn(set);
    for (const feature of features) {
      counts[feature]++;
      least[feature] = Math.min(least[feature], features.length);
    }
  }
  return kind === "responsibility" ? { numbers: known(least.map((size) => 1 / size)), bounds: null }
    : { numbers: known(counts.map((count) => count / every.length)), bounds: null, reasons: every.length };
}

/** The features that are in no reason: all of them, or where reasons are too many those of which it is plain. */
function inNoReason(why) {
  for (const kind of ["occurrence", "responsibility"]) {
    const { numbers, bounds } = why.scores(kind);
    if (numbers && !bounds) return new Set(numbers.flatMap((number, feature) => (number === 0 ? [feature] : [])));
  }
  return why.plainlyInNone();
}

/** All scores as plain data: for scripts, and to check this page. */
const plainScores = (why) => ({
  ...Object.fromEntries(SCORE_KINDS.map(([kind]) => [kind, why.scores(kind)])), inNone: [...inNoReason(why)],
});
