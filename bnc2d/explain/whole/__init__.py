"""Questions about a classifier as a whole: shares, bias, monotonicity, comparison."""
