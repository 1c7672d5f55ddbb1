"""The results as tables, plots and a page."""
