"""Reports for readers without Python: a page in which a model can be explored."""
