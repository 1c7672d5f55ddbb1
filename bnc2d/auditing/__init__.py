"""Everything that an auditor asks of a compiled model, as one result: ``bnc2d.audit`` and its page.

``findings`` is what a check says; ``networks``, ``against_network``, ``own_file``, ``questions`` and
``row_checks`` are the checks; ``audit`` runs them; ``result`` and ``page`` say what was found.
"""
