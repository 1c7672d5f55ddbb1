"""Circuits, encodings, primes (no network needed)."""
