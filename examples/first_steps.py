"""Which disease, and how sure? Exact posteriors and decisions from the paper's diagnosis network."""

import bnc2d


def main() -> None:
    network = bnc2d.example("diagnosis")
    classifier = bnc2d.Classifier(network, target="D", features=["BP", "CT", "HR"])
    patient = {"BP": "High", "CT": "1", "HR": "Normal"}
    print(f"patient {patient}: class {classifier.predict(patient)}")
    for state, probability in classifier.posterior(patient).items():
        print(f"  P(D={state}) = {probability} = {float(probability):.4f}")

    others = [{"BP": bp, "CT": "0", "HR": "High"} for bp in ("Low", "Normal", "High")]
    for other, decision in zip(others, classifier.predict(others), strict=True):
        print(f"patient {other}: class {decision}")


if __name__ == "__main__":
    main()
