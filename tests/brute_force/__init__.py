"""Answers by definition, from the list of all cases: the one home of brute force in the tests.

``decisions`` has the joint table of a network and the class of every instance, ``reasons`` the explanations
of a decision, ``primes`` the prime implicants and implicates of a circuit. Exponential and deliberately
simple, they share no code with what they judge.
"""
