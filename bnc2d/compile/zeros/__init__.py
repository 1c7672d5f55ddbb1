"""Instances of probability zero: where tables outside the target's part decide."""
