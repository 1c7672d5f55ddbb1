"""Other compilers, to compare with: brute force and the block orders of 2019."""
