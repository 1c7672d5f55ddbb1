"""Sensitivity: how far one number of a classifier can move before the first decision changes.

Source: Chan and Darwiche, "When do numbers really matter?" (JAIR 2002) and "Reasoning about Bayesian network
classifiers" (UAI 2003, arXiv 1212.2470). They look at one query, or at naive Bayes classifiers; here it
is every decision of any classifier.

- ``results``: what is answered. ``ranges`` is the question as users ask it, ``ranking`` that of all entries.
- ``family``: the classifiers that one number runs through, a threshold or a table entry. What each class
  weighs at an instance is a linear function of the number, so an instance keeps its decision in an interval.
- ``flips``: where one instance leaves its decision, in exact numbers. ``side``: the first of many instances
  to do so, on one side of the present value.
- ``search``: all instances, one by one where they are few. Where they are many, the classifier is compiled
  again at the first flip known: where no decision has changed up to there, it is the first of all, and where
  some have, these lead to an earlier one.
"""
