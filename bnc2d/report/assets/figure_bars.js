// The bars of a picture: numbers on an axis in their unit, other states side by side.

const BAR = 24, GUTTER = 15, BETWEEN = 4, PADDING = 8, DOT = 13, MOST_LINES = 3;
const AXIS = { above: 17, height: 18, below: 15, tip: 8, least: 7, size: 11 };

// Numbers.

function axisEdges(values, left, width) {
  let end = values.length > 1 ? Math.min(0.18 * width, 70) : width / 2;
  const span = values[values.length - 1] - values[0];
  let shares = values.slice(1).map((high, at) => (span ? (high - values[at]) / span : 0));
  let inner = width - 2 * end;
  const toScale = shares.every((share) => share * inner >= AXIS.least);
  if (!toScale) {
    end = Math.min(end, width / (values.length + 1));
    shares = shares.map(() => 1 / shares.length);
    inner = width - 2 * end;
  }
  const edges = [left, left + end];
  for (const share of shares) edges.push(edges[edges.length - 1] + share * inner);
  return { edges: [...edges, left + width], toScale };
}

function placeOf(value, own, values, edges) {
  const low = edges[own], high = edges[own + 1], last = values.length;
  if (value === null || Number.isNaN(value)) return (low + high) / 2;
  const span = (values[last - 1] - values[0]) || Math.abs(values[0]) || 1;
  if (own === 0 || own === last) {
    const out = (own === 0 ? values[0] - value : value - values[last - 1]) / span;
    const share = out > 0 ? 0.08 + 0.72 * out / (out + 0.5) : 0;
    return own === 0 ? high - share * (high - low) : low + share * (high - low);
  }
  const below = values[own - 1], above = values[own];
  return low + (high - low) * (above > below ? (value - below) / (above - below) : 0.5);
}

/** The runs of neighbouring states in a mask. */
function stateRuns(mask) {
  const found = [];
  for (const state of statesIn(mask)) {
    const last = found[found.length - 1];
    if (last && last[1] === state - 1) last[1] = state;
    else found.push([state, state]);
  }
  return found;
}

function tag(edges, first, last, top, inset = 0) {
  const left = edges[first] + inset, right = edges[last + 1] - inset, { height, tip } = AXIS;
  const high = top + inset, low = top + height - inset, middle = top + height / 2;
  const starts = first === 0, ends = last === edges.length - 2;
  return `M${left + (starts ? tip : 0)} ${high}H${right - (ends ? tip : 0)}`
    + (ends ? `L${right} ${middle}L${right - tip} ${low}` : `V${low}`)
    + `H${left + (starts ? tip : 0)}${starts ? `L${left} ${middle}` : ""}Z`;
}

/** The cuts that are labelled with the centres of their texts, none over another: the wanted ones first. */
function tickLabels(texts, edges, wanted, room) {
  const found = [], taken = [], all = texts.map((_, cut) => cut);
  for (const cut of [...all.filter((one) => wanted.has(one)), ...all.filter((one) => !wanted.has(one))]) {
    if (cut && texts[cut] === texts[cut - 1] && found.some(([other]) => other === cut - 1)) continue;
    const half = textWidth(texts[cut], AXIS.size) / 2 + 3;
    const centre = Math.min(Math.max(edges[cut + 1], room.left + half), room.left + room.width - half);
    if (taken.every(([low, high]) => centre + half <= low || centre - half >= high)) {
      taken.push([centre - half, centre + half]);
      found.push([cut, centre]);
    }
  }
  return found;
}

