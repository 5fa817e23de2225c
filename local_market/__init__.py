"""A market to develop against: seeded through the program, with hosts and an oracle that keep it alive."""
