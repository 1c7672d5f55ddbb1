"""What people look at: a page in which a model can be explored, pictures, displays in notebooks."""
