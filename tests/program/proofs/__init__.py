"""Proofs of the money rules for all inputs within the program's bounds: the twins in `anchor_client.rules` are run on
terms instead of numbers, and an SMT solver looks for inputs that break a property."""
