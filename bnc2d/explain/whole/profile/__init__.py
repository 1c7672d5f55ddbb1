"""How robust a classifier is as a whole: ``making`` counts, ``rows`` asks rows, ``result`` tells."""
