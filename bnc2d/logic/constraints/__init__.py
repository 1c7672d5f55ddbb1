"""Constraints over features, read into circuits.

``reader`` takes every form that users may give: circuits, sympy expressions, lists of combinations, texts.
``syntax`` is the language of texts and its parser, which reads ``tokens`` and makes the trees of ``formula``,
where trees also become circuits.
"""
