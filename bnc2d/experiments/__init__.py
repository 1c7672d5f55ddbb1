"""Repeating the paper's evaluation, and going on from there.

``problems`` reads a suite of problems, ours or the authors'; ``jobs`` describes one compilation and runs it
in a process of its own (``worker``); ``journal`` keeps results as JSON lines, so that a run can be resumed.
"""
