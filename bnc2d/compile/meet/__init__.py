"""The default method: the tables of two halves of the features meet in the middle.

``method`` lists the steps: where to ``cut``, the ``tables`` of both sides, how they decide (``cut_problem``,
``join``, ``labels``, ``work_share``), what float64 cannot prove (``ties``), and equal sub-functions
(``row_packing``).
"""
