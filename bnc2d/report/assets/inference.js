// The probability of each class given what is known: variable elimination on the tables of the network.
// A factor has a scope, values (the last variable of the scope varies fastest) and the number of roundings that
// led to a value. Values are floats or, where floats cannot decide, BigInts with a common denominator.

const TOO_CLOSE = -1, TOO_LARGE = -2; // labels of what is not decided here
const TINY = 1e-280; // a product below may have lost more than its last digits
const MOST_PLANS = 1000;
const ONE = { scope: [], values: Float64Array.of(1), roundings: 0, lost: false };
const EXACT_ONE = { ...ONE, values: [1n] };

function readNetwork(data) {
  const tables = data.tables.map(([scope, values, exact]) =>
    ({ scope, values: Float64Array.from(values), exact, roundings: 1, lost: false }));
  return { ...data, tables, plans: new Map() };
}

/** The product of two factors over a scope, without the variable that goes; evidence is by variable. */
function product({ sizes }, evidence, one, other, scope, gone, zero) {
  const count = scope.reduce((total, variable) => total * sizes[variable], 1);
  const values = zero === 0 ? new Float64Array(count) : new Array(count);
  const [left, right] = [stridesOf(sizes, one), stridesOf(sizes, other)];
  const stepsLeft = scope.map((variable) => left.get(variable) ?? 0);
  const stepsRight = scope.map((variable) => right.get(variable) ?? 0);
  const inner = gone === null ? 1 : sizes[gone];
  const [goneLeft, goneRight] = [left.get(gone) ?? 0, right.get(gone) ?? 0];
  const ends = scope.map((variable) => sizes[variable]), counter = new Uint32Array(scope.length);
  const [from, by] = [one.values, other.values];
  let i = start(left, evidence), j = start(right, evidence), lost = one.lost || other.lost;
  for (let cell = 0; cell < count; cell++) {
    let sum = zero;
    for (let state = 0; state < inner; state++) {
      const a = from[i + state * goneLeft], b = by[j + state * goneRight], term = a * b;
      if (term < TINY && a && b) lost = true;
      sum += term;
    }
    values[cell] = sum;
    for (let axis = scope.length - 1; axis >= 0; axis--) {
      i += stepsLeft[axis];
      j += stepsRight[axis];
      if (++counter[axis] < ends[axis]) break;
      i -= ends[axis] * stepsLeft[axis];
      j -= ends[axis] * stepsRight[axis];
      counter[axis] = 0;
    }
  }
  if (zero === 0) scale(values);
  return { scope, values, roundings: one.roundings + other.roundings + inner, lost };
}

function stridesOf(sizes, { scope }) {
  const strides = new Map();
  let stride = 1;
  for (let axis = scope.length - 1; axis >= 0; axis--) {
    strides.set(scope[axis], stride);
    stride *= sizes[scope[axis]];
  }
  return strides;
}

/** Where the values begin that agree with the evidence. */
function start(strides, evidence) {
  let first = 0;
  for (const [variable, stride] of strides) if (evidence[variable] >= 0) first += stride * evidence[variable];
  return first;
}

/** Bring the largest value near one, by a power of two: that rounds nothing. */
function scale(values) {
  let largest = 0;
  for (const value of values) if (value > largest) largest = value;
  if (largest === 0 || (largest >= 0.25 && largest <= 4)) return;
  const factor = 2 ** -Math.floor(Math.log2(largest));
  for (let cell = 0; cell < values.length; cell++) values[cell] *= factor;
}

/** The tables of the variables and of all their ancestors: no other table matters. */
function relevantTables({ tables }, variables) {
  const seen = new Set(variables);
  for (const variable of seen) for (const parent of tables[variable].scope) seen.add(parent);
  return [...seen].map((variable) => tables[variable]);
}

/** An order in which to sum variables out, each time the one whose product is smallest, and its work. */
function planOf(network, tables, evidence, kept) {
  const key = `${kept.join()}|${evidence.map((state) => (state < 0 ? 0 : 1)).join("")}`;
  if (!network.plans.has(key)) {
    if (network.plans.size >= MOST_PLANS) network.plans.clear();
    network.plans.set(key, makePlan(network, tables, evidence, kept));
  }
  return network.plans.get(key);
}

function makePlan({ sizes }, tables, evidence, kept) {
  const entries = (scope) => [...scope].reduce((total, variable) => total * sizes[variable], 1);
  const reach = new Map(); // by variable: all that the factors with it mention
  for (const { scope } of tables) {
    const free = scope.filter((variable) => evidence[variable] < 0);
    for (const variable of free) {
      if (kept.includes(variable)) continue;
      if (!reach.has(variable)) reach.set(variable, new Set());
      for (const other of free) reach.get(variable).add(other);
    }
  }
  const costs = new Map([...reach].map(([variable, scope]) => [variable, entries(scope)]));
  const order = [];
  let work = entries(kept);
  while (costs.size) {
    let best = null;
    for (const [variable, cost] of costs) if (best === null || cost < costs.get(best)) best = variable;
    work += costs.get(best);
    order.push(best);
    const scope = reach.get(best);
    reach.delete(best);
    costs.delete(best);
    for (const other of scope) {
      if (!reach.has(other)) continue;
      for (const variable of scope) reach.get(other).add(variable);
      reach.get(other).delete(best);
      costs.set(other, entries(reach.get(other)));
    }
  }
  return { order, work };
}

