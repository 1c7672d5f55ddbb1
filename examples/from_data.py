"""From a data frame to an explanation: train, ask why one row is decided so, and prove a rule."""

from sklearn.datasets import load_wine

import bnc2d

wines = load_wine(as_frame=True)
frame = wines.frame[["alcohol", "flavanoids", "color_intensity", "hue", "proline"]].copy()
frame["wine"] = wines.target.map({0: "barolo", 1: "grignolino", 2: "barbera"})

classifier = bnc2d.from_data(
    frame, target="wine", bins={"alcohol": [12.5, 13.5], "proline": [600, 900], "hue": 2}
)
print(f"A {classifier.training}.")

row = frame.iloc[17]
explanation = classifier.explain(row)
print(f"Row 17 is {explanation.decision}, because {explanation.shortest_sufficient_reason()}.")
change = explanation.robustness()
here, there = explanation.instance, change.witness or {}
new = {name: state for name, state in there.items() if state != here[name]}
print(f"It would be {change.decision} with {', '.join(f'{name} {state}' for name, state in new.items())}.")

rule = "if alcohol < 12.5 and proline < 600 then class != barolo"
print(f"{rule}: {classifier.check(rule).status}")
