"""Partial instances."""
