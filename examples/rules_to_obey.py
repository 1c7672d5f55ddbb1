"""Does it obey? Rules for a classifier, proved for all instances or refuted by a witness, compiled or not."""

import bnc2d

RULES = """
if BP=Normal and HR=Low then class=0           # a formula over features and decision
if BP!=Normal then raising HR never leads out of class 2
if HR=High then class does not depend on CT    # a sentence about any two patients
class changes by at most one step
"""


def main() -> None:
    classifier = bnc2d.Classifier(bnc2d.example("diagnosis"), target="D", features=["BP", "CT", "HR"])
    found = classifier.compile().check(RULES)
    for result in found.results:
        print(f"line {result.line}, {result}")
    broken = found.broken
    if broken is not None:
        print("\nWhat the network says of the two:")
        for instance, posterior in zip(broken.instances, broken.posteriors, strict=True):
            print(f"  {instance}: {', '.join(f'P({name}) = {p}' for name, p in posterior.items())}")

    itself = classifier.check(RULES, time_limit=10)
    print(f"\nThe network itself, asked without compiling: {[result.status for result in itself.results]}")


if __name__ == "__main__":
    main()
