"""Why is this tumour called malignant? A naive Bayes of scikit-learn, compiled and asked for its reasons."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import CategoricalNB

import bnc2d

LEVELS = ["low", "medium", "high"]
FEATURES = [
    "mean radius",
    "mean texture",
    "mean smoothness",
    "mean concavity",
    "worst area",
    "worst symmetry",
]


def main() -> None:
    data = load_breast_cancer()
    columns = [list(data.feature_names).index(name) for name in FEATURES]
    measured = data.data[:, columns]
    cuts = np.quantile(measured, [1 / 3, 2 / 3], axis=0)
    levels = (measured > cuts[0]).astype(int) + (measured > cuts[1])
    estimator = CategoricalNB().fit(levels, data.target_names[data.target])

    classifier = bnc2d.from_sklearn(
        estimator, feature_names=FEATURES, feature_states=[LEVELS] * len(FEATURES), target="tumour"
    )
    model = classifier.compile()
    patient = {name: LEVELS[level] for name, level in zip(FEATURES, levels[13], strict=True)}
    explanation = model.explain(patient)

    print("The tumour:")
    for name, level in patient.items():
        print(f"  {name}: {level}")
    chance = classifier.posterior(patient)[str(explanation.decision)]
    print(f"is called {explanation.decision} (probability {float(chance):.3f}).\n")
    print("Each line alone is enough for that, whatever else were measured:")
    for reason in explanation.sufficient_reasons():
        print(f"  {reason}")
    print("\nAs general as they can be:")
    for reason in explanation.general_sufficient_reasons():
        print(f"  {reason}")
    print(f"\nThe nearest change of the answer: {model.nearest(patient)}.")
    same = model.predict(levels) == estimator.predict(levels)
    print(f"The compiled model answers as scikit-learn does for {same.sum()} of {len(same)} tumours.")


if __name__ == "__main__":
    main()
