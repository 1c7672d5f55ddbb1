"""What may change around an instance, what changes cost, and the cheapest that lead to another decision."""
