"""Fitted scikit-learn pipelines that end in a naive Bayes, as products over their raw columns.

``steps`` says what a transformer does to one column, ``encoders`` and ``transformers`` read that from fitted
objects, ``likelihood`` has the weights of a naive Bayes, ``cells`` parts a raw column where they change, and
``wrappers`` takes off what is around a pipeline. Objects are read by their attributes; scikit-learn itself is
never imported.
"""
