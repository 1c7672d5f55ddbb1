"""Weighted counts, models in order and cheapest models, of circuits and of diagrams."""
