// The picture of a decision, as Python draws it (bnc2d/draw/decision.py, axis.py, bars.py): a bar for each feature,
// what keeps the decision shaded, the nearest way out as an arrow. What changes here changes there.

const MOST_BARS = 12, MOST_REASONS = 64; // bars where all are drawn; reasons that are compared
const WIDE = 520, NAMES = 190, ROW_GAP = 14, SMALL = 12, FONT = 13, BOLD = 1.08;

// Texts: about how wide they are (rather too wide), cut and wrapped to fit.

const EMS = new Map([[0.34, "iljI.,:;'|! "], [0.42, 'ftr()[]{}-/"'], [0.84, "∈¬∧∨=<>+#&"], [0.96, "mwMW%@—…"]]
  .flatMap(([width, chars]) => [...chars].map((char) => [char, width])));
const BROAD = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;

function charWidth(char) {
  if (EMS.has(char)) return EMS.get(char);
  if (char <= "\u007f") return char >= "A" && char <= "Z" ? 0.7 : 0.62;
  return /\p{Mn}/u.test(char) ? 0 : BROAD.test(char) ? 1.05 : 0.74;
}

const textWidth = (text, size = FONT) => size * [...text].reduce((sum, char) => sum + charWidth(char), 0);

/** A text on one line, without what is not printable. */
const cleanText = (text) => text.replace(/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, (char) => (/\s/.test(char) ? " " : "\ufffd"));

function shortenText(text, width, size = FONT) {
  if (textWidth(text, size) <= width) return text;
  let left = width - textWidth("…", size);
  const chars = [...text];
  for (let at = 0; at < chars.length; at++) {
    left -= textWidth(chars[at], size);
    if (left < 0) return `${chars.slice(0, at).join("").trimEnd()}…`;
  }
  return text;
}

function wrapText(text, width, size = FONT, most = 1000) {
  const lines = [""];
  let room = width;
  const last = () => lines[lines.length - 1];
  const add = (piece, wide) => {
    lines[lines.length - 1] += piece;
    room -= wide;
  };
  const turn = () => {
    lines.push("");
    room = width;
  };
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const wide = textWidth(word, size), space = last() ? textWidth(" ", size) : 0;
    if (space + wide > room && last()) turn();
    if (wide <= room) {
      add((last() ? " " : "") + word, wide + (last() ? space : 0));
      continue;
    }
    for (const char of word) {
      if (textWidth(char, size) > room && last()) turn();
      add(char, textWidth(char, size));
    }
  }
  if (lines.length > most) {
    let cut = [...lines[most - 1]];
    while (cut.length && textWidth(`${cut.join("")} …`, size) > width) cut.pop();
    lines.splice(most - 1, lines.length, `${cut.join("")} …`);
  }
  return lines;
}

// What the picture says.

/** Of the general reasons over the features of the shortest reason that which most rows satisfy, or null. */
function widestReason(why) {
  if (why.widest) return why.widest();
  const [shortest] = why.list(false, false).items;
  if (!shortest) return null;
  const same = (item) => item.length === shortest.length && item.every(([feature], at) => feature === shortest[at][0]);
  const rows = (item) => item.reduce((all, [, mask]) => all * BigInt(statesIn(mask).length), 1n);
  const items = why.list(false, true).items.filter(same).slice(0, MOST_REASONS);
  return items.reduce((one, other) => (rows(other) > rows(one) ? other : one), items[0] ?? shortest);
}

