"""The default method: the tables of two halves of the features meet in the middle."""
