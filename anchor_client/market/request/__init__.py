"""Orders that wait for a machine."""
