// Pieces of the page. Names go into it as text only.

const byId = (id) => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const named = (text, kind = "name") => make("bdi", { class: kind }, text);

const LONG = 40, HEAD = 22, TAIL = 13; // characters of a name that is cut in its middle, and of what stays of it

/** A long name without its middle, as names that begin alike often differ at their ends. */
const shortName = (text) => {
  const letters = [...text];
  return letters.length > LONG ? `${letters.slice(0, HEAD).join("")}…${letters.slice(-TAIL).join("")}` : text;
};

/** Text with what it stands for as a title where it is shortened. */
const shortened = (short, text, kind) =>
  make("bdi", short === text ? { class: kind } : { class: kind, title: text }, short);

const nameOf = ({ name }) => shortened(shortName(name), name, "name");
const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, "\u202f");
const onlyHeard = (text) => make("span", { class: "heard" }, text);

/** A button that leads away from itself: the reader goes on from the decision. */
function button(text, action, look = {}) {
  const element = make("button", { type: "button", ...look }, text);
  element.addEventListener("click", action);
  return element;
}

/** A choice of one of some options, each a value and its text. */
function chooser(label, id, options, chosen, change) {
  const select = make("select", { id }, ...options.map(([value, text]) => make("option", { value }, text)));
  select.value = String(chosen);
  select.addEventListener("change", () => change(options[select.selectedIndex][0]));
  return make("p", { class: "chooser" }, make("label", { for: id }, label), " ", select);
}

/** A bar of a share, with a line at a mark if there is one. */
function bar(share, mark = null) {
  const look = { class: "bar", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" };
  const at = Math.min(Math.max(mark - 0.008, 0), 0.984);
  const line = mark === null ? [] : [shape("rect", { class: "mark", x: at, width: 0.016, height: 1 })];
  return shape("svg", look, shape("rect", { class: "whole", width: 1, height: 1 }),
    shape("rect", { width: share, height: 1 }), ...line);
}

function percent(count, share) {
  if (count === "0") return "0 %";
  return share < 0.001 ? "< 0.1 %" : `${(100 * share).toFixed(1)} %`;
}

/** A probability in percent, to three digits; never rounded to certainty. */
function chance(probability) {
  if (probability === 0 || probability === 1) return `${100 * probability} %`;
  if (probability > 0.9995) return "> 99.9 %";
  return `${(100 * probability).toPrecision(3)} %`;
}

/** Steps of work, made one after another so that the page stays responsive; a new turn ends an old one. */
class Turns {
  constructor() {
    this.turn = 0;
  }

  take(steps) {
    const turn = ++this.turn;
    byId("answers").setAttribute("aria-busy", "true");
    const next = () => {
      if (turn !== this.turn) return;
      const step = steps.shift();
      if (step) {
        step();
        setTimeout(next);
      } else {
        byId("answers").removeAttribute("aria-busy");
      }
    };
    setTimeout(next);
  }
}
