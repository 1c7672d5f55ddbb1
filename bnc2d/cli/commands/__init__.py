"""One module a command: ``configure`` describes its arguments, ``run`` does it."""
