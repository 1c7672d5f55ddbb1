"""What every room stands on: checked arguments, arrays in pieces, checkpoints, files, threads."""
