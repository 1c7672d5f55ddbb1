"""Compilation by a block ordering: Shih, Choi and Darwiche (2019)."""
