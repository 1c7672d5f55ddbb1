"""What people look at: a page in which a model can be explored, displays in notebooks, records for data frames."""
