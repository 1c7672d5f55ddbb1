// Primes of circuits whose literals all hold for one instance, made bottom-up.
// A set is a BigInt. Fewer bits are better throughout, so primes are minimal sets:
// - a term has a bit for each state that it excludes, a clause one for each state that it includes;
// - over features alone, a set has a bit for each feature.

class Cut extends Error {}

/** Work that may be done: so many unions and comparisons, within so much time. */
class Budget {
  constructor(steps, milliseconds) {
    this.left = steps;
    this.end = performance.now() + milliseconds;
  }

  spend(steps) {
    this.left -= steps;
    if (this.left < 0 || performance.now() > this.end) throw new Cut();
  }
}

function size(set) {
  let count = 0;
  for (let rest = set; rest; rest &= rest - 1n) count++;
  return count;
}

const union = (family) => family.reduce((one, other) => one | other, 0n);

/** The members that have no other member as a part. */
function minimal(family, budget) {
  if (family.length < 2) return family;
  const kept = [];
  const sized = [...new Set(family)].map((set) => [size(set), set]).sort((one, other) => one[0] - other[0]);
  for (const [, set] of sized) {
    budget.spend(kept.length + 1);
    if (!kept.some((known) => (known & set) === known)) kept.push(set);
  }
  return kept;
}

/** All unions of one member of each family; minimal already where the families share no bit. */
function products(families, budget) {
  const [first, ...others] = [...families].sort((one, other) => one.length - other.length);
  let result = first;
  for (const family of others) {
    budget.spend(result.length * family.length + 1);
    const apart = (union(result) & union(family)) === 0n;
    const made = result.flatMap((one) => family.map((other) => one | other));
    result = apart ? made : minimal(made, budget);
  }
  return result;
}

/** The union of families; the empty set is a part of every other. */
function sum(families) {
  const family = families.flat();
  return family.includes(0n) ? [0n] : family;
}

/** The feature sets of the primes: terms (products at an AND) or clauses (products at an OR). */
function featureSets(circuit, program, clauses, budget) {
  const unite = (families) => (budget.spend(1), minimal(sum(families), budget));
  const multiply = (families) => products(families, budget);
  const apart = (families) => (budget.spend(1), sum(families));
  return circuit.fold(program, {
    constant: (value) => (value === clauses ? [] : [0n]),
    literal: (feature) => [bit(feature)],
    and: clauses ? unite : multiply,
    or: clauses ? multiply : apart,
  });
}

/** Some feature sets where all are too many: drop features one after another, in different orders. */
function someFeatureSets(circuit, program, clauses, wanted, budget) {
  const isLiteral = (node) => circuit.kinds[node] === LITERAL;
  const used = [...new Set([...program].filter(isLiteral).map((node) => circuit.parts[node][0]))];
  const enough = (kept) => clauses !== circuit.isTrue(program, (feature) => kept.has(feature) !== clauses);
  const found = new Set();
  try {
    for (let turn = 0; turn < 2 * used.length && found.size < wanted; turn++) {
      const order = [...used.slice(turn >> 1), ...used.slice(0, turn >> 1)];
      if (turn & 1) order.reverse();
      const kept = new Set(used);
      for (const feature of order) {
        budget.spend(program.length);
        kept.delete(feature);
        if (!enough(kept)) kept.add(feature);
      }
      found.add([...kept].reduce((set, feature) => set | bit(feature), 0n));
    }
  } catch (error) {
    if (!(error instanceof Cut)) throw error;
  }
  return [...found];
}

/** Where the states of each feature lie in a set, and what a set means. */
class Layout {
  constructor(features, row, clauses) {
    this.clauses = clauses;
    this.fields = [];
    this.own = 0n;
    let start = 0;
    features.forEach(({ states, full }, feature) => {
      this.fields.push({ start: BigInt(start), bits: full << BigInt(start), full });
      this.own |= bit(start + row[feature]);
      start += states.length;
    });
  }

  encode(feature, mask) {
    const { start, full } = this.fields[feature];
    return (this.clauses ? mask : full & ~mask) << start;
  }

  /** The literals [feature, mask] of a set, in the order of the features. */
  decode(set) {
    const literals = [];
    this.fields.forEach(({ start, bits, full }, feature) => {
      const here = (set & bits) >> start;
      if (here) literals.push([feature, this.clauses ? here : full & ~here]);
    });
    return literals;
  }

  /** Whether a clause holds for every instance: one of its literals has all states. */
  isValid(set) {
    return this.fields.some(({ bits }) => (set & bits) === bits);
  }
}

/** The primes over one minimal set of features: literals of others are false in terms, true in clauses. */
function primesOver(circuit, program, features, layout, budget) {
  const { clauses } = layout;
  const multiply = (families) => products(families, budget);
  return circuit.fold(program, {
    constant: (value) => (value === clauses ? [] : [0n]),
    literal: (feature, mask) => (features & bit(feature) ? [layout.encode(feature, mask)] : []),
    and: clauses ? (families) => strongest(sum(families), layout, budget) : multiply,
    or: clauses ? multiply : (families) => (budget.spend(1), sum(families)),
  });
}

/** The clauses with the fewest features, closed under resolution between those with the same features. */
function strongest(family, layout, budget) {
  budget.spend(1);
  if (family.length < 2) return family;
  const least = new Set(minimal(family.map((set) => set & layout.own), budget));
  const groups = new Map([...least].map((features) => [features, []]));
  for (const set of family) groups.get(set & layout.own)?.push(set);
  return [...groups].flatMap(([features, group]) => {
    let clauses = minimal(group, budget);
    for (const { bits } of layout.fields) {
      if (clauses.length > 1 && features & bits) clauses = resolved(clauses, bits, layout, budget);
    }
    return clauses;
  });
}

/** The clauses closed under resolution on one feature: there they intersect, elsewhere they unite. */
function resolved(clauses, pivot, layout, budget) {
  const known = [...clauses];
  for (let last = 1; last < known.length; last++) {
    for (let index = 0; index < last; index++) {
      budget.spend(known.length);
      const [one, other] = [known[last], known[index]];
      const common = one & other & pivot;
      if (common === (one & pivot) || common === (other & pivot)) continue;
      const resolvent = common | ((one | other) & ~pivot);
      if (layout.isValid(resolvent) || known.some((set) => (set & resolvent) === set)) continue;
      known.push(resolvent);
    }
  }
  return minimal(known, budget);
}