function drawAxis(sheet, room, { states, cuts, own, kept, out, target, value, number }) {
  const texts = cuts.map(([text]) => text), values = cuts.map(([, , at]) => at), last = cuts.length;
  const { edges, toScale } = axisEdges(values, room.left, room.width);
  const top = room.top + AXIS.above, middle = top + AXIS.height / 2, bottom = top + AXIS.height;
  sheet.path(tag(edges, 0, last, top), { fill: "track", stroke: "edge" });
  for (const [first, end] of stateRuns(kept)) sheet.path(tag(edges, first, end, top), { fill: "keep" });
  sheet.path(edges.slice(1, -1).map((x) => `M${x} ${top + 1}V${bottom + 3}`).join(""), { stroke: "edge" });
  for (const [first, end] of stateRuns(kept)) {
    sheet.path(tag(edges, first, end, top), { stroke: "kept", "stroke-width": 2 });
  }
  for (const [first, end] of stateRuns(out)) {
    sheet.path(tag(edges, first, end, top, 3), { stroke: "out", "stroke-width": 1.6, "stroke-dasharray": "4 2.5" });
  }
  states.forEach((state, at) => {
    sheet.open(state);
    sheet.box(edges[at], top, edges[at + 1] - edges[at], AXIS.height, { fill: "track", "fill-opacity": 0 });
    sheet.close();
  });
  const x = placeOf(number, own, values, edges);
  if (target >= 0) {
    const low = edges[target], high = edges[target + 1], inside = Math.min(14, (high - low) / 2 + 4.5);
    const [end, back] = target > own ? [low + inside, -1] : [high - inside, 1];
    sheet.path(`M${x} ${middle}H${end + 7 * back}`, { stroke: "out", "stroke-width": 2 });
    sheet.path(`M${end} ${middle}l${9 * back} -4.5v9z`, { fill: "out" });
  }
  sheet.dot(x, middle);
  const shown = shortenText(cleanText(value), room.width / BOLD, SMALL), half = textWidth(shown, SMALL) * BOLD / 2;
  const right = room.left + room.width, centre = Math.min(Math.max(x, room.left + half), right - half);
  sheet.text(centre, top - 5, shown, { size: SMALL, bold: true, anchor: "middle", title: value });
  const ends = new Set([kept, out].flatMap((mask) => stateRuns(mask).flatMap(([first, end]) => [first - 1, end])));
  for (const [cut, place] of tickLabels(texts, edges, ends, room)) {
    sheet.text(place, bottom + 14, texts[cut], { size: AXIS.size, colour: "soft", anchor: "middle" });
  }
  const note = "not to scale";
  if (!toScale && centre + half + 8 < right - textWidth(note, AXIS.size)) {
    sheet.text(right, top - 5, note, { size: AXIS.size, colour: "soft", anchor: "end" });
  }
  return { middle, bottom: bottom + AXIS.below };
}

// States.

function stateLines(states, wanted, width, last = 0) {
  const lines = [[]];
  let used = 0;
  states.forEach((state, at) => {
    const wide = Math.min(wanted[state], width);
    if (lines[lines.length - 1].length && used + wide > width) {
      lines.push([]);
      used = 0;
    }
    lines[lines.length - 1].push(state);
    used += wide;
    if (last && at === states.length - 1 && used + last > width) lines.push([]);
  });
  return lines;
}

/** The segments of a bar, line by line: those that do not fit on a few lines are counted in a last one. */
function laySegments(states, own, target, kept, width) {
  const texts = states.map(cleanText), all = texts.map((_, state) => state);
  const wanted = texts.map((text, state) => {
    const wide = textWidth(text, SMALL) * (state === own ? BOLD : 1) + 2 * PADDING;
    const most = state === own || state === target ? 200 : 130;
    return Math.min(Math.min(Math.max(wide, 28), most) + (state === own ? DOT : 0), width);
  });
  let lines = [all], hidden = [], widths = [all.map(() => width / all.length)];
  if (all.length * Math.max(...wanted) > width) {
    lines = stateLines(all, wanted, width);
    if (lines.length > MOST_LINES) {
      const last = Math.min(textWidth(`+${all.length} more, ${all.length} shaded`, SMALL) + 2 * PADDING, width);
      const first = [own, target].filter((state) => state >= 0);
      const order = [...first, ...all.filter((state) => !first.includes(state))];
      const sorted = () => [...order].sort((one, other) => one - other);
      while (stateLines(sorted(), wanted, width, last).length > MOST_LINES && order.length > first.length) {
        hidden.push(order.pop());
      }
      lines = stateLines(sorted(), wanted, width, last);
    }
    widths = lines.map((line, at) => {
      const own = line.map((state) => wanted[state]), sum = own.reduce((one, other) => one + other, 0);
      const fills = at < lines.length - 1 || (lines.length === 1 && !hidden.length);
      return fills ? own.map((wide) => wide * width / sum) : own;
    });
  }
  const found = [];
  let left = 0;
  lines.forEach((line, at) => {
    left = 0;
    line.forEach((state, place) => {
      const wide = widths[at][place], room = wide - 2 * PADDING + 6 - (state === own ? DOT : 0);
      const text = shortenText(texts[state], room / (state === own ? BOLD : 1), SMALL);
      found.push({ state, text, title: states[state], line: at, left, width: wide });
      left += wide;
    });
  });
  if (hidden.length) {
    hidden = hidden.sort((one, other) => one - other);
    const shaded = hidden.filter((state) => kept & bit(state)).length;
    const text = `+${hidden.length} more${shaded && shaded < hidden.length ? `, ${shaded} shaded` : ""}`;
    found.push({ state: -1, text, title: hidden.map((state) => states[state]).join(", "), line: lines.length - 1, left,
      width: Math.min(textWidth(text, SMALL) + 2 * PADDING, width) });
  }
  return found;
}

