"""Two classes and independent groups of features: decisions in one dimension."""
