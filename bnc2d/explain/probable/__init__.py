"""Probable reasons: values of an instance that keep its decision with a probability, others being drawn.

``question.py`` says what is drawn and what is asked, and makes the answers (``reason.py``). ``chances.py`` is
what the search asks of a distribution; it is answered for independent features (``by_product.py``) and by
masses of instances, of rows or of a network (``by_masses.py``). ``search.py`` looks for the sets.
"""
