"""What every room stands on.

``readers`` reads what callers hand in; ``finding`` is what they get back from a question (yes, no or open).
Below it is the machinery of work: ``budget`` and ``checkpoints``, ``arrays``, ``hashing`` and ``masks``,
``threads``, files (``atomic``), and optional loops in C (``kernels``).
"""
