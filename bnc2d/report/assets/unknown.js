// Rows with unknown features: what their completions lead to, and the classifier over what is known.

const UNKNOWN = -1;

const isComplete = (row) => row.every((state) => state >= 0);

/** Whether some completion of a row counts. */
function isAllowed({ diagram, outside }, row, budget = null) {
  const { root, terminals, children, featureOf } = diagram;
  const seen = new Set([root]), pending = [root];
  while (pending.length) {
    const node = pending.pop();
    budget?.spend(1);
    if (node < terminals) {
      if (node !== outside) return true;
      continue;
    }
    const state = row[featureOf[node]];
    for (const child of state >= 0 ? [children[node][state]] : children[node]) {
      if (!seen.has(child)) {
        seen.add(child);
        pending.push(child);
      }
    }
  }
  return false;
}

/** The nearest row of which some completion counts; held features keep their states. */
function nearestAllowed(model, row, held = []) {
  return isAllowed(model, row) ? row : nearest(model, row, (label) => label !== model.outside, held);
}

/** The reduced diagram of the unknown features alone, with the states that are known. */
function conditioned({ root, terminals, children, featureOf }, row) {
  const edges = (node) => (row[featureOf[node]] >= 0 ? [children[node][row[featureOf[node]]]] : children[node]);
  const images = new Map(Array.from({ length: terminals }, (_, label) => [label, label]));
  const made = new Array(terminals).fill(null), features = new Array(terminals).fill(-1), unique = new Map();
  for (const node of below(root, (one) => (one < terminals ? [] : edges(one)))) {
    if (node < terminals) continue;
    const parts = edges(node).map((child) => images.get(child));
    if (parts.every((part) => part === parts[0])) {
      images.set(node, parts[0]);
      continue;
    }
    const key = `${featureOf[node]}:${parts.join()}`;
    if (!unique.has(key)) {
      unique.set(key, made.length);
      made.push(parts);
      features.push(featureOf[node]);
    }
    images.set(node, unique.get(key));
  }
  return { root: images.get(root), terminals, children: made, featureOf: features };
}

/** What completions of a row lead to: exact counts by label, an example of each, and what matters. */
function completionsOf(model, row) {
  const diagram = conditioned(model.diagram, row);
  const { root, terminals, children, featureOf } = diagram;
  let all = 1n;
  row.forEach((state, feature) => { if (state < 0) all *= BigInt(model.features[feature].states.length); });
  const counts = new Array(children.length).fill(0n);
  const ways = new Array(children.length).fill(null); // by node: one edge that leads to it
  counts[root] = all;
  for (let node = children.length - 1; node >= terminals; node--) {
    const each = counts[node] / BigInt(children[node].length);
    children[node].forEach((child, state) => {
      counts[child] += each;
      ways[child] ??= [node, state];
    });
  }
  const wayTo = (end) => {
    const states = new Map();
    for (let node = end; ways[node]; node = ways[node][0]) states.set(featureOf[ways[node][0]], ways[node][1]);
    return states;
  };
  const complete = (states) => row.map((state, feature) =>
    (state >= 0 ? state : states.get(feature) ?? model.start[feature]));
  const found = counts.slice(0, terminals);
  const examples = found.map((count, label) =>
    (count && label !== model.outside ? complete(wayTo(label)) : null));
  const { pairs, cut } = mattering(model, diagram);
  const matters = pairs.map(({ feature, node, states, below: rest }) => {
    const way = wayTo(node);
    const rows = states.map((state) => complete(new Map([...way, ...rest, [feature, state]])));
    return { feature, rows, shown: new Set([...way.keys(), ...rest.keys(), feature]) };
  });
  const weighed = weighCompletions(model, row);
  const likely = examples.map((example, label) => weighed?.likeliest[label] ?? example);
  return { counts: found, total: all - found[model.outside], examples: likely, matters, cut,
    chances: weighed?.chances ?? null };
}

