"""Checks of the index's correctness: gaps, ledgers against vaults and supply, and their repair."""
