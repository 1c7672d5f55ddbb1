// Why one row has one label, or has not another: reasons and lists of reasons.

// What one list may cost and hold; beyond that it is cut, and says so.
const limits = {
  steps: 3_000_000, milliseconds: 250, listed: 1000, some: 40,
  // Of elimination: multiplications in floats and exactly; instances of known features that are explained.
  work: 1 << 22, exactWork: 1 << 16, cells: 1 << 14,
  pairs: 100_000, // of nodes that are compared to find what matters
};

/** A row that satisfies a formula of the model: the labels accepted are those for which it holds. */
class Case {
  constructor(model, root, row, accepts, changes = singleChanges(model, row)) {
    Object.assign(this, { model, root, row });
    this.circuit = new Circuit(model.features);
    // A feature that alone can make the formula false is stated at the top; the rest is conditioned on it.
    this.needed = new Map();
    changes.forEach((labels, feature) => {
      const mask = labels.reduce((states, label, state) => states | (accepts(label) ? bit(state) : 0n), 0n);
      if (mask !== model.features[feature].full) this.needed.set(feature, mask);
    });
    this.memory = new Map();
  }

  remember(key, make) {
    if (!this.memory.has(key)) this.memory.set(key, make());
    return this.memory.get(key);
  }

  get complete() {
    const own = (feature) => bit(this.row[feature]);
    return this.remember("complete", () => this.reason(own, own));
  }

  get general() {
    const stated = (feature) => this.needed.get(feature);
    return this.remember("general", () => this.reason(stated, (_, mask) => mask));
  }

  /** Literals that fail become false, others shrink or stay; a true one vanishes. */
  reason(stated, shrink) {
    const { model, root, row, circuit, needed } = this;
    const holding = holdingNodes(model, root, row);
    if (!holding.has(root)) return FALSE;
    const program = programOf(model, root), used = new Set([root]);
    const keptParts = ({ kind, parts }) => (kind === OR ? parts.filter((part) => holding.has(part)) : parts);
    for (let index = program.length - 1; index >= 0; index--) {
      const node = model.nodes[program[index]];
      if (used.has(program[index]) && node.kind >= AND) for (const part of keptParts(node)) used.add(part);
    }
    const images = new Map();
    const gate = (kind, parts) => (model.isListed ? flatGate(circuit, kind, parts) : circuit.gate(kind, parts));
    const literal = (feature, mask) => {
      if (!needed.has(feature)) return circuit.literal(feature, shrink(feature, mask));
      const allowed = stated(feature);
      return allowed & ~mask ? circuit.literal(feature, allowed & mask) : TRUE;
    };
    for (const number of program) {
      if (!used.has(number)) continue;
      const node = model.nodes[number];
      images.set(number, node.kind === CONSTANT ? node.parts[0]
        : node.kind === LITERAL ? literal(node.feature, node.mask)
          : gate(node.kind, keptParts(node).map((part) => images.get(part))));
    }
    const rest = images.get(root);
    const parts = circuit.kinds[rest] === AND ? circuit.parts[rest] : [rest];
    const top = [...needed.keys()].map((feature) => circuit.literal(feature, stated(feature)));
    return gate(AND, [...top, ...parts]);
  }

  /** The feature sets of sufficient (or, as clauses, necessary) reasons: the first, whether that is all, and all. */
  featureSets(clauses) {
    return this.remember(`features ${clauses}`, () => {
      const program = this.circuit.program(this.complete);
      try {
        const budget = new Budget(limits.steps, limits.milliseconds);
        const sets = featureSets(this.circuit, program, clauses, budget);
        const sized = sets.map((set) => [size(set), set]).sort((one, other) => one[0] - other[0]);
        const first = sized.slice(0, limits.listed).map(([, set]) => set);
        return { sets: first, cut: sets.length > first.length, total: sets.length, every: sets };
      } catch (error) {
        if (!(error instanceof Cut)) throw error;
      }
      const budget = new Budget(10 * limits.steps, limits.milliseconds);
      const sets = someFeatureSets(this.circuit, program, clauses, limits.some, budget);
      return { sets, cut: true, total: null, every: null };
    });
  }

  /** A list of reasons, shortest first: { items, cut, total }, total null where it is not known. */
  list(clauses, general) {
    return this.remember(`list ${clauses} ${general}`, () => {
      const { sets, cut, total } = this.featureSets(clauses);
      if (!general) {
        const own = (set) => statesIn(set).map((feature) => [feature, bit(this.row[feature])]);
        return { items: sets.map(own).sort(shorterFirst), cut, total };
      }
      const layout = new Layout(this.model.features, this.row, clauses);
      const program = this.circuit.program(this.general);
      const only = onlyLiterals(this.circuit, program);
      const budget = new Budget(2 * limits.steps, limits.milliseconds);
      const items = [];
      let stopped = cut;
      try {
        for (const set of sets) {
          if (items.length >= limits.listed) throw new Cut();
          const features = statesIn(set);
          if (features.every((feature) => only.get(feature))) {
            items.push(features.map((feature) => [feature, only.get(feature)]));
            continue;
          }
          budget.spend(program.length);
          const primes = primesOver(this.circuit, program, set, layout, budget);
          items.push(...primes.map((prime) => layout.decode(prime)));
        }
      } catch (error) {
        if (!(error instanceof Cut)) throw error;
        stopped = true;
      }
      return { items: items.sort(shorterFirst), cut: stopped, total: stopped ? null : items.length };
    });
  }
}

/** The literal of each feature that has but one, which every prime then has; null for the others. */
function onlyLiterals(circuit, program) {
  const only = new Map();
  for (const node of program) {
    if (circuit.kinds[node] !== LITERAL) continue;
    const [feature, mask] = circuit.parts[node];
    only.set(feature, only.has(feature) ? null : mask);
  }
  return only;
}

/** By length, then by features, then by states. */
function shorterFirst(one, other) {
  if (one.length !== other.length) return one.length - other.length;
  for (const part of [0, 1]) {
    for (let index = 0; index < one.length; index++) {
      const [left, right] = [one[index][part], other[index][part]];
      if (left !== right) return left < right ? -1 : 1;
    }
  }
  return 0;
}

/** Why the row has its label. */
function caseOf(model, row, changes) {
  const label = decide(model, row);
  const accepts = (other) => other === label || other === model.outside;
  return new Case(model, model.roots[label][0], row, accepts, changes);
}

/** Why the row has not this label. */
function caseAgainst(model, row, label, changes) {
  return new Case(model, model.roots[label][1], row, (other) => other !== label, changes);
}

/** The row that violates a clause in its features: the first state outside each literal. */
function violating(model, row, clause) {
  const changed = row.slice();
  for (const [feature, mask] of clause) changed[feature] = statesIn(model.features[feature].full & ~mask)[0];
  return changed;
}
