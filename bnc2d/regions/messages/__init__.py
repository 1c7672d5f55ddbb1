"""Messages: what the features beyond a separator can say of it, in all ways in which a region lets them be.

- ``tree`` joins the tables of a network two by two, ``leaves`` are its tables within a region.
- ``message`` is what goes along the edges; ``product`` multiplies messages, ``clusters`` keeps them few, by
  how much states are ``expected`` to count.
- ``passes`` carries messages through the tree: a bound on the ratio of two classes, the worst instance met,
  and what each feature changes at an instance. ``possible`` does so for zeros alone.
"""
