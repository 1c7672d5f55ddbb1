"""From a classifier to its class formulas."""
