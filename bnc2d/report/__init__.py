"""What people look at: a page to explore a model, displays in notebooks, explanations as records."""
