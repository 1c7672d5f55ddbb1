"""Independent checks; shares no code with the compiler."""
