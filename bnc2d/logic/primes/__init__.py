"""Prime implicants and implicates of circuits, and the minimal sets behind the reasons of a decision.

- ``direct``: primes of locally fixated circuits, bottom-up on bits (``cells``, ``subsumption``, ``monotone``)
  or, where they are too many, one after another (``lazy``); ``by_sat``: primes of any circuit.
- ``neighbourhood``: the decision diagram around an instance as monotone functions of features and states;
  ``diagrams``: BDDs of such functions, ZDDs of their minimal sets; ``dualise``: the same one after another;
  ``thresholds``: those of sums.
- ``stream``: lists that know whether they gave everything.
"""
