"""Rules that a classifier is to obey, proved or refuted; ``docs/semantics.md`` says what each means.

``claims`` says what a rule claims, ``parsing`` reads rules from texts, ``results`` are the answers. A claim
is checked ``by_diagram`` of a compiled model, or without compiling: ``by_regions`` (claims about each
instance) and ``pairs_by_regions`` (claims about two), where the ``boxes`` of a formula are the regions.
``checking`` goes through the rules.
"""
