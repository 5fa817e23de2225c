"""The market itself: its parameters, payment mints, vaults and prices."""