function drawSegments(sheet, room, { states, own, kept, out, target }) {
  const segments = laySegments(states, own, target, kept, room.width);
  const gutter = target >= 0 ? GUTTER : 0, step = BAR + Math.max(BETWEEN, gutter);
  const seen = segments.reduce((all, { state }) => (state < 0 ? all : all | bit(state)), 0n);
  const hidden = (bit(states.length) - 1n) & ~seen;
  const tops = Array.from({ length: segments[segments.length - 1].line + 1 }, (_, line) => room.top + gutter + step * line);
  const rankOf = ({ state }) => {
    const mask = state < 0 ? hidden : bit(state);
    return (mask & kept) === mask ? 2 : mask & out ? 1 : 0;
  };
  const looks = [{ fill: "track", stroke: "edge" },
    { fill: "track", stroke: "out", "stroke-width": 1.6, "stroke-dasharray": "4 2.5" },
    { fill: "keep", stroke: "kept", "stroke-width": 2 }];
  for (const one of [...segments].sort((a, b) => rankOf(a) - rankOf(b))) {
    const rank = rankOf(one), top = tops[one.line], y = top + BAR / 2, isOwn = one.state >= 0 && one.state === own;
    let middle = room.left + one.left + one.width / 2;
    sheet.open(one.title);
    sheet.box(room.left + one.left + 1, top, one.width - 2, BAR, { ...looks[rank], rx: 3 });
    if (isOwn) {
      sheet.dot(middle - textWidth(one.text, SMALL) * BOLD / 2 - 3, y);
      middle += DOT / 2;
    }
    const colour = rank === 0 && !isOwn ? "soft" : "ink";
    sheet.text(middle, y + 4.2, one.text, { size: SMALL, bold: isOwn, colour, anchor: "middle" });
    sheet.close();
  }
  if (target >= 0) {
    const [start, end] = [own, target].map((wanted) => segments.find(({ state }) => state === wanted));
    drawTurn(sheet, room, start, end, tops);
  }
  return { middle: tops[0] + BAR / 2, bottom: tops[tops.length - 1] + BAR };
}

/** An arrow through the room above lines, never across a text. */
function drawTurn(sheet, room, start, end, tops) {
  const [x1, x2] = [start, end].map((one) => room.left + one.left + one.width / 2), aside = room.left - 4;
  const bottom = tops[start.line] + BAR;
  let path = `M${x1} ${end.line <= start.line ? tops[start.line] : bottom}`;
  if (end.line < start.line) path += `V${tops[start.line] - GUTTER + 5}H${aside}`;
  if (end.line > start.line + 1) path += `V${bottom + GUTTER - 5}H${aside}`;
  path += `V${tops[end.line] - GUTTER + 5}H${x2}V${tops[end.line] - 6}`;
  sheet.path(path, { stroke: "out", "stroke-width": 2, "stroke-linejoin": "round" });
  sheet.path(`M${x2} ${tops[end.line] + 1}l-4.5 -8.5h9z`, { fill: "out" });
}
