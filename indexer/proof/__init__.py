"""What the index knows of its own correctness: gaps, ledgers against vaults and supply, and their repair."""
