"""Partial instances: the explanation of what is known, and what the missing features could do.

``smaller`` answers for the classifier over the known features. ``if_known`` asks about completions, the
instances that agree with what is known: ``by_diagram`` reads them off the diagram of a compiled model,
``by_regions`` enumerates them or asks the network about regions. ``masses`` says how probable sets of
completions are, ``splitting`` bounds probabilities where there are too many to list. ``words`` puts the
answers into sentences.
"""
