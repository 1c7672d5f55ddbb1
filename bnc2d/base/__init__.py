"""What every room stands on.

What callers hand in is read here, each kind of value in one place: ``arguments`` (limits, names, flags),
``numbers``, ``states``, ``instances``, ``choices`` (the words of options). What they get back: ``finding``
(yes, no or open) and ``predicting`` (answers in the form of the question). Below it is the machinery of work:
``budget`` and ``checkpoints``, ``arrays``, ``hashing`` and ``masks``, ``threads``, and files (``atomic``,
``gzip_bytes``).
"""
