"""Circuits as CNF, SAT problems, SDDs, sympy formulas, plain data and files."""
