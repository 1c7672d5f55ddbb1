"""What the commands share: options, instances, output."""
