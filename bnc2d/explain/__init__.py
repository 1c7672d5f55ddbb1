"""Explanations of decisions: reasons, contrasts, robustness, and checks of them by other means."""
