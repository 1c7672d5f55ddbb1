"""Two classes whose odds are a product of small factors: decisions in one dimension."""
