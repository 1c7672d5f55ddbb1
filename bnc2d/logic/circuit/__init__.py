"""Circuits in negation normal form: nodes, passes over them, queries and transformations."""
