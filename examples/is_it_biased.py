"""Is it biased? Who is shown the advertisement for a university course, and whether sex matters."""

import bnc2d


def main() -> None:
    network = bnc2d.example("survey")  # A age, S sex, E education, O occupation, R residence, T transport
    campaign = bnc2d.Classifier(
        network, target="E", features=["A", "S", "O", "R", "T"], threshold="0.4", positive="uni"
    ).compile()
    print(f"The campaign reaches {float(campaign.share('uni')):.1%} of all kinds of people.\n")

    verdict = campaign.is_biased("S")
    print(f"Does it ever depend on sex? {'Yes' if verdict else 'No'}: for {verdict.count} kinds of people,")
    print(f"a share of {verdict.share}. For instance")
    for person, decision in zip(verdict.pair or (), verdict.decisions or (), strict=True):
        print(f"  {', '.join(person.values())}: guessed {decision}")

    for home in ("small", "big"):
        person = {"A": "young", "S": "F", "O": "self", "R": home, "T": "car"}
        print(f"\nIs the decision on {', '.join(person.values())} biased?")
        print(f"  {campaign.is_biased('S', person)}")

    both = campaign.is_biased(["A", "S"])
    print(f"\nOn age and sex together it depends for {both.count} kinds of people, a share of {both.share}.")

    blind = bnc2d.Classifier(
        network, target="O", features=["A", "S", "E", "R", "T"], threshold="0.05", positive="self"
    ).compile()
    print("\nGuessing who is self-employed, with the education known:")
    print(f"  {blind.is_biased(['A', 'S'])}")


if __name__ == "__main__":
    main()
