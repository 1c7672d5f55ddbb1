"""Why does the display not show an 8? Contrastive explanations of a seven-segment digit."""

import bnc2d

SEGMENTS = ["Top", "UpperLeft", "UpperRight", "Middle", "LowerLeft", "LowerRight", "Bottom"]


def main() -> None:
    model = bnc2d.Classifier(bnc2d.example("led"), target="Digit", features=SEGMENTS).compile()
    lit = {"Top", "UpperLeft", "Middle", "LowerRight", "Bottom"}
    display = {name: "on" if name in lit else "off" for name in SEGMENTS}
    explanation = model.explain(display)
    print(f"Lit: {', '.join(sorted(lit))}. The digit is read as {explanation.decision}.")

    for digit in ("6", "8", "1"):
        print(f"\nWhy not {digit}? Undoing all of a line is enough, and no part of it is:")
        for clause in explanation.contrastive(towards=digit, limit=3):
            changed, decision = next(explanation.changes(clause))
            switched = [f"{name} {state}" for name, state in changed.items() if state != display[name]]
            print(f"  {clause}\n    with {', '.join(switched)} it reads {decision}")


if __name__ == "__main__":
    main()
