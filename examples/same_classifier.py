"""Is it still the same classifier? Two versions of a test for lung cancer, compared on every patient."""

import bnc2d


def main() -> None:
    network = bnc2d.example("asia")
    questions = ["asia", "smoke", "bronc", "xray", "dysp"]

    def version(threshold: str, features: list[str]) -> bnc2d.CompiledModel:
        """Compile the test that calls a patient ill where P(lung=yes) exceeds the threshold."""
        classifier = bnc2d.Classifier(network, "lung", features, threshold=threshold, positive="yes")
        model: bnc2d.CompiledModel = classifier.compile()
        return model

    now = version("0.5", questions)
    print("The questions in another order:")
    print(f"  the same decisions: {bool(now.equivalent(version('0.5', questions[::-1])))}")

    print("\nA threshold of 0.6 for 0.5:")
    print(f"  the same decisions: {bool(now.equivalent(version('0.6', questions)))}")

    bold = version("0.05", questions)
    answer = now.equivalent(bold)
    print("\nA threshold of 0.05 for 0.5:")
    if answer.witness and answer.decisions:
        patient = ", ".join(f"{name} {state}" for name, state in answer.witness.items())
        print(f"  not the same: {patient}")
        print(f"  was decided {answer.decisions[0]} and now is {answer.decisions[1]}")

    comparison = now.compare(bold)
    print(f"\nWhat changed: {comparison}")
    for (before, after), witness in comparison.witnesses.items():
        print(f"  {before} → {after}, for instance {', '.join(f'{n} {s}' for n, s in witness.items())}")


if __name__ == "__main__":
    main()
