"""What must I change for a better prognosis? The nearest other decisions that can be reached."""

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.naive_bayes import CategoricalNB

import bnc2d

FEATURES = ["age", "sex", "weight", "pressure", "cholesterol", "triglycerides", "sugar"]
COLUMNS = [0, 1, 2, 3, 4, 8, 9]  # of scikit-learn's diabetes data: age, sex, bmi, bp, s1, s5, s6
LEVELS = ["low", "medium", "high"]


def main() -> None:
    data = load_diabetes(scaled=False)
    measured = data.data[:, COLUMNS]
    cuts = np.quantile(measured, [1 / 3, 2 / 3], axis=0)
    levels = (measured > cuts[0]).astype(int) + (measured > cuts[1])
    levels[:, 1] = measured[:, 1] == 2
    course = np.array(["good", "bad"])[(data.target > np.median(data.target)).astype(int)]
    estimator = CategoricalNB().fit(levels, course)

    states = dict.fromkeys(FEATURES, LEVELS) | {"sex": ["first", "second"]}
    model = bnc2d.from_sklearn(
        estimator, feature_names=FEATURES, feature_states=states, target="course"
    ).compile()
    me = dict.fromkeys(FEATURES, "high") | {"sex": "first", "age": "medium", "pressure": "medium"}
    print("I have " + ", ".join(f"{name} {level}" for name, level in me.items()))
    print(f"and the course is predicted to be {model.predict(me)}.\n")

    cannot = ["age", "sex"]
    print("The fewest changes that help:")
    print(f"  {model.nearest(me, 'good', fixed=cannot)}")
    print("If losing weight is three times as hard as anything else:")
    print(f"  {model.nearest(me, 'good', fixed=cannot, weights={'weight': 3})}")
    print("If levels fall one at a time, and the first of weight is twice as hard:")
    step = {"high": "medium", "medium": "low"}
    allowed = {name: step for name in FEATURES if name not in cannot}
    costs = {"weight": {("high", "medium"): 2}}
    found = model.nearest(me, "good", fixed=cannot, allowed=allowed, costs=costs)
    print(f"  {found}, at a cost of {found.distance}")
    print("Different ways out, in case one of them fails:")
    for way in model.nearest(me, "good", fixed=cannot, limit=4):
        print(f"  {way}")
    print("With everything fixed but the blood pressure:")
    others = [name for name in FEATURES if name != "pressure"]
    print(f"  {model.nearest(me, 'good', fixed=others)}\n")

    for name in ("weight", "pressure", "cholesterol"):
        print(f"In general: {model.is_monotone(name, towards='bad')}.")


if __name__ == "__main__":
    main()
