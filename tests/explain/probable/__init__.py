"""Tests of probable reasons."""
