"""The two tables of a cut: messages towards it, compressed and with proven errors."""
