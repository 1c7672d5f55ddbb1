"""Networks and classifiers of other libraries."""
