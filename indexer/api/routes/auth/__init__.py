"""Sign-in with a wallet: one step a file."""
