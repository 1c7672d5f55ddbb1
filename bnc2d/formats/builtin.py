"""The networks that ship with bnc2d: the paper's two worked examples and small published classics.

Zhang and Darwiche, "Scaling the Explanation of Multi-Class Bayesian Network Classifiers" (XAI 2026), print no
tables, so those of ``running`` and ``diagnosis`` were searched for: they give exactly the printed class
formulas, with wide margins. All other numbers are those of the publication that the description names.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from bnc2d.base.readers.arguments import named
from bnc2d.errors import UnknownNameError, did_you_mean
from bnc2d.model.network import BayesianNetwork

if TYPE_CHECKING:
    from importlib.abc import ResourceLoader

_DESCRIPTIONS = {
    "running": "Binary class A from D, E and F (structure and class formula of Zhang & Darwiche 2026)",
    "diagnosis": "Three classes D from BP, CT, HR (structure and class formulas of Zhang & Darwiche 2026)",
    "asia": "Chest clinic: tuberculosis, lung cancer and bronchitis (Lauritzen & Spiegelhalter 1988)",
    "cancer": "Lung cancer from pollution and smoking, with X-ray and dyspnoea (Korb & Nicholson 2010)",
    "earthquake": "Pearl's burglar alarm with the probabilities of Korb & Nicholson 2010",
    "burglary": "Pearl's burglar alarm with the probabilities of Russell & Norvig 2010",
    "survey": "Means of transport from age, sex, education, occupation, residence (Scutari & Denis 2014)",
    "sprinkler": "Wet grass from sprinkler and rain (Murphy 1998, Russell & Norvig 2010)",
    "student": "Grade, SAT score and letter of a student (Koller & Friedman 2009)",
    "dog": "Is the family out? Outdoor light and barking dog (Charniak 1991)",
    "coma": "Metastatic cancer, serum calcium, brain tumour, coma, headaches (Cooper 1984, Pearl 1988)",
    "fire": "Fire or tampering, from smoke and a report of people leaving (Poole & Mackworth 2010)",
    "car": "Car start problem: fuel, spark plugs and a fuel meter (Jensen & Nielsen 2007)",
    "led": "Ten digits on a seven-segment display with 10% noise (Breiman, Friedman, Olshen & Stone 1984)",
    "weather": "Weather on the seven days after a sunny one, a Markov chain (Rabiner 1989)",
}


def examples() -> dict[str, str]:
    """Return the names of the built-in networks, each with a line that says what it is and who published it.

    >>> list(examples())[:3]
    ['running', 'diagnosis', 'asia']
    """
    return dict(_DESCRIPTIONS)


def example(name: str) -> BayesianNetwork:
    """Return the built-in network with this name; an unknown name raises with the nearest valid one.

    >>> example("diagnosis").parents("BP")
    ('X', 'Y')
    """
    if not isinstance(name, str) or name not in _DESCRIPTIONS:
        raise UnknownNameError(f"unknown example {named(name)}{did_you_mean(name, _DESCRIPTIONS)}")
    from bnc2d.formats import bif

    # What loaded this module may read from an archive. ``pkgutil`` asks it, too, but takes longer to load.
    loader = cast("ResourceLoader", __spec__.loader)
    data = loader.get_data(str(Path(__file__).parent.parent / "networks" / f"{name}.bif"))
    return bif.parse(data, name).assemble()[0]
