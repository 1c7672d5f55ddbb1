"""From a data frame to a classifier that knows its units.

``columns`` reads what a column holds, ``cuts`` chooses where numbers are cut, ``scaling`` makes states of
both; ``naive`` and ``tan`` train with scikit-learn and pyAgrum; ``train`` has ``from_data``.
"""
