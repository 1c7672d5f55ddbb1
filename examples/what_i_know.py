"""Reasons that take in what one knows: instances that cannot be, and values that are missing."""

from __future__ import annotations

import bnc2d


def main() -> None:
    """Explain a patient of a ward, then one of whom not everything is known."""
    model = bnc2d.Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    patient = {"BP": "High", "CT": "1", "HR": "Normal"}
    print("Why class 2? Enough is", " or ".join(map(str, model.explain(patient).sufficient_reasons())))

    # On this ward nobody has a normal heart rate and a normal blood pressure.
    ward = model.given("HR=Normal -> BP!=Normal")
    print("On the ward enough is", " or ".join(map(str, ward.explain(patient).sufficient_reasons())))
    print("What would change it there:", ward.nearest(patient))

    # The scan was not made, the heart rate not taken.
    unknown = model.explain({"BP": "High"})
    print(f"With {', '.join(unknown.missing)} unknown the class is {unknown.decision}.")
    found = unknown.if_known()
    if found.probability is not None:
        print(f"It stays so with a probability of {float(found.probability):.0%} once they are known.")
    for name in found.matters:
        print(f"{name} can tip it.")


if __name__ == "__main__":
    main()
