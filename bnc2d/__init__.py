"""bnc2d."""
