"""Hypothesis runs the same examples everywhere, without a deadline that a loaded machine would miss."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "bnc2d", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("bnc2d")
