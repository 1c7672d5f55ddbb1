"""Circuits as pictures: Graphviz text, SVG with a layout of our own, a summary of large ones."""
