"""What the readers share: text with line numbers, tokens, numbers, names, assembly."""
