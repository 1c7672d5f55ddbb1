// The section on circuits: a drawing of a class's formula, with the part that holds for the instance lit up.

const LEAST_SCALE = 0.6;

class Circuits {
  constructor(model, className) {
    Object.assign(this, { model, className });
    this.drawn = "decided";
    this.fit = null; // whether drawings shrink to the width, once the reader has said so
    this.seen = {}; // where the reader was looking in which drawing
  }

  show(subject) {
    this.subject = subject;
    const { roots, pictures } = this.model;
    const place = byId("circuit");
    if (!byId("picture")) {
      const all = roots.map((_, label) => [label, this.className(label)]);
      const options = [["decided", "the decided class"], ...all];
      place.append(
        chooser("Formula of", "drawn", options, "decided", (label) => {
          this.drawn = label;
          this.show(this.subject);
        }),
        make("p", { class: "hint", id: "lit" }), make("div", { id: "picture" }));
    }
    const { row } = subject;
    byId("lit").textContent = isComplete(row) ? "Lit: what holds for the instance."
      : "Of all features. Lit: what holds whatever the unknown features are.";
    const label = this.drawn === "decided" ? subject.label : this.drawn;
    if (!roots[label]) {
      byId("picture").replaceChildren(make("p", {}, "There is no circuit of this decision."));
      return;
    }
    const root = roots[label][0], size = programOf(this.model, root).length;
    if (!pictures[label]) {
      const sentence = `This circuit has ${grouped(String(size))} nodes, too many to draw here.`;
      byId("picture").replaceChildren(make("p", {}, sentence));
      return;
    }
    const holding = holdingNodes(this.model, root, row);
    const truth = holding.has(root) ? "true" : isComplete(row) ? "false" : "not known to be true";
    const about = `Circuit of ${this.className(label)}: ${size} nodes, ${holding.size} of them hold; `
      + `it is ${truth} for the instance`;
    const { width, points, boxes } = pictures[label];
    const frame = make("div", { class: "drawing", tabindex: "0", role: "region", "aria-label": "Drawing" });
    frame.append(draw(pictures[label], holding, about));
    const fit = make("input", { type: "checkbox" });
    const scale = () => frame.classList.toggle("fit", fit.checked);
    fit.addEventListener("change", () => {
      this.fit = fit.checked;
      scale();
    });
    byId("picture").replaceChildren(make("p", {}, make("label", {}, fit, " Fit to the width")), frame);
    fit.checked = this.fit ?? width * LEAST_SCALE <= frame.clientWidth;
    scale();
    const top = points.slice(0, boxes.length).reduce((one, other) => (other[1] < one[1] ? other : one));
    const seen = this.seen.label === label ? this.seen : { left: top[0] - frame.clientWidth / 2, top: 0 };
    frame.scrollTo(seen.left, seen.top);
    this.seen = { label, left: frame.scrollLeft, top: frame.scrollTop };
    frame.addEventListener("scroll", () => {
      this.seen = { label, left: frame.scrollLeft, top: frame.scrollTop };
    });
  }
}
