// The model: decisions, single changes, the nearest other decision, and circuits with their text.
// A set of states is a BigInt whose bit i stands for state i. A row is a list of state positions.

const CONSTANT = 0, LITERAL = 1, AND = 2, OR = 3;
const FALSE = 0, TRUE = 1;
const MAX_TEXT = 2000;

const bit = (position) => 1n << BigInt(position);

/** The records of the features. */
function readFeatures({ features }) {
  return features.map(([name, states, yes, scale]) =>
    ({ name, states, yes, cuts: scale?.cuts ?? null, unit: scale?.unit ?? "", full: bit(states.length) - 1n }));
}

/** Prepare the data of the page for use. */
function readModel(data) {
  const features = readFeatures(data);
  const nodes = data.nodes.map(([kind, ...rest]) =>
    kind === LITERAL ? { kind, feature: rest[0], mask: BigInt(rest[1]) } : { kind, parts: rest });
  const possible = data.possible && readDiagram(data.possible, [0, 1]);
  // Labels: the classes, then "no class", then "outside" for what does not count.
  const outside = data.classes.length + 1;
  const labels = Array.from({ length: outside + 1 }, (_, label) => (label === data.outside ? outside : label));
  const diagram = readDiagram(data.diagram, labels);
  const network = data.network && readNetwork(data.network);
  const has = data.counts.map(([count]) => count !== "0");
  return { ...data, features, nodes, diagram, possible, outside, network, has, programs: new Map() };
}

/** Number the nodes of all levels: the labels, then the last level, then the one before. */
function readDiagram({ order, terminals, levels, root }, labels) {
  const moved = (node) => (node < terminals ? labels[node] : node - terminals + labels.length);
  const children = new Array(labels.length).fill(null), featureOf = new Array(labels.length).fill(-1);
  for (let level = levels.length - 1; level >= 0; level--) {
    for (const row of levels[level]) {
      children.push(row.map(moved));
      featureOf.push(order[level]);
    }
  }
  return { terminals: labels.length, root: moved(root), children, featureOf };
}

const changedAt = (row, feature, state) => row.map((own, other) => (other === feature ? state : own));

/** The label that a row leads to. */
function decide({ diagram }, row) {
  let node = diagram.root;
  while (node >= diagram.terminals) node = diagram.children[node][row[diagram.featureOf[node]]];
  return node;
}

/** Whether the network gives a row a positive probability, or null where this page does not know. */
function isPossible({ possible }, row) {
  return possible && decide({ diagram: possible }, row) === 1;
}

/** For each feature and state, the label when that feature alone takes that state. */
function singleChanges(model, row) {
  return model.features.map(({ states }, feature) => {
    const changed = row.slice();
    return states.map((_, state) => {
      changed[feature] = state;
      return decide(model, changed);
    });
  });
}

/** The nearest row whose label is wanted, or null: each node costs what must change below it.
 *
 * Held features do not change; unknown ones cost nothing and stay unknown. */
function nearest({ diagram, features }, row, wanted, held = []) {
  const { terminals, root, children, featureOf } = diagram;
  const unreachable = features.length + 1;
  const costs = new Int32Array(children.length).fill(unreachable);
  for (let label = 0; label < terminals; label++) if (wanted(label)) costs[label] = 0;
  const prices = row.map((state, feature) => (state < 0 ? 0 : held.includes(feature) ? unreachable : 1));
  const total = (node, state) =>
    costs[children[node][state]] + (row[featureOf[node]] === state ? 0 : prices[featureOf[node]]);
  for (let node = terminals; node < children.length; node++) {
    for (let state = 0; state < children[node].length; state++) {
      costs[node] = Math.min(costs[node], total(node, state));
    }
  }
  if (costs[root] >= unreachable) return null;
  const found = row.slice();
  let node = root;
  while (node >= terminals) {
    const feature = featureOf[node];
    let state = row[feature];
    if (state < 0 || total(node, state) !== costs[node]) {
      state = children[node].findIndex((_, candidate) => total(node, candidate) === costs[node]);
    }
    if (row[feature] >= 0) found[feature] = state;
    node = children[node][state];
  }
  return found;
}

/** The positions of the nodes below a root of the model, children first. */
function programOf(model, root) {
  if (!model.programs.has(root)) {
    const partsOf = (node) => (model.nodes[node].kind >= AND ? model.nodes[node].parts : []);
    model.programs.set(root, below(root, partsOf));
  }
  return model.programs.get(root);
}

function below(root, partsOf) {
  const seen = new Set([root]), pending = [root];
  while (pending.length) {
    for (const child of partsOf(pending.pop())) {
      if (!seen.has(child)) {
        seen.add(child);
        pending.push(child);
      }
    }
  }
  return Uint32Array.from(seen).sort();
}

