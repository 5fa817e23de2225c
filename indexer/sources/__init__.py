"""Where transactions come from."""
