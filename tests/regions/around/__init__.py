"""Tests of what is known around one instance."""
