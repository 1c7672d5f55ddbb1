"""From a diagram to small OR-decomposable formulas."""
