"""What callers hand in, each kind of value read in one place; answers come in the form of the question."""