/** The probability of each label given what is known, and that the row counts, and its likeliest completion.
 *
 * Null where these are too many to look at, or all impossible.
 */
function weighCompletions(model, row) {
  const unknown = row.flatMap((state, feature) => (state < 0 ? [feature] : []));
  const sizes = unknown.map((feature) => model.features[feature].states.length);
  const cells = sizes.reduce((one, other) => one * other, 1);
  const found = model.network && cells <= limits.cells
    ? weightsOver(model, row, unknown, limits.work, false) : null;
  if (!found || found.lost) return null;
  const chances = new Array(model.outside + 1).fill(0), each = model.classes.length;
  const best = chances.slice(), likeliest = chances.map(() => null), completed = row.slice();
  for (let cell = 0; cell < cells; cell++) {
    setCell(completed, unknown, sizes, cell);
    let weight = 0;
    for (let label = 0; label < each; label++) weight += found.values[cell * each + label];
    const label = decide(model, completed);
    chances[label] += weight;
    if (weight > best[label]) {
      best[label] = weight;
      likeliest[label] = completed.slice();
    }
  }
  likeliest[model.outside] = null;
  chances.pop();
  const total = chances.reduce((one, other) => one + other, 0);
  return total > 0 ? { chances: chances.map((weight) => weight / total), likeliest } : null;
}

/** Give features the states of a cell of a table, the last feature varying fastest. */
function setCell(row, features, sizes, cell) {
  let rest = cell;
  for (let index = features.length - 1; index >= 0; index--) {
    row[features[index]] = rest % sizes[index];
    rest = Math.floor(rest / sizes[index]);
  }
}

/** For each feature of a diagram that alone can change the label: two of its states, and the rest. */
function mattering({ outside }, diagram) {
  const { terminals, children, featureOf } = diagram;
  const budget = new Budget(limits.pairs, limits.milliseconds), failed = new Set(), found = new Map();
  const differ = (one, other) => {
    if (one === other) return null;
    if (one < terminals && other < terminals) return one !== outside && other !== outside ? [] : null;
    if (one === outside || other === outside) return null;
    const key = `${one}:${other}`;
    if (failed.has(key)) return null;
    budget.spend(1);
    const feature = featureOf[Math.max(one, other)];
    const after = (node, state) => (featureOf[node] === feature ? children[node][state] : node);
    const count = children[Math.max(one, other)].length;
    for (let state = 0; state < count; state++) {
      const rest = differ(after(one, state), after(other, state));
      if (rest) return [[feature, state], ...rest];
    }
    failed.add(key);
    return null;
  };
  const search = (node) => {
    for (let last = 1; last < children[node].length; last++) {
      for (let first = 0; first < last; first++) {
        const rest = differ(children[node][first], children[node][last]);
        if (rest) return { feature: featureOf[node], node, states: [first, last], below: new Map(rest) };
      }
    }
    return null;
  };
  let cut = false;
  try {
    for (let node = children.length - 1; node >= terminals; node--) {
      const pair = found.has(featureOf[node]) ? null : search(node);
      if (pair) found.set(pair.feature, pair);
    }
  } catch (error) {
    if (!(error instanceof Cut)) throw error;
    cut = true;
  }
  return { pairs: [...found.values()].sort((one, other) => one.feature - other.feature), cut };
}

/** The classifier over the known features as a model of its own, or a sentence that says why there is none. */
function modelOfKnown(model, row) {
  const known = row.flatMap((state, feature) => (state >= 0 ? [feature] : []));
  const sizes = known.map((feature) => model.features[feature].states.length);
  const cells = sizes.reduce((one, other) => one * other, 1);
  if (cells > limits.cells) {
    return `The known features have more than ${grouped(String(limits.cells))} instances, too many to explain `
      + "them alone: leave more features unknown, or none.";
  }
  const found = decideOver(model, row, known);
  if (!found) return "Reasons would take too long with so many features unknown.";
  const labels = found.cells.map(({ label }) => label);
  if (model.constraint !== null) {
    try {
      const budget = new Budget(limits.steps, limits.milliseconds), changed = row.slice();
      labels.forEach((_, cell) => {
        setCell(changed, known, sizes, cell);
        if (!isAllowed(model, changed, budget)) labels[cell] = model.outside;
      });
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
      return "Which of the known features' instances the constraint allows takes too long to find here.";
    }
  }
  if (labels.includes(TOO_CLOSE)) {
    return "Some instances of the known features are too close to call here: reasons would not be certain.";
  }
  return smallModel(model, known, labels);
}

