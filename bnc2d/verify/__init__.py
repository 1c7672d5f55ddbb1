"""Independent checks of compiled models; the oracle uses no code of inference or compilation."""
