"""What is done with the graph first: pruning, jointree, feature tree (steps 1 to 3 of the paper)."""
