"""The published algorithm: Zhang and Darwiche (2026), one class at a time.

Pruning, jointree and feature tree are in ``graph``. Then come the right ``spine`` with its potentials and
messages, ``decide_negative`` and ``compile_negative``; ``method`` runs them by class. On request, not in the
paper, ``decide_early`` decides more by what ``completions`` knows of the features that are not set yet.
"""
