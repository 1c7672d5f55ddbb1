"""Scores: a number for each feature of one decision, from its reasons or from games on the diagram."""
