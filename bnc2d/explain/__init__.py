"""From a compiled model to explanations."""