/** A model whose labels are listed, the last known feature varying fastest. */
function smallModel({ features, classes, outside }, known, labels) {
  const terminals = outside + 1;
  const children = new Array(terminals).fill(null), featureOf = new Array(terminals).fill(-1);
  let nodes = labels;
  for (const feature of [...known].reverse()) {
    const size = features[feature].states.length, unique = new Map();
    nodes = Array.from({ length: nodes.length / size }, (_, index) => {
      const parts = nodes.slice(index * size, (index + 1) * size), key = parts.join();
      if (parts.every((part) => part === parts[0])) return parts[0];
      if (!unique.has(key)) {
        unique.set(key, children.length);
        children.push(parts);
        featureOf.push(feature);
      }
      return unique.get(key);
    });
  }
  const diagram = { root: nodes[0], terminals, children, featureOf };
  const circuit = new Circuit(features);
  const roots = Array.from({ length: outside }, (_, label) => [
    circuitOf(circuit, diagram, (other) => other === label || other === outside),
    circuitOf(circuit, diagram, (other) => other !== label)]);
  const made = circuit.kinds.map((kind, node) => {
    const parts = circuit.parts[node];
    return kind === CONSTANT ? { kind, parts: [node] }
      : kind === LITERAL ? { kind, feature: parts[0], mask: parts[1] } : { kind, parts };
  });
  const has = classes.map((_, label) => labels.includes(label));
  return { features, classes, outside, diagram, nodes: made, roots, has, programs: new Map(), isListed: true };
}

/** The OR-decomposable circuit of what leads to accepted labels: edges say "not these states, or the child". */
function circuitOf(circuit, { root, terminals, children, featureOf }, accepts) {
  const made = new Array(children.length);
  for (let node = 0; node < children.length; node++) {
    if (node < terminals) {
      made[node] = accepts(node) ? TRUE : FALSE;
      continue;
    }
    const groups = new Map(), feature = featureOf[node];
    children[node].forEach((child, state) => {
      groups.set(made[child], (groups.get(made[child]) ?? 0n) | bit(state));
    });
    const allowed = circuit.features[feature].full & ~(groups.get(FALSE) ?? 0n);
    made[node] = flatGate(circuit, AND, [...groups].map(([child, states]) => (child === FALSE
      ? circuit.literal(feature, allowed)
      : flatGate(circuit, OR, [circuit.literal(feature, allowed & ~states), child]))));
  }
  return made[root];
}

/** A gate without gates of its kind in it; at an AND, what its literals imply is left out. */
function flatGate(circuit, kind, parts) {
  const { kinds } = circuit;
  const flat = parts.flatMap((part) => (kinds[part] === kind ? circuit.parts[part] : [part]));
  if (kind === OR) return circuit.gate(kind, flat);
  const masks = new Map();
  for (const part of flat) {
    if (kinds[part] !== LITERAL) continue;
    const [feature, mask] = circuit.parts[part];
    masks.set(feature, (masks.get(feature) ?? mask) & mask);
  }
  const isImplied = (part) => kinds[part] === OR && circuit.parts[part].some((one) => {
    const [feature, mask] = kinds[one] === LITERAL ? circuit.parts[one] : [];
    return masks.has(feature) && (masks.get(feature) & ~mask) === 0n;
  });
  return circuit.gate(kind, flat.filter((part) => !isImplied(part)));
}
