// A circuit's drawing, with the part that holds for the instance lit up.

const SVG = "http://www.w3.org/2000/svg";
const GATE = 15; // half of a gate's size
const SIGNS = { [AND]: "M-5 4.5L0 -5L5 4.5", [OR]: "M-5 -4.5L0 5L5 -4.5" };

function shape(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Return the drawing as an SVG element; holding are the nodes that hold. */
function draw({ width, height, boxes, points, nodes, edges }, holding, label) {
  const lit = nodes.map((node, point) => point < boxes.length && holding.has(node));
  const paths = edges.map(([from, to]) => {
    const fires = lit[from] && holding.has(nodes[to]);
    if (lit[from] && to >= boxes.length) lit[to] = true; // a way point carries on what reaches it
    return shape("path", { d: curve(points[from], points[to]), class: fires ? "edge on" : "edge" });
  });
  paths.sort((one, other) => one.getAttribute("class").length - other.getAttribute("class").length);
  return shape("svg", { role: "img", "aria-label": label, width, height, viewBox: `0 0 ${width} ${height}` },
    ...paths, ...boxes.map((box, point) => drawBox(box, points[point], lit[point])));
}

function curve([x1, y1], [x2, y2]) {
  const middle = (y1 + y2) / 2;
  if (x1 === x2) return `M${x1} ${y1}V${y2}`;
  return `M${x1} ${y1}V${y1 + GATE}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2 - GATE}V${y2}`;
}

function drawBox([kind, width, height, label, title], [x, y], lit) {
  const on = lit ? " on" : "";
  const parts = [shape("title", {}, title)];
  if (kind === LITERAL) {
    parts.push(shape("rect", { x: -width / 2, y: -height / 2, width, height, rx: 8 }));
  } else {
    parts.push(shape("circle", { r: GATE }));
  }
  parts.push(kind >= AND ? shape("path", { d: SIGNS[kind] }) : shape("text", { y: 4.5 }, label));
  const look = (kind === LITERAL ? "literal" : "gate") + on;
  return shape("g", { class: look, transform: `translate(${x} ${y})` }, ...parts);
}
