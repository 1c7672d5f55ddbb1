"""The classes that users hold; they stand above the layers that they use.

``Classifier.compile`` gives a ``CompiledModel``, whose ``explain`` gives an ``Explanation``. Each extends a
class of a lower layer that has the data (``BaseClassifier`` in model, ``BaseCompiledModel`` in compile,
``BaseExplanation`` in explain), and adds what asks the layers above it.
"""