/** The nearest way out: for each feature that changes the states that lead there, and the nearest of them. */
function wayOut(model, subject, why) {
  const found = why.nearest();
  if (!found) return found;
  if (why.out) return { ...found, out: why.out() ?? found.changes.map(([f, mask]) => [f, mask, statesIn(mask)[0]]) };
  const { explainer, filled } = subject, row = filled.slice(), alone = found.changes.length === 1;
  for (const [feature, mask] of found.changes) row[feature] = statesIn(mask)[0];
  const out = found.changes.map(([feature]) => {
    const own = filled[feature], { states, cuts } = model.features[feature];
    const leading = states.map((_, state) => state)
      .filter((state) => state !== own && decide(explainer, changedAt(row, feature, state)) === found.label);
    if (cuts) {
      row[feature] = leading.reduce((one, other) => (Math.abs(other - own) < Math.abs(one - own) ? other : one));
    }
    const may = alone ? leading : [row[feature]];
    return [feature, may.reduce((all, state) => all | bit(state), 0n), row[feature]];
  });
  const reached = sameUnknown(row, subject.row);
  const impossible = isComplete(reached) ? isPossible(model, reached) === false
    : posteriorOf(model, reached).impossible === true;
  return { ...found, out, impossible };
}

/** The number that the text of a value begins with ("34.5k €"), or null. */
function numberIn(text) {
  const found = /^(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(k?)(?:\s|$)/i.exec(text ?? "");
  return found && Number(found[1]) * (found[2] ? 1000 : 1);
}

/** All that the picture says of a subject; its values are the texts of numbers that were given, by feature. */
function pictureOf(model, subject, why) {
  const values = subject.values ?? [];
  const story = new Story(model, subject, why), { row, label } = subject, { features } = model;
  const reason = widestReason(why), way = wayOut(model, subject, why);
  const kept = new Map(reason ?? []), out = new Map((way?.out ?? []).map(([feature, ...rest]) => [feature, rest]));
  const rank = (feature) => (row[feature] < 0 ? 3 : kept.has(feature) ? 0 : out.has(feature) ? 1 : 2);
  const all = features.map((_, feature) => feature).sort((one, other) => rank(one) - rank(other) || one - other)
    .map((feature) => {
      const { name, states, cuts } = features[feature], own = row[feature];
      const needed = kept.has(feature), said = needed && literalSaid(features[feature], kept.get(feature)).said;
      const [mask, target] = out.get(feature) ?? [0n, -1];
      return {
        name, states, own, target, out: mask, kept: kept.get(feature) ?? 0n, cuts,
        role: own < 0 ? "missing" : needed ? "needed" : "free",
        said: own < 0 ? "not known" : needed ? said.replace(/^is /, "") : "any value",
        value: own < 0 ? "" : values[feature] ?? states[own],
        number: numberIn(values[feature]),
      };
    });
  const drawn = ({ role, target }) => role === "needed" || target >= 0;
  const bars = all.length > MOST_BARS ? all.filter(drawn) : all;
  const rest = all.filter((one) => !bars.includes(one)), folded = [];
  for (const [role, words] of [["free", "any value"], ["missing", "not known"]]) {
    const count = rest.filter((one) => one.role === role).length;
    if (count) folded.push(`${count} ${folded.length ? "" : "other "}feature${count === 1 ? "" : "s"}: ${words}`);
  }
  const known = row.filter((state) => state >= 0).length, count = kept.size;
  const lead = reason === null ? "No reason was found in time."
    : !count ? `Nothing is needed for it: ${story.always}.`
      : `It stays ${story.name(label)} as long as ${plural(count, "feature")} of ${features.length} `
        + `${count === 1 ? "keeps" : "keep"} to the shaded part${count < known ? `, ${story.whatever()}` : ""}.`;
  const never = way?.impossible ? ", though the network gives that probability 0" : "";
  const leading = way === null ? "No change leads to another decision."
    : way === undefined ? "The nearest change that leads to another decision is not known in time."
      : `${story.target} would be ${story.name(way.label)} if `
        + `${sentence(features, way.out.map(([feature, mask]) => [feature, mask]), "were")}${never}.`;
  return { title: story.decided, lead, bars, wayOut: leading, folded: folded.join("; "), names: rest.map(({ name }) => name) };
}

/** The picture as plain data: for scripts, and to check this page. */
const plainPicture = (picture) => ({ ...picture, bars: picture.bars.map((one) =>
  ({ ...one, kept: String(one.kept), out: String(one.out), text: `${one.name}: ${barWords(one)}` })) });

/** What a bar shows, in words. */
const barWords = ({ role, value, said }) => (role === "missing" ? "not known"
  : `${value}; ${role === "needed" ? `keeps it while ${said}` : said}`);

// The drawing.

/** A drawing that grows downwards. */
class Sheet {
  constructor(width, margin) {
    Object.assign(this, { width, margin, y: 2, inner: width - 2 * margin });
    this.stack = [[]];
  }

  add(tag, attributes, ...children) {
    const { fill = "none", stroke, ...rest } = attributes;
    const classes = [fill !== "none" && `b2d-f-${fill}`, stroke && `b2d-s-${stroke}`].filter(Boolean).join(" ");
    const look = { ...(classes ? { class: classes } : {}), ...(fill === "none" ? { fill } : {}), ...rest };
    this.stack[this.stack.length - 1].push(shape(tag, look, ...children));
  }

  open(title) {
    this.stack.push(title ? [shape("title", {}, cleanText(title))] : []);
  }

  close() {
    const parts = this.stack.pop();
    this.stack[this.stack.length - 1].push(shape("g", {}, ...parts));
  }

  text(x, y, text, { size = FONT, colour = "ink", bold = false, anchor = "start", title = "" } = {}) {
    this.add("text", {
      fill: colour, x, y, "font-size": size, "text-anchor": anchor, ...(bold ? { "font-weight": 600 } : {}),
    }, text, ...(title && title !== text ? [shape("title", {}, cleanText(title))] : []));
  }

  box(x, y, width, height, look) {
    this.add("rect", { x, y, width, height, ...look });
  }

  path(d, look) {
    this.add("path", { d, ...look });
  }

  dot(cx, cy, r = 4.5) {
    this.add("circle", { cx, cy, r, fill: "ink", stroke: "ground", "stroke-width": 1.5 });
  }

  element(title, description) {
    const height = Math.ceil(this.y + 2), { width } = this;
    return shape("svg", { class: "b2d-chart", role: "img", width, height, viewBox: `0 0 ${width} ${height}` },
      shape("title", {}, cleanText(title)), shape("desc", {}, cleanText(description)),
      shape("g", { "font-size": FONT }, ...this.stack[0]));
  }
}

/** The picture as an element of a width; the title is for those who hear it, since the page has said it. */
function drawDecision({ title, lead, bars, wayOut, folded, names }, width) {
  const sheet = new Sheet(width, 6);
  for (const line of wrapText(cleanText(lead), sheet.inner, FONT, 6)) {
    sheet.y += 17.6;
    sheet.text(sheet.margin, sheet.y - 3.9, line);
  }
  sheet.y += 10;
  for (const one of bars) drawRow(sheet, one);
  if (folded) {
    sheet.open(names.join(", "));
    sheet.box(sheet.margin, sheet.y, sheet.inner, 26, { fill: "track", rx: 4 });
    sheet.text(sheet.margin + 10, sheet.y + 17.5, shortenText(folded, sheet.inner - 20), { colour: "soft" });
    sheet.close();
    sheet.y += 26 + ROW_GAP;
  }
  const isArrow = bars.some(({ target }) => target >= 0), left = sheet.margin + (isArrow ? 38 : 0);
  if (isArrow) {
    sheet.path(`M${sheet.margin} ${sheet.y + 9}h20`, { stroke: "out", "stroke-width": 2 });
    sheet.path(`M${sheet.margin + 28} ${sheet.y + 9}l-9 -4.5v9z`, { fill: "out" });
  }
  for (const line of wrapText(cleanText(wayOut), sheet.width - sheet.margin - left, FONT, 6)) {
    sheet.y += 17.5;
    sheet.text(left, sheet.y - 4, line, { title: line.endsWith("…") ? wayOut : "" });
  }
  sheet.y += 4;
  drawLegend(sheet, bars);
  const said = bars.map((one) => `${one.name}: ${barWords(one)}.`);
  return sheet.element(title, [lead, ...said, ...(folded ? [`${folded}.`] : []), wayOut].join(" "));
}

function drawRow(sheet, one) {
  const needed = one.role === "needed", colour = needed ? "kept" : "soft", { margin, inner, width } = sheet;
  const ink = needed || one.target >= 0 ? "ink" : "soft", name = cleanText(one.name), said = cleanText(one.said);
  sheet.open(`${one.name}: ${barWords(one)}`);
  if (width >= WIDE) {
    const left = margin + NAMES;
    const { middle, bottom } = drawBar(sheet, one, { left, width: width - margin - left, top: sheet.y });
    sheet.text(margin, middle - 1, shortenText(name, (NAMES - 16) / BOLD), { bold: needed, colour: ink });
    const lines = wrapText(said, NAMES - 16, SMALL, needed ? 2 : 1);
    lines.forEach((text, line) => sheet.text(margin, middle + 14 + 14 * line, text, { size: SMALL, colour }));
    sheet.y = Math.max(bottom, middle + 4 + 14 * lines.length);
  } else {
    const shown = shortenText(name, inner * 0.5 / BOLD), left = textWidth(shown) * (needed ? BOLD : 1) + 10;
    sheet.text(margin, sheet.y + 12, shown, { bold: needed, colour: ink });
    sheet.text(margin + inner, sheet.y + 12, wrapText(said, inner - left, SMALL, 1)[0],
      { size: SMALL, colour, anchor: "end" });
    sheet.y = drawBar(sheet, one, { left: margin, width: inner, top: sheet.y + 18 }).bottom;
  }
  sheet.close();
  sheet.y += ROW_GAP;
}

function drawBar(sheet, one, room) {
  if (one.role !== "missing") return (one.cuts?.length ? drawAxis : drawSegments)(sheet, room, one);
  const middle = room.top + BAR / 2;
  sheet.box(room.left, room.top, room.width, BAR, { stroke: "edge", rx: 4, "stroke-dasharray": "4 3" });
  sheet.text(room.left + room.width / 2, middle + 4.5, "?", { colour: "soft", anchor: "middle" });
  return { middle, bottom: room.top + BAR };
}

/** What the signs mean, those that occur. */
function drawLegend(sheet, bars) {
  const entries = [["keep", "keeps the decision", ({ kept }) => kept], ["dot", "the value here", ({ own }) => own >= 0],
    ["out", "nearest way out", ({ target }) => target >= 0], ["free", "any value will do", ({ role }) => role === "free"]]
    .filter(([, , occurs]) => bars.some(occurs));
  let x = sheet.margin;
  sheet.y += 6;
  for (const [sign, text] of entries) {
    const room = 26 + textWidth(text, 11) + 16;
    if (x > sheet.margin && x + room > sheet.width - sheet.margin) {
      x = sheet.margin;
      sheet.y += 19;
    }
    const y = sheet.y + 2;
    if (sign === "dot") sheet.dot(x + 9, y + 6, 5);
    else if (sign === "out") {
      sheet.path(`M${x} ${y + 6}h10`, { stroke: "out", "stroke-width": 2 });
      sheet.path(`M${x + 18} ${y + 6}l-9 -4.5v9z`, { fill: "out" });
    } else {
      const look = sign === "keep" ? { fill: "keep", stroke: "kept", "stroke-width": 2 } : { fill: "track", stroke: "edge" };
      sheet.box(x, y, 18, 12, { ...look, rx: 3 });
    }
    sheet.text(x + 24, sheet.y + 11.5, text, { size: 11, colour: "soft" });
    x += room;
  }
  sheet.y += entries.length ? 14 : 0;
}

/** Shows pictures in a place of the page, drawn anew when its width changes. */
class Figure {
  constructor(place) {
    this.place = place;
    this.width = 0;
    new ResizeObserver(() => this.draw(false)).observe(place);
  }

  show(picture) {
    this.picture = picture;
    this.draw(true);
  }

  draw(anew) {
    const width = Math.round(Math.min(Math.max(this.place.clientWidth || 680, 240), 760));
    if (!this.picture || (!anew && width === this.width)) return;
    this.width = width;
    this.place.replaceChildren(drawDecision(this.picture, width));
  }
}
