"""The published algorithm: Zhang and Darwiche (2026), one class at a time."""
