"""Tests of regions."""
