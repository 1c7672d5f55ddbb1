"""Networks and classifiers: exact tables, exact answers."""
