"""Scores of features."""
