"""Is it the classifier I think it is? A naive Bayes of scikit-learn, rebuilt exactly and asked everything."""

import numpy as np
from sklearn.naive_bayes import CategoricalNB

import bnc2d


def main() -> None:
    rng = np.random.default_rng(1)
    habits = rng.integers(0, 3, size=(200, 4))
    risk = (habits.sum(axis=1) + rng.integers(0, 3, size=200) > 5).astype(int)
    estimator = CategoricalNB().fit(habits, risk)

    names = ["smoking", "diet", "sleep", "stress"]
    levels = ["low", "medium", "high"]
    classifier = bnc2d.from_sklearn(
        estimator, feature_names=names, feature_states=dict.fromkeys(names, levels), target="risk"
    )
    person = {"smoking": "high", "diet": "medium", "sleep": "low", "stress": "high"}
    print(f"{person}\nrisk class {classifier.predict(person)}, exactly:")
    for state, probability in classifier.posterior(person).items():
        print(f"  P(risk={state}) = {probability}")

    everyone = np.stack(np.unravel_index(np.arange(3**4), [3] * 4), axis=1)
    same = classifier.predict(everyone) == estimator.predict(everyone).astype(str)
    print(f"the same decision as scikit-learn for {same.sum()} of {len(same)} people")


if __name__ == "__main__":
    main()
