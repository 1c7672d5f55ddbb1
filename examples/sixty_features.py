"""Why, with 60 features? A TAN far too large to compile: the network itself explains its decisions."""

import bnc2d
from bnc2d.testing import random_instance, random_tan


def main() -> None:
    network = random_tan(seed=7, features=60, states=3, classes=3)
    classifier = bnc2d.Classifier(network, "Y", features="all")
    print(f"{len(classifier.features)} features, {classifier.instance_count:.1e} instances.")
    instance = random_instance(classifier, seed=1)
    explanation = classifier.explain(instance, time_limit=5)
    print(f"The instance is called {explanation.decision}.\n")

    reason = explanation.a_sufficient_reason()
    print(f"These {len(reason)} of its states are enough, whatever the others are:")
    print(f"  {reason}")
    if reason.proved_minimal:
        print("Each of them is proved to be needed.")
    else:
        print(f"Not proved to be needed: {', '.join(reason.unproved)}.")
    free = {name: instance[name] for name in reason.features}
    print(f"By a question about the region: {classifier.decides(free, time_limit=5)}.\n")

    nearest = explanation.robustness()
    witness = nearest.witness or {}
    changes = [
        f"{name}: {instance[name]} → {state}" for name, state in witness.items() if state != instance[name]
    ]
    print(f"The nearest change: {', '.join(changes)} gives {nearest.decision}.")
    print(f"Features that alone can change the decision: {', '.join(explanation.necessary_features())}.\n")

    rows = [random_instance(classifier, seed) for seed in range(50)]
    explained = classifier.explain_many(rows, kinds=["sufficient"], limit=1)
    sizes = [len(row.reasons["sufficient"][0]) for row in explained]
    print(f"One reason each for {len(rows)} instances: {min(sizes)} to {max(sizes)} features.")


if __name__ == "__main__":
    main()