/** The joint of evidence, kept variables and target, up to a factor; null where that is too much work. */
function joint(network, evidence, keptFeatures, most, inIntegers) {
  const kept = [...keptFeatures, network.target];
  const known = evidence.flatMap((state, variable) => (state < 0 ? [] : [variable]));
  const tables = relevantTables(network, [...known, ...kept]);
  const { order, work } = planOf(network, tables, evidence, kept);
  if (work > most || (inIntegers && !tables.every(({ exact }) => exact))) return null;
  const [one, zero] = inIntegers ? [EXACT_ONE, 0n] : [ONE, 0];
  const multiply = (factors, gone) => factors.sort((a, b) => a.values.length - b.values.length)
    .reduce((made, factor, index) => {
      const last = index === factors.length - 1;
      const scope = [...new Set([...made.scope, ...factor.scope])].filter((variable) =>
        evidence[variable] < 0 && !(last && variable === gone));
      return product(network, evidence, made, factor, scope, last ? gone : null, zero);
    }, one);
  let factors = inIntegers ? tables.map((table) => ({ ...table, values: integersOf(table) })) : tables;
  for (const variable of order) {
    const using = factors.filter(({ scope }) => scope.includes(variable));
    factors = factors.filter(({ scope }) => !scope.includes(variable));
    factors.push(multiply(using, variable));
  }
  return product(network, evidence, one, multiply(factors, null), kept, null, zero);
}

/** Integers in the ratio of the exact entries of a table: listed, or those of decimals. */
function integersOf(table) {
  if (Array.isArray(table.exact)) table.integers ??= table.exact.map(BigInt);
  if (!table.integers) {
    const read = Array.from(table.values, (value) => {
      const [digits, exponent] = value.toExponential().split("e");
      const [whole, part = ""] = digits.split(".");
      return [BigInt(whole + part), value ? Number(exponent) - part.length : 0];
    });
    const least = Math.min(...read.map(([, exponent]) => exponent));
    table.integers = read.map(([digits, exponent]) => digits * 10n ** BigInt(exponent - least));
  }
  return table.integers;
}

/** The label that the rule gives to weights of the classes, after so many roundings; TOO_CLOSE if unsure. */
function labelOf({ classes, rule: { ties, threshold } }, weights, { roundings, lost }) {
  if (lost) return TOO_CLOSE;
  const share = 2 * (roundings + 8) * 2 ** -53;
  const exceeds = (more, less) => share < 0.1 && more - less > share * (more + less);
  if (threshold) {
    const above = weights[threshold.positive] * threshold.below;
    const under = weights[1 - threshold.positive] * threshold.at;
    if (Math.max(above, under) < TINY) return weights.some(Boolean) ? TOO_CLOSE : 1 - threshold.positive;
    if (exceeds(above, under)) return threshold.positive;
    return exceeds(under, above) ? 1 - threshold.positive : TOO_CLOSE;
  }
  const best = Math.max(...weights), label = weights.indexOf(best);
  if (best === 0) return ties === "none" && classes.length > 1 ? classes.length : 0;
  return weights.every((weight, other) => other === label || exceeds(best, weight)) ? label : TOO_CLOSE;
}

/** The same for exact weights, which leave nothing open; tied is whether a rule decides, not the weights. */
function exactly({ classes, rule: { ties, threshold } }, weights) {
  if (threshold) {
    const [numerator, denominator] = threshold.exact.map(BigInt), { positive } = threshold;
    const above = weights[positive] * (denominator - numerator), under = weights[1 - positive] * numerator;
    return { label: above > under ? positive : 1 - positive, tied: above === under };
  }
  const best = weights.reduce((one, other) => (other > one ? other : one));
  const tied = weights.filter((weight) => weight === best).length > 1;
  return { label: tied && ties === "none" ? classes.length : weights.indexOf(best), tied };
}

/** The joint of a row, without some features that are kept, each instance of these and the classes. */
function weightsOver({ network }, row, kept, most, inIntegers) {
  const evidence = new Array(network.sizes.length).fill(-1);
  row.forEach((state, feature) => {
    if (state >= 0 && !kept.includes(feature)) evidence[network.features[feature]] = state;
  });
  return joint(network, evidence, kept.map((feature) => network.features[feature]), most, inIntegers);
}

/** For a row and each instance of some features: weights of the classes and the label; null if too much. */
function decideOver(model, row, kept) {
  const { classes } = model;
  const found = weightsOver(model, row, kept, limits.work, false);
  if (!found) return null;
  const cellsOf = (values) => Array.from({ length: values.length / classes.length },
    (_, cell) => Array.from(values.slice(cell * classes.length, (cell + 1) * classes.length)));
  const cells = cellsOf(found.values).map((weights) => ({ weights, label: labelOf(model, weights, found) }));
  if (!cells.some(({ label }) => label === TOO_CLOSE)) return { cells, lost: false };
  const sure = weightsOver(model, row, kept, limits.exactWork, true);
  if (!sure) return { cells, lost: found.lost };
  const exact = cellsOf(sure.values).map((weights) =>
    ({ weights: floatsOf(weights), ...exactly(model, weights) }));
  return { cells: exact, lost: false };
}

/** Exact weights as floats, up to a factor; a share below 2^-1000 is lost. */
function floatsOf(weights) {
  const total = weights.reduce((one, other) => one + other);
  return weights.map((weight) => (total ? Number((weight << 1000n) / total) : 0));
}

/** What is known of a row's classes: no posterior where the row is impossible, or the numbers are too small. */
function posteriorOf(model, row) {
  const found = model.network && decideOver(model, row, []);
  if (!found) return { label: TOO_LARGE, posterior: null, impossible: null };
  const [{ weights, label, tied = false }] = found.cells;
  const total = weights.reduce((one, other) => one + other, 0);
  if (found.lost) return { label, posterior: null, impossible: null };
  if (total === 0) return { label, posterior: null, impossible: true };
  return { label, posterior: weights.map((weight) => weight / total), impossible: false, tied };
}