/** The nodes below a root that hold for a row, whatever its unknown features are. */
function holdingNodes(model, root, row) {
  const holding = new Set();
  for (const node of programOf(model, root)) {
    const { kind, parts, feature, mask } = model.nodes[node];
    const holds = kind === CONSTANT ? parts[0] === 1
      : kind === LITERAL ? row[feature] >= 0 && (mask & bit(row[feature])) !== 0n
        : kind === AND ? parts.every((part) => holding.has(part)) : parts.some((part) => holding.has(part));
    if (holds) holding.add(node);
  }
  return holding;
}

/** Circuits made here: node numbers, 0 false, 1 true; equal kind and parts mean the same node. */
class Circuit {
  constructor(features) {
    this.features = features;
    this.kinds = [CONSTANT, CONSTANT];
    this.parts = [[], []];
    this.unique = new Map();
  }

  literal(feature, mask) {
    if (mask === 0n) return FALSE;
    return mask === this.features[feature].full ? TRUE : this.add(LITERAL, [feature, mask]);
  }

  /** The AND or OR: constants absorbed, literals of a feature merged, no part twice. */
  gate(kind, children) {
    const [neutral, dominant] = kind === AND ? [TRUE, FALSE] : [FALSE, TRUE];
    const kept = new Set(children), masks = new Map();
    kept.delete(neutral);
    for (const node of [...kept]) {
      if (this.kinds[node] !== LITERAL) continue;
      const [feature, mask] = this.parts[node], known = masks.get(feature);
      masks.set(feature, known === undefined ? mask : kind === AND ? known & mask : known | mask);
      kept.delete(node);
    }
    for (const [feature, mask] of masks) kept.add(this.literal(feature, mask));
    if (kept.has(dominant)) return dominant;
    kept.delete(neutral);
    const parts = [...kept].sort((one, other) => one - other);
    return parts.length === 0 ? neutral : parts.length === 1 ? parts[0] : this.add(kind, parts);
  }

  add(kind, parts) {
    const key = `${kind}:${parts.join()}`;
    if (!this.unique.has(key)) {
      this.unique.set(key, this.kinds.length);
      this.kinds.push(kind);
      this.parts.push(parts);
    }
    return this.unique.get(key);
  }

  program(root) {
    return below(root, (node) => (this.kinds[node] >= AND ? this.parts[node] : []));
  }

  /** A value for each node, children first: from a constant, a literal, the values of an AND or of an OR. */
  fold(program, { constant, literal, and, or }) {
    const values = new Array(this.kinds.length);
    for (const node of program) {
      const kind = this.kinds[node], parts = this.parts[node];
      values[node] = kind === CONSTANT ? constant(node === TRUE)
        : kind === LITERAL ? literal(parts[0], parts[1])
          : (kind === AND ? and : or)(parts.map((part) => values[part]));
    }
    return values[program[program.length - 1]];
  }

  /** Whether the last node of a program is true when the literals are as said. */
  isTrue(program, literal) {
    const values = new Uint8Array(this.kinds.length);
    for (const node of program) {
      const kind = this.kinds[node], parts = this.parts[node];
      if (kind === CONSTANT) values[node] = node;
      else if (kind === LITERAL) values[node] = literal(parts[0], parts[1]) ? 1 : 0;
      else if (kind === AND) values[node] = parts.every((part) => values[part]) ? 1 : 0;
      else values[node] = parts.some((part) => values[part]) ? 1 : 0;
    }
    return values[program[program.length - 1]] === 1;
  }

  holds(root, row) {
    return this.isTrue(this.program(root), (feature, mask) => (mask & bit(row[feature])) !== 0n);
  }

  /** The circuit in infix notation, or its size where that would be too long. */
  text(root) {
    const program = this.program(root);
    const sum = (lengths) => Math.min(MAX_TEXT + 1, lengths.reduce((one, other) => one + other + 5, 0));
    const literal = (feature, mask) => literalText(this.features[feature], mask);
    const length = this.fold(program, {
      constant: () => 1, literal: (feature, mask) => [...literal(feature, mask)].length, and: sum, or: sum });
    if (length > MAX_TEXT) return `too long to print (a circuit of ${program.length} nodes): see the lists`;
    const order = (one, other) => one.compound - other.compound || one.first - other.first
      || (one.text < other.text ? -1 : one.text > other.text ? 1 : 0);
    const joined = (sign) => (parts) => ({
      compound: 1,
      first: Math.min(...parts.map((part) => part.first)),
      text: `(${parts.sort(order).map((part) => part.text).join(sign)})`,
    });
    const { compound, text } = this.fold(program, {
      constant: (value) => ({ compound: 0, first: -1, text: value ? "⊤" : "⊥" }),
      literal: (feature, mask) => ({ compound: 0, first: feature, text: literal(feature, mask) }),
      and: joined(" ∧ "),
      or: joined(" ∨ "),
    });
    return compound ? text.slice(1, -1) : text;
  }
}
